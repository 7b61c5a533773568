/* test_drawn.c - every operator is drawn by the fuzzer, or says why not.
 *
 * The corpus of all operators has a block for each sample of an operator, or one that draws from its cases.  Of every
 * block models are made by itself, in the newest opset that has it: a node of the operator is in them, and of those
 * that are said to be drawn with it, and the reference runs them.  So an operator that is new cannot be left out
 * without a reason.  Operators of any number of inputs are drawn with many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "reference/reference.h"
#include "support/blocks.h"

#define MODELS 40 /* of a block: in some it makes no node, since what leads in has nothing to be done with */

static struct corpus all;
static unsigned char seen_with[1024]; /* by row: drawn by a block of the operator that it is drawn with */

static int set_up(void **state)
{
	(void)state;
	assert_true(op_row_count <= sizeof seen_with);
	return blocks_load(&all);
}

static int tear_down(void **state)
{
	(void)state;
	corpus_release(&all);
	return 0;
}

static int blocks_of(const struct op_row *row)
{
	int n = 0;

	for (int i = 0; i < all.n_ops; i++)
		n += all.ops[i].row == row;
	return n;
}

/* ---- each operator has a block, or a reason ---------------------------------------------------------------------- */

static int samples_of(const struct op *op)
{
	int n = 0;

	while (op->samples && op->samples[n].by)
		n++;
	return n;
}

static void test_blocks_or_reasons(void **state)
{
	int bad = 0;

	(void)state;
	for (const struct op_row *row = op_rows; row->name; row++) {
		int blocks = blocks_of(row), samples = samples_of(row->op);
		const char *why = NULL;

		if ((row->op->undrawn != NULL) + (row->op->drawn_with != NULL) + (row->op->samples != NULL) > 1)
			why = "is drawn in more than one way, or says why not beside that";
		else if (row->op->undrawn && !*row->op->undrawn)
			why = "has an empty reason for not being drawn";
		else if (op_is_drawn_from_cases(row->op) && !blocks)
			why = "has no samples, no case that nodes can be drawn from, and no reason";
		else if (blocks != samples + op_is_drawn_from_cases(row->op))
			why = "has another number of blocks than of samples";
		if (why)
			print_error("%s %s\n", row->name, why);
		bad += why != NULL;
	}
	assert_int_equal(bad, 0);
}

/* ---- each block draws its operator ------------------------------------------------------------------------------- */

/* The newest opset in whose models the block may be; 0: none. */
static int newest_opset(const struct fuzz_op *op)
{
	for (int opset = OP_NEWEST_OPSET; opset >= FUZZ_MIN_OPSET; opset--)
		if (fuzz_op_types(op, opset))
			return opset;
	return 0;
}

static void see_nodes(const struct model *m, const struct op_row *of)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			const struct node *n = m->graphs.at[g]->nodes.at[i];
			const struct op_row *row = ops_find(n->domain, n->op_type);

			if (of && row->op->drawn_with && !strcmp(row->op->drawn_with, of->name))
				seen_with[row - op_rows] = 1;
		}
}

static int has_node(const struct model *m, const struct op_row *row)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++)
			if (m->graphs.at[g]->nodes.at[i]->op == row->op)
				return 1;
	return 0;
}

static int runs(struct fuzz_case *c, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result = {0};
	struct ref *ref = NULL;
	int rc = ref_open(c->model, &ref, e);

	if (!rc)
		rc = ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &result, e);
	ref_result_release(&result);
	ref_close(ref);
	return rc;
}

/* How many of some models have a node of the operator; negative: a model is not right. */
static int draw(const struct fuzz_op *op, int special, struct err *e)
{
	struct fuzz_op copy = *op;
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options o = {.seed = 5, .blocks = 1, .opset = newest_opset(op), .special = special};
	struct fuzzer *f = NULL;
	int found = 0, rc;

	copy.types = fuzz_op_types(op, o.opset);
	rc = fuzzer_new(&alone, &o, &f, e);
	for (int i = 0; i < MODELS && !rc; i++) {
		struct fuzz_case c = {0};

		rc = fuzzer_next(f, &c, e);
		if (!rc)
			rc = runs(&c, e);
		if (!rc)
			found += op->row ? has_node(c.model, op->row) : 1;
		if (!rc)
			see_nodes(c.model, op->row);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	return rc ? rc : found;
}

static void test_blocks_draw(void **state)
{
	int bad = 0;

	(void)state;
	for (int i = 0; i < 2 * all.n_ops; i++) {
		const struct fuzz_op *op = &all.ops[i / 2];
		struct err e = ERR_INIT;
		int found = newest_opset(op) ? draw(op, i % 2, &e) : 0;

		if (found < 0)
			print_error("%s: %s\n", op->name, e.msg);
		else if (!found)
			print_error("%s is in no model\n", op->name);
		bad += found <= 0;
	}
	for (size_t i = 0; i < op_row_count; i++)
		if (op_rows[i].op->drawn_with && !seen_with[i]) {
			print_error("%s is not drawn with %s\n", op_rows[i].name, op_rows[i].op->drawn_with);
			bad++;
		}
	print_message("%d blocks draw their operators\n", all.n_ops);
	assert_int_equal(bad, 0);
}

/* ---- operators of any number of inputs --------------------------------------------------------------------------- */

#define MANY_MODELS 600
#define MOST_ARGUMENTS 32 /* of NumPy's functions */

/* The most inputs that an operator has in some models of a corpus of it alone; the reference runs those models. */
static int most_inputs(const char *name, struct err *e)
{
	struct fuzz_op copy = {0};
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options o = {.seed = 6, .opset = FUZZ_OPSET, .blocks = 1};
	struct fuzzer *f = NULL;
	int most = 0;

	for (int i = 0; i < all.n_ops; i++)
		if (all.ops[i].row && !strcmp(all.ops[i].row->name, name))
			copy = all.ops[i];
	if (fuzzer_new(&alone, &o, &f, e))
		return -1;
	for (int i = 0; i < MANY_MODELS && most >= 0; i++) {
		struct fuzz_case c = {0};
		int before = most;

		if (fuzzer_next(f, &c, e))
			most = -1;
		for (size_t k = 0; most >= 0 && k < c.model->graph->nodes.n; k++) {
			const struct node *n = c.model->graph->nodes.at[k];

			most = !strcmp(n->op_type, name) && n->n_in > most ? n->n_in : most;
		}
		if (most > before && runs(&c, e))
			most = -1;
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	return most;
}

/* More of them than libraries have arguments for, which they must take all the same. */
static void test_many_inputs(void **state)
{
	static const char *const names[] = {"Concat", "Max", "Mean", "Min", "Sum"};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int most = most_inputs(names[i], &e);

		if (most <= MOST_ARGUMENTS)
			fail_msg("%s: %d inputs at most%s%s", names[i], most, most < 0 ? ": " : "", e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_or_reasons),
		cmocka_unit_test(test_blocks_draw),
		cmocka_unit_test(test_many_inputs),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
