/* lanes.c - judging candidates: one worker a lane, lanes side by side (declared in reduction.h).
 *
 * Tensors belong to one thread, so a lane of its own thread gets the candidate as bytes with copies of its inputs, and
 * makes its own model of them.  Threads live as long as the reduction: a worker is killed when the thread that started
 * it ends.  A single lane works in the caller's thread and without copies. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ops/engine/blas.h"
#include "ops/engine/panel.h"
#include "ops/engine/panel_f64.h"
#include "triage/reduction.h"

#define HASH_SIZE 17
#define HANG_SECONDS 3.0 /* a try that takes longer hangs; the end is confirmed with the party's own limit */

enum lane_state { LANE_IDLE, LANE_BUSY, LANE_DONE, LANE_QUIT };

struct lane {
	const struct reduction *r; /* only what does not change while lanes are busy */
	struct party party;
	int threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum lane_state state;

	size_t index; /* of the candidate */
	char hash[HASH_SIZE];
	struct trial made;     /* by the caller */
	struct value **inputs; /* threaded: copies for the lane */
	struct trial trial;    /* judged */
	struct outcome outcome;
	int shows;
	int rc;
	struct err err;
};

/* ---- what must stay the same ------------------------------------------------------------------------------------- */

static int has_op(const struct graph *g, const char *op)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, op))
			return 1;
	return 0;
}

static int shows(const struct target *t, const struct trial *trial, const struct outcome *o)
{
	char words[sizeof t->words];

	if (o->verdict != t->verdict || (t->op && !has_op(trial->model->graph, t->op)))
		return 0;
	if (o->verdict == VERDICT_CRASH)
		return o->report.signal == t->signal;
	if (o->verdict == VERDICT_REJECTED) {
		outcome_words(o, words, sizeof words);
		return words_alike(t->words, words);
	}
	return o->verdict != VERDICT_WRONG || o->ratio >= t->ratio;
}

/* ---- one candidate ----------------------------------------------------------------------------------------------- */

/* A lane's own form of the case. */
static int take_case(struct lane *l, struct err *e)
{
	struct model *m = NULL;
	struct value **inputs = l->inputs;
	int rc;

	if (!l->threaded) {
		l->trial = l->made;
		l->made = (struct trial){0};
		return 0;
	}
	rc = model_parse(l->made.bytes.data, l->made.bytes.len, "", &m, e);
	if (rc)
		return rc;
	l->inputs = NULL;
	return trial_init(&l->trial, m, inputs, l->made.seed, e);
}

/* A smaller case must be as true as the first: it means what ONNX says, and no other roundings explain it. */
static int is_true(const struct reduction *r, struct trial *t, struct outcome *o, struct err *e)
{
	uint64_t broken = 0;
	int rc = t->invalid ? 0 : domain_broken(t, &broken, e);

	if (rc || broken & ~r->target.broken)
		return rc;
	rc = r->target.gradient ? 0 : trial_doubt(t, r->judge, DOUBT_QUICK, o, e);
	return rc ? rc : o->verdict == r->target.verdict;
}

/* 1: the finding shows; 0: not, or the case is invalid. */
static int judge(const struct reduction *r, struct party *p, struct trial *t, struct outcome *out, struct err *e)
{
	int rc = trial_truth(t, e);

	if (rc || t->invalid != (r->target.verdict == VERDICT_ACCEPTED))
		return rc;
	rc = r->target.gradient ? trial_judge_gradients(t, p, r->judge, out, e) : trial_judge(t, p, r->judge, out, e);
	return rc || !shows(&r->target, t, out) ? rc : is_true(r, t, out, e);
}

int lanes_judge(struct reduction *r, struct trial *t, struct outcome *out, struct err *e)
{
	return judge(r, &r->lanes[0].party, t, out, e);
}

static void lane_judge(struct lane *l)
{
	int rc = take_case(l, &l->err);

	if (!rc)
		rc = judge(l->r, &l->party, &l->trial, &l->outcome, &l->err);
	l->shows = rc > 0;
	l->rc = rc < 0 ? rc : 0;
}

