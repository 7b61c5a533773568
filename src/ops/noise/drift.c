/* drift.c - see drift.h. */
#include "ops/noise/drift.h"

#include <math.h>
#include <stdatomic.h>

#include "base/clones.h"
#include "base/parallel.h"
#include "ops/op.h"

#define SAME 0x1p-30 /* far below what float tells apart, far above what sums in double differ by */
#define SHORTEST 8   /* runs whose drift is no more than the growth of any sum */

#define BLOCK ((size_t)64) /* places or elements that are looked at before one asks whether that is enough */

static int differs(double a, double b)
{
	return !(fabs(a - b) <= SAME * fabs(a));
}

/* How many of n pairs differ. */
CLONES static size_t differing_f64(const double *a, const double *b, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (size_t)differs(a[i], b[i]);
	return count;
}

CLONES static size_t differing_f32(const float *a, const float *b, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (size_t)differs(a[i], b[i]);
	return count;
}

static size_t differing(struct reals x, size_t a, size_t b, size_t n)
{
	return x.f64 ? differing_f64(x.f64 + a, x.f64 + b, n) : differing_f32(x.f32 + a, x.f32 + b, n);
}

/* Outer parts of x [outer][length][inner]. */
struct drift {
	struct reals x;
	size_t length, inner, most;
	size_t part;           /* count_steps(): this outer part, */
	atomic_size_t changes; /* neighbours in it that differ, at most one more than `most` count, */
	size_t from;           /* and steps from here on */
	atomic_size_t worst;   /* of all parts */
};

/* Whether places k - 1 and k of a part differ. */
static int differs_at(const struct drift *d, size_t part, size_t k)
{
	size_t here = (part * d->length + k) * d->inner, found = 0;

	for (size_t i = 0; i < d->inner && !found; i += BLOCK)
		found = differing(d->x, here + i, here - d->inner + i, d->inner - i < BLOCK ? d->inner - i : BLOCK);
	return found != 0;
}

/* Places first … end - 1 of a part that differ from the one before. */
static size_t changes_in(const struct drift *d, size_t part, size_t first, size_t end)
{
	size_t here = part * d->length + first, changes = 0;

	if (d->inner == 1)
		return differing(d->x, here, here - 1, end - first);
	for (size_t k = first; k < end; k++)
		changes += (size_t)differs_at(d, part, k);
	return changes;
}

/* The place behind those that are looked at together from k on. */
static size_t after(const struct drift *d, size_t k, size_t end)
{
	size_t n = d->inner < BLOCK ? BLOCK / d->inner : 1;

	return end - k < n ? end : k + n;
}

static void count_steps(void *arg, size_t first, size_t end)
{
	struct drift *d = arg;

	end += d->from;
	for (size_t k = d->from + first, next; k < end && d->changes <= d->most; k = next) {
		next = after(d, k, end);
		d->changes += changes_in(d, d->part, k, next);
	}
}

static void note_worst(struct drift *d, size_t changes)
{
	size_t worst = d->worst, more = changes > d->most ? d->most + 1 : changes;

	while (more > worst && !atomic_compare_exchange_weak(&d->worst, &worst, more))
		;
}

/* Most tensors show at once that they do not drift: threads help only where it takes longer. */
static void count_first(struct drift *d)
{
	size_t k = 1, next;

	for (; k < d->length && d->changes <= d->most && (double)(k * d->inner) < parallel_steps(); k = next) {
		next = after(d, k, d->length);
		d->changes += changes_in(d, 0, k, next);
	}
	d->from = k;
	if (k < d->length && d->changes <= d->most)
		parallel_for(d->length - k, (double)d->inner, count_steps, d);
	note_worst(d, d->changes);
}

static void count_parts(void *arg, size_t first, size_t end)
{
	struct drift *d = arg;

	for (size_t part = first + 1; part < end + 1 && d->worst <= d->most; part++) {
		size_t changes = 0;

		for (size_t k = 1, next; k < d->length && changes <= d->most; k = next) {
			next = after(d, k, d->length);
			changes += changes_in(d, part, k, next);
		}
		note_worst(d, changes);
	}
}

size_t drift_changes(struct reals x, size_t outer, size_t length, size_t inner, size_t most)
{
	struct drift d = {.x = x, .length = length, .inner = inner, .most = most};

	if (!inner || !outer) /* no elements, and the length may still be any number */
		return 0;
	count_first(&d);
	if (d.worst <= most)
		parallel_for(outer - 1, (double)length * (double)inner, count_parts, &d);
	return d.worst;
}

size_t drift_limit(size_t n)
{
	return n / SHORTEST;
}

/* Drifts of runs, each of n / runs terms, are independent: n / runs / 4 · √runs roundings of the sum. */
static double drift(size_t n, size_t changes)
{
	return changes > drift_limit(n) ? 0 : (double)n / sqrt((double)(changes + 1)) / 4;
}

double drift_growth(struct call *c, size_t n, size_t changes)
{
	double growth = noise_growth((double)n), drifting = drift(n, changes);

	if (drifting <= growth)
		return growth;
	c->drifts = 1;
	return drifting;
}

double drift_growth_runs(size_t n, size_t changes)
{
	return fmax(noise_growth((double)n), drift(n, changes));
}

double drift_growth_of(const double *x, size_t n)
{
	return drift_growth_runs(n, drift_changes((struct reals){.f64 = x}, 1, n, 1, drift_limit(n)));
}
