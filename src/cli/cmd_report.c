/* cmd_report.c - assay report: what the store holds, as a page, for build servers, or in short on the terminal. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/page_file.h"
#include "cli/tally_print.h"
#include "report/digest.h"
#include "report/report.h"
#include "report/text.h"

int cmd_report(struct cli *c);

#define MAX_REPORT ((size_t)512 << 20)
#define TOP 10 /* clusters listed on the terminal */

/* ---- the summary ------------------------------------------------------------------------------------------------- */

/* Text of others for a terminal: no control characters, cut to `width` characters and padded. */
static void put_cell(FILE *out, const char *text, size_t width)
{
	json_t *clean = text_json(text);
	const char *s = clean ? json_string_value(clean) : "?";
	size_t shown = text_width(s, width), bytes = 0;

	for (size_t i = 0; i < shown; i++) /* to the end of the character */
		do
			bytes++;
		while ((s[bytes] & 0xc0) == 0x80);
	for (size_t i = 0; i < bytes; i++)
		fputc(s[i] == '\n' || s[i] == '\t' || s[i] == '\r' ? ' ' : s[i], out);
	fprintf(out, "%*s", (int)(width - shown), "");
	json_decref(clean);
}

/* A column for each kind that occurs, as wide as its word. */
static void print_counts(FILE *out, const struct digest *d)
{
	fprintf(out, "\n%-18s", "library");
	for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v))
		if (digest_count(d, NULL, NULL, v))
			fprintf(out, " %6s", verdict_name((enum verdict)v));
	fprintf(out, " %6s\n", "all");
	for (size_t i = 0; i < d->libraries.n; i++) {
		put_cell(out, d->libraries.at[i], 18);
		for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v)) {
			size_t width = strlen(verdict_name((enum verdict)v));

			if (digest_count(d, NULL, NULL, v))
				fprintf(out, " %*zu", (int)(width > 6 ? width : 6),
					digest_count(d, d->libraries.at[i], NULL, v));
		}
		fprintf(out, " %6zu\n", digest_count(d, d->libraries.at[i], NULL, -1));
	}
}

static void print_top(FILE *out, const struct digest *d)
{
	size_t n = d->clusters.n < TOP ? d->clusters.n : TOP;
	char number[32];

	fprintf(out, "\n%5s %-8s %-12s %-18s %8s %5s %8s %s\n", "id", "verdict", "library", "operator", "ratio",
		"nodes", "findings", "since");
	for (size_t i = 0; i < n; i++) {
		const struct digest_cluster *c = &d->clusters.at[i];
		const struct finding *f = &c->best;
		const char *ratio = digest_ratio(f->noise_ratio, f->verdict, number);

		fprintf(out, "%5lld %-8s ", (long long)f->id, verdict_name(f->verdict));
		put_cell(out, f->library, 12);
		fputc(' ', out);
		put_cell(out, digest_op(c), 18);
		fprintf(out, " %8s %5d %8zu ", *ratio ? ratio : "-", f->nodes, c->findings.n);
		put_cell(out, *f->since ? f->since : "-", text_width(f->since, 11) + !*f->since);
		fputc('\n', out);
	}
	if (n < d->clusters.n)
		fprintf(out, "… and %zu more clusters\n", d->clusters.n - n);
}

static void print_tallies(FILE *out, const struct digest *d)
{
	size_t n;
	struct tally_row *rows = digest_rows(d, &n);

	if (n) {
		fputc('\n', out);
		tally_print(out, rows, n, CLI_OK);
	}
	mem_free(rows);
}

