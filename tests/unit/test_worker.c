/* test_worker.c - the pool against workers that behave, that die in every way, and that lie.
 *
 * Each test ends with a look at what is left: no process, no descriptor, no mapping, no folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/model.h"
#include "worker/pool.h"
#include "worker/spec.h"

static struct worker_report report;
static char folder[] = "/tmp/test-worker-XXXXXX"; /* TMPDIR of these tests */

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
	return (struct world){count_entries("/proc/self/fd"), count_mappings(), count_entries(folder)};
}

static struct world before;

static int setup(void **state)
{
	(void)state;
	before = look();
	return 0;
}

static int teardown(void **state)
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

static struct worker_spec fault_spec(void)
{
	return (struct worker_spec){.name = "fault", .program = FAULT_WORKER, .folder = ""};
}

static struct worker *open_worker(const struct worker_spec *s, const struct worker_limits *limits)
{
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	if (worker_open(s, limits, &w, &report, &e))
		fail_msg("%s (%s)", e.msg, report.stderr_tail);
	return w;
}

static struct worker *open_fault(void)
{
	struct worker_spec s = fault_spec();

	return open_worker(&s, NULL);
}

static struct worker *open_raw(void)
{
	char *args[] = {"raw", NULL};
	struct worker_spec s = fault_spec();

	s.args = args;
	return open_worker(&s, NULL);
}

static enum worker_result invoke_with(struct worker *w, const char *operation, const struct backend_argument *args,
				      size_t n_args, struct value **first, double *last)
{
	struct value **out = NULL;
	struct tensor **grads = NULL;
	size_t n_out = 0, n_grads = 0;
	enum worker_result r = worker_invoke(w, operation, args, n_args, 0, &out, &n_out, &grads, &n_grads, &report);

	assert_int_equal(r, report.result);
	if (r == WORKER_OK) {
		if (first)
			*first = value_ref(out[0]);
		if (last)
			*last = tensor_get(out[n_out - 1]->tensor, 0);
		for (size_t i = 0; i < n_out; i++)
			value_unref(out[i]);
		for (size_t i = 0; i < n_grads; i++)
			tensor_unref(grads[i]);
		mem_free(out);
		mem_free(grads);
	}
	return r;
}

static enum worker_result invoke(struct worker *w, const char *operation)
{
	return invoke_with(w, operation, NULL, 0, NULL, NULL);
}

static void assert_result(enum worker_result got, enum worker_result wanted, const char *what)
{
	if (got != wanted)
		fail_msg("%s: got %s (%s), wanted %s", what, worker_result_name(got), report.message,
			 worker_result_name(wanted));
}

/* The worker has been started again, and works. */
static void assert_alive(struct worker *w, const char *after)
{
	assert_result(invoke(w, "ok"), WORKER_OK, after);
	assert_string_equal(worker_library(w), "faulty");
}

static struct value *ramp(enum dtype t, int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(t, 1, &n, &e), *packed;
	struct value *v;

	assert_non_null(wide);
	for (int64_t i = 0; i < n; i++) {
		if (dtype_wide(t) == WIDE_F64)
			wide->f[i] = (double)(i % 1000);
		else
			wide->i[i] = i % 100;
	}
	packed = tensor_pack(wide, &e);
	assert_non_null(packed);
	tensor_unref(wide);
	v = value_tensor(packed, &e);
	assert_non_null(v);
	return v;
}

static void assert_same_tensor(const struct tensor *a, const struct tensor *b)
{
	assert_int_equal(a->dtype, b->dtype);
	assert_true(tensor_same_shape(a, b));
	if (a->dtype == DT_STRING) {
		for (size_t i = 0; i < a->count; i++) {
			assert_int_equal(a->s[i].n, b->s[i].n);
			assert_memory_equal(a->s[i].p, b->s[i].p, a->s[i].n);
		}
	} else if (a->count) {
		assert_memory_equal(a->data, b->data, dtype_packed_size(a->dtype, a->count));
	}
}

