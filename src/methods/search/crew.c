/* crew.c - a population on all backends at once: one thread and one worker for each backend.
 *
 * A worker is killed when the thread that started it ends, so threads live as long as the crew.  Tensors belong to one
 * thread: a member makes its own model of a case's bytes, and copies of its inputs.  What it gives is taken over by
 * the caller when all members are at rest. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "methods/search/internal.h"
#include "ops/blas.h"
#include "ops/panel.h"
#include "ops/panel_f64.h"

enum member_state { MEMBER_STARTING, MEMBER_IDLE, MEMBER_BUSY, MEMBER_QUIT };

struct member {
	struct crew *crew;
	size_t index;
	const struct worker_spec *spec;
	struct party party;
	pthread_t thread;
	int started;
	enum member_state state;
	int rc;
	struct err err;
};

struct crew {
	struct member *members;
	size_t n, jobs, working;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct individual **cases; /* of the run that is going on */
	size_t n_cases;
	double deadline; /* 0: none */
};

/* ---- a member ---------------------------------------------------------------------------------------------------- */

static int copy_inputs(const struct trial *t, struct value **in, struct err *e)
{
	for (size_t i = 0; i < t->model->graph->inputs.n; i++) {
		struct tensor *copy;

		if (!t->inputs[i])
			continue;
		if (t->inputs[i]->kind != VALUE_TENSOR)
			return err_set(e, ERR_UNSUPPORTED, "inputs that are no tensors are not searched");
		copy = tensor_copy(t->inputs[i]->tensor, e);
		in[i] = copy ? value_tensor(copy, e) : NULL;
		if (!in[i])
			return e->code;
	}
	return 0;
}

/* A case of the member's own, which shares nothing with the caller's. */
static int own_case(const struct trial *t, struct trial *out, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	struct value **in = mem_array(n + 1, sizeof *in);
	struct model *m = NULL;
	struct buf bytes;
	int rc = in ? copy_inputs(t, in, e) : err_nomem(e, "inputs", n * sizeof *in);

	buf_init(&bytes, MODEL_MAX_FILE);
	buf_add(&bytes, t->bytes.data, t->bytes.len);
	if (!rc)
		rc = buf_check(&bytes, e);
	if (!rc)
		rc = model_parse(t->bytes.data, t->bytes.len, "", &m, e);
	if (!rc)
		return trial_init_bytes(out, m, &bytes, in, t->seed, e);
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
	buf_release(&bytes);
	return rc;
}

static int run_case(struct member *me, struct individual *x, struct err *e)
{
	static const struct judge_options only_run = {.no_truth = 1};
	struct outcome *o = &x->outcomes[me->index];
	struct trial t = {0};
	int rc = own_case(&x->trial, &t, e);

	if (!rc)
		rc = trial_judge(&t, &me->party, &only_run, o, e);
	trial_release(&t);
	if (rc != ERR_UNSUPPORTED && rc != ERR_LIMIT && rc != ERR_INPUT)
		return rc;
	err_clear(e); /* assay cannot run this one there */
	outcome_release(o);
	o->verdict = VERDICT_UNSUPPORTED;
	o->report.result = WORKER_UNSUPPORTED;
	return 0;
}

static void work(struct member *me)
{
	struct crew *c = me->crew;

	pthread_mutex_lock(&c->lock);
	while (c->working >= c->jobs)
		pthread_cond_wait(&c->changed, &c->lock);
	c->working++;
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n_cases && !me->rc && !(c->deadline > 0 && clock_now() >= c->deadline); i++)
		me->rc = run_case(me, c->cases[i], &me->err);
	pthread_mutex_lock(&c->lock);
	c->working--;
	me->state = MEMBER_IDLE;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void *member_main(void *arg)
{
	struct member *me = arg;
	struct crew *c = me->crew;
	int quit = 0;

	me->rc = party_open_spec(&me->party, me->spec, NULL, &me->err);
	pthread_mutex_lock(&c->lock);
	me->state = MEMBER_IDLE;
	pthread_cond_broadcast(&c->changed);
	while (!quit) {
		while (me->state == MEMBER_IDLE)
			pthread_cond_wait(&c->changed, &c->lock);
		quit = me->state == MEMBER_QUIT;
		pthread_mutex_unlock(&c->lock);
		if (!quit)
			work(me);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	party_close(&me->party);
	return NULL;
}

/* ---- the crew ---------------------------------------------------------------------------------------------------- */

/* Waits until all are at rest; the first failure in the order of backends. */
static int settle(struct crew *c, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->n; i++)
		while (c->members[i].started && c->members[i].state != MEMBER_IDLE)
			pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n && !rc; i++)
		if (c->members[i].rc) {
			rc = c->members[i].rc;
			*e = c->members[i].err;
		}
	return rc;
}

static void order(struct crew *c, enum member_state state)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->n; i++)
		c->members[i].state = state;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static int start(struct crew *c, size_t i, const struct worker_spec *spec, struct err *e)
{
	struct member *m = &c->members[i];

	*m = (struct member){.crew = c, .index = i, .spec = spec};
	if (pthread_create(&m->thread, NULL, member_main, m))
		return err_set(e, ERR_INTERNAL, "cannot start a thread");
	m->started = 1;
	return 0;
}

int crew_open(const struct spec_list *specs, size_t jobs, struct crew **out, struct err *e)
{
	struct crew *c = mem_zalloc(sizeof *c);
	int rc = 0, settled;

	if (c)
		c->members = mem_array(specs->n + 1, sizeof *c->members);
	if (!c || !c->members) {
		mem_free(c);
		return err_nomem(e, "backends", 0);
	}
	/* Routines that test themselves on first use do so now, before there are threads. */
	blas_trusted();
	panel_usable();
	panel_f64_usable();
	c->jobs = jobs ? jobs : specs->n;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	for (; c->n < specs->n && !rc; c->n++)
		rc = start(c, c->n, &specs->at[c->n], e);
	settled = settle(c, rc ? &(struct err){0} : e);
	rc = rc ? rc : settled;
	if (rc)
		crew_close(c);
	else
		*out = c;
	return rc;
}

void crew_close(struct crew *c)
{
	if (!c)
		return;
	order(c, MEMBER_QUIT);
	for (size_t i = 0; i < c->n; i++)
		if (c->members[i].started)
			pthread_join(c->members[i].thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	mem_free(c->members);
	mem_free(c);
}

size_t crew_size(const struct crew *c)
{
	return c->n;
}

struct party *crew_party(struct crew *c, size_t i)
{
	return &c->members[i].party;
}

int crew_run(struct crew *c, struct individual **cases, size_t n, double deadline, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		cases[i]->outcomes = mem_array(c->n + 1, sizeof *cases[i]->outcomes);
		if (!cases[i]->outcomes)
			return err_nomem(e, "outcomes", c->n * sizeof *cases[i]->outcomes);
		cases[i]->n_outcomes = c->n;
	}
	c->cases = cases;
	c->n_cases = n;
	c->deadline = deadline;
	order(c, MEMBER_BUSY);
	return settle(c, e);
}
