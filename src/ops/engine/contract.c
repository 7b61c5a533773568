/* contract.c - see contract.h.
 *
 * Operands are taken from the left, two at a time.  Labels that both have and nobody needs later are summed by a
 * batched matrix product,
 *
 *   A [batch, m, k] · B [batch, k, n] → [batch, m, n]     batch: in both and needed later   k: in both, last use
 *                                                         m, n: in one only, needed later
 *
 * so that the cost is that of the largest step and not of one loop nest over all labels.  Labels that occur in one
 * operand only are summed before, which multiplies fewer times than the definition: where a factor is infinite and its
 * partners cancel, the result may differ from the sum of all products.
 *
 * Results on the way are tensors, not scratch: their size comes from the model and tensors are capped. */
#include "ops/engine/contract.h"

#include <string.h>

#include "ops/engine/product.h"
#include "ops/kit/strided.h"

/* A dense operand, each label once. */
struct dense {
	int n;
	unsigned char label[STRIDED_MAX_RANK];
	struct tensor *t;
};

/* Which operand is the first and which the last to use a label (n_in: the result). */
struct lives {
	int first[CONTRACT_LABELS], last[CONTRACT_LABELS];
};

static void find_lives(const struct contract *p, struct lives *l)
{
	for (int k = 0; k < CONTRACT_LABELS; k++)
		l->first[k] = l->last[k] = -1;
	for (int i = 0; i < p->n_in; i++)
		for (int a = 0; a < p->in[i].n; a++) {
			int label = p->in[i].label[a];

			l->first[label] = l->first[label] < 0 ? i : l->first[label];
			l->last[label] = i;
		}
	for (int a = 0; a < p->n_out; a++)
		l->last[p->out[a]] = p->n_in;
}

static int in_list(const unsigned char *list, int n, int label)
{
	return n > 0 && memchr(list, label, (size_t)n) != NULL;
}

static int new_dense(struct call *c, const struct contract *p, struct dense *d)
{
	int64_t count = 1;

	for (int a = 0; a < d->n; a++)
		if (__builtin_mul_overflow(count, p->size[d->label[a]], &count))
			return call_bad(c, "an intermediate result is too large");
	d->t = tensor_new(p->is_float ? DT_DOUBLE : DT_INT64, 1, &count, c->err);
	return d->t ? 0 : c->err->code;
}

static size_t elements(const struct contract *p, const unsigned char *label, int n)
{
	size_t count = 1;

	for (int a = 0; a < n; a++)
		count *= (size_t)p->size[label[a]];
	return count;
}

int64_t contract_step(const struct contract_term *t, int label)
{
	int64_t step = 0;

	for (int a = 0; a < t->n; a++)
		if (t->label[a] == label)
			step += t->step[a];
	return step;
}

/* to, dense in the order of the labels, from a source whose steps are given in the same order. */
static void fill(const struct contract *p, const unsigned char *label, int n, const int64_t *src_step, void *to,
		 const void *from)
{
	int64_t step[STRIDED_MAX_RANK], count = 1;
	struct strided s;

	for (int a = n - 1; a >= 0; a--) {
		step[a] = count;
		count *= p->size[label[a]];
	}
	strided_init(&s, 0, 0);
	for (int a = 0; a < n; a++)
		strided_axis(&s, p->size[label[a]], step[a], src_step[a]);
	strided_copy(&s, 8, to, from);
}

static void sum_rows(int is_float, struct tensor *t, size_t rows, size_t width)
{
	for (size_t r = 0; r < rows; r++) {
		double f = 0;
		uint64_t u = 0; /* unsigned: overflow wraps */

		if (is_float) {
			for (size_t k = 0; k < width; k++)
				f += t->f[r * width + k];
			t->f[r] = f;
		} else {
			for (size_t k = 0; k < width; k++)
				u += (uint64_t)t->i[r * width + k];
			t->i[r] = (int64_t)u;
		}
	}
}

/* Operand i with diagonals taken and labels of its own summed. */
static int load(struct call *c, const struct contract *p, const struct lives *l, int i, struct dense *d)
{
	const struct contract_term *t = &p->in[i];
	int64_t step[STRIDED_MAX_RANK];
	int kept = 0, rc;

	d->n = 0;
	for (int own = 0; own < 2; own++) {
		for (int a = 0; a < t->n; a++) {
			int label = t->label[a];

			if ((l->first[label] == i && l->last[label] == i) != own || in_list(d->label, d->n, label))
				continue;
			step[d->n] = contract_step(t, label);
			d->label[d->n++] = (unsigned char)label;
		}
		kept = own ? kept : d->n;
	}
	rc = new_dense(c, p, d);
	if (rc)
		return rc;
	fill(p, d->label, d->n, step, d->t->data, t->data);
	if (kept < d->n)
		sum_rows(p->is_float, d->t, elements(p, d->label, kept), elements(p, d->label + kept, d->n - kept));
	d->n = kept;
	return 0;
}

/* src with its n labels in another order. */
static void permute(const struct contract *p, const struct dense *src, const unsigned char *label, int n, void *to)
{
	int64_t step[STRIDED_MAX_RANK];

	for (int a = 0; a < n; a++) {
		const unsigned char *at = memchr(src->label, label[a], (size_t)src->n);
		int k = (int)(at - src->label);

		step[a] = (int64_t)elements(p, src->label + k + 1, src->n - k - 1);
	}
	fill(p, label, n, step, to, src->t->data);
}

