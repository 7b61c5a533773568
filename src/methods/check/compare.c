/* compare.c - distances between all pairs of backends (CRADLE §III-B).
 *
 * An item is one entry of a batch.  Each output has a task (task.h), which says where its scores lie.  Labels are
 * given, or else what most backends say is the largest score (the first of them on a tie), so that class-based
 * distances have a meaning without ground truth.  Ground truth of the MAD-based distance are the targets, or the
 * one-hot vector of a given label; without either it is zero, which makes it the relative difference of mean
 * magnitudes.  Labels and targets belong to the first output.
 *
 * An item's class-based distance is the largest over its outputs and places; so is its MAD-based one. */
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "judge/distance.h"
#include "methods/check/pattern.h"

const struct tensor *check_output(const struct check_backend *b, size_t run, size_t i)
{
	const struct value *v = run < b->n && i < b->runs[run].n ? b->runs[run].values[i] : NULL;

	return v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING && v->tensor->count ? v->tensor : NULL;
}

/* All that the comparison needs. */
struct comparison {
	struct check_result *r;
	const struct graph *graph; /* NULL: not known */
	const struct check_data *data;
	const struct check_options *o;
};

/* One output in one run: what its items are held against. */
struct view {
	struct task_layout layout;
	int64_t *labels; /* [items * places]; NULL: no scores */
	int given;       /* the labels, by the user */
	const struct tensor *targets;
	size_t run, output;
	const struct tensor *like; /* a value of the output in this run; NULL: there is none */
	struct tensor *scores[2];  /* of a place, where they do not lie side by side */
};

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* The first backend's value of an output, in one run or in any. */
static const struct tensor *some_output(const struct check_result *r, size_t run, size_t i)
{
	const struct tensor *y = NULL;

	for (size_t k = 0; k < r->n_backends && !y; k++)
		y = check_output(&r->backends[k], run, i);
	return y;
}

struct task_question check_question(const struct graph *g, const struct check_data *d, const struct check_options *o,
				    size_t i)
{
	return (struct task_question){.asked = o->task,
				      .wire = g && i < g->outputs.n ? g->outputs.at[i] : NULL,
				      .is_first = i == 0,
				      .has_labels = d->labels != NULL,
				      .has_targets = d->targets != NULL,
				      .labels_each = d->labels_each ? d->labels_each : 1,
				      .batch = d->batch};
}

static size_t count_outputs(const struct check_result *r)
{
	size_t n = 0;

	for (size_t k = 0; k < r->n_backends; k++)
		for (size_t run = 0; run < r->backends[k].n; run++)
			n = r->backends[k].runs[run].n > n ? r->backends[k].runs[run].n : n;
	return n;
}

/* What the user gave must be of use for the first output. */
static int check_truth(const struct comparison *c, const struct task_layout *l, struct err *e)
{
	const struct check_data *d = c->data;
	size_t labels = d->labels_each ? d->labels_each : 1;
	size_t targets = d->targets ? d->targets->count / (size_t)d->targets->dims[0] : 0;

	if (d->targets && l->classes)
		return err_set(e, ERR_USAGE, "--targets is for a regression, and the task is %s: give --labels",
			       check_task_names[l->task]);
	if (d->targets && targets != l->each)
		return err_set(e, ERR_INPUT, "there are %zu targets an item, the first output has %zu values", targets,
			       l->each);
	if (d->labels && l->classes && labels != l->places)
		return err_set(e, ERR_INPUT, "there are %zu labels an item, the first output has scores at %zu places",
			       labels, l->places);
	if (d->labels && !l->classes && l->each > 1)
		log_print(LOG_WARNING, "labels are not used: the task of the first output is %s, which takes --targets",
			  check_task_names[l->task]);
	return 0;
}

