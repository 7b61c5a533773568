/* test_serve.c - who may ask the server what, and what there is at its addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utime.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/place.h"
#include "serve/internal.h"
#include "support/scratch.h"
#include "support/stores.h"

#define TOKEN "0123456789abcdef"

static void test_hosts(void **state)
{
	static const struct {
		const char *host;
		int known;
	} rows[] = {
		{"127.0.0.1:8642", 1},
		{"localhost:8642", 1},
		{"LocalHost:8642", 1},
		{"[::1]:8642", 1},
		{"192.168.7.9:8642", 1},
		{"build.example:8642", 1},
		{"evil.example:8642", 0},
		{"127.0.0.1:80", 0},
		{"127.0.0.1", 0},
		{"localhost.evil.example:8642", 0},
		{"127.0.0.1.evil.example:8642", 0},
		{"::1:8642", 0},
		{"[::1]8642", 0},
		{"[::1", 0},
		{"[]:8642", 0},
		{":8642", 0},
		{"localhost:", 0},
		{"localhost:8642x", 0},
		{"localhost:+8642", 0},
		{"localhost: 8642", 0},
		{"localhost:99999999999999999999", 0},
		{"localhost:8642:8642", 0},
		{"", 0},
		{NULL, 0},
	};
	const char *own = "build.example";
	struct serve_options o = {.hosts = {.at = &own, .n = 1}};
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (guard_knows_host(&o, 8642, rows[i].host) != rows[i].known)
			fail_msg("'%s'", rows[i].host ? rows[i].host : "(none)");
	assert_true(guard_knows_host(&o, 80, "localhost"));
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	assert_false(guard_knows_host(&o, 8642, text));
}

static void test_loopback(void **state)
{
	(void)state;
	assert_true(serve_is_loopback("127.0.0.1") && serve_is_loopback("127.3.2.1") && serve_is_loopback("::1"));
	assert_true(serve_is_loopback("localhost"));
	assert_false(serve_is_loopback("0.0.0.0") || serve_is_loopback("::") || serve_is_loopback("10.0.0.1"));
	assert_false(serve_is_loopback("128.0.0.1") || serve_is_loopback("localhost.example") || serve_is_loopback(""));
}

static void test_tokens(void **state)
{
	char long_one[SERVE_MAX_TOKEN + 2], first[SERVE_NEW_TOKEN], second[SERVE_NEW_TOKEN];
	struct err e = ERR_INIT;

	(void)state;
	assert_true(guard_same_token(TOKEN, TOKEN));
	assert_false(guard_same_token(TOKEN, "0123456789abcdeX"));
	assert_false(guard_same_token(TOKEN, "X123456789abcdef"));
	assert_false(guard_same_token(TOKEN, "0123456789abcde"));
	assert_false(guard_same_token(TOKEN, TOKEN "0"));
	assert_false(guard_same_token(TOKEN, ""));
	memset(long_one, 'a', sizeof long_one);
	long_one[sizeof long_one - 1] = '\0'; /* one more than the most: its end must count */
	assert_false(guard_same_token(long_one, long_one));
	assert_int_equal(serve_check_token(long_one, &e), ERR_INPUT);
	assert_int_equal(serve_check_token("short", &e), ERR_INPUT);
	assert_int_equal(serve_check_token("0123456789abcdef\r\nSet-Cookie: x", &e), ERR_INPUT);
	assert_int_equal(serve_check_token(TOKEN, &e), 0);
	assert_int_equal(serve_make_token(first, &e), 0);
	assert_int_equal(serve_make_token(second, &e), 0);
	assert_int_equal(serve_check_token(first, &e), 0);
	assert_string_not_equal(first, second);
}

