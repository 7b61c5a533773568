/* progress.h - how far long work is, on standard error.
 *
 *     struct progress p;
 *
 *     progress_start(&p, "cases", n);
 *     for (i = 0; i < n; i++) {
 *             progress_step(&p, i, name_of(i));
 *             …
 *     }
 *     progress_end(&p);
 *
 * On a terminal this is a bar in the last line, redrawn at most ten times a second and gone at the end.  Elsewhere it
 * is a plain line every few seconds, so that short work prints nothing.  Nothing at all at log level 0. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stddef.h>

struct progress {
	const char *what;    /* the things counted, in plural */
	size_t total;        /* 0: not known */
	double start, shown; /* seconds */
	int terminal, drawn, quiet;
};

void progress_start(struct progress *p, const char *what, size_t total);
void progress_step(struct progress *p, size_t done, const char *now); /* now: what is worked on; may be NULL */
void progress_end(struct progress *p);

/* The text of a bar: "[####      ] 40/100 cases, now"; at most `columns` bytes, NUL-terminated within size. */
void progress_bar(const struct progress *p, size_t done, const char *now, size_t columns, char *out, size_t size);

#endif
