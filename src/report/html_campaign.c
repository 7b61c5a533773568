/* html_campaign.c - campaigns of the page: what each was, and its curves over time.
 *
 * A curve's name up to the first '.' or '/' names the picture it is drawn in, the rest the line: "coverage.otc" and
 * "coverage.idc" share one. */
#include <string.h>

#include "report/html.h"

#define MAX_CURVES 64 /* of a campaign */

struct curve {
	const char *picture, *line;
	VEC(double) x;
	VEC(double) y;
};

struct curves {
	struct arena arena;
	VEC(struct curve) at;
	struct err *e;
};

static struct curve *curve_named(struct curves *all, const char *name)
{
	size_t cut = strcspn(name, "./");
	const char *line = name[cut] ? name + cut + 1 : name;
	struct curve fresh = {.picture = NULL};

	for (size_t i = 0; i < all->at.n; i++)
		if (!strncmp(all->at.at[i].picture, name, cut) && !all->at.at[i].picture[cut] &&
		    !strcmp(all->at.at[i].line, line))
			return &all->at.at[i];
	fresh.picture = arena_strndup(&all->arena, name, cut);
	fresh.line = arena_strdup(&all->arena, line);
	if (all->at.n == MAX_CURVES || !fresh.picture || !fresh.line || vec_push(&all->at, fresh))
		return NULL;
	return &all->at.at[all->at.n - 1];
}

static int add_point(const char *name, double seconds, double value, void *arg)
{
	struct curves *all = arg;
	struct curve *c = curve_named(all, name);

	if (!c)
		return all->at.n == MAX_CURVES ? 0 : err_nomem(all->e, "curves", 0);
	return vec_push(&c->x, seconds) || vec_push(&c->y, value) ? err_nomem(all->e, "curves", 0) : 0;
}

static int draw(struct page *p, const struct curves *all, size_t first, struct err *e)
{
	struct svg_series series[MAX_CURVES];
	const char *picture = all->at.at[first].picture;
	size_t n = 0;
	int rc;

	for (size_t i = first; i < all->at.n; i++) {
		const struct curve *c = &all->at.at[i];

		if (!strcmp(c->picture, picture))
			series[n++] = (struct svg_series){c->line, c->x.at, c->y.at, c->x.n};
	}
	buf_puts(p->out, "<figure class=\"chart\">");
	rc = svg_curves(picture, "seconds", series, n, p->out, e);
	buf_puts(p->out, "</figure>\n");
	return rc;
}

static int put_curves(struct page *p, int64_t campaign, struct err *e)
{
	struct curves all = {.arena = ARENA_INIT, .e = e};
	int rc = store_each_point(p->store, campaign, add_point, &all, e);

	if (!rc && all.at.n)
		buf_puts(p->out, "<div class=\"charts\">\n");
	for (size_t i = 0; i < all.at.n && !rc; i++) {
		size_t k = 0;

		while (strcmp(all.at.at[k].picture, all.at.at[i].picture))
			k++;
		if (k == i) /* the first line of its picture */
			rc = draw(p, &all, i, e);
	}
	if (!rc && all.at.n)
		buf_puts(p->out, "</div>\n");
	for (size_t i = 0; i < all.at.n; i++) {
		vec_release(&all.at.at[i].x);
		vec_release(&all.at.at[i].y);
	}
	vec_release(&all.at);
	arena_release(&all.arena);
	return rc;
}

/* How much of each backend was judged. */
static void put_counts(struct buf *out, const struct digest *d, int64_t campaign)
{
	int any = 0;

	for (size_t i = 0; i < d->tallies.n; i++) {
		const struct store_tally *t = &d->tallies.at[i];

		if (t->campaign != campaign)
			continue;
		if (!any++) {
			buf_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"How much was "
				      "judged\">"
				      "<table class=\"rows\"><thead><tr><th scope=\"col\">model</th>"
				      "<th scope=\"col\">backend</th>");
#define X(name, heading) buf_puts(out, "<th scope=\"col\">" heading "</th>");
			TALLY_MAP(X)
#undef X
			buf_puts(out, "<th scope=\"col\">verdict</th></tr></thead><tbody>\n");
		}
		buf_puts(out, "<tr>");
		html_element(out, "td", "", *t->model ? t->model : "all");
		html_element(out, "td", "", t->backend);
#define X(name, heading) buf_printf(out, "<td>%zu</td>", t->tally.name);
		TALLY_MAP(X)
#undef X
		html_element(out, "td", "", t->verdict);
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, any ? "</tbody></table></div>\n" : "");
}

static void put_hollow(struct buf *out, const struct digest *d, int64_t campaign)
{
	struct buf why;

	buf_init(&why, 65536);
	for (size_t i = 0; i < d->tallies.n; i++) {
		const struct store_tally *t = &d->tallies.at[i];

		if (t->campaign != campaign || !tally_is_hollow(&t->tally))
			continue;
		buf_clear(&why);
		digest_why_hollow(t, &why);
		buf_puts(out, "<p><strong>Warning:</strong> ");
		text_put(out, why.data ? why.data : "");
		buf_puts(out, "</p>\n");
	}
	buf_release(&why);
}

struct campaign_listing {
	struct page *p;
	struct err *e;
};

static void put_facts(struct buf *out, const struct campaign *c)
{
	char text[64], number[32];

	buf_printf(out, "<article class=\"campaign\"><h3>%lld. ", (long long)c->id);
	text_put(out, c->method);
	buf_puts(out, c->done ? "</h3>\n" : " <span class=\"quiet\">(not finished)</span></h3>\n");
	buf_puts(out, "<dl class=\"facts\">");
	html_fact(out, "backends", c->backends);
	snprintf(text, sizeof text, "%lld", (long long)c->cases);
	html_fact(out, "cases", text);
	html_fact(out, "time", text_duration(c->seconds, number));
	snprintf(text, sizeof text, "%.3g a second", c->seconds > 0 ? (double)c->cases / c->seconds : 0);
	html_fact(out, "throughput", c->seconds > 0 ? text : "");
	html_fact(out, "begun", text_time(c->started, number));
	snprintf(text, sizeof text, "%llu", (unsigned long long)c->seed);
	html_fact(out, "seed", text);
	buf_puts(out, "</dl>\n<pre tabindex=\"0\"><code>");
	text_put(out, c->command);
	buf_puts(out, "</code></pre>\n");
}

static int each_campaign(const struct campaign *c, void *arg)
{
	const struct campaign_listing *l = arg;
	int rc;

	put_facts(l->p->out, c);
	put_hollow(l->p->out, l->p->digest, c->id);
	put_counts(l->p->out, l->p->digest, c->id);
	rc = put_curves(l->p, c->id, l->e);
	buf_puts(l->p->out, "</article>\n");
	return rc;
}

int html_campaigns(struct page *p, struct err *e)
{
	struct campaign_listing l = {p, e};
	int rc;

	buf_puts(p->out, "<section id=\"campaigns\" aria-labelledby=\"campaigns-title\">\n"
			 "<h2 id=\"campaigns-title\">Campaigns</h2>\n");
	if (!p->digest->campaigns)
		buf_puts(p->out, "<p>None.</p>\n");
	rc = store_each_campaign(p->store, each_campaign, &l, e);
	buf_puts(p->out, "</section>\n");
	return rc;
}
