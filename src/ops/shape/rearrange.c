/* rearrange.c - ReverseSequence and Trilu: parts of the input turned round or blanked out. */
#include <inttypes.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

/* ---- ReverseSequence --------------------------------------------------------------------------------------------- */

static int reverse_axes(struct call *c, int *time, int *batch)
{
	int64_t t = attr_int(c->node, "time_axis"), b = attr_int(c->node, "batch_axis");

	if (t < 0 || t > 1 || b < 0 || b > 1 || t == b)
		return call_bad(c, "time_axis %" PRId64 " and batch_axis %" PRId64 " must be 0 and 1", t, b);
	*time = (int)t;
	*batch = (int)b;
	return 0;
}

static int reverse_sequence_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *lens = call_shape(c, 1);
	int time, batch, rc = reverse_axes(c, &time, &batch);
	int64_t d;

	if (rc)
		return rc;
	if (x && x->rank < 2)
		return call_bad(c, "input has rank %d, wanted at least 2", x->rank);
	if (lens && lens->rank != 1)
		return call_bad(c, "sequence_lens have rank %d, wanted 1", lens->rank);
	d = x ? x->dims[batch] : DIM_UNKNOWN;
	if (lens && (rc = dim_unify(c, &d, lens->dims[0], "the length of sequence_lens")))
		return rc;
	for (size_t i = 0; x && c->in[1] && i < c->in[1]->count; i++)
		if (c->in[1]->i[i] < 0 || (dim_known(x->dims[time]) && c->in[1]->i[i] > x->dims[time]))
			return call_bad(c, "a sequence of %" PRId64 " steps does not fit the time axis",
					c->in[1]->i[i]);
	call_out_like(c, 0, 0);
	return 0;
}

/* For each batch b: y[t] = x[len - 1 - t] for t < len, else x[t]. */
static int reverse_sequence_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t step[TENSOR_MAX_RANK], inner = (int64_t)dims_product(x->dims, 2, x->rank);
	int time, batch, rc = reverse_axes(m->c, &time, &batch);

	dims_strides(x->rank, x->dims, step);
	for (int64_t b = 0; !rc && b < x->dims[batch]; b++) {
		int64_t len = m->c->in[1]->i[b], at = b * step[batch], tail = at + len * step[time];
		struct strided s;

		strided_init(&s, at, at + (len - 1) * step[time]);
		strided_axis(&s, len, step[time], -step[time]);
		strided_axis(&s, inner, 1, 1);
		if (!(rc = move_strided(m, 0, 0, &s))) {
			strided_init(&s, tail, tail);
			strided_axis(&s, x->dims[time] - len, step[time], step[time]);
			strided_axis(&s, inner, 1, 1);
			rc = move_strided(m, 0, 0, &s);
		}
	}
	return rc;
}
MOVE_DEFINE(reverse_sequence, MOVE_INPUT_0)

static const struct op_attr reverse_sequence_attrs[] = {OP_INT("time_axis", 0), OP_INT("batch_axis", 1), {0}};

const struct op op_reverse_sequence = {
	.samples = SAMPLES({.by = &sampler_reverse_sequence}),
	.in = {{"input", T_ANY, 'T', 0}, {"sequence_lens", T_I64, 0, 0}},
	.out = {{"Y", T_ANY, 'T', 0}},
	.attrs = reverse_sequence_attrs,
	.infer = reverse_sequence_infer,
	MOVE_FUNCTIONS(reverse_sequence),
};

/* ---- Trilu ------------------------------------------------------------------------------------------------------- */

static int trilu_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *k = call_shape(c, 1);

	if (x && x->rank < 2)
		return call_bad(c, "input has rank %d, wanted at least 2", x->rank);
	if (k && (k->rank > 1 || (k->rank == 1 && dim_known(k->dims[0]) && k->dims[0] != 1)))
		return call_bad(c, "k is not a scalar");
	call_out_like(c, 0, 0);
	return 0;
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* Row i keeps columns j >= i + k (upper) or j <= i + k (lower). */
static int trilu_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
	int64_t k = clamp(call_has(m->c, 1) ? m->c->in[1]->i[0] : 0, -rows, cols);
	int upper = attr_int(m->c->node, "upper") != 0, rc = 0;
	size_t n = cols ? x->count / (size_t)cols : 0;

	for (size_t r = 0; r < n && !rc; r++) {
		int64_t i = (int64_t)(r % (size_t)rows), first = upper ? clamp(i + k, 0, cols) : 0;
		int64_t end = upper ? cols : clamp(i + k + 1, 0, cols);
		size_t at = r * (size_t)cols;

		if ((rc = move_run(m, 0, at, MOVE_FILL, 0, (size_t)first)) ||
		    (rc = move_run(m, 0, at + (size_t)first, 0, at + (size_t)first, (size_t)(end - first))))
			return rc;
		rc = move_run(m, 0, at + (size_t)end, MOVE_FILL, 0, (size_t)(cols - end));
	}
	return rc;
}
MOVE_DEFINE(trilu, MOVE_INPUT_0)

static const struct op_attr trilu_attrs[] = {OP_INT("upper", 1), {0}};

const struct op op_trilu = {
	.samples = SAMPLES({.by = &sampler_trilu}),
	.in = {{"input", T_ANY, 'T', 0}, {"k", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = trilu_attrs,
	.infer = trilu_infer,
	MOVE_FUNCTIONS(trilu),
};
