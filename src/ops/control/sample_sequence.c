/* sample_sequence.c - sequences and optionals: tensors go in, and one comes out again.
 *
 * Shape inference does not follow items, but the sampler knows what it put in: what comes out is reshaped to the shape
 * that it has, which is known from then on. */
#include <math.h>
#include <string.h>

#include "ops/control/samplers.h"
#include "ops/sample/maker.h"

#define ITEMS MAKE_MOVED
#define MAX_ITEMS 6

/* A sequence and what is in it. */
struct sequence {
	struct wire *wire;
	struct type items[MAX_ITEMS];
	double bound;
	int n;
};

static struct wire *position(struct maker *m, int64_t at, int count)
{
	enum dtype t = make_chance(m, 0.5) ? DT_INT64 : DT_INT32;

	return make_scalar(m, t, (double)(make_chance(m, 0.3) && at < count ? at - count : at));
}

/* A node of which the sampler knows the shape. */
static struct wire *done_as(struct maker *m, int rank, const int64_t *dims, double bound)
{
	struct wire *w = make_done_open(m);

	w = m->b.rc ? NULL : make_op2(m, "Reshape", w, make_ints(m, (size_t)rank, dims));
	return make_set_bound(m, w, bound);
}

static void insert(struct maker *m, struct sequence *s, struct wire *item)
{
	int64_t at = make_between(m, 0, s->n);
	int last = at == s->n && make_chance(m, 0.5); /* the default */

	make_begin(m, "SequenceInsert", (struct wire *[]){s->wire, item, last ? NULL : position(m, at, s->n)},
		   last ? 2 : 3, 1);
	s->wire = make_done_open(m);
	if (m->b.rc)
		return;
	memmove(s->items + at + 1, s->items + at, (size_t)(s->n - at) * sizeof *s->items);
	s->items[at] = item->type;
	s->bound = fmax(s->bound, make_bound_of(m, item));
	s->n++;
}

static void erase(struct maker *m, struct sequence *s)
{
	int64_t at = make_between(m, 0, s->n - 1);
	int last = at == s->n - 1 && make_chance(m, 0.5);

	make_begin(m, "SequenceErase", (struct wire *[]){s->wire, last ? NULL : position(m, at, s->n)}, last ? 1 : 2,
		   1);
	s->wire = make_done_open(m);
	s->n--;
	memmove(s->items + at, s->items + at + 1, (size_t)(s->n - at) * sizeof *s->items);
}

static void construct(struct maker *m, struct sequence *s, struct wire *const *in, int n)
{
	if (make_chance(m, 0.2)) {
		make_begin(m, "SequenceEmpty", NULL, 0, 1);
		build_int(&m->b, "dtype", in[0]->type.dtype);
		s->wire = make_done_open(m);
		for (int i = 0; i < n && !m->b.rc; i++)
			insert(m, s, in[i]);
		return;
	}
	make_begin(m, "SequenceConstruct", in, n, 1);
	s->wire = make_done_open(m);
	for (int i = 0; i < n && !m->b.rc; i++) {
		s->items[s->n++] = in[i]->type;
		s->bound = fmax(s->bound, make_bound_of(m, in[i]));
	}
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

static struct wire *item_at(struct maker *m, struct sequence *s)
{
	int64_t at = make_between(m, 0, s->n - 1);
	const struct type *t = &s->items[at];

	make_begin(m, "SequenceAt", (struct wire *[]){s->wire, position(m, at, s->n)}, 2, 1);
	return done_as(m, t->rank, t->dims, s->bound);
}

static struct wire *length_of(struct maker *m, struct sequence *s)
{
	make_begin(m, "SequenceLength", &s->wire, 1, 1);
	return make_set_bound(m, make_done(m), MAX_ITEMS);
}

/* All of one shape, but for `axis` where no new one is made. */
static struct wire *join(struct maker *m, struct sequence *s, int axis, int fresh)
{
	int64_t dims[TENSOR_MAX_RANK + 1];
	int rank = s->items[0].rank + fresh;

	memcpy(dims, s->items[0].dims, sizeof s->items[0].dims);
	if (fresh) {
		memmove(dims + axis + 1, dims + axis, (size_t)(rank - 1 - axis) * sizeof *dims);
		dims[axis] = s->n;
	}
	for (int i = 1; i < s->n && !fresh; i++)
		dims[axis] += s->items[i].dims[axis];
	make_begin(m, "ConcatFromSequence", &s->wire, 1, 1);
	build_int(&m->b, "axis", make_either_end(m, axis, rank));
	if (fresh || make_chance(m, 0.3))
		build_int(&m->b, "new_axis", fresh);
	return done_as(m, rank, dims, s->bound);
}

static int same_shapes(const struct sequence *s)
{
	for (int i = 1; i < s->n; i++)
		if (s->items[i].rank != s->items[0].rank ||
		    memcmp(s->items[i].dims, s->items[0].dims, (size_t)s->items[0].rank * sizeof *s->items[0].dims))
			return 0;
	return 1;
}

static struct wire *sample_sequence(struct maker *m, struct wire *const *in, int n)
{
	struct wire *items[MAKE_MAX_IN];
	struct sequence s = {0};
	int equal = make_chance(m, 0.6), rank;

	for (int i = 0; i < n && !m->b.rc; i++)
		items[i] = equal ? make_match(m, in[i], in[0]->type.rank, in[0]->type.dims) : in[i];
	if (m->b.rc)
		return NULL;
	construct(m, &s, items, n);
	for (int64_t edits = make_between(m, 0, 2); edits > 0 && !m->b.rc; edits--) {
		if (s.n > 1 && make_chance(m, 0.4))
			erase(m, &s);
		else if (s.n < MAX_ITEMS)
			insert(m, &s, items[make_between(m, 0, n - 1)]);
	}
	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.15))
		build_output(&m->b, s.wire);
	if (make_chance(m, 0.15))
		return length_of(m, &s);
	if (!same_shapes(&s) || make_chance(m, 0.5))
		return item_at(m, &s);
	rank = s.items[0].rank;
	return rank && make_chance(m, 0.5) ? join(m, &s, (int)make_between(m, 0, rank - 1), 0)
					   : join(m, &s, (int)make_between(m, 0, rank), 1);
}

