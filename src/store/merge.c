/* merge.c - findings of one store into another (declared in store.h).
 *
 * A store in which each finding is there once, as merging makes it, is a set: merging is then associative and
 * idempotent, and in any order but for the numbers of findings (test_store_merge). */
#include <string.h>

#include "store/parts.h"
#include "store/row.h"

#define MERGING "merge findings into"
#define CACHE "PRAGMA cache_size = -65536" /* KiB: pages are looked for all over the store */

struct merge {
	struct store *into;
	size_t added;
	struct err *e;
};

/* By its bytes first: few findings share them, and many a signature. */
static int query_by_bytes(struct store *s, const struct finding *f, int64_t blob, sqlite3_stmt **q, struct err *e)
{
	return db_query(s, q, e,
			"SELECT min(f.id) FROM parts AS p CROSS JOIN findings AS f ON f.id = p.finding"
			" WHERE p.blob = ?3 AND p.role = ?4 AND signature = ?1 AND backend = ?2 AND (?4 = 'model' OR"
			" NOT EXISTS (SELECT 1 FROM parts WHERE finding = f.id AND role = 'model'))",
			"ttit", f->signature, f->backend, blob, f->model.n ? "model" : "inputs");
}

static int query_without_bytes(struct store *s, const struct finding *f, sqlite3_stmt **q, struct err *e)
{
	return db_query(s, q, e,
			"SELECT min(id) FROM findings AS f WHERE signature = ?1 AND backend = ?2 AND NOT EXISTS"
			" (SELECT 1 FROM parts WHERE finding = f.id AND role IN ('model', 'inputs'))",
			"tt", f->signature, f->backend);
}

/* *id of the finding in s: same signature and backend, same model; without one, same inputs.  0: it is not there. */
static int find_it(struct store *s, const struct finding *f, int64_t *id, struct err *e)
{
	const struct bytes *what = f->model.n ? &f->model : &f->inputs;
	sqlite3_stmt *q;
	enum db_row row;
	int64_t blob;
	int rc = parts_find_blob(s, what, &blob, e);

	*id = 0;
	if (rc || (what->n && !blob))
		return rc;
	rc = blob ? query_by_bytes(s, f, blob, &q, e) : query_without_bytes(s, f, &q, e);
	if (rc)
		return rc;
	row = db_step(s, q, MERGING, e);
	if (row == DB_ROW)
		*id = sqlite3_column_int64(q, 0); /* of none: 0 */
	db_release(s, q);
	return row == DB_FAILED ? e->code : 0;
}

static int compare_bytes(const struct bytes *a, const struct bytes *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->n ? memcmp(a->p, b->p, a->n) : 0;
}

/* < 0: a is the better copy of what both tell: reduced, to fewer nodes, to fewer bytes, with known versions, older;
 * then by all else that they have, so that the same copy stays whichever store is merged into the other, in any order.
 */
static int compare_copies(const struct finding *a, const struct finding *b)
{
	static const size_t others[] = {offsetof(struct finding, model), offsetof(struct finding, inputs),
					offsetof(struct finding, expected), offsetof(struct finding, reduced_expected)};
	int c = (a->reduced_model.n == 0) - (b->reduced_model.n == 0);

	if (!c)
		c = (a->nodes > b->nodes) - (a->nodes < b->nodes);
	if (!c)
		c = compare_bytes(&a->reduced_model, &b->reduced_model);
	if (!c)
		c = compare_bytes(&a->reduced_inputs, &b->reduced_inputs);
	if (!c)
		c = !*a->since - !*b->since;
	if (!c)
		c = (a->time > b->time) - (a->time < b->time);
	if (!c)
		c = row_compare(a, b);
	for (size_t i = 0; i < sizeof others / sizeof *others && !c; i++)
		c = compare_bytes((const struct bytes *)((const char *)a + others[i]),
				  (const struct bytes *)((const char *)b + others[i]));
	return c;
}

static int remove_parts(struct store *s, int64_t id, struct err *e)
{
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e, "DELETE FROM parts WHERE finding = ?1", "i", id);

	return rc ? rc : db_finish(s, q, MERGING, e);
}

/* The better copy takes the place of the other, which keeps its number.  All of it: the inputs of one are not those
 * that the other's outputs belong to. */
static int merge_copy(struct merge *m, int64_t id, struct finding *f)
{
	struct finding mine;
	int rc = row_get(m->into, id, STORE_ALL_BYTES, &mine, m->e);

	if (rc)
		return rc;
	if (compare_copies(f, &mine) < 0) {
		f->id = id;
		f->campaign = mine.campaign;
		f->cluster = mine.cluster;
		rc = remove_parts(m->into, id, m->e);
		if (!rc)
			rc = row_update(m->into, f, m->e);
	}
	finding_release(&mine);
	return rc;
}

static int merge_one(const struct finding *f, void *arg)
{
	struct merge *m = arg;
	struct finding copy = *f;
	int64_t id;
	int rc = find_it(m->into, f, &id, m->e);

	copy.campaign = 0; /* numbers of campaigns and clusters mean nothing in another store */
	copy.cluster = 0;
	if (rc || id)
		return rc ? rc : merge_copy(m, id, &copy);
	rc = row_add(m->into, &copy, m->e);
	m->added += !rc;
	return rc;
}

/* One transaction: all findings of the other store come, or none. */
int store_merge(struct store *s, const char *other, size_t *added, struct err *e)
{
	const struct store_filter all = {.with_bytes = 1};
	struct merge m = {s, 0, e};
	struct db_cache ours = {.n = 0}, theirs = {.n = 0};
	struct store *from;
	int rc = store_open(other, 0, &from, e);

	if (rc)
		return rc;
	db_keep_statements(s, &ours);
	db_keep_statements(from, &theirs);
	rc = db_exec(s, CACHE, MERGING, e);
	if (!rc)
		rc = db_begin(s, MERGING, e);
	if (!rc)
		rc = db_end(s, store_each(from, &all, merge_one, &m, e), MERGING, e);
	db_drop_statements(from);
	db_drop_statements(s);
	store_close(from);
	if (!rc)
		*added = m.added;
	return rc;
}
