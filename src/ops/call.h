/* call.h - helpers for the files of operators. */
#ifndef OPS_CALL_H
#define OPS_CALL_H

#include "ops/attr.h"

/* Errors: set c->err and return the status.  The driver puts file, node and operator in front. */
int call_bad(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* ERR_INPUT */
/* Notes that the node breaks the rules of ONNX in a way that libraries take: see model_complain(). */
int call_complain(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int call_unsupported(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* ERR_UNSUPPORTED */
int call_nomem(struct call *c, size_t bytes);

/* Scratch of n zeroed items of `size` bytes, or NULL with the error set. */
void *call_scratch(struct call *c, size_t n, size_t size);

/* True when input i is there (in infer: even if its value is not known). */
int call_has(const struct call *c, int i);
int call_wants(const struct call *c, int out); /* output `out` is wanted */

/* Input i's dims when it is a tensor of known rank, else NULL. */
const struct type *call_shape(const struct call *c, int i);

/* Makes axis >= 0 and checks it against [-rank, rank); call_bad otherwise. */
int call_axis(struct call *c, int64_t axis, int rank, int *out);

enum ints_found {
	INTS_ABSENT,
	INTS_GIVEN,  /* *list and *n are set: borrowed, valid during the call */
	INTS_UNKNOWN /* the input is there, but its value is not known yet: static inference */
};

/* A list of integers that is attribute `attr` in old versions and input `input` in new ones (input < 0 or attr NULL:
 * only the other). */
int call_ints(struct call *c, const char *attr, int input, const int64_t **list, size_t *n, enum ints_found *found);

/* Sets the type of an output. */
void call_out(struct call *c, int out, enum dtype t, int rank, const int64_t *dims);
void call_out_like(struct call *c, int out, int in);                 /* dtype and shape of input `in` */
void call_out_shape_of(struct call *c, int out, int in);             /* shape only, dtype as preset */
void call_out_rank(struct call *c, int out, enum dtype t, int rank); /* all dimensions unknown; rank -1: unknown */

/* ONNX (numpy) broadcasting of shapes with unknown and symbolic dimensions; call_bad when they do not fit. */
int call_broadcast(struct call *c, int out, const int *inputs, int n);

/* eval of OP_OWN_OUTPUTS operators. */
struct tensor *call_alloc(struct call *c, int out, enum dtype t, int rank, const int64_t *dims); /* sets c->out[out] */
int call_alias(struct call *c, int out, int in, int rank, const int64_t *dims); /* c->out[out] = view of c->in[in] */

/* Whether all outputs are tensors without elements: there is nothing to compute.  Loops over the other dimensions,
 * which may be as long as any number, are best not begun. */
int call_is_empty(const struct call *c);
/* op->eval, where there is something to compute. */
int call_eval(struct call *c);

/* What one evaluation costs, from types alone, in multiplications of a product, of which a core does some 10^10 a
 * second. Known before anything is allocated or computed. */
double call_work(const struct call *c);
/* Elements of a tensor type whose dimensions are known; 0: they are not. */
double call_elements(const struct type *t);

/* Product of dims[from … to-1]. */
size_t dims_product(const int64_t *dims, int from, int to);

/* Row-major strides in elements. */
void dims_strides(int rank, const int64_t *dims, int64_t *strides);

/* A number on the way to the result, a sum of squares say, as a library holds it that computes in type t,
 * or in float32 where that is wider: which a library can do. */
double call_held(const struct call *c, enum dtype t, double x);

/* infer functions that many operators share. */
int same_infer(struct call *c);      /* output 0 like input 0 */
int broadcast_infer(struct call *c); /* output 0: broadcast of all inputs, dtype as preset */

#endif
