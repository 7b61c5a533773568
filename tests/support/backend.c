/* backend.c - see backend.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "calls/caller.h"
#include "model/case.h"
#include "reference/reference.h"
#include "support/backend.h"
#include "support/onnx_invoke.h"
#include "worker/parent/spec.h"

#define MAX_INPUTS 8
#define MAX_MODEL ((size_t)1 << 20)

static struct worker_spec spec;
static struct worker *worker;

int backend_test_missing(const struct err *why)
{
	const char *required = getenv("ASSAY_REQUIRE_BACKENDS");
	int fails = required && *required && why->code != ERR_UNSUPPORTED;

	print_message("%s: %s\n", fails ? "ASSAY_REQUIRE_BACKENDS is set, and a library is not there" : "skipped",
		      why->msg);
	return fails ? 1 : BACKEND_SKIPPED;
}

void backend_skip(const struct err *why)
{
	if (backend_test_missing(why) == BACKEND_SKIPPED)
		skip();
	fail();
}

int backend_test_start(const char *name)
{
	struct worker_limits limits = {0};
	struct worker_report report;
	struct err e = ERR_INIT;

	if (spec_make(name, &spec, &e))
		return backend_test_missing(&e);
	if (!worker_open(&spec, &limits, &worker, &report, &e))
		return 0;
	print_message("%s\n", e.msg);
	spec_release(&spec);
	return 1;
}

void backend_test_stop(void)
{
	worker_close(worker);
	spec_release(&spec);
}

struct worker *backend_test_worker(void)
{
	return worker;
}

int backend_test_run(const char *name, const struct CMUnitTest *tests, size_t n)
{
	int rc = backend_test_start(name);

	if (rc)
		return rc;
	rc = _cmocka_run_group_tests(name, tests, n, NULL, NULL);
	backend_test_stop();
	return rc;
}

void backend_require(enum worker_result r, const struct worker_report *report)
{
	if (r != WORKER_OK)
		fail_msg("%s: %s", worker_result_name(r), report->message);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static int is_close(const struct tensor *a, const struct tensor *b, size_t i, double tolerance)
{
	double x, y;

	if (a->dtype == DT_STRING)
		return a->s[i].n == b->s[i].n && !memcmp(a->s[i].p, b->s[i].p, a->s[i].n);
	x = tensor_get(a, i);
	y = tensor_get(b, i);
	return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * (1 + fabs(y));
}

static void compare_tensors(const char *what, const char *name, const struct tensor *a, struct tensor *wide,
			    double tolerance)
{
	struct err e = ERR_INIT;
	struct tensor *b = tensor_pack(wide, &e);

	assert_non_null(b);
	if (a->dtype != b->dtype || !tensor_same_shape(a, b)) {
		char x[128], y[128];

		fail_msg("%s: '%s' is %s, expected %s", what, name, tensor_describe(a, x, sizeof x),
			 tensor_describe(b, y, sizeof y));
	}
	for (size_t i = 0; i < a->count; i++)
		if (!is_close(a, b, i, tolerance))
			fail_msg("%s: element %zu of '%s' is %.9g, expected %.9g", what, i, name,
				 a->dtype == DT_STRING ? NAN : tensor_get(a, i),
				 a->dtype == DT_STRING ? NAN : tensor_get(b, i));
	tensor_unref(b);
}

static void compare(const char *what, const char *name, const struct value *got, const struct value *want,
		    double tolerance)
{
	assert_int_equal(got->kind, want->kind);
	if (got->kind == VALUE_TENSOR) {
		compare_tensors(what, name, got->tensor, want->tensor, tolerance);
		return;
	}
	assert_int_equal(got->n, want->n);
	for (size_t i = 0; i < got->n; i++)
		compare(what, name, got->items[i], want->items[i], tolerance);
}

static void compare_with_reference(const char *what, struct model *m, struct value *const *in, size_t n_in,
				   const struct named_value *got, size_t n, double tolerance)
{
	struct ref_options o = {.mode = REF_ROUNDED};
	struct ref_result want = {.n = 0};
	struct err e = ERR_INIT;
	struct ref *ref = NULL;

	if (ref_open(m, &ref, &e) || ref_run(ref, in, n_in, &o, &want, &e))
		fail_msg("%s: %s", what, e.msg);
	assert_int_equal(n, want.n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(got[i].name, want.outputs[i].name);
		compare(what, got[i].name, got[i].value, want.outputs[i].value, tolerance);
	}
	ref_result_release(&want);
	ref_close(ref);
}

static size_t name_inputs(const struct model *m, struct value *const *in, size_t n, struct named_value *out)
{
	assert_true(n <= MAX_INPUTS);
	for (size_t i = 0; i < n; i++)
		out[i] = (struct named_value){m->graph->inputs.at[i]->name, in[i]};
	return n;
}

static void require_ok(enum worker_result r, const char *what, const struct worker_report *report)
{
	if (r != WORKER_OK)
		fail_msg("%s: %s: %s", what, worker_result_name(r), report->message);
}

static enum worker_result load(struct worker *w, const struct model *m, const char *const *outputs, size_t n_outputs,
			       uint64_t *session, struct worker_report *report)
{
	enum worker_result r;
	struct buf bytes;
	struct err e = ERR_INIT;

	buf_init(&bytes, MAX_MODEL);
	if (model_serialize(m, &bytes, &e))
		fail_msg("%s", e.msg);
	r = worker_load(w, bytes.data, bytes.len, outputs, n_outputs, session, report);
	buf_release(&bytes);
	return r;
}

/* A model, what is given to it, and (optional) wires that are outputs as well. */
struct model_run {
	const struct model *model;
	const struct named_value *in;
	size_t n_in;
	const char *const *outputs;
	size_t n_outputs;
};