static void assert_same_value(const struct value *a, const struct value *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->n, b->n);
	if (a->kind == VALUE_TENSOR)
		assert_same_tensor(a->tensor, b->tensor);
	for (size_t i = 0; i < a->n; i++)
		assert_same_value(a->items[i], b->items[i]);
}

static uint64_t load(struct worker *w)
{
	uint64_t session = 0;

	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &report), WORKER_OK, "load");
	return session;
}

/* Sends a value there and back; takes the reference. */
static void round_trip(struct worker *w, uint64_t session, struct value *v)
{
	struct named_value in = {"x", v}, *out = NULL;
	size_t n = 0;

	assert_non_null(v);
	assert_result(worker_run(w, session, &in, 1, NULL, 0, &out, &n, &report), WORKER_OK, "run");
	assert_int_equal(n, 1);
	assert_string_equal(out[0].name, "y");
	assert_same_value(out[0].value, v);
	worker_values_free(out, n);
	value_unref(v);
}

/* ---- workers that behave ----------------------------------------------------------------------------------------- */

static void test_hello(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_string_equal(worker_library(w), "faulty");
	assert_string_equal(worker_version(w), "1.2.3");
	assert_true(worker_can(w, "load"));
	assert_true(worker_can(w, "invoke"));
	assert_false(worker_can(w, "fly"));
	worker_close(w);
	worker_close(NULL);
}

static void test_values_there_and_back(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w);
	struct err e = ERR_INIT;
	struct tensor *strings = tensor_new_packed(DT_STRING, 2, (int64_t[]){1, 2}, &e);
	const int64_t sizes[] = {0, 1, 1024, 1025, 100000, 3000000, 10, 2000000};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		round_trip(w, session, ramp(DT_FLOAT, sizes[i]));
	round_trip(w, session, ramp(DT_UINT4, 9001));
	round_trip(w, session, ramp(DT_BOOL, 3));
	assert_non_null(strings);
	assert_int_equal(tensor_set_string(strings, 0, "a\0b", 3, &e), 0);
	round_trip(w, session, value_tensor(strings, &e));
	round_trip(w, session, value_sequence(DT_FLOAT, NULL, 0, &e));
	round_trip(w, session,
		   value_sequence(DT_FLOAT, (struct value *[]){ramp(DT_FLOAT, 3), ramp(DT_FLOAT, 70000)}, 2, &e));
	round_trip(w, session, value_optional(NULL, &e));
	round_trip(w, session,
		   value_optional(value_sequence(DT_INT64, (struct value *[]){ramp(DT_INT64, 5)}, 1, &e), &e));
	worker_close(w);
}

static void test_several_inputs_and_names(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w), other = load(w);
	struct named_value in[] = {{"a", ramp(DT_FLOAT, 5000)}, {"b", ramp(DT_DOUBLE, 5000)}}, *out;
	const char *names[] = {"p", "q", "r"};
	size_t n = 0;

	(void)state;
	assert_result(worker_run(w, session, in, 2, names, 3, &out, &n, &report), WORKER_OK, "run");
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(out[i].name, names[i]);
		assert_same_value(out[i].value, in[0].value);
	}
	worker_values_free(out, n);
	assert_result(worker_unload(w, session, &report), WORKER_OK, "unload");
	assert_result(worker_unload(w, session, &report), WORKER_REJECTED, "unload again");
	assert_result(worker_run(w, session, in, 2, NULL, 0, &out, &n, &report), WORKER_REJECTED, "run unloaded");
	assert_non_null(strstr(report.message, "no session"));
	assert_result(worker_run(w, other, in, 2, NULL, 0, &out, &n, &report), WORKER_OK, "run the other");
	worker_values_free(out, n);
	value_unref(in[0].value);
	value_unref(in[1].value);
	worker_close(w);
}

static void test_large_model(void **state)
{
	struct worker *w = open_fault();
	size_t n = (size_t)5 << 20;
	char *model = mem_zalloc(n);
	uint64_t session;

	(void)state;
	assert_non_null(model);
	assert_result(worker_load(w, model, n, NULL, 0, &session, &report), WORKER_REJECTED, "no model");
	assert_string_equal(report.message, "no model");
	model[n - 1] = 'm';
	assert_result(worker_load(w, model, n, NULL, 0, &session, &report), WORKER_OK, "model");
	mem_free(model);
	worker_close(w);
}

