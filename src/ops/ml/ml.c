/* ml.c - small operators of ai.onnx.ml on features: ArrayFeatureExtractor, Binarizer, Scaler, Normalizer, Imputer,
 * OneHotEncoder, FeatureVectorizer. */
#include <math.h>
#include <string.h>

#include "ops/kit/container.h"
#include "ops/kit/dims.h"
#include "ops/kit/domain.h"

#define T_FEATURE (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT64) | TM(DT_INT32))

/* ---- ArrayFeatureExtractor --------------------------------------------------------------------------------------- */

/* Z[…, k] = X[…, Y[k]]; a vector X counts as one row. */
static int array_feature_extractor_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *y = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK], n = DIM_UNKNOWN;
	int rank, rc = y ? dim_product(c, y->dims, 0, y->rank, &n) : 0;

	if (rc)
		return rc;
	if (!x) {
		call_out_rank(c, 0, c->out_type[0].dtype, -1);
		return 0;
	}
	if (x->rank < 1)
		return call_bad(c, "X is a scalar");
	rank = x->rank > 1 ? x->rank : 2;
	dims[0] = 1;
	if (x->rank > 1)
		memcpy(dims, x->dims, (size_t)(rank - 1) * sizeof *dims);
	dims[rank - 1] = n;
	call_out(c, 0, c->out_type[0].dtype, rank, dims);
	return 0;
}

static int array_feature_extractor_eval(struct call *c)
{
	const struct tensor *x = c->in[0], *y = c->in[1];
	size_t width = (size_t)x->dims[x->rank - 1], rows = width ? x->count / width : 0;
	int rc = 0;

	for (size_t k = 0; k < y->count; k++)
		if (y->i[k] < 0 || (size_t)y->i[k] >= width)
			return call_bad(c, "index %lld is outside of %zu features", (long long)y->i[k], width);
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < y->count && !rc; k++)
			rc = elements_copy(c->out[0], r * y->count + k, x, r * width + (size_t)y->i[k], 1, c->err);
	return rc;
}

static int array_feature_extractor_grad(struct call *c)
{
	const struct tensor *x = c->in[0], *y = c->in[1], *dz = c->out_grad[0];
	size_t width = (size_t)x->dims[x->rank - 1], rows = width ? x->count / width : 0;

	for (size_t r = 0; dz && c->in_grad[0] && r < rows; r++)
		for (size_t k = 0; k < y->count; k++)
			c->in_grad[0]->f[r * width + (size_t)y->i[k]] += dz->f[r * y->count + k];
	return 0;
}

const struct op op_array_feature_extractor = {
	.in = {{"X", T_FEATURE | T_STRING, 'T', 0}, {"Y", T_I64, 0, 0}},
	.out = {{"Z", T_FEATURE | T_STRING, 'T', 0}},
	.infer = array_feature_extractor_infer,
	.eval = array_feature_extractor_eval,
	.grad = array_feature_extractor_grad,
};

/* ---- Binarizer --------------------------------------------------------------------------------------------------- */

/* y = x > threshold */
static int binarizer_eval(struct call *c)
{
	double threshold = attr_float(c->node, "threshold");
	struct tensor *y = c->out[0];

	for (size_t i = 0; i < y->count; i++) {
		int above = tensor_get(c->in[0], i) > threshold;

		if (dtype_is_float(y->dtype))
			y->f[i] = above;
		else
			y->i[i] = above;
	}
	return 0;
}

static const struct op_attr binarizer_attrs[] = {OP_FLOAT("threshold", 0), {0}};

const struct op op_binarizer = {
	.in = {{"X", T_FEATURE, 'T', 0}},
	.out = {{"Y", T_FEATURE, 'T', 0}},
	.attrs = binarizer_attrs,
	.infer = same_infer,
	.eval = binarizer_eval,
};

/* ---- Scaler ------------------------------------------------------------------------------------------------------ */

/* Lists of one number, or one a feature (the last axis). */
static int check_list(struct call *c, const char *name, size_t n)
{
	const struct type *x = call_shape(c, 0);

	if (n <= 1 || !x)
		return 0;
	if (x->rank < 1 || (x->dims[x->rank - 1] >= 0 && (size_t)x->dims[x->rank - 1] != n))
		return call_bad(c, "'%s' has %zu items: wanted 1 or one a feature", name, n);
	return 0;
}

