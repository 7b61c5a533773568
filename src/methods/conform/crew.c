/* crew.c - cases side by side (declared in conform.h).
 *
 * A worker is killed when the thread that started it ends, and tensors belong to one thread: each thread opens a worker
 * and takes the next case until there is none.  What a case gives does not depend on who ran it, so the list is the
 * same for any number of threads. */
#include <pthread.h>

#include "base/clock.h"
#include "base/log.h"
#include "judge/trial.h"
#include "methods/conform/conform.h"
#include "ops/engine/blas.h"
#include "ops/engine/panel.h"
#include "ops/engine/panel_f64.h"

struct shared {
	const struct conform_crew *crew;
	struct conform_list *cases;
	pthread_mutex_t lock;
	size_t next; /* case to be taken */
	int rc;      /* of the first thread that failed */
	struct err err;
};

/* The next case, or NULL. */
static struct conform_case *take(struct shared *s)
{
	struct conform_case *c = NULL;

	pthread_mutex_lock(&s->lock);
	if (!s->rc && s->next < s->cases->n) {
		c = &s->cases->at[s->next];
		s->crew->step(s->crew->arg, s->next++, c->name);
	}
	pthread_mutex_unlock(&s->lock);
	return c;
}

static void fail(struct shared *s, const struct err *e)
{
	pthread_mutex_lock(&s->lock);
	if (!s->rc) {
		s->rc = e->code;
		s->err = *e;
	}
	pthread_mutex_unlock(&s->lock);
}

static void *run_some(void *arg)
{
	struct shared *s = arg;
	struct party party = {0};
	struct err e = ERR_INIT;

	if (party_open_spec(&party, s->crew->spec, NULL, &e)) {
		fail(s, &e);
		return NULL;
	}
	for (struct conform_case *c; (c = take(s));) {
		double start = clock_now();

		conform_run(c, &party, s->crew->rtol, s->crew->atol);
		log_print(LOG_DEBUG, "%s: %s, %.3f s", c->path, conform_status_name(c->status), clock_now() - start);
	}
	party_close(&party);
	return NULL;
}

int conform_run_all(struct conform_list *cases, const struct conform_crew *crew, struct err *e)
{
	struct shared s = {.crew = crew, .cases = cases, .lock = PTHREAD_MUTEX_INITIALIZER, .err = ERR_INIT};
	pthread_t threads[CONFORM_MAX_JOBS];
	size_t wanted = crew->jobs < cases->n ? crew->jobs : cases->n, n = 0;

	/* Found out once, before there are threads. */
	blas_trusted();
	panel_usable();
	panel_f64_usable();
	while (n + 1 < wanted && !pthread_create(&threads[n], NULL, run_some, &s))
		n++;
	run_some(&s);
	while (n > 0)
		pthread_join(threads[--n], NULL);
	if (s.rc)
		*e = s.err;
	return s.rc;
}
