/* resize_taps.c - see resize_taps.h. */
#include "ops/image/resize_taps.h"

#include <math.h>
#include <string.h>

/* Where output element o lies on the input's axis.
 *
 * With a fractional scale * in, align_corners stretches to that fraction and not to the whole number of outputs: so do
 * the specification's test data. */
static double coordinate(const struct resize_rule *rule, const struct resize_axis *a, int64_t o)
{
	double x = (double)o, in = (double)a->in, out = (double)a->out, width = a->scale * in;

	switch (rule->coord) {
	case COORD_HALF_PIXEL:
		return (x + 0.5) / a->scale - 0.5;
	case COORD_HALF_PIXEL_SYMMETRIC:
		return in / 2 * (1 - out / width) + (x + 0.5) / a->scale - 0.5;
	case COORD_PYTORCH_HALF_PIXEL:
		return a->out > 1 ? (x + 0.5) / a->scale - 0.5 : 0;
	case COORD_ALIGN_CORNERS:
		return a->out > 1 ? x * (in - 1) / (width - 1) : 0;
	case COORD_ASYMMETRIC:
		return x / a->scale;
	case COORD_TF_HALF_PIXEL_FOR_NN:
		return (x + 0.5) / a->scale;
	case COORD_TF_CROP_AND_RESIZE:
		return a->out > 1 ? a->start * (in - 1) + x * (a->end - a->start) * (in - 1) / (out - 1)
				  : 0.5 * (a->start + a->end) * (in - 1);
	}
	return 0;
}

/* Which side of a tie or of the border a place falls on is decided in float32, in which every library has it: 0.7f and
 * its like are a little off what was meant, and in double precision a tie would never be one. */
static double snap(double x)
{
	return (double)(float)x;
}

static double nearest(enum resize_nearest mode, double x)
{
	switch (mode) {
	case NEAREST_PREFER_FLOOR:
		return ceil(x - 0.5);
	case NEAREST_PREFER_CEIL:
		return floor(x + 0.5);
	case NEAREST_FLOOR:
		return floor(x);
	case NEAREST_CEIL:
		return ceil(x);
	}
	return x;
}

#define CLOSE 1e-3 /* places that far apart are the same to no library */

int taps_flip(const struct resize_rule *rule, const struct resize_axis *a)
{
	double half = rule->nearest == NEAREST_PREFER_FLOOR || rule->nearest == NEAREST_PREFER_CEIL ? 0.5 : 0;

	for (int64_t o = 0; o < a->out; o++) {
		double x = coordinate(rule, a, o), y = x - half;

		if (x == 0 && (!o || a->in == 1)) /* exactly, wherever it is computed */
			continue;
		if (rule->coord == COORD_TF_CROP_AND_RESIZE &&
		    (fabs(x) < CLOSE || fabs(x - (double)(a->in - 1)) < CLOSE))
			return 1;
		if (rule->mode == RESIZE_NEAREST && fabs(y - round(y)) < CLOSE)
			return 1;
	}
	return 0;
}

#define EDGE 1e-6 /* a place may be off by, relative to its number */

/* Weight of a tap at distance d, its derivative, and the root of the sum of the squares of its terms.
 *
 *     linear  1 - |d|
 *     cubic   (a+2)|d|^3 - (a+3)|d|^2 + 1        |d| <= 1
 *             a|d|^3 - 5a|d|^2 + 8a|d| - 4a      1 < |d| < 2 */
static double kernel(const struct resize_rule *rule, double d, double *slope, double *terms)
{
	double a = rule->cubic_a, r = fabs(d), sign = d < 0 ? -1 : 1;

	*slope = *terms = 0;
	if (rule->mode == RESIZE_LINEAR) {
		*slope = r < 1 ? -sign : 0;
		return r < 1 ? 1 - r : 0;
	}
	if (r <= 1) {
		*slope = sign * (3 * (a + 2) * r - 2 * (a + 3)) * r;
		*terms = hypot(hypot((a + 2) * r, a + 3) * r * r, 1);
		return ((a + 2) * r - (a + 3)) * r * r + 1;
	}
	if (r >= 2)
		return 0;
	*slope = sign * ((3 * a * r - 10 * a) * r + 8 * a);
	*terms = fabs(a) * hypot(hypot(hypot(r, 5) * r, 8) * r, 4);
	return ((a * r - 5 * a) * r + 8 * a) * r - 4 * a;
}

static int64_t clamp(double x, int64_t size)
{
	return x < 0 ? 0 : x > (double)(size - 1) ? size - 1 : (int64_t)x;
}

/* The taps of output o at coordinate x: all elements within `reach`, those outside moved to the border or left out.
 * `stretch` <= 1 widens the kernel (antialiasing); the weights are then made to sum to one.
 *
 * Many libraries move the place to the border before they weigh, and not the elements after it.  For a linear kernel
 * that is the same number, but its neighbours are then those of the border: rounding (or a limit of 1e-6 before the
 * border, which OpenCV has) gives them a weight. */
