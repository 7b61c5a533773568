/* html_cluster.c - one cluster of the page: a line that tells what it is, and below it the best example in full. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/mem.h"
#include "model/model.h"
#include "report/evidence.h"
#include "report/html.h"

#define MAX_OTHERS 50      /* findings listed beside the best one */
#define MAX_EVIDENCE 65536 /* bytes of evidence shown as JSON */
#define MAX_VERSIONS 3     /* in the line of a cluster */
#define MAX_KNOWN 100      /* versions below it */

static const char *ratio_text(double ratio, enum verdict v, char out[32])
{
	const char *text = digest_ratio(ratio, v, out);

	return strcmp(text, "inf") ? text : "∞";
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* The style puts the column's name in front, for narrow screens and for those that are read out: as elements the names
 * would be half of a large page. */
static void put_cell(struct buf *out, const char *class, const char *value)
{
	buf_printf(out, "<span class=\"c-%s\">", class);
	text_put(out, *value ? value : "–");
	buf_puts(out, "</span>");
}

static void put_number(struct buf *out, const char *name, double x)
{
	buf_printf(out, " data-%s=\"%.17g\"", name, isnan(x) ? -1 : isinf(x) ? 1e308 : x);
}

/* The versions that show it, in the order they were found, with commas between; an ellipsis behind `max` of them. */
static void put_versions(struct buf *text, const struct digest_cluster *c, size_t max)
{
	size_t told = 0;

	for (size_t i = 0; i < c->findings.n && told <= max; i++) {
		const char *version = c->findings.at[i].version;
		size_t k = 0;

		while (strcmp(c->findings.at[k].version, version) != 0)
			k++;
		if (k == i && *version)
			buf_printf(text, "%s%s", told ? ", " : "", told < max ? version : "…");
		told += k == i && *version;
	}
}

static void put_library(struct buf *out, const struct digest_cluster *c)
{
	struct buf text;

	buf_init(&text, MAX_EVIDENCE);
	buf_printf(&text, "%s ", c->best.library);
	put_versions(&text, c, MAX_VERSIONS);
	put_cell(out, "library", text.data ? text.data : "");
	buf_release(&text);
}

/* What the page's script sorts and filters by: the columns, and more that a search may name. */
static void put_data(struct buf *out, const struct digest_cluster *c)
{
	const struct finding *f = &c->best;
	struct buf text;
	char number[32];

	buf_init(&text, MAX_EVIDENCE);
	put_versions(&text, c, MAX_KNOWN);
	text_attribute(out, "data-kind", verdict_name(f->verdict));
	text_attribute(out, "data-op", digest_op(c));
	text_attribute(out, "data-library", f->library);
	text_attribute(out, "data-version", text.data ? text.data : "");
	text_attribute(out, "data-backend", f->backend);
	text_attribute(out, "data-method", f->method);
	text_attribute(out, "data-since", f->since);
	text_attribute(out, "data-until", f->until);
	if (*digest_ratio(f->noise_ratio, f->verdict, number))
		put_number(out, "ratio", f->noise_ratio);
	else
		text_attribute(out, "data-ratio", ""); /* not known: last in either order */
	put_number(out, "nodes", f->nodes);
	put_number(out, "count", (double)c->findings.n);
	buf_release(&text);
}

static void put_line(struct buf *out, const struct digest_cluster *c, int open)
{
	const struct finding *f = &c->best;
	char text[32];

	buf_printf(out, "<details class=\"cluster\" id=\"f%lld\"", (long long)f->id);
	put_data(out, c);
	buf_puts(out, open ? " open" : "");
	buf_puts(out, ">\n<summary><span class=\"c-kind\">");
	html_verdict(out, f->verdict);
	buf_puts(out,
		 f->gradient ? " <span class=\"grad\" title=\"the gradient is at fault\">∇</span></span>" : "</span>");
	put_cell(out, "op", digest_op(c));
	put_library(out, c);
	put_cell(out, "ratio", ratio_text(f->noise_ratio, f->verdict, text));
	snprintf(text, sizeof text, "%d", f->nodes);
	put_cell(out, "nodes", text);
	snprintf(text, sizeof text, "%zu", c->findings.n);
	put_cell(out, "count", text);
	put_cell(out, "since", f->since);
	buf_puts(out, "</summary>\n<div class=\"body\">\n");
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* Values that are to be compared need all their digits. */
static const char *exact_number(double x, int digits, char out[32])
{
	if (!isfinite(x))
		return text_number(x, out);
	snprintf(out, 32, "%.*g", digits, x);
	return out;
}

/* The worst element of the smallest case that has one. */
static const json_t *worst_of(const json_t *evidence)
{
	const json_t *reduced = json_object_get(evidence, "reduced_numbers");

	return reduced ? reduced : json_object_get(evidence, "numbers");
}

/* Why there is no finite ratio. */
static const char *no_ratio(const json_t *evidence)
{
	const json_t *j = worst_of(evidence);

	if (*json_text_at(j, "told"))
		return "∞: nothing rounds there";
	if (!isfinite(evidence_number(json_object_get(j, "got"))) ||
	    !isfinite(evidence_number(json_object_get(j, "exact"))))
		return "∞: no rounding explains it";
	return evidence_number(json_object_get(j, "beyond")) > 0 ? "∞: nothing rounds there"
								 : "∞: another type or shape than expected";
}

static void put_worst(struct buf *out, const json_t *evidence)
{
	const json_t *j = worst_of(evidence);
	const char *output = json_string_value(json_object_get(j, "output"));
	double beyond = evidence_number(json_object_get(j, "beyond")), got = evidence_number(json_object_get(j, "got"));
	double exact = evidence_number(json_object_get(j, "exact"));
	int digits = digits_of_pair(got, exact);
	char number[32];

	if (!output)
		return;
	buf_puts(out, "<div><dt>worst element</dt><dd>");
	text_put(out, output);
	if (*json_text_at(j, "told")) {
		buf_puts(out, ": ");
		text_put(out, json_text_at(j, "told"));
	} else {
		buf_printf(out, "[%.0f]: got <b>%s</b>, ", evidence_number(json_object_get(j, "element")),
			   exact_number(got, digits, number));
		buf_printf(out, "expected <b>%s</b>", exact_number(exact, digits, number));
	}
	if (beyond > 1)
		buf_printf(out, "; %.0f elements are beyond rounding", beyond);
	buf_puts(out, "</dd></div>");
}

/* "first signature" of "first_signature". */
static void put_words(const char *key, char *out, size_t size)
{
	snprintf(out, size, "%s", key);
	for (; *out; out++)
		*out = *out == '_' ? ' ' : *out;
}

static void put_evidence_facts(struct buf *out, const json_t *evidence)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)evidence, key, value)
	{
		char text[32], name[64];

		if (!strcmp(key, "guilty"))
			continue;
		put_words(key, name, sizeof name);
		if (json_is_string(value))
			html_fact(out, name, json_string_value(value));
		else if (json_is_number(value))
			html_fact(out, name, exact_number(json_number_value(value), 9, text));
		else if (json_is_boolean(value))
			html_fact(out, name, json_is_true(value) ? "yes" : "no");
	}
}

