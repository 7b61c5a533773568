/* case.c - one case after the other: blocks, graph, mutations, model, inputs, coverage. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/around.h"
#include "methods/fuzz/shards.h"
#include "methods/fuzz/turn.h"

#define WS_P 0.5
#define RN_P 0.9
#define OTHER_OPSETS 0.4   /* share of models */
#define ENDS_OPSET 13      /* operators take integers since; before, only a block alone gets ends: no Cast holds them */
#define ENDS_BLOCKS 3      /* of a model that is given the ends of types: what comes of them is still judged */
#define MOST_DISCARDED 200 /* models in a row that cover nothing new: coverage is at its end, and the last is kept */
#define DISCARDED 1000     /* streams of chance from here on are those of models made anew */
#define SPECIAL_SHARE 0.5  /* of models of several blocks, in a special campaign */
#define SEED_TURNS 311     /* turns by which the next seed begins later */
#define MAX_NOTES ((size_t)1 << 20)

struct fuzzer {
	const struct corpus *corpus;
	struct fuzz_options o;
	struct rng root;
	struct shards *shards;
	struct shard *shard; /* of the case at hand, or the last */
	struct maker maker;
	struct plan plan;
	uint32_t opsets; /* that have a block at least, as bits */
	struct fuzz_turn turn;
	struct fuzz_turns turns;
};

static const struct fuzz_search_row *search_of(const struct fuzzer *f)
{
	return &fuzz_searches[f->o.search];
}

/* Opsets of the blocks that models are made of, as bits. */
static uint32_t all_opsets(const struct corpus *c, int subgraphs)
{
	uint32_t all = 0;

	for (int i = 0; i < c->n_ops && !subgraphs; i++)
		all |= c->ops[i].opsets;
	for (int i = 0; i < c->n_subgraphs && subgraphs; i++)
		all |= c->subgraphs[i].opsets;
	return all;
}

static int usual_opset(const struct fuzzer *f)
{
	return f->o.opset > 0 ? f->o.opset : FUZZ_OPSET;
}

int fuzzer_new(const struct corpus *c, const struct fuzz_options *o, struct fuzzer **out, struct err *e)
{
	struct fuzzer *f = mem_zalloc(sizeof *f);
	int rc = f ? 0 : err_nomem(e, "fuzzer", sizeof *f);

	if (rc)
		return rc;
	f->corpus = c;
	f->o = *o;
	f->opsets = all_opsets(c, o->subgraphs);
	rng_init(&f->root, o->seed);
	arena_init(&f->maker.tmp, (size_t)64 << 20);
	rc = fuzz_turns_init(&f->turns, c, usual_opset(f), o->oldest, o->newest, o->seed * SEED_TURNS, e);
	if (!rc)
		rc = shards_new(c, o, o->max_spc > 0 ? o->max_spc : FUZZ_MAX_SPC, &f->shards, e);
	if (rc) {
		fuzzer_free(f);
		return rc;
	}
	f->shard = shards_of(f->shards, shards_index(f->shards));
	*out = f;
	return 0;
}

void fuzzer_free(struct fuzzer *f)
{
	if (!f)
		return;
	shards_free(f->shards);
	fuzz_turns_release(&f->turns);
	arena_release(&f->maker.tmp);
	vec_release(&f->maker.bounds);
	vec_release(&f->maker.ranges);
	mem_free(f);
}

struct coverage_figures fuzzer_figures(const struct fuzzer *f)
{
	return f->shard->figures;
}

int fuzzer_is_ready(const struct fuzzer *f)
{
	return shards_are_ready(f->shards);
}

int64_t fuzzer_index(const struct fuzzer *f)
{
	return split_whole(&f->o.split, shards_index(f->shards));
}

int fuzzer_learn(struct fuzzer *f, const char *notes, struct err *e)
{
	return shards_learn(f->shards, notes, e);
}

/* ---- graph ------------------------------------------------------------------------------------------------------- */

static void draw_rates(const struct fuzzer *f, struct rng *r, double *rates)
{
	static const double some[] = {0, 0.1, 0.2};

	for (int i = 0; mutation_rows[i].name; i++)
		rates[i] = f->o.no_mutations ? 0 : some[rng_below(r, 3)];
}

