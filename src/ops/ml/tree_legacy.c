/* tree_legacy.c - TreeEnsembleRegressor and TreeEnsembleClassifier (1, 3, 5): nodes named by tree id and node id,
 * leaves among them, weights in lists that name their leaf. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ml/tree.h"

#define T_FEATURE (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT64) | TM(DT_INT32))

#define NODE_ATTRS                                                                                          \
	OP_ATTR("nodes_treeids", ATTR_INTS), OP_ATTR("nodes_nodeids", ATTR_INTS),                           \
		OP_ATTR("nodes_featureids", ATTR_INTS), OP_ATTR("nodes_values", ATTR_FLOATS),               \
		OP_ATTR("nodes_values_as_tensor", ATTR_TENSOR), OP_ATTR("nodes_hitrates", ATTR_FLOATS),     \
		OP_ATTR("nodes_hitrates_as_tensor", ATTR_TENSOR), OP_ATTR("nodes_modes", ATTR_STRINGS),     \
		OP_ATTR("nodes_truenodeids", ATTR_INTS), OP_ATTR("nodes_falsenodeids", ATTR_INTS),          \
		OP_ATTR("nodes_missing_value_tracks_true", ATTR_INTS), OP_ATTR("base_values", ATTR_FLOATS), \
		OP_ATTR("base_values_as_tensor", ATTR_TENSOR), OP_STRING("post_transform", "NONE")

/* A node's name; index is its place in the lists. */
struct name {
	int64_t tree, node;
	size_t index;
};

struct tree_reader {
	struct forest forest;
	struct name *names; /* sorted */
	unsigned char *has_parent;
};

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int ints_of(struct call *c, const char *prefix, const char *suffix, size_t n, int required, const int64_t **list)
{
	char name[64];
	size_t count;

	snprintf(name, sizeof name, "%s_%s", prefix, suffix);
	*list = node_ints(c->node, name, &count);
	if ((count || required) && count != n)
		return call_bad(c, "attribute '%s' has %zu items, wanted %zu", name, count, n);
	if (!count)
		*list = NULL;
	return 0;
}

