/* campaign.c - long runs that resume, and their curves. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/db.h"
#include "store/store.h"

#define WRITING "write a campaign to"
#define READING "read a campaign of"
#define COLUMNS "id, method, command, backends, seed, started, seconds, cases, done, state"

void campaign_release(struct campaign *c)
{
	if (c->arena)
		arena_release(c->arena);
	mem_free(c->arena);
	*c = (struct campaign){0};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const char *text_of(sqlite3_stmt *q, int column, struct arena *a)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	return arena_strdup(a, text ? text : "");
}

static int read_campaign(sqlite3_stmt *q, struct campaign *out, struct err *e)
{
	struct campaign c = {.arena = mem_zalloc(sizeof *c.arena)};

	if (!c.arena)
		return err_nomem(e, "campaign", sizeof *c.arena);
	c.id = sqlite3_column_int64(q, 0);
	c.method = text_of(q, 1, c.arena);
	c.command = text_of(q, 2, c.arena);
	c.backends = text_of(q, 3, c.arena);
	c.seed = (uint64_t)sqlite3_column_int64(q, 4);
	c.started = sqlite3_column_double(q, 5);
	c.seconds = sqlite3_column_double(q, 6);
	c.cases = sqlite3_column_int64(q, 7);
	c.done = sqlite3_column_int(q, 8) != 0;
	c.state.p = sqlite3_column_blob(q, 9);
	c.state.n = (size_t)sqlite3_column_bytes(q, 9);
	c.state.p = arena_strndup(c.arena, c.state.n ? c.state.p : "", c.state.n);
	if (!c.method || !c.command || !c.backends || !c.state.p) {
		campaign_release(&c);
		return err_nomem(e, "campaign", 0);
	}
	*out = c;
	return 0;
}

/* The first row of q, which is finalized; *found says whether there is one. */
static int first_campaign(struct store *s, sqlite3_stmt *q, int *found, struct campaign *out, struct err *e)
{
	enum db_row row = db_step(s, q, READING, e);
	int rc = row == DB_ROW ? read_campaign(q, out, e) : row == DB_FAILED ? e->code : 0;

	*found = row == DB_ROW;
	sqlite3_finalize(q);
	return rc;
}

int store_campaign_get(struct store *s, int64_t id, struct campaign *out, struct err *e)
{
	sqlite3_stmt *q;
	int found, rc = db_query(s, &q, e, "SELECT " COLUMNS " FROM campaigns WHERE id = ?1", "i", id);

	if (!rc)
		rc = first_campaign(s, q, &found, out, e);
	if (!rc && !found)
		rc = err_set(e, ERR_INPUT, "there is no campaign %lld in '%s'", (long long)id, s->path);
	return rc;
}

/* All are read first, so that `fn` may use the store as it likes. */
int store_each_campaign(struct store *s, store_campaign_fn *fn, void *arg, struct err *e)
{
	VEC(struct campaign) all = VEC_INIT;
	enum db_row row = DB_DONE;
	struct campaign c;
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e, "SELECT " COLUMNS " FROM campaigns ORDER BY id", "");

	if (rc)
		return rc;
	while (!rc && (row = db_step(s, q, READING, e)) == DB_ROW) {
		rc = read_campaign(q, &c, e);
		if (!rc && vec_push(&all, c)) {
			campaign_release(&c);
			rc = err_nomem(e, "campaigns", 0);
		}
	}
	sqlite3_finalize(q);
	if (row == DB_FAILED)
		rc = e->code;
	for (size_t i = 0; i < all.n; i++) {
		if (!rc)
			rc = fn(&all.at[i], arg);
		campaign_release(&all.at[i]);
	}
	vec_release(&all);
	return rc;
}

/* ---- opening and saving ------------------------------------------------------------------------------------------ */

