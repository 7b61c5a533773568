/* tree_ensemble.c - TreeEnsemble of ai.onnx.ml 5: inner nodes and leaves in lists of their own. */
#include <math.h>

#include "ops/ml/tree.h"

#define T_REAL (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

static const struct op_attr tree_ensemble_attrs[] = {
	OP_INT("aggregate_function", TREE_SUM),
	OP_NEEDS("leaf_targetids", ATTR_INTS),
	OP_NEEDS("leaf_weights", ATTR_TENSOR),
	OP_ATTR("membership_values", ATTR_TENSOR),
	OP_ATTR("n_targets", ATTR_INT),
	OP_NEEDS("nodes_falseleafs", ATTR_INTS),
	OP_NEEDS("nodes_falsenodeids", ATTR_INTS),
	OP_NEEDS("nodes_featureids", ATTR_INTS),
	OP_ATTR("nodes_hitrates", ATTR_TENSOR),
	OP_ATTR("nodes_missing_value_tracks_true", ATTR_INTS),
	OP_NEEDS("nodes_modes", ATTR_TENSOR),
	OP_NEEDS("nodes_splits", ATTR_TENSOR),
	OP_NEEDS("nodes_trueleafs", ATTR_INTS),
	OP_NEEDS("nodes_truenodeids", ATTR_INTS),
	OP_INT("post_transform", ML_NONE),
	OP_NEEDS("tree_roots", ATTR_INTS),
	{0},
};

/* A list attribute of n integers; *list is NULL when it is absent, which is only fine without `required`. */
static int read_ints(struct call *c, const char *name, size_t n, int required, const int64_t **list)
{
	size_t count;

	*list = node_ints(c->node, name, &count);
	if ((*list && count != n) || (!*list && required && n))
		return call_bad(c, "attribute '%s' has %zu items, wanted %zu", name, count, n);
	return 0;
}

/* A tensor attribute of n numbers as doubles in scratch; n SIZE_MAX: any number, which *found tells. */
static int read_numbers(struct call *c, const char *name, size_t n, const double **list, size_t *found)
{
	const struct attr *a = node_attr(c->node, name);
	size_t count = a ? a->t->count : 0;
	double *copy;

	if (a && dtype_wide(a->t->dtype) != WIDE_F64 && dtype_wide(a->t->dtype) != WIDE_I64)
		return call_bad(c, "attribute '%s' has no numbers", name);
	if (n != SIZE_MAX && count != n)
		return call_bad(c, "attribute '%s' has %zu items, wanted %zu", name, count, n);
	copy = call_scratch(c, count + 1, sizeof *copy);
	if (!copy)
		return c->err->code;
	for (size_t i = 0; i < count; i++)
		copy[i] = tensor_get(a->t, i);
	*list = copy;
	if (found)
		*found = count;
	return 0;
}

/* Sets are listed in the order of the nodes that ask for membership, each but the last followed by NaN. */
static int read_sets(struct call *c, struct forest *f)
{
	size_t n, at = 0;
	int rc = read_numbers(c, "membership_values", SIZE_MAX, &f->members, &n);

	for (size_t i = 0; i < f->n_nodes && !rc; i++) {
		struct tree_node *node = &f->nodes[i];

		if (node->mode != TREE_MEMBER)
			continue;
		if (at >= n)
			return call_bad(c, "membership_values has no set for tree node %zu", i);
		node->set_first = at;
		while (at < n && !isnan(f->members[at]))
			at++;
		node->set_end = at++;
	}
	return rc;
}

static int read_nodes(struct call *c, struct forest *f)
{
	const int64_t *features, *yes, *no, *yes_leaf, *no_leaf, *nan_true;
	const double *modes, *splits;
	size_t n;
	int rc;

	node_ints(c->node, "nodes_featureids", &n);
	rc = read_ints(c, "nodes_featureids", n, 1, &features);
	if (rc || (rc = read_ints(c, "nodes_truenodeids", n, 1, &yes)) ||
	    (rc = read_ints(c, "nodes_falsenodeids", n, 1, &no)) ||
	    (rc = read_ints(c, "nodes_trueleafs", n, 1, &yes_leaf)) ||
	    (rc = read_ints(c, "nodes_falseleafs", n, 1, &no_leaf)) ||
	    (rc = read_ints(c, "nodes_missing_value_tracks_true", n, 0, &nan_true)) ||
	    (rc = read_numbers(c, "nodes_modes", n, &modes, NULL)) ||
	    (rc = read_numbers(c, "nodes_splits", n, &splits, NULL)))
		return rc;
	f->n_nodes = n;
	f->nodes = call_scratch(c, n + 1, sizeof *f->nodes);
	if (!f->nodes)
		return c->err->code;
	for (size_t i = 0; i < n; i++) {
		if (!(modes[i] >= TREE_LEQ && modes[i] <= TREE_MEMBER))
			return call_bad(c, "tree node %zu has mode %g", i, modes[i]);
		f->nodes[i] = (struct tree_node){
			.mode = (enum tree_mode)modes[i],
			.feature = (size_t)features[i],
			.value = splits[i],
			.nan_is_true = nan_true && nan_true[i],
			.yes = {(size_t)yes[i], yes_leaf[i] != 0},
			.no = {(size_t)no[i], no_leaf[i] != 0},
		};
	}
	return read_sets(c, f);
}

