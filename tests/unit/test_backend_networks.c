/* test_backend_networks.c - libraries of networks, node by node: what TensorFlow Lite and ncnn are told is written down
 * with its values, and each node means what its documentation says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/place.h"
#include "model/case.h"
#include "proof/proof.h"
#include "support/backend.h"

static int n_opened;

struct library_test {
	char folder[64];
	struct spec_list specs;
	struct party party;
	struct meanings meanings;
};

static void open_library(struct library_test *t, const char *name)
{
	struct proof_recording r = {.folder = t->folder, .values = 1};
	struct err e = ERR_INIT;

	memset(t, 0, sizeof *t);
	snprintf(t->folder, sizeof t->folder, "/tmp/assay-networks-XXXXXX");
	if (spec_make_list(name, &t->specs, &e))
		backend_skip(&e);
	assert_non_null(mkdtemp(t->folder));
	r.spec = &t->specs.at[0];
	if (proof_open(&r, &t->party, &e) || meanings_load(t->specs.at[0].backend, &t->meanings, &e))
		fail_msg("%s", e.msg);
	n_opened++;
}

static void close_library(struct library_test *t)
{
	struct err ignored = ERR_INIT;

	party_close(&t->party);
	meanings_release(&t->meanings);
	spec_list_release(&t->specs);
	place_remove_tree(t->folder, &ignored);
}

/* Runs a line of the case language; what came of it, and of its calls. */
static void run_line(struct library_test *t, const char *line, struct outcome *o, struct proof *p)
{
	struct op_case c;
	struct trial trial = {0};
	struct calls calls = {.arena = ARENA_INIT};
	struct err e = ERR_INIT;

	memset(o, 0, sizeof *o);
	memset(p, 0, sizeof *p);
	if (case_parse(line, 1, &c, &e) || trial_init(&trial, c.model, c.inputs, 1, &e) ||
	    trial_judge(&trial, &t->party, NULL, o, &e) || calls_read(t->folder, &calls, &e) ||
	    proof_of_calls(&calls, &t->meanings, &t->party, proof_end_of(o), p, &e))
		fail_msg("%s: %s", line, e.msg);
	calls_release(&calls);
	trial_release(&trial);
}

/* Every call has a meaning and is right, and so is the result. */
static void check_calls(struct library_test *t, const char *line)
{
	struct outcome o;
	struct proof p;

	run_line(t, line, &o, &p);
	if (o.verdict == VERDICT_UNSUPPORTED || verdict_is_finding(o.verdict))
		fail_msg("%s: %s: %s", line, verdict_name(o.verdict), o.reason);
	if (p.unknown || p.result == PROOF_CALL || !p.judged || p.judged != p.total)
		fail_msg("%s: %zu of %zu calls judged: %s %s", line, p.judged, p.total, p.why,
			 p.call.data ? p.call.data : "");
	proof_release(&p);
	outcome_release(&o);
}

static void check_unsupported(struct library_test *t, const char *line)
{
	struct outcome o;
	struct proof p;

	run_line(t, line, &o, &p);
	if (o.verdict != VERDICT_UNSUPPORTED)
		fail_msg("%s: %s: %s", line, verdict_name(o.verdict), o.reason);
	proof_release(&p);
	outcome_release(&o);
}

static void check_lines(const char *name, const char *const *lines, const char *const *unsupported)
{
	struct library_test t;

	open_library(&t, name);
	for (; *lines; lines++)
		check_calls(&t, *lines);
	for (; *unsupported; unsupported++)
		check_unsupported(&t, *unsupported);
	close_library(&t);
}

/* ---- TensorFlow Lite --------------------------------------------------------------------------------------------- */

static const char *const tflite_lines[] = {
	"Conv-11 f32[1,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"Conv-11 f32[1,3,6,6] f32[6,1,3,3] group=3 dilations=[2,1] auto_pad=\"SAME_LOWER\"",
	"Conv-11 f32[1,2,4,5,6] f32[3,2,2,3,2] strides=[1,2,1]",
	"AveragePool-19 f32[1,2,7,6] kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]",
	"MaxPool-12 f32[1,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1]",
	"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
	"Softmax-13 f32[2,3,4] axis=1",
	"Slice-13 f32[4,5] i64{3,-1} i64{-9,0} i64{0,1} i64{-1,-2}",
	"Slice-13 f32[5] i64{-9223372036854775807} i64{9223372036854775807} i64{0} i64{9223372036854775807}",
	"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
	"ConvTranspose-11 f32[1,3,4,4] f32[3,2,3,3] f32[2] strides=[2,2] pads=[1,0,1,1]",
	"Resize-13 f32[1,2,3,4] - f32{1,1,2,1.5} mode=\"linear\"",
	"DepthToSpace-13 f32[1,8,2,3] blocksize=2",
	"TopK-11 f32[3,5] i64{2} -> 2",
	"Where-16 bool[2,1] f32[1,3] f32[2,3]",
	"Where-16 bool[1,1] f32[1] f32[]",
	"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3 linear_before_reset=1 -> 2",
	NULL,
};

