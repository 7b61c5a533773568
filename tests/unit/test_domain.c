/* test_domain.c - cases that mean something, and beside each one that does not; words of refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/case.h"
#include "ops/kit/domain.h"
#include "triage/reduction.h"

static int broken(const char *line)
{
	const struct domain nothing = {VEC_INIT, 0, 0, 0};
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;
	struct domain out;
	int within;

	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e) || trial_truth(&t, &e) ||
	    domain_broken(&t, &out, &e))
		fail_msg("%s: %s", line, e.msg);
	if (t.invalid)
		fail_msg("%s: %s", line, t.why.msg);
	within = domain_within(&out, &nothing);
	assert_true(domain_within(&out, &out));
	trial_release(&t);
	domain_release(&out);
	return !within;
}

static const char *why_open(const char *line)
{
	struct err e = ERR_INIT;
	const char *why = NULL;
	struct op_case c;
	struct trial t;

	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e) || trial_truth(&t, &e) ||
	    domain_why_open(&t, t.model->graph->nodes.at[0], &why, &e))
		fail_msg("%s: %s", line, e.msg);
	trial_release(&t);
	return why;
}

/* What ONNX leaves open is no library's fault: NaN as an integer is, an integer that wraps around is not. */
static void test_open(void **state)
{
	(void)state;
	assert_non_null(why_open("Cast-13 f32{nan,1} to=7"));
	assert_non_null(why_open("Cast-13 f32{1e30} to=7"));
	assert_null(why_open("Cast-13 f32{1,-2.5} to=7"));
	assert_null(why_open("Cast-13 i32{300} to=3"));
	assert_null(why_open("Log-13 f32{0,1}"));
}

