/* test_fuzz_turn.c - models of one operator: each has its turn with each element type, at the ends of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/held.h"
#include "methods/fuzz/turn.h"
#include "reference/reference.h"

static struct corpus load(void)
{
	struct corpus c;
	struct err e = ERR_INIT;

	if (corpus_load("data/blocks-large.yaml", 1, &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

static int count_bits(uint32_t x)
{
	int n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static int count_attrs(const struct op *op)
{
	int n = 0;

	for (const struct op_attr *a = op->attrs; a && a->name; a++)
		n++;
	return n;
}

/* As many turns as there are pairs of an operator and a type, or an attribute, have each pair once, wherever they
 * begin. */
static void each_has_its_turn(void **state)
{
	struct corpus c = load();
	uint32_t *seen = mem_array((size_t)c.n_ops, sizeof *seen);
	int all = 0, plain = 0, attrs = 0;

	(void)state;
	assert_non_null(seen);
	for (int i = 0; i < c.n_ops; i++)
		if (c.ops[i].row && c.ops[i].at[FUZZ_OPSET]) {
			all += count_bits(c.ops[i].at[FUZZ_OPSET]);
			attrs += count_attrs(c.ops[i].row->op);
		}
	assert_true(all > c.n_ops);
	for (int i = 0; i < all + attrs; i++) {
		struct fuzz_turn t = fuzz_turn_of(&c, FUZZ_OPSET, (uint64_t)i + 1000);

		assert_in_range(t.block, 0, c.n_ops - 1);
		assert_non_null(c.ops[t.block].row);
		plain += !t.types;
		if (!t.types)
			continue;
		assert_int_equal(count_bits(t.types), 1);
		assert_true(t.types & c.ops[t.block].at[FUZZ_OPSET]);
		assert_false(t.types & seen[t.block]);
		seen[t.block] |= t.types;
	}
	assert_int_equal(plain, attrs);
	mem_free(seen);
	corpus_release(&c);
}

static void nobody_has_a_turn(void **state)
{
	struct fuzz_op pattern = {.name = "several operators"};
	struct corpus c = {.ops = &pattern, .n_ops = 1};

	(void)state;
	assert_int_equal(fuzz_turn_of(&c, FUZZ_OPSET, 3).block, -1);
}

/* Versions that the usual opset does not have have turns as well, each once: Resize of opset 10 is in no other. */
static void other_versions_have_turns(void **state)
{
	struct corpus c = load();
	int n = fuzz_other_turns(&c, FUZZ_OPSET, 7, OP_NEWEST_OPSET, NULL, 0), resize = 0;
	struct fuzz_turn *all = mem_array((size_t)n, sizeof *all);

	(void)state;
	assert_non_null(all);
	assert_int_equal(fuzz_other_turns(&c, FUZZ_OPSET, 7, OP_NEWEST_OPSET, all, n), n);
	for (int i = 0; i < n; i++) {
		struct fuzz_turn t = fuzz_other_turn(all, n, (uint64_t)i + 77);
		const struct op_row *row = c.ops[t.block].row;

		assert_int_not_equal(t.opset, FUZZ_OPSET);
		assert_true(c.ops[t.block].at[t.opset]);
		resize += !strcmp(c.ops[t.block].name, "ResizeNearest") && t.opset == 10;
		if (!strcmp(row->domain, "") && c.ops[t.block].at[FUZZ_OPSET])
			assert_int_not_equal(ops_version(row, t.opset), ops_version(row, FUZZ_OPSET));
	}
	assert_int_equal(resize, 1);
	mem_free(all);
	corpus_release(&c);
}

