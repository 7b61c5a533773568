/* test_store.c - findings, campaigns and curves: what is written comes back, and what is no store is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/assay-store-XXXXXX";
static char file[64], other_file[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof file, "%s/a.db", folder);
	snprintf(other_file, sizeof other_file, "%s/b.db", folder);
	return 0;
}

static void remove_store(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char name[128];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
}

static int clean(void **state)
{
	(void)state;
	remove_store(file);
	remove_store(other_file);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static struct store *open_store(const char *path)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	if (store_open(path, 1, &s, &e))
		fail_msg("%s", e.msg);
	return s;
}

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

static int64_t ask(const char *path, const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	int64_t answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	answer = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return answer;
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
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
	struct store *s = open_store(file);
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	add(s, &empty);
	store_close(s);
	s = open_store(file);
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
	struct store *s = open_store(file);
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
	struct store *s = open_store(file);
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
	assert_int_equal(ask(file, "SELECT count(*) FROM blobs"), 5); /* two models, in, ex, small */
	again.model = bytes_of("another");                            /* nobody has the first one now */
	again.inputs = bytes_of("");                                  /* stays */
	assert_int_equal(store_update(s, &again, &e), 0);
	assert_int_equal(ask(file, "SELECT count(*) FROM blobs"), 4);
	assert_int_equal(ask(file, "SELECT count(*) FROM parts WHERE finding = 2"), 3);
	f.id = 77;
	assert_int_equal(store_update(s, &f, &e), ERR_INPUT);
	assert_int_equal(ask(file, "SELECT count(*) FROM parts WHERE finding = 77"), 0);
	store_close(s);
}

static void test_filters(void **state)
{
	struct finding a = example(), b = example(), c = example();
	struct store *s = open_store(file);
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
	struct store *s = open_store(file);
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 4; i++)
		add(s, &f);
	assert_int_equal(store_each(s, NULL, stop_at_second, s, &e), 42);
	assert_int_equal(ask(file, "SELECT count(*) FROM findings WHERE detail = 'seen'"), 2);
	assert_int_equal(ask(file, "SELECT count(*) FROM parts"), 12);
	store_close(s);
}

static void test_clusters_set(void **state)
{
	struct finding f = example(), got;
	struct store *s = open_store(file);
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	add(s, &f);
	assert_int_equal(store_set_clusters(s, (struct store_cluster[]){{1, 2}, {2, 2}}, 2, &e), 0);
	assert_int_equal(store_get(s, 1, &got, &e), 0);
	assert_int_equal(got.cluster, 2);
	assert_int_equal(got.model.n, 6);
	finding_release(&got);
	assert_int_equal(ask(file, "SELECT findings FROM clusters WHERE cluster = 2"), 2);
	store_close(s);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static void test_merge(void **state)
{
	struct finding here = example(), same = example(), newer = example(), model = example(), none = example(), got;
	struct store *a = open_store(file), *b = open_store(other_file);
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
	assert_int_equal(store_merge(a, other_file, &added, &e), 0);
	assert_int_equal(added, 3);
	assert_int_equal(count(a, NULL), 4);
	assert_int_equal(store_get(a, 3, &got, &e), 0);
	assert_bytes(got.model, bytes_of("another"));
	assert_true(got.time == model.time);
	assert_int_equal(got.cluster, 0);
	finding_release(&got);
	assert_int_equal(store_merge(a, other_file, &added, &e), 0);
	assert_int_equal(added, 0);
	assert_int_equal(store_merge(a, file, &added, &e), 0); /* with itself */
	assert_int_equal(added, 0);
	assert_int_equal(store_merge(a, "/nowhere/at.db", &added, &e), ERR_INPUT);
	assert_int_equal(count(a, NULL), 4);
	store_close(a);
	store_close(b);
}

/* ---- campaigns --------------------------------------------------------------------------------------------------- */

static int64_t campaign_id(struct store *s, const char *command, uint64_t seed, int resume)
{
	struct campaign c;
	struct err e = ERR_INIT;
	int64_t id;

	if (store_campaign_open(s, "fuzz", command, "ort", seed, resume, &c, &e))
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
	struct store *s = open_store(file);
	struct campaign c, got;
	struct err e = ERR_INIT;
	int64_t id, cases = 0;

	(void)state;
	assert_int_equal(store_campaign_open(s, "fuzz", "assay fuzz", "ort,tf", UINT64_MAX, 1, &c, &e), 0);
	id = c.id;
	assert_true(c.started > 1700000000.0);
	assert_int_equal(c.state.n, 0);
	c.cases = 100;
	c.seconds = 2.5;
	c.state = (struct bytes){"st\0ate", 6};
	assert_int_equal(store_campaign_save(s, &c, &e), 0);
	campaign_release(&c);
	store_close(s);

	s = open_store(file);
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
	struct store *s = open_store(file);
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
	struct store *s = open_store(file);
	int64_t id = campaign_id(s, "assay fuzz", 1, 1);
	struct curve c = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(store_point(s, id, "olc", 2, 5, &e), 0);
	assert_int_equal(store_point(s, id, "findings", 3, 1, &e), 0);
	assert_int_equal(store_point(s, id, "olc", 1, 4, &e), 0);
	assert_int_not_equal(store_point(s, 99, "olc", 1, 4, &e), 0); /* no such campaign */
	assert_int_equal(store_each_point(s, id, take_point, &c, &e), 0);
	assert_string_equal(c.names, "findings olc olc ");
	assert_true(c.sum == 70);
	store_close(s);
}

/* ---- files that are no store ------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_refused(const char *path, int create, const char *why)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(store_open(path, create, &s, &e), ERR_INPUT);
	assert_null(s);
	if (!strstr(e.msg, why))
		fail_msg("'%s' is not in '%s'", why, e.msg);
}

static void test_foreign(void **state)
{
	(void)state;
	assert_refused(file, 0, "there is no store of findings");
	assert_refused(folder, 1, "no regular file");
	write_file(file, "this is a text, and it is long enough not to be taken for an empty file of SQLite\n");
	assert_refused(file, 1, "no store of findings");
	remove_store(file);
	write_file(file, "");
	assert_refused(file, 0, "is empty");
	store_close(open_store(file)); /* an empty file may become one */

	remove_store(file);
	run_sql(file, "CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('x')");
	assert_refused(file, 1, "of another program");
	assert_int_equal(ask(file, "SELECT count(*) FROM sqlite_master"), 1); /* untouched */

	remove_store(file);
	store_close(open_store(file));
	run_sql(file, "PRAGMA user_version = 99");
	assert_refused(file, 1, "version 99");
}

