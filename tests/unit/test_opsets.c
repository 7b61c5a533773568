/* test_opsets.c - models of every opset that the fuzzer draws.
 *
 * Of each block models are made by itself, in every opset that has it, and of all blocks together: the reference runs
 * them, and nothing in them breaks the rules of its version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "reference/reference.h"
#include "support/blocks.h"

#define ALONE 4    /* models of a block in one opset */
#define MODELS 400 /* of all blocks in one opset */

static struct corpus all;

static int set_up(void **state)
{
	(void)state;
	return blocks_load(&all);
}

static int tear_down(void **state)
{
	(void)state;
	corpus_release(&all);
	return 0;
}

/* Of the versions that the opset selects, with types that those take. */
static int check_nodes(const struct model *m, int opset, struct err *e)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			const struct node *n = m->graphs.at[g]->nodes.at[i];
			const struct op_row *row = ops_find(n->domain, n->op_type);
			const struct type *first = n->n_in && n->in[0] ? &n->in[0]->type : NULL;

			if (!*n->domain && n->version != ops_version(row, opset))
				return err_set(e, ERR_INPUT, "%s is of version %d", n->op_type, n->version);
			if (first && first->kind == VALUE_TENSOR && !(ops_types(row, n->version) & TM(first->dtype)))
				return err_set(e, ERR_INPUT, "%s-%d takes no %s", n->op_type, n->version,
					       dtype_name(first->dtype));
		}
	if (m->complaints.n)
		return err_set(e, ERR_INPUT, "%s", m->complaints.at[0]);
	return model_opset(m, "") == opset ? 0 : err_set(e, ERR_INPUT, "the model is of opset %d", model_opset(m, ""));
}

static int runs(struct fuzz_case *c, int opset, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result = {0};
	struct ref *ref = NULL;
	int rc = ref_open(c->model, &ref, e);

	if (!rc)
		rc = check_nodes(c->model, opset, e);
	if (!rc)
		rc = ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &result, e);
	ref_result_release(&result);
	ref_close(ref);
	return rc;
}

static int draw(const struct corpus *c, const struct fuzz_options *o, int models, double *otc, struct err *e)
{
	struct fuzzer *f = NULL;
	int rc = fuzzer_new(c, o, &f, e);

	for (int i = 0; i < models && !rc; i++) {
		struct fuzz_case made = {0};

		rc = fuzzer_next(f, &made, e);
		if (!rc)
			rc = runs(&made, o->opset, e);
		fuzz_case_release(&made);
	}
	if (!rc)
		*otc = fuzzer_figures(f).otc;
	fuzzer_free(f);
	return rc;
}

static void test_each_block(void **state)
{
	int bad = 0, n = 0;

	(void)state;
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
		for (int i = 0; i < all.n_ops; i++) {
			struct corpus alone = {.ops = &all.ops[i], .n_ops = 1};
			struct fuzz_options o = {.seed = 9, .blocks = 1, .opset = opset, .special = i & 1};
			struct err e = ERR_INIT;
			double otc;

			if (!all.ops[i].at[opset])
				continue;
			n++;
			if (!draw(&alone, &o, ALONE, &otc, &e))
				continue;
			print_error("opset %d, %s: %s\n", opset, all.ops[i].name, e.msg);
			bad++;
		}
	print_message("%d blocks of all opsets\n", n);
	assert_int_equal(bad, 0);
}

static uint32_t of_opset(struct fuzz_op *op, void *arg)
{
	return op->at[*(int *)arg];
}

/* Nearly all blocks that an opset has are in some hundreds of models, most of them small. */
static void test_all_blocks(void **state)
{
	(void)state;
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++) {
		struct fuzz_options o = {.seed = 3, .opset = opset};
		struct corpus c = {0};
		struct err e = ERR_INIT;
		double otc = 0;

		assert_int_equal(corpus_load("data/blocks-large.yaml", 1, &c, &e), 0);
		assert_int_equal(corpus_filter(&c, of_opset, &opset, &e), 0);
		if (draw(&c, &o, MODELS, &otc, &e))
			fail_msg("opset %d: %s", opset, e.msg);
		if (otc < 0.9)
			fail_msg("opset %d: %g of %d blocks are drawn", opset, otc, c.n_ops);
		corpus_release(&c);
	}
}

