/* cmd_replay.c - assay replay: does a finding still show? */
#include <string.h>

#include "cli/cli.h"
#include "report/paint.h"
#include "triage/subject.h"

int cmd_replay(struct cli *c);

static void print_json(FILE *out, const char *word, const struct subject *s, const struct party *p,
		       const struct outcome *o, int shows)
{
	json_t *j = json_pack("{s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:b}", "case", json_text(word), "backend",
			      json_text(s->backend), "version", party_version(p), "verdict", verdict_name(o->verdict),
			      "expected", s->has_verdict ? json_string(verdict_name(s->verdict)) : json_null(),
			      "reason", o->reason, "noise_ratio", json_number(o->ratio), "shows", shows);

	cli_print_json(out, j);
}

static void print_text(FILE *out, const char *word, const struct subject *s, const struct party *p,
		       const struct outcome *o, int shows)
{
	char verdict[PAINT_SIZE];

	fprintf(out, "%s on %s (%s): %s", word, s->backend, party_version(p), paint_verdict(o->verdict, 0, verdict));
	if (verdict_is_finding(o->verdict) && o->ratio > 0)
		fprintf(out, ", %.3g times the rounding noise", o->ratio);
	fprintf(out, "\n");
	if (*o->reason)
		fprintf(out, "  %s\n", o->reason);
	if (s->has_verdict && !shows)
		fprintf(out, "the finding (%s) does not show\n", verdict_name(s->verdict));
	else
		fprintf(out, shows ? "the finding shows\n" : "no finding\n");
}

struct replay_options {
	struct subject_options subject;
	int json;
};

static int replay(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	const struct replay_options *o = arg;
	struct subject s;
	struct party p = {0};
	struct outcome outcome = {0};
	int shows, rc = cli_one(c, rest, CLI_SUBJECT, e);

	if (!rc)
		rc = subject_open(rest->at[0], &o->subject, &s, e);
	if (rc)
		return rc;
	rc = subject_judge(&s, &p, &outcome, e);
	if (!rc) {
		shows = s.has_verdict ? outcome.verdict == s.verdict : verdict_is_finding(outcome.verdict);
		(o->json ? print_json : print_text)(c->out, rest->at[0], &s, &p, &outcome, shows);
		rc = shows ? CLI_FINDINGS : CLI_OK;
		outcome_release(&outcome);
		party_close(&p);
	}
	subject_close(&s);
	return rc;
}

int cmd_replay(struct cli *c)
{
	struct replay_options o = {0};
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "run it here instead, on another version say"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "the case as first seen, not the reduced one"},
		{0, "seed", "N", CLI_INT, &o.subject.seed, "of rounding noise, for a folder that does not tell (0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->verdicts = 1;
	c->notes = CLI_SUBJECT_NOTES "Exit status: 1 when the finding shows again, 0 when not.\n";
	return cli_main(c, options, replay, &o);
}
