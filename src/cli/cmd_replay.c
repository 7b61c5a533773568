/* cmd_replay.c - assay replay: does a finding still show? */
#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "triage/subject.h"

int cmd_replay(struct cli *c);

static void print_json(FILE *out, const char *word, const struct subject *s, const struct party *p,
		       const struct outcome *o, int shows)
{
	json_t *j = json_pack("{s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:b}", "case", json_text(word), "backend",
			      json_text(s->backend), "version", party_version(p), "verdict", verdict_name(o->verdict),
			      "expected", s->has_verdict ? json_string(verdict_name(s->verdict)) : json_null(),
			      "reason", o->reason, "noise_ratio", json_number(o->ratio), "shows", shows);

	json_dumpf(j, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(j);
}

static void print_text(FILE *out, const char *word, const struct subject *s, const struct party *p,
		       const struct outcome *o, int shows)
{
	fprintf(out, "%s on %s (%s): %s", word, s->backend, party_version(p), verdict_name(o->verdict));
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

static int replay(struct cli *c, const char *word, const struct subject_options *o, int json, struct err *e)
{
	struct subject s;
	struct party p = {0};
	struct outcome outcome = {0};
	int shows, rc = subject_open(word, o, &s, e);

	if (rc)
		return rc;
	rc = subject_judge(&s, &p, &outcome, e);
	if (!rc) {
		shows = s.has_verdict ? outcome.verdict == s.verdict : verdict_is_finding(outcome.verdict);
		(json ? print_json : print_text)(c->out, word, &s, &p, &outcome, shows);
		rc = shows ? CLI_FINDINGS : CLI_OK;
		outcome_release(&outcome);
		party_close(&p);
	}
	subject_close(&s);
	return rc;
}

int cmd_replay(struct cli *c)
{
	struct subject_options o = {0};
	struct texts rest = {0};
	struct err e = ERR_INIT;
	int json = 0, rc;
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.backend, "run it here instead, on another version say"},
		{0, "db", "FILE", CLI_STRING, &o.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.original, "the case as first seen, not the reduced one"},
		{0, "seed", "N", CLI_INT, &o.seed, "of rounding noise, for a folder that does not tell (0)"},
		{0, "json", NULL, CLI_FLAG, &json, "print the result as JSON"},
		{0},
	};

	c->notes = "N is the number of a finding; DIR is a bundle, or a folder with model.onnx and inputs.npz and -b "
		   "NAME.\n"
		   "Exit status: 1 when the finding shows again, 0 when not.\n";
	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	if (rest.n != 1)
		rc = err_set(&e, ERR_USAGE, "replay needs one finding or folder, not %zu", rest.n);
	else
		rc = replay(c, rest.at[0], &o, json, &e);
	vec_release(&rest);
	return rc < 0 ? cli_fail(&e) : rc;
}
