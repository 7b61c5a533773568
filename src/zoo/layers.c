/* layers.c - see layers.h. */
#include "zoo/layers.h"

#include <math.h>
#include <string.h>

#include "zoo/zoo.h"

static double he(int64_t fan_in)
{
	return sqrt(2.0 / (double)fan_in);
}

/* The model's opset is older: some operators had another form then. */
static int is_before(const struct build *b, int opset)
{
	return b->model && model_opset(b->model, "") < opset;
}

struct wire *layer_conv(struct build *b, const char *name, struct wire *x, const struct conv_shape *s)
{
	int64_t group = s->group ? s->group : 1, in = s->in / group, k = s->kernel;
	int64_t same = k > s->stride ? k - s->stride : 0; /* both ends together */
	int64_t before = s->same ? same / 2 : s->pad, after = s->same ? same - before : s->pad;
	struct wire *w =
		build_normal(b, build_name(b, name, "weight"), 4, (int64_t[]){s->out, in, k, k}, he(in * k * k));
	struct wire *bias = NULL;

	if (!s->no_bias)
		bias = build_normal(b, build_name(b, name, "bias"), 1, &s->out, 0.05);
	x = build_op(b, "Conv", name, x, w, bias, NULL);
	build_ints(b, "kernel_shape", (int64_t[]){k, k}, 2);
	build_ints(b, "strides", (int64_t[]){s->stride, s->stride}, 2);
	build_ints(b, "pads", (int64_t[]){before, before, after, after}, 4);
	build_int(b, "group", group);
	return x;
}

/* Statistics that differ from channel to channel, as trained ones do: mixing channels up shows, and so does what
 * epsilon is added to. */
struct wire *layer_norm(struct build *b, const char *name, struct wire *x, int64_t channels)
{
	struct wire *scale = build_uniform(b, build_name(b, name, "scale"), 1, &channels, 0.4, 1);
	struct wire *bias = build_uniform(b, build_name(b, name, "bias"), 1, &channels, -0.1, 0.1);
	struct wire *mean = build_uniform(b, build_name(b, name, "mean"), 1, &channels, -0.1, 0.1);
	struct wire *var = build_uniform(b, build_name(b, name, "var"), 1, &channels, 0.05, 1.5);

	x = build_op(b, "BatchNormalization", name, x, scale, bias, mean, var, NULL);
	build_float(b, "epsilon", 1e-5);
	return x;
}

struct wire *layer_conv_norm(struct build *b, const char *name, struct wire *x, const struct conv_shape *s,
			     const char *activation)
{
	struct conv_shape shape = *s;
	struct wire *low, *high;

	shape.no_bias = 1;
	x = layer_conv(b, name, x, &shape);
	x = layer_norm(b, build_name(b, name, "norm"), x, s->out);
	if (!*activation)
		return x;
	if (strcmp(activation, "Relu6") != 0)
		return build_op(b, activation, build_name(b, name, "act"), x, NULL);
	if (is_before(b, 11)) {
		x = build_op(b, "Clip", build_name(b, name, "act"), x, NULL);
		build_float(b, "min", 0);
		build_float(b, "max", 6);
		return x;
	}
	low = build_fill(b, build_name(b, name, "min"), 0, NULL, 0);
	high = build_fill(b, build_name(b, name, "max"), 0, NULL, 6);
	return build_op(b, "Clip", build_name(b, name, "act"), x, low, high, NULL);
}

struct wire *layer_dense(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out)
{
	struct wire *w = build_normal(b, build_name(b, name, "weight"), 2, (int64_t[]){out, in}, he(in));
	struct wire *bias = build_normal(b, build_name(b, name, "bias"), 1, &out, 0.05);

	x = build_op(b, "Gemm", name, x, w, bias, NULL);
	build_int(b, "transB", 1);
	return x;
}

struct wire *layer_pool(struct build *b, const char *name, const char *op, struct wire *x, int64_t kernel,
			int64_t stride)
{
	x = build_op(b, op, name, x, NULL);
	build_ints(b, "kernel_shape", (int64_t[]){kernel, kernel}, 2);
	build_ints(b, "strides", (int64_t[]){stride, stride}, 2);
	return x;
}

