/* sample_einsum.c - Einsum with equations of one or two operands. */
#include <string.h>

#include "ops/linear/samplers.h"
#include "ops/sample/maker.h"

#define MAX_LETTERS 8

struct equation {
	char text[64];
	size_t n;
	int64_t sizes[MAX_LETTERS]; /* of 'a' + i */
	int letters;
	double terms; /* that are added up for each element of the result */
};

static void put(struct equation *q, char c)
{
	if (q->n + 1 < sizeof q->text)
		q->text[q->n++] = c;
}

/* The letter of a new axis of some size; now and then one that has the same size already, which takes a diagonal. */
static void put_axis(struct maker *m, struct equation *q, int64_t size)
{
	if (m->wide && make_chance(m, 0.05))
		for (int i = 0; i < q->letters; i++)
			if (q->sizes[i] == size) {
				put(q, (char)('a' + i));
				return;
			}
	q->sizes[q->letters] = size;
	put(q, (char)('a' + q->letters++));
}

/* A second operand that shares some axes with the first. */
static struct wire *second(struct maker *m, struct equation *q, enum dtype t, struct wire *other)
{
	int64_t dims[3];
	int rank = (int)make_between(m, 1, 3), shared = q->letters;
	char used[MAX_LETTERS] = {0};

	put(q, ',');
	for (int i = 0; i < rank; i++) {
		int letter = (int)make_between(m, 0, shared - 1);

		if (shared && !used[letter] && make_chance(m, 0.6)) {
			used[letter] = 1;
			dims[i] = q->sizes[letter];
			put(q, (char)('a' + letter));
			continue;
		}
		dims[i] = make_between(m, 1, 4);
		put_axis(m, q, dims[i]);
	}
	return other ? make_match(m, other, rank, dims) : make_weights(m, t, rank, dims);
}

/* Some of the letters, in any order; without an arrow those that occur once, in order of the alphabet. */
static void put_result(struct maker *m, struct equation *q)
{
	size_t order[MAX_LETTERS];

	q->terms = 1;
	for (int i = 0; i < q->letters; i++)
		q->terms *= (double)(q->sizes[i] > 1 ? q->sizes[i] : 1);
	if (make_chance(m, 0.1))
		return;
	put(q, '-');
	put(q, '>');
	for (int i = 0; i < q->letters; i++)
		order[i] = (size_t)i;
	rng_shuffle(&m->rng, order, (size_t)q->letters);
	for (int i = 0, kept = 0; i < q->letters && kept < MAKE_MAX_RANK; i++)
		if (make_chance(m, 0.7)) {
			put(q, (char)('a' + order[i]));
			q->terms /= (double)(q->sizes[order[i]] > 1 ? q->sizes[order[i]] : 1);
			kept++;
		}
}

static struct wire *sample_einsum(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank > 4 ? make_rank(m, in[0], 4) : in[0], *two[2];
	struct equation q = {.n = 0};
	double bound;
	int count = n > 1 || make_chance(m, 0.5) ? 2 : 1;

	two[0] = x = make_shrink(m, x, dtype_bits(in[0]->type.dtype) < 16 ? 16 : 256);
	if (m->b.rc)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		put_axis(m, &q, x->type.dims[i]);
	if (count == 2)
		two[1] = second(m, &q, x->type.dtype, n > 1 ? in[1] : NULL);
	put_result(m, &q);
	for (int i = 0; i < count; i++) /* of weights the other operand has the room */
		if (i == 0 || n > 1)
			two[i] = make_room(m, two[i], 100, q.terms * (count == 2 && n < 2 ? 2 : 1), n > 1);
	x = two[0];
	if (m->b.rc)
		return NULL;
	bound = make_bound_of(m, x) * (count == 2 ? make_bound_of(m, two[1]) * (double)make_count_of(two[1]) : 1);
	make_begin(m, "Einsum", two, count, 1);
	build_string(&m->b, "equation", q.text);
	return make_set_bound(m, make_done(m), bound * (double)make_count_of(x));
}

const struct sampler sampler_einsum = {
	.summary = "Einsum",
	.types = T_F32 | T_INT,
	.make = sample_einsum,
};
