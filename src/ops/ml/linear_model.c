/* linear_model.c - LinearRegressor and LinearClassifier of ai.onnx.ml.
 *
 *   score[n, e] = intercept[e] + Σ_f coefficient[e, f] · X[n, f]
 *
 * then a transform over e. */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/ml/ml_transform.h"

#define T_FEATURE (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT64) | TM(DT_INT32))

struct linear {
	const double *coefficients, *intercepts; /* intercepts: NULL when absent */
	size_t outputs, features;
	enum ml_transform transform;
};

static int linear_read(struct call *c, struct linear *l, int64_t outputs, int64_t *rows)
{
	size_t n, n_intercepts;
	int64_t features;
	int rc = ml_rows(c, rows, &features);

	if (!rc)
		rc = ml_transform_read(c, &l->transform);
	if (rc)
		return rc;
	l->coefficients = node_floats(c->node, "coefficients", &n);
	l->intercepts = node_floats(c->node, "intercepts", &n_intercepts);
	if (outputs < 1 || !n || n % (size_t)outputs)
		return call_bad(c, "%zu coefficients do not divide into %lld rows", n, (long long)outputs);
	l->outputs = (size_t)outputs;
	l->features = n / l->outputs;
	if (!n_intercepts)
		l->intercepts = NULL;
	if (l->intercepts && n_intercepts != l->outputs)
		return call_bad(c, "has %zu intercepts, wanted %zu", n_intercepts, l->outputs);
	if (features >= 0 && (size_t)features != l->features)
		return call_bad(c, "X has %lld features, the coefficients are for %zu", (long long)features,
				l->features);
	return 0;
}

/* scores[outputs] of row r; with `absolute`, the sums of the terms' sizes. */
static void score_row(const struct linear *l, const struct tensor *x, size_t r, int absolute, double *scores)
{
	for (size_t e = 0; e < l->outputs; e++) {
		double sum = l->intercepts ? l->intercepts[e] : 0;

		sum = absolute ? fabs(sum) : sum;
		for (size_t f = 0; f < l->features; f++) {
			double term = l->coefficients[e * l->features + f] * tensor_get(x, r * l->features + f);

			sum += absolute ? fabs(term) : term;
		}
		scores[e] = sum;
	}
}

/* Transforms have slopes of at most 1 where they saturate, so the size of the sum bounds their noise as well; but not
 * PROBIT, whose noise is only that of its result. */
static int scale_scores(struct call *c, const struct linear *l, const struct tensor *y, double *s)
{
	size_t rows = y->count / l->outputs;

	for (size_t r = 0; r < rows; r++) {
		score_row(l, c->in[0], r, 1, s + r * l->outputs);
		for (size_t e = 0; e < l->outputs; e++)
			s[r * l->outputs + e] = s[r * l->outputs + e] * noise_growth((double)l->features + 1) +
						ml_transform_noise(l->transform, y->f[r * l->outputs + e]);
	}
	return 0;
}

/* ---- LinearRegressor --------------------------------------------------------------------------------------------- */

static int linear_regressor_infer(struct call *c)
{
	struct linear l;
	int64_t dims[2] = {DIM_UNKNOWN, attr_int(c->node, "targets")};
	int rc = linear_read(c, &l, dims[1], &dims[0]);

	if (!rc)
		call_out(c, 0, DT_FLOAT, 2, dims);
	return rc;
}

static int linear_regressor_eval(struct call *c)
{
	struct linear l;
	int64_t rows;
	int rc = linear_read(c, &l, attr_int(c->node, "targets"), &rows);

	for (int64_t r = 0; r < rows && !rc; r++) {
		double *y = c->out[0]->f + (size_t)r * l.outputs;

		score_row(&l, c->in[0], (size_t)r, 0, y);
		ml_transform_row(l.transform, y, l.outputs);
	}
	return rc;
}

static int linear_regressor_scale(struct call *c, int out, double *s)
{
	struct linear l;
	int64_t rows;
	int rc = linear_read(c, &l, attr_int(c->node, "targets"), &rows);

	return rc ? rc : scale_scores(c, &l, c->out[out], s);
}

static const struct op_attr linear_regressor_attrs[] = {
	OP_ATTR("coefficients", ATTR_FLOATS),
	OP_ATTR("intercepts", ATTR_FLOATS),
	OP_STRING("post_transform", "NONE"),
	OP_INT("targets", 1),
	{0},
};

const struct op op_linear_regressor = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = linear_regressor_attrs,
	.infer = linear_regressor_infer,
	.eval = linear_regressor_eval,
	.scale = linear_regressor_scale,
};

/* ---- LinearClassifier -------------------------------------------------------------------------------------------- */

static int classifier_read(struct call *c, struct linear *l, struct ml_labels *labels, int64_t *rows)
{
	size_t n;
	int rc = ml_labels_read(c, "classlabels_ints", labels);

	if (rc)
		return rc;
	node_floats(c->node, "intercepts", &n);
	if (labels->n == 2 && n == 1)
		return call_unsupported(c,
					"two classes with one row of coefficients: the specification does not say how "
					"the score becomes a class");
	return linear_read(c, l, (int64_t)labels->n, rows);
}

static int linear_classifier_infer(struct call *c)
{
	struct ml_labels labels;
	struct linear l;
	int64_t dims[2];
	int rc = classifier_read(c, &l, &labels, &dims[0]);

	if (rc)
		return rc;
	dims[1] = (int64_t)labels.n;
	call_out(c, 0, ml_labels_dtype(&labels), 1, dims);
	call_out(c, 1, DT_FLOAT, 2, dims);
	return 0;
}

static int linear_classifier_eval(struct call *c)
{
	struct ml_labels labels;
	struct linear l;
	int64_t rows;
	double *scores;
	int rc = classifier_read(c, &l, &labels, &rows);

	if (rc)
		return rc;
	scores = call_scratch(c, labels.n, sizeof *scores);
	if (!scores)
		return c->err->code;
	for (int64_t r = 0; r < rows && !rc; r++) {
		score_row(&l, c->in[0], (size_t)r, 0, scores);
		rc = ml_labels_store(c, &labels, (size_t)r, scores);
		ml_transform_row(l.transform, scores, labels.n);
		for (size_t k = 0; k < labels.n && call_wants(c, 1); k++)
			c->out[1]->f[(size_t)r * labels.n + k] = scores[k];
	}
	return rc;
}

static int linear_classifier_scale(struct call *c, int out, double *s)
{
	struct ml_labels labels;
	struct linear l;
	int64_t rows;
	int rc = classifier_read(c, &l, &labels, &rows);

	return rc ? rc : scale_scores(c, &l, c->out[out], s);
}

static const struct op_attr linear_classifier_attrs[] = {
	OP_NEEDS("coefficients", ATTR_FLOATS),
	OP_ATTR("intercepts", ATTR_FLOATS),
	OP_STRING("post_transform", "NONE"),
	OP_ATTR("classlabels_strings", ATTR_STRINGS),
	OP_ATTR("classlabels_ints", ATTR_INTS),
	OP_INT("multi_class", 0),
	{0},
};

const struct op op_linear_classifier = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", T_STRING | T_I64, 0, 0}, {"Z", TM(DT_FLOAT), 0, 0}},
	.attrs = linear_classifier_attrs,
	.infer = linear_classifier_infer,
	.eval = linear_classifier_eval,
	.scale = linear_classifier_scale,
	/* ONNX's shape inference counts classes by them */
	.rules = RULES({.broken = domain_attr_missing, .attr = "intercepts"}),
};
