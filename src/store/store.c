/* store.c - opening a store: what is a store, what is to become one, and what is something else.
 *
 * A store is a SQLite file whose application_id says so; nothing is written to any other file.  user_version is the
 * version of its tables.  The log is written ahead (WAL), so that readers never wait and a writer that is killed leaves
 * either all of a transaction or nothing; synchronous=FULL makes a committed transaction survive the machine as well.
 */
#include "store/store.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/db.h"

#define APPLICATION_ID INT64_C(0x61736179) /* "asay" */
#define BUSY_MS 10000
#define MAX_SQL 256

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

struct identity {
	int64_t application, version, tables;
};

static int identify(struct store *s, struct identity *out, struct err *e)
{
	int rc = db_number(s, "PRAGMA application_id", 0, &out->application, "open", e);

	if (!rc)
		rc = db_number(s, "PRAGMA user_version", 0, &out->version, "open", e);
	if (!rc)
		rc = db_number(s, "SELECT count(*) FROM sqlite_master", 0, &out->tables, "open", e);
	return rc;
}

static int64_t newest_version(void)
{
	int64_t n = 0;

	while (store_schema[n])
		n++;
	return n;
}

/* A file without tables and without a mark: just made, or left by somebody who was killed while making it. */
static int is_blank(const struct identity *i)
{
	return !i->application && !i->tables;
}

static int check_identity(const struct store *s, const struct identity *i, int create, struct err *e)
{
	if (is_blank(i))
		return create ? 0 : err_set(e, ERR_INPUT, "'%s' is empty: no store of findings", s->path);
	if (i->application != APPLICATION_ID)
		return err_set(e, ERR_INPUT, "'%s' is a database of another program, no store of findings", s->path);
	if (i->version < 1 || i->version > newest_version())
		return err_set(e, ERR_INPUT,
			       "'%s' has version %lld of the store's tables, this program knows up to %lld", s->path,
			       (long long)i->version, (long long)newest_version());
	return 0;
}

/* ---- making it, bringing it up to date --------------------------------------------------------------------------- */

static int set_pragma(struct store *s, const char *name, int64_t value, struct err *e)
{
	char sql[MAX_SQL];

	sqlite3_snprintf(sizeof sql, sql, "PRAGMA %s = %lld", name, (long long)value);
	return db_exec(s, sql, "prepare", e);
}

/* All steps from the version the file has now, which another process may have changed since it was looked at. */
static int run_schema(struct store *s, struct err *e)
{
	struct identity now;
	int rc = identify(s, &now, e);

	if (!rc)
		rc = check_identity(s, &now, 1, e);
	for (int64_t v = rc ? 0 : now.version; !rc && store_schema[v]; v++)
		rc = db_exec(s, store_schema[v], "prepare", e);
	if (!rc)
		rc = set_pragma(s, "application_id", APPLICATION_ID, e);
	return rc ? rc : set_pragma(s, "user_version", newest_version(), e);
}

static int migrate(struct store *s, struct err *e)
{
	int rc = db_begin(s, "prepare", e);

	return rc ? rc : db_end(s, run_schema(s, e), "prepare", e);
}

/* ---- what somebody may have put into it -------------------------------------------------------------------------- */

/* Whether the view or trigger that a query is at is one of a new store's. */
static int is_of_schema(struct store *fresh, sqlite3_stmt *at, int *is, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = db_query(fresh, &q, e, "SELECT 1 FROM sqlite_master WHERE type = ?1 AND name = ?2 AND sql = ?3", "ttt",
			  sqlite3_column_text(at, 0), sqlite3_column_text(at, 1), sqlite3_column_text(at, 2));

	if (rc)
		return rc;
	row = db_step(fresh, q, "read", e);
	*is = row == DB_ROW;
	sqlite3_finalize(q);
	return row == DB_FAILED ? e->code : 0;
}

