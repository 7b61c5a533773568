/* model.h - an ONNX model in memory: the graph that every part of assay reads and edits.
 *
 *   model ── graph ── nodes, in topological order
 *                 └── wires: every named value of the graph.  A wire is a graph input, an initializer, a node's output,
 *                     or, in a subgraph, a wire of an outer graph (captured: nodes point straight at the outer wire).
 *
 * Ownership: a model owns one arena; graphs, nodes, wires, names and attributes are carved from it and die with it.
 * Tensors inside (initializers, attributes) are counted references, dropped by model_free().  Pointers into a model are
 * borrowed.  After an edit, wire->producer and node->index are right again when the editing function returns.
 *
 * Functions (local FunctionProto) are inlined while reading, so graphs have plain operators only. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "tensor/value.h"

struct op; /* ops/op.h; the model layer only carries the pointer */
struct graph;
struct node;

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* A dimension is known (>= 0), unknown (DIM_UNKNOWN), or a symbol of the model: DIM_SYMBOL(k) names model->symbols[k].
 */
#define DIM_UNKNOWN ((int64_t)-1)
#define DIM_SYMBOL(k) (-2 - (int64_t)(k))
#define DIM_SYMBOL_INDEX(d) ((size_t)(-2 - (d)))

struct type {
	enum value_kind kind; /* VALUE_NONE: nothing known */
	enum dtype dtype;     /* of the elements (a map: of the values); DT_UNDEFINED: not known */
	enum dtype key;       /* VALUE_MAP only */
	int rank;             /* -1: not known */
	int64_t dims[TENSOR_MAX_RANK];
	const struct type *elem; /* sequence, optional: element type, or NULL when not known */
};

#define TYPE_INIT          \
	{                  \
		.rank = -1 \
	}

int type_is_static(const struct type *t);                                    /* a tensor with every dimension known */
void type_set(struct type *t, enum dtype dt, int rank, const int64_t *dims); /* makes it a tensor type */
const char *type_describe(const struct type *t, const struct graph *g, char *out, size_t size); /* "float32[N,3,?,?]" */

/* ---- graph ------------------------------------------------------------------------------------------------------- */

struct wire {
	const char *name;
	struct graph *graph;   /* the graph it belongs to */
	struct type type;      /* as declared or inferred */
	struct node *producer; /* NULL: graph input, initializer, or a formal input of a subgraph */
	int producer_slot;     /* which output of the producer */
	struct tensor *init;   /* initializer (packed), or NULL */
	int is_input;          /* listed in graph.input (may have an initializer as default value too) */
	int id;                /* dense within its graph: 0 … graph->wires.n - 1 */
};

enum attr_type {
	ATTR_NONE,
	ATTR_FLOAT,
	ATTR_INT,
	ATTR_STRING,
	ATTR_TENSOR,
	ATTR_GRAPH,
	ATTR_FLOATS,
	ATTR_INTS,
	ATTR_STRINGS,
	ATTR_TENSORS,
	ATTR_GRAPHS,
	ATTR_SPARSE,
	ATTR_TYPE
};

struct attr {
	const char *name;
	enum attr_type type;
	size_t n; /* of the list types; 1 otherwise */
	union {
		int64_t i;
		double f; /* float32 in the file, exactly */
		struct bytes s;
		struct tensor *t; /* packed; ATTR_SPARSE: made dense */
		struct graph *g;
		const struct type *tp;
		int64_t *ints;
		double *floats;
		struct bytes *strings;
		struct tensor **tensors;
		struct graph **graphs;
	};
};

struct node {
	const char *name; /* never NULL; made up ("Conv_3") when the file has none */
	const char *op_type;
	const char *domain; /* "" for ai.onnx */
	int opset;          /* version of its domain that this node was written for */
	struct wire **in;   /* NULL entry: optional input left out */
	int n_in;
	struct wire **out; /* NULL entry: optional output left out */
	int n_out;
	struct attr *attrs;
	int n_attrs;
	struct graph *graph;
	int index;           /* position in graph->nodes */
	const struct op *op; /* bound by ops_bind(); NULL: not known to assay */
	int version;         /* since-version of the operator that `opset` selects; set by ops_bind() */
};

