/* mutate_ger.c - graph edges removal: ⌊n · rate⌋ edges fewer, n the number of nodes. */
#include <math.h>

#include "methods/fuzz/mutations.h"

static void remove_edges(struct digraph *g, double rate, struct rng *r)
{
	int wanted = (int)floor(g->n * rate);

	for (int tries = 16 * wanted; g->n > 1 && wanted > 0 && tries > 0; tries--) {
		int from = (int)rng_below(r, (uint64_t)g->n - 1), to = (int)rng_between(r, from + 1, g->n - 1);

		wanted -= g->edge[from][to];
		g->edge[from][to] = 0;
	}
}

const struct mutation mutation_ger = {.summary = "graph edges removal", .graph = remove_edges};
