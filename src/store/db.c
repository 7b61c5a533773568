/* db.c - see db.h. */
#include "store/db.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define PATIENCE 60.0     /* seconds that a writer waits for others in all */
#define PAUSE_NS 5000000L /* between two tries */

/* What statuses of SQLite mean to a user. */
static const struct {
	int status, code;
	const char *text; /* NULL: what SQLite says */
} meanings[] = {
	{SQLITE_NOTADB, ERR_INPUT, "it is not a store of findings"},
	{SQLITE_CORRUPT, ERR_INPUT, "the file is damaged; 'sqlite3 FILE .recover' may save what is left"},
	{SQLITE_BUSY, ERR_IO, "other processes keep it locked"},
	{SQLITE_LOCKED, ERR_IO, "other processes keep it locked"},
	{SQLITE_PROTOCOL, ERR_IO, "other processes keep it locked"},
	{SQLITE_READONLY, ERR_IO, NULL},
	{SQLITE_PERM, ERR_IO, NULL},
	{SQLITE_IOERR, ERR_IO, NULL},
	{SQLITE_FULL, ERR_IO, NULL},
	{SQLITE_CANTOPEN, ERR_IO, NULL},
	{SQLITE_TOOBIG, ERR_LIMIT, "a model or its tensors have more than a gigabyte"},
	{SQLITE_NOMEM, ERR_MEMORY, NULL},
	{SQLITE_MISUSE, ERR_INTERNAL, NULL},
};

int db_fail(const struct store *s, int status, const char *doing, struct err *e)
{
	const char *said = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(status);

	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if ((status & 0xff) == meanings[i].status)
			return err_set(e, meanings[i].code, "cannot %s '%s': %s", doing, s->path,
				       meanings[i].text ? meanings[i].text : said);
	/* a damaged file may have other tables than it should, or columns of other types */
	return err_set(e, ERR_INPUT, "cannot %s '%s': %s", doing, s->path, said);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static int bind(sqlite3_stmt *q, const char *types, va_list args)
{
	int status = SQLITE_OK;

	for (int i = 0; types[i] && status == SQLITE_OK; i++) {
		if (types[i] == 'i') {
			status = sqlite3_bind_int64(q, i + 1, va_arg(args, int64_t));
		} else if (types[i] == 'd') {
			status = sqlite3_bind_double(q, i + 1, va_arg(args, double));
		} else if (types[i] == 't') {
			status = sqlite3_bind_text(q, i + 1, va_arg(args, const char *), -1, SQLITE_STATIC);
		} else {
			const struct bytes *b = va_arg(args, const struct bytes *);

			status = sqlite3_bind_blob64(q, i + 1, b->n ? b->p : NULL, b->n, SQLITE_STATIC);
		}
	}
	return status;
}

void db_keep_statements(struct store *s, struct db_cache *c)
{
	s->cache = c;
}

void db_drop_statements(struct store *s)
{
	for (int i = 0; s->cache && i < s->cache->n; i++)
		sqlite3_finalize(s->cache->at[i]);
	s->cache = NULL;
}

static int prepare(struct store *s, const char *sql, sqlite3_stmt **out)
{
	struct db_cache *c = s->cache;
	int status;

	for (int i = 0; c && i < c->n; i++)
		if (!c->taken[i] && !strcmp(sqlite3_sql(c->at[i]), sql)) {
			c->taken[i] = 1;
			*out = c->at[i];
			return SQLITE_OK;
		}
	status = sqlite3_prepare_v2(s->db, sql, -1, out, NULL);
	if (status == SQLITE_OK && c && c->n < DB_KEPT) {
		c->at[c->n] = *out;
		c->taken[c->n++] = 1;
	}
	return status;
}

void db_release(struct store *s, sqlite3_stmt *q)
{
	for (int i = 0; s->cache && i < s->cache->n; i++)
		if (s->cache->at[i] == q) {
			sqlite3_reset(q);
			sqlite3_clear_bindings(q);
			s->cache->taken[i] = 0;
			return;
		}
	sqlite3_finalize(q);
}

int db_query(struct store *s, sqlite3_stmt **out, struct err *e, const char *sql, const char *types, ...)
{
	sqlite3_stmt *q = NULL;
	int status = prepare(s, sql, &q);
	va_list args;

	if (status == SQLITE_OK) {
		va_start(args, types);
		status = bind(q, types, args);
		va_end(args);
	}
	if (status != SQLITE_OK) {
		status = db_fail(s, status, "read", e);
		db_release(s, q);
		return status;
	}
	*out = q;
	return 0;
}

enum db_row db_step(struct store *s, sqlite3_stmt *q, const char *doing, struct err *e)
{
	int status = sqlite3_step(q);

	if (status == SQLITE_ROW)
		return DB_ROW;
	if (status == SQLITE_DONE)
		return DB_DONE;
	db_fail(s, status, doing, e);
	return DB_FAILED;
}

int db_finish(struct store *s, sqlite3_stmt *q, const char *doing, struct err *e)
{
	enum db_row row;

	while ((row = db_step(s, q, doing, e)) == DB_ROW)
		;
	db_release(s, q);
	return row == DB_FAILED ? e->code : 0;
}

int db_number(struct store *s, const char *sql, int64_t otherwise, int64_t *out, const char *doing, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = db_query(s, &q, e, sql, "");

	if (rc)
		return rc;
	row = db_step(s, q, doing, e);
	if (row != DB_FAILED)
		*out = row == DB_ROW ? sqlite3_column_int64(q, 0) : otherwise;
	sqlite3_finalize(q);
	return row == DB_FAILED ? e->code : 0;
}

/* ---- waiting for others ------------------------------------------------------------------------------------------ */

static int is_busy(int status)
{
	status &= 0xff;
	return status == SQLITE_BUSY || status == SQLITE_LOCKED || status == SQLITE_PROTOCOL;
}

/* SQLite's own waiting (busy_timeout) does not cover all of its locks: a change of the journal mode and the recovery
 * after a crash return at once.  So every statement that takes a lock is tried again here. */
int db_exec(struct store *s, const char *sql, const char *doing, struct err *e)
{
	const struct timespec pause = {0, PAUSE_NS};
	double give_up = clock_now() + clock_patience(PATIENCE);
	int status;

	while (is_busy(status = sqlite3_exec(s->db, sql, NULL, NULL, NULL)) && clock_now() < give_up)
		nanosleep(&pause, NULL);
	return status == SQLITE_OK ? 0 : db_fail(s, status, doing, e);
}

int db_begin(struct store *s, const char *doing, struct err *e)
{
	return db_exec(s, "BEGIN IMMEDIATE", doing, e);
}

int db_end(struct store *s, int rc, const char *doing, struct err *e)
{
	if (!rc)
		rc = db_exec(s, "COMMIT", doing, e);
	if (rc && !sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

double db_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
