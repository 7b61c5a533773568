/* test_equiv_dtypes.c - rule 12: one type of those that a call has becomes a wider one, and the numbers stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "methods/equiv/equiv.h"

#define DRAWINGS 60

struct widened {
	size_t one, none, floats, indices, complex; /* drawings by what became of them */
};

static enum dtype type_of(const struct bindings *b, size_t i)
{
	return b->at[i].tensor->tensor->dtype;
}

/* Side b of drawing number `index`. */
static void other_side(const struct draw *d, uint64_t index, struct bindings *a, struct bindings *b)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct expr *side;
	struct registry r;
	struct expr *call;
	struct rng root;

	registry_init(&r, "torch");
	rng_init(&root, 5);
	assert_int_equal(expr_parse("add(x)", &arena, &call, &e), 0);
	assert_int_equal(draw_make(d, &root, index, a, &e), 0);
	bindings_copy(a, b);
	assert_int_equal(rule_dtypes.every->other(&r, call, b, &arena, &side, &e), 0);
	registry_release(&r);
	arena_release(&arena);
}

static struct widened count(const char *variables)
{
	struct arena arena = ARENA_INIT;
	struct widened seen = {0};
	struct err e = ERR_INIT;
	struct draw d;

	assert_int_equal(draw_parse(variables, &arena, &d, &e), 0);
	for (uint64_t index = 0; index < DRAWINGS; index++) {
		struct bindings a, b, again_a, again;
		size_t changed = 0;

		other_side(&d, index, &a, &b);
		other_side(&d, index, &again_a, &again);
		for (size_t i = 0; i < b.n; i++) {
			assert_int_equal(type_of(&b, i), type_of(&again, i)); /* a seed decides */
			changed += type_of(&b, i) != type_of(&a, i);
			seen.floats += type_of(&a, i) == DT_FLOAT && type_of(&b, i) == DT_DOUBLE;
			seen.indices += type_of(&a, i) == DT_INT32 && type_of(&b, i) == DT_INT64;
			seen.complex += type_of(&a, i) == DT_COMPLEX64 && type_of(&b, i) == DT_COMPLEX128;
		}
		seen.one += changed == 1;
		seen.none += !changed;
		bindings_release(&a);
		bindings_release(&b);
		bindings_release(&again_a);
		bindings_release(&again);
	}
	arena_release(&arena);
	return seen;
}

static void any_type_that_fits_has_its_turn(void **state)
{
	struct widened seen = count("x:float32[2] k:int32.below5[3] z:complex64[2]");

	(void)state;
	assert_int_equal(seen.one, DRAWINGS);
	assert_true(seen.floats > 10 && seen.indices > 10 && seen.complex > 10);
}

static void complex_numbers_become_wider(void **state)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings a, b;
	struct draw d;

	(void)state;
	assert_int_equal(count("z:complex64[2]").complex, DRAWINGS);
	assert_int_equal(draw_parse("z:complex64[2]", &arena, &d, &e), 0);
	other_side(&d, 1, &a, &b);
	for (size_t i = 0; i < 4; i++) { /* parts */
		const float *narrow = a.at[0].tensor->tensor->data;

		assert_true(b.at[0].tensor->tensor->f[i] == (double)narrow[i]);
	}
	bindings_release(&a);
	bindings_release(&b);
	arena_release(&arena);
}

static void types_without_a_wider_one_make_no_pair(void **state)
{
	(void)state;
	assert_int_equal(count("x:float64[2] b:bool[2]").none, DRAWINGS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_type_that_fits_has_its_turn),
		cmocka_unit_test(complex_numbers_become_wider),
		cmocka_unit_test(types_without_a_wider_one_make_no_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
