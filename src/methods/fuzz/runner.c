/* runner.c - see runner.h.  A ring of slots: the thread runs the given ones in turn, the caller takes them in turn. */
#include "methods/fuzz/runner.h"

#include <string.h>

#include "base/crew.h"
#include "base/mem.h"
#include "judge/session.h"

#define N_SLOTS \
	(RUNNER_DEPTH + 1) /* one more than can be with the runner, for outcomes that the caller still looks at */

struct slot {
	struct trial *trial;
	struct outcome *outcomes; /* by party */
};

struct runner {
	struct party *parties;
	size_t n;
	struct crew *crew; /* of one thread */
	size_t given, taken;
	struct slot slots[N_SLOTS]; /* case k is in slot k % N_SLOTS */
};

static int run_slot(void *arg, size_t thread, size_t k, struct err *e)
{
	struct runner *r = arg;
	struct slot *s = &r->slots[k % N_SLOTS];
	int rc = 0;

	(void)thread;
	for (size_t i = 0; i < r->n && !rc; i++)
		rc = party_run(&r->parties[i], s->trial, &s->outcomes[i], e);
	return rc;
}

size_t runner_count(const struct runner *r)
{
	return r->given - r->taken;
}

void runner_give(struct runner *r, struct trial *t)
{
	struct slot *s = &r->slots[r->given++ % N_SLOTS];

	memset(s->outcomes, 0, r->n * sizeof *s->outcomes);
	s->trial = t;
	crew_give(r->crew);
}

int runner_take(struct runner *r, struct outcome **out, struct err *e)
{
	*out = r->slots[r->taken++ % N_SLOTS].outcomes;
	return crew_take(r->crew, e);
}

void runner_hold(struct runner *r)
{
	crew_hold(r->crew);
}

void runner_release(struct runner *r)
{
	crew_release(r->crew);
}

struct party *runner_party(struct runner *r, size_t i)
{
	return &r->parties[i];
}

/* Workers are opened by the thread that lives longest: they end with the one that started them. */
int runner_new(const struct worker_spec *specs, size_t n, struct runner **out, struct err *e)
{
	struct runner *r = mem_zalloc(sizeof *r);
	struct crew_work work = {.arg = r, .run = run_slot};
	int rc = r ? 0 : err_nomem(e, "backends", sizeof *r);

	if (rc)
		return rc;
	r->parties = mem_array(n + 1, sizeof *r->parties);
	rc = r->parties ? 0 : err_nomem(e, "backends", n);
	for (int i = 0; i < N_SLOTS && !rc; i++) {
		r->slots[i].outcomes = mem_array(n + 1, sizeof *r->slots[i].outcomes);
		rc = r->slots[i].outcomes ? 0 : err_nomem(e, "backends", n);
	}
	for (; r->n < n && !rc; r->n += !rc)
		rc = party_open_spec(&r->parties[r->n], &specs[r->n], NULL, e);
	if (!rc)
		rc = crew_open(&work, 1, &r->crew, e);
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
	crew_close(r->crew);
	for (int k = 0; k < N_SLOTS; k++) {
		for (size_t i = 0; r->slots[k].outcomes && i < r->n; i++)
			outcome_release(&r->slots[k].outcomes[i]);
		mem_free(r->slots[k].outcomes);
	}
	for (size_t i = 0; i < r->n; i++)
		party_close(&r->parties[i]);
	mem_free(r->parties);
	mem_free(r);
}
