/* maker.c - nodes, constants and inputs of a model in the making (see maker.h). */
#include "methods/fuzz/maker.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---- chance ------------------------------------------------------------------------------------------------------ */

int chance(struct maker *m, double p)
{
	return rng_unit(&m->rng) < p;
}

int64_t between(struct maker *m, int64_t lo, int64_t hi)
{
	return lo < hi ? rng_between(&m->rng, lo, hi) : lo;
}

int64_t one_of(struct maker *m, const int64_t *list, size_t n)
{
	return list[rng_below(&m->rng, n)];
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

#define NAME 16

/* "v12"; made by hand since each wire gets one, and snprintf() takes a fifth of the time that a model does. */
static const char *new_name(struct maker *m, char kind, char out[NAME])
{
	unsigned n = (unsigned)m->names++;
	char *at = out + NAME - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	*--at = kind;
	return at;
}

double bound_of(const struct maker *m, const struct wire *w)
{
	return w && !w->graph->parent && (size_t)w->id < m->bounds.n ? m->bounds.at[w->id] : 0;
}

struct wire *set_bound(struct maker *m, struct wire *w, double bound)
{
	if (w && w->graph->parent)
		return m->b.rc ? NULL : w;
	while (!m->b.rc && w && m->bounds.n <= (size_t)w->id)
		if (vec_push(&m->bounds, 0))
			m->b.rc = err_nomem(m->b.err, "bounds", 0);
	if (!m->b.rc && w)
		m->bounds.at[w->id] = bound;
	return m->b.rc ? NULL : w;
}

void begin_some(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs, unsigned present)
{
	char names[4][NAME];
	const char *list[4] = {NULL};
	const char *first = NULL;

	while (outs > 1 && !(present >> (outs - 1) & 1)) /* none at the end is just not there */
		outs--;
	for (int i = 0; i < outs && i < 4; i++)
		if (present >> i & 1) {
			list[i] = new_name(m, 'v', names[i]);
			first = first ? first : list[i];
		}
	build_op_n(&m->b, op, first, in, n_in, list, outs < 4 ? outs : 4);
}

void begin(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs)
{
	begin_some(m, op, in, n_in, outs, ~0u);
}

/* Unless a sampler says otherwise, a result is as large as the largest input. */
struct wire *done_open(struct maker *m)
{
	struct node *n = m->b.rc ? NULL : m->b.last;
	double bound = 0;

	if (!n)
		return NULL;
	m->b.rc = ops_infer_node(n, &m->tmp, m->b.err);
	for (int i = 0; i < n->n_in; i++)
		bound = fmax(bound, bound_of(m, n->in[i]));
	for (int i = 0; i < n->n_out && !m->b.rc; i++)
		set_bound(m, n->out[i], bound);
	return m->b.rc ? NULL : n->out[0];
}

struct wire *done(struct maker *m)
{
	struct wire *first = done_open(m);
	const struct node *n = m->b.last;

	for (int i = 0; !m->b.rc && i < n->n_out; i++)
		if (n->out[i] && !type_is_static(&n->out[i]->type))
			m->b.rc = err_set(m->b.err, ERR_INTERNAL, "the shape of an output of %s is not known",
					  n->op_type);
	return m->b.rc ? NULL : first;
}

struct wire *op1(struct maker *m, const char *op, struct wire *a)
{
	begin(m, op, &a, 1, 1);
	return done(m);
}

struct wire *op2(struct maker *m, const char *op, struct wire *a, struct wire *b)
{
	begin(m, op, (struct wire *[]){a, b}, 2, 1);
	return done(m);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

struct wire *constant(struct maker *m, struct tensor *t, double bound)
{
	struct wire *w = NULL;
	char name[NAME];

	if (!t && !m->b.rc)
		m->b.rc = m->b.err->code;
	if (m->b.rc) {
		tensor_unref(t);
		return NULL;
	}
	m->b.rc = graph_add_init(m->b.graph, new_name(m, 'c', name), t, &w, m->b.err);
	return set_bound(m, w, bound);
}

struct wire *const_ints(struct maker *m, size_t n, const int64_t *x)
{
	struct tensor *t = m->b.rc ? NULL : tensor_new_packed(DT_INT64, 1, (int64_t[]){(int64_t)n}, m->b.err);

	if (t && n)
		dtype_pack(DT_INT64, x, n, t->data);
	return constant(m, t, 0);
}

static void set_element(struct tensor *t, size_t i, double x)
{
	if (dtype_is_float(t->dtype))
		t->f[i] = dtype_round(t->dtype, x, 1);
	else
		t->i[i] = (int64_t)x;
}

struct wire *const_scalar(struct maker *m, enum dtype t, double x)
{
	struct tensor *s = m->b.rc ? NULL : tensor_new_packed(t, 0, NULL, m->b.err);
	double f = dtype_is_float(t) ? dtype_round(t, x, 1) : 0;
	int64_t i = dtype_is_float(t) ? 0 : (int64_t)x;

	if (s)
		dtype_pack(t, dtype_is_float(t) ? (void *)&f : (void *)&i, 1, s->data);
	return constant(m, s, fabs(x));
}

struct wire *const_random(struct maker *m, enum dtype t, int rank, const int64_t *dims, double lo, double hi)
{
	struct tensor *x = m->b.rc ? NULL : tensor_new(t, rank, dims, m->b.err);
	int whole = !dtype_is_float(t) || m->fill == FILL_EXACT;

	for (size_t i = 0; x && i < x->count; i++)
		set_element(x, i,
			    whole ? (double)between(m, (int64_t)ceil(lo), (int64_t)floor(hi))
				  : rng_uniform(&m->rng, lo, hi));
	return constant(m, x, fmax(fabs(lo), fabs(hi)));
}

struct wire *weights(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	return const_random(m, t, rank, dims, dtype_is_unsigned(t) ? 0 : -2, 2);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static const int64_t five_shapes[5][4] = {{1, 3, 8, 8}, {2, 4, 6, 6}, {1, 8, 4, 4}, {1, 1, 7, 5}, {2, 3, 5, 9}};

static int draw_shape(struct maker *m, int64_t *dims)
{
	int rank = 4;

	if (!m->any_shape) {
		const int64_t *shape = five_shapes[between(m, 0, 4)];

		for (int i = 0; i < 4; i++)
			dims[i] = shape[i];
		return 4;
	}
	if (chance(m, 0.1)) { /* one long axis: what libraries do with whole vectors and with what is left of them */
		dims[0] = between(m, 1, 2);
		dims[1] = between(m, 15, 70);
		return 2;
	}
	if (chance(m, 0.25))
		rank = (int)between(m, 1, MAX_RANK);
	for (int i = 0; i < rank; i++)
		dims[i] = chance(m, 0.15) ? 1 : between(m, 1, i ? 9 : 3);
	return rank;
}

static enum dtype draw_type(struct maker *m, uint32_t types)
{
	enum dtype list[DT_COUNT];
	size_t n = 0;

	if ((types & TM(DT_FLOAT)) && chance(m, 0.85))
		return DT_FLOAT;
	for (int t = 1; t < DT_COUNT; t++)
		if (types & TM(t))
			list[n++] = (enum dtype)t;
	return n ? list[rng_below(&m->rng, n)] : DT_FLOAT;
}

/* What case.c fills inputs with. */
static double largest_input(const struct maker *m, enum dtype t)
{
	if (t == DT_BOOL)
		return 1;
	return m->fill == FILL_EDGE ? 100 : m->fill == FILL_EXACT || !dtype_is_float(t) ? 4 : 1;
}

struct wire *new_input(struct maker *m, uint32_t types)
{
	enum dtype t = draw_type(m, types);
	int64_t dims[MAX_RANK];
	int rank = draw_shape(m, dims);
	double bound = largest_input(m, t);
	struct wire *w;
	char name[NAME];

	/* Constants are folded by libraries: another way through them. */
	if (m->b.rc)
		return NULL;
	if (m->wide && m->b.graph->inputs.n && chance(m, 0.1))
		return const_random(m, t, rank, dims, dtype_is_unsigned(t) ? 0 : -bound, bound);
	w = build_input(&m->b, new_name(m, 'x', name), t, rank, dims);
	return set_bound(m, w, bound);
}

struct wire *new_flag(struct maker *m, int rank)
{
	return set_bound(m, body_input(m, DT_BOOL, rank, (int64_t[]){1}), 1);
}

struct wire *body_input(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	char name[NAME];

	return build_input(&m->b, new_name(m, 'x', name), t, rank, dims);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The element type that the inputs of a block get: the first one's when the block takes it. */
static enum dtype block_type(struct maker *m, const struct fuzz_op *op, const struct wire *first)
{
	uint32_t types = op->types & op->sampler->types;

	return types & TM(first->type.dtype) ? first->type.dtype : draw_type(m, types);
}

/* Operators that ask which of two numbers is larger: the specification does not say what NaN is among others. */
static int orders(const char *op)
{
	static const char *const all[] = {"ReduceMax", "ReduceMin", "Sign", "Relu"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i], op))
			return 1;
	return 0;
}

/* In a special campaign: blocks whose results NaN or infinities leave open are given plain numbers. */
static struct wire *tame(struct maker *m, const struct fuzz_op *op, struct wire *w)
{
	if (!m->special || m->b.rc || !dtype_is_float(w->type.dtype))
		return w;
	if (!op->sampler->special)
		return clip(m, w, -1000, 1000);
	return orders(op->onnx) ? no_nan(m, w) : w;
}

struct wire *make_block(struct maker *m, const struct fuzz_op *op, struct wire *const *in, int n)
{
	struct wire *ready[FUZZ_MAX_DEGREE], *out;
	enum dtype t;

	if (m->b.rc || n < 1)
		return NULL;
	m->op = op;
	t = block_type(m, op, in[0]);
	for (int i = 0; i < n; i++) {
		ready[i] = shrink(m, in[i], MAX_COUNT);
		if (m->b.rc)
			return NULL;
		if (!op->sampler->mixed || !(op->types & TM(ready[i]->type.dtype)))
			ready[i] = cast(m, ready[i], t);
		ready[i] = tame(m, op, ready[i]);
	}
	if (m->b.rc)
		return NULL;
	if (op->has_domain)
		ready[0] = clip(m, ready[0], op->low, op->high);
	out = op->sampler->make(m, ready, n);
	for (int i = 0; i < n && out; i++)
		if (out == in[i]) /* a block is a node at least */
			out = op1(m, "Identity", out);
	return op->bound > 0 ? set_bound(m, out, op->bound) : out;
}
