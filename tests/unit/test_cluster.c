/* test_cluster.c - findings that are probably one defect get one number, that of the best example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "model/case.h"
#include "support/stores.h"
#include "triage/triage.h"

static struct store *store;

static int open_fresh(void **state)
{
	(void)state;
	store = stores_open_fresh();
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	store_close(store);
	stores_remove();
	return 0;
}

/* Returns its id. */
static int64_t add_with(struct finding f, const struct model *reduced)
{
	struct err e = ERR_INIT;
	struct buf b;

	f.library = "ort";
	buf_init(&b, 1 << 20);
	if (reduced && model_serialize(reduced, &b, &e))
		fail_msg("%s", e.msg);
	f.reduced_model = (struct bytes){b.data, b.len};
	if (store_add(store, &f, &e))
		fail_msg("%s", e.msg);
	buf_release(&b);
	return f.id;
}

/* Adds a finding whose reduced case is an operator case (NULL: not reduced). */
static int64_t add(const char *signature, const char *op, enum verdict v, int nodes, double ratio, const char *line)
{
	struct finding f = {.verdict = v, .signature = signature, .op = op, .nodes = nodes, .noise_ratio = ratio};
	struct err e = ERR_INIT;
	struct op_case c;
	int64_t id;

	if (!line)
		return add_with(f, NULL);
	if (case_parse(line, 1, &c, &e))
		fail_msg("%s: %s", line, e.msg);
	id = add_with(f, c.model);
	case_release(&c);
	return id;
}

#define MAX_CHAIN 8

