/* bench.h - what the benches share: options, reports with bars, and models. */
#ifndef BENCH_SUPPORT_BENCH_H
#define BENCH_SUPPORT_BENCH_H

#include "base/err.h"
#include "model/model.h"

extern int bench_missed; /* 1 when some bar was: the exit status */

_Noreturn void bench_die(const struct err *e); /* exit status 2 */
void bench_must(int rc, const struct err *e);  /* dies unless rc is 0 */

/* Where an option's value goes: one of the three.  The last row has no name. */
struct bench_option {
	const char *name;
	int *flag, *number;
	const char **text;
};

/* Reads the command line; what it does not know ends the bench with its usage. */
void bench_options(int argc, char **argv, const struct bench_option *rows, const char *usage);

/* One line: the measurement with its bar (INFINITY or 0: none). */
void bench_at_most(const char *what, double value, const char *unit, double bar);
void bench_at_least(const char *what, double value, const char *unit, double bar);

/* Sorts the numbers; the one in the middle. */
double bench_median(double *at, size_t n);

/* Ten nodes: Conv BN Relu MaxPool Conv Sigmoid Add GlobalAveragePool Flatten Gemm on 1x3x32x32. */
struct model *bench_make_ten(void);

/* A packed float32 tensor of an input's shape, always the same. */
struct tensor *bench_random_input(const struct wire *w);

#endif
