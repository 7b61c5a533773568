/* cmd_reduce.c - assay reduce: the smallest case that still shows a finding. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "triage/subject.h"
#include "triage/triage.h"

int cmd_reduce(struct cli *c);

struct options {
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
	json_t *j =
		json_pack("{s:o, s:o, s:s, s:o, s:I, s:I, s:o, s:I, s:I, s:f, s:f, s:s, s:o}", "case", json_text(word),
			  "backend", json_text(s->backend), "verdict", verdict_name(r->outcome.verdict), "noise_ratio",
			  json_number(r->outcome.ratio), "nodes_before", (json_int_t)r->nodes_before, "nodes_after",
			  (json_int_t)r->nodes_after, "ops", nodes_json(r->trial.model->graph), "tries",
			  (json_int_t)r->tries, "kept", (json_int_t)r->kept, "seconds", r->seconds, "backend_seconds",
			  r->backend_seconds, "guilty", r->guilty, "bundle", folder ? json_text(folder) : json_null());

	json_dumpf(j, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(j);
}

static void print_case(FILE *out, const struct trial *t)
{
	const struct graph *g = t->model->graph;
	char text[256];

	for (size_t i = 0; i < g->inputs.n; i++)
		fprintf(out, "  input %s: %s\n", g->inputs.at[i]->name,
			type_describe(&g->inputs.at[i]->type, g, text, sizeof text));
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		fprintf(out, "  %s(", n->op_type);
		for (int k = 0; k < n->n_in; k++)
			fprintf(out, "%s%s", k ? ", " : "", n->in[k] ? n->in[k]->name : "-");
		fprintf(out, ") ->");
		for (int k = 0; k < n->n_out; k++)
			fprintf(out, " %s", n->out[k] ? n->out[k]->name : "-");
		for (int k = 0; k < n->n_attrs; k++)
			fprintf(out, "%s%s", k ? ", " : "  with ", n->attrs[k].name);
		fprintf(out, "\n");
	}
}

static void print_text(FILE *out, const char *word, const struct subject *s, const struct reduce_result *r,
		       const char *folder)
{
	fprintf(out, "%s on %s: %zu nodes to %zu, %zu tries, %zu kept\n", word, s->backend, r->nodes_before,
		r->nodes_after, r->tries, r->kept);
	print_case(out, &r->trial);
	fprintf(out, "verdict: %s\n", verdict_name(r->outcome.verdict));
	if (*r->outcome.reason)
		fprintf(out, "  %s\n", r->outcome.reason);
	if (*r->guilty)
		fprintf(out, "decided by: %s\n", r->guilty);
	if (folder)
		fprintf(out, "bundle: %s\nrepro: assay replay %s\n", folder, folder);
	else if (s->store)
		fprintf(out, "repro: assay replay %lld\n", (long long)s->f.id);
}

/* ---- keeping it -------------------------------------------------------------------------------------------------- */

struct small {
	struct buf model, inputs, expected;
	char *evidence;
};

static void small_release(struct small *b)
{
	buf_release(&b->model);
	buf_release(&b->inputs);
	buf_release(&b->expected);
	mem_free(b->evidence);
}

static struct bytes bytes_of(const struct buf *b)
{
	return (struct bytes){b->data ? b->data : "", b->len};
}

static int small_make(struct reduce_result *r, struct small *out, struct err *e)
{
	int rc;

	buf_init(&out->model, MODEL_MAX_FILE);
	buf_init(&out->inputs, MODEL_MAX_FILE);
	buf_init(&out->expected, MODEL_MAX_FILE);
	buf_add(&out->model, r->trial.bytes.data, r->trial.bytes.len);
	rc = buf_check(&out->model, e);
	if (!rc)
		rc = trial_inputs_npz(&r->trial, &out->inputs, e);
	if (!rc && !r->trial.invalid)
		rc = trial_expected_npz(&r->trial, &out->expected, e);
	return rc;
}

/* The finding's evidence with the reduction in it. */
static char *evidence_with(const struct finding *f, const struct reduce_result *r)
{
	json_t *all = json_loads(f->evidence, 0, NULL);
	char *text;

	if (!json_is_object(all)) {
		json_decref(all);
		all = json_object();
	}
	json_object_set_new(all, "reduce",
			    json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:s}", "tries", (json_int_t)r->tries, "kept",
				      (json_int_t)r->kept, "nodes_before", (json_int_t)r->nodes_before, "nodes_after",
				      (json_int_t)r->nodes_after, "seconds", r->seconds, "backend_seconds",
				      r->backend_seconds, "guilty", r->guilty));
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

