/* domain.c - what a smaller case must not come to mean (declared in reduction.h).
 *
 * Numbers that were chosen with care become 0 and 1 while a case is reduced, nodes that kept values in range go.  What
 * is left may be valid and still say nothing: a scale of 0, a cast of what does not fit, a window in the padding alone,
 * a place that is as far from one pixel as from the next.  ONNX leaves open what becomes of it, so that no library is
 * wrong there.  A rule that the case kept at first must be kept to the end; one that it broke from the start, because
 * its author wanted it so, does not count. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/attr.h"
#include "ops/kit/spatial.h"
#include "triage/reduction.h"

#define MAX_PORTS 8 /* inputs that rules look at */
#define NEAR 1e-3   /* of a pixel: where the nearest of two is a matter of rounding */

struct rule {
	const char *op;
	/* x: values of the node's first inputs, NULL where they are not known. */
	int (*broken)(const struct node *n, const struct tensor *const *x, int port, const char *attr);
	int port;
	const char *attr;
};

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static int not_positive(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)n;
	(void)attr;
	for (size_t i = 0; x[port] && i < x[port]->count; i++)
		if (!(tensor_get(x[port], i) > 0))
			return 1;
	return 0;
}

static int has_zero(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)n;
	(void)attr;
	for (size_t i = 0; x[port] && i < x[port]->count; i++)
		if (tensor_get(x[port], i) == 0)
			return 1;
	return 0;
}

static int attr_not_positive(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)x;
	(void)port;
	return node_has(n, attr) && !(attr_float(n, attr) > 0);
}

static int attr_is_zero(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)x;
	(void)port;
	return node_has(n, attr) && attr_float(n, attr) == 0;
}

/* Bounds of Clip, the lower above the upper. */
static int crossed(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)n;
	(void)port;
	(void)attr;
	return x[1] && x[2] && x[1]->count == 1 && x[2]->count == 1 && tensor_get(x[1], 0) > tensor_get(x[2], 0);
}

static int does_not_fit(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	enum dtype to = (enum dtype)node_int(n, "to", DT_UNDEFINED); /* Cast-1 says it with a word */
	double high, low;

	(void)attr;
	if (!x[port] || !dtype_is_int(to) || dtype_wide(x[port]->dtype) == WIDE_STR)
		return 0;
	high = dtype_max(to);
	low = dtype_is_unsigned(to) ? 0 : -high - 1;
	for (size_t i = 0; i < x[port]->count; i++) {
		double v = trunc(tensor_get(x[port], i));

		if (!(v >= low && v <= high))
			return 1;
	}
	return 0;
}

/* Nothing at all, split at a delimiter; without one, which an empty one is too, the parts are those between blanks. */
static int empty_string(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	for (size_t i = 0; x[port] && i < x[port]->count && *node_string(n, attr, ""); i++)
		if (!x[port]->s[i].n)
			return 1;
	return 0;
}

/* ---- places in pictures ------------------------------------------------------------------------------------------ */

/* Sizes of which one is the other times a power of two: all places are exact in any library. */
static int in_proportion(int64_t a, int64_t b)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;

	return low > 0 && high % low == 0 && !((high / low) & (high / low - 1));
}

/* A region given as shares of the axes: begins, then ends.  At 1 rounding decides what lies outside. */
static int region_at_border(const struct tensor *roi)
{
	for (size_t i = 0; roi && i < roi->count / 2; i++) {
		double begin = tensor_get(roi, i), end = tensor_get(roi, roi->count / 2 + i);

		if (!(begin == 0 && end == 1) && !(begin >= 0 && begin < end && end < 1))
			return 1;
	}
	return 0;
}

