/* compose_play.c - the tape of compose.h, played for rounding, lanes and gradients. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "ops/engine/compose.h"

#define RUNS 12                   /* so many, that a spread found is a fifth of the true one once in 10⁶ elements */
#define SEED 1                    /* the scale of a call is always the same */
#define ROOT_3 1.7320508075688772 /* a uniform number between -√3 and √3 has standard deviation 1 */

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

/* What an approximation may be off by where a difference is doubted: op.floor, in roundoffs of type t. */
static double floor_of(const struct call *c, enum dtype t)
{
	double least = fmin(dtype_roundoff(t), dtype_roundoff(DT_FLOAT));

	return c->absolute > 0 ? c->absolute * (double)c->op->floor * least / dtype_roundoff(t) : 0;
}

/* Output i of a step: its scale, or NULL where it is exact. */
static int step_scale(struct compose *p, struct compose_step *s, int i)
{
	const struct tensor *y = s->out[i].value;
	struct call *c = &s->call;
	int rc = 0;

	if (!y->count || !dtype_is_float(y->dtype) || (!c->op->scale && c->op->ulps == 0.0f))
		return 0;
	s->scale[i] = call_scratch(p->c, y->count + 1, sizeof **s->scale);
	if (!s->scale[i])
		return ERR_MEMORY;
	arena_reset(&p->scratch);
	if (c->op->scale)
		rc = c->op->scale(c, i, s->scale[i]);
	for (size_t k = 0; !rc && k < y->count; k++) {
		double size = c->op->scale ? s->scale[i][k] : (double)c->op->ulps * fabs(y->f[k]);

		size += floor_of(c, y->dtype);
		s->scale[i][k] = isfinite(size) ? size : 0;
	}
	p->c->drifts |= c->drifts;
	return rc;
}

/* All scales, and which parts they move. */
static int find_scales(struct compose *p)
{
	for (size_t k = 0; k < p->steps.n; k++) {
		struct compose_step *s = p->steps.at[k];
		int behind = 0;

		for (int i = 0; i < s->call.n_in; i++)
			behind |= s->in[i] && s->in[i]->rounded;
		for (int i = 0; i < s->call.n_out; i++) {
			int rc = step_scale(p, s, i);

			if (rc)
				return rc;
			s->out[i].rounded = behind || s->scale[i];
		}
	}
	return 0;
}

static struct tensor *now(const struct compose_part *x)
{
	return !x ? NULL : x->moved ? x->moved : x->value;
}

static int is_moved(const struct compose_step *s)
{
	int moved = 0;

	for (int i = 0; i < s->call.n_in; i++)
		moved |= s->in[i] && s->in[i]->moved;
	return moved;
}

/* Evaluates a step as its inputs are now; its outputs' `moved`. */
static int follow(struct compose *p, struct compose_step *s)
{
	struct tensor *in[OP_MAX_PORTS] = {NULL}, *out[OP_MAX_PORTS] = {NULL};
	int rc;

	for (int i = 0; i < s->call.n_in; i++)
		in[i] = now(s->in[i]);
	rc = compose_evaluate(p, s, in, out);
	for (int i = 0; i < s->call.n_out; i++)
		s->out[i].moved = out[i];
	return rc;
}

static int move_output(struct compose *p, struct compose_step *s, int i, struct rng *rng)
{
	struct compose_part *y = &s->out[i];
	double u = dtype_roundoff(y->value->dtype);

	if (!y->moved && !(y->moved = tensor_copy(y->value, p->c->err)))
		return p->c->err->code;
	for (size_t k = 0; k < y->moved->count; k++)
		y->moved->f[k] += rng_uniform(rng, -ROOT_3, ROOT_3) * s->scale[i][k] * u;
	return 0;
}

/* One run with random roundings behind every step; not behind `last` itself, whose own are known. */
static int play_rounded(struct compose *p, const struct compose_part *last, struct rng *rng)
{
	for (size_t k = 0; k < p->steps.n; k++) {
		struct compose_step *s = p->steps.at[k];
		int rc = is_moved(s) ? follow(p, s) : 0;

		for (int i = 0; !rc && i < s->call.n_out; i++)
			if (s->scale[i] && &s->out[i] != last)
				rc = move_output(p, s, i, rng);
		if (rc)
			return rc;
		if (last >= s->out && last < s->out + s->call.n_out)
			break;
	}
	return 0;
}

static void forget_moved(struct compose *p)
{
	for (size_t i = 0; i < p->parts.n; i++) {
		tensor_unref(p->parts.at[i]->moved);
		p->parts.at[i]->moved = NULL;
	}
}

