/* role.h - what parameters are by their names, where a registry says no more than "a tensor" or "a list of numbers".
 *
 * A library uses the same words for the same things: paddings have a row for each dimension, a sparse tensor is three
 * inputs called indices, values and shape, axes are below the rank.  A role says the shape of such an input in terms of
 * the main shape of a call, and which numbers it may hold.  methods/equiv/roles.h makes shapes and numbers of it. */
#ifndef LIBRARIES_ROLE_H
#define LIBRARIES_ROLE_H

/* Sizes of a shape.  1 to 9 stand for themselves. */
enum role_size {
	SIZE_END, /* of the list */
	SIZE_ITSELF_MAX = 9,
	/* several sizes of the main shape */
	SIZE_ALL,
	SIZE_BUT_FIRST,
	SIZE_BUT_LAST,
	SIZE_WINDOW, /* a small size for each spatial dimension */
	/* one */
	SIZE_FIRST,
	SIZE_SECOND, /* channels, where they stand before the spatial dimensions */
	SIZE_LAST_BUT_ONE,
	SIZE_LAST,
	SIZE_TWICE_LAST,
	SIZE_FOUR_TIMES_LAST,
	SIZE_RANK,          /* how many sizes the main shape has */
	SIZE_TWICE_RANK,    /* a number before and one behind each */
	SIZE_SPATIAL,       /* how many of them are spatial: all but two */
	SIZE_SPARSE,        /* elements of a sparse tensor */
	SIZE_OUTPUTS,       /* output channels */
	SIZE_OUTPUTS_OF_ALL /* those of each of the last */
};

/* Numbers that a tensor, or an attribute, holds. */
enum role_numbers {
	NUMBERS_ANY,    /* drawn as those of any other */
	NUMBERS_SELDOM, /* likewise, and seldom given */
	/* the same for all inputs of a plan */
	NUMBERS_SMALL,       /* 1 to 4 */
	NUMBERS_BIT,         /* 0 or 1 */
	NUMBERS_COUNTING,    /* 0, 1, 2 … */
	NUMBERS_PAIRED,      /* 0, 0, 1, 1 …: ids that do not fall */
	NUMBERS_AXIS,        /* from -rank up to rank */
	NUMBERS_PERMUTATION, /* of 0 … n - 1 */
	NUMBERS_SIZES,       /* of the main shape */
	NUMBERS_FIRST_SIZE,
	NUMBERS_SPLITS,      /* 0, then the first size */
	NUMBERS_INDEX,       /* below the smallest size */
	NUMBERS_COORDINATES, /* of elements of a sparse tensor, in order */
	NUMBERS_WINDOW,      /* 1, small numbers for spatial dimensions, 1 */
	NUMBERS_SPATIAL,     /* the small numbers alone */
	NUMBERS_OUTPUTS,     /* how many output channels there are */
	NUMBERS_LISTED,      /* how many tensors a list of them has */
	NUMBERS_FILTER,      /* sizes of a filter */
	NUMBERS_CORNERS,     /* of a box: 0, 0, 1, 1 */
	NUMBERS_RANGE,       /* -1, then 1 */
	/* other ones for each input */
	NUMBERS_UNIT, /* from 0 up to 1 */
	NUMBERS_POSITIVE,
	NUMBERS_NEGATIVE,
	/* one number */
	NUMBERS_CONSTANT = 100
};

#define CONSTANT(n) ((enum role_numbers)(NUMBERS_CONSTANT + (n))) /* n from -1 */
#define SHAPE(...) ((const unsigned char[]){__VA_ARGS__, SIZE_END})
#define SHAPE_SINGLE ((const unsigned char[]){SIZE_END}) /* a single number */
#define SHAPE_ANY NULL                                   /* drawn as that of any other */
/* Rows of a library's roles (tf_roles.def): of numbers, and of an attribute that is a text. */
#define ROLE(pattern, shape, numbers, rank) {pattern, shape, numbers, rank, NULL},
#define TEXT(pattern, texts, rank) {pattern, SHAPE_ANY, NUMBERS_ANY, rank, texts},
#define RANK_SPATIAL (-1) /* a batch, channels, and one to three spatial dimensions */

struct role {
	const char *pattern;        /* of "operation.parameter" */
	const unsigned char *shape; /* of enum role_size, up to SIZE_END; or SHAPE_ANY */
	enum role_numbers numbers;
	int rank;          /* that the main shape should have, or RANK_SPATIAL; 0: any */
	const char *texts; /* of a parameter that is a text, with bars between; NULL: it is none */
};

#endif
