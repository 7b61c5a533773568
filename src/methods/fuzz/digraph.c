/* digraph.c - the two random graph models.
 *
 *   WS(k, p, n)  Watts and Strogatz: a ring in which each node is joined with its k nearest; each edge is then moved to
 *                a random node with probability p.  An edge goes from the lower to the higher number.
 *   RN(k, p, n)  the paper's residual networks: a line, and beside it edges from each node with fewer than k
 *                neighbours to later ones, k - (neighbours) times with probability p. */
#include <string.h>

#include "methods/fuzz/fuzz.h"

int digraph_in_degree(const struct digraph *g, int node)
{
	int n = 0;

	for (int i = 0; i < node; i++)
		n += g->edge[i][node];
	return n;
}

static void join(struct digraph *g, int a, int b)
{
	if (a != b)
		g->edge[a < b ? a : b][a < b ? b : a] = 1;
}

static int joined(const struct digraph *g, int a, int b)
{
	return a == b || g->edge[a < b ? a : b][a < b ? b : a];
}

void digraph_ws(struct digraph *g, int n, int k, double p, struct rng *r)
{
	memset(g, 0, sizeof *g);
	g->n = n;
	for (int i = 0; i < n; i++)
		for (int d = 1; d <= k / 2 && d < n; d++)
			join(g, i, (i + d) % n);
	for (int d = 1; d <= k / 2 && d < n; d++)
		for (int i = 0; i < n; i++) {
			int old = (i + d) % n, to = (int)rng_below(r, (uint64_t)n);

			if (rng_unit(r) >= p || joined(g, i, to) || i == old)
				continue;
			g->edge[i < old ? i : old][i < old ? old : i] = 0;
			join(g, i, to);
		}
}

void digraph_rn(struct digraph *g, int n, int k, double p, struct rng *r)
{
	int neighbours[FUZZ_MAX_NODES] = {0};

	memset(g, 0, sizeof *g);
	g->n = n;
	for (int i = 0; i + 1 < n; i++) {
		g->edge[i][i + 1] = 1;
		neighbours[i]++;
		neighbours[i + 1]++;
	}
	for (int i = 0; i + 1 < n; i++)
		for (int times = k - neighbours[i]; times > 0; times--) {
			int j = (int)rng_between(r, i + 1, n - 1);

			if (rng_unit(r) >= p || neighbours[j] >= k || g->edge[i][j])
				continue;
			g->edge[i][j] = 1;
			neighbours[i]++;
			neighbours[j]++;
		}
}
