/* test_keep_call.c - findings of calls on their way into a store: confirmed, counted, told apart, clustered; bundles of
 * them; and how many of a kind a run looks into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/stores.h"
#include "triage/kinds.h"
#include "triage/triage.h"

static struct worker_spec spec = {.name = "toy@1.2:fast", .backend = "toy", .library = "toylib"};

/* Keeps a difference of `operation` that the input's bytes tell from others. */
static struct kept keep(struct keeper *k, const char *operation, const char *input, int repeats, int64_t id)
{
	json_t *evidence = json_pack("{s:i, s:s, s:s, s:s}", "rule", 7, "a", "f(x)", "b", "g(x)", "script",
				     "print('it differs')\n");
	struct keep_call call = {.spec = &spec,
				 .version = "1.2",
				 .operation = operation,
				 .class = "rule 7",
				 .verdict = VERDICT_WRONG,
				 .ratio = 1000,
				 .repeats = repeats,
				 .detail = "element 0",
				 .command = "assay equiv -b toy --rule 7",
				 .evidence = evidence,
				 .seed = 3,
				 .inputs = {input, strlen(input)},
				 .id = id};
	struct kept out = {0};
	struct err e = ERR_INIT;

	if (keep_call(k, &call, &out, &e))
		fail_msg("%s: %s", operation, e.msg);
	json_decref(evidence);
	return out;
}

static struct keeper keeper_of(struct store *s)
{
	return (struct keeper){.store = s, .method = "equiv"};
}

static int64_t ask(const char *sql)
{
	return stores_ask(stores_path(), sql);
}

static void test_all_of_it_is_kept(void **state)
{
	struct keeper k = keeper_of(stores_open_fresh());
	struct kept kept = keep(&k, "softplus", "one", 4, 0);
	struct finding f;
	struct err e = ERR_INIT;
	json_t *evidence;

	(void)state;
	assert_true(kept.id > 0);
	assert_true(kept.fresh);
	assert_string_equal(kept.signature, "toylib/softplus/wrong/rule 7");
	assert_int_equal(store_get(k.store, kept.id, &f, &e), 0);
	assert_true(finding_is_call(&f));
	assert_string_equal(f.method, "equiv");
	assert_string_equal(f.backend, "toy@1.2:fast");
	assert_string_equal(f.version, "1.2");
	assert_string_equal(f.op, "softplus");
	assert_string_equal(f.command, "assay equiv -b toy --rule 7");
	assert_int_equal(f.seed, 3);
	assert_int_equal(f.cluster, kept.id);
	assert_int_equal(f.inputs.n, 3);
	evidence = json_loads(f.evidence, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(evidence, "b")), "g(x)");
	json_decref(evidence);
	finding_release(&f);
	keeper_close(&k);
}

static void test_flaky_is_not_kept(void **state)
{
	struct keeper k = keeper_of(stores_open_fresh());
	struct kept kept = keep(&k, "softplus", "one", 0, 0);

	(void)state;
	assert_int_equal(kept.id, 0);
	assert_int_equal(kept.verdict, VERDICT_FLAKY);
	assert_non_null(strstr(kept.why, "did not reproduce"));
	assert_int_equal(ask("SELECT count(*) FROM findings"), 0);
	keeper_close(&k);
}

/* Another run on the same store finds the same again, and others of the same signature. */
static void test_cap_and_clusters(void **state)
{
	static const char *const inputs[] = {"one", "two", "three", "four", "five", "six", "seven"};
	struct keeper k = keeper_of(stores_open_fresh());
	struct kept first = keep(&k, "softplus", inputs[0], 4, 0), again = keep(&k, "softplus", inputs[0], 4, 0), kept;

	(void)state;
	assert_int_equal(again.id, first.id);
	assert_non_null(strstr(again.why, "already"));
	assert_int_equal(ask("SELECT count(*) FROM findings"), 1);
	for (size_t i = 1; i < sizeof inputs / sizeof *inputs; i++) {
		kept = keep(&k, "softplus", inputs[i], 4, 0);
		assert_int_equal(kept.id > 0, i < 5); /* as for every method: five of one signature */
		assert_false(kept.fresh);
	}
	assert_non_null(strstr(kept.why, "5 findings"));
	kept = keep(&k, "relu", inputs[0], 4, 0);
	assert_true(kept.id > 0 && kept.fresh);
	assert_int_equal(ask("SELECT count(*) FROM findings"), 6);
	assert_int_equal(ask("SELECT count(*) FROM clusters"), 2);
	assert_int_equal(ask("SELECT findings FROM clusters WHERE op = 'softplus'"), 5);
	keeper_close(&k);
}

