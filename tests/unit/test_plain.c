/* Text for terminals: what they would obey is escaped, wherever a stream is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/plain.h"

static const struct {
	const char *text, *shown;
} lines[] = {
	{"plain, \xc3\xa4 \xe4\xb8\x80 \xf0\x9f\x98\x80\n\tx", "plain, \xc3\xa4 \xe4\xb8\x80 \xf0\x9f\x98\x80\n\tx"},
	{"\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"},
	{"\r\b\x07\x7f\x01", "\\u000d\\u0008\\u0007\\u007f\\u0001"},
	{"\xc2\x9b"
	 "31m",
	 "\\u009b31m"}, /* CSI of one character */
	{"a\xe2\x80\xae"
	 "b\xe2\x81\xa6",
	 "a\\u202eb\\u2066"},                           /* written backwards from here */
	{"\xff\xc3(\xe2\x80", "\\xff\\xc3(\\xe2\\x80"}, /* no UTF-8 */
	{"", ""},
};

static void test_put(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct buf b;

		buf_init(&b, 1024);
		plain_put(&b, lines[i].text, strlen(lines[i].text));
		assert_string_equal(b.data ? b.data : "", lines[i].shown);
		buf_release(&b);
	}
}

static void test_name(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1024);
	plain_name(&b, "a\nassay: all is right\t\x1b");
	assert_string_equal(b.data, "a\\u000aassay: all is right\\u0009\\u001b");
	buf_release(&b);
}

/* In a line a safe name is itself, however long; another is cut between characters. */
static void test_line(void **state)
{
	char safe[] = "a name of any length \xc3\xa4", out[24], *half = "\n2345678901\xc3\xa4\n\n";

	(void)state;
	assert_ptr_equal(plain_line(safe, out, sizeof out), safe);
	assert_string_equal(plain_line("a\r\nb", out, sizeof out), "a\\u000d\\u000ab");
	assert_string_equal(plain_line(half, out, sizeof out), "\\u000a2345678901\xc3\xa4…");
	assert_string_equal(PLAIN("\t"), "\\u0009");
}

/* Writes a text in pieces of n bytes. */
static char *through_stream(const char *text, size_t n)
{
	char *out = NULL;
	size_t size = 0, left = strlen(text);
	FILE *to = open_memstream(&out, &size), *f = plain_open(to);

	assert_non_null(f);
	for (size_t step; left; text += step, left -= step) {
		step = n < left ? n : left;
		assert_int_equal(fwrite(text, 1, step, f), step);
		assert_int_equal(fflush(f), 0);
	}
	assert_int_equal(fclose(f), 0);
	assert_int_equal(fclose(to), 0);
	return out;
}

static void test_stream(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (size_t n = 1; n < 6; n++) {
			char *out = through_stream(lines[i].text, n);

			assert_string_equal(out, lines[i].shown);
			free(out);
		}
}

/* Colours come through wherever the writes are cut; what only looks like one does not. */
static void test_colours(void **state)
{
	char text[128], forged[64], *out;

	(void)state;
	snprintf(text, sizeof text, "a %swrong%s b", plain_mark(PLAIN_RED), plain_mark(PLAIN_NONE));
	snprintf(forged, sizeof forged, "%s", plain_mark(PLAIN_RED));
	forged[5] = forged[5] == '0' ? '1' : '0';
	for (size_t n = 1; n < 24; n++) {
		out = through_stream(text, n);
		assert_string_equal(out, "a \x1b[31mwrong\x1b[0m b");
		free(out);
		out = through_stream(forged, n);
		assert_int_equal(strncmp(out, "\\u000e", 6), 0);
		assert_null(strchr(out, '\x1b'));
		free(out);
	}
}

/* No line of a message looks like another message. */
static void test_say(void **state)
{
	char *out = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&out, &size);

	(void)state;
	plain_say(to, "no '\x1b[2J'\nassay: all is right\n");
	plain_say(to, "");
	fclose(to);
	assert_string_equal(out, "assay: no '\\u001b[2J'\n  assay: all is right\nassay: \n");
	free(out);
}

/* What cannot be written is not lost without a word. */
static void test_full(void **state)
{
	FILE *full = fopen("/dev/full", "w"), *f;

	(void)state;
	assert_non_null(full);
	f = plain_open(full);
	fputs("text", f);
	assert_int_equal(fclose(f), EOF);
	assert_true(ferror(full));
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),    cmocka_unit_test(test_name),    cmocka_unit_test(test_line),
		cmocka_unit_test(test_stream), cmocka_unit_test(test_colours), cmocka_unit_test(test_say),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
