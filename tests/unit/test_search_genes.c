/* test_search_genes.c - children of the search: what they take from their parents, and by how much they change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "methods/search/internal.h"
#include "support/seeds.h"
#include "tensor/stats.h"

static void crossover_takes_from_both(void **state)
{
	struct trial seed = seeds_network("lenet5", 1), other = seeds_network("lenet5", 2);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_BOTH, .options = &o, .crossover = 0.25, .mutation = 0};
	struct individual a = {.trial = seed}, b = {.trial = other}, x = {0};
	const struct tensor *ta = seed.inputs[0]->tensor, *tb = other.inputs[0]->tensor, *tx;
	size_t from_a = 0;
	struct err e = ERR_INIT;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	assert_int_equal(variation_child(&v, &a, &b, &rng, 0, &x, &e), 0);
	tx = x.trial.inputs[0]->tensor;
	for (size_t i = 0; i < tx->count; i++) {
		double got = tensor_get(tx, i);

		assert_true(got == tensor_get(ta, i) || got == tensor_get(tb, i));
		from_a += got == tensor_get(ta, i);
	}
	assert_true(from_a > tx->count / 5 && from_a < tx->count * 3 / 10); /* r1 = 0.25 of 784 */
	individual_release(&x);
	trial_release(&seed);
	trial_release(&other);
}

static void words_stay_words(void **state)
{
	struct trial seed = seeds_network("gru", 1);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .crossover = 0.5, .mutation = 1};
	struct individual a = {.trial = seed};
	struct tensor_stats s;
	struct err e = ERR_INIT;
	size_t moved = 0;
	struct rng rng;

	(void)state;
	tensor_stats(seed.inputs[0]->tensor, &s);
	rng_init(&rng, 5);
	for (int k = 0; k < 10; k++) {
		struct individual x = {0};
		const struct tensor *t;

		assert_int_equal(variation_child(&v, &a, &a, &rng, 1, &x, &e), 0);
		t = x.trial.inputs[0]->tensor;
		for (size_t i = 0; i < t->count; i++) {
			assert_true(tensor_get(t, i) >= s.min && tensor_get(t, i) <= s.max);
			moved += tensor_get(t, i) != tensor_get(seed.inputs[0]->tensor, i);
		}
		individual_release(&x);
	}
	assert_true(moved > 0);
	trial_release(&seed);
}

static double largest_change(const struct tensor *a, const struct tensor *b)
{
	double most = 0;

	for (size_t i = 0; i < a->count; i++)
		most = fmax(most, fabs(tensor_get(a, i) - tensor_get(b, i)));
	return most;
}

/* Children of one parent, though the mutation rate is 0: others than it, but by no more than they should. */
static void noise_has_the_scale_that_is_wanted(void **state)
{
	struct trial seed = seeds_network("lenet5", 1), words = seeds_network("gru", 1);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .scale = -7, .has_scale = 1};
	struct individual a = {.trial = seed}, w = {.trial = words};
	struct err e = ERR_INIT;
	struct rng rng;

	(void)state;
	rng_init(&rng, 6);
	for (int k = 0; k < 10; k++) {
		struct individual x = {0}, y = {0};
		double change;

		v.base = &seed;
		assert_int_equal(variation_child(&v, &a, &a, &rng, 0, &x, &e), 0);
		change = largest_change(x.trial.inputs[0]->tensor, seed.inputs[0]->tensor);
		assert_true(change > 0 && change < 0.1);
		v.base = &words;
		assert_int_equal(variation_child(&v, &w, &w, &rng, 0, &y, &e), 0);
		assert_true(largest_change(y.trial.inputs[0]->tensor, words.inputs[0]->tensor) == 0);
		individual_release(&x);
		individual_release(&y);
	}
	trial_release(&seed);
	trial_release(&words);
}

/* What the reference says of the two best scores, before the Softmax. */
static double margin_of(struct trial *t)
{
	struct ref_options o = {.mode = REF_EXACT};
	double best = -INFINITY, second = -INFINITY;
	struct ref_result r;
	struct ref *ref;
	struct err e = ERR_INIT;
	const struct tensor *y;

	assert_int_equal(ref_open(t->model, &ref, &e), 0);
	assert_int_equal(ref_run(ref, t->inputs, 1, &o, &r, &e), 0);
	y = r.outputs[r.n - 1].value->tensor;
	for (size_t i = 0; i < y->count; i++) {
		second = fmax(second, fmin(best, tensor_get(y, i)));
		best = fmax(best, tensor_get(y, i));
	}
	ref_result_release(&r);
	ref_close(ref);
	return best - second;
}

