/* mutate_bna.c - block nodes addition: one operator of a subgraph is there twice, with the same edges. */
#include "methods/fuzz/mutations.h"

static void duplicate_operator(struct fuzz_subgraph *s, double rate, struct rng *r)
{
	int which, edges = s->n_edges;

	if (rng_unit(r) >= rate || s->n < 2 || s->n >= FUZZ_MAX_INNER)
		return;
	which = (int)rng_below(r, (uint64_t)s->n - 1); /* not the last, which joins the others */
	s->ops[s->n] = s->ops[which];
	for (int i = 0; i < edges && s->n_edges < FUZZ_MAX_EDGES; i++) {
		if (s->from[i] != which && s->to[i] != which)
			continue;
		s->from[s->n_edges] = s->from[i] == which ? s->n : s->from[i];
		s->to[s->n_edges++] = s->to[i] == which ? s->n : s->to[i];
	}
	s->n++;
}

const struct mutation mutation_bna = {.summary = "block nodes addition", .subgraph = duplicate_operator};