static const char *const tflite_unsupported[] = {
	"QuantizeLinear-21 bf16[2,3] bf16{0.1}[] i16{4}[]",
	"Cast-13 f32[3] to=16",
	NULL,
};

static void test_tflite(void **state)
{
	(void)state;
	check_lines("tflite", tflite_lines, tflite_unsupported);
}

static void test_tflite_builtin_kernels(void **state)
{
	(void)state;
	check_lines("tflite:builtin", tflite_lines, tflite_unsupported);
}

/* ---- ncnn -------------------------------------------------------------------------------------------------------- */

static void test_ncnn(void **state)
{
	static const char *const lines[] = {
		"Add-14 f32[1,3,5,5] f32[3,1,1]",
		"Conv-11 f32[2,2,5,6] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1] dilations=[1,2]",
		"Conv-11 f32[1,4,6] f32[4,2,3] group=2 auto_pad=\"SAME_LOWER\"",
		"ConvTranspose-11 f32[1,4,3,3] f32[4,2,3,3] group=2 strides=[2,2] output_padding=[1,0] pads=[1,1,0,1]",
		"MaxPool-12 f32[2,2,7,6] kernel_shape=[3,2] strides=[2,2] pads=[1,0,1,1] ceil_mode=1",
		"AveragePool-19 f32[1,2,7] kernel_shape=[3] count_include_pad=1 pads=[1,1]",
		"BatchNormalization-15 f32[2,3,4,4] f32{1,2,3} f32{0.5,1,2} f32{1,0,-1} f32{1,2,0.5}",
		"LayerNormalization-17 f32[2,3,4] f32[4] f32[4]",
		"LRN-13 f32[1,5,3,3] size=3 alpha=0.1",
		"Gemm-13 f32[3,2] f32[4,3] f32[1,4] transA=1 transB=1 alpha=0.5 beta=2.0",
		"Gemm-13 f32[1,3] f32[4,3] f32[4] transB=1",
		"ReduceLogSumExp-13 f32[2,3,4] axes=[1]",
		"Split-13 f32[5,2] i64{2,3} axis=0 -> 2",
		"Transpose-13 f32[2,3,4,5] perm=[2,0,3,1]",
		"Pad-13 f32[1,2,3,4] i64{0,0,1,2,0,0,2,0} f32{0.5}[] mode=\"reflect\"",
		"Resize-13 f32[1,2,3,4] - f32{1,1,2,1.5} mode=\"linear\"",
		"LSTM-14 f32[3,2,4] f32[2,12,4] f32[2,12,3] f32[2,24] hidden_size=3 direction=\"bidirectional\" -> 3",
		"GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3 linear_before_reset=1 -> 2",
		NULL,
	};
	static const char *const unsupported[] = {
		"Pad-18 f32[3,1] i64{0,2,0,1} mode=\"reflect\"",
		"MaxPool-12 f32[1,1,3] kernel_shape=[4]",
		"Upsample-1 f32[1,2,2,2] height_scale=2.0 width_scale=1.5 mode=\"bilinear\"",
		"QuantizeLinear-21 bf16[2,3] bf16{0.1}[] i16{4}[]",
		NULL,
	};

	(void)state;
	check_lines("ncnn", lines, unsupported);
}

/* A layer of its own is what a finding is about: the hard sigmoid with a falling line. */
static void test_ncnn_wrong_call(void **state)
{
	struct library_test t;
	struct outcome o;
	struct proof p;

	(void)state;
	open_library(&t, "ncnn");
	run_line(&t, "HardSigmoid-6 f32{-4,-1,0.5,1,4} alpha=-0.5", &o, &p);
	assert_true(verdict_is_finding(o.verdict));
	assert_int_equal(p.result, PROOF_CALL);
	assert_non_null(strstr(p.call.data, "HardSigmoid(float32[5], alpha=-0.5, beta=0.5"));
	proof_release(&p);
	outcome_release(&o);
	close_library(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tflite),
		cmocka_unit_test(test_tflite_builtin_kernels),
		cmocka_unit_test(test_ncnn),
		cmocka_unit_test(test_ncnn_wrong_call),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_opened ? 0 : BACKEND_SKIPPED;
}
