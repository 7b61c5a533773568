/* blocks.h - the corpus of all operators, for tests of what the fuzzer draws. */
#ifndef TESTS_SUPPORT_BLOCKS_H
#define TESTS_SUPPORT_BLOCKS_H

#include "methods/fuzz/fuzz.h"

/* For a set-up of cmocka: 0, or what is wrong is printed. */
int blocks_load(struct corpus *out);

#endif
