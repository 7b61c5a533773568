/* repair.c - after an edit: shapes anew, and weights that no longer fit made again.
 *
 * A layer that has other filters, strides or padding gives another shape, and the weights of the layers behind it must
 * follow.  Which shape a weight has to have is a row of `rules`: a function of the operator's first input, its
 * attributes and the weight as it was. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/search/internal.h"
#include "ops/attr.h"
#include "tensor/stats.h"

/* ---- what shape a weight must have ------------------------------------------------------------------------------- */

/* Shape of input i; 0: no say. */
typedef int shape_fn(const struct node *n, int i, int64_t *dims);

static const struct tensor *weight(const struct node *n, int i)
{
	return i < n->n_in && n->in[i] ? n->in[i]->init : NULL;
}

static int gemm_shape(const struct node *n, int i, int64_t *dims)
{
	const struct type *x = &n->in[0]->type;
	const struct tensor *b = weight(n, 1);
	int across = attr_int(n, "transB") != 0;
	int64_t depth = x->dims[attr_int(n, "transA") ? 0 : 1], units;

	if (x->rank != 2 || !b || b->rank != 2)
		return 0;
	units = b->dims[across ? 0 : 1];
	dims[0] = i == 2 || across ? units : depth;
	dims[1] = across ? depth : units;
	return i == 2 ? 1 : 2;
}

static int matmul_shape(const struct node *n, int i, int64_t *dims)
{
	const struct type *x = &n->in[0]->type;
	const struct tensor *b = weight(n, 1);

	if (i != 1 || !b || b->rank != 2)
		return 0;
	dims[0] = x->dims[x->rank - 1];
	dims[1] = b->dims[1];
	return 2;
}

/* [M, C / group, kernel …], or of transposed ones [C, M / group, kernel …]; bias [M]. */
static int conv_weight(const struct node *n, int transposed, int64_t *dims)
{
	const struct type *x = &n->in[0]->type;
	const struct tensor *w = weight(n, 1);
	int64_t group = attr_int(n, "group"), filters;
	size_t count = 0;
	const int64_t *kernel = node_ints(n, "kernel_shape", &count);

	if (!w && group >= 1 && x->rank >= 3 && count + 2 == (size_t)x->rank && !(x->dims[1] % group)) {
		dims[0] = x->dims[1]; /* a new layer, which keeps the shape */
		dims[1] = x->dims[1] / group;
		memcpy(dims + 2, kernel, count * sizeof *dims);
		return x->rank;
	}
	if (!w || w->rank != x->rank || w->rank < 3 || group < 1 || x->dims[1] % group)
		return 0;
	memcpy(dims, w->dims, sizeof *dims * (size_t)w->rank);
	filters = transposed ? w->dims[1] * group : (w->dims[0] + group - 1) / group * group;
	dims[0] = transposed ? x->dims[1] : filters;
	dims[1] = transposed ? filters / group : x->dims[1] / group;
	for (size_t k = 0; k < count && k + 2 < (size_t)w->rank; k++)
		dims[k + 2] = kernel[k];
	return w->rank;
}

static int conv_shape(const struct node *n, int i, int64_t *dims)
{
	if (i == 1)
		return conv_weight(n, 0, dims);
	if (!weight(n, 1))
		return 0;
	dims[0] = weight(n, 1)->dims[0];
	return 1;
}

static int conv_transpose_shape(const struct node *n, int i, int64_t *dims)
{
	if (i == 1)
		return conv_weight(n, 1, dims);
	if (!weight(n, 1))
		return 0;
	dims[0] = weight(n, 1)->dims[1] * attr_int(n, "group");
	return 1;
}

static int channels_shape(const struct node *n, int i, int64_t *dims)
{
	(void)i;
	if (n->in[0]->type.rank < 2)
		return 0;
	dims[0] = n->in[0]->type.dims[1];
	return 1;
}

