/* gate_rows.h - what the files of gate.h share. */
#ifndef REPORT_GATE_ROWS_H
#define REPORT_GATE_ROWS_H

#include "report/gate.h"

struct gate_use {
	const char *op;
	size_t models, last; /* models that have it; the number of the last one */
};

const char *gate_cell(struct gate *g, const char *text); /* NULL: out of memory */
int gate_row_fails(const struct gate_row *r);
int gate_row_is_right(const struct gate_row *r);
size_t gate_uses(const struct gate *g, const char *ops);

#endif
