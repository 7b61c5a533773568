/* test_came.c - of what a library gave the elements that differ, with enough digits to see it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/digits.h"
#include "report/came.h"

static struct tensor *zeros(enum dtype t, int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *x = tensor_zeros(t, 1, &n, &e);

	assert_non_null(x);
	return x;
}

static json_t *read_json(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	assert_non_null(j);
	return j;
}

static void assert_pair(const json_t *came, const struct tensor *right, size_t i, const char *wanted)
{
	struct buf b;

	buf_init(&b, 1024);
	came_put_pair(&b, came, right, i);
	assert_string_equal(b.data, wanted);
	buf_release(&b);
}

static void test_digits(void **state)
{
	(void)state;
	assert_int_equal(digits_of_pair(0.5, 0.25), 9);
	assert_int_equal(digits_of_pair(1, 1 + 1e-12), 17);
	assert_int_equal(digits_of_pair(2147483647, 2147483646), 17);
	assert_int_equal(digits_of_pair(4294967292, 1000), 17);
	assert_int_equal(digits_of_pair(4294967292, 0.1), 9);
	assert_int_equal(digits_of_pair(1e300, 5), 9);
}

/* The one element of many that is not 0 is the one that is shown. */
static void test_the_element_that_differs(void **state)
{
	json_t *came = read_json("{\"name\": \"y\", \"type\": \"float32[100]\", \"first\": 37, \"more\": true, "
				 "\"values\": [0, 0, 0.5, \"nan\", 0]}");
	struct tensor *right = zeros(DT_FLOAT, 100), *other = zeros(DT_FLOAT, 99);
	size_t picked[CAME_PICKED];

	(void)state;
	assert_int_equal(came_pick(came, right, CAME_PICKED, picked), 2);
	assert_int_equal(picked[0], 39);
	assert_int_equal(picked[1], 40);
	assert_pair(came, right, 39, "element 39: got 0.5, expected 0");
	assert_pair(came, right, 40, "element 40: got nan, expected 0");
	assert_int_equal(came_pick(came, other, CAME_PICKED, picked),
			 0); /* another shape: elements have no counterparts */
	tensor_unref(right);
	tensor_unref(other);
	json_decref(came);
}

static void test_the_furthest_of_many(void **state)
{
	json_t *came = read_json("{\"name\": \"y\", \"type\": \"float32[8]\", \"first\": 0, \"more\": false, "
				 "\"values\": [1, 8, 2, 7, 3, 6, 4, 5]}");
	const size_t wanted[] = {1, 3, 5, 6, 7};
	struct tensor *right = zeros(DT_FLOAT, 8);
	size_t picked[CAME_PICKED];

	(void)state;
	assert_int_equal(came_pick(came, right, 5, picked), 5);
	assert_memory_equal(picked, wanted, sizeof wanted);
	tensor_unref(right);
	json_decref(came);
}

static void test_integers_and_texts(void **state)
{
	json_t *whole = read_json("{\"name\": \"y\", \"type\": \"int64[1]\", \"first\": 0, \"more\": false, "
				  "\"values\": [9007199254740993]}");
	json_t *text = read_json("{\"name\": \"s\", \"type\": \"string[2]\", \"first\": 0, \"more\": false, "
				 "\"values\": [{\"text\": \"nan\"}, {\"text\": \"a\\u001b[31m\"}]}");
	struct tensor *right = zeros(DT_INT64, 1), *words = zeros(DT_STRING, 2);
	size_t picked[CAME_PICKED];

	(void)state;
	right->i[0] = INT64_C(9007199254740992);
	assert_int_equal(came_pick(whole, right, CAME_PICKED, picked), 1);
	assert_pair(whole, right, 0, "element 0: got 9007199254740993, expected 9007199254740992");
	words->s[0] = (struct bytes){"nan", 3};
	words->s[1] = (struct bytes){"b", 1};
	assert_int_equal(came_pick(text, words, CAME_PICKED, picked), 1);
	assert_int_equal(picked[0], 1);
	assert_pair(text, words, 1, "element 1: got 'a\\u001b[31m', expected 'b'");
	tensor_unref(right);
	tensor_unref(words);
	json_decref(whole);
	json_decref(text);
}

/* A store is a file: numbers in it may be anything. */
static void test_hostile_evidence(void **state)
{
	static const char *const texts[] = {
		"{\"type\": \"float32[8]\", \"first\": -5, \"values\": [1]}",
		"{\"type\": \"float32[8]\", \"first\": 9223372036854775807, \"values\": [1, 2]}",
		"{\"type\": \"float32[8]\", \"first\": 0, \"values\": [1,1,1,1,1,1,1,1,1,1,1,1]}",
		"{\"type\": \"float32[8]\", \"values\": {\"a\": 1}}",
		"{\"type\": 3}",
	};
	struct tensor *right = zeros(DT_FLOAT, 8);

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *came = read_json(texts[i]);
		size_t picked[CAME_PICKED], n = came_pick(came, right, CAME_PICKED, picked);

		for (size_t k = 0; k < n; k++)
			assert_true(picked[k] < right->count);
		json_decref(came);
	}
	tensor_unref(right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_the_element_that_differs),
		cmocka_unit_test(test_the_furthest_of_many),
		cmocka_unit_test(test_integers_and_texts),
		cmocka_unit_test(test_hostile_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
