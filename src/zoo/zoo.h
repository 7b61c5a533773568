/* zoo.h - networks that assay builds itself: the seeds of the published methods, and some more.
 *
 * A network is a row in zoo.def and a descriptor in the file of its family.  Weights are random from a seed (He's
 * initialization, so that activations neither vanish nor explode), or trained: data/zoo/<name>.npz has them by
 * initializer name, made by `assay zoo train` on 4,000 of the 5,000 digits that scripts/setup fetches. */
#ifndef ZOO_ZOO_H
#define ZOO_ZOO_H

#include "model/build.h"
#include "tensor/io.h"

#define ZOO_OPSET 14        /* what ONNX Runtime 1.8.1 reads as well */
#define ZOO_FIRST_OPSET 7   /* the oldest that networks can be built in */
#define ZOO_LOGITS "logits" /* wire of a classifier before its Softmax: what training seeds */

struct zoo_network {
	const char *summary;
	const char *dataset; /* "digits": can be trained; "" else */
	int seed_of_papers;  /* one of the seven networks of Audee */
	int opset;           /* that it needs; 0: ZOO_OPSET */
	/* Adds all of the network for inputs of `batch` items. */
	void (*build)(struct build *b, int64_t batch);
	/* Training: epochs and step size that reach the accuracy the page on the zoo states. */
	int epochs;
	double rate;
};

struct zoo_row {
	const char *name;
	const struct zoo_network *network;
};

extern const struct zoo_row zoo_rows[]; /* up to the first without a name */

const struct zoo_row *zoo_find(const char *name); /* NULL: unknown */

/* weights NULL: random from the seed.  Weights must fit in name and shape: ERR_INPUT says which does not. */
int zoo_build(const struct zoo_row *row, int64_t batch, uint64_t seed, const struct tensor_set *weights,
	      struct model **out, struct err *e);
/* The same in an older opset, for libraries that read no other: what it computes is the same.  0: the network's own. */
int zoo_build_at(const struct zoo_row *row, int opset, int64_t batch, uint64_t seed, const struct tensor_set *weights,
		 struct model **out, struct err *e);

/* ---- fill.c: weights for a network that has none ----------------------------------------------------------------- */

/* Each tensor of one number that ConstantOfShape makes of a constant shape becomes an initializer of random numbers;
 * *filled: how many. */
int zoo_fill(struct model *m, uint64_t seed, size_t *filled, struct err *e);

/* ---- digits.c: 28 x 28 grey images with labels ------------------------------------------------------------------- */

struct zoo_digits {
	struct tensor *images; /* packed float32 [n,1,28,28], 0 … 1 */
	int *labels;
	size_t n;
};

/* A csv.gz with 784 grey values (0 … 255) and the label in each row, in an order that a seed shuffles. */
int zoo_digits_load(const char *path, uint64_t seed, struct zoo_digits *out, struct err *e);
void zoo_digits_release(struct zoo_digits *d);
/* `count` images from `first` on as a network's input: the shape of wire w, whatever its rank. */
struct tensor *zoo_digits_batch(const struct zoo_digits *d, const size_t *order, size_t first, const struct wire *w,
				struct err *e);

/* ---- train.c ----------------------------------------------------------------------------------------------------- */

struct zoo_train_options {
	int epochs;      /* 0: the network's own */
	double rate;     /* step size; 0: the network's own */
	size_t held_out; /* the last so many digits are for testing only */
	uint64_t seed;
	/* (optional) after each step; returning non-zero ends the training with what there is. */
	int (*progress)(int epoch, size_t step, size_t steps, double loss, void *arg);
	void *progress_arg;
};

struct zoo_train_result {
	struct tensor_set weights; /* packed float32 */
	double loss;               /* mean over the last epoch */
	double accuracy;           /* on the digits held out, in the rounded mode: what a float32 library gets */
	double train_accuracy;
	size_t tested;
};

int zoo_train(const struct zoo_row *row, const struct zoo_digits *d, const struct zoo_train_options *o,
	      struct zoo_train_result *out, struct err *e);
/* Share of digits from `first` on that a model classifies right. */
int zoo_accuracy(struct model *m, const struct zoo_digits *d, size_t first, double *out, struct err *e);

#endif
