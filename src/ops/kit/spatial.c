/* spatial.c - sliding windows: attributes, padding, output sizes. */
#include "ops/kit/spatial.h"

#include <string.h>

#include "ops/call.h"

/* Reads a list of exactly `want` integers in [least, INT32_MAX].  Absent, every item is the default, or `least` in an
 * operator that has no such attribute. */
static int read_list(struct call *c, const char *name, int want, int64_t least, int64_t *out)
{
	const struct op_attr *row = attr_default(c->node, name);
	size_t count;
	const int64_t *list = node_ints(c->node, name, &count);

	if (count && count != (size_t)want)
		return call_bad(c, "attribute '%s' has %zu numbers, wanted %d", name, count, want);
	for (int i = 0; i < want; i++) {
		out[i] = count ? list[i] : row ? (int64_t)row->number : least;
		if (out[i] < least || out[i] > INT32_MAX)
			return call_bad(c, "attribute '%s' has %lld at position %d, wanted %lld to 2^31 - 1", name,
					(long long)out[i], i, (long long)least);
	}
	return 0;
}

static int read_kernel(struct call *c, struct spatial *s, const int64_t *kernel)
{
	int64_t attr[SPATIAL_MAX];
	size_t count;
	int rc;

	node_ints(c->node, "kernel_shape", &count);
	if (!count && !kernel && s->n)
		return call_bad(c, "attribute 'kernel_shape' is missing");
	rc = read_list(c, "kernel_shape", s->n, 1, attr);
	if (rc)
		return rc;
	for (int i = 0; i < s->n; i++) {
		int64_t k = kernel ? kernel[i] : DIM_UNKNOWN;

		if (k > INT32_MAX || k == 0)
			return call_bad(c, "kernel has size %lld along spatial axis %d", (long long)k, i);
		if (k > 0 && count && attr[i] != k)
			return call_bad(
				c, "attribute 'kernel_shape' has %lld along spatial axis %d, the weights have %lld",
				(long long)attr[i], i, (long long)k);
		s->kernel[i] = k > 0 ? k : count ? attr[i] : DIM_UNKNOWN;
	}
	return 0;
}

static int read_pads(struct call *c, struct spatial *s)
{
	/* Col2Im, DeformConv and MaxUnpool do without */
	const char *mode = attr_default(c->node, "auto_pad") ? attr_string(c->node, "auto_pad") : "NOTSET";
	int64_t pads[2 * SPATIAL_MAX] = {0};
	int rc = 0;

	s->same = 0;
	s->automatic = 1;
	if (!strcmp(mode, "SAME_UPPER"))
		s->same = 1;
	else if (!strcmp(mode, "SAME_LOWER"))
		s->same = -1;
	else if (!strcmp(mode, "NOTSET"))
		s->automatic = 0;
	else if (strcmp(mode, "VALID"))
		return call_bad(c, "attribute 'auto_pad' is '%s'", mode);
	if (!s->automatic)
		rc = read_list(c, "pads", 2 * s->n, 0, pads);
	if (rc)
		return rc;
	memcpy(s->pad_begin, pads, (size_t)s->n * sizeof *pads);
	memcpy(s->pad_end, pads + s->n, (size_t)s->n * sizeof *pads);
	return 0;
}

int spatial_attrs(struct call *c, struct spatial *s, int n, const int64_t *kernel)
{
	int rc;

	memset(s, 0, sizeof *s);
	if (n < 0 || n > SPATIAL_MAX)
		return call_unsupported(c, "%d spatial axes, at most %d are supported", n, SPATIAL_MAX);
	s->n = n;
	rc = read_kernel(c, s, kernel);
	if (!rc)
		rc = read_list(c, "strides", n, 1, s->stride);
	if (!rc)
		rc = read_list(c, "dilations", n, 1, s->dilation);
	if (!rc)
		rc = read_pads(c, s);
	return rc;
}

/* floor(a / b) and ceil(a / b) for b > 0 and any sign of a. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

/* SAME: ceil(in / stride) windows; the padding they need is shared between both ends, an odd one goes to the end
 * (SAME_UPPER) or to the beginning (SAME_LOWER). */
static void size_same(struct spatial *s, int i)
{
	int64_t in = s->in[i], reach = s->dilation[i] * (s->kernel[i] - 1) + 1, total;

	s->pad_begin[i] = s->pad_end[i] = DIM_UNKNOWN;
	s->out[i] = in >= 0 ? ceil_div(in, s->stride[i]) : s->stride[i] == 1 ? in : DIM_UNKNOWN;
	if (s->kernel[i] < 0 || (in < 0 && s->stride[i] != 1))
		return;
	/* with stride 1 the padding does not depend on the size */
	total = s->stride[i] == 1 ? reach - 1 : (s->out[i] - 1) * s->stride[i] + reach - in;
	if (total < 0 || in == 0)
		total = 0;
	s->pad_begin[i] = s->same > 0 ? total / 2 : total - total / 2;
	s->pad_end[i] = total - s->pad_begin[i];
}

/* Explicit padding: floor or ceil of (in + pads - reach) / stride, plus one. */
static int size_explicit(struct call *c, struct spatial *s, int i, int ceil_mode)
{
	int64_t pads = s->pad_begin[i] + s->pad_end[i], reach = s->dilation[i] * (s->kernel[i] - 1) + 1, room;

	s->out[i] = DIM_UNKNOWN;
	if (s->kernel[i] < 0)
		return 0;
	if (s->in[i] < 0) {
		if (s->stride[i] == 1 && pads == reach - 1)
			s->out[i] = s->in[i]; /* the size stays, whatever it is */
		return 0;
	}
	room = s->in[i] + pads - reach;
	s->out[i] = (ceil_mode ? ceil_div(room, s->stride[i]) : floor_div(room, s->stride[i])) + 1;
	if (ceil_mode && s->out[i] > 0 && (s->out[i] - 1) * s->stride[i] >= s->in[i] + s->pad_begin[i])
		s->out[i]--;
	if (s->out[i] < 0)
		return call_bad(c, "window of %lld does not fit into %lld elements along spatial axis %d",
				(long long)reach, (long long)(s->in[i] + pads), i);
	return 0;
}

int spatial_init(struct call *c, struct spatial *s, int n, const int64_t *in, const int64_t *kernel, int ceil_mode)
{
	int rc = spatial_attrs(c, s, n, kernel);

	for (int i = 0; !rc && i < n; i++) {
		s->in[i] = in[i];
		if (in[i] > INT64_MAX / 4)
			return call_bad(c, "input has size %lld along spatial axis %d", (long long)in[i], i);
		if (s->same)
			size_same(s, i);
		else
			rc = size_explicit(c, s, i, ceil_mode && !s->automatic);
	}
	return rc;
}

void spatial_clip(const struct spatial *s, int axis, int64_t o, int64_t *first, int64_t *end)
{
	int64_t start = o * s->stride[axis] - s->pad_begin[axis], d = s->dilation[axis];

	*first = start < 0 ? ceil_div(-start, d) : 0;
	*end = start < s->in[axis] ? ceil_div(s->in[axis] - start, d) : 0;
	if (*end > s->kernel[axis])
		*end = s->kernel[axis];
	if (*end < *first)
		*end = *first;
}
