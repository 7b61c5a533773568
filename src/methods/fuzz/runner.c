/* runner.c - see runner.h.  A ring of slots: the thread runs the given ones in turn, the caller takes them in turn.
 * What the thread does at once is a batch: one case, or as many as are given together. */
#include "methods/fuzz/runner.h"

#include <string.h>

#include "base/crew.h"
#include "base/mem.h"
#include "judge/batch.h"
#include "judge/session.h"
#include "libraries/libraries.h"

#define N_SLOTS \
	(RUNNER_DEPTH + 1) /* one more than can be with the runner, for outcomes that the caller still looks at */

struct slot {
	struct trial *trial;
	struct outcome *outcomes; /* by party */
	unsigned char *joined;    /* by party: it was run together with others */
};

struct batch {
	size_t first, n; /* cases */
};

struct runner {
	struct party *parties;
	unsigned char *joins; /* by party: it is given several cases as one model */
	size_t n, batch;      /* cases of a batch */
	struct crew *crew;    /* of one thread */
	size_t given, sent, arrived, taken;
	size_t batches_sent, batches_arrived;
	struct slot slots[N_SLOTS];    /* case k is in slot k % N_SLOTS */
	struct batch batches[N_SLOTS]; /* batch j is in place j % N_SLOTS */
};

static struct slot *slot_of(struct runner *r, size_t k)
{
	return &r->slots[k % N_SLOTS];
}

/* Runs case k on party i, with all that come after it in the batch and fit; done[]: by case of the batch. */
static int run_fitting(struct runner *r, size_t i, const struct batch *b, size_t k, unsigned char *done, struct err *e)
{
	struct trial *cases[RUNNER_DEPTH] = {NULL};
	struct outcome *outcomes[RUNNER_DEPTH] = {NULL};
	unsigned char joined[RUNNER_DEPTH] = {0};
	size_t at[RUNNER_DEPTH] = {0}, n = 0;
	int rc;

	for (size_t j = k; j < b->n && (!n || r->joins[i]); j++) {
		struct slot *s = slot_of(r, b->first + j);

		if (done[j] || (n && !batch_fits(cases[0], s->trial)))
			continue;
		done[j] = 1;
		at[n] = b->first + j;
		cases[n] = s->trial;
		outcomes[n++] = &s->outcomes[i];
	}
	rc = batch_run(&r->parties[i], cases, n, outcomes, joined, e);
	for (size_t j = 0; j < n; j++)
		slot_of(r, at[j])->joined[i] = joined[j];
	return rc;
}

static int run_batch(void *arg, size_t thread, size_t job, struct err *e)
{
	struct runner *r = arg;
	const struct batch *b = &r->batches[job % N_SLOTS];
	int rc = 0;

	(void)thread;
	for (size_t i = 0; i < r->n && !rc; i++) {
		unsigned char done[RUNNER_DEPTH] = {0};

		for (size_t k = 0; k < b->n && !rc; k++)
			if (!done[k])
				rc = run_fitting(r, i, b, k, done, e);
	}
	return rc;
}

size_t runner_depth(const struct runner *r)
{
	return 2 * r->batch;
}

size_t runner_count(const struct runner *r)
{
	return r->given - r->taken;
}

size_t runner_unsent(const struct runner *r)
{
	return r->given - r->sent;
}

/* The cases that were given since the last batch are one. */
static void send(struct runner *r)
{
	r->batches[r->batches_sent++ % N_SLOTS] = (struct batch){r->sent, r->given - r->sent};
	r->sent = r->given;
	crew_give(r->crew);
}

void runner_give(struct runner *r, struct trial *t)
{
	struct slot *s = slot_of(r, r->given++);

	memset(s->outcomes, 0, r->n * sizeof *s->outcomes);
	memset(s->joined, 0, r->n);
	s->trial = t;
	if (r->given - r->sent == r->batch)
		send(r);
}

int runner_take(struct runner *r, struct outcome **out, struct err *e)
{
	size_t k = r->taken++;

	*out = slot_of(r, k)->outcomes;
	if (k == r->sent)
		send(r);
	if (k < r->arrived)
		return 0;
	r->arrived += r->batches[r->batches_arrived++ % N_SLOTS].n;
	return crew_take(r->crew, e);
}

int runner_joined(const struct runner *r, size_t i)
{
	return r->slots[(r->taken - 1) % N_SLOTS].joined[i];
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

/* Whether a library is known to compile long whatever it is given. */
static int compiles_long(const struct worker_spec *s)
{
	const struct library *l = s->backend ? library_find(s->backend) : NULL;

	return l && l->blocks > 0;
}

static int make_room(struct runner *r, size_t n, struct err *e)
{
	int ok;

	r->parties = mem_array(n + 1, sizeof *r->parties);
	r->joins = mem_array(n + 1, 1);
	ok = r->parties && r->joins;
	for (int i = 0; i < N_SLOTS && ok; i++) {
		r->slots[i].outcomes = mem_array(n + 1, sizeof *r->slots[i].outcomes);
		r->slots[i].joined = mem_array(n + 1, 1);
		ok = r->slots[i].outcomes && r->slots[i].joined;
	}
	return ok ? 0 : err_nomem(e, "backends", n);
}

/* Workers are opened by the thread that lives longest: they end with the one that started them. */
int runner_new(const struct worker_spec *specs, size_t n, int joins, struct runner **out, struct err *e)
{
	struct runner *r = mem_zalloc(sizeof *r);
	struct crew_work work = {.arg = r, .run = run_batch};
	int rc = r ? make_room(r, n, e) : err_nomem(e, "backends", sizeof *r);

	if (!r)
		return rc;
	r->batch = 1;
	for (size_t i = 0; i < n && !rc && joins; i++)
		if ((r->joins[i] = (unsigned char)compiles_long(&specs[i])))
			r->batch = RUNNER_BATCH;
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
		mem_free(r->slots[k].joined);
	}
	for (size_t i = 0; i < r->n; i++)
		party_close(&r->parties[i]);
	mem_free(r->parties);
	mem_free(r->joins);
	mem_free(r);
}