static int decide_tasks(const struct comparison *c, struct err *e)
{
	struct check_result *r = c->r;
	int rc = 0;

	r->n_tasks = count_outputs(r);
	r->tasks = mem_array(r->n_tasks + 1, sizeof *r->tasks);
	if (!r->tasks)
		return err_nomem(e, "outputs", r->n_tasks);
	for (size_t i = 0; i < r->n_tasks && !rc; i++) {
		struct task_question q = check_question(c->graph, c->data, c->o, i);
		const struct tensor *y = NULL;
		struct task_layout l;

		for (size_t run = 0; run < c->data->n && !y; run++)
			y = some_output(r, run, i);
		if (!y)
			continue; /* CHECK_AUTO: no numbers, not compared */
		r->tasks[i] = task_decide(&q, y);
		rc = task_layout_make(&q, r->tasks[i], y, &l, e);
		r->has_classes |= !rc && l.classes;
		if (!rc && i == 0)
			rc = check_truth(c, &l, e);
	}
	return rc;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Whether a backend's output is of the shape that the view is made for. */
static int fits(const struct tensor *y, const struct tensor *like)
{
	return y && tensor_same_shape(y, like);
}

/* What most backends say; of as many the first. */
static int64_t voted_label(const struct check_result *r, const struct view *v, size_t item, size_t place)
{
	int64_t best = 0;
	size_t votes = 0;

	for (size_t i = 0; i < r->n_backends; i++) {
		const struct tensor *mine = check_output(&r->backends[i], v->run, v->output);
		size_t label, same = 0;

		if (!fits(mine, v->like))
			continue;
		label = task_best(&v->layout, mine, item, place);
		for (size_t j = 0; j < r->n_backends; j++) {
			const struct tensor *other = check_output(&r->backends[j], v->run, v->output);

			same += fits(other, v->like) && task_best(&v->layout, other, item, place) == label;
		}
		if (same > votes) {
			votes = same;
			best = (int64_t)label;
		}
	}
	return best;
}

static int set_labels(const struct comparison *c, struct view *v, struct err *e)
{
	const struct task_layout *l = &v->layout;
	const int64_t *given = v->given ? c->data->labels + v->run * c->data->batch * l->places : NULL;

	v->labels = mem_array(l->items * l->places + 1, sizeof *v->labels);
	if (!v->labels)
		return err_nomem(e, "labels", l->items * l->places * sizeof *v->labels);
	for (size_t i = 0; i < l->items * l->places; i++) {
		v->labels[i] = given ? given[i] : voted_label(c->r, v, i / l->places, i % l->places);
		if (v->labels[i] >= (int64_t)l->classes)
			return err_set(e, ERR_INPUT, "label %lld of item %zu: the first output has %zu classes",
				       (long long)v->labels[i], v->run * c->data->batch + i / l->places, l->classes);
	}
	return 0;
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static void view_release(struct view *v)
{
	mem_free(v->labels);
	tensor_unref(v->scores[0]);
	tensor_unref(v->scores[1]);
}

/* For outputs of the shape of v->like. */
static int view_init(const struct comparison *c, struct view *v, struct err *e)
{
	struct task_question q = check_question(c->graph, c->data, c->o, v->output);
	int rc = task_layout_make(&q, c->r->tasks[v->output], v->like, &v->layout, e);
	int is_first = v->output == 0;

	if (rc)
		return rc;
	v->given = is_first && c->data->labels && (v->layout.classes || v->layout.each == 1);
	v->targets = is_first ? c->data->targets : NULL;
	if (!v->layout.classes)
		return 0;
	for (int k = 0; k < 2 && !task_lies_side_by_side(&v->layout); k++) {
		v->scores[k] = tensor_new(DT_DOUBLE, 1, (int64_t[]){(int64_t)v->layout.classes}, e);
		if (!v->scores[k])
			return e->code;
	}
	return set_labels(c, v, e);
}

/* ---- distances of one item --------------------------------------------------------------------------------------- */

/* The truth that a value is held against in equation 3. */
static double truth_of(const struct comparison *c, const struct view *v, size_t item, size_t k)
{
	const struct task_layout *l = &v->layout;
	size_t all = v->run * c->data->batch + item, place = k / (l->step * l->classes + !l->classes) * l->step;

	if (v->targets)
		return tensor_get(v->targets, all * l->each + k);
	if (!v->given)
		return 0;
	if (!l->classes)
		return (double)c->data->labels[all];
	if (l->one_value)
		return (double)v->labels[item * l->places + k];
	return v->labels[item * l->places + place + k % l->step] == (int64_t)(k / l->step % l->classes);
}

static double value_of(const struct view *v, const struct tensor *y, size_t item, size_t k)
{
	return v->layout.one_value ? task_score(&v->layout, y, item, k, 1) : tensor_get(y, item * v->layout.each + k);
}

/* Equations 3 and 4.  Elements that are NaN on both sides are the same there; NaN on one side stays NaN. */
static double mad_distance(const struct comparison *c, const struct view *v, const struct tensor *const y[2],
			   size_t item)
{
	double sum[2] = {0, 0};

	for (size_t k = 0; k < v->layout.each; k++) {
		double truth = truth_of(c, v, item, k), a = value_of(v, y[0], item, k), b = value_of(v, y[1], item, k);

		if (isnan(a) && isnan(b))
			continue;
		sum[0] += fabs(a - truth);
		sum[1] += fabs(b - truth);
	}
	return sum[0] == sum[1] ? 0 : fabs(sum[0] - sum[1]) / (sum[0] + sum[1]);
}

static double place_distance(const struct view *v, const struct tensor *const y[2], size_t item, size_t place)
{
	const struct task_layout *l = &v->layout;
	size_t label = (size_t)v->labels[item * l->places + place];

	if (task_lies_side_by_side(l))
		return distance_class(y[0], y[1], item * l->each + place * l->classes, l->classes, label,
				      DISTANCE_TOP_K);
	for (int side = 0; side < 2; side++)
		for (size_t k = 0; k < l->classes; k++)
			v->scores[side]->f[k] = task_score(l, y[side], item, place, k);
	return distance_class(v->scores[0], v->scores[1], 0, l->classes, label, DISTANCE_TOP_K);
}

/* The largest over the places; NaN where no place has one. */
static double class_distance(const struct view *v, const struct tensor *const y[2], size_t item)
{
	double worst = (double)NAN;

	for (size_t place = 0; v->labels && place < v->layout.places; place++) {
		double d = place_distance(v, y, item, place);

		if (isnan(worst) || d > worst)
			worst = d;
	}
	return worst;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* The items of two outputs of the view's shape. */
static void compare_items(const struct comparison *c, const struct view *v, const struct tensor *const y[2],
			  struct pattern_item *items)
{
	for (size_t i = 0; i < v->layout.items; i++)
		pattern_add(&items[i], class_distance(v, y, i), mad_distance(c, v, y, i), c->o);
}

/* One output of a pair in one run, into the distances of its items. */
static int compare_output(const struct comparison *c, const struct check_pair *p, const struct view *v,
			  struct pattern_item *items, struct err *e)
{
	const struct tensor *y[2] = {check_output(&c->r->backends[p->a], v->run, v->output),
				     check_output(&c->r->backends[p->b], v->run, v->output)};
	struct view own = {.run = v->run, .output = v->output, .like = y[0]};
	int rc = 0;

	if (!y[0] || !y[1])
		return 0;
	if (!tensor_same_shape(y[0], y[1])) { /* further than any number */
		for (size_t i = 0; i < c->data->batch; i++)
			pattern_add(&items[i], (double)NAN, (double)NAN, c->o);
	} else if (tensor_same_shape(y[0], v->like)) {
		compare_items(c, v, y, items);
	} else { /* these two agree on a shape that another backend does not give */
		rc = view_init(c, &own, e);
		if (!rc)
			compare_items(c, &own, y, items);
		view_release(&own);
	}
	return rc;
}

/* Views of all outputs in one run. */
static int make_views(const struct comparison *c, size_t run, struct view *views, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < c->r->n_tasks; i++) {
		views[i] = (struct view){.run = run, .output = i};
		views[i].like = c->r->tasks[i] ? some_output(c->r, run, i) : NULL;
		if (views[i].like && !rc)
			rc = view_init(c, &views[i], e);
	}
	return rc;
}

static int compare_run(const struct comparison *c, size_t run, struct view *views, struct pattern_item *items,
		       struct err *e)
{
	int rc = make_views(c, run, views, e);

	for (size_t k = 0; k < c->r->n_pairs && !rc; k++) {
		struct check_pair *p = &c->r->pairs[k];

		for (size_t i = 0; i < c->data->batch; i++)
			items[i] = PATTERN_ITEM_NONE;
		for (size_t i = 0; i < c->r->n_tasks && !rc; i++)
			if (views[i].like)
				rc = compare_output(c, p, &views[i], items, e);
		for (size_t i = 0; i < c->data->batch; i++)
			if (items[i].outputs)
				pattern_note(p, run * c->data->batch + i, &items[i]);
	}
	for (size_t i = 0; i < c->r->n_tasks; i++)
		view_release(&views[i]);
	return rc;
}

static int list_pairs(struct check_result *r, struct err *e)
{
	size_t n = r->n_backends;

	r->pairs = mem_array(n * (n - 1) / 2 + 1, sizeof *r->pairs);
	if (!r->pairs)
		return err_nomem(e, "pairs", n * n * sizeof *r->pairs);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			r->pairs[r->n_pairs++] = (struct check_pair){.a = a, .b = b, .max_class = (double)NAN};
	return 0;
}

/* A pair of which one side gave nothing is none. */
static void drop_empty_pairs(struct check_result *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_pairs; i++)
		if (r->pairs[i].items)
			r->pairs[kept++] = r->pairs[i];
	r->n_pairs = kept;
}

int check_compare(struct check_result *r, const struct graph *g, const struct check_data *data,
		  const struct check_options *o, struct err *e)
{
	struct comparison c = {r, g, data, o};
	struct pattern_item *items = mem_array(data->batch + 1, sizeof *items);
	struct view *views = NULL;
	int rc = items ? list_pairs(r, e) : err_nomem(e, "items", data->batch);

	r->has_labels = data->labels != NULL;
	r->has_targets = data->targets != NULL;
	if (!rc)
		rc = decide_tasks(&c, e);
	if (!rc && !(views = mem_array(r->n_tasks + 1, sizeof *views)))
		rc = err_nomem(e, "outputs", r->n_tasks);
	for (size_t run = 0; run < data->n && !rc; run++)
		rc = compare_run(&c, run, views, items, e);
	drop_empty_pairs(r);
	for (size_t i = 0; i < r->n_pairs; i++)
		r->pairs[i].inconsistent = check_share_reached(&r->pairs[i], o);
	pattern_number(r);
	mem_free(items);
	mem_free(views);
	return rc;
}
