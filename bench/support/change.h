/* change.h - a model changed by chance so that it mostly stays one: what reads it finds nothing wrong with its form,
 * and what runs it has something to do. */
#ifndef BENCH_SUPPORT_CHANGE_H
#define BENCH_SUPPORT_CHANGE_H

#include "base/rng.h"
#include "model/model.h"

/* A change: 1 when it was made, 0 when there is nothing that it could be made to. */
typedef int change_fn(struct model *m, struct rng *r);

struct change {
	const char *name;
	change_fn *make;
	unsigned weight; /* how often it is drawn, against others */
};

/* Numbers, sizes and types (change.c); edges and nodes (change_graph.c).  Up to the first without a name. */
extern const struct change change_values[], change_edges[];

/* Makes one change of any kind and gives its name; NULL when none of many could be made.  Types of wires must have been
 * inferred; they are not inferred anew. */
const char *change_once(struct model *m, struct rng *r);

/* To be called after the last change: what nodes make is of no known type any more. */
void change_forget_types(struct model *m);

struct node *change_any_node(const struct model *m, struct rng *r); /* NULL: there is none */
struct tensor *change_resized(struct tensor *from, enum dtype t, int rank, const int64_t *dims, struct err *e);

#endif
