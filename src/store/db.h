/* db.h - the few things the store does with SQLite: statements with arguments, transactions that wait for other
 * writers, and errors in words. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "base/err.h"
#include "tensor/dtype.h"

#define DB_KEPT 16

/* Statements that are kept for the next time: preparing one takes longer than running it. */
struct db_cache {
	sqlite3_stmt *at[DB_KEPT];
	int taken[DB_KEPT];
	int n;
};

struct store {
	sqlite3 *db;
	char *path;             /* as it was asked for, for messages */
	struct db_cache *cache; /* NULL: statements are not kept */
};

/* Around work that runs the same statements many times; `c` is zeroed and outlives it. */
void db_keep_statements(struct store *s, struct db_cache *c);
void db_drop_statements(struct store *s);

/* The schema's versions, oldest first, up to NULL: schema.sql and its successors, put into the program at build time.
 */
extern const char *const store_schema[];

/* Messages for a status of SQLite; "cannot add a finding to 'assay.db': database or disk is full". */
int db_fail(const struct store *s, int status, const char *doing, struct err *e);

/* Prepares one statement and binds its arguments, a letter each: i int64_t, d double, t const char * (NULL: SQL's
 * NULL), b const struct bytes * (empty: NULL).  Texts and bytes are borrowed until it is finalized. */
int db_query(struct store *s, sqlite3_stmt **out, struct err *e, const char *sql, const char *types, ...);

/* On failure `doing` is in the message. */
enum db_row { DB_FAILED = -1, DB_DONE, DB_ROW };
enum db_row db_step(struct store *s, sqlite3_stmt *q, const char *doing, struct err *e);

/* The end of a statement of db_query(); NULL is fine. */
void db_release(struct store *s, sqlite3_stmt *q);

/* Steps to the end and releases q. */
int db_finish(struct store *s, sqlite3_stmt *q, const char *doing, struct err *e);

/* Statements without arguments or results. */
int db_exec(struct store *s, const char *sql, const char *doing, struct err *e);

/* The first column of the first row as a number; `otherwise` when there is no row. */
int db_number(struct store *s, const char *sql, int64_t otherwise, int64_t *out, const char *doing, struct err *e);

/* Takes the right to write and waits for it; db_end() commits, or rolls back when rc is an error, and returns rc or the
 * error of committing. */
int db_begin(struct store *s, const char *doing, struct err *e);
int db_end(struct store *s, int rc, const char *doing, struct err *e);

double db_time(void); /* seconds since 1970 */

#endif
