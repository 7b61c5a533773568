/* build.c - see build.h. */
#include "model/build.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_INPUTS 16

void build_begin(struct build *b, int opset, uint64_t seed, struct err *e)
{
	*b = (struct build){.err = e};
	rng_init(&b->rng, seed);
	b->rc = model_new(opset, &b->model, e);
	b->graph = b->rc ? NULL : b->model->graph;
}

int build_end(struct build *b, struct model **out)
{
	if (b->rc)
		model_free(b->model);
	else
		*out = b->model;
	b->model = NULL;
	return b->rc;
}

const char *build_name(struct build *b, const char *prefix, const char *suffix)
{
	size_t n = strlen(prefix) + strlen(suffix) + 2;
	char *name = b->rc ? NULL : arena_alloc(&b->model->arena, n);

	if (!name) {
		b->rc = b->rc ? b->rc : err_nomem(b->err, "a name", n);
		return "";
	}
	snprintf(name, n, "%s.%s", prefix, suffix);
	return name;
}

/* ---- wires ------------------------------------------------------------------------------------------------------- */

struct wire *build_input(struct build *b, const char *name, enum dtype t, int rank, const int64_t *dims)
{
	struct type type = TYPE_INIT;
	struct wire *w = NULL;

	type_set(&type, t, rank, dims);
	if (!b->rc)
		b->rc = graph_add_input(b->graph, name, &type, &w, b->err);
	return b->rc ? NULL : w;
}

void build_output(struct build *b, struct wire *w)
{
	if (!b->rc)
		b->rc = graph_add_output(b->graph, w, b->err);
}

/* Packs and adds a wide tensor. */
static struct wire *add_init(struct build *b, const char *name, struct tensor *wide)
{
	struct tensor *packed = wide ? tensor_pack(wide, b->err) : NULL;
	struct wire *w = NULL;

	tensor_unref(wide);
	if (!packed)
		b->rc = b->rc ? b->rc : b->err->code;
	else
		b->rc = graph_add_init(b->graph, name, packed, &w, b->err);
	return b->rc ? NULL : w;
}

struct wire *build_floats(struct build *b, const char *name, int rank, const int64_t *dims, const double *x)
{
	struct tensor *t = b->rc ? NULL : tensor_new(DT_FLOAT, rank, dims, b->err);

	if (t)
		memcpy(t->f, x, t->count * sizeof *x);
	return add_init(b, name, t);
}

struct wire *build_ints64(struct build *b, const char *name, size_t n, const int64_t *x)
{
	struct tensor *t = b->rc ? NULL : tensor_new(DT_INT64, 1, (int64_t[]){(int64_t)n}, b->err);

	if (t && n)
		memcpy(t->i, x, n * sizeof *x);
	return add_init(b, name, t);
}

struct wire *build_fill(struct build *b, const char *name, int rank, const int64_t *dims, double x)
{
	struct tensor *t = b->rc ? NULL : tensor_new(DT_FLOAT, rank, dims, b->err);

	for (size_t i = 0; t && i < t->count; i++)
		t->f[i] = x;
	return add_init(b, name, t);
}

/* The stream of one initializer, labelled by its name. */
static struct rng stream_of(const struct build *b, const char *name)
{
	return rng_split(&b->rng, hash_text(name));
}

struct wire *build_normal(struct build *b, const char *name, int rank, const int64_t *dims, double deviation)
{
	struct tensor *t = b->rc ? NULL : tensor_new(DT_FLOAT, rank, dims, b->err);
	struct rng r = stream_of(b, name);

	for (size_t i = 0; t && i < t->count; i++)
		t->f[i] = deviation * rng_normal(&r);
	return add_init(b, name, t);
}

struct wire *build_uniform(struct build *b, const char *name, int rank, const int64_t *dims, double lo, double hi)
{
	struct tensor *t = b->rc ? NULL : tensor_new(DT_FLOAT, rank, dims, b->err);
	struct rng r = stream_of(b, name);

	for (size_t i = 0; t && i < t->count; i++)
		t->f[i] = rng_uniform(&r, lo, hi);
	return add_init(b, name, t);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

struct node *build_op_n(struct build *b, const char *op, const char *name, struct wire *const *in, int n_in,
			const char *const *outs, int n_out)
{
	const struct node_spec spec = {
		.name = name, .op_type = op, .in = in, .n_in = n_in, .out = outs, .n_out = n_out};

	if (b->rc)
		return NULL;
	b->rc = graph_add_node(b->graph, b->graph->nodes.n, &spec, &b->last, b->err);
	return b->rc ? NULL : b->last;
}

struct wire *build_op(struct build *b, const char *op, const char *out, ...)
{
	struct wire *in[MAX_INPUTS], *w;
	const struct node *n;
	int count = 0;
	va_list ap;

	va_start(ap, out);
	while (count < MAX_INPUTS && (w = va_arg(ap, struct wire *)) != NULL)
		in[count++] = w;
	va_end(ap);
	n = build_op_n(b, op, out, in, count, &out, 1);
	return n ? n->out[0] : NULL;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

void build_int(struct build *b, const char *name, int64_t x)
{
	if (!b->rc)
		b->rc = node_set_int(b->last, name, x, b->err);
}

void build_float(struct build *b, const char *name, double x)
{
	if (!b->rc)
		b->rc = node_set_float(b->last, name, x, b->err);
}

void build_string(struct build *b, const char *name, const char *x)
{
	if (!b->rc)
		b->rc = node_set_string(b->last, name, x, b->err);
}

void build_ints(struct build *b, const char *name, const int64_t *x, size_t n)
{
	if (!b->rc)
		b->rc = node_set_ints(b->last, name, x, n, b->err);
}
