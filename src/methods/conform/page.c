/* page.c - the page on conformance (declared in conform.h). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/map.h"
#include "methods/conform/conform.h"
#include "worker/parent/quirks.h"
#include "worker/parent/spec.h"

#define MAX_PAGE ((size_t)16 << 20)
#define MAX_REASONS ((size_t)4 << 20)

/* ---- reasons ----------------------------------------------------------------------------------------------------- */

/* Cuts text into lines "case<TAB>reason"; the map's values point into it. */
static int parse_reasons(char *text, struct map *out, struct err *e)
{
	int number = 1;

	for (char *line = text, *next; line; line = next, number++) {
		char *tab;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!*line || *line == '#')
			continue;
		tab = strchr(line, '\t');
		if (!tab || !tab[1])
			return err_set(e, ERR_INPUT, "line %d is not 'case<TAB>reason'", number);
		*tab = '\0';
		if (map_get(out, line))
			return err_set(e, ERR_INPUT, "line %d: case '%s' is there twice", number, line);
		if (map_put(out, line, tab + 1))
			return err_nomem(e, "reasons", 0);
	}
	return 0;
}

static void warn_unneeded(const struct conform_list *l, const struct map *reasons)
{
	for (const struct map_entry *it = map_first(reasons); it; it = map_next(it))
		for (size_t i = 0; i < l->n; i++)
			if (!strcmp(l->at[i].name, map_key(it)) && l->at[i].status == CONFORM_PASSED)
				log_print(LOG_WARNING, "'%s' passes: its reason is not needed any more", map_key(it));
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

struct counts {
	size_t n, passed, how[CONFORM_RANDOM + 1], failed, unsupported;
};

static void add_case(struct counts *to, const struct conform_case *c)
{
	to->n++;
	to->passed += c->status == CONFORM_PASSED;
	to->how[c->how] += c->status == CONFORM_PASSED;
	to->failed += c->status == CONFORM_FAILED;
	to->unsupported += c->status == CONFORM_UNSUPPORTED;
}

static void put_counts(struct buf *b, const char *name, const struct counts *c)
{
	buf_printf(b, "| %s | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %.2f %% |\n", name, c->n, c->passed,
		   c->how[CONFORM_ROUNDED], c->how[CONFORM_NOISE], c->how[CONFORM_RANDOM], c->failed, c->unsupported,
		   c->n ? 100.0 * (double)c->passed / (double)c->n : 0.0);
}

static void put_columns(struct buf *b, const char *first)
{
	buf_printf(b,
		   "| %s | cases | passed | of these rounded | noise | random | failed | unsupported | pass rate |\n"
		   "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
		   first);
}

/* Cases come sorted by path, so those of a suite stand together. */
static void put_suites(struct buf *b, const struct conform_list *l)
{
	struct counts all = {0}, suite = {0};

	put_columns(b, "suite");
	for (size_t i = 0; i < l->n; i++) {
		add_case(&all, &l->at[i]);
		add_case(&suite, &l->at[i]);
		if (i + 1 == l->n || strcmp(l->at[i].suite, l->at[i + 1].suite)) {
			put_counts(b, l->at[i].suite, &suite);
			suite = (struct counts){0};
		}
	}
	put_counts(b, "**all**", &all);
}

/* Text inside a table: bars would end the cell. */
static void put_cell(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			buf_puts(b, "\\");
		buf_add(b, *text == '\n' ? " " : text, 1);
	}
}

/* Where reasons come from. */
struct reasons {
	struct map by_case;   /* of the reference */
	struct quirks quirks; /* of all others */
};

static int is_reference(const struct conform_result *r)
{
	const struct spec_backend *b = spec_find(r->backend);

	return b && b->kind == SPEC_INSIDE;
}

/* Its models are run by the reference, which fails some cases by itself. */
static int is_rewriter(const struct conform_result *r)
{
	const struct spec_backend *b = spec_find(r->backend);

	return b && b->kind == SPEC_REWRITE;
}

static const char *reason_for(const struct reasons *why, const struct conform_result *r, const char *name, char *out,
			      size_t size)
{
	const struct quirk *q;
	const char *text;

	if (is_reference(r))
		return map_get(&why->by_case, name);
	q = quirks_for_case(&why->quirks, r->backend, r->version, name);
	if (!q && is_rewriter(r) && (text = map_get(&why->by_case, name)) != NULL) {
		snprintf(out, size, "reference: %s", text);
		return out;
	}
	if (!q)
		return NULL;
	snprintf(out, size, "%s: %s%s%s%s", q->kind, q->reason, strcmp(q->link, "-") ? " (" : "",
		 strcmp(q->link, "-") ? q->link : "", strcmp(q->link, "-") ? ")" : "");
	return out;
}

/* Cases of the wanted status: all that do not pass for the reference, those that failed for others. */
static size_t put_not_passed(struct buf *b, const struct conform_result *r, const struct reasons *why)
{
	const struct conform_list *l = &r->cases;
	size_t unexplained = 0, shown = 0;
	char text[2048];

	for (size_t i = 0; i < l->n; i++) {
		const struct conform_case *c = &l->at[i];
		const char *reason;

		if (c->status == CONFORM_PASSED || (c->status == CONFORM_UNSUPPORTED && !is_reference(r)))
			continue;
		if (!shown++)
			buf_puts(b, "\n### Cases that do not pass\n\n"
				    "| case | status | what happens | reason |\n|---|---|---|---|\n");
		reason = reason_for(why, r, c->name, text, sizeof text);
		unexplained += !reason;
		buf_printf(b, "| %s/%s | %s | ", c->suite, c->name, conform_status_name(c->status));
		put_cell(b, c->detail);
		buf_puts(b, " | ");
		put_cell(b, reason ? reason : "**no reason recorded**");
		buf_puts(b, " |\n");
	}
	return unexplained;
}

