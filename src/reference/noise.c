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

static float *new_lanes(struct run *r, size_t count)
{
	size_t each = (size_t)r->lanes * sizeof(float), bytes = count > SIZE_MAX / each ? SIZE_MAX : count * each;
	float *d = tensor_memory_has(bytes) ? mem_aligned(bytes) : NULL;

	if (!d)
		err_nomem(r->err, "noise lanes", bytes);
	return d;
}

int noise_lane_value(struct run *r, const struct cell *cell, int lane, struct value **out)
{
	const struct tensor *x = cell->value->tensor;
	const float *d;
	struct tensor *y;

	if (cell->lane || !cell->delta) {
		*out = value_ref(cell->lane ? cell->lane[lane] : cell->value);
		return 0;
	}
	y = tensor_new(x->dtype, x->rank, x->dims, r->err);
	if (!y)
		return r->err->code;
	d = cell->delta + lane;
	for (size_t i = 0; i < x->count; i++)
		y->f[i] = x->f[i] + (double)d[i * (size_t)r->lanes];
	*out = value_tensor(y, r->err);
	return *out ? 0 : r->err->code;
}

/* ---- roundings --------------------------------------------------------------------------------------------------- */

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
			rounding_vary(c->rounding[i].sizes, c->out[i]->count);
	}
	return 0;
}

static void release_roundings(struct call *c)
{
	for (int i = 0; c->rounding && i < c->n_out; i++)
		mem_free(c->rounding[i].sizes);
	c->rounding = NULL;
}

static int round_lanes(struct run *r, struct call *c, int out, struct cell *cell)
{
	size_t n = c->out[out] ? c->out[out]->count : 0;
	int add = cell->delta != NULL;

	if (!c->rounding[out].sizes || c->rounding[out].done)
		return 0;
	if (!cell->delta && !(cell->delta = new_lanes(r, n)))
		return r->err->code;
	rounding_move(&c->rounding[out], cell->delta, 0, n, (size_t)r->lanes, add);
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

/* True when lane values of this output fit into differences: float tensors of the exact shape. */
static int fits_delta(const struct tensor *y, struct value *const *lane, int lanes)
{
	if (!y || !dtype_is_float(y->dtype))
		return 0;
	for (int l = 0; l < lanes; l++)
		if (lane[l]->kind != VALUE_TENSOR || !tensor_same_shape(lane[l]->tensor, y))
			return 0;
	return 1;
}

static int same_value(const struct value *a, const struct value *b)
{
	if (a == b)
		return 1;
	if (a->kind != VALUE_TENSOR || b->kind != VALUE_TENSOR || dtype_wide(a->tensor->dtype) != WIDE_I64)
		return 0;
	return tensor_same_shape(a->tensor, b->tensor) &&
	       !memcmp(a->tensor->i, b->tensor->i, a->tensor->count * sizeof(int64_t));
}

static int lanes_to_delta(struct run *r, const struct tensor *y, struct value **lane, struct cell *cell)
{
	float *d = new_lanes(r, y->count);

	if (!d)
		return r->err->code;
	for (int l = 0; l < r->lanes; l++)
		for (size_t i = 0; i < y->count; i++) {
			double a = lane[l]->tensor->f[i], b = y->f[i];

			d[i * (size_t)r->lanes + (size_t)l] = a == b || (isnan(a) && isnan(b)) ? 0.0f : (float)(a - b);
		}
	cell->delta = d;
	return 0;
}

/* Takes over the lane values of one output. */
static int keep_lanes(struct run *r, const struct tensor *y, struct value **lane, struct cell *cell)
{
	int rc = 0, same = 1;

	if (fits_delta(y, lane, r->lanes)) {
		rc = lanes_to_delta(r, y, lane, cell);
	} else {
		for (int l = 0; l < r->lanes && same; l++)
			same = same_value(lane[l], cell->value);
		if (!same) {
			cell->lane = lane;
			return 0;
		}
	}
	for (int l = 0; l < r->lanes; l++)
		value_unref(lane[l]);
	mem_free(lane);
	return rc;
}

/* Evaluates one lane into results[out][lane]; a lane that fails where the exact run did not takes the exact values, and
 * the outputs are marked unstable. */
static int eval_lane(struct run *r, struct call *exact, int lane, struct value ***results)
{
	struct node *n = (struct node *)exact->node;
	struct err *saved = r->err, lane_err = ERR_INIT;
	struct call c;
	int rc = run_call_begin(r, n, &c), failed;

	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i]) {
			r->lane = lane;
			rc = run_lookup_input(r, n, i, &c.in_value[i]);
		}
	if (!rc) {
		r->lane_rng = noise_stream(r, n, REF_MAX_RUNS, lane);
		r->body_runs = r->body_runs_before; /* every lane draws what the exact run drew */
		run_seed_random(r, n);
		r->err = c.err = &lane_err;
		failed = run_eval(r, &c, 0, NULL);
		r->err = saved;
		if (failed == ERR_MEMORY || failed == ERR_INTERNAL) {
			*r->err = lane_err;
			rc = failed;
		}
		for (int i = 0; i < n->n_out && !rc; i++) {
			if (!n->out[i])
				continue;
			results[i][lane] = value_ref(failed ? exact->out_value[i] : c.out_value[i]);
			r->frame->cells[n->out[i]->id].unstable |= failed != 0;
		}
	}
	r->lane = -1;
	run_call_end(&c);
	return rc;
}

static int lanes_by_eval(struct run *r, struct call *c)
{
	struct value ***results = arena_array(c->tmp, (size_t)c->n_out, sizeof *results);
	int rc = results ? 0 : err_nomem(r->err, "noise lanes", 0);

	for (int i = 0; i < c->n_out && !rc; i++)
		if (c->node->out[i] && !(results[i] = mem_array((size_t)r->lanes, sizeof *results[i])))
			rc = err_nomem(r->err, "noise lanes", 0);
	for (int l = 0; l < r->lanes && !rc; l++)
		rc = eval_lane(r, c, l, results);
	for (int i = 0; results && i < c->n_out; i++) {
		if (!results[i])
			continue;
		if (!rc) {
			rc = keep_lanes(r, c->out[i], results[i], &r->frame->cells[c->node->out[i]->id]);
			continue;
		}
		for (int l = 0; l < r->lanes; l++)
			value_unref(results[i][l]);
		mem_free(results[i]);
	}
	return rc;
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
		} else if (!(out[i] = new_lanes(r, c->out[i]->count))) {
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

		rc = result == DELTA_FAILED ? r->err->code : result == DELTA_DECLINED ? lanes_by_eval(r, c) : 0;
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