static int float_like_infer(struct call *c)
{
	call_out(c, 0, DT_FLOAT, c->in_type[0].rank, c->in_type[0].dims);
	return 0;
}

static int scaler_infer(struct call *c)
{
	size_t n;
	int rc;

	node_floats(c->node, "offset", &n);
	rc = check_list(c, "offset", n);
	node_floats(c->node, "scale", &n);
	if (!rc)
		rc = check_list(c, "scale", n);
	return rc ? rc : float_like_infer(c);
}

static double list_at(const double *list, size_t n, size_t i, double otherwise)
{
	return n ? list[n == 1 ? 0 : i % n] : otherwise;
}

/* y = (x - offset) * scale */
static int scaler_eval(struct call *c)
{
	size_t n_offset, n_scale;
	const double *offset = node_floats(c->node, "offset", &n_offset);
	const double *scale = node_floats(c->node, "scale", &n_scale);

	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] =
			(tensor_get(c->in[0], i) - list_at(offset, n_offset, i, 0.0)) * list_at(scale, n_scale, i, 1.0);
	return 0;
}

static int scaler_scale(struct call *c, int out, double *s)
{
	size_t n_offset, n_scale;
	const double *offset = node_floats(c->node, "offset", &n_offset);
	const double *scale = node_floats(c->node, "scale", &n_scale);

	(void)out;
	for (size_t i = 0; i < c->out[0]->count; i++)
		s[i] = (fabs(tensor_get(c->in[0], i)) + fabs(list_at(offset, n_offset, i, 0.0))) *
		       fabs(list_at(scale, n_scale, i, 1.0));
	return 0;
}

static int scaler_grad(struct call *c)
{
	size_t n;
	const double *scale = node_floats(c->node, "scale", &n);

	for (size_t i = 0; c->out_grad[0] && c->in_grad[0] && i < c->in[0]->count; i++)
		c->in_grad[0]->f[i] += c->out_grad[0]->f[i] * list_at(scale, n, i, 1.0);
	return 0;
}

/* Of scale the specification says that it must have the same length as offset. */
static int scaler_is_uneven(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	size_t n_offset, n_scale;

	(void)in;
	(void)r;
	node_floats(n, "offset", &n_offset);
	node_floats(n, "scale", &n_scale);
	return !n_scale || n_offset != n_scale;
}

static const struct op_attr scaler_attrs[] = {OP_ATTR("offset", ATTR_FLOATS), OP_ATTR("scale", ATTR_FLOATS), {0}};

const struct op op_scaler = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = scaler_attrs,
	.infer = scaler_infer,
	.eval = scaler_eval,
	.scale = scaler_scale,
	.grad = scaler_grad,
	.rules = RULES({.broken = scaler_is_uneven}),
};

/* ---- Normalizer -------------------------------------------------------------------------------------------------- */

enum ml_norm { NORM_MAX, NORM_L1, NORM_L2, NORM_COUNT };
static const char *const norm_names[NORM_COUNT] = {"MAX", "L1", "L2"};

static enum ml_norm norm_of(const struct call *c)
{
	const char *name = attr_string(c->node, "norm");
	int n = 0;

	while (n < NORM_COUNT && strcmp(name, norm_names[n]) != 0)
		n++;
	return (enum ml_norm)n;
}

static int normalizer_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);

	if (norm_of(c) == NORM_COUNT)
		return call_bad(c, "norm '%s' is not known", attr_string(c->node, "norm"));
	if (x && (x->rank < 1 || x->rank > 2))
		return call_bad(c, "X has rank %d, wanted 1 or 2", x->rank);
	return float_like_infer(c);
}

/* MAX: x / max x;  L1: x / Σ|x|;  L2: x / sqrt(Σ x²); a row whose divisor is 0 stays.  The specification writes Σx for
 * L1 and drops the sign of x for L2; norms are meant, and that is what implementations compute. */
