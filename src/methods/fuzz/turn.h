/* turn.h - models of one operator: each has its turn with each of its element types, and as many more as it has
 * attributes.
 *
 * By chance alone an operator that goes wrong at the ends of one of its types is drawn with them once in thousands of
 * models.  Here the number of a model says what it is of, so that as many models as there are pairs of an operator and
 * a type, or an attribute, have all of them.
 *
 * Turns are of the usual opset.  Versions of an operator that it does not have may live in a single opset (Resize of
 * 10), which chance draws once in hundreds of models: they have turns of their own. */
#ifndef METHODS_FUZZ_TURN_H
#define METHODS_FUZZ_TURN_H

#include "methods/fuzz/fuzz.h"

struct fuzz_turn {
	int block;      /* of the corpus; -1: it is nobody's turn */
	uint32_t types; /* of its inputs: one as a bit; 0: any that the block takes */
	int inputs;     /* how many it is given, where it takes so many */
	int opset;      /* of the model; 0: the usual one */
};

/* Whose turn it is, in models of an opset.  Patterns of several operators have none. */
struct fuzz_turn fuzz_turn_of(const struct corpus *c, int opset, uint64_t number);

/* Turns of other versions of operators than opset `usual` has, one for each version that models of `oldest` to `newest`
 * can have, in the last opset that has it.  Returns how many there are; the first `most` go to `out`. */
int fuzz_other_turns(const struct corpus *c, int usual, int oldest, int newest, struct fuzz_turn *out, int most);
/* The turn with a number, of n. */
struct fuzz_turn fuzz_other_turn(const struct fuzz_turn *turns, int n, uint64_t number);

/* The turns of a campaign, one in some of another version where it has several opsets. */
struct fuzz_turns {
	const struct corpus *corpus;
	int usual, n_others;
	struct fuzz_turn *others;
	uint64_t first; /* another seed begins at another place */
};

/* oldest: 0 in a campaign of one opset. */
int fuzz_turns_init(struct fuzz_turns *t, const struct corpus *c, int usual, int oldest, int newest, uint64_t first,
		    struct err *e);
void fuzz_turns_release(struct fuzz_turns *t);
struct fuzz_turn fuzz_turns_at(const struct fuzz_turns *t, uint64_t number);

/* Whether models of an opset can have IsNaN and Where, without which NaN cannot be kept from what has no order.  A
 * library that lacks them would run none of these models.  Those of one operator need neither: what it must not get is
 * not drawn. */
int fuzz_keeps_nan(const struct corpus *c, int opset);

#endif
