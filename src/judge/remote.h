/* remote.h - a model and its inputs on a library's worker. */
#ifndef JUDGE_REMOTE_H
#define JUDGE_REMOTE_H

#include "model/model.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

/* A model file as a library gets it: its own bytes, or, when its data lie in further files, one message with all of
 * them.  *m is the same model, its nodes bound where assay knows their operators. */
int remote_read_model(const char *path, struct buf *bytes, struct model **m, struct err *e);

int remote_open(const struct worker_spec *spec, struct worker **out, struct err *e);

/* Loads; `outputs` as in worker_load().  What a library does not support is ERR_UNSUPPORTED, every other result
 * ERR_INPUT; the message begins with the result: "rejected: …", "crash (signal 11)". */
int remote_load(struct worker *w, const struct buf *bytes, const char *const *outputs, size_t n_outputs,
		uint64_t *session, struct err *e);

/* Runs with the values of g's inputs that are not NULL; out[i] is a new reference for names[i]. */
int remote_run(struct worker *w, uint64_t session, const struct graph *g, struct value *const *in,
	       const char *const *names, struct value **out, size_t n_out, struct err *e);

/* Values of g's inputs by name, those that are not NULL; borrowed.  The caller frees the array with mem_free(). */
int remote_inputs(const struct graph *g, struct value *const *in, struct named_value **out, size_t *n, struct err *e);

/* "crash (signal 11): what it said", cut where it does not fit; returns out. */
const char *remote_describe(const struct worker_report *r, char *out, size_t size);

#endif
