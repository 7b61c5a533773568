/* test_elementwise.c - values at the edges of elementwise operators, and their fast paths of the noisy mode. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "ops/op.h"
#include "reference/reference.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A case and its output, as numbers between blanks. */
static const struct {
	const char *line, *want;
} edges[] = {
	/* integer division: toward zero, 0 for a zero divisor, no trap */
	{"Div-14 i64{-9223372036854775808,7,-7,5} i64{-1,2,2,0}", "-9223372036854775808 3 -3 0"},
	{"Div-14 i8{-128} i8{-1}", "-128"},
	{"Div-14 u64{-1,4} u64{2,0}", "9223372036854775807 0"},
	{"Div-14 f32{1.0,0.0} f32{0.0,0.0}", "inf nan"},
	{"Sub-14 u8{1,2} u8{2,1}", "255 1"},
	{"Add-14 i32{2147483647} i32{1}", "-2147483648"},
	/* remainders: the divisor's sign, with fmod the dividend's */
	{"Mod-13 i32{-7,7,-7,7,3} i32{3,-3,-3,3,0}", "2 -2 -1 1 0"},
	{"Mod-13 i64{-9223372036854775808} i64{-1}", "0"},
	{"Mod-13 i32{-7,7} i32{3,-3} fmod=1", "-1 1"},
	{"Mod-13 u64{-1} u64{10}", "5"},
	{"Mod-13 f32{-4.25,4.25} f32{2.0,-2.0} fmod=1", "-0.25 0.25"},
	{"Mod-28 f32{-4.25,4.25,-1.0} f32{2.0,-2.0,1e39}", "1.75 -1.75 inf"},
	/* powers of mixed types */
	{"Pow-12 i32{2,-1,0,-2,3} i32{10,-3,0,3,-1}", "1024 -1 1 -8 0"},
	{"Pow-15 i64{2,9} f32{0.5,0.5}", "1 3"},
	{"Pow-13 f32{2.0,2.0} i64{-1,10}", "0.5 1024"},
	/* shifts by the width or more */
	{"BitShift-11 u8{1,255,3} u8{7,8,1} direction=\"LEFT\"", "128 0 6"},
	{"BitShift-11 u64{-1,-1} u64{63,64} direction=\"RIGHT\"", "1 0"},
	{"BitShift-28 i8{-128,-1,64,-4} i8{3,9,-1,1} direction=\"RIGHT\"", "-16 -1 0 -2"},
	{"BitwiseNot-18 u8{0,1,255}", "255 254 0"},
	/* uint64 is unsigned where it matters */
	{"Greater-13 u64{-1,1} u64{1}", "1 0"},
	{"Max-12 u64{-1} u64{1}", "18446744073709551615"},
	{"Min-12 u64{-1} u64{1}", "1"},
	{"Clip-12 u64{1,-1} u64{2}[] u64{-9223372036854775808}[]", "2 9223372036854775808"},
	{"Sign-13 u64{-1,0}", "1 0"},
	{"Abs-13 u64{-1}", "18446744073709551615"},
	/* NaN wins in Max, Min and Clip; infinities are clipped to the largest float */
	{"Max-13 f32{nan,1.0} f32{1.0,nan}", "nan nan"},
	{"Min-13 f32{nan,1.0} f32{1.0,nan}", "nan nan"},
	{"Clip-13 f32{nan,inf}", "nan 3.4028234663852886e+38"},
	{"Clip-13 f32{0.0} f32{2.0}[] f32{1.0}[]", "1"},
	{"Relu-14 f32{nan,-1.0,2.0}", "nan 0 2"},
	{"Round-11 f32{0.5,1.5,2.5,-4.5,-0.4}", "0 2 2 -4 -0"},
	{"Sign-13 f32{-3.0,0.0,nan}", "-1 0 nan"},
	{"IsInf-20 f32{inf,-inf,nan} detect_negative=0", "1 0 0"},
	{"Shrink-9 i32{-5,-1,0,1,5} lambd=1.5 bias=2.5", "-3 0 0 0 3"},
	/* opsets below 7 lay the second input over the first from `axis` on */
	{"Add-6 f32{1,2,3,4}[2,2] f32{10,20} axis=0 broadcast=1", "11 12 23 24"},
	{"Add-6 f32{1,2,3,4}[2,2] f32{10,20} broadcast=1", "11 22 13 24"},
	{"PRelu-6 f32{-1,-2,-3,-4}[1,2,2] f32{1,10}", "-1 -2 -30 -40"},
	{"Mean-13 f32{1,2} f32{3} f32{5}", "3 3.3333333333333335"},
	{"Where-16 bool{1,0} f32{1,2} f32{7}[]", "1 7"},
	{"Equal-19 str{\"a\",\"b\"} str{\"a\"}", "1 0"},
	/* casts */
	{"Cast-13 f32{300.7,-1.5,nan} to=3", "44 -1 0"},
	{"Cast-13 i32{200,-1} to=3", "-56 -1"},
	{"Cast-13 i32{-1} to=13", "18446744073709551615"},
	{"Cast-13 f32{0.0,-0.0,0.3,nan} to=9", "0 0 1 1"},
	{"Cast-13 f64{0.1} to=1", "0.10000000149011612"},
	{"Cast-13 str{\"1e-5\",\"-INF\",\"100.5\"} to=11", "1.0000000000000001e-05 -inf 100.5"},
	{"BitCast-26 f32{1.0,-0.0} to=6", "1065353216 -2147483648"},
	{"BitCast-26 u16{15360} to=10", "1"},
};

