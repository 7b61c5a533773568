/* Lock files: what they say, and that hostile ones are refused with the line that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "install/fetch.h"
#include "install/lock.h"
#include "install/pattern.h"
#include "install/unlocked.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WHEEL "wheel a_b-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl 12 " SHA "\n"
#define GOOD "version 1.0\n" WHEEL "take a/** lib/\n"

static int parse(const char *text, struct lock *l, struct err *e)
{
	*e = (struct err)ERR_INIT;
	return lock_parse(text, strlen(text), "some/where/demo.lock", l, e);
}

static void test_reads_every_statement(void **state)
{
	struct lock l;
	struct err e;

	(void)state;
	assert_int_equal(parse("# a comment\n\ntitle A  library of\tours\nversion 2.0rc1+cpu\r\n  python\n" WHEEL
			       "  take a/*.so lib/\n  skip **/tests/**\n"
			       "maven org.x:y-z:1.2:linux-x86_64 7 " SHA "\n  take x.so lib/y.so\n"
			       "file here.zip 9 " SHA "\n  take ** site/\n"
			       "npm some-web@1.2.3-rc.1 8 " SHA "\n  take package/** node_modules/\n"
			       "needs libgomp.so.1 libgomp1\nstep compile-shim src/a.cc lib/a.so -I@/include\n"
			       "version 1.0\n" WHEEL "take a b",
			       &l, &e),
			 0);
	assert_string_equal(l.name, "demo");
	assert_string_equal(l.title, "A library of ours");
	assert_int_equal(l.versions.n, 2);
	assert_string_equal(l.versions.at[0].version, "2.0rc1+cpu");
	assert_true(l.versions.at[0].python);
	assert_false(l.versions.at[1].python);
	assert_int_equal(l.versions.at[0].packages.n, 4);
	assert_int_equal(l.versions.at[0].packages.at[0].rules.n, 2);
	assert_string_equal(l.versions.at[0].packages.at[0].rules.at[0].target, "lib/");
	assert_null(l.versions.at[0].packages.at[0].rules.at[1].target);
	assert_int_equal(l.versions.at[0].packages.at[1].source, LOCK_MAVEN);
	assert_int_equal(l.versions.at[0].packages.at[1].bytes, 7);
	assert_int_equal(l.versions.at[0].packages.at[3].source, LOCK_NPM);
	assert_string_equal(l.versions.at[0].needs.at[0].package, "libgomp1");
	assert_int_equal(l.versions.at[0].steps.at[0].words.n, 3);
	assert_ptr_equal(lock_find(&l, "1.0"), &l.versions.at[1]);
	assert_null(lock_find(&l, "3"));
	lock_release(&l);
}

static const struct {
	const char *text, *message;
} bad[] = {
	{"", "no version in it"},
	{"# only\n", "no version in it"},
	{"version 1.0\n", "has no package"},
	{"version 1.0\n" WHEEL, "nothing is taken"},
	{"version ../1\n" WHEEL "take a b\n", "'../1' is not a version"},
	{"version .\n", "'.' is not a version"},
	{"version -x\n", "'-x' is not a version"},
	{"version 1 2\n", "3 words, wanted: version V"},
	{GOOD GOOD, "line 4: version '1.0' is there twice"},
	{"take a b\n", "line 1: 'take' before the first version"},
	{"version 1\ntake a b\n", "belongs below a package"},
	{"frobnicate\n", "unknown statement 'frobnicate'"},
	{GOOD "title late\n", "before the first version"},
	{"title a\ntitle b\n", "line 2: one title"},
	{"version 1\nfile a.zip 1 abc\n", "not a SHA-256"},
	{"version 1\nfile a.zip 1 0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef\n", "not a SHA-256"},
	{"version 1\nfile a.zip 1\n", "3 words, wanted: file PATH BYTES SHA256"},
	{"version 1\n" WHEEL "take a ../b\n", "line 3: target '../b' leads out"},
	{"version 1\n" WHEEL "take a b\x01\n", "a control character"},
	{"version 1\nneeds ../x p\n", "'needs' wants"},
	{"step a b\n", "before the first version"},
	{"a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
	 "a a a "
	 "a a a a a a a a\n",
	 "more than 64 words"},
};

/* Words that a statement refuses in the place of %s. */
static const struct {
	const char *form, *message;
	const char *words[8];
} bad_words[] = {
	{"version 1\nwheel %s 1 " SHA "\n",
	 "names no wheel",
	 {"a.whl", "../a-1-py3-none-any.whl", "--index-1-py3-none-any.whl", "a-1-py3-none-any.tgz",
	  "a--py3-none-any.whl", "a-1-2-py3-none-any-x.whl"}},
	{"version 1\nmaven %s 1 " SHA "\n", "names no maven", {"a:b", "a:b:c:d:e", "a::c", "a:b:c:", "a:b:-Dx=y"}},
	{"version 1\nnpm %s 1 " SHA "\n", "names no npm", {"a", "a@", "@a", "a@1@2", "-a@1", "../a@1", "a@--x"}},
	{"version 1\nfile a.zip %s " SHA "\n", "not a number of bytes", {"-1", "0", "99999999999999999999", "0x10"}},
	{"version 1\n" WHEEL "take a %s\n", "leads out", {"/etc/b", "x/../../b", "x//b", "./b", "x\\b", "/"}},
};

