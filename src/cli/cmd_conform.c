/* cmd_conform.c - assay conform: ONNX backend test trees on the reference. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/conform.h"
#include "cli/json.h"

int cmd_conform(struct cli *c);

static int print_json(FILE *out, const char *backend, const struct conform_list *l)
{
	json_t *cases = json_array();
	json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:o}", "backend", backend, "passed",
				 (json_int_t)conform_count(l, CONFORM_PASSED), "failed",
				 (json_int_t)conform_count(l, CONFORM_FAILED), "unsupported",
				 (json_int_t)conform_count(l, CONFORM_UNSUPPORTED), "cases", cases);

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(cases, json_pack("{s:o, s:o, s:s, s:o}", "name", json_text(l->at[i].name),
						       "suite", json_text(l->at[i].suite), "status",
						       conform_status_name(l->at[i].status), "detail",
						       json_text(l->at[i].detail)));
	json_dumpf(root, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(root);
	return 0;
}

static void print_text(FILE *out, const struct conform_list *l)
{
	size_t not_exact = 0;

	for (size_t i = 0; i < l->n; i++) {
		not_exact += l->at[i].how != CONFORM_EXACT;
		if (l->at[i].status != CONFORM_PASSED)
			fprintf(out, "%s: %s/%s: %s\n", conform_status_name(l->at[i].status), l->at[i].suite,
				l->at[i].name, l->at[i].detail);
	}
	fprintf(out, "%zu cases: %zu passed (%zu not exactly), %zu failed, %zu unsupported\n", l->n,
		conform_count(l, CONFORM_PASSED), not_exact, conform_count(l, CONFORM_FAILED),
		conform_count(l, CONFORM_UNSUPPORTED));
}

struct options {
	const char *backend, *filter, *report, *reasons, *title;
	double rtol, atol;
	int json;
};

static int run_cases(const struct options *o, const struct cli_list *dirs, struct conform_list *cases, struct err *e)
{
	struct progress p;
	int rc = cli_check_backend(o->backend, e);

	if (!rc && !dirs->n)
		rc = err_set(e, ERR_USAGE, "conform needs at least one folder; see 'assay help conform'");
	for (size_t i = 0; i < dirs->n && !rc; i++)
		rc = conform_find(dirs->at[i], o->filter, cases, e);
	if (!rc && !cases->n)
		rc = err_set(e, ERR_INPUT, "no test case (model.onnx beside test_data_set_0) below '%s'", dirs->at[0]);
	if (rc)
		return rc;
	progress_start(&p, "cases", cases->n);
	for (size_t i = 0; i < cases->n; i++) {
		double start = clock_now();

		progress_step(&p, i, cases->at[i].name);
		conform_run(&cases->at[i], o->rtol, o->atol);
		log_print(LOG_DEBUG, "%s: %s, %.3f s", cases->at[i].path, conform_status_name(cases->at[i].status),
			  clock_now() - start);
	}
	progress_end(&p);
	return 0;
}

/* The exit status: with a page, what it leaves unexplained counts; else what failed. */
static int finish(FILE *out, const struct options *o, const struct conform_list *cases, struct err *e)
{
	size_t unexplained = 0;
	int rc = 0;

	if (o->json)
		print_json(out, o->backend, cases);
	else
		print_text(out, cases);
	if (!o->report)
		return conform_count(cases, CONFORM_FAILED) ? CLI_FINDINGS : CLI_OK;
	rc = conform_report(cases, o->title, o->reasons, o->report, &unexplained, e);
	if (rc)
		return cli_fail(e);
	if (unexplained)
		log_print(LOG_WARNING, "%zu cases did not pass and have no reason in '%s'", unexplained, o->reasons);
	return unexplained ? CLI_FINDINGS : CLI_OK;
}

int cmd_conform(struct cli *c)
{
	struct options o = {.backend = "reference",
			    .reasons = "data/conformance-reasons.tsv",
			    .title = "ONNX backend tests",
			    .rtol = CONFORM_RTOL,
			    .atol = CONFORM_ATOL};
	struct cli_list dirs = {0};
	struct conform_list cases = {0};
	struct err e = ERR_INIT;
	int rc, status;
	const struct cli_option options[] = {
		{'b', "backend", "B", CLI_STRING, &o.backend, "backend to test (default: reference)"},
		{0, "filter", "TEXT", CLI_STRING, &o.filter, "only cases whose path contains TEXT"},
		{0, "rtol", "X", CLI_FLOAT, &o.rtol, "relative tolerance (default: 1e-3, as the onnx package)"},
		{0, "atol", "X", CLI_FLOAT, &o.atol, "absolute tolerance (default: 1e-7)"},
		{0, "report", "FILE", CLI_STRING, &o.report, "write a page (Markdown) on the results"},
		{0, "reasons", "FILE", CLI_STRING, &o.reasons, "case<TAB>reason (data/conformance-reasons.tsv)"},
		{0, "title", "TEXT", CLI_STRING, &o.title, "what the page says was run"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->notes =
		"With --report the exit status is 1 when a case that does not pass has no reason, and 0 otherwise.\n";
	rc = cli_parse(c, options, &dirs, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	rc = run_cases(&o, &dirs, &cases, &e);
	status = rc ? cli_fail(&e) : finish(c->out, &o, &cases, &e);
	cli_list_release(&dirs);
	conform_list_release(&cases);
	return status;
}