/* Of a campaign over all opsets: by chance alone none of these models had it. */
static void other_versions_are_drawn(void **state)
{
	struct corpus c = load();
	struct fuzz_options o = {.seed = 8, .special = 1, .oldest = 7, .newest = OP_NEWEST_OPSET};
	struct fuzzer *f;
	int resized = 0;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 6000; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		if (model_opset(made.model, "") == 10)
			for (size_t k = 0; k < made.model->graph->nodes.n; k++)
				resized += !strcmp(made.model->graph->nodes.at[k]->op_type, "Resize");
		fuzz_case_release(&made);
	}
	assert_true(resized > 0);
	fuzzer_free(f);
	corpus_release(&c);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void run_in_reference(struct fuzz_case *c)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result out = {.n = 0};
	struct ref *ref;
	struct err e = ERR_INIT;

	if (ref_open(c->model, &ref, &e) || ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &out, &e))
		fail_msg("case %lld: %s", (long long)c->index, e.msg);
	ref_result_release(&out);
	ref_close(ref);
}

static int reads_input(const struct fuzz_case *c, const char *op, enum dtype t, double least)
{
	const struct graph *g = c->model->graph;

	for (size_t k = 0; k < g->inputs.n; k++) {
		const struct wire *w = g->inputs.at[k];
		double most = 0;

		if (w->type.dtype != t || !c->inputs[k])
			continue;
		for (size_t i = 0; i < c->inputs[k]->tensor->count; i++)
			most = fmax(most, fabs(tensor_get(c->inputs[k]->tensor, i)));
		for (size_t i = 0; i < g->nodes.n && most >= least; i++)
			if (!strcmp(g->nodes.at[i]->op_type, op) && g->nodes.at[i]->in[0] == w)
				return 1;
	}
	return 0;
}

/* Whether an operator is given a lot of numbers that are all the same, and no zeros. */
static int reads_equal(const struct fuzz_case *c, const char *op)
{
	const struct graph *g = c->model->graph;

	for (size_t k = 0; k < g->inputs.n; k++) {
		const struct tensor *t = c->inputs[k] ? c->inputs[k]->tensor : NULL;
		size_t same = 1;

		while (t && same < t->count && tensor_get(t, same) == tensor_get(t, 0))
			same++;
		if (!t || t->count < 8 || same < t->count || tensor_get(t, 0) == 0)
			continue;
		for (size_t i = 0; i < g->nodes.n; i++)
			if (!strcmp(g->nodes.at[i]->op_type, op) && g->nodes.at[i]->in[0] == g->inputs.at[k])
				return 1;
	}
	return 0;
}

/* More than twice as many models as there are turns, one in five of which is of another version: some have other
 * numbers than those at the ends.  Ranges of inputs are kept where constants that nobody uses are taken out again:
 * numbers of wires are others then, and indices were beyond their axes. */
static void ends_are_drawn(void **state)
{
	static const struct {
		const char *op;
		enum dtype type;
		double least;
	} wanted[] = {{"Div", DT_INT64, 0x1p31}, {"Neg", DT_INT64, 0x1p31}, {"CumSum", DT_INT64, 0x1p31},
		      {"Div", DT_INT32, 0x1p24}, {"Mod", DT_INT32, 0x1p24}, {"Pow", DT_INT64, 4097},
		      {"Exp", DT_FLOAT, 100},    {"Gelu", DT_FLOAT, 1e31},  {"ReduceLogSumExp", DT_FLOAT, 1e31}};
	struct corpus c = load();
	struct fuzz_options o = {.seed = 8, .special = 1, .opset = FUZZ_OPSET, .oldest = 7, .newest = OP_NEWEST_OPSET};
	int seen[sizeof wanted / sizeof *wanted] = {0}, equal = 0;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 10000; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		if (i < 1200)
			run_in_reference(&made);
		for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
			seen[k] |= reads_input(&made, wanted[k].op, wanted[k].type, wanted[k].least);
		equal += reads_equal(&made, "ReduceSum") + reads_equal(&made, "ReduceMean") + reads_equal(&made, "Abs");
		fuzz_case_release(&made);
	}
	assert_true(equal > 0);
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
		if (!seen[k])
			fail_msg("%s is never given large numbers of %s", wanted[k].op, dtype_name(wanted[k].type));
	fuzzer_free(f);
	corpus_release(&c);
}

