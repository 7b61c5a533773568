/* test_store.c - findings, campaigns and curves: what is written comes back, and what is no store is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/progress.h"
#include "support/stores.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static struct finding example(void)
{
	return (struct finding){
		.method = "fuzz",
		.backend = "ort@1.20.1:O99",
		.library = "onnxruntime",
		.version = "1.20.1",
		.verdict = VERDICT_WRONG,
		.gradient = 1,
		.op = "Conv",
		.node = "conv/3",
		.parameter = "pads",
		.noise_ratio = 1234.5,
		.signature = "onnxruntime/Conv/wrong/f32.4d",
		.detail = "output 'y' differs",
		.evidence = "{\"a\":1}",
		.command = "assay fuzz -b ort",
		.seed = UINT64_MAX,
		.nodes = 1,
		.original_nodes = 30,
		.model = {"mo\0del", 6},
		.inputs = {"in", 2},
		.expected = {"ex", 2},
		.since = "1.19.0",
		.until = "1.21.0",
		.time = 1700000000.25,
		.cluster = 7,
	};
}

static int64_t add(struct store *s, struct finding *f)
{
	struct err e = ERR_INIT;

	if (store_add(s, f, &e))
		fail_msg("%s", e.msg);
	assert_true(f->id > 0);
	return f->id;
}

static int count_one(const struct finding *f, void *arg)
{
	(void)f;
	++*(size_t *)arg;
	return 0;
}

static size_t count(struct store *s, const struct store_filter *filter)
{
	struct err e = ERR_INIT;
	size_t n = 0;

	if (store_each(s, filter, count_one, &n, &e))
		fail_msg("%s", e.msg);
	return n;
}

static void assert_bytes(struct bytes got, struct bytes wanted)
{
	assert_int_equal(got.n, wanted.n);
	assert_memory_equal(got.p ? got.p : "", wanted.p ? wanted.p : "", wanted.n);
}

static void assert_same(const struct finding *a, const struct finding *b)
{
	assert_string_equal(a->method, b->method);
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->library, b->library);
	assert_string_equal(a->version, b->version);
	assert_int_equal(a->verdict, b->verdict);
	assert_int_equal(a->gradient, b->gradient);
	assert_string_equal(a->op, b->op);
	assert_string_equal(a->node, b->node);
	assert_string_equal(a->parameter, b->parameter);
	assert_true(a->noise_ratio == b->noise_ratio);
	assert_string_equal(a->signature, b->signature);
	assert_string_equal(a->detail, b->detail);
	assert_string_equal(a->evidence, b->evidence);
	assert_string_equal(a->command, b->command);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->nodes, b->nodes);
	assert_int_equal(a->original_nodes, b->original_nodes);
	assert_string_equal(a->since, b->since);
	assert_string_equal(a->until, b->until);
	assert_true(a->time == b->time);
	assert_int_equal(a->cluster, b->cluster);
	assert_int_equal(a->campaign, b->campaign);
	assert_bytes(a->model, b->model);
	assert_bytes(a->inputs, b->inputs);
	assert_bytes(a->expected, b->expected);
	assert_bytes(a->reduced_model, b->reduced_model);
	assert_bytes(a->reduced_inputs, b->reduced_inputs);
	assert_bytes(a->reduced_expected, b->reduced_expected);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
	struct finding f = example(), empty = {.verdict = VERDICT_CRASH, .noise_ratio = INFINITY}, got;
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	add(s, &empty);
	store_close(s);
	s = stores_open(stores_path());
	assert_int_equal(store_get(s, f.id, &got, &e), 0);
	assert_same(&got, &f);
	finding_release(&got);
	assert_int_equal(store_get(s, empty.id, &got, &e), 0);
	assert_string_equal(got.op, "");
	assert_string_equal(got.signature, "");
	assert_true(isinf(got.noise_ratio));
	assert_true(got.time > 1700000000.0);
	assert_int_equal(got.model.n, 0);
	finding_release(&got);
	assert_int_equal(store_get(s, 99, &got, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "there is no finding 99"));
	store_close(s);
}

static void test_nan_ratio(void **state)
{
	struct finding f = example(), got;
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	f.noise_ratio = NAN;
	add(s, &f);
	assert_int_equal(store_get(s, f.id, &got, &e), 0);
	assert_true(isnan(got.noise_ratio));
	finding_release(&got);
	store_close(s);
}

/* Reduction and blame come later; bytes that nobody holds any more go. */
static void test_update(void **state)
{
	struct finding f = example(), again = example(), got;
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	add(s, &again);
	f.reduced_model = bytes_of("small");
	f.model = bytes_of("another");
	f.nodes = 2;
	f.op = "Relu";
	assert_int_equal(store_update(s, &f, &e), 0);
	assert_int_equal(store_get(s, f.id, &got, &e), 0);
	assert_same(&got, &f);
	finding_release(&got);
	assert_int_equal(store_get(s, again.id, &got, &e), 0);
	assert_same(&got, &again);
	finding_release(&got);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM blobs"), 5); /* two models, in, ex, small */
	again.model = bytes_of("another");                                            /* nobody has the first one now */
	again.inputs = bytes_of("");                                                  /* stays */
	assert_int_equal(store_update(s, &again, &e), 0);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM blobs"), 4);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM parts WHERE finding = 2"), 3);
	f.id = 77;
	assert_int_equal(store_update(s, &f, &e), ERR_INPUT);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM parts WHERE finding = 77"), 0);
	store_close(s);
}