/* The finding as it is now: what the store gets, and what a bundle is made of. */
static int fill_finding(struct subject *s, const struct party *p, struct reduce_result *r, struct small *b,
			struct err *e)
{
	struct finding *f = &s->f;
	int rc = small_make(r, b, e);

	if (!rc && !(b->evidence = evidence_with(f, r)))
		rc = err_nomem(e, "evidence", 0);
	if (rc)
		return rc;
	f->reduced_model = bytes_of(&b->model);
	f->reduced_inputs = bytes_of(&b->inputs);
	f->reduced_expected = bytes_of(&b->expected);
	f->evidence = b->evidence;
	f->nodes = (int)r->nodes_after;
	if (s->store)
		return store_update(s->store, f, e);
	f->backend = s->backend;
	f->library = p->spec.library;
	f->version = party_version(p);
	f->verdict = r->outcome.verdict;
	f->gradient = s->gradient;
	f->noise_ratio = r->outcome.ratio;
	f->detail = r->outcome.reason;
	f->original_nodes = (int)r->nodes_before;
	return 0;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

struct watch {
	struct progress bar;
	char now[64];
};

static void show_progress(size_t nodes, size_t tries, void *arg)
{
	struct watch *w = arg;

	snprintf(w->now, sizeof w->now, "%zu nodes", nodes);
	progress_step(&w->bar, tries, w->now);
}

static int reduce(struct subject *s, struct party *p, const struct outcome *o, const struct options *options,
		  struct reduce_result *out, struct err *e)
{
	struct watch w;
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

static int run(struct cli *c, const char *word, const struct options *o, struct err *e)
{
	struct subject s;
	struct party p = {0};
	struct outcome outcome = {0};
	struct reduce_result r = {0};
	struct small b = {0};
	int rc = subject_open(word, &o->subject, &s, e);

	if (rc)
		return rc;
	rc = subject_judge(&s, &p, &outcome, e);
	if (!rc && (s.has_verdict ? outcome.verdict != s.verdict : !verdict_is_finding(outcome.verdict)))
		rc = err_set(e, ERR_INPUT, "%s: there is nothing to reduce: %s gives '%s'%s%s", word, s.backend,
			     verdict_name(outcome.verdict), s.has_verdict ? ", not " : "",
			     s.has_verdict ? verdict_name(s.verdict) : "");
	if (!rc)
		rc = reduce(&s, &p, &outcome, o, &r, e);
	if (!rc)
		rc = fill_finding(&s, &p, &r, &b, e);
	if (!rc && o->output)
		rc = bundle_write(&s.f, o->output, e);
	if (!rc)
		(o->json ? print_json : print_text)(c->out, word, &s, &r, o->output);
	small_release(&b);
	reduce_result_release(&r);
	outcome_release(&outcome);
	party_close(&p);
	subject_close(&s);
	return rc ? rc : CLI_FINDINGS;
}

int cmd_reduce(struct cli *c)
{
	struct options o = {.jobs = 1};
	struct texts rest = {0};
	struct err e = ERR_INIT;
	int rc;
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.subject.backend, "the backend that shows it"},
		{'o', "output", "DIR", CLI_STRING, &o.output, "write a bundle of the smallest case"},
		{0, "db", "FILE", CLI_STRING, &o.subject.db, "the store ($ASSAY_DB, else " STORE_DEFAULT ")"},
		{0, "original", NULL, CLI_FLAG, &o.subject.original, "begin with the case as first seen"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "tries at a time, each with a worker of its own (1)"},
		{0, "time", "TIME", CLI_TIME, &o.seconds, "stop after this time, 5m say (60s)"},
		{0, "seed", "N", CLI_INT, &o.subject.seed, "of rounding noise, for a folder that does not tell (0)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the result as JSON"},
		{0},
	};

	c->notes = "N is the number of a finding; DIR is a bundle, or a folder with model.onnx and inputs.npz and -b "
		   "NAME.\n"
		   "A finding's smallest case goes into the store as well.  Exit status: 1 when it was reduced.\n";
	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	if (rest.n != 1)
		rc = err_set(&e, ERR_USAGE, "reduce needs one finding or folder, not %zu", rest.n);
	else if (o.jobs < 1 || o.jobs > 64)
		rc = err_set(&e, ERR_USAGE, "--jobs: %lld is not between 1 and 64", (long long)o.jobs);
	else
		rc = run(c, rest.at[0], &o, &e);
	vec_release(&rest);
	return rc < 0 ? cli_fail(&e) : rc;
}
