/* test_drawn_types.c - the fuzzer draws every operator with every integer type, and with bools, that ONNX lets it have.
 *
 * Of each block models are made by itself, with inputs of one type after the other, in the newest opset that has it.
 * The types of the wires that then lead into the operator's nodes are held, port by port, against those that its
 * descriptor and its newest version have.  What is missing stands in `narrow`, with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/blocks.h"

#define MODELS 150 /* of a block and a type */

static struct corpus all;
static uint32_t seen[1024][OP_MAX_PORTS]; /* by row and port: types that led in */

/* Ports that are drawn with fewer types, and why. */
static const struct {
	const char *operators; /* with a space between them */
	int port;
	uint32_t types; /* that are missing */
	const char *why;
} narrow[] = {
	{"BitCast", 0, T_BOOL, "ONNX does not say how wide a bool is"},
	{"ReduceMean ReduceL2", 0, T_WIDE, "ONNX does not say how a mean or a root is rounded to an integer"},
	{"Attention", 3, T_INT, "the text has masks of bools, and of floats that are added"},
	{"Attention", 6, T_I64, "it goes with keys and values that are kept outside, which no sampler makes"},
	{"MaxUnpool", 2, T_I64, "ONNX does not say whether indices count in what is unpooled, or in that shape"},
	{"Tile", 1, (T_INT | T_BOOL) & ~T_I64, "it had other types before opset 7 alone"},
	{"Tile", 2, T_INT | T_BOOL, "it was there before opset 7 alone"},
	{"Split", 1, (T_INT | T_BOOL) & ~T_I64, "it had other types before opset 2 alone"},
};

static int set_up(void **state)
{
	(void)state;
	assert_true(op_row_count <= sizeof seen / sizeof *seen);
	return blocks_load(&all);
}

static int tear_down(void **state)
{
	(void)state;
	corpus_release(&all);
	return 0;
}

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

/* The newest opset in whose models the block may be; 0: none. */
static int newest_opset(const struct fuzz_op *op)
{
	for (int opset = OP_NEWEST_OPSET; opset >= FUZZ_MIN_OPSET; opset--)
		if (fuzz_op_types(op, opset))
			return opset;
	return 0;
}

static int last_port(const struct op *op)
{
	int n = 0;

	while (n < OP_MAX_PORTS && op->in[n].name)
		n++;
	return n - 1;
}

static void see(const struct model *m)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			const struct node *n = m->graphs.at[g]->nodes.at[i];
			const struct op_row *row = ops_find(n->domain, n->op_type);

			for (int k = 0; row && k < n->n_in; k++) {
				int last = last_port(row->op), port = k < last ? k : last;

				if (n->in[k] && n->in[k]->type.kind == VALUE_TENSOR)
					seen[row - op_rows][port] |= TM(n->in[k]->type.dtype);
			}
		}
}

/* Models of the block alone, whose inputs are of one type. */
static int draw(const struct fuzz_op *op, uint32_t type, struct err *e)
{
	struct fuzz_op copy = *op;
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options o = {.seed = 7, .blocks = 1, .opset = newest_opset(op)};
	struct fuzzer *f = NULL;
	int rc;

	copy.types = copy.at[o.opset] = type;
	rc = fuzzer_new(&alone, &o, &f, e);
	for (int i = 0; i < MODELS && !rc; i++) {
		struct fuzz_case c = {0};

		rc = fuzzer_next(f, &c, e);
		if (!rc)
			see(c.model);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	return rc;
}

/* ---- what is missing --------------------------------------------------------------------------------------------- */

static int names(const char *operators, const struct op_row *row)
{
	size_t n = strlen(row->name);

	for (const char *at = strstr(operators, row->name); at; at = strstr(at + 1, row->name))
		if ((at == operators || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return 1;
	return 0;
}

static uint32_t excused(const struct op_row *row, int port)
{
	uint32_t types = 0;

	for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
		if (narrow[i].port == port && names(narrow[i].operators, row))
			types |= narrow[i].types;
	return types;
}

static void say(const struct op_row *row, int port, const char *what, uint32_t types)
{
	for (int t = 1; t < DT_COUNT; t++)
		if (types >> t & 1)
			print_error("%s, input '%s': %s %s\n", row->name, row->op->in[port].name,
				    dtype_name((enum dtype)t), what);
}

/* The newest version that has blocks; 0: none is drawn. */
static int drawn_version(const struct op_row *row)
{
	int newest = 0;

	for (int i = 0; i < all.n_ops; i++)
		if (all.ops[i].row == row && newest_opset(&all.ops[i]) > newest)
			newest = newest_opset(&all.ops[i]);
	return newest ? ops_version(row, ops_opset_with(row->domain, newest)) : 0;
}

static void test_all_types(void **state)
{
	struct err e = ERR_INIT;
	int bad = 0, ports = 0;

	(void)state;
	for (int i = 0; i < all.n_ops; i++) {
		uint32_t types = newest_opset(&all.ops[i]) ? fuzz_op_types(&all.ops[i], newest_opset(&all.ops[i])) : 0;

		for (int t = 1; t < DT_COUNT; t++)
			if ((types >> t & 1) && draw(&all.ops[i], TM(t), &e)) {
				print_error("%s, %s: %s\n", all.ops[i].name, dtype_name((enum dtype)t), e.msg);
				bad++;
			}
	}
	for (const struct op_row *row = op_rows; row->name; row++) {
		int version = *row->domain ? 0 : drawn_version(row);

		for (int k = 0; version && k <= last_port(row->op); k++) {
			uint32_t has = seen[row - op_rows][k] & (T_INT | T_BOOL), missing,
				 want = row->op->in[k].types & (T_INT | T_BOOL) & (k ? T_ANY : ops_types(row, version));

			missing = want & ~has;
			say(row, k, "is not drawn", missing & ~excused(row, k));
			say(row, k, "is said not to be drawn, and it is", excused(row, k) & ~missing);
			bad += missing != excused(row, k);
			ports += want && !missing;
		}
	}
	print_message("%d ports have all types of integers and bools that they may have\n", ports);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_types),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
