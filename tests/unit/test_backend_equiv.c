/* test_backend_equiv.c - the rows of data/equiv, and one operation for each rule over the registry, on the libraries
 * that are installed: quiet as they are, and all found when one side is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/processor.h"
#include "methods/equiv/equiv.h"
#include "worker/parent/spec.h"

static int has_set(const struct equiv_pair *p, const char *name)
{
	return p->sets[1] && !strcmp(p->sets[1], name);
}

/* Rows of float32 with the fault of Conv3D below, which oneDNN does not have.  TensorFlow uses that by default on
 * processors with VNNI alone. */
static int is_fault_without_onednn(const struct equiv_pair *p)
{
	if (p->rule == &rule_same_padding)
		return strstr(p->name, "3D narrow") != NULL;
	return p->rule == &rule_lower_rank && !strcmp(p->name, "AvgPool drawn");
}

/* MXNet's gradients of several recurrent layers are wrong in float64, 1.9.1's as well.  Keras 3.15.1 does not go on
 * training from a compiled model in a file .h5, and its sparsemax is wrong where two numbers are left.  TensorFlow's
 * Conv3D is wrong for wide strides, and its periodic window of an odd length is the symmetric one. */
static int is_fault_of_library(const struct equiv_pair *p)
{
	if (p->rule == &rule_saved && has_set(p, "resumed_h5"))
		return 1;
	return !p->api && ((p->rule == &rule_gradient && !strcmp(p->name, "RNN")) ||
			   (p->rule == &rule_unpad && !strcmp(p->name, "ExtractGlimpse")) /* windows of odd size */ ||
			   (p->rule == &rule_same_padding && !strcmp(p->name, "Conv3D narrow")) ||
			   (p->rule == &rule_images && strstr(p->name, "decode_and_crop_jpeg smoothed")) ||
			   (p->rule == &rule_formula && (strstr(p->name, "activations.sparsemax") ||
							 !strcmp(p->name, "tf.signal.hann_window odd"))) ||
			   (!processor_has_vnni() && is_fault_without_onednn(p)));
}

/* Each pair agrees on all inputs that the library takes, or each is found.  Differences tell nothing of some inputs. */
static void run_pairs(const char *backend, struct equiv_options *o, size_t at_least)
{
	struct err e = ERR_INIT;
	struct equiv q;

	if (equiv_open(&q, backend, "data/equiv", o, &e) || equiv_run(&q, o, &e))
		fail_msg("%s", e.msg);
	assert_true(q.n >= at_least);
	for (size_t i = 0; i < q.n; i++) {
		const struct equiv_result *r = &q.results[i];
		size_t answers = q.pairs[i].rule == &rule_gradient ? r->inputs - r->one_sided : r->inputs;
		int wrong = o->rows ? r->equal != answers : !r->equal || r->random || r->crashes;

		if (is_fault_of_library(&q.pairs[i]))
			continue;
		if (has_set(&q.pairs[i], "to_openvino") && r->one_sided == r->inputs) {
			printf("the Python package openvino is not there: %s is left out\n", q.pairs[i].name);
			continue;
		}
		if (o->plant != verdict_is_finding(r->found[0].verdict) || (!o->plant && wrong))
			fail_msg("%s, rule %s, %s %s: %zu of %zu agree, %s", backend, q.pairs[i].rule->id,
				 q.pairs[i].name, q.pairs[i].sets[1] ? q.pairs[i].sets[1] : "", r->equal, r->inputs,
				 r->found[0].detail);
	}
	equiv_release(&q);
}

static void run_rows(const char *backend, int plant)
{
	struct equiv_options o = {.inputs = 8, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .rows = 1, .plant = plant};

	run_pairs(backend, &o, 11);
}

static const char *const libraries[] = {"ort", "torch", "tf", "mxnet", "tfapi", "torchapi", "jaxapi", "kerasapi"};

