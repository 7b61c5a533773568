/* command.c - commands after "exec:" as words (declared in internal_spec.h).
 *
 * Words are separated by blanks.  '…' is taken as it is; in "…" a backslash makes a quote or a backslash an ordinary
 * character, outside of quotes any.  A comma outside of quotes ends the command: ",name=mylib" and ",version=1.2" say
 * what the worker is called whatever it says itself; more backends follow. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "worker/parent/internal_spec.h"

#define GIVEN_MOST 64 /* bytes of a name or a version */

enum quote_state { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE };

/* One character: whether it belongs to the word, and as which; *p moves behind what was used. */
struct command_reader {
	const char *p;
	enum quote_state in;
	int quoted;  /* a word has begun, be it empty */
	int literal; /* the character stands for itself */
	char c;
};

/* Reads one character.  0 at the end; quotes themselves have c = 0. */
static int next(struct command_reader *r)
{
	char c = *r->p;

	if (!c)
		return 0;
	r->p++;
	r->literal = r->in != QUOTE_NONE;
	r->c = c;
	if (c == '\\' && *r->p && (r->in == QUOTE_NONE || (r->in == QUOTE_DOUBLE && strchr("\"\\", *r->p)))) {
		r->c = *r->p++;
		r->literal = 1;
	} else if (c == '\'' && r->in != QUOTE_DOUBLE) {
		r->in = r->in == QUOTE_SINGLE ? QUOTE_NONE : QUOTE_SINGLE;
		r->c = '\0';
		r->quoted = 1;
	} else if (c == '"' && r->in != QUOTE_SINGLE) {
		r->in = r->in == QUOTE_DOUBLE ? QUOTE_NONE : QUOTE_DOUBLE;
		r->c = '\0';
		r->quoted = 1;
	}
	return 1;
}

static int end_word(struct worker_spec *s, struct command_reader *r, struct buf *word, struct err *e)
{
	int rc = 0;

	if (word->len || r->quoted)
		rc = buf_check(word, e);
	if (!rc && (word->len || r->quoted))
		rc = spec_add_arg(s, word->len ? word->data : "", e);
	buf_clear(word);
	r->quoted = 0;
	return rc;
}

static const char name_is[] = "name=", version_is[] = "version=";

/* How long the word about the worker is that stands behind a comma; 0: something else does. */
static size_t given_length(const char *text)
{
	int is_given = !strncmp(text, name_is, sizeof name_is - 1) || !strncmp(text, version_is, sizeof version_is - 1);

	return is_given ? strcspn(text, ",") : 0;
}

/* Findings, signatures and file names are made of it. */
static int is_plain(const char *text, size_t n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";

	return n && n < GIVEN_MOST && strspn(text, plain) >= n;
}

/* "name=mylib,version=1.2", or one of them, in any order. */
static int take_given(struct worker_spec *s, const char *text, struct err *e)
{
	int rc = 0;

	while (*text && !rc) {
		size_t n = given_length(text), head = strcspn(text, "=") + 1;
		char value[GIVEN_MOST];

		if (!n || !is_plain(text + head, n - head))
			return err_set(e, ERR_USAGE,
				       "backend '%s': wanted name=… or version=… of letters, digits and ._+- at '%s'",
				       s->name, text);
		memcpy(value, text + head, n - head);
		value[n - head] = '\0';
		rc = *text == *name_is ? spec_adopt(s, value, s->version, e) : spec_adopt(s, "", value, e);
		text += n + (text[n] == ',');
	}
	return rc;
}

int spec_split_command(struct worker_spec *s, const char *command, struct err *e)
{
	struct command_reader r = {.p = command};
	int ended = 0, rc = 0;
	struct buf word;

	buf_init(&word, SPEC_PATH);
	while (!rc && !ended && next(&r)) {
		ended = r.c == ',' && !r.literal && given_length(r.p);
		if (r.c == ' ' && !r.literal)
			rc = end_word(s, &r, &word, e);
		else if (r.c && !ended)
			buf_add(&word, &r.c, 1);
	}
	if (!rc && r.in != QUOTE_NONE)
		rc = err_set(e, ERR_USAGE, "backend '%s': a quote is not closed", s->name);
	if (!rc)
		rc = end_word(s, &r, &word, e);
	if (!rc && ended)
		rc = take_given(s, r.p, e);
	buf_release(&word);
	return rc;
}

int spec_is_command(const char *name)
{
	return !strncmp(name, "exec:", 5) || !strncmp(name, SPEC_REWRITE_EXEC, strlen(SPEC_REWRITE_EXEC));
}

size_t spec_command_length(const char *text)
{
	struct command_reader r = {.p = text};
	const char *before = text;
	int is_worker = !strncmp(text, "exec:", 5);

	while (next(&r)) {
		size_t given = r.c == ',' && !r.literal && is_worker ? given_length(r.p) : 0;

		if (r.c == ',' && !r.literal && !given)
			return (size_t)(before - text);
		r.p += given;
		before = r.p;
	}
	return (size_t)(r.p - text);
}

/* Copies what is given behind a comma as `key`, "name=" say; 0: nothing is. */
static size_t find_given(const char *given, const char *key, char out[GIVEN_MOST])
{
	while (*given) {
		size_t n = given_length(given), head = strlen(key);

		if (n > head && !strncmp(given, key, head) && is_plain(given + head, n - head)) {
			memcpy(out, given + head, n - head);
			out[n - head] = '\0';
			return n - head;
		}
		given += n + (given[n] == ',');
		if (!n)
			break;
	}
	return 0;
}

const char *spec_shown(const char *name, char room[SPEC_SHOWN])
{
	struct command_reader r = {.p = name};
	char given[GIVEN_MOST], version[GIVEN_MOST];
	int is_there = 0;

	if (strncmp(name, "exec:", 5) != 0)
		return name;
	while (!is_there && next(&r))
		is_there = r.c == ',' && !r.literal && given_length(r.p);
	if (!is_there || !find_given(r.p, name_is, given))
		return name;
	if (find_given(r.p, version_is, version))
		snprintf(room, SPEC_SHOWN, "%s@%s", given, version);
	else
		snprintf(room, SPEC_SHOWN, "%s", given);
	return room;
}
