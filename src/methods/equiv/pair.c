/* pair.c - one pair on all its inputs: make, run both sides, compare; confirm.c does the rest. */
#include "methods/equiv/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "methods/equiv/form.h"
#include "methods/equiv/known.h"
#include "methods/equiv/learn.h"
#include "methods/equiv/valid.h"

#define PATIENCE 64   /* inputs after which an operation that took none is left alone */
#define RESIGNED 16   /* likewise, when looking for calls that it takes found none before */
#define HEADS 1000    /* drawings of head gradients: few digits, for people to type */
#define RARE 12       /* one call of an accepted plan in so many has a rare element type */
#define FORM_AGAIN 8  /* one call of a form in so many is of a plan that was taken before */
#define SUSPICION 0.2 /* of the time that a call has, where one that takes longer only waits */
#define CRASHES 3 /* inputs that end the process, or are stopped, after which a pair is left: each costs a new one */

static int has_floats(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor && dtype_is_float(b->at[i].tensor->tensor->dtype))
			return 1;
	return 0;
}

static int all_finite(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;

		for (size_t k = 0; t && dtype_is_float(t->dtype) && k < t->count; k++)
			if (!isfinite(tensor_get(t, k)))
				return 0;
	}
	return 1;
}

struct compare_how pair_how(const struct pair_run *r, const struct equiv_input *in)
{
	const struct rule_every *every = r->pair->rule->every;
	const struct library *library = r->registry->library;
	struct compare_how how = {.same_type = every && every->same_type,
				  .overflows = library && library->overflows,
				  .roundoff = r->pair->lower ? dtype_roundoff(r->pair->lower) : 0};

	if (!r->pair->api)
		return how;
	how.steps = in->steps;
	how.whole_apart = r->registry->dialect->whole_apart;
	how.derived = every->sets == PAIR_DERIVED;
	how.converts = has_floats(&in->in_a);
	how.zero_times_inf = (r->pair->unlike_kernels || r->registry->dialect->forms) && r->pair->api->pads &&
			     !all_finite(&in->in_a);
	if (!every->of_call)
		how.unspecified = r->pair->api->unspecified;
	return how;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static uint64_t any_plan(struct rng *stream)
{
	return rng_u64(stream) >> (64 - PLAN_BITS);
}

/* Forms are valid calls already, and each has its turn before one comes again.  A plan is little more than one of them
 * with its types: most are new. */
static uint64_t plan_of_turn(const struct pair_run *r, uint64_t index, struct rng *stream)
{
	const struct api *api = r->pair->api;
	size_t n = form_count(api);
	struct rng begin = rng_split(&r->root, n);
	size_t turn = (size_t)((index + rng_below(&begin, n)) % n);
	uint64_t plan = any_plan(stream);

	while (form_of_plan(api, plan) != turn)
		plan = any_plan(stream);
	return plan;
}

static uint64_t seldom_rare(uint64_t plan, struct rng *rare)
{
	return rng_below(rare, RARE) ? plan : PLAN_RARE(plan, rng_below(rare, RARE_TYPES));
}

static uint64_t choose_plan(const struct pair_run *run, uint64_t index, struct rng *stream)
{
	struct rng rare = rng_split(stream, RARE); /* of its own: all else is drawn as without it */
	const struct equiv_result *r = run->result;
	uint64_t taken, odd;

	/* only what was taken is spoiled */
	if (run->registry->dialect->forms &&
	    (!r->n_plans || rng_below(stream, run->pair->rule->every->spoil ? 2 : FORM_AGAIN)))
		return seldom_rare(plan_of_turn(run, index, stream), &rare);
	if (!r->n_plans || !rng_below(stream, run->o->learn ? 2 : r->n_plans < 8 ? 4 : 8))
		return any_plan(stream);
	taken = seldom_rare(r->plans[rng_below(stream, r->n_plans)], &rare);
	if (PLAN_IS_RARE(taken))
		return taken;
	odd = rng_below(stream, 16);
	if (odd == 1) /* half of them just above what is usual, the others up to the end */
		return PLAN_HIGH(taken, 6 + rng_below(stream, rng_below(stream, 2) ? 3 : TENSOR_MAX_RANK - 5));
	return odd ? taken : PLAN_EMPTY(taken, rng_below(stream, 5));
}

/* How floats are drawn: both sides of the same call take anything, and so does a call that is to end no process.
 * Different calls need numbers that are not at an edge, and so do files that another program runs, which promises
 * nothing of NaN. */
static enum draw_how how_to_draw(const struct pair_run *r, uint64_t index)
{
	const struct rule_every *every = r->pair->rule->every;
	int same = every->sets != PAIR_NONE && !every->plain;

