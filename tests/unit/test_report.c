/* test_report.c - reports of a small store when memory runs out at any allocation, and of evidence that is nonsense. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "report/evidence.h"
#include "report/report.h"
#include "support/stores.h"

static const char map_evidence[] =
	"{\"map\": [{\"node\": \"n\", \"rate\": 3, \"delta\": \"inf\"}, {\"node\": \"gone\"}, {\"rate\": 1}, 7]}";

static struct model *one_node(void)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct type t = TYPE_INIT;
	struct wire *x;
	struct node *n;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&t, DT_FLOAT, 1, (int64_t[]){2});
	assert_int_equal(graph_add_input(m->graph, "x", &t, &x, &e), 0);
	assert_int_equal(graph_append_node(m->graph, "Relu", &x, 1, "y", &n, &e), 0);
	n->name = "n";
	assert_int_equal(graph_add_output(m->graph, n->out[0], &e), 0);
	return m;
}

/* One finding, one campaign and its curve. */
static struct store *make_store(void)
{
	struct finding f = {
		.method = "check", .backend = "ort", .library = "onnxruntime", .version = "1", .op = "Relu"};
	const struct campaign_key key = {.method = "fuzz", .command = "assay fuzz", .backends = "ort", .seed = 1};
	struct campaign c;
	struct store *s = stores_open_fresh();
	struct err e = ERR_INIT;
	struct model *m = one_node();
	struct buf bytes;

	buf_init(&bytes, 1 << 20);
	assert_int_equal(model_serialize(m, &bytes, &e), 0);
	f.verdict = VERDICT_WRONG;
	f.node = f.parameter = f.since = f.until = "";
	f.signature = f.detail = f.command = "text";
	f.noise_ratio = 40;
	f.nodes = f.original_nodes = 1;
	f.evidence = map_evidence;
	f.time = 1e9;
	f.model = f.reduced_model = (struct bytes){bytes.data, bytes.len};
	assert_int_equal(store_add(s, &f, &e), 0);
	assert_int_equal(store_campaign_open(s, &key, 0, &c, &e), 0);
	assert_int_equal(store_points(s, c.id, 0, &(struct store_point){"coverage.otc", 0.5}, 1, &e), 0);
	assert_int_equal(store_points(s, c.id, 1, &(struct store_point){"coverage.otc", 0.7}, 1, &e), 0);
	campaign_release(&c);
	buf_release(&bytes);
	model_free(m);
	return s;
}

static int html(struct store *s, struct buf *out, struct err *e)
{
	return report_html(s, &(struct report_page){.title = "title"}, out, e);
}

static void test_memory(void **state)
{
	int (*const writers[])(struct store *, struct buf *, struct err *) = {html, report_junit, report_sarif};
	struct store *s = make_store();

	(void)state;
	for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
		size_t failures = 0;

		for (size_t k = 1;; k++) {
			struct err e = ERR_INIT;
			struct buf b;
			int rc;

			buf_init(&b, 1 << 24);
			mem_fail_after(k, 0);
			rc = writers[w](s, &b, &e);
			if (mem_fail_after(0, 0) < k) { /* nothing was left to fail */
				assert_int_equal(rc, 0);
				buf_release(&b);
				break;
			}
			if (rc) {
				assert_true(*e.msg);
				failures++;
			}
			buf_release(&b);
		}
		assert_true(failures > 5);
	}
	store_close(s);
	stores_remove();
}

static void test_evidence(void **state)
{
	static const char *const nonsense[] = {
		"",
		"[]",
		"7",
		"{",
		"{\"map\": 3}",
		"{\"map\": {}}",
		"null",
		"\"x\"",
		"{\"map\": {\"top\": 1}}",
		"{\"map\": [[], {}]}",
		"{\"map\": [{\"node\": \"\\u0000\"}]}",
	};
	struct model *m = one_node();
	struct arena a = ARENA_INIT;
	struct blame_map map;
	struct err e = ERR_INIT;
	json_t *j;

	(void)state;
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		j = evidence_parse(nonsense[i]);
		assert_true(json_is_object(j));
		assert_int_equal(evidence_map(j, m, &a, &map, &e), 0);
		assert_int_equal(map.n, 0);
		json_decref(j);
	}
	j = evidence_parse(map_evidence);
	assert_int_equal(evidence_map(j, m, &a, &map, &e), 0);
	assert_int_equal(map.n, 1);
	assert_ptr_equal(map.at[0].node, m->graph->nodes.at[0]);
	assert_true(map.at[0].rate == 3 && isinf(map.at[0].delta) && isnan(map.at[0].noise_ratio));
	json_decref(j);
	j = evidence_parse("{\"blame\": {\"map\": {\"third_quartile\": 2, \"top\": [{\"node\": \"n\", \"rate\": 3}]}}, "
			   "\"reduce\": {\"guilty\": \"threads\"}}");
	assert_int_equal(evidence_map(j, m, &a, &map, &e), 0);
	assert_true(map.n == 1 && map.at[0].above && map.third_quartile == 2);
	assert_string_equal(evidence_string(j, "guilty"), "threads");
	assert_string_equal(evidence_string(j, "nothing"), "");
	json_decref(j);
	arena_release(&a);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_evidence)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
