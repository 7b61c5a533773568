/* gradient_noise.c - Monte Carlo arithmetic on the way back.
 *
 * A lane runs forward with every node's output moved as in noise.c, then back with every node's input gradients moved
 * by ± u * size, where size follows the sums that a library makes of them.  With t the terms of a gradient's element
 * and n the number of elements of the output gradients (a bound on the length of the sum):
 *
 *     OP_MONOMIALS     Σ|t| * noise_growth(n): grad of |inputs| and |output gradients| is Σ|t|, exactly
 *     exact operators  Σ|t| * noise_growth(n): they pick and add output gradients, so grad of their absolute values is
 *                      Σ|t|; inputs stay as they are, since they decide what is picked
 *     others           spread of grad over PROBES evaluations in which inputs, outputs and output gradients move by
 *                      relative roundings, PROBE_GAIN * noise_growth(n) times: √Σt² and what cancels in between;
 *                      recurrent ones also round inside (call.noisy), and functions of elements are taken to know
 *                      their input from their rounded output alone
 *
 * and never less than |gradient|, which is rounded when it is stored.  Sizes are made once, from exact values.
 *
 * With ref_options.absolute slopes may be no better than roundings of 1, as 1 - y² is, or 1 / √(x² + 1) where the
 * square overflows; nothing may be left of what was divided by the square of a divisor; and what products hand back may
 * have been divided by the element, of a product that is subnormal. */
#include <math.h>

#include "base/mem.h"
#include "ops/noise/noisy.h"
#include "reference/tape.h"

#define PROBES 4
/* √Σt² stands for the rounding of a sum whose parts are as large as its terms.  Sums made one term after the other
 * reach 0.6 √n times that, and libraries make blocks of some hundred terms so. */
#define PROBE_GAIN 2.0
#define MOST_MOVED 0.5 /* of an input whose output is saturated */
#define FLUSHED 8.0    /* smallest normal numbers: what is less may have been taken for zero on the way */

struct gradient_noise {
	float ***sizes; /* by node, by input; NULL: not known, or no gradient */
	size_t n;       /* nodes */
	int lane;       /* -1: sizes are made */
	int absolute;   /* ref_options.absolute */
	struct rng rng;
};

/* ---- calls with something changed -------------------------------------------------------------------------------- */

typedef double change_fn(double x, struct rng *rng, double u);

static double make_absolute(double x, struct rng *rng, double u)
{
	(void)rng;
	(void)u;
	return fabs(x);
}

static double make_one(double x, struct rng *rng, double u)
{
	(void)rng;
	(void)u;
	return isnan(x) ? x : 1;
}

static double make_rounded(double x, struct rng *rng, double u)
{
	return rng_u64(rng) >> 63 ? x + u * x : x - u * x;
}

static double roundoff_of(const struct call *c, int i)
{
	return dtype_roundoff(c->in[i]->dtype);
}

/* A single number behind the first input is a parameter: an exponent, a step. */
static int is_parameter(const struct call *c, int i)
{
	return i > 0 && c->in[i] && c->in[i]->count == 1;
}

/* A changed copy of a float tensor. */
static int change(struct tensor **t, change_fn *fn, struct rng *rng, double u, struct err *e)
{
	struct tensor *copy;

	if (!*t || !dtype_is_float((*t)->dtype)) {
		tensor_ref(*t);
		return 0;
	}
	copy = tensor_copy(*t, e);
	if (!copy)
		return e->code;
	for (size_t i = 0; i < copy->count; i++)
		copy->f[i] = fn(copy->f[i], rng, u);
	*t = copy;
	return 0;
}

/* The tensors of a call, each a reference of its own. */
struct altered {
	struct call call;
	struct tensor **in, **out, **out_grad;
	int n_in, n_out, n_grad; /* references taken so far */
};

static void altered_release(struct altered *a)
{
	while (a->n_in)
		tensor_unref(a->in[--a->n_in]);
	while (a->n_out)
		tensor_unref(a->out[--a->n_out]);
	while (a->n_grad)
		tensor_unref(a->out_grad[--a->n_grad]);
}

