/* test_faults.c - every fault of the catalogue, on a case in which it shows.
 *
 * For each: the rounded reference without it is no finding of the judge, and with it is one; gradients differ by far
 * more than double rounding.  A fault without a line here fails the test, so none can be dead. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "faults/fault.h"
#include "judge/judge.h"
#include "model/case.h"

static const struct {
	const char *fault, *line;
} lines[] = {
	{"pads_swapped", "Conv-11 f32[1,2,5,5] f32[2,2,2,2] pads=[1,1,0,0]"},
	{"pads_swapped", "Conv-11 f32[1,2,5,5] f32[2,2,2,2] auto_pad=\"SAME_UPPER\""},
	{"dilation_ignored", "Conv-11 f32[1,2,7,7] f32[2,2,3,3] pads=[2,2,2,2] dilations=[2,2]"},
	{"kernel_mirrored", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]"},
	{"kernel_transposed", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]"},
	{"groups_mixed", "Conv-11 f32[1,4,5,5] f32[4,2,3,3] group=2"},
	{"depthwise_first", "Conv-11 f32[1,4,5,5] f32[4,1,3,3] group=4"},
	{"bias_dropped", "Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3]"},
	{"weights_bf16", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]"},
	{"border_uninitialised", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]"},
	{"pool_counts_pad", "AveragePool-11 f32[1,2,5,5] kernel_shape=[3,3] pads=[1,1,1,1]"},
	{"pool_ceil_full", "AveragePool-19 f32[1,1,6] kernel_shape=[3] strides=[2] ceil_mode=1"},
	{"max_pad_zero", "MaxPool-12 f32[1,2,4,4]@-3:-1 kernel_shape=[3,3] pads=[1,1,1,1]"},
	{"gemm_alpha_ignored", "Gemm-13 f32[3,4] f32[4,5] f32[5] alpha=0.5"},
	{"matmul_tail", "MatMul-13 f32[3,4] f32[4,5]"},
	{"bn_epsilon_outside", "BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.01:0.1"},
	{"bn_no_sqrt", "BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:2"},
	{"bn_scale_fixed", "BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:2"},
	{"norm_epsilon", "BatchNormalization-15 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:2"},
	{"layer_norm_unbiased", "LayerNormalization-17 f32[3,6] f32[6] f32[6]"},
	{"lrn_size_ignored", "LRN-13 f32[1,5,3,3] size=3 alpha=0.1"},
	{"softmax_axis", "Softmax-13 f32[3,4,5] axis=1"},
	{"softmax_overflow", "Softmax-13 f32[2,4]@80:120"},
	{"log_of_zero", "LogSoftmax-13 f32{-200,-90,3,10}[1,4]"},
	{"relu_drops_nan", "Relu-14 f32{1,nan,-2,3}"},
	{"relu6", "Relu-14 f32[3,4]@-3:9"},
	{"sigmoid_hard", "Sigmoid-13 f32[3,4]"},
	{"leaky_slope", "LeakyRelu-16 f32[3,4] alpha=0.1"},
	{"elu_alpha_ignored", "Elu-6 f32[3,4] alpha=2.0"},
	{"tanh_clipped", "Tanh-13 f32[3,4]@-4:4"},
	{"exp_coarse", "Exp-13 f32[3,4]"},
	{"reciprocal_coarse", "Reciprocal-13 f32[3,4]@0.5:2"},
	{"erf_approximate", "Erf-13 f32[3,4]"},
	{"sqrt_of_abs", "Sqrt-13 f32[3,4]"},
	{"round_half_up", "Round-11 f32{0.5,1.5,2.5,-0.5}"},
	{"sign_of_zero", "Sign-13 f32{-1,0,2}"},
	{"broadcast_slip", "Add-14 f32[3,4] f32[4]"},
	{"int_div_floor", "Div-14 i32{7,-7,8}[3] i32{2,2,3}[3]"},
	{"clip_min_ignored", "Clip-13 f32[3,4] f32{-0.5}[] f32{0.5}[]"},
	{"cast_rounds", "Cast-13 f32{1.7,-2.6,0.2} to=6"},
	{"cast_saturates", "Cast-13 i32{300,-200,5} to=3"},
	{"transpose_view", "Transpose-13 f32[3,4]"},
	{"slice_off_by_one", "Slice-13 f32[3,6] i64{1} i64{4} i64{1}"},
	{"concat_order", "Concat-13 f32[2,3] f32[2,3] axis=1"},
	{"gather_negative", "Gather-13 f32[4,3] i64{-1,2}"},
	{"pad_reflect_edge", "Pad-18 f32[4,4] i64{1,2,1,2} - mode=\"reflect\""},
	{"negative_axis", "ReduceMean-13 f32[4,4] axes=[-1] keepdims=0"},
	{"mean_off_by_one", "ReduceMean-18 f32[3,5] i64{1}"},
	{"reduce_empty", "ReduceSum-13 f32{}[0,3] i64{0}"},
	{"arg_ties_last", "ArgMax-13 f32{1,5,5,2} axis=0"},
	{"topk_unsorted", "TopK-11 f32[3,5] i64{3} -> 2"},
	{"resize_half_pixel", "Resize-13 f32[1,1,4,4] - f32{1,1,2,2} mode=\"linear\""},
	{"lstm_gate_order", "LSTM-14 f32[3,2,4] f32[1,12,4] f32[1,12,3] f32[1,24] hidden_size=3"},
	{"gru_reset", "GRU-14 f32[3,2,4] f32[1,9,4] f32[1,9,3] f32[1,18] hidden_size=3"},
	{"initial_state_ignored", "RNN-14 f32[3,2,4] f32[1,3,4] f32[1,3,3] - - f32[1,2,3] hidden_size=3"},
	{"relu_grad_at_zero", "Relu-14 f32[2,3]@0:0"},
	{"bias_grad_half", "Conv-11 f32[2,2,5,5] f32[3,2,3,3] f32[3]"},
	{"softmax_grad_diagonal", "Softmax-13 f32[3,4]"},
	{"product_grad_stuck", "MatMul-13 f32[5,3] f32[3,2]"},
	{"product_grad_stuck", "Einsum-12 f32[1,1,5,3] f32[1,1,3,2] equation=\"bnij,bnjc->bnic\""},
	{"batch_norm_grad_mean",
	 "BatchNormalization-15 f32[4,3,2] f32[3] f32[3] f32[3] f32[3]@0.5:2 training_mode=1 -> 3"},
	{"pool_grad_all", "MaxPool-12 f32[1,1,4,4]@1:1 kernel_shape=[2,2]"},
	{"broadcast_grad_last", "Mul-14 f32[3,4] f32[1]"},
};

/* ---- forward ----------------------------------------------------------------------------------------------------- */

