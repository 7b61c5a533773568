/* cmd_replay.c - assay replay: does a finding still show? */
#include <string.h>

#include "base/place.h"
#include "cli/cli.h"
#include "methods/equiv/again.h"
#include "report/evidence.h"
#include "report/paint.h"
#include "triage/subject.h"
#include "worker/parent/spec.h"

int cmd_replay(struct cli *c);

/* What came of it, of a case or of a call. */
struct replayed {
	const char *word, *backend, *version, *reason;
	const char *sides, *oracle, *wrong_side; /* of a call; "" */
	enum verdict verdict;
	double ratio;
	const struct subject *subject;
	int shows;
};

static void print_json(FILE *out, const struct replayed *r)
{
	const struct subject *s = r->subject;
	json_t *j = json_pack("{s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:b}", "case", json_text(r->word), "backend",
			      json_text(r->backend), "version", r->version, "verdict", verdict_name(r->verdict),
			      "expected", s->has_verdict ? json_string(verdict_name(s->verdict)) : json_null(),
			      "reason", r->reason, "noise_ratio", json_number(r->ratio), "shows", r->shows);

	if (s->is_call) {
		json_object_set_new(j, "oracle", json_string(r->oracle));
		json_object_set_new(j, "wrong_side", json_string(r->wrong_side));
	}
	cli_print_json(out, j);
}

static void print_text(FILE *out, const struct replayed *r)
{
	const struct subject *s = r->subject;
	char verdict[PAINT_SIZE];

	fprintf(out, "%s on %s (%s): %s", r->word, SHOWN_AS(r->backend), r->version,
		paint_verdict(r->verdict, 0, verdict));
	if (verdict_is_finding(r->verdict) && r->ratio > 0)
		fprintf(out, ", %.3g times the rounding noise", r->ratio);
	fprintf(out, "\n%s", r->sides);
	if (*r->reason)
		fprintf(out, "  %s\n", r->reason);
	if (*r->oracle)
		fprintf(out, "  decided by %s%s%s\n", evidence_oracle(r->oracle),
			*r->wrong_side ? "; wrong is side " : "", r->wrong_side);
	if (s->has_verdict && !r->shows)
		fprintf(out, "the finding (%s) does not show\n", verdict_name(s->verdict));
	else
		fprintf(out, r->shows ? "the finding shows\n" : "no finding\n");
}

struct replay_options {
	struct subject_options subject;
	int json;
};

static int tell(struct cli *c, const struct replay_options *o, struct replayed *r)
{
	const struct subject *s = r->subject;

	r->shows = s->has_verdict ? r->verdict == s->verdict : verdict_is_finding(r->verdict);
	(o->json ? print_json : print_text)(c->out, r);
	return r->shows ? CLI_FINDINGS : CLI_OK;
}

static int replay_call(struct cli *c, const struct replay_options *o, const struct subject *s, struct err *e)
{
	char data[PLACE_PATH], folder[PLACE_PATH];
	struct equiv_replay again = {0};
	struct replayed r = {.word = s->name, .subject = s};
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(folder, e, "%s/equiv", data);
	if (!rc)
		rc = equiv_replay(&s->f, o->subject.backend, folder, &again, e);
	if (rc)
		return rc;
	r.backend = again.backend;
	r.version = again.version;
	r.reason = again.reason;
	r.sides = again.sides.data ? again.sides.data : "";
	r.oracle = again.oracle;
	r.wrong_side = again.wrong_side;
	r.verdict = again.verdict;
	r.ratio = again.ratio;
	rc = tell(c, o, &r);
	equiv_replay_release(&again);
	return rc;
}

static int replay_case(struct cli *c, const struct replay_options *o, struct subject *s, struct err *e)
{
	struct replayed r = {
		.word = s->name, .backend = s->backend, .sides = "", .oracle = "", .wrong_side = "", .subject = s};
	struct party p = {0};
	struct outcome outcome = {0};
	int rc = subject_judge(s, &p, &outcome, e);

	if (rc)
		return rc;
	r.version = party_version(&p);
	r.reason = outcome.reason;
	r.verdict = outcome.verdict;
	r.ratio = outcome.ratio;
	rc = tell(c, o, &r);
	outcome_release(&outcome);
	party_close(&p);
	return rc;
}

static int replay(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	const struct replay_options *o = arg;
	struct subject s;
	int rc = cli_one(c, rest, CLI_SUBJECT, e);

	if (!rc)
		rc = subject_open(rest->at[0], &o->subject, &s, e);
	if (rc)
		return rc;
	rc = s.is_call ? replay_call(c, o, &s, e) : replay_case(c, o, &s, e);
	subject_close(&s);
	return rc;
}

int cmd_replay(struct cli *c)
{
	struct replay_options o = {.subject = {.calls = 1}};
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "run it here instead, on another version say"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "the case as first seen, not the reduced one"},
		{0, "seed", "N", CLI_INT, &o.subject.seed,
		 "noise seed, if the folder has no finding.json (default: 0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->verdicts = 1;
	c->notes = CLI_SUBJECT_NOTES "Exit status: 1 when the finding shows again, 0 when not.\n";
	return cli_main(c, options, replay, &o);
}
