/* cmd_conform.c - assay conform: ONNX backend test trees on the reference and on libraries. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/place.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/tally_print.h"
#include "methods/conform/conform.h"

int cmd_conform(struct cli *c);

struct cmd_conform_options {
	const char *backends, *filter, *report, *reasons, *quirks, *title, *usage;
	double rtol, atol;
	struct split split;
	int64_t jobs;
	int json, saved;
};

/* What one run of the verb holds. */
struct cmd_conform_job {
	const struct cmd_conform_options *o;
	struct spec_list specs;
	struct conform_results results; /* one for each spec; or what was saved */
	struct arena names;             /* of what was saved */
	struct usage *usage;            /* NULL: not asked for */
};

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print_text(FILE *out, const struct conform_result *r, int with_name, int with_use)
{
	const struct conform_list *l = &r->cases;
	size_t not_exact = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct conform_case *c = &l->at[i];

		not_exact += c->status == CONFORM_PASSED && c->how != CONFORM_EXACT;
		if (c->status == CONFORM_PASSED)
			continue;
		fprintf(out, "%s%s%s: ", with_name ? r->name : "", with_name ? ": " : "",
			conform_status_name(c->status));
		if (with_use)
			fprintf(out, "%zu uses: ", c->use);
		fprintf(out, "%s/%s: %s\n", c->suite, c->name, c->detail);
	}
	fprintf(out, "%s%s%zu cases: %zu passed (%zu not exactly), %zu failed, %zu unsupported\n",
		with_name ? r->name : "", with_name ? ": " : "", l->n, conform_count(l, CONFORM_PASSED), not_exact,
		conform_count(l, CONFORM_FAILED), conform_count(l, CONFORM_UNSUPPORTED));
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void show_case(void *arg, size_t done, const char *name)
{
	progress_step(arg, done, name);
}

/* All cases on one backend. */
static int run_backend(const struct cmd_conform_job *j, size_t i, const struct texts *dirs, struct err *e)
{
	const struct worker_spec *spec = &j->specs.at[i];
	struct conform_result *r = &j->results.at[i];
	struct conform_crew crew = {
		.spec = spec, .jobs = (size_t)j->o->jobs, .rtol = j->o->rtol, .atol = j->o->atol, .step = show_case};
	struct progress p;
	char what[SPEC_SHOWN + 32];
	int rc;

	rc = conform_find_all(dirs, j->o->filter, &r->cases, e);
	if (rc)
		return rc;
	conform_keep(&r->cases, &j->o->split);
	snprintf(what, sizeof what, "cases on %s", SHOWN_AS(r->name));
	progress_start(&p, what, r->cases.n);
	crew.arg = &p;
	rc = conform_run_all(&r->cases, &crew, e);
	progress_end(&p);
	if (!rc && j->usage)
		conform_rank(&r->cases, j->usage);
	return rc;
}

static int run_backends(struct cmd_conform_job *j, const struct texts *dirs, struct err *e)
{
	int rc = spec_make_list(j->o->backends, &j->specs, e);

	if (!rc && !dirs->n)
		rc = err_set(e, ERR_USAGE, "conform needs at least one folder; see 'assay help conform'");
	if (!rc && (j->o->jobs < 1 || j->o->jobs > CONFORM_MAX_JOBS))
		rc = err_set(e, ERR_USAGE, "--jobs is a number from 1 to %d", CONFORM_MAX_JOBS);
	if (!rc && j->o->usage)
		rc = usage_load(j->o->usage, &j->usage, e);
	for (size_t i = 0; i < j->specs.n && !rc; i++) {
		const struct worker_spec *spec = &j->specs.at[i];
		struct conform_result r = {.name = spec->name, .backend = spec->backend, .version = spec->version};

		rc = vec_push(&j->results, r) ? err_nomem(e, "results", 0) : run_backend(j, i, dirs, e);
	}
	return rc;
}

/* Results that were saved take the place of running; what belongs to running is refused beside them. */
static int read_saved(struct cmd_conform_job *j, const struct texts *files, struct err *e)
{
	if (!files->n)
		return err_set(e, ERR_USAGE, "conform --saved needs at least one file; see 'assay help conform'");
	if (j->o->filter || j->o->split.of || j->o->usage)
		return err_set(e, ERR_USAGE, "--saved runs nothing: not with --filter, --shard or --usage");
	return conform_read(files, &j->names, &j->results, e);
}