/* Adds a finding whose reduced case is a chain of these operators, the last of them NULL. */
static int64_t add_chain(struct finding f, const char *const *ops)
{
	struct err e = ERR_INIT;
	struct type type = {0};
	struct wire *last;
	struct model *m;
	int64_t id;

	type_set(&type, DT_FLOAT, 1, (const int64_t[]){4});
	if (model_new(21, &m, &e) || graph_add_input(m->graph, "x", &type, &last, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < MAX_CHAIN && ops[i]; i++) {
		struct node *n;
		char name[] = {(char)('a' + i), '\0'};

		if (graph_append_node(m->graph, ops[i], &last, 1, name, &n, &e))
			fail_msg("%s: %s", ops[i], e.msg);
		last = n->out[0];
	}
	if (graph_add_output(m->graph, last, &e))
		fail_msg("%s", e.msg);
	id = add_with(f, m);
	model_free(m);
	return id;
}

#define CHAIN(f, ...) add_chain(f, (const char *const[MAX_CHAIN + 1]){__VA_ARGS__})

static size_t make(void)
{
	struct err e = ERR_INIT;
	size_t n = 0;

	if (cluster_all(store, &n, &e))
		fail_msg("%s", e.msg);
	return n;
}

static void assert_cluster(int64_t id, int64_t wanted)
{
	struct err e = ERR_INIT;
	struct finding f;

	if (store_get(store, id, &f, &e))
		fail_msg("%s", e.msg);
	if (f.cluster != wanted)
		fail_msg("finding %d is in cluster %d, not %d", (int)id, f.cluster, (int)wanted);
	finding_release(&f);
}

#define CEIL "AveragePool-10 f32[1,2,5,5] kernel_shape=[2,2] ceil_mode=1"
#define CEIL_PADS "AveragePool-10 f32[1,2,5,5] kernel_shape=[2,2] ceil_mode=1 pads=[1,0,0,1]"
#define PADS "AveragePool-10 f32[1,2,5,5] kernel_shape=[2,2] pads=[1,0,0,1]"

/* One signature is one cluster; the best: confirmed, few nodes, a large ratio. */
static void test_signature(void **state)
{
	int64_t large, flaky, small, smaller;

	(void)state;
	large = add("ort/Conv/wrong/", "Conv", VERDICT_WRONG, 30, 9, NULL);
	flaky = add("ort/Conv/wrong/", "Conv", VERDICT_FLAKY, 1, INFINITY, NULL);
	small = add("ort/Conv/wrong/", "Conv", VERDICT_WRONG, 2, 50, NULL);
	assert_int_equal(make(), 1);
	assert_cluster(large, small);
	assert_cluster(flaky, small);
	smaller = add("ort/Conv/wrong/", "Conv", VERDICT_WRONG, 2, 80, NULL);
	assert_int_equal(make(), 1);
	assert_cluster(large, smaller);
	assert_cluster(small, smaller);
	assert_int_equal(make(), 1); /* nothing changes when nothing came */
	assert_cluster(smaller, smaller);
}

/* What fails with fewer conditions takes in what fails with more. */
static void test_similar(void **state)
{
	int64_t more, less, twin;

	(void)state;
	more = add("ort/AveragePool/wrong/b", "AveragePool", VERDICT_WRONG, 1, 40, CEIL_PADS);
	less = add("ort/AveragePool/wrong/a", "AveragePool", VERDICT_WRONG, 1, 60, CEIL);
	twin = add("ort/AveragePool/wrong/c", "", VERDICT_WRONG, 1, 50, CEIL); /* not blamed */
	assert_int_equal(make(), 1);
	assert_cluster(more, less);
	assert_cluster(less, less);
	assert_cluster(twin, less);
}

/* Two causes do not meet through a case that has both. */
static void test_no_chain(void **state)
{
	int64_t a = add("ort/AveragePool/wrong/a", "AveragePool", VERDICT_WRONG, 1, 60, CEIL);
	int64_t b = add("ort/AveragePool/wrong/b", "AveragePool", VERDICT_WRONG, 1, 60, PADS);
	int64_t both = add("ort/AveragePool/wrong/c", "AveragePool", VERDICT_WRONG, 1, 60, CEIL_PADS);

	(void)state;
	assert_int_equal(make(), 2);
	assert_cluster(a, a);
	assert_cluster(b, b);
	assert_cluster(both, a);
}

static void test_apart(void **state)
{
	int64_t id[7];

	(void)state;
	id[0] = add("ort/AveragePool/wrong/a", "AveragePool", VERDICT_WRONG, 1, 60, CEIL);
	id[1] = add("ov/AveragePool/wrong/a", "AveragePool", VERDICT_WRONG, 1, 60, CEIL);  /* another library */
	id[2] = add("ort/AveragePool/crash/a", "AveragePool", VERDICT_CRASH, 1, 60, CEIL); /* another verdict */
	id[3] = add("ort/Relu/wrong/a", "Relu", VERDICT_WRONG, 1, 60, "Relu-14 f32[2]");
	id[4] = add("ort/AveragePool/wrong/x", "AveragePool", VERDICT_WRONG, 9, 60, NULL); /* not reduced */
	id[5] = add("", "", VERDICT_WRONG, 1, 60, CEIL);                                   /* not signed */
	id[6] = add("", "", VERDICT_WRONG, 1, 60, CEIL);
	assert_int_equal(make(), 6);
	for (int i = 0; i < 6; i++)
		assert_cluster(id[i], id[i]);
	assert_cluster(id[6], id[5]);
}

/* A switch decides, and no operator is wrong alone. */
static struct finding by_switch(enum verdict verdict, const char *signature, const char *op)
{
	return (struct finding){.verdict = verdict,
				.signature = signature,
				.op = op,
				.nodes = 2,
				.noise_ratio = 50,
				.detail = "rejected: the same words",
				.evidence = "{\"reduce\": {\"guilty\": \"optimizer TransposeOptimizer\"}}"};
}

/* One pass of the optimizer that spoils several operators has a defect with each. */
static void test_switch_and_operators(void **state)
{
	struct finding resize = by_switch(VERDICT_WRONG, "ort/Resize+Transpose/wrong/f32.1d", "");
	struct finding pad = by_switch(VERDICT_WRONG, "ort/Pad+Transpose/wrong/f32.1d", "");
	struct finding more = by_switch(VERDICT_WRONG, "ort/Add+Resize+Transpose/nan/f32.1d", "");
	int64_t a = CHAIN(resize, "Transpose", "Resize"), b = CHAIN(pad, "Transpose", "Pad");
	int64_t c = CHAIN(more, "Transpose", "Resize", "Relu");

	(void)state;
	assert_int_equal(make(), 2);
	assert_cluster(a, a);
	assert_cluster(b, b);
	assert_cluster(c, a);
}

/* The same with operators that are wrong alone, of which the words of the case do not count; and with none in store. */
static void test_switch_and_blamed(void **state)
{
	int64_t a = CHAIN(by_switch(VERDICT_WRONG, "ort/Conv/wrong/a", "Conv"), "Conv");
	int64_t b = CHAIN(by_switch(VERDICT_WRONG, "ort/Gemm/wrong/a", "Gemm"), "Gemm");
	int64_t same = CHAIN(by_switch(VERDICT_NAN, "ort/Conv/nan/b", "Conv"), "Relu", "Conv");
	int64_t bare = add_with(by_switch(VERDICT_WRONG, "ort/Einsum/wrong/a", "Einsum"), NULL);

	(void)state;
	assert_int_equal(make(), 3);
	assert_cluster(a, a);
	assert_cluster(b, b);
	assert_cluster(same, a);
	assert_cluster(bare, bare);
}

/* A fusion that is found around different operators is one, when most of what it joins is the same. */
static void test_switch_and_fused_sets(void **state)
{
	struct finding f = by_switch(VERDICT_WRONG, "ort/Add+Mul+Sqrt+Sub/wrong/a", "");
	struct finding g = by_switch(VERDICT_WRONG, "ort/Add+Div+Mul+Sqrt/wrong/a", "");
	int64_t a = CHAIN(f, "Add", "Mul", "Sqrt", "Sub"), b = CHAIN(g, "Add", "Mul", "Sqrt", "Div");

	(void)state;
	assert_int_equal(make(), 1);
	assert_cluster(a, a);
	assert_cluster(b, a);
}

/* Refusals of one switch in the same words stay one, whatever stands around it. */
static void test_switch_and_refusals(void **state)
{
	struct finding f = by_switch(VERDICT_REJECTED, "ort/Slice/rejected/a", "Slice");
	struct finding g = by_switch(VERDICT_REJECTED, "ort/Reshape/rejected/a", "Reshape");
	int64_t a = CHAIN(f, "Slice"), b = CHAIN(g, "Reshape");

	(void)state;
	assert_int_equal(make(), 1);
	assert_cluster(a, a);
	assert_cluster(b, a);
}

/* What began with another version is another defect; where that is not known, the rest decides. */
static void test_since(void **state)
{
	struct finding f = {.verdict = VERDICT_WRONG, .signature = "ort/Relu/wrong/a", .op = "Relu", .nodes = 1};
	int64_t unknown = CHAIN(f, "Relu"), old, again, new;

	(void)state;
	f.since = "1.16.3";
	old = CHAIN(f, "Relu");
	again = CHAIN(f, "Relu");
	f.since = "1.20.1";
	new = CHAIN(f, "Relu");
	assert_int_equal(make(), 2);
	assert_cluster(old, unknown);
	assert_cluster(again, unknown);
	assert_cluster(new, new);
}

/* A model that cannot be read is no reason to fail. */
static void test_unreadable(void **state)
{
	struct finding f = {.verdict = VERDICT_WRONG, .signature = "ort/x/wrong/", .reduced_model = {"no model", 8}};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(store_add(store, &f, &e), 0);
	assert_int_equal(make(), 1);
	assert_cluster(f.id, f.id);
}

static void test_empty(void **state)
{
	(void)state;
	assert_int_equal(make(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fresh, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_signature),
		TEST(test_similar),
		TEST(test_no_chain),
		TEST(test_apart),
		TEST(test_switch_and_operators),
		TEST(test_switch_and_blamed),
		TEST(test_switch_and_fused_sets),
		TEST(test_switch_and_refusals),
		TEST(test_since),
		TEST(test_unreadable),
		TEST(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