static void describe(const struct tensor *t, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < t->count && n < size; i++) {
		const char *gap = i ? " " : "";

		if (dtype_is_float(t->dtype) && isnan(t->f[i]))
			n += (size_t)snprintf(out + n, size - n, "%snan", gap);
		else if (dtype_is_float(t->dtype))
			n += (size_t)snprintf(out + n, size - n, "%s%.17g", gap, t->f[i]);
		else if (t->dtype == DT_UINT64)
			n += (size_t)snprintf(out + n, size - n, "%s%llu", gap, (unsigned long long)t->i[i]);
		else
			n += (size_t)snprintf(out + n, size - n, "%s%lld", gap, (long long)t->i[i]);
	}
}

static int run_line(const char *line, struct ref_result *out, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct op_case c;
	struct ref *r = NULL;
	int rc = case_parse(line, 1, &c, e);

	if (rc)
		return rc;
	rc = ref_open(c.model, &r, e);
	if (!rc)
		rc = ref_run(r, c.inputs, c.n, &o, out, e);
	ref_close(r);
	if (!rc)
		out->outputs[0].name = NULL; /* it goes with the model */
	case_release(&c);
	return rc;
}

static void test_values_at_the_edges(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
		struct ref_result out = {0};
		struct err e = ERR_INIT;
		char got[512] = "";

		if (run_line(edges[i].line, &out, &e))
			snprintf(got, sizeof got, "error: %.400s", e.msg);
		else
			describe(out.outputs[0].value->tensor, got, sizeof got);
		ref_result_release(&out);
		if (!strcmp(got, edges[i].want))
			continue;
		printf("%s\n    is %s, wanted %s\n", edges[i].line, got, edges[i].want);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* ---- what must be refused ---------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
	static const char *const lines[] = {
		"Add-14 f32[2,3] f32[2]",
		"Add-6 f32[2,3] f32[3]",
		"Add-6 f32[2,3] f32[2] broadcast=1",
		"Add-6 f32[2,3] f32[3] axis=9 broadcast=1",
		"Add-14 f32[2] i32[2]",
		"Mod-13 f32[2] f32[2]",
		"Mod-13 i32[2] i32[2] fmod=2",
		"BitShift-11 u8[2] u8[2] direction=\"UP\"",
		"Max-6 f32[2,3] f32[3]",
		"PRelu-16 f32[3] f32[2,3]",
		"Clip-13 f32[3] f32{0,1}",
		"Gelu-20 f32[3] approximate=\"half\"",
		"Cast-13 f32[3] to=14",
		"Cast-13 f32[3] to=999",
		"Cast-13 str{\"Hello World!\"} to=1",
		"BitCast-26 f32[3] to=7",
		"SwiGLU-28 f32[2,3] f32[3]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct ref_result out = {0};
		struct err e = ERR_INIT;
		int rc = run_line(lines[i], &out, &e);

		ref_result_release(&out);
		if (rc != ERR_INPUT)
			printf("%s: status %d %s\n", lines[i], rc, e.msg);
		assert_int_equal(rc, ERR_INPUT);
	}
}

/* ---- deltas ------------------------------------------------------------------------------------------------------ */

#define LANES 3
#define MAX_IN 4