static void refuse(const char *text, const char *message)
{
	struct lock l;
	struct err e;

	assert_int_equal(parse(text, &l, &e), ERR_INPUT);
	if (!strstr(e.msg, message))
		fail_msg("'%s': '%s' does not say '%s'", text, e.msg, message);
	assert_non_null(strstr(e.msg, "demo.lock"));
}

static void test_refuses_hostile_lines(void **state)
{
	struct lock l;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refuse(bad[i].text, bad[i].message);
	for (size_t i = 0; i < sizeof bad_words / sizeof *bad_words; i++)
		for (const char *const *word = bad_words[i].words; *word; word++) {
			char text[512];

			snprintf(text, sizeof text, bad_words[i].form, *word);
			refuse(text, bad_words[i].message);
		}
	e = (struct err)ERR_INIT;
	assert_int_equal(lock_parse("version\0 1", 10, "demo.lock", &l, &e), ERR_INPUT);
	assert_int_equal(lock_parse(GOOD, strlen(GOOD), "demo.txt", &l, &e), ERR_INPUT);
	assert_int_equal(lock_parse(GOOD, strlen(GOOD), "x/-demo.lock", &l, &e), ERR_INPUT);
	assert_int_equal(lock_parse(GOOD, strlen(GOOD), ".lock", &l, &e), ERR_INPUT);
}

static void test_every_prefix_is_handled(void **state)
{
	static const char text[] = "title T\n" GOOD "needs a.so b\nstep link lib/a b\npython\n";
	struct lock l;
	struct err e;

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		e = (struct err)ERR_INIT;
		if (!lock_parse(text, n < sizeof text - 1 ? n : n - 1, "demo.lock", &l, &e))
			lock_release(&l);
		else
			assert_true(e.msg[0]);
	}
}

