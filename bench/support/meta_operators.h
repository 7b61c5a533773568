/* meta_operators.h - the twenty operators of the paper on meta operators, as lines of data/cases. */
#ifndef BENCH_SUPPORT_META_OPERATORS_H
#define BENCH_SUPPORT_META_OPERATORS_H

#include <stddef.h>

struct meta_operator {
	const char *name, *line;
};

extern const struct meta_operator meta_operators[];
extern const size_t meta_operators_n;

#endif
