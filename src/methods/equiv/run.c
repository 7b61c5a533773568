/* run.c - see equiv.h: pairs, run side by side.
 *
 * Tensors belong to one thread, and so do the workers that it opens.  What a pair gives does not depend on who ran it.
 *
 * A run whose time is bounded goes over all pairs in rounds, each with more inputs: what is cheap to see is seen of all
 * operations and rules before anything is looked at more closely.  Rows of files are few, and come before the registry.
 * A call that hangs is tried again with ten times the patience: such pairs wait for the end of a later round, and
 * have a third of the time at most. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/crew.h"
#include "base/mem.h"
#include "methods/equiv/equiv.h"
#include "methods/equiv/journal.h"
#include "methods/equiv/shown.h"

/* ---- side by side ------------------------------------------------------------------------------------------------ */

static const struct {
	size_t end; /* inputs of a pair up to the end of it; 0: all */
	int rows;   /* only pairs of files */
	int hangs;  /* pairs that wait have their turn behind it: the others wait for them */
} rounds[] = {{64, 1, 0}, {4, 0, 0}, {16, 0, 0}, {64, 0, 1}, {0, 0, 1}};
#define N_ROUNDS (sizeof rounds / sizeof *rounds)
#define WAITING_SHARE 3 /* hangs are confirmed in one part in so many of the time */

/* A worker on one option set, and the other one when the next pair wants that. */
struct seat {
	const char *set; /* NULL: as the user chose */
	struct worker_spec spec;
	struct caller caller; /* of its worker; none: nobody sits here */
};

struct equiv_running {
	struct equiv *q;
	const struct equiv_options *o;
	struct journal journal;
	struct seat (*seats)[2]; /* by thread */
	size_t first, round;     /* of rounds[] */
	double start, end;       /* of time; 0: none */
	size_t threads;
	int waiting;             /* it is the turn of pairs that wait */
	double waited;           /* seconds that all of them took */
	pthread_mutex_t handing; /* one at a time hands findings on, and counts seconds */
};

void equiv_name_side(const char *backend, const char *set, char out[EQUIV_NAME])
{
	if (set && strchr(set, '@'))
		snprintf(out, EQUIV_NAME, "%s", set);
	else
		spec_name_set(backend, set, out, EQUIV_NAME);
}

static void leave_seat(struct seat *s)
{
	worker_close(s->caller.worker);
	if (s->caller.worker)
		spec_release(&s->spec);
	caller_release(&s->caller);
	*s = (struct seat){0};
}

static int take_seat(struct equiv_running *x, struct seat *s, const char *set, struct err *e)
{
	struct worker_limits limits = equiv_limits_of(x->q, x->o);
	struct worker_report report;
	char full[EQUIV_NAME];
	int rc;

	if (s->caller.worker && (s->set == set || (s->set && set && !strcmp(s->set, set))))
		return 0;
	leave_seat(s);
	equiv_name_side(x->q->spec.name, set, full);
	rc = spec_make(full, &s->spec, e);
	if (rc)
		return rc;
	rc = worker_open(&s->spec, &limits, &s->caller.worker, &report, e);
	if (rc)
		spec_release(&s->spec);
	s->set = set;
	return rc;
}

static void leave_seats(void *arg, size_t thread)
{
	struct equiv_running *x = arg;

	leave_seat(&x->seats[thread][0]);
	leave_seat(&x->seats[thread][1]);
}

static int has_time(const struct equiv_running *x)
{
	return !(x->end > 0 && clock_now() > x->end);
}

static int needs_run(const struct equiv_running *x, size_t pair)
{
	const struct equiv_result *r = &x->q->results[pair];
	size_t end = rounds[x->round].end;

	if (r->done || (rounds[x->round].rows && x->q->pairs[pair].api))
		return 0;
	return !(r->run && end && r->next >= end); /* the journal may have it */
}

/* Pairs that wait have their turn after the others, while their part of the time lasts, and what is left of all of it
 * is enough for one. */