/* Half of the children go where two classes have nearly the same score, at every level of numbers. */
static void gradients_lead_to_a_tie(void **state)
{
	struct trial seed = seeds_network("mlp", 1);
	struct search_options o = {.gradients = 1};
	struct individual a = {.trial = seed, .has_logits = 1};
	int exposed = 0;
	struct err e = ERR_INIT;
	double start;

	(void)state;
	assert_int_equal(search_expose_logits(seed.model, &exposed, &e), 0);
	assert_true(exposed);
	a.trial = seed;
	start = margin_of(&seed);
	for (enum search_level level = SEARCH_INPUT; level <= SEARCH_BOTH; level++) {
		struct variation v = {.base = &seed, .level = level, .options = &o, .crossover = 0.5, .mutation = 0};
		size_t near = 0;
		struct rng rng;

		rng_init(&rng, 7);
		for (int k = 0; k < 20; k++) {
			struct individual x = {0};

			assert_int_equal(variation_child(&v, &a, &a, &rng, 1, &x, &e), 0);
			near += margin_of(&x.trial) < start / 2;
			individual_release(&x);
		}
		assert_true(near >= 6);
	}
	trial_release(&seed);
}

/* Step after step the two best scores come together, as by Newton's method. */
static void steps_end_in_a_tie(void **state)
{
	struct trial seed = seeds_network("mlp", 1);
	struct search_options o = {.gradients = 1};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o};
	int exposed = 0;
	struct err e = ERR_INIT;
	double start;

	(void)state;
	assert_int_equal(search_expose_logits(seed.model, &exposed, &e), 0);
	start = margin_of(&seed);
	for (int k = 0; k < 6; k++) {
		int taken = 0;

		assert_int_equal(gradient_step(&v, 1, 1, seed.model, seed.inputs, &taken, &e), 0);
		assert_true(taken);
	}
	assert_true(margin_of(&seed) < start / 1000);
	trial_release(&seed);
}

/* Words have no gradient: all children are mutants. */
static void words_have_no_gradient(void **state)
{
	struct trial seed = seeds_network("gru", 1);
	struct search_options o = {.gradients = 1};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o};
	struct value *in[] = {value_ref(seed.inputs[0])};
	struct model *m = NULL;
	int taken = 1;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(model_copy(seed.model, &m, &e), 0);
	assert_int_equal(gradient_step(&v, 0, 1, m, in, &taken, &e), 0);
	assert_false(taken);
	assert_ptr_equal(in[0], seed.inputs[0]);
	value_unref(in[0]);
	model_free(m);
	trial_release(&seed);
}

/* Some children are on the line between their parents: every element at the same share of the way. */
static void children_between_their_parents(void **state)
{
	struct trial seed = seeds_network("lenet5", 1), other = seeds_network("lenet5", 2);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .crossover = 0.5};
	struct individual a = {.trial = seed}, b = {.trial = other};
	const struct tensor *ta = seed.inputs[0]->tensor, *tb = other.inputs[0]->tensor;
	struct err e = ERR_INIT;
	size_t between = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 8);
	for (int k = 0; k < 40; k++) {
		struct individual x = {0};
		const struct tensor *t;
		double at;

		assert_int_equal(variation_child(&v, &a, &b, &rng, 0, &x, &e), 0);
		t = x.trial.inputs[0]->tensor;
		at = (tensor_get(t, 0) - tensor_get(ta, 0)) / (tensor_get(tb, 0) - tensor_get(ta, 0));
		if (at != 0 && at != 1) {
			between++;
			for (size_t i = 0; i < t->count; i++)
				assert_true(fabs(tensor_get(ta, i) + at * (tensor_get(tb, i) - tensor_get(ta, i)) -
						 tensor_get(t, i)) < 1e-4);
		}
		individual_release(&x);
	}
	assert_true(between > 2 && between < 30);
	trial_release(&seed);
	trial_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crossover_takes_from_both),      cmocka_unit_test(noise_has_the_scale_that_is_wanted),
		cmocka_unit_test(children_between_their_parents), cmocka_unit_test(words_stay_words),
		cmocka_unit_test(gradients_lead_to_a_tie),        cmocka_unit_test(steps_end_in_a_tie),
		cmocka_unit_test(words_have_no_gradient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
