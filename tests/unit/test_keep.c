/* test_keep.c - findings on their way into a store: confirmed, blamed, reduced, signed, counted; and bundles of them.
 */
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

#include "base/clock.h"
#include "model/case.h"
#include "store/db.h"
#include "support/stores.h"
#include "support/workers.h"
#include "triage/repro.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

static const char conv[] = "Conv-11 f32[1,4,6,6] f32[3,4,3,3] f32[3] pads=[1,0,0,1]";

/* Judges a case and keeps what comes out. */
static struct kept keep_from(struct keeper *k, const char *line, uint64_t seed, struct party *p)
{
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;
	struct outcome o = {0};
	struct kept out = {0};

	if (case_parse(line, seed, &c, &e) || trial_init(&t, c.model, c.inputs, seed, &e) ||
	    trial_judge(&t, p, NULL, &o, &e) || keep_case(k, &t, p, &o, &out, &e))
		fail_msg("%s: %s", line, e.msg);
	outcome_release(&o);
	trial_release(&t);
	return out;
}

static struct kept keep(struct keeper *k, const char *line, uint64_t seed, const char *backend)
{
	struct err e = ERR_INIT;
	struct party p;
	struct kept out = {0};

	if (party_open(&p, backend, NULL, &e))
		fail_msg("%s: %s", backend, e.msg);
	out = keep_from(k, line, seed, &p);
	party_close(&p);
	return out;
}

static struct keeper keeper_of(struct store *s)
{
	return (struct keeper){.store = s, .method = "check", .command = "assay check m.onnx -b fault:pads_swapped"};
}

static void test_all_of_it_is_kept(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct kept kept = keep(&k, conv, 1, "fault:pads_swapped");
	struct finding f;
	struct err e = ERR_INIT;
	json_t *evidence;

	(void)state;
	assert_true(kept.id > 0);
	assert_true(kept.fresh);
	assert_int_equal(kept.verdict, VERDICT_WRONG);
	assert_int_equal(store_get(s, kept.id, &f, &e), 0);
	assert_string_equal(f.op, "Conv");
	assert_string_equal(f.method, "check");
	assert_string_equal(f.backend, "fault:pads_swapped");
	assert_string_equal(f.signature, kept.signature);
	assert_non_null(strstr(f.signature, "/Conv/wrong/"));
	assert_true(f.noise_ratio > JUDGE_LIMIT);
	assert_true(f.model.n && f.inputs.n && f.expected.n);
	assert_true(f.reduced_model.n && f.reduced_inputs.n && f.reduced_expected.n);
	assert_true(f.reduced_model.n < f.model.n);
	evidence = json_loads(f.evidence, 0, NULL);
	assert_true(json_integer_value(json_object_get(json_object_get(evidence, "reduce"), "tries")) > 0);
	assert_non_null(json_object_get(evidence, "blame"));
	assert_non_null(json_object_get(json_object_get(evidence, "numbers"), "got"));
	json_decref(evidence);
	finding_release(&f);
	store_close(s);
}

/* Behind a deadline a finding is recorded, and nothing more is done about it. */
static void test_a_finding_behind_the_deadline(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct err e = ERR_INIT;
	struct finding f;
	struct kept kept;

	(void)state;
	k.deadline = clock_now();
	kept = keep(&k, conv, 1, "fault:pads_swapped");
	assert_true(kept.id > 0);
	assert_int_equal(store_get(s, kept.id, &f, &e), 0);
	assert_int_equal(f.verdict, VERDICT_WRONG);
	assert_true(f.model.n && !f.reduced_model.n);
	finding_release(&f);
	store_close(s);
}

/* A disk that is full, a store that is none: the finding is told as it would be, and that it is lost. */
static void test_a_finding_that_cannot_be_stored(void **state)
{
	static const char large[] = "Conv-11 f32[1,4,40,40] f32[3,4,3,3] f32[3] pads=[1,0,0,1]";
	struct store *s = stores_open_fresh();
	struct keeper good = keeper_of(s), full = keeper_of(stores_open(stores_other_path())), none = keeper_of(NULL);
	struct kept kept = keep(&good, large, 1, "fault:pads_swapped"), lost, again;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(keeper_check(&good, &e), 0);
	assert_int_equal(sqlite3_exec(full.store->db, "PRAGMA max_page_count = 1", NULL, NULL, NULL), SQLITE_OK);
	lost = keep(&full, large, 1, "fault:pads_swapped");
	again = keep(&full, large, 2, "fault:pads_swapped");
	assert_int_equal(lost.id, 0);
	assert_int_equal(lost.verdict, VERDICT_WRONG);
	assert_string_equal(lost.signature, kept.signature);
	assert_string_equal(lost.guilty, kept.guilty);
	assert_string_equal(lost.repro, "");
	assert_non_null(strstr(lost.why, "full"));
	assert_int_equal(again.id, 0);
	assert_int_equal(full.lost, 2);
	assert_int_equal(keeper_check(&full, &e), ERR_IO);
	assert_non_null(strstr(e.msg, "2 findings are not stored: cannot "));
	none.db = "/nonexistent/x.db";
	lost = keep(&none, large, 1, "fault:pads_swapped");
	assert_string_equal(lost.signature, kept.signature);
	assert_non_null(strstr(lost.why, "/nonexistent/x.db"));
	keeper_close(&good);
	keeper_close(&full);
	keeper_close(&none);
}

