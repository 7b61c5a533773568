/* kinks.c - gradients at kinks: equal numbers under a maximum, 0 under an absolute value, the bounds of a Clip.
 *
 * A node's inputs are moved by a little, further than double rounds and much less than float does; its outputs are
 * computed anew, and so are its gradients.  Where these differ there is a kink.
 *
 * Of a single node, each element x is moved alone, up and down.  The gradient of x is linear in what the outputs are
 * given, g, and every part of it may take another side: its ends are those with the positive and the negative parts of
 * g by themselves, added.
 *
 * Of a graph, all elements of all nodes' inputs are moved by chance, each node's for itself, since libraries choose a
 * side in each: what differs in one of LANES such runs has ends that are not known.  Every second run moves them the
 * other way, so that both sides are seen of each.  Of many equal numbers under a maximum few are picked in so few runs:
 * when one of them has a kink, all have, where it is known what is equal, of a single node. */
#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "reference/tape.h"

#define STEP 0x1p-40    /* relative */
#define LEAST 0x1p-160  /* of 0: its square is a number */
#define NEAR 2          /* roundings: a kink so near is one where a library rounds (0.2f · 2.5 + 0.5 is 1 there) */
#define DIFFERS 1e-6    /* relative: far above what STEP does to a smooth function */
#define MOST_MOVED 1024 /* elements that are moved one by one */
#define LANES 4
#define MOST_EQUAL 64 /* different numbers with a kink that are told apart */

struct kinks {
	struct rng rng;
	const struct ref_gradient *of;
	struct ref_kinks *out; /* NULL: a lane of a graph */

	/* lanes */
	double sign;           /* of the moves */
	struct tensor **where; /* [n_wanted] (optional) is given the inputs of the single node */
};

static double step_of(double x)
{
	return isfinite(x) ? fmax(STEP * fabs(x), LEAST) : 0;
}

/* How far a library may take a number for another one: by its roundings, and what is subnormal for 0. */
static double near_of(enum dtype t, double x)
{
	if (!isfinite(x))
		return 0;
	return fabs(x) < dtype_smallest(t) ? dtype_smallest(t) : NEAR * dtype_roundoff(t) * fabs(x);
}

/* Nothing is beyond an infinity. */
static double movable(double x)
{
	return isinf(x) ? copysign(DBL_MAX, x) : x;
}

static int differ(double a, double b)
{
	return fabs(a - b) > DIFFERS * fmax(fabs(a), fabs(b)); /* not of NaN */
}

/* Nodes that compute something of others' values. */
static size_t n_working(const struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		n += g->nodes.at[i]->n_in > 0;
	return n;
}

/* ---- a call elsewhere -------------------------------------------------------------------------------------------- */

/* The gradients of a call with other inputs, for what its outputs are given.  *out NULL: it has none there. */
static int grads_at(struct call *c, struct tensor **in, struct tensor *const *given, struct tensor ***out)
{
	struct tensor **y = arena_array(c->tmp, (size_t)c->n_out, sizeof *y);
	struct call moved = *c;
	int rc = y ? 0 : err_nomem(c->err, "gradients", 0), failed = 0;

	*out = NULL;
	for (int i = 0; i < c->n_out && !rc; i++)
		if (c->out[i] && !(y[i] = tensor_copy(c->out[i], c->err)))
			rc = c->err->code;
	moved.in = in;
	moved.out = y;
	moved.out_grad = given;
	if (!rc) {
		failed = moved.op->eval(&moved);
		failed = failed ? failed : tape_fresh_grads(&moved, c->in_grad, out);
	}
	tape_release_grads(y, y ? c->n_out : 0);
	if (failed == ERR_MEMORY || failed == ERR_INTERNAL)
		return failed;
	if (failed)
		err_clear(c->err);
	return rc;
}

/* Inputs as they are, input i a copy that the caller may change; NULL on failure. */
static struct tensor **copy_input(struct call *c, int i)
{
	struct tensor **in = arena_array(c->tmp, (size_t)c->n_in, sizeof *in);

