/* terminal.c - see terminal.h. */
#include "cli/terminal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/utf8.h"
#include "report/text.h"

#define SOME_COLUMNS 100
#define FEWEST_COLUMNS 40
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */
#define ELLIPSIS "\xe2\x80\xa6"    /* U+2026 */
#define MAX_LINE 65536

size_t terminal_columns(FILE *out)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;
	long n = SOME_COLUMNS;

	(void)out; /* a stream over standard output (base/plain.h), which is no terminal itself */
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		n = size.ws_col;
	else if (said && strtol(said, NULL, 10) > 0)
		n = strtol(said, NULL, 10);
	return n < FEWEST_COLUMNS ? FEWEST_COLUMNS : (size_t)n;
}

/* ---- characters -------------------------------------------------------------------------------------------------- */

size_t terminal_width(const char *s)
{
	return text_width(s, SIZE_MAX);
}

void terminal_put(struct buf *b, const char *s, size_t max)
{
	size_t n = strlen(s), width = terminal_width(s), shown = 0, step;
	int32_t c;

	for (size_t i = 0; i < n; i += step, shown++) {
		if (width > max && shown + 1 >= max) {
			buf_puts(b, ELLIPSIS);
			return;
		}
		step = utf8_decode(s + i, n - i, &c);
		if (plain_is_unsafe(c))
			buf_puts(b, REPLACEMENT);
		else
			buf_add(b, s + i, step);
	}
}

/* ---- wrapping ---------------------------------------------------------------------------------------------------- */

/* Bytes of the first line of s when `room` characters fit: up to a line end, else up to the last blank that fits; a
 * word that is longer than a line is not broken. */
static size_t line_length(const char *s, size_t room)
{
	size_t n = strcspn(s, "\n"), width = 0, blank = 0;
	int32_t c;

	for (size_t i = 0; i < n; width++) {
		if (s[i] == ' ' && width > room)
			return blank ? blank : i;
		if (s[i] == ' ')
			blank = i;
		i += utf8_decode(s + i, n - i, &c);
	}
	return width <= room || !blank ? n : blank;
}

void terminal_wrap(FILE *out, size_t indent, size_t hang, size_t columns, const char *s)
{
	for (int first = 1; *s; first = 0) {
		size_t left = indent + (first ? 0 : hang);
		size_t n = line_length(s, columns > left + FEWEST_COLUMNS / 2 ? columns - left : FEWEST_COLUMNS / 2);

		fprintf(out, "%*s%.*s\n", (int)left, "", (int)n, s);
		s += n;
		s += *s == ' ' || *s == '\n';
	}
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

const char *terminal_ratio(double x, char *out, size_t size)
{
	if (!isfinite(x) || fabs(x) >= 1e6)
		snprintf(out, size, "%.2g", x);
	else if (x >= 1000)
		snprintf(out, size, "%d,%03d", (int)x / 1000, (int)x % 1000);
	else
		snprintf(out, size, "%.3g", x);
	return out;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

#define GAP 2

static void widths_of(const struct term_column *columns, size_t n, const char *const *cells, size_t rows, size_t *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = terminal_width(columns[i].head);
		for (size_t r = 0; r < rows; r++) {
			size_t w = terminal_width(cells[r * n + i]);

			out[i] = w > out[i] ? w : out[i];
		}
	}
}

/* Takes from the widest column that may be narrower until all fits. */
static void shrink(const struct term_column *columns, size_t n, size_t *widths, size_t width)
{
	size_t total = (n - 1) * GAP;

	for (size_t i = 0; i < n; i++)
		total += widths[i];
	for (; total > width; total--) {
		size_t widest = n;

		for (size_t i = 0; i < n; i++)
			if (columns[i].min && widths[i] > columns[i].min && (widest == n || widths[i] > widths[widest]))
				widest = i;
		if (widest == n)
			return;
		widths[widest]--;
	}
}

static void print_row(FILE *out, const struct term_column *columns, size_t n, const char *const *cells,
		      const size_t *widths)
{
	struct buf line;

	buf_init(&line, MAX_LINE);
	for (size_t i = 0; i < n; i++) {
		size_t w = terminal_width(cells[i]), blanks = w < widths[i] ? widths[i] - w : 0;

		if (i)
			buf_printf(&line, "%*s", GAP, "");
		if (columns[i].right)
			buf_printf(&line, "%*s", (int)blanks, "");
		terminal_put(&line, cells[i], widths[i]);
		if (!columns[i].right && i + 1 < n)
			buf_printf(&line, "%*s", (int)blanks, "");
	}
	fprintf(out, "%s\n", line.data ? line.data : "");
	buf_release(&line);
}

void terminal_table(FILE *out, const struct term_column *columns, size_t n, const char *const *cells, size_t rows,
		    size_t width)
{
	const char *heads[TERM_MAX_COLUMNS];
	size_t widths[TERM_MAX_COLUMNS];

	for (size_t i = 0; i < n; i++)
		heads[i] = columns[i].head;
	widths_of(columns, n, cells, rows, widths);
	shrink(columns, n, widths, width);
	print_row(out, columns, n, heads, widths);
	for (size_t r = 0; r < rows; r++)
		print_row(out, columns, n, cells + r * n, widths);
}