static void print_summary(FILE *out, const struct digest *d)
{
	char time[32];

	fprintf(out, "%zu finding%s in %zu cluster%s", d->findings, PLURAL(d->findings), d->clusters.n,
		PLURAL(d->clusters.n));
	if (d->campaigns)
		fprintf(out, "; %zu campaign%s, %lld case%s in %s", d->campaigns, PLURAL(d->campaigns),
			(long long)d->cases, PLURAL(d->cases), text_duration(d->seconds, time));
	fputc('\n', out);
	if (d->findings) {
		print_counts(out, d);
		print_top(out, d);
	}
	print_tallies(out, d);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct cmd_report_wanted {
	const char *html, *junit, *sarif, *title, *db, *usage_file, *ops_file;
	int json;
	struct usage *usage; /* NULL: not asked for */
	json_t *ops;         /* the same */
};

/* Writes what was put into b, and empties it. */
static int save(struct buf *b, int rc, const char *path, FILE *out, struct err *e)
{
	if (!rc)
		rc = page_file_save(b, path, out, e);
	buf_clear(b);
	return rc;
}

static int write_files(struct store *s, const struct cmd_report_wanted *w, FILE *out, struct err *e)
{
	const struct report_page page = {.title = w->title, .usage = w->usage, .ops = w->ops};
	struct buf b;
	int rc = 0;

	buf_init(&b, MAX_REPORT);
	if (w->html)
		rc = save(&b, report_html(s, &page, &b, e), w->html, out, e);
	if (w->junit && !rc)
		rc = save(&b, report_junit(s, &b, e), w->junit, out, e);
	if (w->sarif && !rc)
		rc = save(&b, report_sarif(s, &b, e), w->sarif, out, e);
	buf_release(&b);
	return rc;
}

static int print_digest(struct store *s, const struct cmd_report_wanted *w, FILE *out, struct err *e)
{
	struct digest d;
	int rc = digest_make(s, &d, e);

	if (rc)
		return rc;
	digest_rank(&d, w->usage);
	if (w->json)
		cli_print_json(out, digest_json(&d));
	else
		print_summary(out, &d);
	digest_release(&d);
	return 0;
}

static int is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	struct cmd_report_wanted *w = arg;
	struct store *s = NULL;
	int rc = rest->n ? err_set(e, ERR_USAGE, "report takes no argument, got '%s'", rest->at[0]) : 0;

	if (!rc && is_stdout(w->html) + is_stdout(w->junit) + is_stdout(w->sarif) > 1)
		rc = err_set(e, ERR_USAGE, "only one of --html, --junit and --sarif can be standard output (-)");
	if (!rc)
		rc = store_open(w->db, 0, &s, e);
	if (!rc && w->usage_file)
		rc = usage_load(w->usage_file, &w->usage, e);
	if (!rc && w->ops_file)
		rc = report_ops_load(w->ops_file, &w->ops, e);
	if (!rc)
		rc = write_files(s, w, c->out, e);
	if (!rc && (w->json || !(w->html || w->junit || w->sarif)))
		rc = print_digest(s, w, c->out, e);
	store_close(s);
	usage_free(w->usage);
	json_decref(w->ops);
	return rc;
}

int cmd_report(struct cli *c)
{
	struct cmd_report_wanted w = {.title = "assay report", .db = ""};
	const struct cli_option options[] = {
		{0, "html", "FILE", CLI_STRING, &w.html, "write one self-contained page"},
		{0, "junit", "FILE", CLI_STRING, &w.junit,
		 "write JUnit XML: a suite for each backend, a test for each cluster"},
		{0, "sarif", "FILE", CLI_STRING, &w.sarif, "write SARIF 2.1.0"},
		{0, "title", "TEXT", CLI_STRING, &w.title, "title of the page (assay report)"},
		{0, "usage", "FILE", CLI_STRING, &w.usage_file,
		 "rank by what models use: the index.json of 'assay extract'"},
		{0, "ops", "FILE", CLI_STRING, &w.ops_file,
		 "put a matrix of operators into the page: what 'assay ops --judge --json' printed"},
		{0, "db", "FILE", CLI_STRING, &w.db, "the store ($ASSAY_DB or " STORE_DEFAULT ")"},
		{0, "json", NULL, CLI_FLAG, &w.json, "print the summary as JSON"},
		{0},
	};

	c->notes = "Without --html, --junit and --sarif a summary is printed.  FILE may be - for standard output.\n";
	return cli_main(c, options, run, &w);
}
