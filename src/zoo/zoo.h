/* zoo.h - networks that assay builds itself: the seeds of the published methods, and some more.
 *
 * A network is a row in zoo.def and a descriptor in the file of its family.  Weights are random from a seed (He's
 * initialization, so that activations neither vanish nor explode), or trained: data/zoo/<name>.npz has them by
 * initializer name, made by `assay zoo train` on the data sets that scripts/setup fetches (data.c). */
#ifndef ZOO_ZOO_H
#define ZOO_ZOO_H

#include "model/build.h"
#include "tensor/io.h"

#define ZOO_OPSET 14        /* what ONNX Runtime 1.8.1 reads as well */
#define ZOO_FIRST_OPSET 7   /* the oldest that networks can be built in */
#define ZOO_LOGITS "logits" /* wire before the Softmax, Sigmoid or scale that makes the output: what training seeds */
/* Initializers that training takes from the data, and does not step: what is subtracted from the numbers of an item and
 * what they are multiplied with, so that each has mean 0 and deviation 1; and the way back for a target. */
#define ZOO_INPUT_MEAN "input.mean"
#define ZOO_INPUT_FACTOR "input.factor"
#define ZOO_TARGET_MEAN "target.mean"
#define ZOO_TARGET_FACTOR "target.factor"

/* What the output of a trained network is. */
enum zoo_kind {
	ZOO_CLASSIFIES, /* scores along the last axis, one vector for each label of an item */
	ZOO_DECIDES,    /* one probability */
	ZOO_ESTIMATES,  /* numbers: a regression */
	ZOO_RESTORES    /* the input again, each element between 0 and 1 */
};

struct zoo_network {
	const char *summary;
	const char *dataset; /* a name of zoo_sources; "": cannot be trained */
	enum zoo_kind kind;
	int seed_of_papers; /* one of the seven networks of Audee */
	int opset;          /* that it needs; 0: ZOO_OPSET */
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

/* ---- data.c: items with what is right for them ------------------------------------------------------------------- */

/* A data set as scripts/setup fetches it. */
struct zoo_source {
	const char *name;
	const char *file, *targets; /* below the folder of what is fetched, .csv, .csv.gz or .npy; targets NULL: the
				       last column of the file */
	int skip, spaces;           /* as csv_form has them */
	double scale;               /* of the numbers of an item */
	size_t join;                /* so many rows in a line are one item, with as many labels; 0: one */
	size_t held_out;            /* items, of those shuffled the last ones, that are for testing only */
	int pixels;                 /* of a side: items are pictures that may be moved.  0: no pictures */
	const char *from;           /* the package that carries it */
	const char *fetched_by;     /* what fetches it; NULL: `make setup` */
};

struct zoo_data {
	struct tensor *items; /* packed float32 [n, elements] */
	struct tensor *truth; /* packed float32 [n, labels or targets] */
	size_t n;
	const struct zoo_source *source;
};

extern const struct zoo_source zoo_sources[];               /* up to the first without a name */
const struct zoo_source *zoo_source_find(const char *name); /* NULL: unknown */

/* path NULL: where scripts/setup puts it.  A seed shuffles the items. */
int zoo_data_load(const struct zoo_source *s, const char *path, uint64_t seed, struct zoo_data *out, struct err *e);
void zoo_data_release(struct zoo_data *d);
/* ERR_INPUT: the items are not what the network takes, or the labels are none of its classes. */
int zoo_data_check(const struct zoo_data *d, const struct zoo_row *row, const struct model *m, struct err *e);
/* Item number `item` as the one at place `at` of t, packed float32 or int64. */
void zoo_data_copy(const struct zoo_data *d, size_t item, struct tensor *t, size_t at);
/* Items from `first` on, as many as wire w takes, in its shape and type (float32 or int64); order NULL: as they are. */
struct tensor *zoo_data_batch(const struct zoo_data *d, const size_t *order, size_t first, const struct wire *w,
			      struct err *e);
/* What output y (wide or packed) of a batch should be, element by element: y itself gives the shape, x the items. */
void zoo_data_truth(const struct zoo_data *d, enum zoo_kind kind, const size_t *items, const struct tensor *x,
		    const struct tensor *y, double *out);

/* ---- statistics.c: for batch normalization after training -------------------------------------------------------- */

/* One BatchNormalization, with sums over the batches seen so far. */
struct zoo_norm {
	const struct wire *input, *mean, *var;
	double *sum, *square; /* by channel, of its mean in a batch and of its mean square */
	size_t channels, batches;
};

struct zoo_norms {
	struct zoo_norm *at;
	size_t n;
};

int zoo_norms_find(const struct graph *g, struct zoo_norms *out, struct err *e);
void zoo_norms_release(struct zoo_norms *n);
/* A ref_observer whose arg is a struct zoo_norms: adds the batch that is run. */
int zoo_norms_observe(const struct node *node, int out, const struct wire *w, const struct value *v, const float *noise,
		      void *arg);
/* Whether w is the mean or the variance of a normalization; what is known of it is written to `out`. */
int zoo_norms_take(const struct zoo_norms *n, const struct wire *w, double *out);

/* ---- train.c, score.c -------------------------------------------------------------------------------------------- */

/* Who computes the steps in place of the reference. */
struct zoo_engine {
	/* (optional) Once, before all else.  The model is the network for one batch with its weights as inputs, and
	 * `wanted` are those whose gradients are asked for; both outlive the training. */
	int (*open)(void *arg, const struct model *m, struct wire *const *wanted, size_t n, struct err *e);
	/* The first output as in training, where a normalization takes the batch's own numbers; inputs by
	 * graph->inputs.  Wide or packed, a new reference. */
	int (*run)(void *arg, struct value *const *in, struct tensor **y, struct err *e);
	/* Gradients of Σ seed · output at the inputs of the last run, by `wanted`; seeds by output, NULL: none.  On
	 * failure there are none. */
	int (*backward)(void *arg, struct tensor *const *seeds, struct tensor **grads, struct err *e);
};

struct zoo_train_options {
	int epochs;      /* 0: the network's own */
	double rate;     /* step size; 0: the network's own */
	size_t held_out; /* the last so many items are for testing only */
	uint64_t seed;
	const struct zoo_engine *engine; /* NULL: the reference, in double */
	void *engine_arg;
	/* (optional) after each step; returning non-zero ends the training with what there is. */
	int (*progress)(int epoch, size_t step, size_t steps, double loss, void *arg);
	void *progress_arg;
};

struct zoo_train_result {
	struct tensor_set weights; /* packed float32 */
	double loss;               /* mean over the last epoch */
	/* On the items held out, in the rounded mode, which is what a float32 library gets: the share of labels that
	 * are right; of numbers the share of their variance that is explained (R²). */
	double accuracy;
	double train_accuracy; /* the same of items that were learned from: all, or with an engine the first ones */
	size_t tested, train_tested;
};

int zoo_train(const struct zoo_row *row, const struct zoo_data *d, const struct zoo_train_options *o,
	      struct zoo_train_result *out, struct err *e);
/* The same measure of a model on the items [first, last). */
int zoo_score(const struct zoo_row *row, struct model *m, const struct zoo_data *d, size_t first, size_t last,
	      double *out, struct err *e);

#endif