static void fill_taps(const struct resize_rule *rule, struct taps *t, int64_t o, double x, double reach, double stretch)
{
	double edge = EDGE * (1 + fabs(x)), held = fmin(fmax(x, 0), (double)(t->in - 1)), sum = 0;
	double low = t->sparse ? ceil(fmin(x, held) - reach - edge) : floor(x - reach) + 1;
	double high = t->sparse ? floor(fmax(x, held) + reach + edge) : ceil(x + reach) - 1;
	double *w = t->w + (size_t)o * t->most, *slope = t->slope + (size_t)o * t->most;
	double *terms = t->terms + (size_t)o * t->most;
	int64_t first = clamp(low, t->in);

	t->first[o] = first;
	t->count[o] = clamp(high, t->in) - first + 1;
	for (double i = low; i <= high; i++) {
		int64_t at = clamp(i, t->in) - first;
		double d, size, v = kernel(rule, (i - x) * stretch, &d, &size);

		if (rule->exclude_outside && (i < 0 || i > (double)(t->in - 1)))
			continue;
		w[at] += v;
		slope[at] += d * stretch * 2 * (1 + fabs(x));
		terms[at] += t->sparse && fabs(fabs(i - held) - reach) <= edge ? stretch * 2 * (1 + fabs(x)) : size;
		sum += v;
	}
	if ((stretch == 1 && !rule->exclude_outside) || sum == 0)
		return;
	for (int64_t j = 0; j < t->count[o]; j++) {
		w[j] /= sum;
		slope[j] /= sum;
		terms[j] /= fabs(sum);
	}
}

static int is_identity(const struct taps *t)
{
	if (t->in != t->out)
		return 0;
	for (int64_t o = 0; o < t->out; o++) {
		if (t->outside[o])
			return 0;
		for (int64_t j = 0; j < t->count[o]; j++)
			if (t->w[(size_t)o * t->most + (size_t)j] != (t->first[o] + j == o))
				return 0;
	}
	return 1;
}

int taps_build(struct call *c, const struct resize_rule *rule, const struct resize_axis *a, struct taps *t)
{
	double support = rule->mode == RESIZE_CUBIC ? 2 : 1, stretch = 1, reach;
	size_t out = (size_t)a->out;

	if (rule->antialias && rule->mode != RESIZE_NEAREST && a->scale < 1)
		stretch = a->scale;
	reach = support / stretch;
	if (!(reach <= 8 * (double)a->in + 64))
		return call_bad(c, "scale %g is too small for an axis of %lld", a->scale, (long long)a->in);
	*t = (struct taps){.in = a->in, .out = a->out, .most = (size_t)(2 * reach) + 2};
	if (t->most > (size_t)a->in)
		t->most = (size_t)a->in;
	t->sparse = rule->mode == RESIZE_LINEAR;
	t->first = call_scratch(c, out, sizeof *t->first);
	t->count = call_scratch(c, out, sizeof *t->count);
	t->outside = call_scratch(c, out, sizeof *t->outside);
	t->w = call_scratch(c, out * t->most, sizeof *t->w);
	t->slope = call_scratch(c, out * t->most, sizeof *t->slope);
	t->terms = call_scratch(c, out * t->most, sizeof *t->terms);
	if (!t->first || !t->count || !t->outside || !t->w || !t->slope || !t->terms)
		return ERR_MEMORY;
	for (int64_t o = 0; o < a->out; o++) {
		double x = coordinate(rule, a, o);

		if (!isfinite(x))
			return call_bad(c, "element %lld of the output has no place in the input", (long long)o);
		t->outside[o] =
			rule->coord == COORD_TF_CROP_AND_RESIZE && (snap(x) < 0 || snap(x) > (double)(a->in - 1));
		/* so far outside only the border is seen, and small numbers keep the taps few */
		x = fmin(fmax(x, -reach - 1), (double)a->in + reach);
		if (rule->mode != RESIZE_NEAREST) {
			fill_taps(rule, t, o, x, reach, stretch);
			continue;
		}
		t->first[o] = clamp(nearest(rule->nearest, snap(x)), a->in);
		t->count[o] = 1;
		t->w[(size_t)o * t->most] = 1;
	}
	t->identity = is_identity(t);
	return 0;
}

void taps_apply(const struct taps *t, const double *w, size_t outer, size_t inner, const double *x, double *y)
{
	for (size_t i = 0; i < outer; i++) {
		for (size_t o = 0; o < (size_t)t->out; o++) {
			double *to = y + (i * (size_t)t->out + o) * inner;

			memset(to, 0, inner * sizeof *to);
			for (size_t j = 0; j < (size_t)t->count[o]; j++) {
				const double *from = x + (i * (size_t)t->in + (size_t)t->first[o] + j) * inner;
				double weight = w[o * t->most + j];

				for (size_t k = 0; k < inner && !(t->sparse && weight == 0); k++)
					to[k] += weight * from[k];
			}
		}
	}
}

void taps_apply_transposed(const struct taps *t, size_t outer, size_t inner, const double *gy, double *gx)
{
	memset(gx, 0, outer * (size_t)t->in * inner * sizeof *gx);
	for (size_t i = 0; i < outer; i++) {
		for (size_t o = 0; o < (size_t)t->out; o++) {
			const double *from = gy + (i * (size_t)t->out + o) * inner;

			for (size_t j = 0; j < (size_t)t->count[o]; j++) {
				double *to = gx + (i * (size_t)t->in + (size_t)t->first[o] + j) * inner;
				double weight = t->w[o * t->most + j];

				for (size_t k = 0; k < inner && !(t->sparse && weight == 0); k++)
					to[k] += weight * from[k];
			}
		}
	}
}

void taps_move(const struct taps *t, size_t outer, size_t inner, const void *x, void *y)
{
	const char *from = x;
	char *to = y;
	size_t row = inner * sizeof(double);

	for (size_t i = 0; i < outer; i++)
		for (size_t o = 0; o < (size_t)t->out; o++, to += row)
			memcpy(to, from + (i * (size_t)t->in + (size_t)t->first[o]) * row, row);
}
