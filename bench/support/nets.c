/* nets.c - see nets.h. */
#include "nets.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bench.h"
#include "model/case.h"
#include "reference/reference.h"
#include "tensor/stats.h"

#define OPSET 13 /* at least: what the networks themselves need */
#define CHANNELS 8
#define SIDE 8
#define TOKENS 16
#define WIDTH 24
#define STEPS 12
#define HIDDEN 16
#define BATCH 2
#define CLASSES 10

/* A network while it is built. */
struct builder {
	struct graph *g;
	struct rng rng;
	int names;
	struct err e;
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void check(struct builder *b, int rc)
{
	if (rc)
		bench_die(&b->e);
}

static const char *fresh(struct builder *b, const char *what)
{
	return arena_printf(&b->g->model->arena, "%s_%d", what, b->names++);
}

/* Inputs end with NULL. */
static struct wire *op(struct builder *b, const char *type, struct wire *first, ...)
{
	struct wire *in[8] = {first};
	const char *out = fresh(b, type);
	struct node *n;
	va_list more;
	int count = 1;

	va_start(more, first);
	while ((in[count] = va_arg(more, struct wire *)))
		count++;
	va_end(more);
	check(b, graph_append_node(b->g, type, in, count, out, &n, &b->e));
	return n->out[0];
}

static struct wire *constant(struct builder *b, struct tensor *wide)
{
	struct tensor *packed = wide ? tensor_pack(wide, &b->e) : NULL;
	struct wire *w;

	tensor_unref(wide);
	if (!packed)
		bench_die(&b->e);
	check(b, graph_add_init(b->g, fresh(b, "w"), packed, &w, &b->e));
	return w;
}

static struct wire *weights(struct builder *b, double lo, double hi, int rank, const int64_t *dims)
{
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, &b->e);

	if (!t || tensor_fill_random(t, &b->rng, lo, hi, &b->e))
		bench_die(&b->e);
	return constant(b, t);
}

static struct wire *number(struct builder *b, double x)
{
	return constant(b, tensor_scalar_f(DT_FLOAT, x, &b->e));
}

static struct wire *ints(struct builder *b, const int64_t *x, int64_t n)
{
	struct tensor *t = tensor_new(DT_INT64, 1, &n, &b->e);

	if (!t)
		bench_die(&b->e);
	memcpy(t->i, x, (size_t)n * sizeof *x);
	return constant(b, t);
}

static struct wire *reshape(struct builder *b, struct wire *x, const int64_t *dims, int64_t n)
{
	return op(b, "Reshape", x, ints(b, dims, n), NULL);
}

/* ---- layers of networks on images -------------------------------------------------------------------------------- */

static struct wire *conv(struct builder *b, struct wire *x, int64_t from, int64_t to, int64_t side, int64_t group)
{
	double bound = sqrt(3.0 / (double)(from / group * side * side));
	struct wire *w = weights(b, -bound, bound, 4, (int64_t[]){to, from / group, side, side});
	struct wire *y = op(b, "Conv", x, w, NULL);
	int64_t pad = side / 2;

	check(b, node_set_ints(y->producer, "pads", (int64_t[]){pad, pad, pad, pad}, 4, &b->e));
	check(b, node_set_int(y->producer, "group", group, &b->e));
	return y;
}

static struct wire *batch_norm(struct builder *b, struct wire *x, int64_t n)
{
	return op(b, "BatchNormalization", x, weights(b, 0.5, 1.5, 1, &n), weights(b, -0.5, 0.5, 1, &n),
		  weights(b, -0.5, 0.5, 1, &n), weights(b, 0.5, 1.5, 1, &n), NULL);
}

static struct wire *residual(struct builder *b, struct wire *x)
{
	struct wire *y = op(b, "Relu", batch_norm(b, conv(b, x, CHANNELS, CHANNELS, 3, 1), CHANNELS), NULL);

	y = batch_norm(b, conv(b, y, CHANNELS, CHANNELS, 3, 1), CHANNELS);
	return op(b, "Relu", op(b, "Add", x, y, NULL), NULL);
}

static struct wire *relu6(struct builder *b, struct wire *x)
{
	return op(b, "Clip", x, number(b, 0), number(b, 6), NULL);
}

static struct wire *inverted(struct builder *b, struct wire *x)
{
	const int64_t wide = 2 * CHANNELS;
	struct wire *y = relu6(b, batch_norm(b, conv(b, x, CHANNELS, wide, 1, 1), wide));

	y = relu6(b, batch_norm(b, conv(b, y, wide, wide, 3, wide), wide));
	return op(b, "Add", x, batch_norm(b, conv(b, y, wide, CHANNELS, 1, 1), CHANNELS), NULL);
}

