/* routes.c - what can be asked for (see internal.h).
 *
 * A page is made again when the store has changed since, but not within two seconds: however many ask, and however
 * fast a campaign writes, a page costs its making once in that time. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/digest.h"
#include "report/finding.h"
#include "report/report.h"
#include "serve/internal.h"

#define MAX_PAGE ((size_t)256 << 20)
#define FRESH_SECONDS 2
#define MAX_DIGITS 18 /* of a finding's number */

#define HTML "text/html; charset=utf-8"
#define JSON "application/json"

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Appends an answer; `id` is the number at the end of the path, 0 where the route has none. */
typedef int route_fn(const struct serve_options *o, int64_t id, struct buf *out, struct err *e);

static int put_json(json_t *take, struct buf *out, struct err *e)
{
	json_t *document = take ? json_document(take) : NULL;
	int rc;

	json_write(out, document, JSON_INDENT(1));
	rc = buf_check(out, e);
	json_decref(document);
	return rc;
}

int routes_glance(const struct serve_options *o, struct store_glance *out, struct err *e)
{
	int rc = store_glance(o->store, out, e);

	if (!rc && o->campaign) /* together a number that JavaScript has: below 2^53 */
		out->version = (out->version & 0xfffff) << 32 | folder_version(o->campaign);
	return rc;
}

static int index_page(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	(void)id;
	return live_page(o, out, e);
}

static int report_page(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	return report_html(o->store, &(struct report_page){.title = o->title, .usage = o->usage, .finding = id}, out,
			   e);
}

static int findings_json(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	struct digest d;
	int rc = digest_make(o->store, &d, e);

	(void)id;
	if (rc)
		return rc;
	digest_rank(&d, o->usage);
	rc = put_json(digest_json(&d), out, e);
	digest_release(&d);
	return rc;
}

static int one_finding_json(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	struct finding f = {0};
	int rc = store_get(o->store, id, &f, e);

	if (!rc)
		rc = put_json(finding_json(&f, o->store), out, e);
	finding_release(&f);
	return rc;
}

static int add_campaign(const struct campaign *c, void *arg)
{
	json_array_append_new(arg, json_pack("{s:I, s:o, s:o, s:I, s:f, s:b}", "id", (json_int_t)c->id, "method",
					     json_text(c->method), "backends", json_text(c->backends), "cases",
					     (json_int_t)c->cases, "seconds", c->seconds, "done", c->done));
	return 0;
}

static int status_json(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	struct store_glance g;
	json_t *campaigns = json_array();
	int rc = routes_glance(o, &g, e);

	(void)id;
	if (!rc)
		rc = store_each_campaign(o->store, add_campaign, campaigns, e);
	if (rc) {
		json_decref(campaigns);
		return rc;
	}
	return put_json(json_pack("{s:I, s:I, s:I, s:o}", "version", (json_int_t)g.version, "findings",
				  (json_int_t)g.findings, "clusters", (json_int_t)g.clusters, "campaigns", campaigns),
			out, e);
}

static int add_point(const char *curve, double seconds, double value, void *arg)
{
	json_t *all = arg, *points = json_object_get(all, curve);

	if (!points && !json_object_set_new(all, curve, json_array()))
		points = json_object_get(all, curve);
	json_array_append_new(points, json_pack("[f, o]", seconds, json_number_or_null(value)));
	return 0;
}

static int curves_json(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	json_t *curves = json_object();
	int rc = store_each_point(o->store, id, add_point, curves, e);

	if (!rc)
		return put_json(json_pack("{s:I, s:o}", "campaign", (json_int_t)id, "curves", curves), out, e);
	json_decref(curves);
	return rc;
}

static int campaign_json(const struct serve_options *o, int64_t id, struct buf *out, struct err *e)
{
	json_t *all = folder_json(o->campaign, e);

	(void)id;
	return all ? put_json(all, out, e) : e->code;
}

static const struct {
	const char *path; /* up to the number, where there is one */
	int numbered;
	const char *type;
	route_fn *make;
} routes[] = {
	{"/", 0, HTML, index_page},
	{"/report", 0, HTML, report_page},
	{"/finding/", 1, HTML, report_page},
	{"/api/status", 0, JSON, status_json},
	{"/api/campaign", 0, JSON, campaign_json},
	{"/api/findings", 0, JSON, findings_json},
	{"/api/finding/", 1, JSON, one_finding_json},
	{"/api/curves/", 1, JSON, curves_json},
};

