/* container.h - help for operators whose inputs or outputs may be sequences or optionals, or that run subgraphs.
 *
 * Values are counted references: a function that says "new reference" leaves the caller to unref it. */
#ifndef OPS_KIT_CONTAINER_H
#define OPS_KIT_CONTAINER_H

#include "ops/call.h"

/* Caps against hostile models.  A loop that never ends and a sequence that is all bookkeeping and no data would get
 * past the cap on tensor memory. */
#define CONTROL_MAX_STEPS INT64_C(1000000) /* iterations of all loops of one run together */
#define SEQUENCE_MAX_ITEMS ((size_t)1 << 20)

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Input `in` as a value of any kind: a new reference, or NULL with the error set. */
struct value *call_value(struct call *c, int in);

/* Hands `take` to output `out` (drops it when the output is not wanted). */
int call_give(struct call *c, int out, struct value *take);

/* A new value around a tensor (its reference is taken over); NULL with the error set. */
struct value *call_wrap(struct call *c, struct tensor *take);

/* Input `in` as a sequence (borrowed), or NULL with the error set. */
struct value *call_sequence(struct call *c, int in);

/* Item i of a sequence as a wide tensor: a new reference, or NULL with the error set. */
struct tensor *call_item(struct call *c, const struct value *seq, size_t i);

/* The only element of a bool or integer tensor; call_bad when it has another count. */
int call_single(struct call *c, const struct tensor *t, const char *what, int64_t *out);

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* "tensor of t" and "sequence of tensors of t" of unknown rank, as element types.  Constants: never freed. */
const struct type *elem_tensor(enum dtype t);
const struct type *elem_sequence(enum dtype t);

void call_out_sequence(struct call *c, int out, enum dtype t);     /* of tensors of unknown shape */
void call_out_type(struct call *c, int out, const struct type *t); /* as it is */
int container_type_merge(struct type *a, const struct type *b);    /* a: what both have in common; 0: clash */
void container_type_forget_symbols(struct type *t);                /* symbols of a subgraph mean nothing outside */
void container_type_add_axis(struct type *t, int axis,
			     int64_t dim); /* puts a dimension in; an unknown rank stays unknown */

/* ---- subgraphs --------------------------------------------------------------------------------------------------- */

/* Checks that body can be called with n_in inputs and gives at least n_out outputs. */
int call_body_check(struct call *c, const struct graph *body, const char *name, size_t n_in, size_t n_out);

/* Runs body with in[0 … body->inputs.n - 1] (NULL: the initializer); out[0 … body->outputs.n - 1] are new references on
 * success, and all NULL on failure. */
int call_body_run(struct call *c, const struct graph *body, struct value *const *in, struct value **out);

/* A value as a subgraph's formal input wants it: models declare trip counts and conditions as [] or as [1], and a state
 * that starts as an optional may come back as what it holds. */
struct value *call_formal(struct call *c, const struct wire *formal, struct value *take);

/* Counts one iteration of a loop; ERR_LIMIT when a run makes too many. */
int call_step(struct call *c);

/* ---- slabs: a tensor seen along one axis ------------------------------------------------------------------------- */

/* dims = [outer…, axis, inner…]: index j of the axis is, for each o < outer, the `inner` elements from o * row + j *
 * inner on. */
struct slab {
	struct tensor *t;
	size_t outer, row, inner;
};

void slab_init(struct slab *s, struct tensor *t, int axis);

/* Copies n indices of the axis, from index `from` of src to index `at` of dst.  outer and inner must agree, dtypes too.
 */
int slab_copy(const struct slab *dst, size_t at, const struct slab *src, size_t from, size_t n, struct err *e);

/* Copies n elements between wide tensors of one dtype. */
int elements_copy(struct tensor *dst, size_t at, const struct tensor *src, size_t from, size_t n, struct err *e);

/* Zeros (strings: leaves empty) the elements of a new tensor. */
void elements_clear(struct tensor *t);

#endif
