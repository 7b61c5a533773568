/* flex_attention.c - FlexAttention (ai.onnx.preview 1): attention whose scores and weights go through subgraphs.
 *
 *     S = score_mod(scale · Q Kᵀ)        Q (B, H, L, D), K (B, G, M, D), H a multiple of G
 *     P = prob_mod(softmax(S))           over the keys
 *     Y = P V                            V (B, G, M, E), Y (B, H, L, E)
 *
 * Query head h uses the keys and values of head h / (H / G).  S and P are of softmax_precision, by default float32, and
 * double for inputs of double. */
#include <math.h>

#include "ops/call.h"
#include "ops/kit/container.h"

enum { Q, K, V };

struct flex {
	struct call *c;
	size_t batch, heads, kv_heads, queries, keys, size, v_size;
	double scale;
	enum dtype precision;
};

/* Dimension d of inputs a and b is one number. */
static int check_same(struct call *c, int d, int a, int b, const char *what)
{
	int64_t x = call_shape(c, a)->dims[d], y = call_shape(c, b)->dims[d];

	return x < 0 || y < 0 || x == y
		       ? 0
		       : call_bad(c, "inputs %d and %d have %lld and %lld %s", a, b, (long long)x, (long long)y, what);
}

static int check_shapes(struct call *c)
{
	const struct type *q = call_shape(c, Q), *k = call_shape(c, K);
	int rc = check_same(c, 0, Q, K, "batches");

	if (q->dims[1] >= 0 && k->dims[1] >= 0 && (!k->dims[1] || q->dims[1] % k->dims[1]))
		return call_bad(c, "%lld heads of queries are not a multiple of %lld", (long long)q->dims[1],
				(long long)k->dims[1]);
	if (!rc)
		rc = check_same(c, 0, K, V, "batches");
	if (!rc)
		rc = check_same(c, 1, K, V, "heads");
	if (!rc)
		rc = check_same(c, 2, K, V, "keys and values");
	return rc ? rc : check_same(c, 3, Q, K, "numbers each");
}

/* The type of S and P. */
static int find_precision(struct call *c, enum dtype *t)
{
	const struct attr *precision = node_attr(c->node, "softmax_precision");

	*t = precision ? dtype_from_code(precision->i) : c->in_type[Q].dtype == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT;
	return *t != DT_UNDEFINED && dtype_is_float(*t)
		       ? 0
		       : call_bad(c, "softmax_precision is %lld, no type of floats", (long long)precision->i);
}

static int flex_attention_infer(struct call *c)
{
	const struct type *q = call_shape(c, Q), *k = call_shape(c, K), *v = call_shape(c, V);
	enum dtype precision;
	int64_t dims[4];
	int rc = find_precision(c, &precision);

	for (int i = Q; i <= V && !rc; i++)
		if (call_shape(c, i) && call_shape(c, i)->rank != 4)
			return call_bad(c, "input %d has rank %d, wanted 4", i, call_shape(c, i)->rank);
	if (rc || !q || !k || !v) {
		call_out_rank(c, 0, c->out_type[0].dtype, 4);
		return rc;
	}
	rc = check_shapes(c);
	for (int i = 0; i < 3; i++)
		dims[i] = q->dims[i];
	dims[3] = v->dims[3];
	if (!rc)
		call_out(c, 0, c->out_type[0].dtype, 4, dims);
	return rc;
}

static void flex_open(struct call *c, struct flex *f)
{
	const int64_t *q = c->in[Q]->dims, *k = c->in[K]->dims;
	const struct attr *scale = node_attr(c->node, "scale");

	*f = (struct flex){.c = c,
			   .batch = (size_t)q[0],
			   .heads = (size_t)q[1],
			   .kv_heads = (size_t)k[1],
			   .queries = (size_t)q[2],
			   .keys = (size_t)k[2],
			   .size = (size_t)q[3],
			   .v_size = (size_t)c->in[V]->dims[3]};
	f->scale = scale ? scale->f : 1 / sqrt((double)f->size);
	BUG_ON(find_precision(c, &f->precision)); /* infer has refused it */
}

/* The head of keys and values that head `row / queries` of all batches uses. */
static size_t kv_of(const struct flex *f, size_t row)
{
	size_t head = row / f->queries;

	return head / f->heads * f->kv_heads + head % f->heads / (f->heads / f->kv_heads);
}

static size_t rows_of(const struct flex *f)
{
	return f->batch * f->heads * f->queries;
}

/* scale · Σ of(q_d) of(k_d) of a query and a key. */
static double product(const struct flex *f, size_t row, size_t key, double (*of)(double x))
{
	const double *q = f->c->in[Q]->f + row * f->size;
	const double *k = f->c->in[K]->f + (kv_of(f, row) * f->keys + key) * f->size;
	double sum = 0;

	for (size_t d = 0; d < f->size; d++)
		sum += of(q[d]) * of(k[d]);
	return sum * of(f->scale);
}

static double as_it_is(double x)
{
	return x;
}

