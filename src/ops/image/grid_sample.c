/* grid_sample.c - GridSample: Y[n, c, p] = X[n, c] interpolated at the place grid[n, p].
 *
 *     X [N, C, D1 … Dr], grid [N, P1 … Pr, r] → Y [N, C, P1 … Pr]
 *
 * A grid vector lists coordinates innermost axis first; -1 and 1 are the centres (align_corners) or the outer edges of
 * the border elements.  Places beyond the border are first clamped or reflected, then single points outside are taken
 * as zero, clamped or reflected, too. */
#include <math.h>
#include <string.h>

#include "ops/attr.h"
#include "ops/call.h"
#include "ops/image/samplers.h"
#include "ops/kit/domain.h"
#include "ops/kit/interp.h"
#include "ops/noise/noisy.h"

enum { IN_X, IN_GRID };
enum mode { MODE_NEAREST, MODE_LINEAR, MODE_CUBIC };
enum grid_padding { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION };

struct grid_sampler {
	enum mode mode;
	enum grid_padding padding;
	int align, axes;
	const int64_t *size; /* of X's spatial axes */
};

static int read_sampler(struct call *c, struct grid_sampler *s)
{
	const char *mode = attr_string(c->node, "mode");
	const char *padding = attr_string(c->node, "padding_mode");

	if (!strcmp(mode, "nearest"))
		s->mode = MODE_NEAREST;
	else if (!strcmp(mode, "linear") || !strcmp(mode, "bilinear"))
		s->mode = MODE_LINEAR;
	else if (!strcmp(mode, "cubic") || !strcmp(mode, "bicubic"))
		s->mode = MODE_CUBIC;
	else
		return call_bad(c, "attribute 'mode' is '%s'", mode);
	if (!strcmp(padding, "zeros"))
		s->padding = PAD_ZEROS;
	else if (!strcmp(padding, "border"))
		s->padding = PAD_BORDER;
	else if (!strcmp(padding, "reflection"))
		s->padding = PAD_REFLECTION;
	else
		return call_bad(c, "attribute 'padding_mode' is '%s'", padding);
	s->align = attr_int(c->node, "align_corners") != 0;
	return 0;
}

static int grid_sample_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X), *grid = call_shape(c, IN_GRID);
	int64_t dims[TENSOR_MAX_RANK];
	struct grid_sampler s;
	int rank = x ? x->rank : grid ? grid->rank : -1, rc = read_sampler(c, &s);

	if (rc)
		return rc;
	if (x && grid && x->rank != grid->rank)
		return call_bad(c, "X has rank %d, grid has rank %d", x->rank, grid->rank);
	if (rank >= 0 && rank < 3)
		return call_bad(c, "X has rank %d, wanted at least 3", rank);
	if (rank - 2 > (s.mode == MODE_CUBIC ? SPATIAL_MAX / 2 : SPATIAL_MAX))
		return call_unsupported(c, "%d spatial axes", rank - 2);
	if (grid && grid->dims[rank - 1] >= 0 && grid->dims[rank - 1] != rank - 2)
		return call_bad(c, "grid has vectors of %lld numbers, wanted %d", (long long)grid->dims[rank - 1],
				rank - 2);
	if (x && grid && x->dims[0] >= 0 && grid->dims[0] >= 0 && x->dims[0] != grid->dims[0])
		return call_bad(c, "X has batch size %lld, grid %lld", (long long)x->dims[0], (long long)grid->dims[0]);
	for (int i = 0; i < rank; i++)
		dims[i] = i < 2 ? (x ? x->dims[i] : DIM_UNKNOWN) : grid ? grid->dims[i - 1] : DIM_UNKNOWN;
	call_out(c, 0, c->in_type[IN_X].dtype, rank, dims);
	return 0;
}

