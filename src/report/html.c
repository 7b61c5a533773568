/* html.c - the page: head, summary, and the frame around clusters and campaigns.
 *
 * Everything is in the one file: style and script stand in it, pictures are inline SVG, fonts are the system's.  The
 * security policy allows nothing but that one script, so that even a mistake in escaping could run nothing.  Without
 * the script the page still shows everything; it only adds sorting, searching and copying. */
#include "report/html.h"

#include <string.h>

#include "base/mem.h"
#include "report/page.h"
#include "worker/parent/spec.h"

#define MATRIX_ROWS 20    /* operators shown before the rest is folded */
#define LINES_AT_ONCE 100 /* clusters that are elements from the start */
#define LINES_PACKED 200  /* clusters of one piece of the rest */

void html_element(struct buf *out, const char *name, const char *class, const char *text)
{
	buf_printf(out, *class ? "<%s class=\"%s\">" : "<%s>", name, class);
	text_put(out, text);
	buf_printf(out, "</%s>", name);
}

void html_fact(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_puts(out, "<div>");
	html_element(out, "dt", "", name);
	html_element(out, "dd", "", value);
	buf_puts(out, "</div>");
}

void html_verdict(struct buf *out, enum verdict v)
{
	buf_printf(out, "<span class=\"kind k-%s\">%s</span>", verdict_name(v), verdict_name(v));
}

/* ---- head -------------------------------------------------------------------------------------------------------- */

void html_head(struct buf *out, const char *title, const char *script, int connect, const char *main)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'; img-src data:; ");
	buf_printf(out, "%sscript-src '%s'\">\n<meta name=\"generator\" content=\"assay %s\">\n",
		   connect ? "connect-src 'self'; " : "", script, ASSAY_VERSION);
	/* An empty icon, or browsers ask the server for one. */
	buf_puts(out, "<link rel=\"icon\" href=\"data:,\">\n");
	html_element(out, "title", "", title);
	buf_puts(out, "\n<style>\n");
	buf_puts(out, page_css);
	buf_printf(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#%s\">Skip to the %s</a>\n", main, main);
}

void html_foot(struct buf *out)
{
	buf_puts(out, "</main>\n<footer class=\"wide quiet\">Made by assay " ASSAY_VERSION
		      ". This file is complete: it needs no network.</footer>\n"
		      "<div id=\"said\" role=\"status\" class=\"vh\"></div>\n<script>");
	buf_puts(out, page_js);
	buf_puts(out, "</script>\n</body>\n</html>\n");
}

void html_tile(struct buf *out, size_t n, const char *one, const char *many)
{
	buf_printf(out, "<li><b>%zu</b> %s</li>", n, n == 1 ? one : many);
}

static void put_banner(struct page *p, const struct report_page *page)
{
	const struct digest *d = p->digest;
	char text[32];

	buf_puts(p->out, "<header><div class=\"wide\">\n");
	html_element(p->out, "h1", "", page->title);
	buf_puts(p->out, "<ul class=\"tiles\">");
	html_tile(p->out, d->findings, "finding", "findings");
	html_tile(p->out, d->clusters.n, "cluster", "clusters");
	html_tile(p->out, d->libraries.n, "library", "libraries");
	html_tile(p->out, d->ops.n, "operator", "operators");
	html_tile(p->out, d->campaigns, "campaign", "campaigns");
	buf_puts(p->out, "</ul>\n<p class=\"quiet\">");
	if (d->campaigns)
		buf_printf(p->out, "%lld cases in %s of campaigns. ", (long long)d->cases,
			   text_duration(d->seconds, text));
	if (d->last > 0)
		buf_printf(p->out, "Last finding recorded %s.", text_time(d->last, text));
	buf_printf(p->out,
		   "</p>\n<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> "
		   "<a href=\"#clusters\">Clusters</a> %s<a href=\"#campaigns\">Campaigns</a></nav>\n"
		   "</div></header>\n<main class=\"wide\">\n",
		   page->ops ? "<a href=\"#operators\">Operators</a> " : "");
}

/* ---- summary: libraries, operators, kinds ------------------------------------------------------------------------ */

