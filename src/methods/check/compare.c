/* compare.c - distances between all pairs of backends, their patterns, unique inconsistencies (CRADLE §III-B).
 *
 * An item is one entry of a batch.  Its output is the item's share of the first output tensor: N scores.  Labels are
 * given, or else what most backends say is the largest score (the first of them on a tie), so that class-based
 * distances have a meaning without ground truth.  Ground truth for the MAD-based distance is the one-hot vector of a
 * given label; without one it is zero, which makes it the relative difference of mean magnitudes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/distance.h"
#include "methods/check/check.h"

const struct tensor *check_output(const struct check_backend *b, size_t run)
{
	const struct value *v = run < b->n && b->runs[run].n ? b->runs[run].values[0] : NULL;

	return v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING && v->tensor->count ? v->tensor : NULL;
}

/* One item of both sides of a pair. */
struct item {
	const struct tensor *a, *b;
	size_t first, n; /* its elements */
	int64_t label;   /* -1: none */
	int given;       /* … by the user */
};

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* What most backends say; -1 when an item is no vector of scores. */
static int64_t voted_label(const struct check_result *r, size_t run, size_t first, size_t n)
{
	int64_t best = -1;
	size_t votes = 0;

	for (size_t i = 0; i < r->n_backends && n > 1; i++) {
		const struct tensor *mine = check_output(&r->backends[i], run);
		size_t label = mine && first + n <= mine->count ? distance_argmax(mine, first, n) : 0, same = 0;

		if (!mine || first + n > mine->count)
			continue;
		for (size_t j = 0; j < r->n_backends; j++) {
			const struct tensor *other = check_output(&r->backends[j], run);

			same += other && first + n <= other->count && distance_argmax(other, first, n) == label;
		}
		if (same > votes) {
			votes = same;
			best = (int64_t)label;
		}
	}
	return best;
}

/* ---- distances of one item --------------------------------------------------------------------------------------- */

/* Elements that are NaN on both sides are the same there. */
static double mad_to_truth(const struct tensor *y, const struct item *it)
{
	double sum = 0;

	for (size_t i = 0; i < it->n; i++) {
		double truth = it->given && it->label == (int64_t)i ? 1 : 0;

		if (isnan(tensor_get(it->a, it->first + i)) && isnan(tensor_get(it->b, it->first + i)))
			continue;
		sum += fabs(tensor_get(y, it->first + i) - truth);
	}
	return sum / (double)it->n;
}

/* Equation 4; NaN in one of the outputs stays NaN. */
static double mad_distance(const struct item *it)
{
	double a = mad_to_truth(it->a, it), b = mad_to_truth(it->b, it);

	if (a == b)
		return 0;
	return fabs(a - b) / (a + b);
}

static double class_distance(const struct item *it)
{
	if (it->label < 0 || it->label >= (int64_t)it->n)
		return (double)NAN;
	return distance_class(it->a, it->b, it->first, it->n, (size_t)it->label, DISTANCE_TOP_K);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static size_t class_bin(double d)
{
	static const double from[CHECK_CLASS_BINS] = {16, 8, 4, 2, 1, 0};
	size_t i = 0;

	while (i + 1 < CHECK_CLASS_BINS && d < from[i])
		i++;
	return i;
}

/* NaN, which nothing is further from than, counts as the largest. */
static size_t mad_bin(double d)
{
	size_t i = 0;

	while (i + 1 < CHECK_MAD_BINS && d < 0.8 - 0.2 * (double)i)
		i++;
	return i;
}

static void note_item(struct check_pair *p, size_t item, double class, double mad, const struct check_options *o)
{
	double class_limit = o->class_limit > 0 ? o->class_limit : CHECK_CLASS_LIMIT;
	double mad_limit = o->mad_limit > 0 ? o->mad_limit : CHECK_MAD_LIMIT;
	int beyond = isnan(class) ? !(mad <= mad_limit) : !(class < class_limit);
	/* The most inconsistent item: by class, then by MAD; NaN is further than any number. */
	double by_class = isnan(mad) ? (double)INFINITY : isnan(class) ? 0 : class;
	double by_mad = isnan(mad) ? (double)INFINITY : mad;

	if (!p->items || by_class > p->worst_class || (by_class == p->worst_class && by_mad > p->worst_mad)) {
		p->worst_item = item;
		p->worst_class = by_class;
		p->worst_mad = by_mad;
	}
	p->items++;
	p->triggering += (size_t)beyond;
	p->mad_bins[mad_bin(mad)]++;
	if (!isnan(class))
		p->class_bins[class_bin(class)]++;
	p->max_class = isnan(p->max_class) || class > p->max_class ? class : p->max_class;
	p->max_mad = isnan(mad) || mad > p->max_mad ? mad : p->max_mad;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void compare_run(const struct check_result *r, struct check_pair *p, size_t run, const struct check_data *data,
			const struct check_options *o)
{
	struct item it = {check_output(&r->backends[p->a], run), check_output(&r->backends[p->b], run), 0, 0, -1, 0};
	size_t items;

	if (!it.a || !it.b || !tensor_same_shape(it.a, it.b))
		return;
	/* An output whose first dimension is the batch is split into items; any other is one item. */
	items = data->batch > 1 && it.a->rank > 0 && it.a->dims[0] == (int64_t)data->batch ? data->batch : 1;
	it.n = it.a->count / items;
	for (size_t i = 0; i < items; i++) {
		size_t item = run * data->batch + i;

		it.first = i * it.n;
		it.given = data->labels && data->labels[item] < (int64_t)it.n;
		it.label = it.given ? data->labels[item] : voted_label(r, run, it.first, it.n);
		note_item(p, item, class_distance(&it), mad_distance(&it), o);
	}
}

static int same_pattern(const struct check_pair *a, const struct check_pair *b)
{
	return !memcmp(a->class_bins, b->class_bins, sizeof a->class_bins) &&
	       !memcmp(a->mad_bins, b->mad_bins, sizeof a->mad_bins);
}

/* Inconsistencies with the same pattern are one unique inconsistency. */
void check_number_patterns(struct check_result *r)
{
	r->n_unique = 0;
	for (size_t i = 0; i < r->n_pairs; i++) {
		struct check_pair *p = &r->pairs[i];

		for (size_t j = 0; j < i && p->inconsistent && !p->unique; j++)
			if (r->pairs[j].inconsistent && same_pattern(p, &r->pairs[j]))
				p->unique = r->pairs[j].unique;
		if (p->inconsistent && !p->unique)
			p->unique = (int)++r->n_unique;
	}
}

int check_compare(struct check_result *r, const struct check_data *data, const struct check_options *o, struct err *e)
{
	size_t n = r->n_backends;

	r->has_labels = data->labels != NULL;
	r->pairs = mem_array(n * (n - 1) / 2 + 1, sizeof *r->pairs);
	if (!r->pairs)
		return err_nomem(e, "pairs", n * n * sizeof *r->pairs);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++) {
			struct check_pair *p = &r->pairs[r->n_pairs];

			*p = (struct check_pair){.a = a, .b = b, .max_class = (double)NAN};
			for (size_t run = 0; run < data->n; run++)
				compare_run(r, p, run, data, o);
			p->inconsistent = p->triggering > 0 && (double)p->triggering >= o->share * (double)p->items;
			r->n_pairs += p->items > 0; /* a pair of which one side gave nothing is none */
		}
	check_number_patterns(r);
	return 0;
}
