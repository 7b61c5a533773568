/* cmd_conform.c - assay conform: ONNX backend test trees on the reference. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/conform.h"

int cmd_conform(struct cli *c);

static size_t count_status(const struct conform_list *l, enum conform_status s)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].status == s;
	return n;
}

static int print_json(FILE *out, const char *backend, const struct conform_list *l)
{
	json_t *cases = json_array();
	json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:o}", "backend", backend, "passed",
				 (json_int_t)count_status(l, CONFORM_PASSED), "failed",
				 (json_int_t)count_status(l, CONFORM_FAILED), "unsupported",
				 (json_int_t)count_status(l, CONFORM_UNSUPPORTED), "cases", cases);

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(cases, json_pack("{s:s, s:s, s:s, s:s}", "name", l->at[i].name, "suite",
						       l->at[i].suite, "status", conform_status_name(l->at[i].status),
						       "detail", l->at[i].detail));
	json_dumpf(root, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(root);
	return 0;
}

static void print_text(FILE *out, const struct conform_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].status != CONFORM_PASSED)
			fprintf(out, "%s: %s/%s: %s\n", conform_status_name(l->at[i].status), l->at[i].suite,
				l->at[i].name, l->at[i].detail);
	fprintf(out, "%zu cases: %zu passed, %zu failed, %zu unsupported\n", l->n, count_status(l, CONFORM_PASSED),
		count_status(l, CONFORM_FAILED), count_status(l, CONFORM_UNSUPPORTED));
}

int cmd_conform(struct cli *c)
{
	const char *backend = "reference", *filter = NULL;
	double rtol = CONFORM_RTOL, atol = CONFORM_ATOL;
	struct cli_list dirs = {0};
	struct conform_list cases = {0};
	struct err e = ERR_INIT;
	int json = 0, rc, failed;
	const struct cli_option options[] = {
		{'b', "backend", "B", CLI_STRING, &backend, "backend to test (default: reference)"},
		{0, "filter", "TEXT", CLI_STRING, &filter, "only cases whose path contains TEXT"},
		{0, "rtol", "X", CLI_FLOAT, &rtol, "relative tolerance (default: 1e-3, as the onnx package's runner)"},
		{0, "atol", "X", CLI_FLOAT, &atol, "absolute tolerance (default: 1e-7)"},
		{0, "json", NULL, CLI_FLAG, &json, "print results as JSON"},
		{0},
	};

	rc = cli_parse(c, options, &dirs, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	if (!dirs.n)
		rc = err_set(&e, ERR_USAGE, "conform needs at least one folder; see 'assay help conform'");
	else
		rc = cli_check_backend(backend, &e);
	for (size_t i = 0; i < dirs.n && !rc; i++)
		rc = conform_find(dirs.at[i], filter, &cases, &e);
	if (!rc && !cases.n)
		rc = err_set(&e, ERR_INPUT, "no test case (model.onnx beside test_data_set_0) below '%s'", dirs.at[0]);
	for (size_t i = 0; i < cases.n && !rc; i++)
		conform_run(&cases.at[i], rtol, atol);
	if (!rc && json)
		print_json(c->out, backend, &cases);
	else if (!rc)
		print_text(c->out, &cases);
	failed = count_status(&cases, CONFORM_FAILED) > 0;
	cli_list_release(&dirs);
	conform_list_release(&cases);
	return rc ? cli_fail(&e) : failed ? CLI_FINDINGS : CLI_OK;
}