static void test_requests(void **state)
{
	static const struct {
		const char *method, *host, *bearer, *cookie, *query;
		enum guard_answer open, guarded; /* without and with a token */
	} rows[] = {
		{"GET", "localhost:1", NULL, NULL, NULL, GUARD_PASS, GUARD_TOKEN},
		{"HEAD", "localhost:1", NULL, TOKEN, NULL, GUARD_PASS, GUARD_PASS},
		{"GET", "localhost:1", "Bearer " TOKEN, NULL, NULL, GUARD_PASS, GUARD_PASS},
		{"GET", "localhost:1", "bearer " TOKEN, NULL, NULL, GUARD_PASS, GUARD_PASS},
		{"GET", "localhost:1", TOKEN, NULL, NULL, GUARD_PASS, GUARD_TOKEN},
		{"GET", "localhost:1", "Bearer", NULL, NULL, GUARD_PASS, GUARD_TOKEN},
		{"GET", "localhost:1", "Basic " TOKEN, NULL, NULL, GUARD_PASS, GUARD_TOKEN},
		{"GET", "localhost:1", NULL, NULL, TOKEN, GUARD_PASS, GUARD_ENTER},
		{"GET", "localhost:1", NULL, "wrong", "wrong", GUARD_PASS, GUARD_TOKEN},
		{"GET", "evil.example:1", NULL, TOKEN, NULL, GUARD_HOST, GUARD_HOST},
		{"GET", NULL, "Bearer " TOKEN, NULL, NULL, GUARD_HOST, GUARD_HOST},
		{"POST", "localhost:1", NULL, TOKEN, NULL, GUARD_METHOD, GUARD_METHOD},
		{"get", "localhost:1", NULL, TOKEN, NULL, GUARD_METHOD, GUARD_METHOD},
		{"DELETE", "localhost:1", NULL, TOKEN, NULL, GUARD_METHOD, GUARD_METHOD},
	};
	const struct serve_options open = {0}, guarded = {.token = TOKEN};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct request r = {.method = rows[i].method,
					  .path = "/",
					  .host = rows[i].host,
					  .bearer = rows[i].bearer,
					  .cookie = rows[i].cookie,
					  .query = rows[i].query};

		if (guard_request(&open, 1, &r) != rows[i].open || guard_request(&guarded, 1, &r) != rows[i].guarded)
			fail_msg("row %zu", i);
	}
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void add_finding(struct store *s, const char *signature)
{
	struct finding f = {.method = "check",
			    .backend = "ort",
			    .library = "onnxruntime",
			    .version = "1.0",
			    .verdict = VERDICT_WRONG,
			    .op = "Conv",
			    .node = "n",
			    .parameter = "",
			    .noise_ratio = 7,
			    .signature = signature,
			    .detail = "<script>alert(1)</script>",
			    .evidence = "{}",
			    .command = "assay",
			    .since = "",
			    .until = ""};
	struct err e = ERR_INIT;

	if (store_add(s, &f, &e))
		fail_msg("%s", e.msg);
}

/* The page at a path must be there (and have the text), or must not. */
static void expect_page(struct routes *r, const char *path, const char *has)
{
	struct served_page *p = NULL;
	struct err e = ERR_INIT;

	if (routes_get(r, path, &p, &e))
		fail_msg("%s: %s", path, e.msg);
	if (!p != !has)
		fail_msg("'%s' is%s there", path, p ? "" : " not");
	if (p && !strstr(p->text.data, has))
		fail_msg("'%s' has no '%s'", path, has);
	if (p && strstr(p->type, "html") && strstr(p->text.data, "<script>alert"))
		fail_msg("'%s' has what was not escaped", path);
	routes_unref(p);
}

static void test_routes(void **state)
{
	static const char *const nowhere[] = {
		"",
		"//",
		"/../etc/passwd",
		"/report/",
		"/report?x",
		"/finding/",
		"/finding/0",
		"/finding/01",
		"/finding/2",
		"/finding/-1",
		"/finding/1/",
		"/finding/1x",
		"/finding/%31",
		"/finding/ 1",
		"/finding/999999999999999999",
		"/finding/99999999999999999999999999999999999999999",
		"/api",
		"/api/finding/7",
		"/api/finding/1?",
		"/%2e%2e/",
		"/index.html",
		"/favicon.ico",
		"/api/status/1",
	};
	struct store *writer = stores_open_fresh(), *reader;
	struct serve_options o = {.title = "a <title>"};
	struct routes r = {.o = &o};
	struct err e = ERR_INIT;

	(void)state;
	add_finding(writer, "onnxruntime/Conv/wrong/f32.4d");
	reader = stores_open(stores_path());
	assert_int_equal(store_only_read(reader, &e), 0);
	o.store = reader;
	expect_page(&r, "/", "href=\"/finding/1\"");
	expect_page(&r, "/", "a &lt;title&gt;");
	expect_page(&r, "/report", "id=\"f1\"");
	expect_page(&r, "/finding/1", "data-count=\"1\" open");
	expect_page(&r, "/api/status", "\"findings\": 1");
	expect_page(&r, "/api/findings", "\"clusters\"");
	expect_page(&r, "/api/finding/1", "onnxruntime/Conv/wrong/f32.4d");
	expect_page(&r, "/api/curves/1", "\"curves\"");
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
		expect_page(&r, nowhere[i], NULL);
	assert_true(r.bytes > 0);
	routes_release(&r);
	assert_int_equal(r.bytes, 0);
	/* What serves cannot write. */
	assert_int_not_equal(store_remove(reader, 1, &e), 0);
	store_close(reader);
	store_close(writer);
	stores_remove();
}

