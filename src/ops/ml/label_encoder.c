/* label_encoder.c - LabelEncoder: maps each element to the value that stands beside its key.
 *
 * Version 1 maps strings to their positions in a list and back; 2 takes lists of keys and values; 4 also tensors.
 * Floats are equal as numbers, NaN equals NaN, and of repeated keys the last counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/kit/container.h"

#define T_LABEL (T_STRING | TM(DT_INT64) | TM(DT_INT32) | TM(DT_INT16) | TM(DT_FLOAT) | TM(DT_DOUBLE))

/* Keys or values, whatever attribute they came from. */
struct label_column {
	enum dtype dtype;
	size_t n;
	const int64_t *i;
	const double *f;
	const struct bytes *s;
	struct tensor *owned; /* widened from a tensor attribute; NULL: none */
};

struct encoder {
	struct label_column keys, values, fallback;
	size_t *order; /* keys sorted, ties by position */
};

static const struct op_attr label_encoder_attrs[] = {
	OP_ATTR("classes_strings", ATTR_STRINGS),
	OP_STRING("default_string", "_Unused"),
	OP_INT("default_int64", -1),
	OP_FLOAT("default_float", -0.0f),
	OP_ATTR("default_tensor", ATTR_TENSOR),
	OP_ATTR("keys_strings", ATTR_STRINGS),
	OP_ATTR("keys_int64s", ATTR_INTS),
	OP_ATTR("keys_floats", ATTR_FLOATS),
	OP_ATTR("keys_tensor", ATTR_TENSOR),
	OP_ATTR("values_strings", ATTR_STRINGS),
	OP_ATTR("values_int64s", ATTR_INTS),
	OP_ATTR("values_floats", ATTR_FLOATS),
	OP_ATTR("values_tensor", ATTR_TENSOR),
	{0},
};

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static int column_from_tensor(struct call *c, const struct attr *a, struct label_column *col)
{
	col->dtype = a->t->dtype;
	col->n = a->t->count;
	if (!(T_LABEL & TM(a->t->dtype)))
		return call_bad(c, "'%s' is of %s, which is not a label", a->name, dtype_name(a->t->dtype));
	col->owned = tensor_widen(a->t, c->err);
	if (!col->owned)
		return c->err->code;
	col->i = col->owned->i;
	col->f = col->owned->f;
	col->s = col->owned->s;
	return 0;
}

/* The one attribute <prefix>_{strings,int64s,floats,tensor} that is there. */
static int column_read(struct call *c, const char *prefix, struct label_column *col)
{
	static const char *const suffixes[] = {"strings", "int64s", "floats", "tensor"};
	const struct attr *a = NULL;
	char name[32];

	for (size_t k = 0; k < 4; k++) {
		const struct attr *found;

		snprintf(name, sizeof name, "%s_%s", prefix, suffixes[k]);
		found = node_attr(c->node, name);
		if (found && a)
			return call_bad(c, "has both '%s' and '%s'", a->name, found->name);
		if (found)
			a = found;
	}
	if (!a)
		return call_bad(c, "has no '%s_…' attribute", prefix);
	if (a->type == ATTR_TENSOR)
		return column_from_tensor(c, a, col);
	col->n = a->n;
	col->dtype = a->type == ATTR_STRINGS ? DT_STRING : a->type == ATTR_INTS ? DT_INT64 : DT_FLOAT;
	if (a->type == ATTR_STRINGS)
		col->s = a->strings;
	else if (a->type == ATTR_INTS)
		col->i = a->ints;
	else
		col->f = a->floats;
	return 0;
}

/* The value of keys that are not there, as a column of one element. */
static int fallback_read(struct call *c, enum dtype t, struct label_column *col)
{
	static const struct bytes unused = {"_Unused", 7};
	static const int64_t minus_one = -1;
	static const double minus_zero = -0.0;
	const struct attr *a = node_attr(c->node, "default_tensor");
	int is_string = t == DT_STRING, is_float = dtype_is_float(t);

	if (a && a->t->count != 1)
		return call_bad(c, "default_tensor has %zu elements, wanted 1", a->t->count);
	if (a && a->t->dtype != t)
		return call_bad(c, "default_tensor is of %s, the values are of %s", dtype_name(a->t->dtype),
				dtype_name(t));
	if (a)
		return column_from_tensor(c, a, col);
	a = node_attr(c->node, is_string ? "default_string" : is_float ? "default_float" : "default_int64");
	*col = (struct label_column){.dtype = t, .n = 1};
	if (is_string)
		col->s = a ? &a->s : &unused;
	else if (is_float)
		col->f = a ? &a->f : &minus_zero;
	else
		col->i = a ? &a->i : &minus_one;
	return 0;
}

/* ---- look-up ----------------------------------------------------------------------------------------------------- */

