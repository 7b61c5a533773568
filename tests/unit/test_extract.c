/* test_extract.c - what counts as the same operation, which chains are kept, what a case holds, and use by models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/place.h"
#include "methods/extract/extract.h"
#include "report/usage.h"
#include "support/networks.h"
#include "support/questions.h"
#include "support/trials.h"

static const struct extract_options usual = {.max_bytes = EXTRACT_BYTES, .chain = EXTRACT_CHAIN, .subgraphs = 200};

/* Counts what a model has; the trial's inputs are its data. */
static int survey(struct extract *x, const char *name, struct trial *t, struct err *e)
{
	struct dataset d = {.runs = &t->inputs, .n = 1, .n_inputs = t->model->graph->inputs.n};

	if (vec_push(&x->models, ((struct extract_model){.name = name})))
		return err_nomem(e, "models", 0);
	return extract_survey(x, x->models.n - 1, t, &d, e);
}

static void must_survey(struct extract *x, const char *name, struct trial *t)
{
	struct err e = ERR_INIT;

	if (survey(x, name, t, &e))
		fail_msg("%s", e.msg);
}

/* The only pattern whose operators are these: "Conv Tanh". */
static const struct extract_pattern *find(const struct extract *x, const char *ops)
{
	const struct extract_pattern *found = NULL;

	for (size_t i = 0; i < x->patterns.n; i++) {
		char text[256] = "";
		const char *key = x->patterns.at[i]->key;

		while (key) {
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", *text ? " " : "",
				 (int)strcspn(key, "-"), key);
			key = strstr(key, "; ");
			key = key ? key + 2 : NULL;
		}
		if (strcmp(text, ops) != 0)
			continue;
		assert_null(found);
		found = x->patterns.at[i];
	}
	if (!found)
		fail_msg("no pattern '%s'", ops);
	return found;
}

static size_t count_lines(const char *const *lines, size_t n)
{
	struct extract x = {.o = &usual};
	size_t patterns;

	for (size_t i = 0; i < n; i++) {
		struct trial t = trials_line(lines[i], i);

		must_survey(&x, lines[i], &t);
		trial_release(&t);
	}
	patterns = x.patterns.n;
	extract_release(&x);
	return patterns;
}

/* Names, sizes, values and defaults that are written down make no difference. */
static void test_same(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1]",
		"Conv-11 f32[2,4,9,7] f32[5,4,3,3] f32[5] pads=[1,1,1,1]",
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] group=1",
		"Conv-11 f32[1,2,5,5]@5:9 f32[3,2,3,3] f32[3] pads=[1,1,1,1]",
	};

	(void)state;
	assert_int_equal(count_lines(lines, 4), 1);
}

/* Attributes, types, ranks, versions, inputs and outputs that are left out do. */
static void test_different(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1]",
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,0]",
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3]",
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3]",
		"Conv-11 f64[1,2,5,5] f64[3,2,3,3] f64[3]",
		"Conv-11 f32[1,2,5] f32[3,2,3] f32[3]",
		"Conv-22 f32[1,2,5,5] f32[3,2,3,3] f32[3]",
		"MaxPool-12 f32[1,2,5,5] kernel_shape=[2,2]",
		"MaxPool-12 f32[1,2,5,5] kernel_shape=[2,2] -> 2",
	};

	(void)state;
	assert_int_equal(count_lines(lines, 9), 9);
}

/* Four times Conv and Tanh, one behind the other. */
static void test_chains(void **state)
{
	struct trial t = questions_network();
	struct extract x = {.o = &usual};
	const struct extract_pattern *conv;

	(void)state;
	must_survey(&x, "a", &t);
	must_survey(&x, "b", &t);
	extract_choose(&x);
	conv = find(&x, "Conv");
	assert_int_equal(conv->count, 8);
	assert_int_equal(conv->uses.n, 2);
	assert_int_equal(conv->uses.at[1].count, 4);
	assert_int_equal(conv->model, 0);
	assert_int_equal(find(&x, "Conv Tanh")->count, 8);
	assert_int_equal(find(&x, "Tanh Conv")->count, 6);
	assert_int_equal(find(&x, "Conv Tanh Conv Tanh")->count, 6);
	/* What never occurs but inside of a longer one is not kept. */
	assert_true(find(&x, "Conv Tanh")->kept);
	assert_true(find(&x, "Conv Tanh Conv Tanh")->kept);
	assert_false(find(&x, "Conv Tanh Conv")->kept);
	assert_false(find(&x, "Tanh Conv")->kept);
	assert_true(find(&x, "Softmax")->kept);
	/* Shape reads Concat's pool, and Reshape both: one pattern with a wire across. */
	assert_non_null(strstr(find(&x, "AveragePool Shape Reshape")->key, "(#0.0,#1.0)"));
	extract_release(&x);
	trial_release(&t);
}

