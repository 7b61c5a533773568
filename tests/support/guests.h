/* guests.h - processes of tests/install/guest_threads.c: threads that use libassay for the first time at once. */
#ifndef TESTS_SUPPORT_GUESTS_H
#define TESTS_SUPPORT_GUESTS_H

#include "base/err.h"
#include "base/place.h"

#define GUESTS_MODELS 3
#define GUESTS_LINE 256

struct guests {
	char folder[PLACE_PATH]; /* of models, inputs and what the last process printed */
	char file[2 * GUESTS_MODELS][PLACE_PATH];
	char alone[GUESTS_LINE]; /* what a process with one thread printed */
};

enum guests_end { GUESTS_FAILED = -1, GUESTS_SAME, GUESTS_DIFFER, GUESTS_CRASHED };

/* Makes small networks with inputs, and asks a process with one thread. */
int guests_open(struct guests *g, struct err *e);
void guests_close(struct guests *g);

/* One process of so many threads: what became of it; *differ, unless NULL: threads with other bits than one alone has.
 * e says so where it did not go well. */
enum guests_end guests_run(struct guests *g, int threads, int *differ, struct err *e);

#endif