static int has_turn(struct equiv_running *x, size_t pair)
{
	double now = clock_now(), waited;

	if (!x->waiting)
		return !x->q->results[pair].waits;
	pthread_mutex_lock(&x->handing);
	waited = x->waited;
	pthread_mutex_unlock(&x->handing);
	return x->q->results[pair].waits &&
	       now + (1 + WORKER_PATIENCE) * equiv_limits_of(x->q, x->o).run_seconds < x->end &&
	       waited * WAITING_SHARE <= (now - x->start) * (double)(x->threads ? x->threads : 1);
}

static int begin_pair(void *arg, size_t i)
{
	struct equiv_running *x = arg;

	if (!has_time(x) || !needs_run(x, i) || !has_turn(x, i))
		return 0;
	if (x->o->progress)
		x->o->progress((x->round - x->first) * x->q->n + i, (N_ROUNDS - x->first) * x->q->n,
			       x->q->pairs[i].name, x->o->progress_arg);
	x->q->busy[i] = 1;
	return 1;
}

/* "crash: died by signal 11" of "side a: crash: died by signal 11" */
static const char *end_of_process(const struct equiv_finding *f)
{
	const char *colon = strchr(f->detail, ':');

	return colon ? colon : f->detail;
}

/* An operation that ends its process in one way is one defect, whichever option set of a rule meets it: a script takes
 * seconds, and one is enough for all.  Another rule calls it otherwise. */
static int is_shown_by_another(const struct equiv *q, size_t pair)
{
	const struct equiv_finding *f = &q->results[pair].found[EQUIV_FAILURE];

	for (size_t i = 0; i < q->n; i++) {
		const struct equiv_finding *other = &q->results[i].found[EQUIV_FAILURE];

		if (other->checked && q->pairs[i].rule == q->pairs[pair].rule &&
		    !strcmp(q->pairs[i].name, q->pairs[pair].name) && !strcmp(end_of_process(other), end_of_process(f)))
			return 1;
	}
	return 0;
}

/* What its own script does not show is no finding: what a reader cannot see is not told.  A script that goes wrong
 * tells nothing of a difference, but of a process that was to die that it did not. */
static int check_script(struct equiv_running *x, size_t pair, enum equiv_kind kind, struct err *e)
{
	struct equiv_result *r = &x->q->results[pair];
	struct equiv_finding *f = &r->found[kind];
	enum shown_result shown;

	if (!x->o->python || x->o->plant || !f->script || f->checked || !verdict_is_finding(f->verdict) ||
	    kind == EQUIV_REFUSAL || /* a script tells of errors, and cannot say whether it is the same one */
	    (kind == EQUIV_FAILURE && is_shown_by_another(x->q, pair)))
		return 0;
	shown = shown_run(x->o->python, f->script, e);
	f->checked = shown == SHOWN_YES;
	if (shown == SHOWN_FAILED)
		return e->code;
	if (shown == SHOWN_YES || (shown == SHOWN_NOT_RUN && kind == EQUIV_DIFFERENCE))
		return 0;
	r->unshown++;
	equiv_finding_release(f);
	*f = (struct equiv_finding){.shown = f->shown, .handed = 1, .id = f->id, .own = f->own};
	return 0;
}

/* Hands on what is new, or better than it was. */
static int hand_on(struct equiv_running *x, size_t pair, struct err *e)
{
	struct equiv_result *r = &x->q->results[pair];
	int rc = 0;

	pthread_mutex_lock(&x->handing);
	for (int k = 0; k < EQUIV_KINDS && !rc; k++) {
		struct equiv_finding *f = &r->found[k];

		if (f->at <= 0 && verdict_is_finding(f->verdict))
			f->at = clock_now();
		rc = check_script(x, pair, (enum equiv_kind)k, e);
		if (rc || !x->o->found || !verdict_is_finding(f->verdict) || f->told)
			continue;
		rc = x->o->found(x->q, pair, f, x->o->found_arg, e);
		f->told = f->handed = 1;
	}
	pthread_mutex_unlock(&x->handing);
	return rc;
}

static void note_waited(struct equiv_running *x, double seconds)
{
	pthread_mutex_lock(&x->handing);
	x->waited += seconds;
	pthread_mutex_unlock(&x->handing);
}

