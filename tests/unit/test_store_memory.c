/* test_store_memory.c - the store, signatures and clusters when memory runs out: an error, nothing half written,
 * nothing leaked (the sanitized build looks), and all is well afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "support/stores.h"
#include "triage/triage.h"

#define MOST 5000 /* allocations of one operation; far above what any makes */

static struct store *store;
static struct buf model; /* an ONNX file */

static int open_fresh(void **state)
{
	struct err e = ERR_INIT;
	struct op_case c;

	(void)state;
	store = stores_open_fresh();
	buf_init(&model, 1 << 20);
	if (case_parse("Conv-11 f32[1,2,5,5] f32[3,2,3,3] pads=[1,0,0,1] strides=[2,2]", 1, &c, &e) ||
	    model_serialize(c.model, &model, &e))
		return -1;
	case_release(&c);
	return 0;
}

static int close_it(void **state)
{
	(void)state;
	buf_release(&model);
	store_close(store);
	stores_remove();
	return 0;
}

static struct finding example(const char *signature)
{
	return (struct finding){.verdict = VERDICT_WRONG,
				.signature = signature,
				.op = "Conv",
				.backend = "ort",
				.nodes = 1,
				.model = {model.data, model.len},
				.reduced_model = {model.data, model.len}};
}

/* Runs `operation` with the k-th allocation failing, for k = 1, 2, … until none is left to fail. */
static void run_short(int (*operation)(struct err *e))
{
	size_t failures = 0, k;

	for (k = 1; k < MOST; k++) {
		struct err e = ERR_INIT;
		int rc;

		mem_fail_after(k, 0);
		rc = operation(&e);
		if (mem_fail_after(0, 0) < k) {
			if (rc)
				fail_msg("%s", e.msg);
			break;
		}
		if (rc) {
			assert_int_equal(rc, ERR_MEMORY);
			assert_true(*e.msg);
			failures++;
		}
	}
	assert_true(k < MOST);
	assert_true(failures > 0);
}

/* ---- the store --------------------------------------------------------------------------------------------------- */

static int open_and_close(struct err *e)
{
	struct store *s = NULL;
	int rc = store_open(stores_other_path(), 1, &s, e);

	store_close(s);
	return rc;
}

static int added; /* how often add() said that it was done */

static int add(struct err *e)
{
	struct finding f = example("ort/Conv/wrong/a");
	int rc = store_add(store, &f, e);

	added += !rc;
	return rc;
}

static int get(struct err *e)
{
	struct finding f;
	int rc = store_get(store, 1, &f, e);

	if (!rc)
		finding_release(&f);
	return rc;
}

static int pass(const struct finding *f, void *arg)
{
	(void)f;
	(void)arg;
	return 0;
}

static int each(struct err *e)
{
	return store_each(store, &(struct store_filter){.with_bytes = STORE_ALL_BYTES}, pass, NULL, e);
}

static int merge(struct err *e)
{
	size_t n;

	return store_merge(store, stores_other_path(), &n, e);
}

static int pass_campaign(const struct campaign *c, void *arg)
{
	(void)c;
	(void)arg;
	return 0;
}

static int campaigns(struct err *e)
{
	struct campaign c;
	int rc = store_campaign_open(
		store, &(struct campaign_key){.method = "fuzz", .command = "assay fuzz", .backends = "ort", .seed = 1},
		1, &c, e);

	if (rc)
		return rc;
	c.state = (struct bytes){"state", 5};
	rc = store_campaign_save(store, &c, e);
	campaign_release(&c);
	return rc ? rc : store_each_campaign(store, pass_campaign, NULL, e);
}

static void test_store(void **state)
{
	struct finding f = example("ort/Conv/wrong/b");
	struct store *other;
	struct err e = ERR_INIT;

	(void)state;
	run_short(open_and_close);
	run_short(add);
	assert_true(added > 0);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), added);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM parts"), 2 * added);
	run_short(get);
	run_short(each);
	run_short(campaigns);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM campaigns"), 1);
	other = stores_open(stores_other_path());
	assert_int_equal(store_add(other, &f, &e), 0);
	store_close(other);
	run_short(merge);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), added + 1);
}

/* ---- signatures and clusters ------------------------------------------------------------------------------------- */

static int sign(struct err *e)
{
	static const struct party p = {.spec = {.name = (char *)"ort", .backend = (char *)"ort"}};
	struct model *m;
	struct buf b;
	int rc = model_parse(model.data, model.len, "", &m, e);

	if (rc)
		return rc;
	buf_init(&b, 1024);
	rc = signature_make(&p.spec, m, m->graph->nodes.at[0], VERDICT_WRONG, 0, &b, e);
	if (!rc)
		rc = signature_make(&p.spec, m, NULL, VERDICT_WRONG, 0, &b, e);
	buf_release(&b);
	model_free(m);
	return rc;
}

static void test_signature(void **state)
{
	(void)state;
	run_short(sign);
}

static int cluster(struct err *e)
{
	size_t n;

	return cluster_all(store, &n, e);
}

static void test_clusters(void **state)
{
	struct finding a = example("ort/Conv/wrong/a"), b = example("ort/Conv/wrong/b");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(store_add(store, &a, &e), 0);
	assert_int_equal(store_add(store, &b, &e), 0);
	run_short(cluster);
	assert_int_equal(stores_ask(stores_path(), "SELECT findings FROM clusters"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fresh, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_store), TEST(test_signature), TEST(test_clusters)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
