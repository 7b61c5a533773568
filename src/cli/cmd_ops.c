/* cmd_ops.c - assay ops: the operators and what is known of each. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/near.h"
#include "cli/cli.h"
#include "cli/ops_attributes.h"
#include "cli/page_file.h"
#include "ops/sample/maker.h"
#include "probe/matrix.h"
#include "probe/probing.h"
#include "report/report.h"
#include "worker/parent/spec.h"

#define MAX_MATRIX ((size_t)64 << 20)

int cmd_ops(struct cli *c);

/* The backends to show, with what is known of each; the reference has no entry of its own in `known`. */
struct ops_columns {
	struct spec_list specs;
	struct support *known;
	int domain; /* width of the first column */
};

/* How the noisy mode knows the rounding of an operator's result. */
static const char *noise_kind(const struct op *op)
{
	return op->scale ? "scale" : op->ulps > 0 ? "ulps" : "none";
}

static const char *special_kind(const struct op *op)
{
	return op->flags & OP_RANDOM ? ", random" : op->flags & OP_CONTROL ? ", control" : "";
}

/* How nodes of it are drawn: by samplers, its own or another operator's, or from its cases. */
static const char *drawn_kind(const struct op *op)
{
	return op->undrawn ? "no" : op_is_drawn_from_cases(op) ? "cases" : "yes";
}

static int matches(const struct op_row *row, const struct texts *patterns)
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

/* ---- backends ---------------------------------------------------------------------------------------------------- */

static int open_columns(const char *backends, const struct probing *how, struct ops_columns *c, struct err *e)
{
	int rc = spec_make_list(backends, &c->specs, e);

	if (!rc) {
		c->known = mem_array(c->specs.n, sizeof *c->known);
		rc = c->known ? 0 : err_nomem(e, "columns", 0);
	}
	for (size_t i = 0; i < c->specs.n && !rc; i++)
		if (!spec_is_reference(&c->specs.at[i]))
			rc = probing_get(&c->specs.at[i], how, &c->known[i], e);
	return rc;
}

static void close_columns(struct ops_columns *c)
{
	for (size_t i = 0; c->known && i < c->specs.n; i++)
		support_release(&c->known[i]);
	mem_free(c->known);
	spec_list_release(&c->specs);
}

static const char *cell(const struct ops_columns *c, size_t i, const struct op_row *row, char *out, size_t size)
{
	if (spec_is_reference(&c->specs.at[i]))
		return "yes";
	return support_cell(support_find(&c->known[i], row->domain, row->name), out, size);
}

