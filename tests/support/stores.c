/* stores.c - see stores.h. */
#include "support/stores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], paths[2][96];

static const char *path_of(int i)
{
	if (!folder[0]) {
		snprintf(folder, sizeof folder, "/tmp/assay-store-XXXXXX");
		if (!mkdtemp(folder))
			fail_msg("cannot make a folder '%s'", folder);
		snprintf(paths[0], sizeof paths[0], "%s/a.db", folder);
		snprintf(paths[1], sizeof paths[1], "%s/b.db", folder);
	}
	return paths[i];
}

const char *stores_path(void)
{
	return path_of(0);
}

const char *stores_other_path(void)
{
	return path_of(1);
}

struct store *stores_open(const char *path)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	if (store_open(path, 1, &s, &e))
		fail_msg("%s", e.msg);
	return s;
}

struct store *stores_open_fresh(void)
{
	stores_unlink(stores_path());
	return stores_open(stores_path());
}

void stores_unlink(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char name[128];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(name, sizeof name, "%s%s", path, ends[i]);
		unlink(name);
	}
}

void stores_remove(void)
{
	stores_unlink(path_of(0));
	stores_unlink(path_of(1));
	rmdir(folder);
	folder[0] = '\0';
}

int stores_teardown(void **state)
{
	(void)state;
	stores_remove();
	return 0;
}

int64_t stores_ask(const char *path, const char *sql)
{
	sqlite3_stmt *q = NULL;
	sqlite3 *db = NULL;
	int64_t answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	answer = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return answer;
}

void stores_sql(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

void stores_expect_folder(const char *where, const char *const *names, size_t n)
{
	char path[256];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", where, names[i]);
		if (unlink(path))
			fail_msg("%s is not there", path);
	}
	if (rmdir(where))
		fail_msg("%s has more than %zu files", where, n);
}
