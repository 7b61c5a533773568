/* crew.c - see crew.h.
 *
 * One lock and one condition for all: jobs are long, taking one is short. */
#include "base/crew.h"

#include <pthread.h>
#include <stdint.h>

#include "base/mem.h"

#define NO_JOB SIZE_MAX

struct member {
	struct crew *crew;
	size_t index, job; /* being done, or NO_JOB */
	pthread_t thread;
};

struct crew {
	struct crew_work work;
	struct member *members;
	size_t n;    /* members that were started */
	size_t open; /* of them: open() has returned */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t given, next, taken; /* jobs below are given, begun, taken back */
	int held, quits;
	int rc; /* of the lowest job that failed, or of the first open() that did */
	size_t failed;
	struct err err;
};

/* ---- a member; the lock is held, except around the caller's functions -------------------------------------------- */

static void note_failure(struct crew *c, size_t number, int rc, const struct err *e)
{
	if (!rc || (c->rc && c->failed < number))
		return;
	c->rc = rc;
	c->failed = number;
	c->err = *e;
}

/* The next job; NO_JOB: none for now. */
static size_t next_job(struct crew *c)
{
	while (!c->held && !c->rc && c->next < c->given) {
		size_t job = c->next++;

		if (!c->work.begin || c->work.begin(c->work.arg, job))
			return job;
		pthread_cond_broadcast(&c->changed); /* it may have been the last */
	}
	return NO_JOB;
}

static void do_job(struct crew *c, struct member *m)
{
	struct err e = ERR_INIT;
	int rc;

	pthread_mutex_unlock(&c->lock);
	rc = c->work.run(c->work.arg, m->index, m->job, &e);
	pthread_mutex_lock(&c->lock);
	if (!rc && c->work.end)
		rc = c->work.end(c->work.arg, m->job, &e);
	note_failure(c, m->job, rc, &e);
	m->job = NO_JOB;
	pthread_cond_broadcast(&c->changed);
}

static void open_member(struct crew *c, struct member *m)
{
	struct err e = ERR_INIT;
	int rc = 0;

	if (c->work.open)
		rc = c->work.open(c->work.arg, m->index, &e);
	pthread_mutex_lock(&c->lock);
	note_failure(c, m->index, rc, &e);
	c->open++;
	pthread_cond_broadcast(&c->changed);
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct crew *c = m->crew;

	open_member(c, m);
	while (!c->quits) {
		m->job = next_job(c);
		if (m->job != NO_JOB)
			do_job(c, m);
		else
			pthread_cond_wait(&c->changed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	if (c->work.close)
		c->work.close(c->work.arg, m->index);
	return NULL;
}

/* ---- the crew ---------------------------------------------------------------------------------------------------- */

static int is_busy(const struct crew *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->members[i].job != NO_JOB)
			return 1;
	return 0;
}

static int is_being_done(const struct crew *c, size_t job)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->members[i].job == job)
			return 1;
	return 0;
}

static int start_members(struct crew *c, size_t threads, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&c->lock);
	for (; c->n < threads && !rc; c->n += !rc) {
		struct member *m = &c->members[c->n];

		*m = (struct member){.crew = c, .index = c->n, .job = NO_JOB};
		if (pthread_create(&m->thread, NULL, member_main, m))
			rc = err_set(e, ERR_INTERNAL, "cannot start a thread");
	}
	while (c->open < c->n)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

int crew_open(const struct crew_work *work, size_t threads, struct crew **out, struct err *e)
{
	struct crew *c = mem_zalloc(sizeof *c);
	int rc;

	if (c)
		c->members = mem_array(threads + 1, sizeof *c->members);
	if (!c || !c->members) {
		mem_free(c);
		return err_nomem(e, "threads", threads * sizeof *c->members);
	}
	c->work = *work;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	if (!threads && work->open)
		note_failure(c, 0, work->open(work->arg, 0, &c->err), &c->err);
	rc = start_members(c, threads, e);
	if (!rc && c->rc) {
		rc = c->rc;
		*e = c->err;
	}
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
	pthread_mutex_lock(&c->lock);
	c->quits = 1;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < c->n; i++)
		pthread_join(c->members[i].thread, NULL);
	if (!c->n && c->work.close)
		c->work.close(c->work.arg, 0);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	mem_free(c->members);
	mem_free(c);
}

int crew_run(struct crew *c, size_t n, struct err *e)
{
	struct member caller = {.crew = c};
	int rc;

	pthread_mutex_lock(&c->lock);
	c->next = c->rc = 0;
	c->given = c->taken = n;
	pthread_cond_broadcast(&c->changed);
	while (!c->n && (caller.job = next_job(c)) != NO_JOB)
		do_job(c, &caller);
	while (is_busy(c) || (c->next < c->given && !c->rc))
		pthread_cond_wait(&c->changed, &c->lock);
	rc = c->rc;
	if (rc)
		*e = c->err;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* ---- one by one -------------------------------------------------------------------------------------------------- */

void crew_give(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->given++;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

int crew_take(struct crew *c, struct err *e)
{
	size_t job;
	int rc;

	pthread_mutex_lock(&c->lock);
	job = c->taken++;
	while (is_being_done(c, job) || (job >= c->next && !c->rc))
		pthread_cond_wait(&c->changed, &c->lock);
	rc = c->rc && c->failed <= job ? c->rc : 0;
	if (rc)
		*e = c->err;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

void crew_hold(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->held = 1;
	while (is_busy(c))
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void crew_release(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->held = 0;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}