/* Loads and runs it; on success *got is filled. */
static enum worker_result load_and_run(struct worker *w, const struct model_run *m, struct named_value **got, size_t *n,
				       struct worker_report *report)
{
	struct worker_report ignored;
	uint64_t session = 0;
	enum worker_result r = load(w, m->model, m->outputs, m->n_outputs, &session, report);

	if (r != WORKER_OK)
		return r;
	r = worker_run(w, session, &(struct backend_run){.in = {m->in, m->n_in}}, got, n, report);
	worker_unload(w, session, &ignored);
	return r;
}

/* ---- single operators -------------------------------------------------------------------------------------------- */

void backend_check_within(const char *line, double tolerance)
{
	struct worker_report report;
	struct named_value in[MAX_INPUTS], *got = NULL;
	struct model_run run;
	struct op_case c;
	struct err e = ERR_INIT;
	size_t n_in, n = 0;

	if (case_parse(line, 1, &c, &e))
		fail_msg("%s: %s", line, e.msg);
	n_in = name_inputs(c.model, c.inputs, c.n, in);
	run = (struct model_run){.model = c.model, .in = in, .n_in = n_in};
	require_ok(load_and_run(worker, &run, &got, &n, &report), line, &report);
	compare_with_reference(line, c.model, c.inputs, c.n, got, n, tolerance);
	worker_values_free(got, n);
	case_release(&c);
}

void backend_check(const char *line)
{
	backend_check_within(line, 1e-5);
}

void backend_check_lines(const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		backend_check(lines[i]);
}

/* *first, unless NULL: the first element of the first output. */
static enum worker_result try_line(struct worker *w, const char *line, double *first, struct worker_report *report)
{
	struct named_value in[MAX_INPUTS], *got = NULL;
	enum worker_result r;
	struct model_run m;
	struct op_case c;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (case_parse(line, 1, &c, &e))
		fail_msg("%s: %s", line, e.msg);
	m = (struct model_run){.model = c.model, .in = in, .n_in = name_inputs(c.model, c.inputs, c.n, in)};
	r = load_and_run(w, &m, &got, &n, report);
	if (r == WORKER_OK) {
		if (first)
			*first = tensor_get(got[0].value->tensor, 0);
		worker_values_free(got, n);
	}
	case_release(&c);
	return r;
}

enum worker_result backend_try(const char *line, struct worker_report *report)
{
	return try_line(worker, line, NULL, report);
}