static enum verdict judge_all(const struct ref_result *noisy, const struct ref_result *got)
{
	enum verdict worst = VERDICT_AGREE;

	for (size_t i = 0; i < noisy->n; i++) {
		struct judgement j;

		judge_tensor(noisy->outputs[i].value->tensor, noisy->outputs[i].noise, got->outputs[i].value->tensor,
			     JUDGE_LIMIT, &j);
		worst = verdict_worse(worst, j.verdict);
	}
	return worst;
}

static void check_value(const struct fault *f, struct ref *r, const struct op_case *c, const char *line)
{
	struct ref_options clean = {.mode = REF_ROUNDED}, noise = {.mode = REF_NOISY}, bad = {.mode = REF_ROUNDED};
	struct ref_result rounded, noisy, faulty;
	struct fault_state state;
	struct err e = ERR_INIT;

	fault_plant(f, &state, &bad);
	assert_int_equal(ref_run(r, c->inputs, c->n, &noise, &noisy, &e), 0);
	assert_int_equal(ref_run(r, c->inputs, c->n, &clean, &rounded, &e), 0);
	assert_int_equal(ref_run(r, c->inputs, c->n, &bad, &faulty, &e), 0);
	if (!state.applied || !verdict_is_finding(judge_all(&noisy, &faulty)) ||
	    verdict_is_finding(judge_all(&noisy, &rounded)))
		fail_msg("%s: applied %zu, clean %s, with it %s", line, state.applied,
			 verdict_name(judge_all(&noisy, &rounded)), verdict_name(judge_all(&noisy, &faulty)));
	ref_result_release(&noisy);
	ref_result_release(&rounded);
	ref_result_release(&faulty);
}

