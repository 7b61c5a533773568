/* cmd_reduce.c - assay reduce: the smallest case that still shows a finding. */
#include <stdio.h>

#include "base/plain.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "report/finding.h"
#include "triage/subject.h"
#include "triage/triage.h"

int cmd_reduce(struct cli *c);

struct cmd_reduce_options {
	struct subject_options subject;
	const char *output;
	double seconds;
	int64_t jobs;
	int json;
};

/* ---- what came of it --------------------------------------------------------------------------------------------- */

static json_t *nodes_json(const struct graph *g)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->nodes.n; i++)
		json_array_append_new(list, json_text(g->nodes.at[i]->op_type));
	return list;
}

static void print_json(FILE *out, const char *word, const struct subject *s, const struct reduce_result *r,
		       const char *folder)
{
	json_t *j = json_pack(
		"{s:o, s:o, s:s, s:o, s:I, s:I, s:o, s:I, s:I, s:f, s:f, s:s, s:s, s:o}", "case", json_text(word),
		"backend", json_text(s->backend), "verdict", verdict_name(r->outcome.verdict), "noise_ratio",
		json_number(r->outcome.ratio), "nodes_before", (json_int_t)r->nodes_before, "nodes_after",
		(json_int_t)r->nodes_after, "ops", nodes_json(r->trial.model->graph), "tries", (json_int_t)r->tries,
		"kept", (json_int_t)r->kept, "seconds", r->seconds, "backend_seconds", r->backend_seconds, "guilty",
		r->switches.words, "made_by", r->switches.made_by, "bundle", folder ? json_text(folder) : json_null());

	cli_print_json(out, j);
}

static void print_case(FILE *out, const struct trial *t)
{
	const struct graph *g = t->model->graph;
	char text[256];

	for (size_t i = 0; i < g->inputs.n; i++)
		fprintf(out, "  input %s: %s\n", PLAIN(g->inputs.at[i]->name),
			type_describe(&g->inputs.at[i]->type, g, text, sizeof text));
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		fprintf(out, "  %s(", PLAIN(n->op_type));
		for (int k = 0; k < n->n_in; k++)
			fprintf(out, "%s%s", k ? ", " : "", n->in[k] ? PLAIN(n->in[k]->name) : "-");
		fprintf(out, ") ->");
		for (int k = 0; k < n->n_out; k++)
			fprintf(out, " %s", n->out[k] ? PLAIN(n->out[k]->name) : "-");
		for (int k = 0; k < n->n_attrs; k++)
			fprintf(out, "%s%s", k ? ", " : "  with ", PLAIN(n->attrs[k].name));
		fprintf(out, "\n");
	}
}

static void print_repro(FILE *out, const struct subject *s, const char *folder, int stored)
{
	struct buf repro;

	buf_init(&repro, SPEC_PATH);
	if (folder) {
		fprintf(out, "bundle: %s\n", folder);
		buf_puts(&repro, "assay replay ");
		buf_quote(&repro, folder);
		spec_type(s->backend, &repro);
	} else if (stored) {
		finding_repro(&s->f, s->store, &repro);
	}
	if (repro.len)
		fprintf(out, "repro: %s\n", repro.data);
	buf_release(&repro);
}

static void print_text(FILE *out, const char *word, const struct subject *s, const struct reduce_result *r)
{
	fprintf(out, "%s on %s: %zu node%s to %zu, %zu tries, %zu kept\n", word, s->backend, r->nodes_before,
		PLURAL(r->nodes_before), r->nodes_after, r->tries, r->kept);
	print_case(out, &r->trial);
	fprintf(out, "verdict: %s\n", verdict_name(r->outcome.verdict));
	if (*r->outcome.reason)
		fprintf(out, "  %s\n", r->outcome.reason);
	if (*r->switches.words)
		fprintf(out, "sufficient to change: %s\n", r->switches.words);
	if (*r->switches.made_by)
		fprintf(out, "these passes alone do it: %s\n", r->switches.made_by);
}

/* Writes the smallest case and prints it, also when it cannot be written: that is told behind it. */
static int hand_out(FILE *out, const char *word, const struct cmd_reduce_options *o, struct subject *s,
		    const struct reduce_result *r, struct err *e)
{
	struct err unstored = ERR_INIT;
	int lost = subject_store(s, &unstored);
	int rc = o->output ? bundle_write(&s->f, &s->spec, o->output, e) : 0;
	const char *folder = rc ? NULL : o->output;

	if (o->json) {
		print_json(out, word, s, r, folder);
	} else {
		print_text(out, word, s, r);
		print_repro(out, s, folder, s->store && !lost);
	}
	if (!lost)
		return rc;
	if (rc)
		return err_prefix(e, "%s", unstored.msg);
	*e = unstored;
	return e->code;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

struct cmd_reduce_watch {
	struct progress bar;
	char now[64];
};

static void show_progress(size_t nodes, size_t tries, void *arg)
{
	struct cmd_reduce_watch *w = arg;

	snprintf(w->now, sizeof w->now, "%zu nodes", nodes);
	progress_step(&w->bar, tries, w->now);
}

static int reduce(struct subject *s, struct party *p, const struct outcome *o, const struct cmd_reduce_options *options,
		  struct reduce_result *out, struct err *e)
{
	struct cmd_reduce_watch w;
	struct reduce_options ro = {.jobs = (int)options->jobs,
				    .seconds = options->seconds,
				    .gradient = s->gradient,
				    .progress = show_progress,
				    .progress_arg = &w};
	int rc;

	progress_start(&w.bar, "tries", 0);
	rc = reduce_trial(&s->trial, p, o, s->op, &ro, out, e);
	progress_end(&w.bar);
	return rc;
}

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	const struct cmd_reduce_options *o = arg;
	struct subject s = {0};
	struct party p = {0};
	struct outcome outcome = {0};
	struct reduce_result r = {0};
	int rc = cli_one(c, rest, CLI_SUBJECT, e);

	if (!rc && (o->jobs < 1 || o->jobs > 64))
		rc = err_set(e, ERR_USAGE, "--jobs: %lld is not between 1 and 64", (long long)o->jobs);
	if (!rc)
		rc = subject_open(rest->at[0], &o->subject, &s, e);
	if (!rc)
		rc = subject_judge(&s, &p, &outcome, e);
	if (!rc)
		rc = subject_check(&s, &outcome, e);
	if (!rc)
		rc = reduce(&s, &p, &outcome, o, &r, e);
	if (!rc)
		rc = subject_set_reduced(&s, &p, &r, e);
	if (!rc)
		rc = hand_out(c->out, rest->at[0], o, &s, &r, e);
	reduce_result_release(&r);
	outcome_release(&outcome);
	party_close(&p);
	subject_close(&s);
	return rc ? rc : CLI_FINDINGS;
}

int cmd_reduce(struct cli *c)
{
	struct cmd_reduce_options o = {.jobs = 1};
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "the backend that shows it"},
		{'o', "output", "DIR", CLI_STRING, &o.output, "write a bundle of the smallest case"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "begin with the case as first seen"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "tries at a time, each with a worker of its own (1)"},
		{0, "time", "TIME", CLI_TIME, &o.seconds, "stop after this time, 5m say (60s)"},
		{0, "seed", "N", CLI_INT, &o.subject.seed,
		 "noise seed, if the folder has no finding.json (default: 0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->notes = CLI_SUBJECT_NOTES
		"A finding's smallest case goes into the store as well.  Exit status: 1 when it was reduced.\n";
	return cli_main(c, options, run, &o);
}
