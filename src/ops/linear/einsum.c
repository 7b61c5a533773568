/* einsum.c - Einsum (12, 28): sums of products written as an equation.
 *
 *   "bij,bjk->bik"   one term an operand, one letter an axis; letters missing behind "->" are summed
 *   "ii->i"          a letter that comes twice in a term: the diagonal
 *   "...ij,...jk"    "...": the axes in front, as many in every term, which broadcast; without "->" the result has the
 *                    ellipsis and then the letters that come once, in ASCII order
 *
 * An ellipsis of the operands that the result does not have is summed, as any other index.  Letters do not broadcast:
 * their sizes agree. */
#include <math.h>
#include <string.h>

#include "ops/engine/contract.h"
#include "ops/kit/dims.h"
#include "ops/kit/strided.h"
#include "ops/linear/samplers.h"

#define LETTERS 52
#define ELLIPSIS LETTERS /* in a term; as a label, the first axis of the ellipsis */

struct term {
	int n;
	unsigned char symbol[TENSOR_MAX_RANK + 1]; /* 0 … 51: A … Z, a … z, which is ASCII order; or ELLIPSIS */
	int has_ellipsis;
};

struct einsum {
	struct term *in; /* [n_in] */
	struct term out;
	int ellipsis; /* axes that "..." stands for; -1: not known */
	int64_t size[CONTRACT_LABELS];
};

/* ---- the equation ------------------------------------------------------------------------------------------------ */

static int letter_index(char ch)
{
	if (ch >= 'A' && ch <= 'Z')
		return ch - 'A';
	return ch >= 'a' && ch <= 'z' ? 26 + ch - 'a' : -1;
}

static int add_symbol(struct call *c, struct term *t, int symbol)
{
	if (t->n - t->has_ellipsis >= TENSOR_MAX_RANK && symbol != ELLIPSIS)
		return call_bad(c, "equation: a term has more than %d indices", TENSOR_MAX_RANK);
	if (symbol == ELLIPSIS && t->has_ellipsis)
		return call_bad(c, "equation: a term has two ellipses");
	t->has_ellipsis |= symbol == ELLIPSIS;
	t->symbol[t->n++] = (unsigned char)symbol;
	return 0;
}

/* Reads up to ',', "->" or the end; *at stays on it. */
static int parse_term(struct call *c, const char **at, struct term *t)
{
	const char *s = *at;
	int rc = 0;

	memset(t, 0, sizeof *t);
	while (!rc && *s && *s != ',' && strncmp(s, "->", 2) != 0) {
		if (*s == ' ') {
			s++;
		} else if (strncmp(s, "...", 3) == 0) {
			rc = add_symbol(c, t, ELLIPSIS);
			s += 3;
		} else if (letter_index(*s) >= 0) {
			rc = add_symbol(c, t, letter_index(*s++));
		} else {
			return call_bad(c, "equation: byte 0x%02x is neither a letter nor part of \"...\" or \"->\"",
					(unsigned)(unsigned char)*s);
		}
	}
	*at = s;
	return rc;
}

/* Without "->": the ellipsis, then letters that come once in the whole equation. */
static int implicit_output(struct call *c, struct einsum *q)
{
	int uses[LETTERS + 1] = {0}, rc = 0;

	for (int i = 0; i < c->n_in; i++)
		for (int k = 0; k < q->in[i].n; k++)
			if (uses[q->in[i].symbol[k]] < 2)
				uses[q->in[i].symbol[k]]++;
	memset(&q->out, 0, sizeof q->out);
	if (uses[ELLIPSIS])
		rc = add_symbol(c, &q->out, ELLIPSIS);
	for (int l = 0; l < LETTERS && !rc; l++)
		if (uses[l] == 1)
			rc = add_symbol(c, &q->out, l);
	return rc;
}

static int check_output(struct call *c, const struct einsum *q)
{
	int known[LETTERS] = {0};

	for (int i = 0; i < c->n_in; i++)
		for (int k = 0; k < q->in[i].n; k++)
			if (q->in[i].symbol[k] < LETTERS)
				known[q->in[i].symbol[k]] = 1;
	for (int k = 0; k < q->out.n; k++) {
		int l = q->out.symbol[k];

		if (l < LETTERS && known[l] != 1)
			return call_bad(c, "equation: the result's index '%c' %s", l < 26 ? 'A' + l : 'a' + l - 26,
					known[l] ? "comes twice" : "is in no operand");
		if (l < LETTERS)
			known[l] = 2;
	}
	return 0;
}

