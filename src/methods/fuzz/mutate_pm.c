/* mutate_pm.c - parameters mutation: parameters from their whole range, edges included. */
#include "methods/fuzz/mutations.h"

static void mutate_parameters(struct maker *m, double rate, struct rng *r)
{
	(void)r;
	m->wide = rate > 0;
}

const struct mutation mutation_pm = {.summary = "parameters mutation", .source = mutate_parameters};
