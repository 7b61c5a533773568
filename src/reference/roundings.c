/* roundings.c - how large the roundings of a call's outputs are, and outputs that are moved by one.
 *
 * noise.c carries roundings along as differences; here a run that is rounded anyway gets another value instead. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/noise/rounding.h"
#include "reference/internal.h"

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

struct sizing {
	enum dtype dtype;
	double factor;
	const double *scale;
	float *sizes;
};

static void size_piece(void *arg, size_t first, size_t end)
{
	const struct sizing *s = arg;

	rounding_sizes(s->dtype, s->factor, s->scale + first, end - first, s->sizes + first);
}

int noise_sizes(struct call *c, int out, float **sizes)
{
	const struct tensor *y = c->out[out];
	double *s;
	float *m;
	int rc = 0;

	*sizes = NULL;
	if (!y || !y->count || !dtype_is_float(y->dtype) ||
	    (!c->op->scale && c->op->ulps == 0.0f && !lowered_has_steps(c, y)))
		return 0;
	m = mem_aligned(y->count * sizeof *m);
	s = c->op->scale ? mem_aligned(y->count * sizeof *s) : NULL;
	if (!m || (c->op->scale && !s))
		rc = err_nomem(c->err, "rounding sizes", y->count * sizeof *m);
	if (!rc && s)
		rc = c->op->scale(c, out, s);
	if (!rc) {
		struct sizing of = {y->dtype, s ? 1 : (double)c->op->ulps, s ? s : y->f, m};

		parallel_for(y->count, 2, size_piece, &of);
	}
	if (!rc && c->absolute > 0)
		rounding_add_floor(y->dtype, c->absolute * (double)c->op->floor, y->count, m);
	if (!rc)
		lowered_sizes(c, y, m);
	mem_free(s);
	if (rc)
		mem_free(m);
	else
		*sizes = m;
	return rc;
}

struct rng noise_stream(const struct run *r, const struct node *n, int out, int lane)
{
	struct rng by_node = rng_split(&r->root, UINT64_C(0x10000) + (uint64_t)n->index);

	return rng_split(&by_node, (uint64_t)out << 16 | (uint64_t)lane);
}

uint64_t noise_seed(const struct run *r, const struct node *n, int out)
{
	return noise_stream(r, n, out, 0).seed;
}

/* ---- other values in the place of outputs ------------------------------------------------------------------------ */

/* y moved by a rounding of size m, one way or the other. */
static double perturbed(struct run *r, double y, double m)
{
	return rng_u64(&r->lane_rng) >> 63 ? y + m : y - m;
}

/* The largest power of two that is not above m, a positive normal number: its exponent without its fraction. */
static double power_below(double m)
{
	uint64_t bits;

	memcpy(&bits, &m, sizeof bits);
	bits &= UINT64_C(0x7ff) << 52;
	memcpy(&m, &bits, sizeof bits);
	return m;
}

/* y on the grid of numbers that a sum of terms so large that m is a rounding of it can have: what is left where they
 * cancel is 0, or a multiple of the last place of the terms. */
static double coarsened(struct run *r, double y, double m)
{
	double grid;

	if (!(m > 0) || !isfinite(m) || (r->o->coarse == REF_COARSE_SOME && rng_u64(&r->lane_rng) >> 63))
		return y;
	grid = 4 * power_below(m);
	return rint(y / grid) * grid;
}

/* Puts other values in the place of a call's float outputs, by the size of one rounding. */
static int replace_outputs(struct run *r, struct call *c, double (*value)(struct run *r, double y, double m))
{
	for (int i = 0; i < c->n_out; i++) {
		struct tensor *moved;
		float *m = NULL;
		int is_tensor = c->out_value[i] && c->out_value[i]->kind == VALUE_TENSOR;

		if (is_tensor && noise_sizes(c, i, &m))
			return r->err->code;
		if (!m)
			continue;
		moved = tensor_copy(c->out[i], r->err);
		for (size_t k = 0; moved && k < moved->count; k++)
			moved->f[k] = value(r, moved->f[k], (double)m[k]);
		mem_free(m);
		if (!moved)
			return r->err->code;
		tensor_unref(c->out[i]);
		value_unref(c->out_value[i]);
		c->out[i] = moved;
		c->out_value[i] = value_tensor(tensor_ref(moved), r->err);
		if (!c->out_value[i])
			return r->err->code;
	}
	return 0;
}

int noise_perturb(struct run *r, struct call *c)
{
	return replace_outputs(r, c, perturbed);
}

int noise_move(struct run *r, struct call *c)
{
	r->lane_rng = noise_stream(r, c->node, REF_MAX_RUNS, 1);
	return replace_outputs(r, c, perturbed);
}

int noise_coarsen(struct run *r, struct call *c)
{
	r->lane_rng = noise_stream(r, c->node, REF_MAX_RUNS, 0);
	return replace_outputs(r, c, coarsened);
}
