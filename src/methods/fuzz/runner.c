/* runner.c - see runner.h.  A ring of slots: the thread runs the given ones in turn, the caller takes them in turn. */
#include "methods/fuzz/runner.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "judge/session.h"

struct slot {
	struct trial *trial;
	struct outcome *outcomes; /* by party */
	int rc;
	struct err err;
};

struct runner {
	struct party *parties;
	size_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int threaded; /* the thread, lock and condition are there */
	/* Ever growing; case k is in slot k % (RUNNER_DEPTH + 1): one more than can be with the runner, for the
	 * outcomes that the caller still looks at. */
	size_t given, run, taken;
	struct slot slots[RUNNER_DEPTH + 1];
	int busy, held, quits;
};

static struct slot *slot_of(struct runner *r, size_t k)
{
	return &r->slots[k % (RUNNER_DEPTH + 1)];
}

static void run_slot(struct runner *r, struct slot *s)
{
	err_clear(&s->err);
	s->rc = 0;
	for (size_t i = 0; i < r->n && !s->rc; i++)
		s->rc = party_run(&r->parties[i], s->trial, &s->outcomes[i], &s->err);
}

static void *runner_main(void *arg)
{
	struct runner *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->quits) {
		if (r->held || r->run == r->given) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		r->busy = 1;
		pthread_mutex_unlock(&r->lock);
		run_slot(r, slot_of(r, r->run));
		pthread_mutex_lock(&r->lock);
		r->busy = 0;
		r->run++;
		pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

size_t runner_count(const struct runner *r)
{
	return r->given - r->taken; /* the caller's own numbers */
}

void runner_give(struct runner *r, struct trial *t)
{
	struct slot *s = slot_of(r, r->given);

	memset(s->outcomes, 0, r->n * sizeof *s->outcomes);
	s->trial = t;
	pthread_mutex_lock(&r->lock);
	r->given++;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

int runner_take(struct runner *r, struct outcome **out, struct err *e)
{
	struct slot *s = slot_of(r, r->taken);

	pthread_mutex_lock(&r->lock);
	while (r->run == r->taken)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	r->taken++;
	if (s->rc) {
		*e = s->err;
		for (size_t i = 0; i < r->n; i++)
			outcome_release(&s->outcomes[i]);
	}
	*out = s->outcomes;
	return s->rc;
}

void runner_hold(struct runner *r)
{
	pthread_mutex_lock(&r->lock);
	r->held = 1;
	while (r->busy)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

static void set_flag(struct runner *r, int *flag, int value)
{
	pthread_mutex_lock(&r->lock);
	*flag = value;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void runner_release(struct runner *r)
{
	set_flag(r, &r->held, 0);
}

struct party *runner_party(struct runner *r, size_t i)
{
	return &r->parties[i];
}

static int start_thread(struct runner *r, struct err *e)
{
	if (pthread_mutex_init(&r->lock, NULL) || pthread_cond_init(&r->changed, NULL) ||
	    pthread_create(&r->thread, NULL, runner_main, r))
		return err_set(e, ERR_IO, "cannot start a thread");
	r->threaded = 1;
	return 0;
}

/* Workers are opened by the thread that lives longest: they end with the one that started them. */
int runner_new(const struct worker_spec *specs, size_t n, struct runner **out, struct err *e)
{
	struct runner *r = mem_zalloc(sizeof *r);
	int rc = r ? 0 : err_nomem(e, "backends", sizeof *r);

	if (rc)
		return rc;
	r->parties = mem_array(n + 1, sizeof *r->parties);
	rc = r->parties ? 0 : err_nomem(e, "backends", n);
	for (int i = 0; i <= RUNNER_DEPTH && !rc; i++) {
		r->slots[i].outcomes = mem_array(n + 1, sizeof *r->slots[i].outcomes);
		rc = r->slots[i].outcomes ? 0 : err_nomem(e, "backends", n);
	}
	for (; r->n < n && !rc; r->n += !rc)
		rc = party_open_spec(&r->parties[r->n], &specs[r->n], NULL, e);
	if (!rc)
		rc = start_thread(r, e);
	if (rc)
		runner_free(r);
	else
		*out = r;
	return rc;
}

void runner_free(struct runner *r)
{
	if (!r)
		return;
	if (r->threaded) {
		runner_hold(r);
		set_flag(r, &r->quits, 1);
		pthread_join(r->thread, NULL);
		pthread_mutex_destroy(&r->lock);
		pthread_cond_destroy(&r->changed);
	}
	for (; r->taken < r->run; r->taken++)
		for (size_t i = 0; i < r->n; i++)
			outcome_release(&slot_of(r, r->taken)->outcomes[i]);
	for (size_t i = 0; i < r->n; i++)
		party_close(&r->parties[i]);
	for (int i = 0; i <= RUNNER_DEPTH; i++)
		mem_free(r->slots[i].outcomes);
	mem_free(r->parties);
	mem_free(r);
}
