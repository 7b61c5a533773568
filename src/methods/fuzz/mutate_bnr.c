/* mutate_bnr.c - block nodes removal: one operator of a subgraph goes, and its edges with it. */
#include "methods/fuzz/mutations.h"

static void remove_operator(struct fuzz_subgraph *s, double rate, struct rng *r)
{
	int which, kept = 0;

	if (rng_unit(r) >= rate || s->n < 2)
		return;
	which = (int)rng_below(r, (uint64_t)s->n);
	for (int i = 0; i < s->n_edges; i++) {
		if (s->from[i] == which || s->to[i] == which)
			continue;
		s->from[kept] = s->from[i] - (s->from[i] > which);
		s->to[kept++] = s->to[i] - (s->to[i] > which);
	}
	s->n_edges = kept;
	s->n--;
	for (int i = which; i < s->n; i++)
		s->ops[i] = s->ops[i + 1];
}

const struct mutation mutation_bnr = {.summary = "block nodes removal", .subgraph = remove_operator};