	if (!in) {
		err_nomem(c->err, "gradients", 0);
		return NULL;
	}
	for (int k = 0; k < c->n_in; k++)
		in[k] = c->in[k];
	in[i] = tensor_copy(c->in[i], c->err);
	return in[i] ? in : NULL;
}

/* Inputs, floats as copies that the caller may change; NULL on failure.  Where an operator picks, an infinity is the
 * largest number: of two that are equal, one can be moved beyond the other then. */
static struct tensor **copy_floats(struct call *c)
{
	struct tensor **in = arena_array(c->tmp, (size_t)c->n_in, sizeof *in);

	if (!in) {
		err_nomem(c->err, "gradients", 0);
		return NULL;
	}
	for (int i = 0; i < c->n_in; i++) {
		if (!c->in[i] || !dtype_is_float(c->in[i]->dtype)) {
			in[i] = tensor_ref(c->in[i]);
			continue;
		}
		if (!(in[i] = tensor_copy(c->in[i], c->err))) {
			tape_release_grads(in, i);
			return NULL;
		}
		for (size_t k = 0; tape_is_exact(c->op) && k < in[i]->count; k++)
			in[i]->f[k] = movable(in[i]->f[k]);
	}
	return in;
}

/* ---- a single node ----------------------------------------------------------------------------------------------- */

/* What outputs are given, its positive (part 0) or negative part. */
struct kinks_part {
	struct tensor **given; /* [n_out] */
	struct tensor **grads; /* [n_in] where the inputs are */
	double sum;            /* of these */
};

static double sum_of(const struct call *c, struct tensor *const *grads)
{
	double sum = 0;

	for (int i = 0; i < c->n_in; i++)
		for (size_t k = 0; grads[i] && k < grads[i]->count; k++)
			sum += grads[i]->f[k];
	return sum;
}

static void part_release(const struct call *c, struct kinks_part *p)
{
	tape_release_grads(p->given, c->n_out);
	tape_release_grads(p->grads, c->n_in);
}

static int part_make(struct call *c, int negative, struct kinks_part *p)
{
	p->given = arena_array(c->tmp, (size_t)c->n_out, sizeof *p->given);
	if (!p->given)
		return err_nomem(c->err, "gradients", 0);
	for (int i = 0; i < c->n_out; i++) {
		if (!c->out_grad[i])
			continue;
		if (!(p->given[i] = tensor_copy(c->out_grad[i], c->err)))
			return c->err->code;
		for (size_t k = 0; k < p->given[i]->count; k++)
			if ((p->given[i]->f[k] < 0) != negative)
				p->given[i]->f[k] = 0;
	}
	if (grads_at(c, c->in, p->given, &p->grads))
		return c->err->code;
	p->sum = p->grads ? sum_of(c, p->grads) : 0;
	return 0;
}

/* Which of the wanted wires input i is; n_wanted: none. */
static size_t wanted_of(const struct kinks *q, const struct call *c, int i)
{
	size_t w = 0;

	while (w < q->of->n_wanted && q->of->wanted[w] != c->node->in[i])
		w++;
	return w;
}

/* Moves element k of input i, a copy, both ways, and widens the ends of its gradient by what that does to one part. */
static int try_both(struct kinks *q, struct call *c, struct tensor **in, int i, size_t k, const struct kinks_part *p)
{
	size_t w = wanted_of(q, c, i);
	double x = in[i]->f[k], base = p->grads[i]->f[k], low = base, high = base;

	for (int side = 0; side < 4; side++) {
		double by = side < 2 ? step_of(x) : near_of(in[i]->dtype, x);
		struct tensor **grads = NULL;

		in[i]->f[k] = side % 2 ? x + by : x - by;
		if (grads_at(c, in, p->given, &grads))
			return c->err->code;
		if (!grads)
			continue;
		low = fmin(low, grads[i]->f[k]);
		high = fmax(high, grads[i]->f[k]);
		q->out->kept &= !(fabs(sum_of(c, grads) - p->sum) > DIFFERS * fabs(p->sum));
		tape_release_grads(grads, c->n_in);
	}
	in[i]->f[k] = x;
	if (w < q->of->n_wanted && isfinite(base)) {
		q->out->low[w]->f[k] += low - base;
		q->out->high[w]->f[k] += high - base;
	}
	return 0;
}

