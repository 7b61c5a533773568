/* pool_plan.h - walking the windows of a pool, a row of outputs at a time.
 *
 * The input [N, C, D1 … Dn] is N * C planes.  A row is the outputs along the last axis; the windows of a row cover the
 * same few rows of the input plane, so that what is done for an element is only adding and comparing: no division, no
 * index arithmetic over n axes. */
#ifndef OPS_POOL_POOL_PLAN_H
#define OPS_POOL_POOL_PLAN_H

#include "ops/call.h"
#include "ops/kit/spatial.h"

struct pool {
	struct spatial s;
	size_t planes, in_plane, out_plane; /* planes; elements of one in the input and in the output */
	int64_t *first, *count, *padded;    /* of pool_row */
	size_t rows;                        /* most input rows under a window */
};

struct pool_row {
	size_t in;            /* index in X of the plane's first element */
	size_t out;           /* index in Y of the row's first element */
	int64_t width;        /* outputs in the row */
	const int64_t *start; /* [n_start] offsets, in the plane, of the input rows under the windows */
	size_t n_start;
	const int64_t *first;  /* [width] first column inside the input, */
	const int64_t *count;  /* [width] how many columns are, */
	int64_t step;          /* and how far they are apart */
	const int64_t *padded; /* [width] columns inside the input or its padding */
	int64_t padded_rows;   /* rows inside the input or its padding */
};

typedef void pool_row_fn(const struct pool_row *row, void *arg);

/* Output type of a pool with windows, for outputs 0 … n_out - 1. */
int pool_infer(struct call *c);
/* The same for a pool over whole planes. */
int pool_global_infer(struct call *c);

/* Plans a walk over X of the call; `global`: one window a plane. */
int pool_plan(struct call *c, struct pool *p, int global);
/* Threads share the planes. */
int pool_walk(struct call *c, const struct pool *p, pool_row_fn *fn, void *arg);

/* A rule of the pools: a window with nothing in it but padding, or that begins in the padding at the end. */
int pool_window_outside(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

/* A window with nothing in it but padding, which does not count (r->attr: unless that attribute says so). */
int pool_window_empty(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

#endif
