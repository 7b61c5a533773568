/* parts.c - see parts.h. */
#include "store/parts.h"

#include "base/hash.h"

#include <string.h>

#define DOING_WRITE "write to"
#define DOING_READ "read"

static const struct {
	const char *role;
	size_t offset; /* of a struct bytes in struct finding */
} roles[] = {
	{"model", offsetof(struct finding, model)},
	{"inputs", offsetof(struct finding, inputs)},
	{"expected", offsetof(struct finding, expected)},
	{"reduced_model", offsetof(struct finding, reduced_model)},
	{"reduced_inputs", offsetof(struct finding, reduced_inputs)},
	{"reduced_expected", offsetof(struct finding, reduced_expected)},
};

#define N_ROLES (sizeof roles / sizeof *roles)

static const struct bytes *part_of(const struct finding *f, size_t i)
{
	return (const struct bytes *)((const char *)f + roles[i].offset);
}

/* ---- blobs ------------------------------------------------------------------------------------------------------- */

static int64_t hash_of(const struct bytes *b)
{
	return (int64_t)hash_bytes(HASH_BEGIN, b->p, b->n);
}

int parts_find_blob(struct store *s, const struct bytes *b, int64_t *id, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc;

	*id = 0;
	if (!b->n)
		return 0;
	rc = db_query(s, &q, e, "SELECT id FROM blobs WHERE hash = ?1 AND data = ?2", "ib", hash_of(b), b);
	if (rc)
		return rc;
	row = db_step(s, q, DOING_READ, e);
	if (row == DB_ROW)
		*id = sqlite3_column_int64(q, 0);
	db_release(s, q);
	return row == DB_FAILED ? e->code : 0;
}

static int add_blob(struct store *s, const struct bytes *b, int64_t *id, struct err *e)
{
	sqlite3_stmt *q;
	int rc = parts_find_blob(s, b, id, e);

	if (rc || *id)
		return rc;
	rc = db_query(s, &q, e, "INSERT INTO blobs (hash, data) VALUES (?1, ?2)", "ib", hash_of(b), b);
	if (!rc)
		rc = db_finish(s, q, DOING_WRITE, e);
	if (!rc)
		*id = sqlite3_last_insert_rowid(s->db);
	return rc;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static int write_part(struct store *s, int64_t finding, const char *role, const struct bytes *b, struct err *e)
{
	sqlite3_stmt *q;
	int64_t blob;
	int rc;

	if (!b->n)
		return 0;
	rc = add_blob(s, b, &blob, e);
	if (rc)
		return rc;
	rc = db_query(s, &q, e,
		      "INSERT INTO parts (finding, role, blob) VALUES (?1, ?2, ?3)"
		      " ON CONFLICT (finding, role) DO UPDATE SET blob = excluded.blob WHERE blob <> excluded.blob",
		      "iti", finding, role, blob);
	return rc ? rc : db_finish(s, q, DOING_WRITE, e);
}

int parts_write(struct store *s, const struct finding *f, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < N_ROLES && !rc; i++)
		rc = write_part(s, f->id, roles[i].role, part_of(f, i), e);
	return rc;
}

/* The contents of a row (role, data) into the field of its role; roles that nobody knows are passed over. */
static int take_part(sqlite3_stmt *q, struct finding *f, struct err *e)
{
	const char *role = (const char *)sqlite3_column_text(q, 0);
	const void *data = sqlite3_column_blob(q, 1);
	size_t n = (size_t)sqlite3_column_bytes(q, 1);

	for (size_t i = 0; role && n && i < N_ROLES; i++) {
		struct bytes *to = (struct bytes *)((char *)f + roles[i].offset);

		if (strcmp(role, roles[i].role) != 0)
			continue;
		to->p = arena_strndup(f->arena, data, n);
		if (!to->p)
			return err_nomem(e, "model of a finding", n);
		to->n = n;
	}
	return 0;
}

int parts_read(struct store *s, struct finding *f, enum store_bytes which, struct err *e)
{
	enum db_row row = DB_DONE;
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e,
			  "SELECT role, data FROM parts JOIN blobs ON blobs.id = parts.blob"
			  " WHERE finding = ?1 AND role LIKE ?2",
			  "it", f->id, which == STORE_REDUCED_BYTES ? "reduced%" : "%");

	if (rc)
		return rc;
	while (!rc && (row = db_step(s, q, DOING_READ, e)) == DB_ROW)
		rc = take_part(q, f, e);
	db_release(s, q);
	return row == DB_FAILED ? e->code : rc;
}
