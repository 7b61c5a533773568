/* stats.c - see stats.h. */
#include "tensor/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Mean and variance in one pass (Welford): sums of large values would overflow, sums of squares would cancel. */
static void add_finite(struct tensor_stats *s, double x, size_t i, size_t finite, double *squares)
{
	double delta = x - s->mean;

	if (finite == 1) {
		s->min = s->max = s->mean = x;
		s->arg_max = i;
		return;
	}
	s->mean += delta / (double)finite;
	*squares += delta * (x - s->mean);
	if (x < s->min)
		s->min = x;
	if (x > s->max) {
		s->max = x;
		s->arg_max = i;
	}
}

void tensor_stats(const struct tensor *t, struct tensor_stats *out)
{
	struct tensor_stats s = {.count = t->count, .min = NAN, .max = NAN, .mean = NAN, .std = NAN};
	size_t finite = 0;
	double squares = 0;

	for (size_t i = 0; i < t->count && t->dtype != DT_STRING; i++) {
		double x = tensor_get(t, i);

		s.zero += x == 0;
		if (isnan(x))
			s.nan++;
		else if (isinf(x) && x > 0)
			s.pos_inf++;
		else if (isinf(x))
			s.neg_inf++;
		else
			add_finite(&s, x, i, ++finite, &squares);
	}
	if (finite)
		s.std = sqrt(squares / (double)finite);
	*out = s;
}

/* ---- preview ----------------------------------------------------------------------------------------------------- */

struct stats_text {
	char *p;
	size_t n, size;
	int full;     /* something did not fit; nothing more is added */
	int same;     /* all elements that were shown are the first one */
	size_t shown; /* elements */
};

/* All of s or nothing, so that no UTF-8 sequence is cut. */
static void put(struct stats_text *out, const char *s)
{
	size_t n = strlen(s);

	if (out->full || n >= out->size - out->n) {
		out->full = 1;
		return;
	}
	memcpy(out->p + out->n, s, n + 1);
	out->n += n;
}

static void put_string(struct stats_text *out, const struct bytes *s)
{
	put(out, "\"");
	for (size_t i = 0; i < s->n && !out->full; i++) {
		unsigned char c = (unsigned char)s->p[i];
		char one[8];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			snprintf(one, sizeof one, "\\x%02x", c);
		else
			snprintf(one, sizeof one, "%c", c);
		put(out, one);
	}
	put(out, "\"");
}

static void put_element(struct stats_text *out, const struct tensor *t, size_t i)
{
	char text[96];
	double f[2];
	int64_t n;

	switch (dtype_wide(t->dtype)) {
	case WIDE_STR:
		put_string(out, &t->s[i]);
		return;
	case WIDE_C64:
		if (t->wide)
			memcpy(f, t->f + 2 * i, sizeof f);
		else
			dtype_unpack(t->dtype, t->data, i, 1, f);
		snprintf(text, sizeof text, "%.6g%+.6gi", f[0], f[1]);
		break;
	case WIDE_I64:
		if (t->wide)
			n = t->i[i];
		else
			dtype_unpack(t->dtype, t->data, i, 1, &n);
		if (t->dtype == DT_UINT64)
			snprintf(text, sizeof text, "%llu", (unsigned long long)n);
		else
			snprintf(text, sizeof text, "%lld", (long long)n);
		break;
	default: /* a NaN's sign says nothing */
		snprintf(text, sizeof text, "%.6g", isnan(tensor_get(t, i)) ? (double)NAN : tensor_get(t, i));
	}
	put(out, text);
}

/* From element 0. */
static int differs(const struct tensor *t, size_t i)
{
	double a = dtype_wide(t->dtype) == WIDE_STR ? 0 : tensor_get(t, 0);
	double b = dtype_wide(t->dtype) == WIDE_STR ? 0 : tensor_get(t, i);

	return isnan(a) ? !isnan(b) : !(a == b);
}

size_t tensor_odd(const struct tensor *t, size_t *count)
{
	double far = 0, first;
	size_t at = 0;

	*count = 0;
	if (!t->count) /* there is no first one */
		return 0;
	first = dtype_wide(t->dtype) == WIDE_STR ? 0 : tensor_get(t, 0);
	for (size_t i = 1; i < t->count; i++) {
		double distance = differs(t, i) ? fabs(tensor_get(t, i) - first) : 0;

		if (!distance)
			continue;
		++*count;
		if (!at || distance > far || (isnan(distance) && !isnan(far))) {
			at = i;
			far = distance;
		}
	}
	return at;
}

/* "[0 … 0]" hides the one element that is not 0. */
static void put_odd(struct stats_text *out, const struct tensor *t)
{
	char text[64];
	size_t count, at = tensor_odd(t, &count);

	if (!count)
		return;
	if (count > 1)
		snprintf(text, sizeof text, "; %zu others, element %zu is ", count, at);
	else
		snprintf(text, sizeof text, "; element %zu is ", at);
	put(out, text);
	put_element(out, t, at);
}

