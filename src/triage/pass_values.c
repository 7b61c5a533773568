/* pass_values.c - plain numbers in inputs and initializers.
 *
 * Every float tensor has a level, and only tries that lower one are made, so that this ends:
 *
 *     0  all 0        1  all 1        2  a single 1 among zeros        3  small whole numbers
 *     4  multiples of 1/4             5  anything
 *
 * Integers are left alone: they are mostly indices and shapes. */
#include <math.h>

#include "base/mem.h"
#include "triage/reduction.h"

enum { LEVEL_ZERO, LEVEL_ONE, LEVEL_SINGLE, LEVEL_WHOLE, LEVEL_QUARTER, LEVEL_ANY };

#define WHOLE_MAX 9
#define QUARTER_MAX 16
#define FORMS 6

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static int level_of(const struct tensor *t)
{
	size_t ones = 0, zeros = 0;
	int whole = 1, quarter = 1;

	for (size_t i = 0; i < t->count; i++) {
		double x = tensor_get(t, i);

		ones += x == 1;
		zeros += x == 0;
		whole &= x == rint(x) && fabs(x) <= WHOLE_MAX;
		quarter &= 4 * x == rint(4 * x) && fabs(x) <= QUARTER_MAX;
	}
	if (zeros == t->count)
		return LEVEL_ZERO;
	if (ones == t->count)
		return LEVEL_ONE;
	if (ones == 1 && zeros + 1 == t->count)
		return LEVEL_SINGLE;
	return whole ? LEVEL_WHOLE : quarter ? LEVEL_QUARTER : LEVEL_ANY;
}

static size_t largest(const struct tensor *t)
{
	size_t best = 0;

	for (size_t i = 1; i < t->count; i++)
		if (fabs(tensor_get(t, i)) > fabs(tensor_get(t, best)))
			best = i;
	return best;
}

static double form_zero(const struct tensor *t, size_t i, size_t top)
{
	(void)t;
	(void)i;
	(void)top;
	return 0;
}

static double form_one(const struct tensor *t, size_t i, size_t top)
{
	(void)t;
	(void)i;
	(void)top;
	return 1;
}

static double form_single(const struct tensor *t, size_t i, size_t top)
{
	(void)t;
	return i == top;
}

static double form_whole(const struct tensor *t, size_t i, size_t top)
{
	(void)top;
	return fmax(-WHOLE_MAX, fmin(WHOLE_MAX, rint(tensor_get(t, i))));
}

/* 1 2 3 4 5 1 2 …: whole numbers that differ from neighbour to neighbour, whatever was there before. */
static double form_count(const struct tensor *t, size_t i, size_t top)
{
	(void)t;
	(void)top;
	return (double)(i % 5 + 1);
}

static double form_quarter(const struct tensor *t, size_t i, size_t top)
{
	(void)top;
	return fmax(-QUARTER_MAX, fmin(QUARTER_MAX, rint(4 * tensor_get(t, i)) / 4));
}

/* What a tensor may be turned into, plainest first. */
static const struct form {
	int level;
	double (*at)(const struct tensor *t, size_t i, size_t top);
} forms[FORMS] = {
	{LEVEL_ZERO, form_zero},   {LEVEL_ONE, form_one},     {LEVEL_SINGLE, form_single},
	{LEVEL_WHOLE, form_whole}, {LEVEL_WHOLE, form_count}, {LEVEL_QUARTER, form_quarter},
};

/* ---- tries ------------------------------------------------------------------------------------------------------- */

/* Tensors that may change: inputs first, then initializers by wire. */
struct value_places {
	VEC(struct wire *) at; /* of r->now */
};

static int list_places(const struct reduction *r, struct value_places *p)
{
	const struct graph *g = r->now.model->graph;
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		const struct tensor *t = candidate_tensor(r->now.model, r->now.inputs, g->wires.at[i]);

		if (t && dtype_is_float(t->dtype) && t->count)
			rc = vec_push(&p->at, g->wires.at[i]);
	}
	return rc;
}

static struct tensor *formed(const struct form *f, const struct tensor *t, struct err *e)
{
	struct tensor *wide = tensor_new(t->dtype, t->rank, t->dims, e), *packed;
	size_t top = largest(t);

	if (!wide)
		return NULL;
	for (size_t i = 0; i < t->count; i++)
		wide->f[i] = f->at(t, i, top);
	packed = tensor_pack(wide, e);
	tensor_unref(wide);
	return packed;
}

/* *changed: the tensor was not as plain already. */
static int reform(const struct form *f, struct candidate *c, struct wire *w, int *changed, struct err *e)
{
	struct tensor *t = candidate_tensor(c->model, c->inputs, w), *to;

	if (level_of(t) <= f->level)
		return 0;
	*changed = 1;
	to = formed(f, t, e);
	if (!to)
		return e->code;
	return candidate_set_tensor(c, w, to, e);
}

/* Candidates 0 … FORMS - 1: all tensors in one form; then every tensor in every form. */
static int simplify(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct value_places *p = arg;
	const struct form *f = &forms[i % FORMS];
	int rc = candidate_copy(r, out, e), changed = 0;

	for (size_t k = 0; k < p->at.n && !rc; k++)
		if (i < FORMS || k == i / FORMS - 1)
			rc = reform(f, out, out->model->graph->wires.at[p->at.at[k]->id], &changed, e);
	if (rc || !changed)
		candidate_release(out);
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step = REDUCE_KEPT;
	int rc = 0;

	while (!rc && step == REDUCE_KEPT) {
		struct value_places p = {VEC_INIT};

		if (list_places(r, &p))
			rc = err_nomem(e, "values", 0);
		else
			step = reduce_first(r, (p.at.n + 1) * FORMS, simplify, &p, e);
		vec_release(&p.at);
	}
	return step == REDUCE_FAILED ? e->code : rc;
}

const struct pass pass_values = {.summary = "plain numbers", .run = run};
