/* chooser.c - which blocks the next model is made of: Monte Carlo tree search over blocks, or chance.
 *
 * A node of the tree is a block, a path from the root a set of blocks.
 *
 *   selection         from the root down to a node that may have another child, each time to the child with the largest
 *                     v/n + e √(ln N / n): successes v in n visits, N visits of its parent (equation 8)
 *   expansion         a child of the operator with the lowest coverage that is neither on the path nor a sibling, or
 *                     of a subgraph that contains it
 *   simulation        a model with the path's blocks, from its end up, on at most half of its places: the beginnings of
 *                     paths are the same in many models, which then would differ little
 *   back-propagation  a success counts for all nodes of the path: the model raised the coverage by more than models did
 *                     of late.  Almost every model raises it by something, which tells nothing
 *
 * In the paper's setting the path has all places, and a success is a model on which a library failed.
 *
 * A node is explored once (tc2); a tree that is full is given up for a new one, so that a campaign has no end. */
#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "methods/fuzz/fuzz.h"

#define EXPLORATION 0.70710678118654752 /* e = 1/√2 */
#define MAX_DEPTH 10                    /* tc1 */
#define MAX_CHILDREN 3
#define MAX_TREE 50000 /* nodes */
#define MAX_LOTS 16    /* with 1, 64 shards cover three points of OLC less than one; with 16 as much */
#define MEMORY 0.1     /* weight of the newest model in what models did of late */

const struct fuzz_search_row fuzz_searches[FUZZ_SEARCHES + 1] = {
	[FUZZ_SEARCH_MCTS] = {.name = "mcts", .tree = 1, .filler = 1},
	[FUZZ_SEARCH_RANDOM] = {.name = "random"},
	[FUZZ_SEARCH_FILLED] = {.name = "filled", .filler = 1},
	[FUZZ_SEARCH_PAPER] = {.name = "paper", .tree = 1, .paper = 1},
	[FUZZ_SEARCH_PAPER_RANDOM] = {.name = "paper-random", .paper = 1},
};

struct chooser_node {
	int block, parent; /* -1: the root has none */
	int n_children, children[MAX_CHILDREN];
	double visits, successes;
};

struct chooser {
	const struct corpus *corpus;
	const struct fuzz_search_row *kind;
	VEC(struct chooser_node) tree;
	int lots;    /* of which one is looked at */
	double *olc; /* of the operators, as last asked */
	int current; /* the node that is being explored; -1: none */
	double gain; /* by which models raised the coverage of late */
};

int chooser_new(const struct corpus *corpus, enum fuzz_search kind, int shards, struct chooser **out, struct err *e)
{
	struct chooser *c = mem_zalloc(sizeof *c);

	if (!c)
		return err_nomem(e, "search", sizeof *c);
	c->corpus = corpus;
	c->kind = &fuzz_searches[kind];
	c->lots = shards < MAX_LOTS ? shards : MAX_LOTS;
	c->current = -1;
	c->olc = mem_array((size_t)corpus->n_ops + 1, sizeof *c->olc);
	if (!c->olc) {
		chooser_free(c);
		return err_nomem(e, "search", 0);
	}
	*out = c;
	return 0;
}

void chooser_free(struct chooser *c)
{
	if (!c)
		return;
	vec_release(&c->tree);
	mem_free(c->olc);
	mem_free(c);
}

/* ---- tree -------------------------------------------------------------------------------------------------------- */

static int add_node(struct chooser *c, int parent, int block, struct err *e)
{
	struct chooser_node n = {.block = block, .parent = parent};

	if (vec_push(&c->tree, n))
		return err_nomem(e, "search tree", 0);
	if (parent >= 0) {
		struct chooser_node *p = &c->tree.at[parent];

		p->children[p->n_children++] = (int)c->tree.n - 1;
	}
	return 0;
}

static double potential(const struct chooser *c, int node)
{
	const struct chooser_node *n = &c->tree.at[node];
	double parents = c->tree.at[n->parent].visits;

	if (n->visits < 1)
		return (double)INFINITY;
	return n->successes / n->visits + EXPLORATION * sqrt(log(parents > 1 ? parents : 1) / n->visits);
}

/* A node that may have another child, or one at the lowest level. */
static int select_node(const struct chooser *c, int *depth)
{
	int at = 0;

	for (*depth = 0; *depth < MAX_DEPTH && c->tree.at[at].n_children == MAX_CHILDREN; ++*depth) {
		const struct chooser_node *n = &c->tree.at[at];
		int best = n->children[0];

		for (int i = 1; i < MAX_CHILDREN; i++)
			if (potential(c, n->children[i]) > potential(c, best))
				best = n->children[i];
		at = best;
	}
	return at;
}