const struct sampler sampler_sequence = {
	.summary = "a sequence, made, edited and taken apart",
	.types = ITEMS,
	.make = sample_sequence,
};

/* ---- SplitToSequence --------------------------------------------------------------------------------------------- */

/* Lengths of the parts, which are drawn: a list, one length and the rest, or 1 each. */
static struct wire *draw_split(struct maker *m, int64_t size, int64_t *lengths, int *n)
{
	int64_t chunk = 1, left = size;
	int list = make_chance(m, 0.4), given = list || size > MAX_ITEMS || make_chance(m, 0.5);

	if (given)
		chunk = make_between(m, (size + MAX_ITEMS - 1) / MAX_ITEMS, size);
	for (*n = 0; left > 0 && *n < MAX_ITEMS; left -= lengths[(*n)++]) {
		int64_t most = left < chunk ? left : chunk;

		lengths[*n] = list ? make_between(m, 1, most) : most;
		if (list && *n == MAX_ITEMS - 1)
			lengths[*n] = left;
	}
	return !given ? NULL : list ? make_indices(m, (size_t)*n, lengths) : make_index(m, chunk);
}

static struct wire *sample_split_to_sequence(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, lengths[MAX_ITEMS];
	struct wire *x = make_axis(m, in[0], &axis), *split;
	struct sequence s = {0};
	int drop;

	(void)n;
	if (!x)
		return NULL;
	split = draw_split(m, x->type.dims[axis], lengths, &s.n);
	drop = !split && make_chance(m, 0.5);
	make_begin(m, "SplitToSequence", (struct wire *[]){x, split}, split ? 2 : 1, 1);
	if (axis || make_chance(m, 0.3))
		build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	if (drop || make_chance(m, 0.3))
		build_int(&m->b, "keepdims", !drop);
	s.wire = make_done_open(m);
	if (m->b.rc)
		return NULL;
	s.bound = make_bound_of(m, x);
	for (int i = 0; i < s.n; i++) {
		s.items[i] = x->type;
		s.items[i].dims[axis] = lengths[i];
		if (drop) {
			memmove(s.items[i].dims + axis, s.items[i].dims + axis + 1,
				(size_t)(x->type.rank - 1 - axis) * sizeof *lengths);
			s.items[i].rank--;
		}
	}
	return make_chance(m, 0.5) ? item_at(m, &s) : join(m, &s, (int)axis, drop);
}

const struct sampler sampler_split_to_sequence = {
	.summary = "SplitToSequence, and an item or all of them",
	.types = ITEMS,
	.make = sample_split_to_sequence,
};

/* ---- optionals --------------------------------------------------------------------------------------------------- */

/* What is in an optional where there is something, which there is. */
static struct wire *sample_optional(struct maker *m, struct wire *const *in, int n)
{
	const struct wire *x = in[0];
	struct wire *optional, *has, *got;

	(void)n;
	make_begin(m, "Optional", in, 1, 1);
	optional = make_done_open(m);
	has = m->b.rc ? NULL
		      : make_op1(m, "OptionalHasElement", make_chance(m, 0.7) || m->opset < 18 ? optional : in[0]);
	make_begin(m, "OptionalGetElement", &optional, 1, 1);
	got = done_as(m, x->type.rank, x->type.dims, make_bound_of(m, x));
	make_begin(m, "Where", (struct wire *[]){has, got, in[0]}, 3, 1);
	return make_done(m);
}

const struct sampler sampler_optional = {
	.summary = "an optional, filled and emptied",
	.types = ITEMS,
	.make = sample_optional,
};