/* Conv and Relu: what is named is in the smallest case, and was found there; parameters were tried there. */
static void test_blamed_node_is_in_the_smallest_case(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct outcome o = {0};
	struct kept kept = {0};
	struct finding f;
	struct err e = ERR_INIT;
	struct op_case c;
	struct model *m = NULL;
	struct trial t;
	struct party p;
	struct node *relu;

	(void)state;
	assert_int_equal(case_parse(conv, 1, &c, &e), 0);
	assert_int_equal(graph_append_node(c.model->graph, "Relu", &c.model->graph->outputs.at[0], 1, "y", &relu, &e),
			 0);
	graph_remove_output(c.model->graph, c.model->graph->outputs.at[0]);
	assert_int_equal(graph_add_output(c.model->graph, relu->out[0], &e), 0);
	if (trial_init(&t, c.model, c.inputs, 1, &e) || party_open(&p, "fault:pads_swapped", NULL, &e) ||
	    trial_judge(&t, &p, NULL, &o, &e) || keep_case(&k, &t, &p, &o, &kept, &e) || store_get(s, kept.id, &f, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(model_parse(f.reduced_model.p, f.reduced_model.n, "", &m, &e), 0);
	assert_int_equal(m->graph->nodes.n, 1);
	assert_string_equal(f.op, "Conv");
	assert_string_equal(f.node, m->graph->nodes.at[0]->name);
	assert_string_equal(f.parameter, "pads");
	assert_non_null(strstr(f.evidence, "reduced_blame"));
	model_free(m);
	finding_release(&f);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	store_close(s);
}

static void test_so_many_of_a_signature(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct kept kept;

	(void)state;
	k.per_signature = 2;
	for (uint64_t i = 1; i <= 4; i++) {
		kept = keep(&k, conv, i, "fault:pads_swapped");
		assert_int_equal(kept.id > 0, i <= 2);
		assert_int_equal(kept.fresh, i == 1);
	}
	assert_non_null(strstr(kept.why, "2 findings"));
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), 2);
	store_close(s);
}

static void test_without_blame_and_reduction(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct kept kept;
	struct finding f;
	struct err e = ERR_INIT;

	(void)state;
	k.no_blame = k.no_reduce = 1;
	kept = keep(&k, conv, 1, "fault:pads_swapped");
	assert_true(kept.id > 0);
	assert_int_equal(store_get(s, kept.id, &f, &e), 0);
	assert_int_equal(f.reduced_model.n, 0);
	assert_string_equal(f.op, "");
	finding_release(&f);
	store_close(s);
}

/* Conv and, behind it, Relu: the row of a known difference is asked for by the node that is blamed. */
static void test_known_difference_in_a_network(void **state)
{
	struct quirk row = {"fault", "*", "Conv", "quirk", "-", "pads are taken the other way round", "-", ""};
	struct quirks quirks = {.at = &row, .n = 1};
	struct judge_options judge = {.quirks = &quirks};
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;
	struct party p;
	struct outcome o = {0};
	struct kept kept = {0};
	struct node *relu;

	(void)state;
	assert_int_equal(case_parse(conv, 1, &c, &e), 0);
	assert_int_equal(
		graph_append_node(c.model->graph, "Relu", &c.model->graph->outputs.at[0], 1, "behind", &relu, &e), 0);
	assert_int_equal(graph_add_output(c.model->graph, relu->out[0], &e), 0);
	k.judge = &judge;
	if (trial_init(&t, c.model, c.inputs, 1, &e) || party_open(&p, "fault:pads_swapped", NULL, &e) ||
	    trial_judge(&t, &p, &judge, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_int_equal(keep_case(&k, &t, &p, &o, &kept, &e), 0);
	assert_int_equal(kept.id, 0);
	assert_int_equal(kept.verdict, VERDICT_UNSPECIFIED);
	assert_non_null(strstr(kept.why, "the other way round"));
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), 0);
	row.op = "Relu"; /* a row of another node explains nothing */
	o.verdict = VERDICT_WRONG;
	assert_int_equal(keep_case(&k, &t, &p, &o, &kept, &e), 0);
	assert_true(kept.id > 0);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	store_close(s);
}