/* Puts t through a subgraph, when there is one. */
static int modify(struct call *c, const char *name, struct tensor **t)
{
	const struct graph *g = node_graph(c->node, name);
	struct value *in[1], *out[1] = {NULL};
	int rc = g ? call_body_check(c, g, name, 1, 1) : 0;

	if (!g || rc)
		return rc;
	in[0] = value_tensor(tensor_ref(*t), c->err);
	if (!in[0])
		return c->err->code;
	rc = call_body_run(c, g, in, out);
	value_unref(in[0]);
	if (rc)
		return rc;
	if (out[0]->kind != VALUE_TENSOR || out[0]->tensor->dtype != (*t)->dtype || out[0]->tensor->rank != 4 ||
	    out[0]->tensor->count != (*t)->count) {
		rc = call_bad(c, "graph '%s' changes the type or the shape", name);
	} else {
		tensor_unref(*t);
		*t = tensor_ref(out[0]->tensor);
	}
	value_unref(out[0]);
	return rc;
}

static void softmax_rows(struct tensor *t, size_t row)
{
	for (size_t at = 0; row && at < t->count; at += row) {
		double *x = t->f + at, most = -INFINITY, sum = 0;

		for (size_t i = 0; i < row; i++)
			most = x[i] > most ? x[i] : most;
		for (size_t i = 0; i < row; i++)
			sum += x[i] = exp(x[i] - most);
		for (size_t i = 0; i < row; i++)
			x[i] /= sum;
	}
}

/* P, a new tensor; NULL with the error set. */
static struct tensor *weights(struct flex *f)
{
	struct call *c = f->c;
	int64_t dims[4] = {(int64_t)f->batch, (int64_t)f->heads, (int64_t)f->queries, (int64_t)f->keys};
	struct tensor *t = c->env ? tensor_new(f->precision, 4, dims, c->err) : NULL, *own;
	int rc = 0;

	if (!t) {
		if (!c->env)
			call_unsupported(c, "subgraphs are run only with the whole model");
		return NULL;
	}
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = product(f, i / f->keys, i % f->keys, as_it_is);
	rc = modify(c, "score_mod", &t);
	own = rc ? NULL : tensor_copy(t, c->err); /* what a subgraph gives may be shared */
	tensor_unref(t);
	if (!own)
		return NULL;
	softmax_rows(own, f->keys);
	if (modify(c, "prob_mod", &own)) {
		tensor_unref(own);
		return NULL;
	}
	return own;
}

/* Value e of a key, for a row of queries. */
static double value_at(const struct flex *f, size_t row, size_t key, size_t e)
{
	return f->c->in[V]->f[(kv_of(f, row) * f->keys + key) * f->v_size + e];
}

static int flex_attention_eval(struct call *c)
{
	struct flex f;
	struct tensor *p;

	flex_open(c, &f);
	p = weights(&f);
	if (!p)
		return c->err->code;
	for (size_t row = 0; row < rows_of(&f); row++)
		for (size_t e = 0; e < f.v_size; e++) {
			double sum = 0;

			for (size_t k = 0; k < f.keys; k++)
				sum += p->f[row * f.keys + k] * value_at(&f, row, k, e);
			c->out[0]->f[row * f.v_size + e] = sum;
		}
	tensor_unref(p);
	return 0;
}

#define EXP_ULPS 2

/* A score is off by roundings of the terms it is the sum of, and moves the result towards its value: by P (V - Y).  So
 * many chances go one way or the other, and their squares add up; then the sum over the keys rounds. */
static double scale_of(const struct flex *f, const struct tensor *p, size_t row, size_t e)
{
	double squares = 0, sum = 0, y = f->c->out[0]->f[row * f->v_size + e];

	for (size_t k = 0; k < f->keys; k++) {
		double weight = p->f[row * f->keys + k], v = value_at(f, row, k, e);
		double off = product(f, row, k, fabs) / sqrt((double)f->size + 1) * noise_growth((double)f->size);

		squares += weight * weight * (v - y) * (v - y) * (off * off + EXP_ULPS * EXP_ULPS);
		sum += fabs(weight * v);
	}
	return sqrt(squares) + sum * noise_growth((double)f->keys);
}

static int flex_attention_scale(struct call *c, int out, double *s)
{
	struct flex f;
	struct tensor *p;

	(void)out;
	flex_open(c, &f);
	p = weights(&f);
	if (!p)
		return c->err->code;
	for (size_t i = 0; i < c->out[0]->count; i++)
		s[i] = scale_of(&f, p, i / f.v_size, i % f.v_size);
	tensor_unref(p);
	return 0;
}

#define T_FLEX (TM(DT_BFLOAT16) | TM(DT_FLOAT16) | TM(DT_FLOAT) | TM(DT_DOUBLE))

const struct op op_flex_attention = {
	.in = {{"Q", T_FLEX, 'T', 0}, {"K", T_FLEX, 'T', 0}, {"V", T_FLEX, 'T', 0}},
	.out = {{"Y", T_FLEX, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_ATTR("scale", ATTR_FLOAT),
					  OP_ATTR("softmax_precision", ATTR_INT),
					  OP_ATTR("score_mod", ATTR_GRAPH),
					  OP_ATTR("prob_mod", ATTR_GRAPH),
					  {0}},
	.infer = flex_attention_infer,
	.eval = flex_attention_eval,
	.scale = flex_attention_scale,
};
