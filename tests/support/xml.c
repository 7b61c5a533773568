/* xml.c - see xml.h. */
#include "support/xml.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define MAX_DEPTH 64
#define MAX_NAME 64
#define MAX_ATTRIBUTES 32

struct xml {
	const char *p, *end;
	const char *fault;
	char stack[MAX_DEPTH][MAX_NAME];
	int depth;
};

static int fail(struct xml *x, const char *what)
{
	static char message[200];

	if (!x->fault) {
		snprintf(message, sizeof message, "%s before '%.60s'", what, x->p);
		x->fault = message;
	}
	return 0;
}

static int name(struct xml *x, char out[MAX_NAME])
{
	size_t n = strspn(x->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.");

	if (!n || n >= MAX_NAME || strchr("-.0123456789", *x->p))
		return fail(x, "no name");
	memcpy(out, x->p, n);
	out[n] = 0;
	x->p += n;
	return 1;
}

static int is_character(int32_t c)
{
	return c == 9 || c == 10 || c == 13 || (c >= 32 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

/* Characters and entities up to one of `stop`. */
static int text(struct xml *x, const char *stop)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;", "&#13;"};

	while (x->p < x->end && !strchr(stop, *x->p)) {
		int32_t c;
		size_t i = 0, n = sizeof entities / sizeof *entities;

		if (*x->p == '<')
			return fail(x, "'<' in a value");
		if (*x->p == '&') {
			while (i < n && strncmp(x->p, entities[i], strlen(entities[i])))
				i++;
			if (i == n)
				return fail(x, "unknown entity");
			x->p += strlen(entities[i]);
			continue;
		}
		n = utf8_decode(x->p, (size_t)(x->end - x->p), &c);
		if (!is_character(c))
			return fail(x, "no character");
		x->p += n;
	}
	return 1;
}

static void blanks(struct xml *x)
{
	x->p += strspn(x->p, " \t\n");
}

static int attributes(struct xml *x)
{
	char seen[MAX_ATTRIBUTES][MAX_NAME];
	int n = 0;

	for (blanks(x); *x->p && !strchr("/>?", *x->p); blanks(x), n++) {
		if (n == MAX_ATTRIBUTES || !name(x, seen[n]))
			return fail(x, "too many attributes");
		for (int i = 0; i < n; i++)
			if (!strcmp(seen[i], seen[n]))
				return fail(x, "attribute twice");
		if (strncmp(x->p, "=\"", 2))
			return fail(x, "attribute without a quoted value");
		x->p += 2;
		if (!text(x, "\"") || *x->p != '"')
			return fail(x, "value without an end");
		x->p++;
	}
	return 1;
}

static int open_tag(struct xml *x)
{
	if (x->depth == MAX_DEPTH || !name(x, x->stack[x->depth]) || !attributes(x))
		return fail(x, "bad tag");
	x->depth++;
	if (!strncmp(x->p, "/>", 2)) {
		x->p += 2;
		x->depth--;
		return 1;
	}
	if (*x->p != '>')
		return fail(x, "tag without an end");
	x->p++;
	return 1;
}

static int close_tag(struct xml *x)
{
	char tag[MAX_NAME];

	if (!name(x, tag) || *x->p != '>')
		return fail(x, "bad end tag");
	x->p++;
	if (!x->depth || strcmp(tag, x->stack[--x->depth]))
		return fail(x, "end tag of another element");
	return 1;
}

const char *xml_fault(const char *s)
{
	struct xml x = {.p = s, .end = s + strlen(s)};

	if (!strncmp(x.p, "<?xml", 5)) {
		x.p += 5;
		if (!attributes(&x) || strncmp(x.p, "?>", 2))
			return x.fault ? x.fault : "bad declaration";
		x.p += 2;
	}
	for (blanks(&x); *x.p == '<';) {
		int ok;

		x.p++;
		if (*x.p == '/') {
			x.p++;
			ok = close_tag(&x);
		} else {
			ok = open_tag(&x);
		}
		if (!ok || (x.depth && !text(&x, "<")))
			return x.fault;
		if (!x.depth)
			break;
	}
	blanks(&x);
	if (x.depth || *x.p)
		fail(&x, x.depth ? "elements left open" : "text after the element");
	return x.fault;
}
