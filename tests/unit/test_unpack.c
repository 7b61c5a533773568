/* Unpacking packages: what rules take, and that archives cannot write elsewhere, over something or without end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/place.h"
#include "install/manifest.h"
#include "install/steps.h"
#include "install/unpack.h"

struct member {
	const char *name, *data;
	unsigned mode;
};

static char folder[64], archive[96], target[96];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/assay-unpack-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(archive, sizeof archive, "%s/a.whl", folder);
	snprintf(target, sizeof target, "%s/to", folder);
	assert_int_equal(mkdir(target, 0777), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(place_remove_tree(folder, &e), 0);
	assert_int_equal(access(folder, F_OK), -1);
	return 0;
}

static void make_zip(const struct member *members, size_t n)
{
	zip_t *z = zip_open(archive, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	assert_non_null(z);
	for (size_t i = 0; i < n; i++) {
		zip_source_t *s = zip_source_buffer(z, members[i].data, strlen(members[i].data), 0);
		zip_int64_t at = zip_file_add(z, members[i].name, s, ZIP_FL_ENC_GUESS);

		assert_true(at >= 0);
		zip_file_set_external_attributes(z, (zip_uint64_t)at, 0, ZIP_OPSYS_UNIX, members[i].mode << 16);
	}
	assert_int_equal(zip_close(z), 0);
}

/* sha256 "": of a version that is not locked. */
static int unpack_as(const char *sha256, const struct lock_rule *rules, size_t n, struct unpacked *out, struct err *e)
{
	struct lock_package p = {.source = LOCK_FILE, .name = "a.whl", .sha256 = sha256};

	*e = (struct err)ERR_INIT;
	p.rules.at = (struct lock_rule *)rules;
	p.rules.n = n;
	return unpack_package(archive, &p, target, out, NULL, e);
}

static int unpack(const struct lock_rule *rules, size_t n, struct unpacked *out, struct err *e)
{
	return unpack_as("0123", rules, n, out, e);
}

static void assert_content(const char *name, const char *wanted)
{
	char path[256];
	struct err e = ERR_INIT;
	struct buf b;

	snprintf(path, sizeof path, "%s/%s", target, name);
	buf_init(&b, 1 << 20);
	if (buf_read_file(&b, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.data, wanted);
	buf_release(&b);
}

static void test_takes_what_rules_say(void **state)
{
	static const struct member members[] = {
		{"pkg/lib/libx.so.1.2", "library", S_IFREG | 0755},
		{"pkg/include/a.h", "a", S_IFREG | 0644},
		{"pkg/include/b/c.h", "c", S_IFREG | 0644},
		{"pkg/include/b/test/t.h", "t", S_IFREG | 0644},
		{"pkg/include/b/", "", S_IFDIR | 0755},
		{"other", "o", S_IFREG | 0644},
	};
	static const struct lock_rule rules[] = {
		{"pkg/lib/libx.so.*", "lib/libx.so", 1}, {"**/test/**", NULL, 2}, {"pkg/include/**", "include/", 3}};
	struct unpacked u = UNPACKED_INIT;
	char path[256];
	struct stat st;
	struct err e;

	(void)state;
	make_zip(members, sizeof members / sizeof *members);
	assert_int_equal(unpack(rules, 3, &u, &e), 0);
	assert_int_equal(u.files.n, 3);
	assert_int_equal(u.bytes, 9);
	assert_content("lib/libx.so", "library");
	assert_content("include/a.h", "a");
	assert_content("include/b/c.h", "c");
	snprintf(path, sizeof path, "%s/include/b/test", target);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof path, "%s/lib/libx.so", target);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_mode & S_IXUSR);
	/* the digest of "a" */
	assert_string_equal(u.files.at[1].sha256, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
	unpacked_release(&u);
}

/* What each archive must fail with when all of it is taken. */
static const struct {
	struct member members[2];
	size_t n;
	const char *message;
} hostile[] = {
	{{{"../../escaped", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"a/../../escaped", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"/tmp/assay-escaped", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"a//b", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"..\\escaped", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"a\x01", "x", S_IFREG | 0644}}, 1, "leads out"},
	{{{"link", "/etc", S_IFLNK | 0777}, {"link/passwd", "x", S_IFREG | 0644}}, 2, "is a symbolic link"},
	{{{"a", "x", S_IFREG | 0644}, {"a/b", "x", S_IFREG | 0644}}, 2, "cannot"},
};

static void test_refuses_hostile_members(void **state)
{
	static const struct lock_rule all[] = {{"**", "site/", 1}};
	struct err e;
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct unpacked u = UNPACKED_INIT;

		make_zip(hostile[i].members, hostile[i].n);
		assert_true(unpack(all, 1, &u, &e) < 0);
		if (!strstr(e.msg, hostile[i].message))
			fail_msg("row %zu: '%s' does not say '%s'", i, e.msg, hostile[i].message);
		unpacked_release(&u);
	}
	snprintf(path, sizeof path, "%s/escaped", folder);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access("/tmp/assay-escaped", F_OK), -1);
}