static int altered_make(struct altered *a, struct call *c, change_fn *fn, int inputs_too, struct rng *rng)
{
	size_t ins = (size_t)c->n_in, outs = (size_t)c->n_out;
	double u = dtype_roundoff(DT_FLOAT);

	*a = (struct altered){.call = *c};
	a->in = arena_array(c->tmp, ins, sizeof *a->in);
	a->out = arena_array(c->tmp, outs, sizeof *a->out);
	a->out_grad = arena_array(c->tmp, outs, sizeof *a->out_grad);
	if (!a->in || !a->out || !a->out_grad)
		return err_nomem(c->err, "gradient noise", 0);
	a->call.in = a->in;
	a->call.out = a->out;
	a->call.out_grad = a->out_grad;
	for (; a->n_in < c->n_in; a->n_in++) {
		a->in[a->n_in] = c->in[a->n_in];
		if (!inputs_too || (fn == make_rounded && is_parameter(c, a->n_in)))
			tensor_ref(c->in[a->n_in]);
		else if (change(&a->in[a->n_in], fn, rng, u, c->err))
			return c->err->code;
	}
	for (; a->n_out < c->n_out; a->n_out++) {
		a->out[a->n_out] = c->out[a->n_out];
		if (!inputs_too)
			tensor_ref(c->out[a->n_out]);
		else if (change(&a->out[a->n_out], fn, rng, u, c->err))
			return c->err->code;
	}
	for (; a->n_grad < c->n_out; a->n_grad++) {
		a->out_grad[a->n_grad] = c->out_grad[a->n_grad];
		if (change(&a->out_grad[a->n_grad], fn, rng, u, c->err))
			return c->err->code;
	}
	return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static double growth_of(const struct call *c)
{
	size_t n = 1;

	for (int i = 0; i < c->n_out; i++)
		if (c->out_grad[i] && c->out_grad[i]->count > n)
			n = c->out_grad[i]->count;
	return noise_growth((double)n);
}

/* sums[i] = Σ|terms| */
static int sizes_of_terms(struct call *c, struct tensor *const *grads, struct rng *rng, double **sums)
{
	struct tensor **absolute = NULL;
	struct altered a;
	int rc = altered_make(&a, c, make_absolute, (c->op->flags & OP_MONOMIALS) != 0, rng);

	if (!rc)
		rc = tape_fresh_grads(&a.call, grads, &absolute);
	altered_release(&a);
	if (rc)
		return rc;
	for (int i = 0; i < c->n_in; i++)
		for (size_t k = 0; grads[i] && k < grads[i]->count; k++)
			sums[i][k] = fabs(absolute[i]->f[k]);
	tape_release_grads(absolute, c->n_in);
	return 0;
}

/* A function of elements whose slope libraries make of the rounded y: y (1 - y), 1 - y².  What they know of x is then
 * not better than u |y| / |slope|: moves the input by as much. */
static void move_by_output(struct altered *a, const struct call *c, const struct tensor *grad, struct rng *rng)
{
	const struct tensor *x = c->in[0], *y = c->n_out == 1 ? c->out[0] : NULL, *gy = c->out_grad[0];
	const double u = dtype_roundoff(DT_FLOAT);

	if ((c->op->scale && !(c->op->flags & OP_IN_PLACE)) || c->n_in != 1 || !y || !gy || !grad || a->in[0] == x ||
	    !tensor_same_shape(x, y))
		return;
	for (size_t i = 0; i < x->count; i++) {
		double by = grad->f[i] != 0 ? u * fabs(y->f[i] * gy->f[i] / grad->f[i]) : 0;

		by = fmin(fmax(by, u * fabs(x->f[i])), MOST_MOVED);
		a->in[0]->f[i] = rng_u64(rng) >> 63 ? x->f[i] + by : x->f[i] - by;
	}
}

/* A function of elements with terms that cancel has a slope made of such, as Φ(x) + x φ(x) of Gelu: they are as large
 * as 1, however small the slope. */
static void count_parts(const struct call *c, const struct tensor *grad, double *sum)
{
	const struct tensor *gy = c->n_out == 1 && c->n_in == 1 && c->op->scale ? c->out_grad[0] : NULL;

	for (size_t k = 0; gy && grad && tensor_same_shape(gy, grad) && k < grad->count; k++)
		sum[k] = fmax(sum[k], fabs(gy->f[k]));
}

/* The gradient of a function of one element, of whose input there is one number for each of the output. */
static int is_of_elements(const struct call *c, const struct tensor *grad)
{
	return c->n_in == 1 && c->n_out == 1 && grad && c->out_grad[0] && tensor_same_shape(c->out_grad[0], grad);
}

/* A library divides a product by its element.  Where the product is subnormal it may have been taken for 0: what the
 * outputs are given is lost times that product, over the element.  The gradient of ones adds it up. */
static int count_quotients(struct call *c, struct tensor *const *grads, struct rng *rng, double **sums)
{
	const double u = dtype_roundoff(c->in[0]->dtype), smallest = dtype_smallest(c->in[0]->dtype);
	struct altered ones, lost;
	struct tensor **shares = NULL;
	int rc = altered_make(&ones, c, make_one, 1, rng), rc_lost = altered_make(&lost, c, make_absolute, 0, rng);

	rc = rc ? rc : rc_lost;
	for (size_t k = 0; !rc && k < c->out[0]->count; k++)
		lost.out_grad[0]->f[k] *= fmin(fabs(c->out[0]->f[k]), smallest) / u;
	ones.call.out_grad = lost.out_grad;
	if (!rc)
		rc = tape_fresh_grads(&ones.call, grads, &shares);
	altered_release(&ones);
	altered_release(&lost);
	for (size_t k = 0; !rc && k < grads[0]->count; k++)
		if (c->in[0]->f[k] != 0)
			sums[0][k] = fmax(sums[0][k], shares[0]->f[k] / fabs(c->in[0]->f[k]));
	if (!rc)
		tape_release_grads(shares, c->n_in);
	return rc;
}

/* A library divides by the square of a divisor.  Where that overflows nothing is left of the terms. */
static void count_squares(const struct call *c, struct tensor *const *grads, double **sums)
{
	const struct tensor *by = c->in[1];
	const double u = dtype_roundoff(c->in[0]->dtype), largest = sqrt(dtype_max(c->in[0]->dtype));

	for (size_t k = 0; grads[1] && k < by->count; k++)
		if (fabs(by->f[k]) >= largest)
			sums[1][k] = fmax(sums[1][k], fabs(grads[1]->f[k]) / u);
}

/* What libraries lose that need not be lost. */
static int count_losses(struct call *c, struct tensor *const *grads, struct rng *rng, double **sums)
{
	for (size_t k = 0; is_of_elements(c, grads[0]) && k < grads[0]->count; k++)
		sums[0][k] = fmax(sums[0][k], fabs(c->out_grad[0]->f[k]));
	if (c->op->flags & OP_DIVIDES)
		count_squares(c, grads, sums);
	return c->op->flags & OP_MULTIPLIES && grads[0] ? count_quotients(c, grads, rng, sums) : 0;
}

/* sums[i] = spread over probes, in units of u; a probe that fails says nothing. */
static int sizes_of_probes(struct call *c, struct tensor *const *grads, struct rng *rng, double **sums)
{
	double u = dtype_roundoff(DT_FLOAT);

	for (int p = 0; p < PROBES; p++) {
		struct tensor **moved = NULL;
		struct altered a;
		int rc = altered_make(&a, c, make_rounded, 1, rng);
		struct noisy inside = {.on = 1, .roundoff = u};

		rng_init(&inside.rng, rng_u64(rng));
		if (!rc)
			move_by_output(&a, c, grads[0], rng);
		a.call.noisy = &inside;
		if (!rc && tape_fresh_grads(&a.call, grads, &moved))
			err_clear(c->err);
		altered_release(&a);
		if (rc)
			return rc;
		for (int i = 0; moved && i < c->n_in; i++)
			for (size_t k = 0; grads[i] && k < grads[i]->count; k++) {
				double d = (moved[i]->f[k] - grads[i]->f[k]) / u;

				sums[i][k] += d * d;
			}
		tape_release_grads(moved, c->n_in);
	}
	for (int i = 0; i < c->n_in; i++)
		for (size_t k = 0; grads[i] && k < grads[i]->count; k++)
			sums[i][k] = PROBE_GAIN * sqrt(sums[i][k] / PROBES);
	count_parts(c, grads[0], sums[0]);
	return 0;
}

static int keep_sizes(struct gradient_noise *g, struct call *c, struct tensor *const *grads, double **sums)
{
	double growth = growth_of(c);
	float **sizes = mem_array((size_t)c->n_in, sizeof *sizes);

	if (!sizes)
		return err_nomem(c->err, "gradient noise", 0);
	g->sizes[c->node->index] = sizes;
	for (int i = 0; i < c->n_in; i++) {
		double u = grads[i] ? roundoff_of(c, i) : 0;

		if (!grads[i])
			continue;
		sizes[i] = mem_array(grads[i]->count, sizeof **sizes);
		if (!sizes[i])
			return err_nomem(c->err, "gradient noise", grads[i]->count * sizeof **sizes);
		for (size_t k = 0; k < grads[i]->count; k++) {
			double size = u * fmax(growth * sums[i][k], fabs(grads[i]->f[k]));

			size = fmax(size, FLUSHED * dtype_smallest(c->in[i]->dtype));
			sizes[i][k] = isfinite(size) ? (float)size : 0.0f;
		}
	}
	return 0;
}

static int make_sizes(struct gradient_noise *g, struct call *c, struct tensor *const *grads)
{
	double **sums = arena_array(c->tmp, (size_t)c->n_in, sizeof *sums);
	int rc = sums ? 0 : err_nomem(c->err, "gradient noise", 0);

	for (int i = 0; i < c->n_in && !rc; i++)
		if (grads[i] && !(sums[i] = arena_array(c->tmp, grads[i]->count, sizeof **sums)))
			rc = err_nomem(c->err, "gradient noise", grads[i]->count * sizeof **sums);
	if (!rc && (tape_is_exact(c->op) || c->op->flags & OP_MONOMIALS))
		rc = sizes_of_terms(c, grads, &g->rng, sums);
	else if (!rc)
		rc = sizes_of_probes(c, grads, &g->rng, sums);
	if (!rc && g->absolute && !tape_is_exact(c->op))
		rc = count_losses(c, grads, &g->rng, sums);
	return rc ? rc : keep_sizes(g, c, grads, sums);
}

/* ---- steps and runs ---------------------------------------------------------------------------------------------- */

static void add_moved(struct gradient_noise *g, const struct call *c, int i, const struct tensor *grad)
{
	float **sizes = g->lane >= 0 ? g->sizes[c->node->index] : NULL;
	double *sum = c->in_grad[i]->f;

	for (size_t k = 0; k < grad->count; k++) {
		double size = sizes && sizes[i] ? (double)sizes[i][k] : 0;

		sum[k] += grad->f[k] + (size > 0 && rng_u64(&g->rng) >> 63 ? size : -size);
	}
}

/* As they are, and how far rounding may move them is noted; or, in a lane, moved. */
static int add_step(void *arg, struct call *c)
{
	struct gradient_noise *g = arg;
	struct tensor **grads;
	int rc = tape_fresh_grads(c, c->in_grad, &grads);

	if (rc)
		return rc;
	if (g->lane < 0)
		rc = make_sizes(g, c, grads);
	for (int i = 0; i < c->n_in && !rc; i++)
		if (grads[i])
			add_moved(g, c, i, grads[i]);
	tape_release_grads(grads, c->n_in);
	return rc;
}

static void release_sizes(struct gradient_noise *g, const struct graph *graph)
{
	for (size_t i = 0; g->sizes && i < g->n; i++) {
		for (int k = 0; g->sizes[i] && k < graph->nodes.at[i]->n_in; k++)
			mem_free(g->sizes[i][k]);
		mem_free(g->sizes[i]);
	}
	mem_free(g->sizes);
}

/* Adds the squares of a lane's differences; a lane that went wrong makes everything infinite. */
static void add_lane(struct tensor *const *exact, struct tensor *const *lane, size_t n, float **noise)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < exact[i]->count; k++) {
			double d = lane && tensor_same_shape(exact[i], lane[i]) ? lane[i]->f[k] - exact[i]->f[k]
										: (double)INFINITY;

			noise[i][k] = (float)hypot((double)noise[i][k], d);
		}
}