/* Each kind's share as a bar, with a legend that has the numbers. */
static void put_kinds(struct page *p)
{
	const struct digest *d = p->digest;

	if (!d->findings)
		return;
	buf_puts(p->out, "<div class=\"shares\" aria-hidden=\"true\">");
	for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v)) {
		size_t n = digest_count(d, NULL, NULL, v);

		if (n)
			buf_printf(p->out, "<i class=\"b-%s\" style=\"flex-grow:%zu\"></i>",
				   verdict_name((enum verdict)v), n);
	}
	buf_puts(p->out, "</div>\n<ul class=\"legend\">");
	for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v)) {
		size_t n = digest_count(d, NULL, NULL, v);

		if (n)
			buf_printf(p->out,
				   "<li><button type=\"button\" data-query=\"kind:%s\"><i class=\"b-%s\"></i>%s "
				   "<b>%zu</b></button></li>",
				   verdict_name((enum verdict)v), verdict_name((enum verdict)v),
				   verdict_name((enum verdict)v), n);
	}
	buf_puts(p->out, "</ul>\n");
}

/* A word of the page's search language: key:"value". */
static void put_query(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "%s:&quot;", key);
	text_put(out, value);
	buf_puts(out, "&quot; ");
}

static void put_cell(struct page *p, const char *library, const char *op)
{
	const struct digest *d = p->digest;

	buf_puts(p->out, "<td>");
	if (digest_count(d, library, op, -1)) {
		buf_puts(p->out, "<button type=\"button\" class=\"cell\" data-query=\"");
		if (library)
			put_query(p->out, "library", library);
		if (op)
			put_query(p->out, "op", op);
		buf_puts(p->out, "\">");
		for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v)) {
			size_t n = digest_count(d, library, op, v);

			if (n)
				buf_printf(p->out, "<span class=\"kind k-%s\">%zu %s</span> ",
					   verdict_name((enum verdict)v), n, verdict_name((enum verdict)v));
		}
		buf_puts(p->out, "</button>");
	}
	buf_puts(p->out, "</td>");
}

static void put_matrix(struct page *p)
{
	const struct digest *d = p->digest;

	buf_puts(p->out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Findings by operator and "
			 "library\">\n<table class=\"matrix\"><caption class=\"vh\">Findings by operator, library and "
			 "kind</caption>\n<thead><tr><th scope=\"col\">Operator</th>");
	for (size_t k = 0; k < d->libraries.n; k++)
		buf_puts(p->out, "<th scope=\"col\">"), text_put(p->out, d->libraries.at[k]), buf_puts(p->out, "</th>");
	buf_puts(p->out, "<th scope=\"col\" class=\"num\">All</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < d->ops.n; i++) {
		buf_printf(p->out, "<tr%s><th scope=\"row\"", i >= MATRIX_ROWS ? " class=\"more\"" : "");
		text_attribute(p->out, "title", d->ops.at[i]); /* it may be cut */
		buf_puts(p->out, ">");
		text_put(p->out, d->ops.at[i]);
		buf_puts(p->out, "</th>");
		for (size_t k = 0; k < d->libraries.n; k++)
			put_cell(p, d->libraries.at[k], d->ops.at[i]);
		buf_printf(p->out, "<td class=\"num\">%zu</td></tr>\n", digest_count(d, NULL, d->ops.at[i], -1));
	}
	buf_puts(p->out, "</tbody>\n<tfoot><tr><th scope=\"row\">All</th>");
	for (size_t k = 0; k < d->libraries.n; k++)
		buf_printf(p->out, "<td>%zu</td>", digest_count(d, d->libraries.at[k], NULL, -1));
	buf_printf(p->out, "<td class=\"num\">%zu</td></tr></tfoot></table></div>\n", d->findings);
	if (d->ops.n > MATRIX_ROWS)
		buf_printf(p->out,
			   "<p><button type=\"button\" id=\"more\" hidden aria-expanded=\"false\">Show all %zu "
			   "operators</button></p>\n",
			   d->ops.n);
}

