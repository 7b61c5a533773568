/* tries.c - judging candidates, several side by side, each thread with a worker of its own (declared in reduction.h).
 *
 * Tensors belong to one thread, so a thread gets the candidate as bytes with copies of its inputs, and makes its own
 * model of them.  One try at a time is done in the caller's thread and without copies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/crew.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/progress.h"
#include "proof/proof.h"
#include "triage/reduction.h"

#define HASH_SIZE 17
#define HANG_SECONDS 3.0 /* a try that takes longer hangs; the end is confirmed with the party's own limit */

/* A candidate on its way. */
struct attempt {
	char hash[HASH_SIZE];
	struct trial made;     /* by the caller */
	struct value **inputs; /* side by side: copies for the thread */
	struct trial trial;    /* judged */
	struct outcome outcome;
	int shows;
	int rc;
	struct err err;
};

struct tries {
	const struct reduction *r; /* only what does not change while threads are busy */
	const struct worker_spec *spec;
	struct worker_limits limits;
	size_t n;              /* at once */
	struct party *parties; /* by thread */
	struct attempt *at;    /* by job */
	struct crew *crew;
};

/* ---- one candidate ----------------------------------------------------------------------------------------------- */

/* A thread's own form of the case. */
static int take_case(struct attempt *a, struct err *e)
{
	struct model *m = NULL;
	struct value **inputs = a->inputs;
	int rc;

	if (!inputs) { /* the thread is the caller's */
		a->trial = a->made;
		a->made = (struct trial){0};
		return 0;
	}
	rc = model_parse(a->made.bytes.data, a->made.bytes.len, "", &m, e);
	if (rc)
		return rc;
	a->inputs = NULL;
	return trial_init(&a->trial, m, inputs, a->made.seed, e);
}

/* A smaller case must be as true as the first: it means what ONNX says, and no other roundings explain it. */
static int check_truth(const struct reduction *r, struct party *p, struct trial *t, struct outcome *o, int *holds,
		       struct err *e)
{
	struct domain broken = {VEC_INIT, 0, 0, 0};
	int rc = t->invalid ? 0 : domain_broken(t, &broken, e), within = domain_within(&broken, &r->target.broken);

	domain_release(&broken);
	if (rc || !within)
		return rc;
	rc = r->target.gradient ? 0 : trial_doubt(t, r->judge, DOUBT_QUICK, o, e);
	if (!rc)
		rc = proof_agree(t, p, o, e);
	*holds = !rc && o->verdict == r->target.verdict;
	return rc;
}

/* *shown: the finding shows; not in a case that is invalid, unless it was from the start, and for the same reason. */
static int judge(const struct reduction *r, struct party *p, struct trial *t, struct outcome *out, int *shown,
		 struct err *e)
{
	int rc = trial_truth(t, e);

	*shown = 0;
	if (rc || !target_breaks_rule(&r->target, t))
		return rc;
	rc = r->target.gradient ? trial_judge_gradients(t, p, r->judge, out, e) : trial_judge(t, p, r->judge, out, e);
	return rc || !target_shows(&r->target, t, out) ? rc : check_truth(r, p, t, out, shown, e);
}

int tries_judge(struct reduction *r, struct trial *t, struct outcome *out, int *shows, struct err *e)
{
	return judge(r, &r->tries->parties[0], t, out, shows, e);
}

/* What goes wrong with a candidate behind the one that is kept is nobody's business: pick() looks at it. */
static int run_attempt(void *arg, size_t thread, size_t job, struct err *e)
{
	struct tries *t = arg;
	struct attempt *a = &t->at[job];

	(void)e;
	a->rc = take_case(a, &a->err);
	if (!a->rc)
		a->rc = judge(t->r, &t->parties[thread], &a->trial, &a->outcome, &a->shows, &a->err);
	return 0;
}

/* Empty for the next candidate. */
static void attempt_clear(struct attempt *a)
{
	for (size_t i = 0; a->inputs && i < a->made.model->graph->inputs.n; i++)
		value_unref(a->inputs[i]);
	mem_free(a->inputs);
	a->inputs = NULL;
	trial_release(&a->made);
	trial_release(&a->trial);
	outcome_release(&a->outcome);
	a->shows = a->rc = 0;
	err_clear(&a->err);
}

