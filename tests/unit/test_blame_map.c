/* test_blame_map.c - the localization map: its arithmetic by hand, and on a network with a planted fault. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "blame/internal.h"
#include "support/networks.h"
#include "support/questions.h"

/* a = f(x), b = g(a), c = h(a, b), d = k(c):  rates by hand from equation 6. */
static struct model *four_nodes(struct blame_map_entry entries[4])
{
	struct model *m = net_begin((int64_t[]){2}, 1);

	net_add(m->graph, "Relu", "x", "a");
	net_add(m->graph, "Tanh", "a", "b");
	net_add(m->graph, "Add", "a b", "c");
	net_add(m->graph, "Relu", "c", "d");
	for (int i = 0; i < 4; i++)
		entries[i] = (struct blame_map_entry){.node = m->graph->nodes.at[i]};
	return m;
}

static void assert_close(double x, double wanted)
{
	if (!(fabs(x - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.17g, wanted %.17g", x, wanted);
}

static void test_rates(void **state)
{
	struct blame_map_entry entries[4];
	struct blame_map map = {.at = entries, .n = 4};
	struct model *m = four_nodes(entries);
	struct err e = ERR_INIT;

	(void)state;
	entries[0].delta = 1e-6;
	entries[1].delta = 3e-6;
	entries[2].delta = 1e-3;
	entries[3].delta = 2e-3;
	assert_int_equal(blame_map_rates(&map, &e), 0);
	assert_close(entries[0].rate, 10);                                    /* (1e-6 - 0) / 1e-7 */
	assert_close(entries[1].rate, 2e-6 / 1.1e-6);                         /* δ_pre 1e-6 */
	assert_close(entries[2].rate, 997e-6 / 3.1e-6);                       /* δ_pre the larger of 1e-6 and 3e-6 */
	assert_close(entries[3].rate, 1e-3 / 1.0001e-3);                      /* it doubles what it gets: no news */
	assert_close(map.third_quartile, 10 + 0.25 * (997e-6 / 3.1e-6 - 10)); /* a quarter between the two largest */
	for (int i = 0; i < 4; i++)
		assert_int_equal(entries[i].above, i == 2);
	model_free(m);
}

/* Who makes infinity out of numbers stands out; who passes it on does not; constants have no rate. */
static void test_rates_not_finite(void **state)
{
	struct blame_map_entry entries[4];
	struct blame_map map = {.at = entries, .n = 4};
	struct model *m = four_nodes(entries);
	struct err e = ERR_INIT;

	(void)state;
	entries[0].rate = (double)NAN;
	entries[1].delta = 1e-7;
	entries[2].delta = entries[3].delta = (double)INFINITY;
	assert_int_equal(blame_map_rates(&map, &e), 0);
	assert_true(isnan(entries[0].rate) && !entries[0].above);
	assert_close(entries[1].rate, 1);
	assert_true(isinf(entries[2].rate) && entries[2].above);
	assert_true(entries[3].rate == 0 && !entries[3].above);
	model_free(m);
}

static void test_map(void **state)
{
	struct question q = {.t = questions_network()};
	struct blame_map map = {0};
	struct err e = ERR_INIT;

	(void)state;
	question_ask(&q, "fault:elu_alpha_ignored", "map", 0);
	question_assert_first(&q, "elu");
	assert_false(q.b.exposing_hides);
	assert_true(q.b.at[0].rate > 1e3 && q.b.at[0].delta > 1e-3 && isnan(q.b.at[0].noise_ratio));
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o};
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	assert_int_equal(map.n, q.t.model->graph->nodes.n);
	for (size_t i = 0; i < map.n; i++) { /* nothing but rounding before the fault, much more behind it */
		const struct node *n = map.at[i].node;

		assert_int_equal(n->index, i);
		if (!strcmp(n->name, "elu") || !strcmp(n->name, "relu"))
			assert_true(map.at[i].noise_ratio > JUDGE_LIMIT);
		if (!strcmp(n->name, "bn") || !strcmp(n->name, "gate"))
			assert_true(map.at[i].noise_ratio <= JUDGE_LIMIT);
	}
	blame_map_release(&map);
	question_end(&q);
}

/* Two libraries, as in the paper: the map is of the difference between them, whoever is right. */
static void test_map_of_two(void **state)
{
	struct question q = {.t = questions_network()};
	struct party other;
	struct blame_map map = {0};
	struct err e = ERR_INIT;

	(void)state;
	question_ask(&q, "fault:elu_alpha_ignored", "map", 0);
	assert_int_equal(party_open(&other, "fault:elu_alpha_ignored", NULL, &e), 0);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .other = &other, .outcome = &q.o};
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	for (size_t i = 0; i < map.n; i++) /* both have the same fault: nothing to see but for the reference */
		assert_true(map.at[i].delta == 0 && !map.at[i].above);
	assert_true(map.at[graph_wire(q.t.model->graph, "elu")->producer->index].noise_ratio > JUDGE_LIMIT);
	blame_map_release(&map);
	party_close(&other);
	assert_int_equal(party_open(&other, "fault:sigmoid_hard", NULL, &e), 0);
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	assert_true(map.at[graph_wire(q.t.model->graph, "elu")->producer->index].above);
	assert_true(map.at[graph_wire(q.t.model->graph, "gate")->producer->index].above);
	blame_map_release(&map);
	party_close(&other);
	question_end(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_rates_not_finite),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
