/* sequence.c - the three recurrent seeds over word indices, recurrent networks that read a digit row by row, and a
 * transformer block. */
#include <math.h>

#include "zoo/layers.h"
#include "zoo/zoo.h"

#define WORDS 1000 /* of the vocabulary */
#define LENGTH 32  /* words of a review */
#define EMBEDDED 32
#define HIDDEN 32

/* ---- word indices [batch, LENGTH] → embedding → recurrent layer → two classes ------------------------------------ */

static void build_review(struct build *b, int64_t batch, const char *op)
{
	struct wire *words = build_input(b, "words", DT_INT64, 2, (int64_t[]){batch, LENGTH});
	struct wire *table = build_normal(b, "embedding.weight", 2, (int64_t[]){WORDS, EMBEDDED}, 0.5);
	struct wire *x = build_op(b, "Gather", "embedding", table, words, NULL);

	build_int(b, "axis", 0);
	x = build_op(b, "Transpose", "steps_first", x, NULL); /* [LENGTH, batch, EMBEDDED] */
	build_ints(b, "perm", (int64_t[]){1, 0, 2}, 3);
	x = layer_recurrent(b, "recurrent", op, x, LENGTH, EMBEDDED, HIDDEN);
	layer_classify(b, x, HIDDEN, 2);
}

static void build_simplernn(struct build *b, int64_t batch)
{
	build_review(b, batch, "RNN");
}

static void build_lstm(struct build *b, int64_t batch)
{
	build_review(b, batch, "LSTM");
}

static void build_gru(struct build *b, int64_t batch)
{
	build_review(b, batch, "GRU");
}

const struct zoo_network zoo_simplernn = {
	.summary = "simple recurrent network over 32 words",
	.dataset = "reviews",
	.seed_of_papers = 1,
	.build = build_simplernn,
	.epochs = 4,
	.rate = 2e-3,
};

const struct zoo_network zoo_lstm = {
	.summary = "LSTM over 32 words",
	.dataset = "reviews",
	.seed_of_papers = 1,
	.build = build_lstm,
	.epochs = 4,
	.rate = 2e-3,
};

const struct zoo_network zoo_gru = {
	.summary = "GRU over 32 words",
	.dataset = "reviews",
	.seed_of_papers = 1,
	.build = build_gru,
	.epochs = 4,
	.rate = 2e-3,
};

/* ---- a digit as 28 steps of 28 grey values ----------------------------------------------------------------------- */

static void build_rows(struct build *b, int64_t batch, const char *op)
{
	struct wire *x = build_input(b, "image", DT_FLOAT, 3, (int64_t[]){batch, 28, 28});

	x = build_op(b, "Transpose", "rows_first", x, NULL);
	build_ints(b, "perm", (int64_t[]){1, 0, 2}, 3);
	x = layer_recurrent(b, "recurrent", op, x, 28, 28, 48);
	layer_classify(b, x, 48, 10);
}

static void build_rows_lstm(struct build *b, int64_t batch)
{
	build_rows(b, batch, "LSTM");
}

static void build_rows_gru(struct build *b, int64_t batch)
{
	build_rows(b, batch, "GRU");
}

const struct zoo_network zoo_rows_lstm = {
	.summary = "LSTM over the rows of a digit",
	.dataset = "digits",
	.build = build_rows_lstm,
	.epochs = 20,
	.rate = 4e-3,
};

const struct zoo_network zoo_rows_gru = {
	.summary = "GRU over the rows of a digit",
	.dataset = "digits",
	.build = build_rows_gru,
	.epochs = 20,
	.rate = 4e-3,
};

/* ---- dense layers only, and a bottleneck with transposed convolutions -------------------------------------------- */

static void build_mlp(struct build *b, int64_t batch)
{
	struct wire *x = build_input(b, "image", DT_FLOAT, 2, (int64_t[]){batch, 784});

	x = layer_dense(b, "fc1", x, 784, 64);
	x = build_op(b, "Tanh", "tanh1", x, NULL);
	x = layer_dense(b, "fc2", x, 64, 32);
	x = build_op(b, "Sigmoid", "sigmoid2", x, NULL);
	layer_classify(b, x, 32, 10);
}

const struct zoo_network zoo_mlp = {
	.summary = "three dense layers on 28 x 28 digits",
	.dataset = "digits",
	.build = build_mlp,
	.epochs = 30,
	.rate = 2e-3,
};

