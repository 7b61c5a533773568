/* conform_report.c - the page on conformance (declared in conform.h). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/map.h"
#include "cli/conform.h"

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

/* Cases come sorted by path, so those of a suite stand together. */
static void put_suites(struct buf *b, const struct conform_list *l)
{
	struct counts all = {0}, suite = {0};

	buf_puts(b,
		 "| suite | cases | passed | of these rounded | noise | random | failed | unsupported | pass rate |\n"
		 "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
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

static size_t put_not_passed(struct buf *b, const struct conform_list *l, const struct map *reasons)
{
	size_t unexplained = 0;

	buf_puts(b, "\n## Cases that do not pass\n\n");
	if (conform_count(l, CONFORM_PASSED) == l->n) {
		buf_puts(b, "None.\n");
		return 0;
	}
	buf_puts(b, "| case | status | what happens | reason |\n|---|---|---|---|\n");
	for (size_t i = 0; i < l->n; i++) {
		const struct conform_case *c = &l->at[i];
		const char *reason = map_get(reasons, c->name);

		if (c->status == CONFORM_PASSED)
			continue;
		unexplained += !reason;
		buf_printf(b, "| %s/%s | %s | ", c->suite, c->name, conform_status_name(c->status));
		put_cell(b, c->detail);
		buf_puts(b, " | ");
		put_cell(b, reason ? reason : "**no reason recorded**");
		buf_puts(b, " |\n");
	}
	return unexplained;
}

static void put_not_exact(struct buf *b, const struct conform_list *l)
{
	int any = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->at[i].status != CONFORM_PASSED || l->at[i].how == CONFORM_EXACT)
			continue;
		if (!any)
			buf_puts(b, "\n## Cases that pass, but not exactly\n\n| case | how |\n|---|---|\n");
		buf_printf(b, "| %s/%s | %s |\n", l->at[i].suite, l->at[i].name, l->at[i].detail);
		any = 1;
	}
}

static void put_head(struct buf *b, const char *title, const char *reasons)
{
	buf_printf(
		b,
		"# Conformance\n\n"
		"Written by `assay conform --report`; do not edit.  Reasons come from `%s`.\n\n"
		"Run here: %s, on the reference.\n\n"
		"A case is a model with inputs and expected outputs.  It passes when every output has the expected\n"
		"type, shape and values in the exact mode.  Three kinds of cases pass in another way and are counted\n"
		"apart: *rounded*, the values match once each node's result is rounded to its type; *noise*, they\n"
		"differ by no more than float rounding explains; *random*, the outputs are random by specification, "
		"so\n"
		"that only their types and shapes are compared.\n\n",
		reasons, title);
}

int conform_report(const struct conform_list *l, const char *title, const char *reasons, const char *path,
		   size_t *unexplained, struct err *e)
{
	struct map by_case = MAP_INIT;
	struct buf text, page;
	int rc;

	buf_init(&text, MAX_REASONS);
	buf_init(&page, MAX_PAGE);
	rc = buf_read_file(&text, reasons, MAX_REASONS, e);
	if (!rc && text.data && parse_reasons(text.data, &by_case, e))
		rc = err_prefix(e, "%s", reasons);
	if (!rc) {
		warn_unneeded(l, &by_case);
		put_head(&page, title, reasons);
		put_suites(&page, l);
		*unexplained = put_not_passed(&page, l, &by_case);
		put_not_exact(&page, l);
		rc = buf_check(&page, e);
	}
	if (!rc)
		rc = buf_write_file(page.data, page.len, path, e);
	map_release(&by_case);
	buf_release(&text);
	buf_release(&page);
	return rc;
}
