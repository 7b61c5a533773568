/* internal_exam.h - what the parts of the conformance kit share. */
#ifndef WORKER_PARENT_INTERNAL_EXAM_H
#define WORKER_PARENT_INTERNAL_EXAM_H

#include "base/buf.h"
#include "worker/parent/exam.h"
#include "worker/parent/internal.h"

struct exam {
	struct worker *w;
	struct worker_report report; /* of the last request */
	int gone;                    /* it does not start any more */
	struct exam_line *line;
	struct err e;
};

/* 1 when the check is kept; else what came is in c->line->got. */
typedef int exam_check_fn(struct exam *c);

struct exam_check {
	const char *name, *expected;
	exam_check_fn *run;
};

extern const struct exam_check exam_checks[]; /* up to the first without a name */

/* ---- exam_model.c --------------------------------------------------------------------------------------------- */

/* y = op(x), of one type and any shape of that rank, as the bytes of an ONNX file. */
int exam_model(const char *op, const char *domain, enum dtype t, int rank, struct buf *out, struct err *e);
/* A tensor that has something in it. */
struct value *exam_value(enum dtype t, int rank, const int64_t *dims, struct err *e);
int exam_same(const struct value *a, const struct value *b);

#endif