static void test_filters(void **state)
{
	struct finding a = example(), b = example(), c = example();
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;
	int64_t n;

	(void)state;
	b.backend = "openvino";
	b.library = "openvino";
	b.verdict = VERDICT_NAN;
	b.op = "Softmax";
	b.signature = "openvino/Softmax/nan/";
	c.backend = "ortho";
	c.library = "ortho";
	c.method = "check";
	c.campaign = 3;
	add(s, &a);
	add(s, &b);
	add(s, &c);
	assert_int_equal(count(s, NULL), 3);
	assert_int_equal(count(s, &(struct store_filter){.backend = "ort"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.backend = "ort@1.20.1"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.backend = "ort@1.20"}), 0);
	assert_int_equal(count(s, &(struct store_filter){.backend = "onnxruntime"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.verdict = "nan"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.op = "softmax"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.op = "Conv", .method = "fuzz"}), 1);
	assert_int_equal(count(s, &(struct store_filter){.campaign = 3}), 1);
	assert_int_equal(count(s, &(struct store_filter){.signature = a.signature}), 2);
	assert_int_equal(count(s, &(struct store_filter){.op = "' OR 1=1 --"}), 0);
	assert_int_equal(store_count(s, a.signature, &n, &e), 0);
	assert_int_equal(n, 2);
	store_close(s);
}

static int stop_at_second(const struct finding *f, void *arg)
{
	struct store *s = arg;
	struct finding changed = *f;
	struct err e = ERR_INIT;

	assert_int_equal(f->model.n, 0); /* not asked for */
	changed.detail = "seen";
	assert_int_equal(store_update(s, &changed, &e), 0);
	return f->id == 2 ? 42 : 0;
}

static void test_each_stops(void **state)
{
	struct finding f = example();
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 4; i++)
		add(s, &f);
	assert_int_equal(store_each(s, NULL, stop_at_second, s, &e), 42);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings WHERE detail = 'seen'"), 2);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM parts"), 12);
	store_close(s);
}

static int remove_next(const struct finding *f, void *arg)
{
	char sql[64];

	snprintf(sql, sizeof sql, "DELETE FROM findings WHERE id = %d", (int)f->id + 1);
	stores_sql(stores_path(), sql);
	++*(int *)arg;
	return 0;
}

/* What another process takes out meanwhile is passed over. */
static void test_each_removed(void **state)
{
	struct finding f = example();
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;
	int seen = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		add(s, &f);
	assert_int_equal(store_each(s, NULL, remove_next, &seen, &e), 0);
	assert_int_equal(seen, 2);
	store_close(s);
}

