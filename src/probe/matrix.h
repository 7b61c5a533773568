/* matrix.h - what a backend gets right: the operator cases, each judged by the reference, by operator and type.
 *
 * Every line of data/cases is a case of the type that its first input has.  The first line that is right is asked once
 * more with each type that the operator takes.  What is found is confirmed as by every other method, and quirks.tsv
 * holds here too. */
#ifndef PROBE_MATRIX_H
#define PROBE_MATRIX_H

#include "base/json.h"
#include "probe/lines.h"
#include "probe/support.h"
#include "worker/parent/quirks.h"

/* id, word, letter, what it means; a later one is told of a cell whose cases came to several */
#define MATRIX_MAP(X)                                                                                \
	X(NOT_ASKED, "not asked", '?', "no case has the operator with this type")                    \
	X(UNSUPPORTED, "unsupported", '-', "the library says that it does not have it")              \
	X(OPEN, "open", 'o', "it ran, and is not judged: ONNX or a known quirk leaves it open")      \
	X(RIGHT, "right", '+', "every case that it runs is right, up to rounding")                   \
	X(REFUSED, "refused", 'x', "a valid case was refused, and not because something is lacking") \
	X(WRONG, "wrong", 'W', "wrong numbers, a crash, or a hang")

enum matrix_state {
#define X(id, word, letter, means) MATRIX_##id,
	MATRIX_MAP(X)
#undef X
		MATRIX_STATES
};

struct matrix_cell {
	enum matrix_state state;
	size_t counts[MATRIX_STATES]; /* of cases */
	/* Of the first case that came to `state`; NULL before there is one, and of what is right: */
	const char *line, *verdict, *reason;
};

struct matrix_row {
	int wanted;                         /* it is asked for */
	int asked, typed;                   /* types were asked; with a line that is right */
	struct matrix_cell types[DT_COUNT]; /* by the type of the first input; without inputs, of the first output */
};

struct matrix {
	const char *backend, *version;
	struct matrix_row *rows; /* by op_rows */
	struct arena arena;
};

struct matrix_list {
	struct matrix *at;
	size_t n, size;
};

struct matrix_request {
	const struct spec_list *specs;
	const char *probes; /* a file or folder of cases, NULL: those that come with assay */
	struct probe_wish wish;
};

/* Asks and judges, with progress on standard error.  Release with matrix_release(), also when it failed. */
int matrix_make(const struct matrix_request *q, struct matrix_list *out, struct err *e);
void matrix_release(struct matrix_list *all); /* zeroed is fine */

/* Whether cells of the operator are counted by a type: those of types that it does not take count nowhere. */
int matrix_takes(const struct op_row *row, enum dtype t);
size_t matrix_count(const struct matrix *m, enum matrix_state state); /* cells */
size_t matrix_findings(const struct matrix_list *all);                /* cells that are refused or wrong */

/* A line of letters for every operator and backend, what was found, and the legend. */
void matrix_text(const struct matrix_list *all, struct buf *out);
/* {"legend": {WORD: TEXT}, "backends": [{"backend", "version", "counts"}], "operators": [{"domain", "name", "backends":
 * {NAME: {TYPE: {"result", "cases", "case", "verdict", "reason"}}}}]} */
json_t *matrix_json(const struct matrix_list *all);

#endif
