/* test_backend_switches.c - settings of ONNX Runtime 1.20.1 that make a finding right: all of them, and whether those
 * of a small case matter in the whole.
 *
 * The optimizer takes Pow, ReduceMean, Add, Sqrt, Div, Mul for a root mean square normalization whatever the exponent
 * is (issue 29153). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "libraries/libraries.h"
#include "support/backend.h"
#include "support/networks.h"
#include "support/stores.h"
#include "triage/triage.h"

#define VERSION "ort@1.20.1"

static struct err e = ERR_INIT;

static void scalar(struct graph *g, const char *name, double x)
{
	assert_int_equal(graph_add_init(g, name, tensor_scalar_f(DT_FLOAT, x, &e), NULL, &e), 0);
}

/* The pattern between two nodes; `parted`: by an Identity, which must go before the pattern is seen. */
static struct trial network(int parted)
{
	struct model *m = net_begin((int64_t[]){2, 8}, 2);
	struct graph *g = m->graph;

	scalar(g, "three", 3);
	scalar(g, "epsilon", 1e-5);
	NET_WEIGHTS(g, "gamma", 0.5, 1.5, 8);
	net_add(g, "Sigmoid", "x", "s");
	net_add(g, "Pow", "s three", "pow");
	net_ints(net_add(g, "ReduceMean", "pow", "mean"), "axes", (int64_t[]){-1}, 1);
	net_add(g, "Add", "mean epsilon", "shifted");
	net_add(g, "Sqrt", "shifted", "root");
	if (parted)
		net_add(g, "Identity", "root", "same");
	net_add(g, "Div", parted ? "s same" : "s root", "quotient");
	net_add(g, "Mul", "quotient gamma", "scaled");
	net_add(g, "Tanh", "scaled", "y");
	return net_finish(m, "y", net_random(1, 2, (int64_t[]){2, 8}, 0.5, 1.5));
}

struct question {
	struct trial t;
	struct party p;
	struct outcome o;
	struct switch_case c;
};

static void ask(struct question *q, const char *backend)
{
	if (party_open(&q->p, backend, NULL, &e) || trial_judge(&q->t, &q->p, NULL, &q->o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(q->o.verdict, VERDICT_WRONG);
	q->c = (struct switch_case){&q->t, &q->p, q->o.verdict, 0, 0};
}

static void end(struct question *q)
{
	outcome_release(&q->o);
	party_close(&q->p);
	trial_release(&q->t);
}

/* A set of one pass of ONNX Runtime. */
static struct switches only(const char *pass)
{
	const struct library_passes *passes = library_find("ort")->switches[0].passes;
	struct switches s = {.n = 1, .passes = passes, .left_out = {.n = 1}};

	while (strcmp(passes->names[s.left_out.at[0]], pass) != 0)
		s.left_out.at[0]++;
	return s;
}

static void test_all_are_named(void **state)
{
	struct question q = {.t = network(0)};
	struct switches s;
	unsigned alone = 0;

	(void)state;
	ask(&q, VERSION);
	assert_int_equal(switches_find(&q.c, &s, &e), 0);
	assert_string_equal(s.words, "optimizer SimplifiedLayerNormFusion");
	assert_string_equal(s.made_by, "SimplifiedLayerNormFusion");
	assert_int_equal(s.n, 1);
	assert_int_equal(switches_alone(&q.c, &alone, &e), 0);
	assert_int_equal(alone, s.alone);
	assert_int_equal(alone, 1); /* not threads */
	end(&q);
	/* Two passes make room for each other: either is enough, and neither is called the cause. */
	q = (struct question){.t = network(1)};
	ask(&q, VERSION);
	assert_int_equal(switches_find(&q.c, &s, &e), 0);
	assert_string_equal(s.words, "optimizer EliminateIdentity, or optimizer SimplifiedLayerNormFusion");
	assert_string_equal(s.made_by, "EliminateIdentity and SimplifiedLayerNormFusion"); /* neither does it alone */
	assert_int_equal(s.n, 2);
	end(&q);
}

/* Where there is no time to name passes the optimizer as a whole is named, and no set with needless members. */
static void test_no_time_for_passes(void **state)
{
	struct question q = {.t = network(0)};
	struct switches s;

	(void)state;
	ask(&q, VERSION);
	q.c.seconds = 1e-9;
	assert_int_equal(switches_find(&q.c, &s, &e), 0);
	assert_string_equal(s.words, library_find("ort")->switches[0].says);
	assert_string_equal(s.made_by, "");
	assert_int_equal(s.alone, 1);
	assert_null(s.passes);
	end(&q);
}

/* What the party leaves out already stays out. */
static void test_beside_those_left_out(void **state)
{
	struct question q = {.t = network(1)};
	struct switches s;

	(void)state;
	ask(&q, VERSION ":disable=GeluFusionL1");
	assert_int_equal(switches_find(&q.c, &s, &e), 0);
	assert_int_equal(s.n, 2);
	end(&q);
}

/* A smaller case that other passes make right is another case. */
static void test_matter(void **state)
{
	struct question q = {.t = network(0)};
	struct switches fusion = only("SimplifiedLayerNormFusion"), other = only("ConvBNFusion"), none = {.n = 0};
	int matter;

	(void)state;
	ask(&q, VERSION);
	assert_int_equal(switches_matter(&q.c, &fusion, &matter, &e), 0);
	assert_true(matter);
	assert_int_equal(switches_matter(&q.c, &other, &matter, &e), 0);
	assert_false(matter);
	assert_int_equal(switches_matter(&q.c, &none, &matter, &e), 0);
	assert_true(matter);
	end(&q);
}

/* Nodes that are fused: no one of them is named, all are. */
static void test_set_is_named(void **state)
{
	struct question q = {.t = network(0)};
	struct store *s = stores_open_fresh();
	struct keeper k = {.store = s, .method = "check"};
	struct kept kept = {0};
	struct finding f;
	json_t *evidence, *ops;

	(void)state;
	ask(&q, VERSION);
	if (keep_case(&k, &q.t, &q.p, &q.o, &kept, &e) || store_get(s, kept.id, &f, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(f.op, "");
	assert_string_equal(f.node, "");
	evidence = json_loads(f.evidence, 0, NULL);
	ops = json_object_get(evidence, "together");
	assert_int_equal(json_array_size(ops), 6);
	assert_string_equal(json_string_value(json_array_get(ops, 0)), "Pow");
	assert_string_equal(json_string_value(json_object_get(json_object_get(evidence, "reduce"), "guilty")),
			    "optimizer SimplifiedLayerNormFusion");
	json_decref(evidence);
	finding_release(&f);
	store_close(s);
	end(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_named),         cmocka_unit_test(test_no_time_for_passes),
		cmocka_unit_test(test_beside_those_left_out), cmocka_unit_test(test_matter),
		cmocka_unit_test(test_set_is_named),
	};
	int rc = backend_test_start(VERSION);

	if (rc)
		return rc;
	backend_test_stop();
	return cmocka_run_group_tests(tests, NULL, stores_teardown);
}