static int parse(struct call *c, struct einsum *q)
{
	const char *s = attr_string(c->node, "equation");
	int rc = 0, n = 0;

	q->in = call_scratch(c, (size_t)c->n_in, sizeof *q->in);
	if (!q->in)
		return c->err->code;
	do {
		if (n == c->n_in)
			return call_bad(c, "the equation has more terms than the %d inputs", c->n_in);
		rc = parse_term(c, &s, &q->in[n++]);
	} while (!rc && *s == ',' && *s++);
	if (rc)
		return rc;
	if (n != c->n_in)
		return call_bad(c, "the equation has %d terms for %d inputs", n, c->n_in);
	if (!*s)
		return implicit_output(c, q);
	s += 2;
	rc = parse_term(c, &s, &q->out);
	if (!rc && *s)
		return call_bad(c, "equation: '%s' behind the result", s);
	return rc ? rc : check_output(c, q);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Axis a of an operand of the given rank → its label. */
static int label_of(const struct term *t, int rank, int a)
{
	int wide = rank - (t->n - t->has_ellipsis); /* axes of the ellipsis */
	int dots =
		t->has_ellipsis ? (int)((unsigned char *)memchr(t->symbol, ELLIPSIS, (size_t)t->n) - t->symbol) : t->n;

	if (a < dots)
		return t->symbol[a];
	return a < dots + wide ? ELLIPSIS + a - dots : t->symbol[a - wide + 1];
}

static int match_axis(struct call *c, struct einsum *q, int label, int64_t d)
{
	int64_t *size = &q->size[label];
	char what[] = "the size of index ' '";

	if (label < LETTERS) {
		what[sizeof what - 3] = (char)(label < 26 ? 'A' + label : 'a' + label - 26);
		return dim_unify(c, size, d, what);
	}
	if (dim_known(*size) && dim_known(d) && *size != d && *size != 1 && d != 1)
		return call_bad(c, "dimensions of the ellipsis do not broadcast: %lld and %lld", (long long)*size,
				(long long)d);
	if (*size == 1)
		*size = d;
	else if (d != 1 && d != *size && !dim_known(*size))
		*size = dim_known(d) ? d : DIM_UNKNOWN;
	return 0;
}

static int match_operand(struct call *c, struct einsum *q, int i)
{
	const struct type *type = call_shape(c, i);
	struct term *t = &q->in[i];
	int rc = 0, letters = t->n - t->has_ellipsis;

	if (!type)
		return 0;
	if (type->rank < letters || (type->rank > letters && !t->has_ellipsis))
		return call_bad(c, "the equation gives input %d %d indices, it has rank %d", i, letters, type->rank);
	if (t->has_ellipsis && q->ellipsis >= 0 && q->ellipsis != type->rank - letters)
		return call_bad(c, "the ellipsis stands for %d axes, and for %d of input %d", q->ellipsis,
				type->rank - letters, i);
	if (t->has_ellipsis)
		q->ellipsis = type->rank - letters;
	for (int a = 0; a < type->rank && !rc; a++)
		rc = match_axis(c, q, label_of(t, type->rank, a), type->dims[a]);
	return rc;
}

/* Parses the equation and finds the size of every index. */
static int einsum_plan(struct call *c, struct einsum *q)
{
	int any = 0, rc = parse(c, q);

	q->ellipsis = -1;
	for (int l = 0; l < CONTRACT_LABELS; l++)
		q->size[l] = l < LETTERS ? DIM_UNKNOWN : 1;
	for (int i = 0; i < c->n_in && !rc; i++) {
		any |= q->in[i].has_ellipsis;
		rc = match_operand(c, q, i);
	}
	if (!rc && !any)
		q->ellipsis = 0;
	return rc;
}

static int einsum_infer(struct call *c)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct einsum q;
	int rank, rc = einsum_plan(c, &q);

	if (rc)
		return rc;
	if (q.out.has_ellipsis && q.ellipsis < 0) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	rank = q.out.n - q.out.has_ellipsis + (q.out.has_ellipsis ? q.ellipsis : 0);
	rc = dims_check_rank(c, rank);
	if (rc)
		return rc;
	for (int a = 0; a < rank; a++)
		dims[a] = q.size[label_of(&q.out, rank, a)];
	/* An operand of unknown rank may widen axes of the ellipsis that are 1 so far. */
	for (int i = 0; i < c->n_in; i++)
		for (int a = 0; a < rank && !call_shape(c, i) && q.in[i].has_ellipsis; a++)
			if (label_of(&q.out, rank, a) >= ELLIPSIS && dims[a] <= 1)
				dims[a] = DIM_UNKNOWN;
	call_out(c, 0, c->out_type[0].dtype, rank, dims);
	return 0;
}

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

/* A tensor under a term; axes of one element are left out, as contract.h wants it. */
static void bind(const struct term *t, const struct tensor *x, struct contract_term *out)
{
	int64_t step[TENSOR_MAX_RANK];

	dims_strides(x->rank, x->dims, step);
	out->n = 0;
	out->data = x->data;
	for (int a = 0; a < x->rank; a++) {
		if (x->dims[a] == 1)
			continue;
		out->step[out->n] = step[a];
		out->label[out->n++] = (unsigned char)label_of(t, x->rank, a);
	}
}

/* Operands and result, ready for contract(). */
static int prepare(struct call *c, struct einsum *q, struct contract *p, struct contract_term **terms,
		   struct contract_term *result)
{
	int rc = einsum_plan(c, q);

