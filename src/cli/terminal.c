/* terminal.c - see terminal.h. */
#include "cli/terminal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "report/text.h"

#define SOME_COLUMNS 100
#define FEWEST_COLUMNS 40
#define MAX_LINE 65536

void terminal_screen_start(struct terminal_screen *s)
{
	*s = (struct terminal_screen){.is_terminal = progress_is_terminal(STDERR_FILENO)};
}

void terminal_screen_clear(struct terminal_screen *s)
{
	if (s->lines)
		fprintf(stderr, "\033[%dA\033[J", s->lines); /* up, and all below away */
	s->lines = 0;
}

/* Bytes of a line that `room` characters take. */
static size_t cut_length(const char *line, size_t n, size_t room)
{
	size_t at = 0;
	int32_t c;

	while (at < n && room--)
		at += utf8_decode(line + at, n - at, &c);
	return at;
}

void terminal_screen_draw(struct terminal_screen *s, const struct buf *lines)
{
	size_t columns = progress_columns();
	const char *p;
	struct buf plain;

	buf_init(&plain, 2 * MAX_LINE);
	plain_put(&plain, lines->data ? lines->data : "", lines->len);
	terminal_screen_clear(s);
	for (p = plain.data ? plain.data : ""; *p; s->lines++) {
		size_t n = strcspn(p, "\n");

		fprintf(stderr, "%.*s\n", (int)cut_length(p, n, columns), p);
		p += n + (p[n] == '\n');
	}
	fflush(stderr);
	buf_release(&plain);
}

void terminal_screen_end(struct terminal_screen *s)
{
	terminal_screen_clear(s);
	fflush(stderr);
}

/* Columns of standard output; 0: nobody knows. */
static long known_columns(void)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return said && strtol(said, NULL, 10) > 0 ? strtol(said, NULL, 10) : 0;
}

size_t terminal_columns(FILE *out)
{
	long n = known_columns();

	(void)out; /* a stream over standard output (base/plain.h), which is no terminal itself */
	n = n ? n : SOME_COLUMNS;
	return n < FEWEST_COLUMNS ? FEWEST_COLUMNS : (size_t)n;
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

void terminal_say(FILE *out, size_t indent, size_t hang, const char *s)
{
	terminal_wrap(out, indent, hang, known_columns() ? terminal_columns(out) : SIZE_MAX, s);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

const char *terminal_ratio(double x, char *out, size_t size)
{
	return text_ratio(x, out, size);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

void terminal_table(FILE *out, const struct term_column *columns, size_t n, const char *const *cells, size_t rows,
		    size_t width)
{
	struct buf text;

	buf_init(&text, (rows + 1) * MAX_LINE);
	columns_table(&text, columns, n, cells, rows, width);
	fputs(text.data ? text.data : "", out);
	buf_release(&text);
}