static int any_failed(const struct cmd_conform_job *j)
{
	for (size_t i = 0; i < j->results.n; i++)
		if (conform_count(&j->results.at[i].cases, CONFORM_FAILED))
			return 1;
	return 0;
}

static int print_counts(FILE *out, const struct cmd_conform_job *j, int status)
{
	const struct conform_results *r = &j->results;
	struct tally_row *rows;

	if (j->o->saved)
		return status; /* what ran and failed is not told apart in the files from what did not */
	rows = mem_array(r->n + 1, sizeof *rows);
	for (size_t i = 0; rows && i < r->n; i++)
		rows[i] = (struct tally_row){r->at[i].name, conform_tally(&r->at[i].cases)};
	if (rows)
		status = tally_print(j->o->json ? NULL : out, rows, r->n, status);
	mem_free(rows);
	return status;
}

/* The exit status: with a page, what it leaves unexplained counts; else what failed. */
static int finish(FILE *out, const struct cmd_conform_job *j, struct err *e)
{
	char reasons[PLACE_PATH], quirks[PLACE_PATH];
	const struct cmd_conform_options *o = j->o;
	const struct conform_page page = {.path = o->report, .title = o->title, .reasons = reasons, .quirks = quirks};
	size_t unexplained = 0;
	int alone, rc = 0; /* alone: the reference, and nobody beside it */

	if (o->json)
		cli_print_json(out, conform_json(j->results.at, j->results.n));
	for (size_t i = 0; !o->json && i < j->results.n; i++)
		print_text(out, &j->results.at[i], j->results.n > 1, j->usage != NULL);
	if (!o->report)
		return print_counts(out, j, any_failed(j) ? CLI_FINDINGS : CLI_OK);
	rc = place_data_file(o->reasons, "conformance-reasons.tsv", reasons, e);
	if (!rc)
		rc = place_data_file(o->quirks, "quirks.tsv", quirks, e);
	if (!rc)
		rc = conform_report(j->results.at, j->results.n, &page, &unexplained, e);
	if (rc)
		return rc;
	alone = j->results.n == 1 && spec_find(j->results.at[0].backend) == spec_find("reference");
	if (unexplained)
		log_print(LOG_WARNING, "%zu cases did not pass and have no reason in '%s'", unexplained,
			  alone ? reasons : quirks);
	return print_counts(out, j, unexplained ? CLI_FINDINGS : CLI_OK);
}

static int run(struct cli *c, const struct texts *dirs, void *options, struct err *e)
{
	struct cmd_conform_job j = {.o = options, .names = ARENA_INIT};
	int rc = j.o->saved ? read_saved(&j, dirs, e) : run_backends(&j, dirs, e);

	if (!rc)
		rc = finish(c->out, &j, e);
	conform_results_release(&j.results);
	arena_release(&j.names);
	spec_list_release(&j.specs);
	usage_free(j.usage);
	return rc;
}

int cmd_conform(struct cli *c)
{
	struct cmd_conform_options o = {.backends = "reference",
					.title = "ONNX backend tests",
					.jobs = 1,
					.rtol = CONFORM_RTOL,
					.atol = CONFORM_ATOL};
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends to test (default: reference)"},
		{0, "filter", "TEXT", CLI_STRING, &o.filter, "only cases whose path contains TEXT"},
		{0, "shard", "K/N", CLI_SPLIT, &o.split, "every N-th case only, from the K-th on"},
		{0, "rtol", "X", CLI_FLOAT, &o.rtol, "relative tolerance (default: 1e-3, as the onnx package)"},
		{0, "atol", "X", CLI_FLOAT, &o.atol, "absolute tolerance (default: 1e-7)"},
		{0, "report", "FILE", CLI_STRING, &o.report, "write a page (Markdown) on the results"},
		{0, "reasons", "FILE", CLI_STRING, &o.reasons, "case<TAB>reason (data/conformance-reasons.tsv)"},
		{0, "quirks", "FILE", CLI_STRING, &o.quirks, "known differences of libraries (data/quirks.tsv)"},
		{0, "saved", NULL, CLI_FLAG, &o.saved,
		 "run nothing: the arguments are files that --json printed; of a case the last counts"},
		{0, "usage", "FILE", CLI_STRING, &o.usage,
		 "list first what models use most: the index.json of 'assay extract'"},
		{0, "title", "TEXT", CLI_STRING, &o.title, "what the page says was run"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "cases at a time, each with a worker of its own (1)"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->notes =
		"With --report the exit status is 1 when a case that does not pass has no reason, and 0 otherwise.\n";
	return cli_main(c, options, run, &o);
}