/* What a library does not have, with the cases that ask for it. */
static int put_unsupported(struct buf *b, const struct conform_result *r, struct err *e)
{
	struct map seen = MAP_INIT;
	const struct conform_list *l = &r->cases;
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		const char *comma = "";

		if (l->at[i].status != CONFORM_UNSUPPORTED || map_get(&seen, l->at[i].detail))
			continue;
		if (!map_count(&seen))
			buf_puts(b, "\n### Unsupported\n\n| what the library says | cases |\n|---|---|\n");
		if (map_put(&seen, l->at[i].detail, l->at[i].detail))
			rc = err_nomem(e, "a page", 0);
		buf_puts(b, "| ");
		put_cell(b, l->at[i].detail);
		buf_puts(b, " | ");
		for (size_t k = i; k < l->n; k++) {
			if (l->at[k].status != CONFORM_UNSUPPORTED || strcmp(l->at[k].detail, l->at[i].detail))
				continue;
			buf_printf(b, "%s%s", comma, l->at[k].name);
			comma = ", ";
		}
		buf_puts(b, " |\n");
	}
	map_release(&seen);
	return rc;
}

static void put_not_exact(struct buf *b, const struct conform_list *l)
{
	int any = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->at[i].status != CONFORM_PASSED || l->at[i].how == CONFORM_EXACT)
			continue;
		if (!any)
			buf_puts(b, "\n### Cases that pass, but not exactly\n\n| case | how |\n|---|---|\n");
		buf_printf(b, "| %s/%s | %s |\n", l->at[i].suite, l->at[i].name, l->at[i].detail);
		any = 1;
	}
}

static void put_title(struct buf *b, const struct conform_result *r)
{
	const char *name = SHOWN_AS(r->name);
	int has_version = strchr(name, '@') != NULL;

	buf_printf(b, "%s%s%s", name, *r->version && !has_version ? " " : "", has_version ? "" : r->version);
}

static int put_backend(struct buf *b, const struct conform_result *r, const struct reasons *why, size_t *unexplained,
		       struct err *e)
{
	int rc;

	buf_puts(b, "\n## ");
	put_title(b, r);
	buf_puts(b, "\n\n");
	put_suites(b, &r->cases);
	*unexplained += put_not_passed(b, r, why);
	rc = is_reference(r) ? 0 : put_unsupported(b, r, e);
	put_not_exact(b, &r->cases);
	return rc;
}

static void put_summary(struct buf *b, const struct conform_result *results, size_t n)
{
	put_columns(b, "backend");
	for (size_t i = 0; i < n; i++) {
		struct counts all = {0};
		struct buf name;

		for (size_t k = 0; k < results[i].cases.n; k++)
			add_case(&all, &results[i].cases.at[k]);
		buf_init(&name, MAX_PAGE);
		put_title(&name, &results[i]);
		put_counts(b, name.data ? name.data : results[i].name, &all);
		buf_release(&name);
	}
}

/* The page may be published: what folders the machine has is nobody's business. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_head(struct buf *b, const struct conform_page *p)
{
	buf_printf(
		b,
		"# Conformance\n\n"
		"Written by `assay conform --report`; do not edit.  Reasons come from `%s` and `%s`.\n\n"
		"Run here: %s.\n\n"
		"A case is a model with inputs and expected outputs.  It passes when every output has the expected\n"
		"type, shape and values (of the reference: in the exact mode).  Three kinds of cases pass in another\n"
		"way and are counted apart: *rounded*, the values match once each node's result is rounded to its\n"
		"type; *noise*, they differ by no more than float rounding explains; *random*, the outputs are random\n"
		"by specification, so that only their types and shapes are compared.\n\n",
		file_name(p->reasons), file_name(p->quirks), p->title);
}

static int write_page(const struct conform_result *results, size_t n, const struct reasons *why, struct buf *page,
		      size_t *unexplained, struct err *e)
{
	int rc = 0;

	*unexplained = 0;
	put_summary(page, results, n);
	for (size_t i = 0; i < n && !rc; i++) {
		if (is_reference(&results[i]))
			warn_unneeded(&results[i].cases, &why->by_case);
		rc = put_backend(page, &results[i], why, unexplained, e);
	}
	return rc ? rc : buf_check(page, e);
}

int conform_report(const struct conform_result *results, size_t n, const struct conform_page *p, size_t *unexplained,
		   struct err *e)
{
	struct reasons why = {MAP_INIT, {NULL, 0, 0, {0}}};
	struct buf text, page;
	int others = 0, rc = 0;

	buf_init(&text, MAX_REASONS);
	buf_init(&page, MAX_PAGE);
	for (size_t i = 0; i < n; i++)
		others |= !is_reference(&results[i]);
	if (others)
		rc = quirks_load(p->quirks, &why.quirks, e);
	if (!rc)
		rc = buf_read_file(&text, p->reasons, MAX_REASONS, e);
	if (!rc && text.data && parse_reasons(text.data, &why.by_case, e))
		rc = err_prefix(e, "%s", p->reasons);
	put_head(&page, p);
	if (!rc)
		rc = write_page(results, n, &why, &page, unexplained, e);
	if (!rc)
		rc = buf_write_file(page.data, page.len, p->path, e);
	map_release(&why.by_case);
	quirks_release(&why.quirks);
	buf_release(&text);
	buf_release(&page);
	return rc;
}
