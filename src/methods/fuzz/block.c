/* block.c - one block of a model: its inputs made ready, then its sampler (declared in fuzz.h). */
#include <math.h>

#include "methods/fuzz/around.h"
#include "methods/fuzz/spelling.h"
#include "ops/kit/domain.h"
#include "ops/sample/maker.h"

/* The element type that the inputs of a block get: the first one's when the block takes it. */
static enum dtype block_type(struct maker *m, const struct fuzz_op *op, const struct wire *first)
{
	uint32_t types = op->at[m->opset];

	return types & TM(first->type.dtype) ? first->type.dtype : make_type(m, types);
}

int block_chooses(const struct op *op)
{
	for (const struct op_rule *r = op ? op->rules : NULL; r && r->broken; r++)
		if (r->broken == domain_has_nan)
			return 1;
	return 0;
}

static int chooses(const struct fuzz_op *op)
{
	return op->row && block_chooses(op->row->op);
}

/* In a special campaign: blocks whose results NaN or infinities leave open are given plain numbers.  Those that choose
 * or order get NaN all the same now and then: it must be one of the numbers that comes out (judge/open.c). */
static struct wire *tame(struct maker *m, const struct fuzz_op *op, struct wire *w)
{
	if (!m->special || m->b.rc || !dtype_is_float(w->type.dtype))
		return w;
	if (chooses(op) && m->nans && make_chance(m, 0.3))
		return w;
	if (!op->sampler->special)
		return make_clip(m, w, -1000, 1000);
	return op->ordered ? make_no_nan(m, w) : w;
}

/* What the block takes of its first input's values. */
static struct wire *limit(struct maker *m, const struct fuzz_op *op, struct wire *w)
{
	double low = op->low, high = op->high;

	if (m->b.rc || low >= high)
		return w;
	if (m->fill == FILL_ENDS && op->far > 0) {
		high = op->far;
		low = -high;
	}
	w = dtype_is_float(w->type.dtype) ? make_clip(m, w, low, high) : make_within(m, w, low, high);
	/* minus infinity is left out: gates (x times a share of 1) make 0 or NaN of it, and ONNX does not say which */
	if (!m->b.rc && op->far > 0 && op->sampler->special && !op->ordered && !chooses(op))
		make_admit(m, w, 0);
	return w;
}

/* Of the result; a bound for limited values holds no more where they are not. */
static double bound_of(const struct maker *m, const struct fuzz_op *op)
{
	return m->fill == FILL_ENDS && op->far > 0 ? (double)INFINITY : op->bound;
}

/* The block itself, of wires that are ready for it. */
static struct wire *make_inner(struct maker *m, const struct fuzz_op *op, struct wire *const *ready, int n)
{
	struct wire *out;

	if (m->b.rc)
		return NULL;
	m->any = m->fill == FILL_ENDS && op->sampler->special;
	out = op->sampler->make(m, ready, n);
	for (int i = 0; i < n && out; i++)
		if (out == ready[i] || !out->producer) /* a block is a node at least */
			out = make_op1(m, "Identity", out);
	return bound_of(m, op) > 0 ? make_set_bound(m, out, bound_of(m, op)) : out;
}

static struct wire *make_around(struct maker *m, struct around_work *a, struct wire **ready, int n)
{
	struct wire *out;

	if (!a->by)
		return make_inner(m, a->op, ready, n);
	for (int i = 0; i < n && !m->b.rc; i++)
		ready[i] = a->by->before(m, a, ready[i], i);
	m->weights = a->by->weights;
	m->weights_arg = a;
	out = make_inner(m, a->op, ready, n);
	m->weights = NULL;
	return m->b.rc ? NULL : a->by->after(m, a, out);
}

struct wire *block_make(struct maker *m, const struct corpus *c, const struct fuzz_op *op, struct wire *const *in,
			int n)
{
	struct wire *ready[MAKE_MAX_IN], *out;
	struct around_work a;
	size_t begin, first;
	enum dtype t;

	if (m->b.rc || n < 1)
		return NULL;
	begin = m->b.graph->nodes.n;
	m->row = op->row;
	m->cases = op->cases;
	m->arg = op->pattern;
	t = block_type(m, op, in[0]);
	for (int i = 0; i < n; i++) {
		ready[i] = make_shrink(m, op->sampler->empty ? in[i] : make_some(m, in[i]), MAKE_MAX_COUNT);
		if (m->b.rc)
			return NULL;
		ready[i] = make_cast(m, ready[i], t);
		ready[i] = tame(m, op, ready[i]);
	}
	if (m->b.rc)
		return NULL;
	ready[0] = limit(m, op, ready[0]);
	if (m->b.rc)
		return NULL;
	around_draw(m, &a, c, op, ready, n);
	first = m->b.graph->nodes.n;
	out = make_around(m, &a, ready, n);
	if (c->with_operators && !m->b.rc)
		spelling_draw(m, begin);
	if (c->with_operators)
		around_show(m, first, out);
	return m->b.rc ? NULL : out;
}
