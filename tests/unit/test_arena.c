/* Arenas: alignment, caps, reuse, overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

static void pieces_are_aligned_and_apart(void **state)
{
	struct arena a = ARENA_INIT;
	unsigned char *piece[300];

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		piece[i] = arena_alloc(&a, i);
		assert_non_null(piece[i]);
		assert_int_equal((uintptr_t)piece[i] % 16, 0);
		memset(piece[i], (int)(i & 0xff), i);
	}
	for (size_t i = 0; i < 300; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_equal(piece[i][k], i & 0xff);
	arena_release(&a);
	assert_int_equal(a.used, 0);
}

static void cap_holds(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 64);
	assert_non_null(arena_alloc(&a, 48));
	assert_null(arena_alloc(&a, 17));
	assert_non_null(arena_alloc(&a, 16));
	assert_null(arena_alloc(&a, 1));
	arena_reset(&a);
	assert_non_null(arena_alloc(&a, 64));
	arena_release(&a);
}

static void sizes_that_overflow(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 40));
	assert_null(arena_array(&a, SIZE_MAX / 2, 3));
	assert_null(arena_strndup(&a, "", SIZE_MAX));
	assert_non_null(arena_array(&a, 0, 8));
	arena_release(&a);
}

static void strings(void **state)
{
	struct arena a = ARENA_INIT;
	static const unsigned char zeros[100];

	(void)state;
	assert_string_equal(arena_strdup(&a, "name"), "name");
	assert_string_equal(arena_strndup(&a, "name", 2), "na");
	assert_string_equal(arena_printf(&a, "%s_%d", "node", 7), "node_7");
	memset(arena_alloc(&a, 4000), 0xff, 4000);
	arena_reset(&a);
	assert_memory_equal(arena_zalloc(&a, 100), zeros, 100); /* zeroed although used before */
	arena_release(&a);
}

static void no_memory(void **state)
{
	struct arena a = ARENA_INIT;

	(void)state;
	mem_fail_after(1, 0);
	assert_null(arena_strdup(&a, "x"));
	mem_fail_after(0, 0);
	assert_string_equal(arena_strdup(&a, "x"), "x");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_and_apart),
		cmocka_unit_test(cap_holds),
		cmocka_unit_test(sizes_that_overflow),
		cmocka_unit_test(strings),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
