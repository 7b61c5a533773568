/* build.h - making a model in code, without a check after every line.
 *
 *     struct build b;
 *     struct wire *x;
 *
 *     build_begin(&b, 17, seed, &e);
 *     x = build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){1, 4});
 *     x = build_op(&b, "Relu", "y", x, NULL);
 *     build_output(&b, x);
 *     return build_end(&b, &model);
 *
 * The first failure sticks: what follows does nothing and gives NULL, and build_end() returns it. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "base/rng.h"
#include "model/model.h"

struct build {
	struct model *model;
	struct graph *graph;
	struct rng rng;    /* of random weights */
	struct node *last; /* the node that the last build_op() made: what build_ints() … set attributes of */
	int rc;
	struct err *err;
};

void build_begin(struct build *b, int opset, uint64_t seed, struct err *e);
/* Gives the model, or frees it and returns the first failure. */
int build_end(struct build *b, struct model **out);

struct wire *build_input(struct build *b, const char *name, enum dtype t, int rank, const int64_t *dims);
void build_output(struct build *b, struct wire *w);

/* Initializers: given numbers, all the same, normally distributed with a standard deviation, uniform.  Random ones
 * depend on the seed and their name only, not on the order in which a network is built. */
struct wire *build_floats(struct build *b, const char *name, int rank, const int64_t *dims, const double *x);
struct wire *build_ints64(struct build *b, const char *name, size_t n, const int64_t *x); /* a vector */
struct wire *build_fill(struct build *b, const char *name, int rank, const int64_t *dims, double x);
struct wire *build_normal(struct build *b, const char *name, int rank, const int64_t *dims, double deviation);
struct wire *build_uniform(struct build *b, const char *name, int rank, const int64_t *dims, double lo, double hi);

/* A node with one output named `out`; inputs up to NULL.  Node and output share the name.  build_op_n() takes an array
 * in which NULL is an input left out, and makes outputs only where `outs` has a name; it gives the node. */
struct wire *build_op(struct build *b, const char *op, const char *out, ...) __attribute__((sentinel));
struct node *build_op_n(struct build *b, const char *op, const char *name, struct wire *const *in, int n_in,
			const char *const *outs, int n_out);

/* Attributes of the node made last. */
void build_int(struct build *b, const char *name, int64_t x);
void build_float(struct build *b, const char *name, double x);
void build_string(struct build *b, const char *name, const char *x);
void build_ints(struct build *b, const char *name, const int64_t *x, size_t n);

/* "prefix.suffix" that lives as long as the model; never NULL. */
const char *build_name(struct build *b, const char *prefix, const char *suffix);

#endif