static json_t *backends_json(const struct ops_columns *c, const struct op_row *row)
{
	json_t *all = json_object();

	for (size_t i = 0; i < c->specs.n; i++) {
		const struct support_op *op =
			c->known && c->known[i].ops.n ? support_find(&c->known[i], row->domain, row->name) : NULL;

		if (spec_is_reference(&c->specs.at[i]))
			json_object_set_new(all, c->specs.at[i].name, json_pack("{s:b}", "supported", 1));
		else
			json_object_set_new(all, c->specs.at[i].name, op ? support_json(op) : json_null());
	}
	return all;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static json_t *block_json(const char *name, const struct sampler *by)
{
	return json_pack("{s:s, s:s}", "block", name, "how", by->summary);
}

/* The blocks of `fuzz --corpus large` that it has. */
static json_t *drawn_json(const struct op_row *row)
{
	json_t *list = json_array();

	for (const struct op_sample *s = row->op->samples; s && s->by; s++)
		json_array_append_new(list, block_json(s->name ? s->name : row->name, s->by));
	if (op_is_drawn_from_cases(row->op))
		json_array_append_new(list, block_json(row->name, &sampler_cases));
	return list;
}

static json_t *row_json(const struct op_row *row)
{
	json_t *versions = json_array();

	for (int i = 0; row->versions[i]; i++)
		json_array_append_new(versions, json_integer(row->versions[i]));
	return json_pack("{s:s, s:s, s:o, s:b, s:b, s:s, s:f, s:b, s:b, s:b, s:o, s:s?, s:s?}", "domain", row->domain,
			 "name", row->name, "versions", versions, "reference", 1, "gradient", row->op->grad != NULL,
			 "noise", noise_kind(row->op), "ulps", (double)row->op->ulps, "fast_noise",
			 row->op->delta != NULL, "random", (row->op->flags & OP_RANDOM) != 0, "control",
			 (row->op->flags & OP_CONTROL) != 0, "drawn", drawn_json(row), "drawn_with",
			 row->op->drawn_with, "undrawn", row->op->undrawn);
}

/* Of a backend's column; the last one needs no blanks behind it. */
static int column_width(const struct ops_columns *c, size_t i)
{
	int n = (int)strlen(SHOWN_AS(c->specs.at[i].name));

	return i + 1 == c->specs.n ? 0 : n > 9 ? n : 9;
}

static void print_row(FILE *out, const struct op_row *row, const struct ops_columns *c)
{
	const char *domain = *row->domain ? row->domain : "ai.onnx";
	char versions[64], text[32];

	versions_text(row, versions, sizeof versions);
	if (!c->specs.n) {
		fprintf(out, "%-*s %-28s %-22s %-9s %-8s %-5s %s%s\n", c->domain, domain, row->name, versions, "yes",
			row->op->grad ? "yes" : "no", drawn_kind(row->op), noise_kind(row->op), special_kind(row->op));
		return;
	}
	fprintf(out, "%-*s %-28s", c->domain, domain, row->name);
	for (size_t i = 0; i < c->specs.n; i++)
		fprintf(out, " %-*s", column_width(c, i), cell(c, i, row, text, sizeof text));
	fputc('\n', out);
}

static void print_head(FILE *out, const struct ops_columns *c)
{
	if (!c->specs.n) {
		fprintf(out, "%-*s %-28s %-22s %-9s %-8s %-5s %s\n", c->domain, "domain", "operator", "versions",
			"reference", "gradient", "fuzz", "noise");
		return;
	}
	fprintf(out, "%-*s %-28s", c->domain, "domain", "operator");
	for (size_t i = 0; i < c->specs.n; i++)
		fprintf(out, " %-*s", column_width(c, i), SHOWN_AS(c->specs.at[i].name));
	fputc('\n', out);
}

/* Of the longest domain among the rows that are shown. */
static int domain_width(const struct texts *patterns)
{
	size_t width = strlen("com.microsoft");

	for (size_t i = 0; i < op_row_count; i++)
		if (matches(&op_rows[i], patterns) && strlen(op_rows[i].domain) > width)
			width = strlen(op_rows[i].domain);
	return (int)width;
}

static void print_rows(FILE *out, const struct texts *patterns, struct ops_columns *c, json_t *list)
{
	size_t shown = 0, gradients = 0;

	if (!list) {
		c->domain = domain_width(patterns);
		print_head(out, c);
	}
	for (size_t i = 0; i < op_row_count; i++) {
		if (!matches(&op_rows[i], patterns))
			continue;
		shown++;
		gradients += op_rows[i].op->grad != NULL;
		if (list) {
			json_t *row = row_json(&op_rows[i]);

			if (c->specs.n)
				json_object_set_new(row, "backends", backends_json(c, &op_rows[i]));
			json_array_append_new(list, row);
		} else {
			print_row(out, &op_rows[i], c);
		}
	}
	if (!list)
		fprintf(out, "%zu operator%s, %zu with a gradient; opsets up to %d\n", shown, PLURAL(shown), gradients,
			OP_NEWEST_OPSET);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static void print_attributes(FILE *out, const struct texts *patterns, json_t *list)
{
	size_t shown = 0, rows = 0;

	if (!list)
		attributes_head(out);
	for (size_t i = 0; i < op_row_count; i++) {
		if (!matches(&op_rows[i], patterns))
			continue;
		shown++;
		if (list)
			attributes_add(list, &op_rows[i]);
		else
			rows += attributes_print(out, &op_rows[i]);
	}
	if (!list)
		fprintf(out, "%zu operators, %zu rows\n", shown, rows);
}

static json_t *table_json(json_t *list, int attributes)
{
	json_t *root =
		json_pack("{s:i, s:O}", "newest_opset", OP_NEWEST_OPSET, attributes ? "attributes" : "operators", list);

	if (attributes)
		json_object_set_new(root, "recurrent", attributes_recurrent());
	return root;
}

/* ---- what is right ----------------------------------------------------------------------------------------------- */

struct ops_options {
	const char *backends, *probes, *html;
	int json, fresh, attributes, judge;
};

static int is_wanted(const struct op_row *row, const void *patterns)
{
	return matches(row, patterns);
}

/* An error when the patterns name no operator. */
static int find_any(const struct texts *patterns, struct err *e)
{
	for (size_t i = 0; i < op_row_count; i++)
		if (matches(&op_rows[i], patterns))
			return 0;
	return err_set(e, ERR_INPUT, "no operator has '%s' in its name%s", patterns->at[0],
		       NEAR_HINT(patterns->at[0], op_rows));
}

/* The same as a page. */
static int write_page(const struct matrix_list *all, const char *path, FILE *out, struct err *e)
{
	json_t *matrix = matrix_json(all);
	struct buf page;
	int rc;

	buf_init(&page, MAX_MATRIX);
	rc = matrix ? report_ops(matrix, "What libraries get right", &page, e) : err_nomem(e, "a matrix", 0);
	if (!rc)
		rc = page_file_save(&page, path, out, e);
	buf_release(&page);
	json_decref(matrix);
	return rc;
}

/* Prints what the backends get right; the exit status. */
static int judge(struct cli *c, const struct texts *patterns, const struct ops_options *o, struct err *e)
{
	struct spec_list specs = VEC_INIT;
	const struct matrix_request q = {&specs, o->probes, {is_wanted, patterns}};
	struct matrix_list all = VEC_INIT;
	struct buf text;
	int rc = find_any(patterns, e);

	if (!rc)
		rc = spec_make_list(o->backends, &specs, e);
	if (!rc)
		rc = matrix_make(&q, &all, e);
	buf_init(&text, MAX_MATRIX);
	if (!rc && o->html)
		rc = write_page(&all, o->html, c->out, e);
	if (!rc && o->json)
		rc = cli_print_json(c->out, matrix_json(&all));
	else if (!rc && !o->html)
		matrix_text(&all, &text);
	fputs(text.data ? text.data : "", c->out);
	buf_release(&text);
	rc = rc ? rc : matrix_findings(&all) ? CLI_FINDINGS : CLI_OK;
	matrix_release(&all);
	spec_list_release(&specs);
	return rc;
}

static int run(struct cli *c, const struct texts *patterns, void *arg, struct err *e)
{
	const struct ops_options *o = arg;
	const struct probe_wish wish = {is_wanted, patterns};
	const struct probing how = {o->probes, o->fresh, patterns->n ? &wish : NULL};
	struct ops_columns columns = {.specs = VEC_INIT};
	json_t *list;
	int rc = 0;

	if (o->judge)
		return o->backends ? judge(c, patterns, o, e) : err_set(e, ERR_USAGE, "--judge needs -b LIST");
	list = o->json ? json_array() : NULL;
	if (o->html)
		rc = err_set(e, ERR_USAGE, "--html needs --judge");
	else if ((o->probes || o->fresh) && !o->backends)
		rc = err_set(e, ERR_USAGE, "--probes and --probe need -b LIST");
	else if (o->backends && o->attributes)
		rc = err_set(e, ERR_USAGE, "--attributes are those of ONNX, not of a backend");
	else
		rc = find_any(patterns, e);
	if (!rc && o->backends)
		rc = open_columns(o->backends, &how, &columns, e);
	if (!rc)
		o->attributes ? print_attributes(c->out, patterns, list) : print_rows(c->out, patterns, &columns, list);
	if (!rc && list)
		rc = cli_print_json(c->out, table_json(list, o->attributes));
	json_decref(list);
	close_columns(&columns);
	return rc;
}

int cmd_ops(struct cli *c)
{
	struct ops_options o = {0};
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "show what these backends support"},
		{0, "judge", NULL, CLI_FLAG, &o.judge, "judge what they give, by operator and type"},
		{0, "html", "FILE", CLI_STRING, &o.html, "write what --judge finds as a page; - is standard output"},
		{0, "probe", NULL, CLI_FLAG, &o.fresh, "ask the libraries again, whatever the cache says"},
		{0, "probes", "FILE", CLI_STRING, &o.probes, "cases to ask with (all of data/cases)"},
		{0, "attributes", NULL, CLI_FLAG, &o.attributes, "list the operators' attributes and their defaults"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the table as JSON"},
		{0},
	};

	c->notes = "PATTERN is a part of an operator's name, in any case.\n\n"
		   "fuzz: 'yes' is drawn by samplers, 'cases' from its lines in data/cases, 'no' not at all; "
		   "--json\n"
		   "has the blocks of 'fuzz --corpus large', and why there are none.\n\n"
		   "noise: 'scale' is a bound on the rounding of each element from the terms behind it, 'ulps' a "
		   "number of\n"
		   "unit roundoffs of the result; 'none' moves or selects values, or has no float result.\n\n"
		   "With -b: 'yes 5/12', five of the twelve types that the operator takes work there; 'no', nothing "
		   "does;\n"
		   "'?', there is no probe for it.  Libraries are asked once, by the cases in data/cases.\n"
		   "With --judge the results are judged too, and the exit status is 1 when something is found.\n";
	return cli_main(c, options, run, &o);
}