/* Of 1 to `most` blocks, n with 1 / n(n+1): as models take time by their size, each doubling of it has the same time.
 * Small ones make an operator's own bugs cheap to find and to reduce, large ones make neighbours. */
static int draw_size(struct rng *r, int most)
{
	int n = (int)(1 / (1 - rng_unit(r) * most / (most + 1)));

	return n < most ? n : most;
}

static void draw_graph(const struct fuzzer *f, const double *rates, struct rng *r, struct digraph *g)
{
	int most = f->o.most_blocks > 0 ? f->o.most_blocks : FUZZ_MAX_NODES, n, k;
	enum graph_model model = f->o.graphs;

	if (f->maker.fill == FILL_ENDS)
		most = f->maker.opset < ENDS_OPSET ? 1 : most < ENDS_BLOCKS ? most : ENDS_BLOCKS;
	n = f->turn.block >= 0          ? 1
	    : f->o.blocks > 0           ? f->o.blocks
	    : f->o.subgraphs            ? (int)rng_below(r, 2) * 2 + 1 /* RQ5 of the paper */
	    : f->corpus->with_operators ? draw_size(r, most)
					: (int)rng_between(r, 1, most); /* as in the paper */
	k = 2 * (int)rng_between(r, 1, 3);
	if (model == GRAPH_BOTH)
		model = rng_below(r, 2) ? GRAPH_WS : GRAPH_RN;
	if (model == GRAPH_WS)
		digraph_ws(g, n, k, WS_P, r);
	else
		digraph_rn(g, n, k, RN_P, r);
	for (int i = 0; mutation_rows[i].name; i++)
		if (mutation_rows[i].mutation->graph && rates[i] > 0)
			mutation_rows[i].mutation->graph(g, rates[i], r);
}

/* Mostly the one that was asked for, or any of the others, from a stream of its own: a campaign of one opset draws the
 * same without it. */
static int draw_opset(const struct fuzzer *f, const struct rng *r)
{
	int usual = usual_opset(f), opset = usual;
	struct rng own = rng_split(r, 3);

	if (f->o.oldest > 0 && rng_unit(&own) < OTHER_OPSETS)
		opset = (int)rng_between(&own, f->o.oldest, f->o.newest);
	return f->opsets >> opset & 1 ? opset : usual;
}

/* ---- one operator alone ------------------------------------------------------------------------------------------ */

/* Whether models are of one operator, each in its turn. */
static int takes_turns(const struct fuzzer *f)
{
	return (f->o.special || f->o.invalid) && f->corpus->with_operators && !search_of(f)->paper && !f->o.blocks &&
	       !f->o.subgraphs;
}

/* Every other model is such, and of those that break a rule, which is one operator's in any case, three of four; -1: it
 * is none. */
static int64_t turn_number(const struct fuzzer *f, int64_t index)
{
	if (!takes_turns(f) || (f->o.invalid ? index % 4 == 3 : index % 2))
		return -1;
	return f->o.invalid ? index - index / 4 : index / 2;
}

/* With one type at the ends of it; with any there is more chance for attributes, and for rules to break. */
static void draw_turn(struct fuzzer *f, int64_t index, struct rng *r)
{
	int64_t number = turn_number(f, index);
	struct maker *m = &f->maker;

	f->turn = (struct fuzz_turn){.block = -1};
	if (number < 0)
		return;
	f->turn = fuzz_turns_at(&f->turns, (uint64_t)number);
	m->opset = f->turn.opset ? f->turn.opset : usual_opset(f);
	if (f->turn.block < 0)
		return;
	f->turn.inputs = 1 + (int)rng_below(r, MAKE_MAX_IN / 2);
	if (f->o.invalid)
		f->turn.types = 0;
	if (f->turn.types)
		m->fill = FILL_ENDS;
}

