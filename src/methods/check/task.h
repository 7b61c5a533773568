/* task.h - what an output of a model is for: which of CRADLE's two distances applies to it, and where its scores lie.
 *
 * The class-based distance (equations 1 and 2) is for outputs that are scores of classes, one vector of them an item
 * (class), one value an item that stands for two classes (binary), or one vector at each of many places (sequence,
 * segmentation).  All others, regression and detection, have the MAD-based distance (equations 3 and 4) alone. */
#ifndef METHODS_CHECK_TASK_H
#define METHODS_CHECK_TASK_H

#include "model/model.h"

enum check_task {
	CHECK_AUTO, /* by what the output is: see task_decide() */
	CHECK_CLASS,
	CHECK_BINARY,
	CHECK_REGRESSION,
	CHECK_SEGMENTATION,
	CHECK_SEQUENCE,
	CHECK_DETECTION,
	CHECK_TASKS
};

extern const char *const check_task_names[CHECK_TASKS + 1]; /* and NULL */

/* Where an item's scores lie in its share of an output.  classes 0: it has none. */
struct task_layout {
	enum check_task task;
	size_t items; /* of the tensor */
	size_t each;  /* elements of an item */
	size_t classes, places;
	size_t step;   /* elements from one score of a place to the next */
	int one_value; /* classes is 2: the value is the score of class 1, 1 - value that of class 0 */
	int is_logit;  /* … before a sigmoid */
};

/* What is known when the task of an output is decided. */
struct task_question {
	enum check_task asked;   /* by the user */
	const struct wire *wire; /* (optional) the output in the graph */
	int is_first;            /* the output that labels and targets belong to */
	int has_labels, has_targets;
	size_t labels_each; /* labels of an item */
	size_t batch;
};

/* The task of an output, by a value of it. */
enum check_task task_decide(const struct task_question *q, const struct tensor *y);

/* ERR_USAGE: a tensor of this shape cannot be what the task says. */
int task_layout_make(const struct task_question *q, enum check_task task, const struct tensor *y,
		     struct task_layout *out, struct err *e);

/* Score of class c at a place of item i. */
double task_score(const struct task_layout *l, const struct tensor *y, size_t item, size_t place, size_t c);

/* Whether the scores of a place follow each other in the tensor. */
int task_lies_side_by_side(const struct task_layout *l);
/* The class with the largest score at a place of an item; of equal ones the first. */
size_t task_best(const struct task_layout *l, const struct tensor *y, size_t item, size_t place);

#endif
