/* Which name was meant: near.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/near.h"
#include "worker/parent/spec.h"

static const struct row {
	int number;
	const char *name;
} rows[] = {{1, "check"}, {2, "completion"}, {3, "conform"}, {4, "reduce"}, {0, NULL}};

static void test_distance(void **state)
{
	char longest[NEAR_MAX], longer[NEAR_MAX + 1];

	(void)state;
	assert_int_equal(near_distance("", ""), 0);
	assert_int_equal(near_distance("", "ort"), 3);
	assert_int_equal(near_distance("ort", ""), 3);
	assert_int_equal(near_distance("check", "check"), 0);
	assert_int_equal(near_distance("CHECK", "check"), 0);
	assert_int_equal(near_distance("chck", "check"), 1);   /* left out */
	assert_int_equal(near_distance("cheeck", "check"), 1); /* too many */
	assert_int_equal(near_distance("chack", "check"), 1);  /* another */
	assert_int_equal(near_distance("hceck", "check"), 1);  /* swapped */
	assert_int_equal(near_distance("kcehc", "check"), 3);  /* k out, eh swapped, k in */
	assert_int_equal(near_distance("kitten", "sitting"), 3);
	memset(longest, 'a', sizeof longest);
	longest[NEAR_MAX - 1] = '\0';
	assert_int_equal(near_distance(longest, "a"), NEAR_MAX - 2);
	memset(longer, 'a', sizeof longer);
	longer[NEAR_MAX] = '\0';
	assert_int_equal(near_distance(longer, longer), NEAR_MAX);
}

static void test_hints(void **state)
{
	(void)state;
	assert_string_equal(NEAR_HINT("chekc", rows), " (did you mean 'check'?)");
	assert_string_equal(NEAR_HINT("Conform", rows), " (did you mean 'conform'?)");
	assert_string_equal(NEAR_HINT("comp", rows), " (did you mean 'completion'?)"); /* it begins so */
	assert_string_equal(NEAR_HINT("co", rows), "");
	assert_string_equal(NEAR_HINT("c", rows), "");
	assert_string_equal(NEAR_HINT("", rows), "");
	assert_string_equal(NEAR_HINT("frobnicate", rows), "");
	assert_string_equal(NEAR_HINT("reduced", rows), " (did you mean 'reduce'?)");
}

static void test_aliases(void **state)
{
	struct near n = NEAR("shrink");

	(void)state;
	near_offer_rows(&n, &rows->name, sizeof *rows);
	assert_string_equal(near_hint(&n), "");
	near_offer(&n, "shrink", "reduce");
	assert_string_equal(near_hint(&n), " (did you mean 'reduce'?)");
	near_offer(&n, "shrank", "check"); /* farther away */
	assert_string_equal(near_hint(&n), " (did you mean 'reduce'?)");
}

static void test_backends(void **state)
{
	static const struct {
		const char *word, *hint;
	} cases[] = {
		{"onnxruntime", " (did you mean 'ort'?)"},      {"pytorch", " (did you mean 'torch'?)"},
		{"tensorflow", " (did you mean 'tf'?)"},        {"theano", " (did you mean 'pytensor'?)"},
		{"opnevino", " (did you mean 'openvino'?)"},    {"libtorch", " (did you mean 'torch'?)"},
		{"torchcuda", " (did you mean 'torch-cuda'?)"}, {"nothing", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(spec_hint(&(struct near)NEAR(cases[i].word)), cases[i].hint);
}

static void test_words_of_a_table(void **state)
{
	static const char *const sets[] = {"O0", "O99", NULL}, *const one[] = {"bash", NULL};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(near_find("O99", 3, sets, 0), 1);
	assert_int_equal(near_find("O99,O0", 3, sets, 0), 1); /* the first letters alone */
	assert_int_equal(near_find("O9", 2, sets, 0), -1);
	assert_string_equal(rows[near_find("check", 5, &rows->name, sizeof *rows)].name, "check");
	assert_int_equal(near_refuse("--set", "O9", sets, 0, &e), ERR_USAGE);
	assert_string_equal(e.msg, "--set: 'O9' is not O0 or O99 (did you mean 'O99'?)"); /* that which begins so */
	near_refuse("shell", "fish", one, 0, &e);
	assert_string_equal(e.msg, "shell: 'fish' is not bash");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),         cmocka_unit_test(test_hints),
		cmocka_unit_test(test_aliases),          cmocka_unit_test(test_backends),
		cmocka_unit_test(test_words_of_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