static void test_patterns(void **state)
{
	(void)state;
	assert_true(pattern_match("a/b.so.*", "a/b.so.1.2"));
	assert_false(pattern_match("a/b.so.*", "a/b.so.1/c"));
	assert_true(pattern_match("a/**", "a/b/c/d"));
	assert_false(pattern_match("a/**", "b/a/c"));
	assert_true(pattern_match("**/t/*.py", "x/y/t/z.py"));
	assert_false(pattern_match("**/t/*.py", "x/y/t/u/z.py"));
	assert_true(pattern_match("**/t/*.py", "x/t/u/t/z.py"));
	assert_true(pattern_match("lib?.so", "libx.so"));
	assert_false(pattern_match("lib?.so", "lib/.so"));
	assert_true(pattern_match("*", ""));
	assert_false(pattern_match("", "a"));
	assert_true(pattern_match("a*b*c", "a-b-bc"));
	assert_false(pattern_match("a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	assert_int_equal(pattern_fixed_folders("torch/include/**"), 14);
	assert_int_equal(pattern_fixed_folders("a/b*/c"), 2);
	assert_int_equal(pattern_fixed_folders("**"), 0);
	assert_int_equal(pattern_fixed_folders("a/b.so"), 2);
}

static void test_safe_paths(void **state)
{
	char longest[PATH_MAX_BYTES + 2];

	(void)state;
	memset(longest, 'a', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	assert_true(path_is_safe("a"));
	assert_true(path_is_safe("a/b.c/..d/e.."));
	assert_true(path_is_safe("a/"));
	assert_false(path_is_safe(""));
	assert_false(path_is_safe("/"));
	assert_false(path_is_safe("/a"));
	assert_false(path_is_safe(".."));
	assert_false(path_is_safe("a/.."));
	assert_false(path_is_safe("a/../b"));
	assert_false(path_is_safe("a//b"));
	assert_false(path_is_safe("."));
	assert_false(path_is_safe("a\\..\\b"));
	assert_false(path_is_safe("a\nb"));
	assert_false(path_is_safe(longest));
	longest[PATH_MAX_BYTES] = '\0';
	assert_true(path_is_safe(longest));
}

static void test_wheels_and_pythons(void **state)
{
	struct wheel_name w;

	(void)state;
	assert_true(wheel_name_parse("a_b-1.0-2-cp311-cp311-linux_x86_64.whl", &w));
	assert_string_equal(w.project, "a_b");
	assert_string_equal(w.version, "1.0");
	assert_string_equal(w.python, "cp311");
	assert_string_equal(w.platform, "linux_x86_64");
	assert_true(fetch_wheel_fits(&w, 311));
	assert_false(fetch_wheel_fits(&w, 312));
	assert_true(wheel_name_parse("a-1-cp38-abi3-any.whl", &w));
	assert_true(fetch_wheel_fits(&w, 313));
	assert_false(fetch_wheel_fits(&w, 307));
	assert_true(wheel_name_parse("a-1-py2.py3-none-any.whl", &w));
	assert_true(fetch_wheel_fits(&w, 313));
	assert_true(wheel_name_parse("a-1-cp36-cp36m-manylinux1_x86_64.whl", &w));
	assert_false(fetch_wheel_fits(&w, 311));
}

static void test_wheels_of_other_machines(void **state)
{
	struct lock l;
	struct err e;

	(void)state;
	assert_int_equal(parse("version 1\nwheel a-1-cp311-cp311-manylinux1_x86_64.manylinux_2_28_x86_64.whl 1 " SHA
			       "\ntake x y\nwheel a-1-cp311-cp311-manylinux_2_28_aarch64.whl 10 " SHA "\ntake x y\n"
			       "wheel b-1-py3-none-any.whl 100 " SHA "\ntake x z\nmaven g:a:1 1000 " SHA "\ntake x y\n",
			       &l, &e),
			 0);
	assert_true(lock_fits(&l.versions.at[0].packages.at[0], "x86_64"));
	assert_false(lock_fits(&l.versions.at[0].packages.at[0], "aarch64"));
	assert_false(lock_fits(&l.versions.at[0].packages.at[0], "86_64")); /* not a whole word */
	assert_false(lock_fits(&l.versions.at[0].packages.at[1], "x86_64"));
	assert_true(lock_fits(&l.versions.at[0].packages.at[1], "aarch64"));
	assert_true(lock_fits(&l.versions.at[0].packages.at[2], "aarch64"));
	assert_true(lock_fits(&l.versions.at[0].packages.at[3], "aarch64"));
	if (!strcmp(lock_machine(), "x86_64"))
		assert_int_equal(lock_bytes(&l.versions.at[0]), 1101);
	if (!strcmp(lock_machine(), "aarch64"))
		assert_int_equal(lock_bytes(&l.versions.at[0]), 1110);
	lock_release(&l);
}

static void test_versions_without_a_lock(void **state)
{
	struct unlocked u = UNLOCKED_INIT, none = UNLOCKED_INIT;
	struct lock l;
	struct err e;

	(void)state;
	assert_int_equal(parse("version 2.10\nwheel a-2.10-py3-none-any.whl 1 " SHA "\ntake x y\n"
			       "wheel b-5-py3-none-any.whl 1 " SHA "\ntake x z\n"
			       "version 2.2\nmaven g:a:2.2:linux 1 " SHA "\ntake x y\n"
			       "version 1.7\nnpm a@1.7 1 " SHA "\ntake x y\n"
			       "version 0.5\nfile a-0.5.zip 1 " SHA "\ntake x y\n",
			       &l, &e),
			 0);
	assert_int_equal(unlocked_make(&l, "2.9", &u, &e), 0); /* by value: 2.9 is older than 2.10 */
	assert_int_equal(u.version.packages.n, 2);
	assert_string_equal(u.version.packages.at[0].name, "a-2.9-py3-none-any.whl");
	assert_string_equal(u.version.packages.at[0].sha256, "");
	assert_string_equal(u.version.packages.at[1].name, "b-5-py3-none-any.whl");
	assert_string_equal(u.version.packages.at[1].sha256, SHA);
	unlocked_release(&u);
	u = none;
	assert_int_equal(unlocked_make(&l, "2.0", &u, &e), 0);
	assert_string_equal(u.version.packages.at[0].name, "g:a:2.0:linux");
	unlocked_release(&u);
	u = none;
	assert_int_equal(unlocked_make(&l, "1.3", &u, &e), 0);
	assert_string_equal(u.version.packages.at[0].name, "a@1.3");
	unlocked_release(&u);
	u = none;
	assert_int_equal(unlocked_make(&l, "0.1", &u, &e), ERR_UNSUPPORTED);
	unlocked_release(&u);
	u = none;
	assert_int_equal(unlocked_make(&l, "../3", &u, &e), ERR_USAGE);
	unlocked_release(&u);
	lock_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_every_statement),
		cmocka_unit_test(test_refuses_hostile_lines),
		cmocka_unit_test(test_every_prefix_is_handled),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_safe_paths),
		cmocka_unit_test(test_wheels_and_pythons),
		cmocka_unit_test(test_wheels_of_other_machines),
		cmocka_unit_test(test_versions_without_a_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
