/* rotary.c - RotaryEmbedding: pairs of elements of every head are turned by an angle that depends on the position.
 *
 *     y1 = cos x1 - sin x2        y2 = sin x1 + cos x2
 *
 * X is (B, N, S, E) or packed (B, S, N*E).  The first R elements of a head are turned (R = rotary_embedding_dim, or E),
 * the others stay.  Pair k is (2k, 2k + 1) when interleaved, else (k, k + R/2).  The caches are (B, S, R/2), or
 * (positions, R/2) indexed by position_ids (B, S). */
#include <math.h>
#include <string.h>

#include "ops/attention/samplers.h"
#include "ops/kit/dims.h"

enum { IN_X, IN_COS, IN_SIN, IN_POSITIONS };

struct rotary {
	int64_t batch, heads, length, size, turned; /* negative: not known */
	int packed, interleaved;
};

static int read_x(struct call *c, const struct type *x, struct rotary *r)
{
	int64_t heads = node_int(c->node, "num_heads", 0); /* no default; only a packed input needs it */

	r->packed = x->rank == 3;
	r->interleaved = attr_int(c->node, "interleaved") != 0;
	r->turned = attr_int(c->node, "rotary_embedding_dim");
	if (x->rank != 3 && x->rank != 4)
		return call_bad(c, "X has rank %d, wanted 3 or 4", x->rank);
	if (r->packed && heads < 1)
		return call_bad(c, "a packed input needs a positive 'num_heads'");
	r->batch = x->dims[0];
	r->heads = r->packed ? heads : x->dims[1];
	r->length = x->dims[r->packed ? 1 : 2];
	r->size = x->dims[x->rank - 1];
	if (r->packed && r->size >= 0 && r->size % heads)
		return call_bad(c, "%lld does not split into %lld heads", (long long)r->size, (long long)heads);
	if (r->packed && r->size >= 0)
		r->size /= heads;
	if (r->turned == 0)
		r->turned = r->size < 0 ? DIM_UNKNOWN : r->size;
	else if (r->turned < 0 || (r->size >= 0 && r->turned > r->size))
		return call_bad(c, "rotary_embedding_dim %lld does not fit a head of %lld", (long long)r->turned,
				(long long)r->size);
	if (r->turned >= 0 && r->turned % 2)
		return call_bad(c, "%lld elements cannot be turned in pairs", (long long)r->turned);
	return 0;
}

/* One cache: its last dimension is R/2; without positions the others are batch and length. */
static int check_cache(struct call *c, int in, struct rotary *r)
{
	const struct type *t = call_shape(c, in);
	int by_position = call_has(c, IN_POSITIONS), rc = 0;
	int64_t half = r->turned < 0 ? DIM_UNKNOWN : r->turned / 2;

	if (!t)
		return 0;
	if (t->rank != (by_position ? 2 : 3))
		return call_bad(c, "input %d has rank %d, wanted %d", in, t->rank, by_position ? 2 : 3);
	if (!by_position)
		rc = dim_unify(c, &r->batch, t->dims[0], "batch size");
	if (!rc && !by_position)
		rc = dim_unify(c, &r->length, t->dims[1], "sequence length");
	return rc ? rc : dim_unify(c, &half, t->dims[t->rank - 1], "last dimension of a cache");
}

static int rotary_read(struct call *c, struct rotary *r)
{
	const struct type *x = call_shape(c, IN_X), *p = call_shape(c, IN_POSITIONS);
	int rc = read_x(c, x, r);

	if (!rc)
		rc = check_cache(c, IN_COS, r);
	if (!rc)
		rc = check_cache(c, IN_SIN, r);
	if (!rc && p && p->rank != 2)
		rc = call_bad(c, "position_ids has rank %d, wanted 2", p->rank);
	if (!rc && p)
		rc = dim_unify(c, &r->batch, p->dims[0], "batch size");
	return rc || !p ? rc : dim_unify(c, &r->length, p->dims[1], "sequence length");
}

static int rotary_infer(struct call *c)
{
	struct rotary r;
	int rc = call_shape(c, IN_X) ? rotary_read(c, &r) : 0;

	return rc ? rc : same_infer(c);
}

/* One pair: places of both elements in X, and of the angle in the caches. */
typedef void pair_fn(struct call *c, size_t first, size_t second, size_t angle, double *out);

/* Row of the caches for step s of batch b; call_bad when the position is outside. */
static int cache_row(struct call *c, const struct rotary *r, size_t b, size_t s, size_t *row)
{
	size_t at = b * (size_t)r->length + s;
	int64_t p;

	*row = at;
	if (!call_has(c, IN_POSITIONS))
		return 0;
	p = c->in[IN_POSITIONS]->i[at];
	if (p < 0 || p >= c->in[IN_COS]->dims[0] || p >= c->in[IN_SIN]->dims[0])
		return call_bad(c, "position %lld is outside of the caches", (long long)p);
	*row = (size_t)p;
	return 0;
}

