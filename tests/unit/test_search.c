/* test_search.c - Algorithm 1 on planted faults: what is found, whose it is, and what it comes down to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "methods/search/novelty.h"
#include "support/seeds.h"
#include "support/workers.h"

struct told {
	size_t n;
	size_t backend;
	enum verdict verdict;
	char evidence[256];
};

static int note(const struct search_failure *f, void *arg, struct err *e)
{
	struct told *t = arg;

	(void)e;
	t->n++;
	t->backend = f->backend;
	t->verdict = f->outcome->verdict;
	snprintf(t->evidence, sizeof t->evidence, "%.250s", f->evidence);
	return 0;
}

/* `twin`: what the second backend calls itself; NULL: what it is. */
static struct search_result search_as(const char *network, const char *backends, const char *twin,
				      struct search_options *o, size_t jobs)
{
	struct trial seed = seeds_network(network, 1);
	struct layers *l = seeds_layers();
	struct spec_list specs = {0};
	struct rivals *rivals = NULL;
	struct search_result r = {0};
	struct err e = ERR_INIT;

	o->layers = l;
	if (spec_make_list(backends, &specs, &e))
		fail_msg("%s", e.msg);
	if (twin) {
		mem_free(specs.at[1].backend);
		specs.at[1].backend = mem_strdup(twin);
	}
	if (rivals_open(&specs, jobs, &rivals, &e) || search_run(&seed, rivals, o, &r, &e))
		fail_msg("%s", e.msg);
	rivals_close(rivals);
	spec_list_release(&specs);
	layers_free(l);
	trial_release(&seed);
	return r;
}

static struct search_result search(const char *network, const char *backends, struct search_options *o, size_t jobs)
{
	return search_as(network, backends, NULL, o, jobs);
}

/* The worker of tests/support gives NaN with every second run of a process. */
static void what_an_invalid_case_does_is_not_the_next_ones_fault(void **state)
{
	struct backend_option options[] = {{"model", "any"}, {"run", "flaky"}};
	struct worker_spec spec = fault_spec();
	struct spec_list specs = {.at = &spec, .n = 1};
	struct individual cases[2] = {{.invalid = 1}}, *both[] = {&cases[0], &cases[1]};
	struct search_options o = {0};
	struct rivals *rivals = NULL;
	struct err e = ERR_INIT;

	(void)state;
	spec.backend = "faulty";
	spec.options = options;
	spec.n_options = 2;
	for (size_t i = 0; i < 2; i++)
		cases[i].trial = seeds_network("lenet5", 1);
	if (rivals_open(&specs, 0, &rivals, &e) || rivals_run(rivals, both, 2, 0, &o, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < 2; i++) {
		const struct value *v = cases[i].outcomes[0].values[0];

		assert_int_equal(tensor_same_bits(v->tensor, cases[i].trial.inputs[0]->tensor), 1);
	}
	rivals_close(rivals);
	for (size_t i = 0; i < 2; i++)
		individual_release(&cases[i]);
}

/* Two libraries that do the same are no bug; one library twice is no second opinion. */
static void what_two_libraries_do_is_a_difference(void **state)
{
	const char *same = "fault:relu6,fault:relu6,reference";
	struct search_options o = {.levels = 1u << SEARCH_BOTH, .fitness = SEARCH_NAN, .cases = 30, .bases = 1};
	struct search_result two = search_as("lenet5", same, "another", &o, 0);
	struct search_result twice = search("lenet5", same, &o, 0);

	(void)state;
	assert_true(two.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE] > 0);
	assert_int_equal(two.levels[SEARCH_BOTH].by_class[SEARCH_BUG], 0);
	assert_int_equal(twice.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE], 0);
	assert_int_equal(twice.levels[SEARCH_BOTH].by_class[SEARCH_BUG],
			 two.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE]);
}

static void names_the_faulty_backend(void **state)
{
	struct told told = {0};
	struct search_options o = {.levels = 1u << SEARCH_INPUT,
				   .fitness = SEARCH_INCONSISTENCY,
				   .cases = 20,
				   .population = 10,
				   .parents = 3,
				   .failure = note,
				   .arg = &told};
	struct search_result r = search("lenet5", "reference,fault:kernel_mirrored@conv2", &o, 0);
	const struct search_counts *c = &r.levels[SEARCH_INPUT];

	(void)state;
	assert_int_equal(c->cases, 20);
	assert_int_equal(c->evaluations, 40);
	assert_true(told.n > 0);
	assert_int_equal(told.backend, 1);
	assert_int_equal(told.verdict, VERDICT_WRONG);
	assert_true(c->by_class[SEARCH_BUG] > 0);
	assert_true(c->base_distance > 0 && c->most_distance >= c->base_distance);
	assert_true(c->first_inconsistent ? c->inconsistent_distance > 0 : c->inconsistent_distance == -1);
}

