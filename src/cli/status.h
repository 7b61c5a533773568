/* status.h - status screens: how far a verb is that runs for long, on standard error.
 *
 * On a terminal some lines, and below them the bar of base/progress.h with the phase (running, judging, localizing,
 * reducing, …); elsewhere the plain lines of the bar alone. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include "base/progress.h"
#include "base/tally.h"
#include "cli/terminal.h"
#include "store/progress.h"

struct status_screen {
	struct progress bar;
	struct terminal_screen screen;
	void (*lines)(struct buf *out, void *arg); /* the caller's: all but the bar */
	void *arg;
	int runs;
};

/* what, total: as of progress_start(); status_step() and phases draw it. */
void status_start(struct status_screen *s, const char *what, size_t total);
void status_step(struct status_screen *s, size_t done, size_t total, const char *now);
void status_end(struct status_screen *s); /* one that was not started is fine */

/* ---- lines that all screens have --------------------------------------------------------------------------------- */

/* "cases     40 in 12 s, 3.3 a second" and what follows, without a line end. */
void status_rate(struct buf *out, const char *what, size_t n, double seconds);
/* "last new  SIGNATURE, 7 s ago", or that there is none yet. */
void status_last(struct buf *out, const char *signature, double ago);
/* "stable    98.2 % of 56 repeats agree"; nothing was repeated: that is said. */
void status_stable(struct buf *out, const struct store_progress *p);
/* A line for each library: "ort       given 120, ran 118, judged 110"; rows beyond STATUS_LIBRARIES are not read. */
#define STATUS_LIBRARIES 16 /* a screen must fit a terminal */
void status_libraries(struct buf *out, const struct tally_row *rows, size_t n);

#endif
