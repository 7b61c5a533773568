/* stores.h - stores in a temporary folder, for tests. */
#ifndef TESTS_SUPPORT_STORES_H
#define TESTS_SUPPORT_STORES_H

#include "store/store.h"

/* The paths of two stores in the test's own folder, which is made on the first call. */
const char *stores_path(void);
const char *stores_other_path(void);

/* Opens a store that may be there; fails the test when it cannot. */
struct store *stores_open(const char *path);
/* Opens stores_path() after removing what was there. */
struct store *stores_open_fresh(void);

/* Removes a store with what SQLite keeps beside it. */
void stores_unlink(const char *path);
/* Removes both stores and the folder. */
void stores_remove(void);
int stores_teardown(void **state); /* the same for cmocka */

/* Past the store, by SQL: the number that a query gives, and statements. */
int64_t stores_ask(const char *path, const char *sql);
void stores_sql(const char *path, const char *sql);

/* A folder that was written holds these files and nothing else; it is removed. */
void stores_expect_folder(const char *where, const char *const *names, size_t n);

#endif