static int run_lanes(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o,
		     struct gradient_noise *g, struct tensor *const *exact, float **noise, struct err *e)
{
	size_t n = of->n_wanted;
	struct tensor **lane = mem_array(n, sizeof *lane);
	int runs = o->noise_runs ? o->noise_runs : REF_NOISE_RUNS, rc = lane ? 0 : err_nomem(e, "gradients", 0);

	for (g->lane = 0; g->lane < runs && !rc; g->lane++) {
		struct err failed = ERR_INIT;

		rc = tape_run(ref, of, o, g->lane, &(struct tape_step){add_step, g}, lane, &failed);
		if (rc == ERR_MEMORY || rc == ERR_INTERNAL) {
			*e = failed;
			break;
		}
		add_lane(exact, rc ? NULL : lane, n, noise);
		for (size_t i = 0; i < n && !rc; i++)
			tensor_unref(lane[i]);
		rc = 0;
	}
	for (size_t i = 0; i < n && !rc; i++)
		for (size_t k = 0; k < exact[i]->count; k++)
			noise[i][k] = isnan(noise[i][k]) ? INFINITY : (float)((double)noise[i][k] / sqrt(runs));
	mem_free(lane);
	return rc;
}

/* The exact gradients, and how far rounding may move them in each node: release with release_sizes() also when it
 * failed. */
