/* fill.c - random weights for a network whose file has none.
 *
 * The light models that ONNX is tested with are ImageNet networks whose weights are all one number, made by
 * ConstantOfShape: every class gets the same score, and nothing is tested but shapes.  Here such a tensor becomes an
 * initializer of random numbers of the size that its use asks for (He's initialization; statistics of a batch
 * normalization that are none of 0). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ops/attr.h"
#include "zoo/zoo.h"

/* What a tensor of weights is for: an operator and the place of an input. */
struct use {
	const char *op;
	int slot;
	double lo, hi; /* uniform between them */
};

static const struct use uses[] = {
	{"BatchNormalization", 1, 0.4, 1},
	{"BatchNormalization", 2, -0.1, 0.1},
	{"BatchNormalization", 3, -0.1, 0.1},
	{"BatchNormalization", 4, 0.5, 1.5},
};

/* The node that reads it first, and where; NULL: none does. */
static const struct node *reader_of(const struct graph *g, const struct wire *w, int *slot)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == w) {
				*slot = k;
				return g->nodes.at[i];
			}
	return NULL;
}

static const struct use *find_use(const struct node *reader, int slot)
{
	for (size_t i = 0; reader && i < sizeof uses / sizeof *uses; i++)
		if (!strcmp(uses[i].op, reader->op_type) && uses[i].slot == slot)
			return &uses[i];
	return NULL;
}

/* Numbers that are added up for one output. */
static double fan_in(const struct node *reader, const struct tensor *t)
{
	int columns = reader && (!strcmp(reader->op_type, "MatMul") ||
				 (!*reader->domain && !strcmp(reader->op_type, "Gemm") && !attr_int(reader, "transB")));

	return columns ? (double)t->dims[0] : (double)t->count / (double)t->dims[0];
}

static struct tensor *weights_for(const struct graph *g, const struct wire *w, const struct tensor *shape,
				  const struct rng *root, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct rng r = rng_split(root, hash_text(w->name));
	const struct node *reader;
	const struct use *use;
	struct tensor *t;
	int slot = 0;

	for (size_t i = 0; i < shape->count && i < TENSOR_MAX_RANK; i++)
		dims[i] = ((const int64_t *)shape->data)[i];
	t = tensor_new(DT_FLOAT, (int)shape->count, dims, e);
	reader = reader_of(g, w, &slot);
	use = find_use(reader, slot);
	for (size_t i = 0; t && i < t->count; i++) {
		double deviation = t->rank > 1 ? sqrt(2 / fan_in(reader, t)) : 0.05;

		t->f[i] = use ? rng_uniform(&r, use->lo, use->hi) : deviation * rng_normal(&r);
	}
	return t;
}

/* A tensor of one number that a constant shape asks for. */
static const struct tensor *constant_shape(const struct node *n)
{
	const struct tensor *shape = n->n_in == 1 && n->in[0] ? n->in[0]->init : NULL;
	const struct attr *value = node_attr(n, "value");
	int is_float = !value || (value->type == ATTR_TENSOR && value->t->dtype == DT_FLOAT);

	if (strcmp(n->op_type, "ConstantOfShape") || *n->domain || !is_float || n->n_out != 1 || !n->out[0])
		return NULL;
	return shape && shape->dtype == DT_INT64 && shape->rank == 1 && shape->count && shape->count <= TENSOR_MAX_RANK
		       ? shape
		       : NULL;
}

static int fill(struct graph *g, struct wire *w, const struct tensor *shape, const struct rng *root, struct err *e)
{
	struct tensor *t = weights_for(g, w, shape, root, e), *packed = t ? tensor_pack(t, e) : NULL;
	struct wire *init = NULL;
	char name[512];
	int rc;

	tensor_unref(t);
	if (!packed)
		return e->code;
	snprintf(name, sizeof name, "%s.filled", w->name);
	rc = graph_add_init(g, name, packed, &init, e);
	if (!rc && graph_replace_uses(g, w, init))
		rc = err_set(e, ERR_INPUT, "cannot fill '%s'", w->name);
	return rc;
}

int zoo_fill(struct model *m, uint64_t seed, size_t *filled, struct err *e)
{
	struct graph *g = m->graph;
	struct rng root;
	int rc = 0;

	*filled = 0;
	rng_init(&root, seed);
	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		const struct tensor *shape = constant_shape(g->nodes.at[i]);

		if (!shape)
			continue;
		rc = fill(g, g->nodes.at[i]->out[0], shape, &root, e);
		(*filled)++;
	}
	if (!rc)
		graph_remove_dead(g);
	return rc;
}
