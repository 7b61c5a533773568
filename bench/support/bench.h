/* bench.h - what the benches share: reports with bars, and models. */
#ifndef BENCH_SUPPORT_BENCH_H
#define BENCH_SUPPORT_BENCH_H

#include "base/err.h"
#include "model/model.h"

extern int bench_missed; /* 1 when some bar was: the exit status */

_Noreturn void bench_die(const struct err *e); /* exit status 2 */

/* One line: the measurement with its bar (INFINITY or 0: none). */
void bench_at_most(const char *what, double value, const char *unit, double bar);
void bench_at_least(const char *what, double value, const char *unit, double bar);

/* Ten nodes: Conv BN Relu MaxPool Conv Sigmoid Add GlobalAveragePool Flatten Gemm on 1x3x32x32. */
struct model *bench_make_ten(void);

/* A packed float32 tensor of an input's shape, always the same. */
struct tensor *bench_random_input(const struct wire *w);

#endif
