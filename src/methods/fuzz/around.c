/* around.c - see around.h: what is put around a block, and inner wires that something else reads. */
#include <stdio.h>

#include "methods/fuzz/around.h"

#define QUANTIZED 0.25 /* share of models */
#define SHOWN 0.08     /* share of blocks one of whose inner wires is shown */
#define TWIN 0.02      /* share of blocks one of whose nodes is there twice */

static const struct around *const rows[] = {
#define AROUND(id) &around_##id,
#include "methods/fuzz/around.def"
#undef AROUND
};

void around_begin(struct maker *m)
{
	m->bytes = !make_chance(m, QUANTIZED) ? DT_UNDEFINED : make_chance(m, 0.7) ? DT_UINT8 : DT_INT8;
}

static int has_blocks(const struct corpus *c, const char *words, int opset)
{
	char name[64];
	int used;

	for (; sscanf(words, "%63s%n", name, &used) == 1; words += used) {
		int block = corpus_find(c, name);

		if (block < 0 || !corpus_has(c, block, opset))
			return 0;
	}
	return 1;
}

void around_draw(struct maker *m, struct around_work *a, const struct corpus *c, const struct fuzz_op *op,
		 struct wire *const *in, int n)
{
	const struct wire *first = in[0];
	double at;

	*a = (struct around_work){.op = op, .n = n};
	if (m->b.rc || !c->with_operators || (m->alone && !m->nans))
		return;
	at = rng_unit(&m->rng);
	a->rank = first->type.rank;
	for (int i = 0; i < a->rank; i++)
		a->dims[i] = first->type.dims[i];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double share = m->alone ? rows[i]->alone : rows[i]->share;

		if (at < share) {
			if (has_blocks(c, rows[i]->block, m->opset) && rows[i]->fits(m, a, first))
				a->by = rows[i];
			return;
		}
		at -= share;
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

/* As an output, or as what an output is made of; or as both, the second one a copy. */
static void show(struct maker *m, struct wire *w)
{
	int64_t way = make_between(m, 0, 5);

	if (way == 0) {
		build_output(&m->b, w);
		w = make_op1(m, "Identity", w);
	} else if (way <= 3 && dtype_is_float(w->type.dtype)) {
		w = make_op1(m, make_chance(m, 0.5) ? "Neg" : "Relu", w);
	}
	if (!m->b.rc)
		build_output(&m->b, w);
}

/* A second node with the inputs and attributes of the one that makes w; NULL where it may give something else, or
 * where w is not its first output. */
static struct wire *twin_of(struct maker *m, const struct wire *w)
{
	const struct node *n = w->producer;
	const struct op_row *row = ops_find(n->domain, n->op_type);
	struct wire *twin;
	unsigned present = 0;

	if (!row || *n->domain || (row->op->flags & OP_RANDOM) || n->out[0] != w)
		return NULL;
	for (int i = 0; i < n->n_attrs; i++)
		if (n->attrs[i].type == ATTR_GRAPH)
			return NULL;
	for (int i = 0; i < n->n_out; i++)
		present |= (unsigned)(n->out[i] != NULL) << i;
	make_begin_some(m, n->op_type, n->in, n->n_in, n->n_out, present);
	if (!m->b.rc)
		m->b.rc = node_copy_attrs(m->b.last, n, m->b.err);
	twin = make_set_bound(m, make_done_open(m), make_bound_of(m, w));
	if (!twin || type_is_static(&twin->type))
		return twin;
	m->has_unused = 1; /* its shape is an input that is no constant: known of the first node only */
	return NULL;
}

void around_show(struct maker *m, size_t first, const struct wire *last)
{
	int shown = !m->alone && make_chance(m, SHOWN), twin = !m->alone && make_chance(m, TWIN);
	struct wire *w = m->b.rc || !shown ? NULL : inner_wire(m, first, last);

	if (w)
		show(m, w);
	w = m->b.rc || !twin ? NULL : inner_wire(m, first, NULL);
	w = w ? twin_of(m, w) : NULL;
	if (w)
		show(m, w);
}