static struct wire *classify(struct builder *b, struct wire *x, int64_t from)
{
	struct wire *y = op(b, "Flatten", x, NULL);

	y = op(b, "Gemm", y, weights(b, -1, 1, 2, (int64_t[]){from, CLASSES}),
	       weights(b, -1, 1, 1, (int64_t[]){CLASSES}), NULL);
	return op(b, "Softmax", y, NULL);
}

/* ---- layers of networks on sequences ----------------------------------------------------------------------------- */

static struct wire *dense(struct builder *b, struct wire *x, int64_t from, int64_t to)
{
	double bound = sqrt(3.0 / (double)from);
	struct wire *y = op(b, "MatMul", x, weights(b, -bound, bound, 2, (int64_t[]){from, to}), NULL);

	return op(b, "Add", y, weights(b, -0.5, 0.5, 1, &to), NULL);
}

static struct wire *normalize(struct builder *b, struct wire *x, int64_t n)
{
	return op(b, "InstanceNormalization", x, weights(b, 0.5, 1.5, 1, &n), weights(b, -0.5, 0.5, 1, &n), NULL);
}

/* x Φ(x), written out as exporters do. */
static struct wire *gelu(struct builder *b, struct wire *x)
{
	struct wire *y = op(b, "Erf", op(b, "Div", x, number(b, sqrt(2)), NULL), NULL);

	return op(b, "Mul", op(b, "Mul", x, op(b, "Add", y, number(b, 1), NULL), NULL), number(b, 0.5), NULL);
}

static struct wire *transformer(struct builder *b, struct wire *x)
{
	struct wire *h = normalize(b, x, TOKENS), *q = dense(b, h, WIDTH, WIDTH), *k = dense(b, h, WIDTH, WIDTH), *y;

	k = op(b, "Transpose", k, NULL);
	check(b, node_set_ints(k->producer, "perm", (int64_t[]){0, 2, 1}, 3, &b->e));
	y = op(b, "Mul", op(b, "MatMul", q, k, NULL), number(b, 1 / sqrt(WIDTH)), NULL);
	y = op(b, "MatMul", op(b, "Softmax", y, NULL), dense(b, h, WIDTH, WIDTH), NULL);
	x = op(b, "Add", x, dense(b, y, WIDTH, WIDTH), NULL);
	y = gelu(b, dense(b, normalize(b, x, TOKENS), WIDTH, 2 * WIDTH));
	return op(b, "Add", x, dense(b, y, 2 * WIDTH, WIDTH), NULL);
}

static struct wire *recurrent(struct builder *b, struct wire *x, const char *type, int64_t gates, int64_t from)
{
	const int64_t rows = gates * HIDDEN;
	double bound = 1 / sqrt((double)HIDDEN);
	struct wire *y = op(b, type, x, weights(b, -bound, bound, 3, (int64_t[]){1, rows, from}),
			    weights(b, -bound, bound, 3, (int64_t[]){1, rows, HIDDEN}),
			    weights(b, -bound, bound, 2, (int64_t[]){1, 2 * rows}), NULL);

	check(b, node_set_int(y->producer, "hidden_size", HIDDEN, &b->e));
	y = op(b, "Squeeze", y, ints(b, (int64_t[]){1}, 1), NULL);
	/* a gate beside it, as highway layers have */
	x = op(b, "Mul", op(b, "Sigmoid", dense(b, y, HIDDEN, HIDDEN), NULL),
	       op(b, "Tanh", dense(b, y, HIDDEN, HIDDEN), NULL), NULL);
	return normalize(b, op(b, "Add", x, y, NULL), BATCH);
}

/* ---- the site ---------------------------------------------------------------------------------------------------- */

static void copy_attrs(struct builder *b, const struct node *from, struct node *to)
{
	for (int i = 0; i < from->n_attrs; i++) {
		const struct attr *a = &from->attrs[i];

		if (a->type == ATTR_INT)
			check(b, node_set_int(to, a->name, a->i, &b->e));
		else if (a->type == ATTR_FLOAT)
			check(b, node_set_float(to, a->name, a->f, &b->e));
		else if (a->type == ATTR_STRING)
			check(b, node_set_string(to, a->name, a->s.p, &b->e));
		else if (a->type == ATTR_INTS)
			check(b, node_set_ints(to, a->name, a->ints, a->n, &b->e));
		else if (a->type == ATTR_FLOATS)
			check(b, node_set_floats(to, a->name, a->floats, a->n, &b->e));
	}
}

/* The first elements of what flows, in the shape of `like`. */
static struct wire *take_part(struct builder *b, struct wire *x, const struct tensor *like)
{
	struct wire *flat = reshape(b, x, (int64_t[]){-1}, 1);