/* Fills the inputs of a call from a case: wide tensors, and for graph inputs differences of about 1 %. */
static void set_up(struct op_case *c, struct call *call, struct tensor **in, float deltas[MAX_IN][LANES * 64],
		   const float **in_delta)
{
	struct node *n = c->model->graph->nodes.at[0];
	struct rng rng;

	rng_init(&rng, 5);
	*call = (struct call){.node = n, .op = n->op, .version = n->version, .n_in = n->n_in, .n_out = 1};
	for (int i = 0; i < n->n_in; i++) {
		in[i] = NULL;
		for (size_t k = 0; k < c->n; k++)
			if (c->model->graph->inputs.at[k] == n->in[i])
				in[i] = tensor_ref(c->inputs[k]->tensor);
		in_delta[i] = in[i] ? deltas[i] : NULL;
		for (size_t k = 0; in[i] && k < LANES * in[i]->count; k++)
			deltas[i][k] = (float)rng_uniform(&rng, -0.02, 0.02);
		if (!in[i])
			in[i] = tensor_widen(n->in[i]->init, NULL);
	}
	call->in = in;
	call->in_delta = in_delta;
	call->lanes = LANES;
}

/* eval with input i moved by lane `lane`, or not moved for lane -1 */
static void eval_moved(struct call *call, int lane, struct tensor *out)
{
	struct tensor *in[MAX_IN], **saved = call->in;
	struct tensor *outs[] = {out};
	struct type types[MAX_IN];

	for (int i = 0; i < call->n_in; i++) {
		in[i] = tensor_copy(saved[i], NULL);
		type_set(&types[i], in[i]->dtype, in[i]->rank, in[i]->dims);
		for (size_t k = 0; lane >= 0 && call->in_delta[i] && k < in[i]->count; k++)
			in[i]->f[k] += (double)call->in_delta[i][k * LANES + (size_t)lane];
	}
	call->in = in;
	call->in_type = types;
	call->out = outs;
	assert_int_equal(call->op->eval(call), 0);
	call->in = saved;
	for (int i = 0; i < call->n_in; i++)
		tensor_unref(in[i]);
}

static void check_delta(const char *line, int rank, const int64_t *dims)
{
	float deltas[MAX_IN][LANES * 64], out_delta[LANES * 64], *out_deltas[] = {out_delta};
	const float *in_delta[MAX_IN];
	struct tensor *in[MAX_IN], *exact = tensor_new(DT_FLOAT, rank, dims, NULL);
	struct tensor *moved = tensor_new(DT_FLOAT, rank, dims, NULL), *outs[] = {exact};
	struct op_case c;
	struct call call;

	assert_int_equal(case_parse(line, 3, &c, NULL), 0);
	assert_int_equal(ops_bind(c.model, NULL), 0);
	set_up(&c, &call, in, deltas, in_delta);
	eval_moved(&call, -1, exact);
	call.out = outs;
	call.out_delta = out_deltas;
	assert_int_equal(call.op->delta(&call), DELTA_DONE);
	for (int lane = 0; lane < LANES; lane++) {
		eval_moved(&call, lane, moved);
		for (size_t k = 0; k < exact->count; k++) {
			double want = moved->f[k] - exact->f[k];

			assert_true(fabs((double)out_delta[k * LANES + (size_t)lane] - want) <=
				    1e-3 * fabs(want) + 1e-9);
		}
	}
	for (int i = 0; i < call.n_in; i++)
		tensor_unref(in[i]);
	tensor_unref(exact);
	tensor_unref(moved);
	case_release(&c);
}

static void test_deltas_are_differences_of_eval(void **state)
{
	static const int64_t dims[] = {2, 3, 4};

	(void)state;
	check_delta("Relu-14 f32[2,3,4]@-0.05:0.05", 3, dims);
	check_delta("LeakyRelu-16 f32[2,3,4]@-0.05:0.05 alpha=0.3", 3, dims);
	check_delta("Clip-13 f32[2,3,4]@-0.05:0.05 f32{-0.01}[] f32{0.02}[]", 3, dims);
	check_delta("Clip-6 f32[2,3,4]@-0.05:0.05 min=-0.01 max=0.02", 3, dims);
	check_delta("Sigmoid-13 f32[2,3,4]@-6:6", 3, dims);
	check_delta("Add-14 f32[2,3,4] f32[3,1]", 3, dims);
	check_delta("Add-14 f32[4] f32{1.0,2.0,3.0}[3,1]", 2, dims + 1);
	check_delta("Sub-14 f32[2,3,4] f32[4]", 3, dims);
	check_delta("Sum-13 f32[2,3,4] f32[3,1] f32[1]", 3, dims);
	check_delta("Mean-13 f32[2,3,4] f32[3,1] f32[1]", 3, dims);
	check_delta("Mul-14 f32[2,3,4] f32[3,1]", 3, dims);
	check_delta("Mul-14 f32{2.0}[1] f32[2,3,4]", 3, dims);
	check_delta("Mul-6 f32[2,3,4] f32[2,3] axis=0 broadcast=1", 3, dims);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_at_the_edges),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_deltas_are_differences_of_eval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
