/* test_image.c - image files of the fuzz corpus: the pixels of those that are right, and what the others give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ops/engine/image_file.h"

#define FOLDER "tests/fuzz/corpus/image/"

static enum image_result decode(const char *name, struct image *m, struct err *e)
{
	char path[256];
	enum image_result result;
	struct buf file;

	snprintf(path, sizeof path, FOLDER "%s", name);
	buf_init(&file, 1 << 20);
	assert_int_equal(buf_read_file(&file, path, 1 << 20, e), 0);
	result = image_decode((const unsigned char *)file.data, file.len, m, e);
	buf_release(&file);
	return result;
}

static const struct {
	const char *name;
	size_t width, height;
	unsigned char first[12]; /* so many of its values as there are, at most 12 */
} right[] = {
	{"text.ppm", 2, 1, {0, 255, 119, 255, 0, 17}},
	{"bits.pbm", 9, 2, {0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255}},
	{"wide.pgm", 2, 1, {0, 0, 0, 255, 255, 255}},
	{"24.bmp", 2, 2, {0x13, 0x12, 0x11, 0x16, 0x15, 0x14, 3, 2, 1, 6, 5, 4}},
	{"top_down.bmp", 2, 1, {7, 8, 9, 0, 0, 0}},
	{"rgba.png", 2, 1, {1, 2, 3, 5, 6, 7}},
};

static void test_pixels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		size_t n = 3 * right[i].width * right[i].height;
		struct err e = ERR_INIT;
		struct image m;

		assert_int_equal(decode(right[i].name, &m, &e), IMAGE_READ);
		assert_int_equal(m.width, right[i].width);
		assert_int_equal(m.height, right[i].height);
		assert_memory_equal(m.rgb, right[i].first, n < 12 ? n : 12);
		mem_free(m.rgb);
	}
}

static void test_jpeg(void **state)
{
	struct err e = ERR_INIT;
	struct image m;

	(void)state;
	assert_int_equal(decode("8x8.jpg", &m, &e), IMAGE_READ);
	assert_int_equal(m.width, 8);
	assert_int_equal(m.height, 8);
	mem_free(m.rgb);
}

static const struct {
	const char *name;
	enum image_result result;
	int code;
} wrong[] = {
	{"short.pgm", IMAGE_CORRUPT, 0},
	{"outside.bmp", IMAGE_CORRUPT, 0},
	{"huge.bmp", IMAGE_CORRUPT, 0},
	{"cut.png", IMAGE_CORRUPT, 0},
	{"cut.jpg", IMAGE_CORRUPT, 0},
	{"big.png", IMAGE_FAILED, ERR_LIMIT},
	{"rle.bmp", IMAGE_FAILED, ERR_UNSUPPORTED},
	{"header.tif", IMAGE_FAILED, ERR_UNSUPPORTED},
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct err e = ERR_INIT;
		struct image m;
		enum image_result result = decode(wrong[i].name, &m, &e);

		if (result != wrong[i].result || e.code != wrong[i].code)
			fail_msg("%s: result %d, status %d", wrong[i].name, (int)result, e.code);
	}
}

/* A file cut anywhere is no image, or one with all its pixels; nothing is read past the end (the sanitizers tell). */
static void test_cut_anywhere(void **state)
{
	static const char *const names[] = {"text.ppm", "bits.pbm", "24.bmp", "rgba.png", "8x8.jpg"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct err e = ERR_INIT;
		char path[256];
		struct buf file;

		snprintf(path, sizeof path, FOLDER "%s", names[i]);
		buf_init(&file, 1 << 20);
		assert_int_equal(buf_read_file(&file, path, 1 << 20, &e), 0);
		for (size_t n = 0; n < file.len; n++) {
			unsigned char *part = mem_alloc(n);
			struct image m = {0};

			assert_non_null(part);
			memcpy(part, file.data, n);
			if (image_decode(part, n, &m, &e) == IMAGE_READ)
				assert_true(m.width && m.height);
			mem_free(m.rgb);
			mem_free(part);
		}
		buf_release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pixels),
		cmocka_unit_test(test_jpeg),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