enum worker_result backend_try_with(const char *name, const char *line, double *first, struct worker_report *report)
{
	struct worker_limits limits = {0};
	struct worker_spec other;
	enum worker_result r;
	struct worker *w = NULL;
	struct err e = ERR_INIT;

	if (spec_make(name, &other, &e) || worker_open(&other, &limits, &w, report, &e))
		fail_msg("%s", e.msg);
	r = try_line(w, line, first, report);
	worker_close(w);
	spec_release(&other);
	return r;
}

/* ---- what every library does ------------------------------------------------------------------------------------- */

/* Puts a node behind the only output of a case, which is an intermediate tensor from then on. */
static void put_behind(struct model *m, const char *op, const char *out)
{
	struct wire *w = m->graph->outputs.at[0];
	struct node *n;
	struct err e = ERR_INIT;

	graph_remove_output(m->graph, w);
	if (graph_append_node(m->graph, op, &w, 1, out, &n, &e) || graph_add_output(m->graph, n->out[0], &e))
		fail_msg("%s", e.msg);
}

void backend_test_lines(void **state)
{
	const struct backend_lines *lines = *state;

	backend_check_lines(lines->at, lines->n);
}

void backend_test_intermediates(void **state)
{
	const char *hidden[2];
	struct worker_report report;
	struct named_value in[MAX_INPUTS], *got = NULL;
	struct model_run run;
	struct op_case c;
	struct wire *w;
	struct err e = ERR_INIT;
	uint64_t session;
	size_t n_in, n = 0;

	(void)state;
	assert_int_equal(case_parse("MatMul-13 f32[2,3] f32[3,4]", 1, &c, &e), 0);
	w = c.model->graph->outputs.at[0];
	put_behind(c.model, "Relu", "between");
	put_behind(c.model, "Sigmoid", "last");
	hidden[0] = "between";
	hidden[1] = w->name;
	n_in = name_inputs(c.model, c.inputs, c.n, in);
	run = (struct model_run){.model = c.model, .in = in, .n_in = n_in, .outputs = hidden, .n_outputs = 2};
	require_ok(load_and_run(worker, &run, &got, &n, &report), "intermediates", &report);
	assert_int_equal(n, 3);
	assert_string_equal(got[0].name, "last");
	if (graph_add_output(c.model->graph, graph_wire(c.model->graph, "between"), &e) ||
	    graph_add_output(c.model->graph, w, &e))
		fail_msg("%s", e.msg);
	compare_with_reference("intermediates", c.model, c.inputs, c.n, got, n, 1e-5);
	worker_values_free(got, n);
	require_ok(load(worker, c.model, NULL, 0, &session, &report), "intermediates", &report);
	require_ok(worker_run(worker, session, &(struct backend_run){.in = {in, n_in}, .wanted = {hidden, 1}}, &got, &n,
			      &report),
		   "one of them", &report);
	assert_int_equal(n, 1);
	assert_string_equal(got[0].name, "between");
	worker_values_free(got, n);
	worker_unload(worker, session, &report);
	hidden[0] = "nowhere";
	run.n_outputs = 1;
	assert_int_equal(load_and_run(worker, &run, &got, &n, &report), WORKER_REJECTED);
	case_release(&c);
}

/* Relu behind the case's node; all tensors declared as [N,C], as exporters do. */
static void open_shapes(struct model *m)
{
	struct wire *x = m->graph->inputs.at[0], *y = m->graph->outputs.at[0];
	struct node *relu;
	struct err e = ERR_INIT;

	x->type.dims[0] = DIM_SYMBOL(model_symbol(m, "N"));
	x->type.dims[1] = DIM_SYMBOL(model_symbol(m, "C"));
	y->type = x->type;
	graph_remove_output(m->graph, y);
	assert_int_equal(graph_append_node(m->graph, "Relu", &y, 1, "last", &relu, &e), 0);
	relu->out[0]->type = x->type;
	assert_int_equal(graph_add_output(m->graph, relu->out[0], &e), 0);
}