/* The block of axes axis … rank-1 that starts at element `at` and has `count` elements. */
static void put_block(struct stats_text *out, const struct tensor *t, int axis, size_t at, size_t count, size_t edge)
{
	size_t n, step;

	if (axis == t->rank) {
		out->same = out->same && !differs(t, at);
		out->shown++;
		put_element(out, t, at);
		return;
	}
	n = (size_t)t->dims[axis];
	step = n ? count / n : 0;
	put(out, "[");
	for (size_t i = 0; i < n && !out->full; i++) {
		if (i)
			put(out, " ");
		if (n > 2 * edge && i == edge) {
			put(out, "…");
			i = n - edge - 1;
			continue;
		}
		put_block(out, t, axis + 1, at + i * step, step, edge);
	}
	put(out, "]");
}

void tensor_preview(const struct tensor *t, int edge, char *out, size_t size)
{
	struct stats_text text = {out, 0, size, 0, 1, 0};

	if (!size)
		return;
	out[0] = '\0';
	if (t->count)
		put_block(&text, t, 0, 0, t->count, edge > 0 ? (size_t)edge : 1);
	else
		put(&text, "[]");
	if (text.shown < t->count && text.same)
		put_odd(&text, t);
}

/* ---- random contents --------------------------------------------------------------------------------------------- */

static void shuffle(struct tensor *t, struct rng *r)
{
	for (size_t i = t->count; i > 1; i--) {
		size_t k = (size_t)rng_below(r, i);
		int64_t keep = t->i[i - 1]; /* doubles move as well as integers do */

		t->i[i - 1] = t->i[k];
		t->i[k] = keep;
	}
}

/* Element i comes from the i-th of n equal parts of [lo, hi), then all are shuffled: each element is uniform, and they
 * differ as far as the type can tell them apart. */
static int fill_floats(struct tensor *t, struct rng *r, double from, double to, struct err *e)
{
	double lo = fmax(from, dtype_lowest(t->dtype));
	double hi = fmin(to, dtype_max(t->dtype));

	if (lo > hi)
		return err_set(e, ERR_INPUT, "no %s lies in [%g, %g)", dtype_name(t->dtype), from, to);
	for (size_t i = 0; i < t->count; i++) {
		double u = ((double)i + rng_unit(r)) / (double)t->count;
		double x = dtype_round(t->dtype, lo * (1 - u) + hi * u, 1);

		if (x >= hi || x < lo) /* rounded out of the range */
			x = dtype_round(t->dtype, lo / 2 + hi / 2, 1);
		t->f[i] = x;
	}
	shuffle(t, r);
	return 0;
}

static void fill_complex(struct tensor *t, struct rng *r, double lo, double hi)
{
	for (size_t i = 0; i < 2 * t->count; i++) {
		double u = rng_unit(r);

		t->f[i] = lo * (1 - u) + hi * u; /* hi - lo may overflow */
	}
	tensor_round(t);
}

/* As for floats: n parts of `step` integers each, the last one wider by what does not divide.  With fewer integers in
 * the range than elements (step 0) they repeat. */
static int fill_ints(struct tensor *t, struct rng *r, double from, double to, struct err *e)
{
	double least = fmax(ceil(from), fmax(dtype_lowest(t->dtype), -0x1p63));
	double most = fmin(floor(to), dtype_max(t->dtype));
	int64_t lo, hi;
	uint64_t span, step = 0;

	if (!(least <= most) || least >= 0x1p63)
		return err_set(e, ERR_INPUT, "no %s lies in [%g, %g]", dtype_name(t->dtype), from, to);
	lo = (int64_t)least;
	hi = most >= 0x1p63 ? INT64_MAX : (int64_t)most;
	span = (uint64_t)hi - (uint64_t)lo;
	if (t->count)
		step = span / t->count + (span % t->count == t->count - 1);
	for (size_t i = 0; i < t->count; i++) {
		int64_t first = (int64_t)((uint64_t)lo + i * step);

		if (!step)
			t->i[i] = rng_between(r, lo, hi);
		else
			t->i[i] = rng_between(r, first, i + 1 < t->count ? (int64_t)((uint64_t)first + step - 1) : hi);
	}
	shuffle(t, r);
	return 0;
}

static int fill_strings(struct tensor *t, struct rng *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++) {
		char text[32];

		snprintf(text, sizeof text, "s%zu", i);
		rc = tensor_set_string(t, i, text, strlen(text), e);
	}
	for (size_t i = t->count; !rc && i > 1; i--) {
		size_t k = (size_t)rng_below(r, i);
		struct bytes keep = t->s[i - 1];

		t->s[i - 1] = t->s[k];
		t->s[k] = keep;
	}
	return rc;
}

int tensor_fill_random(struct tensor *t, struct rng *r, double lo, double hi, struct err *e)
{
	BUG_ON(!t->wide);
	if (!isfinite(lo) || !isfinite(hi) || lo > hi)
		return err_set(e, ERR_INPUT, "[%g, %g) is not a range", lo, hi);
	switch (dtype_wide(t->dtype)) {
	case WIDE_F64:
		return fill_floats(t, r, lo, hi, e);
	case WIDE_C64:
		fill_complex(t, r, lo, hi);
		return 0;
	case WIDE_STR:
		return fill_strings(t, r, e);
	default:
		break;
	}
	if (t->dtype != DT_BOOL)
		return fill_ints(t, r, lo, hi, e);
	for (size_t i = 0; i < t->count; i++)
		t->i[i] = (int64_t)(rng_u64(r) >> 63);
	return 0;
}
