/* meaning.h - what a call of a library means by its own documentation, said in ONNX operators.
 *
 * A file of meanings (data/meanings/<library>.txt) has one row a line:
 *
 *     add.Tensor(x, y, alpha=1) = Add(x, Mul(y, alpha))
 *     avg_pool2d(x, kernel, stride) when le(size(x, 2), 0) limit "an empty picture is refused by design"
 *     topk(x, k, axis) = [TopK(x, [k], axis=axis)#0, TopK(x, [k], axis=axis)#1]
 *
 * On the left stands the operation as the worker records it, with names for its arguments: by position, or by the name
 * under which they are recorded; those with `=` may be left out; [x, y] are the items of a list.  On the right stands
 * what it gives, in the language of model/expr.h: names with a capital are ONNX operators (arguments by position are
 * inputs, those by name are attributes; a number is a constant of the type of the first tensor beside it, a list of
 * integers a vector), the others are functions of terms.c: rank(x), size(x, 1), cat([1], pads), if(c, a, b), …  A list
 * is several results; map(i, list, body) makes one; let(name, value, body) says a thing once.  values(x) are the
 * elements of a recorded tensor, where a library takes axes and the like as tensors.  A row with `when` counts where
 * that is true; the first row that fits is taken.  Rows are functions, too, for the right sides of others.
 *
 * limit "why": the library says in its documentation that it does not do this, or that the result is any: refusing
 * it is no fault, nor is what comes of it.
 * With a right side it is a promise, behind a row that says what the call means in full: less (an accuracy, say) is
 * promised.  It counts where the result is not what the call means: the call must give that much, and what follows from
 * it being no more is no fault.
 *
 * takes CONDITION, before the `=`: the documentation says that such arguments are valid; a call that is refused
 * although it says so is a finding.  The row *(x) takes CONDITION says it for all rows that do not; x is the first
 * tensor of the call.  It does not speak for calls with a tensor that has no elements.
 *
 *     *(x) takes eq(dtype(x), @float32)
 *     gather(x, index) takes eq(dtype(index), @int32) = Gather(x, index)
 *
 * A complex tensor is one of real numbers here, with an axis of 2 more at its end. */
#ifndef PROOF_MEANING_H
#define PROOF_MEANING_H

#include "model/model.h"
#include "proof/calls.h"

struct meaning_row {
	const char *name;
	const struct expr *left, *when, *takes, *right; /* all but left: NULL where it has none */
	const char *limit;                              /* NULL: none */
	int line;
};

#define MEANING_OF_ALL "*" /* name of the row that is about all operations */

struct meanings {
	VEC(struct meaning_row) rows; /* by name, in the order of the file */
	struct arena arena;
};

/* The file of a library, "torch". */
int meanings_load(const char *library, struct meanings *out, struct err *e);
int meanings_parse(const char *text, struct meanings *out, struct err *e);
void meanings_release(struct meanings *m);

static inline int meaning_is_promise(const struct meaning_row *row)
{
	return row->right && row->limit;
}

/* What a call means. */
struct meaning {
	struct model *model;   /* its outputs are the results; NULL: no row says, or it is a limit */
	struct value **inputs; /* of the model, from mem_array() */
	const char *limit;     /* NULL: none */
	int known;             /* there is a row */
	int takes;             /* the documentation says that such arguments are valid */
};

/* A recorded tensor as meanings see it: a complex one as real numbers.  A new reference; NULL on failure. */
struct tensor *meaning_real(struct tensor *t, struct err *e);
int meaning_is_complex(const struct tensor *t);

/* ERR_INPUT: the row cannot be made into a model (the arguments do not fit it); the message names the row. */
int meaning_of(const struct meanings *m, const struct calls *c, const struct recorded_call *call, struct meaning *out,
	       struct err *e);
/* The same by the promises alone: known 0 where the library promises all that the call means. */
int meaning_promised(const struct meanings *m, const struct calls *c, const struct recorded_call *call,
		     struct meaning *out, struct err *e);
void meaning_release(struct meaning *m);

#endif
