/* pair.c - one pair on all its inputs: make, run both sides, compare, confirm, keep the smallest that differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "methods/equiv/compare.h"
#include "ops/op.h"
#include "tensor/io.h"

#define REPEATS 4   /* runs that must give the same: what is random may give the same twice */
#define NUDGES 6    /* runs that show how far rounding of inputs moves outputs */
#define PATIENCE 64 /* inputs after which an operation that took none is left alone */
#define RESIGNED 16 /* likewise, when looking for calls that it takes found none before */
#define REFUSALS 8  /* in a row, after which a plan is dropped */
#define CRASHES 3   /* inputs that end the process, or are stopped, after which a pair is left: each costs a new one */
#define MUCH 1048576.0 /* numbers that work may grow with */
#define MAX_TEXT ((size_t)1 << 20)

struct pair_run {
	const struct registry *registry;
	struct equiv_pair *pair;
	struct eval *sides;
	const struct equiv_options *o;
	struct equiv_result *result;
	struct rng root;
	struct err *err;
};

static int same_type(const struct pair_run *r)
{
	return r->pair->rule->every && r->pair->rule->every->same_type;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static int copy_bindings(const struct bindings *from, struct bindings *to)
{
	*to = *from;
	for (size_t i = 0; i < to->n; i++)
		value_ref(to->at[i].tensor);
	return 0;
}

static uint64_t choose_plan(const struct equiv_result *r, struct rng *stream)
{
	uint64_t taken;

	if (!r->n_plans || !rng_below(stream, r->n_plans < 8 ? 4 : 8))
		return rng_u64(stream) >> (64 - PLAN_BITS);
	taken = r->plans[rng_below(stream, r->n_plans)];
	return rng_below(stream, 16) ? taken : PLAN_EMPTY(taken, rng_below(stream, 5));
}

/* How floats are drawn: both sides of the same call take anything, different ones need numbers that are not at an edge.
 */
static char how_to_draw(const struct rule_every *every, uint64_t index)
{
	if (every->sets)
		return index % 4 == 3 ? '*' : 0;
	return every->zeros && index % 2 ? 0 : '=';
}

/* *plan: that an operation's call follows. */
static int make_input(struct pair_run *r, uint64_t index, struct arena *arena, struct equiv_input *in, uint64_t *plan)
{
	const struct rule_every *every = r->pair->rule->every;
	struct rng stream = rng_split(&r->root, index);
	struct expr *a;
	int rc;

	*in = (struct equiv_input){0};
	if (!r->pair->api) {
		in->a = r->pair->a;
		in->b = r->pair->b;
		rc = draw_make(&r->pair->draw, &r->root, index, &in->in_a, r->err);
		return rc ? rc : copy_bindings(&in->in_a, &in->in_b);
	}
	*plan = choose_plan(r->result, &stream);
	rc = registry_call(r->registry, r->pair->api, *plan, &stream, how_to_draw(every, index), arena, &a, &in->in_a,
			   r->err);
	if (rc)
		return rc;
	copy_bindings(&in->in_a, &in->in_b);
	if (every->of_call)
		rc = equiv_function_of(every->of_call, a, arena, &a, r->err);
	in->a = a;
	if (!rc)
		rc = every->other(r->registry, a, &in->in_b, arena, &in->b, r->err);
	if (rc) {
		bindings_release(&in->in_a);
		bindings_release(&in->in_b);
	}
	return rc;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* A fault for tests: the last element is off by a tenth and a little; what is no number becomes one. */
static struct tensor *broken(struct tensor *t, struct err *e)
{
	enum wide form = dtype_wide(t->dtype);
	struct tensor *wide, *moved, *packed;
	size_t last;

	if (!t->count || form == WIDE_STR || form == WIDE_NONE)
		return tensor_ref(t);
	wide = tensor_widen(t, e);
	moved = wide ? tensor_copy(wide, e) : NULL;
	tensor_unref(wide);
	if (!moved)
		return NULL;
	last = form == WIDE_C64 ? 2 * moved->count - 1 : moved->count - 1;
	if (form == WIDE_I64)
		moved->i[last] = moved->i[last] ? 0 : 1;
	else
		moved->f[last] = isfinite(moved->f[last]) ? moved->f[last] + 0.1 * fabs(moved->f[last]) + 0.2 : 0;
	packed = tensor_pack(moved, e);
	tensor_unref(moved);
	return packed;
}

static int plant(struct value **v, struct err *e)
{
	struct value *with = *v ? value_convert(*v, broken, e) : NULL;

	if (!*v)
		return 0;
	value_unref(*v);
	*v = with;
	return with ? 0 : e->code;
}

static int run_sides(struct pair_run *r, const struct equiv_input *in, const struct bindings *in_a,
		     const struct bindings *in_b, struct value *out[2])
{
	int rc = eval_expr(&r->sides[0], in->a, in_a, &out[0], r->err);

	if (!rc && r->o->plant)
		rc = plant(&out[0], r->err);
	out[1] = NULL;
	if (!rc)
		rc = eval_expr(&r->sides[1], in->b, in_b, &out[1], r->err);
	if (rc) {
		value_unref(out[0]);
		out[0] = NULL;
	}
	return rc;
}

static void free_sides(struct value *v[2])
{
	value_unref(v[0]);
	value_unref(v[1]);
	v[0] = v[1] = NULL;
}

static int nudge(const struct bindings *from, struct bindings *to, uint64_t label, struct err *e)
{
	struct rng r;

	copy_bindings(from, to);
	rng_init(&r, label);
	for (size_t i = 0; i < to->n; i++) {
		struct value *v = to->at[i].tensor;

		if (!v)
			continue;
		/* both sides move alike: by the rounding of float32 also where the same numbers are float64 */
		to->at[i].tensor =
			draw_nudged(v, dtype_roundoff(v->tensor->dtype == DT_FLOAT16 ? DT_FLOAT16 : DT_FLOAT), &r, e);
		value_unref(v);
		if (!to->at[i].tensor) {
			bindings_release(to);
			return e->code;
		}
	}
	return 0;
}

/* The ratio of a difference to what rounding of the inputs does. */
static int measure(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], double *ratio)
{
	struct value *runs[2][NUDGES] = {{NULL}};
	struct compare_noise noise = {runs[0], runs[1], NUDGES};
	int rc = 0;

	for (uint64_t k = 0; k < NUDGES && !rc; k++) {
		struct bindings a = {0}, b = {0};
		struct value *got[2] = {NULL, NULL};

		rc = nudge(&in->in_a, &a, k, r->err);
		if (!rc)
			rc = nudge(&in->in_b, &b, k, r->err);
		if (!rc)
			rc = run_sides(r, in, &a, &b, got);
		runs[0][k] = got[0];
		runs[1][k] = got[1];
		bindings_release(&a);
		bindings_release(&b);
	}
	if (!rc)
		*ratio = compare_ratio(v[0], v[1], same_type(r), &noise, r->o);
	for (size_t k = 0; k < NUDGES; k++) {
		value_unref(runs[0][k]);
		value_unref(runs[1][k]);
	}
	return rc;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static char *text_of(const struct expr *x)
{
	struct buf b;
	char *text;

	buf_init(&b, MAX_TEXT);
	expr_print(x, &b);
	text = mem_strdup(b.data ? b.data : "");
	buf_release(&b);
	return text;
}

static size_t count_elements(const struct bindings *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->at[i].tensor ? b->at[i].tensor->tensor->count : 0;
	return n;
}

void equiv_finding_release(struct equiv_finding *f)
{
	mem_free(f->a);
	mem_free(f->b);
	mem_free(f->script);
	buf_release(&f->inputs);
}

void equiv_result_release(struct equiv_result *r)
{
	for (int k = 0; k < EQUIV_KINDS; k++)
		equiv_finding_release(&r->found[k]);
}

static int save_inputs(const struct bindings *b, struct equiv_finding *f, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	buf_init(&f->inputs, (size_t)64 << 20);
	for (size_t i = 0; i < b->n && !rc; i++)
		if (b->at[i].tensor && *dtype_npy(b->at[i].tensor->tensor->dtype))
			rc = tensor_set_add_value(&set, b->at[i].name, b->at[i].tensor, e);
	if (!rc)
		rc = npz_write(&set, &f->inputs, e);
	tensor_set_release(&set);
	return rc;
}

static int note(struct pair_run *r, const struct equiv_input *in, uint64_t index, enum verdict v, double ratio,
		const char *detail)
{
	struct equiv_finding *f = &r->result->found[v == VERDICT_WRONG ? EQUIV_DIFFERENCE : EQUIV_FAILURE];
	size_t elements = count_elements(&in->in_a), shown = f->shown + 1;
	char title[512];

	f->shown = shown;
	if (verdict_is_finding(f->verdict) && (v < f->verdict || (v == f->verdict && elements >= f->elements)))
		return 0;
	equiv_finding_release(f);
	*f = (struct equiv_finding){.verdict = v, .ratio = ratio, .index = index, .elements = elements, .shown = shown};
	f->a = text_of(in->a);
	f->b = text_of(in->b);
	snprintf(title, sizeof title, "%s %s, rule %d (%s), %s: %s", r->registry->backend, r->registry->version,
		 r->pair->rule->number, r->pair->rule->title, r->pair->name, verdict_name(v));
	f->script = equiv_script(r->registry->backend, title, r->pair, in);
	snprintf(f->detail, sizeof f->detail, "%s", detail);
	if (save_inputs(&in->in_a, f, r->err))
		return r->err->code;
	return f->a && f->b ? 0 : err_nomem(r->err, "a finding", 0);
}

static int is_much(double x)
{
	return isfinite(x) && fabs(x) >= MUCH;
}

static int expr_has_much(const struct expr *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (expr_has_much(x->items[i]))
			return 1;
	return (x->kind == EXPR_INT && is_much((double)x->i)) || (x->kind == EXPR_FLOAT && is_much(x->f));
}

static int tensor_has_much(const struct tensor *t)
{
	enum wide form = dtype_wide(t->dtype);

	for (size_t i = 0; (form == WIDE_F64 || form == WIDE_I64) && i < t->count; i++)
		if (is_much(tensor_get(t, i)))
			return 1;
	return 0;
}

/* Sizes, repeats, degrees: what takes long because of a large number that was given does not hang. */
static int is_much_work(const struct equiv_input *in)
{
	for (size_t i = 0; i < in->in_a.n; i++)
		if (in->in_a.at[i].tensor && tensor_has_much(in->in_a.at[i].tensor->tensor))
			return 1;
	return expr_has_much(in->a);
}

/* A process that died or hung: again, in the worker that was started since. */
static int confirm_failure(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct eval *side)
{
	enum worker_result first = side->report.result;
	struct value *again[2];
	char detail[512];
	int rc;

	if (first == WORKER_HANG && is_much_work(in)) {
		r->result->limited++;
		r->result->crashes++; /* it cost as much */
		return 0;
	}
	rc = run_sides(r, in, &in->in_a, &in->in_b, again);
	free_sides(again);
	if (rc || side->report.result != first)
		return rc;
	r->result->crashes++;
	snprintf(detail, sizeof detail, "side %c: %s%s%.400s", side == r->sides ? 'a' : 'b', worker_result_name(first),
		 *side->report.message ? ": " : "", side->report.message);
	return note(r, in, index, first == WORKER_CRASH ? VERDICT_CRASH : VERDICT_HANG, 0, detail);
}

/* ONNX Runtime draws its seed once a process: two runs in one worker are the same, and two workers differ.  What is
 * random by ONNX's specification is told by name. */
static int is_random(const struct pair_run *r)
{
	const struct op_row *row = ops_find("", r->pair->name);

	return row && (row->op->flags & OP_RANDOM);
}

/* Runs both sides again; *same 1: each gives what it gave, bit by bit. */
static int repeats(struct pair_run *r, const struct equiv_input *in, struct value *v[2], int *same)
{
	struct value *again[2];

	*same = 1;
	for (int i = 0; i < REPEATS && *same; i++) {
		int rc = run_sides(r, in, &in->in_a, &in->in_b, again);

		if (rc)
			return rc;
		*same = again[0] && again[1] && compare_same(v[0], again[0]) && compare_same(v[1], again[1]);
		free_sides(again);
	}
	return 0;
}

/* A difference: does it come again, and is it more than rounding? */
static int confirm_difference(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct value *v[2],
			      const char *detail)
{
	double ratio = 0;
	int same, rc = repeats(r, in, v, &same);

	if (rc)
		return rc;
	if (!same || is_random(r)) {
		r->result->random++;
		return 0;
	}
	rc = measure(r, in, v, &ratio);
	if (rc)
		return rc;
	if (!(ratio > JUDGE_LIMIT)) {
		r->result->rounding++;
		return 0;
	}
	return note(r, in, index, VERDICT_WRONG, ratio, detail);
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

static int is_failure(enum worker_result w)
{
	return w == WORKER_CRASH || w == WORKER_HANG;
}

static int judge_input(struct pair_run *r, const struct equiv_input *in, uint64_t index, int *accepted)
{
	char detail[512] = "";
	struct value *v[2];
	int rc, differs;

	r->sides[0].report.result = r->sides[1].report.result = WORKER_OK;
	rc = run_sides(r, in, &in->in_a, &in->in_b, v);
	if (rc)
		return rc;
	*accepted = v[0] && v[1];
	for (int i = 0; i < 2; i++)
		if (!v[i] && is_failure(r->sides[i].report.result)) {
			free_sides(v);
			return confirm_failure(r, in, index, &r->sides[i]);
		}
	if (!v[0] || !v[1]) {
		int limited = r->sides[0].report.result == WORKER_OOM || r->sides[1].report.result == WORKER_OOM;

		r->result->limited += (size_t)limited;
		r->result->one_sided += (size_t)(!limited && (v[0] || v[1]));
		r->result->refused += (size_t)(!limited && !v[0] && !v[1]);
		snprintf(r->result->said, sizeof r->result->said, "%.159s", r->sides[v[0] ? 1 : 0].report.message);
		free_sides(v);
		return 0;
	}
	differs = compare_close(v[0], v[1], same_type(r), r->o, detail, sizeof detail);
	if (differs > 0)
		rc = confirm_difference(r, in, index, v, detail);
	else
		r->result->equal++;
	free_sides(v);
	return rc;
}

static int has_empty(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor->kind == VALUE_TENSOR && !b->at[i].tensor->tensor->count)
			return 1;
	return 0;
}

/* A plan that was accepted is kept; one that is refused again and again (another version, another option set) goes.
 * What comes of empty tensors says nothing: a plan that draws them is not worth to be followed again. */
static void learn(struct equiv_result *r, uint64_t plan, const struct bindings *in, int accepted)
{
	size_t i = 0;

	r->accepted += (size_t)accepted;
	if (PLAN_IS_EMPTY(plan) || has_empty(in))
		return;
	while (i < r->n_plans && r->plans[i] != plan)
		i++;
	if (accepted && i < API_MAX_PLANS) {
		r->plans[i] = plan;
		r->strikes[i] = 0;
		r->n_plans += i == r->n_plans;
	} else if (i < r->n_plans && ++r->strikes[i] == REFUSALS) {
		r->n_plans--;
		r->plans[i] = r->plans[r->n_plans];
		r->strikes[i] = r->strikes[r->n_plans];
	}
}

static int run_input(struct pair_run *r, uint64_t index)
{
	struct arena arena = ARENA_INIT;
	struct equiv_input in;
	uint64_t plan = 0;
	int accepted = 0, rc = make_input(r, index, &arena, &in, &plan);

	if (!rc && in.b) {
		r->result->inputs++;
		rc = judge_input(r, &in, index, &accepted);
		if (r->pair->api)
			learn(r->result, plan, &in.in_a, accepted);
	}
	if (!rc) {
		bindings_release(&in.in_a);
		bindings_release(&in.in_b);
	}
	arena_release(&arena);
	return rc;
}

/* More inputs would show nothing new: none was taken, all that was to be learned is, or each costs a process. */
static int has_enough(const struct pair_run *r)
{
	const struct api *api = r->pair->api;
	const struct equiv_result *got = r->result;
	size_t patience = r->registry->learned && api && !api->n_plans ? RESIGNED : PATIENCE;

	return (api && !r->o->learn && !got->accepted && got->next >= patience) ||
	       (r->o->learn && got->n_plans == API_MAX_PLANS) || got->crashes == CRASHES ||
	       got->found[EQUIV_FAILURE].verdict == VERDICT_HANG;
}

static void begin(struct equiv_result *out, const struct api *api)
{
	out->run = 1;
	if (!api)
		return;
	memcpy(out->plans, api->plans, sizeof out->plans);
	out->n_plans = api->n_plans;
}

int equiv_run_pair(const struct registry *registry, struct equiv_pair *p, struct eval sides[2],
		   const struct equiv_options *o, size_t end, struct equiv_result *out, struct err *e)
{
	struct pair_run r = {.registry = registry, .pair = p, .sides = sides, .o = o, .result = out, .err = e};
	size_t all = o->inputs ? o->inputs : EQUIV_INPUTS, calls = sides[0].calls + sides[1].calls;
	size_t refusals = sides[0].refused + sides[1].refused;
	struct rng seed;
	int rc = 0;

	if (!out->run)
		begin(out, p->api);
	rng_init(&seed, o->seed);
	r.root = rng_split(&seed, hash_text(p->name) + (uint64_t)p->rule->number);
	end = end && end < all ? end : all;
	while (out->next < end && !has_enough(&r) && !rc)
		rc = run_input(&r, out->next++);
	out->done = out->next == all || has_enough(&r);
	out->calls += sides[0].calls + sides[1].calls - calls;
	out->refusals += sides[0].refused + sides[1].refused - refusals;
	return rc;
}