/* Before opset 13 few operators take integers: one alone gets the ends of its type, and nothing is cast. */
static void old_opsets_have_ends(void **state)
{
	struct corpus c = load();
	struct err e = ERR_INIT;

	(void)state;
	for (int special = 0; special < 2; special++) {
		struct fuzz_options o = {.seed = 8, .special = special, .opset = 9};
		int ends = 0, large = 0;
		struct fuzzer *f;

		assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
		for (int i = 0; i < 800; i++) {
			struct fuzz_case made = {0};

			if (fuzzer_next(f, &made, &e))
				fail_msg("%s", e.msg);
			if (made.ends && ends++ < 60)
				run_in_reference(&made);
			large += reads_input(&made, "Div", DT_INT64, 0x1p31) ||
				 reads_input(&made, "Mul", DT_INT64, 0x1p31) ||
				 reads_input(&made, "Neg", DT_INT64, 0x1p31) ||
				 reads_input(&made, "Less", DT_INT64, 0x1p31);
			fuzz_case_release(&made);
		}
		assert_true(ends > 40);
		assert_true(large > 0 || !special);
		fuzzer_free(f);
	}
	corpus_release(&c);
}

/* Before opset 9 there is no IsNaN: a model that cannot do without it, as the 460th of opset 7 was, has plain numbers.
 */
static void old_opsets_need_no_guard(void **state)
{
	struct corpus c = load();
	struct err e = ERR_INIT;

	(void)state;
	for (int opset = FUZZ_MIN_OPSET; opset < 9; opset++) {
		struct fuzz_options o = {.seed = 8, .special = 1, .opset = opset};
		struct fuzzer *f;

		assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
		for (int i = 0; i < 1000; i++) {
			struct fuzz_case made = {0};

			if (fuzzer_next(f, &made, &e))
				fail_msg("opset %d: %s", opset, e.msg);
			if (i < 500)
				run_in_reference(&made);
			fuzz_case_release(&made);
		}
		fuzzer_free(f);
	}
	corpus_release(&c);
}

/* Models of turns, which are every other one, have that operator and hardly anything else: what would cut, cast or pad
 * an input, or keep NaN from it, is an input that is so already, and all inputs are read. */
static void turns_are_one_node(void **state)
{
	struct corpus c = load();
	struct fuzz_options o = {.seed = 3, .special = 1};
	int alone = 0, constant = 0, turns = 2000;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 2 * turns; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		if (i % 2 == 0) {
			const struct graph *g = made.model->graph;

			assert_true(g->nodes.n > 0);
			alone += g->nodes.n == 1;
			constant += !g->inputs.n;
			if (i < 1200)
				run_in_reference(&made);
			if (g->nodes.n == 1 && made.model->graphs.n == 1 && g->inputs.n > (size_t)g->nodes.at[0]->n_in)
				fail_msg("case %d: %zu inputs, of which %s reads %d", i, g->inputs.n,
					 g->nodes.at[0]->op_type, g->nodes.at[0]->n_in);
		}
		fuzz_case_release(&made);
	}
	assert_in_range(alone, turns * 85 / 100, turns);
	assert_in_range(constant, turns * 3 / 100, turns * 10 / 100); /* an optimizer computes these beforehand */
	fuzzer_free(f);
	corpus_release(&c);
}

/* The input that an operator reads first, as the difference of its largest and its smallest number: -1 when it reads
 * none, or one with NaN, infinities or few numbers. */
static double spread_of(const struct fuzz_case *c, const char *op, double *most)
{
	const struct graph *g = c->model->graph;
	double low = INFINITY, high = -INFINITY;

	if (g->nodes.n != 1 || strcmp(g->nodes.at[0]->op_type, op) != 0)
		return -1;
	for (size_t k = 0; k < g->inputs.n; k++)
		for (size_t i = 0;
		     c->inputs[k] && g->nodes.at[0]->in[0] == g->inputs.at[k] && i < c->inputs[k]->tensor->count; i++) {
			low = fmin(low, tensor_get(c->inputs[k]->tensor, i));
			high = fmax(high, tensor_get(c->inputs[k]->tensor, i));
		}
	*most = fmax(fabs(low), fabs(high));
	return isfinite(low) && isfinite(high) ? high - low : -1;
}

