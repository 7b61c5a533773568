/* test_drawn_quantize.c - QuantizeLinear and DequantizeLinear are drawn with all that an opset lets them have, and with
 * nothing that came later.
 *
 * Models of the block alone are made opset by opset and run on the reference.  Each form is looked for in the nodes:
 * from the opset that brought it on it must be there, before that it must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "methods/fuzz/fuzz.h"
#include "reference/reference.h"

#define MODELS 700

static int is_there(const struct node *n)
{
	return !strcmp(n->op_type, "QuantizeLinear");
}

static int is_either(const struct node *n)
{
	return is_there(n) || !strcmp(n->op_type, "DequantizeLinear");
}

/* What is quantized to, or from. */
static enum dtype small_type(const struct node *n)
{
	return is_there(n) ? n->out[0]->type.dtype : n->in[0]->type.dtype;
}

static int64_t stated(const struct node *n, const char *name)
{
	const struct attr *a = node_attr(n, name);

	return a ? a->i : 0;
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

static int per_axis(const struct node *n)
{
	return n->in[1]->type.rank == 1 && !stated(n, "block_size");
}

static int from_end(const struct node *n)
{
	return stated(n, "axis") < 0;
}

static int middle_axis(const struct node *n)
{
	return n->in[0]->type.rank > 2 && stated(n, "axis") == 2;
}

static int of_float8(const struct node *n)
{
	return dtype_is_float(small_type(n)) && dtype_bits(small_type(n)) == 8;
}

static int overflowing(const struct node *n)
{
	const struct attr *a = node_attr(n, "saturate");

	return a && !a->i && of_float8(n);
}

static int of_half(const struct node *n)
{
	return n->in[1]->type.dtype == DT_FLOAT16;
}

static int of_4_bits(const struct node *n)
{
	return small_type(n) == DT_INT4 || small_type(n) == DT_UINT4;
}

static int of_16_bits(const struct node *n)
{
	return dtype_bits(small_type(n)) == 16;
}

static int in_blocks(const struct node *n)
{
	return stated(n, "block_size") > 0;
}

/* The last block of an axis is smaller than the others. */
static int in_odd_blocks(const struct node *n)
{
	int64_t block = stated(n, "block_size"), axis = stated(n, "axis");

	return block && n->in[0]->type.dims[axis < 0 ? axis + n->in[0]->type.rank : axis] % block != 0;
}

static int told_there(const struct node *n)
{
	return is_there(n) && stated(n, "output_dtype") && (n->n_in < 3 || !n->in[2]);
}

static int told_back(const struct node *n)
{
	return !is_there(n) && stated(n, "output_dtype");
}

static int precise(const struct node *n)
{
	return stated(n, "precision") != 0;
}

static int mixed(const struct node *n)
{
	return is_there(n) && n->in[0]->type.dtype != n->in[1]->type.dtype && n->in[0]->type.dtype != DT_INT32 &&
	       n->in[1]->type.dtype != DT_FLOAT8E8M0;
}

static int of_powers(const struct node *n)
{
	return n->in[1]->type.dtype == DT_FLOAT8E8M0;
}

static int of_float4(const struct node *n)
{
	return small_type(n) == DT_FLOAT4E2M1;
}

static int of_2_bits(const struct node *n)
{
	return small_type(n) == DT_INT2 || small_type(n) == DT_UINT2;
}

static int of_float6(const struct node *n)
{
	return small_type(n) == DT_FLOAT6E2M3 || small_type(n) == DT_FLOAT6E3M2;
}

static int of_integers(const struct node *n)
{
	return is_there(n) && n->in[0]->type.dtype == DT_INT32;
}

static const struct form {
	const char *what;
	int (*is)(const struct node *n);
	int since;
} forms[] = {
	{"int32 quantized", of_integers, 10},
	{"per axis", per_axis, 13},
	{"an axis from the end", from_end, 13},
	{"the third axis", middle_axis, 13},
	{"float8", of_float8, 19},
	{"float8 that overflows", overflowing, 19},
	{"scales of float16", of_half, 19},
	{"4 bits", of_4_bits, 21},
	{"16 bits", of_16_bits, 21},
	{"blocks", in_blocks, 21},
	{"blocks that do not divide the axis", in_odd_blocks, 21},
	{"output_dtype in place of a zero point", told_there, 21},
	{"output_dtype of DequantizeLinear", told_back, 23},
	{"precision", precise, 23},
	{"two types of reals", mixed, 23},
	{"float4", of_float4, 23},
	{"scales that are powers of two", of_powers, 24},
	{"2 bits", of_2_bits, 25},
	{"float6", of_float6, 28},
};

#define FORMS (sizeof forms / sizeof *forms)

/* ---- models ------------------------------------------------------------------------------------------------------ */

static uint32_t only_this(struct fuzz_op *op, void *name)
{
	return strcmp(op->name, name) ? 0 : op->types;
}

static void look(const struct model *m, int *seen)
{
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		for (size_t k = 0; k < FORMS && is_either(m->graph->nodes.at[i]); k++)
			seen[k] += forms[k].is(m->graph->nodes.at[i]);
}

static int runs(const struct fuzz_case *c, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result r = {0};
	struct ref *ref = NULL;
	int rc = ref_open(c->model, &ref, e);

	if (!rc)
		rc = ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &r, e);
	ref_result_release(&r);
	ref_close(ref);
	return rc;
}

static void draw(int opset, int *seen)
{
	char name[] = "QuantizeDequantize";
	struct fuzz_options o = {.seed = 3, .blocks = 1, .opset = opset};
	struct corpus c;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	if (corpus_load("data/blocks-large.yaml", 1, &c, &e) || corpus_filter(&c, only_this, name, &e) ||
	    fuzzer_new(&c, &o, &f, &e))
		fail_msg("%s", e.msg);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e) || runs(&made, &e))
			fail_msg("opset %d, model %d: %s", opset, i, e.msg);
		look(made.model, seen);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
}

static void test_what_an_opset_has(void **state)
{
	static const int opsets[] = {10, 13, 19, 21, 23, 24, 25, 28};
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof opsets / sizeof *opsets; i++) {
		int seen[FORMS] = {0};

		draw(opsets[i], seen);
		for (size_t k = 0; k < FORMS; k++)
			if ((seen[k] > 0) != (opsets[i] >= forms[k].since)) {
				print_error("opset %d: %s: %d nodes\n", opsets[i], forms[k].what, seen[k]);
				bad++;
			}
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_an_opset_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