static int make_exact(struct ref *ref, const struct ref_gradient *of, const struct ref_options *exact,
		      struct tensor **grads, struct gradient_noise *g, struct err *e)
{
	*g = (struct gradient_noise){.n = ref->model->graph->nodes.n, .lane = -1, .absolute = exact->absolute > 0};
	rng_init(&g->rng, exact->seed);
	g->sizes = mem_array(g->n, sizeof *g->sizes);
	if (!g->sizes)
		return err_nomem(e, "gradient noise", 0);
	return tape_run(ref, of, exact, -1, &(struct tape_step){add_step, g}, grads, e);
}

int ref_backward_noisy(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o,
		       struct tensor **grads, float **noise, struct err *e)
{
	const struct graph *graph = ref->model->graph;
	struct ref_options exact = *o;
	struct gradient_noise g;
	size_t made = 0;
	int rc;

	exact.mode = REF_EXACT;
	rc = make_exact(ref, of, &exact, grads, &g, e);
	if (rc) {
		release_sizes(&g, graph);
		return rc;
	}
	for (; made < of->n_wanted && !rc; made++)
		if (!(noise[made] = mem_array(grads[made]->count, sizeof **noise)))
			rc = err_nomem(e, "gradient noise", grads[made]->count);
	if (!rc)
		rc = run_lanes(ref, of, &exact, &g, grads, noise, e);
	for (size_t i = 0; rc && i < of->n_wanted; i++) {
		tensor_unref(grads[i]);
		if (i < made)
			mem_free(noise[i]);
	}
	release_sizes(&g, graph);
	return rc;
}

int ref_backward_moved(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o, int lane,
		       struct tensor **grads, struct err *e)
{
	struct ref_options exact = *o;
	struct gradient_noise g;
	int rc;

	exact.mode = REF_EXACT;
	rc = make_exact(ref, of, &exact, grads, &g, e);
	for (size_t i = 0; i < of->n_wanted && !rc; i++)
		tensor_unref(grads[i]);
	g.lane = lane;
	g.rng = rng_split(&g.rng, (uint64_t)lane);
	if (!rc)
		rc = tape_run(ref, of, &exact, lane, &(struct tape_step){add_step, &g}, grads, e);
	release_sizes(&g, ref->model->graph);
	return rc;
}