static int try_all(struct kinks *q, struct call *c, const struct kinks_part *parts)
{
	int rc = 0;

	for (int i = 0; i < c->n_in && !rc; i++) {
		struct tensor **in = c->in_grad[i] ? copy_input(c, i) : NULL;

		if (!c->in_grad[i])
			continue;
		rc = in ? 0 : c->err->code;
		for (size_t k = 0; in && k < in[i]->count && !rc; k++)
			for (int p = 0; p < 2 && !rc; p++)
				rc = parts[p].grads ? try_both(q, c, in, i, k, &parts[p]) : 0;
		if (in)
			tensor_unref(in[i]);
	}
	return rc;
}

/* A tape_step: low and high get by how much the ends are off the gradient itself. */
static int step_alone(void *arg, struct call *c)
{
	struct kinks *q = arg;
	struct kinks_part parts[2] = {{0}};
	struct call moved = *c;
	int rc = c->op->grad(c);

	if (!rc && tape_is_exact(c->op) && !(moved.in = copy_floats(c)))
		rc = c->err->code;
	for (int p = 0; p < 2 && !rc; p++)
		rc = part_make(&moved, p, &parts[p]);
	if (!rc)
		rc = try_all(q, &moved, parts);
	q->out->sum += parts[0].sum + parts[1].sum;
	for (int p = 0; p < 2; p++)
		part_release(c, &parts[p]);
	if (moved.in != c->in)
		tape_release_grads(moved.in, moved.in ? c->n_in : 0);
	return rc;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

static void move_all(struct kinks *q, const struct call *c, struct tensor **in)
{
	for (int i = 0; i < c->n_in; i++)
		for (size_t k = 0; in[i] && dtype_is_float(in[i]->dtype) && k < in[i]->count; k++)
			in[i]->f[k] += q->sign * rng_uniform(&q->rng, -1, 1) * step_of(in[i]->f[k]);
}

static void note_where(struct kinks *q, const struct call *c)
{
	for (int i = 0; i < c->n_in && q->where; i++) {
		size_t w = wanted_of(q, c, i);

		if (w < q->of->n_wanted && !q->where[w])
			q->where[w] = tensor_ref(c->in[i]);
	}
}

/* A tape_step: the gradients where a node's inputs are moved by chance. */
static int step_lane(void *arg, struct call *c)
{
	struct tensor **in = copy_floats(c), **grads = NULL;
	int rc = in ? 0 : c->err->code;

	if (in)
		move_all(arg, c, in);
	note_where(arg, c);
	if (!rc)
		rc = grads_at(c, in, c->out_grad, &grads);
	for (int i = 0; i < c->n_in && grads; i++)
		for (size_t k = 0; grads[i] && k < grads[i]->count; k++)
			c->in_grad[i]->f[k] += grads[i]->f[k];
	if (!rc && !grads)
		rc = c->op->grad(c);
	tape_release_grads(grads, c->n_in);
	tape_release_grads(in, in ? c->n_in : 0);
	return rc;
}

static void open_ends(struct ref_kinks *out, size_t i, size_t k)
{
	out->low[i]->f[k] = -INFINITY;
	out->high[i]->f[k] = INFINITY;
}

/* Elements that are equal to one with a kink. */
static void open_equal(const struct tensor *x, struct ref_kinks *out, size_t i)
{
	double equal[MOST_EQUAL];
	size_t n = 0;

	for (size_t k = 0; k < x->count && n < MOST_EQUAL; k++) {
		size_t j = 0;

		if (!isinf(out->high[i]->f[k]))
			continue;
		while (j < n && equal[j] != x->f[k])
			j++;
		if (j == n)
			equal[n++] = x->f[k];
	}
	for (size_t k = 0; k < x->count; k++)
		for (size_t j = 0; j < n; j++)
			if (equal[j] == x->f[k])
				open_ends(out, i, k);
}

/* What differs in one lane. */
static void compare_lane(struct tensor **lane, struct tensor *const *exact, size_t n, struct ref_kinks *out)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < lane[i]->count; k++)
			if (differ(lane[i]->f[k], exact[i]->f[k]))
				open_ends(out, i, k);
		tensor_unref(lane[i]);
	}
}

