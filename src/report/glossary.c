/* glossary.c - see glossary.h. */
#include "report/glossary.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"

#define MAX_TEXT 8192 /* of one entry */

extern const char glossary_page[]; /* docs/glossary.md */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Appends a line without its marks: `code` as 'code', *word* as word, [title](link) as title. */
static void add_plain(struct buf *out, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *link =
			line[i] == ']' && i + 1 < n && line[i + 1] == '(' ? memchr(line + i, ')', n - i) : NULL;

		if (link)
			i = (size_t)(link - line);
		else if (line[i] == '`')
			buf_puts(out, "'");
		else if (line[i] != '*' && line[i] != '[' && !(line[i] == ' ' && i && line[i - 1] == ' '))
			buf_add(out, line + i, 1);
	}
}

/* "noise ratio, ratio" into its words. */
static int split_head(struct glossary *g, struct glossary_entry *x, struct err *e)
{
	for (const char *at = x->head; *at;) {
		size_t n = strcspn(at, ",");
		const char *word = arena_strndup(&g->arena, at, n);

		if (!word || vec_push(&x->words, word))
			return err_nomem(e, "the glossary", 0);
		at += n;
		at += strspn(at, ", ");
	}
	return 0;
}

static int add_entry(struct glossary *g, const char *group, const char *head, size_t n, struct err *e)
{
	struct glossary_entry x = {.group = group, .head = arena_strndup(&g->arena, head, n), .text = ""};
	int rc;

	if (!x.head)
		return err_nomem(e, "the glossary", 0);
	rc = split_head(g, &x, e);
	if (!rc && vec_push(&g->entries, x))
		rc = err_nomem(e, "the glossary", 0);
	if (rc)
		vec_release(&x.words);
	return rc;
}

/* The paragraph that was gathered belongs to the last entry, if there is one. */
static int end_text(struct glossary *g, int inside, struct buf *text, struct err *e)
{
	int rc = buf_check(text, e);

	if (!rc && inside && text->len) {
		const char *copy = arena_strndup(&g->arena, text->data, text->len);

		if (copy)
			g->entries.at[g->entries.n - 1].text = copy;
		else
			rc = err_nomem(e, "the glossary", 0);
	}
	buf_clear(text);
	return rc;
}

static int read_lines(struct glossary *g, const char *page, struct buf *text, struct err *e)
{
	const char *group = NULL;
	int rc = 0, inside = 0;

	for (const char *at = page; *at && !rc;) {
		size_t n = strcspn(at, "\n");

		if (at[0] == '#') {
			rc = end_text(g, inside, text, e);
			inside = !rc && group && n > 4 && !strncmp(at, "### ", 4);
			if (inside)
				rc = add_entry(g, group, at + 4, n - 4, e);
			else if (!rc && n > 3 && !strncmp(at, "## ", 3) &&
				 !(group = arena_strndup(&g->arena, at + 3, n - 3)))
				rc = err_nomem(e, "the glossary", 0);
		} else if (inside && n) {
			buf_puts(text, text->len ? " " : "");
			add_plain(text, at, n);
		}
		at += n + (at[n] == '\n');
	}
	return rc ? rc : end_text(g, inside, text, e);
}

int glossary_read(const char *page, struct glossary *out, struct err *e)
{
	struct glossary g = {.arena = ARENA_INIT};
	struct buf text;
	int rc;

	buf_init(&text, MAX_TEXT);
	rc = read_lines(&g, page, &text, e);
	buf_release(&text);
	if (rc)
		glossary_release(&g);
	else
		*out = g;
	return rc;
}

int glossary_open(struct glossary *out, struct err *e)
{
	return glossary_read(glossary_page, out, e);
}

void glossary_release(struct glossary *g)
{
	for (size_t i = 0; i < g->entries.n; i++)
		vec_release(&g->entries.at[i].words);
	vec_release(&g->entries);
	arena_release(&g->arena);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

static char folded(char c)
{
	return c == '_' || c == '-' ? ' ' : (char)tolower((unsigned char)c);
}

static int same_word(const char *a, const char *b)
{
	while (*a && folded(*a) == folded(*b))
		a++, b++;
	return !*a && !*b;
}

const struct glossary_entry *glossary_find(const struct glossary *g, const char *word)
{
	for (size_t i = 0; i < g->entries.n; i++)
		for (size_t k = 0; k < g->entries.at[i].words.n; k++)
			if (same_word(g->entries.at[i].words.at[k], word))
				return &g->entries.at[i];
	return NULL;
}

const char *glossary_group(const struct glossary *g, const char *word)
{
	for (size_t i = 0; i < g->entries.n; i++)
		if (same_word(g->entries.at[i].group, word))
			return g->entries.at[i].group;
	return NULL;
}

void glossary_offer(const struct glossary *g, struct near *n)
{
	for (size_t i = 0; i < g->entries.n; i++) {
		for (size_t k = 0; k < g->entries.at[i].words.n; k++)
			near_offer(n, g->entries.at[i].words.at[k], g->entries.at[i].words.at[k]);
		near_offer(n, g->entries.at[i].group, g->entries.at[i].group);
	}
}