	flat = op(b, "Slice", flat, ints(b, (int64_t[]){0}, 1), ints(b, (int64_t[]){(int64_t)like->count}, 1), NULL);
	return reshape(b, flat, like->dims, like->rank);
}

/* What flows, squeezed into the range of a random input. */
static struct wire *in_range(struct builder *b, struct wire *x, const struct tensor *like)
{
	double lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < like->count; i++) {
		lo = fmin(lo, tensor_get(like, i));
		hi = fmax(hi, tensor_get(like, i));
	}
	x = op(b, "Mul", take_part(b, x, like), weights(b, -6, 6, like->rank, like->dims), NULL);
	x = op(b, "Mul", op(b, "Sigmoid", x, NULL), number(b, hi - lo), NULL);
	return op(b, "Add", x, weights(b, lo, lo, like->rank, like->dims), NULL);
}

/* Given values, chosen by a comparison that is true whatever flows: no rounding on the way. */
static struct wire *given_values(struct builder *b, struct wire *x, struct tensor *given)
{
	struct wire *part = reshape(b, x, (int64_t[]){-1}, 1), *values = constant(b, tensor_widen(given, &b->e));

	part = op(b, "Slice", part, ints(b, (int64_t[]){0}, 1), ints(b, (int64_t[]){1}, 1), NULL);
	return op(b, "Where", op(b, "Equal", part, part, NULL), values, values, NULL);
}

/* The value of a further input of a case, as a new reference. */
static struct tensor *case_value(struct builder *b, const struct op_case *c, const struct wire *w)
{
	if (w->init)
		return tensor_widen(w->init, &b->e);
	for (size_t i = 0; i < c->n; i++)
		if (c->model->graph->inputs.at[i] == w)
			return tensor_ref(c->inputs[i]->tensor);
	return NULL;
}

/* The domain of a case's node, which the network imports as the case does. */
static const char *import(struct builder *b, const struct op_case *c, const struct node *n)
{
	struct model *m = b->g->model;
	struct opset o = {arena_strdup(&m->arena, n->domain), model_opset(c->model, n->domain)};

	if (!model_opset(m, n->domain) && (!o.domain || vec_push(&m->opsets, o)))
		check(b, err_nomem(&b->e, "a domain", sizeof o));
	return o.domain;
}

/* Copies the node of a case; its inputs but the first become initializers. */
static struct wire *copy_site(struct builder *b, const struct op_case *c, struct wire *first)
{
	const struct node *from = c->model->graph->nodes.at[0];
	struct wire *in[8] = {first};
	const char *out[8] = {NULL};
	const struct node_spec spec = {.op_type = from->op_type,
				       .domain = import(b, c, from),
				       .in = in,
				       .n_in = from->n_in,
				       .out = out,
				       .n_out = from->n_out};
	struct node *n;

	for (int i = 1; i < from->n_in; i++)
		if (from->in[i])
			in[i] = constant(b, case_value(b, c, from->in[i]));
	for (int i = 0; i < from->n_out; i++)
		out[i] = fresh(b, NETS_SITE "_out");
	check(b, graph_add_node(b->g, b->g->nodes.n, &spec, &n, &b->e));
	n->name = NETS_SITE;
	copy_attrs(b, from, n);
	return n->out[0];
}

/* Elements of the case's first output, found by running shape inference on the case alone. */
static int64_t output_count(const struct op_case *c, enum dtype *dtype)
{
	struct ref *r;
	struct ref_result y;
	struct ref_options o = {.mode = REF_EXACT};
	struct err e = ERR_INIT;
	int64_t n;

	if (ref_open(c->model, &r, &e) || ref_run(r, c->inputs, c->n, &o, &y, &e))
		bench_die(&e);
	n = (int64_t)y.outputs[0].value->tensor->count;
	*dtype = y.outputs[0].value->dtype;
	ref_result_release(&y);
	ref_close(r);
	return n;
}

/* Puts a case into the flow x; its output goes to each of `width` channels of an image, or features of a sequence. */
static struct wire *site(struct builder *b, const char *line, struct wire *x, int64_t width, int image)
{
	struct op_case c;
	struct tensor *given;
	struct wire *y;
	enum dtype dtype;
	int64_t n;