static void test_smaller_example(void **state)
{
	struct keeper k = keeper_of(stores_open_fresh());
	struct kept first = keep(&k, "softplus", "a large one", 4, 0);
	struct kept better = keep(&k, "softplus", "small", 4, first.id), gone;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(better.id, first.id);
	assert_int_equal(ask("SELECT count(*) FROM findings"), 1);
	assert_int_equal(ask("SELECT length(data) FROM files WHERE name = 'inputs.npz'"), 5);
	assert_int_equal(ask("SELECT count(*) FROM findings WHERE time > 0 AND cluster = id"), 1);
	assert_int_equal(store_remove(k.store, first.id, &e), 0);
	gone = keep(&k, "softplus", "tiny", 4, first.id); /* somebody took it out: a new one then */
	assert_true(gone.id > 0);
	assert_int_equal(ask("SELECT count(*) FROM findings"), 1);
	keeper_close(&k);
}

/* Findings without a model are told apart by their inputs, also when stores are merged. */
static void test_merge(void **state)
{
	struct keeper k = keeper_of(stores_open_fresh());
	struct store *s;
	struct err e = ERR_INIT;
	size_t added = 0;

	(void)state;
	keep(&k, "softplus", "one", 4, 0);
	keep(&k, "softplus", "two", 4, 0);
	stores_unlink(stores_other_path());
	s = stores_open(stores_other_path());
	assert_int_equal(store_merge(s, stores_path(), &added, &e), 0);
	assert_int_equal(added, 2);
	assert_int_equal(store_merge(s, stores_path(), &added, &e), 0);
	assert_int_equal(added, 0);
	store_close(s);
	keeper_close(&k);
}

static void test_bundle(void **state)
{
	static const char *const files[] = {"README.md", "finding.json", "inputs.npz", "repro.py"};
	char folder[] = "/tmp/assay-bundle-XXXXXX", path[96];
	struct keeper k = keeper_of(stores_open_fresh());
	struct kept kept = keep(&k, "softplus", "one", 4, 0);
	struct err e = ERR_INIT;
	struct finding f;
	struct buf text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(store_get(k.store, kept.id, &f, &e), 0);
	if (bundle_write(&f, NULL, folder, &e))
		fail_msg("%s", e.msg);
	buf_init(&text, 1 << 20);
	snprintf(path, sizeof path, "%s/README.md", folder);
	assert_int_equal(buf_read_file(&text, path, 1 << 20, &e), 0);
	assert_non_null(strstr(text.data, "a: f(x)\nb: g(x)\n"));
	assert_non_null(strstr(text.data, "assay equiv -b toy --rule 7"));
	buf_release(&text);
	stores_expect_folder(folder, files, sizeof files / sizeof *files);
	finding_release(&f);
	keeper_close(&k);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static void count_taken(struct kinds *k, const char *kind, int times, const char *wanted)
{
	struct err e = ERR_INIT;

	for (int i = 0; i < times; i++) {
		int take = -1;

		assert_int_equal(kinds_take(k, kind, &take, &e), 0);
		assert_int_equal(take, wanted[i] == '+');
	}
}

static void test_kinds(void **state)
{
	struct kinds plain = {0}, once = {.first = 1}, doubling = {.doubling = 1};

	(void)state;
	count_taken(&plain, "ort|wrong|Conv", 5, "++---");
	count_taken(&plain, "ort|wrong|Relu", 3, "++-"); /* another kind */
	count_taken(&once, "ort|wrong|Conv", 5, "+----");
	count_taken(&doubling, "ort|wrong|Conv", 9, "++-+---+-");
	kinds_release(&plain);
	kinds_release(&once);
	kinds_release(&doubling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it_is_kept),
		cmocka_unit_test(test_flaky_is_not_kept),
		cmocka_unit_test(test_cap_and_clusters),
		cmocka_unit_test(test_smaller_example),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_bundle),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, stores_teardown);
}
