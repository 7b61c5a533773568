/* internal.h - what the files of mixed execution share. */
#ifndef METHODS_SWAP_INTERNAL_H
#define METHODS_SWAP_INTERNAL_H

#include "base/vec.h"
#include "blame/cut.h"
#include "methods/swap/mixed.h"

/* An interval of nodes on one backend, prepared and kept. */
struct segment {
	size_t party;
	size_t first, n; /* nodes of the main graph */
	struct cut cut;
	struct trial part;      /* without a model: nobody reads what the nodes make */
	struct wire **grads_of; /* by part.grad_wires: the same wires in the whole network */
	uint64_t session;
	int loaded;
	size_t used; /* when it was last run, for forgetting the oldest */
};

struct mixed {
	struct trial *t;
	struct party *const *parties;
	size_t n_parties;
	int gradients;
	size_t *binding;      /* by node index */
	unsigned char *kinds; /* of wires, see cut.h; constants that gradients flow through count as data */
	unsigned char *flow;  /* by wire id: gradients flow through it */
	struct states known;  /* the reference's tensors */
	VEC(struct segment *) cache;
	VEC(struct segment *) plan; /* segments in the order they run; borrowed from the cache */
	int planned;                /* plan belongs to the binding */
	size_t clock;
	struct value **values; /* of a run, by wire id */
	struct tensor **sums;  /* of a way back, by wire id: wide */
};

/* Makes m->plan; sessions that are no part of it may be given back. */
int mixed_plan(struct mixed *m, struct err *e);

#endif
