/* quirks.c - see quirks.h. */
#include "worker/parent/quirks.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"
#include "worker/parent/spec.h"

#define MAX_FILE ((size_t)4 << 20)
#define COLUMNS 7
#define MAX_WORD 256

int quirks_covers(const char *versions, const char *version)
{
	const char *dash = strchr(versions, '-');
	char from[MAX_WORD];

	if (!strcmp(versions, "*"))
		return 1;
	if (!dash)
		return !spec_version_order(versions, version);
	if (dash - versions >= MAX_WORD)
		return 0;
	snprintf(from, sizeof from, "%.*s", (int)(dash - versions), versions);
	return (!*from || spec_version_order(from, version) <= 0) &&
	       (!dash[1] || spec_version_order(version, dash + 1) <= 0);
}

static int matches(const char *patterns, const char *name)
{
	while (*(patterns += strspn(patterns, " "))) {
		size_t n = strcspn(patterns, " ");
		char one[MAX_WORD];

		if (n < sizeof one) {
			snprintf(one, sizeof one, "%.*s", (int)n, patterns);
			if (!fnmatch(one, name, 0))
				return 1;
		}
		patterns += n;
	}
	return 0;
}

const struct quirk *quirks_for_case(const struct quirks *q, const char *backend, const char *version, const char *name)
{
	for (size_t i = 0; i < q->n; i++)
		if (spec_is(backend, q->at[i].backend) && quirks_covers(q->at[i].versions, version) &&
		    matches(q->at[i].cases, name))
			return &q->at[i];
	return NULL;
}

/* Whether `value` is one of "int4|uint4", which are patterns. */
static int is_listed(const char *value, const char *list)
{
	char one[MAX_WORD];

	if (!*list || !strcmp(list, "*"))
		return *list ? *value != '\0' : !*value;
	for (size_t n; *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, "|");
		snprintf(one, sizeof one, "%.*s", (int)n, list);
		if (n < sizeof one && !fnmatch(one, value, 0))
			return 1;
	}
	return 0;
}

/* "22" < "23.5" and "65" > "64"; what is no number is neither. */
static int is_beyond(const char *value, char side, const char *bound)
{
	char *end;
	double x = strtod(value, &end), y = strtod(bound, NULL);

	return end != value && (side == '<' ? x < y : x > y);
}

/* One condition, "in0=int4|uint4", "opset<22" or "most_in1>64". */
static int holds_one(const char *text, quirk_lookup *lookup, const void *node)
{
	size_t name = strcspn(text, "=<>");
	char key[MAX_WORD], value[MAX_WORD] = "";

	if (!lookup || !text[name] || name >= sizeof key)
		return 0;
	snprintf(key, sizeof key, "%.*s", (int)name, text);
	lookup(key, node, value, sizeof value);
	if (!strcmp(value, QUIRK_UNKNOWN))
		return 1;
	return text[name] == '=' ? is_listed(value, text + name + 1) : is_beyond(value, text[name], text + name + 1);
}

static int holds(const char *when, quirk_lookup *lookup, const void *node)
{
	char one[MAX_WORD];

	while (*(when += strspn(when, " "))) {
		size_t n = strcspn(when, " ");

		snprintf(one, sizeof one, "%.*s", (int)n, when);
		if (n >= sizeof one || !holds_one(one, lookup, node))
			return 0;
		when += n;
	}
	return 1;
}

/* What a row has to be about. */
struct quirk_subject {
	const char *kind, *backend, *version, *op;
};

static const struct quirk *find(const struct quirks *q, const struct quirk_subject *s, quirk_lookup *lookup,
				const void *node)
{
	for (size_t i = 0; i < q->n; i++)
		if (!strcmp(q->at[i].kind, s->kind) && (!strcmp(q->at[i].op, s->op) || !strcmp(q->at[i].op, "*")) &&
		    spec_is(s->backend, q->at[i].backend) && quirks_covers(q->at[i].versions, s->version) &&
		    holds(q->at[i].when, lookup, node))
			return &q->at[i];
	return NULL;
}

const struct quirk *quirks_for_op(const struct quirks *q, const char *backend, const char *version, const char *op,
				  quirk_lookup *lookup, const void *node)
{
	return find(q, &(struct quirk_subject){"quirk", backend, version, op}, lookup, node);
}

const struct quirk *quirks_absent(const struct quirks *q, const char *backend, const char *version, const char *op,
				  quirk_lookup *lookup, const void *node)
{
	return find(q, &(struct quirk_subject){"absent", backend, version, op}, lookup, node);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int is_kind(const char *word)
{
	return !strcmp(word, "quirk") || !strcmp(word, "bug") || !strcmp(word, "test") || !strcmp(word, "absent");
}

/* Cuts one line at its tabs, and the operator's cell at its first blank. */
static int add_row(struct quirks *q, char *line, int number, struct err *e)
{
	char *cells[COLUMNS] = {NULL}, *blank;
	size_t n = 0;
	struct quirk row;

	for (char *cell = line, *next; cell; cell = next) {
		next = strchr(cell, '\t');
		if (next)
			*next++ = '\0';
		if (n < COLUMNS)
			cells[n] = cell;
		n++;
	}
	if (n != COLUMNS)
		return err_set(e, ERR_INPUT, "line %d has %zu columns, not %d", number, n, COLUMNS);
	blank = strchr(cells[2], ' ');
	if (blank)
		*blank++ = '\0';
	row = (struct quirk){cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], blank ? blank : ""};
	if (!is_kind(row.kind))
		return err_set(e, ERR_INPUT, "line %d: kind '%s' is not quirk, bug, test or absent", number, row.kind);
	return vec_push(q, row) ? err_nomem(e, "quirks", 0) : 0;
}

int quirks_load(const char *path, struct quirks *out, struct err *e)
{
	struct quirks q = {NULL, 0, 0, {0}};
	char file[PLACE_PATH];
	int number = 1, rc = place_data_file(path, "quirks.tsv", file, e);

	buf_init(&q.text, MAX_FILE);
	if (!rc)
		rc = buf_read_file(&q.text, file, MAX_FILE, e);
	for (char *line = q.text.data, *next; line && !rc; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line && *line != '#' && add_row(&q, line, number, e))
			rc = err_prefix(e, "%s", file);
	}
	if (rc) {
		quirks_release(&q);
		return rc;
	}
	*out = q;
	return 0;
}

void quirks_release(struct quirks *q)
{
	vec_release(q);
	buf_release(&q->text);
}
