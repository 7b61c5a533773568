/* test_store_merge.c - two stores become one: of two copies of a finding the better one stays, whichever store is
 * first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/stores.h"

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static struct finding finding_of(const char *detail, const char *reduced, int nodes)
{
	return (struct finding){.method = "fuzz",
				.backend = "ort@1.20.1",
				.verdict = VERDICT_WRONG,
				.signature = "onnxruntime/Conv/wrong/f32.4d",
				.detail = detail,
				.nodes = nodes,
				.original_nodes = 9,
				.model = bytes_of("the model"),
				.inputs = bytes_of("inputs"),
				.reduced_model = bytes_of(reduced),
				.reduced_inputs = bytes_of(reduced)};
}

/* Merges b into a, each in a store of its own, and returns which one is there. */
static int merged(struct finding a, struct finding b, const char *better)
{
	struct store *into = stores_open_fresh(), *other;
	struct finding got;
	struct err e = ERR_INIT;
	size_t added = 9;
	int same;

	stores_unlink(stores_other_path());
	other = stores_open(stores_other_path());
	if (store_add(into, &a, &e) || store_add(other, &b, &e) || store_merge(into, stores_other_path(), &added, &e) ||
	    store_get(into, a.id, &got, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(added, 0);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), 1);
	assert_int_equal(got.model.n, strlen("the model"));
	same = !strcmp(got.detail, better) && !strncmp(got.reduced_model.p ? got.reduced_model.p : "", better, 5);
	finding_release(&got);
	store_close(into);
	store_close(other);
	return same;
}

static void test_better_copy_stays(void **state)
{
	struct finding plain = finding_of("", "", 9), long_one = finding_of("large model", "large model", 3),
		       small = finding_of("small", "small", 3),
		       one = finding_of("one node, many bytes", "one node, many bytes", 1);

	(void)state;
	assert_true(merged(plain, small, "small"));
	assert_true(merged(small, plain, "small"));
	assert_true(merged(small, long_one, "small"));
	assert_true(merged(long_one, small, "small"));
	assert_true(merged(one, small, "one node, many bytes"));
	assert_true(merged(small, one, "one node, many bytes"));
	assert_true(merged(plain, plain, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_better_copy_stays, stores_teardown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
