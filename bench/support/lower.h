/* lower.h - faults in networks that are computed in bfloat16, and in networks with int8 between their nodes: is a fault
 * still told from what such a network is off by? */
#ifndef BENCH_SUPPORT_LOWER_H
#define BENCH_SUPPORT_LOWER_H

#include <stddef.h>

struct lower_tally {
	const char *name;
	size_t planted, open;  /* open: does what ONNX allows */
	size_t visible, found; /* of the others, visible: beyond what the roundings of such a network are */
	size_t clean, alarms, explained;
};

/* All faults of values (or `only` that), each in networks of four kinds, and `clean` networks without one. */
void lower_faults(const char *only, int list, int clean, struct lower_tally *bf16, struct lower_tally *int8);

#endif
