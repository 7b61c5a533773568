/* task.c - see task.h. */
#include "methods/check/task.h"

#include <math.h>
#include <string.h>

#include "judge/distance.h"
#include "judge/oracle.h"

const char *const check_task_names[CHECK_TASKS + 1] = {"auto",         "class",    "binary",   "regression",
						       "segmentation", "sequence", "detection"};

/* ---- where an output comes from ---------------------------------------------------------------------------------- */

static int is_one_of(const char *op, const char *const *names)
{
	while (*names && strcmp(op, *names) != 0)
		names++;
	return *names != NULL;
}

/* The node that computes an output, before those that only give it another shape or type. */
static const struct node *last_node(const struct wire *w)
{
	static const char *const movers[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Cast", NULL};
	const struct node *n = w ? w->producer : NULL;

	while (n && is_one_of(n->op_type, movers) && n->n_in && n->in[0])
		n = n->in[0]->producer;
	return n;
}

static int ends_in_sigmoid(const struct wire *w)
{
	static const char *const names[] = {"Sigmoid", "HardSigmoid", NULL};
	const struct node *n = last_node(w);

	return n && is_one_of(n->op_type, names);
}

static int ends_in_softmax(const struct wire *w)
{
	static const char *const names[] = {"Softmax", "LogSoftmax", NULL};
	const struct node *n = last_node(w);

	return n && is_one_of(n->op_type, names);
}

/* Softmax itself, over the last of several axes: classes lie there, as in networks that have channels last. */
static int is_softmax_of_last(const struct wire *w, int rank)
{
	const struct node *n = w ? w->producer : NULL;
	int64_t axis;

	if (!n || !ends_in_softmax(w) || n != last_node(w))
		return 0;
	/* not attr_int(): models are compared that assay cannot bind */
	axis = node_int(n, "axis", n->opset < 13 ? 1 : -1);
	return axis == -1 || axis == rank - 1;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* An output whose first dimension is the batch is cut into items; any other is one item. */
static int has_item_axis(const struct tensor *y, size_t batch)
{
	return y->rank > 0 && y->dims[0] == (int64_t)batch;
}

static size_t items_of(const struct tensor *y, size_t batch)
{
	return has_item_axis(y, batch) ? batch : 1;
}

/* Axes of an item. */
static int item_rank(const struct tensor *y, size_t batch)
{
	return y->rank - has_item_axis(y, batch);
}

/* The axis of the tensor that classes lie along. */
static int class_axis(const struct task_question *q, enum check_task task, const struct tensor *y)
{
	int last = y->rank - 1;

	return task == CHECK_SEQUENCE || is_softmax_of_last(q->wire, y->rank) ? last : has_item_axis(y, q->batch);
}

static size_t elements_after(const struct tensor *y, int axis)
{
	size_t n = 1;

	for (int i = axis + 1; i < y->rank; i++)
		n *= (size_t)y->dims[i];
	return n;
}

/* ---- which task -------------------------------------------------------------------------------------------------- */

/* Several vectors of scores: Softmax says so, or a label for each place. */
static enum check_task decide_places(const struct task_question *q, const struct tensor *y)
{
	size_t each = y->count / items_of(y, q->batch);
	int rank = item_rank(y, q->batch);
	int labelled = q->is_first && q->has_labels && q->labels_each > 1;

	if (rank < 2 || (!labelled && !ends_in_softmax(q->wire)))
		return CHECK_REGRESSION;
	if (labelled && y->dims[y->rank - 1] > 0 && each / (size_t)y->dims[y->rank - 1] == q->labels_each)
		return CHECK_SEQUENCE;
	if (labelled || rank > 2)
		return CHECK_SEGMENTATION;
	return CHECK_SEQUENCE;
}

enum check_task task_decide(const struct task_question *q, const struct tensor *y)
{
	size_t samples, classes, each = y->count / items_of(y, q->batch);

	if (q->asked == CHECK_REGRESSION || q->asked == CHECK_DETECTION || (q->asked != CHECK_AUTO && q->is_first))
		return q->asked;
	if ((q->is_first && q->has_targets) || !dtype_is_float(y->dtype))
		return CHECK_REGRESSION;
	if (each == 1)
		return ends_in_sigmoid(q->wire) ? CHECK_BINARY : CHECK_REGRESSION;
	if (ends_in_sigmoid(q->wire)) /* each value for itself: pixels, several labels */
		return CHECK_REGRESSION;
	if (oracle_scores(y, &samples, &classes))
		return CHECK_CLASS;
	if (item_rank(y, q->batch) == 1 && ends_in_softmax(q->wire))
		return CHECK_CLASS;
	return decide_places(q, y);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

static int refuse(const struct task_question *q, enum check_task task, const struct tensor *y, const char *expected,
		  struct err *e)
{
	char text[160];

	return err_set(e, ERR_USAGE, "--task %s: output '%s' is %s, expected %s", check_task_names[task],
		       q->wire ? q->wire->name : "", tensor_describe(y, text, sizeof text), expected);
}

static void set_one_value(const struct task_question *q, struct task_layout *l)
{
	l->classes = 2;
	l->one_value = 1;
	l->is_logit = q->wire && !ends_in_sigmoid(q->wire);
}

int task_layout_make(const struct task_question *q, enum check_task task, const struct tensor *y,
		     struct task_layout *out, struct err *e)
{
	struct task_layout l = {.task = task, .items = items_of(y, q->batch), .places = 1, .step = 1};
	int axis = class_axis(q, task, y);

	l.each = y->count / l.items;
	if (task == CHECK_CLASS || (task == CHECK_BINARY && l.each == 2)) {
		if (l.each < 2)
			return refuse(q, task, y, "two or more scores an item (one value: --task binary)", e);
		l.classes = l.each;
	} else if (task == CHECK_BINARY) {
		if (l.each != 1)
			return refuse(q, task, y, "one value an item", e);
		set_one_value(q, &l);
	} else if (task == CHECK_SEGMENTATION || task == CHECK_SEQUENCE) {
		if (item_rank(y, q->batch) < 2)
			return refuse(q, task, y, "classes and at least one more axis", e);
		l.classes = (size_t)y->dims[axis];
		l.step = elements_after(y, axis);
		l.places = l.each / l.classes;
		if (l.classes == 1)
			set_one_value(q, &l);
	}
	*out = l;
	return 0;
}

double task_score(const struct task_layout *l, const struct tensor *y, size_t item, size_t place, size_t c)
{
	size_t first = item * l->each;
	double x;

	if (!l->one_value)
		return tensor_get(y, first + place / l->step * l->step * l->classes + place % l->step + c * l->step);
	x = tensor_get(y, first + place);
	if (l->is_logit)
		x = 1 / (1 + exp(-x));
	return c ? x : 1 - x;
}

int task_lies_side_by_side(const struct task_layout *l)
{
	return l->step == 1 && !l->one_value;
}

size_t task_best(const struct task_layout *l, const struct tensor *y, size_t item, size_t place)
{
	size_t best = 0;

	if (task_lies_side_by_side(l))
		return distance_argmax(y, item * l->each + place * l->classes, l->classes);
	for (size_t c = 1; c < l->classes; c++)
		if (task_score(l, y, item, place, c) > task_score(l, y, item, place, best))
			best = c;
	return best;
}