/* Nodes that fail only together are named as a set. */
static void put_set(struct buf *out, const struct finding *f, const json_t *evidence)
{
	struct buf text;

	if (*f->op || !evidence_set(evidence))
		return;
	buf_init(&text, MAX_EVIDENCE);
	evidence_put_set(evidence, &text);
	html_fact(out, "only together", text.data ? text.data : "");
	buf_release(&text);
}

static void put_known(struct buf *out, const struct digest_cluster *c)
{
	struct buf text;

	buf_init(&text, MAX_EVIDENCE);
	put_versions(&text, c, MAX_KNOWN);
	html_fact(out, text.data && strchr(text.data, ',') ? "versions" : "version", text.data ? text.data : "");
	buf_release(&text);
}

static void put_oracle(struct buf *out, const json_t *evidence)
{
	struct buf text;

	buf_init(&text, MAX_EVIDENCE);
	evidence_put_oracle(evidence, &text);
	html_fact(out, "decided by", text.data ? text.data : "");
	buf_release(&text);
}

/* How much real models use what the finding is about. */
static void put_use(const struct page *p, const struct digest_cluster *c)
{
	char text[96];

	if (!p->digest->ranked)
		return;
	snprintf(text, sizeof text, "%zu nodes in %zu models", c->use.nodes, c->use.models);
	html_fact(p->out, "used by", text);
}

