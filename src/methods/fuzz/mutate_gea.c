/* mutate_gea.c - graph edges addition: ⌈n · rate⌉ edges more, n the number of nodes. */
#include <math.h>

#include "methods/fuzz/mutations.h"

static void add_edges(struct digraph *g, double rate, struct rng *r)
{
	int wanted = (int)ceil(g->n * rate);

	for (int tries = 8 * wanted; g->n > 1 && wanted > 0 && tries > 0; tries--) {
		int from = (int)rng_below(r, (uint64_t)g->n - 1), to = (int)rng_between(r, from + 1, g->n - 1);

		wanted -= !g->edge[from][to];
		g->edge[from][to] = 1;
	}
}

const struct mutation mutation_gea = {.summary = "graph edges addition", .graph = add_edges};
