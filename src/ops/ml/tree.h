/* tree.h - forests of decision trees, whatever operator described them. */
#ifndef OPS_ML_TREE_H
#define OPS_ML_TREE_H

#include "ops/ml/ml_transform.h"

/* In the order of TreeEnsemble's numbers; TREE_LEAF only in the older operators. */
enum tree_mode { TREE_LEQ, TREE_LT, TREE_GTE, TREE_GT, TREE_EQ, TREE_NEQ, TREE_MEMBER, TREE_LEAF, TREE_MODE_COUNT };

enum tree_aggregate { TREE_AVERAGE, TREE_SUM, TREE_MIN, TREE_MAX, TREE_AGGREGATE_COUNT };

/* Where a branch leads: node x, or leaf x. */
struct tree_link {
	size_t at;
	int is_leaf;
};

struct tree_node {
	enum tree_mode mode;
	size_t feature;
	double value;
	int nan_is_true;           /* which way NaN goes */
	size_t set_first, set_end; /* TREE_MEMBER: its part of forest->members */
	struct tree_link yes, no;
};

struct tree_vote {
	size_t leaf, target;
	double weight;
};

struct forest {
	struct tree_node *nodes;
	size_t n_nodes;
	struct tree_link *roots;
	size_t n_roots;
	struct tree_vote *votes; /* sorted by leaf */
	size_t n_votes;
	size_t *leaf_votes; /* [n_leaves + 1]: where the votes of each leaf start */
	size_t n_leaves;
	const double *members;
	const double *base; /* added to each target; NULL: 0 */
	size_t n_targets, n_features;
	enum tree_aggregate aggregate;
	enum ml_transform transform;
};

/* Sorts the votes by leaf and makes leaf_votes; all leaves must be < n_leaves, targets < n_targets. */
int forest_index_votes(struct call *c, struct forest *f);

/* Every link leads to a node or leaf that is there, none back to where it came from, every feature is < features (when
 * known, >= 0). */
int forest_check(struct call *c, const struct forest *f, int64_t features);

/* The n_targets scores of row r of X, before the transform; size (NULL: not wanted) takes the sums of |terms|. */
void forest_scores(const struct call *c, const struct forest *f, size_t r, double *scores, double *size);

#endif