static int add_campaign(struct store *s, const struct campaign_key *key, int64_t *id, struct err *e)
{
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e,
			  "INSERT INTO campaigns (method, command, backends, seed, started, seconds, cases, done)"
			  " VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0)",
			  "tttid", key->method, key->command, key->backends, (int64_t)key->seed, db_time());

	if (!rc)
		rc = db_finish(s, q, WRITING, e);
	if (!rc)
		*id = sqlite3_last_insert_rowid(s->db);
	return rc;
}

/* The newest that is not done; *id is 0 when there is none. */
static int find_campaign(struct store *s, const struct campaign_key *key, int64_t *id, struct err *e)
{
	sqlite3_stmt *q;
	enum db_row row;
	int rc = db_query(s, &q, e,
			  "SELECT max(id) FROM campaigns WHERE method = ?1 AND command = ?2 AND seed = ?3 AND NOT done",
			  "tti", key->method, key->command, (int64_t)key->seed);

	if (rc)
		return rc;
	row = db_step(s, q, READING, e);
	if (row == DB_ROW)
		*id = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return row == DB_FAILED ? e->code : 0;
}

int store_campaign_open(struct store *s, const struct campaign_key *key, int resume, struct campaign *out,
			struct err *e)
{
	int64_t id = 0;
	int resumed = 0, rc = db_begin(s, WRITING, e);

	if (rc)
		return rc;
	if (resume)
		rc = find_campaign(s, key, &id, e);
	resumed = id != 0;
	if (!rc && !id)
		rc = add_campaign(s, key, &id, e);
	rc = db_end(s, rc, WRITING, e);
	if (!rc)
		rc = store_campaign_get(s, id, out, e);
	if (!rc)
		out->resumed = resumed;
	return rc;
}

static int save_campaign(struct store *s, const struct campaign *c, struct err *e)
{
	sqlite3_stmt *q;
	int rc =
		db_query(s, &q, e, "UPDATE campaigns SET seconds = ?2, cases = ?3, done = ?4, state = ?5 WHERE id = ?1",
			 "idiib", c->id, c->seconds, c->cases, (int64_t)c->done, &c->state);

	if (!rc)
		rc = db_finish(s, q, WRITING, e);
	if (!rc && !sqlite3_changes(s->db))
		rc = err_set(e, ERR_INPUT, "there is no campaign %lld in '%s'", (long long)c->id, s->path);
	return rc;
}

int store_campaign_save(struct store *s, const struct campaign *c, struct err *e)
{
	int rc = db_begin(s, WRITING, e);

	return rc ? rc : db_end(s, save_campaign(s, c, e), WRITING, e);
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

static int put_point(struct store *s, int64_t campaign, double seconds, const struct store_point *p, struct err *e)
{
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e, "INSERT INTO points (campaign, curve, seconds, value) VALUES (?1, ?2, ?3, ?4)",
			  "itdd", campaign, p->curve, seconds, p->value);

	return rc ? rc : db_finish(s, q, WRITING, e);
}

int store_points(struct store *s, int64_t campaign, double seconds, const struct store_point *at, size_t n,
		 struct err *e)
{
	int rc = db_begin(s, WRITING, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_point(s, campaign, seconds, &at[i], e);
	return db_end(s, rc, WRITING, e);
}

int store_each_point(struct store *s, int64_t campaign, store_point_fn *fn, void *arg, struct err *e)
{
	enum db_row row = DB_DONE;
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e,
			  "SELECT curve, seconds, value FROM points WHERE campaign = ?1 ORDER BY curve, seconds, rowid",
			  "i", campaign);

	if (rc)
		return rc;
	while (!rc && (row = db_step(s, q, READING, e)) == DB_ROW) {
		double value = sqlite3_column_type(q, 2) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 2);
		const char *curve = (const char *)sqlite3_column_text(q, 0);

		rc = fn(curve ? curve : "", sqlite3_column_double(q, 1), value, arg);
	}
	sqlite3_finalize(q);
	return row == DB_FAILED ? e->code : rc;
}