static void test_gradients(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w);
	struct named_value in = {"x", ramp(DT_FLOAT, 7)}, seed = {"y", ramp(DT_FLOAT, 2000)};
	const char *wanted[] = {"x", "w"};
	struct tensor *grads[2];

	(void)state;
	assert_result(worker_backward(w, session, &in, 1, &seed, 1, wanted, 2, grads, &report), WORKER_OK, "backward");
	for (int i = 0; i < 2; i++) {
		assert_same_tensor(grads[i], seed.value->tensor);
		tensor_unref(grads[i]);
	}
	value_unref(in.value);
	value_unref(seed.value);
	worker_close(w);
}

static void test_arguments(void **state)
{
	struct worker *w = open_fault();
	struct value *big = ramp(DT_FLOAT, 50000), *three = ramp(DT_INT32, 4), *first = NULL;
	const struct backend_argument args[] = {
		{.name = "x", .kind = ARG_TENSOR, .tensor = big},
		{.name = "i", .kind = ARG_INT, .i = -3},
		{.name = "f", .kind = ARG_FLOAT, .f = 0.5},
		{.name = "s", .kind = ARG_STRING, .s = "four"},
		{.name = "b", .kind = ARG_BOOL, .i = 1},
		{.name = "t", .kind = ARG_DTYPE, .i = DT_DOUBLE},
		{.name = "ints", .kind = ARG_INTS, .ints = (int64_t[]){100, -200}, .n = 2},
		{.name = "floats", .kind = ARG_FLOATS, .floats = (double[]){0.25}, .n = 1},
		{.name = "strings", .kind = ARG_STRINGS, .strings = (const char *[]){"a", "bc"}, .n = 2},
		{.name = "tensors", .kind = ARG_TENSORS, .tensors = (struct value *[]){three, three}, .n = 2},
		{.name = "none", .kind = ARG_NONE},
	};
	double sum = 0;

	(void)state;
	assert_result(invoke_with(w, "ok", args, sizeof args / sizeof *args, &first, &sum), WORKER_OK, "ok");
	assert_same_value(first, big);
	assert_true(sum == -3 + 0.5 + 4 + 1 + DT_DOUBLE + 100 - 200 + 0.25 + 3 + 0);
	value_unref(first);
	value_unref(big);
	value_unref(three);
	worker_close(w);
}

static void test_list(void **state)
{
	struct worker *w = open_fault();
	struct arena a = ARENA_INIT;
	struct backend_operation *ops;
	size_t n = 0;

	(void)state;
	assert_result(worker_list(w, "flood", &a, &ops, &n, &report), WORKER_OK, "list");
	assert_int_equal(n, 2);
	assert_string_equal(ops[1].name, "flood-abort");
	assert_int_equal(ops[0].n_parameters, 1);
	assert_string_equal(ops[0].parameters[0].type, "tensor");
	assert_true(ops[0].parameters[0].is_input);
	assert_result(worker_list(w, "nothing", &a, &ops, &n, &report), WORKER_OK, "list");
	assert_int_equal(n, 0);
	arena_release(&a);
	worker_close(w);
}

static void test_statuses(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w);
	struct named_value in = {"x", ramp(DT_FLOAT, 3)}, *out;
	size_t n;

	(void)state;
	assert_result(invoke(w, "unsupported"), WORKER_UNSUPPORTED, "unsupported");
	assert_string_equal(report.message, "not here");
	assert_result(invoke(w, "rejected"), WORKER_REJECTED, "rejected");
	assert_result(invoke(w, "failed"), WORKER_REJECTED, "failed");
	assert_result(worker_run(w, session, &in, 1, NULL, 0, &out, &n, &report), WORKER_OK, "the session lives on");
	worker_values_free(out, n);
	assert_result(invoke(w, "memory"), WORKER_OOM, "memory");
	assert_alive(w, "memory");
	assert_result(worker_run(w, session, &in, 1, NULL, 0, &out, &n, &report), WORKER_REJECTED, "a session gone");
	assert_non_null(strstr(report.message, "started again"));
	value_unref(in.value);
	worker_close(w);
}

