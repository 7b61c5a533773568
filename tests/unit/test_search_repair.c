/* test_search_repair.c - networks mended after an edit: what a failure says is what it returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "ops/op.h"
#include "zoo/zoo.h"

/* LeNet-5 whose first convolution has one channel more: the weights behind it do not fit any more. */
static struct model *widened(void)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct node *conv = NULL;
	struct rng rng;
	int64_t dims[4];

	rng_init(&rng, 1);
	assert_int_equal(zoo_build(zoo_find("lenet5"), 1, 1, NULL, &m, &e), 0);
	for (size_t i = m->graph->nodes.n; i-- > 0;)
		if (!strcmp(m->graph->nodes.at[i]->op_type, "Conv"))
			conv = m->graph->nodes.at[i];
	assert_non_null(conv);
	memcpy(dims, conv->in[1]->init->dims, sizeof dims);
	dims[0]++;
	assert_int_equal(repair_weight(conv, 1, 4, dims, &rng, &e), 0);
	return m;
}

/* Shapes that do not fit are no failure yet: they are left in struct err while weights are made again. */
static void memory_that_runs_out_is_told_as_such(void **state)
{
	struct model *m = widened();
	size_t made = 0, failed = 0;

	(void)state;
	for (size_t k = 1; k == 1 || made >= k - 1; k++) {
		struct err e = ERR_INIT;
		struct model *copy = NULL;
		struct rng rng;
		int rc;

		rng_init(&rng, 1);
		assert_int_equal(model_copy(m, &copy, &e), 0);
		mem_fail_after(k, 0);
		rc = repair_model(copy, &rng, &e);
		made = mem_fail_after(0, 0);
		if (rc != 0 && rc != e.code)
			fail_msg("allocation %zu: %s, but '%s' is %s", k, err_name(rc), e.msg, err_name(e.code));
		failed += rc == ERR_MEMORY;
		model_free(copy);
	}
	assert_true(failed > 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_that_runs_out_is_told_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