static void test_refuses_two_for_one_place(void **state)
{
	static const struct member members[] = {{"a/x", "1", S_IFREG | 0644}, {"b/x", "2", S_IFREG | 0644}};
	static const struct lock_rule both[] = {{"a/*", "to/", 1}, {"b/*", "to/", 2}}, one[] = {{"*/x", "x", 1}},
				      none[] = {{"a/x", "a", 1}, {"c/*", "c/", 7}};
	struct unpacked u = UNPACKED_INIT;
	struct err e;

	(void)state;
	make_zip(members, 2);
	assert_int_equal(unpack(both, 2, &u, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "two members go to"));
	assert_content("to/x", "1");
	assert_int_equal(unpack(one, 1, &u, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "fits several members"));
	assert_int_equal(unpack(none, 2, &u, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "no member fits 'c/*' of line 7"));
	unpacked_release(&u);
}

/* Headers lie elsewhere in another version; a file that rules name must be there in all. */
static void test_unlocked_versions_may_lie_otherwise(void **state)
{
	static const struct member members[] = {{"lib/a.so", "1", S_IFREG | 0644}};
	static const struct lock_rule fits[] = {{"lib/a.so", "lib/", 1}, {"include/**", "include/", 2}},
				      lacks[] = {{"lib/b.so", "lib/", 3}};
	struct unpacked u = UNPACKED_INIT;
	struct err e;

	(void)state;
	make_zip(members, 1);
	assert_int_equal(unpack_as("", fits, 2, &u, &e), 0);
	assert_content("lib/a.so", "1");
	assert_int_equal(unpack_as("", lacks, 1, &u, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "no member fits 'lib/b.so' of line 3"));
	unpacked_release(&u);
}

static void test_damaged_archives(void **state)
{
	static const struct member members[] = {{"a", "some text that is stored", S_IFREG | 0644}};
	static const struct lock_rule all[] = {{"**", "x/", 1}};
	struct unpacked u = UNPACKED_INIT;
	struct err e;
	struct buf b;
	char *at;

	(void)state;
	make_zip(members, 1);
	buf_init(&b, 1 << 20);
	e = (struct err)ERR_INIT;
	assert_int_equal(buf_read_file(&b, archive, 1 << 20, &e), 0);
	at = memmem(b.data, b.len, "some text", 9);
	if (at) /* stored or compressed, its bytes begin after the first header and the name */
		*at ^= 1;
	else
		b.data[31] ^= 1;
	assert_int_equal(buf_write_file(b.data, b.len, archive, &e), 0);
	assert_true(unpack(all, 1, &u, &e) < 0);
	assert_int_equal(buf_write_file("no archive", 10, archive, &e), 0);
	assert_true(unpack(all, 1, &u, &e) < 0);
	assert_non_null(strstr(e.msg, "cannot unpack"));
	unpacked_release(&u);
	buf_release(&b);
}

static void test_steps(void **state)
{
	const char *link[] = {"lib/l.so", "x.so"}, *out[] = {"../l", "x"}, *beside[] = {"l", "../x"};
	struct lock_step s = {.name = "link", .words = {link, 2, 2}, .line = 3};
	struct unpacked u = UNPACKED_INIT;
	struct err e = ERR_INIT;
	char path[256];

	(void)state;
	snprintf(path, sizeof path, "%s/lib/x.so", target);
	assert_int_equal(place_make_parents(path, &e), 0);
	assert_int_equal(buf_write_file("x", 1, path, &e), 0);
	assert_int_equal(step_run(&s, target, &u, NULL, &e), 0);
	assert_content("lib/l.so", "x");
	assert_int_equal(u.files.n, 1);
	s.words.at = out;
	assert_int_equal(step_run(&s, target, &u, NULL, &e), ERR_INPUT);
	s.words.at = beside;
	assert_int_equal(step_run(&s, target, &u, NULL, &e), ERR_INPUT);
	s.words.n = 1;
	assert_int_equal(step_run(&s, target, &u, NULL, &e), ERR_INPUT);
	s.name = "rm";
	assert_int_equal(step_run(&s, target, &u, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "step 'rm' of line 3"));
	unpacked_release(&u);
}

static void test_manifest_sees_changes(void **state)
{
	static const struct member members[] = {{"a", "text", S_IFREG | 0644}};
	static const struct lock_rule all[] = {{"**", "x/", 1}};
	struct manifest_packages packages = VEC_INIT;
	struct unpacked u = UNPACKED_INIT;
	char path[256];
	struct err e;

	(void)state;
	make_zip(members, 1);
	assert_int_equal(unpack(all, 1, &u, &e), 0);
	assert_int_equal(manifest_check(target, &e), ERR_UNSUPPORTED);
	assert_int_equal(manifest_write(target, "n", "1", "r", &packages, &u, &e), 0);
	assert_int_equal(manifest_check(target, &e), 0);
	assert_int_equal(manifest_compare(target, "r", NULL, 0), MANIFEST_SAME);
	assert_int_equal(manifest_compare(target, "s", NULL, 0), MANIFEST_OTHER);
	assert_int_equal(manifest_compare(folder, "r", NULL, 0), MANIFEST_NONE);
	snprintf(path, sizeof path, "%s/x/a", target);
	assert_int_equal(buf_write_file("texT", 4, path, &e), 0);
	assert_int_equal(manifest_check(target, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "has changed"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(manifest_check(target, &e), ERR_IO);
	unpacked_release(&u);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_takes_what_rules_say),      EACH(test_refuses_hostile_members),
		EACH(test_refuses_two_for_one_place), EACH(test_unlocked_versions_may_lie_otherwise),
		EACH(test_damaged_archives),          EACH(test_steps),
		EACH(test_manifest_sees_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
