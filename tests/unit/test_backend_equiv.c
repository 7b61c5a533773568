/* test_backend_equiv.c - the rows of data/equiv on the libraries that are installed: quiet as they are, and all found
 * when one side is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "methods/equiv/equiv.h"
#include "worker/spec.h"

static void run_rows(const char *backend, int plant)
{
	struct equiv_options o = {.inputs = 8, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .rows = 1, .plant = plant};
	struct err e = ERR_INIT;
	struct equiv q;

	if (equiv_open(&q, backend, "data/equiv", &o, &e) || equiv_run(&q, &o, &e))
		fail_msg("%s", e.msg);
	assert_true(q.n > 10);
	for (size_t i = 0; i < q.n; i++) {
		const struct equiv_result *r = &q.results[i];

		if (plant != verdict_is_finding(r->found.verdict) || (!plant && r->equal != r->inputs))
			fail_msg("%s, rule %s, %s: %zu of %zu agree, %s", backend, q.pairs[i].rule->id, q.pairs[i].name,
				 r->equal, r->inputs, r->found.detail);
	}
	equiv_release(&q);
}

static const char *const libraries[] = {"ort", "torch", "tf", "mxnet"};

static int is_installed(const char *name)
{
	struct spec_installed_list l = {0};
	struct err e = ERR_INIT;
	int found = !spec_find_installed(name, &l, &e) && l.n;

	spec_installed_release(&l);
	return found;
}

static void run_all(int plant)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		if (is_installed(libraries[i]))
			run_rows(libraries[i], plant);
		else
			printf("%s is not installed: left out\n", libraries[i]);
	}
}

static void rows_are_quiet(void **state)
{
	(void)state;
	run_all(0);
}

static void planted_faults_are_found(void **state)
{
	(void)state;
	run_all(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_quiet),
		cmocka_unit_test(planted_faults_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
