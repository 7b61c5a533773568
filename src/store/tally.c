/* tally.c - how much of each backend a run has judged (declared in store.h). */
#include "base/tally.h"
#include "store/db.h"
#include "store/store.h"

#define WRITING "write counts to"
#define READING "read counts of"

static int put(struct store *s, const struct store_tally *t, struct err *e)
{
	const struct tally *n = &t->tally;
	sqlite3_stmt *q;
	int rc = db_query(s, &q, e,
			  "INSERT OR REPLACE INTO tallies (campaign, model, backend, verdict, note, given, ran, judged,"
			  " unsupported, vacuous, unjudged) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
			  "ittttiiiiii", t->campaign, t->model, t->backend, t->verdict, t->note, (int64_t)n->given,
			  (int64_t)n->ran, (int64_t)n->judged, (int64_t)n->unsupported, (int64_t)n->vacuous,
			  (int64_t)n->unjudged);

	return rc ? rc : db_finish(s, q, WRITING, e);
}

int store_set_tally(struct store *s, const struct store_tally *t, struct err *e)
{
	int rc = db_begin(s, WRITING, e);

	return rc ? rc : db_end(s, put(s, t, e), WRITING, e);
}

static const char *text_of(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	return text ? text : "";
}

int store_each_tally(struct store *s, store_tally_fn *fn, void *arg, struct err *e)
{
	enum db_row row = DB_DONE;
	sqlite3_stmt *q;
	int rc = db_query(
		s, &q, e,
		"SELECT campaign, method, model, tallies.backend, verdict, note, given, ran, judged, unsupported,"
		" vacuous, unjudged FROM tallies JOIN campaigns ON campaigns.id = campaign"
		" ORDER BY campaign, model, tallies.backend",
		"");

	if (rc)
		return rc;
	while (!rc && (row = db_step(s, q, READING, e)) == DB_ROW) {
		const struct store_tally t = {.campaign = sqlite3_column_int64(q, 0),
					      .method = text_of(q, 1),
					      .model = text_of(q, 2),
					      .backend = text_of(q, 3),
					      .verdict = text_of(q, 4),
					      .note = text_of(q, 5),
					      .tally = {.given = (size_t)sqlite3_column_int64(q, 6),
							.ran = (size_t)sqlite3_column_int64(q, 7),
							.judged = (size_t)sqlite3_column_int64(q, 8),
							.unsupported = (size_t)sqlite3_column_int64(q, 9),
							.vacuous = (size_t)sqlite3_column_int64(q, 10),
							.unjudged = (size_t)sqlite3_column_int64(q, 11)}};

		rc = fn(&t, arg);
	}
	sqlite3_finalize(q);
	return row == DB_FAILED ? e->code : rc;
}