/* *n blocks that must be in the model. */
static int name_blocks(struct fuzzer *f, int places, struct rng *r, int *blocks, int *n, struct err *e)
{
	*n = 0;
	if (f->turn.block >= 0)
		blocks[(*n)++] = f->turn.block;
	else if (!f->o.subgraphs)
		*n = chooser_next(f->shard->chooser, f->shard->seen, f->maker.opset, r, blocks, places, e);
	return *n < 0 ? *n : 0;
}

static int make_plan(struct fuzzer *f, struct rng *r, const double *rates, struct err *e)
{
	int blocks[FUZZ_MAX_NODES], n, rc;
	struct plan_parts parts;
	struct digraph g;

	draw_graph(f, rates, r, &g);
	rc = name_blocks(f, g.n, r, blocks, &n, e);
	if (rc)
		return rc;
	parts = (struct plan_parts){.corpus = f->corpus,
				    .seen = search_of(f)->filler ? f->shard->seen : NULL,
				    .graph = &g,
				    .blocks = blocks,
				    .n_blocks = n,
				    .path_only = search_of(f)->paper,
				    .subgraphs_only = f->o.subgraphs,
				    .opset = f->maker.opset,
				    .inputs = f->turn.inputs,
				    .rates = rates};
	plan_make(&f->plan, &parts, r);
	return 0;
}

/* ---- model ------------------------------------------------------------------------------------------------------- */

/* One operator with the one that it reads first, then each further one: a line for the notes each. */
static int note_node(struct fuzzer *f, int i, uint64_t vector, struct fuzz_case *c, struct err *e)
{
	const struct plan *p = &f->plan;
	const struct fuzz_op *ops = f->corpus->ops;
	int own = coverage_degrees(f->shard->seen, p->op[i], p->n_in[i], p->n_out[i]), rc;

	if (f->o.notes)
		buf_printf(&c->notes, "node\t%s\t%d\t%d\t%llx\n", ops[p->op[i]].name, p->n_in[i], p->n_out[i],
			   (unsigned long long)vector);
	for (int k = 0; k < p->n_in[i]; k++) {
		if (p->in[i][k] < 0)
			continue;
		own |= coverage_edge(f->shard->seen, p->op[p->in[i][k]], p->op[i]);
		if (f->o.notes)
			buf_printf(&c->notes, "edge\t%s\t%s\n", ops[p->op[p->in[i][k]]].name, ops[p->op[i]].name);
	}
	rc = coverage_shape(f->shard->seen, p->op[i], vector, &own, e);
	coverage_note(f->shard->seen, p->op[i], own);
	c->raised |= own;
	return rc ? rc : buf_check(&c->notes, e);
}

/* What nothing uses is an output of the model. */
static void add_outputs(struct maker *m, const struct plan *p, struct wire **wires)
{
	for (int i = 0; i < p->n; i++)
		if (!p->n_out[i])
			build_output(&m->b, wires[i]);
}

static uint32_t input_types(const struct fuzzer *f, const struct fuzz_op *op)
{
	return f->turn.types ? f->turn.types : op->at[f->maker.opset];
}

static int build_plan(struct fuzzer *f, struct fuzz_case *c, struct err *e)
{
	struct wire *wires[FUZZ_MAX_PLAN], *in[FUZZ_MAX_DEGREE];
	const struct plan *p = &f->plan;
	struct maker *m = &f->maker;

	for (int i = 0; i < p->n && !m->b.rc; i++) {
		const struct fuzz_op *op = &f->corpus->ops[p->op[i]];
		size_t first;

		for (int k = 0; k < p->n_in[i]; k++)
			in[k] = p->in[i][k] >= 0 ? wires[p->in[i][k]] : make_input(m, input_types(f, op));
		first = m->b.rc ? 0 : m->b.graph->nodes.n;
		wires[i] = block_make(m, f->corpus, op, in, p->n_in[i]);
		if (m->b.rc)
			return err_prefix(e, "block '%s'", op->name);
		m->b.rc = note_node(f, i, vector_of_nodes(m->b.graph, first), c, e);
	}
	add_outputs(m, p, wires);
	return m->b.rc;
}

/* ---- around cases ------------------------------------------------------------------------------------------------ */

