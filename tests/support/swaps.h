/* swaps.h - cases and pairs of backends for the tests of assay swap.  What fails ends the test. */
#ifndef TESTS_SUPPORT_SWAPS_H
#define TESTS_SUPPORT_SWAPS_H

#include "methods/swap/swap.h"

/* A network of the zoo with random weights and a random input. */
struct trial swaps_network(const char *name);

/* swap_run() with gradients from one backend to another, which must be there. */
struct swap_result swaps_run(struct trial *t, const char *base, const char *test);

#endif