static int run_lanes(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o,
		     struct tensor *const *exact, struct ref_kinks *out, struct err *e)
{
	struct kinks q = {.of = of};
	const struct tape_step step = {step_lane, &q};
	struct tensor **lane = mem_array(of->n_wanted, sizeof *lane);
	int rc = lane ? 0 : err_nomem(e, "gradients", 0);

	if (!rc && n_working(ref->model->graph) == 1 && !(q.where = mem_array(of->n_wanted, sizeof *q.where)))
		rc = err_nomem(e, "gradients", 0);
	for (int l = 0; l < LANES && !rc; l++) {
		rng_init(&q.rng, o->seed + (uint64_t)(l / 2));
		q.sign = l % 2 ? -1 : 1;
		rc = tape_run(ref, of, o, -1, &step, lane, e);
		if (!rc)
			compare_lane(lane, exact, of->n_wanted, out);
	}
	for (size_t i = 0; i < of->n_wanted && q.where; i++) {
		if (!rc && q.where[i])
			open_equal(q.where[i], out, i);
		tensor_unref(q.where[i]);
	}
	mem_free(q.where);
	mem_free(lane);
	return rc;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* One node that takes all the wires that are wanted, which are not too many numbers. */
static int is_alone(const struct graph *g, struct tensor *const *grads, size_t n)
{
	size_t elements = 0;

	for (size_t i = 0; i < n; i++)
		elements += grads[i]->count;
	return n_working(g) == 1 && elements <= MOST_MOVED;
}

void ref_kinks_release(struct ref_kinks *k)
{
	for (size_t i = 0; i < k->n; i++) {
		tensor_unref(k->low[i]);
		tensor_unref(k->high[i]);
	}
	mem_free(k->low);
	mem_free(k->high);
	*k = (struct ref_kinks){0};
}

static int make_ends(struct tensor *const *exact, size_t n, struct ref_kinks *out, struct err *e)
{
	out->low = mem_array(n, sizeof *out->low);
	out->high = mem_array(n, sizeof *out->high);
	if (!out->low || !out->high)
		return err_nomem(e, "gradients", 0);
	for (; out->n < n; out->n++) {
		out->low[out->n] = tensor_copy(exact[out->n], e);
		out->high[out->n] = out->low[out->n] ? tensor_copy(exact[out->n], e) : NULL;
		if (!out->high[out->n]) {
			tensor_unref(out->low[out->n]);
			return e->code;
		}
	}
	return 0;
}

int ref_backward_kinks(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o,
		       struct ref_kinks *out, struct err *e)
{
	struct ref_options exact = {.mode = REF_EXACT, .seed = o->seed};
	struct tensor **grads = mem_array(of->n_wanted, sizeof *grads),
		      **again = mem_array(of->n_wanted, sizeof *again);
	struct ref_kinks k = {.kept = 1};
	struct kinks q = {.of = of, .out = &k};
	size_t made = 0;
	int rc = grads && again ? tape_run(ref, of, &exact, -1, NULL, grads, e) : err_nomem(e, "gradients", 0);

	made = rc ? 0 : of->n_wanted;
	if (!rc)
		rc = make_ends(grads, of->n_wanted, &k, e);
	if (!rc && is_alone(ref->model->graph, grads, of->n_wanted)) {
		rc = tape_run(ref, of, &exact, -1, &(struct tape_step){step_alone, &q}, again, e);
		for (size_t i = 0; i < of->n_wanted && !rc; i++)
			tensor_unref(again[i]);
	} else if (!rc) {
		k.kept = 0;
		rc = run_lanes(ref, of, &exact, grads, &k, e);
	}
	while (made)
		tensor_unref(grads[--made]);
	mem_free(grads);
	mem_free(again);
	if (rc)
		ref_kinks_release(&k);
	else
		*out = k;
	return rc;
}
