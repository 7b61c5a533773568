/* coverage.c - operator-level coverage, equations 1 to 7 of the paper.
 *
 * For operator c of nt in the corpus, over all models of a test set:
 *
 *     OTC   it occurs                           1 or 0
 *     IDC   different input degrees             of those that the corpus allows
 *     ODC   different output degrees            of those that the corpus allows
 *     SEC   different operators that follow it  of nt
 *     SPC   different shapes and parameters     of max_spc
 *     OLC   the mean of these five
 *
 * The set's figures are the means over its operators.  Degrees outside of what the corpus allows do not count. */
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "methods/fuzz/fuzz.h"

#define MEMORY 0.1 /* weight of the newest case in what was of late */

struct op_coverage {
	int seen;
	uint64_t in, out;      /* degrees, as bits */
	VEC(uint64_t) vectors; /* an open table: 0 is free */
	size_t n_vectors;
	int followers;    /* different operators after it */
	double staleness; /* 1 - promise: zeroed is new */
	struct coverage_figures figures;
};

struct coverage {
	const struct corpus *corpus;
	int max_spc;
	struct op_coverage *ops;
	unsigned char *edges; /* [from * n + to] */
};

int coverage_new(const struct corpus *corpus, int max_spc, struct coverage **out, struct err *e)
{
	size_t n = (size_t)corpus->n_ops;
	struct coverage *c = mem_zalloc(sizeof *c);

	if (!c)
		return err_nomem(e, "coverage", sizeof *c);
	c->corpus = corpus;
	c->max_spc = max_spc;
	c->ops = mem_array(n + 1, sizeof *c->ops);
	c->edges = mem_array(n + 1, n + 1);
	if (!c->ops || !c->edges) {
		coverage_free(c);
		return err_nomem(e, "coverage", n * n);
	}
	*out = c;
	return 0;
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	for (int i = 0; c->ops && i < c->corpus->n_ops; i++)
		mem_free(c->ops[i].vectors.at);
	mem_free(c->ops);
	mem_free(c->edges);
	mem_free(c);
}

/* ---- what was seen ----------------------------------------------------------------------------------------------- */

static double share_of_bits(uint64_t bits, int low, int high)
{
	return (double)__builtin_popcountll(bits) / (double)(high - low + 1);
}

/* The figures are asked for all operators with every model, and change with few: they are kept. */
static void note_figures(struct coverage *c, int op)
{
	const struct fuzz_op *row = &c->corpus->ops[op];
	struct op_coverage *o = &c->ops[op];
	struct coverage_figures f = {.otc = o->seen};

	f.idc = share_of_bits(o->in, row->in_low, row->in_high);
	f.odc = share_of_bits(o->out, row->out_low, row->out_high);
	f.sec = (double)o->followers / (double)c->corpus->n_ops;
	f.spc = (double)o->n_vectors / (double)c->max_spc;
	f.olc = (f.otc + f.idc + f.odc + f.sec + f.spc) / 5;
	o->figures = f;
}

/* Sets the bit of a degree when the corpus allows it; 1 when that is new. */
static int note_degree(uint64_t *bits, int degree, int low, int high)
{
	uint64_t bit = degree >= 0 && degree < 64 ? UINT64_C(1) << degree : 0;

	if (degree < low || degree > high || (*bits & bit))
		return 0;
	*bits |= bit;
	return 1;
}

int coverage_degrees(struct coverage *c, int op, int in, int out)
{
	const struct fuzz_op *row = &c->corpus->ops[op];
	struct op_coverage *o = &c->ops[op];
	int fresh = !o->seen;

	o->seen = 1;
	fresh |= note_degree(&o->in, in, row->in_low, row->in_high);
	fresh |= note_degree(&o->out, out, row->out_low, row->out_high);
	if (fresh)
		note_figures(c, op);
	return fresh;
}

int coverage_edge(struct coverage *c, int from, int to)
{
	unsigned char *edge = &c->edges[(size_t)from * (size_t)c->corpus->n_ops + (size_t)to];

	if (*edge)
		return 0;
	*edge = 1;
	c->ops[from].followers++;
	note_figures(c, from);
	return 1;
}

int coverage_has_edge(const struct coverage *c, int from, int to)
{
	return c->edges[(size_t)from * (size_t)c->corpus->n_ops + (size_t)to];
}

double coverage_promise(const struct coverage *c, int op)
{
	return c->ops[op].n_vectors ? 1 - c->ops[op].staleness : COVERAGE_NEW;
}

void coverage_note(struct coverage *c, int op, int raised)
{
	c->ops[op].staleness += MEMORY * ((raised ? 0 : 1) - c->ops[op].staleness);
}

/* Where a vector is or would be; the table is never full. */
static uint64_t *find_vector(const struct op_coverage *o, uint64_t vector)
{
	size_t i = (size_t)vector & (o->vectors.size - 1);

	while (o->vectors.at[i] && o->vectors.at[i] != vector)
		i = (i + 1) & (o->vectors.size - 1);
	return &o->vectors.at[i];
}

int coverage_shape(struct coverage *c, int op, uint64_t vector, int *fresh, struct err *e)
{
	struct op_coverage *o = &c->ops[op];
	uint64_t *at;

	if (o->n_vectors >= (size_t)c->max_spc) /* more of them raise nothing */
		return 0;
	if (!o->vectors.at) {
		size_t size = 64;

		while (size < 2 * (size_t)c->max_spc)
			size *= 2;
		o->vectors.at = mem_array(size, sizeof *o->vectors.at);
		if (!o->vectors.at)
			return err_nomem(e, "coverage", size * sizeof *o->vectors.at);
		o->vectors.size = size;
	}
	vector = vector ? vector : 1;
	at = find_vector(o, vector);
	if (*at)
		return 0;
	*at = vector;
	o->n_vectors++;
	note_figures(c, op);
	*fresh = 1;
	return 0;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

struct coverage_figures coverage_of_op(const struct coverage *c, int op)
{
	return c->ops[op].figures;
}

struct coverage_figures coverage_of_set(const struct coverage *c)
{
	struct coverage_figures sum = {0};
	double n = c->corpus->n_ops > 0 ? (double)c->corpus->n_ops : 1;

	for (int i = 0; i < c->corpus->n_ops; i++) {
		const struct coverage_figures *f = &c->ops[i].figures;

		sum.otc += f->otc / n;
		sum.idc += f->idc / n;
		sum.odc += f->odc / n;
		sum.sec += f->sec / n;
		sum.spc += f->spc / n;
	}
	sum.olc = (sum.otc + sum.idc + sum.odc + sum.sec + sum.spc) / 5;
	return sum;
}
