/* spec_options.c - which options a backend has, and what they may be (declared in internal_spec.h).
 *
 * A worker takes any option and looks at those it knows.  So a word that was typed wrong would be a run as if nothing
 * had been said, or a refusal that looks like the library's.  It is refused here instead.
 *
 * A backend's row, its option sets and its OPTIONS name what there is, as words NAME=VALUE.  An option whose value is a
 * number there takes any whole number, "0-4" those between, "*" any text; another one is a word of those that are
 * named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/near.h"
#include "worker/parent/internal_spec.h"

#define MOST 1024 /* of a number that has no range of its own: threads, say */

static const struct {
	const char *backend, *words;
} more_options[] = {
#define BACKEND(name, library, kind, options, environment, summary)
#define OPTION_SET(backend, name, options, environment)
#define OPTIONS(backend, words) {backend, words},
#define ALSO(also, backend)
#define FORMAT(suffix, backend, script)
#include "worker/backends.def"
#undef BACKEND
#undef OPTION_SET
#undef ALSO
#undef FORMAT
};

/* What is asked, and what was found so far. */
struct look {
	const char *name, *value; /* the name without its '=' */
	size_t n;                 /* letters of the name */
	int known, fits, number;
	long long least, most;    /* of a number */
	struct buf names, values; /* what there is, for messages */
};

static int is_number(const char *text, size_t n)
{
	return n && strspn(text, "0123456789") >= n;
}

/* Adds a word to a list unless it is there. */
static void list(struct buf *b, const char *word, size_t n)
{
	const char *at = b->data ? b->data : "";

	while (*at) {
		size_t have = strcspn(at, ",");

		if (have == n && !strncmp(at, word, n))
			return;
		at += have;
		at += strspn(at, ", ");
	}
	buf_printf(b, "%s%.*s", b->len ? ", " : "", (int)n, word);
}

/* One word NAME=VALUE that stands in the tables. */
static void look_at(struct look *l, const char *word, size_t size)
{
	size_t name = strcspn(word, "="), value = size - name - 1;
	const char *text = word + name + 1;
	long long least, most;

	list(&l->names, word, name);
	if (name != l->n || strncmp(word, l->name, name))
		return;
	l->known = 1;
	if (sscanf(text, "%lld-%lld", &least, &most) == 2) {
		l->least = least;
		l->most = most;
		l->number = 1;
	} else if (is_number(text, value)) {
		l->number = 1;
	} else {
		list(&l->values, text, value);
	}
	if ((value == 1 && *text == '*') || (value == strlen(l->value) && !strncmp(text, l->value, value)))
		l->fits = 1;
}

static void look_through(struct look *l, const char *words)
{
	while (*(words += strspn(words, " "))) {
		size_t n = strcspn(words, " ");

		look_at(l, words, n);
		words += n;
	}
}

static int is_within(const struct look *l)
{
	long long n = strtoll(l->value, NULL, 10);

	return l->least <= n && n <= l->most;
}

static void look_up(struct look *l, const char *backend)
{
	look_through(l, spec_find(backend)->options);
	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, backend))
			look_through(l, o->options);
	for (size_t i = 0; i < sizeof more_options / sizeof *more_options; i++)
		if (spec_is(backend, more_options[i].backend))
			look_through(l, more_options[i].words);
	if (l->number && is_number(l->value, strlen(l->value)))
		l->fits = is_within(l);
}

static int refuse(struct look *l, const char *backend, struct err *e)
{
	if (!l->known)
		return err_set(e, ERR_USAGE, "backend '%s' has no option '%.*s'; %s%s", backend, (int)l->n, l->name,
			       l->names.len ? "it has " : "it has none", l->names.len ? l->names.data : "");
	if (l->number && l->values.len)
		return err_set(e, ERR_USAGE, "backend '%s', option %.*s: '%s' is not a number, nor one of %s", backend,
			       (int)l->n, l->name, l->value, l->values.data);
	if (l->number)
		return err_set(e, ERR_USAGE, "backend '%s', option %.*s: '%s' is not a whole number from %lld to %lld",
			       backend, (int)l->n, l->name, l->value, l->least, l->most);
	return err_set(e, ERR_USAGE, "backend '%s', option %.*s: '%s' is not one of %s", backend, (int)l->n, l->name,
		       l->value, l->values.len ? l->values.data : "");
}

int spec_check_option(const char *backend, const char *word, struct err *e)
{
	size_t n = strcspn(word, "=");
	struct look l = {.name = word, .n = n, .value = word[n] ? word + n + 1 : "", .most = MOST};
	int rc = 0;

	buf_init(&l.names, 4096);
	buf_init(&l.values, 4096);
	look_up(&l, backend);
	if (!l.fits)
		rc = refuse(&l, backend, e);
	buf_release(&l.names);
	buf_release(&l.values);
	return rc;
}

int spec_no_set(const char *backend, const char *part, struct err *e)
{
	struct near near = NEAR(part);
	struct buf names;

	buf_init(&names, 1024);
	for (const struct spec_option_set *o = spec_option_sets; o->name; o++)
		if (!strcmp(o->backend, backend)) {
			near_offer(&near, o->name, o->name);
			buf_printf(&names, "%s%s", names.len ? ", " : "there are ", o->name);
		}
	err_set(e, ERR_USAGE, "backend '%s' has no option set '%s'%s; %s", backend, part, near_hint(&near),
		names.len ? names.data : "it has none, only options NAME=VALUE");
	buf_release(&names);
	return ERR_USAGE;
}
