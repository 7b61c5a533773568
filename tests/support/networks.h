/* networks.h - small networks for tests, node by node.  What fails ends the test. */
#ifndef TESTS_SUPPORT_NETWORKS_H
#define TESTS_SUPPORT_NETWORKS_H

#include "judge/trial.h"

struct tensor *net_random(uint64_t seed, int rank, const int64_t *dims, double lo, double hi);

/* A model with one float input `x`, opset 17. */
struct model *net_begin(const int64_t *dims, int rank);

/* A float initializer with random elements between lo and hi. */
void net_weights(struct graph *g, const char *name, double lo, double hi, int rank, const int64_t *dims);
#define NET_WEIGHTS(g, name, lo, hi, ...)                                                       \
	net_weights(g, name, lo, hi, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
		    (int64_t[]){__VA_ARGS__})

/* Adds a node whose name is its output's; inputs are separated by blanks. */
struct node *net_add(struct graph *g, const char *op, const char *inputs, const char *out);
void net_ints(struct node *n, const char *name, const int64_t *x, size_t count);

/* The case of the model with one output and a value for x, which is taken. */
struct trial net_finish(struct model *m, const char *output, struct tensor *x);

#endif
