/* th.h - PyTorch's operators, called from C by the bindings.
 *
 * A binding is written as an expression of operators:
 *
 *     void *squares = th_op(c, "mul.Tensor", "tt", x, x);
 *     return th_give(c, th_op(c, "sqrt", "t", th_op(c, "sum", "t", squares)));
 *
 * Errors stick: once c->err is set every th_op() does nothing and gives NULL, and th_give() and th_done() return the
 * status. Handles made on the way belong to the call and are released when it ends; only what was given as an output
 * stays. */
#ifndef BACKENDS_TORCH_TH_H
#define BACKENDS_TORCH_TH_H

#include "backends/bind/bind.h"
#include "backends/torch/shim.h"
#include "base/map.h"
#include "base/vec.h"
#include "ops/kit/spatial.h"

struct torch_api {
#define X(result, name, arguments) result(*name) arguments;
	TORCH_FUNCTIONS(X)
#undef X
};

/* The opened library: the context of the backend and of every binding. */
struct th {
	struct torch_api api;
	VEC(void *) handles;   /* of the binding that runs now */
	int jit;               /* runs are recorded, compiled and run again; INVOKE runs a program of one operator */
	int saved;             /* such a program is written and read again first */
	struct map programs;   /* of INVOKE, by call */
	struct record *record; /* (optional) where runs are written down */
	int training;          /* gradients are taken of this run, which cuDNN's recurrent layers must be told */
};

struct th_shape {
	enum dtype dtype;
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
};

#define TH_SPATIAL_MAX 3 /* axes that PyTorch's convolutions and pools know */

/* What the shim says of its last failure, as a status and a message. */
int th_failed(const struct th *th, const char *doing, struct err *e);

/* Calls an operator.  A letter for each argument: t tensor (NULL: None), i int, l int64_t, f double, b int as bool,
 * s text, d dtype (enum dtype), I const int64_t * and int count, T void *const * and int count, n None, - the
 * schema's default. Arguments that are left out at the end have their default.  The result is the first one. */
void *th_op(struct bind_call *c, const char *op, const char *format, ...);
/* The same for several results (those of a list one after the other): 0, or a negative status. */
int th_ops(struct bind_call *c, const char *op, void **out, int n_out, const char *format, ...);

/* Output `i` becomes t; th_done gives the status of a binding, th_give does both for output 0. */
void th_out(struct bind_call *c, int i, void *t);
int th_done(struct bind_call *c);
int th_give(struct bind_call *c, void *t);

/* Output i is there and wanted. */
int th_wants(const struct bind_call *c, int i);

int th_shape(struct bind_call *c, void *t, struct th_shape *s);
int th_axis(struct bind_call *c, int64_t axis, int rank, int *out); /* makes it >= 0 and checks it */

/* Input i as the call's own input: NULL when left out. */
void *th_in(const struct bind_call *c, int i);
/* As bind_ints, with a plain count. */
int th_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, int *n, int *found);
/* A whole number from input i (rank 0 or one element), or `otherwise` when left out. */
int64_t th_int(struct bind_call *c, int input, int64_t otherwise);

/* New tensors: integers from here, and one number as a rank-0 tensor. */
void *th_index(struct bind_call *c, const int64_t *list, int rank, const int64_t *dims);
void *th_number(struct bind_call *c, enum dtype t, double x);

void *th_cast(struct bind_call *c, void *t, enum dtype to);
void *th_reshape(struct bind_call *c, void *t, const int64_t *dims, int rank);
/* t with `before` and `after` elements of `x` added to its last n axes (negative: taken away). */
void *th_pad(struct bind_call *c, void *t, const int64_t *before, const int64_t *after, int n, double x);
void *th_slice(struct bind_call *c, void *t, int axis, int64_t start, int64_t end, int64_t step);
/* Adds to negative indices the size of the axis they count from. */
void *th_positive(struct bind_call *c, void *index, int64_t size);
void *th_like(struct bind_call *c, void *t, double x); /* t's shape and dtype, filled */

/* kernel_shape, strides, pads, dilations, auto_pad of the node, by ONNX's rules; `kernel` as in spatial_init. */
int th_spatial(struct bind_call *c, struct spatial *s, int n, const int64_t *in, const int64_t *kernel, int ceil_mode);
int th_is_zero(const int64_t *x, int n);

extern const struct binding th_rows_activation[], th_rows_conv[], th_rows_elementwise[], th_rows_gather[],
	th_rows_linear[], th_rows_norm[], th_rows_optimizer[], th_rows_patches[], th_rows_pool[], th_rows_recurrent[],
	th_rows_reduce[], th_rows_resize[], th_rows_shape[], th_rows_spectral[];

extern const struct bind_library th_library;

#endif
