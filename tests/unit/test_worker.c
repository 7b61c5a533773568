/* test_worker.c - the pool and workers that behave, in C and in Python. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"
#include "support/workers.h"
#include "worker/parent/spec.h"

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

	assert_result(worker_load(w, "m", 1, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	return session;
}

/* Sends a value there and back; takes the reference. */
static void round_trip(struct worker *w, uint64_t session, struct value *v)
{
	struct named_value in = {"x", v}, *out = NULL;
	size_t n = 0;

	assert_non_null(v);
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "run");
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
	assert_result(worker_run(w, session, &(struct backend_run){.in = {in, 2}, .wanted = {names, 3}}, &out, &n,
				 &worker_report),
		      WORKER_OK, "run");
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(out[i].name, names[i]);
		assert_same_value(out[i].value, in[0].value);
	}
	worker_values_free(out, n);
	assert_result(worker_unload(w, session, &worker_report), WORKER_OK, "unload");
	assert_result(worker_unload(w, session, &worker_report), WORKER_REJECTED, "unload again");
	assert_result(worker_run(w, session, &(struct backend_run){.in = {in, 2}}, &out, &n, &worker_report),
		      WORKER_REJECTED, "run unloaded");
	assert_non_null(strstr(worker_report.message, "no session"));
	assert_result(worker_run(w, other, &(struct backend_run){.in = {in, 2}}, &out, &n, &worker_report), WORKER_OK,
		      "run the other");
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
	assert_result(worker_load(w, model, n, NULL, 0, &session, &worker_report), WORKER_REJECTED, "no model");
	assert_string_equal(worker_report.message, "no model");
	model[n - 1] = 'm';
	assert_result(worker_load(w, model, n, NULL, 0, &session, &worker_report), WORKER_OK, "model");
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
	assert_result(worker_backward(w, session, &(struct backend_gradient){{&in, 1}, {&seed, 1}, {wanted, 2}}, grads,
				      &worker_report),
		      WORKER_OK, "backward");
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
		{.name = "empty", .kind = ARG_STRINGS, .n = 0},
	};
	double sum = 0;

	(void)state;
	assert_result(invoke_with(w, "ok", args, sizeof args / sizeof *args, &first, &sum), WORKER_OK, "ok");
	assert_same_value(first, big);
	assert_true(sum == -3 + 0.5 + 4 + 1 + DT_DOUBLE + 100 - 200 + 0.25 + 3 + 0 + 1000);
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
	assert_result(worker_list(w, "flood", &a, &ops, &n, &worker_report), WORKER_OK, "list");
	assert_int_equal(n, 2);
	assert_string_equal(ops[1].name, "flood-abort");
	assert_int_equal(ops[0].n_parameters, 1);
	assert_string_equal(ops[0].parameters[0].type, "tensor");
	assert_true(ops[0].parameters[0].is_input);
	assert_result(worker_list(w, "nothing", &a, &ops, &n, &worker_report), WORKER_OK, "list");
	assert_int_equal(n, 0);
	arena_release(&a);
	worker_close(w);
}

static void test_statuses(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w);
	struct named_value in = {"x", ramp(DT_FLOAT, 3)}, strange = {"x", ramp(DT_FLOAT, 0)}, *out;
	size_t n;

	(void)state;
	assert_result(invoke(w, "unsupported"), WORKER_UNSUPPORTED, "unsupported");
	assert_string_equal(worker_report.message, "not here");
	assert_result(invoke(w, "rejected"), WORKER_REJECTED, "rejected");
	assert_result(invoke(w, "failed"), WORKER_REJECTED, "failed");
	assert_result(invoke(w, "mistake"), WORKER_UNSUPPORTED, "a mistake of ours");
	assert_string_equal(worker_report.message, "a mistake of assay's own worker: no handle was made");
	assert_result(invoke(w, "limit"), WORKER_UNSUPPORTED, "a limit of ours");
	strange.value->tensor->dtype = 99;
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&strange, 1}}, &out, &n, &worker_report),
		      WORKER_UNSUPPORTED, "a type that the worker does not know");
	assert_string_equal(worker_report.message,
			    "a mistake of assay's own worker: value 'x': tensor '': type 99 is not known");
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "the session lives on");
	worker_values_free(out, n);
	assert_result(invoke(w, "memory"), WORKER_OOM, "memory");
	assert_alive(w, "memory");
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_REJECTED, "a session gone");
	assert_non_null(strstr(worker_report.message, "started again"));
	strange.value->tensor->dtype = DT_FLOAT;
	value_unref(strange.value);
	value_unref(in.value);
	worker_close(w);
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
		if (!worker_open(&s, NULL, &w, &worker_report, &e) &&
		    !worker_load(w, "m", 1, NULL, 0, &session, &worker_report) &&
		    !worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report)) {
			done = mem_fail_after(0, 0) < k;
			worker_values_free(out, n);
		}
		mem_fail_after(0, 0);
		assert_int_not_equal(worker_report.result, WORKER_PROTOCOL); /* the worker did nothing wrong */
		worker_close(w);
	}
	value_unref(v);
}

