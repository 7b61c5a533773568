/* optimizer.c - see optimizer.h. */
#include "methods/swap/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static double move_sgd(double g, double *m, double *v, const double left[2])
{
	(void)m;
	(void)v;
	(void)left;
	return g;
}

static double move_momentum(double g, double *m, double *v, const double left[2])
{
	(void)v;
	(void)left;
	*m = 0.9 * *m + g;
	return *m;
}

/* Kingma and Ba, Algorithm 1, with their constants. */
static double move_adam(double g, double *m, double *v, const double left[2])
{
	*m = 0.9 * *m + 0.1 * g;
	*v = 0.999 * *v + 0.001 * g * g;
	return *m / left[0] / (sqrt(*v / left[1]) + 1e-8);
}

const struct optimizer optimizer_rows[] = {
	{"sgd", 0.01, 0, move_sgd, "Momentum", 0, 1, 0},
	{"momentum", 0.01, 1, move_momentum, "Momentum", 0.9, 1, 0},
	{"adam", 0.001, 2, move_adam, "Adam", 0.9, 0.999, 1e-8},
	{0},
};

const struct optimizer *optimizer_find(const char *name, struct err *e)
{
	int at = near_find(name, strlen(name), &optimizer_rows->name, sizeof *optimizer_rows);

	if (at < 0)
		near_refuse("optimizer", name, &optimizer_rows->name, sizeof *optimizer_rows, e);
	return at < 0 ? NULL : &optimizer_rows[at];
}

/* ---- trajectories ------------------------------------------------------------------------------------------------ */

void trajectory_close(struct trajectory *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->at)
			tensor_unref(t->at[i]);
		if (t->m)
			mem_free(t->m[i]);
		if (t->v)
			mem_free(t->v[i]);
	}
	mem_free(t->at);
	mem_free(t->m);
	mem_free(t->v);
	*t = (struct trajectory){0};
}

static int open_parameter(struct trajectory *t, size_t i, struct tensor *start, struct err *e)
{
	t->at[i] = tensor_widen(start, e);
	if (!t->at[i])
		return e->code;
	t->m[i] = t->rule->moments > 0 ? mem_array(start->count, sizeof **t->m) : NULL;
	t->v[i] = t->rule->moments > 1 ? mem_array(start->count, sizeof **t->v) : NULL;
	if ((t->rule->moments > 0 && !t->m[i]) || (t->rule->moments > 1 && !t->v[i]))
		return err_nomem(e, "moments", start->count * sizeof **t->m);
	return 0;
}

int trajectory_open(struct trajectory *t, const struct optimizer *rule, double rate, struct tensor *const *start,
		    size_t n, struct err *e)
{
	int rc;

	*t = (struct trajectory){.rule = rule,
				 .rate = rate,
				 .n = n,
				 .at = mem_array(n, sizeof *t->at),
				 .m = mem_array(n, sizeof *t->m),
				 .v = mem_array(n, sizeof *t->v)};
	rc = t->at && t->m && t->v ? 0 : err_nomem(e, "parameters", n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = open_parameter(t, i, start[i], e);
	if (rc)
		trajectory_close(t);
	return rc;
}

int trajectory_step(struct trajectory *t, struct tensor *const *grads, struct err *e)
{
	double none = 0, left[2];

	t->step++;
	left[0] = 1 - pow(0.9, (double)t->step);
	left[1] = 1 - pow(0.999, (double)t->step);
	for (size_t i = 0; i < t->n; i++) {
		struct tensor *next = tensor_copy(t->at[i], e);

		if (!next)
			return e->code;
		for (size_t k = 0; k < next->count; k++)
			next->f[k] -= t->rate * t->rule->move(tensor_get(grads[i], k), t->m[i] ? &t->m[i][k] : &none,
							      t->v[i] ? &t->v[i][k] : &none, left);
		tensor_round(next);
		tensor_unref(t->at[i]);
		t->at[i] = next;
	}
	return 0;
}

int trajectory_is_finite(const struct trajectory *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->at[i]->count; k++)
			if (!isfinite(t->at[i]->f[k]))
				return 0;
	return 1;
}
