/* line_run.h - one line of the case language on a worker, against the reference. */
#ifndef TESTS_SUPPORT_LINE_RUN_H
#define TESTS_SUPPORT_LINE_RUN_H

#include "worker/parent/worker.h"

/* The result of loading and running it; `why` is the library's message when that is not WORKER_OK, and otherwise empty
 * unless an output differs from the reference's.  Lines that the reference does not run fail the test. */
enum worker_result line_run(struct worker *w, const char *line, char *why, size_t size);

#endif
