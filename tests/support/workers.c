/* workers.c - see workers.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "support/workers.h"

struct worker_report worker_report;
char worker_folder[] = "/tmp/test-worker-XXXXXX";

/* ---- what is left behind ----------------------------------------------------------------------------------------- */

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int count_mappings(void)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		n += strstr(line, "memfd:") != NULL;
	fclose(f);
	return n;
}

struct world {
	int descriptors, mappings, folders;
};

static struct world look(void)
{
	return (struct world){count_entries("/proc/self/fd"), count_mappings(), count_entries(worker_folder)};
}

static struct world before;

int worker_setup(void **state)
{
	(void)state;
	before = look();
	return 0;
}

int worker_teardown(void **state)
{
	struct world after = look();

	(void)state;
	assert_int_equal(after.descriptors, before.descriptors);
	assert_int_equal(after.mappings, before.mappings);
	assert_int_equal(after.folders, before.folders);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child at all */
	assert_int_equal(errno, ECHILD);
	return 0;
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

struct worker_spec fault_spec(void)
{
	return (struct worker_spec){.name = "fault", .program = FAULT_WORKER, .folder = ""};
}

struct worker *open_worker(const struct worker_spec *s, const struct worker_limits *limits)
{
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	if (worker_open(s, limits, &w, &worker_report, &e))
		fail_msg("%s (%s)", e.msg, worker_report.stderr_tail);
	return w;
}

struct worker *open_fault(void)
{
	struct worker_spec s = fault_spec();

	return open_worker(&s, NULL);
}

struct worker *open_raw(void)
{
	char *args[] = {"raw", NULL};
	struct worker_spec s = fault_spec();

	s.args = args;
	return open_worker(&s, NULL);
}

enum worker_result invoke_with(struct worker *w, const char *operation, const struct backend_argument *args,
			       size_t n_args, struct value **first, double *last)
{
	struct backend_answer got = {0};
	enum worker_result r =
		worker_invoke(w, &(struct backend_call){operation, args, n_args, 0, 0}, &got, &worker_report);

	assert_int_equal(r, worker_report.result);
	if (r == WORKER_OK) {
		if (first)
			*first = value_ref(got.out[0]);
		if (last)
			*last = tensor_get(got.out[got.n_out - 1]->tensor, 0);
		backend_answer_free(&got);
	}
	return r;
}

enum worker_result invoke(struct worker *w, const char *operation)
{
	return invoke_with(w, operation, NULL, 0, NULL, NULL);
}

void assert_result(enum worker_result got, enum worker_result wanted, const char *what)
{
	if (got != wanted)
		fail_msg("%s: got %s (%s), wanted %s", what, worker_result_name(got), worker_report.message,
			 worker_result_name(wanted));
}

/* The worker has been started again, and works. */
void assert_alive(struct worker *w, const char *after)
{
	assert_result(invoke(w, "ok"), WORKER_OK, after);
	assert_string_equal(worker_library(w), "faulty");
}

int worker_group_setup(void **state)
{
	(void)state;
	return mkdtemp(worker_folder) && !setenv("TMPDIR", worker_folder, 1) ? 0 : -1;
}

int worker_group_teardown(void **state)
{
	(void)state;
	return remove(worker_folder);
}
