/* test_backend_calls.c - calls of libraries behind Python workers, written down and held against their meanings.  Each
 * is skipped, with the reason, where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "proof/proof.h"
#include "support/backend.h"
#include "support/trials.h"

/* Indices, updates, promoted types, windows, several results, lists of tensors, a transposed convolution. */
static const char *const lines[] = {
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1]",
	"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
	"Slice-13 f32[4,5] i64{3,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"Pad-13 f32[2,3] i64{1,0,0,2} f32{1.5}",
	"LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] hidden_size=5",
	NULL,
};

static const char *const jax_lines[] = {
	"ConvTranspose-11 f32[1,3,4,4] f32[3,2,3,3] f32[2] strides=[2,2] pads=[1,0,1,1]",
	"ScatterND-18 f32[3,4] i64{1,2,0,3}[2,2] f32[2] reduction=\"add\"",
	"GatherElements-13 f32[3,3] i64{2,0,1}[3,1] axis=1",
	"ConvInteger-10 u8[1,2,4,4] u8[3,2,3,3] u8{3}",
	NULL,
};

/* A case that is called a finding though it is none: call by call everything is right, so that only what the library
 * makes of all of them could be wrong. */
static void check_line(const struct party *p, const char *line)
{
	struct op_case c;
	struct trial t = {0};
	struct proof proof = {0};
	struct err e = ERR_INIT;

	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e) ||
	    proof_run(&t, p, NULL, 0, &proof, &e))
		fail_msg("%s: %s", line, e.msg);
	if (proof.result != PROOF_TOGETHER)
		fail_msg("%s: %s, %s", line, proof_name(proof.result), proof.why);
	assert_int_equal(proof.judged, proof.total);
	assert_true(proof.total > 0);
	print_message("%s: %zu calls\n", line, proof.total);
	proof_release(&proof);
	trial_release(&t);
}

static void check_library(const char *name, const char *const *first, const char *const *second)
{
	struct worker_limits limits = {.init_seconds = 120, .run_seconds = 120};
	struct party p = {0};
	struct err e = ERR_INIT;

	if (party_open(&p, name, &limits, &e))
		backend_skip(&e);
	for (; *first; first++)
		check_line(&p, *first);
	for (; second && *second; second++)
		check_line(&p, *second);
	party_close(&p);
}

static void test_jax(void **state)
{
	(void)state;
	check_library("jax", lines, jax_lines);
}

/* A gradient that is called wrong: of one call it is the library's own; of several it may come of how they are put
 * together, and nothing is said. */
static void check_gradient(const struct party *p, const char *line, size_t calls, enum proof_result wanted)
{
	struct op_case c;
	struct trial t = {0};
	struct proof proof = {0};
	struct err e = ERR_INIT;

	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e) ||
	    proof_run(&t, p, NULL, 1, &proof, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_int_equal(proof.total, calls);
	assert_int_equal(proof.judged, calls);
	if (proof.result != wanted)
		fail_msg("%s: %s, %s", line, proof_name(proof.result), proof.why);
	assert_non_null(strstr(proof.why, "gradient: forward calls proven"));
	proof_release(&proof);
	trial_release(&t);
}

static void test_gradients(void **state)
{
	struct party p = {0};
	struct err e = ERR_INIT;

	(void)state;
	if (party_open(&p, "jax", NULL, &e))
		backend_skip(&e);
	check_gradient(&p, "Tanh-13 f32[2,3]", 1, PROOF_GRADIENT);
	check_gradient(&p, "HardSigmoid-6 f32[2,3]", 3, PROOF_UNKNOWN);
	party_close(&p);
}

static void test_pytensor(void **state)
{
	(void)state;
	check_library("pytensor", lines, NULL);
}

/* A name that the library takes for a word of its own. */
static void test_pytensor_names(void **state)
{
	struct party p = {0};
	struct op_case c;
	struct trial t = {0};
	struct outcome o = {0};
	struct err e = ERR_INIT;

	(void)state;
	if (party_open(&p, "pytensor", NULL, &e))
		backend_skip(&e);
	if (case_parse("Add-14 f32[2,3] f32[3]", 3, &c, &e) ||
	    graph_rename_wire(c.model->graph->inputs.at[0], "c32", &e) || trial_init(&t, c.model, c.inputs, 3, &e))
		fail_msg("%s", e.msg);
	trials_judge(&t, &p, VERDICT_AGREE, &o);
	outcome_release(&o);
	trial_release(&t);
	party_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_jax), cmocka_unit_test(test_gradients),
					   cmocka_unit_test(test_pytensor), cmocka_unit_test(test_pytensor_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