struct graph {
	struct model *model;
	struct graph *parent; /* NULL: main graph */
	const char *name;
	VEC(struct wire *) inputs;  /* in order, initializers with a default value included when the file lists them */
	VEC(struct wire *) outputs; /* a subgraph's may be wires of an outer graph */
	VEC(struct node *) nodes;   /* topological order */
	VEC(struct wire *) wires;   /* by id */
	struct map by_name;         /* name → wire, this graph only */
};

struct opset {
	const char *domain;
	int version;
};

struct model {
	struct arena arena;
	const char *path; /* "" when made in memory */
	const char *
		file; /* of what was not changed: absolute path, when tensors lie in further files beside it; or NULL */
	int too_large; /* `file` is there, and all together are more than one message may have */
	int ir_version;
	const char *producer;
	VEC(struct opset) opsets;
	VEC(const char *) symbols;    /* names of symbolic dimensions */
	VEC(struct tensor *) tensors; /* every tensor a wire or attribute holds or held, one reference each */
	VEC(struct graph *) graphs;   /* every graph in it, main graph first: what model_free() walks */
	struct graph *graph;
	VEC(const char *) complaints; /* see model_complain() */
	const char *disorder;         /* what shows that the file's nodes were out of order, as ONNX forbids; or NULL */
};

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

#define MODEL_MAX_FILE ((size_t)8 << 30)
/* What protobuf takes in one message, and so what libraries take from memory; lowered by tests. */
extern _Atomic size_t model_max_message;
#define MODEL_MAX_DEPTH 32 /* of nested graphs, functions and types */

/* Reads a model, checks it, inlines functions, sorts nodes.  External data is read from files beside the model; a path
 * that leaves the folder is ERR_INPUT.  Messages name file, node and tensor.  Free with model_free(). */
int model_load(const char *path, struct model **out, struct err *e);
/* The same from memory; `path` is for messages and external data ("" : external data is refused). */
int model_parse(const void *data, size_t n, const char *path, struct model **out, struct err *e);

/* ERR_UNSUPPORTED when nodes of one domain are of different opsets (inlined functions may be): a file has only one.
 * ERR_LIMIT when it is larger than one message may be. */
int model_serialize(const struct model *m, struct buf *out, struct err *e);
/* Puts the model's path, when it has one, and a node of it before a message; returns its code. */
int model_prefix(const struct model *m, struct err *e);
int node_prefix(const struct node *n, struct err *e);
int model_save(const struct model *m, const char *path, struct err *e);

void model_free(struct model *m); /* NULL is fine */

/* Notes one sentence on what breaks the rules of ONNX, does no harm and was put right: libraries run such models, most
 * of them with a warning.  The same sentence counts once. */