void backend_test_dynamic_shapes(void **state)
{
	static const int64_t shapes[][2] = {{2, 3}, {5, 3}, {1, 1}, {2, 3}};
	struct worker_report report;
	struct op_case c;
	struct err e = ERR_INIT;
	uint64_t session;

	(void)state;
	assert_int_equal(case_parse("Softmax-13 f32[2,3] axis=1", 1, &c, &e), 0);
	open_shapes(c.model);
	require_ok(load(worker, c.model, NULL, 0, &session, &report), "dynamic", &report);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct tensor *x = tensor_zeros(DT_FLOAT, 2, shapes[i], &e);
		struct named_value in = {c.model->graph->inputs.at[0]->name, NULL}, *got = NULL;
		size_t n = 0;

		for (size_t k = 0; k < x->count; k++)
			x->f[k] = 0.25 * (double)k;
		in.value = value_tensor(tensor_pack(x, &e), &e);
		require_ok(worker_run(worker, session, &(struct backend_run){.in = {&in, 1}}, &got, &n, &report),
			   "dynamic", &report);
		compare_with_reference("dynamic", c.model, &in.value, 1, got, n, 1e-5);
		worker_values_free(got, n);
		value_unref(in.value);
		tensor_unref(x);
	}
	worker_unload(worker, session, &report);
	case_release(&c);
}

void backend_test_inputs(void **state)
{
	struct worker_report report;
	struct named_value in[MAX_INPUTS], swapped, *got = NULL;
	struct model_run run;
	struct op_case c;
	struct err e = ERR_INIT;
	size_t n = 0;

	(void)state;
	assert_int_equal(case_parse("Sub-14 f32[2,3] f32[3]", 1, &c, &e), 0);
	name_inputs(c.model, c.inputs, c.n, in);
	swapped = in[0];
	in[0] = in[1];
	in[1] = swapped;
	run = (struct model_run){.model = c.model, .in = in, .n_in = 2};
	require_ok(load_and_run(worker, &run, &got, &n, &report), "swapped inputs", &report);
	compare_with_reference("swapped inputs", c.model, c.inputs, c.n, got, n, 1e-5);
	worker_values_free(got, n);
	run.n_in = 1;
	assert_int_equal(load_and_run(worker, &run, &got, &n, &report), WORKER_REJECTED);
	assert_non_null(strstr(report.message, "issing")); /* in its own words */
	in[1].name = "nowhere";
	run.n_in = 2;
	assert_int_equal(load_and_run(worker, &run, &got, &n, &report), WORKER_REJECTED);
	case_release(&c);
}

void backend_test_rejections(void **state)
{
	struct worker_report report;
	struct named_value in[MAX_INPUTS], *got = NULL;
	struct model_run run;
	struct op_case c;
	struct err e = ERR_INIT;
	uint64_t session;
	size_t n = 0;

	(void)state;
	assert_int_equal(worker_load(worker, "no model", 8, NULL, 0, &session, &report), WORKER_REJECTED);
	assert_int_equal(case_parse("Relu-14 f32[2,3]", 1, &c, &e), 0);
	name_inputs(c.model, c.inputs, c.n, in);
	in[0].value = value_sequence(DT_FLOAT, NULL, 0, &e);
	run = (struct model_run){.model = c.model, .in = in, .n_in = 1};
	assert_int_equal(load_and_run(worker, &run, &got, &n, &report), WORKER_UNSUPPORTED);
	value_unref(in[0].value);
	case_release(&c);
}

void backend_test_invoke(void **state)
{
	struct caller c = {.worker = worker};

	(void)state;
	check_onnx_invoke(&c);
	caller_release(&c);
}

void backend_test_list(void **state)
{
	struct worker_report report;
	struct arena arena = ARENA_INIT;
	struct backend_operation *ops = NULL;
	struct caller c = {.worker = worker};
	size_t n = 0;

	(void)state;
	require_ok(caller_list(&c, "ConvT", &arena, &ops, &n, &report), "list", &report);
	assert_int_equal(n, 1);
	assert_string_equal(ops[0].name, "ConvTranspose");
	assert_string_equal(ops[0].parameters[0].name, "X");
	arena_release(&arena);
}
