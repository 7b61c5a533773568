/* constant.c - operators that make tensors from attributes, shapes or a few numbers. */
#include <inttypes.h>
#include <math.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/noise/drift.h"
#include "ops/shape/samplers.h"

/* ---- Constant ---------------------------------------------------------------------------------------------------- */

static const struct op_attr constant_attrs[] = {
	OP_ATTR("value", ATTR_TENSOR),
	OP_ATTR("sparse_value", ATTR_SPARSE),
	OP_ATTR("value_int", ATTR_INT),
	OP_ATTR("value_ints", ATTR_INTS),
	OP_ATTR("value_float", ATTR_FLOAT),
	OP_ATTR("value_floats", ATTR_FLOATS),
	OP_ATTR("value_string", ATTR_STRING),
	OP_ATTR("value_strings", ATTR_STRINGS),
	{0},
};

/* The one attribute that carries the value; NULL with the error set when there is none or more than one. */
static const struct attr *constant_attr(struct call *c, int *rc)
{
	const struct attr *found = NULL;

	for (const struct op_attr *a = constant_attrs; a->name; a++) {
		const struct attr *have = node_attr(c->node, a->name);

		if (have && found) {
			*rc = call_bad(c, "both '%s' and '%s' are given", found->name, have->name);
			return NULL;
		}
		if (have)
			found = have;
	}
	if (!found)
		*rc = call_bad(c, "no value is given");
	return found;
}

static int constant_infer(struct call *c)
{
	int rc = 0;
	const struct attr *a = constant_attr(c, &rc);
	int64_t n;

	if (!a)
		return rc;
	if (a->type == ATTR_TENSOR || a->type == ATTR_SPARSE) {
		call_out(c, 0, a->t->dtype, a->t->rank, a->t->dims);
		return 0;
	}
	n = (int64_t)a->n;
	if (a->type == ATTR_INT || a->type == ATTR_INTS)
		call_out(c, 0, DT_INT64, a->type == ATTR_INTS, &n);
	else if (a->type == ATTR_FLOAT || a->type == ATTR_FLOATS)
		call_out(c, 0, DT_FLOAT, a->type == ATTR_FLOATS, &n);
	else
		call_out(c, 0, DT_STRING, a->type == ATTR_STRINGS, &n);
	return 0;
}

/* Numbers and strings that are given as plain attributes. */
static int constant_fill(struct call *c, struct tensor *t, const struct attr *a)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++) {
		const struct bytes *s = a->type == ATTR_STRINGS ? &a->strings[i] : &a->s;

		if (t->dtype == DT_INT64)
			t->i[i] = a->type == ATTR_INTS ? a->ints[i] : a->i;
		else if (t->dtype == DT_FLOAT)
			t->f[i] = a->type == ATTR_FLOATS ? a->floats[i] : a->f;
		else
			rc = tensor_set_string(t, i, s->p, s->n, c->err);
	}
	return rc;
}

static int constant_eval(struct call *c)
{
	int rc = 0;
	const struct attr *a = constant_attr(c, &rc);
	struct tensor *t;

	if (!a)
		return rc;
	if (a->type == ATTR_TENSOR || a->type == ATTR_SPARSE) {
		c->out[0] = tensor_widen(a->t, c->err);
		return c->out[0] ? 0 : c->err->code;
	}
	t = call_alloc(c, 0, c->out_type[0].dtype, c->out_type[0].rank, c->out_type[0].dims);
	return t ? constant_fill(c, t, a) : c->err->code;
}

const struct op op_constant = {
	.undrawn = "nothing leads into it",
	.out = {{"output", T_ANY, 0, 0}},
	.attrs = constant_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = constant_infer,
	.eval = constant_eval,
};

/* ---- ConstantOfShape --------------------------------------------------------------------------------------------- */