/* An answer that is longer than all that went before: reading it is ours, and so is a failure to. */
static void test_no_memory_for_an_answer(void **state)
{
	size_t failed = 0;
	int done = 0;

	(void)state;
	for (size_t k = 1; !done; k++) {
		struct worker *w = open_fault();
		struct backend_operation *list;
		struct arena a = ARENA_INIT;
		enum worker_result r;
		size_t n;

		assert_true(k < 1000);
		mem_fail_after(k, 0);
		r = worker_list(w, "long-name", &a, &list, &n, &worker_report);
		done = mem_fail_after(0, 0) < k;
		if (done || r != WORKER_UNSUPPORTED)
			assert_result(r, WORKER_OK, "a long answer");
		failed += r == WORKER_UNSUPPORTED;
		assert_alive(w, "an answer that was not read");
		arena_release(&a);
		worker_close(w);
	}
	assert_true(failed > 2); /* the frame, the message, the copy */
}

/* As much as tensors may hold is less than the answer. */
static void test_no_room_for_an_output(void **state)
{
	struct worker *w = open_fault();
	uint64_t session = load(w);
	struct named_value in = {"x", ramp(DT_FLOAT, 5000)}, *out = NULL;
	size_t n = 0;

	(void)state;
	tensor_memory_set_cap(tensor_memory_live() + 1000);
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_UNSUPPORTED, "run");
	tensor_memory_set_cap((size_t)1 << 30);
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "the same worker, once there is room");
	worker_values_free(out, n);
	value_unref(in.value);
	worker_close(w);
}

/* ---- in another language ----------------------------------------------------------------------------------------- */

/* y = x + x, serialized. */
static void make_double(struct buf *out)
{
	struct err e = ERR_INIT;
	struct type t = TYPE_INIT;
	struct model *m;
	struct node *n;
	struct wire *x;
	int rc = model_new(13, &m, &e);

	assert_int_equal(rc, 0);
	type_set(&t, DT_FLOAT, 1, (int64_t[]){-1});
	rc = graph_add_input(m->graph, "x", &t, &x, &e) ||
	     graph_append_node(m->graph, "Add", (struct wire *[]){x, x}, 2, "y", &n, &e) ||
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
	assert_result(worker_load(w, model.data, model.len, NULL, 0, &session, &worker_report), WORKER_OK, "load");
	buf_release(&model);
	assert_result(worker_run(w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &worker_report),
		      WORKER_OK, "run");
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
	assert_result(worker_load(w, "not a model", 11, NULL, 0, &session, &worker_report), WORKER_REJECTED, "load");
	assert_result(worker_load(w, "", 0, NULL, 0, &session, &worker_report), WORKER_REJECTED, "load nothing");
	worker_close(w);
	spec_release(&s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_hello),
		TEST(test_values_there_and_back),
		TEST(test_several_inputs_and_names),
		TEST(test_large_model),
		TEST(test_gradients),
		TEST(test_arguments),
		TEST(test_list),
		TEST(test_statuses),
		TEST(test_no_memory_here),
		TEST(test_no_memory_for_an_answer),
		TEST(test_no_room_for_an_output),
		TEST(test_python),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
