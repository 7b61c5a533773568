/* pattern.h - which items of a pair are beyond the thresholds, how distances are distributed, and which inconsistencies
 * are the same (CRADLE §III-B). */
#ifndef METHODS_CHECK_PATTERN_H
#define METHODS_CHECK_PATTERN_H

#include "methods/check/check.h"

/* One item of a pair, over its outputs. */
struct pattern_item {
	double class, mad; /* the largest; class NAN: no output has one */
	size_t outputs;    /* compared */
	int beyond;        /* some output is at or beyond its threshold */
	int by_mad;        /* some output has no class-based distance */
};

#define PATTERN_ITEM_NONE ((struct pattern_item){.class = (double)NAN})

/* Adds an output's distances; class NAN: it has none.  Where there is one it decides, otherwise the MAD-based one.  NaN
 * in the MAD-based one, NaN or another shape on one side, is further than any number. */
void pattern_add(struct pattern_item *it, double class, double mad, const struct check_options *o);
void pattern_note(struct check_pair *p, size_t item, const struct pattern_item *it);
/* Numbers the patterns of the inconsistent pairs, and counts those that are unique. */
void pattern_number(struct check_result *r);

#endif