static int read_leaves(struct call *c, struct forest *f)
{
	const int64_t *targets;
	const double *weights;
	size_t n;
	int rc;

	node_ints(c->node, "leaf_targetids", &n);
	rc = read_ints(c, "leaf_targetids", n, 1, &targets);
	if (!rc)
		rc = read_numbers(c, "leaf_weights", n, &weights, NULL);
	if (rc)
		return rc;
	f->n_leaves = f->n_votes = n;
	f->votes = call_scratch(c, n + 1, sizeof *f->votes);
	if (!f->votes)
		return c->err->code;
	for (size_t i = 0; i < n; i++)
		f->votes[i] = (struct tree_vote){i, (size_t)targets[i], weights[i]};
	return forest_index_votes(c, f);
}

static int forest_read(struct call *c, struct forest *f, int64_t *rows)
{
	int64_t features, aggregate = attr_int(c->node, "aggregate_function");
	int64_t transform = attr_int(c->node, "post_transform");
	int64_t targets = node_int(c->node, "n_targets", 1); /* ONNX names no default; one is what a tree has */
	const int64_t *roots = node_ints(c->node, "tree_roots", &f->n_roots);
	int rc = ml_rows(c, rows, &features);

	if (rc)
		return rc;
	if (aggregate < 0 || aggregate >= TREE_AGGREGATE_COUNT || transform < 0 || transform >= ML_TRANSFORM_COUNT)
		return call_bad(c, "aggregate_function %lld or post_transform %lld is not known", (long long)aggregate,
				(long long)transform);
	if (targets < 1 || targets > INT32_MAX)
		return call_bad(c, "n_targets is %lld", (long long)targets);
	f->aggregate = (enum tree_aggregate)aggregate;
	f->transform = (enum ml_transform)transform;
	f->n_targets = (size_t)targets;
	f->roots = call_scratch(c, f->n_roots + 1, sizeof *f->roots);
	if (!f->roots)
		return c->err->code;
	for (size_t i = 0; i < f->n_roots; i++)
		f->roots[i] = (struct tree_link){(size_t)roots[i], 0};
	rc = read_nodes(c, f);
	if (!rc)
		rc = read_leaves(c, f);
	return rc ? rc : forest_check(c, f, features);
}

static int tree_ensemble_infer(struct call *c)
{
	struct forest f = {0};
	int64_t dims[2];
	int rc = forest_read(c, &f, &dims[0]);

	dims[1] = (int64_t)f.n_targets;
	if (!rc)
		call_out(c, 0, c->in_type[0].dtype, 2, dims);
	return rc;
}

static int tree_ensemble_eval(struct call *c)
{
	struct forest f = {0};
	int64_t rows;
	int rc = forest_read(c, &f, &rows);

	for (int64_t r = 0; r < rows && !rc; r++) {
		double *y = c->out[0]->f + (size_t)r * f.n_targets;

		forest_scores(c, &f, (size_t)r, y, NULL);
		ml_transform_row(f.transform, y, f.n_targets);
	}
	return rc;
}

/* Sums of leaf weights; which leaf is reached moves with X itself, in the noisy runs. */
static int tree_ensemble_scale(struct call *c, int out, double *s)
{
	struct forest f = {0};
	int64_t rows;
	double *scores;
	int rc = forest_read(c, &f, &rows);

	scores = rc ? NULL : call_scratch(c, f.n_targets, sizeof *scores);
	if (!scores)
		return c->err->code;
	for (int64_t r = 0; r < rows && !rc; r++) {
		double *size = s + (size_t)r * f.n_targets;

		forest_scores(c, &f, (size_t)r, scores, size);
		for (size_t t = 0; t < f.n_targets; t++)
			size[t] = size[t] * noise_growth((double)f.n_roots) +
				  ml_transform_noise(f.transform, c->out[out]->f[(size_t)r * f.n_targets + t]);
	}
	return rc;
}

const struct op op_tree_ensemble = {
	.in = {{"X", T_REAL, 'T', 0}},
	.out = {{"Y", T_REAL, 'T', 0}},
	.attrs = tree_ensemble_attrs,
	.infer = tree_ensemble_infer,
	.eval = tree_ensemble_eval,
	.scale = tree_ensemble_scale,
};
