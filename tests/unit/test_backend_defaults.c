/* test_backend_defaults.c - what libraries do when attributes are left out.
 *
 * Every library must be right: the bindings read ONNX's defaults, which are float32, from the operators' tables.  (What
 * they do when attributes are written out, all other tests of them show.)  A library that reads ONNX itself has faults
 * that no binding of ours can have; there it counts only what goes wrong by leaving out, which shows that it takes
 * other defaults than the tables say.  Each library is skipped, with the reason, where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "install/install.h"
#include "libraries/libraries.h"
#include "support/backend.h"
#include "support/default_cases.h"

static struct default_cases cases;

static const char *const readers[] = {"ort",      "ortweb",      "openvino",    "tract",   "cntk",     "mnn",
				      "opencv",   "rten",        "tinygrad",    "tvm",     "iree",     "onnxoptimizer",
				      "onnxslim", "onnxscript",  "onnxconvert", "onnxsim", "ortsaved", "onnxfloat16",
				      "ortquant", "ort-openvino"}; /* of ONNX */

#define AS_DOUBLE "the default is the nearest double, not the float32 that the specification has"

/* Faults of the libraries themselves: a library, and how lines begin. */
static const struct known {
	const char *library, *line, *why;
} known[] = {
	{"openvino", "Concat-1", "a valid model is refused"},
	{"ort-openvino", "Concat-1", "a valid model is refused"},
	{"openvino", "RoiAlign-", "coordinate_transformation_mode is not half_pixel when it is left out"},
	{"openvino", "Selu-1 ", "the defaults are those of Selu-6"},
	{"openvino", "SimplifiedLayerNormalization-", "another epsilon when it is left out"},
	{"openvino", "com.microsoft:EmbedLayerNormalization-", "refused when epsilon is left out"},
	{"openvino", "com.microsoft:RotaryEmbedding-", "refused when interleaved is left out"},
	{"tract", "Concat-1", "a valid model is refused"},
	{"tract", "Selu-", "alpha is that of Selu-6 and gamma that of Selu-1, whatever the version"},
	{"cntk", "Concat-1", "the axis is 0 when it is left out"},
	{"mnn", "Concat-1", "the axis is 0 when it is left out"},
	{"mnn", "Selu-1 ", "the defaults are those of Selu-6"},
	{"mnn", "MaxPool-", "dies of a division by zero when strides are left out"},
	{"mnn", "AveragePool-", "dies of a division by zero when strides are left out"},
	{"mnn", "LpPool-", "dies of a division by zero when strides are left out"},
	{"mnn", "Softmax-11", "the axis is -1 when it is left out"},
	{"mnn", "LogSoftmax-", "another result from run to run, or death, when the axis is left out"},
	{"mxnet", "Gelu-20 f64", "computes float64 in float32"},
	{"mxnet", "LeakyRelu-16 f64", "computes float64 in float32"},
	{"keras", "ReduceMean-18 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "MeanVarianceNormalization-13 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "LpNormalization-7 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "RNN-1 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "RNN-14 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "GRU-3 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "GRU-7 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "GRU-14 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "LSTM-1 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "LSTM-7 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"keras", "LSTM-14 f64", "mean, norm, tanh and var of float64 are computed in float32"},
	{"opencv", "Selu-1 ", "the defaults are those of Selu-6"},
	{"opencv", "Split-1 ", "the axis is the last one when it is left out"},
	{"opencv", "Resize-", "refused by the classic engine when the mode is left out"},
	{"opencv", "Upsample-9 ", "refused by the classic engine when the mode is left out"},
	{"tinygrad", "Selu-1 ", "the defaults are those of Selu-6"},
	{"tinygrad", "Selu-6 f64", AS_DOUBLE},
	{"tinygrad", "Concat-1 ", "a valid model is refused"},
	{"tinygrad", "GatherElements-", "refused when the axis is left out"},
	{"tinygrad", "ai.onnx.preview.training:Adagrad-1 f64", AS_DOUBLE},
	{"tinygrad", "HardSigmoid-7 f64", AS_DOUBLE},
	{"tinygrad", "LeakyRelu-16 f64", AS_DOUBLE},
	{"tinygrad", "Range-27 f64", "float64 comes as float32; stash_type written out is unsupported"},
	{"tinygrad", "Upsample-9 ", "refused when the mode is left out"},
	{"tinygrad", "BatchNormalization-15 f64", AS_DOUBLE},
	{"tvm", "Selu-1 ", "the defaults are those of Selu-6"},
	{"ortquant", "Selu-1 ", "the model gets opset 11, and the defaults are those of Selu-6"},
	{"tvm", "Concat-1 ", "the axis is 0 when it is left out"},
	{"tvm", "HardSigmoid-7 f64", AS_DOUBLE},
	{"tvm", "LeakyRelu-16 f64", AS_DOUBLE},
	{"tvm", "InstanceNormalization-7 f64", AS_DOUBLE},
	{"iree", "Selu-6 ", "the defaults are 1.67326 and 1.0507"},
	{"rten", "Concat-1 ", "a valid model is refused"},
	{"rten", "MaxPool-", "refused when strides are left out"},
	{"rten", "AveragePool-", "refused when strides are left out"},
	{"onnxconvert", "Selu-1 ", "it gets the defaults of Selu-6"},
	{"ncnn", "ReduceLogSumExp-13", "overflows where the sum of exponentials does"},
};

