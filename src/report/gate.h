/* gate.h - what is new against a baseline: rows of models and backends, those of before, and failures that are
 * expected.
 *
 *     baseline    model <TAB> backend <TAB> verdict <TAB> operator                          sorted by model and backend
 *     expected    models <TAB> operator <TAB> verdict <TAB> model <TAB> backend <TAB> reason   most used operator first
 *
 * Both are text for a version control system: the same results give the same bytes.  `models` is how many of the models
 * use the operator; it is not read.  Cells of an expected failure may have the wildcards of a shell; an operator may be
 * the beginning of a signature. */
#ifndef REPORT_GATE_H
#define REPORT_GATE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/tally.h"
#include "base/vec.h"
#include "model/model.h"

enum gate_state {
	GATE_RIGHT,    /* nothing to tell */
	GATE_NEW,      /* fails, and did not before */
	GATE_STILL,    /* fails as before */
	GATE_EXPECTED, /* fails as the file of expected failures has it */
	GATE_FIXED,    /* failed before, and does not any more */
	GATE_STATES
};

extern const char *const gate_state_names[]; /* "right", "new", … */

struct gate_row {
	const char *model, *backend; /* without its version */
	const char *verdict;         /* a word of base/verdict.h, or GATE_DIFFERS */
	const char *op, *signature;  /* that is blamed; "": not known */
	const char *note;
	enum gate_state state;
	const char *before; /* the verdict of the baseline; "": it has none */
	const char *reason; /* of an expected failure */
	size_t uses;        /* models that have the operator */
};

#define GATE_DIFFERS "differs" /* from the baseline, where nobody can be judged */

struct gate_expected {
	const char *op, *verdict, *model, *backend, *reason;
	int tried, met; /* a row that it is about was there; … and fails so */
};

struct gate_use;

struct gate {
	struct arena arena;
	VEC(struct gate_row) rows, before;
	VEC(struct gate_expected) expected;
	VEC(struct gate_use) uses;
	size_t counts[GATE_STATES];
	size_t not_run; /* rows of the baseline that have none of now */
	size_t stale;   /* expected failures that do not fail any more */
};

void gate_release(struct gate *g); /* zeroed is fine */

/* Copies a row of now, or of the baseline; state, before, reason and uses are not looked at. */
int gate_add(struct gate *g, const struct gate_row *row, int baseline, struct err *e);
/* A model that was run: which operators it has. */
int gate_count_operators(struct gate *g, const struct model *m, struct err *e);

/* Says of each row what it is, counts, and sorts: what is new first, by how many models use the operator. */
void gate_compare(struct gate *g);
/* Whether it is red; strict: also for an expected failure that does not fail any more. */
int gate_is_red(const struct gate *g, int strict);

/* ---- files (gate_file.c) ----------------------------------------------------------------------------------------- */

int gate_read_baseline(struct gate *g, const char *path, struct err *e);
int gate_read_expected(struct gate *g, const char *path, struct err *e);
int gate_write_baseline(const struct gate *g, struct buf *out, struct err *e);
/* All that fails now, with the reasons that are known. */
int gate_write_expected(const struct gate *g, struct buf *out, struct err *e);

/* Writes what one of these functions, or gate_junit(), makes; path NULL: nothing. */
typedef int gate_write_fn(const struct gate *g, struct buf *out, struct err *e);
int gate_save(const struct gate *g, gate_write_fn *write, const char *path, struct err *e);

/* ---- for programs (gate_tell.c) ---------------------------------------------------------------------------------- */

json_t *gate_json(const struct gate *g, int strict);
int gate_junit(const struct gate *g, struct buf *out, struct err *e);

#endif