static void put_runs_head(struct buf *out)
{
	buf_puts(out, "<h3 id=\"runs\">What was run</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		      "aria-labelledby=\"runs\">\n<table class=\"rows\"><thead><tr><th scope=\"col\">Backend</th>");
#define X(name, heading) buf_puts(out, "<th scope=\"col\" class=\"num\">" heading "</th>");
	TALLY_MAP(X)
#undef X
	buf_puts(out, "<th scope=\"col\" class=\"num\">findings</th></tr></thead>\n<tbody>\n");
}

/* Findings of a backend, in whichever cluster. */
static size_t findings_of(const struct digest *d, const char *backend)
{
	size_t n = 0;

	for (size_t i = 0; i < d->clusters.n; i++)
		for (size_t k = 0; k < d->clusters.at[i].findings.n; k++)
			n += !strcmp(d->clusters.at[i].findings.at[k].backend, backend);
	return n;
}

/* How much each backend was given over all runs, and what came of it.  Of cases that fail alike a run keeps a few: the
 * findings are not all that went wrong. */
static int put_runs(struct page *p, struct err *e)
{
	size_t n;
	struct tally_row *rows = digest_rows(p->digest, &n);

	if (!rows)
		return err_nomem(e, "a report", 0);
	if (n)
		put_runs_head(p->out);
	for (size_t i = 0; i < n; i++) {
		buf_puts(p->out, "<tr><th scope=\"row\">");
		text_put(p->out, SHOWN_AS(rows[i].backend));
		buf_puts(p->out, "</th>");
#define X(name, heading) buf_printf(p->out, "<td class=\"num\">%zu</td>", rows[i].tally.name);
		TALLY_MAP(X)
#undef X
		buf_printf(p->out, "<td class=\"num\">%zu</td></tr>\n", findings_of(p->digest, rows[i].backend));
	}
	if (n)
		buf_puts(p->out,
			 "</tbody></table></div>\n<p class=\"quiet\">Cases that each backend was given, gave an "
			 "answer to, and was judged on: right, or not.  Of those that fail alike a few are kept as "
			 "findings.</p>\n");
	mem_free(rows);
	return 0;
}

