/* live.c - the first page: the numbers of the store, its campaigns, and a line for each cluster that leads to its page.
 *
 * It is short, whatever the store holds, since it is made again and again; /report has it all in one. */
#include "report/html.h"
#include "report/page.h"
#include "serve/internal.h"

#define MOST_LINES 500

/* What a folder's tasks have found comes without their campaigns: there are none to be told of. */
static int has_campaigns(const struct digest *d, const struct serve_options *o)
{
	return !o->campaign || d->campaigns;
}

static void put_banner(const struct digest *d, const struct serve_options *o, struct buf *out)
{
	char text[32];

	buf_puts(out, "<header><div class=\"wide\">\n");
	html_element(out, "h1", "", o->title);
	buf_puts(out, "<ul class=\"tiles\">");
	html_tile(out, d->findings, "finding", "findings");
	html_tile(out, d->clusters.n, "cluster", "clusters");
	html_tile(out, d->libraries.n, "library", "libraries");
	if (has_campaigns(d, o))
		html_tile(out, d->campaigns, "campaign", "campaigns");
	buf_puts(out, "</ul>\n<p class=\"quiet\">");
	if (d->campaigns)
		buf_printf(out, "%lld cases in %s of campaigns. ", (long long)d->cases,
			   text_duration(d->seconds, text));
	if (d->last > 0)
		buf_printf(out, "Last finding recorded %s.", text_time(d->last, text));
	buf_printf(out,
		   "</p>\n<nav aria-label=\"Pages\">%s<a href=\"#clusters\">Clusters</a> %s"
		   "<a href=\"/report\">All in one page</a></nav>\n</div></header>\n",
		   o->campaign ? "<a href=\"#tasks\">Tasks</a> " : "",
		   has_campaigns(d, o) ? "<a href=\"#campaigns\">Campaigns</a> " : "");
}

static void put_cell(struct buf *out, const char *text)
{
	html_element(out, "td", "", *text ? text : "–");
}

static void put_cluster(const struct digest *d, const struct digest_cluster *c, struct buf *out)
{
	const struct finding *f = &c->best;
	char number[32];

	buf_printf(out, "<tr><th scope=\"row\"><a href=\"/finding/%lld\">%lld</a></th><td>", (long long)f->id,
		   (long long)f->id);
	html_verdict(out, f->verdict);
	buf_puts(out, "</td>");
	put_cell(out, digest_op(c));
	put_cell(out, f->backend);
	put_cell(out, f->version);
	put_cell(out, digest_ratio(f->noise_ratio, f->verdict, number));
	buf_printf(out, "<td class=\"num\">%d</td><td class=\"num\">%zu</td>", f->nodes, c->findings.n);
	if (d->ranked)
		buf_printf(out, "<td class=\"num\">%zu</td>", c->use.nodes);
	buf_puts(out, "</tr>\n");
}

static void put_clusters(const struct digest *d, struct buf *out)
{
	size_t n = d->clusters.n < MOST_LINES ? d->clusters.n : MOST_LINES;

	buf_puts(out, "<section id=\"clusters\" aria-labelledby=\"clusters-title\">\n"
		      "<h2 id=\"clusters-title\">Clusters</h2>\n");
	if (!n) {
		buf_puts(out, "<p>None yet.</p>\n</section>\n");
		return;
	}
	buf_puts(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Clusters of findings\">\n"
		      "<table class=\"matrix\"><thead><tr><th scope=\"col\">Finding</th><th scope=\"col\">Kind</th>"
		      "<th scope=\"col\">Operator</th><th scope=\"col\">Backend</th><th scope=\"col\">Version</th>"
		      "<th scope=\"col\">Noise ratio</th><th scope=\"col\">Nodes</th><th scope=\"col\">Findings</th>");
	buf_puts(out, d->ranked ? "<th scope=\"col\">Uses</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		put_cluster(d, &d->clusters.at[i], out);
	buf_puts(out, "</tbody></table></div>\n");
	if (n < d->clusters.n)
		buf_printf(out, "<p>And %zu more: <a href=\"/report\">all in one page</a>.</p>\n", d->clusters.n - n);
	buf_puts(out, "</section>\n");
}

int live_page(const struct serve_options *o, struct buf *out, struct err *e)
{
	struct store_glance g;
	struct digest d;
	struct page p = {.store = o->store, .digest = &d, .out = out};
	int rc = routes_glance(o, &g, e);

	if (!rc)
		rc = digest_make(o->store, &d, e);
	if (rc)
		return rc;
	digest_rank(&d, o->usage);
	html_head(out, o->title, live_js_hash, 1, "clusters");
	buf_printf(out, "<div id=\"live\" data-version=\"%lld\">\n", (long long)g.version);
	put_banner(&d, o, out);
	buf_puts(out, "<main class=\"wide\">\n");
	if (o->campaign)
		folder_page(o->campaign, out);
	put_clusters(&d, out);
	if (has_campaigns(&d, o))
		rc = html_campaigns(&p, e);
	buf_puts(out, "</main>\n</div>\n<footer class=\"wide quiet\">Served by assay " ASSAY_VERSION
		      ": <span id=\"state\" role=\"status\">as it was when you opened it</span>.</footer>\n<script>");
	buf_puts(out, live_js);
	buf_puts(out, "</script>\n</body>\n</html>\n");
	digest_release(&d);
	return rc ? rc : buf_check(out, e);
}
