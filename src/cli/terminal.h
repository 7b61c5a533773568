/* terminal.h - text for a terminal: as wide as it is, and without what a terminal would obey.
 *
 * Names come from models and messages from libraries, so anything may be in them. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdio.h>

#include "base/buf.h"
#include "report/columns.h"

/* Columns of the terminal behind `out`; elsewhere $COLUMNS, or 100.  At least 40. */
size_t terminal_columns(FILE *out);

/* Prints a text in lines of at most `columns`, broken at blanks; all are indented, all but the first by `hang` more.
 * Line ends in the text are kept. */
void terminal_wrap(FILE *out, size_t indent, size_t hang, size_t columns, const char *s);
/* The same where the columns are known, of a terminal or by $COLUMNS.  Elsewhere it is one line, for programs. */
void terminal_say(FILE *out, size_t indent, size_t hang, const char *s);

/* "12.3", "1,234", "4.1e+07", "inf": a ratio for people. */
const char *terminal_ratio(double x, char *out, size_t size);

/* ---- a screen on standard error, drawn again and again ----------------------------------------------------------- */

struct terminal_screen {
	int is_terminal, lines; /* lines that are drawn */
	double drawn;           /* when, by the clock of whoever draws */
};

void terminal_screen_start(struct terminal_screen *s);
void terminal_screen_clear(struct terminal_screen *s);
/* In the place of what is drawn: lines, each cut where the terminal ends, so that none takes two rows of it. */
void terminal_screen_draw(struct terminal_screen *s, const struct buf *lines);
void terminal_screen_end(struct terminal_screen *s); /* it is gone */

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Prints rows of cells (rows * columns of them, in order) below a head, in at most `width` columns where the minimal
 * widths allow it.  Cells below the head "verdict" have its colour. */
void terminal_table(FILE *out, const struct term_column *columns, size_t n, const char *const *cells, size_t rows,
		    size_t width);

#endif
