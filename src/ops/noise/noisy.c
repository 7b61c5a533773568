/* noisy.c - see noisy.h. */
#include "ops/noise/noisy.h"

#include <math.h>
#include <string.h>

#define NOISY_RUNS 6
#define NOISY_SEED 1              /* the scale of a call is always the same */
#define ROOT_3 1.7320508075688772 /* a uniform number between -√3 and √3 has standard deviation 1 */

/* Moves of one size and either sign would cancel exactly where two of them meet, in 1 run of 2. */
double noisy_move(struct noisy *n, double x, double size)
{
	if (!n->on)
		return x;
	return x + rng_uniform(&n->rng, -ROOT_3, ROOT_3) * size * n->roundoff;
}

double noisy_round(struct noisy *n, double x, double roundoffs)
{
	return noisy_move(n, x, x * roundoffs);
}

int noisy_scale(struct call *c, int out, noisy_fn *fn, void *arg, double *s)
{
	size_t count = c->out[out]->count;
	double *exact = call_scratch(c, count, sizeof *exact), *moved = call_scratch(c, count, sizeof *moved);
	struct noisy n = {.on = 0, .roundoff = dtype_roundoff(c->out[out]->dtype)};
	int rc = exact && moved ? fn(c, &n, out, exact, arg) : ERR_MEMORY;

	memset(s, 0, count * sizeof *s);
	rng_init(&n.rng, NOISY_SEED);
	n.on = 1;
	for (int run = 0; !rc && run < NOISY_RUNS; run++) {
		rc = fn(c, &n, out, moved, arg);
		for (size_t i = 0; !rc && i < count; i++)
			s[i] += (moved[i] - exact[i]) * (moved[i] - exact[i]);
	}
	for (size_t i = 0; !rc && i < count; i++)
		s[i] = sqrt(s[i] / NOISY_RUNS) / n.roundoff + fabs(exact[i]);
	return rc;
}
