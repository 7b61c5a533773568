/* rewriter.h - the process in which a rewriter runs: workers/python/rewriters.py.
 *
 * A rewriter is Python's, or called from there, and may die or hang; so it has a process of its own.  The first one
 * imports the library and stays as it is; each worker, this process or a fork of it (worker/child/serve_fork.c), has it
 * fork another one, which rewrites for that worker alone.  So a worker is back after a crash in a few milliseconds. */
#ifndef BACKENDS_REWRITE_REWRITER_H
#define BACKENDS_REWRITE_REWRITER_H

#include <sys/types.h>

#include "base/buf.h"
#include "worker/backend.h"

struct rewriter {
	int control;       /* to the first process: a socket of ours as SCM_RIGHTS, our folder and the options */
	int socket;        /* to the one that rewrites for us; -1: none yet */
	pid_t owner;       /* whose socket that is: a fork needs another one */
	char version[128]; /* of the library */
	struct backend_options options;
};

/* Starts it: "rewriter" of the options names it; those that rewrite are told all of them.  ERR_UNSUPPORTED and others
 * with the library's own words when it cannot be opened. */
int rewriter_start(struct rewriter *r, const struct backend_options *o, struct err *e);
void rewriter_stop(struct rewriter *r);
/* From the next model on. */
void rewriter_set_options(struct rewriter *r, const struct backend_options *o);

/* What it makes of a model; with inputs of it, an .npz, where it looks at such.  Where it dies, so does this process,
 * in the same way.  *out must be initialised. */
int rewriter_rewrite(struct rewriter *r, const struct buf *model, const struct buf *inputs, struct buf *out,
		     struct err *e);

#endif
