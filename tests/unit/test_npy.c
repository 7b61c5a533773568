/* .npy and .npz: what numpy writes, there and back, broken files, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tensor/io.h"

static int nothing_is_live(void **state)
{
	(void)state;
	assert_int_equal(tensor_memory_live(), 0);
	return 0;
}

/* A file with the given header and elements. */
static void make_file(struct buf *b, const char *header, const void *data, size_t n)
{
	size_t len = strlen(header);

	buf_init(b, 1 << 16);
	buf_add(b, "\x93NUMPY\1\0", 8);
	buf_add(b, &(unsigned char){len & 0xff}, 1);
	buf_add(b, &(unsigned char){len >> 8 & 0xff}, 1);
	buf_puts(b, header);
	buf_add(b, data, n);
}

static int parse(const char *header, const void *data, size_t n, struct tensor **out, struct err *e)
{
	struct buf b;
	int rc;

	make_file(&b, header, data, n);
	rc = npy_parse(b.data, b.len, out, e);
	buf_release(&b);
	return rc;
}

static void c_and_fortran_order(void **state)
{
	const float data[] = {1, 2, 3, 4, 5, 6};
	struct err e = ERR_INIT;
	struct tensor *t;

	(void)state;
	assert_int_equal(
		parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }    \n", data, sizeof data, &t, &e),
		0);
	assert_int_equal(t->rank, 2);
	assert_int_equal(t->dtype, DT_FLOAT);
	assert_int_equal(t->wide, 0);
	assert_memory_equal(t->data, data, sizeof data);
	tensor_unref(t);
	/* keys in another order, other quotes, a long integer of Python 2 */
	assert_int_equal(
		parse("{\"shape\":(2L,3),\"fortran_order\":True,\"descr\":\"=f4\"}", data, sizeof data, &t, &e), 0);
	assert_memory_equal(t->data, ((float[]){1, 3, 5, 2, 4, 6}), sizeof data);
	tensor_unref(t);
}

static void big_endian(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t;

	(void)state;
	assert_int_equal(parse("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", "\0\1\377\376", 4, &t, &e),
			 0);
	assert_true(tensor_get(t, 0) == 1 && tensor_get(t, 1) == -2);
	tensor_unref(t);
	assert_int_equal(
		parse("{'descr': '>c8', 'fortran_order': False, 'shape': (), }", "\x3f\x80\0\0\x40\0\0\0", 8, &t, &e),
		0);
	assert_memory_equal(t->data, ((float[]){1, 2}), 8);
	tensor_unref(t);
}

static void strings(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t;

	(void)state;
	assert_int_equal(parse("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", "ab\0cde", 6, &t, &e), 0);
	assert_string_equal(t->s[0].p, "ab");
	assert_string_equal(t->s[1].p, "cde");
	tensor_unref(t);
	assert_int_equal(
		parse("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", "\xe9\0\0\0\0\0\0\0", 8, &t, &e), 0);
	assert_string_equal(t->s[0].p, "\xc3\xa9");
	tensor_unref(t);
	assert_int_equal(parse("{'descr': '>U1', 'fortran_order': False, 'shape': (), }", "\0\1\xf6\0", 4, &t, &e), 0);
	assert_string_equal(t->s[0].p, "\xf0\x9f\x98\x80");
	tensor_unref(t);
	assert_int_equal(parse("{'descr': '<U1', 'fortran_order': False, 'shape': (), }", "\0\xd8\0\0", 4, &t, &e),
			 ERR_INPUT);
}

