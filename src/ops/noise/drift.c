/* drift.c - see drift.h. */
#include "ops/noise/drift.h"

#include <math.h>

#include "ops/op.h"

#define SAME 0x1p-30 /* far below what float tells apart, far above what sums in double differ by */
#define SHORTEST 8   /* runs whose drift is no more than the growth of any sum */

static inline double at(struct reals x, size_t i)
{
	return x.f64 ? x.f64[i] : (double)x.f32[i];
}

static int differs(double a, double b)
{
	return !(fabs(a - b) <= SAME * fabs(a));
}

size_t drift_changes(struct reals x, size_t outer, size_t length, size_t inner, size_t most)
{
	size_t worst = 0;

	if (!inner) /* no elements, and the length may still be any number */
		return 0;
	for (size_t o = 0; o < outer && worst <= most; o++) {
		size_t changes = 0;

		for (size_t k = 1; k < length && changes <= most; k++) {
			size_t here = (o * length + k) * inner, i = 0;

			while (i < inner && !differs(at(x, here + i), at(x, here - inner + i)))
				i++;
			changes += i < inner;
		}
		worst = changes > worst ? changes : worst;
	}
	return worst;
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
