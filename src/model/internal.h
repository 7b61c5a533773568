/* internal.h - what the files of src/model share among themselves: allocation inside a model, raw wires and nodes,
 * and the walk over the uses of outer wires. */
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "model/model.h"

#define MODEL_MAX_ARENA ((size_t)2 << 30) /* bytes of graphs, names and attributes, without tensors */
#define MODEL_MAX_SYMBOLS 16384           /* symbolic dimensions: looking one up is linear */

/* The status of a failure whose message is in e already; e may be NULL. */
static inline int status_of(const struct err *e)
{
	return e ? e->code : ERR_MEMORY;
}

/* Zeroed memory that dies with the model; NULL with ERR_LIMIT or ERR_MEMORY set. */
void *model_carve(struct model *m, size_t count, size_t size, const char *what, struct err *e);
char *model_strdup(struct model *m, const char *s, struct err *e);

/* Takes over a reference that model_free() drops; on failure it is dropped at once. */
int model_hold(struct model *m, struct tensor *take, struct err *e);

/* The smallest IR version that the model's opsets and types permit; the newest where that is not known. */
int model_least_ir(const struct model *m);

/* A model without opsets and without a graph. */
struct model *model_blank(const char *path, struct err *e);

/* A wire whose name is new in g; names of outer and inner graphs are not looked at. */
struct wire *wire_new(struct graph *g, const char *name, struct err *e);

/* True when t holds elements of w's type: same dtype, same dimensions where known. */
int type_holds(const struct type *t, const struct tensor *x);

/* A named node with room for its inputs, outputs and attributes, which are not set yet: of `spec` only the names and
 * the counts are read.  It is not yet in g->nodes; see node_append(). */
struct node *node_new(struct graph *g, const struct node_spec *spec, int n_attrs, struct err *e);
int node_append(struct node *n, struct err *e);
void node_set_output(struct node *n, int slot, struct wire *w); /* w may be NULL */

/* graph_sort() that tells of the first node that stood before one whose output it reads, itself or in a subgraph; both
 * stay NULL where the nodes were in order. */
struct graph_late {
	const struct node *reader;
	const struct wire *wire;
};
int graph_sort_noting(struct graph *g, struct graph_late *late, struct err *e);

void graph_renumber(struct graph *g);                                  /* node->index and wire->id */
int graph_is_inside(const struct graph *g, const struct graph *outer); /* g is `outer` or lies in it */

/* The graphs a node carries: calls fn for each graph attribute until one call returns non-zero, and returns that. */
typedef int node_graph_fn(struct graph *g, void *arg);
int node_for_each_graph(const struct node *n, node_graph_fn *fn, void *arg);

/* Every place in g and in its subgraphs that mentions a wire or could: inputs of nodes (entries may be NULL) and
 * outputs of graphs (user is NULL).  Ends when fn returns non-zero, and returns that. */
typedef int slot_fn(struct wire **slot, const struct node *user, void *arg);
int graph_for_each_slot(const struct graph *g, slot_fn *fn, void *arg);

/* Every mention of a wire that lies outside g, by nodes and outputs of g and of its subgraphs; repeats. */
int graph_for_each_outer_use(const struct graph *g, graph_capture_fn *fn, void *arg);

/* Frees what a graph holds outside the arena, and what the graphs of its nodes hold; takes them off model->graphs. */
void graph_discard(struct graph *g);

/* Appends an attribute without a value; the name must not be there yet. */
struct attr *node_add_attr(struct node *n, const char *name, struct err *e);
/* Puts `value`, whose name is ignored, in place of attribute `name`, or adds it. */
int node_set(struct node *n, const char *name, const struct attr *value, struct err *e);

#endif
