/* Buffers: growth, caps, whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

static void grows_and_stays_terminated(void **state)
{
	struct buf b;
	size_t want = 0;

	(void)state;
	buf_init(&b, 1 << 20);
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(buf_printf(&b, "%d,", i), 0);
		want += (size_t)snprintf(NULL, 0, "%d,", i);
	}
	assert_int_equal(b.len, want);
	assert_int_equal(strlen(b.data), want);
	assert_memory_equal(b.data + want - 10, "4998,4999,", 10);
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
	buf_release(&b);
	assert_null(b.data);
}

static void cap_is_sticky(void **state)
{
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 8);
	assert_int_equal(buf_puts(&b, "12345678"), 0); /* exactly full */
	assert_int_equal(buf_check(&b, &e), 0);
	assert_int_equal(buf_puts(&b, "9"), ERR_LIMIT);
	assert_int_equal(buf_add(&b, "", 0), ERR_LIMIT); /* later writes stay refused */
	assert_int_equal(buf_check(&b, &e), ERR_LIMIT);
	assert_string_equal(b.data, "12345678");
	buf_release(&b);
}

static void no_memory(void **state)
{
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	mem_fail_after(1, 0);
	assert_int_equal(buf_printf(&b, "%s", "text"), ERR_MEMORY);
	mem_fail_after(0, 0);
	assert_int_equal(buf_check(&b, &e), ERR_MEMORY);
	buf_release(&b);
}

static void whole_files(void **state)
{
	char folder[] = "/tmp/assay-buf-XXXXXX", path[64], fifo[64];
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/f", folder);
	snprintf(fifo, sizeof fifo, "%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	buf_init(&b, 0);

	assert_int_equal(buf_write_file("a\0b", 3, path, &e), 0);
	assert_int_equal(buf_read_file(&b, path, 3, &e), 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	assert_int_equal(buf_read_file(&b, path, 2, &e), ERR_LIMIT);
	assert_int_equal(buf_read_file(&b, folder, 100, &e), ERR_IO);
	assert_int_equal(buf_read_file(&b, fifo, 100, &e), ERR_IO);
	assert_int_equal(buf_write_file("x", 1, folder, &e), ERR_IO); /* a folder is in the way */
	assert_non_null(strstr(e.msg, folder));

	unlink(path);
	unlink(fifo);
	assert_int_equal(buf_read_file(&b, path, 100, &e), ERR_IO);
	assert_int_equal(rmdir(folder), 0); /* no temporary file was left behind */
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_stays_terminated),
		cmocka_unit_test(cap_is_sticky),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(whole_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
