/* tf.h - TensorFlow inside its worker: values, and a builder of operations that serves both of TensorFlow's worlds.
 *
 * A binding builds operations; it does not know whether they run at once (eager: TFE_*) or are added to a graph that a
 * session runs later (graph: TF_*, also what gradients need).  `struct tf.graph` decides.
 *
 *     struct tf_op op = tf_op(c, "Conv2D");
 *     tf_op_in(&op, x);
 *     tf_op_in(&op, filter);
 *     tf_op_ints(&op, "strides", strides, 4);
 *     tf_op_string(&op, "padding", "VALID");
 *     y = tf_op_run(&op);
 *
 * Errors are sticky: after the first failure (c->err is set) every function here does nothing and gives NULL, so a
 * binding reads as a formula and its last line, tf_out(), returns the status.  Values made during a call are released
 * when it ends; tf_out() keeps one. */
#ifndef BACKENDS_TF_TF_H
#define BACKENDS_TF_TF_H

#include "backends/bind/bind.h"
#include "backends/tf/api.h"
#include "base/map.h"
#include "base/vec.h"
#include "tensor/tensor.h"

/* A tensor of TensorFlow.  It starts as a literal (bytes), an eager handle or an output in the graph, and becomes the
 * others when they are first asked for. */
struct tf_value {
	int refs;
	enum dtype dtype;
	int rank;                      /* -1: not known (graph) */
	int64_t dims[TENSOR_MAX_RANK]; /* -1: not known (graph) */
	struct TF_Tensor *literal;
	struct TFE_TensorHandle *eager;
	struct TF_Output output; /* in the graph that was the `generation`-th */
	size_t generation;       /* 0: in none */
	int is_input;            /* becomes a Placeholder, not a Const, when it enters the graph */
};

enum tf_mode { TF_EAGER, TF_GRAPH, TF_NOOPT, TF_PIPELINE };

/* The open library. */
struct tf {
	struct tf_api api;
	struct TF_STATUS *status;
	struct TFE_Context *eager;
	enum tf_mode mode;              /* what sessions use unless they say otherwise */
	int saved;                      /* operations of INVOKE go through a GraphDef */
	struct map singles;             /* graphs of single operations, by call (single.c) */
	struct TF_Graph *graph;         /* where operations go; NULL: they run at once */
	size_t generation, generations; /* number of the graph (values outlive it), and how many there were */
	size_t next_name;               /* of operations in the graph */
	int read_input;                 /* building has read the value of a graph input: the graph holds for it alone */
	VEC(struct tf_value *) temps;   /* made in the running call */
	int in_call;
	struct record *record;  /* (optional) where runs are written down */
	struct map definitions; /* struct tf_definition by operation; read when the first is asked for */
	int as_python;          /* single operations are run as Python's package runs them */
	struct arena definitions_arena;
};

/* ---- the library (value.c) ------------------------------------------------------------------------------------ */

/* 0 when the last call went well; else the status that the library's code means, with its message. */
int tf_check(struct tf *t, const char *doing, struct err *e);

unsigned tf_type_code(enum dtype t);         /* TensorFlow's number; 0: it has no such type, or it is not bound */
enum dtype tf_type_from_code(unsigned code); /* DT_UNDEFINED: not bound */

struct tf_value *tf_value_from_tensor(struct tf *t, const struct tensor *packed, struct err *e);
struct tf_value *tf_value_from_handle(struct tf *t, struct TFE_TensorHandle *take, struct err *e);
struct tf_value *tf_value_from_output(struct tf *t, struct TF_Output output, struct err *e);
int tf_value_to_tensor(struct tf *t, struct tf_value *v, struct tensor **packed, struct err *e);
int tf_tensor_from_literal(struct tf *t, const struct TF_Tensor *l, struct tensor **packed, struct err *e);
struct TFE_TensorHandle *tf_value_handle(struct tf *t, struct tf_value *v, struct err *e); /* borrowed */
int tf_value_output(struct tf *t, struct tf_value *v, struct TF_Output *out, struct err *e);
void tf_value_release(struct tf *t, struct tf_value *v); /* NULL is fine */

/* Where operations are written down: what is added to a graph is not, see graph.c. */
struct record *tf_record(const struct tf *t);

/* ---- building (build.c) --------------------------------------------------------------------------------------- */

struct tf_op {
	struct bind_call *c;
	struct tf *t;
	const char *name;
	struct TFE_Op *eager;
	struct TF_OperationDescription *graph;
};

struct tf_op tf_op(struct bind_call *c, const char *name);
void tf_op_in(struct tf_op *op, struct tf_value *v);
void tf_op_in_list(struct tf_op *op, struct tf_value *const *v, int n);
void tf_op_int(struct tf_op *op, const char *attr, int64_t x);
void tf_op_float(struct tf_op *op, const char *attr, double x);
void tf_op_bool(struct tf_op *op, const char *attr, int x);
void tf_op_string(struct tf_op *op, const char *attr, const char *x);
void tf_op_type(struct tf_op *op, const char *attr, enum dtype x);
void tf_op_ints(struct tf_op *op, const char *attr, const int64_t *x, int n);
struct tf_value *tf_op_run(struct tf_op *op);                        /* the first output */
void tf_op_run_many(struct tf_op *op, struct tf_value **out, int n); /* the first n of all outputs */

#define TF_MAX_OUTPUTS 256

