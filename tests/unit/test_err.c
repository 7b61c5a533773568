/* Errors: statuses, messages, what happens to long ones; allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static void set_and_prefix(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&e, ERR_INPUT, "tensor '%s' claims 2^%d elements", "w", 40), ERR_INPUT);
	assert_int_equal(err_prefix(&e, "cannot read '%s'", "m.onnx"), ERR_INPUT);
	assert_string_equal(e.msg, "cannot read 'm.onnx': tensor 'w' claims 2^40 elements");
	err_clear(&e);
	assert_int_equal(e.code, 0);
	assert_string_equal(e.msg, "");
	assert_int_equal(err_nomem(&e, "weights", 12), ERR_MEMORY);
	assert_string_equal(e.msg, "cannot allocate 12 bytes for weights");
	err_set(&e, ERR_INPUT, "no name");
	assert_int_equal(err_prefix(&e, "%s", ""), ERR_INPUT);
	assert_string_equal(e.msg, "no name");
	err_prefix(&e, "m.onnx");
	err_prefix(&e, "%s", "m.onnx"); /* what was said is not said again */
	assert_string_equal(e.msg, "m.onnx: no name");
	err_prefix(&e, "m");
	assert_string_equal(e.msg, "m: m.onnx: no name");
}

static void without_a_place_to_write(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_IO, "lost"), ERR_IO);
	assert_int_equal(err_prefix(NULL, "lost"), ERR_INTERNAL);
}

static void long_messages_are_cut(void **state)
{
	struct err e = ERR_INIT;
	char text[3 * sizeof e.msg];

	(void)state;
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	err_set(&e, ERR_INPUT, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
	assert_string_equal(e.msg + strlen(e.msg) - 4, "x...");
	err_prefix(&e, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
}

static void statuses(void **state)
{
	static const int codes[] = {
#define X(name, text, exit) name,
		ERR_MAP(X)
#undef X
	};

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		assert_true(codes[i] < 0);
		assert_in_range(err_exit_status(codes[i]), 2, 3);
	}
	assert_string_equal(err_name(ERR_INPUT), "ERR_INPUT");
	assert_string_equal(err_text(ERR_INPUT), "bad input");
	assert_string_equal(err_name(0), "STATUS_OK");
	assert_int_equal(err_exit_status(0), 0);
	assert_int_equal(err_exit_status(-1), 3); /* no status of ours: our fault */
}

static void allocation(void **state)
{
	void *p = mem_aligned(1), *q;

	(void)state;
	assert_int_equal((uintptr_t)p % 64, 0);
	mem_free(p);
	assert_null(mem_aligned(SIZE_MAX - 8));
	assert_null(mem_array(SIZE_MAX / 2, 3));
	p = mem_alloc(0);
	q = mem_alloc(0);
	assert_non_null(p);
	assert_ptr_not_equal(p, q);
	mem_free(q);

	mem_fail_after(2, 1);
	q = mem_strdup("first");
	assert_string_equal(q, "first");
	assert_null(mem_zalloc(1));
	assert_null(mem_resize(p, 100));
	assert_int_equal(mem_fail_after(0, 0), 3);
	mem_free(q);
	mem_free(p);
	mem_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_and_prefix),
		cmocka_unit_test(without_a_place_to_write),
		cmocka_unit_test(long_messages_are_cut),
		cmocka_unit_test(statuses),
		cmocka_unit_test(allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