int model_complain(struct model *m, struct err *e, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An empty model with one opset import, for builders. */
int model_new(int opset, struct model **out, struct err *e);

/* A deep copy; tensors are shared by reference. */
int model_copy(const struct model *m, struct model **out, struct err *e);

int model_opset(const struct model *m, const char *domain); /* 0 when not imported */

/* Index of a symbol, added when new; negative status on failure. */
int64_t model_symbol(struct model *m, const char *name);

/* ---- building and editing (all return 0 or a negative status; names must be new unless said) --------------------- */

struct graph *graph_new(struct model *m, struct graph *parent, const char *name);

struct wire *graph_wire(const struct graph *g, const char *name); /* this graph, then outer ones; NULL: none */
struct wire *graph_add_wire(struct graph *g, const char *name, struct err *e);
int graph_add_input(struct graph *g, const char *name, const struct type *t, struct wire **out, struct err *e);
int graph_add_init(struct graph *g, const char *name, struct tensor *take, struct wire **out, struct err *e);
/* Gives an initializer another value, or a graph input a constant one: it is no input any more. */
int graph_set_init(struct wire *w, struct tensor *take, struct err *e);
int graph_add_output(struct graph *g, struct wire *w, struct err *e); /* expose any wire; once only */
void graph_remove_output(struct graph *g, struct wire *w);
int graph_has_output(const struct graph *g, const struct wire *w);
int graph_reads(const struct graph *g, const struct wire *w); /* a node does, or a subgraph of one */

/* What a node is to be.  All of it stays the caller's: names are copied. */
struct node_spec {
	const char *name; /* one that the caller knows to be new; NULL: made up */
	const char *op_type;
	const char *domain;     /* NULL: "" */
	struct wire *const *in; /* NULL entry: left out */
	int n_in;
	const char *const *out; /* names of the wires that it makes, which are new; NULL entry: left out */
	int n_out;
};

/* Adds a node before position `at` (graph->nodes.n: at the end). */
int graph_add_node(struct graph *g, size_t at, const struct node_spec *spec, struct node **out, struct err *e);
/* The common case: at the end, an operator of ai.onnx, one output. */
int graph_append_node(struct graph *g, const char *op_type, struct wire *const *in, int n_in, const char *out_name,
		      struct node **out, struct err *e);
int graph_remove_node(struct graph *g, struct node *n, struct err *e); /* its outputs must be unused */
/* Puts `to` in the place of `from` in nodes, subgraphs and outputs of g, and sorts; the node that makes `to` goes on
 * using `from`, so that a node can be put into a wire.  ERR_INPUT, and nothing changed, when g does not see `to` or a
 * cycle would come of it. */
int graph_replace_uses(struct graph *g, struct wire *from, struct wire *to);
int graph_rename_wire(struct wire *w, const char *name, struct err *e);
int graph_remove_dead(struct graph *g); /* nodes and initializers that no output needs; returns how many nodes went */

/* A new model with the nodes of main-graph g that lie between `from` and `to`: `from` wires become inputs (with the
 * types known), `to` wires outputs, initializers needed come along.  A graph input that is needed and not in `from` is
 * ERR_INPUT. */
int graph_extract(const struct graph *g, struct wire *const *from, size_t n_from, struct wire *const *to, size_t n_to,
		  struct model **out, struct err *e);

/* Puts graph->nodes in topological order (stable); ERR_INPUT names a node on a cycle. */
int graph_sort(struct graph *g, struct err *e);

/* Outer wires that g and its subgraphs use, each once. */
typedef int graph_capture_fn(struct wire *w, void *arg);
int graph_for_each_capture(const struct graph *g, graph_capture_fn *fn, void *arg);
/* Wires that a node reads: its inputs, and what its subgraphs capture. */
int node_for_each_read(const struct node *n, graph_capture_fn *fn, void *arg);

/* ---- attributes -------------------------------------------------------------------------------------------------- */

const struct attr *node_attr(const struct node *n, const char *name); /* NULL: absent */
int node_has(const struct node *n, const char *name);
int64_t node_int(const struct node *n, const char *name, int64_t otherwise);
double node_float(const struct node *n, const char *name, double otherwise);
const char *node_string(const struct node *n, const char *name, const char *otherwise);
/* A list of integers; *count is 0 and the result NULL when absent. */
const int64_t *node_ints(const struct node *n, const char *name, size_t *count);
const double *node_floats(const struct node *n, const char *name, size_t *count);
struct graph *node_graph(const struct node *n, const char *name); /* NULL: absent */

int node_set_int(struct node *n, const char *name, int64_t x, struct err *e);
int node_set_float(struct node *n, const char *name, double x, struct err *e);
int node_set_string(struct node *n, const char *name, const char *x, struct err *e);
int node_set_ints(struct node *n, const char *name, const int64_t *x, size_t count, struct err *e);
int node_set_floats(struct node *n, const char *name, const double *x, size_t count, struct err *e);
int node_set_strings(struct node *n, const char *name, const char *const *x, size_t count, struct err *e);
int node_set_tensor(struct node *n, const char *name, struct tensor *take, struct err *e);
int node_set_graph(struct node *n, const char *name, struct graph *g, struct err *e);
/* All attributes of a node of another model, with nothing shared; ERR_UNSUPPORTED for graphs and lists of tensors. */
int node_copy_attrs(struct node *to, const struct node *from, struct err *e);
void node_remove_attr(struct node *n, const char *name);

#endif
