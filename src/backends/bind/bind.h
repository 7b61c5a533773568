/* bind.h - an ONNX graph on a library that does not read ONNX.
 *
 * A binding table says, for each ONNX operator, how to say it with the library's own operations, attributes and
 * layouts: exactly, or not at all.  A binding never approximates: what cannot be expressed returns ERR_UNSUPPORTED with
 * the reason.  The driver here walks the graph in order, node by node, with values as handles of the library.
 *
 * What only speaks of shapes (Shape, Size, constants, and integer arithmetic on nothing but those) is computed by the
 * driver with the reference's own operators, so that a Reshape finds its shape known when it is called.  Whatever
 * depends on the data of a graph input, and every operator on floats, runs in the library. */
#ifndef BACKENDS_BIND_BIND_H
#define BACKENDS_BIND_BIND_H

#include "ops/call.h"
#include "worker/backend.h"

struct bind_library;
struct record;

/* One node about to be run. */
struct bind_call {
	const struct node *node;
	const struct binding *row;
	int version; /* since-version that the node's opset selects */
	void *ctx;   /* the library's */
	const struct bind_library *library;
	void **in; /* handles; NULL: left out */
	int n_in;
	void **out; /* to be filled with new handles */
	int n_out;
	/* Values that are known without asking the library: initializers and what was computed from shapes; wide,
	 * NULL: not known.  Axes, pads, repeats and the like are read here. */
	struct tensor **known;
	/* The same node as the reference sees it: element types and shapes of inputs (in_type) and outputs (out_type),
	 * `known` as its inputs.  The helpers of operators (ops/call.h, ops/spatial.h) work on it. */
	struct call *call;
	struct arena *tmp; /* scratch of this call */
	struct err *err;
};

/* One ONNX operator: a row at the end of its family's file, in `<library>_rows_<family>[]`, which ends with {0}. */
struct binding {
	const char *op; /* "Conv"; of another domain "ai.onnx.ml:Scaler" */
	int (*run)(struct bind_call *c);
	const char *native; /* the library's operation, or whatever `run` makes of c->row->native; may be NULL */
};

/* What the driver needs of a library. */
struct bind_library {
	const struct binding *const *families; /* up to NULL */
	/* (optional) c->row->run(c), and what the library needs before and after every binding. */
	int (*call)(struct bind_call *c);
	void *(*from_tensor)(void *ctx, const struct tensor *packed, struct err *e); /* NULL on failure */
	int (*to_tensor)(void *ctx, void *handle, struct tensor **packed, struct err *e);
	void *(*retain)(void *ctx, void *handle); /* one more reference */
	void (*release)(void *ctx, void *handle);
	/* (optional) shape and type of a handle as the library has it, at most TENSOR_MAX_RANK dimensions.  NULL: what
	 * inference says is taken for it. */
	int (*shape)(void *ctx, void *handle, enum dtype *t, int *rank, int64_t *dims, struct err *e);
	/* (optional) where runs are written down, see record.h; it gives NULL: nowhere. */
	struct record *(*record)(void *ctx);
};

/* A model prepared for many runs. */
struct bind_session;

/* ERR_UNSUPPORTED names the first operator without a binding.  The options of `m` are not looked at. */
int bind_open(const struct bind_library *l, void *ctx, const struct backend_model *m, struct bind_session **out,
	      struct err *e);
void bind_close(struct bind_session *s);
size_t bind_outputs(const struct bind_session *s, const char *const **names);
const struct model *bind_model(const struct bind_session *s);

/* `unload` and `outputs` of struct backend where a session is a bind_session. */
void bind_unload(void *ctx, void *session);
size_t bind_session_outputs(void *session, const char *const **names);

/* Runs; out[i] are handles for wanted.at[i], which the caller releases.  `watch`, when not NULL, sees the handle of
 * every graph input and initializer right after it was made (to mark what gradients are wanted of). */
typedef int bind_watch(void *arg, const struct wire *w, void *handle, struct err *e);
int bind_run(struct bind_session *s, const struct backend_run *q, void **out, bind_watch *watch, void *watch_arg,
	     struct err *e);

/* The values of n handles, copied out of the library; the handles are released in any case.  On failure no value is
 * left. */
int bind_take_values(const struct bind_session *s, void *const *handles, size_t n, struct value **out, struct err *e);

/* Names of all bound operators for HELLO ("Conv", "ai.onnx.ml:Scaler"), NULL-terminated; made once, never freed. */
const char *const *bind_operators(const struct bind_library *l);

/* Helpers for bindings. */
/* The row of a table, or NULL. */
const struct binding *bind_find(const struct bind_library *l, const char *domain, const char *op);
/* True when input i is there. */
int bind_has(const struct bind_call *c, int i);
/* Shape and element type of input i: NULL, with ERR_UNSUPPORTED set, when it is not there or not static. */
const struct type *bind_type(struct bind_call *c, int i);
/* The value of input i: what is known, else what the library has computed for it (to_tensor); borrowed, wide.  NULL on
 * failure. */
const struct tensor *bind_known(struct bind_call *c, int i);
int bind_unsupported(struct bind_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A list of integers from an attribute (old versions) or an input (new ones), as bind_known() tells it: found 1, absent
 * 0; either may be left out with NULL and -1. */
int bind_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, size_t *n, int *found);

#endif