/* In any version where none is named. */
static int is_version_installed(const char *name, const char *version)
{
	struct spec_installed_list l = {0};
	struct err e = ERR_INIT;
	int found = 0;

	if (spec_find_installed(name, &l, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < l.n; i++)
		found = found || !version || !strcmp(l.at[i].version, version);
	spec_installed_release(&l);
	return found;
}

static int is_installed(const char *name)
{
	return is_version_installed(name, NULL);
}

static void run_all(int plant)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		if (is_installed(libraries[i]))
			run_rows(libraries[i], plant);
		else
			printf("%s is not installed: left out\n", libraries[i]);
	}
}

/* An operation for each rule over the registry; pairs: one for each option set. */
struct one_of_rule {
	const char *backend, *rule, *api;
	size_t pairs;
};

static const struct one_of_rule every[] = {
	{"tf", "1", "Mul", 3},
	{"tf", "11", "Mul", 1},
	{"tf", "12", "Mul", 1},
	{"tf", "16", "Mul", 1},
	{"torch", "1", "aten::mul.Tensor", 1},
	{"torch", "12", "aten::mul.Tensor", 1},
	{"torch", "16", "aten::mul.Tensor", 1},
	{"torch", "17", "aten::mul_.Tensor", 1},
	{"torch", "18", "aten::mul.Tensor", 1},
	{"mxnet", "1", "elemwise_mul", 1},
	{"mxnet", "12", "elemwise_mul", 1},
	{"mxnet", "16", "elemwise_mul", 1},
	{"mxnet", "18", "elemwise_mul", 1},
	{"ort", "1", "Mul", 4},
	{"ort", "12", "Mul", 1},
	{"ort", "16", "Mul", 1},
	{"onnxsim", "1", "Mul", 1}, /* it checks models as ONNX has them: outputs have types */
	{"opencv", "1", "Mul", 2},  /* its worker has no list, as those of the next two: calls/caller.h */
	{"opencv", "12", "Mul", 1},
	{"ortweb", "1", "Mul", 1},
	{"rten", "1", "Mul", 1},
	{"openvino", "12", "Mul", 1},
	{"openvino", "16", "Mul", 1},
	{"kerasapi", "1", "keras.ops.multiply", 4}, /* installed by its name alone, as array libraries are */
	{"kerasapi", "12", "keras.ops.multiply", 1},
	{"kerasapi", "15", "keras.layers.Dense", 1},
	{"kerasapi", "16", "keras.layers.Dense", 10},
	{"torchapi", "15", "torch.nn.Sequential", 1},
	{"mxapi", "1", "mx.np.multiply", 3},
	{"mxapi", "12", "mx.np.multiply", 1},
	{"mxapi", "16", "mx.np.multiply", 1},
	{"mxapi", "24", "mx.np.maximum", 1},
	{"kerasapi", "24", "keras.ops.maximum", 4}, /* products of int8 overflow, in one library otherwise */
	{"openvino", "16", "Hardmax", 1},           /* constants of what was written and read again */
};

/* Documented functions of few forms, none of them of empty tensors: few inputs are enough, and each is compiled. */
static const struct one_of_rule documented[] = {
	{"torchapi", "1", "torch.outer", 4},       {"torchapi", "7", "torch.outer", 1},
	{"torchapi", "12", "torch.outer", 1},      {"torchapi", "16", "torch.outer", 1},
	{"torchapi", "16", "torch.nn.Linear", 5},  {"torchapi", "20", "torch.nn.functional.avg_pool2d", 2},
	{"torchapi", "21", "torch.outer", 1},      {"torchapi", "22", "torch.hypot", 2},
	{"torchapi", "23", "torch.outer", 3},      {"torchapi", "26", "torch.nn.Linear", 1},
	{"tfapi", "1", "tf.math.multiply", 6},     {"tfapi", "12", "tf.math.multiply", 1},
	{"tfapi", "16", "tf.math.multiply", 1},    {"tfapi", "21", "tf.math.multiply", 1},
	{"tfapi", "23", "tf.math.multiply", 3},    {"jaxapi", "1", "jax.numpy.multiply", 3},
	{"jaxapi", "12", "jax.numpy.multiply", 1}, {"jaxapi", "16", "jax.numpy.multiply", 1},
	{"jaxapi", "21", "jax.numpy.multiply", 1}, {"jaxapi", "23", "jax.numpy.multiply", 3},
	{"mxapi", "23", "mx.np.multiply", 1},      {"jaxapi", "18", "jax.numpy.multiply", 1},
	{"tfapi", "18", "tf.math.multiply", 1},
};

