/* pool_max.c - MaxPool and GlobalMaxPool.
 *
 * A window's maximum is its first largest element in row-major order: that one is named in Indices and gets the
 * gradient when several are equal.  NaN is larger than everything, so that it is never hidden.  A window wholly in the
 * padding has no element: its maximum is -inf, or the lowest integer. */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/pool/pool_plan.h"
#include "ops/pool/samplers.h"

#define MOST_LANES 64

struct max_run {
	const struct pool *p;
	const double *x;
	const float *dx; /* [elements][lanes] */
	double *y;
	int64_t *index;
	int column_major;
	const double *gy;
	double *gx;
	float *dy;
	size_t lanes;
};

/* y[o] = max over the window; *at: its offset in the plane (-1: empty window). */
static double window_max(const struct max_run *m, const struct pool_row *r, int64_t o, int64_t *at)
{
	const double *x = m->x + r->in;
	double max = -INFINITY;

	*at = -1;
	for (size_t s = 0; s < r->n_start; s++) {
		int64_t i = r->start[s] + r->first[o];

		for (int64_t k = 0; k < r->count[o]; k++, i += r->step) {
			double v = x[i];

			if (*at < 0 || (!(v <= max) && max == max)) {
				max = v;
				*at = i;
			}
		}
	}
	return max;
}

/* The number of an element in Indices: its plane, then its place in row-major or column-major order. */
static int64_t flat_index(const struct max_run *m, const struct pool_row *r, int64_t at)
{
	const struct spatial *s = &m->p->s;
	int64_t place = 0, axis_step = (int64_t)m->p->in_plane;

	if (at < 0)
		return (int64_t)r->in;
	if (!m->column_major)
		return (int64_t)r->in + at;
	for (int i = s->n - 1; i >= 0; i--) {
		axis_step /= s->in[i];
		place += at % s->in[i] * axis_step;
		at /= s->in[i];
	}
	return (int64_t)r->in + place;
}

static void row_eval(const struct pool_row *r, void *arg)
{
	struct max_run *m = arg;

	for (int64_t o = 0; o < r->width; o++) {
		int64_t at;

		m->y[r->out + (size_t)o] = window_max(m, r, o, &at);
		if (m->index)
			m->index[r->out + (size_t)o] = flat_index(m, r, at);
	}
}

static void row_grad(const struct pool_row *r, void *arg)
{
	struct max_run *m = arg;

	for (int64_t o = 0; o < r->width; o++) {
		int64_t at;

		window_max(m, r, o, &at);
		if (at >= 0)
			m->gx[r->in + (size_t)at] += m->gy[r->out + (size_t)o];
	}
}

/* All lanes of one window: max(x + dx) - max(x). */
static void window_moves(const struct max_run *m, const struct pool_row *r, int64_t o, double *max)
{
	double y = m->y[r->out + (size_t)o];
	float *dy = m->dy + (r->out + (size_t)o) * m->lanes;

	for (size_t l = 0; l < m->lanes; l++)
		max[l] = -INFINITY;
	for (size_t s = 0; s < r->n_start; s++) {
		size_t i = r->in + (size_t)(r->start[s] + r->first[o]);

		for (int64_t k = 0; k < r->count[o]; k++, i += (size_t)r->step)
			for (size_t l = 0; l < m->lanes; l++) {
				double v = m->x[i] + (double)m->dx[i * m->lanes + l];

				max[l] = v <= max[l] || max[l] != max[l] ? max[l] : v;
			}
	}
	for (size_t l = 0; l < m->lanes; l++)
		dy[l] = max[l] == y ? 0.0f : (float)(max[l] - y);
}

static void row_delta(const struct pool_row *r, void *arg)
{
	struct max_run *m = arg;
	double max[MOST_LANES];

	for (int64_t o = 0; o < r->width; o++)
		window_moves(m, r, o, max);
}

/* 8-bit integers fit into doubles: one loop serves all types. */
static int eval_ints(struct call *c, struct max_run *m)
{
	const struct tensor *in = c->in[0];
	struct tensor *out = c->out[0];
	double *x = call_scratch(c, in->count, sizeof *x), *y = call_scratch(c, out->count, sizeof *y);
	int rc;

	if (!x || !y)
		return ERR_MEMORY;
	for (size_t i = 0; i < in->count; i++)
		x[i] = (double)in->i[i];
	m->x = x;
	m->y = y;
	rc = pool_walk(c, m->p, row_eval, m);
	for (size_t i = 0; i < out->count && !rc; i++)
		out->i[i] = (int64_t)(y[i] == -INFINITY ? dtype_lowest(out->dtype) : y[i]);
	return rc;
}

