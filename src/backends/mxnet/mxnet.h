/* mxnet.h - what the files of the MXNet backend share.
 *
 * The library lies in lib/libmxnet.so of its folder, with the shared libraries of its wheel beside it.  Handles are
 * NDArrays.  A binding calls operations by name with parameters written as text, as MXNet itself takes them:
 *
 *     y = mx_op(c, "Pooling", 1, &x, "pool_type=max;kernel=%s", mx_tuple(c, kernel, n));
 *     return mx_give(c, 0, y);
 *
 * Results belong to the call until they are given: whatever is left over is freed when the binding returns, so that
 * nothing is to be undone on failure.  mx_op() takes NULL inputs as "an earlier operation failed" and passes that on.
 */
#ifndef BACKENDS_MXNET_MXNET_H
#define BACKENDS_MXNET_MXNET_H

#include "backends/bind/bind.h"
#include "backends/mxnet/api.h"
#include "base/map.h"
#include "worker/backend.h"

/* mode=symbolic, symbol.c: what was written down of a run. */
struct mx_seen {
	void *array, *symbol; /* the symbol that stands for an array */
};

struct mx_variable {
	char name[24];
	void *array;
};

struct mx {
	void *library;
	struct mx_api api;
	char version[32];
	struct map creators;               /* name → operation */
	VEC(void *) temporary;             /* results of the binding that runs now */
	int recording;                     /* autograd is on */
	struct backend_names wanted;       /* while recording: what gradients are wanted of */
	int symbolic;                      /* mode=symbolic */
	int saved;                         /* graphs are written as JSON and read again */
	int tracing;                       /* operations are written down */
	VEC(struct mx_seen) seen;          /* arrays of the run that have symbols */
	VEC(struct mx_variable) variables; /* arrays that no operation made */
	VEC(void *) symbols;               /* all of them, to be freed */
	struct record *record;             /* (optional) where runs are written down */
};

extern const struct binding mx_rows_unary[], mx_rows_binary[], mx_rows_shape[], mx_rows_window[], mx_rows_product[],
	mx_rows_norm[], mx_rows_reduce[], mx_rows_index[], mx_rows_make[], mx_rows_recurrent[], mx_rows_optimizer[];

extern const struct bind_library mx_library;

/* ---- the library ------------------------------------------------------------------------------------------------- */

int mx_open(const char *folder, int threads, struct mx **out, struct err *e);
void mx_close(struct mx *mx);

/* Turns a failed call's reason into a status. */
int mx_fail(struct mx *mx, const char *doing, struct err *e);

const char *mx_dtype_name(enum dtype t); /* as parameters name it; NULL: MXNet has no such type */

void *mx_from_tensor(void *ctx, const struct tensor *packed, struct err *e);
int mx_to_tensor(void *ctx, void *array, struct tensor **packed, struct err *e);
int mx_shape(void *ctx, void *array, enum dtype *t, int *rank, int64_t *dims, struct err *e);
void *mx_retain(void *ctx, void *array);
void mx_release(void *ctx, void *array);

/* One operation on arrays, all borrowed. */
struct mx_invocation {
	const char *op;
	int n_in;
	void *const *in;
	size_t n_params;
	const char **keys, **values; /* its parameters, as text */
	int n_states;                /* so many of its last inputs it changes: results, too, behind the others */
};

/* Invokes an operation: at most `most` outputs are put in out (others are freed), *n_out is how many there were. */
int mx_invoke(struct mx *mx, const struct mx_invocation *v, void **out, int most, int *n_out, struct err *e);

/* Autograd: mark variables (each gets an array for its gradient), record what is run on them, then ask for the
 * gradients of Σ seeds · outputs; one that no output depends on is 0. */
int mx_mark(struct mx *mx, void *array, void **gradient, struct err *e);
int mx_gradient(struct mx *mx, void *gradient, struct tensor **packed, struct err *e);
int mx_record(struct mx *mx, int on, struct err *e);
int mx_backward(struct mx *mx, void **outputs, void **seeds, size_t n, struct err *e);

/* Writing operations down, and running them as one graph in place of arrays that the run gave.  alias and forget keep
 * count of handles; all do nothing while no trace is begun. */
void mx_trace_begin(struct mx *mx);
void mx_trace_end(struct mx *mx);
void mx_trace_alias(struct mx *mx, void *array, void *copy);
void mx_trace_forget(struct mx *mx, const void *array);
int mx_trace_op(struct mx *mx, void *creator, const struct mx_invocation *v, void **out, int n_out, struct err *e);
int mx_trace_run(struct mx *mx, void **arrays, size_t n, struct err *e);

/* ---- for bindings ------------------------------------------------------------------------------------------------ */

#define MX_MAX_PARAMS 20

/* The first output of an operation, or NULL with the error set.  Parameters: "key=value;key=value". */
void *mx_op(struct bind_call *c, const char *op, int n_in, void *const *in, const char *params, ...)
	__attribute__((format(printf, 5, 6)));
/* All n outputs of *v, which gets its parameters here. */
int mx_ops(struct bind_call *c, const struct mx_invocation *v, void **out, int n, const char *params, ...)
	__attribute__((format(printf, 5, 6)));

/* Shorter forms. */
void *mx_op1(struct bind_call *c, const char *op, void *a);
void *mx_op2(struct bind_call *c, const char *op, void *a, void *b);
void *mx_scalar(struct bind_call *c, const char *op, void *a, double scalar); /* "_mul_scalar" and its kin */

void *mx_cast(struct bind_call *c, void *a, enum dtype t);
void *mx_reshape(struct bind_call *c, void *a, int rank, const int64_t *dims);
void *mx_broadcast(struct bind_call *c, void *a, int rank, const int64_t *dims); /* to a shape it fits */
void *mx_transpose(struct bind_call *c, void *a, int rank, const int64_t *order);
void *mx_concat(struct bind_call *c, int n, void *const *parts, int axis);
void *mx_full(struct bind_call *c, enum dtype t, int rank, const int64_t *dims, double value);
void *mx_slice(struct bind_call *c, void *a, int axis, int64_t begin, int64_t end); /* [begin, end) of one axis */
void *mx_reverse(struct bind_call *c, void *a, int axis);
/* Where condition (bool), x, else y: all of one shape. */
void *mx_where(struct bind_call *c, void *condition, void *x, void *y);
/* Adds begin[i] and end[i] elements of `value` to axis i (negative: takes away) of a, which is of type t. */
void *mx_pad(struct bind_call *c, void *a, const struct type *t, const int64_t *begin, const int64_t *end,
	     double value);

/* Makes a the output i of the node; passes on an error when a is NULL. */
int mx_give(struct bind_call *c, int i, void *a);

/* "(2,3)", "(2,)", "()" in the call's scratch. */
const char *mx_tuple(struct bind_call *c, const int64_t *x, size_t n);

/* Type of output i: NULL with ERR_UNSUPPORTED when it is not static. */
const struct type *mx_out_type(struct bind_call *c, int i);

/* ERR_UNSUPPORTED when gradients are recorded and one of input i, which has none here, is or may be wanted. */
int mx_refuse_gradient(struct bind_call *c, int i);

/* The value of input i as one number, where it becomes a parameter, which has no gradient. */
int mx_number(struct bind_call *c, int i, double *out);

/* ERR_UNSUPPORTED unless input 0 has one of the types. */
int mx_only(struct bind_call *c, uint32_t types);

#endif
