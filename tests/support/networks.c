/* networks.c - see networks.h. */
#include "support/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct tensor *net_random(uint64_t seed, int rank, const int64_t *dims, double lo, double hi)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, &e);
	struct rng rng;

	assert_non_null(t);
	rng_init(&rng, seed);
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = rng_uniform(&rng, lo, hi);
	tensor_round(t);
	return t;
}

void net_weights(struct graph *g, const char *name, double lo, double hi, int rank, const int64_t *dims)
{
	struct err e = ERR_INIT;

	assert_int_equal(graph_add_init(g, name, net_random(g->wires.n + 1, rank, dims, lo, hi), NULL, &e), 0);
}

struct node *net_add(struct graph *g, const char *op, const char *inputs, const char *out)
{
	struct wire *in[8];
	struct err e = ERR_INIT;
	struct node *n = NULL;
	char text[128], *save = text;
	int count = 0;

	snprintf(text, sizeof text, "%s", inputs);
	for (char *name = strsep(&save, " "); name; name = strsep(&save, " ")) {
		in[count] = graph_wire(g, name);
		assert_non_null(in[count++]);
	}
	if (graph_append_node(g, op, in, count, out, &n, &e))
		fail_msg("%s: %s", out, e.msg);
	n->name = out;
	return n;
}

void net_ints(struct node *n, const char *name, const int64_t *x, size_t count)
{
	struct err e = ERR_INIT;

	assert_int_equal(node_set_ints(n, name, x, count, &e), 0);
}

struct model *net_begin(const int64_t *dims, int rank)
{
	struct type t = TYPE_INIT;
	struct err e = ERR_INIT;
	struct model *m = NULL;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&t, DT_FLOAT, rank, dims);
	assert_int_equal(graph_add_input(m->graph, "x", &t, NULL, &e), 0);
	return m;
}

struct trial net_finish(struct model *m, const char *output, struct tensor *x)
{
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct trial t;

	assert_non_null(in);
	in[0] = value_tensor(x, &e);
	assert_non_null(in[0]);
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, output), &e), 0);
	if (trial_init(&t, m, in, 3, &e))
		fail_msg("%s", e.msg);
	return t;
}
