/* sample_select.c - operators that give as many elements as the values ask for.
 *
 * What they give is summed along the axis whose size is open, so that the shape is known again; some of it is an output
 * of the model as well. */
#include "methods/fuzz/maker.h"

#define MOVED (TM(DT_FLOAT) | TM(DT_INT32) | TM(DT_INT64))

static struct wire *make_non_zero(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = settled(m, ranked(m, in[0])); /* libraries do not agree on what a single number gives */

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "NonZero", &x, 1, 1);
	return settle(m, done_open(m), 1, (double)(count_of(x) * count_of(x)));
}

const struct sampler sampler_non_zero = {"NonZero", MOVED | T_BOOL, make_non_zero, 0, 0};

/* Flat, or slices along an axis; outputs that nobody asks for are left out. */
static struct wire *make_unique(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis;
	struct wire *x = with_axis(m, settled(m, in[0]), &axis), *y;
	int flat = chance(m, 0.6);

	(void)n;
	if (!x)
		return NULL;
	begin_some(m, "Unique", &x, 1, 4, 1u | (unsigned)between(m, 0, 7) << 1);
	if (!flat)
		build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	if (chance(m, 0.5))
		build_int(&m->b, "sorted", between(m, 0, 1));
	y = done_open(m);
	for (int i = 1; !m->b.rc && i < m->b.last->n_out; i++)
		if (m->b.last->out[i])
			build_output(&m->b, m->b.last->out[i]);
	return settle(m, y, flat ? 0 : axis, bound_of(m, x) * (double)count_of(x));
}

const struct sampler sampler_unique = {"Unique", MOVED, make_unique, 0, 0};

static struct wire *make_compress(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, size;
	struct wire *x = with_axis(m, in[0], &axis), *y;
	int flat = chance(m, 0.4);

	(void)n;
	if (!x)
		return NULL;
	size = flat ? (int64_t)count_of(x) : x->type.dims[axis];
	size = m->wide && chance(m, 0.3) ? between(m, 1, size) : size; /* what has no condition is left out */
	begin(m, "Compress", (struct wire *[]){x, const_random(m, DT_BOOL, 1, &size, 0, 1)}, 2, 1);
	if (!flat)
		build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	y = done_open(m);
	return settle(m, y, flat ? 0 : axis, bound_of(m, x) * (double)count_of(x));
}

const struct sampler sampler_compress = {"Compress", MOVED, make_compress, 0, 0};
