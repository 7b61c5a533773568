/* test_report_text.c - hostile names on their way into pages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/finding.h"
#include "report/text.h"
#include "support/xml.h"

#define FFFD "\xef\xbf\xbd"

static void assert_put(const char *in, size_t max, const char *wanted)
{
	struct buf b;

	buf_init(&b, 1 << 16);
	buf_puts(&b, ""); /* so that there is a string */
	text_put_short(&b, in, max);
	assert_string_equal(b.data ? b.data : "", wanted);
	buf_release(&b);
}

static void test_escape(void **state)
{
	(void)state;
	assert_put("", 10, "");
	assert_put("plain", 10, "plain");
	assert_put("</script><b a=\"1\" c='2'>&amp;", 100,
		   "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
	assert_put("a\tb\nc\rd", 10, "a\tb\nc&#13;d");
	assert_put("x\x01\x1b[31m\x7f", 20, "x" FFFD FFFD "[31m" FFFD);
	assert_put("\xff\xfe ok \xc3", 20, FFFD FFFD " ok " FFFD);
	assert_put("\xed\xa0\x80", 20, FFFD FFFD FFFD); /* a surrogate */
	assert_put("\xc0\xbc", 20, FFFD FFFD);          /* '<' in two bytes */
	assert_put("a\xe2\x80\xae"
		   "b\xe2\x81\xa7",
		   20, "a" FFFD "b" FFFD);                         /* right to left override, isolate */
	assert_put("\xef\xbf\xbf\xf0\x9f\xbf\xbf", 20, FFFD FFFD); /* noncharacters */
	assert_put("δ 真 \xf0\x9f\x98\x80", 20, "δ 真 \xf0\x9f\x98\x80");
}

static void test_short(void **state)
{
	(void)state;
	assert_put("12345", 5, "12345");
	assert_put("123456", 5, "1234…");
	assert_put("真真真", 2, "真…");
	assert_put("<<<", 2, "&lt;…");
	assert_int_equal(text_width("真真真", 10), 3);
	assert_int_equal(text_width("123456", 5), 5);
}

static void test_json(void **state)
{
	json_t *s = text_json("a\xff\x01\"<");

	(void)state;
	assert_non_null(s);
	assert_string_equal(json_string_value(s), "a" FFFD FFFD "\"<");
	json_decref(s);
}

static void test_numbers(void **state)
{
	char out[32];

	(void)state;
	assert_string_equal(text_number(0, out), "0");
	assert_string_equal(text_number(31.25, out), "31.2");
	assert_string_equal(text_number(412345, out), "4.1e+05");
	assert_string_equal(text_number(0.00012, out), "1.2e-04");
	assert_string_equal(text_number(INFINITY, out), "inf");
	assert_string_equal(text_number(NAN, out), "nan");
	assert_string_equal(text_time(0, out), "");
	assert_string_equal(text_time(1e300, out), "");
	assert_string_equal(text_time(86400 * 365.0, out), "1971-01-01 00:00 UTC");
	assert_string_equal(text_duration(30, out), "30 s");
	assert_string_equal(text_duration(150, out), "2.5 min");
	assert_string_equal(text_duration(5 * 3600, out), "5 h");
}

/* A library that does not read ONNX refuses no model. */
static void test_words_for_a_refusal(void **state)
{
	struct finding f = {.verdict = VERDICT_REJECTED, .nodes = 1, .evidence = "{\"proof\": {\"call\": \"\"}}"};

	(void)state;
	assert_string_equal(finding_does(&f), "refuses a valid model");
	f.evidence = "{\"proof\": {\"call\": \"torch.relu(x)\"}}";
	assert_string_equal(finding_does(&f), "refuses a valid call");
}

/* The checker that other tests lean on sees faults. */
static void test_checker(void **state)
{
	static const char *const bad[] = {
		"<a>",         "<a></b>",     "<a b=1/>", "<a b=\"<\"/>", "<a>&nbsp;</a>", "<a b=\"1\" b=\"2\"/>",
		"<a>\x01</a>", "<a>\xff</a>", "<a/><b/>", "<a b=\"1\"",   "text",          "<a>1 < 2</a>",
	};

	(void)state;
	assert_null(xml_fault("<?xml version=\"1.0\"?>\n<a b=\"1\">x<c/>&lt;\n</a>\n"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!xml_fault(bad[i]))
			fail_msg("taken for well-formed: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape),  cmocka_unit_test(test_short),
		cmocka_unit_test(test_json),    cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_checker), cmocka_unit_test(test_words_for_a_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