static void *lane_main(void *arg)
{
	struct lane *l = arg;

	pthread_mutex_lock(&l->lock);
	while (l->state != LANE_QUIT) {
		if (l->state != LANE_BUSY) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		lane_judge(l);
		pthread_mutex_lock(&l->lock);
		l->state = LANE_DONE;
		pthread_cond_signal(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void lane_start(struct lane *l)
{
	if (!l->threaded) {
		lane_judge(l);
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->state = LANE_BUSY;
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
}

static void lane_wait(struct lane *l)
{
	if (!l->threaded)
		return;
	pthread_mutex_lock(&l->lock);
	while (l->state != LANE_DONE)
		pthread_cond_wait(&l->changed, &l->lock);
	l->state = LANE_IDLE;
	pthread_mutex_unlock(&l->lock);
}

/* Empty for the next candidate. */
static void lane_clear(struct lane *l)
{
	for (size_t i = 0; l->inputs && i < l->made.model->graph->inputs.n; i++)
		value_unref(l->inputs[i]);
	mem_free(l->inputs);
	l->inputs = NULL;
	trial_release(&l->made);
	trial_release(&l->trial);
	outcome_release(&l->outcome);
	l->outcome = (struct outcome){0};
	l->shows = l->rc = 0;
	err_clear(&l->err);
}

/* ---- filling lanes ----------------------------------------------------------------------------------------------- */

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
static int copy_inputs(struct lane *l, struct err *e)
{
	size_t n = l->made.model->graph->inputs.n;

	if (!l->threaded)
		return 0;
	l->inputs = mem_array(n, sizeof *l->inputs);
	if (!l->inputs)
		return err_nomem(e, "inputs", n * sizeof *l->inputs);
	for (size_t i = 0; i < n; i++) {
		const struct value *v = l->made.inputs[i];
		struct tensor *t;

		if (!v)
			continue;
		if (v->kind != VALUE_TENSOR)
			return err_set(e, ERR_UNSUPPORTED, "only tensors go from lane to lane");
		t = tensor_copy(v->tensor, e);
		l->inputs[i] = t ? value_tensor(t, e) : NULL;
		if (!l->inputs[i])
			return e->code;
	}
	return 0;
}

/* What may go wrong with a single candidate without being a failure. */
static int is_harmless(int rc)
{
	return rc == ERR_INPUT || rc == ERR_UNSUPPORTED || rc == ERR_LIMIT;
}

/* Tried before, or about to be: by a lane before this one. */
static int is_known(const struct reduction *r, const struct lane *l)
{
	for (const struct lane *other = r->lanes; other < l; other++)
		if (!strcmp(other->hash, l->hash))
			return 1;
	return map_get(&r->seen, l->hash) != NULL;
}

/* 0: candidate i is in the lane; 1: it need not be tried. */
static int lane_fill(struct lane *l, struct reduction *r, size_t i, candidate_fn *make, void *arg, struct err *e)
{
	struct candidate c = {0};
	struct err trouble = ERR_INIT;
	int rc = make(r, i, arg, &c, &trouble);

	if (rc)
		goto out;
	rc = candidate_finish(&c, r->target.verdict == VERDICT_ACCEPTED, &trouble);
	if (rc) {
		candidate_release(&c);
		goto out;
	}
	rc = trial_init(&l->made, c.model, c.inputs, r->now.seed, &trouble);
	if (!rc) {
		hash_case(&l->made, l->hash, sizeof l->hash);
		rc = is_known(r, l) ? 1 : copy_inputs(l, &trouble);
	}
	l->index = i;
out:
	if (rc)
		lane_clear(l);
	if (rc < 0 && !is_harmless(rc))
		*e = trouble;
	return is_harmless(rc) ? 1 : rc;
}

int reduce_time_is_up(const struct reduction *r)
{
	return clock_now() >= r->deadline;
}

/* The lane's case is the smallest now. */
static void adopt(struct reduction *r, struct lane *l)
{
	record_forget(r);
	trial_release(&r->now);
	outcome_release(&r->outcome);
	r->now = l->trial;
	r->outcome = l->outcome;
	l->trial = (struct trial){0};
	l->outcome = (struct outcome){0};
	r->kept++;
}

/* Looks at `n` lanes in the order of their candidates; what stands behind the first that shows it was for nothing. */
static int pick(struct reduction *r, size_t n, size_t *which, struct err *e)
{
	int found = 0;

	for (size_t k = 0; k < n; k++) {
		struct lane *l = &r->lanes[k];

		r->backend_seconds += l->outcome.load_seconds + l->outcome.run_seconds;
		if (found)
			continue;
		if (l->rc && !is_harmless(l->rc)) {
			*e = l->err;
			return l->rc;
		}
		r->tries++;
		if (l->shows) {
			*which = l->index;
			adopt(r, l);
			found = 1;
		} else if (map_put(&r->seen, l->hash, r)) {
			return err_nomem(e, "hashes", 0);
		}
	}
	return found;
}

static int try_batch(struct reduction *r, size_t n, size_t *which, struct err *e)
{
	int rc;

	for (size_t k = 0; k < n; k++)
		lane_start(&r->lanes[k]);
	for (size_t k = 0; k < n; k++)
		lane_wait(&r->lanes[k]);
	rc = pick(r, n, which, e);
	for (size_t k = 0; k < n; k++)
		lane_clear(&r->lanes[k]);
	if (r->options->progress)
		r->options->progress(r->now.model->graph->nodes.n, r->tries, r->options->progress_arg);
	return rc;
}

int reduce_first(struct reduction *r, size_t n, candidate_fn *make, void *arg, size_t *which, struct err *e)
{
	size_t next = 0;
	int rc = 0;

	while (!rc && next < n && !reduce_time_is_up(r)) {
		size_t filled = 0;

		while (filled < (size_t)r->n_lanes && next < n && rc >= 0) {
			rc = lane_fill(&r->lanes[filled], r, next++, make, arg, e);
			if (!rc)
				filled++;
		}
		if (rc >= 0)
			rc = try_batch(r, filled, which, e);
		else
			for (size_t k = 0; k < filled; k++)
				lane_clear(&r->lanes[k]);
	}
	return rc;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

/* Routines that test themselves on first use do so now, before there are threads. */
static void settle_kernels(void)
{
	blas_trusted();
	panel_usable();
	panel_f64_usable();
}

static int start_thread(struct lane *l, struct err *e)
{
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	if (pthread_create(&l->thread, NULL, lane_main, l)) {
		pthread_cond_destroy(&l->changed);
		pthread_mutex_destroy(&l->lock);
		return err_set(e, ERR_INTERNAL, "cannot start a thread");
	}
	l->threaded = 1;
	return 0;
}

/* Most tries of a finding that hangs hang too. */
static struct worker_limits limits_of(const struct reduction *r, const struct party *p)
{
	struct worker_limits l = p->limits;

	if (r->target.verdict == VERDICT_HANG && (l.run_seconds <= 0 || l.run_seconds > HANG_SECONDS))
		l.run_seconds = HANG_SECONDS;
	return l;
}

int lanes_open(struct reduction *r, const struct party *p, int n, struct err *e)
{
	const struct worker_limits limits = limits_of(r, p);
	int rc = 0;

	r->lanes = mem_array((size_t)n, sizeof *r->lanes);
	if (!r->lanes)
		return err_nomem(e, "lanes", (size_t)n * sizeof *r->lanes);
	settle_kernels();
	for (int i = 0; i < n && !rc; i++) {
		struct lane *l = &r->lanes[i];

		l->r = r;
		rc = party_open_spec(&l->party, &p->spec, &limits, e);
		if (rc)
			break;
		r->n_lanes++;
		if (n > 1)
			rc = start_thread(l, e);
	}
	return rc;
}

void lanes_close(struct reduction *r)
{
	for (int i = 0; i < r->n_lanes; i++) {
		struct lane *l = &r->lanes[i];

		if (l->threaded) {
			pthread_mutex_lock(&l->lock);
			l->state = LANE_QUIT;
			pthread_cond_signal(&l->changed);
			pthread_mutex_unlock(&l->lock);
			pthread_join(l->thread, NULL);
			pthread_cond_destroy(&l->changed);
			pthread_mutex_destroy(&l->lock);
		}
		lane_clear(l);
		party_close(&l->party);
	}
	mem_free(r->lanes);
	r->lanes = NULL;
	r->n_lanes = 0;
}