static const struct known *find_known(const char *library, const char *line)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].library, library) && !strncmp(known[i].line, line, strlen(known[i].line)))
			return &known[i];
	return NULL;
}

static int is_among(const char *const *names, size_t n, const char *library)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], library))
			return 1;
	return 0;
}

static int reads_onnx(const char *library)
{
	return is_among(readers, sizeof readers / sizeof *readers, library);
}

static int setup(void **state)
{
	(void)state;
	default_cases_open(&cases);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	default_cases_close(&cases);
	return 0;
}

/* Whether the library is right, or does not have it; why not is kept for the message. */
static int is_right(struct party *p, const struct default_case *c, int written, char *why, size_t size)
{
	struct trial t = default_cases_trial(c, written);
	struct outcome o;
	struct err e = ERR_INIT;
	int right;

	if (trial_judge(&t, p, NULL, &o, &e))
		fail_msg("%s: %s", c->line, e.msg);
	right = !verdict_is_finding(o.verdict);
	snprintf(why, size, "%s: %s, ratio %.3g", verdict_name(o.verdict), o.reason, o.ratio);
	outcome_release(&o);
	trial_release(&t);
	return right;
}

/* Whether leaving out goes wrong in a way that counts. */
static int check(struct party *p, const char *library, const struct default_case *c)
{
	char left_out[600], written[600];
	const struct known *fault;

	if (is_right(p, c, 0, left_out, sizeof left_out) ||
	    (!is_right(p, c, 1, written, sizeof written) && reads_onnx(library)))
		return 0;
	fault = find_known(library, c->line);
	if (fault) {
		print_message("%s: %s: known: %s\n", library, c->line, fault->why);
		return 0;
	}
	print_error("%s: %s\n    left out: %s\n    written out: %s\n", library, c->line, left_out, written);
	return 1;
}

/* Why a library is not there on purpose: it is not one of those that 'install all' gets. */
static int is_left_out(const char *name)
{
	struct spec_installed_list installed = VEC_INIT;
	struct lock_list locks = {0};
	struct err e = ERR_INIT;
	const struct lock *l;
	int out = 0;

	assert_int_equal(spec_find_installed(name, &installed, &e), 0);
	assert_int_equal(install_read_locks(&locks, &e), 0);
	l = install_find_lock(&locks, name);
	if (!installed.n && l && l->apart) {
		print_message("skipped: %s: not one of 'all': %s\n", name, l->apart);
		out = 1;
	}
	install_locks_release(&locks);
	spec_installed_release(&installed);
	return out;
}

static void test_library(void **state)
{
	const char *name = *state;
	struct worker_limits limits = {.init_seconds = 120, .run_seconds = 120};
	struct err e = ERR_INIT;
	struct party p;
	int wrong = 0;

	if (library_dialect(name)->forms) {
		print_message("skipped: %s calls functions and runs no models\n", name);
		skip();
	}
	if (is_left_out(name))
		skip();
	if (party_open(&p, name, &limits, &e))
		backend_skip(&e);
	for (size_t i = 0; i < cases.n; i++)
		wrong += check(&p, name, &cases.at[i]);
	party_close(&p);
	assert_int_equal(wrong, 0);
}

/* Arguments are the libraries to ask; without them all are. */
int main(int argc, char **argv)
{
	struct CMUnitTest tests[48] = {0};
	size_t n = 0;

	for (const struct spec_backend *b = spec_backends; b->name; b++)
		if ((b->kind == SPEC_INSIDE || spec_is_library(b)) &&
		    (argc < 2 || is_among((const char *const *)argv + 1, (size_t)argc - 1, b->name)))
			tests[n++] = (struct CMUnitTest){b->name, test_library, NULL, NULL, (void *)(uintptr_t)b->name};
	return _cmocka_run_group_tests("defaults", tests, n, setup, teardown);
}
