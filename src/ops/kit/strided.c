/* strided.c - see strided.h.
 *
 * A block is first made small: axes of one element go, neighbours that lie one behind the other in both operands become
 * one.  What is left is walked plane by plane: the innermost axis, and the one that steps least through the source, so
 * that contiguous runs are one memcpy and transposes go tile by tile through the cache. */
#include "ops/kit/strided.h"

#include <string.h>

#include "base/parallel.h"

#define TILE 16

/* Two axes: n[0] rows of n[1] elements. */
struct plane {
	int64_t n[2], dst_step[2], src_step[2];
	int64_t dst, src;
};

typedef int plane_fn(const struct plane *p, void *arg);

void strided_init(struct strided *s, int64_t dst, int64_t src)
{
	s->rank = 0;
	s->dst = dst;
	s->src = src;
}

void strided_axis(struct strided *s, int64_t dim, int64_t dst_step, int64_t src_step)
{
	s->dims[s->rank] = dim;
	s->dst_step[s->rank] = dst_step;
	s->src_step[s->rank] = src_step;
	s->rank++;
}

/* The same block with as few axes as possible; 0 when it is empty. */
static int collapse(const struct strided *s, struct strided *out)
{
	strided_init(out, s->dst, s->src);
	for (int a = 0; a < s->rank; a++) {
		int last = out->rank - 1;

		if (s->dims[a] == 0)
			return 0;
		if (s->dims[a] == 1)
			continue;
		if (last >= 0 && out->dst_step[last] == s->dst_step[a] * s->dims[a] &&
		    out->src_step[last] == s->src_step[a] * s->dims[a]) {
			out->dims[last] *= s->dims[a];
			out->dst_step[last] = s->dst_step[a];
			out->src_step[last] = s->src_step[a];
		} else {
			strided_axis(out, s->dims[a], s->dst_step[a], s->src_step[a]);
		}
	}
	return 1;
}

static int64_t magnitude(int64_t x)
{
	return x < 0 ? -x : x;
}

static void swap_axes(struct strided *s, int a, int b)
{
	struct strided t;

	strided_init(&t, 0, 0);
	strided_axis(&t, s->dims[a], s->dst_step[a], s->src_step[a]);
	s->dims[a] = s->dims[b];
	s->dst_step[a] = s->dst_step[b];
	s->src_step[a] = s->src_step[b];
	s->dims[b] = t.dims[0];
	s->dst_step[b] = t.dst_step[0];
	s->src_step[b] = t.src_step[0];
}

/* Brings the axis with the smallest step through the source next to the innermost one. */
static void order_planes(struct strided *s)
{
	int best = s->rank - 2;

	for (int a = s->rank - 3; a >= 0; a--)
		if (s->src_step[a] && magnitude(s->src_step[a]) < magnitude(s->src_step[best]))
			best = a;
	if (best >= 0 && best != s->rank - 2)
		swap_axes(s, best, s->rank - 2);
}

/* The innermost `n` axes of s, s's missing ones as axes of one element. */
static void plane_init(struct plane *p, const struct strided *s)
{
	for (int k = 0; k < 2; k++) {
		int a = s->rank - 2 + k;

		p->n[k] = a >= 0 ? s->dims[a] : 1;
		p->dst_step[k] = a >= 0 ? s->dst_step[a] : 0;
		p->src_step[k] = a >= 0 ? s->src_step[a] : 0;
	}
	p->dst = s->dst;
	p->src = s->src;
}