/* ---- making candidates ------------------------------------------------------------------------------------------- */

static void hash_case(const struct trial *t, char *out, size_t size)
{
	uint64_t h = hash_bytes(HASH_BEGIN, t->bytes.data, t->bytes.len);

	for (size_t i = 0; i < t->model->graph->inputs.n; i++) {
		const struct value *v = t->inputs[i];

		if (v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING) {
			h = hash_bytes(h, v->tensor->dims, (size_t)v->tensor->rank * sizeof *v->tensor->dims);
			h = hash_bytes(h, v->tensor->data, dtype_packed_size(v->tensor->dtype, v->tensor->count));
		}
	}
	snprintf(out, size, "%016" PRIx64, h);
}

/* Copies that share nothing with the caller's tensors. */
static int copy_inputs(struct attempt *a, struct err *e)
{
	size_t n = a->made.model->graph->inputs.n;

	a->inputs = mem_array(n, sizeof *a->inputs);
	if (!a->inputs)
		return err_nomem(e, "inputs", n * sizeof *a->inputs);
	for (size_t i = 0; i < n; i++) {
		const struct value *v = a->made.inputs[i];
		struct tensor *t;

		if (!v)
			continue;
		if (v->kind != VALUE_TENSOR)
			return err_set(e, ERR_UNSUPPORTED, "only tensors go from thread to thread");
		t = tensor_copy(v->tensor, e);
		a->inputs[i] = t ? value_tensor(t, e) : NULL;
		if (!a->inputs[i])
			return e->code;
	}
	return 0;
}

/* What may go wrong with a single candidate without being a failure. */
static int is_harmless(int rc)
{
	return rc == ERR_INPUT || rc == ERR_UNSUPPORTED || rc == ERR_LIMIT;
}

/* Tried before, or about to be, in a place before this one. */
static int is_known(const struct reduction *r, const struct attempt *a)
{
	for (const struct attempt *other = r->tries->at; other < a; other++)
		if (!strcmp(other->hash, a->hash))
			return 1;
	return map_get(&r->seen, a->hash) != NULL;
}

/* Takes c over.  *fresh: it was not tried before. */
static int take_candidate(struct attempt *a, struct reduction *r, struct candidate *c, int *fresh, struct err *e)
{
	int rc = candidate_finish(c, r->target.invalid, e);

	if (rc) {
		candidate_release(c);
		return rc;
	}
	rc = trial_init(&a->made, c->model, c->inputs, r->now.seed, e);
	if (rc)
		return rc;
	hash_case(&a->made, a->hash, sizeof a->hash);
	*fresh = !is_known(r, a);
	return *fresh && r->tries->n > 1 ? copy_inputs(a, e) : 0;
}

enum attempt_state { ATTEMPT_FAILED = -1, ATTEMPT_NEEDLESS, ATTEMPT_READY };

static enum attempt_state attempt_fill(struct attempt *a, struct reduction *r, size_t i, candidate_fn *make, void *arg,
				       struct err *e)
{
	struct candidate c = {0};
	struct err trouble = ERR_INIT;
	int fresh = 0, rc = make(r, i, arg, &c, &trouble);

	if (!rc && c.model)
		rc = take_candidate(a, r, &c, &fresh, &trouble);
	if (!rc && fresh)
		return ATTEMPT_READY;
	attempt_clear(a);
	if (!rc || is_harmless(rc))
		return ATTEMPT_NEEDLESS;
	*e = trouble;
	return ATTEMPT_FAILED;
}

