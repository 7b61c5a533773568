/* Unpacking what npm packs, tar compressed by gzip: names of every kind, links, and archives that lie or end early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/place.h"
#include "install/unpack.h"

#define BLOCK 512
#define LONG "a_folder_whose_name_is_long/and_another_one_that_is_long_as_well/and_a_third_one_here/file_of_it.js"

struct member {
	const char *name, *data;
	char type;
};

static char folder[64], archive[96], target[96];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/assay-tar-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(archive, sizeof archive, "%s/a.tgz", folder);
	snprintf(target, sizeof target, "%s/to", folder);
	assert_int_equal(mkdir(target, 0777), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	return place_remove_tree(folder, &e);
}

/* A header and the data, filled up to whole blocks. */
static void add_member(struct buf *out, const struct member *m)
{
	static const char zeros[BLOCK];
	char h[BLOCK] = "";
	size_t n = strlen(m->data), slash = 0;
	unsigned sum = 0;

	if (strlen(m->name) > 100) /* name and prefix fit together at some slash */
		for (slash = strlen(m->name) - 100; m->name[slash] != '/';)
			slash++;
	memcpy(h, m->name + slash + (slash > 0), strlen(m->name) - slash - (slash > 0));
	memcpy(h + 345, m->name, slash);
	snprintf(h + 100, 8, "%07o", 0644u);
	snprintf(h + 124, 12, "%011o", (unsigned)n);
	memset(h + 148, ' ', 8);
	h[156] = m->type;
	memcpy(h + 257, "ustar", 6);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	buf_add(out, h, BLOCK);
	buf_add(out, m->data, n);
	buf_add(out, zeros, (BLOCK - n % BLOCK) % BLOCK);
}

/* Writes the archive, without its last `cut` bytes. */
static void make_tar(const struct member *members, size_t n, size_t cut)
{
	static const char end[2 * BLOCK];
	gzFile f = gzopen(archive, "wb");
	struct buf b;

	assert_non_null(f);
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < n; i++)
		add_member(&b, &members[i]);
	buf_add(&b, end, sizeof end);
	assert_int_equal(gzwrite(f, b.data, (unsigned)(b.len - cut)), b.len - cut);
	assert_int_equal(gzclose(f), Z_OK);
	buf_release(&b);
}

static int unpack(const struct lock_rule *rules, size_t n, struct unpacked *out, struct err *e)
{
	struct lock_package p = {.source = LOCK_NPM, .name = "a@1", .sha256 = "0123"};

	*e = (struct err)ERR_INIT;
	p.rules.at = (struct lock_rule *)rules;
	p.rules.n = n;
	return unpack_package(archive, &p, target, out, NULL, e);
}

static void assert_content(const char *name, const char *wanted)
{
	char path[512];
	struct err e = ERR_INIT;
	struct buf b;

	snprintf(path, sizeof path, "%s/%s", target, name);
	buf_init(&b, 1 << 20);
	if (buf_read_file(&b, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(b.data, wanted);
	buf_release(&b);
}

static const struct lock_rule all[] = {{"**", "to/", 1}};

static void test_takes_what_rules_say(void **state)
{
	static const struct member members[] = {
		{"package", "", '5'},
		{"package/package.json", "{}", '0'},
		{"package/dist/a.js.map", "skipped", '0'},
		{"package/" LONG, "in two fields", '0'},
		{"PaxHeader", "21 path=package/b.js\n", 'x'},
		{"short", "named before", '0'},
		{"pax_global_header", "17 comment=hello\n", 'g'},
		{"package/c.js", "named here", '0'},
	};
	static const struct lock_rule rules[] = {{"**.map", NULL, 1}, {"package/**", "x/", 2}};
	struct unpacked u = UNPACKED_INIT;
	struct err e;

	(void)state;
	make_tar(members, sizeof members / sizeof *members, 0);
	if (unpack(rules, 2, &u, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(u.files.n, 4);
	assert_content("x/package.json", "{}");
	assert_content("x/" LONG, "in two fields");
	assert_content("x/b.js", "named before");
	assert_content("x/c.js", "named here");
	unpacked_release(&u);
}

/* What each archive must fail with when all of it is taken. */
static const struct {
	struct member members[2];
	const char *message;
} hostile[] = {
	{{{"../escaped", "x", '0'}, {"a", "x", '0'}}, "leads out"},
	{{{"/tmp/assay-escaped", "x", '0'}, {"a", "x", '0'}}, "leads out"},
	{{{"link", "", '2'}, {"link/a", "x", '0'}}, "is a symbolic link"},
	{{{"device", "", '3'}, {"a", "x", '0'}}, "is a symbolic link"},
	{{{"PaxHeader", "19 path=../escaped\n", 'x'}, {"a", "x", '0'}}, "leads out"},
	{{{"PaxHeader", "9999 path=a\n", 'x'}, {"a", "x", '0'}}, "makes no sense"},
	{{{"PaxHeader", "3 path=a\n", 'x'}, {"a", "x", '0'}}, "makes no sense"},
	{{{"PaxHeader", "path=a\n", 'x'}, {"a", "x", '0'}}, "makes no sense"},
	{{{"a", "x", '0'}, {"a", "y", '0'}}, "two members go to"},
};

static void test_refuses_hostile_members(void **state)
{
	char path[256];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct unpacked u = UNPACKED_INIT;

		make_tar(hostile[i].members, 2, 0);
		assert_true(unpack(all, 1, &u, &e) < 0);
		if (!strstr(e.msg, hostile[i].message))
			fail_msg("row %zu: '%s' does not say '%s'", i, e.msg, hostile[i].message);
		unpacked_release(&u);
		assert_int_equal(place_remove_tree(target, &e), 0);
	}
	snprintf(path, sizeof path, "%s/escaped", folder);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access("/tmp/assay-escaped", F_OK), -1);
}

/* The two blocks of zeros at the end say that nothing is missing. */
static void test_archives_that_end_early(void **state)
{
	static const struct member one[] = {{"a", "text", '0'}};
	struct err e;

	(void)state;
	for (size_t cut = 2 * BLOCK + 1; cut <= 4 * BLOCK; cut += 101) {
		struct unpacked u = UNPACKED_INIT;

		make_tar(one, 1, cut);
		assert_int_equal(unpack(all, 1, &u, &e), ERR_INPUT);
		assert_non_null(strstr(e.msg, "ends inside"));
		unpacked_release(&u);
		assert_int_equal(place_remove_tree(target, &e), 0);
	}
}

static void test_what_is_no_tar(void **state)
{
	static const char text[] = "not a tar archive, but long enough to be the first block of one";
	struct unpacked u = UNPACKED_INIT;
	char block[BLOCK];
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(unpack(all, 1, &u, &e), ERR_IO); /* there is no file */
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = text[i % (sizeof text - 1)];
	assert_int_equal(buf_write_file(block, sizeof block, archive, &e), 0);
	assert_int_equal(unpack(all, 1, &u, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "not a tar archive"));
	unpacked_release(&u);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_takes_what_rules_say),
		EACH(test_refuses_hostile_members),
		EACH(test_archives_that_end_early),
		EACH(test_what_is_no_tar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
