/* plan.c - blocks on the nodes of a graph, subgraphs taken apart into operators. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/fuzz.h"

#define MAX_CHOSEN FUZZ_MAX_NODES
#define ROUNDS 8 /* blocks that are compared for a place */

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
static int in_range(int degree, int low, int high)
{
	return degree == 0 || (degree >= low && degree <= high);
}

static int fits(const struct corpus *c, int block, int degree)
{
	int low, high;

	degrees_of(c, block, &low, &high);
	return in_range(degree, low, high);
}

/* What nodes are chosen for. */
struct plan_choice {
	const struct plan_parts *of;
	int used[MAX_CHOSEN], n_used; /* of the blocks that must be put in */
	int *out;                     /* block of each node */
};

/* The operator that edges into a block lead to, and the one that edges out of it come from. */
static int entry_op(const struct corpus *c, int block)
{
	return block < c->n_ops ? block : c->subgraphs[block - c->n_ops].ops[0];
}

static int exit_op(const struct corpus *c, int block)
{
	const struct fuzz_subgraph *s = block < c->n_ops ? NULL : &c->subgraphs[block - c->n_ops];

	return s ? s->ops[s->n - 1] : block;
}

static int new_edges(const struct plan_choice *q, int node, int block)
{
	int n = 0;

	for (int from = 0; q->of->seen && from < node; from++)
		n += q->of->graph->edge[from][node] &&
		     !coverage_has_edge(q->of->seen, exit_op(q->of->corpus, q->out[from]),
					entry_op(q->of->corpus, block));
	return n;
}

/* The best of the blocks that must be put in and stand nowhere yet, equal ones by chance; -1 when none fits. */
static int best_given(const struct plan_choice *q, int node, int any_degree, struct rng *r)
{
	int best = -1, most = -1, equal = 0, degree = digraph_in_degree(q->of->graph, node);

	for (int b = 0; b < q->of->n_blocks; b++) {
		int edges;

		if (q->used[b] || (!any_degree && !fits(q->of->corpus, q->of->blocks[b], degree)))
			continue;
		edges = new_edges(q, node, q->of->blocks[b]);
		if (edges > most) {
			most = edges;
			best = b;
			equal = 1;
		} else if (edges == most && !rng_below(r, (uint64_t)++equal)) {
			best = b;
		}
	}
	return best;
}

/* Of a subgraph: that of its most promising operator. */
static double promise_of(const struct plan_choice *q, int block)
{
	const struct corpus *c = q->of->corpus;
	double high = 0;

	if (block < c->n_ops)
		return coverage_promise(q->of->seen, block);
	for (int i = 0; i < c->subgraphs[block - c->n_ops].n; i++)
		high = fmax(high, coverage_promise(q->of->seen, c->subgraphs[block - c->n_ops].ops[i]));
	return high;
}

/* Any block of the opset, whatever its number of inputs. */
static int any_at_all(const struct plan_parts *of, struct rng *r)
{
	int pick = 0, first = of->subgraphs_only ? of->corpus->n_ops : 0;
	int end = of->corpus->n_ops + (of->subgraphs_only ? of->corpus->n_subgraphs : 0);

	for (int b = first, n = 0; b < end; b++)
		if (corpus_has(of->corpus, b, of->opset) && !rng_below(r, (uint64_t)++n))
			pick = b;
	return pick;
}

/* Any block of the corpus with the node's number of inputs; any at all when there is none.  Much of the time that a
 * model takes goes here. */
static int any_block(const struct plan_choice *q, int node, struct rng *r)
{
	const struct corpus *c = q->of->corpus;
	int n = 0, degree = digraph_in_degree(q->of->graph, node);
	int pick = (int)rng_below(r, (uint64_t)(c->n_ops + c->n_subgraphs));
	int ops = q->of->subgraphs_only ? 0 : c->n_ops;

	for (int b = 0; b < ops; b++)
		if ((c->ops[b].opsets >> q->of->opset & 1) && in_range(degree, c->ops[b].in_low, c->ops[b].in_high) &&
		    !rng_below(r, (uint64_t)++n))
			pick = b;
	for (int b = c->n_ops; b < c->n_ops + c->n_subgraphs; b++)
		if (corpus_has(q->of->corpus, b, q->of->opset) && fits(c, b, degree) && !rng_below(r, (uint64_t)++n))
			pick = b;
	return n || (!q->of->subgraphs_only && corpus_has(c, pick, q->of->opset)) ? pick : any_at_all(q->of, r);
}

/* Of the blocks that must be put in, once more: one with the node's number of inputs; where there is none, any of the
 * corpus that has it. */
static int given_again(const struct plan_choice *q, int node, struct rng *r)
{
	int n = 0, degree = digraph_in_degree(q->of->graph, node), pick = -1;

	for (int b = 0; b < q->of->n_blocks; b++)
		if (fits(q->of->corpus, q->of->blocks[b], degree) && !rng_below(r, (uint64_t)++n))
			pick = q->of->blocks[b];
	return n ? pick : any_block(q, node, r);
}

/* By chance alone, or the best of several: the one with most edges that were not seen before, and among those the one
 * whose operators raised the coverage of late. */
static int fill_block(const struct plan_choice *q, int node, struct rng *r)
{
	int best = any_block(q, node, r);
	double most = q->of->seen ? new_edges(q, node, best) + promise_of(q, best) : 0;

	for (int i = 1; q->of->seen && i < ROUNDS; i++) {
		int other = any_block(q, node, r);
		double score = new_edges(q, node, other) + promise_of(q, other);

		if (score > most) {
			most = score;
			best = other;
		}
	}
	return best;
}

/* The blocks that must be put in are spread over the nodes, those that fit first. */
static void choose_blocks(struct plan_choice *q, struct rng *r)
{
	for (int i = 0; i < q->of->graph->n; i++) {
		int left = q->of->n_blocks - q->n_used, places = q->of->graph->n - i;
		int b = left && (int)rng_below(r, (uint64_t)places) < left ? best_given(q, i, left >= places, r) : -1;

		if (b < 0) {
			q->out[i] = q->of->path_only ? given_again(q, i, r) : fill_block(q, i, r);
			continue;
		}
		q->used[b] = 1;
		q->n_used++;
		q->out[i] = q->of->blocks[b];
	}
}

/* ---- subgraphs --------------------------------------------------------------------------------------------------- */

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
static void fit_degrees(struct plan *p, const struct plan_parts *of)
{
	for (int i = 0; i < p->n; i++) {
		const struct fuzz_op *op = &of->corpus->ops[p->op[i]];
		int more = p->n_in[i] || of->inputs < op->in_low ? op->in_low : of->inputs;

		while (p->n_in[i] < more && add_input(p, i, -1))
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

void plan_make(struct plan *p, const struct plan_parts *of, struct rng *r)
{
	struct placed all[FUZZ_MAX_NODES];
	int chosen[MAX_CHOSEN];
	struct plan_choice q = {.of = of, .out = chosen};

	p->n = 0;
	choose_blocks(&q, r);
	for (int i = 0; i < of->graph->n; i++) {
		make_inner(&all[i], of->corpus, chosen[i], of->rates, r);
		place_inner(p, &all[i]);
		connect(p, all, of->graph, i);
	}
	fit_degrees(p, of);
}