/* A page that is being sent outlives the cache; one that was made is used again until the store changes. */
static void test_kept(void **state)
{
	struct store *writer = stores_open_fresh(), *reader = stores_open(stores_path());
	struct serve_options o = {.title = "t", .store = reader};
	struct routes r = {.o = &o};
	struct served_page *first, *again, *later;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(routes_get(&r, "/api/status", &first, &e), 0);
	assert_int_equal(routes_get(&r, "/api/status", &again, &e), 0);
	assert_ptr_equal(first, again);
	routes_unref(again);
	add_finding(writer, "onnxruntime/Conv/wrong/f32.4d");
	first->made -= 60; /* as if a minute had passed */
	assert_int_equal(routes_get(&r, "/api/status", &later, &e), 0);
	assert_ptr_not_equal(first, later);
	assert_non_null(strstr(first->text.data, "\"findings\": 0"));
	assert_non_null(strstr(later->text.data, "\"findings\": 1"));
	routes_release(&r);
	assert_non_null(strstr(first->text.data, "\"findings\": 0"));
	routes_unref(first);
	routes_unref(later);
	assert_int_equal(r.bytes, 0);
	r.bytes = ROUTES_MAX_BYTES + 1; /* others are being sent too much */
	assert_int_equal(routes_get(&r, "/", &first, &e), ERR_LIMIT);
	store_close(reader);
	store_close(writer);
	stores_remove();
}

static void test_memory(void **state)
{
	struct store *s = stores_open_fresh();
	struct serve_options o = {.title = "t", .store = s};
	size_t failures = 0;
	int done = 0;

	(void)state;
	add_finding(s, "onnxruntime/Conv/wrong/f32.4d");
	for (size_t k = 1; !done; k++) {
		struct routes r = {.o = &o};
		struct served_page *p = NULL;
		struct err e = ERR_INIT;
		int rc;

		mem_fail_after(k, 0);
		rc = routes_get(&r, "/", &p, &e);
		done = mem_fail_after(0, 0) < k; /* nothing was left to fail */
		assert_true(rc ? *e.msg && !p : p != NULL);
		routes_unref(p);
		routes_release(&r);
		assert_int_equal(r.bytes, 0);
		failures += rc != 0;
		assert_false(done && rc);
	}
	assert_true(failures > 5);
	store_close(s);
	stores_remove();
}

/* Others may reach it only with a token. */
static void test_open(void **state)
{
	struct serve_options o = {.listen = "0.0.0.0", .title = "t"};
	struct web_server *s = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(serve_open(&o, &s, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "needs a token"));
	o.token = "short";
	assert_int_equal(serve_open(&o, &s, &e), ERR_INPUT);
	o.token = TOKEN;
	o.listen = "no address";
	assert_int_equal(serve_open(&o, &s, &e), ERR_USAGE);
	o.listen = "127.0.0.1";
	o.token = NULL;
	if (serve_open(&o, &s, &e))
		fail_msg("%s", e.msg);
	assert_non_null(strstr(serve_address(s), "127.0.0.1:"));
	serve_close(s);
	serve_close(NULL);
}

/* ---- the folder of a campaign ------------------------------------------------------------------------------------ */

#define LINES                                                                         \
	"\"lines\": [{\"method\": \"fuzz\", \"backend\": \"ort\", \"share\": 0.75}, " \
	"{\"method\": \"equiv\", \"backend\": \"<b>tf\", \"share\": 0.25}]"
#define STATE(lines, tasks)                                                                       \
	"{\"version\": 1, \"time\": 600, \"seconds\": 61, \"runs\": 2, \"leading\": true, " lines \
	", \"tasks\": [" tasks "]}"

#define SOON (time(NULL) + 3600) /* the machine may be slow: no leader counts as gone meanwhile */