/* ---- gradients ----------------------------------------------------------------------------------------------------
 */

static struct tensor *seed_for(const struct ref_result *out)
{
	const struct tensor *y = out->outputs[0].value->tensor;
	struct err e = ERR_INIT;
	struct tensor *s = tensor_zeros(DT_DOUBLE, y->rank, y->dims, &e);

	assert_non_null(s);
	for (size_t i = 0; i < s->count; i++)
		s->f[i] = 1 + 0.1 * (double)i;
	return s;
}

/* The largest relative difference over all float inputs. */
static double gradient_difference(struct ref *r, const struct op_case *c, const struct ref_options *bad)
{
	struct ref_options clean = {.mode = REF_EXACT};
	struct graph *g = c->model->graph;
	struct ref_result out;
	struct tensor *seeds[8] = {NULL};
	struct err e = ERR_INIT;
	double worst = 0;

	assert_int_equal(ref_run(r, c->inputs, c->n, &clean, &out, &e), 0);
	seeds[0] = seed_for(&out);
	for (size_t i = 0; i < c->n; i++) {
		struct tensor *right, *wrong;

		assert_int_equal(ref_backward(r, c->inputs, c->n, &clean, seeds, &g->inputs.at[i], 1, &right, &e), 0);
		assert_int_equal(ref_backward(r, c->inputs, c->n, bad, seeds, &g->inputs.at[i], 1, &wrong, &e), 0);
		for (size_t k = 0; k < right->count; k++)
			worst = fmax(worst, fabs(right->f[k] - wrong->f[k]) / (1e-3 + fabs(right->f[k])));
		tensor_unref(right);
		tensor_unref(wrong);
	}
	tensor_unref(seeds[0]);
	ref_result_release(&out);
	return worst;
}

static void check_gradient(const struct fault *f, struct ref *r, const struct op_case *c, const char *line)
{
	struct ref_options bad = {.mode = REF_ROUNDED}, none = {.mode = REF_ROUNDED};
	struct fault_state state;

	fault_plant(f, &state, &bad);
	if (!(gradient_difference(r, c, &bad) > 0.01) || !(gradient_difference(r, c, &none) < 1e-5))
		fail_msg("%s: the gradient does not tell", line);
}

/* ---- driver ---------------------------------------------------------------------------------------------------------
 */

static void test_each_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const struct fault_row *row = fault_find(lines[i].fault);
		struct err e = ERR_INIT;
		struct op_case c;
		struct ref *r = NULL;

		assert_non_null(row);
		if (case_parse(lines[i].line, 5, &c, &e) || ref_open(c.model, &r, &e))
			fail_msg("%s: %s", lines[i].line, e.msg);
		if (row->fault->kind == FAULT_GRADIENT)
			check_gradient(row->fault, r, &c, lines[i].line);
		else
			check_value(row->fault, r, &c, lines[i].line);
		ref_close(r);
		case_release(&c);
	}
}

/* Those that end or hold up their process are tried on workers. */
static void test_every_fault_has_a_line(void **state)
{
	size_t values = 0;

	(void)state;
	for (const struct fault_row *row = fault_rows; row->name; row++) {
		size_t found = 0;

		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			found += !strcmp(lines[i].fault, row->name);
		if (!found && row->fault->kind != FAULT_PROCESS)
			fail_msg("no line for fault '%s'", row->name);
		values += row->fault->kind != FAULT_PROCESS;
		assert_non_null(row->fault->what);
		assert_non_null(row->fault->like);
	}
	assert_true(values >= 40);
	assert_null(fault_find("no_such_fault"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_fault),
		cmocka_unit_test(test_every_fault_has_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
