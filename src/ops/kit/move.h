/* move.h - operators that only move data.
 *
 * Such an operator says once which input elements go where: a `move_fn` that calls move_strided() or move_run() for
 * blocks of elements.  The same function then serves three times:
 *
 *   eval    copies the elements (any dtype, strings too)
 *   grad    adds the gradient of what was written to the gradient of what was read
 *   delta   copies the perturbations, all lanes of an element together
 *
 * Every output element must be written exactly once, or the gradient would count it twice. */
#ifndef OPS_KIT_MOVE_H
#define OPS_KIT_MOVE_H

#include "ops/call.h"
#include "ops/kit/strided.h"

enum move_mode { MOVE_EVAL, MOVE_GRAD, MOVE_DELTA };

struct mover {
	struct call *c;
	enum move_mode mode;
	size_t elem;               /* bytes of one element of the outputs */
	int strings;               /* the outputs hold strings */
	const struct tensor *fill; /* what MOVE_FILL reads: element 0; NULL: zero, false or "" */
};

#define MOVE_FILL (-1) /* as `in`: a constant, without gradient */

typedef int move_fn(struct mover *m);

/* Output `out` takes the block from input `in`.  The caller has checked that the block lies within both. */
int move_strided(struct mover *m, int out, int in, const struct strided *s);

/* The same for n elements in a row. */
int move_run(struct mover *m, int out, size_t dst, int in, size_t src, size_t n);

int move_eval(struct call *c, move_fn *fn);
int move_grad(struct call *c, move_fn *fn);

/* `data` has a bit for each input whose elements are moved; when another one is perturbed the call is declined. */
enum delta_result move_delta(struct call *c, move_fn *fn, unsigned data);

/* grad and delta of operators whose output is input 0 under another shape. */
int view_grad(struct call *c);
enum delta_result view_delta(struct call *c);

/* The three functions of an operator from its <id>_move, and their places in its struct op. */
#define MOVE_DEFINE(id, data)                               \
	static int id##_eval(struct call *c)                \
	{                                                   \
		return move_eval(c, id##_move);             \
	}                                                   \
	static int id##_grad(struct call *c)                \
	{                                                   \
		return move_grad(c, id##_move);             \
	}                                                   \
	static enum delta_result id##_delta(struct call *c) \
	{                                                   \
		return move_delta(c, id##_move, data);      \
	}
#define MOVE_FUNCTIONS(id) .eval = id##_eval, .grad = id##_grad, .delta = id##_delta

#define MOVE_INPUT_0 1u
#define MOVE_ALL_INPUTS (~0u)

#endif
