/* lanes.c - lanes as whole values: those of inputs, and operators that are evaluated lane by lane.
 *
 * Threads share the lanes of a call: each has a run of its own, which sees the values of the others' run and writes
 * none of them. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "ops/call.h"
#include "reference/internal.h"

#define WORK_OF_STEP 16 /* call_work() of what takes as long as a step of base/parallel.h */

float *noise_new_lanes(struct run *r, size_t count)
{
	size_t each = (size_t)r->lanes * sizeof(float), bytes = count > SIZE_MAX / each ? SIZE_MAX : count * each;
	float *d = tensor_memory_has(bytes) ? mem_aligned(bytes) : NULL;

	if (!d)
		err_nomem(r->err, "noise lanes", bytes);
	return d;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* x + d in one lane, or the other way: d of all lanes. */
struct differences {
	const struct tensor *x;
	struct value **lane;
	float *d;
	size_t lanes;
	struct tensor *y;
};

static void add_piece(void *arg, size_t first, size_t end)
{
	const struct differences *s = arg;

	for (size_t i = first; i < end; i++)
		s->y->f[i] = s->x->f[i] + (double)s->d[i * s->lanes];
}

int noise_lane_value(struct run *r, const struct cell *cell, int lane, struct value **out)
{
	struct differences s = {.x = cell->value->tensor, .lanes = (size_t)r->lanes};

	if (cell->lane || !cell->delta) {
		*out = value_ref(cell->lane ? cell->lane[lane] : cell->value);
		return 0;
	}
	s.y = tensor_new(s.x->dtype, s.x->rank, s.x->dims, r->err);
	if (!s.y)
		return r->err->code;
	s.d = cell->delta + lane;
	parallel_for(s.x->count, 2, add_piece, &s);
	*out = value_tensor(s.y, r->err);
	return *out ? 0 : r->err->code;
}

static void subtract_piece(void *arg, size_t first, size_t end)
{
	const struct differences *s = arg;

	for (size_t i = first; i < end; i++)
		for (size_t l = 0; l < s->lanes; l++) {
			double a = s->lane[l]->tensor->f[i], b = s->x->f[i];

			s->d[i * s->lanes + l] = a == b || (isnan(a) && isnan(b)) ? 0.0f : (float)(a - b);
		}
}

static int lanes_to_delta(struct run *r, const struct tensor *y, struct value **lane, struct cell *cell)
{
	struct differences s = {.x = y, .lane = lane, .d = noise_new_lanes(r, y->count), .lanes = (size_t)r->lanes};

	if (!s.d)
		return r->err->code;
	parallel_for(y->count, 2 * (double)s.lanes, subtract_piece, &s);
	cell->delta = s.d;
	return 0;
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

/* ---- lane by lane ------------------------------------------------------------------------------------------------ */

/* What came of one lane. */
struct lane_end {
	int failed;
	double work;
	int64_t loop_steps;
	size_t ties;
	uint64_t body_runs;
};

struct lane_calls {
	struct run *r;
	const struct call *exact;
	struct value ***results; /* [out][lane] */
	struct lane_end *ends;
	pthread_mutex_t lock; /* of what follows */
	int rc;               /* of the first lane that cannot be had, and */
	size_t first;
	struct err err;
};

/* Evaluates one lane into results[out][lane]; a lane that fails where the exact run did not takes the exact values, and
 * the outputs are marked unstable. */
static int eval_lane(struct run *r, const struct lane_calls *of, int lane)
{
	struct node *n = (struct node *)of->exact->node;
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
		run_seed_random(r, n);
		r->err = c.err = &lane_err;
		failed = run_eval(r, &c, 0, NULL);
		r->err = saved;
		if (failed == ERR_MEMORY || failed == ERR_INTERNAL) {
			*r->err = lane_err;
			rc = failed;
		}
		for (int i = 0; i < n->n_out && !rc; i++)
			if (n->out[i])
				of->results[i][lane] = value_ref(failed ? of->exact->out_value[i] : c.out_value[i]);
		of->ends[lane].failed = failed != 0;
	}
	r->lane = -1;
	run_call_end(&c);
	return rc;
}

static void note_failure(struct lane_calls *of, size_t lane, int rc, const struct err *e)
{
	pthread_mutex_lock(&of->lock);
	if (!of->rc || lane < of->first) {
		of->rc = rc;
		of->first = lane;
		of->err = *e;
	}
	pthread_mutex_unlock(&of->lock);
}

static void eval_lanes(void *arg, size_t first, size_t end)
{
	struct lane_calls *of = arg;
	const struct run *r = of->r;
	struct ref ref = *r->ref; /* with scratch of its own */
	struct ref_options o = *r->o;

	ref.scratch = (struct arena)ARENA_INIT;
	o.progress = NULL; /* it is for one thread */
	for (size_t l = first; l < end; l++) {
		struct lane_end *out = &of->ends[l];
		struct err e = ERR_INIT;
		struct run own = *r;
		int rc;

		own.ref = &ref;
		own.o = &o;
		own.env.rng = &own.random;
		own.err = &e;
		own.body_runs = r->body_runs_before; /* every lane draws what the exact run drew */
		rc = eval_lane(&own, of, (int)l);
		if (rc)
			note_failure(of, l, rc, &e);
		out->work = own.work - r->work;
		out->loop_steps = own.env.loop_steps - r->env.loop_steps;
		out->ties = own.env.ties - r->env.ties;
		out->body_runs = own.body_runs;
	}
	arena_release(&ref.scratch);
}

/* What the lanes have spent. */
static void gather(struct run *r, const struct call *c, const struct lane_end *ends)
{
	for (int l = 0; l < r->lanes; l++) {
		r->work += ends[l].work;
		r->env.loop_steps += ends[l].loop_steps;
		r->env.ties += ends[l].ties;
		r->body_runs = ends[l].body_runs;
		for (int i = 0; i < c->n_out; i++)
			if (c->node->out[i])
				r->frame->cells[c->node->out[i]->id].unstable |= ends[l].failed;
	}
}

/* How many lanes are worth a thread.  All: where there is no room for the inputs of several at once, and where
 * somebody changes what comes out, who may count. */
static size_t lanes_of_piece(const struct run *r, const struct call *c)
{
	double each = call_work(c) / WORK_OF_STEP;
	size_t bytes = 0;

	for (int i = 0; i < c->n_in; i++)
		bytes += c->in[i] ? c->in[i]->count * sizeof(double) : 0;
	if (r->o->tamper || !tensor_memory_has(4 * (size_t)r->lanes * bytes))
		return (size_t)r->lanes;
	return c->op->flags & OP_CONTROL || each > parallel_steps() ? 1 : 1 + (size_t)(parallel_steps() / each);
}

int noise_lanes_by_eval(struct run *r, struct call *c)
{
	struct value ***results = arena_array(c->tmp, (size_t)c->n_out, sizeof *results);
	struct lane_end *ends = arena_array(c->tmp, (size_t)r->lanes, sizeof *ends);
	struct lane_calls of = {
		.r = r, .exact = c, .results = results, .ends = ends, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = results && ends ? 0 : err_nomem(r->err, "noise lanes", 0);

	for (int i = 0; i < c->n_out && !rc; i++)
		if (c->node->out[i] && !(results[i] = mem_array((size_t)r->lanes, sizeof *results[i])))
			rc = err_nomem(r->err, "noise lanes", 0);
	if (!rc) {
		parallel_pieces((size_t)r->lanes, lanes_of_piece(r, c), eval_lanes, &of);
		gather(r, c, ends);
		rc = of.rc;
		if (rc)
			*r->err = of.err;
	}
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
