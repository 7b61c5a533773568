/* noise.c - Monte Carlo arithmetic in lockstep.
 *
 * A lane is a copy of the run in which every float result moved by a random rounding:
 *
 *     y_lane = f(x_lane) ± u * scale(y)          u: unit roundoff of y's dtype, the sign a fair coin
 *
 * Lanes are kept as float differences from the exact value: d_out = f(x + d_in) - f(x).  Operators with a `delta`
 * function do that for all lanes at once (a convolution of differences in float costs half of one in double); others
 * are evaluated lane by lane.  What cannot be kept as a difference (integers that flip, sequences, shapes that depend
 * on data) is kept as whole values. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/call.h"
#include "ops/noise/rounding.h"
#include "reference/internal.h"

/* ---- cells ------------------------------------------------------------------------------------------------------- */

void noise_cell_release(struct run *r, struct cell *cell)
{
	mem_free(cell->delta);
	for (int l = 0; cell->lane && l < r->lanes; l++)
		value_unref(cell->lane[l]);
	mem_free(cell->lane);
	cell->delta = NULL;
	cell->lane = NULL;
}

/* ---- roundings --------------------------------------------------------------------------------------------------- */

static void vary_piece(void *arg, size_t first, size_t end)
{
	rounding_vary((float *)arg + first, first, end - first);
}

/* What the delta functions and round_lanes() move the outputs by. */
static int prepare_roundings(struct run *r, struct call *c)
{
	c->rounding = arena_array(c->tmp, (size_t)c->n_out, sizeof *c->rounding);
	if (!c->rounding)
		return err_nomem(r->err, "roundings", 0);
	for (int i = 0; i < c->n_out; i++) {
		int rc = c->node->out[i] ? noise_sizes(c, i, &c->rounding[i].sizes) : 0;

		if (rc)
			return rc;
		for (size_t k = 0; r->o->louder > 0 && c->rounding[i].sizes && k < c->out[i]->count; k++)
			c->rounding[i].sizes[k] *= r->o->louder;
		c->rounding[i].seed = noise_seed(r, c->node, i);
		c->rounding[i].drifts = c->drifts && c->rounding[i].sizes;
		if (c->rounding[i].drifts)
			parallel_for(c->out[i]->count, 1, vary_piece, c->rounding[i].sizes);
	}
	return 0;
}

static void release_roundings(struct call *c)
{
	for (int i = 0; c->rounding && i < c->n_out; i++)
		mem_free(c->rounding[i].sizes);
	c->rounding = NULL;
}

struct moves {
	const struct rounding *by;
	float *d;
	size_t lanes;
	int add;
};

static void move_piece(void *arg, size_t first, size_t end)
{
	const struct moves *m = arg;

	rounding_move(m->by, m->d + first * m->lanes, first, end - first, m->lanes, m->add);
}

static int round_lanes(struct run *r, struct call *c, int out, struct cell *cell)
{
	struct moves m = {&c->rounding[out], NULL, (size_t)r->lanes, cell->delta != NULL};
	size_t n = c->out[out] ? c->out[out]->count : 0;

	if (!c->rounding[out].sizes || c->rounding[out].done)
		return 0;
	if (!cell->delta && !(cell->delta = noise_new_lanes(r, n)))
		return r->err->code;
	m.d = cell->delta;
	parallel_for(n, (double)m.lanes, move_piece, &m);
	return 0;
}

/* ---- lanes of a call --------------------------------------------------------------------------------------------- */

static struct cell *cell_of(struct run *r, const struct wire *w)
{
	return w && w->graph == r->frame->plan->graph ? &r->frame->cells[w->id] : NULL;
}

/* Another order of the lanes, in which none keeps its place (Sattolo). */
static void draw_order(struct run *r, const struct node *n, int *order)
{
	struct rng rng = noise_stream(r, n, REF_MAX_RUNS + 1, 0);

	for (int l = 0; l < r->lanes; l++)
		order[l] = l;
	for (int l = r->lanes - 1; l > 0; l--) {
		int other = (int)rng_below(&rng, (uint64_t)l), kept = order[l];

		order[l] = order[other];
		order[other] = kept;
	}
}

static void reorder(struct run *r, struct cell *cell, const int *order)
{
	size_t lanes = (size_t)r->lanes, count = cell->delta ? cell->value->tensor->count : 0;
	struct value *whole[REF_MAX_RUNS];
	float row[REF_MAX_RUNS];

	for (float *d = cell->delta, *end = d + count * lanes; d < end; d += lanes) {
		memcpy(row, d, lanes * sizeof *row);
		for (size_t l = 0; l < lanes; l++)
			d[l] = row[order[l]];
	}
	if (!cell->lane)
		return;
	memcpy(whole, cell->lane, lanes * sizeof *whole);
	for (size_t l = 0; l < lanes; l++)
		cell->lane[l] = whole[order[l]];
}

/* A library may compute a value once for each node that reads it, and round differently each time.  Lanes are draws of
 * one distribution: in another order they are a draw that has nothing to do with what earlier readers saw. */
