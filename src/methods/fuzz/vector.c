/* vector.c - shapes and parameters of nodes as a number: what the paper's SPC counts. */
#include <string.h>

#include "base/hash.h"
#include "methods/fuzz/fuzz.h"

static uint64_t hash_ints(uint64_t h, const int64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = hash_number(h, (uint64_t)at[i]);
	return h;
}

static uint64_t hash_wire(uint64_t h, const struct wire *w)
{
	if (!w)
		return hash_number(h, 1);
	h = hash_number(h, (uint64_t)w->type.dtype);
	for (int i = 0; i < w->type.rank; i++)
		h = hash_number(h, (uint64_t)w->type.dims[i] + 2);
	if (w->init && w->init->dtype == DT_INT64) /* axes, pads, sizes: parameters that are inputs */
		h = hash_ints(h, w->init->data, w->init->count);
	return h;
}

static uint64_t hash_nodes(uint64_t h, const struct graph *g, size_t first);

static uint64_t hash_attr(uint64_t h, const struct attr *a)
{
	h = hash_bytes(h, a->name, strlen(a->name));
	if (a->type == ATTR_INT)
		return hash_number(h, (uint64_t)a->i);
	if (a->type == ATTR_FLOAT)
		return hash_bytes(h, &a->f, sizeof a->f);
	if (a->type == ATTR_STRING)
		return hash_bytes(h, a->s.p, a->s.n);
	if (a->type == ATTR_INTS)
		return hash_ints(h, a->ints, a->n);
	if (a->type == ATTR_GRAPH)
		return hash_nodes(h, a->g, 0);
	return h;
}

static uint64_t hash_nodes(uint64_t h, const struct graph *g, size_t first)
{
	for (size_t i = first; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		h = hash_bytes(h, n->op_type, strlen(n->op_type));
		for (int k = 0; k < n->n_in; k++)
			h = hash_wire(h, n->in[k]);
		for (int k = 0; k < n->n_attrs; k++)
			h = hash_attr(h, &n->attrs[k]);
	}
	return h;
}

uint64_t vector_of_nodes(const struct graph *g, size_t first)
{
	return hash_nodes(HASH_BEGIN, g, first);
}
