/* ml_transform.h - what ai.onnx.ml's models share: rows of X, labels, and what is done with scores at the end. */
#ifndef OPS_ML_ML_TRANSFORM_H
#define OPS_ML_ML_TRANSFORM_H

#include "ops/call.h"

/* In the order of TreeEnsemble's numbers. */
enum ml_transform { ML_NONE, ML_SOFTMAX, ML_LOGISTIC, ML_SOFTMAX_ZERO, ML_PROBIT, ML_TRANSFORM_COUNT };

/* Rows and features of input X; a vector is one row.  What is not known is DIM_UNKNOWN. */
int ml_rows(struct call *c, int64_t *rows, int64_t *features);

/* Reads the string attribute post_transform. */
int ml_transform_read(struct call *c, enum ml_transform *t);

/* Transforms the n scores of one row in place. */
void ml_transform_row(enum ml_transform t, double *scores, size_t n);

/* How far rounding may move a transformed score y, in unit roundoffs, beside what moves the score: 4 of itself; of a
 * logistic one 1 of itself and half of 1, since libraries compute 1 - 1 / (1 + e^x) as well. */
double ml_transform_noise(enum ml_transform t, double y);

/* Labels of a classifier, from classlabels_strings or <ints>: one of them must be there. */
struct ml_labels {
	const struct attr *strings, *ints;
	size_t n;
};

int ml_labels_read(struct call *c, const char *ints, struct ml_labels *l);
enum dtype ml_labels_dtype(const struct ml_labels *l);

/* Sets element i of output 0 to the label of the highest score (the first of equals). */
int ml_labels_store(struct call *c, const struct ml_labels *l, size_t i, const double *scores);

#endif