	if (rc)
		return rc;
	*terms = call_scratch(c, (size_t)c->n_in, sizeof **terms);
	if (!*terms)
		return c->err->code;
	for (int i = 0; i < c->n_in; i++) {
		if (!c->in[i])
			return call_bad(c, "input %d is left out", i);
		bind(&q->in[i], c->in[i], &(*terms)[i]);
	}
	bind(&q->out, c->out[0], result);
	p->is_float = dtype_is_float(c->in[0]->dtype);
	memcpy(p->size, q->size, sizeof p->size);
	p->in = *terms;
	p->n_in = c->n_in;
	p->out = result->label;
	p->n_out = result->n;
	return 0;
}

static int einsum_eval(struct call *c)
{
	struct contract_term *terms, result;
	struct contract p;
	struct einsum q;
	int rc = prepare(c, &q, &p, &terms, &result);

	return rc ? rc : contract(c, &p, c->out[0]->data);
}

/* Σ|products| · noise_growth(how many), or |Σ products| · that of a sum in order, and a rounding for each further
 * factor; one operand without a sum is only moved. */
static int einsum_scale(struct call *c, int out, double *s)
{
	struct contract_term *terms, result;
	struct contract p;
	struct einsum q;
	int rc = prepare(c, &q, &p, &terms, &result);
	double growth, in_order, factors = c->n_in > 2 ? c->n_in - 2 : 0;

	for (int i = 0; i < c->n_in && !rc; i++) {
		double *size = call_scratch(c, c->in[i]->count, sizeof *size);

		for (size_t k = 0; size && k < c->in[i]->count; k++)
			size[k] = fabs(c->in[i]->f[k]);
		terms[i].data = size;
		rc = size ? 0 : c->err->code;
	}
	rc = rc ? rc : contract(c, &p, s);
	if (rc)
		return rc;
	growth = noise_growth(contract_length(&p)) + factors;
	in_order = noise_growth_in_order(contract_length(&p));
	if (c->n_in == 1 && contract_length(&p) == 1)
		growth = in_order = 0;
	for (size_t k = 0; k < c->out[out]->count; k++)
		s[k] = fmax(s[k] * growth, fabs(c->out[out]->f[k]) * in_order);
	return 0;
}

/* ---- gradient ---------------------------------------------------------------------------------------------------- */

/* Distinct labels of operand i; first those that others (p->in, where the output's gradient stands for it) have too. */
static int split_labels(const struct contract *p, const struct contract_term *x, unsigned char *label, int *n_shared)
{
	int n = 0;

	for (int own = 0; own < 2; own++) {
		for (int a = 0; a < x->n; a++) {
			int shared = 0;

			for (int i = 0; i < p->n_in; i++)
				shared |= memchr(p->in[i].label, x->label[a], (size_t)p->in[i].n) != NULL;
			if (shared != own && !(n && memchr(label, x->label[a], (size_t)n)))
				label[n++] = x->label[a];
		}
		*n_shared = own ? *n_shared : n;
	}
	return n;
}

/* gX_i = Σ gY · product of the other operands, over the labels that X_i does not have; it goes to the diagonal where a
 * label comes twice, and to every element along a label that X_i was summed over on its own. */
static int operand_grad(struct call *c, struct contract *p, struct contract_term *terms,
			const struct contract_term *result, int i)
{
	struct contract_term x = terms[i];
	unsigned char label[TENSOR_MAX_RANK];
	int n, n_shared, rc;
	struct strided s;
	size_t step = 1;
	double *g;

	terms[i] = *result;
	terms[i].data = c->out_grad[0]->f;
	n = split_labels(p, &x, label, &n_shared);
	for (int a = 0; a < n_shared; a++)
		step *= (size_t)p->size[label[a]];
	p->out = label;
	p->n_out = n_shared;
	g = call_scratch(c, step, sizeof *g);
	rc = g ? contract(c, p, g) : c->err->code;
	terms[i] = x;
	if (rc)
		return rc;
	strided_init(&s, 0, 0);
	for (int a = 0; a < n; a++) {
		step /= a < n_shared && step ? (size_t)p->size[label[a]] : 1;
		strided_axis(&s, p->size[label[a]], a < n_shared ? (int64_t)step : 0, contract_step(&x, label[a]));
	}
	strided_add_back(&s, g, c->in_grad[i]->f);
	return 0;
}

static int einsum_grad(struct call *c)
{
	struct contract_term *terms, result;
	struct contract p;
	struct einsum q;
	int rc = prepare(c, &q, &p, &terms, &result);

	for (int i = 0; i < c->n_in && !rc; i++)
		if (c->in_grad[i])
			rc = operand_grad(c, &p, terms, &result, i);
	return rc;
}

static const struct op_attr einsum_attrs[] = {OP_NEEDS("equation", ATTR_STRING), {0}};

const struct op op_einsum = {
	.samples = SAMPLES({.by = &sampler_einsum, .in = 1, .in_max = 2}),
	.in = {{"Inputs", T_NUM, 'T', PORT_VARIADIC}},
	.out = {{"Output", T_NUM, 'T', 0}},
	.attrs = einsum_attrs,
	.infer = einsum_infer,
	.eval = einsum_eval,
	.flags = OP_MONOMIALS | OP_PRODUCTS,
	.grad = einsum_grad,
	.scale = einsum_scale,
};
