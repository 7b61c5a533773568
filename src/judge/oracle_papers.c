/* oracle_papers.c - the oracles of five papers on two libraries' outputs, with the papers' own thresholds. */
#include <math.h>

#include "judge/distance.h"
#include "judge/oracle.h"

/* ---- CRADLE ------------------------------------------------------------------------------------------------------ */

/* The class that is right for a sample: the label given, else the one that the reference ranks first. */
static size_t label_of(const struct oracle_case *c, size_t i, size_t sample, size_t classes)
{
	const struct tensor *right = c->truth ? c->truth->outputs[i].value->tensor : c->b[i]->tensor;
	size_t best = 0;

	if (c->labels && sample < c->labels->count) {
		double label = tensor_get(c->labels, sample);

		return label >= 0 && label < (double)classes ? (size_t)label : 0;
	}
	for (size_t k = 1; k < classes; k++)
		if (tensor_get(right, sample * classes + k) > tensor_get(right, sample * classes + best))
			best = k;
	return best;
}

/* Scores: the class-based distance, T_C = 8.  Others: the MAD-based one, T_M = 0.2, in units where that is 8 as well,
 * when the right values are given; without them the paper has no measure. */
static double cradle_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	const struct tensor *a = c->a[i]->tensor, *b = c->b[i]->tensor;
	size_t samples, classes;
	double worst = 0;

	(void)out;
	if (!oracle_scores(a, &samples, &classes)) {
		if (i || !c->target || !tensor_same_shape(a, c->target))
			return 0;
		return distance_mad_based(a, b, c->target) * (8 / 0.2);
	}
	for (size_t s = 0; s < samples; s++) {
		double d = distance_class(a, b, s * classes, classes, label_of(c, i, s, classes), DISTANCE_TOP_K);

		if (!(d <= worst))
			worst = d;
	}
	return worst;
}

const struct oracle oracle_cradle = {
	.summary = "rank of the right class changes (D_CLASS, T_C = 8), or MAD-based distance (T_M = 0.2)",
	.paper = "CRADLE, equations 1 to 4 and section IV",
	.limit = 8,
	.at_limit = 1,
	.distance = cradle_distance,
};

/* ---- Audee ------------------------------------------------------------------------------------------------------- */

/* Samples whose class differs; outputs that are no scores are not compared (Definition 2 is about classifiers). */
static double audee_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	size_t samples, classes, n = 0;

	(void)out;
	if (!oracle_scores(c->a[i]->tensor, &samples, &classes))
		return 0;
	for (size_t s = 0; s < samples; s++)
		n += distance_argmax_differs(c->a[i]->tensor, c->b[i]->tensor, s * classes, classes) != 0;
	return (double)n;
}

const struct oracle oracle_audee = {
	.summary = "another class, or NaN on one side",
	.paper = "Audee, Definitions 1 and 2",
	.limit = 0.5,
	.distance = audee_distance,
};

/* ---- EAGLE ------------------------------------------------------------------------------------------------------- */

#define EAGLE_ATOL 1e-2
#define EAGLE_RTOL 1e-5

/* How far the worst element is beyond its tolerance, in units of atol; at most 1 when all are close. */
static double eagle_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	(void)out;
	if (!c->a[i]->tensor->count)
		return 0;
	return 1 + distance_beyond_tolerance(c->a[i]->tensor, c->b[i]->tensor, EAGLE_ATOL, EAGLE_RTOL) / EAGLE_ATOL;
}

const struct oracle oracle_eagle = {
	.summary = "an element differs by more than 1e-2 + 1e-5 |value|",
	.paper = "EAGLE, section 3",
	.limit = 1,
	.distance = eagle_distance,
};

/* ---- meta operators ---------------------------------------------------------------------------------------------- */

static double meta_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	(void)out;
	return distance_mad(c->a[i]->tensor, c->b[i]->tensor);
}

const struct oracle oracle_meta = {
	.summary = "mean absolute deviation above 1.5e-4",
	.paper = "meta operators, section 4",
	.gradients = 1,
	.limit = 1.5e-4,
	.distance = meta_distance,
};

/* ---- graph-based fuzzing ----------------------------------------------------------------------------------------- */

static double gbft_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	(void)out;
	return distance_relative_share(c->a[i]->tensor, c->b[i]->tensor, 1e-3);
}

const struct oracle oracle_gbft = {
	.summary = "0.1 % of the elements or more have a relative error above 0.1 %",
	.paper = "graph-based fuzzing, section IV",
	.limit = 1e-3,
	.at_limit = 1,
	.distance = gbft_distance,
};