static int normalizer_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	size_t width = (size_t)x->dims[x->rank - 1], rows = width ? x->count / width : 0;
	enum ml_norm norm = norm_of(c);

	for (size_t r = 0; r < rows; r++) {
		double d = norm == NORM_MAX ? -INFINITY : 0;

		for (size_t i = r * width; i < (r + 1) * width; i++) {
			double v = tensor_get(x, i);

			d = norm == NORM_MAX ? fmax(d, v) : d + (norm == NORM_L1 ? fabs(v) : v * v);
		}
		if (norm == NORM_L2)
			d = sqrt(d);
		for (size_t i = r * width; i < (r + 1) * width; i++)
			c->out[0]->f[i] = d != 0 ? tensor_get(x, i) / d : tensor_get(x, i);
	}
	return 0;
}

static const struct op_attr normalizer_attrs[] = {OP_STRING("norm", "MAX"), {0}};

const struct op op_normalizer = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = normalizer_attrs,
	.infer = normalizer_infer,
	.eval = normalizer_eval,
	.ulps = 4,
};

/* ---- Imputer ----------------------------------------------------------------------------------------------------- */

static int imputer_infer(struct call *c)
{
	size_t n_floats, n_ints;
	int rc;

	node_floats(c->node, "imputed_value_floats", &n_floats);
	node_ints(c->node, "imputed_value_int64s", &n_ints);
	if (c->in_type[0].dtype && !(dtype_is_float(c->in_type[0].dtype) ? n_floats : n_ints))
		return call_bad(c, "there is no imputed value for X of %s", dtype_name(c->in_type[0].dtype));
	rc = check_list(c, "imputed_value_floats", n_floats);
	if (!rc)
		rc = check_list(c, "imputed_value_int64s", n_ints);
	return rc ? rc : same_infer(c);
}

/* y = x, or the imputed value of the feature where x is the value to replace (NaN equals NaN here). */
static int imputer_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	double from = attr_float(c->node, "replaced_value_float");
	int64_t from_int = attr_int(c->node, "replaced_value_int64");
	size_t n_floats, n_ints;
	const double *floats = node_floats(c->node, "imputed_value_floats", &n_floats);
	const int64_t *ints = node_ints(c->node, "imputed_value_int64s", &n_ints);

	for (size_t i = 0; i < x->count; i++)
		if (dtype_is_float(x->dtype))
			c->out[0]->f[i] = x->f[i] == from || (isnan(from) && isnan(x->f[i]))
						  ? list_at(floats, n_floats, i, 0.0)
						  : x->f[i];
		else
			c->out[0]->i[i] = x->i[i] == from_int ? ints[n_ints == 1 ? 0 : i % n_ints] : x->i[i];
	return 0;
}

static const struct op_attr imputer_attrs[] = {
	OP_ATTR("imputed_value_floats", ATTR_FLOATS),
	OP_ATTR("imputed_value_int64s", ATTR_INTS),
	OP_FLOAT("replaced_value_float", 0),
	OP_INT("replaced_value_int64", 0),
	{0},
};

const struct op op_imputer = {
	.in = {{"X", T_FEATURE, 'T', 0}},
	.out = {{"Y", T_FEATURE, 'T', 0}},
	.attrs = imputer_attrs,
	.infer = imputer_infer,
	.eval = imputer_eval,
};

/* ---- OneHotEncoder ----------------------------------------------------------------------------------------------- */

static int one_hot_encoder_infer(struct call *c)
{
	const struct attr *ints = node_attr(c->node, "cats_int64s"), *strings = node_attr(c->node, "cats_strings");
	struct type y = c->in_type[0];

	if (!ints == !strings)
		return call_bad(c, "wanted either cats_int64s or cats_strings");
	if (y.dtype && (y.dtype == DT_STRING) != (strings != NULL))
		return call_bad(c, "the categories and X differ in type");
	if (y.rank >= TENSOR_MAX_RANK)
		return call_bad(c, "X has rank %d: too many for one more axis", y.rank);
	y.kind = VALUE_TENSOR;
	y.dtype = DT_FLOAT;
	if (y.rank >= 0)
		container_type_add_axis(&y, y.rank, (int64_t)(ints ? ints->n : strings->n));
	call_out_type(c, 0, &y);
	return 0;
}

