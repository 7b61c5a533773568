/* plan.c - blocks on the nodes of a graph, subgraphs taken apart into operators. */
#include <string.h>

#include "methods/fuzz/fuzz.h"

#define MAX_CHOSEN FUZZ_MAX_NODES

/* What stands on one node of the graph: a subgraph, or an operator as a subgraph of one. */
struct placed {
	struct fuzz_subgraph inner;
	int at[FUZZ_MAX_INNER]; /* position of each operator in the plan */
};

static void degrees_of(const struct corpus *c, int block, int *low, int *high)
{
	*low = block < c->n_ops ? c->ops[block].in_low : c->subgraphs[block - c->n_ops].in_low;
	*high = block < c->n_ops ? c->ops[block].in_high : c->subgraphs[block - c->n_ops].in_high;
}

/* A node without an edge into it gets an input of the model. */
static int fits(const struct corpus *c, int block, int degree)
{
	int low, high;

	degrees_of(c, block, &low, &high);
	return degree == 0 || (degree >= low && degree <= high);
}

/* First each block on a node with its number of inputs, then the other nodes; where none fits, any. */
static void choose_blocks(const struct corpus *c, const struct digraph *g, const int *blocks, int n, struct rng *r,
			  int *out)
{
	int degree[FUZZ_MAX_NODES];

	for (int i = 0; i < g->n; i++) {
		degree[i] = digraph_in_degree(g, i);
		out[i] = -1;
	}
	for (int b = 0; b < n; b++) {
		int found = -1, count = 0;

		for (int i = 0; i < g->n; i++)
			if (out[i] < 0 && fits(c, blocks[b], degree[i]) && !rng_below(r, (uint64_t)++count))
				found = i;
		if (found >= 0)
			out[found] = blocks[b];
	}
	for (int i = 0; i < g->n; i++) {
		int count = 0;

		for (int b = 0; b < n && out[i] < 0; b++)
			count += fits(c, blocks[b], degree[i]);
		for (int b = 0, skip = count ? (int)rng_below(r, (uint64_t)count) : 0; b < n && out[i] < 0; b++)
			if (fits(c, blocks[b], degree[i]) && skip-- == 0)
				out[i] = blocks[b];
		if (out[i] < 0)
			out[i] = blocks[rng_below(r, (uint64_t)n)];
	}
}

/* ---- subgraphs ------------------------------------------------------------------------------------------------------
 */

static void make_inner(struct placed *p, const struct corpus *c, int block, const double *rates, struct rng *r)
{
	if (block < c->n_ops) {
		p->inner = (struct fuzz_subgraph){.n = 1, .ops = {block}};
		return;
	}
	p->inner = c->subgraphs[block - c->n_ops];
	for (int i = 0; mutation_rows[i].name; i++)
		if (mutation_rows[i].mutation->subgraph && rates[i] > 0)
			mutation_rows[i].mutation->subgraph(&p->inner, rates[i], r);
}

static int add_input(struct plan *p, int node, int from)
{
	if (p->n_in[node] >= FUZZ_MAX_DEGREE)
		return 0;
	p->in[node][p->n_in[node]++] = from;
	return 1;
}

/* Puts the operators of a block into the plan, each after those it needs. */
static void place_inner(struct plan *p, struct placed *b)
{
	int done = 0;

	for (int i = 0; i < b->inner.n; i++)
		b->at[i] = -1;
	for (int round = 0; round < b->inner.n && done < b->inner.n; round++)
		for (int i = 0; i < b->inner.n && p->n < FUZZ_MAX_PLAN; i++) {
			int ready = b->at[i] < 0;

			for (int k = 0; k < b->inner.n_edges; k++)
				ready &= b->inner.to[k] != i || b->at[b->inner.from[k]] >= 0;
			if (!ready)
				continue;
			b->at[i] = p->n;
			p->op[p->n] = b->inner.ops[i];
			p->n_in[p->n++] = 0;
			done++;
		}
}

static int is_entry(const struct fuzz_subgraph *s, int node)
{
	for (int i = 0; i < s->n_edges; i++)
		if (s->to[i] == node)
			return 0;
	return 1;
}

static int is_exit(const struct fuzz_subgraph *s, int node)
{
	for (int i = 0; i < s->n_edges; i++)
		if (s->from[i] == node)
			return 0;
	return 1;
}

static int exit_of(const struct placed *b)
{
	for (int i = b->inner.n - 1; i >= 0; i--)
		if (is_exit(&b->inner, i) && b->at[i] >= 0)
			return b->at[i];
	return -1;
}

/* Edges from outside go to the operators that nothing inside leads to, in turn. */
static void connect(struct plan *p, const struct placed *all, const struct digraph *g, int node)
{
	const struct placed *b = &all[node];
	int entries[FUZZ_MAX_INNER], n = 0, next = 0;

	for (int i = 0; i < b->inner.n_edges; i++)
		if (b->at[b->inner.from[i]] >= 0 && b->at[b->inner.to[i]] >= 0)
			add_input(p, b->at[b->inner.to[i]], b->at[b->inner.from[i]]);
	for (int i = 0; i < b->inner.n; i++)
		if (is_entry(&b->inner, i) && b->at[i] >= 0)
			entries[n++] = b->at[i];
	for (int from = 0; from < node && n > 0; from++)
		if (g->edge[from][node] && exit_of(&all[from]) >= 0)
			add_input(p, entries[next++ % n], exit_of(&all[from]));
}

/* Too few inputs: inputs of the model.  Too many: the last ones are left out. */
static void fit_degrees(struct plan *p, const struct corpus *c)
{
	for (int i = 0; i < p->n; i++) {
		const struct fuzz_op *op = &c->ops[p->op[i]];

		while (p->n_in[i] < op->in_low && add_input(p, i, -1))
			;
		if (p->n_in[i] > op->in_high)
			p->n_in[i] = op->in_high;
		p->n_out[i] = 0;
	}
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < p->n_in[i]; k++)
			if (p->in[i][k] >= 0)
				p->n_out[p->in[i][k]]++;
}

void plan_make(struct plan *p, const struct corpus *c, const struct digraph *g, const int *blocks, int n_blocks,
	       const double *rates, struct rng *r)
{
	struct placed all[FUZZ_MAX_NODES];
	int chosen[MAX_CHOSEN];

	p->n = 0;
	choose_blocks(c, g, blocks, n_blocks, r, chosen);
	for (int i = 0; i < g->n; i++) {
		make_inner(&all[i], c, chosen[i], rates, r);
		place_inner(p, &all[i]);
		connect(p, all, g, i);
	}
	fit_degrees(p, c);
}