static void test_confirm(void **state)
{
	struct worker_spec s = fault_spec();
	struct named_value in = {"x", ramp(DT_FLOAT, 5000)}, *out;
	size_t n = 0;

	(void)state;
	assert_result(worker_confirm(&s, NULL, "m", 1, &in, 1, &out, &n, &report), WORKER_OK, "confirm");
	assert_same_value(out[0].value, in.value);
	worker_values_free(out, n);
	assert_result(worker_confirm(&s, NULL, "?", 1, &in, 1, &out, &n, &report), WORKER_REJECTED, "confirm");
	value_unref(in.value);
}

/* ---- workers that die -------------------------------------------------------------------------------------------- */

static void test_deaths(void **state)
{
	static const struct {
		const char *operation;
		enum worker_result result;
		int signal, status;
	} cases[] = {
		{"segfault", WORKER_CRASH, SIGSEGV, 0}, {"abort", WORKER_CRASH, SIGABRT, 0},
		{"exit", WORKER_CRASH, 0, 3},           {"half", WORKER_CRASH, SIGKILL, 0},
		{"garbage", WORKER_PROTOCOL, 0, 0},     {"orphan", WORKER_CRASH, 0, 5},
		{"close", WORKER_PROTOCOL, 0, 0},
	};
	struct worker *w = open_fault();

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_result(invoke(w, cases[i].operation), cases[i].result, cases[i].operation);
		assert_int_equal(report.signal, cases[i].signal);
		assert_int_equal(report.exit_status, cases[i].status);
		assert_true(report.message[0] != '\0');
		assert_alive(w, cases[i].operation);
	}
	worker_close(w);
}

static void test_what_it_printed(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort");
	assert_string_equal(report.stderr_tail, "about to abort\n");
	assert_result(invoke(w, "rejected"), WORKER_REJECTED, "rejected");
	assert_string_equal(report.stderr_tail, "");
	worker_close(w);
}

static void test_flood(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "flood"), WORKER_OK, "flood");
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort"); /* what it prints is kept again */
	assert_string_equal(report.stderr_tail, "about to abort\n");
	assert_result(invoke(w, "flood-abort"), WORKER_CRASH, "flood-abort");
	assert_int_equal(strlen(report.stderr_tail), sizeof report.stderr_tail - 1);
	assert_alive(w, "flood-abort");
	worker_close(w);
}

static void test_hang(void **state)
{
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.run_seconds = 1});

	(void)state;
	assert_result(invoke(w, "hang"), WORKER_HANG, "hang");
	assert_alive(w, "hang");
	assert_result(invoke(w, "late"), WORKER_HANG, "late"); /* its answer must not be taken for the next one's */
	assert_alive(w, "late");
	worker_close(w);
}

static void test_memory(void **state)
{
	struct worker_spec s = fault_spec();
	struct worker *w = open_worker(&s, &(struct worker_limits){.memory = (size_t)256 << 20});

	(void)state;
	assert_result(invoke(w, "allocate"), WORKER_OOM, "allocate");
	assert_alive(w, "allocate");
	worker_close(w);
}

static void test_close_without_answer(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "abort"), WORKER_CRASH, "abort");
	worker_close(w); /* the new one has not said HELLO yet */
}

/* ---- workers that lie -------------------------------------------------------------------------------------------- */

