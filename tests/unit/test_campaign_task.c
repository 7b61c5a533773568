/* test_campaign_task.c - what a node checks before it runs a task: libraries are those that the campaign began with.
 *
 * A task runs this very program, which does nothing then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "methods/campaign/task.h"
#include "support/scratch.h"

static const char text[] = "time: 1h\nmethods:\n  - {method: fuzz, backends: [\"ort,tract\"], shards: 9}\n";

static const volatile sig_atomic_t never = 0;
static const char *ort_digest;
static int is_broken, verified;

/* ort is installed, tract was put there by hand. */
static int digest(const char *backend, char out[TASK_DIGEST], struct err *e)
{
	(void)e;
	snprintf(out, TASK_DIGEST, "%s", strcmp(backend, "ort") != 0 ? "" : ort_digest);
	return 0;
}

static int verify(const char *backend, struct err *e)
{
	assert_string_equal(backend, "ort");
	verified++;
	return is_broken ? err_set(e, ERR_INPUT, "'lib/libort.so' is not as it was installed") : 0;
}

static const struct task_hooks hooks = {digest, verify};

struct fixture {
	struct campaign_order order;
	struct ledger ledger;
};

/* A campaign of its own, with tasks that are written. */
static struct fixture begin(const char *name, size_t tasks)
{
	struct fixture f = {.ledger = {.lock = -1}};
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	ort_digest = "0123456789abcdef0123456789abcdef";
	is_broken = verified = 0;
	assert_int_equal(place_path(path, &e, "%s/order.yaml", scratch_folder), 0);
	assert_int_equal(buf_write_file(text, strlen(text), path, &e), 0);
	assert_int_equal(order_read(path, &f.order, &e), 0);
	assert_int_equal(place_path(path, &e, "%s/%s", scratch_folder, name), 0);
	assert_int_equal(ledger_open(path, &f.order, &f.ledger, &e), 0);
	for (size_t i = 0; i < tasks; i++) {
		const struct ledger_task t = {.split = {(int64_t)i, 9}, .slice = 1};

		assert_int_equal(vec_push(&f.ledger.tasks, t), 0);
		assert_int_equal(task_write(&f.ledger, &f.order, i, &hooks, &e), 0);
	}
	assert_int_equal(verified, 0); /* nodes do that */
	return f;
}

static void finish(struct fixture *f)
{
	ledger_close(&f->ledger);
	order_release(&f->order);
}

static struct task_result run_task(const struct fixture *f, size_t n)
{
	struct err e = ERR_INIT;
	struct task_result r;

	assert_int_equal(task_run(f->ledger.folder, n, &hooks, &never, &e), 0);
	assert_int_equal(task_read_result(f->ledger.folder, n, &r, &e), TASK_ENDED);
	return r;
}

/* The mark of this machine for a content of ort. */
static int has_mark(const struct fixture *f, const char *of)
{
	char host[64] = "", path[PLACE_PATH];
	struct err e = ERR_INIT;

	gethostname(host, sizeof host - 1);
	assert_int_equal(place_path(path, &e, "%s/nodes/%s-%.16s", f->ledger.folder, host, of), 0);
	return !access(path, F_OK);
}

static int has_run(const struct fixture *f, size_t n)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	assert_int_equal(task_path(f->ledger.folder, n, "log", path, &e), 0);
	return !access(path, F_OK);
}

static void files_are_checked_once(void **state)
{
	struct fixture f = begin("once", 3);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run_task(&f, i).status, 0);
		assert_true(has_run(&f, i));
		assert_int_equal(verified, 1);
	}
	assert_true(has_mark(&f, ort_digest));
	finish(&f);
}

static void other_files_are_refused(void **state)
{
	struct fixture f = begin("other", 2);
	struct task_result r;

	(void)state;
	assert_int_equal(run_task(&f, 0).status, 0);
	ort_digest = "fedcba9876543210fedcba9876543210";
	r = run_task(&f, 1);
	assert_int_equal(r.status, err_exit_status(ERR_INPUT));
	assert_non_null(strstr(r.why, "ort on "));
	assert_non_null(strstr(r.why, "other files are installed"));
	assert_false(has_run(&f, 1));
	assert_int_equal(verified, 1);
	assert_false(has_mark(&f, ort_digest));
	finish(&f);
}

/* Not marked as checked: the next task looks again. */
static void broken_files_are_refused(void **state)
{
	struct fixture f = begin("broken", 3);
	struct task_result r;

	(void)state;
	is_broken = 1;
	for (size_t i = 0; i < 2; i++) {
		r = run_task(&f, i);
		assert_int_equal(r.status, err_exit_status(ERR_INPUT));
		assert_non_null(strstr(r.why, "lib/libort.so"));
		assert_non_null(strstr(r.why, r.host));
		assert_false(has_run(&f, i));
		assert_int_equal(verified, 1 + (int)i);
		assert_false(has_mark(&f, ort_digest));
	}
	is_broken = 0;
	assert_int_equal(run_task(&f, 2).status, 0);
	assert_true(has_mark(&f, ort_digest));
	finish(&f);
}

/* A library that was put there by hand, and is an installed one on this node, is not the same. */
static void installed_later_is_refused(void **state)
{
	struct fixture f;
	struct task_result r;

	(void)state;
	f = begin("later", 0);
	ort_digest = "";
	assert_int_equal(vec_push(&f.ledger.tasks, ((struct ledger_task){.split = {0, 9}, .slice = 1})), 0);
	assert_int_equal(task_write(&f.ledger, &f.order, 0, &hooks, &(struct err)ERR_INIT), 0);
	ort_digest = "0123456789abcdef0123456789abcdef";
	r = run_task(&f, 0);
	assert_int_equal(r.status, err_exit_status(ERR_INPUT));
	assert_int_equal(verified, 0);
	finish(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_checked_once),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(broken_files_are_refused),
		cmocka_unit_test(installed_later_is_refused),
	};

	(void)argv;
	return argc > 1 ? 0 : cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
