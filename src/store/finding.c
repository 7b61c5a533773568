/* finding.c - findings in the store: recording, changing, reading. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/parts.h"
#include "store/row.h"

#define ADDING "add a finding to"
#define CHANGING "change a finding in"
#define READING "read"
#define MAX_SQL 4096

/* ---- columns ----------------------------------------------------------------------------------------------------- */

enum column_type { COLUMN_TEXT, COLUMN_INT, COLUMN_INT64, COLUMN_REAL, COLUMN_VERDICT };

/* All columns but the id, each with the field of struct finding that it stands for. */
static const struct finding_column {
	const char *name;
	enum column_type type;
	size_t offset;
} columns[] = {
#define COLUMN(name, type)                                  \
	{                                                   \
#name, type, offsetof(struct finding, name) \
	}
	COLUMN(campaign, COLUMN_INT64), COLUMN(method, COLUMN_TEXT),      COLUMN(backend, COLUMN_TEXT),
	COLUMN(library, COLUMN_TEXT),   COLUMN(version, COLUMN_TEXT),     COLUMN(verdict, COLUMN_VERDICT),
	COLUMN(gradient, COLUMN_INT),   COLUMN(op, COLUMN_TEXT),          COLUMN(node, COLUMN_TEXT),
	COLUMN(parameter, COLUMN_TEXT), COLUMN(noise_ratio, COLUMN_REAL), COLUMN(signature, COLUMN_TEXT),
	COLUMN(detail, COLUMN_TEXT),    COLUMN(evidence, COLUMN_TEXT),    COLUMN(command, COLUMN_TEXT),
	COLUMN(seed, COLUMN_INT64),     COLUMN(nodes, COLUMN_INT),        COLUMN(original_nodes, COLUMN_INT),
	COLUMN(since, COLUMN_TEXT),     COLUMN(until, COLUMN_TEXT),       COLUMN(time, COLUMN_REAL),
	COLUMN(cluster, COLUMN_INT),
#undef COLUMN
};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