/* The scale of the step that makes a part, if it has one; *first: nothing that it reads is rounded. */
static const double *own_scale(const struct compose *p, const struct compose_part *y, int *first)
{
	for (size_t k = 0; k < p->steps.n; k++) {
		const struct compose_step *s = p->steps.at[k];

		if (y < s->out || y >= s->out + s->call.n_out)
			continue;
		*first = 1;
		for (int i = 0; i < s->call.n_in; i++)
			*first &= !s->in[i] || !s->in[i]->rounded;
		return s->scale[y - s->out];
	}
	*first = 1;
	return NULL;
}

/* Squares of how far the roundings of the steps in front of y move it, in roundoffs, summed over all runs. */
static int sum_runs(struct compose *p, const struct compose_part *y, double *s)
{
	double u = dtype_roundoff(y->value->dtype);
	struct rng rng;
	int rc = 0;

	rng_init(&rng, SEED);
	for (int run = 0; !rc && run < RUNS; run++) {
		rc = play_rounded(p, y, &rng);
		for (size_t k = 0; !rc && y->moved && k < y->value->count; k++) {
			double d = (y->moved->f[k] - y->value->f[k]) / u;

			s[k] += isfinite(d) ? d * d : 0;
		}
		forget_moved(p);
	}
	return rc;
}

