/* seeds.h - what a search begins with, for tests.  What fails ends the test. */
#ifndef TESTS_SUPPORT_SEEDS_H
#define TESTS_SUPPORT_SEEDS_H

#include "judge/trial.h"
#include "methods/search/layers.h"

/* The layers of data/layers.yaml; layers_free(). */
struct layers *seeds_layers(void);

/* A network of the zoo with weights and inputs from a seed, its shapes inferred. */
struct trial seeds_network(const char *name, uint64_t seed);

#endif
