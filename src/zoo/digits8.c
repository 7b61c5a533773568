/* digits8.c - networks of nine kinds on digits of 8 x 8, each trained within a minute: CRADLE asks for many models that
 * have learned something, and one layer of every kind is enough to compute it in another way. */
#include <math.h>

#include "zoo/layers.h"
#include "zoo/zoo.h"

#define SIDE 8
#define CLASSES 10

#define DIGITS8(id, what, build_fn, n_epochs, step) \
	const struct zoo_network zoo_##id = {       \
		.summary = what " on 8 x 8 digits", \
		.dataset = "digits8",               \
		.build = build_fn,                  \
		.epochs = n_epochs,                 \
		.rate = step,                       \
	}

static struct wire *build_image(struct build *b, int64_t batch)
{
	return build_input(b, "image", DT_FLOAT, 4, (int64_t[]){batch, 1, SIDE, SIDE});
}

/* Rows as [batch, 8, 8]. */
static struct wire *build_rows(struct build *b, int64_t batch)
{
	return build_input(b, "image", DT_FLOAT, 3, (int64_t[]){batch, SIDE, SIDE});
}

static struct wire *build_conv(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out,
			       int64_t kernel)
{
	return layer_conv(b, name, x,
			  &(struct conv_shape){.in = in, .out = out, .kernel = kernel, .stride = 1, .pad = kernel / 2});
}

/* ---- dense and convolutional ------------------------------------------------------------------------------------- */

static void build_mlp(struct build *b, int64_t batch)
{
	struct wire *x = build_input(b, "image", DT_FLOAT, 2, (int64_t[]){batch, SIDE * SIDE});

	x = build_op(b, "Selu", "selu1", layer_dense(b, "fc1", x, SIDE * SIDE, 32), NULL);
	x = build_op(b, "Softsign", "softsign2", layer_dense(b, "fc2", x, 32, 16), NULL);
	layer_classify(b, x, 16, CLASSES);
}

static void build_cnn(struct build *b, int64_t batch)
{
	struct wire *x = build_op(b, "Relu", "relu1", build_conv(b, "conv1", build_image(b, batch), 1, 8, 3), NULL);

	x = layer_pool(b, "pool1", "MaxPool", x, 2, 2);
	x = build_op(b, "LeakyRelu", "leaky2", build_conv(b, "conv2", x, 8, 16, 3), NULL);
	x = layer_pool(b, "pool2", "AveragePool", x, 2, 2);
	layer_classify(b, layer_flatten(b, "flat", x), 64, CLASSES);
}

static void build_residual(struct build *b, int64_t batch)
{
	struct wire *x = build_op(b, "Relu", "relu1", build_conv(b, "stem", build_image(b, batch), 1, 8, 3), NULL), *y;

	y = build_op(b, "Relu", "relu2", build_conv(b, "conv2", x, 8, 8, 3), NULL);
	y = build_conv(b, "conv3", y, 8, 8, 3);
	x = build_op(b, "Relu", "relu3", build_op(b, "Add", "shortcut", x, y, NULL), NULL);
	x = layer_pool(b, "pool", "MaxPool", x, 2, 2);
	layer_classify(b, layer_flatten(b, "flat", x), 128, CLASSES);
}

/* A convolution of each channel alone, then one over channels. */
static void build_separable(struct build *b, int64_t batch)
{
	struct wire *x = build_op(b, "Relu", "relu1", build_conv(b, "stem", build_image(b, batch), 1, 8, 3), NULL);

	x = layer_conv(b, "depthwise", x,
		       &(struct conv_shape){.in = 8, .out = 8, .kernel = 3, .stride = 1, .pad = 1, .group = 8});
	x = build_op(b, "HardSigmoid", "gate", x, NULL);
	x = build_op(b, "Relu", "relu2", build_conv(b, "pointwise", x, 8, 16, 1), NULL);
	x = layer_pool(b, "pool", "AveragePool", x, 2, 2);
	layer_classify(b, layer_flatten(b, "flat", x), 256, CLASSES);
}