/* ---- which it is ------------------------------------------------------------------------------------------------- */

/* A number above 0 of plain digits; 0 when it is none. */
static int64_t read_number(const char *text)
{
	int64_t n = 0;
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > MAX_DIGITS || text[digits] || *text == '0')
		return 0;
	while (*text)
		n = 10 * n + (*text++ - '0');
	return n;
}

/* Index of the route; -1: there is none. */
static int find_route(const struct serve_options *o, const char *path, int64_t *id)
{
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
		size_t n = strlen(routes[i].path);

		if (routes[i].make == campaign_json && !o->campaign)
			continue;
		*id = routes[i].numbered && !strncmp(path, routes[i].path, n) ? read_number(path + n) : 0;
		if (routes[i].numbered ? *id > 0 : !strcmp(path, routes[i].path))
			return (int)i;
	}
	return -1;
}

/* ---- pages that were made ---------------------------------------------------------------------------------------- */

void routes_unref(struct served_page *p)
{
	if (!p || --p->refs)
		return;
	*p->bytes -= p->text.len;
	buf_release(&p->text);
	mem_free(p);
}

static struct served_page **find_kept(struct routes *r, const char *path)
{
	for (size_t i = 0; i < ROUTES_KEPT; i++)
		if (r->kept[i] && !strcmp(r->kept[i]->path, path))
			return &r->kept[i];
	return NULL;
}

/* All of a page is of one moment of the store. */
static int fill(struct served_page *p, const struct serve_options *o, int route, int64_t id, struct err *e)
{
	struct err thawing = ERR_INIT;
	int rc = store_freeze(o->store, e), thawed;

	if (rc)
		return rc;
	rc = routes[route].make(o, id, &p->text, e);
	thawed = store_thaw(o->store, &thawing);
	if (!rc && thawed) {
		*e = thawing;
		rc = thawed;
	}
	return rc ? rc : buf_check(&p->text, e);
}

static int make(struct routes *r, int route, int64_t id, const char *path, struct served_page **out, struct err *e)
{
	struct served_page *p = mem_zalloc(sizeof *p);
	int rc;

	if (!p)
		return err_nomem(e, "a page", sizeof *p);
	p->bytes = &r->bytes;
	p->refs = 1;
	p->type = routes[route].type;
	snprintf(p->path, sizeof p->path, "%s", path);
	buf_init(&p->text, MAX_PAGE);
	rc = fill(p, r->o, route, id, e);
	p->made = clock_now();
	r->bytes += p->text.len;
	if (rc)
		routes_unref(p);
	else
		*out = p;
	return rc;
}

/* In the place of an older one of that path, or of any. */
static void keep(struct routes *r, struct served_page **at, struct served_page *p)
{
	if (!at)
		at = &r->kept[r->next++ % ROUTES_KEPT];
	routes_unref(*at);
	*at = p;
	p->refs++;
}

int routes_get(struct routes *r, const char *path, struct served_page **out, struct err *e)
{
	struct served_page **kept, *p = NULL;
	struct store_glance g;
	int64_t id;
	int route = find_route(r->o, path, &id), rc;

	*out = NULL;
	if (route < 0 || strlen(path) >= sizeof p->path)
		return 0;
	rc = routes_glance(r->o, &g, e);
	if (rc)
		return rc;
	kept = find_kept(r, path);
	if (kept && ((*kept)->version == g.version || clock_now() - (*kept)->made < FRESH_SECONDS)) {
		(*kept)->refs++;
		*out = *kept;
		return 0;
	}
	if (r->bytes > ROUTES_MAX_BYTES)
		return err_set(e, ERR_LIMIT, "%zu MiB of pages are being sent already", r->bytes >> 20);
	rc = make(r, route, id, path, &p, e);
	if (rc == ERR_INPUT && routes[route].numbered) { /* no such finding */
		err_clear(e);
		return 0;
	}
	if (rc)
		return rc;
	p->version = g.version;
	keep(r, kept, p);
	*out = p;
	return 0;
}

void routes_release(struct routes *r)
{
	for (size_t i = 0; i < ROUTES_KEPT; i++) {
		routes_unref(r->kept[i]);
		r->kept[i] = NULL;
	}
}