/* Reflects x between low and high as often as needed; *sign: the derivative. */
static double reflect(double x, double low, double high, double *sign)
{
	double span = high - low, away, turns, rest;
	int below = x < low;

	*sign = 1;
	if (x >= low && x <= high)
		return x;
	*sign = 0;
	if (!(span > 0))
		return low;
	away = below ? low - x : x - high;
	turns = floor(away / span);
	rest = away - turns * span;
	if ((fmod(turns, 2) == 0) == below) {
		*sign = below ? -1 : 1;
		return low + rest;
	}
	*sign = below ? 1 : -1;
	return high - rest;
}

/* Point i of an axis, moved inside as the padding says; -1: it counts as zero. */
static int64_t point_inside(const struct grid_sampler *s, int64_t size, double i)
{
	double sign;

	if (i >= 0 && i < (double)size)
		return (int64_t)i;
	if (s->padding == PAD_ZEROS || size < 1 || i != i)
		return -1;
	if (s->padding == PAD_BORDER)
		return i < 0 ? 0 : size - 1;
	i = reflect(i, s->align ? 0 : -0.5, (double)size - (s->align ? 1 : 0.5), &sign);
	return i < 0 ? 0 : i > (double)(size - 1) ? size - 1 : (int64_t)i;
}

/* Cubic convolution, a = -0.75: weight and derivative at distance d, and the root of the sum of the squares of the
 * weight's terms. */
static double cubic(double d, double *slope, double *terms)
{
	double a = -0.75, r = fabs(d), sign = d < 0 ? -1 : 1;

	*slope = sign * (r <= 1 ? (3 * (a + 2) * r - 2 * (a + 3)) * r : r < 2 ? (3 * a * r - 10 * a) * r + 8 * a : 0);
	*terms = r <= 1  ? hypot(hypot((a + 2) * r, a + 3) * r * r, 1)
		 : r < 2 ? fabs(a) * hypot(hypot(hypot(r, 5) * r, 8) * r, 4)
			 : 0;
	if (r <= 1)
		return ((a + 2) * r - (a + 3)) * r * r + 1;
	return r < 2 ? ((a * r - 5 * a) * r + 8 * a) * r - 4 * a : 0;
}

/* The taps along one axis for grid coordinate g; derivatives are by g. */
static void axis_taps(const struct grid_sampler *s, int64_t size, double g, struct interp_axis *out)
{
	double low = s->align ? 0 : -0.5, high = (double)size - (s->align ? 1 : 0.5);
	double gain = (high - low) / 2, x = low + (g + 1) * gain, sign = 1, first;
	int points = s->mode == MODE_CUBIC ? 4 : s->mode == MODE_LINEAR ? 2 : 1;

	out->n = 0;
	if (!isfinite(x))
		return;
	if (s->mode == MODE_NEAREST)
		x = rint((double)(float)x); /* ties are ties of float32, in which places come */
	if (s->padding == PAD_REFLECTION)
		x = reflect(x, low, high, &sign);
	else if (s->padding == PAD_BORDER && (x < low || x > high)) {
		x = x < low ? 0 : (double)(size - 1);
		sign = 0;
	}
	first = s->mode == MODE_CUBIC ? floor(x) - 1 : floor(x);
	for (int k = 0; k < points; k++) {
		int64_t at = point_inside(s, size, first + k);
		double d = x - (first + k), slope = 0, terms = 0, w = 1;

		if (at < 0)
			continue;
		if (s->mode == MODE_LINEAR) {
			w = 1 - fabs(d);
			slope = k ? 1 : -1;
		} else if (s->mode == MODE_CUBIC) {
			w = cubic(d, &slope, &terms);
		}
		out->at[out->n] = at;
		out->w[out->n] = w;
		out->terms[out->n] = terms;
		out->dw[out->n++] = slope * sign * gain;
	}
}