/* ---- for bindings (say.c) ------------------------------------------------------------------------------------- */

struct tf *tf_of(const struct bind_call *c);
int tf_failed(const struct bind_call *c);
int tf_has(const struct bind_call *c, int i);
struct tf_value *tf_in(struct bind_call *c, int i); /* NULL and an error when it is not there */
int tf_out(struct bind_call *c, int i, struct tf_value *v);
/* The value of input i, wide, alive during the call; NULL: not known when the graph is built (ERR_UNSUPPORTED). */
const struct tensor *tf_known(struct bind_call *c, int i);
/* A list of integers from attribute or input; found as in bind_ints(). */
int tf_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, size_t *n, int *found);
int tf_axis(struct bind_call *c, int64_t axis, int rank, int *out);
int tf_static(struct bind_call *c, const struct tf_value *v); /* 0, or unsupported: a dimension is not known */

struct tf_value *tf_1(struct bind_call *c, const char *op, struct tf_value *x);
struct tf_value *tf_2(struct bind_call *c, const char *op, struct tf_value *a, struct tf_value *b);
struct tf_value *tf_3(struct bind_call *c, const char *op, struct tf_value *a, struct tf_value *b, struct tf_value *d);

struct tf_value *tf_constant(struct bind_call *c, struct tensor *take); /* of a wide or packed tensor; NULL: failed */
struct tf_value *tf_scalar(struct bind_call *c, enum dtype t, double x);
struct tf_value *tf_list(struct bind_call *c, const int64_t *x, int n); /* int32[n] */
struct tf_value *tf_reshape(struct bind_call *c, struct tf_value *x, int rank, const int64_t *dims);
struct tf_value *tf_transpose(struct bind_call *c, struct tf_value *x, const int *perm);
struct tf_value *tf_cast(struct bind_call *c, struct tf_value *x, enum dtype t);
struct tf_value *tf_slice(struct bind_call *c, struct tf_value *x, const int64_t *begin, const int64_t *size);
struct tf_value *tf_concat(struct bind_call *c, struct tf_value *const *v, int n, int axis);
struct tf_value *tf_pad(struct bind_call *c, struct tf_value *x, const int64_t *before, const int64_t *after,
			double value);
struct tf_value *tf_reduce(struct bind_call *c, const char *op, struct tf_value *x, const int64_t *axes, int n,
			   int keep);
struct tf_value *tf_fill(struct bind_call *c, enum dtype t, int rank, const int64_t *dims, double x);

/* ---- what older versions lack (older.c) ----------------------------------------------------------------------- */

/* The operation's name in this version: one that it replaced stands for it where the version has that one alone. */
const char *tf_name_here(struct tf *t, const char *name);
int tf_before(struct tf *t, long major, long minor); /* an older version than major.minor */
int tf_lacks(struct tf *t, const char *name);
struct tf_value *tf_broadcast(struct bind_call *c, struct tf_value *x, int rank, const int64_t *dims);
struct tf_value *tf_select(struct bind_call *c, struct tf_value *which, struct tf_value *a, struct tf_value *b);
struct tf_value *tf_batch_product(struct bind_call *c, struct tf_value *a, struct tf_value *b); /* of matrices */

/* Channels last and back: (N, C, d1 …) ↔ (N, d1 …, C). */
struct tf_value *tf_to_last(struct bind_call *c, struct tf_value *x);
struct tf_value *tf_to_first(struct bind_call *c, struct tf_value *x);

/* ---- the bindings (bindings.c) -------------------------------------------------------------------------------- */

extern const struct binding tf_rows_elementwise[], tf_rows_activation[], tf_rows_conv[], tf_rows_pool[], tf_rows_norm[],
	tf_rows_linear[], tf_rows_shape[], tf_rows_index[], tf_rows_pad[], tf_rows_reduce[], tf_rows_recurrent[],
	tf_rows_resize[], tf_rows_optimizer[];

extern const struct bind_library tf_library;

/* ---- what only the backend uses ---------------------------------------------------------------------------------- */

/* ConfigProto of a mode: one thread; TF_GRAPH: graphs of any size are optimized; TF_NOOPT: none is. */
const void *tf_config(enum tf_mode mode, size_t *n);

int tf_session_start(struct tf *t, struct TF_Graph *graph, enum tf_mode mode, struct TF_Session **out, struct err *e);
void tf_session_close(struct tf *t, struct TF_Session *session); /* NULL is fine */

struct tf_graph; /* graph.c, gradient.c: a model as a graph and its session */
int tf_graph_open(struct tf *t, struct bind_session *s, enum tf_mode mode, struct tf_graph **out, struct err *e);
void tf_graph_close(struct tf_graph *g);
int tf_graph_run(struct tf_graph *g, const struct backend_run *q, struct value **out, struct err *e);
int tf_graph_backward(struct tf_graph *g, const struct backend_gradient *q, struct tensor **grads, struct err *e);

/* What is derived: outputs, and the gradient that each is given. */
struct tf_derived {
	struct TF_Output y[TF_MAX_OUTPUTS], dy[TF_MAX_OUTPUTS];
	size_t n;
};

/* Gradients of Σ dy · y with respect to x, all in t->graph, which needs no input; grads[i] is NULL where no y depends
 * on x[i]. */
int tf_graph_derive(struct tf *t, struct tf_derived *of, struct TF_Output *x, size_t n_x, struct tensor **grads,
		    struct err *e);

#endif