static int run_pair(void *arg, size_t thread, size_t i, struct err *e)
{
	struct equiv_running *x = arg;
	struct equiv_pair *p = &x->q->pairs[i];
	struct seat *seats = x->seats[thread];
	struct equiv_options o = *x->o;
	double begin = clock_now();
	int two = p->sets[0] != p->sets[1], rc = take_seat(x, &seats[0], p->sets[0], e);
	struct eval sides[2] = {{.invoke = eval_invoke_worker}, {.invoke = eval_invoke_worker}};

	if (!rc && two)
		rc = take_seat(x, &seats[1], p->sets[1], e);
	sides[0].library = &seats[0].caller;
	sides[1].library = &seats[two].caller;
	o.hangs_wait = x->end > 0 && !x->waiting;
	while (!rc && needs_run(x, i)) {
		rc = equiv_run_pair(&x->q->registry, p, sides, &o, rounds[x->round].end, &x->q->results[i], e);
		if (!rc && equiv_has_news(&x->q->results[i]))
			rc = hand_on(x, i, e); /* a run that is killed later has it */
		if (x->q->results[i].waits)
			break;
	}
	if (x->waiting)
		note_waited(x, clock_now() - begin);
	if (rc)
		err_prefix(e, "rule %d, %s", p->rule->number, p->name);
	return rc;
}

/* By one thread at a time. */
static int end_pair(void *arg, size_t i, struct err *e)
{
	struct equiv_running *x = arg;
	int rc = hand_on(x, i, e);

	x->q->busy[i] = 0;
	return !rc && x->journal.file ? journal_add(&x->journal, x->q, i, e) : rc;
}

/* A round begins when the one before has ended: no pair is run by two at once. */
static int run_rounds(struct equiv_running *x, struct err *e)
{
	struct crew_work work = {.arg = x, .close = leave_seats, .begin = begin_pair, .run = run_pair, .end = end_pair};
	struct crew *crew;
	int rc;

	x->seats = mem_array(x->threads + 1, sizeof *x->seats);
	if (!x->seats)
		return err_nomem(e, "threads", x->threads * sizeof *x->seats);
	rc = crew_open(&work, x->threads, &crew, e);
	if (!rc) {
		for (x->round = x->first; x->round < N_ROUNDS && !rc; x->round++) {
			x->waiting = 0;
			rc = crew_run(crew, x->q->n, e);
			x->waiting = 1;
			if (!rc && x->end > 0 && rounds[x->round].hangs)
				rc = crew_run(crew, x->q->n, e);
		}
		crew_close(crew);
	}
	mem_free(x->seats);
	return rc;
}

/* What pairs have learned, in their order: the first that had any success with an operation counts. */
static void gather_plans(struct equiv *q)
{
	for (size_t i = 0; i < q->n; i++) {
		struct api *api = q->pairs[i].api;
		const struct equiv_result *r = &q->results[i];

		if (!api || api->n_plans >= r->n_plans)
			continue;
		memcpy(api->plans, r->plans, sizeof api->plans);
		api->n_plans = r->n_plans;
	}
}

int equiv_run(struct equiv *q, const struct equiv_options *o, struct err *e)
{
	struct equiv_running x = {
		.q = q,
		.o = o,
		.first = o->seconds > 0 ? 0 : N_ROUNDS - 1,
		.start = clock_now(),
		.threads = o->jobs > 1 ? o->jobs : 0,
		.handing = PTHREAD_MUTEX_INITIALIZER,
	};
	int rc = o->journal ? journal_open(&x.journal, o->journal, q, o, e) : 0;

	if (rc)
		return rc;
	for (size_t i = 0; i < q->n && !rc; i++) /* what a run before wrote down */
		rc = hand_on(&x, i, e);
	x.end = o->seconds > 0 ? x.start + o->seconds : 0;
	if (!rc)
		rc = run_rounds(&x, e);
	memset(q->busy, 0, q->n);
	journal_close(&x.journal);
	q->seconds = clock_now() - x.start;
	gather_plans(q);
	return rc;
}
