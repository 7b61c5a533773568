/* cmd_ops.c - assay ops: the operators and what is known of each. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "ops/op.h"

int cmd_ops(struct cli *c);

/* How the noisy mode knows the rounding of an operator's result. */
static const char *noise_kind(const struct op *op)
{
	return op->scale ? "scale" : op->ulps > 0 ? "ulps" : "none";
}

static const char *special_kind(const struct op *op)
{
	return op->flags & OP_RANDOM ? ", random" : op->flags & OP_CONTROL ? ", control" : "";
}

static int matches(const struct op_row *row, const struct cli_list *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (strcasestr(row->name, patterns->at[i]))
			return 1;
	return !patterns->n;
}

static void versions_text(const struct op_row *row, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (int i = 0; row->versions[i] && at < size; i++) {
		int n = snprintf(out + at, size - at, "%s%d", i ? "," : "", row->versions[i]);

		at += n > 0 ? (size_t)n : 0;
	}
}

static json_t *row_json(const struct op_row *row)
{
	json_t *versions = json_array();

	for (int i = 0; row->versions[i]; i++)
		json_array_append_new(versions, json_integer(row->versions[i]));
	return json_pack("{s:s, s:s, s:o, s:b, s:b, s:s, s:f, s:b, s:b, s:b}", "domain", row->domain, "name", row->name,
			 "versions", versions, "reference", 1, "gradient", row->op->grad != NULL, "noise",
			 noise_kind(row->op), "ulps", (double)row->op->ulps, "fast_noise", row->op->delta != NULL,
			 "random", (row->op->flags & OP_RANDOM) != 0, "control", (row->op->flags & OP_CONTROL) != 0);
}

static void print_row(FILE *out, const struct op_row *row)
{
	char versions[64];

	versions_text(row, versions, sizeof versions);
	fprintf(out, "%-11s %-28s %-22s %-9s %-8s %s%s\n", *row->domain ? row->domain : "ai.onnx", row->name, versions,
		"yes", row->op->grad ? "yes" : "no", noise_kind(row->op), special_kind(row->op));
}

static size_t print_rows(FILE *out, const struct cli_list *patterns, json_t *list)
{
	size_t shown = 0, gradients = 0;

	if (!list)
		fprintf(out, "%-11s %-28s %-22s %-9s %-8s %s\n", "domain", "operator", "versions", "reference",
			"gradient", "noise");
	for (size_t i = 0; i < op_row_count; i++) {
		if (!matches(&op_rows[i], patterns))
			continue;
		shown++;
		gradients += op_rows[i].op->grad != NULL;
		if (list)
			json_array_append_new(list, row_json(&op_rows[i]));
		else
			print_row(out, &op_rows[i]);
	}
	if (!list)
		fprintf(out, "%zu operators, %zu with a gradient; opsets up to %d\n", shown, gradients,
			OP_NEWEST_OPSET);
	return shown;
}

int cmd_ops(struct cli *c)
{
	struct cli_list patterns = {0};
	struct err e = ERR_INIT;
	json_t *list = NULL;
	int json = 0, rc;
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &json, "print the table as JSON"},
		{0},
	};

	c->notes = "PATTERN is a part of an operator's name, in any case.\n\n"
		   "noise: 'scale' is a bound on the rounding of each element from the terms behind it, 'ulps' a "
		   "number of\n"
		   "unit roundoffs of the result; 'none' moves or selects values, or has no float result.\n";
	rc = cli_parse(c, options, &patterns, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	if (json)
		list = json_array();
	if (!print_rows(c->out, &patterns, list) && patterns.n)
		rc = err_set(&e, ERR_INPUT, "no operator has '%s' in its name", patterns.at[0]);
	if (json && !rc) {
		json_t *root = json_pack("{s:i, s:O}", "newest_opset", OP_NEWEST_OPSET, "operators", list);

		json_dumpf(root, c->out, JSON_INDENT(1));
		fputc('\n', c->out);
		json_decref(root);
	}
	json_decref(list);
	cli_list_release(&patterns);
	return rc ? cli_fail(&e) : CLI_OK;
}
