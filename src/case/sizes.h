/* sizes.h - sizes of open dimensions that nobody gave: such that the model runs.
 *
 * A model bounds its sizes from below (a window, a cascade of poolings), from above (a table of positions) and fixes
 * them (a Reshape, a product with weights), and says so nowhere.  So sizes are tried: usual ones first, then others,
 * until shape inference finds no contradiction, no window slides over nothing, and, where that is cheap, the model
 * runs.  When none fits, the usual ones stay. */
#ifndef CASE_SIZES_H
#define CASE_SIZES_H

#include "model/model.h"

#define SIZE_OPEN (-1)

struct open_sizes {
	const struct graph *g;
	int64_t *symbols; /* by index in model->symbols; SIZE_OPEN */
	int64_t *axes;    /* by sizes_axis(): of dimensions without a name, or other than their name says; SIZE_OPEN */
	int64_t longest;  /* set by sizes_choose(): the largest length that was chosen; 0: none */
};

int sizes_init(struct open_sizes *s, const struct graph *g, struct err *e);
void sizes_release(struct open_sizes *s);

/* Where in `axes` an axis of an input is. */
size_t sizes_axis(size_t input, int axis);

/* What an axis of an input is; SIZE_OPEN: nobody said so far. */
int64_t sizes_get(const struct open_sizes *s, size_t input, int axis);

/* Whether the model runs with the sizes as they are now; poorly: with nothing or no numbers in an output. */
enum sizes_fit { SIZES_NOT, SIZES_POORLY, SIZES_WELL };
typedef enum sizes_fit sizes_try(void *arg);

/* Gives every size that is still open.  `runs` (NULL: not to be asked) is asked of small models only; where it was, the
 * last time is for the sizes that were chosen. */
void sizes_choose(struct open_sizes *s, sizes_try *runs, void *arg);

#endif