/* <name>, or <name>_as_tensor; n items, or none at all when not required (*list NULL). */
static int numbers_of(struct call *c, const char *name, size_t n, int required, const double **list)
{
	char other[64];
	const struct attr *a;
	size_t count;
	double *copy;

	*list = node_floats(c->node, name, &count);
	snprintf(other, sizeof other, "%s_as_tensor", name);
	a = node_attr(c->node, other);
	if (a && !count) {
		count = a->t->count;
		if (dtype_wide(a->t->dtype) != WIDE_F64)
			return call_bad(c, "attribute '%s' has no floats", other);
		copy = call_scratch(c, count + 1, sizeof *copy);
		if (!copy)
			return c->err->code;
		for (size_t i = 0; i < count; i++)
			copy[i] = tensor_get(a->t, i);
		*list = copy;
	}
	if ((count || required) && count != n)
		return call_bad(c, "attribute '%s' has %zu items, wanted %zu", name, count, n);
	if (!count)
		*list = NULL;
	return 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Place of a node in the lists, SIZE_MAX when there is none of that name. */
static size_t find_node(const struct tree_reader *r, int64_t tree, int64_t node)
{
	struct name key = {tree, node, 0};
	const struct name *found = bsearch(&key, r->names, r->forest.n_nodes, sizeof key, by_name);

	return found ? found->index : SIZE_MAX;
}

static int mode_of(struct call *c, const struct bytes *s, enum tree_mode *mode)
{
	static const char *const names[TREE_MODE_COUNT] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
							   "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};

	for (int i = 0; i < TREE_MODE_COUNT; i++)
		if (i != TREE_MEMBER && strlen(names[i]) == s->n && !memcmp(names[i], s->p, s->n)) {
			*mode = (enum tree_mode)i;
			return 0;
		}
	return call_bad(c, "nodes_modes has '%.*s', which is not known", (int)(s->n < 40 ? s->n : 40), s->p);
}

/* Names of all nodes, sorted; each may be there once. */
static int read_names(struct call *c, struct tree_reader *r, const int64_t *trees, const int64_t *ids)
{
	size_t n = r->forest.n_nodes;

	r->names = call_scratch(c, n + 1, sizeof *r->names);
	r->has_parent = call_scratch(c, n + 1, 1);
	if (!r->names || !r->has_parent)
		return c->err->code;
	for (size_t i = 0; i < n; i++)
		r->names[i] = (struct name){trees[i], ids[i], i};
	qsort(r->names, n, sizeof *r->names, by_name);
	for (size_t i = 1; i < n; i++)
		if (!by_name(&r->names[i - 1], &r->names[i]))
			return call_bad(c, "node %lld of tree %lld is there twice", (long long)r->names[i].node,
					(long long)r->names[i].tree);
	return 0;
}

/* A leaf's number is its node's place. */
static struct tree_link link_to(struct tree_reader *r, int64_t tree, int64_t node)
{
	size_t at = find_node(r, tree, node);

	if (at == SIZE_MAX)
		return (struct tree_link){SIZE_MAX, 0};
	r->has_parent[at] = 1;
	return (struct tree_link){at, r->forest.nodes[at].mode == TREE_LEAF};
}

static int read_nodes(struct call *c, struct tree_reader *r)
{
	const struct attr *modes = node_attr(c->node, "nodes_modes");
	const int64_t *trees, *ids, *features, *yes, *no, *nan_true;
	const double *values;
	struct forest *f = &r->forest;
	size_t n = modes ? modes->n : 0;
	int rc;

	if ((rc = ints_of(c, "nodes", "treeids", n, 1, &trees)) || (rc = ints_of(c, "nodes", "nodeids", n, 1, &ids)) ||
	    (rc = ints_of(c, "nodes", "featureids", n, 1, &features)) ||
	    (rc = ints_of(c, "nodes", "truenodeids", n, 1, &yes)) ||
	    (rc = ints_of(c, "nodes", "falsenodeids", n, 1, &no)) ||
	    (rc = ints_of(c, "nodes", "missing_value_tracks_true", n, 0, &nan_true)) ||
	    (rc = numbers_of(c, "nodes_values", n, 1, &values)))
		return rc;
	f->n_nodes = f->n_leaves = n;
	f->nodes = call_scratch(c, n + 1, sizeof *f->nodes);
	rc = f->nodes ? read_names(c, r, trees, ids) : c->err->code;
	for (size_t i = 0; i < n && !rc; i++)
		rc = mode_of(c, &modes->strings[i], &f->nodes[i].mode);
	for (size_t i = 0; i < n && !rc; i++) {
		struct tree_node *node = &f->nodes[i];

		if (node->mode == TREE_LEAF)
			continue;
		node->feature = (size_t)features[i];
		node->value = values[i];
		node->nan_is_true = nan_true && nan_true[i];
		node->yes = link_to(r, trees[i], yes[i]);
		node->no = link_to(r, trees[i], no[i]);
	}
	return rc;
}

/* The root of a tree is its one node without a parent. */
static int find_roots(struct call *c, struct tree_reader *r)
{
	struct forest *f = &r->forest;

	f->roots = call_scratch(c, f->n_nodes + 1, sizeof *f->roots);
	if (!f->roots)
		return c->err->code;
	for (size_t i = 0, found = 0; i < f->n_nodes; i++) {
		const struct name *name = &r->names[i];

		if (i == 0 || name->tree != name[-1].tree)
			found = 0;
		if (r->has_parent[name->index])
			continue;
		if (found++)
			return call_bad(c, "tree %lld has two roots", (long long)name->tree);
		f->roots[f->n_roots++] = (struct tree_link){name->index, f->nodes[name->index].mode == TREE_LEAF};
	}
	return 0;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* <prefix>_treeids, _nodeids, _ids, _weights */
static int read_votes(struct call *c, struct tree_reader *r, const char *prefix, const char *weights_name)
{
	const int64_t *trees, *nodes, *targets;
	const double *weights;
	struct forest *f = &r->forest;
	char name[64];
	size_t n;
	int rc;

	snprintf(name, sizeof name, "%s_ids", prefix);
	node_ints(c->node, name, &n);
	if ((rc = ints_of(c, prefix, "ids", n, 1, &targets)) || (rc = ints_of(c, prefix, "treeids", n, 1, &trees)) ||
	    (rc = ints_of(c, prefix, "nodeids", n, 1, &nodes)) || (rc = numbers_of(c, weights_name, n, 1, &weights)))
		return rc;
	f->n_votes = n;
	f->votes = call_scratch(c, n + 1, sizeof *f->votes);
	if (!f->votes)
		return c->err->code;
	for (size_t i = 0; i < n; i++)
		f->votes[i] = (struct tree_vote){find_node(r, trees[i], nodes[i]), (size_t)targets[i], weights[i]};
	return forest_index_votes(c, f);
}

static int reader_open(struct call *c, struct tree_reader *r, const char *prefix, const char *weights, int64_t *rows)
{
	int64_t features;
	int rc = ml_rows(c, rows, &features);

	if (rc || (rc = ml_transform_read(c, &r->forest.transform)) || (rc = read_nodes(c, r)) ||
	    (rc = find_roots(c, r)) || (rc = read_votes(c, r, prefix, weights)) ||
	    (rc = numbers_of(c, "base_values", r->forest.n_targets, 0, &r->forest.base)))
		return rc;
	return forest_check(c, &r->forest, features);
}

/* Scores and, when `size` is wanted, how far rounding moves them, of all rows. */
static void score_rows(const struct call *c, const struct forest *f, int64_t rows, double *scores, double *size)
{
	for (int64_t r = 0; r < rows; r++)
		forest_scores(c, f, (size_t)r, scores + (size_t)r * f->n_targets,
			      size ? size + (size_t)r * f->n_targets : NULL);
	for (size_t i = 0; size && i < (size_t)rows * f->n_targets; i++)
		size[i] *= noise_growth((double)f->n_roots);
}

static double *scratch_scores(struct call *c, const struct forest *f, int64_t rows)
{
	return call_scratch(c, (size_t)rows * f->n_targets + 1, sizeof(double));
}

/* ---- TreeEnsembleRegressor --------------------------------------------------------------------------------------- */

static int open_regressor(struct call *c, struct tree_reader *r, int64_t *rows)
{
	static const char *const names[TREE_AGGREGATE_COUNT] = {"AVERAGE", "SUM", "MIN", "MAX"};
	const char *name = attr_string(c->node, "aggregate_function");
	int64_t targets = node_int(c->node, "n_targets", 1); /* ONNX names no default; one is what a tree has */
	int k = 0;

	while (k < TREE_AGGREGATE_COUNT && strcmp(name, names[k]) != 0)
		k++;
	if (k == TREE_AGGREGATE_COUNT)
		return call_bad(c, "aggregate_function '%s' is not known", name);
	if (targets < 1 || targets > INT32_MAX)
		return call_bad(c, "n_targets is %lld", (long long)targets);
	*r = (struct tree_reader){.forest = {.aggregate = (enum tree_aggregate)k, .n_targets = (size_t)targets}};
	return reader_open(c, r, "target", "target_weights", rows);
}

static int tree_ensemble_regressor_infer(struct call *c)
{
	struct tree_reader r;
	int64_t dims[2];
	int rc = open_regressor(c, &r, &dims[0]);

	if (rc)
		return rc;
	dims[1] = (int64_t)r.forest.n_targets;
	call_out(c, 0, DT_FLOAT, 2, dims);
	return 0;
}

static int tree_ensemble_regressor_eval(struct call *c)
{
	struct tree_reader r;
	int64_t rows;
	int rc = open_regressor(c, &r, &rows);

	if (!rc)
		score_rows(c, &r.forest, rows, c->out[0]->f, NULL);
	for (int64_t i = 0; i < rows && !rc; i++)
		ml_transform_row(r.forest.transform, c->out[0]->f + (size_t)i * r.forest.n_targets, r.forest.n_targets);
	return rc;
}

/* The scores' own noise, and that of their transform. */
static int scale_rows(struct call *c, const struct forest *f, int64_t rows, int out, double *s)
{
	double *scores = scratch_scores(c, f, rows);

	if (!scores)
		return c->err->code;
	score_rows(c, f, rows, scores, s);
	for (size_t i = 0; i < c->out[out]->count; i++)
		s[i] += ml_transform_noise(f->transform, c->out[out]->f[i]);
	return 0;
}

static int tree_ensemble_regressor_scale(struct call *c, int out, double *s)
{
	struct tree_reader r;
	int64_t rows;
	int rc = open_regressor(c, &r, &rows);

	return rc ? rc : scale_rows(c, &r.forest, rows, out, s);
}

static const struct op_attr regressor_attrs[] = {
	NODE_ATTRS,
	OP_STRING("aggregate_function", "SUM"),
	OP_ATTR("n_targets", ATTR_INT),
	OP_ATTR("target_ids", ATTR_INTS),
	OP_ATTR("target_nodeids", ATTR_INTS),
	OP_ATTR("target_treeids", ATTR_INTS),
	OP_ATTR("target_weights", ATTR_FLOATS),
	OP_ATTR("target_weights_as_tensor", ATTR_TENSOR),
	{0},
};

const struct op op_tree_ensemble_regressor = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = regressor_attrs,
	.infer = tree_ensemble_regressor_infer,
	.eval = tree_ensemble_regressor_eval,
	.scale = tree_ensemble_regressor_scale,
};

/* ---- TreeEnsembleClassifier -------------------------------------------------------------------------------------- */

/* Two classes with weights for one of them only: what the other's score is, and where the border lies, is not written
 * down, and libraries differ. */
static int is_one_sided(const struct forest *f)
{
	for (size_t i = 1; i < f->n_votes; i++)
		if (f->votes[i].target != f->votes[0].target)
			return 0;
	return f->n_targets <= 2;
}

static int open_classifier(struct call *c, struct tree_reader *r, struct ml_labels *labels, int64_t *rows)
{
	int rc = ml_labels_read(c, "classlabels_int64s", labels);

	if (rc)
		return rc;
	*r = (struct tree_reader){.forest = {.aggregate = TREE_SUM, .n_targets = labels->n}};
	rc = reader_open(c, r, "class", "class_weights", rows);
	if (!rc && is_one_sided(&r->forest))
		rc = call_unsupported(c, "weights for one of two classes: the specification does not say how the score "
					 "becomes a class");
	return rc;
}

static int tree_ensemble_classifier_infer(struct call *c)
{
	struct ml_labels labels;
	struct tree_reader r;
	int64_t dims[2];
	int rc = open_classifier(c, &r, &labels, &dims[0]);

	if (rc)
		return rc;
	dims[1] = (int64_t)labels.n;
	call_out(c, 0, ml_labels_dtype(&labels), 1, dims);
	call_out(c, 1, DT_FLOAT, 2, dims);
	return 0;
}

static int tree_ensemble_classifier_eval(struct call *c)
{
	struct ml_labels labels;
	struct tree_reader r;
	int64_t rows;
	double *scores;
	int rc = open_classifier(c, &r, &labels, &rows);

	scores = rc ? NULL : scratch_scores(c, &r.forest, rows);
	if (!scores)
		return c->err->code;
	score_rows(c, &r.forest, rows, scores, NULL);
	for (int64_t i = 0; i < rows && !rc; i++) {
		double *row = scores + (size_t)i * labels.n;

		rc = ml_labels_store(c, &labels, (size_t)i, row);
		ml_transform_row(r.forest.transform, row, labels.n);
	}
	for (size_t i = 0; !rc && call_wants(c, 1) && i < c->out[1]->count; i++)
		c->out[1]->f[i] = scores[i];
	return rc;
}

static int tree_ensemble_classifier_scale(struct call *c, int out, double *s)
{
	struct ml_labels labels;
	struct tree_reader r;
	int64_t rows;
	int rc = open_classifier(c, &r, &labels, &rows);

	return rc ? rc : scale_rows(c, &r.forest, rows, out, s);
}

static const struct op_attr classifier_attrs[] = {
	NODE_ATTRS,
	OP_ATTR("class_ids", ATTR_INTS),
	OP_ATTR("class_nodeids", ATTR_INTS),
	OP_ATTR("class_treeids", ATTR_INTS),
	OP_ATTR("class_weights", ATTR_FLOATS),
	OP_ATTR("class_weights_as_tensor", ATTR_TENSOR),
	OP_ATTR("classlabels_int64s", ATTR_INTS),
	OP_ATTR("classlabels_strings", ATTR_STRINGS),
	{0},
};

const struct op op_tree_ensemble_classifier = {
	.in = {{"X", T_FEATURE, 0, 0}},
	.out = {{"Y", T_STRING | T_I64, 0, 0}, {"Z", TM(DT_FLOAT), 0, 0}},
	.attrs = classifier_attrs,
	.infer = tree_ensemble_classifier_infer,
	.eval = tree_ensemble_classifier_eval,
	.scale = tree_ensemble_classifier_scale,
};
