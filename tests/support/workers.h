/* workers.h - for tests of the pool: the worker that misbehaves, and a look at what is left behind.
 *
 * Each test ends with no process, descriptor, mapping or folder more than it began with. */
#ifndef TESTS_SUPPORT_WORKERS_H
#define TESTS_SUPPORT_WORKERS_H

#include "worker/parent/worker.h"

extern struct worker_report worker_report; /* of the last request */
extern char worker_folder[];               /* TMPDIR of the tests */

int worker_group_setup(void **state);
int worker_group_teardown(void **state);
int worker_setup(void **state);
int worker_teardown(void **state);

struct worker_spec fault_spec(void);
struct worker *open_worker(const struct worker_spec *s, const struct worker_limits *limits);
struct worker *open_fault(void);
struct worker *open_raw(void); /* the one that lies */

/* INVOKE; the first output and the first element of the last one, when asked for. */
enum worker_result invoke_with(struct worker *w, const char *operation, const struct backend_argument *args,
			       size_t n_args, struct value **first, double *last);
enum worker_result invoke(struct worker *w, const char *operation);

void assert_result(enum worker_result got, enum worker_result wanted, const char *what);

/* The worker has been started again, and works. */
void assert_alive(struct worker *w, const char *after);

#endif
