/* mutations.c - the table of mutations. */
#include "methods/fuzz/mutations.h"

const struct mutation_row mutation_rows[] = {
#define MUTATION(id, name) {name, &mutation_##id},
#include "methods/fuzz/mutations.def"
#undef MUTATION
	{NULL, NULL},
};
