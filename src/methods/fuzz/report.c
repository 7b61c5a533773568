/* report.c - what a campaign has counted, for people and programs (see campaign.h). */
#include <stdio.h>

#include "methods/fuzz/campaign.h"

static json_t *fusions_json(const struct fuzz_stats *s)
{
	json_t *list = json_array();

	for (int i = 0; i < s->fusions; i++)
		json_array_append_new(list, json_string(s->fused[i].name));
	return list;
}

/* Of how many models, or failures, each is. */
static json_t *named_json(const struct fuzz_named *list, int n)
{
	json_t *o = json_object();

	for (int i = 0; i < n; i++)
		json_object_set_new(o, list[i].name, json_integer((json_int_t)list[i].n));
	return o;
}

/* Failures that are left when the paper's rule takes duplicates away, and their operators. */
static json_t *paper_json(const struct fuzz_stats *s)
{
	return json_pack("{s:I, s:I, s:I, s:o}", "mcf", (json_int_t)s->paper[FUZZ_MCF], "if",
			 (json_int_t)s->paper[FUZZ_IF], "dcf", (json_int_t)s->paper[FUZZ_DCF], "operators",
			 named_json(s->failing, s->blamed));
}

/* Of the time of all processes. */
static double triage_share(const struct fuzz_stats *s)
{
	double all = s->seconds * (s->jobs > 0 ? s->jobs : 1);

	return all > 0 ? s->triage / all : 0;
}

/* What is stored came again; what waits, or is of a kind that is known well, was not repeated. */
struct store_progress fuzz_progress(const struct fuzz_stats *s)
{
	return (struct store_progress){100 * s->coverage.olc, s->stored + s->status[FUZZ_FLAKY], s->stored};
}

void fuzz_triage_text(const struct fuzz_stats *s, char *out, size_t size)
{
	int n = snprintf(out, size, "triage took %.0f %% of the time", 100 * triage_share(s));

	if (s->waiting && n > 0 && (size_t)n < size)
		n += snprintf(out + n, size - (size_t)n, ", %lld to look into", (long long)s->waiting);
	if (s->passed && n > 0 && (size_t)n < size)
		n += snprintf(out + n, size - (size_t)n, ", %lld not looked into", (long long)s->passed);
	if (s->grace > 0 && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, "; the time is over, and triage is cut off in %.0f s", s->grace);
}

json_t *fuzz_stats_json(const struct fuzz_stats *s, int with_fusions, int with_lines)
{
	const struct coverage_figures *c = &s->coverage;
	json_t *o = json_pack(
		"{s:I, s:f, s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:{s:I, s:I, s:I, s:I}, s:{s:I, s:I, s:I}, s:I, "
		"s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:I, s:I}",
		"models", (json_int_t)s->cases, "seconds", s->seconds, "coverage", "otc", c->otc, "idc", c->idc, "odc",
		c->odc, "sec", c->sec, "spc", c->spc, "olc", c->olc, "status", "mcf", (json_int_t)s->status[FUZZ_MCF],
		"if", (json_int_t)s->status[FUZZ_IF], "dcf", (json_int_t)s->status[FUZZ_DCF], "dcp",
		(json_int_t)s->status[FUZZ_DCP], "distinct", "mcf", (json_int_t)s->distinct[FUZZ_MCF], "if",
		(json_int_t)s->distinct[FUZZ_IF], "dcf", (json_int_t)s->distinct[FUZZ_DCF], "unsupported",
		(json_int_t)s->status[FUZZ_UNSUPPORTED], "flaky", (json_int_t)s->status[FUZZ_FLAKY], "ours",
		(json_int_t)s->status[FUZZ_OURS], "raised", (json_int_t)s->corpus, "discarded",
		(json_int_t)s->discarded, "seen", (json_int_t)s->findings, "unique", (json_int_t)s->fresh, "stored",
		(json_int_t)s->stored, "not_run", (json_int_t)s->not_run, "cut_off", (json_int_t)s->cut_off);

	if (o)
		json_object_set_new(o, "triage",
				    json_pack("{s:f, s:f, s:I, s:I}", "seconds", s->triage, "share", triage_share(s),
					      "waiting", (json_int_t)s->waiting, "passed", (json_int_t)s->passed));
	if (o)
		json_object_set_new(o, "distinct_paper", paper_json(s));
	if (o && with_lines)
		json_object_set_new(o, "lines", json_integer((json_int_t)s->lines));
	if (o && with_fusions) {
		json_object_set_new(o, "fusions", fusions_json(s));
		json_object_set_new(o, "fused", named_json(s->fused, s->fusions));
	}
	return o;
}
