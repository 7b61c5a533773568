/* internal.h - what the files of the driver share. */
#ifndef BACKENDS_BIND_INTERNAL_H
#define BACKENDS_BIND_INTERNAL_H

#include "backends/bind/bind.h"
#include "base/mem.h"

#define BIND_KNOWN_MAX 1024 /* elements of a tensor whose value is worth knowing; shapes are far smaller */

/* The value of one wire. */
struct bind_cell {
	void *handle;         /* the library's; NULL: not made yet, or only known */
	struct tensor *value; /* wide; NULL: not known */
	int meta;             /* the value depends on shapes and constants alone: the driver may compute with it */
	struct type type;
};

struct bind_session {
	const struct bind_library *library;
	void *ctx;
	struct model *model;
	const struct binding **bindings; /* by node->index; NULL: only the driver can run it */
	int *last_use;                   /* by wire id: index of the last node that reads it, or one of those below */
	struct bind_cell *constants;     /* by wire id: initializers and results of Constant, kept for all runs */
	const char **names;              /* of outputs: the graph's, then those asked for */
	size_t n_names;
	struct arena scratch; /* of one call, used again */
};

#define USE_NEVER (-1)
#define USE_ALWAYS INT32_MAX

/* One run: cells by wire id. */
struct bind_state {
	struct bind_session *s;
	struct bind_cell *cells;
	struct err *err;
};

void bind_cell_release(const struct bind_session *s, struct bind_cell *c);

/* The cell that has the value of w in this run: its own, or the kept one of a constant. */
struct bind_cell *bind_cell(struct bind_state *st, const struct wire *w);

/* eval.c: the node as the reference sees it, with what is known of its inputs; then the types of its outputs. */
int bind_call_begin(struct bind_state *st, const struct node *n, struct call *c);
void bind_call_end(struct call *c);

/* Runs a node with the reference's operator when it only speaks of shapes; *done: it does. */
int bind_evaluate(struct bind_state *st, struct call *c, int *done);

/* The values of all Constant nodes. */
int bind_fold_constants(struct bind_session *s, struct err *e);

/* True when some run may find that the driver can run the node. */
int bind_may_evaluate(const struct node *n);

#endif