/* An element of x against key k, by the wide form that both have. */
static int compare_float(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static int compare_bytes(const struct bytes *a, const struct bytes *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int order = n ? memcmp(a->p, b->p, n) : 0;

	return order ? order : (a->n > b->n) - (a->n < b->n);
}

static int compare(const struct label_column *a, size_t i, const struct label_column *b, size_t j)
{
	if (dtype_wide(a->dtype) == WIDE_STR)
		return compare_bytes(&a->s[i], &b->s[j]);
	if (dtype_wide(a->dtype) == WIDE_F64)
		return compare_float(dtype_round(a->dtype, a->f[i], 0), b->f[j]);
	return (a->i[i] > b->i[j]) - (a->i[i] < b->i[j]);
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct label_column *keys = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	int order = compare(keys, i, keys, j);

	return order ? order : i < j ? -1 : i > j;
}

/* Position of the last key equal to x[i]; keys.n when there is none. */
static size_t find(const struct encoder *e, const struct label_column *x, size_t i)
{
	size_t low = 0, high = e->keys.n; /* how many keys are not above x[i] */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(x, i, &e->keys, e->order[middle]) >= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && !compare(x, i, &e->keys, e->order[low - 1]) ? e->order[low - 1] : e->keys.n;
}

static int put(struct call *c, size_t at, const struct label_column *col, size_t i)
{
	struct tensor *y = c->out[0];

	if (y->dtype == DT_STRING)
		return tensor_set_string(y, at, col->s[i].p, col->s[i].n, c->err);
	if (dtype_is_float(y->dtype))
		y->f[at] = col->f[i];
	else
		y->i[at] = col->i[i];
	return 0;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static void encoder_close(struct encoder *e)
{
	tensor_unref(e->keys.owned);
	tensor_unref(e->values.owned);
	tensor_unref(e->fallback.owned);
}

/* Version 1: classes_strings on one side, positions on the other. */
static int open_classes(struct call *c, struct encoder *e)
{
	const struct attr *classes = node_attr(c->node, "classes_strings");
	int64_t *positions;
	struct label_column strings = {.dtype = DT_STRING}, numbers = {.dtype = DT_INT64};

	if (!classes)
		return call_bad(c, "attribute 'classes_strings' is missing");
	positions = call_scratch(c, classes->n + 1, sizeof *positions);
	if (!positions)
		return c->err->code;
	for (size_t i = 0; i < classes->n; i++)
		positions[i] = (int64_t)i;
	strings.s = classes->strings;
	numbers.i = positions;
	strings.n = numbers.n = classes->n;
	e->keys = c->in_type[0].dtype == DT_STRING ? strings : numbers;
	e->values = c->in_type[0].dtype == DT_STRING ? numbers : strings;
	return 0;
}

static int encoder_open(struct call *c, struct encoder *e)
{
	int rc;

	*e = (struct encoder){{0}, {0}, {0}, NULL};
	if (c->version == 1) {
		rc = open_classes(c, e);
	} else {
		rc = column_read(c, "keys", &e->keys);
		if (!rc)
			rc = column_read(c, "values", &e->values);
	}
	if (!rc && e->keys.n != e->values.n)
		rc = call_bad(c, "has %zu keys but %zu values", e->keys.n, e->values.n);
	if (!rc && c->in_type[0].dtype && c->in_type[0].dtype != e->keys.dtype)
		rc = call_bad(c, "X is of %s, the keys are of %s", dtype_name(c->in_type[0].dtype),
			      dtype_name(e->keys.dtype));
	if (!rc)
		rc = fallback_read(c, e->values.dtype, &e->fallback);
	return rc;
}

static int label_encoder_infer(struct call *c)
{
	struct encoder e;
	int rc = encoder_open(c, &e);

	if (!rc)
		call_out(c, 0, c->version == 1 && !c->in_type[0].dtype ? DT_UNDEFINED : e.values.dtype,
			 c->in_type[0].rank, c->in_type[0].dims);
	encoder_close(&e);
	return rc;
}

static int label_encoder_eval(struct call *c)
{
	struct label_column x = {c->in[0]->dtype, c->in[0]->count, c->in[0]->i, c->in[0]->f, c->in[0]->s, NULL};
	struct encoder e;
	int rc = encoder_open(c, &e);

	e.order = rc ? NULL : call_scratch(c, e.keys.n + 1, sizeof *e.order);
	if (!rc && !e.order)
		rc = c->err->code;
	for (size_t i = 0; i < e.keys.n && !rc; i++)
		e.order[i] = i;
	if (!rc)
		qsort_r(e.order, e.keys.n, sizeof *e.order, by_key, &e.keys);
	for (size_t i = 0; i < x.n && !rc; i++) {
		size_t k = find(&e, &x, i);

		rc = k < e.keys.n ? put(c, i, &e.values, k) : put(c, i, &e.fallback, 0);
	}
	encoder_close(&e);
	return rc;
}

const struct op op_label_encoder = {
	.in = {{"X", T_LABEL, 0, 0}},
	.out = {{"Y", T_LABEL, 0, 0}},
	.attrs = label_encoder_attrs,
	.infer = label_encoder_infer,
	.eval = label_encoder_eval,
};
