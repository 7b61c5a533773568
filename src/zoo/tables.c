/* tables.c - small networks for the data sets that come as tables: classifiers of three kinds, a regressor, and one
 * that labels each step of a sequence.
 *
 * Networks on measurements begin with (x - mean) · factor, both taken from the items that are learned from, so that
 * they read the numbers as the file has them. */
#include <math.h>

#include "zoo/layers.h"
#include "zoo/zoo.h"

#define HIDDEN 16

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static struct wire *build_standardized(struct build *b, int64_t batch, int64_t n)
{
	struct wire *x = build_input(b, "measurements", DT_FLOAT, 2, (int64_t[]){batch, n});

	x = build_op(b, "Sub", "centred", x, build_fill(b, ZOO_INPUT_MEAN, 1, &n, 0), NULL);
	x = build_op(b, "Mul", "standardized", x, build_fill(b, ZOO_INPUT_FACTOR, 1, &n, 1), NULL);
	return x;
}

static struct wire *build_hidden(struct build *b, int64_t batch, int64_t n, const char *activation)
{
	struct wire *x = layer_dense(b, "fc1", build_standardized(b, batch, n), n, HIDDEN);

	return build_op(b, activation, "act1", x, NULL);
}

static void build_iris(struct build *b, int64_t batch)
{
	layer_classify(b, build_hidden(b, batch, 4, "Tanh"), HIDDEN, 3);
}

static void build_wine(struct build *b, int64_t batch)
{
	layer_classify(b, build_hidden(b, batch, 13, "Relu"), HIDDEN, 3);
}

/* One probability: benign. */
static void build_cancer(struct build *b, int64_t batch)
{
	struct wire *x = layer_dense(b, ZOO_LOGITS, build_hidden(b, batch, 30, "Elu"), HIDDEN, 1);

	build_output(b, build_op(b, "Sigmoid", "probability", x, NULL));
}

static void build_diabetes(struct build *b, int64_t batch)
{
	const int64_t one = 1;
	struct wire *x = layer_dense(b, ZOO_LOGITS, build_hidden(b, batch, 10, "Softplus"), HIDDEN, 1);

	x = build_op(b, "Mul", "spread", x, build_fill(b, ZOO_TARGET_FACTOR, 1, &one, 1), NULL);
	build_output(b, build_op(b, "Add", "progression", x, build_fill(b, ZOO_TARGET_MEAN, 1, &one, 0), NULL));
}

const struct zoo_network zoo_iris_mlp = {
	.summary = "two dense layers on measurements of irises, three classes",
	.dataset = "iris",
	.build = build_iris,
	.epochs = 100,
	.rate = 1e-2,
};

const struct zoo_network zoo_wine_mlp = {
	.summary = "two dense layers on analyses of wines, three classes",
	.dataset = "wine",
	.build = build_wine,
	.epochs = 60,
	.rate = 1e-2,
};

const struct zoo_network zoo_cancer_mlp = {
	.summary = "two dense layers on cell nuclei, one probability",
	.dataset = "cancer",
	.kind = ZOO_DECIDES,
	.build = build_cancer,
	.epochs = 30,
	.rate = 5e-3,
};

const struct zoo_network zoo_diabetes_mlp = {
	.summary = "two dense layers on patients, one number (regression)",
	.dataset = "diabetes",
	.kind = ZOO_ESTIMATES,
	.build = build_diabetes,
	.epochs = 40,
	.rate = 5e-3,
};

/* ---- a line of digits, each step with a label of its own --------------------------------------------------------- */

#define LINE 3
#define STEP 64

static void build_lines_gru(struct build *b, int64_t batch)
{
	const int64_t hidden = 32, classes = 10;
	struct wire *x = build_input(b, "line", DT_FLOAT, 3, (int64_t[]){batch, LINE, STEP});

	x = build_op(b, "Transpose", "steps_first", x, NULL);
	build_ints(b, "perm", (int64_t[]){1, 0, 2}, 3);
	x = build_op(b, "Transpose", "items_first", layer_states(b, "recurrent", "GRU", x, STEP, hidden), NULL);
	build_ints(b, "perm", (int64_t[]){2, 0, 1, 3}, 4); /* [batch, LINE, 1, hidden] */
	x = build_op(b, "Reshape", "states", x, build_ints64(b, "states.shape", 3, (int64_t[]){batch, LINE, hidden}),
		     NULL);
	x = build_op(b, "MatMul", "scores", x,
		     build_normal(b, "scores.weight", 2, (int64_t[]){hidden, classes}, sqrt(1.0 / (double)hidden)),
		     NULL);
	x = build_op(b, "Add", ZOO_LOGITS, x, build_normal(b, "scores.bias", 1, &classes, 0.05), NULL);
	x = build_op(b, "Softmax", "probabilities", x, NULL);
	build_int(b, "axis", 2);
	build_output(b, x);
}

const struct zoo_network zoo_lines_gru = {
	.summary = "GRU that labels each digit of a line of three",
	.dataset = "lines",
	.build = build_lines_gru,
	.epochs = 40,
	.rate = 8e-3,
};