static void broken_files(void **state)
{
	static const struct {
		const char *header;
		int status;
	} rows[] = {
		{"", ERR_INPUT},
		{"{", ERR_INPUT},
		{"{'descr': '<f4'", ERR_INPUT},
		{"{'descr': '<f4', }", ERR_INPUT},
		{"{'descr': '<f4, 'fortran_order': False, 'shape': (2,), }", ERR_UNSUPPORTED},
		{"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': 2, }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,), }", ERR_INPUT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ERR_LIMIT},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': "
		 "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2), }",
		 ERR_LIMIT},
		{"{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }", ERR_UNSUPPORTED},
		{"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", ERR_UNSUPPORTED},
		{"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }", ERR_UNSUPPORTED},
		{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", ERR_UNSUPPORTED},
		{"{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000,), }", ERR_UNSUPPORTED},
		{"{'descr': '', 'fortran_order': False, 'shape': (2,), }", ERR_INPUT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tensor *t = NULL;
		struct err e = ERR_INIT;
		int rc = parse(rows[i].header, "12345678", 8, &t, &e);

		if (rc != rows[i].status)
			fail_msg("%s: %s (%s)", rows[i].header, err_name(rc), e.msg);
		assert_null(t);
		assert_true(e.msg[0]);
	}
}

static void every_prefix_fails(void **state)
{
	const float data[] = {1, 2};
	struct tensor *t;
	struct buf b;

	(void)state;
	make_file(&b, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", data, sizeof data);
	for (size_t n = 0; n < b.len; n++) {
		struct err e = ERR_INIT;
		void *copy = mem_alloc(n); /* exactly n bytes, so that a sanitizer sees one too many */

		memcpy(copy, b.data, n);
		assert_int_not_equal(npy_parse(copy, n, &t, &e), 0);
		mem_free(copy);
	}
	buf_release(&b);
}

static struct tensor *make_random(enum dtype t, int rank, const int64_t *dims)
{
	struct err e = ERR_INIT;
	struct tensor *r = tensor_new(t, rank, dims, &e);

	assert_non_null(r);
	if (t == DT_STRING)
		for (size_t i = 0; i < r->count; i++)
			tensor_set_string(r, i, "h\xc3\xa9llo", 1 + i % 2 * 5, &e);
	else if (dtype_wide(t) == WIDE_I64)
		for (size_t i = 0; i < r->count; i++)
			r->i[i] = dtype_wrap(t, (int64_t)i * 37 - 11);
	else
		for (size_t i = 0; i < r->count * (dtype_wide(t) == WIDE_C64 ? 2 : 1); i++)
			r->f[i] = (double)(i % 13 + 1) / 4;
	tensor_round(r);
	return r;
}

/* Every type, wide and packed; more elements than are converted at a time. */
static void there_and_back(void **state)
{
	static const int64_t shapes[][2] = {{3, 401}, {0, 3}};

	(void)state;
	for (int t = 1; t < DT_COUNT; t++)
		for (size_t k = 0; k < 4; k++) {
			struct err e = ERR_INIT;
			struct tensor *a = make_random((enum dtype)t, 2, shapes[k / 2]), *p, *b;
			struct buf file;

			p = k % 2 ? tensor_pack(a, &e) : tensor_ref(a);
			buf_init(&file, 1 << 20);
			assert_int_equal(npy_write(p, &file, &e), 0);
			assert_int_equal(npy_parse(file.data, file.len, &b, &e), 0);
			assert_true(tensor_same_shape(a, b));
			if (*dtype_npy((enum dtype)t) || t == DT_STRING)
				assert_int_equal(b->dtype, t);
			for (size_t i = 0; i < a->count; i++)
				if (t == DT_STRING)
					assert_string_equal(a->s[i].p, b->s[i].p);
				else
					assert_true(tensor_get(a, i) == tensor_get(b, i));
			tensor_unref(b);
			tensor_unref(p);
			tensor_unref(a);
			buf_release(&file);
		}
}

static void bytes_that_are_not_utf8(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *a = tensor_new(DT_STRING, 0, NULL, &e), *b;
	struct buf file;

	(void)state;
	tensor_set_string(a, 0, "\xff\xfe", 2, &e);
	buf_init(&file, 1000);
	assert_int_equal(npy_write(a, &file, &e), 0);
	assert_non_null(strstr(file.data + 10, "'|S2'"));
	assert_int_equal(npy_parse(file.data, file.len, &b, &e), 0);
	assert_memory_equal(b->s[0].p, "\xff\xfe", 2);
	tensor_unref(a);
	tensor_unref(b);
	buf_release(&file);
}

static void temporary(char *path, size_t size, const char *suffix)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, size, "%s/assay-test-%ld%s", folder ? folder : "/tmp", (long)getpid(), suffix);
}

static void npz_there_and_back(void **state)
{
	const int64_t dims[] = {2, 5};
	struct tensor_set a = TENSOR_SET_INIT, b = TENSOR_SET_INIT;
	struct err e = ERR_INIT;
	char path[256];

	(void)state;
	temporary(path, sizeof path, ".npz");
	assert_int_equal(tensor_set_add(&a, "x", make_random(DT_FLOAT, 2, dims), &e), 0);
	assert_int_equal(tensor_set_add(&a, "folder/y", make_random(DT_INT64, 2, dims), &e), 0);
	assert_int_equal(npz_save(&a, path, &e), 0);
	assert_int_equal(npz_load(path, &b, &e), 0);
	unlink(path);
	assert_int_equal(b.n, 2);
	assert_true(tensor_get(tensor_set_get(&b, "folder/y"), 9) == tensor_get(a.at[1].tensor, 9));
	assert_int_equal(tensor_set_get(&b, "x")->dtype, DT_FLOAT);
	assert_null(tensor_set_get(&b, "z"));
	assert_int_equal(npz_save(&a, "/nonexistent/a.npz", &e), ERR_IO);
	tensor_set_release(&a);
	tensor_set_release(&b);
	assert_int_equal(npz_save(&a, path, &e), 0); /* no members */
	assert_int_equal(npz_load(path, &b, &e), 0);
	unlink(path);
	assert_int_equal(b.n, 0);
	assert_int_equal(npz_load("/nonexistent/a.npz", &b, &e), ERR_IO);
	assert_int_equal(npz_save(&a, "/nonexistent/a.npz", &e), ERR_IO);
}

