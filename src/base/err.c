/* err.c - see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/door.h"

static void mark_cut(char *s, size_t size, int wanted)
{
	if (wanted >= 0 && (size_t)wanted >= size)
		memcpy(s + size - 4, "...", 4);
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	mark_cut(e->msg, sizeof e->msg, vsnprintf(e->msg, sizeof e->msg, fmt, ap));
	va_end(ap);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char context[sizeof e->msg];
	char whole[sizeof e->msg];
	size_t n;
	va_list ap;

	if (!e)
		return ERR_INTERNAL;
	va_start(ap, fmt);
	mark_cut(context, sizeof context, vsnprintf(context, sizeof context, fmt, ap));
	va_end(ap);
	n = strlen(context);
	/* no path where a model was made in memory; and what a callee has said is not said again */
	if (!n || (!strncmp(e->msg, context, n) && !strncmp(e->msg + n, ": ", 2)))
		return e->code;
	mark_cut(whole, sizeof whole, snprintf(whole, sizeof whole, "%s: %s", context, e->msg));
	memcpy(e->msg, whole, sizeof whole);
	return e->code;
}

int err_nomem(struct err *e, const char *what, size_t bytes)
{
	return err_set(e, ERR_MEMORY, "cannot allocate %zu bytes for %s", bytes, what);
}

void err_clear(struct err *e)
{
	e->code = 0;
	e->msg[0] = '\0';
}

static const struct {
	int code;
	const char *name, *text;
	int exit_status;
} rows[] = {{STATUS_OK, "STATUS_OK", "ok", 0},
#define X(name, text, exit) {name, #name, text, exit},
	    ERR_MAP(X)
#undef X
};

static size_t row_of(int code)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].code == code)
			return i;
	return sizeof rows / sizeof *rows - 1; /* an unknown status is an internal error */
}

const char *err_name(int code)
{
	return rows[row_of(code)].name;
}

const char *err_text(int code)
{
	return rows[row_of(code)].text;
}

int err_exit_status(int code)
{
	return rows[row_of(code)].exit_status;
}

void err_bug(const char *file, int line, const char *what)
{
	door_leave(file, line, what);
	fprintf(stderr, "assay: BUG at %s:%d: %s\nassay: please report this line together with the command\n", file,
		line, what);
	abort();
}