void fuzzer_credit(struct fuzzer *f, int64_t index, int node)
{
	chooser_credit(shards_of(f->shards, split_own(&f->o.split, index))->chooser, node);
}

void fuzz_case_release(struct fuzz_case *c)
{
	for (size_t i = 0; c->inputs && c->model && i < c->model->graph->inputs.n; i++)
		value_unref(c->inputs[i]);
	mem_free(c->inputs);
	model_free(c->model);
	buf_release(&c->notes);
	*c = (struct fuzz_case){0};
}

int fuzz_options_opset(struct fuzz_options *o, const char *text, struct err *e)
{
	int oldest, newest, used = 0, n = sscanf(text, "%d%n-%d%n", &oldest, &used, &newest, &used);

	newest = n == 1 ? oldest : newest;
	if (n < 1 || text[used] || oldest < FUZZ_MIN_OPSET || newest < oldest || newest > OP_NEWEST_OPSET)
		return err_set(e, ERR_USAGE, "--opset takes %d to %d, or a range of them, 9-13 say", FUZZ_MIN_OPSET,
			       OP_NEWEST_OPSET);
	o->oldest = oldest;
	o->newest = newest;
	return 0;
}

/* ---- a case ------------------------------------------------------------------------------------------------------ */

/* Of other models half have no NaN and no infinities: what keeps these from where they are open is many nodes. */
static int draws_specials(struct fuzzer *f)
{
	struct maker *m = &f->maker;

	return m->fill == FILL_ENDS || (f->o.special && (m->alone || make_chance(m, SPECIAL_SHARE)));
}

static void begin_model(struct fuzzer *f, const double *rates, struct rng *r, int plain, struct err *e)
{
	struct maker *m = &f->maker;

	m->last_scale = m->last_zero = NULL;
	m->weight = search_of(f)->paper ? 1 : 0;
	build_begin(&m->b, m->opset, r->seed, e);
	m->rng = rng_split(r, 1);
	m->any_shape = m->wide = m->any = m->has_unused = m->unguarded = 0;
	m->alone = f->turn.block >= 0;
	m->special = draws_specials(f) && (m->alone || fuzz_keeps_nan(f->corpus, m->opset)) && !plain;
	m->nans = f->o.special && m->special;
	m->whole = f->corpus->whole_bits && !f->o.special ? ldexp(1, f->corpus->whole_bits - 1) - 1 : (double)INFINITY;
	m->names = 0;
	m->bounds.n = m->ranges.n = 0;
	for (int i = 0; mutation_rows[i].name; i++)
		if (mutation_rows[i].mutation->source)
			mutation_rows[i].mutation->source(m, rates[i], r);
	if (f->corpus->with_operators)
		around_begin(m);
}

/* What is around the nodes, and the inputs.  Chance for the frame comes from a stream of its own. */
static int fill_frame(struct fuzzer *f, const struct rng *r, struct fuzz_case *c, struct err *e)
{
	struct rng broken = rng_split(r, 4), own = rng_split(r, 5);
	int rc = 0;

	if (f->maker.wide && !f->o.invalid)
		rc = frame_widen(c->model, &own, e);
	if (!rc)
		rc = fuzz_draw_inputs(&f->maker, &own, c, e);
	if (!rc && f->maker.alone && !f->o.invalid)
		rc = frame_settle(c, &own, e);
	if (!rc && f->maker.any_shape && !f->o.invalid)
		rc = frame_open(c->model, &own, e);
	return !rc && f->o.invalid ? invalid_make(c, &broken, e) : rc;
}

/* Whether a node keeps NaN away that the library or the opset does not have: of a wire that the block computes, not of
 * an input. */
static int has_lacking_guard(const struct fuzzer *f)
{
	const struct maker *m = &f->maker;

	if (m->b.rc || !m->alone || !m->special || fuzz_keeps_nan(f->corpus, m->opset))
		return 0;
	for (size_t i = 0; i < m->b.graph->nodes.n; i++)
		if (!strcmp(m->b.graph->nodes.at[i]->op_type, "IsNaN"))
			return 1;
	return m->unguarded;
}

