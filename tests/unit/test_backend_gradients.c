/* test_backend_gradients.c - gradients of libraries in units of their rounding noise.
 *
 * Every library that has gradients stays within a few units on single operators and on small networks; the largest
 * ratio of each is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "judge/trial.h"
#include "model/case.h"

/* Cases with one line each. */
static const char *const lines[] = {
	"Conv-11 f32[2,3,9,9] f32[4,3,3,3] f32[4] pads=[1,1,1,1] strides=[2,2]",
	"Conv-11 f32[1,16,12,12] f32[16,1,3,3] f32[16] group=16",
	"ConvTranspose-11 f32[1,3,7,7] f32[3,4,3,3] f32[4] strides=[2,2]",
	"MatMul-13 f32[9,200] f32[200,7]",
	"Gemm-13 f32[9,70] f32[11,70] f32[11] transB=1 alpha=0.5",
	"Add-14 f32[3,50,4] f32[50,1]",
	"Mul-14 f32[3,40] f32[40]",
	"Div-14 f32[3,40] f32[40]@0.5:2",
	"Relu-14 f32[3,40]",
	"Sigmoid-13 f32[3,40]",
	"Tanh-13 f32[3,40]",
	"Exp-13 f32[3,40]",
	"Log-13 f32[3,40]@0.5:4",
	"Sqrt-13 f32[3,40]@0.5:4",
	"Softplus-1 f32[3,40]",
	"Elu-6 f32[3,40]",
	"LeakyRelu-6 f32[3,40]",
	"Erf-13 f32[3,40]",
	"Softmax-13 f32[5,90]",
	"LogSoftmax-13 f32[5,90]",
	"BatchNormalization-9 f32[4,5,6,6] f32[5] f32[5] f32[5] f32[5]@0.5:2",
	"LayerNormalization-17 f32[4,60] f32[60] f32[60]",
	"InstanceNormalization-6 f32[2,3,9,9] f32[3] f32[3]",
	"InstanceNormalization-6 f32[2,3,1,2] f32[3] f32[3]", /* of two elements all terms cancel */
	"Gelu-20 f32[3,40]@-9:9",
	"ReduceMax-13 f32[3,40] axes=[1]",
	"MaxPool-12 f32[2,3,8,8] kernel_shape=[2,2] strides=[2,2]",
	"AveragePool-11 f32[2,3,8,8] kernel_shape=[3,3] pads=[1,1,1,1]",
	"GlobalAveragePool-1 f32[2,3,12,12]",
	"ReduceMean-13 f32[3,90] axes=[1]",
	"ReduceSum-13 f32[3,90] i64{1}",
	"Transpose-13 f32[3,4,5] perm=[2,0,1]",
	"Concat-13 f32[3,4] f32[3,5] axis=1",
	"Gather-13 f32[9,4] i64{1,1,8,0}",
	"LRN-13 f32[1,9,4,4] size=11 alpha=11.0 beta=0.5", /* TensorFlow's C++ gradient knows no other parameters */
	"GRU-14 f32[5,2,4] f32[1,18,4] f32[1,18,6] f32[1,36] hidden_size=6 linear_before_reset=1 -> 2",
	"LSTM-14 f32[5,2,4] f32[1,24,4] f32[1,24,6] f32[1,48] hidden_size=6 -> 3",
};

/* The last two have Python packages below Keras that are installed by name alone. */
static const char *const libraries[] = {"torch", "tf",           "mxnet",       "jax",
					"keras", "keras:layers", "keras:torch", "keras:tensorflow"};

/* Compiling takes its time where many tests run at once. */
static const struct worker_limits patient = {.run_seconds = 600};

static struct trial make(const char *line, uint64_t seed)
{
	struct op_case c;
	struct err e = ERR_INIT;
	struct trial t = {0};

	if (case_parse(line, seed, &c, &e) || trial_init(&t, c.model, c.inputs, seed, &e) ||
	    trial_seed_gradients(&t, &e))
		fail_msg("%s: %s", line, e.msg);
	return t;
}

/* The ratio on one line; negative: the library does not have it. */
static double ratio_of(struct party *p, const char *line, uint64_t seed)
{
	struct trial t = make(line, seed);
	struct outcome o;
	struct err e = ERR_INIT;
	double ratio;

	if (trial_judge_gradients(&t, p, NULL, &o, &e))
		fail_msg("%s: %s", line, e.msg);
	ratio = o.verdict == VERDICT_UNSUPPORTED ? -1 : o.ratio;
	if (verdict_is_finding(o.verdict))
		fail_msg("%s: %s: %s (%s)", p->spec.name, line, verdict_name(o.verdict), o.reason);
	outcome_release(&o);
	trial_release(&t);
	return ratio;
}

static void test_libraries(void **state)
{
	(void)state;
	for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++) {
		struct err e = ERR_INIT;
		struct party p;
		double largest = 0;
		const char *where = "";
		size_t n = 0;

		if (party_open(&p, libraries[l], &patient, &e)) {
			print_message("%s: not looked at: %s\n", libraries[l], e.msg);
			continue;
		}
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			double ratio = ratio_of(&p, lines[i], 11);

			n += ratio >= 0;
			if (ratio > largest) {
				largest = ratio;
				where = lines[i];
			}
		}
		print_message("%s %s: %zu of %zu cases, largest ratio %.3g (%s)\n", libraries[l], party_version(&p), n,
			      sizeof lines / sizeof *lines, largest, where);
		party_close(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_libraries)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