static void test_clusters_set(void **state)
{
	struct finding f = example(), got;
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	add(s, &f);
	assert_int_equal(store_set_clusters(s, (struct store_cluster[]){{1, 2}, {2, 2}}, 2, &e), 0);
	assert_int_equal(store_get(s, 1, &got, &e), 0);
	assert_int_equal(got.cluster, 2);
	assert_int_equal(got.model.n, 6);
	finding_release(&got);
	assert_int_equal(stores_ask(stores_path(), "SELECT findings FROM clusters WHERE cluster = 2"), 2);
	store_close(s);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static void test_merge(void **state)
{
	struct finding here = example(), same = example(), newer = example(), model = example(), none = example(), got;
	struct store *a = stores_open(stores_path()), *b = stores_open(stores_other_path());
	struct err e = ERR_INIT;
	size_t added = 0;

	(void)state;
	add(a, &here);
	add(b, &same);
	newer.backend = "ort@1.21.0";
	add(b, &newer);
	model.model = bytes_of("another");
	add(b, &model);
	none.model = bytes_of("");
	add(b, &none);
	assert_int_equal(store_merge(a, stores_other_path(), &added, &e), 0);
	assert_int_equal(added, 3);
	assert_int_equal(count(a, NULL), 4);
	assert_int_equal(store_get(a, 3, &got, &e), 0);
	assert_bytes(got.model, bytes_of("another"));
	assert_true(got.time == model.time);
	assert_int_equal(got.cluster, 0);
	finding_release(&got);
	assert_int_equal(store_merge(a, stores_other_path(), &added, &e), 0);
	assert_int_equal(added, 0);
	assert_int_equal(store_merge(a, stores_path(), &added, &e), 0); /* with itself */
	assert_int_equal(added, 0);
	assert_int_equal(store_merge(a, "/nowhere/at.db", &added, &e), ERR_INPUT);
	assert_int_equal(count(a, NULL), 4);
	store_close(a);
	store_close(b);
}

/* ---- campaigns --------------------------------------------------------------------------------------------------- */

static int64_t campaign_id(struct store *s, const char *command, uint64_t seed, int resume)
{
	const struct campaign_key key = {.method = "fuzz", .command = command, .backends = "ort", .seed = seed};
	struct campaign c;
	struct err e = ERR_INIT;
	int64_t id;

	if (store_campaign_open(s, &key, resume, &c, &e))
		fail_msg("%s", e.msg);
	id = c.id;
	campaign_release(&c);
	return id;
}

static int add_cases(const struct campaign *c, void *arg)
{
	*(int64_t *)arg += c->cases;
	return 0;
}

static void test_campaign(void **state)
{
	const struct campaign_key key = {
		.method = "fuzz", .command = "assay fuzz", .backends = "ort,tf", .seed = UINT64_MAX};
	struct store *s = stores_open(stores_path());
	struct campaign c, got;
	struct err e = ERR_INIT;
	int64_t id, cases = 0;

	(void)state;
	assert_int_equal(store_campaign_open(s, &key, 1, &c, &e), 0);
	id = c.id;
	assert_true(c.started > 1700000000.0);
	assert_int_equal(c.state.n, 0);
	c.cases = 100;
	c.seconds = 2.5;
	c.state = (struct bytes){"st\0ate", 6};
	assert_int_equal(store_campaign_save(s, &c, &e), 0);
	campaign_release(&c);
	store_close(s);

	s = stores_open(stores_path());
	assert_int_equal(campaign_id(s, "assay fuzz", UINT64_MAX, 1), id); /* resumed */
	assert_int_not_equal(campaign_id(s, "assay fuzz", 2, 1), id);
	assert_int_not_equal(campaign_id(s, "assay fuzz -x", UINT64_MAX, 1), id);
	assert_int_equal(store_campaign_get(s, id, &got, &e), 0);
	assert_int_equal(got.cases, 100);
	assert_true(got.seconds == 2.5);
	assert_true(got.seed == UINT64_MAX);
	assert_string_equal(got.backends, "ort,tf");
	assert_bytes(got.state, (struct bytes){"st\0ate", 6});
	got.done = 1;
	assert_int_equal(store_campaign_save(s, &got, &e), 0);
	campaign_release(&got);
	assert_int_not_equal(campaign_id(s, "assay fuzz", UINT64_MAX, 1), id); /* done: a new one */
	assert_int_equal(store_each_campaign(s, add_cases, &cases, &e), 0);
	assert_int_equal(cases, 100);
	assert_int_equal(store_campaign_get(s, 99, &got, &e), ERR_INPUT);
	assert_int_equal(store_campaign_save(s, &(struct campaign){.id = 99}, &e), ERR_INPUT);
	store_close(s);
}

static void test_campaign_not_resumed(void **state)
{
	struct store *s = stores_open(stores_path());
	int64_t first = campaign_id(s, "assay fuzz", 1, 0);

	(void)state;
	assert_int_not_equal(campaign_id(s, "assay fuzz", 1, 0), first);
	store_close(s);
}

struct curve {
	double sum;
	char names[64];
};

static int take_point(const char *curve, double seconds, double value, void *arg)
{
	struct curve *c = arg;
	size_t n = strlen(c->names);

	c->sum += seconds * 10 + value;
	snprintf(c->names + n, sizeof c->names - n, "%s ", curve);
	return 0;
}

static void test_points(void **state)
{
	struct store *s = stores_open(stores_path());
	int64_t id = campaign_id(s, "assay fuzz", 1, 1);
	struct curve c = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(store_points(s, id, 2, &(struct store_point){"olc", 5}, 1, &e), 0);
	assert_int_equal(store_points(s, id, 3, &(struct store_point){"findings", 1}, 1, &e), 0);
	assert_int_equal(store_points(s, id, 1, &(struct store_point){"olc", 4}, 1, &e), 0);
	assert_int_not_equal(store_points(s, 99, 1, &(struct store_point){"olc", 4}, 1, &e), 0); /* no such campaign */
	assert_int_equal(store_each_point(s, id, take_point, &c, &e), 0);
	assert_string_equal(c.names, "findings olc olc ");
	assert_true(c.sum == 70);
	store_close(s);
}

/* The last of a campaign, by time; coverage that is not known has no point. */
static void test_progress(void **state)
{
	const struct store_progress early = {12.5, 3, 2}, late = {NAN, 8, 7}, more = {20, 2, 2};
	struct store *s = stores_open(stores_path());
	int64_t id = campaign_id(s, "assay fuzz", 1, 2);
	struct store_progress p = late;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(store_last_progress(s, id, &p, &e), 0);
	assert_true(isnan(p.coverage) && !p.repeats && !p.agreed);
	assert_int_equal(store_add_progress(s, id, 2, &late, &e), 0);
	assert_int_equal(store_add_progress(s, id, 1, &early, &e), 0);
	assert_int_equal(store_last_progress(s, id, &p, &e), 0);
	assert_true(p.coverage == 12.5 && p.repeats == 8 && p.agreed == 7);
	store_join_progress(&p, &more);
	assert_true(p.coverage == 20 && p.repeats == 10 && p.agreed == 9);
	store_join_progress(&p, &late);
	assert_true(p.coverage == 20 && p.repeats == 18 && p.agreed == 16);
	store_close(s);
}

static void test_unknown_verdict(void **state)
{
	struct finding f = example(), got;
	struct store *s = stores_open(stores_path());
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	stores_sql(stores_path(), "UPDATE findings SET verdict = 'purple'");
	assert_int_equal(store_get(s, f.id, &got, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "unknown verdict 'purple'"));
	store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, stores_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),      TEST(test_nan_ratio),
		TEST(test_update),          TEST(test_filters),
		TEST(test_each_stops),      TEST(test_merge),
		TEST(test_campaign),        TEST(test_campaign_not_resumed),
		TEST(test_points),          TEST(test_progress),
		TEST(test_unknown_verdict), TEST(test_clusters_set),
		TEST(test_each_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
