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
 * The set's figures are the means over its operators.  Degrees outside of what the corpus allows do not count.
 *
 * Shards have what is new beside a coverage that they share: they have the figures of both, and keep but their own
 * part.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "methods/fuzz/fuzz.h"
#include "methods/fuzz/keys.h"

#define MEMORY 0.1 /* weight of the newest case in what was of late */
#define NAME 128   /* of a block, with its end */

struct op_coverage {
	int seen;
	uint64_t in, out; /* degrees, as bits */
	int n_vectors;
	int followers; /* different operators after it */
	struct coverage_figures figures;
};

struct coverage {
	const struct corpus *corpus;
	const struct coverage *base; /* that it is beside; NULL: none */
	int max_spc;
	struct op_coverage *ops; /* with those of the base */
	double *staleness;       /* 1 - promise of an operator: zeroed is new */
	unsigned char *edges;    /* [from * n + to]; NULL: they are among the keys */
	struct keys keys;        /* vectors */
	struct coverage_news news;
	int lost; /* memory ran out */
};

static int open_coverage(const struct corpus *corpus, int max_spc, const struct coverage *base, struct coverage **out,
			 struct err *e)
{
	size_t n = (size_t)corpus->n_ops;
	struct coverage *c = mem_zalloc(sizeof *c);

	if (!c)
		return err_nomem(e, "coverage", sizeof *c);
	*c = (struct coverage){.corpus = corpus, .max_spc = max_spc, .base = base};
	c->ops = mem_array(n + 1, sizeof *c->ops);
	c->staleness = mem_array(n + 1, sizeof *c->staleness);
	c->edges = base ? NULL : mem_array(n + 1, n + 1);
	if (!c->ops || !c->staleness || (!base && !c->edges)) {
		coverage_free(c);
		return err_nomem(e, "coverage", n * n);
	}
	if (base)
		coverage_restart(c);
	*out = c;
	return 0;
}

int coverage_new(const struct corpus *corpus, int max_spc, struct coverage **out, struct err *e)
{
	return open_coverage(corpus, max_spc, NULL, out, e);
}

int coverage_beside(const struct coverage *base, struct coverage **out, struct err *e)
{
	return open_coverage(base->corpus, base->max_spc, base, out, e);
}

void coverage_restart(struct coverage *c)
{
	memcpy(c->ops, c->base->ops, (size_t)c->corpus->n_ops * sizeof *c->ops);
	keys_clear(&c->keys);
	c->news.n = 0;
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	keys_release(&c->keys);
	vec_release(&c->news);
	mem_free(c->ops);
	mem_free(c->staleness);
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

/* Only shards tell others. */
static void note_news(struct coverage *c, struct coverage_item item)
{
	if (c->base && vec_push(&c->news, item))
		c->lost = 1;
}

int coverage_degrees(struct coverage *c, int op, int in, int out)
{
	const struct fuzz_op *row = &c->corpus->ops[op];
	struct op_coverage *o = &c->ops[op];
	int fresh = !o->seen;

	o->seen = 1;
	fresh |= note_degree(&o->in, in, row->in_low, row->in_high);
	fresh |= note_degree(&o->out, out, row->out_low, row->out_high);
	if (fresh) {
		note_figures(c, op);
		note_news(c, (struct coverage_item){.kind = COVERED_DEGREES, .op = op, .a = in, .b = out});
	}
	return fresh;
}

static size_t edge_at(const struct coverage *c, int from, int to)
{
	return (size_t)from * (size_t)c->corpus->n_ops + (size_t)to;
}

/* Among the keys of vectors, which are as long. */
static uint64_t edge_key(const struct coverage *c, int from, int to)
{
	return hash_number(HASH_BEGIN, edge_at(c, from, to));
}

int coverage_has_edge(const struct coverage *c, int from, int to)
{
	if (c->edges)
		return c->edges[edge_at(c, from, to)];
	return coverage_has_edge(c->base, from, to) || keys_have(&c->keys, edge_key(c, from, to));
}

int coverage_edge(struct coverage *c, int from, int to)
{
	if (coverage_has_edge(c, from, to))
		return 0;
	if (c->edges)
		c->edges[edge_at(c, from, to)] = 1;
	else if (keys_add(&c->keys, edge_key(c, from, to)))
		c->lost = 1;
	c->ops[from].followers++;
	note_figures(c, from);
	note_news(c, (struct coverage_item){.kind = COVERED_EDGE, .op = from, .a = to});
	return 1;
}

double coverage_promise(const struct coverage *c, int op)
{
	return c->ops[op].n_vectors ? 1 - c->staleness[op] : COVERAGE_NEW;
}

void coverage_note(struct coverage *c, int op, int raised)
{
	c->staleness[op] += MEMORY * ((raised ? 0 : 1) - c->staleness[op]);
}

int coverage_shape(struct coverage *c, int op, uint64_t vector, int *fresh, struct err *e)
{
	uint64_t key = hash_number(vector, (uint64_t)op);

	if (c->lost)
		return err_nomem(e, "coverage", 0);
	if (c->ops[op].n_vectors >= c->max_spc || (c->base && keys_have(&c->base->keys, key)) ||
	    keys_have(&c->keys, key)) /* more than max_spc raise nothing */
		return 0;
	if (keys_add(&c->keys, key))
		return err_nomem(e, "coverage", 0);
	c->ops[op].n_vectors++;
	note_figures(c, op);
	note_news(c, (struct coverage_item){.kind = COVERED_SHAPE, .op = op, .vector = vector});
	*fresh = 1;
	return 0;
}

int coverage_add(struct coverage *c, const struct coverage_item *item, struct err *e)
{
	int ignored = 0;

	if (item->kind == COVERED_SHAPE)
		return coverage_shape(c, item->op, item->vector, &ignored, e);
	if (item->kind == COVERED_EDGE)
		coverage_edge(c, item->op, item->a);
	else
		coverage_degrees(c, item->op, item->a, item->b);
	return c->lost ? err_nomem(e, "coverage", 0) : 0;
}

struct coverage_news *coverage_news(struct coverage *c)
{
	return &c->news;
}

/* ---- notes of a case --------------------------------------------------------------------------------------------- */

static int learn_line(struct coverage *c, const char *line, struct err *e)
{
	struct coverage_item item = {0};
	char a[NAME], b[NAME];
	unsigned long long vector;

	if (sscanf(line, "node\t%127[^\t\n]\t%d\t%d\t%llx", a, &item.a, &item.b, &vector) == 4) {
		item.op = corpus_find(c->corpus, a);
		if (item.op < 0)
			return 0;
		coverage_degrees(c, item.op, item.a, item.b);
		item.kind = COVERED_SHAPE;
		item.vector = vector;
		return coverage_add(c, &item, e);
	}
	if (sscanf(line, "edge\t%127[^\t\n]\t%127[^\t\n]", a, b) != 2)
		return err_set(e, ERR_INPUT, "'%.60s' is not a line of a case's coverage", line);
	item = (struct coverage_item){
		.kind = COVERED_EDGE, .op = corpus_find(c->corpus, a), .a = corpus_find(c->corpus, b)};
	return item.op < 0 || item.a < 0 ? 0 : coverage_add(c, &item, e);
}

int coverage_learn(struct coverage *c, const char *notes, struct err *e)
{
	int rc = 0;

	for (const char *line = notes; *line && !rc; line += strcspn(line, "\n"), line += *line == '\n')
		rc = learn_line(c, line, e);
	return rc;
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