/* Category of element i; numbers are cut to integers first. */
static size_t find_category(const struct tensor *x, size_t i, const struct attr *ints, const struct attr *strings)
{
	size_t n = ints ? ints->n : strings->n, k = 0;

	for (; k < n; k++) {
		if (ints && trunc(tensor_get(x, i)) == (double)ints->ints[k])
			break;
		if (strings && x->s[i].n == strings->strings[k].n &&
		    !memcmp(x->s[i].p, strings->strings[k].p, x->s[i].n))
			break;
	}
	return k;
}

static int one_hot_encoder_eval(struct call *c)
{
	const struct attr *ints = node_attr(c->node, "cats_int64s"), *strings = node_attr(c->node, "cats_strings");
	size_t n = ints ? ints->n : strings->n;
	int zeros = attr_int(c->node, "zeros") != 0;

	elements_clear(c->out[0]);
	for (size_t i = 0; i < c->in[0]->count; i++) {
		size_t k = find_category(c->in[0], i, ints, strings);

		if (k < n)
			c->out[0]->f[i * n + k] = 1;
		else if (!zeros)
			return call_bad(c, "element %zu is in no category", i);
	}
	return 0;
}

static const struct op_attr one_hot_encoder_attrs[] = {
	OP_ATTR("cats_int64s", ATTR_INTS),
	OP_ATTR("cats_strings", ATTR_STRINGS),
	OP_INT("zeros", 1),
	{0},
};

const struct op op_one_hot_encoder = {
	.in = {{"X", T_FEATURE | T_STRING, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = one_hot_encoder_attrs,
	.infer = one_hot_encoder_infer,
	.eval = one_hot_encoder_eval,
};

/* ---- FeatureVectorizer ------------------------------------------------------------------------------------------- */

/* Rows and columns of input i: a vector is one row. */
static int vector_dims(struct call *c, int i, int64_t *rows, int64_t *cols)
{
	const struct type *x = call_shape(c, i);

	*rows = *cols = DIM_UNKNOWN;
	if (!x)
		return 0;
	if (x->rank < 1 || x->rank > 2)
		return call_bad(c, "input %d has rank %d, wanted 1 or 2", i, x->rank);
	*rows = x->rank == 2 ? x->dims[0] : 1;
	*cols = x->dims[x->rank - 1];
	return 0;
}

static int feature_vectorizer_infer(struct call *c)
{
	int64_t dims[2] = {DIM_UNKNOWN, 0}, rows, cols;
	size_t n;
	const int64_t *sizes = node_ints(c->node, "inputdimensions", &n);
	int rc = 0;

	if (sizes && n != (size_t)c->n_in)
		return call_bad(c, "inputdimensions has %zu items for %d inputs", n, c->n_in);
	for (int i = 0; i < c->n_in && !rc; i++) {
		rc = vector_dims(c, i, &rows, &cols);
		if (!rc && sizes && cols >= 0 && sizes[i] != cols)
			rc = call_bad(c, "input %d has %lld features, inputdimensions says %lld", i, (long long)cols,
				      (long long)sizes[i]);
		if (!rc)
			rc = dim_unify(c, &dims[0], rows, "rows");
		if (!rc)
			rc = dim_add(c, dims[1], cols, &dims[1]);
	}
	if (!rc)
		call_out(c, 0, DT_FLOAT, 2, dims);
	return rc;
}

static int feature_vectorizer_eval(struct call *c)
{
	size_t rows = (size_t)c->out[0]->dims[0], width = (size_t)c->out[0]->dims[1], at = 0;

	for (int i = 0; i < c->n_in; i++) {
		const struct tensor *x = c->in[i];
		size_t cols = (size_t)x->dims[x->rank - 1];

		for (size_t k = 0; k < x->count && rows; k++)
			c->out[0]->f[k / cols * width + at + k % cols] = tensor_get(x, k);
		at += cols;
	}
	return 0;
}

static const struct op_attr feature_vectorizer_attrs[] = {OP_ATTR("inputdimensions", ATTR_INTS), {0}};

const struct op op_feature_vectorizer = {
	.in = {{"X", T_FEATURE, 'T', PORT_VARIADIC}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = feature_vectorizer_attrs,
	.infer = feature_vectorizer_infer,
	.eval = feature_vectorizer_eval,
	.ulps = 1,
};