	check(b, case_parse(line, 5, &c, &b->e));
	given = c.model->graph->nodes.at[0]->in[0]->init;
	y = given ? given_values(b, x, given) : in_range(b, x, c.inputs[0]->tensor);
	n = output_count(&c, &dtype);
	y = copy_site(b, &c, y);
	case_release(&c);
	if (dtype != DT_FLOAT) {
		y = op(b, "Cast", y, NULL);
		check(b, node_set_int(y->producer, "to", DT_FLOAT, &b->e));
	}
	y = op(b, "MatMul", reshape(b, y, (int64_t[]){1, n}, 2),
	       weights(b, -1 / sqrt((double)n), 1 / sqrt((double)n), 2, (int64_t[]){n, width}), NULL);
	y = image ? reshape(b, y, (int64_t[]){1, width, 1, 1}, 4) : reshape(b, y, (int64_t[]){1, 1, width}, 3);
	return op(b, "Add", x, y, NULL);
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

static int opset_of(const char *line)
{
	const char *dash = strchr(line, '-');
	int version = 0;

	return dash && sscanf(dash + 1, "%d", &version) == 1 && version > OPSET ? version : OPSET;
}

static struct wire *begin(struct builder *b, const char *line, uint64_t seed, int rank, const int64_t *dims)
{
	struct type t = TYPE_INIT;
	struct model *m;
	struct wire *x;

	*b = (struct builder){.e = ERR_INIT};
	rng_init(&b->rng, seed);
	check(b, model_new(opset_of(line), &m, &b->e));
	b->g = m->graph;
	type_set(&t, DT_FLOAT, rank, dims);
	check(b, graph_add_input(b->g, "x", &t, &x, &b->e));
	return x;
}

static void end(struct builder *b, struct wire *y, struct model **out)
{
	check(b, graph_add_output(b->g, y, &b->e));
	*out = b->g->model;
}

static struct wire *stem(struct builder *b, struct wire *x)
{
	return op(b, "Relu", batch_norm(b, conv(b, x, 3, CHANNELS, 3, 1), CHANNELS), NULL);
}

static void build_resnet(const char *line, uint64_t seed, struct model **out)
{
	struct builder b;
	struct wire *x = begin(&b, line, seed, 4, (int64_t[]){BATCH, 3, SIDE, SIDE});

	x = residual(&b, residual(&b, stem(&b, x)));
	x = residual(&b, site(&b, line, x, CHANNELS, 1));
	end(&b, classify(&b, op(&b, "GlobalAveragePool", x, NULL), CHANNELS), out);
}

static void build_mobilenet(const char *line, uint64_t seed, struct model **out)
{
	struct builder b;
	struct wire *x = begin(&b, line, seed, 4, (int64_t[]){BATCH, 3, SIDE, SIDE});

	x = inverted(&b, inverted(&b, stem(&b, x)));
	x = inverted(&b, site(&b, line, x, CHANNELS, 1));
	end(&b, classify(&b, op(&b, "GlobalAveragePool", x, NULL), CHANNELS), out);
}

static void build_transformer(const char *line, uint64_t seed, struct model **out)
{
	struct builder b;
	struct wire *x = begin(&b, line, seed, 3, (int64_t[]){BATCH, TOKENS, WIDTH});

	x = transformer(&b, x);
	x = transformer(&b, site(&b, line, x, WIDTH, 0));
	end(&b, classify(&b, x, TOKENS * WIDTH), out);
}

/* Steps first, as ONNX's recurrent layers want it. */
static void build_recurrent(const char *line, uint64_t seed, struct model **out)
{
	struct builder b;
	struct wire *x = begin(&b, line, seed, 3, (int64_t[]){STEPS, BATCH, WIDTH});

	x = recurrent(&b, recurrent(&b, x, "LSTM", 4, WIDTH), "GRU", 3, HIDDEN);
	x = recurrent(&b, site(&b, line, x, HIDDEN, 0), "LSTM", 4, HIDDEN);
	end(&b, classify(&b, x, BATCH * HIDDEN), out);
}

const struct net nets[] = {
	{"resnet", build_resnet},
	{"mobilenet", build_mobilenet},
	{"transformer", build_transformer},
	{"recurrent", build_recurrent},
	{NULL, NULL},
};

struct value **nets_inputs(const struct graph *g, uint64_t seed)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct err e = ERR_INIT;
	struct rng rng;

	rng_init(&rng, seed);
	if (!in)
		err_nomem(&e, "inputs", 0);
	for (size_t i = 0; in && i < g->inputs.n; i++) {
		const struct type *t = &g->inputs.at[i]->type;
		struct tensor *x = tensor_new(DT_FLOAT, t->rank, t->dims, &e), *packed;

		if (!x || tensor_fill_random(x, &rng, -1, 1, &e) || !(packed = tensor_pack(x, &e)) ||
		    !(in[i] = value_tensor(packed, &e)))
			bench_die(&e);
		tensor_unref(x);
	}
	if (!in)
		bench_die(&e);
	return in;
}