static void write_state(const char *text, time_t written)
{
	struct err e = ERR_INIT;
	char path[64];

	snprintf(path, sizeof path, "%s/state.json", scratch_folder);
	if (buf_write_file(text, strlen(text), path, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(utime(path, &(struct utimbuf){.modtime = written}), 0);
}

static void test_folder(void **state)
{
	struct err e = ERR_INIT;
	struct folder_view v;

	(void)state;
	write_state(STATE(LINES, ""), 1000);
	if (folder_read(scratch_folder, &v, &e))
		fail_msg("%s", e.msg);
	assert_false(v.running); /* its leader was killed long ago */
	folder_release(&v);
	write_state(
		STATE(LINES,
		      "{\"line\": 0, \"state\": \"done\", \"seconds\": 30, \"added\": 2, \"clusters\": 1, \"counts\":"
		      " {\"ort\": {\"given\": 90, \"ran\": 80, \"judged\": 70}}},"
		      "{\"line\": 0, \"state\": \"done\", \"seconds\": 30, \"counts\": {\"ort\": {\"given\": 30}}},"
		      "{\"line\": 1, \"state\": \"failed\", \"why\": \"assay: <i>no</i>\", \"counts\": null},"
		      "{\"line\": 1, \"state\": \"running\", \"counts\": 7}"),
		SOON);
	if (folder_read(scratch_folder, &v, &e))
		fail_msg("%s", e.msg);
	assert_true(v.running && v.seconds > 60 && v.time > 599 && v.runs == 2);
	assert_int_equal(v.lines.n, 2);
	assert_int_equal(v.lines.at[0].tasks[FOLDER_DONE], 2);
	assert_int_equal(v.lines.at[0].cases, 120);
	assert_int_equal(v.lines.at[0].findings, 2);
	assert_int_equal(v.lines.at[1].tasks[FOLDER_FAILED], 1);
	assert_int_equal(v.lines.at[1].tasks[FOLDER_RUNNING], 1);
	assert_int_equal(v.tasks.n, 4);
	assert_int_equal(v.counts.n, 1);
	assert_int_equal(v.counts.at[0].tally.given, 120);
	assert_int_equal(v.counts.at[0].tally.judged, 70);
	folder_release(&v);
}

/* Nothing of it is shown, nothing leaks, and the message names the file. */
static void test_hostile_folder(void **state)
{
	static const char *const states[] = {
		"",
		"[]",
		"null",
		"{\"version\": 1",
		"{\"version\": 1, \"tasks\": []}",
		"{\"version\": 2, " LINES ", \"tasks\": []}",
		"{\"version\": 1, " LINES "}",
		"{\"version\": 1, " LINES ", \"tasks\": {\"0\": 1}}",
		"{\"version\": 1, \"time\": -1, " LINES ", \"tasks\": []}",
		"{\"version\": 1, \"seconds\": 1e300, " LINES ", \"tasks\": []}",
		STATE("\"lines\": 7", ""),
		STATE("\"lines\": [7]", ""),
		STATE("\"lines\": [{\"method\": 1, \"backend\": \"ort\"}]", ""),
		STATE("\"lines\": [{\"method\": \"fuzz\", \"backend\": \"ort\", \"share\": 2}]", ""),
		STATE(LINES, "7"),
		STATE(LINES, "{\"line\": 0}"),
		STATE(LINES, "{\"line\": 2, \"state\": \"done\"}"),
		STATE(LINES, "{\"line\": -1, \"state\": \"done\"}"),
		STATE(LINES, "{\"line\": 0, \"state\": \"done\", \"seconds\": -3}"),
		STATE(LINES, "{\"line\": 0, \"state\": \"done\", \"added\": 9223372036854775807}"),
		STATE(LINES, "{\"line\": 0, \"state\": \"done\", \"clusters\": -9}"),
		STATE(LINES, "{\"line\": 0, \"state\": \"a\\u0000b\"}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		struct folder_view v;
		struct err e = ERR_INIT;

		write_state(states[i], SOON);
		if (folder_read(scratch_folder, &v, &e) != ERR_INPUT || !strstr(e.msg, "state.json"))
			fail_msg("state %zu: %s", i, e.msg);
	}
}

static void test_folder_routes(void **state)
{
	struct store *store = stores_open_fresh();
	struct serve_options o = {.title = "night", .store = store, .campaign = scratch_folder};
	struct routes r = {.o = &o};
	struct served_page *none;
	struct err e = ERR_INIT;
	uint32_t version;

	(void)state;
	write_state(STATE(LINES, "{\"line\": 1, \"state\": \"failed\", \"why\": \"assay: <script>alert\"}"), SOON);
	expect_page(&r, "/", "&lt;b&gt;tf");
	expect_page(&r, "/", "assay: &lt;script&gt;alert");
	expect_page(&r, "/api/campaign", "\"running\": true");
	version = folder_version(scratch_folder);
	write_state("[]", SOON);
	assert_int_not_equal(folder_version(scratch_folder), version);
	routes_release(&r);
	expect_page(&r, "/", "is not the state of a campaign that this program knows");
	assert_int_equal(routes_get(&r, "/api/campaign", &none, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "state.json'"));
	routes_release(&r);
	o.campaign = NULL;
	expect_page(&r, "/api/campaign", NULL);
	routes_release(&r);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),         cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_tokens),        cmocka_unit_test(test_requests),
		cmocka_unit_test(test_routes),        cmocka_unit_test(test_kept),
		cmocka_unit_test(test_memory),        cmocka_unit_test(test_open),
		cmocka_unit_test(test_folder),        cmocka_unit_test(test_hostile_folder),
		cmocka_unit_test(test_folder_routes),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