/* Calls fn for every plane, outer axes in row-major order. */
static int for_each_plane(const struct strided *s, plane_fn *fn, void *arg)
{
	int64_t at[STRIDED_MAX_RANK] = {0};
	int outer = s->rank > 2 ? s->rank - 2 : 0;
	struct plane p;

	plane_init(&p, s);
	for (;;) {
		int a = outer - 1;
		int rc = fn(&p, arg);

		if (rc)
			return rc;
		for (; a >= 0; a--) {
			p.dst += s->dst_step[a];
			p.src += s->src_step[a];
			if (++at[a] < s->dims[a])
				break;
			p.dst -= s->dst_step[a] * s->dims[a];
			p.src -= s->src_step[a] * s->dims[a];
			at[a] = 0;
		}
		if (a < 0)
			return 0;
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- copying ----------------------------------------------------------------------------------------------------- */

struct copy {
	char *dst;
	const char *src;
};

/* Inlined with a constant size, so that the inner memcpy is one load and one store. */
static inline __attribute__((always_inline)) void copy_tile(const struct plane *p, const struct copy *c, int64_t i0,
							    int64_t j0, size_t elem)
{
	int64_t i1 = least(i0 + TILE, p->n[0]), j1 = least(j0 + TILE, p->n[1]);

	for (int64_t i = i0; i < i1; i++) {
		int64_t d = p->dst + i * p->dst_step[0], s = p->src + i * p->src_step[0];

		for (int64_t j = j0; j < j1; j++)
			memcpy(c->dst + (d + j * p->dst_step[1]) * (int64_t)elem,
			       c->src + (s + j * p->src_step[1]) * (int64_t)elem, elem);
	}
}

static inline __attribute__((always_inline)) int copy_plane(const struct plane *p, const struct copy *c, size_t elem)
{
	if (p->dst_step[1] == 1 && p->src_step[1] == 1) {
		for (int64_t i = 0; i < p->n[0]; i++)
			memcpy(c->dst + (p->dst + i * p->dst_step[0]) * (int64_t)elem,
			       c->src + (p->src + i * p->src_step[0]) * (int64_t)elem, (size_t)p->n[1] * elem);
		return 0;
	}
	for (int64_t i = 0; i < p->n[0]; i += TILE)
		for (int64_t j = 0; j < p->n[1]; j += TILE)
			copy_tile(p, c, i, j, elem);
	return 0;
}

static int copy_plane_4(const struct plane *p, void *arg)
{
	return copy_plane(p, arg, 4);
}

static int copy_plane_8(const struct plane *p, void *arg)
{
	return copy_plane(p, arg, 8);
}

static int copy_plane_16(const struct plane *p, void *arg)
{
	return copy_plane(p, arg, 16);
}

/* A block whose outermost axis threads share. */
struct shared_copy {
	const struct strided *s;
	struct copy c;
	plane_fn *fn;
};

static void copy_slices(void *arg, size_t first, size_t end)
{
	struct shared_copy *all = arg;
	struct strided part = *all->s;

	if (part.rank) {
		part.dims[0] = (int64_t)(end - first);
		part.dst += (int64_t)first * part.dst_step[0];
		part.src += (int64_t)first * part.src_step[0];
	}
	for_each_plane(&part, all->fn, &all->c);
}

void strided_copy(const struct strided *s, size_t elem, void *dst, const void *src)
{
	struct strided small;
	struct shared_copy all = {&small, {dst, src}, NULL};
	double each = 1;

	if (!collapse(s, &small))
		return;
	all.fn = elem == 4 ? copy_plane_4 : elem == 8 ? copy_plane_8 : copy_plane_16;
	order_planes(&small);
	for (int a = 1; a < small.rank; a++)
		each *= (double)small.dims[a];
	parallel_for(small.rank ? (size_t)small.dims[0] : 1, each, copy_slices, &all);
}

/* ---- adding back ------------------------------------------------------------------------------------------------- */

struct add_back {
	const double *dst;
	double *src;
};

static int add_plane(const struct plane *p, void *arg)
{
	const struct add_back *b = arg;

	for (int64_t i = 0; i < p->n[0]; i++) {
		const double *d = b->dst + p->dst + i * p->dst_step[0];
		double *s = b->src + p->src + i * p->src_step[0];

		for (int64_t j = 0; j < p->n[1]; j++)
			s[j * p->src_step[1]] += d[j * p->dst_step[1]];
	}
	return 0;
}

void strided_add_back(const struct strided *s, const double *dst, double *src)
{
	struct add_back b = {dst, src};
	struct strided small;

	if (!collapse(s, &small))
		return;
	order_planes(&small);
	for_each_plane(&small, add_plane, &b);
}

/* ---- element by element ------------------------------------------------------------------------------------------ */

struct each {
	strided_fn *fn;
	void *arg;
};

static int each_plane(const struct plane *p, void *arg)
{
	const struct each *e = arg;

	for (int64_t i = 0; i < p->n[0]; i++)
		for (int64_t j = 0; j < p->n[1]; j++) {
			int64_t d = p->dst + i * p->dst_step[0] + j * p->dst_step[1];
			int64_t s = p->src + i * p->src_step[0] + j * p->src_step[1];
			int rc = e->fn(e->arg, (size_t)d, (size_t)s);

			if (rc)
				return rc;
		}
	return 0;
}

int strided_each(const struct strided *s, strided_fn *fn, void *arg)
{
	struct each e = {fn, arg};
	struct strided small;

	if (!collapse(s, &small))
		return 0;
	return for_each_plane(&small, each_plane, &e);
}