static int reorder(struct call *c, const struct contract *p, const struct dense *src, struct dense *dst)
{
	int rc = new_dense(c, p, dst);

	if (!rc)
		permute(p, src, dst->label, dst->n, dst->t->data);
	return rc;
}

/* Appends the labels of `from` that are (shared: 1) or are not (0) in `other` and that are needed after operand i
 * (later: 1) or not (0).  Returns how many. */
static int pick(const struct lives *l, int i, const struct dense *from, const struct dense *other, int shared,
		int later, struct dense *to)
{
	int n = 0;

	for (int a = 0; a < from->n; a++) {
		int label = from->label[a];

		if (in_list(other->label, other->n, label) != shared || (l->last[label] > i) != later)
			continue;
		to->label[to->n++] = (unsigned char)label;
		n++;
	}
	return n;
}

/* [batches, m, k] · [batches, k, n] */
struct matrices {
	size_t batches, m, n, k;
};

/* The product of matrices that lie densely. */
static int batched(struct call *c, const struct contract *p, const struct matrices *s, const struct tensor *a,
		   const struct tensor *b, struct tensor *y)
{
	const size_t batches = s->batches;
	struct product q = {gemm_dense(s->m, s->n, s->k, 0, 0), batches, NULL, NULL, a->count, b->count};

	if (s->m == 1 && s->n == 1 && s->k == 1) { /* elementwise: not worth a call for each element */
		for (size_t i = 0; i < batches; i++)
			if (p->is_float)
				y->f[i] = a->f[i] * b->f[i];
			else
				y->i[i] = (int64_t)((uint64_t)a->i[i] * (uint64_t)b->i[i]);
		return 0;
	}
	q.at_a = call_scratch(c, batches, sizeof *q.at_a);
	q.at_b = q.at_a ? call_scratch(c, batches, sizeof *q.at_b) : NULL;
	if (!q.at_b)
		return c->err->code;
	for (size_t i = 0; i < batches; i++) {
		q.at_a[i] = i * s->m * s->k;
		q.at_b[i] = i * s->k * s->n;
	}
	if (p->is_float)
		product_f64(&q, a->f, b->f, y->f);
	else
		product_i64(&q, a->i, b->i, y->i);
	return 0;
}

/* y = a · b where b is operand i; labels that end there are summed. */
static int multiply(struct call *c, const struct contract *p, const struct lives *l, int i, const struct dense *a,
		    const struct dense *b, struct dense *y)
{
	struct dense x = {0, {0}, NULL}, z = {0, {0}, NULL};
	struct matrices sizes;
	int batch = pick(l, i, a, b, 1, 1, &x);
	int m = pick(l, i, a, b, 0, 1, &x), k = pick(l, i, a, b, 1, 0, &x), n, rc;

	memcpy(z.label, x.label, (size_t)batch);
	memcpy(z.label + batch, x.label + batch + m, (size_t)k);
	z.n = batch + k;
	n = pick(l, i, b, a, 0, 1, &z);
	if (batch + m + n > STRIDED_MAX_RANK)
		return call_bad(c, "an intermediate result has %d axes, at most %d are supported", batch + m + n,
				STRIDED_MAX_RANK);
	memcpy(y->label, x.label, (size_t)(batch + m));
	memcpy(y->label + batch + m, z.label + batch + k, (size_t)n);
	y->n = batch + m + n;
	rc = reorder(c, p, a, &x);
	rc = rc ? rc : reorder(c, p, b, &z);
	rc = rc ? rc : new_dense(c, p, y);
	sizes = (struct matrices){.batches = elements(p, x.label, batch),
				  .m = elements(p, x.label + batch, m),
				  .n = elements(p, z.label + batch + k, n),
				  .k = elements(p, z.label + batch, k)};
	if (!rc)
		rc = batched(c, p, &sizes, x.t, z.t, y->t);
	tensor_unref(x.t);
	tensor_unref(z.t);
	return rc;
}

/* Whether some label has no elements: then every sum is empty. */
static int is_empty(const struct contract *p)
{
	for (int i = 0; i < p->n_in; i++)
		for (int a = 0; a < p->in[i].n; a++)
			if (p->size[p->in[i].label[a]] == 0)
				return 1;
	return 0;
}

int contract(struct call *c, const struct contract *p, void *y)
{
	struct dense acc = {0, {0}, NULL};
	struct lives l;
	int rc;

	if (is_empty(p)) {
		memset(y, 0, elements(p, p->out, p->n_out) * 8);
		return 0;
	}
	find_lives(p, &l);
	rc = load(c, p, &l, 0, &acc);
	for (int i = 1; i < p->n_in && !rc; i++) {
		struct dense next = {0, {0}, NULL}, product = {0, {0}, NULL};

		rc = load(c, p, &l, i, &next);
		rc = rc ? rc : multiply(c, p, &l, i, &acc, &next, &product);
		tensor_unref(acc.t);
		tensor_unref(next.t);
		acc = product;
	}
	if (!rc)
		permute(p, &acc, p->out, p->n_out, y);
	tensor_unref(acc.t);
	return rc;
}

double contract_length(const struct contract *p)
{
	struct lives l;
	double n = 1;

	find_lives(p, &l);
	for (int k = 0; k < CONTRACT_LABELS; k++)
		if (l.last[k] >= 0 && l.last[k] < p->n_in)
			n *= (double)p->size[k];
	return n;
}