static int put_summary(struct page *p, struct err *e)
{
	int rc;

	buf_puts(p->out, "<section id=\"summary\" aria-labelledby=\"summary-title\">\n"
			 "<h2 id=\"summary-title\">Summary</h2>\n");
	if (p->digest->findings) {
		put_kinds(p);
		put_matrix(p);
	} else {
		buf_puts(p->out, "<p>The store has no findings.</p>\n");
	}
	rc = put_runs(p, e);
	buf_puts(p->out, "</section>\n");
	return rc;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/* Above the columns: a button that sorts and a field that filters.  Key of the data, what stands on the button, is it a
 * number. */
static const struct {
	const char *key, *label, *tip;
	int numeric;
} columns[] = {
	{"kind", "Kind", "what went wrong", 0},
	{"op", "Operator", "the blamed operator", 0},
	{"library", "Library", "the library at fault", 0},
	{"ratio", "Noise ratio", "the deviation in units of rounding noise", 1},
	{"nodes", "Nodes", "of the smallest model known", 1},
	{"count", "Findings", "in this cluster", 1},
	{"since", "Since", "first bad version", 0},
};

/* Hidden until the script shows them: without it they do nothing. */
static void put_filters(struct buf *out)
{
	buf_puts(out, "<div class=\"columns filters\" role=\"group\" aria-label=\"Filter by column\" hidden>");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		buf_printf(out,
			   "<input type=\"text\" data-filter=\"%s\" data-numeric=\"%d\" class=\"c-%s\" "
			   "aria-label=\"%s: filter\" placeholder=\"%s\" autocomplete=\"off\" spellcheck=\"false\">",
			   columns[i].key, columns[i].numeric, columns[i].key, columns[i].label,
			   columns[i].numeric ? "≥ 1" : columns[i].label);
	buf_puts(out, "</div>\n");
}

static int has_finding(const struct digest_cluster *c, int64_t id)
{
	for (size_t i = 0; i < c->findings.n; i++)
		if (c->findings.at[i].id == id)
			return 1;
	return 0;
}

/* The cluster of one finding alone. */
static int put_one(struct page *p, int64_t finding, struct err *e)
{
	const struct digest *d = p->digest;

	for (size_t i = 0; i < d->clusters.n; i++)
		if (has_finding(&d->clusters.at[i], finding)) {
			int rc;

			buf_printf(p->out,
				   "<header><div class=\"wide\"><h1>Finding %lld</h1></div></header>\n"
				   "<main class=\"wide\">\n<section id=\"clusters\">\n",
				   (long long)finding);
			rc = html_cluster(p, &d->clusters.at[i], e);
			buf_puts(p->out, "</section>\n");
			return rc;
		}
	return err_set(e, ERR_INPUT, "the store has no finding %lld", (long long)finding);
}

/* A browser takes most of its time for a large page to make elements of lines that nobody sees yet.  So the lines
 * behind the first hundred are the text of <noscript> elements, a few hundred in each, and the script unpacks them
 * while nothing else is to be done.  Without a script they are elements as all others are.  Bodies stand between
 * comments in them, as a <noscript> cannot have another one in it. */
static int put_list(struct page *p, struct err *e)
{
	const struct digest *d = p->digest;
	int rc = 0;

	buf_puts(p->out, "<div id=\"list\">\n");
	for (size_t i = 0; i < d->clusters.n && !rc; i++) {
		int first = i >= LINES_AT_ONCE && (i - LINES_AT_ONCE) % LINES_PACKED == 0;

		if (first)
			buf_puts(p->out, p->packed ? "</noscript>\n<noscript class=\"packed\">\n"
						   : "<noscript class=\"packed\">\n");
		p->packed |= first;
		rc = html_cluster(p, &d->clusters.at[i], e);
	}
	buf_puts(p->out, p->packed ? "</noscript>\n</div>\n" : "</div>\n");
	return rc;
}

static int put_clusters(struct page *p, struct err *e)
{
	const struct digest *d = p->digest;
	int rc = 0;

	buf_puts(p->out, "<section id=\"clusters\" aria-labelledby=\"clusters-title\">\n"
			 "<h2 id=\"clusters-title\">Clusters</h2>\n");
	if (d->clusters.n) {
		buf_printf(p->out,
			   "<div class=\"tools\" role=\"search\"><label for=\"query\">Search</label>"
			   "<input id=\"query\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" "
			   "placeholder=\"Conv kind:wrong library:ort\">"
			   "<button type=\"button\" id=\"unfold\" aria-pressed=\"false\">Open all</button>"
			   "<output id=\"shown\" for=\"query\">%zu of %zu</output></div>\n"
			   "<div class=\"columns\" role=\"group\" aria-label=\"Sort by\">",
			   d->clusters.n, d->clusters.n);
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
			buf_printf(p->out,
				   "<button type=\"button\" data-sort=\"%s\" data-numeric=\"%d\" title=\"%s\" "
				   "class=\"c-%s\">%s</button>",
				   columns[i].key, columns[i].numeric, columns[i].tip, columns[i].key,
				   columns[i].label);
		buf_puts(p->out, "</div>\n");
		put_filters(p->out);
		rc = put_list(p, e);
	}
	buf_puts(p->out, d->clusters.n ? "<p id=\"none\" hidden>Nothing matches. <button type=\"button\" "
					 "data-query=\"\">Show all</button></p>\n"
				       : "<p>None.</p>\n");
	buf_puts(p->out, "</section>\n");
	return rc;
}

static int put_all(struct page *p, const struct report_page *page, struct err *e)
{
	int rc;

	put_banner(p, page);
	rc = put_summary(p, e);
	if (!rc)
		rc = put_clusters(p, e);
	if (!rc && page->ops)
		html_ops(p, page->ops);
	return rc ? rc : html_campaigns(p, e);
}

int report_html(struct store *s, const struct report_page *page, struct buf *out, struct err *e)
{
	struct digest d;
	struct page p = {.store = s, .digest = &d, .out = out, .open = page->finding != 0};
	int rc = digest_make(s, &d, e);

	if (rc)
		return rc;
	digest_rank(&d, page->usage);
	html_head(out, page->title, page_js_hash, 0, "clusters");
	rc = page->finding ? put_one(&p, page->finding, e) : put_all(&p, page, e);
	html_foot(out);
	digest_release(&d);
	return rc ? rc : buf_check(out, e);
}
