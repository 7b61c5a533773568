/* sample_select.c - operators that give as many elements as the values ask for.
 *
 * What they give is summed along the axis whose size is open, so that the shape is known again; some of it is an output
 * of the model as well. */
#include "ops/index/samplers.h"
#include "ops/sample/maker.h"

#define CHOSEN (T_F32 | T_INT | T_BOOL)

/* Elements of which all may be added up; those of types that are not are cast to int32 before. */
static struct wire *summable(struct maker *m, struct wire *x)
{
	if (m->b.rc || !(T_WIDE & TM(x->type.dtype)))
		return x;
	return make_room(m, x, MAKE_LARGE, (double)make_count_of(x), 0);
}

static struct wire *sample_non_zero(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x =
		make_whole(m, make_ranked(m, in[0])); /* libraries do not agree on what a single number gives */

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "NonZero", &x, 1, 1);
	return make_sum_open(m, make_done_open(m), 1, (double)(make_count_of(x) * make_count_of(x)));
}

const struct sampler sampler_non_zero = {
	.summary = "NonZero",
	.types = CHOSEN,
	.make = sample_non_zero,
};

/* Flat, or slices along an axis; outputs that nobody asks for are left out. */
static struct wire *sample_unique(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis;
	struct wire *x = make_axis(m, make_whole(m, summable(m, in[0])), &axis), *y;
	int flat = make_chance(m, 0.6);

	(void)n;
	if (!x)
		return NULL;
	make_begin_some(m, "Unique", &x, 1, 4, 1u | (unsigned)make_between(m, 0, 7) << 1);
	if (!flat)
		build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	if (make_chance(m, 0.5))
		build_int(&m->b, "sorted", make_between(m, 0, 1));
	y = make_done_open(m);
	for (int i = 1; !m->b.rc && i < m->b.last->n_out; i++)
		if (m->b.last->out[i])
			build_output(&m->b, m->b.last->out[i]);
	return make_sum_open(m, y, flat ? 0 : axis, make_bound_of(m, x) * (double)make_count_of(x));
}

const struct sampler sampler_unique = {
	.summary = "Unique",
	.types = CHOSEN,
	.make = sample_unique,
};

static struct wire *sample_compress(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, size;
	struct wire *x = make_axis(m, summable(m, in[0]), &axis), *y;
	int flat = make_chance(m, 0.4);

	(void)n;
	if (!x)
		return NULL;
	size = flat ? (int64_t)make_count_of(x) : x->type.dims[axis];
	size = m->wide && make_chance(m, 0.3) ? make_between(m, 1, size) : size; /* what has no condition is left out */
	make_begin(m, "Compress", (struct wire *[]){x, make_random(m, DT_BOOL, 1, &size, 0, 1)}, 2, 1);
	if (!flat)
		build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	y = make_done_open(m);
	return make_sum_open(m, y, flat ? 0 : axis, make_bound_of(m, x) * (double)make_count_of(x));
}

const struct sampler sampler_compress = {
	.summary = "Compress",
	.types = CHOSEN,
	.make = sample_compress,
};