static int contains(const struct corpus *corpus, int block, int op)
{
	const struct fuzz_subgraph *s;

	if (block < corpus->n_ops)
		return block == op;
	s = &corpus->subgraphs[block - corpus->n_ops];
	for (int i = 0; i < s->n; i++)
		if (s->ops[i] == op)
			return 1;
	return 0;
}

/* On the way from the root to `node`, or among its children. */
static int is_taken(const struct chooser *c, int node, int block)
{
	const struct chooser_node *n = &c->tree.at[node];

	for (int i = 0; i < n->n_children; i++)
		if (c->tree.at[n->children[i]].block == block)
			return 1;
	for (; node > 0; node = c->tree.at[node].parent)
		if (c->tree.at[node].block == block)
			return 1;
	return 0;
}

/* Operators first, first + step … */
struct lot {
	int first, step;
};

/* The operator of lowest coverage, equal ones by chance; -1 when all are taken. */
static int lowest_of(const struct chooser *c, int node, int opset, struct lot lot, struct rng *r)
{
	int best = -1, equal = 0;

	for (int i = lot.first; i < c->corpus->n_ops; i += lot.step) {
		if (!corpus_has(c->corpus, i, opset) || is_taken(c, node, i))
			continue;
		if (best < 0 || c->olc[i] < c->olc[best]) {
			best = i;
			equal = 1;
		} else if (c->olc[i] == c->olc[best] && !rng_below(r, (uint64_t)++equal)) {
			best = i;
		}
	}
	return best;
}

/* One shard looks at all.  Of several each looks at some: they do not see what the others are about to cover, and would
 * all choose the same. */
static int lowest_op(const struct chooser *c, int node, int opset, struct rng *r)
{
	const struct lot all = {.step = 1};
	int best = -1;

	if (c->lots > 1) {
		struct lot lot = {.first = (int)rng_below(r, (uint64_t)c->lots), .step = c->lots};

		best = lowest_of(c, node, opset, lot, r);
	}
	return best < 0 ? lowest_of(c, node, opset, all, r) : best;
}

/* The operator itself, or one of the subgraphs that have it. */
static int with_subgraph(const struct chooser *c, int node, int op, int opset, struct rng *r)
{
	int choice = op, n = 1;

	for (int s = 0; s < c->corpus->n_subgraphs; s++) {
		int block = c->corpus->n_ops + s;

		if (corpus_has(c->corpus, block, opset) && contains(c->corpus, block, op) &&
		    !is_taken(c, node, block) && !rng_below(r, (uint64_t)++n))
			choice = block;
	}
	return choice;
}

static int expand(struct chooser *c, int opset, struct rng *r, struct err *e)
{
	int depth, leaf = select_node(c, &depth), op = depth < MAX_DEPTH ? lowest_op(c, leaf, opset, r) : -1;
	int rc;

	c->current = leaf;
	if (op < 0)
		return 0;
	rc = add_node(c, leaf, with_subgraph(c, leaf, op, opset, r), e);
	c->current = (int)c->tree.n - 1;
	return rc;
}

/* ---- the blocks -------------------------------------------------------------------------------------------------- */

/* Of a path, only blocks that the opset has can be put in. */
static int search_tree(struct chooser *c, const struct coverage *seen, int opset, struct rng *r, int *blocks, int max,
		       struct err *e)
{
	int n = 0, rc = 0, most = c->kind->paper ? max : (max + 1) / 2;

	for (int i = 0; i < c->corpus->n_ops; i++)
		c->olc[i] = coverage_of_op(seen, i).olc;
	if (c->tree.n >= MAX_TREE)
		c->tree.n = 0;
	if (!c->tree.n)
		rc = add_node(c, -1, -1, e);
	if (!rc)
		rc = expand(c, opset, r, e);
	if (rc)
		return rc;
	for (int node = c->current; node > 0 && n < most; node = c->tree.at[node].parent)
		if (corpus_has(c->corpus, c->tree.at[node].block, opset))
			blocks[n++] = c->tree.at[node].block;
	return n;
}

int chooser_next(struct chooser *c, const struct coverage *seen, int opset, struct rng *r, int *blocks, int max,
		 struct err *e)
{
	return c->kind->tree ? search_tree(c, seen, opset, r, blocks, max, e) : 0;
}

int chooser_reward(struct chooser *c, double gain)
{
	int success = !c->kind->paper && gain > c->gain, explored = c->current;

	for (int node = explored; node >= 0; node = c->tree.at[node].parent) {
		c->tree.at[node].visits++;
		c->tree.at[node].successes += success;
	}
	c->gain += MEMORY * (gain - c->gain);
	c->current = -1;
	return explored;
}

void chooser_drop(struct chooser *c)
{
	c->current = -1;
}

/* A tree that was given up since has other nodes, or fewer. */
void chooser_credit(struct chooser *c, int node)
{
	if (node < 0 || (size_t)node >= c->tree.n)
		return;
	for (; node >= 0; node = c->tree.at[node].parent)
		c->tree.at[node].successes++;
}