static int max_eval(struct call *c, int global)
{
	struct pool p;
	struct max_run m = {.p = &p, .column_major = attr_int_or_0(c->node, "storage_order") == 1};
	int rc = pool_plan(c, &p, global);

	if (rc)
		return rc;
	m.index = call_wants(c, 1) ? c->out[1]->i : NULL;
	if (!dtype_is_float(c->in[0]->dtype))
		return eval_ints(c, &m);
	m.x = c->in[0]->f;
	m.y = c->out[0]->f;
	return pool_walk(c, &p, row_eval, &m);
}

static int max_grad(struct call *c, int global)
{
	struct pool p;
	struct max_run m = {.p = &p, .x = c->in[0]->f};
	int rc;

	if (!c->in_grad[0] || !c->out_grad[0])
		return 0;
	rc = pool_plan(c, &p, global);
	if (rc)
		return rc;
	m.gy = c->out_grad[0]->f;
	m.gx = c->in_grad[0]->f;
	return pool_walk(c, &p, row_grad, &m);
}

static enum delta_result max_delta(struct call *c, int global)
{
	struct pool p;
	struct max_run m = {.p = &p, .x = c->in[0]->f, .y = c->out[0]->f};

	if (!dtype_is_float(c->in[0]->dtype) || call_wants(c, 1) || c->lanes > MOST_LANES)
		return DELTA_DECLINED;
	if (pool_plan(c, &p, global))
		return DELTA_FAILED;
	m.dx = c->in_delta[0];
	m.dy = c->out_delta[0];
	m.lanes = (size_t)c->lanes;
	return pool_walk(c, &p, row_delta, &m) ? DELTA_FAILED : DELTA_DONE;
}

static int max_pool_infer(struct call *c)
{
	int64_t order = attr_int(c->node, "storage_order");

	if (order != 0 && order != 1)
		return call_bad(c, "attribute 'storage_order' is %lld, wanted 0 or 1", (long long)order);
	return pool_infer(c);
}

static int max_pool_eval(struct call *c)
{
	return max_eval(c, 0);
}

static int max_pool_grad(struct call *c)
{
	return max_grad(c, 0);
}

static enum delta_result max_pool_delta(struct call *c)
{
	return max_delta(c, 0);
}

static int global_max_pool_eval(struct call *c)
{
	return max_eval(c, 1);
}

static int global_max_pool_grad(struct call *c)
{
	return max_grad(c, 1);
}

static enum delta_result global_max_pool_delta(struct call *c)
{
	return max_delta(c, 1);
}

static const struct op_attr max_pool_attrs[] = {
	OP_STRING("auto_pad", "NOTSET"),
	OP_INT("ceil_mode", 0),
	OP_INTS("dilations", 1),
	OP_NEEDS("kernel_shape", ATTR_INTS),
	OP_INTS("pads", 0),
	OP_INT("storage_order", 0),
	OP_INTS("strides", 1),
	{0},
};

const struct op op_max_pool = {
	.samples = SAMPLES({.by = &sampler_pool, .types = T_F32 | T_F64 | TM(DT_INT8) | TM(DT_UINT8), .ordered = 1}),
	.rules = RULES({.broken = pool_window_outside}, {.broken = domain_jumps},
		       {.broken = pool_window_empty, .open = "a window holds no element"}, DOMAIN_NAN),
	.in = {{"X", T_FLOAT | TM(DT_INT8) | TM(DT_UINT8), 'T', 0}},
	.out = {{"Y", T_FLOAT | TM(DT_INT8) | TM(DT_UINT8), 'T', 0}, {"Indices", T_I64, 0, PORT_OPTIONAL}},
	.attrs = max_pool_attrs,
	.infer = max_pool_infer,
	.eval = max_pool_eval,
	.grad = max_pool_grad,
	.delta = max_pool_delta,
};

const struct op op_global_max_pool = {
	.samples = SAMPLES({.by = &sampler_global, .types = T_F32}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.infer = pool_global_infer,
	.eval = global_max_pool_eval,
	.grad = global_max_pool_grad,
	.delta = global_max_pool_delta,
};
