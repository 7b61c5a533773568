/* test_regex.c - RE2's syntax: what matches, what is refused, and what must not take for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/engine/regex.h"

static const struct {
	const char *pattern, *text;
	int match;
} matches[] = {
	{"", "", 1},
	{"", "a", 0},
	{"abc", "abc", 1},
	{"abc", "abcd", 0},
	{"a.c", "a\nc", 0},
	{"(?s)a.c", "a\nc", 1},
	{"a*", "aaaa", 1},
	{"a*b+?", "aab", 1},
	{"a{2,3}", "a", 0},
	{"a{2,3}", "aaa", 1},
	{"a{2,3}", "aaaa", 0},
	{"a{,3}", "a{,3}", 1},
	{"(ab|c)+", "abcab", 1},
	{"(?:a|b)c", "bc", 1},
	{"(?P<x>a)(?<y>b)", "ab", 1},
	{"[a-c]x", "bx", 1},
	{"[^a-c]", "b", 0},
	{"[]a]+", "]a", 1},
	{"[a-]+", "a-", 1},
	{"[[:alpha:]]+", "abZ", 1},
	{"[[:^alpha:]]", "1", 1},
	{"\\d\\D\\w\\W\\s\\S", "1a_- x", 1},
	{"[\\w.]+", "a.b", 1},
	{"(?i)straSSe", "STRAsse", 1},
	{"a(?i)b", "aB", 1},
	{"a(?i)b", "AB", 0},
	{"(a(?i)b)c", "aBC", 0},
	{"^a$", "a", 1},
	{"(?m)a$\\nb", "a\nb", 1},
	{"a$b", "ab", 0},
	{"\\bab\\b", "ab", 1},
	{"a\\Bb", "ab", 1},
	{"a\\bb", "ab", 0},
	{"\\x41\\x{e9}", "A\xc3\xa9", 1},
	{".", "\xc3\xa9", 1},
	{".", "\xff", 0},
	{"[^a]", "\xff", 0},
	{"(a*)*", "aaa", 1},
	{"(a|)*b", "aab", 1},
	{"\\.\\*", ".*", 1},
};

static void test_matches(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 0);
	for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
		struct err e = ERR_INIT;
		struct regex *r = regex_compile(&a, matches[i].pattern, strlen(matches[i].pattern), &e);

		if (!r)
			fail_msg("'%s': %s", matches[i].pattern, e.msg);
		if (regex_full_match(r, matches[i].text, strlen(matches[i].text)) != matches[i].match)
			fail_msg("'%s' against '%s': wanted %d", matches[i].pattern, matches[i].text, matches[i].match);
		arena_reset(&a);
	}
	arena_release(&a);
}

static const struct {
	const char *pattern;
	int code;
} refused[] = {
	{"(", ERR_INPUT},
	{")", ERR_INPUT},
	{"[a", ERR_INPUT},
	{"*a", ERR_INPUT},
	{"a**", ERR_INPUT},
	{"a{2,1}", ERR_INPUT},
	{"a{1001}", ERR_INPUT},
	{"\\", ERR_INPUT},
	{"\\1", ERR_INPUT},
	{"\\y", ERR_INPUT},
	{"[z-a]", ERR_INPUT},
	{"(?=a)", ERR_INPUT},
	{"(?P=x)", ERR_INPUT},
	{"[[:nope:]]", ERR_INPUT},
	{"\xff", ERR_INPUT},
	{"\\x{110000}", ERR_INPUT},
	{"\\pL", ERR_UNSUPPORTED},
	{"(?i)\xc3\xa9", ERR_UNSUPPORTED},
	{"((((a{1000}){1000}){1000}){1000})", ERR_LIMIT},
	{"((((){1000}){1000}){1000}){1000}", ERR_LIMIT},
};

static void test_refused(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 0);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct err e = ERR_INIT;

		if (regex_compile(&a, refused[i].pattern, strlen(refused[i].pattern), &e))
			fail_msg("'%s' was taken", refused[i].pattern);
		if (e.code != refused[i].code)
			fail_msg("'%s': %s", refused[i].pattern, e.msg);
		arena_reset(&a);
	}
	arena_release(&a);
}

/* A backtracking matcher would need 2^5000 steps here. */
static void test_linear(void **state)
{
	static const char pattern[] = "(a*)*(a|aa)*(a+a+)+b";
	static char text[5000];
	struct err e = ERR_INIT;
	struct arena a;
	struct regex *r;

	(void)state;
	arena_init(&a, 0);
	memset(text, 'a', sizeof text);
	r = regex_compile(&a, pattern, sizeof pattern - 1, &e);
	assert_non_null(r);
	assert_false(regex_full_match(r, text, sizeof text));
	text[sizeof text - 1] = 'b';
	assert_true(regex_full_match(r, text, sizeof text));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
