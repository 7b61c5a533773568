/* inputs.c - what the inputs of a case are filled with (declared in fuzz.h). */
#include <math.h>

#include "base/mem.h"
#include "methods/fuzz/fuzz.h"

#define EQUAL 0.1       /* share of inputs */
#define EQUAL_ALONE 0.3 /* … of a model of one operator: nothing else is hidden by it */
#define ZEROS 0.3       /* of those: a norm of zeros divides by 0 */
#define NEARLY 0.3      /* of those of floats: large, and equal but for the last place */
#define LARGEST_NEAR 1e6

static double draw_value(struct maker *m, enum dtype t)
{
	static const double specials[] = {(double)NAN, (double)INFINITY, (double)-INFINITY};
	static const double edges[] = {0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, 0.001, -7, 100, -100, 16.25};
	int whole = !dtype_is_float(t);

	if (t == DT_BOOL)
		return (double)make_between(m, 0, 1);
	if (m->special && !whole && make_chance(m, 0.15))
		return specials[make_between(m, 0, 2)];
	if (m->fill == FILL_RANDOM && !whole)
		return rng_uniform(&m->rng, -1, 1);
	if (m->fill == FILL_EDGE && !whole)
		return edges[make_between(m, 0, sizeof edges / sizeof *edges - 1)];
	return (double)(m->fill == FILL_EDGE ? make_between(m, dtype_is_unsigned(t) ? 0 : -100, 100)
					     : make_between(m, dtype_is_unsigned(t) ? 0 : -4, 4));
}

/* The ends of the type, and in some places numbers that go together with those of the other inputs. */
static void draw_ends(struct maker *m, const struct wire *w, size_t number, unsigned pair, struct tensor *wide)
{
	struct value_range range = make_range_of(m, w);

	for (size_t i = 0; i < wide->count; i++) {
		values_put(wide, i, &range, &m->rng);
		if (i % 4 == 0)
			values_put_pair(wide, i, &range, pair, number);
	}
}

/* What rounding leaves of the squares of such numbers is more than their variance, and may be less than 0. */
static void draw_nearly(struct maker *m, const struct value_range *range, struct tensor *wide, size_t from)
{
	double at = exp(rng_uniform(&m->rng, 0, log(LARGEST_NEAR))), u = dtype_roundoff(wide->dtype);

	at = values_within(range, make_chance(m, 0.5) ? at : -at);
	for (size_t i = from; i < wide->count; i++) {
		double x = dtype_round(wide->dtype, at * (1 + 2 * u * (double)make_between(m, -1, 1)), 0);

		wide->f[i] = values_within(range, x);
	}
}

/* In a special campaign all numbers of some inputs are the same, or those from the middle on: sums, deviations and
 * norms of equal numbers, of infinities or zeros alone, are cases of their own. */
static void draw_equal(struct maker *m, const struct value_range *range, struct tensor *wide)
{
	size_t from;

	if (!m->nans || !wide->count || !make_chance(m, m->alone ? EQUAL_ALONE : EQUAL))
		return;
	from = make_chance(m, 0.5) ? 0 : wide->count / 2;
	if (dtype_is_float(wide->dtype) && make_chance(m, NEARLY)) {
		draw_nearly(m, range, wide, from);
		return;
	}
	if (dtype_is_float(wide->dtype) && make_chance(m, ZEROS))
		wide->f[from] = dtype_round(wide->dtype, values_within(range, 0), 0);
	for (size_t i = from + 1; i < wide->count; i++) {
		if (dtype_is_float(wide->dtype))
			wide->f[i] = wide->f[from];
		else
			wide->i[i] = wide->i[from];
	}
}

static struct value *draw_input(struct maker *m, const struct wire *w, size_t number, unsigned pair, struct err *e)
{
	const struct type *t = &w->type;
	struct tensor *wide = tensor_new(t->dtype, t->rank, t->dims, e), *packed;
	int ends = m->fill == FILL_ENDS && (MAKE_PLAIN & TM(t->dtype));
	struct value_range range = make_range_of(m, w);

	if (wide && ends)
		draw_ends(m, w, number, pair, wide);
	for (size_t i = 0; wide && !ends && i < wide->count; i++) {
		double x = values_within(&range, draw_value(m, t->dtype));

		if (dtype_is_float(t->dtype))
			wide->f[i] = dtype_round(t->dtype, x, 0);
		else
			wide->i[i] = (int64_t)x;
	}
	if (wide)
		draw_equal(m, &range, wide);
	packed = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return packed ? value_tensor(packed, e) : NULL;
}

int fuzz_draw_inputs(struct maker *m, struct rng *own, struct fuzz_case *c, struct err *e)
{
	const struct graph *g = c->model->graph;
	int rc;
	unsigned pair = m->fill == FILL_ENDS ? (unsigned)make_between(m, 0, VALUES_PAIRS - 1) : 0;

	c->inputs = mem_array(g->inputs.n + 1, sizeof *c->inputs);
	if (!c->inputs)
		return err_nomem(e, "inputs", 0);
	for (size_t i = 0; i < g->inputs.n; i++) {
		if (g->inputs.at[i]->init) {
			rc = frame_value(c->model, g->inputs.at[i], own, &c->inputs[i], e);
			if (rc)
				return rc;
			continue;
		}
		c->inputs[i] = draw_input(m, g->inputs.at[i], i, pair, e);
		if (!c->inputs[i])
			return e->code;
	}
	return 0;
}