/* The limit on subgraphs keeps the most used; a range is over all that was seen. */
static void test_limits(void **state)
{
	static const struct extract_options few = {.max_bytes = EXTRACT_BYTES, .chain = 2, .subgraphs = 1};
	struct trial small = trials_line("Relu-14 f32[2,3]@0:1", 1), large = trials_line("Relu-14 f32[9,9]@5:7", 2);
	struct trial t = questions_network();
	struct extract x = {.o = &few};
	const struct extract_pattern *relu;

	(void)state;
	must_survey(&x, "large", &large);
	must_survey(&x, "small", &small);
	must_survey(&x, "network", &t);
	extract_choose(&x);
	assert_int_equal(x.subgraphs, 1);
	assert_true(find(&x, "Conv Tanh")->kept);
	assert_int_equal(x.left_out, 1); /* Tanh Conv: with two nodes at most nothing covers it */
	for (size_t i = 0; i < x.patterns.n; i++)
		assert_true(x.patterns.at[i]->n <= 2);
	relu = NULL;
	for (size_t i = 0; i < x.patterns.n && !relu; i++)
		if (strstr(x.patterns.at[i]->key, "Relu-14") && strstr(x.patterns.at[i]->key, "f32.2d"))
			relu = x.patterns.at[i];
	assert_non_null(relu);
	assert_int_equal(relu->count, 2);
	assert_int_equal(relu->model, 1); /* the smaller example */
	assert_int_equal(relu->bytes, 24);
	assert_true(relu->ports[0].range.min < 1 && relu->ports[0].range.min >= 0);
	assert_true(relu->ports[0].range.max > 6 && relu->ports[0].range.max <= 7);
	extract_release(&x);
	trial_release(&t);
	trial_release(&large);
	trial_release(&small);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/assay-extract-XXXXXX";

static json_t *case_of(const json_t *index, const char *op)
{
	const json_t *cases = json_object_get(index, "cases");

	for (size_t i = 0; i < json_array_size(cases); i++) {
		json_t *c = json_array_get(cases, i), *nodes = json_object_get(c, "nodes");

		if (json_array_size(nodes) == 1 && !strcmp(json_text_at(json_array_get(nodes, 0), "op"), op))
			return c;
	}
	fail_msg("no case of %s", op);
	return NULL;
}

/* Model, inputs and answer of a case are those of the node in its network. */
static void check_case(const struct trial *whole, const json_t *c, const char *wire, size_t inputs)
{
	struct trial part = {0};
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	assert_non_null(strstr(json_text_at(c, "file"), "/model.onnx"));
	snprintf(path, sizeof path, "%s/%s", folder, json_text_at(c, "file"));
	*strrchr(path, '/') = '\0';
	if (trial_load(path, 0, &part, &e) || trial_truth(&part, &e))
		fail_msg("%s: %s", path, e.msg);
	assert_int_equal(part.model->graph->nodes.n, 1);
	assert_int_equal(part.model->graph->inputs.n, inputs);
	assert_string_equal(part.truth.outputs[0].name, wire);
	assert_true(type_is_static(&graph_wire(part.model->graph, wire)->type));
	assert_non_null(graph_wire(whole->model->graph, wire));
	trial_release(&part);
}

static void test_cases(void **state)
{
	struct extract_options o = usual;
	struct trial t = questions_network();
	struct extract x = {.o = &o};
	struct err e = ERR_INIT;
	char corpus[64];
	json_t *index;

	(void)state;
	assert_non_null(mkdtemp(folder));
	o.folder = folder;
	o.max_bytes = 2000; /* Concat reads more */
	snprintf(corpus, sizeof corpus, "%s/corpus", folder);
	assert_int_equal(place_make_folder(corpus, &e), 0);
	must_survey(&x, "network", &t);
	extract_choose(&x);
	if (extract_write(&x, 0, &t, &e))
		fail_msg("%s", e.msg);
	index = extract_index(&x);
	check_case(&t, case_of(index, "Conv"), "conv4", 1);
	check_case(&t, case_of(index, "Reshape"), "same", 1); /* its shape is a constant of the case */
	check_case(&t, case_of(index, "Shape"), "dims", 1);
	assert_string_equal(json_text_at(case_of(index, "Concat"), "file"), "");
	assert_non_null(strstr(json_text_at(case_of(index, "Concat"), "left_out"), "--max-bytes 2000"));
	assert_true(x.too_large > 0);
	assert_int_equal(x.written + x.too_large + x.other, x.operations + x.subgraphs);
	json_decref(index);
	extract_release(&x);
	trial_release(&t);
	assert_int_equal(place_remove_tree(folder, &e), 0);
}

/* ---- out of memory ----------------------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
	struct trial t = trials_line("Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1]", 1);
	size_t failures = 0;

	(void)state;
	for (size_t k = 1;; k++) {
		struct extract x = {.o = &usual};
		struct err e = ERR_INIT;
		int rc;

		mem_fail_after(k, 0);
		rc = survey(&x, "conv", &t, &e);
		if (!rc)
			extract_choose(&x);
		extract_release(&x);
		if (mem_fail_after(0, 0) < k) {
			assert_int_equal(rc, 0);
			break;
		}
		failures += rc != 0;
		assert_true(!rc || *e.msg);
	}
	assert_true(failures > 10);
	trial_release(&t);
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

static const char index_text[] =
	"{\"schema\": \"assay/1\", \"cases\": ["
	"{\"kind\": \"operation\", \"nodes\": [{\"op\": \"Conv\", \"domain\": \"\"}], \"inputs\": [{\"word\": "
	"\"f32.4d\"}],"
	" \"uses\": [{\"model\": \"a\", \"count\": 5}, {\"model\": \"b\", \"count\": 2}]},"
	"{\"kind\": \"operation\", \"nodes\": [{\"op\": \"Conv\", \"domain\": \"\"}], \"inputs\": [{\"word\": "
	"\"f32.3d\"}],"
	" \"uses\": [{\"model\": \"a\", \"count\": 1}]},"
	"{\"kind\": \"operation\", \"nodes\": [{\"op\": \"Conv\", \"domain\": \"\"}], \"inputs\": [{\"word\": "
	"\"f16.4d\"}],"
	" \"uses\": [{\"model\": \"c\", \"count\": 30}]},"
	"{\"kind\": \"subgraph\", \"nodes\": [{\"op\": \"Conv\"}, {\"op\": \"Relu\"}], \"uses\": [{\"count\": 9}]},"
	"{\"kind\": \"operation\", \"nodes\": [{\"op\": \"Gelu\", \"domain\": \"com.microsoft\"}],"
	" \"inputs\": [{\"word\": \"f32.2d\"}], \"uses\": [{\"model\": \"a\", \"count\": 3}]}]}";

/* Loads a file with this text. */
static int load_text(const char *text, struct usage **out, struct err *e)
{
	char path[] = "/tmp/assay-usage-XXXXXX";
	int rc, fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(buf_write_fd(fd, text, strlen(text)), 0);
	close(fd);
	rc = usage_load(path, out, e);
	remove(path);
	return rc;
}

static void test_usage(void **state)
{
	static const struct {
		const char *signature;
		size_t nodes, models;
	} rows[] = {
		{"onnxruntime/Conv/wrong/f32.4d,f32.4d,pads=n", 8, 2},
		{"onnxruntime/Conv/wrong/f16.4d", 30, 1},
		{"onnxruntime/Conv/wrong/f64.4d", 0, 0},
		{"onnxruntime/Conv/crash/group=n", 38, 3},
		{"onnxruntime/Conv+com.microsoft:Gelu/wrong/f32.4d", 3, 1},
		{"onnxruntime/com.microsoft:Gelu/wrong-gradient/f32.2d*", 3, 1},
		{"onnxruntime/Gelu/wrong/f32.2d", 0, 0},
		{"onnxruntime", 0, 0},
		{"", 0, 0},
		{"///", 0, 0},
	};
	struct usage *u = NULL;
	struct err e = ERR_INIT;

	(void)state;
	if (load_text(index_text, &u, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct usage_count c = usage_of_signature(u, rows[i].signature);

		if (c.nodes != rows[i].nodes || c.models != rows[i].models)
			fail_msg("%s: %zu nodes in %zu models", rows[i].signature, c.nodes, c.models);
	}
	usage_free(u);
}

/* Anything may be in the file. */
static void test_hostile_usage(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "is not JSON"},
		{"{", "is not JSON"},
		{"[]", "is not an index.json"},
		{"{\"schema\": \"assay/1\"}", "is not an index.json"},
		{"{\"schema\": 2, \"cases\": []}", "is not an index.json"},
		{"{\"schema\": \"assay/1\", \"cases\": [7, {}, {\"kind\": \"operation\"}, {\"kind\": \"operation\", "
		 "\"nodes\": "
		 "[3],"
		 " \"uses\": [[], {\"model\": 4, \"count\": -5}, {\"count\": 1e99}]}]}",
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct usage *u = NULL;
		struct err e = ERR_INIT;
		int rc;

		rc = load_text(rows[i].text, &u, &e);
		assert_int_equal(rc, rows[i].says ? ERR_INPUT : 0);
		if (rows[i].says && !strstr(e.msg, rows[i].says))
			fail_msg("%s: %s", rows[i].text, e.msg);
		usage_free(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),   cmocka_unit_test(test_different),     cmocka_unit_test(test_chains),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_cases),         cmocka_unit_test(test_memory),
		cmocka_unit_test(test_usage),  cmocka_unit_test(test_hostile_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
