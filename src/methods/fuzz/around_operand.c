/* around_operand.c - an arithmetic operator and a constant of NaN, an infinity or 0 before a block (see around.h).
 *
 * Optimizers fold such operands and rewrite what reads them: x · NaN is a constant whatever x is, and so is x · 0 to
 * one that forgets what is not finite.  Only where ONNX says what the block makes of NaN and infinities. */
#include <math.h>

#include "methods/fuzz/around.h"

#define SCALAR 0.6   /* share of constants of one number, the others have one for each place of the last axis */
#define BACKWARD 0.2 /* share of constants that are the first operand */

static int is_limited(const struct fuzz_op *op)
{
	return op->low < op->high;
}

static int fits_operand(struct maker *m, struct around_work *a, const struct wire *first)
{
	a->axis = make_between(m, 0, a->n - 1);
	return m->nans && dtype_is_float(first->type.dtype) && a->op->sampler->special && !a->op->ordered &&
	       !(a->op->row && block_chooses(a->op->row->op)) && (!is_limited(a->op) || a->op->far > 0);
}

/* A block of limited numbers takes NaN as well, but not what an infinity or 0 makes of them. */
static double draw_number(struct maker *m, const struct fuzz_op *op, int product)
{
	static const double numbers[] = {(double)NAN, (double)NAN, (double)INFINITY, (double)-INFINITY, 0, -0.0};

	return numbers[is_limited(op) ? 0 : make_between(m, 0, product ? 5 : 3)];
}

/* Of several numbers, those that are not special leave x as it is. */
static struct wire *draw_constant(struct maker *m, const struct fuzz_op *op, const struct wire *x, int sum, int product)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = make_chance(m, SCALAR) ? 0 : make_row_shape(m, x, dims);
	struct tensor *t = m->b.rc ? NULL : tensor_new(x->type.dtype, rank, dims, m->b.err);

	for (size_t i = 0; t && i < t->count; i++)
		t->f[i] = i && make_chance(m, 0.5) ? !sum : draw_number(m, op, product);
	return make_const(m, t, (double)INFINITY);
}

static struct wire *before_operand(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	static const char *const operators[] = {"Mul", "Add", "Sub", "Div"};
	int64_t which;
	struct wire *c;

	if (m->b.rc || number != a->axis || !dtype_is_float(w->type.dtype))
		return w;
	which = make_between(m, 0, 3);
	c = draw_constant(m, a->op, w, which == 1 || which == 2, which == 0);
	if (which < 2 ? make_chance(m, 0.5) : !is_limited(a->op) && make_chance(m, BACKWARD))
		w = make_op2(m, operators[which], c, w);
	else
		w = make_op2(m, operators[which], w, c);
	return m->b.rc ? NULL : make_set_bound(m, w, (double)INFINITY);
}

static struct wire *after_operand(struct maker *m, struct around_work *a, struct wire *w)
{
	(void)m, (void)a;
	return w;
}

const struct around around_operand = {.summary = "an operator with a constant of NaN, an infinity or 0",
				      .block = "Mul Add Sub Div",
				      .share = 0.03,
				      .alone = 0.12,
				      .fits = fits_operand,
				      .before = before_operand,
				      .after = after_operand};