static void put_facts(const struct page *p, const struct digest_cluster *c, const json_t *evidence)
{
	const struct finding *f = &c->best;
	struct buf *out = p->out;
	char text[128], number[32];

	buf_puts(out, "<dl class=\"facts\">");
	buf_printf(out, "<div><dt>finding</dt><dd><a href=\"#f%lld\">#%lld</a></dd></div>", (long long)f->id,
		   (long long)f->id);
	if (isfinite(f->noise_ratio))
		snprintf(text, sizeof text, "%s times what rounding explains", text_number(f->noise_ratio, number));
	else
		snprintf(text, sizeof text, "%s",
			 *ratio_text(f->noise_ratio, f->verdict, number) ? no_ratio(evidence) : "");
	html_fact(out, "noise ratio", text);
	put_worst(out, evidence);
	html_fact(out, "library", f->library);
	put_known(out, c);
	html_fact(out, "backend", f->backend);
	html_fact(out, "node", f->node);
	put_set(out, f, evidence);
	html_fact(out, "parameter", f->parameter);
	html_fact(out, "at fault", f->gradient ? "the gradient" : "");
	html_fact(out, "bad since", f->since);
	html_fact(out, "good again from", f->until);
	html_fact(out, "sufficient to change", evidence_string(evidence, "guilty"));
	put_oracle(out, evidence);
	snprintf(text, sizeof text, f->original_nodes > f->nodes ? "%d, reduced from %d" : "%d", f->nodes,
		 f->original_nodes);
	html_fact(out, "nodes", text);
	put_use(p, c);
	html_fact(out, "found by", f->method);
	snprintf(text, sizeof text, "%llu", (unsigned long long)f->seed);
	html_fact(out, "seed", text);
	html_fact(out, "recorded", text_time(f->time, number));
	put_evidence_facts(out, evidence);
	html_fact(out, "signature", f->signature);
	buf_puts(out, "</dl>\n");
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Puts a figure around what `draw` made, or says why there is none. */
static void put_figure(struct page *p, const struct buf *picture, int rc, const struct err *e, const char *caption)
{
	if (p->full || (!rc && p->pictures + picture->len > PAGE_PICTURES)) {
		p->full = 1;
		buf_puts(p->out, "<p class=\"quiet\">A picture is left out here: the page has too many already. "
				 "'assay serve' shows it on the finding's own page.</p>\n");
	} else if (!rc) {
		buf_puts(p->out, "<figure>");
		html_element(p->out, "figcaption", "", caption);
		buf_puts(p->out, "<div class=\"picture\" role=\"group\" tabindex=\"0\"");
		text_attribute(p->out, "aria-label", caption);
		buf_puts(p->out, ">\n");
		buf_add(p->out, picture->data, picture->len);
		p->pictures += picture->len;
		buf_puts(p->out, "</div></figure>\n");
	} else {
		buf_puts(p->out, "<p class=\"quiet\">No picture: ");
		text_put(p->out, e->msg);
		buf_puts(p->out, ".</p>\n");
	}
}

/* The reduced graph (the original one when there is none), the blamed node marked. */
static void put_graph(struct page *p, const struct finding *f, const json_t *evidence)
{
	struct bytes bytes = f->reduced_model.n ? f->reduced_model : f->model;
	struct svg_node *notes = NULL;
	struct model *m = NULL;
	struct err e = ERR_INIT;
	struct buf picture;
	int rc;

	if (!bytes.n)
		return;
	buf_init(&picture, PAGE_PICTURES);
	rc = p->full ? ERR_LIMIT : model_parse(bytes.p, bytes.n, "", &m, &e);
	if (!rc && !(notes = mem_array(m->graph->nodes.n + 1, sizeof *notes)))
		rc = err_nomem(&e, "a picture", m->graph->nodes.n);
	for (size_t i = 0; !rc && i < m->graph->nodes.n; i++) {
		const struct node *n = m->graph->nodes.at[i];
		int blamed = *f->node                 ? !strcmp(n->name, f->node)
			     : *f->op                 ? !strcmp(n->op_type, f->op)
			     : evidence_set(evidence) ? evidence_is_in_set(evidence, n)
						      : 0;

		notes[i] = (struct svg_node){"", "", blamed ? "blamed" : ""};
		if (blamed)
			notes[i].color = "#ffd9a8";
	}
	if (!rc)
		rc = svg_graph(m, notes, 0, &picture, &e);
	put_figure(p, &picture, rc, &e,
		   f->reduced_model.n ? "The smallest model that shows it" : "The model that shows it");
	mem_free(notes);
	buf_release(&picture);
	model_free(m);
}

static void put_map(struct page *p, const struct finding *f, const json_t *evidence)
{
	struct arena a = ARENA_INIT;
	struct blame_map map = {0};
	struct model *m = NULL;
	struct err e = ERR_INIT;
	struct buf picture;
	int rc;

	if (!f->model.n || !json_object_size(evidence) || p->full)
		return;
	buf_init(&picture, PAGE_PICTURES);
	rc = model_parse(f->model.p, f->model.n, "", &m, &e);
	if (!rc)
		rc = evidence_map(evidence, m, &a, &map, &e);
	if (!rc && map.n)
		rc = svg_map(m, &map, &picture, &e);
	if (rc || map.n) {
		put_figure(
			p, &picture, rc, &e,
			evidence_set(evidence)
				? "Localization map of the original network, run node by node: what is wrong only "
				  "where nodes are fused does not show in it"
				: "Localization map of the original network: the darker a node, the higher its rate of "
				  "change; what rounding explains is light, what depends on no input is grey");
		if (!rc)
			buf_puts(p->out, "<p class=\"ramp\"><span>unchanged</span><i></i><span>highest rate of "
					 "change</span></p>\n");
	}
	buf_release(&picture);
	model_free(m);
	arena_release(&a);
}

/* ---- what can be done with it ------------------------------------------------------------------------------------ */

static void put_command(struct buf *out, const char *label, const char *command)
{
	if (!*command)
		return;
	buf_puts(out, "<div class=\"command\">");
	html_element(out, "span", "label", label);
	buf_puts(out, "<pre tabindex=\"0\"><code>");
	text_put(out, command);
	buf_puts(out, "</code></pre><button type=\"button\" class=\"copy\" hidden>Copy<span class=\"vh\"> command: ");
	text_put(out, label);
	buf_puts(out, "</span></button></div>\n");
}

static void put_commands(struct page *p, const struct digest_cluster *c)
{
	const struct finding *f = &c->best;
	struct buf text;

	buf_init(&text, MAX_EVIDENCE);
	buf_puts(p->out, "<h3>See it yourself</h3>\n");
	put_command(p->out, "run it again", digest_repro(c, f->id));
	store_command(p->store, "findings export", f->id, &text);
	buf_printf(&text, " -o finding-%lld", (long long)f->id);
	put_command(p->out, "as a folder with repro.py", text.data && !text.failed ? text.data : "");
	put_command(p->out, "how it was found", f->command);
	buf_release(&text);
}

static void put_others(struct buf *out, const struct digest_cluster *c)
{
	size_t shown = 0;
	char text[32];

	if (c->findings.n < 2)
		return;
	buf_printf(out,
		   "<h3>All %zu findings</h3>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		   "aria-label=\"Findings of this cluster\"><table class=\"rows\"><thead><tr><th scope=\"col\" "
		   "class=\"num\">Id</th><th scope=\"col\">Backend</th><th scope=\"col\">Version</th><th scope=\"col\">"
		   "Found by</th><th scope=\"col\" class=\"num\">Noise ratio</th><th scope=\"col\" "
		   "class=\"num\">Nodes</th>"
		   "</tr></thead><tbody>\n",
		   c->findings.n);
	for (; shown < c->findings.n && shown < MAX_OTHERS; shown++) {
		const struct digest_finding *f = &c->findings.at[shown];

		buf_printf(out, "<tr><td class=\"num\">%lld</td>", (long long)f->id);
		html_element(out, "td", "", f->backend);
		html_element(out, "td", "", f->version);
		html_element(out, "td", "", f->method);
		html_element(out, "td", "num", ratio_text(f->noise_ratio, c->best.verdict, text));
		buf_printf(out, "<td class=\"num\">%d</td></tr>\n", f->nodes);
	}
	buf_puts(out, "</tbody></table></div>\n");
	if (shown < c->findings.n)
		buf_printf(out, "<p class=\"quiet\">… and %zu more.</p>\n", c->findings.n - shown);
}

static void put_evidence(struct buf *out, json_t *evidence)
{
	struct buf text;

	evidence_drop_map(evidence);
	if (!json_object_size(evidence))
		return;
	buf_init(&text, MAX_EVIDENCE);
	json_write(&text, evidence, JSON_INDENT(1)); /* as far as it fits */
	buf_puts(out, "<details class=\"evidence\"><summary>Evidence</summary><pre tabindex=\"0\">");
	text_put(out, text.data ? text.data : "");
	buf_puts(out, text.failed ? "\n…</pre></details>\n" : "</pre></details>\n");
	buf_release(&text);
}

/* Below the line.  A folded one stands in <noscript>: with a script that is one piece of text, which costs nothing
 * until the cluster is opened and page.js makes elements of it; without one it is the elements themselves. */
static void put_body(struct page *p, const struct digest_cluster *c, const struct finding *full, json_t *evidence)
{
	buf_puts(p->out, p->open ? "" : p->packed ? "<!--body-->" : "<noscript>");
	buf_puts(p->out, "<p class=\"detail\">");
	buf_puts(p->out, full->reduced_model.n ? "In the model as it was found: " : "");
	text_put(p->out, c->best.detail);
	buf_puts(p->out, "</p>\n<div class=\"pair\"><div>");
	put_facts(p, c, evidence);
	buf_puts(p->out, "</div><div>");
	put_graph(p, full, evidence);
	buf_puts(p->out, "</div></div>\n");
	put_map(p, full, evidence);
	html_tensors(p->out, full, evidence);
	put_commands(p, c);
	put_others(p->out, c);
	put_evidence(p->out, evidence);
	buf_puts(p->out, p->open ? "" : p->packed ? "<!--/body-->" : "</noscript>");
}

int html_cluster(struct page *p, const struct digest_cluster *c, struct err *e)
{
	struct finding full = {0};
	json_t *evidence = evidence_parse(c->best.evidence);
	int rc = evidence ? store_get(p->store, c->best.id, &full, e) : err_nomem(e, "evidence", 0);

	if (!rc) {
		put_line(p->out, c, p->open);
		put_body(p, c, &full, evidence);
		buf_puts(p->out, "</div></details>\n");
		rc = buf_check(p->out, e);
	}
	finding_release(&full);
	json_decref(evidence);
	return rc;
}