static void run_one_of_rule(const struct one_of_rule *x, size_t inputs, int plant)
{
	struct equiv_options o = {.inputs = inputs,
				  .atol = EQUIV_ATOL,
				  .rtol = EQUIV_RTOL,
				  .rule = x->rule,
				  .api = x->api,
				  .without = "inductor,export", /* each call takes long */
				  .plant = plant};

	if (is_installed(x->backend))
		run_pairs(x->backend, &o, x->pairs);
	else
		printf("%s is not installed: left out\n", x->backend);
}

static void run_every(int plant)
{
	/* the first plan that is taken may be one of empty tensors, and it is drawn again and again */
	for (size_t i = 0; i < sizeof every / sizeof *every; i++)
		run_one_of_rule(&every[i], plant ? 96 : 48, plant);
	for (size_t i = 0; i < sizeof documented / sizeof *documented; i++)
		run_one_of_rule(&documented[i], 12, plant);
}

static void operations_are_quiet(void **state)
{
	(void)state;
	run_every(0);
}

static void operations_with_a_fault_are_found(void **state)
{
	(void)state;
	run_every(1);
}

/* Rounds and jobs change nothing about a run that ends. */
static void rounds_give_what_one_run_gives(void **state)
{
	struct equiv_options once = {.inputs = 80, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .rule = "12", .api = "Re*"};
	struct equiv_options rounds = once;
	struct err e = ERR_INIT;
	struct equiv a, b;

	(void)state;
	rounds.seconds = 1e6;
	rounds.jobs = 2;
	if (!is_installed("ort"))
		skip();
	assert_int_equal(equiv_open(&a, "ort", "data/equiv", &once, &e), 0);
	assert_int_equal(equiv_open(&b, "ort", "data/equiv", &rounds, &e), 0);
	assert_true(!equiv_run(&a, &once, &e) && !equiv_run(&b, &rounds, &e));
	assert_true(a.n > 4);
	for (size_t i = 0; i < a.n; i++) {
		const struct equiv_result *x = &a.results[i], *y = &b.results[i];

		assert_true(x->done && y->done);
		assert_int_equal(x->inputs, y->inputs);
		assert_int_equal(x->equal, y->equal);
		assert_int_equal(x->calls, y->calls);
		assert_memory_equal(x->plans, y->plans, sizeof x->plans);
	}
	equiv_release(&a);
	equiv_release(&b);
}

/* How many pairs had been run when the first finding came, and how many came. */
struct heard {
	size_t run, n;
};

static int hear(const struct equiv *q, size_t pair, struct equiv_finding *f, void *arg, struct err *e)
{
	struct heard *h = arg;

	(void)pair;
	(void)e;
	assert_true(verdict_is_finding(f->verdict) && f->repeats > 0);
	for (size_t i = 0; i < q->n && !h->n; i++)
		h->run += (size_t)q->results[i].run;
	h->n += !f->handed; /* a smaller example of what was told is no other finding */
	return 0;
}

