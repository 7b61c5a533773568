/* step.c - see step.h. */
#include "ops/noise/step.h"

#include <string.h>

#include "ops/noise/rounding.h"

#define PIECE ((size_t)256) /* elements: with eight lanes they fit into the first-level cache */

/* One step to at most PIECE elements of a tensor of type t. */
static void apply(const struct step *s, enum dtype t, size_t first, size_t n, double *y, float *d)
{
	const struct op *op = s->call->op;
	double x[PIECE], scale[PIECE];
	float sizes[PIECE];

	if (!d) {
		op->step->eval(s, first, n, y, y);
		return;
	}
	memcpy(x, y, n * sizeof *x);
	op->step->eval(s, first, n, x, y);
	op->step->delta(s, first, n, x, d);
	if (op->step->scale)
		op->step->scale(s, first, n, x, scale);
	else if (op->ulps == 0.0f)
		return;
	rounding_sizes(t, op->step->scale ? 1 : (double)op->ulps, op->step->scale ? scale : y, n, sizes);
	rounding_apply(s->seed, sizes, d, first, n, (size_t)s->call->lanes, 1);
}

void steps_apply(const struct steps *s, size_t first, size_t n, double *y, float *d)
{
	for (size_t i = 0; i < n; i += PIECE)
		for (int k = 0; k < s->n; k++)
			apply(&s->at[k], s->at[k].call->out_type[0].dtype, first + i, n - i < PIECE ? n - i : PIECE,
			      y + i, d ? d + i * (size_t)s->at[k].call->lanes : NULL);
}