int reduce_time_is_up(const struct reduction *r)
{
	return clock_now() >= r->deadline;
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

/* The case is the smallest now. */
static void adopt(struct reduction *r, struct attempt *a)
{
	record_clear(r);
	trial_release(&r->now);
	outcome_release(&r->outcome);
	r->now = a->trial;
	r->outcome = a->outcome;
	a->trial = (struct trial){0};
	a->outcome = (struct outcome){0};
	r->kept++;
}

/* Looks at n tries in the order of their candidates; what stands behind the first that shows it was for nothing. */
static enum reduce_step pick(struct reduction *r, size_t n, struct err *e)
{
	enum reduce_step step = REDUCE_NOTHING;

	for (size_t k = 0; k < n; k++) {
		struct attempt *a = &r->tries->at[k];

		r->backend_seconds += a->outcome.load_seconds + a->outcome.run_seconds;
		if (step == REDUCE_KEPT)
			continue;
		if (a->rc && !is_harmless(a->rc)) {
			*e = a->err;
			return REDUCE_FAILED;
		}
		r->tried++;
		if (a->shows) {
			adopt(r, a);
			step = REDUCE_KEPT;
		} else if (map_put(&r->seen, a->hash, r)) {
			err_nomem(e, "hashes", 0);
			return REDUCE_FAILED;
		}
	}
	return step;
}

static enum reduce_step try_batch(struct reduction *r, size_t n, struct err *e)
{
	enum reduce_step step = crew_run(r->tries->crew, n, e) ? REDUCE_FAILED : pick(r, n, e);

	for (size_t k = 0; k < n; k++)
		attempt_clear(&r->tries->at[k]);
	if (r->options->progress)
		r->options->progress(r->now.model->graph->nodes.n, r->tried, r->options->progress_arg);
	else
		progress_phase("reducing, try", r->tried, 0, NULL);
	return step;
}

enum reduce_step reduce_first(struct reduction *r, size_t n, candidate_fn *make, void *arg, struct err *e)
{
	struct tries *t = r->tries;
	enum reduce_step step = REDUCE_NOTHING;
	size_t next = 0;

	while (step == REDUCE_NOTHING && next < n && !reduce_time_is_up(r)) {
		enum attempt_state state = ATTEMPT_NEEDLESS;
		size_t filled = 0;

		while (filled < t->n && next < n && state != ATTEMPT_FAILED) {
			state = attempt_fill(&t->at[filled], r, next++, make, arg, e);
			filled += state == ATTEMPT_READY;
		}
		if (state != ATTEMPT_FAILED) {
			step = try_batch(r, filled, e);
			continue;
		}
		for (size_t k = 0; k < filled; k++)
			attempt_clear(&t->at[k]);
		step = REDUCE_FAILED;
	}
	return step;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static int open_party(void *arg, size_t thread, struct err *e)
{
	struct tries *t = arg;

	return party_open_spec(&t->parties[thread], t->spec, &t->limits, e);
}

static void close_party(void *arg, size_t thread)
{
	struct tries *t = arg;

	party_close(&t->parties[thread]);
}

/* Most tries of a finding that hangs hang too. */
static struct worker_limits limits_of(const struct reduction *r, const struct party *p)
{
	struct worker_limits l = p->limits;

	if (r->target.verdict == VERDICT_HANG && (l.run_seconds <= 0 || l.run_seconds > HANG_SECONDS))
		l.run_seconds = HANG_SECONDS;
	return l;
}

int tries_open(struct reduction *r, const struct party *p, size_t n, struct err *e)
{
	struct tries *t = r->tries = mem_zalloc(sizeof *t);
	struct crew_work work = {.arg = t, .open = open_party, .close = close_party, .run = run_attempt};

	if (!t)
		return err_nomem(e, "tries", sizeof *t);
	*t = (struct tries){.r = r, .spec = &p->spec, .limits = limits_of(r, p), .n = n};
	t->parties = mem_array(n, sizeof *t->parties);
	t->at = mem_array(n, sizeof *t->at);
	if (!t->parties || !t->at)
		return err_nomem(e, "tries", n * sizeof *t->at);
	return crew_open(&work, n > 1 ? n : 0, &t->crew, e);
}

void tries_close(struct reduction *r)
{
	if (!r->tries)
		return;
	crew_close(r->tries->crew);
	mem_free(r->tries->parties);
	mem_free(r->tries->at);
	mem_free(r->tries);
	r->tries = NULL;
}
