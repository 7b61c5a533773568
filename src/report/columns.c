/* columns.c - see columns.h. */
#include "report/columns.h"

#include <string.h>

#include "report/paint.h"
#include "report/text.h"

#define GAP 2

static void widths_of(const struct term_column *columns, size_t n, const char *const *cells, size_t rows, size_t *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = text_columns(columns[i].head);
		for (size_t r = 0; r < rows; r++) {
			size_t w = text_columns(cells[r * n + i]);

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

static void put_row(struct buf *out, const struct term_column *columns, size_t n, const char *const *cells,
		    const size_t *widths)
{
	for (size_t i = 0; i < n; i++) {
		size_t w = text_columns(cells[i]), blanks = w < widths[i] ? widths[i] - w : 0;
		const char *word = strcmp(columns[i].head, "verdict") ? "" : cells[i];

		if (i)
			buf_printf(out, "%*s", GAP, "");
		if (columns[i].right)
			buf_printf(out, "%*s", (int)blanks, "");
		buf_puts(out, paint_before(word));
		text_plain(out, cells[i], widths[i]);
		buf_puts(out, paint_after(word));
		if (!columns[i].right && i + 1 < n)
			buf_printf(out, "%*s", (int)blanks, "");
	}
	buf_puts(out, "\n");
}

void columns_table(struct buf *out, const struct term_column *columns, size_t n, const char *const *cells, size_t rows,
		   size_t width)
{
	const char *heads[TERM_MAX_COLUMNS];
	size_t widths[TERM_MAX_COLUMNS];

	for (size_t i = 0; i < n; i++)
		heads[i] = columns[i].head;
	widths_of(columns, n, cells, rows, widths);
	shrink(columns, n, widths, width);
	put_row(out, columns, n, heads, widths);
	for (size_t r = 0; r < rows; r++)
		put_row(out, columns, n, cells + r * n, widths);
}
