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
/* What one of the cases covers, as coverage_learn() takes it; the caller releases it, also after a failure. */
int start_notes(const struct start *s, size_t i, struct buf *out, struct err *e);
/* … all of them at once. */
int start_cover(const char *folder, struct coverage *into, struct err *e);

#endif