static int constant_of_shape_infer(struct call *c)
{
	const struct attr *value = node_attr(c->node, "value");
	enum dtype t = value ? value->t->dtype : DT_FLOAT;
	const int64_t *dims;
	size_t n;
	enum ints_found found;
	int64_t rank;
	int rc;

	if (value && value->t->count != 1)
		return call_bad(c, "'value' has %zu elements, wanted 1", value->t->count);
	if ((rc = call_ints(c, NULL, 0, &dims, &n, &found)))
		return rc;
	rank = found == INTS_GIVEN ? (int64_t)n : dims_list_length(c, 0);
	if (rank >= 0 && (rc = dims_check_rank(c, rank)))
		return rc;
	if (found != INTS_GIVEN) {
		call_out_rank(c, 0, t, (int)rank);
		return 0;
	}
	for (size_t a = 0; a < n; a++)
		if (dims[a] < 0)
			return call_bad(c, "shape has a dimension of %" PRId64, dims[a]);
	call_out(c, 0, t, (int)n, dims);
	return 0;
}

static int constant_of_shape_move(struct mover *m)
{
	const struct attr *value = node_attr(m->c->node, "value");
	struct tensor *wide = NULL;
	int rc;

	if (value && !(wide = tensor_widen(value->t, m->c->err)))
		return m->c->err->code;
	m->fill = wide;
	rc = move_run(m, 0, 0, MOVE_FILL, 0, m->c->out[0]->count);
	tensor_unref(wide);
	return rc;
}

static int constant_of_shape_eval(struct call *c)
{
	return move_eval(c, constant_of_shape_move);
}

static const struct op_attr constant_of_shape_attrs[] = {OP_ATTR("value", ATTR_TENSOR), {0}};

const struct op op_constant_of_shape = {
	.samples = SAMPLES({.by = &sampler_constant_of_shape}),
	.in = {{"input", T_I64, 0, 0}},
	.out = {{"output", T_ANY, 0, 0}},
	.attrs = constant_of_shape_attrs,
	.infer = constant_of_shape_infer,
	.eval = constant_of_shape_eval,
};

/* ---- EyeLike ----------------------------------------------------------------------------------------------------- */

static int eye_like_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	const struct attr *wanted = node_attr(c->node, "dtype");
	enum dtype t = wanted ? dtype_from_code(wanted->i) : c->in_type[0].dtype;

	if (wanted && dtype_wide(t) != WIDE_F64 && dtype_wide(t) != WIDE_I64)
		return call_bad(c, "'dtype' is %" PRId64 ", which is not a type of numbers", wanted->i);
	if (in && in->rank != 2)
		return call_bad(c, "input has rank %d, wanted 2", in->rank);
	if (in)
		call_out(c, 0, t, 2, in->dims);
	else
		call_out_rank(c, 0, t, 2);
	return 0;
}

/* y[i][j] = 1 where j - i = k, else 0 */
static int eye_like_eval(struct call *c)
{
	struct tensor *y = c->out[0];
	int64_t rows = y->dims[0], cols = y->dims[1], k = attr_int(c->node, "k");
	int is_float = dtype_is_float(y->dtype);

	for (size_t i = 0; i < y->count; i++)
		if (is_float)
			y->f[i] = 0;
		else
			y->i[i] = 0;
	if (k >= cols || k <= -rows)
		return 0;
	for (int64_t i = 0; i < rows; i++) {
		if (i + k < 0 || i + k >= cols)
			continue;
		if (is_float)
			y->f[i * cols + i + k] = 1;
		else
			y->i[i * cols + i + k] = 1;
	}
	return 0;
}

static const struct op_attr eye_like_attrs[] = {OP_ATTR("dtype", ATTR_INT), OP_INT("k", 0), {0}};

const struct op op_eye_like = {
	.samples = SAMPLES({.by = &sampler_eye_like}),
	.in = {{"input", T_NUM | T_BOOL, 0, 0}},
	.out = {{"output", T_NUM | T_BOOL, 0, 0}},
	.attrs = eye_like_attrs,
	.infer = eye_like_infer,
	.eval = eye_like_eval,
};

