/* qlinear.c - see qlinear.h. */
#include "ops/contrib_quant/qlinear.h"

#include <math.h>

#include "ops/quantize/quantize.h"

#define ROUNDINGS 3 /* of float32, on the way to the quotient: as quant_quotient() has it */

int qlinear_check_single(struct call *c, int i)
{
	const struct type *t = call_shape(c, i);

	if (!t || t->rank == 0 || (t->rank == 1 && (t->dims[0] < 0 || t->dims[0] == 1)))
		return 0;
	return call_bad(c, "input %d must be a single number", i);
}

int qlinear_check_scalar(struct call *c, int i)
{
	const struct type *t = call_shape(c, i);

	return !t || t->rank == 0 ? 0 : call_bad(c, "input %d has rank %d, wanted a scalar", i, t->rank);
}

struct qlinear qlinear_read(const struct call *c, int scale, int zero)
{
	return (struct qlinear){.scale = c->in[scale]->f[0], .zero = call_has(c, zero) ? c->in[zero]->i[0] : 0};
}

int64_t qlinear_quantize(const struct call *c, enum dtype t, struct qlinear p, double real, double size)
{
	double near = size / p.scale + fabs((double)p.zero);

	return quant_int(t, quant_tied(c, real / p.scale, ROUNDINGS * dtype_roundoff(DT_FLOAT) * near), p.zero);
}

struct call qlinear_inner(const struct call *c, const char *name)
{
	struct call inner = *c;

	inner.op = ops_find("", name)->op;
	inner.n_in = inner.n_out = 1;
	inner.steps = NULL;
	return inner;
}

struct tensor *qlinear_reals(struct call *c, int i, struct qlinear p)
{
	const struct tensor *x = c->in[i];
	struct tensor *real = tensor_new(DT_FLOAT, x->rank, x->dims, c->err);

	for (size_t k = 0; real && k < x->count; k++)
		real->f[k] = qlinear_real(p, x->i[k]);
	return real;
}