/* W [directions, gates * hidden, input], R [directions, gates * hidden, hidden], B [directions, 2 * gates * hidden] */
static int recurrent(const struct node *n, int64_t gates, int i, int64_t *dims)
{
	const struct type *x = &n->in[0]->type;
	int64_t hidden = node_int(n, "hidden_size", 0); /* no default: the weights tell it, which are to be made */

	if (x->rank != 3 || hidden < 1)
		return 0;
	dims[0] = strcmp(attr_string(n, "direction"), "bidirectional") ? 1 : 2;
	dims[1] = (i == 3 ? 2 : 1) * gates * hidden;
	dims[2] = i == 1 ? x->dims[2] : hidden;
	return i == 3 ? 2 : 3;
}

static int rnn_shape(const struct node *n, int i, int64_t *dims)
{
	return recurrent(n, 1, i, dims);
}

static int gru_shape(const struct node *n, int i, int64_t *dims)
{
	return recurrent(n, 3, i, dims);
}

static int lstm_shape(const struct node *n, int i, int64_t *dims)
{
	return recurrent(n, 4, i, dims);
}

static const struct repair_rule {
	const char *op;
	int last; /* weights are inputs 1 … last */
	shape_fn *shape;
} rules[] = {
	{"Gemm", 2, gemm_shape},
	{"MatMul", 1, matmul_shape},
	{"Conv", 2, conv_shape},
	{"ConvTranspose", 2, conv_transpose_shape},
	{"BatchNormalization", 4, channels_shape},
	{"RNN", 3, rnn_shape},
	{"GRU", 3, gru_shape},
	{"LSTM", 3, lstm_shape},
};

/* ---- new weights ------------------------------------------------------------------------------------------------- */

/* As far spread as the old one; where all of that was positive (a variance), so is this.  Without an old one: a kernel
 * keeps its input's spread, nearly; all else is around 1, which every statistic may be. */
static struct tensor *draw(const struct tensor *old, int rank, const int64_t *dims, struct rng *rng, struct err *e)
{
	struct tensor_stats s = {.mean = 1, .std = 0.1, .min = 1};
	struct tensor *t = tensor_new(old ? old->dtype : DT_FLOAT, rank, dims, e), *packed;

	if (old)
		tensor_stats(old, &s);
	else if (rank > 2 && t && t->count)
		s = (struct tensor_stats){.std = sqrt((double)dims[0] / (double)t->count)};
	for (size_t i = 0; t && i < t->count; i++) {
		double x = s.mean + s.std * rng_normal(rng);

		t->f[i] = isnan(x) ? 0 : s.min > 0 ? fabs(x) : x;
	}
	if (t)
		tensor_round(t);
	packed = t ? tensor_pack(t, e) : NULL;
	tensor_unref(t);
	return packed;
}

int repair_set(struct node *n, int i, struct tensor *take, struct err *e)
{
	struct wire *w;
	char name[300];
	unsigned k = 0;
	int rc;

	do
		snprintf(name, sizeof name, "%.200s.weight%d_%u", n->name, i, k++);
	while (graph_wire(n->graph, name));
	rc = graph_add_init(n->graph, name, take, &w, e);
	if (!rc)
		n->in[i] = w;
	return rc;
}

int repair_weight(struct node *n, int i, int rank, const int64_t *dims, struct rng *rng, struct err *e)
{
	struct tensor *t = draw(weight(n, i), rank, dims, rng, e);

	return t ? repair_set(n, i, t, e) : e->code;
}

/* ---- repair ------------------------------------------------------------------------------------------------------ */

static int fits(const struct tensor *t, int rank, const int64_t *dims)
{
	return t && t->rank == rank && !memcmp(t->dims, dims, sizeof *dims * (size_t)rank);
}

static int sane(int rank, const int64_t *dims)
{
	struct err ignored = ERR_INIT;
	size_t count;

	return rank > 0 && !tensor_shape_count(rank, dims, &count, &ignored) && count && count < (size_t)1 << 26;
}

