/* tree.c - see tree.h.
 *
 *   score[t] = base[t] + aggregate over all trees of the weights that the leaf reached has for target t
 */
#include "ops/ml/tree.h"

#include <math.h>
#include <stdlib.h>

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static int by_leaf(const void *a, const void *b)
{
	const struct tree_vote *x = a, *y = b;

	return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

int forest_index_votes(struct call *c, struct forest *f)
{
	size_t at = 0;

	f->leaf_votes = call_scratch(c, f->n_leaves + 1, sizeof *f->leaf_votes);
	if (!f->leaf_votes)
		return c->err->code;
	for (size_t i = 0; i < f->n_votes; i++) {
		if (f->votes[i].leaf >= f->n_leaves)
			return call_bad(c, "weight %zu belongs to no leaf", i);
		if (f->votes[i].target >= f->n_targets)
			return call_bad(c, "weight %zu is for target %zu of %zu", i, f->votes[i].target, f->n_targets);
	}
	qsort(f->votes, f->n_votes, sizeof *f->votes, by_leaf);
	for (size_t leaf = 0; leaf <= f->n_leaves; leaf++) {
		while (at < f->n_votes && f->votes[at].leaf < leaf)
			at++;
		f->leaf_votes[leaf] = at;
	}
	return 0;
}

static int link_fits(const struct forest *f, struct tree_link l)
{
	return l.at < (l.is_leaf ? f->n_leaves : f->n_nodes);
}

/* Nodes that are nobody's child are taken away, then those that were only theirs.  What is left has itself among its
 * ancestors, or is below such a node: a row that comes there may never reach a leaf, and libraries differ. */
static int check_circles(struct call *c, const struct forest *f)
{
	size_t *parents = call_scratch(c, f->n_nodes + 1, sizeof *parents);
	size_t *free_ones = call_scratch(c, f->n_nodes + 1, sizeof *free_ones), n_free = 0, left = 0;

	if (!parents || !free_ones)
		return c->err->code;
	for (size_t i = 0; i < f->n_nodes; i++)
		for (int no = 0; no < 2 && f->nodes[i].mode != TREE_LEAF; no++) {
			struct tree_link l = no ? f->nodes[i].no : f->nodes[i].yes;

			if (!l.is_leaf)
				parents[l.at]++;
		}
	for (size_t i = 0; i < f->n_nodes; i++)
		if (!parents[i])
			free_ones[n_free++] = i;
	for (size_t k = 0; k < n_free; k++) {
		const struct tree_node *n = &f->nodes[free_ones[k]];

		for (int no = 0; no < 2 && n->mode != TREE_LEAF; no++) {
			struct tree_link l = no ? n->no : n->yes;

			if (!l.is_leaf && !--parents[l.at])
				free_ones[n_free++] = l.at;
		}
	}
	while (left < f->n_nodes && !parents[left])
		left++;
	return left < f->n_nodes ? call_bad(c, "tree node %zu lies on a circle, or below one", left) : 0;
}

int forest_check(struct call *c, const struct forest *f, int64_t features)
{
	for (size_t i = 0; i < f->n_roots; i++)
		if (!link_fits(f, f->roots[i]))
			return call_bad(c, "the root of tree %zu is not a node", i);
	for (size_t i = 0; i < f->n_nodes; i++) {
		const struct tree_node *n = &f->nodes[i];

		if (n->mode == TREE_LEAF)
			continue;
		if (!link_fits(f, n->yes) || !link_fits(f, n->no))
			return call_bad(c, "a branch of tree node %zu leads nowhere", i);
		if (features >= 0 && n->feature >= (size_t)features)
			return call_bad(c, "tree node %zu asks for feature %zu of %lld", i, n->feature,
					(long long)features);
	}
	return check_circles(c, f);
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static int is_member(const struct forest *f, const struct tree_node *n, double x)
{
	for (size_t i = n->set_first; i < n->set_end; i++)
		if (f->members[i] == x)
			return 1;
	return 0;
}

static int decide(const struct forest *f, const struct tree_node *n, double x)
{
	if (isnan(x))
		return n->nan_is_true;
	switch (n->mode) {
	case TREE_LEQ:
		return x <= n->value;
	case TREE_LT:
		return x < n->value;
	case TREE_GTE:
		return x >= n->value;
	case TREE_GT:
		return x > n->value;
	case TREE_EQ:
		return x == n->value;
	case TREE_NEQ:
		return x != n->value;
	default:
		return is_member(f, n, x);
	}
}

/* The leaf that row r reaches from `at`: there is one, since forest_check() found no circle. */
static size_t find_leaf(const struct call *c, const struct forest *f, size_t r, struct tree_link at)
{
	size_t width = (size_t)c->in[0]->dims[c->in[0]->rank - 1];

	while (!at.is_leaf) {
		const struct tree_node *n = &f->nodes[at.at];

		at = decide(f, n, tensor_get(c->in[0], r * width + n->feature)) ? n->yes : n->no;
	}
	return at.at;
}

void forest_scores(const struct call *c, const struct forest *f, size_t r, double *scores, double *size)
{
	double start = f->aggregate == TREE_MIN ? INFINITY : f->aggregate == TREE_MAX ? -INFINITY : 0;

	for (size_t t = 0; t < f->n_targets; t++) {
		scores[t] = start;
		if (size)
			size[t] = f->base ? fabs(f->base[t]) : 0;
	}
	for (size_t i = 0; i < f->n_roots; i++) {
		size_t leaf = find_leaf(c, f, r, f->roots[i]);

		for (size_t v = f->leaf_votes[leaf]; v < f->leaf_votes[leaf + 1]; v++) {
			double w = f->votes[v].weight, *s = &scores[f->votes[v].target];

			*s = f->aggregate == TREE_MIN ? fmin(*s, w) : f->aggregate == TREE_MAX ? fmax(*s, w) : *s + w;
			if (size)
				size[f->votes[v].target] += fabs(w);
		}
	}
	for (size_t t = 0; t < f->n_targets; t++) {
		if (isinf(start) && scores[t] == start) /* no leaf had a say */
			scores[t] = 0;
		if (f->aggregate == TREE_AVERAGE && f->n_roots)
			scores[t] /= (double)f->n_roots;
		scores[t] += f->base ? f->base[t] : 0;
	}
}
