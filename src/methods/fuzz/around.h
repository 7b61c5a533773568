/* around.h - what may stand around any block of a model: pairs of nodes that optimizers push through it, take away or
 * fuse with it, and operands that they fold.  around.def lists them, one row and one descriptor each.
 *
 * `before` is given each wire that leads into the block, made ready for it, and `after` what comes out.  Both may give
 * the wire back as it is.  What pairs go by, a permutation or a scale, is in struct around_work. */
#ifndef METHODS_FUZZ_AROUND_H
#define METHODS_FUZZ_AROUND_H

#include "methods/fuzz/fuzz.h"

/* A block that something is being put around. */
struct around_work {
	const struct fuzz_op *op;
	const struct around *by; /* NULL: nothing */
	int n;                   /* inputs */
	int rank;                /* of the first one, and … */
	int64_t dims[TENSOR_MAX_RANK], perm[TENSOR_MAX_RANK];
	int64_t axis;                      /* or which input */
	enum dtype byte;                   /* of quantized wires, and … */
	int no_zero;                       /* … without zero points */
	double input_scale, weights_scale; /* of whole tensors, the last ones; 0: none yet */
};

struct around {
	const char *summary;
	const char *block; /* those that a corpus must have, with blanks between: what it is made of */
	double share;      /* of the blocks */
	double alone;      /* of those that are the whole model, where NaN is drawn */
	/* Whether it fits around a block that is given this wire first; may draw what it goes by. */
	int (*fits)(struct maker *m, struct around_work *a, const struct wire *first);
	struct wire *(*before)(struct maker *m, struct around_work *a, struct wire *w, int number);
	struct wire *(*after)(struct maker *m, struct around_work *a, struct wire *w);
	/* In place of constants that the block multiplies by; NULL: they stay. */
	struct wire *(*weights)(struct maker *m, struct wire *w, void *work);
};

#define AROUND(id) extern const struct around around_##id;
#include "methods/fuzz/around.def"
#undef AROUND

/* What holds for a whole model. */
void around_begin(struct maker *m);
/* One that the corpus has and that fits, by chance, or none. */
void around_draw(struct maker *m, struct around_work *a, const struct corpus *c, const struct fuzz_op *op,
		 struct wire *const *in, int n);
/* Now and then: one of the wires that the nodes from `first` on made, but for the last, is read by something else as
 * well, or is an output of the model, by itself or with a copy; or one of these nodes is there twice, and what the
 * second one makes is such a wire. */
void around_show(struct maker *m, size_t first, const struct wire *last);

#endif