/* ---- Range ------------------------------------------------------------------------------------------------------- */

/* How many elements ceil((limit - start) / delta) gives, 0 when negative; inputs are known. */
static int range_count(struct call *c, int64_t *n)
{
	const struct tensor *start = c->in[0], *limit = c->in[1], *delta = c->in[2];

	if (dtype_is_float(start->dtype)) {
		double count = ceil((limit->f[0] - start->f[0]) / delta->f[0]);

		if (delta->f[0] == 0 || !(fabs(count) < 0x1p53))
			return call_bad(c, "cannot count from %g to %g by %g", start->f[0], limit->f[0], delta->f[0]);
		*n = count > 0 ? (int64_t)count : 0;
	} else {
		__int128 span = (__int128)limit->i[0] - start->i[0], by = delta->i[0];

		if (by == 0)
			return call_bad(c, "delta is 0");
		if (by < 0) {
			span = -span;
			by = -by;
		}
		span = span > 0 ? (span - 1) / by + 1 : 0;
		if (span > INT64_MAX)
			return call_bad(c, "the range has too many elements");
		*n = (int64_t)span;
	}
	return 0;
}

static int range_infer(struct call *c)
{
	int64_t n = DIM_UNKNOWN;
	int rc;

	for (int i = 0; i < 3; i++) {
		const struct type *t = call_shape(c, i);

		if (t && (t->rank > 1 || (t->rank == 1 && dim_known(t->dims[0]) && t->dims[0] != 1)))
			return call_bad(c, "input %d is not a scalar", i);
	}
	if (c->in[0] && c->in[1] && c->in[2] && (rc = range_count(c, &n)))
		return rc;
	call_out(c, 0, c->out_type[0].dtype, 1, &n);
	return 0;
}

/* y[i] = start + i * delta.  stash_type says in what precision a float16 range may be computed; here it is double. */
static int range_eval(struct call *c)
{
	struct tensor *y = c->out[0];

	for (size_t i = 0; i < y->count; i++)
		if (dtype_is_float(y->dtype))
			y->f[i] = c->in[0]->f[0] + (double)i * c->in[2]->f[0];
		else
			y->i[i] = (int64_t)((uint64_t)c->in[0]->i[0] + (uint64_t)i * (uint64_t)c->in[2]->i[0]);
	return 0;
}

/* |start| + |i * delta|, times the growth of a running sum of equal terms: the function that ONNX gives for Range, and
 * libraries with it, add delta again and again (drift.h has what becomes of that). */
static int range_scale(struct call *c, int out, double *s)
{
	size_t n = dims_product(c->out_type[out].dims, 0, 1);

	for (size_t i = 0; i < n; i++)
		s[i] = (fabs(c->in[0]->f[0]) + (double)i * fabs(c->in[2]->f[0])) * drift_growth_runs(i + 1, 0);
	return 0;
}

static int range_grad(struct call *c)
{
	const struct tensor *g = c->out_grad[0];

	for (size_t i = 0; g && i < g->count; i++) {
		if (c->in_grad[0])
			c->in_grad[0]->f[0] += g->f[i];
		if (c->in_grad[2])
			c->in_grad[2]->f[0] += (double)i * g->f[i];
	}
	return 0;
}

#define T_RANGE (T_FLOAT | T_INDEX | TM(DT_INT16))

static const struct op_attr range_attrs[] = {OP_INT("stash_type", DT_FLOAT), {0}};

const struct op op_range = {
	.samples = SAMPLES({.by = &sampler_range}),
	.in = {{"start", T_RANGE, 'T', PORT_SETTING},
	       {"limit", T_RANGE, 'T', PORT_SETTING},
	       {"delta", T_RANGE, 'T', PORT_SETTING}},
	.out = {{"output", T_RANGE, 'T', 0}},
	.attrs = range_attrs,
	.infer = range_infer,
	.eval = range_eval,
	.scale = range_scale,
	.grad = range_grad,
};
