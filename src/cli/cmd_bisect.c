/* cmd_bisect.c - assay bisect: since which version a finding shows, and until which. */
#include <stdio.h>

#include "cli/cli.h"
#include "install/versions.h"
#include "report/paint.h"
#include "triage/subject.h"
#include "triage/triage.h"

int cmd_bisect(struct cli *c);

struct cmd_bisect_options {
	struct subject_options subject;
	const char *versions;
	int installed, json;
	double seconds; /* a run that takes longer is a hang */
};

/* ---- results ----------------------------------------------------------------------------------------------------- */

static json_t *or_null(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static void print_json(FILE *out, const struct subject *s, const struct bisect_result *r)
{
	json_t *list = json_array(), *j;

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o}", "version", r->tried[i].version, "verdict",
						verdict_name(r->tried[i].verdict), "noise_ratio",
						json_number(r->tried[i].ratio), "note", or_null(r->tried[i].note)));
	j = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "backend", json_text(s->backend), "verdict",
		      verdict_name(r->verdict), "first_bad", or_null(r->first_bad), "last_good_before",
		      or_null(r->last_good_before), "first_good_after", or_null(r->first_good_after), "tried", list);
	cli_print_json(out, j);
}

static void print_text(FILE *out, const struct subject *s, const struct bisect_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct bisect_step *t = &r->tried[i];
		char word[PAINT_SIZE];

		fprintf(out, "%-16s %s", t->version, paint_verdict(t->verdict, 0, word));
		if (verdict_is_finding(t->verdict) && t->ratio > 0)
			fprintf(out, ", %.3g times the rounding noise", t->ratio);
		fprintf(out, "%s%s\n", *t->note ? ": " : "", t->note);
	}
	fprintf(out, "first bad: %s", r->first_bad);
	if (*r->last_good_before)
		fprintf(out, " (%s is right)", r->last_good_before);
	else
		fprintf(out, " (no older version in reach is right)");
	if (*r->first_good_after)
		fprintf(out, "; right again since %s\n", r->first_good_after);
	else
		fprintf(out, "; no newer version in reach is right\n");
	(void)s;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int bisect(struct subject *s, const struct cmd_bisect_options *o, struct bisect_result *out, struct err *e)
{
	struct versions v = {0};
	struct bisect_request q;
	int rc = versions_list(s->spec.backend, o->versions, o->installed, &v, e);

	q = (struct bisect_request){.trial = &s->trial,
				    .spec = &s->spec,
				    .verdict = s->verdict,
				    .any = !s->has_verdict,
				    .gradient = s->gradient,
				    .limits = {.run_seconds = o->seconds},
				    .versions = (const char *const *)v.at,
				    .n = v.n,
				    .install = o->installed ? NULL : versions_provide,
				    .arg = &v};
	if (!rc)
		rc = bisect_versions(&q, out, e);
	versions_release(&v);
	return rc;
}

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	const struct cmd_bisect_options *o = arg;
	struct subject s = {0};
	struct bisect_result r = {0};
	int rc = cli_one(c, rest, CLI_SUBJECT, e);

	if (!rc)
		rc = subject_open(rest->at[0], &o->subject, &s, e);
	if (rc)
		return rc;
	rc = bisect(&s, o, &r, e);
	if (!rc) {
		(o->json ? print_json : print_text)(c->out, &s, &r);
		s.f.since = r.first_bad;
		s.f.until = r.first_good_after;
		rc = subject_store(&s, e);
	}
	bisect_release(&r);
	subject_close(&s);
	return rc ? rc : CLI_FINDINGS;
}

int cmd_bisect(struct cli *c)
{
	struct cmd_bisect_options o = {0};
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "begin with this version"},
		{0, "versions", "LIST", CLI_STRING, &o.versions, "search these, separated by commas"},
		{0, "installed", NULL, CLI_FLAG, &o.installed, "only versions that are installed: fetch nothing"},
		{0, "timeout", "SECONDS", CLI_ABOVE0, &o.seconds, "a run that takes longer is a hang (default: 30)"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "the case as first seen, not the reduced one"},
		{0, "seed", "N", CLI_INT, &o.subject.seed,
		 "noise seed, if the folder has no finding.json (default: 0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->notes = "Versions are those of the library's lock file and those installed; what is missing is "
		   "installed.\n" CLI_SUBJECT_NOTES
		   "The answer goes into the store.  Exit status: 1 when a first bad version was found.\n";
	return cli_main(c, options, run, &o);
}