/* A case that is open, and beside it one of the same look that is not. */
static void test_open_pairs(void **state)
{
	static const struct {
		const char *open, *told;
	} pairs[] = {
		{"ReduceMean-18 f32[2,0] i64{1}", "ReduceMean-18 f32[2,1] i64{1}"},
		{"ReduceLogSum-18 i32[2,0] i64{1}", "ReduceLogSum-18 f32[2,0] i64{1}"},
		{"ReduceLogSumExp-18 i32[2,0] i64{1}", "ReduceLogSumExp-18 f32[2,0] i64{1}"},
		{"QuantizeLinear-13 f32{nan,1} f32{0.5}[] u8{3}[]", "QuantizeLinear-13 f32{inf,1} f32{0.5}[] u8{3}[]"},
		{"QuantizeLinear-13 f32{0,1} f32{0}[] u8{3}[]", "QuantizeLinear-13 f32{2,1} f32{0}[] u8{3}[]"},
		{"QuantizeLinear-19 f32{nan,1} f32{0.5}[]", "QuantizeLinear-19 f32{nan,1} f32{0.5}[] f8e4m3fn{0}[]"},
		{"DynamicQuantizeLinear-11 f32{0,0} -> 3", "DynamicQuantizeLinear-11 f32{0,1} -> 3"},
		{"DynamicQuantizeLinear-11 f32{nan,1} -> 3", "DynamicQuantizeLinear-11 f32{-1,1} -> 3"},
		{"GridSample-20 f32[1,1,2,2] f32{nan,0}[1,1,1,2]", "GridSample-20 f32[1,1,2,2] f32{9,0}[1,1,1,2]"},
		{"CastLike-19 f32{1e30} i32{0}", "CastLike-19 f32{1e30} f16{0}"},
		{"Clip-12 f32[3] f32{1}[] f32{0}[]", "Clip-13 f32[3] f32{1}[] f32{0}[]"},
		{"Clip-6 f32[3] min=1.0 max=0.0", "Clip-6 f32[3] min=0.0 max=1.0"},
		{"Pow-15 i32{2,3} i32{-1,1}", "Pow-15 i32{2,3} i32{2,1}"},
		{"Pow-15 i32{-2,3} f32{0.5,1}", "Pow-15 i32{2,3} f32{0.5,1}"},
		{"Pow-15 i32{10} i32{30}", "Pow-15 f32{10} i32{30}"},
		{"MaxPool-12 f32[1,1,2] kernel_shape=[1] pads=[1,1]",
		 "MaxPool-12 f32[1,1,2] kernel_shape=[2] pads=[1,1]"},
		{"AveragePool-11 f32[1,1,2] kernel_shape=[1] pads=[1,1]",
		 "AveragePool-11 f32[1,1,2] kernel_shape=[1] pads=[1,1] count_include_pad=1"},
		{"ScatterElements-18 f32[3] i64{1,-2} f32{5,6}", "ScatterElements-18 f32[3] i64{1,2} f32{5,6}"},
		{"ScatterElements-18 f32[2,3] i64{0,1,0,0}[2,2] f32[2,2] axis=1",
		 "ScatterElements-18 f32[2,3] i64{0,1,0,1}[2,2] f32[2,2] axis=1"},
		{"ScatterElements-18 f32[3] i64{1,2} f32{nan,6} reduction=\"max\"",
		 "ScatterElements-18 f32[3] i64{1,1} f32{nan,6} reduction=\"add\""},
		{"ScatterND-18 f32[3,2] i64{1,1}[2,1] f32[2,2]", "ScatterND-18 f32[3,2] i64{1,0}[2,1] f32[2,2]"},
		{"Hardmax-13 f32{nan,1}[1,2]", "Hardmax-13 f32{2,1}[1,2]"},
		{"Unique-11 f32{nan,1,nan}", "Unique-11 f32{inf,1,1}"},
		{"HardSigmoid-6 f32{nan}", "HardSigmoid-6 f32{inf}"},
		{"RNN-14 f32{1e30,1e30}[1,1,2] f32{1e30,-1e30}[1,1,2] f32{0}[1,1,1] hidden_size=1 -> 2",
		 "RNN-14 f32{1e30,1e30}[1,1,2] f32{1e7,-1e7}[1,1,2] f32{0}[1,1,1] hidden_size=1 -> 2"},
		{"GRU-14 f32{1e30}[1,1,1] f32{1,1,1e30}[1,3,1] f32[1,3,1] hidden_size=1 -> 2",
		 "GRU-14 f32{inf}[1,1,1] f32{1,1,1}[1,3,1] f32[1,3,1] hidden_size=1 -> 2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		if (!why_open(pairs[i].open))
			fail_msg("%s is not open", pairs[i].open);
		if (why_open(pairs[i].told))
			fail_msg("%s: %s", pairs[i].told, why_open(pairs[i].told));
	}
}

static void test_rules(void **state)
{
	static const struct {
		const char *good, *bad;
	} pairs[] = {
		{"QuantizeLinear-13 f32[3] f32{0.5}[] u8{3}[]", "QuantizeLinear-13 f32[3] f32{0}[] u8{3}[]"},
		{"DequantizeLinear-13 u8{1,2} f32{0.5}[]", "DequantizeLinear-13 u8{1,2} f32{-1}[]"},
		{"BatchNormalization-15 f32[1,1,2] f32{1} f32{0} f32{0} f32{1}",
		 "BatchNormalization-15 f32[1,1,2] f32{1} f32{0} f32{0} f32{0}"},
		{"InstanceNormalization-6 f32[1,1,3] f32{1} f32{0}",
		 "InstanceNormalization-6 f32[1,1,3] f32{1} f32{0} epsilon=0.0"},
		{"Celu-12 f32[3] alpha=0.5", "Celu-12 f32[3]@1:2 alpha=0.0"},
		{"LRN-13 f32[1,3,2,2] size=3", "LRN-13 f32[1,3,2,2]@1:2 size=3 bias=0.0"},
		{"LpNormalization-22 f32{1,2}", "LpNormalization-22 f32{1,0}"},
		{"Mod-13 i32{4,5} i32{2,3}", "Mod-13 i32{4,5} i32{2,0}"},
		{"RNN-14 f32[2,1,2] f32[1,2,2] f32[1,2,2] hidden_size=2 clip=1.0",
		 "RNN-14 f32[2,1,2] f32[1,2,2] f32[1,2,2] hidden_size=2 clip=0.0"},
		{"StringSplit-20 str{\"a,b\"} delimiter=\",\" -> 2", "StringSplit-20 str{\"\"} delimiter=\",\" -> 2"},
		{"QLinearMatMul-10 u8{1,2}[1,2] f32{1}[] u8{0}[] u8{1,2}[2,1] f32{1}[] u8{0}[] f32{1}[] u8{0}[]",
		 "QLinearMatMul-10 u8{1,2}[1,2] f32{1}[] u8{0}[] u8{1,2}[2,1] f32{1}[] u8{0}[] f32{0}[] u8{0}[]"},
		{"Div-14 i32{4,5} i32{2,2}", "Div-14 i32{4,5} i32{2,0}"},
		{"Clip-13 f32[3] f32{0}[] f32{0}[]", "Clip-13 f32[3] f32{1}[] f32{0}[]"},
		{"Cast-13 f32{255} to=2", "Cast-13 f32{256} to=2"},
		{"Cast-13 f32{-128.5} to=3", "Cast-13 f32{-129} to=3"},
		{"Resize-13 f32[1,1,2,2] - f32{1,1,2,2}", "Resize-13 f32[1,1,2,2] - f32{1,1,1.5,1}"},
		{"GridSample-20 f32[1,1,2,2] f32{0.5,0.5}[1,1,1,2] mode=\"nearest\"",
		 "GridSample-20 f32[1,1,2,2] f32{0,0.5}[1,1,1,2] mode=\"nearest\""},
		{"RoiAlign-16 f32[1,1,4,4] f32{0,0,2,2}[1,4] i64{0}",
		 "RoiAlign-16 f32[1,1,4,4] f32{0,0,0,2}[1,4] i64{0}"},
		{"MaxPool-12 f32[1,1,4] kernel_shape=[2] pads=[1,1]",
		 "MaxPool-12 f32[1,1,4] kernel_shape=[1] pads=[1,1]"},
		{"AveragePool-11 f32[1,1,4] kernel_shape=[2] auto_pad=\"SAME_UPPER\"",
		 "AveragePool-11 f32[1,1,5] kernel_shape=[1] strides=[3] auto_pad=\"SAME_UPPER\""},
		{"Conv-11 f32[1,1,4] f32[1,1,2] auto_pad=\"SAME_UPPER\" strides=[2]",
		 "Conv-11 f32[1,1,5] f32[1,1,1] auto_pad=\"SAME_UPPER\" strides=[3]"},
		{"QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[2,1,2] f32{1,2} u8{0,0} f32{1}[] u8{0}[]",
		 "QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[2,1,2] f32{1} u8{0}[] f32{1}[] u8{0}[]"},
		{"QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[1,1,2] f32{1} u8{0} f32{1}[] u8{0}[]",
		 "QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[2,1,2] f32{1}[] u8{0} f32{1}[] u8{0}[]"},
		{"ConvInteger-10 u8[1,1,3] u8[2,1,2] u8{0}[] u8{1,1}",
		 "ConvInteger-10 u8[1,1,3] u8[2,1,2] u8{0}[] u8{1}"},
		{"QuantizeLinear-13 f32[3,2] f32{1,2} u8{0,0}", "QuantizeLinear-13 f32[3,2] f32{1} u8{0}"},
		{"DequantizeLinear-13 u8[2,1] f32{1} u8{0}", "DequantizeLinear-13 u8[2,1] f32{1} u8{0} axis=0"},
		{"MatMulInteger-10 u8[2,3] u8[3,1] u8{1}[] u8{1}", "MatMulInteger-10 u8[2,3] u8[3,2] u8{1}[] u8{1}"},
		{"Log-13 f32[3]@1:2", "Log-13 f32{0,1}"},
		{"ai.onnx.ml:Scaler-1 f32[2,2] offset=[0.5] scale=[2.5]", "ai.onnx.ml:Scaler-1 f32[2,2] scale=[2.5]"},
		{"ai.onnx.ml:Scaler-1 f32[2,2] offset=[0.5,1.0] scale=[2.5,1.0]",
		 "ai.onnx.ml:Scaler-1 f32[2,2] offset=[0.5,1.0] scale=[2.5]"},
		{"Slice-13 f32[3] i64{0} i64{1}", "Slice-13 f32[3] i64{1} i64{1}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		if (broken(pairs[i].good))
			fail_msg("%s breaks a rule", pairs[i].good);
		if (!broken(pairs[i].bad))
			fail_msg("%s breaks no rule", pairs[i].bad);
	}
}

/* Parameters that do not fit their channels: no case may be reduced to such a one. */
static void test_sizes(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,1,3] f32[2,1,2] f32[1]",
		"ConvTranspose-11 f32[1,2,3] f32[2,2,2] f32[1]",
		"BatchNormalization-15 f32[1,2,2] f32[1] f32[2] f32[2] f32[2]",
		"BatchNormalization-15 f32[1,2,2] f32[2] f32[2] f32[2] f32[1]",
		"InstanceNormalization-6 f32[1,2,3] f32[1] f32[2]",
		"GroupNormalization-21 f32[1,4,3] f32[1] f32[4] num_groups=2",
		"GroupNormalization-18 f32[1,4,3] f32[1] f32[2] num_groups=2",
		"QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[3,1,2] f32{1,2} u8{0}[] f32{1}[] u8{0}[]",
		"QLinearConv-10 u8[1,1,3] f32{1}[] u8{0}[] u8[2,1,2] f32{1}[] u8{0}[] f32{1}[] u8{0}[] i32[1]",
		"QuantizeLinear-13 f32[3,3] f32{1,2} u8{0,0}",
		"DequantizeLinear-13 u8[3,3] f32{1,2,3} u8{0,0}",
		"MatMulInteger-10 u8[2,3] u8[3,3] u8{1}[] u8{1,2}",
		"DeformConv-19 f32[1,1,3,3] f32[2,1,2,2] f32[1,8,2,2] f32[1]",
		"LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] f32[1,20] hidden_size=5",
		"LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] f32[1,40] - f32[1,2,5] f32[1,2,5] f32[1,1] hidden_size=5",
		"GRU-14 f32[3,2,4] f32[1,15,4] f32[1,15,5] f32[1,15] hidden_size=5",
		"PRelu-16 f32[2,3] f32[2]",
		"LayerNormalization-17 f32[2,3] f32[2]",
		/* a node that is its own child, and two that are each other's */
		"ai.onnx.ml:TreeEnsembleRegressor-1 f32[2,2] n_targets=1 nodes_treeids=[0,0] nodes_nodeids=[0,1] "
		"nodes_featureids=[0,0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\"] nodes_values=[0.1,0.0] "
		"nodes_truenodeids=[0,0] nodes_falsenodeids=[1,0] target_treeids=[0] target_nodeids=[1] target_ids=[0] "
		"target_weights=[1.5]",
		"ai.onnx.ml:TreeEnsemble-5 f32{9}[1,1] n_targets=1 tree_roots=[0] nodes_splits=f32{0,0} "
		"nodes_featureids=[0,0] nodes_modes=u8{0,0} nodes_truenodeids=[1,0] nodes_trueleafs=[0,0] "
		"nodes_falsenodeids=[0,0] nodes_falseleafs=[1,1] leaf_targetids=[0] leaf_weights=f32{1}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct err e = ERR_INIT;
		struct op_case c;
		struct trial t;

		if (case_parse(lines[i], 3, &c, &e)) /* refused at once */
			continue;
		if (trial_init(&t, c.model, c.inputs, 3, &e) || trial_truth(&t, &e))
			fail_msg("%s: %s", lines[i], e.msg);
		if (!t.invalid)
			fail_msg("%s is taken", lines[i]);
		trial_release(&t);
	}
}

