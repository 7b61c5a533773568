/* caller.h - a library's operations by name: its own, where its worker answers LIST and INVOKE, and those of ONNX for
 * every other, since a worker that does not answer these reads ONNX.
 *
 * An operation of ONNX is a model of one node (onnx_call.h), which is loaded and run.  Loading takes most of the time,
 * and calls that differ in the values of inputs alone have one model: sessions are kept. */
#ifndef CALLS_CALLER_H
#define CALLS_CALLER_H

#include "base/buf.h"
#include "worker/parent/worker.h"

#define CALLER_MOST_KEPT 16

struct caller {
	struct worker *worker; /* borrowed */
	struct caller_model {
		struct buf bytes; /* none: there is no model here */
		uint64_t session; /* of a worker that may have ended since */
	} kept[CALLER_MOST_KEPT];
	size_t next; /* that gives way to another one */
};

/* Before or after its worker is closed, whose sessions end with it; zeroed is fine. */
void caller_release(struct caller *c);

/* As worker_invoke() and worker_list(). */
enum worker_result caller_invoke(struct caller *c, const struct backend_call *q, struct backend_answer *out,
				 struct worker_report *report);
enum worker_result caller_list(struct caller *c, const char *prefix, struct arena *arena,
			       struct backend_operation **out, size_t *n, struct worker_report *report);

#endif