static int bind_column(sqlite3_stmt *q, int at, const struct finding_column *c, const struct finding *f)
{
	const void *field = (const char *)f + c->offset;
	const char *text;

	switch (c->type) {
	case COLUMN_TEXT:
		text = *(const char *const *)field;
		return sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_STATIC);
	case COLUMN_INT:
		return sqlite3_bind_int(q, at, *(const int *)field);
	case COLUMN_INT64:
		return sqlite3_bind_int64(q, at, *(const int64_t *)field);
	case COLUMN_REAL:
		return sqlite3_bind_double(q, at, *(const double *)field);
	case COLUMN_VERDICT:
		return sqlite3_bind_text(q, at, verdict_name(f->verdict), -1, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static int read_column(sqlite3_stmt *q, int at, const struct finding_column *c, struct finding *f, struct err *e)
{
	const char *text = (const char *)sqlite3_column_text(q, at);
	void *field = (char *)f + c->offset;

	switch (c->type) {
	case COLUMN_TEXT:
		*(const char **)field = arena_strdup(f->arena, text ? text : "");
		return *(const char **)field ? 0 : err_nomem(e, "finding", 0);
	case COLUMN_INT:
		*(int *)field = sqlite3_column_int(q, at);
		return 0;
	case COLUMN_INT64:
		*(int64_t *)field = sqlite3_column_int64(q, at);
		return 0;
	case COLUMN_REAL: /* SQLite has no NaN: it is stored as NULL */
		*(double *)field = sqlite3_column_type(q, at) == SQLITE_NULL ? NAN : sqlite3_column_double(q, at);
		return 0;
	case COLUMN_VERDICT:
		if (!text || !verdict_find(text, &f->verdict))
			return err_set(e, ERR_INPUT, "finding %lld has an unknown verdict '%s'", (long long)f->id,
				       text ? text : "");
		return 0;
	}
	return ERR_INTERNAL;
}

/* Appends `before`, a list of all columns, and `after`: "method, …" with names, "?3, …" with values (?1 is the id),
 * "method = ?3, …" with both. */
static int make_sql(struct buf *b, const char *before, int values, int names, const char *after, struct err *e)
{
	buf_puts(b, before);
	for (int i = 0; i < N_COLUMNS; i++) {
		buf_puts(b, i ? ", " : "");
		if (names)
			buf_puts(b, columns[i].name);
		if (names && values)
			buf_puts(b, " = ");
		if (values)
			buf_printf(b, "?%d", i + 2);
	}
	buf_puts(b, after);
	return buf_check(b, e);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_reals(double a, double b) /* NaN is the least */
{
	return isnan(a) || isnan(b) ? isnan(b) - isnan(a) : (a > b) - (a < b);
}

static int compare_column(const struct finding_column *c, const struct finding *a, const struct finding *b)
{
	const void *x = (const char *)a + c->offset, *y = (const char *)b + c->offset;

	switch (c->type) {
	case COLUMN_TEXT:
		return compare_texts(*(const char *const *)x, *(const char *const *)y);
	case COLUMN_INT:
		return (*(const int *)x > *(const int *)y) - (*(const int *)x < *(const int *)y);
	case COLUMN_INT64:
		return (*(const int64_t *)x > *(const int64_t *)y) - (*(const int64_t *)x < *(const int64_t *)y);
	case COLUMN_REAL:
		return compare_reals(*(const double *)x, *(const double *)y);
	case COLUMN_VERDICT:
		return (a->verdict > b->verdict) - (a->verdict < b->verdict);
	}
	return 0;
}

int row_compare(const struct finding *a, const struct finding *b)
{
	int c = 0;

	for (int i = 0; i < N_COLUMNS && !c; i++)
		if (columns[i].offset != offsetof(struct finding, campaign) &&
		    columns[i].offset != offsetof(struct finding, cluster))
			c = compare_column(&columns[i], a, b);
	return c;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Runs a statement that takes the id (0: NULL) and all columns. */
static int write_row(struct store *s, const char *sql, const struct finding *f, const char *doing, struct err *e)
{
	sqlite3_stmt *q;
	int status = SQLITE_OK, rc = db_query(s, &q, e, sql, "");

	if (rc)
		return rc;
	if (f->id)
		status = sqlite3_bind_int64(q, 1, f->id);
	for (int i = 0; i < N_COLUMNS && status == SQLITE_OK; i++)
		status = bind_column(q, i + 2, &columns[i], f);
	if (status != SQLITE_OK) {
		db_release(s, q);
		return db_fail(s, status, doing, e);
	}
	return db_finish(s, q, doing, e);
}

/* Inside of a transaction; f->id is set only when all went well. */
int row_add(struct store *s, struct finding *f, struct err *e)
{
	struct finding fresh = *f;
	struct buf sql;
	int rc;

	fresh.id = 0;
	if (!(fresh.time > 0))
		fresh.time = db_time();
	buf_init(&sql, MAX_SQL);
	rc = make_sql(&sql, "INSERT INTO findings (id, ", 0, 1, ") VALUES (?1, ", e);
	if (!rc)
		rc = make_sql(&sql, "", 1, 0, ")", e);
	if (!rc)
		rc = write_row(s, sql.data, &fresh, ADDING, e);
	buf_release(&sql);
	if (rc)
		return rc;
	fresh.id = sqlite3_last_insert_rowid(s->db);
	rc = parts_write(s, &fresh, e);
	if (!rc)
		*f = fresh;
	return rc;
}

int store_add(struct store *s, struct finding *f, struct err *e)
{
	struct finding before = *f;
	int rc = db_begin(s, ADDING, e);

	if (rc)
		return rc;
	rc = db_end(s, row_add(s, f, e), ADDING, e);
	if (rc)
		*f = before;
	return rc;
}

int row_update(struct store *s, const struct finding *f, struct err *e)
{
	struct buf sql;
	int rc;

	buf_init(&sql, MAX_SQL);
	rc = make_sql(&sql, "UPDATE findings SET ", 1, 1, " WHERE id = ?1", e);
	if (!rc)
		rc = write_row(s, sql.data, f, CHANGING, e);
	buf_release(&sql);
	if (!rc && !sqlite3_changes(s->db))
		rc = err_set(e, ERR_INPUT, "there is no finding %lld in '%s'", (long long)f->id, s->path);
	return rc ? rc : parts_write(s, f, e);
}

int store_update(struct store *s, const struct finding *f, struct err *e)
{
	int rc = db_begin(s, CHANGING, e);

	return rc ? rc : db_end(s, row_update(s, f, e), CHANGING, e);
}

int store_set_clusters(struct store *s, const struct store_cluster *at, size_t n, struct err *e)
{
	sqlite3_stmt *q;
	int rc = db_begin(s, CHANGING, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = db_query(s, &q, e, "UPDATE findings SET cluster = ?2 WHERE id = ?1", "ii", at[i].id,
			      at[i].cluster);
		if (!rc)
			rc = db_finish(s, q, CHANGING, e);
	}
	return db_end(s, rc, CHANGING, e);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

void finding_release(struct finding *f)
{
	if (f->arena)
		arena_release(f->arena);
	mem_free(f->arena);
	*f = (struct finding){0};
}

int finding_is_call(const struct finding *f)
{
	return !f->nodes && !f->original_nodes && !f->model.n;
}

/* A statement for read_row(). */
static int prepare_row(struct store *s, sqlite3_stmt **q, struct err *e)
{
	struct buf sql;
	int rc;

	buf_init(&sql, MAX_SQL);
	rc = make_sql(&sql, "SELECT ", 0, 1, " FROM findings WHERE id = ?1", e);
	if (!rc)
		rc = db_query(s, q, e, sql.data, "");
	buf_release(&sql);
	return rc;
}

/* Into f, whose arena holds the strings.  DB_DONE: there is none with f->id. */
static enum db_row read_row(struct store *s, sqlite3_stmt *q, struct finding *f, struct err *e)
{
	enum db_row row;

	sqlite3_reset(q);
	sqlite3_bind_int64(q, 1, f->id);
	row = db_step(s, q, READING, e);
	for (int i = 0; i < N_COLUMNS && row == DB_ROW; i++)
		if (read_column(q, i, &columns[i], f, e))
			row = DB_FAILED;
	return row;
}

/* DB_DONE: there is none of this id. */
static enum db_row read_finding(struct store *s, sqlite3_stmt *q, int64_t id, enum store_bytes which,
				struct finding *out, struct err *e)
{
	struct finding f = {.id = id, .arena = mem_zalloc(sizeof *f.arena)};
	enum db_row row;

	if (!f.arena) {
		err_nomem(e, "finding", sizeof *f.arena);
		return DB_FAILED;
	}
	row = read_row(s, q, &f, e);
	if (row == DB_ROW && which != STORE_NO_BYTES && parts_read(s, &f, which, e))
		row = DB_FAILED;
	if (row == DB_ROW)
		*out = f;
	else
		finding_release(&f);
	return row;
}

int row_get(struct store *s, int64_t id, enum store_bytes which, struct finding *out, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = prepare_row(s, &q, e);

	if (rc)
		return rc;
	row = read_finding(s, q, id, which, out, e);
	db_release(s, q);
	if (row == DB_DONE)
		return err_set(e, ERR_INPUT, "there is no finding %lld in '%s'", (long long)id, s->path);
	return row == DB_FAILED ? e->code : 0;
}

int store_remove(struct store *s, int64_t id, struct err *e)
{
	sqlite3_stmt *q = NULL;
	int rc = db_begin(s, CHANGING, e);

	if (rc)
		return rc;
	rc = db_query(s, &q, e, "DELETE FROM findings WHERE id = ?1", "i", id);
	if (!rc)
		rc = db_finish(s, q, CHANGING, e);
	return db_end(s, rc, CHANGING, e);
}

int store_get(struct store *s, int64_t id, struct finding *out, struct err *e)
{
	return row_get(s, id, STORE_ALL_BYTES, out, e);
}

/* ---- many of them ------------------------------------------------------------------------------------------------ */

struct ids {
	int64_t *at;
	size_t n, size;
};

static int select_ids(struct store *s, const struct store_filter *f, struct ids *out, struct err *e)
{
	enum db_row row = DB_DONE;
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e,
			  "SELECT id FROM findings WHERE (?1 IS NULL OR backend = ?1 OR library = ?1 OR"
			  " substr(backend, 1, length(?1) + 1) IN (?1 || '@', ?1 || '=', ?1 || ':'))"
			  " AND (?2 IS NULL OR verdict = ?2) AND (?3 IS NULL OR op = ?3 COLLATE NOCASE)"
			  " AND (?4 IS NULL OR method = ?4) AND (?5 IS NULL OR signature = ?5)"
			  " AND (?6 = 0 OR campaign = ?6) AND id BETWEEN ?7 AND ?8 ORDER BY id",
			  "tttttiii", f->backend, f->verdict, f->op, f->method, f->signature, f->campaign, f->id,
			  f->id ? f->id : INT64_MAX);

	if (rc)
		return rc;
	while (!rc && (row = db_step(s, q, READING, e)) == DB_ROW)
		if (vec_push(out, sqlite3_column_int64(q, 0)))
			rc = err_nomem(e, "ids of findings", 0);
	db_release(s, q);
	return row == DB_FAILED ? e->code : rc;
}

/* The ids come first, so that `fn` may use the store as it likes; a finding that is gone when its turn comes is passed
 * over. */
int store_each(struct store *s, const struct store_filter *filter, store_each_fn *fn, void *arg, struct err *e)
{
	static const struct store_filter any;
	sqlite3_stmt *q = NULL;
	struct ids ids = {0};
	struct finding f;
	int rc;

	filter = filter ? filter : &any;
	rc = select_ids(s, filter, &ids, e);
	if (!rc)
		rc = prepare_row(s, &q, e);
	for (size_t i = 0; i < ids.n && !rc; i++) {
		enum db_row row = read_finding(s, q, ids.at[i], (enum store_bytes)filter->with_bytes, &f, e);

		sqlite3_reset(q); /* no read lock while fn is at work */
		rc = row == DB_ROW ? fn(&f, arg) : row == DB_FAILED ? e->code : 0;
		if (row == DB_ROW)
			finding_release(&f);
	}
	db_release(s, q);
	vec_release(&ids);
	return rc;
}

int store_newest(struct store *s, int64_t *id, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = db_query(s, &q, e, "SELECT max(id) FROM findings", "");

	if (rc)
		return rc;
	row = db_step(s, q, READING, e);
	*id = row == DB_ROW ? sqlite3_column_int64(q, 0) : 0;
	db_release(s, q);
	return row == DB_FAILED ? e->code : 0;
}

int store_count(struct store *s, const char *signature, int64_t *out, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = db_query(s, &q, e, "SELECT count(*) FROM findings WHERE signature = ?1", "t", signature);

	if (rc)
		return rc;
	row = db_step(s, q, READING, e);
	if (row == DB_ROW)
		*out = sqlite3_column_int64(q, 0);
	db_release(s, q);
	return row == DB_FAILED ? e->code : 0;
}