static void build_branches(struct build *b, int64_t batch)
{
	struct wire *x = build_image(b, batch);
	struct wire *near = build_op(b, "Relu", "relu1", build_conv(b, "near", x, 1, 4, 1), NULL);
	struct wire *wide = build_op(b, "Tanh", "tanh1", build_conv(b, "wide", x, 1, 4, 5), NULL);
	struct wire *middle = build_op(b, "Elu", "elu1", build_conv(b, "middle", x, 1, 4, 3), NULL);

	x = build_op(b, "Concat", "joined", near, middle, wide, NULL);
	build_int(b, "axis", 1);
	x = layer_pool(b, "pool", "MaxPool", x, 2, 2);
	layer_classify(b, layer_flatten(b, "flat", x), 192, CLASSES);
}

DIGITS8(digits8_mlp, "three dense layers", build_mlp, 30, 5e-3);
DIGITS8(digits8_cnn, "two convolutions", build_cnn, 20, 5e-3);
DIGITS8(digits8_residual, "a residual block", build_residual, 8, 4e-3);
DIGITS8(digits8_separable, "a separable convolution", build_separable, 8, 8e-3);
DIGITS8(digits8_branches, "parallel convolutions", build_branches, 8, 5e-3);

/* ---- row by row -------------------------------------------------------------------------------------------------- */

static void build_recurrent(struct build *b, int64_t batch, const char *op)
{
	struct wire *x = build_op(b, "Transpose", "rows_first", build_rows(b, batch), NULL);

	build_ints(b, "perm", (int64_t[]){1, 0, 2}, 3);
	layer_classify(b, layer_recurrent(b, "recurrent", op, x, SIDE, SIDE, 32), 32, CLASSES);
}

static void build_rnn(struct build *b, int64_t batch)
{
	build_recurrent(b, batch, "RNN");
}

static void build_lstm(struct build *b, int64_t batch)
{
	build_recurrent(b, batch, "LSTM");
}

static void build_gru(struct build *b, int64_t batch)
{
	build_recurrent(b, batch, "GRU");
}

DIGITS8(digits8_rnn, "a simple recurrent layer over the rows", build_rnn, 25, 5e-3);
DIGITS8(digits8_lstm, "an LSTM over the rows", build_lstm, 12, 1e-2);
DIGITS8(digits8_gru, "a GRU over the rows", build_gru, 12, 1e-2);

/* ---- attention over the rows ------------------------------------------------------------------------------------- */

#define WIDTH 16

static struct wire *build_project(struct build *b, const char *name, struct wire *x, int64_t in)
{
	return build_op(
		b, "MatMul", name, x,
		build_normal(b, build_name(b, name, "weight"), 2, (int64_t[]){in, WIDTH}, sqrt(1.0 / (double)in)),
		NULL);
}

/* Rows with a vector of their own for each place; softmax(q kᵀ / 4) v beside them. */
static void build_attention(struct build *b, int64_t batch)
{
	struct wire *x = build_project(b, "embedding", build_rows(b, batch), SIDE), *keys, *scores;

	x = build_op(b, "Add", "placed", x, build_normal(b, "places", 2, (int64_t[]){SIDE, WIDTH}, 0.3), NULL);
	keys = build_op(b, "Transpose", "keys", build_project(b, "key", x, WIDTH), NULL);
	build_ints(b, "perm", (int64_t[]){0, 2, 1}, 3);
	scores = build_op(b, "MatMul", "scores", build_project(b, "query", x, WIDTH), keys, NULL);
	scores = build_op(b, "Mul", "scaled", scores, build_fill(b, "quarter", 0, NULL, 0.25), NULL);
	scores = build_op(b, "Softmax", "attention", scores, NULL);
	build_int(b, "axis", 2);
	x = build_op(b, "Add", "residual", x,
		     build_op(b, "MatMul", "context", scores, build_project(b, "value", x, WIDTH), NULL), NULL);
	x = build_op(b, "Tanh", "tanh", x, NULL);
	layer_classify(b, layer_flatten(b, "flat", x), SIDE * WIDTH, CLASSES);
}

DIGITS8(digits8_attention, "attention over the rows", build_attention, 12, 5e-3);
