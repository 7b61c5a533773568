/* crew.c - a population on all backends at once: one thread and one worker for each backend.
 *
 * A worker is killed when the thread that started it ends, so threads live as long as the crew.  Tensors belong to one
 * thread: a member copies a case's inputs; of its model a library sees the bytes alone, which only the reference must
 * make a model of its own of.  Cases of one model (input level) are run in one session, which is loaded anew with each
 * population.  What a member gives is taken over by the caller when all members are at rest. */
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "judge/session.h"
#include "methods/search/internal.h"
#include "ops/engine/blas.h"
#include "ops/engine/panel.h"
#include "ops/engine/panel_f64.h"
#include "ops/op.h"

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
	int one_model; /* all of them have the same */
	const struct search_options *options;
};

/* What a member has loaded while a run goes on. */
struct loaded {
	uint64_t session;
	int is_open;
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

/* The caller's case with inputs of the member's own; only those are to be released. */
static int borrow_case(const struct trial *t, struct trial *out, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	int rc;

	*out = (struct trial){.model = t->model, .bytes = t->bytes, .seed = t->seed};
	out->inputs = mem_array(n + 1, sizeof *out->inputs);
	rc = out->inputs ? copy_inputs(t, out->inputs, e) : err_nomem(e, "inputs", n * sizeof *out->inputs);
	return rc;
}

static void return_case(struct trial *t)
{
	for (size_t i = 0; t->inputs && i < t->model->graph->inputs.n; i++)
		value_unref(t->inputs[i]);
	mem_free(t->inputs);
}

static void unload(struct member *me, struct loaded *l)
{
	if (l->is_open)
		session_unload(&me->party, l->session);
	l->is_open = 0;
}

/* On a library. */
static int run_worker(struct member *me, struct trial *t, struct loaded *l, struct outcome *o, struct err *e)
{
	int rc = 0;

	if (!l->is_open) {
		session_load(&me->party, t, &l->session, o);
		l->is_open = o->report.result == WORKER_OK;
	}
	if (l->is_open) {
		rc = session_run(&me->party, t, l->session, o, e);
		l->is_open = session_survives(o);
	}
	if (!me->crew->one_model)
		unload(me, l);
	return rc;
}

/* On the reference, in this process: it binds and opens the model. */
static int run_reference(struct member *me, struct trial *t, struct outcome *o, struct err *e)
{
	struct model *m = NULL;
	int rc = model_parse(t->bytes.data, t->bytes.len, "", &m, e);
	struct trial own = {.model = m, .bytes = t->bytes, .inputs = t->inputs, .seed = t->seed};
	struct err ignored = ERR_INIT;

	if (rc)
		return rc;
	ops_bind(m, &ignored); /* as trial_init() does: what breaks the rules is refused when it is run */
	rc = session_run(&me->party, &own, 0, o, e);
	own.inputs = NULL;
	buf_init(&own.bytes, 0);
	trial_release(&own);
	return rc;
}

/* A library that ran what is not valid may have written anywhere: the next case is not to suffer for it. */
static int replace_worker(struct member *me, struct loaded *l, struct err *e)
{
	l->is_open = 0;
	party_close(&me->party);
	return party_open_spec(&me->party, me->spec, NULL, e);
}

static int run_case(struct member *me, struct individual *x, struct loaded *l, struct err *e)
{
	static const struct judge_options only_run = {.no_truth = 1};
	struct outcome *o = &x->outcomes[me->index];
	struct trial t;
	int rc = borrow_case(&x->trial, &t, e);

	if (!rc && me->party.worker)
		rc = run_worker(me, &t, l, o, e);
	else if (!rc)
		rc = run_reference(me, &t, o, e);
	if (!rc)
		rc = trial_judge_values(&t, &me->party, &only_run, o, e);
	return_case(&t);
	if (!rc && x->invalid && me->party.worker && o->report.result == WORKER_OK)
		return replace_worker(me, l, e);
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
	struct loaded loaded = {0};

	pthread_mutex_lock(&c->lock);
	while (c->working >= c->jobs)
		pthread_cond_wait(&c->changed, &c->lock);
	c->working++;
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n_cases && !me->rc && !search_is_over(c->options); i++)
		me->rc = run_case(me, c->cases[i], &loaded, &me->err);
	unload(me, &loaded);
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

int crew_run(struct crew *c, struct individual **cases, size_t n, int one_model, const struct search_options *o,
	     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		cases[i]->outcomes = mem_array(c->n + 1, sizeof *cases[i]->outcomes);
		if (!cases[i]->outcomes)
			return err_nomem(e, "outcomes", c->n * sizeof *cases[i]->outcomes);
		cases[i]->n_outcomes = c->n;
	}
	c->cases = cases;
	c->n_cases = n;
	c->one_model = one_model;
	c->options = o;
	order(c, MEMBER_BUSY);
	return settle(c, e);
}