static void build_autoencoder(struct build *b, int64_t batch)
{
	struct wire *x = build_input(b, "image", DT_FLOAT, 4, (int64_t[]){batch, 1, 28, 28}), *w;

	x = layer_conv(b, "down1", x, &(struct conv_shape){.in = 1, .out = 8, .kernel = 3, .stride = 2, .pad = 1});
	x = build_op(b, "Elu", "elu1", x, NULL);
	x = layer_conv(b, "down2", x, &(struct conv_shape){.in = 8, .out = 16, .kernel = 3, .stride = 2, .pad = 1});
	x = build_op(b, "LeakyRelu", "leaky2", x, NULL);
	w = build_normal(b, "up1.weight", 4, (int64_t[]){16, 8, 2, 2}, 0.25);
	x = build_op(b, "ConvTranspose", "up1", x, w, NULL);
	build_ints(b, "strides", (int64_t[]){2, 2}, 2);
	x = build_op(b, "Relu", "relu3", x, NULL);
	w = build_normal(b, "up2.weight", 4, (int64_t[]){8, 1, 2, 2}, 0.25);
	x = build_op(b, "ConvTranspose", ZOO_LOGITS, x, w, NULL);
	build_ints(b, "strides", (int64_t[]){2, 2}, 2);
	build_output(b, build_op(b, "Sigmoid", "restored", x, NULL));
}

const struct zoo_network zoo_autoencoder = {
	.summary = "convolutional autoencoder on 28 x 28 digits (regression)",
	.dataset = "digits",
	.kind = ZOO_RESTORES,
	.build = build_autoencoder,
	.epochs = 6,
	.rate = 3e-3,
};

/* ---- transformer: attention of one head and a feed-forward part, each with a residual and layer normalization ---- */

static struct wire *project(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out)
{
	struct wire *w =
		build_normal(b, build_name(b, name, "weight"), 2, (int64_t[]){in, out}, sqrt(1.0 / (double)in));
	struct wire *bias = build_normal(b, build_name(b, name, "bias"), 1, &out, 0.05);

	x = build_op(b, "MatMul", name, x, w, NULL);
	return build_op(b, "Add", build_name(b, name, "add"), x, bias, NULL);
}

static struct wire *residual_norm(struct build *b, const char *name, struct wire *x, struct wire *y, int64_t width)
{
	struct wire *scale = build_fill(b, build_name(b, name, "scale"), 1, &width, 1.1);
	struct wire *bias = build_fill(b, build_name(b, name, "bias"), 1, &width, 0.1);

	x = build_op(b, "Add", build_name(b, name, "residual"), x, y, NULL);
	x = build_op(b, "LayerNormalization", name, x, scale, bias, NULL);
	build_int(b, "axis", -1);
	return x;
}

/* softmax(q kᵀ / sqrt(width)) v */
static struct wire *attention(struct build *b, struct wire *x, int64_t width)
{
	struct wire *q = project(b, "query", x, width, width), *k = project(b, "key", x, width, width);
	struct wire *v = project(b, "value", x, width, width), *scores;
	struct wire *root = build_fill(b, "root", 0, NULL, sqrt((double)width));

	k = build_op(b, "Transpose", "keys", k, NULL);
	build_ints(b, "perm", (int64_t[]){0, 2, 1}, 3);
	scores = build_op(b, "MatMul", "scores", q, k, NULL);
	scores = build_op(b, "Div", "scaled", scores, root, NULL);
	scores = build_op(b, "Softmax", "weights", scores, NULL);
	build_int(b, "axis", -1);
	return project(b, "mixed", build_op(b, "MatMul", "context", scores, v, NULL), width, width);
}

/* Gelu of opset 17 by its definition: x (1 + erf(x / sqrt 2)) / 2 */
static struct wire *gelu(struct build *b, struct wire *x)
{
	struct wire *root = build_fill(b, "gelu.root", 0, NULL, sqrt(2)), *one = build_fill(b, "gelu.one", 0, NULL, 1);
	struct wire *half = build_fill(b, "gelu.half", 0, NULL, 0.5), *y;

	y = build_op(b, "Div", "gelu.scaled", x, root, NULL);
	y = build_op(b, "Erf", "gelu.erf", y, NULL);
	y = build_op(b, "Add", "gelu.shifted", y, one, NULL);
	x = build_op(b, "Mul", "gelu.halved", x, half, NULL);
	return build_op(b, "Mul", "gelu", x, y, NULL);
}

static void build_transformer(struct build *b, int64_t batch)
{
	struct wire *x = build_input(b, "tokens", DT_FLOAT, 3, (int64_t[]){batch, 16, 32}), *y;

	x = residual_norm(b, "norm1", x, attention(b, x, 32), 32);
	y = project(b, "up", x, 32, 64);
	y = gelu(b, y);
	x = residual_norm(b, "norm2", x, project(b, "down", y, 64, 32), 32);
	x = build_op(b, "ReduceMean", "mean", x, NULL);
	build_ints(b, "axes", (int64_t[]){1}, 1);
	build_int(b, "keepdims", 0);
	layer_classify(b, x, 32, 10);
}

const struct zoo_network zoo_transformer = {
	.summary = "transformer block over 16 tokens",
	.dataset = "",
	.opset = 17, /* LayerNormalization */
	.build = build_transformer,
};
