/* mutate_tsm.c - tensor shape mutation: inputs of any shape, in place of one of five. */
#include "methods/fuzz/mutations.h"

static void mutate_shapes(struct maker *m, double rate, struct rng *r)
{
	(void)r;
	m->any_shape = rate > 0;
}

const struct mutation mutation_tsm = {.summary = "tensor shape mutation", .source = mutate_shapes};
