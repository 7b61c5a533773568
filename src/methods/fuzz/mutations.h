/* mutations.h - the mutations by name, for the table; see fuzz.h for what they are. */
#ifndef METHODS_FUZZ_MUTATIONS_H
#define METHODS_FUZZ_MUTATIONS_H

#include "methods/fuzz/fuzz.h"

#define MUTATION(id, name) extern const struct mutation mutation_##id;
#include "methods/fuzz/mutations.def"
#undef MUTATION

#endif
