/* test_store_files.c - files that are no store, or no longer: refused with a reason, never touched, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/stores.h"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_refused(const char *path, int create, const char *why)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(store_open(path, create, &s, &e), ERR_INPUT);
	assert_null(s);
	if (!strstr(e.msg, why))
		fail_msg("'%s' is not in '%s'", why, e.msg);
}

static void test_foreign(void **state)
{
	(void)state;
	assert_refused(stores_path(), 0, "there is no store of findings");
	assert_refused("/tmp", 1, "is not a regular file");
	write_file(stores_path(),
		   "this is a text, and it is long enough not to be taken for an empty file of SQLite\n");
	assert_refused(stores_path(), 1, "is not a store of findings");
	stores_unlink(stores_path());
	write_file(stores_path(), "");
	assert_refused(stores_path(), 0, "is empty");
	store_close(stores_open(stores_path())); /* an empty file may become one */

	stores_unlink(stores_path());
	stores_sql(stores_path(), "CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('x')");
	assert_refused(stores_path(), 1, "of another program");
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM sqlite_master"), 1); /* untouched */

	stores_unlink(stores_path());
	store_close(stores_open(stores_path()));
	stores_sql(stores_path(), "PRAGMA user_version = 99");
	assert_refused(stores_path(), 1, "version 99");
}

static void test_special_names(void **state)
{
	struct store *s = NULL;
	char before[4096], folder[128];
	struct stat st;

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	snprintf(folder, sizeof folder, "%s", stores_path());
	*strrchr(folder, '/') = '\0';
	assert_int_equal(chdir(folder), 0);
	s = stores_open(":memory:");
	assert_int_equal(stat(":memory:", &st), 0);
	store_close(s);
	assert_int_equal(setenv("ASSAY_DB", "a.db", 1), 0);
	s = stores_open("");
	assert_string_equal(store_path(s), "a.db");
	assert_int_equal(stat("a.db", &st), 0);
	store_close(s);
	unsetenv("ASSAY_DB");
	stores_unlink(":memory:");
	assert_int_equal(chdir(before), 0);
}

/* A view in the place of a table could run without end, a trigger whenever something is written. */
static void test_forged(void **state)
{
	static const char *const forged[] = {
		"DROP TABLE tallies; CREATE VIEW tallies AS"
		" WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS campaign FROM n",
		"CREATE TRIGGER t AFTER INSERT ON findings BEGIN DELETE FROM findings; END",
		"DROP TRIGGER parts_removed;"
		" CREATE TRIGGER parts_removed AFTER DELETE ON parts BEGIN DELETE FROM findings; END",
		"CREATE VIRTUAL TABLE v USING fts5 (x)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
		stores_unlink(stores_path());
		store_close(stores_open(stores_path()));
		stores_sql(stores_path(), forged[i]);
		assert_refused(stores_path(), 0, "that no store has");
		assert_refused(stores_path(), 1, "that no store has");
	}
	stores_unlink(stores_path());
	store_close(stores_open(stores_path()));
	stores_sql(stores_path(), "CREATE TABLE mine (x); CREATE INDEX by_op ON findings (op)"); /* no harm */
	store_close(stores_open(stores_path()));
}

/* A store with enough in it that most of its pages matter. */
static void fill(const char *path, int n)
{
	struct store *s = stores_open(path);
	char text[6000];

	memset(text, 'x', sizeof text);
	for (int i = 0; i < n; i++) {
		struct finding f = {.verdict = VERDICT_WRONG, .signature = "s", .model = {text, sizeof text}};
		struct err e = ERR_INIT;

		snprintf(text, 16, "%d", i);
		assert_int_equal(store_add(s, &f, &e), 0);
	}
	store_close(s);
}

static void test_truncated(void **state)
{
	struct stat st;

	(void)state;
	fill(stores_path(), 20);
	assert_int_equal(stat(stores_path(), &st), 0);
	assert_int_equal(truncate(stores_path(), st.st_size / 2), 0);
	assert_refused(stores_path(), 0, "damaged");
	assert_int_equal(truncate(stores_path(), 50), 0);
	assert_refused(stores_path(), 0, "damaged");
}

static int count_one(const struct finding *f, void *arg)
{
	(void)f;
	++*(size_t *)arg;
	return 0;
}

/* Garbage in any page ends in an error or in rows, never in a crash; reading everything finds it. */
static void test_corrupt(void **state)
{
	const struct store_filter all = {.with_bytes = 1};
	struct stat st;
	int refused = 0;

	(void)state;
	fill(stores_path(), 10);
	assert_int_equal(stat(stores_path(), &st), 0);
	for (off_t at = 0; at < st.st_size; at += 4096) {
		struct store *s = NULL;
		struct err e = ERR_INIT;
		size_t n = 0;
		FILE *f;
		int rc;

		stores_unlink(stores_path());
		fill(stores_path(), 10);
		f = fopen(stores_path(), "r+b");
		assert_non_null(f);
		fseek(f, at, SEEK_SET);
		for (int i = 0; i < 4096; i++)
			fputc(0xa5, f);
		fclose(f);
		rc = store_open(stores_path(), 1, &s, &e);
		if (!rc)
			rc = store_each(s, &all, count_one, &n, &e);
		assert_true(rc == 0 || rc == ERR_INPUT);
		assert_true(!rc || e.msg[0]);
		refused += rc != 0;
		store_close(s);
	}
	assert_true(refused > 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, stores_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_foreign),       TEST(test_truncated), TEST(test_corrupt),
		TEST(test_special_names), TEST(test_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