struct wire *layer_flatten(struct build *b, const char *name, struct wire *x)
{
	return build_op(b, "Flatten", name, x, NULL);
}

/* Gates of each recurrent operator. */
static int64_t gates_of(const char *op)
{
	return !strcmp(op, "LSTM") ? 4 : !strcmp(op, "GRU") ? 3 : 1;
}

/* What a recurrent operator reads: x[steps, batch, in] and its weights W, R and B. */
struct recurrent {
	struct wire *ins[4];
	int64_t hidden;
};

static struct recurrent make_recurrent(struct build *b, const char *name, const char *op, struct wire *x, int64_t in,
				       int64_t hidden)
{
	int64_t rows = gates_of(op) * hidden;
	struct wire *w = build_normal(b, build_name(b, name, "W"), 3, (int64_t[]){1, rows, in}, sqrt(1.0 / (double)in));
	struct wire *r =
		build_normal(b, build_name(b, name, "R"), 3, (int64_t[]){1, rows, hidden}, sqrt(1.0 / (double)hidden));
	struct wire *bias = build_normal(b, build_name(b, name, "B"), 2, (int64_t[]){1, 2 * rows}, 0.05);

	return (struct recurrent){{x, w, r, bias}, hidden};
}

/* All states, [steps, 1, batch, hidden]. */
static struct wire *all_states(struct build *b, const char *name, const char *op, const struct recurrent *l)
{
	const char *states = build_name(b, name, "states");
	const struct node *n = build_op_n(b, op, name, l->ins, 4, &states, 1);

	build_int(b, "hidden_size", l->hidden);
	return n ? n->out[0] : NULL;
}

/* The last state out of the sequence of all states, for older opsets: CNTK, which reads those, gives all states for the
 * last one too, and dies where the node that feeds a recurrent layer has the name of the tensor between them. */
static struct wire *last_of_states(struct build *b, const char *name, const char *op, const struct recurrent *l,
				   int64_t steps)
{
	struct wire *x = all_states(b, name, op, l);

	if (!x)
		return NULL;
	if (l->ins[0]->producer)
		l->ins[0]->producer->name = build_name(b, name, "input");
	x = build_op(b, "Gather", build_name(b, name, "last"), x,
		     build_ints64(b, build_name(b, name, "index"), 1, (int64_t[]){steps - 1}), NULL);
	build_int(b, "axis", 0);
	return build_op(b, "Reshape", build_name(b, name, "state"), x,
			build_ints64(b, build_name(b, name, "shape"), 2, (int64_t[]){-1, l->hidden}), NULL);
}

/* The last state as the layer's second output. */
static struct wire *last_output(struct build *b, const char *name, const char *op, const struct recurrent *l)
{
	const char *outs[] = {NULL, build_name(b, name, "last")};
	const struct node *n = build_op_n(b, op, name, l->ins, 4, outs, 2);

	build_int(b, "hidden_size", l->hidden);
	if (!n)
		return NULL;
	return build_op(b, "Squeeze", build_name(b, name, "state"), n->out[1],
			build_ints64(b, build_name(b, name, "axes"), 1, (int64_t[]){0}), NULL);
}

struct wire *layer_recurrent(struct build *b, const char *name, const char *op, struct wire *x, int64_t steps,
			     int64_t in, int64_t hidden)
{
	const struct recurrent l = make_recurrent(b, name, op, x, in, hidden);

	return is_before(b, 13) ? last_of_states(b, name, op, &l, steps) : last_output(b, name, op, &l);
}

struct wire *layer_states(struct build *b, const char *name, const char *op, struct wire *x, int64_t in, int64_t hidden)
{
	const struct recurrent l = make_recurrent(b, name, op, x, in, hidden);

	return all_states(b, name, op, &l);
}

void layer_classify(struct build *b, struct wire *x, int64_t in, int64_t classes)
{
	x = layer_dense(b, ZOO_LOGITS, x, in, classes);
	x = build_op(b, "Softmax", "probabilities", x, NULL);
	build_int(b, "axis", 1);
	build_output(b, x);
}