static int say_the_same(const char *a, const char *b)
{
	char words[2][128];
	const char *said[] = {a, b};

	for (int i = 0; i < 2; i++) {
		struct outcome o = {0};

		snprintf(o.report.message, sizeof o.report.message, "%s", said[i]);
		outcome_words(&o, words[i], sizeof words[i]);
	}
	return words_alike(words[0], words[1]);
}

static void test_words(void **state)
{
	(void)state;
	assert_true(say_the_same("Node (v27_q) Op (Relu) has 3 inputs", "Node (t) Op (Relu) has 12 inputs"));
	assert_true(say_the_same("cannot read 'conv': no", "cannot read 'pool': no"));
	assert_false(say_the_same("Node (v2) Op (Relu) has 3 inputs", "Node (v2) Op (Clip) has 3 inputs"));
	assert_false(say_the_same("Invalid axis", "Unknown type"));
}

/* Calls that equiv draws, and cases on their way to be reduced, may have updates that the indices have no place for. */
static void test_shapes_that_do_not_fit(void **state)
{
	static const char *const lines[] = {"ScatterElements-18 f32[2,2] i64{0,0}[1,2] f32[1,2]",
					    "ScatterND-18 f32[2,2] i64{0}[1,1] f32[1,2]"};
	static const int64_t many[] = {2, 2}, one[] = {1, 1}, deep[] = {1, 9};
	const struct {
		int rank;
		const int64_t *dims;
	} indices[] = {{2, one}, {1, one}, {0, one}, {2, deep}};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		struct tensor *data = tensor_zeros(DT_FLOAT, 2, many, &e),
			      *updates = tensor_zeros(DT_FLOAT, 2, many, &e);
		struct tensor *index = tensor_zeros(DT_INT64, indices[i / 2].rank, indices[i / 2].dims, &e);
		const struct tensor *in[OP_RULE_PORTS] = {data, index, updates};
		const struct op_rule *r;
		struct op_case c;
		struct trial t;

		assert_true(data && updates && index);
		if (case_parse(lines[i % 2], 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e))
			fail_msg("%s: %s", lines[i % 2], e.msg);
		r = domain_open_rule(t.model->graph->nodes.at[0]);
		assert_non_null(r);
		r->broken(t.model->graph->nodes.at[0], in, r); /* whatever it says: nothing is read beyond the end */
		tensor_unref(data);
		tensor_unref(updates);
		tensor_unref(index);
		trial_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),      cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_words),      cmocka_unit_test(test_open),
		cmocka_unit_test(test_open_pairs), cmocka_unit_test(test_shapes_that_do_not_fit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