static int for_each_pair(struct call *c, pair_fn *fn, double *out)
{
	struct rotary r;
	size_t heads, length, size, half, row;
	int rc = rotary_read(c, &r);

	if (rc || !c->in[IN_X]->count)
		return rc;
	heads = (size_t)r.heads, length = (size_t)r.length, size = (size_t)r.size, half = (size_t)r.turned / 2;
	for (size_t b = 0; b < (size_t)r.batch; b++)
		for (size_t s = 0; s < length; s++) {
			rc = cache_row(c, &r, b, s, &row);
			if (rc)
				return rc;
			for (size_t k = 0; k < heads * half; k++) {
				size_t h = k / half, j = k % half;
				size_t at = r.packed ? (b * length + s) * heads + h : (b * heads + h) * length + s;
				size_t first = at * size + (r.interleaved ? 2 * j : j);

				fn(c, first, first + (r.interleaved ? 1 : half), row * half + j, out);
			}
		}
	return 0;
}

static void pair_value(struct call *c, size_t first, size_t second, size_t angle, double *y)
{
	double cos_a = c->in[IN_COS]->f[angle], sin_a = c->in[IN_SIN]->f[angle];
	double x1 = c->in[IN_X]->f[first], x2 = c->in[IN_X]->f[second];

	y[first] = cos_a * x1 - sin_a * x2;
	y[second] = sin_a * x1 + cos_a * x2;
}

static void pair_rounding(struct call *c, size_t first, size_t second, size_t angle, double *s)
{
	double cos_a = fabs(c->in[IN_COS]->f[angle]), sin_a = fabs(c->in[IN_SIN]->f[angle]);
	double x1 = fabs(c->in[IN_X]->f[first]), x2 = fabs(c->in[IN_X]->f[second]);

	s[first] = cos_a * x1 + sin_a * x2;
	s[second] = sin_a * x1 + cos_a * x2;
}

static void pair_gradient(struct call *c, size_t first, size_t second, size_t angle, double *unused)
{
	double cos_a = c->in[IN_COS]->f[angle], sin_a = c->in[IN_SIN]->f[angle];
	double x1 = c->in[IN_X]->f[first], x2 = c->in[IN_X]->f[second];
	double g1 = c->out_grad[0]->f[first], g2 = c->out_grad[0]->f[second];

	(void)unused;
	if (c->in_grad[IN_X]) {
		c->in_grad[IN_X]->f[first] += cos_a * g1 + sin_a * g2 - g1;
		c->in_grad[IN_X]->f[second] += cos_a * g2 - sin_a * g1 - g2;
	}
	if (c->in_grad[IN_COS])
		c->in_grad[IN_COS]->f[angle] += g1 * x1 + g2 * x2;
	if (c->in_grad[IN_SIN])
		c->in_grad[IN_SIN]->f[angle] += g2 * x1 - g1 * x2;
}

static int rotary_eval(struct call *c)
{
	memcpy(c->out[0]->f, c->in[IN_X]->f, c->in[IN_X]->count * sizeof(double));
	return for_each_pair(c, pair_value, c->out[0]->f);
}

/* Starts from the identity, which is right for elements that stay; pair_gradient takes it back for those that turn. */
static int rotary_grad(struct call *c)
{
	if (!c->out_grad[0])
		return 0;
	for (size_t i = 0; c->in_grad[IN_X] && i < c->in[IN_X]->count; i++)
		c->in_grad[IN_X]->f[i] += c->out_grad[0]->f[i];
	return for_each_pair(c, pair_gradient, NULL);
}

static int rotary_scale(struct call *c, int out, double *s)
{
	memset(s, 0, c->out[out]->count * sizeof *s);
	return for_each_pair(c, pair_rounding, s);
}

static const struct op_attr rotary_attrs[] = {
	OP_INT("interleaved", 0),
	OP_ATTR("num_heads", ATTR_INT),
	OP_INT("rotary_embedding_dim", 0),
	{0},
};

const struct op op_rotary_embedding = {
	.samples = SAMPLES({.by = &sampler_rotary}),
	.in = {{"X", T_FLOAT, 'T', 0},
	       {"cos_cache", T_FLOAT, 'T', 0},
	       {"sin_cache", T_FLOAT, 'T', 0},
	       {"position_ids", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = rotary_attrs,
	.infer = rotary_infer,
	.eval = rotary_eval,
	.grad = rotary_grad,
	.scale = rotary_scale,
};
