/* summary.c - what a campaign came to, for people and programs (declared in lead.h). */
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/tally.h"
#include "methods/campaign/lead.h"
#include "store/store.h"

static json_t *count_states(const struct ledger *l)
{
	json_t *out = json_object();

	for (int s = LEDGER_RUNNING; s < LEDGER_STATES; s++) {
		json_int_t n = 0;

		for (size_t i = 0; i < l->tasks.n; i++)
			n += l->tasks.at[i].state == (enum ledger_state)s;
		json_object_set_new(out, ledger_state_name((enum ledger_state)s), json_integer(n));
	}
	return out;
}

static json_t *describe_lines(const struct campaign_order *o, const struct shares_line *lines)
{
	json_t *out = json_array();

	for (size_t i = 0; i < o->n; i++) {
		const struct order_line *l = &o->lines[i];
		const struct store_progress *p = &lines[i].progress;

		json_array_append_new(out, json_pack("{s:s, s:o, s:f, s:I, s:f, s:f, s:I, s:I, s:o, s:I, s:I}",
						     "method", l->part->method, "backend", json_text(l->backend),
						     "share", l->share, "tasks", (json_int_t)lines[i].tasks,
						     "seconds_by_share", lines[i].seconds[0], "seconds_by_finds",
						     lines[i].seconds[1], "findings", (json_int_t)lines[i].added,
						     "clusters", (json_int_t)lines[i].clusters, "coverage",
						     json_number_or_null(p->coverage), "repeats",
						     (json_int_t)p->repeats, "agreed", (json_int_t)p->agreed));
	}
	return out;
}

json_t *lead_counts(const struct campaign_order *o, const struct ledger *l)
{
	const struct tally none = {0};
	json_t *out = json_object(), *counts;
	const char *backend;

	for (size_t i = 0; i < o->n; i++)
		json_object_set_new(out, o->lines[i].backend, tally_json(&none));
	for (size_t i = 0; i < l->tasks.n; i++) {
		json_object_foreach(l->tasks.at[i].counts, backend, counts)
		{
			struct tally sum = {0};

			tally_add_json(&sum, counts);
			tally_add_json(&sum, json_object_get(out, backend));
			json_object_set_new(out, backend, tally_json(&sum));
		}
	}
	return out;
}

static int count_finding(const struct finding *f, void *arg)
{
	json_t *all = arg, *own = json_object_get(all, f->backend);
	const char *verdict = verdict_name(f->verdict);

	if (!own)
		json_object_set_new(all, f->backend, own = json_object());
	json_object_set_new(own, verdict, json_integer(json_integer_value(json_object_get(own, verdict)) + 1));
	return 0;
}

static int count_findings(const char *path, json_t *out, struct err *e)
{
	struct store *s = NULL;
	struct stat st;
	int rc;

	if (stat(path, &st)) /* no task has made a store */
		return 0;
	rc = store_open(path, 0, &s, e);
	if (!rc)
		rc = store_each(s, NULL, count_finding, out, e);
	store_close(s);
	return rc;
}

json_t *lead_summary(const struct campaign_order *o, const struct ledger *l, struct err *e)
{
	struct shares_line *lines = mem_array(o->n + 1, sizeof *lines);
	json_t *findings = json_object(), *out = NULL;
	char path[PLACE_PATH];
	int rc = lines ? place_path(path, e, "%s/findings.db", l->folder) : err_nomem(e, "lines", o->n);

	if (!rc)
		rc = count_findings(path, findings, e);
	if (!rc) {
		shares_count(l, o, lines);
		out = json_pack("{s:f, s:I, s:o, s:o, s:o, s:O, s:I, s:o}", "seconds", l->seconds, "runs",
				(json_int_t)l->runs, "tasks", count_states(l), "lines", describe_lines(o, lines),
				"counts", lead_counts(o, l), "findings", findings, "clusters", (json_int_t)l->clusters,
				"store", json_text(path));
		if (!out)
			err_nomem(e, "a summary", 0);
	}
	json_decref(findings);
	mem_free(lines);
	return out;
}