/* The nodes of the plan; those few that cannot do without a guard are made once more, of plain numbers. */
static int build_nodes(struct fuzzer *f, const double *rates, struct rng *r, struct fuzz_case *c, struct err *e)
{
	struct maker *m = &f->maker;
	struct model *model = NULL;
	int rc;

	begin_model(f, rates, r, 0, e);
	rc = build_plan(f, c, e);
	if (!has_lacking_guard(f))
		return rc;
	build_end(&m->b, &model);
	model_free(model);
	buf_clear(&c->notes);
	if (m->fill == FILL_ENDS)
		m->fill = FILL_EDGE;
	c->ends = 0;
	begin_model(f, rates, r, 1, e);
	return build_plan(f, c, e);
}

/* Blocks, graph and nodes; what they cover is new, or not. */
static int make_model(struct fuzzer *f, struct rng *r, struct fuzz_case *c, struct err *e)
{
	struct maker *m = &f->maker;
	double rates[FUZZ_MUTATIONS];
	int rc;

	m->opset = draw_opset(f, r);
	draw_rates(f, r, rates);
	m->fill = search_of(f)->paper ? FILL_RANDOM : (enum fill)rng_below(r, FILL_COUNT);
	if (m->fill == FILL_ENDS &&
	    (!fuzz_keeps_nan(f->corpus, m->opset) || (m->opset < ENDS_OPSET && (f->o.blocks > 1 || f->o.subgraphs))))
		m->fill = FILL_EDGE;
	draw_turn(f, c->index, r);
	c->ends = m->fill == FILL_ENDS;
	rc = make_plan(f, r, rates, e);
	if (rc)
		return rc;
	rc = build_nodes(f, rates, r, c, e);
	if (!rc && m->alone)
		m->b.rc = frame_drop_unread(m->b.graph, e);
	else if (!rc && m->has_unused && graph_remove_dead(m->b.graph) < 0)
		m->b.rc = err_nomem(e, "a graph", 0);
	if (!rc)
		rc = build_end(&m->b, &c->model);
	else
		build_end(&m->b, &c->model);
	return rc;
}

/* In the paper's setting a model that covers nothing new is thrown away, and another one made. */
static int make_fresh_model(struct fuzzer *f, struct rng *r, struct fuzz_case *c, struct err *e)
{
	const struct rng first = *r;
	int rc = make_model(f, r, c, e);

	while (!rc && search_of(f)->paper && !c->raised && c->discarded < MOST_DISCARDED) {
		chooser_drop(f->shard->chooser);
		model_free(c->model);
		c->model = NULL;
		buf_clear(&c->notes);
		c->discarded++;
		*r = rng_split(&first, DISCARDED + (uint64_t)c->discarded);
		c->seed = r->seed;
		rc = make_model(f, r, c, e);
	}
	return rc;
}

/* What came of the case for the search. */
static int reward(struct fuzzer *f, struct fuzz_case *c, struct err *e)
{
	struct shard *s = f->shard;
	double before = s->figures.olc;

	s->figures = coverage_of_set(s->seen);
	c->node = chooser_reward(s->chooser, s->figures.olc - before);
	return shards_end(f->shards, e);
}

int fuzzer_next(struct fuzzer *f, struct fuzz_case *out, struct err *e)
{
	int64_t own = shards_index(f->shards), index = split_whole(&f->o.split, own);
	struct rng r = rng_split(&f->root, (uint64_t)index + 1);
	struct fuzz_case c = {.index = index, .seed = r.seed};
	int rc = shards_begin(f->shards, e);

	if (rc)
		return rc;
	buf_init(&c.notes, MAX_NOTES);
	f->shard = shards_of(f->shards, own);
	rc = make_fresh_model(f, &r, &c, e);
	if (!rc)
		rc = reward(f, &c, e);
	if (!rc)
		rc = fill_frame(f, &r, &c, e);
	if (rc) {
		fuzz_case_release(&c);
		return err_prefix(e, "case %lld", (long long)index);
	}
	c.about = f->plan.n ? f->corpus->ops[f->plan.op[0]].name : "";
	*out = c;
	return 0;
}