/* Names may be anything that a model has: what libzip takes for another encoding comes back as well. */
static void npz_names(void **state)
{
	static const char *const names[] = {"\x01", "x\x1b[31m", "\u00e4\u4e00", "\u00e4\x02", "\u263a2", "a\nb",
					    "\x7f", "",          "\xc2\x9b"};
	const int64_t dims[] = {1};
	struct tensor_set a = TENSOR_SET_INIT, b = TENSOR_SET_INIT;
	struct err e = ERR_INIT;
	struct buf zip;

	(void)state;
	buf_init(&zip, TENSOR_IO_MAX_FILE);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(tensor_set_add(&a, names[i], make_random(DT_FLOAT, 1, dims), &e), 0);
	if (npz_write(&a, &zip, &e) || npz_parse(zip.data, zip.len, &b, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(b.n, a.n);
	for (size_t i = 0; i < a.n; i++) {
		assert_string_equal(b.at[i].name, names[i]);
		assert_true(tensor_get(b.at[i].tensor, 0) == tensor_get(a.at[i].tensor, 0));
	}
	tensor_set_release(&a);
	tensor_set_release(&b);
	buf_release(&zip);
}

/* A zip with one member of the given content, in *out. */
static void make_zip(const char *name, const void *data, size_t n, struct buf *out)
{
	struct err e = ERR_INIT;
	char path[256];
	int code;
	zip_t *z;

	temporary(path, sizeof path, ".zip");
	z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	assert_non_null(z);
	assert_true(zip_file_add(z, name, zip_source_buffer(z, data, n, 0), 0) >= 0);
	assert_int_equal(zip_close(z), 0);
	buf_init(out, 0);
	assert_int_equal(buf_read_file(out, path, 1 << 20, &e), 0);
	unlink(path);
}

static void broken_npz(void **state)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct err e = ERR_INIT;
	struct buf npy, zip;

	(void)state;
	assert_int_equal(npz_parse("PK", 2, &set, &e), ERR_INPUT);
	assert_int_equal(npz_parse(NULL, 0, &set, &e), ERR_INPUT);
	make_zip("a.txt", "text", 4, &zip);
	assert_int_equal(npz_parse(zip.data, zip.len, &set, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.msg, "'a.txt'"));
	buf_release(&zip);
	make_zip("a.npy", "text", 4, &zip);
	assert_int_equal(npz_parse(zip.data, zip.len, &set, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "member 'a'"));
	buf_release(&zip);
	make_file(&npy, "{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }", "12345678", 8);
	make_zip("a.npy", npy.data, npy.len, &zip);
	buf_release(&npy);
	/* one byte wrong each: the checksum or the structure tells, or the byte does not matter; never a crash */
	for (size_t i = 0; i < zip.len; i++) {
		zip.data[i] ^= 0x55;
		if (!npz_parse(zip.data, zip.len, &set, &e))
			tensor_set_release(&set);
		assert_int_equal(tensor_memory_live(), 0);
		zip.data[i] ^= 0x55;
	}
	for (size_t n = 0; n < zip.len; n++)
		assert_int_not_equal(npz_parse(zip.data, n, &set, &e), 0);
	assert_int_equal(npz_parse(zip.data, zip.len, &set, &e), 0);
	tensor_set_release(&set);
	buf_release(&zip);
}

static void memory_runs_out(void **state)
{
	struct buf npy, zip;
	size_t k = 0;
	int rc;

	(void)state;
	make_file(&npy, "{'descr': '<U2', 'fortran_order': True, 'shape': (1,2), }", "a\0\0\0b\0\0\0c\0\0\0d\0\0\0",
		  16);
	make_zip("a.npy", npy.data, npy.len, &zip);
	do {
		struct tensor_set set = TENSOR_SET_INIT;
		struct err e = ERR_INIT;
		struct buf out;

		buf_init(&out, 1000);
		mem_fail_after(++k, 0);
		rc = npz_parse(zip.data, zip.len, &set, &e);
		if (!rc)
			rc = npy_write(set.at[0].tensor, &out, &e);
		mem_fail_after(0, 0);
		assert_true(!rc || rc == ERR_MEMORY);
		assert_int_equal(rc, e.code);
		tensor_set_release(&set);
		buf_release(&out);
		assert_int_equal(tensor_memory_live(), 0);
	} while (rc);
	assert_true(k > 6);
	buf_release(&zip);
	buf_release(&npy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(c_and_fortran_order, nothing_is_live),
		cmocka_unit_test_teardown(big_endian, nothing_is_live),
		cmocka_unit_test_teardown(strings, nothing_is_live),
		cmocka_unit_test_teardown(broken_files, nothing_is_live),
		cmocka_unit_test_teardown(every_prefix_fails, nothing_is_live),
		cmocka_unit_test_teardown(there_and_back, nothing_is_live),
		cmocka_unit_test_teardown(bytes_that_are_not_utf8, nothing_is_live),
		cmocka_unit_test_teardown(npz_there_and_back, nothing_is_live),
		cmocka_unit_test_teardown(npz_names, nothing_is_live),
		cmocka_unit_test_teardown(broken_npz, nothing_is_live),
		cmocka_unit_test_teardown(memory_runs_out, nothing_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
