/* Maps and vectors: contents, order, allocation failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

static void put_get_remove(void **state)
{
	struct map m = MAP_INIT;
	int a, b;
	char key[8] = "k";

	(void)state;
	assert_null(map_get(&m, "k"));
	assert_int_equal(map_put(&m, key, &a), 0);
	key[0] = 'x'; /* the map has its own copy */
	assert_ptr_equal(map_get(&m, "k"), &a);
	assert_int_equal(map_put(&m, "k", &b), 0);
	assert_ptr_equal(map_get(&m, "k"), &b);
	assert_int_equal(map_put(&m, "", &a), 0);
	assert_int_equal(map_count(&m), 2);
	map_remove(&m, "k");
	map_remove(&m, "k");
	assert_null(map_get(&m, "k"));
	assert_int_equal(map_count(&m), 1);
	map_release(&m);
	assert_int_equal(map_count(&m), 0);
}

static void order_of_insertion(void **state)
{
	struct map m = MAP_INIT;
	char key[16];
	int i = 0, value;

	(void)state;
	for (; i < 2000; i++) {
		snprintf(key, sizeof key, "%d", i * 7919 % 2000);
		assert_int_equal(map_put(&m, key, &value), 0);
	}
	i = 0;
	for (const struct map_entry *it = map_first(&m); it; it = map_next(it), i++) {
		snprintf(key, sizeof key, "%d", i * 7919 % 2000);
		assert_string_equal(map_key(it), key);
		assert_ptr_equal(map_value(it), &value);
	}
	assert_int_equal(i, 2000);
	map_release(&m);
}

/* Whichever allocation fails, the map keeps what it had and can be released. */
static void no_memory(void **state)
{
	(void)state;
	for (size_t k = 1; k < 8; k++) {
		struct map m = MAP_INIT;
		int value, rc = 0, n = 0;
		char key[16];

		mem_fail_after(k, 0);
		while (!rc && n < 100) {
			snprintf(key, sizeof key, "%d", n++);
			rc = map_put(&m, key, &value);
		}
		mem_fail_after(0, 0);
		assert_int_equal(rc, ERR_MEMORY);
		assert_int_equal(map_count(&m), n - 1);
		assert_null(map_get(&m, key));
		assert_int_equal(map_put(&m, key, &value), 0);
		assert_ptr_equal(map_get(&m, key), &value);
		map_release(&m);
	}
}

static void vectors(void **state)
{
	VEC(int) v = VEC_INIT;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(vec_push(&v, i), 0);
	assert_int_equal(vec_insert(&v, 0, -1), 0);
	assert_int_equal(vec_insert(&v, v.n, 100), 0);
	for (int i = 0; i < 102; i++)
		assert_int_equal(v.at[i], i - 1);
	vec_remove(&v, 0);
	vec_remove(&v, v.n - 1);
	assert_int_equal(v.n, 100);
	assert_int_equal(v.at[0], 0);
	assert_int_equal(v.at[99], 99);
	while (v.n < v.size)
		assert_int_equal(vec_push(&v, 1), 0);
	mem_fail_after(1, 0);
	assert_int_not_equal(vec_push(&v, 2), 0);
	mem_fail_after(0, 0);
	assert_int_equal(v.at[99], 99); /* what was there stays */
	vec_release(&v);
	assert_int_equal(v.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_get_remove),
		cmocka_unit_test(order_of_insertion),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