static void test_lies(void **state)
{
	static const char *const truths[] = {"truth", "grown", "cannot-shrink"};
	static const char *const lies[] = {
		"id",
		"status",
		"status-negative",
		"body",
		"no-body",
		"offset",
		"offset-near-end",
		"offset-overflow",
		"unaligned",
		"size",
		"dtype",
		"dtype-negative",
		"dims-negative",
		"dims-huge",
		"dims-overflow",
		"rank",
		"inline-short",
		"no-data",
		"strings",
		"no-tensor",
		"kind",
		"optional-of-two",
		"shm-size",
		"shm-too-large",
		"deep",
		"trailing",
		"cut",
		"length",
		"empty",
	};
	struct worker *w = open_raw();

	(void)state;
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
		assert_result(invoke(w, truths[i]), WORKER_OK, truths[i]);
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		assert_result(invoke(w, lies[i]), WORKER_PROTOCOL, lies[i]);
		assert_result(invoke(w, "truth"), WORKER_OK, lies[i]);
	}
	worker_close(w);
}

static void test_other_outputs(void **state)
{
	struct worker *w = open_raw();
	const char *names[] = {"y", "z"};
	struct named_value *out;
	uint64_t session;
	size_t n;

	(void)state;
	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &report), WORKER_OK, "load");
	assert_result(worker_run(w, session, NULL, 0, names, 1, &out, &n, &report), WORKER_PROTOCOL, "another name");
	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &report), WORKER_OK, "load");
	assert_result(worker_run(w, session, NULL, 0, names, 2, &out, &n, &report), WORKER_PROTOCOL, "too few");
	worker_close(w);
}

/* ---- isolation --------------------------------------------------------------------------------------------------- */

static void test_isolation(void **state)
{
	struct worker *w = open_fault();

	(void)state;
	assert_result(invoke(w, "connect"), WORKER_REJECTED, "a socket of the internet");
	assert_result(invoke(w, "unix"), WORKER_OK, "a socket of this machine");
	assert_result(invoke(w, "descriptors"), WORKER_OK, "descriptors");
	assert_result(invoke(w, "litter"), WORKER_OK, "litter"); /* teardown sees that it goes away */
	worker_close(w);
}

static void test_dies_with_parent(void **state)
{
	int status;
	pid_t parent;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		struct worker_spec s = fault_spec();
		struct worker *w;
		struct err e = ERR_INIT;

		_exit(worker_open(&s, NULL, &w, &report, &e) ? 1 : 0);
	}
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(status, 0);
	for (int i = 0; i < 2; i++) /* the worker and the one it was forked from, which are ours now, end too */
		assert_true(waitpid(-1, &status, 0) > 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	{ /* nobody was left to remove its folder */
		DIR *d = opendir(folder);
		struct dirent *entry;

		assert_non_null(d);
		while ((entry = readdir(d)))
			if (entry->d_name[0] != '.')
				unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
		closedir(d);
	}
}

/* ---- workers that do not start ----------------------------------------------------------------------------------- */

static void assert_absent(const struct worker_spec *s, const struct worker_limits *limits, const char *why)
{
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	assert_true(worker_open(s, limits, &w, &report, &e) < 0);
	assert_null(w);
	assert_result(report.result, WORKER_ABSENT, why);
	if (!strstr(e.msg, why))
		fail_msg("'%s' does not say '%s'", e.msg, why);
}

static void test_absent(void **state)
{
	struct worker_spec s = fault_spec();
	struct backend_option start = {"start", "refuse"};

	(void)state;
	s.program = "/nonexistent/worker";
	assert_absent(&s, NULL, "No such file");
	s.program = "no-such-worker";
	assert_absent(&s, NULL, "No such file");
	s.program = "/bin/true";
	assert_absent(&s, NULL, "exited with status 0");
	s.program = FAULT_WORKER;
	s.options = &start;
	s.n_options = 1;
	assert_absent(&s, NULL, "no library in ''");
	start.value = "abort";
	assert_absent(&s, NULL, "signal 6");
	assert_string_equal(report.stderr_tail, "about to abort\n");
	start.value = "hang";
	assert_absent(&s, &(struct worker_limits){.init_seconds = 1}, "no answer within 1 seconds");
}

/* ---- failing allocations ----------------------------------------------------------------------------------------- */