static void test_special_names(void **state)
{
	struct store *s = NULL;
	char before[4096];
	struct stat st;

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(folder), 0);
	s = open_store(":memory:");
	assert_int_equal(stat(":memory:", &st), 0);
	store_close(s);
	assert_int_equal(setenv("ASSAY_DB", "a.db", 1), 0);
	s = open_store("");
	assert_string_equal(store_path(s), "a.db");
	assert_int_equal(stat("a.db", &st), 0);
	store_close(s);
	unsetenv("ASSAY_DB");
	remove_store(":memory:");
	assert_int_equal(chdir(before), 0);
}

/* A store with enough in it that most of its pages matter. */
static void fill(const char *path, int n)
{
	struct store *s = open_store(path);
	char text[6000];

	memset(text, 'x', sizeof text);
	for (int i = 0; i < n; i++) {
		struct finding f = example();

		snprintf(text, 16, "%d", i);
		f.model = (struct bytes){text, sizeof text};
		add(s, &f);
	}
	store_close(s);
}

static void test_truncated(void **state)
{
	struct stat st;

	(void)state;
	fill(file, 20);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(truncate(file, st.st_size / 2), 0);
	assert_refused(file, 0, "damaged");
	assert_int_equal(truncate(file, 50), 0);
	assert_refused(file, 0, "damaged");
}

/* Garbage in any page ends in an error or in rows, never in a crash; reading everything finds it. */
static void test_corrupt(void **state)
{
	const struct store_filter all = {.with_bytes = 1};
	struct stat st;
	int refused = 0;

	(void)state;
	fill(file, 10);
	assert_int_equal(stat(file, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 4096) {
		struct store *s = NULL;
		struct err e = ERR_INIT;
		size_t n = 0;
		FILE *f;
		int rc;

		remove_store(file);
		fill(file, 10);
		f = fopen(file, "r+b");
		assert_non_null(f);
		fseek(f, at, SEEK_SET);
		for (int i = 0; i < 4096; i++)
			fputc(0xa5, f);
		fclose(f);
		rc = store_open(file, 1, &s, &e);
		if (!rc)
			rc = store_each(s, &all, count_one, &n, &e);
		assert_true(rc == 0 || rc == ERR_INPUT);
		assert_true(!rc || e.msg[0]);
		refused += rc != 0;
		store_close(s);
	}
	assert_true(refused > 3);
}

static void test_unknown_verdict(void **state)
{
	struct finding f = example(), got;
	struct store *s = open_store(file);
	struct err e = ERR_INIT;

	(void)state;
	add(s, &f);
	run_sql(file, "UPDATE findings SET verdict = 'purple'");
	assert_int_equal(store_get(s, f.id, &got, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "unknown verdict 'purple'"));
	store_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),      TEST(test_nan_ratio),
		TEST(test_update),          TEST(test_filters),
		TEST(test_each_stops),      TEST(test_merge),
		TEST(test_campaign),        TEST(test_campaign_not_resumed),
		TEST(test_points),          TEST(test_foreign),
		TEST(test_truncated),       TEST(test_corrupt),
		TEST(test_unknown_verdict), TEST(test_clusters_set),
		TEST(test_special_names),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
