/* run_all.c - cases side by side (declared in conform.h).
 *
 * Tensors belong to one thread, and so does the worker that it opens.  What a case gives does not depend on who ran it,
 * so the list is the same for any number of threads. */
#include "base/clock.h"
#include "base/crew.h"
#include "base/log.h"
#include "judge/trial.h"
#include "methods/conform/conform.h"

struct shared {
	const struct conform_crew *crew;
	struct conform_list *cases;
	struct party parties[CONFORM_MAX_JOBS]; /* by thread */
};

static int open_party(void *arg, size_t thread, struct err *e)
{
	struct shared *s = arg;

	return party_open_spec(&s->parties[thread], s->crew->spec, NULL, e);
}

static void close_party(void *arg, size_t thread)
{
	struct shared *s = arg;

	party_close(&s->parties[thread]);
}

static int begin_case(void *arg, size_t i)
{
	struct shared *s = arg;

	s->crew->step(s->crew->arg, i, s->cases->at[i].name);
	return 1;
}

static int run_case(void *arg, size_t thread, size_t i, struct err *e)
{
	struct shared *s = arg;
	struct conform_case *c = &s->cases->at[i];
	double start = clock_now();

	(void)e;
	conform_run(c, &s->parties[thread], s->crew->rtol, s->crew->atol);
	log_print(LOG_DEBUG, "%s: %s, %.3f s", c->path, conform_status_name(c->status), clock_now() - start);
	return 0;
}

int conform_run_all(struct conform_list *cases, const struct conform_crew *crew, struct err *e)
{
	struct shared s = {.crew = crew, .cases = cases};
	struct crew_work work = {
		.arg = &s, .open = open_party, .close = close_party, .begin = begin_case, .run = run_case};
	size_t threads = crew->jobs < cases->n ? crew->jobs : cases->n;
	struct crew *c;
	int rc = crew_open(&work, threads > 1 ? threads : 0, &c, e);

	if (rc)
		return rc;
	rc = crew_run(c, cases->n, e);
	crew_close(c);
	return rc;
}