/* The same where a library rounds the place, and the terms of a cubic: its slope has terms that are thrice as large. */
static void rounded_taps(const struct grid_sampler *s, struct noisy *n, int64_t size, double g, struct interp_axis *out)
{
	double pixels = (1 + fabs(g)) * (double)(size + 1);

	axis_taps(s, size, s->mode == MODE_NEAREST ? g : noisy_move(n, g, 2 * pixels / (double)size), out);
	for (int k = 0; k < out->n; k++) {
		out->w[k] = noisy_move(n, out->w[k], out->terms[k]);
		out->dw[k] = noisy_move(n, out->dw[k], 3 * out->terms[k] * (double)size / 2);
	}
}

/* Taps at the place whose vector is at index `vector` of grid. */
static void taps_at(const struct call *c, const struct grid_sampler *s, size_t vector, struct interp *t)
{
	interp_begin(t);
	for (int a = 0; a < s->axes; a++) {
		double g = c->in[IN_GRID]->f[vector + (size_t)(s->axes - 1 - a)];
		struct interp_axis axis;

		if (c->noisy)
			rounded_taps(s, c->noisy, s->size[a], g, &axis);
		else
			axis_taps(s, s->size[a], g, &axis);
		interp_add(t, s->size[a], &axis);
	}
}

/* What is done with the taps t of place p of image n, for one plane of X at `in` and the element of Y at `out`. */
struct visit {
	const struct call *c;
	const struct grid_sampler *s;
	double *noise;
};

typedef void visit_fn(const struct visit *v, const struct interp *t, size_t vector, size_t in, size_t out);

static int for_each_element(struct call *c, visit_fn *fn, struct visit *v)
{
	const struct tensor *x = c->in[IN_X];
	size_t places = dims_product(c->out[0]->dims, 2, x->rank), plane = dims_product(x->dims, 2, x->rank);
	size_t channels = (size_t)x->dims[1];
	struct grid_sampler s = {.axes = x->rank - 2, .size = x->dims + 2};
	struct interp t;
	int rc = read_sampler(c, &s);

	if (rc)
		return rc;
	v->c = c;
	v->s = &s;
	for (size_t i = 0; i < (size_t)x->dims[0] * places; i++) {
		size_t n = i / places, vector = i * (size_t)s.axes;

		taps_at(c, &s, vector, &t);
		for (size_t k = n * channels; k < (n + 1) * channels; k++)
			fn(v, &t, vector, k * plane, k * places + i % places);
	}
	return 0;
}

static void element_eval(const struct visit *v, const struct interp *t, size_t vector, size_t in, size_t out)
{
	const struct tensor *x = v->c->in[IN_X];
	struct tensor *y = v->c->out[0];
	double sum = 0;

	(void)vector;
	if (dtype_is_float(x->dtype)) {
		y->f[out] = interp_value(t, x->f + in);
		return;
	}
	if (v->s->mode == MODE_NEAREST) {
		y->i[out] = t->n ? x->i[in + t->at[0]] : 0;
		return;
	}
	/* integers are interpolated as floats and cut at the end */
	for (size_t k = 0; k < t->n; k++)
		sum += t->w[k] * tensor_get(x, in + t->at[k]);
	y->i[out] = (int64_t)fmin(fmax(sum, -0x1p63), 0x1p63 - 1024);
}

/* What rounding moves the weights of a cubic by, times |x|: terms along one axis, weights along the others. */
static double noise_of_weights(const struct visit *v, size_t vector, const double *x)
{
	struct interp t;
	double sum = 0;

	interp_begin(&t);
	for (int a = 0; a < v->s->axes; a++) {
		struct interp_axis axis;

		axis_taps(v->s, v->s->size[a], v->c->in[IN_GRID]->f[vector + (size_t)(v->s->axes - 1 - a)], &axis);
		for (int k = 0; k < axis.n; k++) {
			axis.w[k] = fabs(axis.w[k]);
			axis.dw[k] = axis.terms[k];
		}
		interp_add(&t, v->s->size[a], &axis);
	}
	for (int a = 0; a < t.axes; a++)
		for (size_t k = 0; k < t.n; k++)
			sum += t.dw[a][k] * fabs(x[t.at[k]]);
	return sum;
}

