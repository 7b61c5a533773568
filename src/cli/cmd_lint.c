/* cmd_lint.c - assay lint: what in model files is not as ONNX has it. */
#include <stdio.h>

#include "base/buf.h"
#include "case/lint.h"
#include "case/zoo_model.h"
#include "cli/cli.h"

int cmd_lint(struct cli *c);

static void print_lines(FILE *out, const char *path, const struct lint *l)
{
	for (size_t i = 0; i < l->lines.n; i++)
		fprintf(out, "%s: %s: %s\n", path, lint_kind_name(l->lines.at[i].kind), l->lines.at[i].text);
	fprintf(out, "%s: %zu complaint%s\n", path, l->lines.n, PLURAL(l->lines.n));
}

static json_t *lines_json(const char *path, const struct lint *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->lines.n; i++)
		json_array_append_new(list, json_pack("{s:s, s:o}", "kind", lint_kind_name(l->lines.at[i].kind), "what",
						      json_text(l->lines.at[i].text)));
	return json_pack("{s:o, s:o}", "model", json_text(path), "complaints", list);
}

/* What is useless breaks no rule; what is unknown may break one, and is none that was found. */
static int breaks_rules(const struct lint *l)
{
	for (size_t i = 0; i < l->lines.n; i++)
		if (l->lines.at[i].kind < LINT_UNKNOWN)
			return 1;
	return 0;
}

static int run(struct cli *c, const struct texts *models, void *arg, struct err *e)
{
	json_t *list = *(int *)arg ? json_array() : NULL;
	int rc = 0, broken = 0;

	if (!models->n)
		rc = err_set(e, ERR_USAGE, "lint needs at least one model; see 'assay help lint'");
	for (size_t i = 0; i < models->n && !rc; i++) {
		struct lint l;

		rc = zoo_model_look_for(models->at[i], e);
		if (!rc)
			rc = lint_file(models->at[i], &l, e);
		if (rc)
			break;
		broken |= breaks_rules(&l);
		if (list)
			json_array_append_new(list, lines_json(models->at[i], &l));
		else
			print_lines(c->out, models->at[i], &l);
		lint_release(&l);
	}
	if (rc) {
		json_decref(list);
		return rc;
	}
	if (list)
		rc = cli_print_json(c->out, json_pack("{s:o}", "models", list));
	return rc ? rc : broken ? CLI_FINDINGS : CLI_OK;
}

int cmd_lint(struct cli *c)
{
	int json = 0;
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &json, "print the result as JSON"},
		{0},
	};

	c->notes =
		"invalid: no library can know what is meant.  wrong: a rule of ONNX is broken, and libraries run the\n"
		"model all the same, as assay does, with a warning.  unknown: assay does not have the operator, so "
		"its\n"
		"node was not looked at.  useless: valid, and probably not what was wanted.\n"
		"Exit status 1 when a rule is broken.\n";
	return cli_main(c, options, run, &json);
}
