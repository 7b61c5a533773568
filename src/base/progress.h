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
	const char *phase;      /* (optional) what is done in place of counting: see progress_phase() */
	struct progress *outer; /* the bar that was there before; NULL: none */
	/* (optional, set after progress_start()) Draws on a terminal in place of the last line, and takes it away. */
	void (*draw)(const char *bar, void *arg);
	void *draw_arg;
};

void progress_start(struct progress *p, const char *what, size_t total);
void progress_step(struct progress *p, size_t done, const char *now); /* now: what is worked on; may be NULL */
void progress_end(struct progress *p);

/* What the work behind the bar is at: "[###       ] localizing node 12/40, conv3" in place of the count, until the next
 * progress_step().  A new phase is drawn at once, since nobody knows how long it takes.  total 0: not known.  A
 * terminal has one last line, so whoever works for long need not be given the bar: it is that which this thread has
 * started last, and without one nothing is told. */
void progress_phase(const char *phase, size_t done, size_t total, const char *now);

/* Whether a descriptor leads to a terminal that can move its cursor: one that TERM does not call dumb. */
int progress_is_terminal(int fd);

/* Columns of the terminal that standard error is; 79 where it does not say. */
size_t progress_columns(void);

/* The text of a bar: "[####      ] 40/100 cases, now"; at most `columns` bytes, NUL-terminated within size. */
void progress_bar(const struct progress *p, size_t done, const char *now, size_t columns, char *out, size_t size);

#endif