static void set_apart(struct run *r, const struct node *n)
{
	int order[REF_MAX_RUNS];

	draw_order(r, n, order);
	for (int i = 0; i < n->n_in; i++) {
		struct cell *cell = cell_of(r, n->in[i]);
		int again = 0;

		for (int k = 0; k < i; k++)
			again |= n->in[k] == n->in[i];
		if (cell && !again)
			reorder(r, cell, order);
	}
}

/* True when the lanes of input 0 are read here for the last time, and could become those of output 0. */
static int may_overwrite(struct run *r, const struct call *c)
{
	const struct node *n = c->node;
	const struct wire *w = c->n_in && c->n_out ? n->in[0] : NULL;
	struct cell *cell = cell_of(r, w);

	if (!(n->op->flags & OP_IN_PLACE) || !cell || !cell->delta || !n->out[0] || r->keep_all)
		return 0;
	for (int i = 1; i < n->n_in; i++)
		if (n->in[i] == w)
			return 0;
	return r->frame->plan->last_use[w->id] == n->index && c->in[0]->count == c->out[0]->count;
}

static int makes_floats(const struct call *c)
{
	for (int i = 0; i < c->n_out; i++)
		if (c->node->out[i] && (!c->out[i] || !dtype_is_float(c->out[i]->dtype)))
			return 0;
	return 1;
}

/* Lanes for every output: those of input 0 where they may be overwritten (*taken: its cell), else new ones. */
static int give_lanes(struct run *r, struct call *c, float **out, struct cell **taken)
{
	int rc = 0;

	for (int i = 0; i < c->n_out && !rc; i++) {
		if (!c->node->out[i])
			continue;
		if (i == 0 && may_overwrite(r, c)) {
			*taken = cell_of(r, c->node->in[0]);
			out[0] = (*taken)->delta;
		} else if (!(out[i] = noise_new_lanes(r, c->out[i]->count))) {
			rc = r->err->code;
		}
	}
	return rc;
}

/* The operator's own fast path. */
static enum delta_result lanes_by_delta(struct run *r, struct call *c)
{
	const float **in = arena_array(c->tmp, (size_t)c->n_in, sizeof *in);
	float **out = arena_array(c->tmp, (size_t)c->n_out, sizeof *out);
	struct cell *taken = NULL;
	enum delta_result result;

	if (!c->op->delta || !makes_floats(c) || call_is_empty(c))
		return DELTA_DECLINED;
	if (!in || !out) {
		err_nomem(r->err, "noise lanes", 0);
		return DELTA_FAILED;
	}
	for (int i = 0; i < c->n_in; i++) {
		const struct cell *cell = cell_of(r, c->node->in[i]);

		if (cell && cell->lane)
			return DELTA_DECLINED;
		in[i] = cell ? cell->delta : NULL;
	}
	result = give_lanes(r, c, out, &taken) ? DELTA_FAILED : DELTA_DONE;
	c->lanes = r->lanes;
	c->in_delta = in;
	c->out_delta = out;
	if (result == DELTA_DONE)
		result = c->op->delta(c);
	for (int i = 0; i < c->n_out; i++)
		if (result == DELTA_DONE && out[i])
			r->frame->cells[c->node->out[i]->id].delta = out[i];
		else if (result != DELTA_DONE && !(taken && i == 0)) /* what was lent is as it was */
			mem_free(out[i]);
	if (result == DELTA_DONE && taken)
		taken->delta = NULL;
	return result;
}

static int inputs_moved(struct run *r, const struct node *n, int *unstable)
{
	int moved = 0;

	for (int i = 0; i < n->n_in; i++) {
		const struct cell *cell = cell_of(r, n->in[i]);

		moved |= cell && (cell->delta || cell->lane);
		*unstable |= cell && cell->unstable;
	}
	return moved;
}

int noise_step(struct run *r, struct call *c)
{
	const struct node *n = c->node;
	int unstable = 0, control = n->op->flags & OP_CONTROL, moved = inputs_moved(r, n, &unstable);
	int rc = control ? 0 : prepare_roundings(r, c);
	struct cell *lent = NULL;

	if (r->o->apart)
		set_apart(r, n);
	if (!rc)
		rc = lowered_lend_inputs(r, c, &lent);
	if (!rc && lent)
		moved = inputs_moved(r, n, &unstable);
	if (!rc && (moved || control)) {
		enum delta_result result = control ? DELTA_DECLINED : lanes_by_delta(r, c);

		rc = result == DELTA_FAILED ? r->err->code : result == DELTA_DECLINED ? noise_lanes_by_eval(r, c) : 0;
	}
	for (int i = 0; i < c->n_out && !rc; i++) {
		struct cell *cell = n->out[i] ? &r->frame->cells[n->out[i]->id] : NULL;

		if (!cell)
			continue;
		cell->unstable |= unstable;
		if (!control && !cell->lane)
			rc = round_lanes(r, c, i, cell);
	}
	lowered_take_back(r, c, lent);
	release_roundings(c);
	return rc;
}