/* How many models of some are of the usual opset, and how many different others there are. */
static void test_opsets_are_drawn(void **state)
{
	struct fuzz_options o = {.seed = 1, .blocks = 2, .opset = 17, .oldest = 9, .newest = 18};
	int seen[OP_NEWEST_OPSET + 1] = {0};
	struct fuzzer *f = NULL, *again = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&all, &o, &f, &e), 0);
	assert_int_equal(fuzzer_new(&all, &o, &again, &e), 0);
	for (int i = 0; i < 300; i++) {
		struct fuzz_case a = {0}, b = {0};

		assert_int_equal(fuzzer_next(f, &a, &e), 0);
		assert_int_equal(fuzzer_next(again, &b, &e), 0);
		assert_int_equal(model_opset(a.model, ""), model_opset(b.model, ""));
		seen[model_opset(a.model, "")]++;
		fuzz_case_release(&a);
		fuzz_case_release(&b);
	}
	for (int opset = 0; opset <= OP_NEWEST_OPSET; opset++)
		assert_int_equal(seen[opset] > 0, opset >= 9 && opset <= 18);
	assert_in_range(seen[17], 150, 240);
	fuzzer_free(f);
	fuzzer_free(again);
}

static void test_options(void **state)
{
	struct fuzz_options o = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzz_options_opset(&o, "13", &e), 0);
	assert_true(o.oldest == 13 && o.newest == 13);
	assert_int_equal(fuzz_options_opset(&o, "7-28", &e), 0);
	assert_true(o.oldest == 7 && o.newest == 28);
	for (const char *const *bad = (const char *const[]){"6", "29", "9-8", "9-", "9x", "", "9-13-14", NULL}; *bad;
	     bad++)
		assert_int_equal(fuzz_options_opset(&o, *bad, &e), ERR_USAGE);
}

/* Attributes where they were attributes, inputs where they are inputs. */
static const struct node *find_node(const struct model *m, const char *op)
{
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		if (!strcmp(m->graph->nodes.at[i]->op_type, op))
			return m->graph->nodes.at[i];
	return NULL;
}

static void holds_parameter(const char *op, int opset, const char *attr, int port)
{
	struct corpus alone = {.ops = &all.ops[corpus_find(&all, op)], .n_ops = 1};
	struct fuzz_options o = {.seed = 2, .blocks = 1, .opset = opset};
	int found = 0;
	struct fuzzer *f = NULL;
	struct err e = ERR_INIT;

	assert_true(alone.ops->at[opset] != 0);
	assert_int_equal(fuzzer_new(&alone, &o, &f, &e), 0);
	for (int i = 0; i < 20; i++) {
		struct fuzz_case c = {0};
		const struct node *n;

		assert_int_equal(fuzzer_next(f, &c, &e), 0);
		n = find_node(c.model, op);
		found += n && (attr ? node_has(n, attr) && n->n_in <= port : n->n_in > port && !n->n_attrs) ? 1 : 0;
		for (size_t k = 0; n && k < c.model->graph->wires.n; k++) { /* nothing is left that nobody reads */
			struct wire *w = c.model->graph->wires.at[k];

			assert_true(!w->init || graph_reads(c.model->graph, w));
		}
		fuzz_case_release(&c);
	}
	if (!found)
		fail_msg("%s of opset %d never has %s", op, opset, attr ? attr : "its input");
	fuzzer_free(f);
}

static void test_parameters(void **state)
{
	static const struct {
		const char *op;
		int opset;
		const char *attr; /* NULL: an input */
		int port;
	} some[] = {
		{"Unsqueeze", 12, "axes", 1}, {"Unsqueeze", 13, NULL, 1}, {"ReduceMean", 17, "axes", 1},
		{"ReduceSum", 12, "axes", 1}, {"Clip", 10, "min", 1},     {"Clip", 11, NULL, 1},
		{"Pad", 10, "pads", 1},       {"Slice", 9, "starts", 1},  {"Slice", 10, NULL, 3},
		{"Split", 12, "split", 1},    {"TopK", 9, "k", 1},        {"Dropout", 11, "ratio", 1},
		{"Upsample", 8, "scales", 1}, {"DFT", 19, "axis", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		holds_parameter(some[i].op, some[i].opset, some[i].attr, some[i].port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),    cmocka_unit_test(test_opsets_are_drawn),
		cmocka_unit_test(test_parameters), cmocka_unit_test(test_each_block),
		cmocka_unit_test(test_all_blocks),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