/* A case that the worker of tests/support runs in its way is not kept: it does not come again, there. */
static void keep_nothing(const char *way, int hasty, const char *where)
{
	struct backend_option options[] = {{"model", "any"}, {"run", way}};
	struct worker_spec spec = fault_spec();
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct err e = ERR_INIT;
	struct party p;
	struct kept kept;

	k.hasty = hasty;
	spec.backend = "faulty";
	spec.options = options;
	spec.n_options = 2;
	assert_int_equal(party_open_spec(&p, &spec, NULL, &e), 0);
	kept = keep_from(&k, "Identity-13 f32[2,3]", 7, &p);
	assert_int_equal(kept.id, 0);
	assert_int_equal(kept.verdict, VERDICT_FLAKY);
	assert_non_null(strstr(kept.why, where));
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), 0);
	party_close(&p);
	store_close(s);
}

/* In haste fresh workers are asked only when the case is as small as it gets. */
static void test_what_does_not_repeat_is_not_kept(void **state)
{
	(void)state;
	keep_nothing("first", 0, "same worker");
	keep_nothing("first", 1, "same worker");
	keep_nothing("poison", 0, "filled with a pattern");
	keep_nothing("poison", 1, "filled with a pattern");
}

/* The same finding as without haste; only the library's switches are not asked.  Behind the deadline it is confirmed
 * all the same. */
static void test_haste(void **state)
{
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct err e = ERR_INIT;
	struct finding f, late;
	struct kept kept, cut;

	(void)state;
	k.hasty = 1;
	kept = keep(&k, conv, 1, "fault:pads_swapped");
	assert_int_equal(kept.verdict, VERDICT_WRONG);
	assert_int_equal(store_get(s, kept.id, &f, &e), 0);
	assert_non_null(strstr(f.signature, "/Conv/wrong/"));
	assert_true(f.reduced_model.n > 0 && f.reduced_model.n < f.model.n);
	assert_string_equal(kept.guilty, "");
	finding_release(&f);
	k.deadline = clock_now();
	cut = keep(&k, conv, 2, "fault:pads_swapped");
	assert_int_equal(store_get(s, cut.id, &late, &e), 0);
	assert_true(late.model.n && !late.reduced_model.n);
	finding_release(&late);
	store_close(s);
}

/* ---- bundles ----------------------------------------------------------------------------------------------------- */

static const char *const bundle_files[] = {"README.md",  "expected.npz", "finding.json", "inputs.npz",
					   "model.onnx", "repro.sh",     "tolerance.npz"};

static void test_bundle(void **state)
{
	char folder[] = "/tmp/assay-bundle-XXXXXX", path[96];
	struct store *s = stores_open_fresh();
	struct keeper k = keeper_of(s);
	struct kept kept = keep(&k, conv, 1, "fault:pads_swapped");
	struct finding f;
	struct err e = ERR_INIT;
	struct trial t;
	struct buf text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(store_get(s, kept.id, &f, &e), 0);
	if (bundle_write(&f, NULL, folder, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(trial_load(folder, f.seed, &t, &e), 0);
	assert_int_equal(t.model->graph->nodes.n, 1);
	trial_release(&t);
	buf_init(&text, 1 << 20);
	snprintf(path, sizeof path, "%s/README.md", folder);
	assert_int_equal(buf_read_file(&text, path, 1 << 20, &e), 0);
	assert_non_null(strstr(text.data, "# assay "));
	assert_non_null(strstr(text.data, "There is no `repro.py`: backend 'fault' has no Python package"));
	buf_release(&text);
	stores_expect_folder(folder, bundle_files, sizeof bundle_files / sizeof *bundle_files);
	finding_release(&f);
	store_close(s);
}

/* What was not proven by a call is not proven by one when the script is made. */
static void test_proof_is_not_made_anew(void **state)
{
	(void)state;
	assert_true(repro_is_by_call(&(struct finding){.evidence = "{}"}));
	assert_true(repro_is_by_call(&(struct finding){.evidence = NULL}));
	assert_true(repro_is_by_call(&(struct finding){.evidence = "{\"proof\": {\"by\": \"call\"}}"}));
	assert_false(repro_is_by_call(&(struct finding){.evidence = "{\"proof\": {\"by\": \"together\"}}"}));
	assert_false(repro_is_by_call(&(struct finding){.evidence = "{\"proof\": {\"by\": \"gradient\"}}"}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it_is_kept),
		cmocka_unit_test(test_a_finding_behind_the_deadline),
		cmocka_unit_test(test_a_finding_that_cannot_be_stored),
		cmocka_unit_test(test_blamed_node_is_in_the_smallest_case),
		cmocka_unit_test(test_so_many_of_a_signature),
		cmocka_unit_test(test_without_blame_and_reduction),
		cmocka_unit_test(test_known_difference_in_a_network),
		cmocka_unit_test(test_what_does_not_repeat_is_not_kept),
		cmocka_unit_test(test_haste),
		cmocka_unit_test(test_bundle),
		cmocka_unit_test(test_proof_is_not_made_anew),
	};

	return cmocka_run_group_tests(tests, NULL, stores_teardown);
}