/* Σ |w x|, and what rounding moves the place by, some units of its own size in pixels, times the slope. */
static void noise_element(const struct visit *v, const struct interp *t, size_t vector, size_t in, size_t out)
{
	const double *x = v->c->in[IN_X]->f + in;
	double sum = 0;

	v->noise[out] = 0;
	if (v->s->mode == MODE_NEAREST)
		return;
	for (size_t k = 0; k < t->n; k++)
		sum += fabs(t->w[k] * x[t->at[k]]);
	for (int a = 0; a < t->axes && t->n; a++) {
		double g = v->c->in[IN_GRID]->f[vector + (size_t)(t->axes - 1 - a)];

		sum += (1 + fabs(g)) * (double)(v->s->size[a] + 1) * fabs(interp_slope(t, a, x));
	}
	v->noise[out] = sum * noise_growth((double)t->n);
	if (v->s->mode == MODE_CUBIC)
		v->noise[out] += noise_of_weights(v, vector, x);
}

static void element_grad(const struct visit *v, const struct interp *t, size_t vector, size_t in, size_t out)
{
	const struct call *c = v->c;
	double g = c->out_grad[0]->f[out];

	if (c->in_grad[IN_X])
		interp_scatter(t, g, c->in_grad[IN_X]->f + in);
	for (int a = 0; c->in_grad[IN_GRID] && a < t->axes && t->n; a++)
		c->in_grad[IN_GRID]->f[vector + (size_t)(t->axes - 1 - a)] +=
			g * interp_slope(t, a, c->in[IN_X]->f + in);
}

static int grid_sample_eval(struct call *c)
{
	struct visit v = {0};

	return for_each_element(c, element_eval, &v);
}

static int grid_sample_scale(struct call *c, int out, double *s)
{
	struct visit v = {.noise = s};

	(void)out;
	return for_each_element(c, noise_element, &v);
}

static int grid_sample_grad(struct call *c)
{
	struct visit v = {0};

	return c->out_grad[0] ? for_each_element(c, element_grad, &v) : 0;
}

static const struct op_attr grid_sample_attrs[] = {
	OP_INT("align_corners", 0),
	OP_STRING("mode", "bilinear"),
	OP_STRING_SINCE(20, "mode", "linear"),
	OP_STRING("padding_mode", "zeros"),
	{0},
};

#define NEAR 1e-3 /* of a pixel: where the nearest of two is a matter of rounding */

/* The grid's last axis counts from the picture's last one. */
static int nearest_of_two(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *picture = in[IN_X], *grid = in[IN_GRID];
	int axes = picture ? picture->rank - 2 : 0, corners = attr_int(n, "align_corners") != 0;

	(void)r;
	if (!grid || axes < 1 || strcmp(attr_string(n, "mode"), "nearest") != 0)
		return 0;
	for (size_t i = 0; i < grid->count; i++) {
		double size = (double)picture->dims[picture->rank - 1 - (int)(i % (size_t)axes)],
		       g = tensor_get(grid, i);
		double place = corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;

		if (fabs(place - floor(place) - 0.5) < NEAR)
			return 1;
	}
	return 0;
}

const struct op op_grid_sample = {
	.samples = SAMPLES({.by = &sampler_grid_sample}),
	.rules = RULES({.broken = nearest_of_two},
		       {.broken = domain_not_finite, .port = IN_GRID, .open = "a position is not a finite number"}),
	.in = {{"X", T_NUM | T_BOOL, 'T', 0}, {"grid", T_FLOAT, 0, 0}},
	.out = {{"Y", T_NUM | T_BOOL, 'T', 0}},
	.attrs = grid_sample_attrs,
	.infer = grid_sample_infer,
	.eval = grid_sample_eval,
	.grad = grid_sample_grad,
	.scale = grid_sample_scale,
};
