/* sample_reduce.c - operators along axes: reductions, softmax and its kin, losses. */
#include <math.h>

#include "ops/reduce/samplers.h"
#include "ops/sample/maker.h"

/* Exponentials of larger ones vanish in float32, and what is compared with 0 then flips. */
static struct wire *sample_axis(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_ranked(m, in[0]), m->fill == FILL_ENDS ? 1000 : 16);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, m->row->name, &x, 1, 1);
	if (make_chance(m, 0.8) || (m->opset < 13 && x->type.rank < 2)) /* 1 was the default */
		build_int(&m->b, "axis", make_any_axis(m, x->type.rank));
	return make_set_bound(m, make_done(m), 2 * make_bound_of(m, x) + 10);
}

const struct sampler sampler_axis = {
	.summary = "Softmax and others along one axis",
	.types = MAKE_FLOATS,
	.make = sample_axis,
};

/* Some of the axes, in any order, from either end; none at all means all. */
static size_t draw_axes(struct maker *m, int rank, int64_t *axes)
{
	size_t n = 0;

	for (int i = 0; i < rank; i++)
		if (make_chance(m, 0.5))
			axes[n++] = make_chance(m, 0.3) ? i - rank : i;
	if (!n && rank)
		axes[n++] = make_any_axis(m, rank);
	return n;
}

static struct wire *reduce(struct maker *m, struct wire *x, double bound)
{
	struct wire *axes = NULL;
	int64_t list[MAKE_MAX_RANK];
	size_t count;

	if (m->b.rc)
		return NULL;
	count = x->type.rank && !make_chance(m, 0.1) ? draw_axes(m, x->type.rank, list) : 0;
	if (count)
		axes = make_ints(m, count, list);
	make_begin(m, m->row->name, (struct wire *[]){x, axes}, axes ? 2 : 1, 1);
	if (make_chance(m, 0.7))
		build_int(&m->b, "keepdims", make_between(m, 0, 1));
	if (m->wide && axes && make_chance(m, 0.1)) /* says something only where there are no axes */
		build_int(&m->b, "noop_with_empty_axes", 1);
	return make_set_bound(m, make_done(m), bound);
}

/* Floats that are added up stay where the order of the terms does not decide what overflows. */
static struct wire *with_room(struct maker *m, struct wire *x, int squared)
{
	if (!dtype_is_float(x->type.dtype))
		return make_room(m, x, 1000, (double)make_count_of(x), squared);
	x = make_calm(m, x, 1000);
	if (m->any && !m->b.rc)
		make_admit(m, x, 1);
	return x;
}

static struct wire *sample_reduce(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = with_room(m, in[0], 1);
	double most = fmax(make_bound_of(m, x), 1);

	(void)n;
	return reduce(m, x, most * (double)make_count_of(x) * most);
}

const struct sampler sampler_reduce = {
	.summary = "a reduction over axes",
	.types = MAKE_WORDS,
	.make = sample_reduce,
	.special = 1,
};

static struct wire *sample_reduce_sum(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = with_room(m, in[0], 0);

	(void)n;
	return reduce(m, x, fmax(make_bound_of(m, x), 1) * (double)make_count_of(x));
}

const struct sampler sampler_reduce_sum = {
	.summary = "a sum over axes",
	.types = MAKE_WORDS,
	.make = sample_reduce_sum,
	.special = 1,
};

static struct wire *sample_extremum(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return reduce(m, in[0], make_bound_of(m, in[0]));
}

const struct sampler sampler_extremum = {
	.summary = "the largest or smallest over axes",
	.types = MAKE_WORDS | TM(DT_INT8) | TM(DT_UINT8) | T_BOOL,
	.make = sample_extremum,
	.special = 1,
};

static struct wire *sample_arg(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_ranked(m, in[0]);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, m->row->name, &x, 1, 1);
	build_int(&m->b, "axis", make_any_axis(m, x->type.rank));
	build_int(&m->b, "keepdims", make_between(m, 0, 1));
	if (m->wide && make_chance(m, 0.4))
		build_int(&m->b, "select_last_index", 1);
	return make_set_bound(m, make_done(m), (double)make_count_of(x));
}

const struct sampler sampler_arg = {
	.summary = "ArgMax or ArgMin",
	.types = MAKE_ALL,
	.make = sample_arg,
	.special = 1,
};

static struct wire *cumulate(struct maker *m, struct wire *x, int64_t axis, double bound)
{
	if (m->b.rc)
		return NULL;
	make_begin(m, m->row->name, (struct wire *[]){x, make_index(m, axis)}, 2, 1);
	build_int(&m->b, "exclusive", make_between(m, 0, 1));
	build_int(&m->b, "reverse", make_between(m, 0, 1));
	return make_set_bound(m, make_done(m), bound);
}

static struct wire *sample_cumulate(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = with_room(m, make_ranked(m, in[0]), 0);

	(void)n;
	if (m->b.rc)
		return NULL;
	return cumulate(m, x, make_any_axis(m, x->type.rank), make_bound_of(m, x) * (double)make_count_of(x));
}

/* Integers whose product along the axis is one of their type. */
static struct wire *sample_cumulate_whole(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis;
	struct wire *x = make_axis(m, in[0], &axis);
	double length, most;

	(void)n;
	if (!x)
		return NULL;
	length = fmax((double)x->type.dims[axis], 1);
	most = floor(pow(make_largest(m, x->type.dtype), 1 / length) * (1 - 0x1p-40));
	x = make_within(m, x, -most, most);
	return cumulate(m, x, make_either_end(m, axis, x ? x->type.rank : 0), make_largest(m, in[0]->type.dtype));
}

const struct sampler sampler_cumulate = {
	.summary = "CumSum",
	.types = MAKE_WORDS,
	.make = sample_cumulate,
};

const struct sampler sampler_cumulate_whole = {
	.summary = "products of integers along an axis",
	.types = T_WIDE,
	.make = sample_cumulate_whole,
};

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static struct wire *sample_loss(struct maker *m, struct wire *const *in, int n)
{
	static const char *const reductions[] = {"none", "mean", "sum"};
	struct wire *x = make_calm(m, make_rank(m, in[0], make_chance(m, 0.5) ? 2 : 3), 16), *target, *weight = NULL;
	int64_t dims[2];
	int how = (int)make_between(m, 0, 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	dims[0] = x->type.dims[0];
	dims[1] = x->type.dims[x->type.rank - 1];
	target = make_random(m, make_index_type(m), x->type.rank - 1, dims, 0, (double)x->type.dims[1] - 1);
	if (make_chance(m, 0.4))
		weight = make_random(m, DT_FLOAT, 1, &x->type.dims[1], 1, 2);
	make_begin(m, m->row->name, (struct wire *[]){x, target, weight}, weight ? 3 : 2, 1);
	build_string(&m->b, "reduction", reductions[how]);
	if (m->wide && make_chance(m, 0.3) && how != 1) /* a mean over nothing is open */
		build_int(&m->b, "ignore_index", make_between(m, 0, x->type.dims[1] - 1));
	return make_set_bound(m, make_done(m), 64 * (double)make_count_of(x));
}

const struct sampler sampler_loss = {
	.summary = "a loss",
	.types = T_F32,
	.make = sample_loss,
};