static void test_no_memory_here(void **state)
{
	struct worker_spec s = fault_spec();
	struct value *v = ramp(DT_FLOAT, 5000);
	int done = 0;

	(void)state;
	for (size_t k = 1; !done; k++) {
		struct named_value in = {"x", v}, *out = NULL;
		struct worker *w = NULL;
		struct err e = ERR_INIT;
		uint64_t session;
		size_t n = 0;

		assert_true(k < 1000);
		mem_fail_after(k, 0);
		if (!worker_open(&s, NULL, &w, &report, &e) && !worker_load(w, "m", 1, NULL, 0, &session, &report) &&
		    !worker_run(w, session, &in, 1, NULL, 0, &out, &n, &report)) {
			done = mem_fail_after(0, 0) < k;
			worker_values_free(out, n);
		}
		mem_fail_after(0, 0);
		worker_close(w);
	}
	value_unref(v);
}

/* ---- in another language ----------------------------------------------------------------------------------------- */

/* y = x + x, serialized. */
static void make_double(struct buf *out)
{
	struct err e = ERR_INIT;
	struct type t = TYPE_INIT;
	const char *name = "y";
	struct model *m;
	struct node *n;
	struct wire *x;
	int rc = model_new(13, &m, &e);

	assert_int_equal(rc, 0);
	type_set(&t, DT_FLOAT, 1, (int64_t[]){-1});
	rc = graph_add_input(m->graph, "x", &t, &x, &e) ||
	     graph_add_node(m->graph, 0, "Add", "", (struct wire *[]){x, x}, 2, &name, 1, &n, &e) ||
	     graph_add_output(m->graph, n->out[0], &e) || model_serialize(m, out, &e);
	if (rc)
		fail_msg("%s", e.msg);
	model_free(m);
}

static struct value *run_double(struct worker *w, struct value *x)
{
	struct named_value in = {"x", x}, *out;
	struct value *y;
	struct buf model;
	uint64_t session;
	size_t n = 0;

	buf_init(&model, (size_t)1 << 20);
	make_double(&model);
	assert_result(worker_load(w, model.data, model.len, NULL, 0, &session, &report), WORKER_OK, "load");
	buf_release(&model);
	assert_result(worker_run(w, session, &in, 1, NULL, 0, &out, &n, &report), WORKER_OK, "run");
	assert_int_equal(n, 1);
	y = value_ref(out[0].value);
	worker_values_free(out, n);
	return y;
}

static void test_python(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;
	struct value *x, *y;
	struct worker *w;
	uint64_t session;

	(void)state;
	assert_int_equal(spec_make("exec:python3 workers/python/example_worker.py", &s, &e), 0);
	w = open_worker(&s, NULL);
	assert_string_equal(worker_library(w), "example");
	for (int k = 0; k < 2; k++) { /* inside the message, and in shared memory that must grow */
		x = ramp(DT_FLOAT, k ? 1000000 : 5);
		y = run_double(w, x);
		assert_int_equal(y->tensor->count, x->tensor->count);
		for (size_t i = 0; i < x->tensor->count; i++)
			if (tensor_get(y->tensor, i) != 2 * tensor_get(x->tensor, i))
				fail_msg("element %zu", i);
		value_unref(x);
		value_unref(y);
	}
	assert_result(worker_load(w, "not a model", 11, NULL, 0, &session, &report), WORKER_REJECTED, "load");
	assert_result(worker_load(w, "", 0, NULL, 0, &session, &report), WORKER_REJECTED, "load nothing");
	worker_close(w);
	spec_release(&s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_hello),
		TEST(test_values_there_and_back),
		TEST(test_several_inputs_and_names),
		TEST(test_large_model),
		TEST(test_gradients),
		TEST(test_arguments),
		TEST(test_list),
		TEST(test_statuses),
		TEST(test_confirm),
		TEST(test_deaths),
		TEST(test_what_it_printed),
		TEST(test_flood),
		TEST(test_hang),
		TEST(test_memory),
		TEST(test_close_without_answer),
		TEST(test_lies),
		TEST(test_other_outputs),
		TEST(test_isolation),
		TEST(test_dies_with_parent),
		TEST(test_absent),
		TEST(test_no_memory_here),
		TEST(test_python),
	};
	int failed;

	if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1))
		return 2;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