static int between_places(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	const struct type *in = &n->in[0]->type, *out = &n->out[0]->type;

	(void)port;
	(void)attr;
	if (!strcmp(attr_string(n, "coordinate_transformation_mode"), "tf_crop_and_resize"))
		return region_at_border(x[1]);
	if (!type_is_static(in) || !type_is_static(out) || in->rank != out->rank)
		return 0;
	for (int i = 0; i < in->rank; i++) {
		double scale = x[2] && x[2]->count == (size_t)in->rank ? tensor_get(x[2], (size_t)i) : 0;

		if (!in_proportion(in->dims[i], out->dims[i]) ||
		    (scale > 0 && scale * (double)in->dims[i] != (double)out->dims[i]))
			return 1;
	}
	return 0;
}

/* The grid's last axis counts from the picture's last one. */
static int between_places_of_grid(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	const struct tensor *picture = x[0], *grid = x[port];
	int axes = picture ? picture->rank - 2 : 0, corners = attr_int(n, "align_corners") != 0;

	(void)attr;
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

/* Rows of x1, y1, x2, y2. */
static int empty_region(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	(void)n;
	(void)attr;
	for (size_t i = 0; x[port] && i + 3 < x[port]->count; i += 4)
		for (size_t k = i; k < i + 2; k++)
			if (!(tensor_get(x[port], k) >= 0 && tensor_get(x[port], k) < tensor_get(x[port], k + 2)))
				return 1;
	return 0;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* The windows of a pool, or of a convolution with weights of known sizes; 0 when they cannot be told. */
static int read_windows(const struct node *n, int ceil_mode, struct spatial *s)
{
	const struct type *in = &n->in[0]->type, *w = n->n_in > 1 && n->in[1] ? &n->in[1]->type : NULL;
	struct err ignored = ERR_INIT;
	struct call c = {.node = n, .op = n->op, .version = n->version, .err = &ignored};
	int axes = in->rank - 2;

	return axes > 0 && axes <= SPATIAL_MAX && type_is_static(in) &&
	       (!w || (type_is_static(w) && w->rank == in->rank)) &&
	       !spatial_init(&c, s, axes, in->dims + 2, w ? w->dims + 2 : NULL, ceil_mode);
}

static int64_t extent(const struct spatial *s, int axis)
{
	return s->dilation[axis] * (s->kernel[axis] - 1) + 1;
}

/* SAME where windows jump over positions: its paddings would be less than none. */
static int jumps(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	struct spatial s;

	(void)x;
	(void)port;
	(void)attr;
	if (!read_windows(n, 0, &s) || !s.same)
		return 0;
	for (int i = 0; i < s.n; i++)
		if ((s.out[i] - 1) * s.stride[i] + extent(&s, i) < s.in[i])
			return 1;
	return 0;
}

/* A window that begins in the padding at the end, or has nothing in it but padding. */
static int is_outside(const struct spatial *s, int i, int ceil_mode)
{
	int64_t room = s->in[i] + s->pad_begin[i] + s->pad_end[i] - extent(s, i), first, end;
	int64_t last = room > 0 ? (room + s->stride[i] - 1) / s->stride[i] * s->stride[i] : 0;

	if (ceil_mode && last >= s->in[i] + s->pad_begin[i])
		return 1;
	for (int64_t o = 0; o < s->out[i]; o++) {
		spatial_clip(s, i, o, &first, &end);
		if (first >= end)
			return 1;
	}
	return 0;
}

static int window_outside(const struct node *n, const struct tensor *const *x, int port, const char *attr)
{
	int ceil_mode = attr_int(n, "ceil_mode") != 0;
	struct spatial s;

	(void)x;
	(void)port;
	(void)attr;
	if (!read_windows(n, ceil_mode, &s))
		return 0;
	for (int i = 0; i < s.n; i++)
		if (is_outside(&s, i, ceil_mode))
			return 1;
	return 0;
}

static const struct rule rules[] = {
#define RULE(op, broken, port, attr) {op, broken, port, attr},
#include "triage/domain.def"
#undef RULE
};

#define N_RULES (sizeof rules / sizeof *rules)
#define NOT_FINITE (UINT64_C(1) << 63)
#define EMPTY (UINT64_C(1) << 62) /* a tensor without elements */

/* ---- a case ------------------------------------------------------------------------------------------------------ */

struct watch {
	const struct graph *g;
	char *wanted;          /* by wire id */
	struct value **values; /* by wire id: of those that are wanted */
	uint64_t broken;
};

static int has_rule(const struct node *n)
{
	for (size_t i = 0; i < N_RULES; i++)
		if (!strcmp(rules[i].op, n->op_type) && !*n->domain)
			return 1;
	return 0;
}

static int all_finite(const struct value *v)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR && dtype_is_float(v->tensor->dtype) ? v->tensor : NULL;

	for (size_t i = 0; t && i < t->count; i++)
		if (!isfinite(tensor_get(t, i)))
			return 0;
	return 1;
}

static int see(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
	       void *arg)
{
	struct watch *x = arg;

	(void)n;
	(void)out;
	(void)noise;
	if (!all_finite(v))
		x->broken |= NOT_FINITE;
	if (v->kind == VALUE_TENSOR && !v->tensor->count)
		x->broken |= EMPTY;
	if (x->wanted[w->id] && !x->values[w->id])
		x->values[w->id] = value_ref((struct value *)v);
	return 0;
}

static void ask_rules(struct watch *x, const struct node *n)
{
	const struct tensor *in[MAX_PORTS] = {NULL};

	for (int i = 0; i < n->n_in && i < MAX_PORTS; i++) {
		const struct wire *w = n->in[i];
		const struct value *v = w && w->graph == x->g ? x->values[w->id] : NULL;

		in[i] = v && v->kind == VALUE_TENSOR ? v->tensor : w ? w->init : NULL;
	}
	for (size_t i = 0; i < N_RULES; i++)
		if (!strcmp(rules[i].op, n->op_type) && rules[i].broken(n, in, rules[i].port, rules[i].attr))
			x->broken |= UINT64_C(1) << i;
}

/* The inputs of nodes that rules are about. */
static void want(struct watch *x, const struct trial *t)
{
	for (size_t i = 0; i < x->g->nodes.n; i++) {
		const struct node *n = x->g->nodes.at[i];

		for (int k = 0; k < n->n_in && has_rule(n); k++)
			if (n->in[k] && n->in[k]->graph == x->g)
				x->wanted[n->in[k]->id] = 1;
	}
	for (size_t i = 0; i < x->g->inputs.n; i++) {
		if (!all_finite(t->inputs[i]))
			x->broken |= NOT_FINITE;
		if (t->inputs[i])
			x->values[x->g->inputs.at[i]->id] = value_ref(t->inputs[i]);
	}
}

int domain_broken(struct trial *t, uint64_t *out, struct err *e)
{
	struct watch x = {.g = t->model->graph};
	struct ref_options o = {.mode = REF_EXACT, .seed = t->seed, .observe = see, .observe_arg = &x};
	struct ref_result result = {NULL, 0};
	size_t n = x.g->wires.n;
	int rc;

	_Static_assert(N_RULES < 62, "a bit for each rule");
	*out = 0;
	if (!t->ref)
		return 0;
	x.wanted = mem_array(n, 1);
	x.values = mem_array(n, sizeof *x.values);
	rc = x.wanted && x.values ? 0 : err_nomem(e, "values", n * sizeof *x.values);
	if (!rc) {
		want(&x, t);
		rc = ref_run(t->ref, t->inputs, x.g->inputs.n, &o, &result, e);
	}
	for (size_t i = 0; i < x.g->nodes.n && !rc; i++)
		if (has_rule(x.g->nodes.at[i]))
			ask_rules(&x, x.g->nodes.at[i]);
	for (size_t i = 0; x.values && i < n; i++)
		value_unref(x.values[i]);
	ref_result_release(&result);
	mem_free(x.wanted);
	mem_free(x.values);
	*out = x.broken;
	return rc;
}