/* Findings are told as they come, and once more from a journal; not when all is over. */
static void findings_are_told_as_they_come(void **state)
{
	char path[] = "/tmp/assay-journal-XXXXXX";
	struct heard first = {0}, again = {0};
	struct equiv_options o = {.inputs = 4,
				  .atol = EQUIV_ATOL,
				  .rtol = EQUIV_RTOL,
				  .rule = "7",
				  .plant = 1,
				  .journal = path,
				  .found = hear,
				  .found_arg = &first};
	struct err e = ERR_INIT;
	struct equiv q;
	int fd = mkstemp(path);

	(void)state;
	if (!is_installed("ort"))
		skip();
	close(fd);
	assert_int_equal(equiv_open(&q, "ort", "data/equiv", &o, &e), 0);
	assert_int_equal(equiv_run(&q, &o, &e), 0);
	assert_true(first.n > 3);
	assert_int_equal(first.run, 1);
	assert_int_equal(first.n, equiv_totals(&q).findings);
	equiv_release(&q);
	o.found_arg = &again;
	assert_int_equal(equiv_open(&q, "ort", "data/equiv", &o, &e), 0);
	assert_int_equal(equiv_run(&q, &o, &e), 0); /* nothing is left to run */
	assert_int_equal(again.n, first.n);
	equiv_release(&q);
	unlink(path);
}

/* Operations that no call can be made of are told by the library's own lists, and types that it has no code for. */
static void tensorflow_lists_what_can_be_called(void **state)
{
	static const struct {
		const char *name, *unusable;
	} rows[] = {
		{"BoostedTreesBucketize", "it has no kernel for this processor"},
		{"BatchSvd", "the library withdrew it"},
		{"Assign", "it works on a variable by reference"},
		{"AsString", "it gives a handle or a text"},
		{"Cholesky", ""},
	};
	struct equiv_options o = {.api = "no such operation"};
	struct err e = ERR_INIT;
	struct equiv q;

	(void)state;
	if (!is_installed("tf"))
		skip();
	if (equiv_open(&q, "tf", "data/equiv", &o, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < q.registry.n; i++) {
		const struct backend_operation *op = q.registry.apis[i].op;

		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			if (!strcmp(op->name, rows[k].name))
				assert_string_equal(op->unusable, rows[k].unusable);
		if (!strcmp(op->name, "AddN")) /* by its definition also quantized types */
			for (size_t k = 0; k < op->parameters[2].n_allowed; k++)
				assert_string_not_equal(op->parameters[2].allowed[k], "qint8");
	}
	equiv_release(&q);
}

/* Processes that died, where all scripts end as `python` does. */
struct crash_counts {
	size_t told, checked, dropped;
};

static struct crash_counts count_crashes(const char *python)
{
	struct crash_counts n = {0};
	struct equiv_options o = {.inputs = 40,
				  .atol = EQUIV_ATOL,
				  .rtol = EQUIV_RTOL,
				  .seed = 1,
				  .rule = "1",
				  .api = "DrawBoundingBoxes",
				  .python = python};
	struct err e = ERR_INIT;
	struct equiv q;

	if (equiv_open(&q, "tf@2.4.1", "data/equiv", &o, &e) || equiv_run(&q, &o, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < q.n; i++) {
		n.told += verdict_is_finding(q.results[i].found[EQUIV_FAILURE].verdict);
		n.checked += q.results[i].found[EQUIV_FAILURE].checked;
		n.dropped += q.results[i].unshown;
	}
	equiv_release(&q);
	return n;
}

static void crashes_that_no_script_shows_are_dropped(void **state)
{
	struct crash_counts n;

	(void)state;
	if (!is_version_installed("tf", "2.4.1"))
		skip();
	n = count_crashes("false"); /* ends with 1: it shows */
	assert_true(n.told > 1 && !n.dropped);
	assert_int_equal(n.checked, 1); /* one script is enough for an operation */
	n = count_crashes("true");
	assert_true(!n.told && n.dropped);
}

static void rows_are_quiet(void **state)
{
	(void)state;
	run_all(0);
}

static void planted_faults_are_found(void **state)
{
	(void)state;
	run_all(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tensorflow_lists_what_can_be_called),
		cmocka_unit_test(crashes_that_no_script_shows_are_dropped),
		cmocka_unit_test(rows_are_quiet),
		cmocka_unit_test(planted_faults_are_found),
		cmocka_unit_test(rounds_give_what_one_run_gives),
		cmocka_unit_test(findings_are_told_as_they_come),
		cmocka_unit_test(operations_are_quiet),
		cmocka_unit_test(operations_with_a_fault_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
