/* nets.h - small networks of four kinds with one case spliced into their middle.
 *
 * A site is an operator case (model/case.h): its first input is made of what flows through the network there (or, when
 * the case gives its values, of those, chosen by a comparison of what flows), its other inputs become weights, and
 * its first output flows on.  Some thirty nodes stand around it. */
#ifndef BENCH_SUPPORT_NETS_H
#define BENCH_SUPPORT_NETS_H

#include "model/model.h"

#define NETS_SITE "site" /* the name of the node in the middle */

struct net {
	const char *name;
	void (*build)(const char *line, uint64_t seed, struct model **out); /* dies on failure */
};

extern const struct net nets[]; /* up to the first without a name */

/* Values for the inputs of a network: an array from mem_array(), packed float32 from -1 to 1. */
struct value **nets_inputs(const struct graph *g, uint64_t seed);

#endif