/* A view in the place of a table, or a trigger, may run without end: only those of the schema are taken. */
static int check_views(struct store *s, struct store *fresh, struct err *e)
{
	enum db_row row = DB_DONE;
	sqlite3_stmt *q;
	int known = 1, rc = db_query(s, &q, e,
				     "SELECT type, name, sql FROM sqlite_master WHERE type IN ('view', 'trigger')"
				     " OR sql LIKE 'CREATE VIRTUAL%'",
				     "");

	if (rc)
		return rc;
	while (!rc && known && (row = db_step(s, q, "read", e)) == DB_ROW)
		rc = is_of_schema(fresh, q, &known, e);
	if (!rc && row == DB_FAILED)
		rc = e->code;
	if (!rc && !known)
		rc = err_set(e, ERR_INPUT, "'%s' has a view, trigger or virtual table that no store has: '%s'", s->path,
			     sqlite3_column_text(q, 1) ? (const char *)sqlite3_column_text(q, 1) : "");
	sqlite3_finalize(q);
	return rc;
}

static int check_schema(struct store *s, const struct identity *found, struct err *e)
{
	struct store fresh = {.path = s->path};
	int rc = 0;

	if (is_blank(found))
		return 0;
	if (sqlite3_open_v2(":memory:", &fresh.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		rc = db_fail(s, SQLITE_NOMEM, "read", e);
	for (int64_t v = 0; v < found->version && !rc; v++)
		rc = db_exec(&fresh, store_schema[v], "read", e);
	if (!rc)
		rc = check_views(s, &fresh, e);
	sqlite3_close(fresh.db);
	return rc;
}

static int prepare(struct store *s, int create, struct err *e)
{
	struct identity found;
	int rc;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL); /* a store may be anybody's */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	rc = db_exec(s, "BEGIN", "open", e); /* else another process may make the tables between two looks */
	if (!rc)
		rc = db_end(s, identify(s, &found, e), "open", e);
	if (!rc)
		rc = check_identity(s, &found, create, e);
	if (!rc)
		rc = check_schema(s, &found, e);
	if (!rc)
		rc = db_exec(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
			     "open", e);
	if (!rc && found.version < newest_version())
		rc = migrate(s, e);
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static const char *default_path(const char *path)
{
	const char *from_environment = getenv("ASSAY_DB");

	if (path && *path)
		return path;
	return from_environment && *from_environment ? from_environment : STORE_DEFAULT;
}

/* ":memory:" and "file:…" are names of files here, not of what SQLite takes them for. */
static int file_name(const char *path, struct buf *out, struct err *e)
{
	int special = path[0] == ':' || !strncmp(path, "file:", 5);

	buf_printf(out, "%s%s", special ? "./" : "", path);
	return buf_check(out, e);
}

#define MAKES_ONE "; check, search, equiv, swap and fuzz make one, --db FILE names another"

static int open_file(struct store *s, int create, struct err *e)
{
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	struct buf name;
	struct stat st;
	int rc, status;

	buf_init(&name, 4096);
	rc = file_name(s->path, &name, e);
	if (!rc && stat(name.data, &st)) {
		if (errno != ENOENT || !create)
			rc = err_set(e, errno == ENOENT ? ERR_INPUT : ERR_IO,
				     "there is no store of findings '%s': %s%s", s->path, strerror(errno),
				     errno == ENOENT ? MAKES_ONE : "");
	} else if (!rc && !S_ISREG(st.st_mode)) {
		rc = err_set(e, ERR_INPUT, "cannot open '%s': it is not a regular file", s->path);
	}
	if (!rc) {
		status = sqlite3_open_v2(name.data, &s->db, flags, NULL);
		rc = status == SQLITE_OK ? 0 : db_fail(s, status, "open", e);
	}
	buf_release(&name);
	return rc;
}

/* ---- what may only be read --------------------------------------------------------------------------------------- */

static int is_for_reading_only(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_strdup(slash ? path : ".");
	int only = 0;

	if (folder && slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	if (folder)
		only = !access(path, R_OK) && (access(path, W_OK) || access(folder, W_OK));
	mem_free(folder);
	return only;
}

/* A URI, in which a few characters mean something. */
static void immutable_name(const char *path, struct buf *out)
{
	buf_puts(out, *path == '/' ? "file://" : "file:");
	for (; *path; path++)
		buf_printf(out, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
	buf_puts(out, "?immutable=1");
}

/* The log of a writer that is at work, or was killed. */
static int has_log(const char *path)
{
	struct buf name;
	struct stat st;
	int has;

	buf_init(&name, SIZE_MAX);
	buf_printf(&name, "%s-wal", path);
	has = name.data && !stat(name.data, &st) && st.st_size > 0;
	buf_release(&name);
	return has;
}

/* An older store is brought up to date in memory. */
static int migrate_copy(struct store *s, struct err *e)
{
	struct store copy = {.path = s->path};
	sqlite3_backup *b = NULL;
	int status = sqlite3_open_v2(":memory:", &copy.db, SQLITE_OPEN_READWRITE, NULL), rc;

	if (status == SQLITE_OK)
		b = sqlite3_backup_init(copy.db, "main", s->db, "main");
	if (b) {
		sqlite3_backup_step(b, -1);
		status = sqlite3_backup_finish(b);
	}
	rc = status == SQLITE_OK && b ? migrate(&copy, e) : db_fail(s, b ? status : SQLITE_NOMEM, "read", e);
	if (!rc) /* what is written there would be gone */
		rc = db_exec(&copy, "PRAGMA query_only = ON", "read", e);
	sqlite3_close(rc ? copy.db : s->db);
	if (!rc)
		s->db = copy.db;
	return rc;
}

/* SQLite wants to write beside a store to read it, unless it is told that nobody changes it.  With a log beside it that
 * would be a lie: what stands in the log would be missing. */
static int open_to_read(struct store *s, struct err *e)
{
	int logged = has_log(s->path), status, rc;
	struct identity found = {0};
	struct buf name;

	sqlite3_close(s->db);
	s->db = NULL;
	err_clear(e);
	buf_init(&name, SIZE_MAX);
	if (!logged)
		immutable_name(s->path, &name);
	rc = logged ? file_name(s->path, &name, e) : buf_check(&name, e);
	if (!rc) {
		status =
			sqlite3_open_v2(name.data, &s->db, SQLITE_OPEN_READONLY | (logged ? 0 : SQLITE_OPEN_URI), NULL);
		rc = status == SQLITE_OK ? 0 : db_fail(s, status, "open", e);
	}
	buf_release(&name);
	if (!rc)
		rc = identify(s, &found, e);
	if (rc == ERR_IO && logged)
		rc = err_set(e, ERR_IO,
			     "cannot read '%s': findings are in the log beside it, '%s-wal', which only who may write "
			     "there can read; copy both to a folder of your own",
			     s->path, s->path);
	if (!rc)
		rc = check_identity(s, &found, 0, e);
	if (!rc)
		rc = check_schema(s, &found, e);
	return rc || found.version == newest_version() ? rc : migrate_copy(s, e);
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

int store_open(const char *path, int create, struct store **out, struct err *e)
{
	struct store *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "store", sizeof *s);
	s->path = mem_strdup(default_path(path));
	rc = s->path ? open_file(s, create, e) : err_nomem(e, "store", 0);
	if (!rc)
		rc = prepare(s, create, e);
	if (rc == ERR_IO && !create && is_for_reading_only(s->path))
		rc = open_to_read(s, e);
	if (rc) {
		store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

int store_open_scratch(struct store **out, struct err *e)
{
	struct store *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "store", sizeof *s);
	s->path = mem_strdup("memory");
	rc = s->path ? 0 : err_nomem(e, "store", 0);
	if (!rc && sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		rc = db_fail(s, SQLITE_NOMEM, "open", e);
	if (!rc)
		rc = prepare(s, 1, e);
	if (rc) {
		store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

const char *store_path(const struct store *s)
{
	return s->path;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	mem_free(s->path);
	mem_free(s);
}

void store_command(const struct store *s, const char *words, int64_t id, struct buf *out)
{
	buf_printf(out, "assay %s %lld", words, (long long)id);
	if (strcmp(store_path(s), STORE_DEFAULT) != 0) {
		buf_puts(out, " --db ");
		buf_quote(out, store_path(s));
	}
}
