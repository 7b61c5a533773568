/* around.c - see around.h: what is put around a block, and inner wires that something else reads. */
#include "methods/fuzz/around.h"

#define QUANTIZED 0.25 /* share of models */
#define SHOWN 0.08     /* share of blocks one of whose inner wires is shown */

static const struct around *const rows[] = {
#define AROUND(id) &around_##id,
#include "methods/fuzz/around.def"
#undef AROUND
};

void around_begin(struct maker *m)
{
	m->bytes = !make_chance(m, QUANTIZED) ? DT_UNDEFINED : make_chance(m, 0.7) ? DT_UINT8 : DT_INT8;
}

void around_draw(struct maker *m, struct around_work *a, const struct corpus *c, const struct fuzz_op *op,
		 const struct wire *first)
{
	double at;
	int block;

	*a = (struct around_work){.op = op};
	if (m->b.rc || !c->with_operators)
		return;
	at = rng_unit(&m->rng);
	a->rank = first->type.rank;
	for (int i = 0; i < a->rank; i++)
		a->dims[i] = first->type.dims[i];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (at < rows[i]->share) {
			block = corpus_find(c, rows[i]->block);
			if (block >= 0 && corpus_has(c, block, m->opset) && rows[i]->fits(m, a, first))
				a->by = rows[i];
			return;
		}
		at -= rows[i]->share;
	}
}

/* ---- inner wires ------------------------------------------------------------------------------------------------- */

/* One of numbers whose shape is known, by chance; NULL: there is none. */
static struct wire *inner_wire(struct maker *m, size_t first, const struct wire *last)
{
	const struct graph *g = m->b.graph;
	struct wire *found = NULL;
	uint64_t n = 0;

	for (size_t i = first; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out; k++) {
			struct wire *w = g->nodes.at[i]->out[k];

			if (w && w != last && type_is_static(&w->type) && (MAKE_ALL & TM(w->type.dtype)) &&
			    !graph_has_output(g, w) && !rng_below(&m->rng, ++n))
				found = w;
		}
	return found;
}

void around_show(struct maker *m, size_t first, const struct wire *last)
{
	struct wire *w = m->b.rc || !make_chance(m, SHOWN) ? NULL : inner_wire(m, first, last);

	if (!w)
		return;
	if (dtype_is_float(w->type.dtype) && make_chance(m, 0.5))
		w = make_op1(m, make_chance(m, 0.5) ? "Neg" : "Relu", w);
	build_output(&m->b, w);
}