	if (r->registry->dialect->forms && every->sets == PAIR_OPTIMIZED && index % 8 == 5)
		return DRAW_END;
	if (every->spoil || (same && !(every->sets == PAIR_SAVED && r->pair->unlike_kernels)))
		return index % 4 != 3                                           ? DRAW_ANY
		       : r->registry->dialect->forms || r->pair->unlike_kernels ? DRAW_EDGES
										: DRAW_FAR_EDGES;
	return every->zeros && index % 2 ? DRAW_ANY : DRAW_PLAIN;
}

int pair_complete(struct pair_run *r, struct expr *a, struct arena *arena, struct equiv_input *in)
{
	const struct rule_every *every = r->pair->rule->every;
	int rc = 0;

	if (!every->spoil && !known_allows(r->pair->api, a, &in->in_a)) {
		r->result->invalid++;
		in->a = a;
		return 0;
	}
	in->steps = known_steps(r->pair->api, a, &in->in_a);
	bindings_copy(&in->in_a, &in->in_b);
	if (every->of_call)
		rc = equiv_function_of(every->of_call, a, in->heads, arena, &a, r->err);
	in->a = a;
	if (!rc)
		rc = every->other(r->registry, a, &in->in_b, arena, &in->b, r->err);
	if (rc) {
		bindings_release(&in->in_a);
		bindings_release(&in->in_b);
	}
	return rc;
}

/* Only calls that were taken are spoiled: those that are not yet known to be legal are looked for beside. */
static int spoil(struct pair_run *r, uint64_t plan, struct rng *stream, struct expr *a, struct equiv_input *in)
{
	const struct rule_every *every = r->pair->rule->every;
	struct rng own = rng_split(stream, plan);
	size_t i = 0;

	while (i < r->result->n_plans && r->result->plans[i] != plan)
		i++;
	return every->spoil && i < r->result->n_plans ? every->spoil(a, &in->in_a, &own, &in->spoiled, r->err) : 0;
}

/* What is wrong with a call must be what was changed: one that the reference refused before is not judged by it. */
static int check_before(struct pair_run *r, const struct call_draw *draw, struct arena *arena, struct equiv_input *in)
{
	struct bindings b;
	struct expr *call;
	char why[256];
	int valid = 1, rc;

	if (in->spoiled != EQUIV_SPOILED_FIRMLY || r->registry->dialect != &dialect_onnx)
		return 0;
	rc = registry_call(r->registry, r->pair->api, draw, arena, &call, &b, r->err);
	if (rc)
		return rc;
	rc = known_fit(r->pair->api, call, &b, r->err);
	if (!rc)
		rc = valid_ask(call, &b, &valid, why, sizeof why, r->err);
	bindings_release(&b);
	if (!valid)
		in->spoiled = EQUIV_SPOILED;
	return rc;
}

/* *plan: that an operation's call follows. */
static int make_input(struct pair_run *r, uint64_t index, struct arena *arena, struct equiv_input *in, uint64_t *plan)
{
	const struct rule_every *every = r->pair->rule->every;
	struct rng stream = rng_split(&r->root, index);
	struct call_draw draw;
	struct expr *a;
	int rc;

	*in = (struct equiv_input){0};
	if (!r->pair->api) {
		in->a = r->pair->a;
		in->b = r->pair->b;
		rc = draw_make(&r->pair->draw, &r->root, index, &in->in_a, r->err);
		bindings_copy(&in->in_a, &in->in_b);
		return rc;
	}
	*plan = choose_plan(r, index, &stream);
	draw = (struct call_draw){
		.plan = *plan, .values = &stream, .how = how_to_draw(r, index), .types = every->types};
	rc = registry_call(r->registry, r->pair->api, &draw, arena, &a, &in->in_a, r->err);
	if (rc)
		return rc;
	rc = known_fit(r->pair->api, a, &in->in_a, r->err);
	if (!rc)
		rc = spoil(r, *plan, &stream, a, in);
	if (!rc)
		rc = check_before(r, &draw, arena, in);
	if (rc) {
		bindings_release(&in->in_a);
		return rc;
	}
	if (every->of_call)
		in->heads = (uint32_t)rng_below(&stream, HEADS) + 1;
	return pair_complete(r, a, arena, in);
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
	last = tensor_parts(moved) - 1;
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

int pair_run_sides(struct pair_run *r, const struct equiv_input *in, const struct bindings *in_a,
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

void pair_free_sides(struct value *v[2])
{
	value_unref(v[0]);
	value_unref(v[1]);
	v[0] = v[1] = NULL;
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

static int is_failure(enum worker_result w)
{
	return w == WORKER_CRASH || w == WORKER_HANG;
}

/* What is not legal, or is tried for a plan, is run once and compared with nothing.  A refusal of what is not legal is
 * right; of an answer nothing can be said, but where ONNX forbids the call. */
static int judge_alone(struct pair_run *r, const struct equiv_input *in, uint64_t index, int *accepted)
{
	struct value *v = NULL;
	int rc;

	r->sides[0].report.result = WORKER_OK;
	rc = eval_expr(&r->sides[0], in->a, &in->in_a, &v, r->err);
	if (rc)
		return rc;
	*accepted = v != NULL;
	value_unref(v);
	if (*accepted && in->spoiled == EQUIV_SPOILED_FIRMLY)
		return pair_confirm_accepted(r, in, index);
	if (!*accepted && is_failure(r->sides[0].report.result))
		return pair_confirm_failure(r, in, index, &r->sides[0]);
	if (*accepted)
		r->result->untold++;
	else if (r->sides[0].report.result == WORKER_OOM)
		r->result->limited++;
	else if (in->spoiled)
		r->result->equal++;
	else
		r->result->refused++;
	return 0;
}

/* A side gave no result; *promised 1: the other one did, and documentation says that both take the same. */
static void note_refusal(struct pair_run *r, struct value *const v[2], int *promised)
{
	const struct eval *side = &r->sides[v[0] ? 1 : 0];
	int limited = r->sides[0].report.result == WORKER_OOM || r->sides[1].report.result == WORKER_OOM;
	int one_sided = !limited && (v[0] || v[1]);

	r->result->limited += (size_t)limited;
	r->result->one_sided += (size_t)one_sided;
	r->result->refused += (size_t)(!limited && !one_sided);
	snprintf(r->result->said, sizeof r->result->said, "%.159s", side->report.message);
	if (!one_sided || side->report.result != WORKER_REJECTED)
		return;
	r->result->alone++;
	*promised = v[1] ? r->pair->checked : r->pair->promised;
	memcpy(r->result->said_alone, r->result->said, sizeof r->result->said_alone);
}

int pair_judge(struct pair_run *r, const struct equiv_input *in, uint64_t index, int *accepted)
{
	char detail[512] = "";
	struct compare_how how = pair_how(r, in);
	struct value *v[2];
	int rc;

	if (r->pair->rule->every && r->pair->rule->every->spoil)
		return judge_alone(r, in, index, accepted);
	r->sides[0].report.result = r->sides[1].report.result = WORKER_OK;
	rc = pair_run_sides(r, in, &in->in_a, &in->in_b, v);
	if (rc)
		return rc;
	*accepted = v[0] && v[1];
	for (int i = 0; i < 2; i++)
		if (!v[i] && is_failure(r->sides[i].report.result)) {
			pair_free_sides(v);
			return pair_confirm_failure(r, in, index, &r->sides[i]);
		}
	if (!v[0] || !v[1]) {
		int promised = 0;

		note_refusal(r, v, &promised);
		pair_free_sides(v);
		return promised ? pair_confirm_refusal(r, in, index) : 0;
	}
	if (compare_close(v[0], v[1], &how, r->o, detail, sizeof detail) == COMPARE_BEYOND)
		rc = pair_confirm_difference(r, in, index, v, detail);
	else
		r->result->equal++;
	pair_free_sides(v);
	return rc;
}

static int run_input(struct pair_run *r, uint64_t index)
{
	struct arena arena = ARENA_INIT;
	struct equiv_input in;
	uint64_t plan = 0;
	int accepted = 0, rc = make_input(r, index, &arena, &in, &plan);

	if (!rc && in.b) {
		r->result->inputs++;
		rc = pair_judge(r, &in, index, &accepted);
		if (r->pair->api && !in.spoiled && !r->result->waits)
			learn_plan(r->result, plan, in.a, &in.in_a, r->o->learn, accepted);
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

int equiv_has_news(const struct equiv_result *r)
{
	for (int k = 0; k < EQUIV_KINDS; k++)
		if (verdict_is_finding(r->found[k].verdict) && !r->found[k].handed)
			return 1;
	return 0;
}

static void begin(struct equiv_result *out, const struct api *api)
{
	out->run = 1;
	if (!api)
		return;
	memcpy(out->plans, api->plans, sizeof out->plans);
	out->n_plans = api->n_plans;
}

static void set_patience(struct eval sides[2], double times)
{
	eval_set_patience(&sides[0], times);
	eval_set_patience(&sides[1], times);
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
	out->waits = 0;
	set_patience(sides, o->hangs_wait ? SUSPICION : 1);
	while (out->next < end && !has_enough(&r) && !rc && !out->waits && !(o->found && equiv_has_news(out)))
		rc = run_input(&r, out->next++);
	set_patience(sides, 1);
	if (out->waits) { /* as if it had not been run */
		out->next--;
		out->inputs--;
	}
	eval_forget_gradients(&sides[0]); /* of the last calls */
	eval_forget_gradients(&sides[1]);
	out->done = out->next == all || has_enough(&r);
	out->calls += sides[0].calls + sides[1].calls - calls;
	out->refusals += sides[0].refused + sides[1].refused - refusals;
	return rc;
}