int compose_scale(struct call *c, compose_fn *fn, int out, double *s)
{
	struct compose p;
	const double *own = NULL;
	int first = 1, rc = compose_open(&p, c, fn);

	memset(s, 0, c->out[out]->count * sizeof *s);
	if (!rc)
		rc = find_scales(&p);
	if (!rc)
		own = own_scale(&p, p.out[out], &first);
	if (!rc && !first)
		rc = sum_runs(&p, p.out[out], s);
	for (size_t k = 0; !rc && k < c->out[out]->count; k++)
		s[k] = sqrt(s[k] / RUNS + (own ? own[k] * own[k] : 0));
	compose_close(&p);
	return rc;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static int has_delta(const struct compose_step *s)
{
	int any = 0;

	for (int i = 0; i < s->call.n_in; i++)
		any |= s->in[i] && s->in[i]->delta;
	return any;
}

/* The inputs of a step in one lane. */
static int set_lane(struct compose *p, struct compose_step *s, int lane)
{
	for (int i = 0; i < s->call.n_in; i++) {
		struct compose_part *x = s->in[i];

		if (!x || !x->delta)
			continue;
		tensor_unref(x->moved);
		x->moved = tensor_copy(x->value, p->c->err);
		if (!x->moved)
			return p->c->err->code;
		for (size_t k = 0; k < x->value->count; k++)
			x->moved->f[k] += (double)x->delta[k * (size_t)p->c->lanes + (size_t)lane];
	}
	return 0;
}

static void take_lane(struct compose *p, struct compose_part *y, int lane)
{
	for (size_t k = 0; y->delta && k < y->value->count; k++) {
		double d = y->moved->f[k] - y->value->f[k];

		y->delta[k * (size_t)p->c->lanes + (size_t)lane] = isnan(d) ? 0.0f : (float)d;
	}
}

/* Lane by lane, for operators that have no delta. */
static int lanes_one_by_one(struct compose *p, struct compose_step *s)
{
	int rc = 0;

	for (int lane = 0; !rc && lane < p->c->lanes; lane++) {
		rc = set_lane(p, s, lane);
		if (!rc)
			rc = follow(p, s);
		for (int i = 0; !rc && i < s->call.n_out; i++)
			take_lane(p, &s->out[i], lane);
		forget_moved(p);
	}
	return rc;
}

static int lanes_of_step(struct compose *p, struct compose_step *s)
{
	const float *in[OP_MAX_PORTS] = {NULL};
	float *out[OP_MAX_PORTS] = {NULL};
	enum delta_result r = DELTA_DECLINED;

	for (int i = 0; i < s->call.n_in; i++) {
		in[i] = s->in[i] ? s->in[i]->delta : NULL;
		s->call.in[i] = s->in[i] ? s->in[i]->value : NULL;
	}
	for (int i = 0; i < s->call.n_out; i++) {
		s->call.out[i] = s->out[i].value;
		if (!dtype_is_float(s->out[i].value->dtype))
			continue;
		out[i] = s->out[i].delta =
			call_scratch(p->c, s->out[i].value->count + 1, (size_t)p->c->lanes * sizeof(float));
		if (!out[i])
			return ERR_MEMORY;
	}
	s->call.in_delta = in;
	s->call.out_delta = out;
	s->call.lanes = p->c->lanes;
	arena_reset(&p->scratch);
	if (s->call.op->delta && !call_is_empty(&s->call))
		r = s->call.op->delta(&s->call);
	return r == DELTA_FAILED ? p->c->err->code : r == DELTA_DONE ? 0 : lanes_one_by_one(p, s);
}

enum delta_result compose_delta(struct call *c, compose_fn *fn)
{
	struct compose p;
	int rc = compose_open(&p, c, fn);

	for (int i = 0; !rc && i < c->n_in; i++)
		if (p.in[i] && c->in_delta[i])
			p.in[i]->delta = (float *)c->in_delta[i]; /* read only: nobody writes the deltas of inputs */
	for (size_t k = 0; !rc && k < p.steps.n; k++)
		if (has_delta(p.steps.at[k]))
			rc = lanes_of_step(&p, p.steps.at[k]);
	for (int i = 0; !rc && i < c->n_out; i++) {
		size_t bytes = c->out_delta[i] ? c->out[i]->count * (size_t)c->lanes * sizeof(float) : 0;

		if (bytes && p.out[i]->delta)
			memcpy(c->out_delta[i], p.out[i]->delta, bytes);
		else if (bytes)
			memset(c->out_delta[i], 0, bytes);
	}
	compose_close(&p);
	return rc ? DELTA_FAILED : DELTA_DONE;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static struct tensor *grad_of(struct compose *p, struct compose_part *x)
{
	if (!x->grad)
		x->grad = tensor_zeros(DT_DOUBLE, x->value->rank, x->value->dims, p->c->err);
	return x->grad;
}

/* Adds from into to; either may be NULL. */
static void add_grad(const struct tensor *from, struct tensor *to)
{
	for (size_t k = 0; from && to && k < to->count; k++)
		to->f[k] += from->f[k];
}

/* Parts between a wanted input and an output. */
static void mark_wanted(struct compose *p)
{
	for (int i = 0; i < p->c->n_in; i++)
		if (p->in[i])
			p->in[i]->wanted = p->c->in_grad[i] != NULL;
	for (size_t k = 0; k < p->steps.n; k++) {
		struct compose_step *s = p->steps.at[k];
		int any = 0;

		for (int i = 0; i < s->call.n_in; i++)
			any |= s->in[i] && s->in[i]->wanted;
		for (int i = 0; i < s->call.n_out; i++)
			s->out[i].wanted = any && dtype_is_float(s->out[i].value->dtype);
	}
}

static int back_step(struct compose *p, struct compose_step *s)
{
	struct tensor *in_grad[OP_MAX_PORTS] = {NULL}, *out_grad[OP_MAX_PORTS] = {NULL};
	int given = 0, taken = 0;

	for (int i = 0; i < s->call.n_out; i++) {
		out_grad[i] = s->out[i].wanted ? s->out[i].grad : NULL;
		given |= out_grad[i] && out_grad[i]->count;
		s->call.out[i] = s->out[i].value;
	}
	for (int i = 0; given && i < s->call.n_in; i++) {
		s->call.in[i] = s->in[i] ? s->in[i]->value : NULL;
		if (!s->in[i] || !s->in[i]->wanted)
			continue;
		taken = 1;
		if (!(in_grad[i] = grad_of(p, s->in[i])))
			return p->c->err->code;
	}
	if (!given || !taken)
		return 0;
	if (!s->call.op->grad)
		return call_unsupported(p->c, "%s inside of it has no gradient", s->node.op_type);
	s->call.in_grad = in_grad;
	s->call.out_grad = out_grad;
	arena_reset(&p->scratch);
	return s->call.op->grad(&s->call);
}

int compose_grad(struct call *c, compose_fn *fn)
{
	struct compose p;
	int rc = compose_open(&p, c, fn);

	if (!rc)
		mark_wanted(&p);
	for (int i = 0; !rc && i < c->n_out; i++)
		if (c->out_grad[i] && p.out[i]->wanted) {
			rc = grad_of(&p, p.out[i]) ? 0 : c->err->code;
			add_grad(c->out_grad[i], p.out[i]->grad);
		}
	for (size_t k = p.steps.n; !rc && k-- > 0;)
		rc = back_step(&p, p.steps.at[k]);
	for (int i = 0; !rc && i < c->n_in; i++)
		if (p.in[i])
			add_grad(p.in[i]->grad, c->in_grad[i]);
	compose_close(&p);
	return rc;
}