/* *made: weights that were made again. */
static int repair_node(struct node *n, const struct repair_rule *r, struct rng *rng, int *made, struct err *e)
{
	int rc = 0;

	for (int i = 1; i <= r->last && i < n->n_in && !rc; i++) {
		int required = n->op && !(n->op->in[i].flags & PORT_OPTIONAL);
		int64_t dims[TENSOR_MAX_RANK];
		int rank;

		if (n->in[i] ? !n->in[i]->init : !required)
			continue;
		rank = r->shape(n, i, dims);
		if (!sane(rank, dims) || fits(weight(n, i), rank, dims))
			continue;
		rc = repair_weight(n, i, rank, dims, rng, e);
		*made += 1;
	}
	return rc;
}

static const struct repair_rule *find_rule(const struct node *n)
{
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
		if (!strcmp(rules[k].op, n->op_type) && !*n->domain)
			return &rules[k];
	return NULL;
}

/* A model in which a weight is missing cannot be bound, and so not be inferred: that of a new node is made before. */
int repair_new_node(struct node *n, struct rng *rng, struct err *e)
{
	const struct repair_rule *r = find_rule(n);
	const struct op_row *row = ops_find("", n->op_type);
	int made = 0, rc;

	if (!r || !row || !type_is_static(&n->in[0]->type))
		return 0;
	n->op = row->op; /* for the defaults of its attributes */
	n->version = n->opset;
	rc = repair_node(n, r, rng, &made, e);
	n->op = NULL;
	n->version = 0;
	return rc;
}

static int repair_all(struct model *m, struct rng *rng, int *made, struct err *e)
{
	*made = 0;
	for (size_t i = 0; i < m->graph->nodes.n; i++) {
		struct node *n = m->graph->nodes.at[i];
		const struct repair_rule *r;

		if (!n->n_in || !n->in[0] || n->in[0]->type.rank < 2 || !type_is_static(&n->in[0]->type))
			continue;
		r = find_rule(n);
		if (r && repair_node(n, r, rng, made, e))
			return e->code;
	}
	return 0;
}

void repair_forget(struct model *m)
{
	const struct graph *g = m->graph;

	for (size_t i = 0; i < g->wires.n; i++)
		if (g->wires.at[i]->producer)
			g->wires.at[i]->type = (struct type)TYPE_INIT;
	for (size_t i = 0; i < g->outputs.n; i++) /* a file says at least of what type its outputs are */
		if (g->outputs.at[i]->producer) {
			g->outputs.at[i]->type.kind = VALUE_TENSOR;
			g->outputs.at[i]->type.dtype = DT_FLOAT;
		}
}

/* Windows wider than what they see leave nothing, which ONNX does not speak of and libraries refuse. */
static int refuse_empty(const struct model *m, struct err *e)
{
	for (size_t i = 0; i < m->graph->wires.n; i++) {
		const struct wire *w = m->graph->wires.at[i];

		for (int k = 0; w->producer && k < w->type.rank; k++)
			if (w->type.dims[k] == 0)
				return err_set(e, ERR_INPUT, "tensor '%s' has no elements", w->name);
	}
	return 0;
}

int repair_model(struct model *m, struct rng *rng, struct err *e)
{
	/* Each round settles at least one node more. */
	for (size_t round = 0; round <= m->graph->nodes.n; round++) {
		struct err trouble = ERR_INIT;
		int made, rc;

		repair_forget(m);
		err_clear(e);
		rc = ops_bind(m, e);
		if (!rc)
			rc = ops_infer(m, e);
		if (repair_all(m, rng, &made, &trouble)) {
			*e = trouble;
			return e->code;
		}
		if (!made)
			return rc ? rc : refuse_empty(m, e);
	}
	return err_set(e, ERR_INPUT, "the weights do not settle");
}
