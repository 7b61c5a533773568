/* exam.h - does a worker keep to docs/protocol.md?  A list of checks, each told in one line. */
#ifndef WORKER_PARENT_EXAM_H
#define WORKER_PARENT_EXAM_H

#include <stdio.h>

#include "base/json.h"
#include "base/vec.h"
#include "worker/parent/worker.h"

enum exam_result { EXAM_OK, EXAM_FAILED, EXAM_NOT_TRIED };

struct exam_line {
	const char *name, *expected;
	enum exam_result result;
	char got[512]; /* unless it is ok: what came instead, or why it was not tried */
};

struct exam_lines {
	struct exam_line *at;
	size_t n, size;
};

const char *exam_result_name(enum exam_result r);

/* Starts the worker and asks it all there is.  Negative only where no memory is left: a worker that does not start has
 * a line of its own. */
int exam_worker(const struct worker_spec *spec, const struct worker_limits *limits, struct exam_lines *out,
		struct err *e);

struct exam_request {
	struct worker_limits limits;
	int json; /* for whoever asks */
};

/* The same of a command, given as words, or of one word that names a backend. */
int exam_command(const char *const *words, size_t n, const struct exam_request *q, struct exam_lines *out,
		 struct err *e);
void exam_release(struct exam_lines *l);

size_t exam_count(const struct exam_lines *l, enum exam_result r);
/* Writes a line a check and one that counts them, -1 where that fails; or {"checks": […]}. */
int exam_write(const struct exam_lines *l, FILE *out);
json_t *exam_json(const struct exam_lines *l);

#endif
