/* runner.c - see runner.h. */
#include "methods/fuzz/runner.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "judge/session.h"

enum runner_state { RUNNER_IDLE, RUNNER_BUSY, RUNNER_DONE, RUNNER_QUIT };

struct runner {
	struct party *parties;
	struct outcome *outcomes;
	size_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int threaded; /* the thread, lock and condition are there */
	enum runner_state state;
	struct trial *trial;
	int rc;
	struct err err;
};

static int run_all(struct runner *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++)
		rc = party_run(&r->parties[i], r->trial, &r->outcomes[i], e);
	return rc;
}

static void *runner_main(void *arg)
{
	struct runner *r = arg;

	pthread_mutex_lock(&r->lock);
	while (r->state != RUNNER_QUIT) {
		if (r->state == RUNNER_BUSY) {
			pthread_mutex_unlock(&r->lock);
			err_clear(&r->err);
			r->rc = run_all(r, &r->err);
			pthread_mutex_lock(&r->lock);
			if (r->state == RUNNER_BUSY)
				r->state = RUNNER_DONE;
			pthread_cond_signal(&r->changed);
		} else {
			pthread_cond_wait(&r->changed, &r->lock);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void set_state(struct runner *r, enum runner_state s)
{
	pthread_mutex_lock(&r->lock);
	r->state = s;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void runner_start(struct runner *r, struct trial *t)
{
	memset(r->outcomes, 0, r->n * sizeof *r->outcomes);
	r->trial = t;
	set_state(r, RUNNER_BUSY);
}

int runner_wait(struct runner *r, struct outcome **out, struct err *e)
{
	pthread_mutex_lock(&r->lock);
	while (r->state == RUNNER_BUSY)
		pthread_cond_wait(&r->changed, &r->lock);
	r->state = RUNNER_IDLE;
	pthread_mutex_unlock(&r->lock);
	if (r->rc) {
		*e = r->err;
		for (size_t i = 0; i < r->n; i++)
			outcome_release(&r->outcomes[i]);
	}
	*out = r->outcomes;
	return r->rc;
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
	r->outcomes = mem_array(n + 1, sizeof *r->outcomes);
	if (!r->parties || !r->outcomes)
		rc = err_nomem(e, "backends", n);
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
		struct outcome *ignored;
		struct err e = ERR_INIT;

		if (r->state != RUNNER_IDLE && !runner_wait(r, &ignored, &e))
			for (size_t i = 0; i < r->n; i++)
				outcome_release(&r->outcomes[i]);
		set_state(r, RUNNER_QUIT);
		pthread_join(r->thread, NULL);
		pthread_mutex_destroy(&r->lock);
		pthread_cond_destroy(&r->changed);
	}
	for (size_t i = 0; i < r->n; i++)
		party_close(&r->parties[i]);
	mem_free(r->parties);
	mem_free(r->outcomes);
	mem_free(r);
}