static uint32_t only_norms(struct fuzz_op *op, void *arg)
{
	static const char *const norms[] = {"LpNormalization", "RMSNormalization", "MeanVarianceNormalization",
					    "LayerNormalization"};

	(void)arg;
	for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
		if (op->row && !strcmp(op->row->name, norms[i]))
			return op->types;
	return 0;
}

/* Normalizations divide by what is left of equal numbers, and by the norm of zeros; of large numbers that are almost
 * equal a difference of squares leaves rounding alone. */
static void norms_of_equal_numbers_are_drawn(void **state)
{
	struct corpus c = load();
	struct fuzz_options o = {.seed = 5, .special = 1, .opset = 23};
	int zeros = 0, equal = 0, nearly = 0, same = 0;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(corpus_filter(&c, only_norms, NULL, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 4000 && !(zeros && equal && nearly && same); i++) {
		struct fuzz_case made = {0};
		double most = 0, spread;

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		zeros += spread_of(&made, "LpNormalization", &most) == 0 && most == 0;
		same += spread_of(&made, "RMSNormalization", &most) == 0 && most == 0;
		equal += spread_of(&made, "MeanVarianceNormalization", &most) == 0;
		spread = spread_of(&made, "LayerNormalization", &most);
		nearly += spread > 0 && spread < 1e-6 * most && most > 100;
		fuzz_case_release(&made);
	}
	print_message("LpNormalization of zeros %d, RMSNormalization %d, equal %d, nearly equal %d\n", zeros, same,
		      equal, nearly);
	assert_true(zeros && equal && nearly && same);
	fuzzer_free(f);
	corpus_release(&c);
}

/* ---- without guards ---------------------------------------------------------------------------------------------- */

/* As MNN and OpenCV are: nothing that keeps NaN away from an operator.  A corpus_types. */
static uint32_t but_guards(struct fuzz_op *op, void *arg)
{
	(void)arg;
	return strcmp(op->name, "IsNaN") != 0 ? op->types : 0;
}

static int has_guard(const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, "IsNaN"))
			return 1;
	return 0;
}

/* What its turns hold: models of one operator need no guard, as their inputs are drawn without what it must not get.
 */
static void turns_need_no_guard(void **state)
{
	struct corpus c = load();
	struct fuzz_options o = {.seed = 5, .special = 1};
	struct held held = {0};
	int guards = 0, turns = 2000;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(corpus_filter(&c, but_guards, NULL, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 2 * turns; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		guards += has_guard(made.model->graph);
		if (i % 2 == 0)
			held_note(&held, held_in(made.model->graph, made.inputs));
		if (i < 600)
			run_in_reference(&made);
		fuzz_case_release(&made);
	}
	print_message("NaN %lld, infinity %lld, zero divisor %lld, end of an integer type %lld\n", (long long)held.nan,
		      (long long)held.infinity, (long long)held.zero_divisor, (long long)held.integer_end);
	assert_int_equal(guards, 0);
	assert_true(held.nan > turns / 20);
	assert_true(held.infinity > turns / 20);
	assert_true(held.zero_divisor > 0);
	assert_true(held.integer_end > turns / 20);
	fuzzer_free(f);
	corpus_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_turn),         cmocka_unit_test(nobody_has_a_turn),
		cmocka_unit_test(other_versions_have_turns), cmocka_unit_test(other_versions_are_drawn),
		cmocka_unit_test(old_opsets_need_no_guard),  cmocka_unit_test(ends_are_drawn),
		cmocka_unit_test(old_opsets_have_ends),      cmocka_unit_test(turns_are_one_node),
		cmocka_unit_test(turns_need_no_guard),       cmocka_unit_test(norms_of_equal_numbers_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
