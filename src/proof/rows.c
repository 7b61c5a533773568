/* rows.c - files of meanings (declared in meaning.h). */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/place.h"
#include "proof/meaning.h"

#define MAX_FILE ((size_t)4 << 20)

void meanings_release(struct meanings *m)
{
	vec_release(&m->rows);
	arena_release(&m->arena);
}

/* Where a word stands between blanks, outside of texts; NULL: nowhere. */
static char *find_word(char *line, const char *word)
{
	size_t n = strlen(word);
	int quoted = 0;

	for (char *p = line; *p; p++) {
		quoted ^= *p == '"';
		if (!quoted && *p == ' ' && !strncmp(p + 1, word, n) && p[n + 1] == ' ')
			return p;
	}
	return NULL;
}

/* Cuts the line at the word; what follows it, or NULL. */
static char *cut_at(char *line, const char *word)
{
	char *at = find_word(line, word);

	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(word) + 2;
}

static int parse_limit(struct meanings *m, const char *text, struct meaning_row *row, struct err *e)
{
	struct expr *x;
	int rc = expr_parse(text, &m->arena, &x, e);

	if (!rc && x->kind != EXPR_STRING)
		rc = err_set(e, ERR_INPUT, "a limit has its reason in quotes");
	if (!rc)
		row->limit = x->text;
	return rc;
}

/* A promise is less than something: a row above it says in full what the call means. */
static int check_promise(const struct meanings *m, const struct meaning_row *row, struct err *e)
{
	for (size_t i = 0; i < m->rows.n; i++)
		if (!strcmp(m->rows.at[i].name, row->name) && m->rows.at[i].right && !m->rows.at[i].limit)
			return 0;
	return err_set(e, ERR_INPUT, "no row above says in full what %.60s means", row->name);
}

static int parse_optional(struct meanings *m, const char *text, const struct expr **out, struct err *e)
{
	struct expr *x = NULL;
	int rc = text ? expr_parse(text, &m->arena, &x, e) : 0;

	*out = x;
	return rc;
}

/* "*(x)": all operations; a star begins no expression. */
static int parse_left(struct meanings *m, char *line, struct meaning_row *row, struct err *e)
{
	int all = *line == '*', rc;

	if (all)
		*line = 'f';
	rc = parse_optional(m, line, &row->left, e);
	if (!rc && row->left->kind != EXPR_CALL)
		rc = err_set(e, ERR_INPUT, "'%.60s' is not an operation with its arguments", line);
	if (!rc)
		row->name = all ? MEANING_OF_ALL : row->left->text;
	return rc;
}

/* LEFT [when CONDITION] [takes CONDITION] [= RIGHT] [limit "why"], one of the last three at least */
static int parse_row(struct meanings *m, char *line, int number, struct err *e)
{
	char *limit = cut_at(line, "limit"), *right = cut_at(line, "="), *takes = cut_at(line, "takes"),
	     *when = cut_at(line, "when");
	struct meaning_row row = {.line = number};
	int rc = parse_left(m, line, &row, e);

	if (!rc && !limit && !right && strcmp(row.name, MEANING_OF_ALL) != 0)
		rc = err_set(e, ERR_INPUT, "there is neither ' = ' nor ' limit '");
	if (!rc)
		rc = parse_optional(m, when, &row.when, e);
	if (!rc)
		rc = parse_optional(m, takes, &row.takes, e);
	if (!rc)
		rc = parse_optional(m, right, &row.right, e);
	if (!rc && limit)
		rc = parse_limit(m, limit, &row, e);
	if (!rc && meaning_is_promise(&row))
		rc = check_promise(m, &row, e);
	if (rc)
		return rc;
	return vec_push(&m->rows, row) ? err_nomem(e, "meanings", 0) : 0;
}

/* Ends the row that begins at `line`, whose lines but the last end in a backslash; gives the next one, or NULL, and
 * counts lines. */
static char *end_row(char *line, int *lines)
{
	char *end = strchr(line, '\n');

	for (*lines = 1; end && end > line && end[-1] == '\\'; end = strchr(end, '\n'), ++*lines)
		end[-1] = end[0] = ' ';
	if (end)
		*end++ = '\0';
	return end;
}

int meanings_parse(const char *text, struct meanings *out, struct err *e)
{
	struct meanings m = {.arena = ARENA_INIT};
	char *copy = arena_strdup(&m.arena, text);
	int rc = copy ? 0 : err_nomem(e, "meanings", strlen(text)), number = 1, lines;

	for (char *line = copy, *next; line && !rc; line = next, number += lines) {
		next = end_row(line, &lines);
		if (!*line || *line == '#')
			continue;
		rc = parse_row(&m, line, number, e);
		if (rc)
			err_prefix(e, "line %d", number);
	}
	if (rc)
		meanings_release(&m);
	else
		*out = m;
	return rc;
}

int meanings_load(const char *library, struct meanings *out, struct err *e)
{
	char name[128], path[PLACE_PATH];
	struct buf text;
	int rc;

	snprintf(name, sizeof name, "meanings/%.100s.txt", library);
	rc = place_data_file(NULL, name, path, e);
	buf_init(&text, MAX_FILE);
	if (!rc)
		rc = buf_read_file(&text, path, MAX_FILE, e);
	if (!rc) {
		rc = meanings_parse(text.data ? text.data : "", out, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	buf_release(&text);
	return rc;
}
