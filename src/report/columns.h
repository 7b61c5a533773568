/* columns.h - tables of plain text: columns as wide as they must be, and narrower where the whole would not fit. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "base/buf.h"

#define TERM_MAX_COLUMNS 12

struct term_column {
	const char *head;
	int right;  /* aligned to the right */
	size_t min; /* may be made as narrow as this to fit; 0: never */
};

/* Appends rows of cells (rows * n of them, in order) below a head, in at most `width` columns where the minimal widths
 * allow it.  Cells below the head "verdict" have its colour. */
void columns_table(struct buf *out, const struct term_column *columns, size_t n, const char *const *cells, size_t rows,
		   size_t width);

#endif
