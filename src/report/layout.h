/* layout.h - where boxes and arrows of a picture go; Graphviz decides, nothing of it is seen outside layout.c. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct layout_box {
	double width, height; /* points, given */
	double x, y;          /* middle, from the upper left corner; set */
};

struct layout_arrow {
	size_t from, to; /* boxes, given */
	double *points;  /* x, y of a start and then of three control points each curve; set */
	size_t n;        /* points, 1 + 3 k; 0: Graphviz gave none */
};

struct layout {
	struct layout_box *box;
	size_t n_boxes;
	struct layout_arrow *arrow;
	size_t n_arrows;
	double width, height; /* of the whole; set */
};

/* Sets what is marked so; points are carved from `arena`.  One call at a time in a process: callers on other threads
 * wait. */
int layout_run(struct layout *l, struct arena *arena, struct err *e);

#endif
