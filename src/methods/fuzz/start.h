/* start.h - the corpus folder of another run as a start: its cases are run again, and what they cover is not new. */
#ifndef METHODS_FUZZ_START_H
#define METHODS_FUZZ_START_H

#include "base/vec.h"
#include "methods/fuzz/fuzz.h"

struct start {
	VEC(char *) folders; /* DIR/corpus/N, in order */
};

/* `folder`: what was given to the other run with -o. */
int start_open(const char *folder, struct start *out, struct err *e);
void start_release(struct start *s);
/* Tells a fuzzer what one of the cases covers. */
int start_learn(const struct start *s, size_t i, struct fuzzer *f, struct err *e);

#endif