/* Two right backends: nothing is found, whatever the numbers become. */
static void right_backends_have_no_bugs(void **state)
{
	struct told told = {0};
	struct search_options o = {.fitness = SEARCH_INCONSISTENCY, .cases = 20, .failure = note, .arg = &told};
	struct search_result r = search("lenet5", "reference,reference", &o, 0);

	(void)state;
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		assert_true(r.levels[i].cases >= 20);
		assert_int_equal(r.levels[i].inconsistent, 0);
		assert_true(r.levels[i].most_distance == 0 && r.levels[i].inconsistent_distance == -1);
		assert_int_equal(r.levels[i].by_class[SEARCH_BUG], 0);
	}
	assert_int_equal(told.n, 0);
}

/* Numbers grow until float32 overflows, which the reference says is nobody's fault. */
static void nan_is_reached_and_sorted(void **state)
{
	struct told told = {0};
	struct search_options o = {.levels = 1u << SEARCH_BOTH,
				   .fitness = SEARCH_NAN,
				   .cases = 400,
				   .bases = 1,
				   .until = SEARCH_NAN,
				   .failure = note,
				   .arg = &told};
	struct search_result r = search("lenet5", "reference", &o, 0);
	const struct search_counts *c = &r.levels[SEARCH_BOTH];

	(void)state;
	assert_true(c->first_nan > 0);
	assert_true(c->cases < 400);
	assert_int_equal(c->networks, 1);
	assert_int_equal(c->networks_nan, 1);
	assert_true(c->by_class[SEARCH_PRECISION] > 0);
	assert_int_equal(c->by_class[SEARCH_BUG], 0);
	assert_int_equal(told.n, 0);
}

struct sources {
	size_t n, single; /* failures; those of a single edit */
};

static int note_smallest(const struct search_failure *f, void *arg, struct err *e)
{
	static const struct judge_options judge = {0};
	struct sources *s = arg;
	char said[SEARCH_SAID];
	int rc = search_smallest(f, &judge, 60, said, e);

	if (!rc) {
		s->n++;
		s->single += !strchr(said, ';');
		assert_true(strstr(said, "alpha=") || strstr(said, "beta="));
		assert_true(strlen(said) <= strlen(f->edits));
	}
	return rc;
}

/* Of all the edits, only those of Gemm lead to a fault that ignores its factors. */
static void failures_come_down_to_their_edits(void **state)
{
	struct sources s = {0};
	struct search_options o = {.levels = 1u << SEARCH_NETWORK, .cases = 150, .failure = note_smallest, .arg = &s};

	(void)state;
	search("lenet5", "reference,fault:gemm_alpha_ignored", &o, 0);
	assert_true(s.n > 3);
	assert_int_equal(s.single, s.n);
}

static void jobs_do_not_matter(void **state)
{
	struct told a = {0}, b = {0};
	struct search_options o = {
		.fitness = SEARCH_INCONSISTENCY | SEARCH_NAN, .cases = 25, .seed = 9, .failure = note, .arg = &a};
	struct search_result one = search("gru", "reference,fault:relu6", &o, 1), all;

	(void)state;
	o.arg = &b;
	all = search("gru", "reference,fault:relu6", &o, 0);
	assert_int_equal(a.n, b.n);
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		one.levels[i].seconds = all.levels[i].seconds = 0;
		assert_memory_equal(&one.levels[i], &all.levels[i], sizeof one.levels[i]);
	}
}

/* New is what is farther than d from everything that was new before; d is a tenth of the first vector's length. */
static void new_coverage_is_far_from_all_before(void **state)
{
	static const struct {
		float at[3];
		int64_t n;
		int is_new;
	} cases[] = {
		{{3, 4}, 2, 1},                                             /* length 5: d is 0.5 */
		{{3, 4.4f}, 2, 0}, {{3, 4.6f}, 2, 1}, {{3.4f, 4.2f}, 2, 0}, /* 0.45 from the first */
		{{3, 5}, 2, 0},                                             /* 0.4 from the second that was new */
		{{3, 5.2f}, 2, 1}, {{3, 4, 0}, 3, 1},
	};
	struct novelty c = {0};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tensor *t = tensor_new(DT_FLOAT, 1, &cases[i].n, &e);
		int is_new = -1;

		assert_non_null(t);
		for (size_t k = 0; k < t->count; k++)
			t->f[k] = (double)cases[i].at[k];
		assert_int_equal(novelty_note(&c, t, &is_new, &e), 0);
		assert_int_equal(is_new, cases[i].is_new);
		tensor_unref(t);
	}
	assert_int_equal(c.seen.n, 4);
	novelty_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_faulty_backend),
		cmocka_unit_test(what_an_invalid_case_does_is_not_the_next_ones_fault),
		cmocka_unit_test(what_two_libraries_do_is_a_difference),
		cmocka_unit_test(right_backends_have_no_bugs),
		cmocka_unit_test(nan_is_reached_and_sorted),
		cmocka_unit_test(failures_come_down_to_their_edits),
		cmocka_unit_test(jobs_do_not_matter),
		cmocka_unit_test(new_coverage_is_far_from_all_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
