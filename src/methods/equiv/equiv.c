/* equiv.c - see equiv.h: making the pairs, and running them side by side.
 *
 * Tensors belong to one thread, and so do the workers that it opens.  What a pair gives does not depend on who ran it.
 *
 * A run whose time is bounded goes over all pairs in rounds, each with more inputs: what is cheap to see is seen of all
 * operations and rules before anything is looked at more closely. */
#include "methods/equiv/equiv.h"
#include "base/near.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crew.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "judge/explain.h"
#include "methods/equiv/form.h"
#include "methods/equiv/journal.h"
#include "methods/equiv/shown.h"

#define CALL_MEMORY ((size_t)2 << 30) /* more than a library itself takes, less than a huge result */
#define CALL_SECONDS 5.0              /* a call on tensors this small that takes longer, twice, hangs */

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

struct equiv_gathering {
	struct equiv *q;
	const struct equiv_options *o;
	VEC(struct equiv_pair) pairs;
	uint64_t seen; /* pairs of all parts of a split run */
	struct err *err;
};

/* A word of a list with commas between; either may be NULL. */
static int is_among(const char *list, const char *word)
{
	size_t n;

	for (; list && *list && word; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (strlen(word) == n && !strncmp(list, word, n))
			return 1;
	}
	return 0;
}

static int gather(const struct equiv_pair *p, void *arg)
{
	struct equiv_gathering *g = arg;

	if (g->o->api && fnmatch(g->o->api, p->name, 0))
		return 0;
	if (g->o->share > 0 && (double)(hash_text(p->name) % 10000) >= 100 * g->o->share)
		return 0;
	if (is_among(g->o->without, p->sets[0]) || is_among(g->o->without, p->sets[1]))
		return 0;
	if (!split_has(&g->o->split, g->seen++))
		return 0;
	return vec_push(&g->pairs, *p) ? err_nomem(g->err, "pairs", 0) : 0;
}

/* Operations that a rule is not true of, with reasons: data/equiv/<rule>-not.tsv. */
struct exemptions {
	const struct registry *r;
	char *marks; /* by operation */
};

static void exempt(char **fields, void *arg)
{
	struct exemptions *x = arg;

	for (size_t i = 0; i < x->r->n; i++)
		if (!fnmatch(fields[1], x->r->apis[i].op->name, 0))
			x->marks[i] = 1;
}

static int find_exemptions(struct equiv_gathering *g, const struct equiv_rule *rule, const char *folder,
			   struct exemptions *x)
{
	char path[4096];

	*x = (struct exemptions){&g->q->registry, arena_array(&g->q->arena, g->q->registry.n + 1, 1)};
	if (!x->marks)
		return err_nomem(g->err, "operations", g->q->registry.n);
	snprintf(path, sizeof path, "%s/%s-not.tsv", folder, rule->id);
	return access(path, F_OK) ? 0 : registry_lines(x->r, path, exempt, x, g->err);
}

/* Pairs of one option set lie side by side, so that workers are changed seldom. */
static int gather_set(struct equiv_gathering *g, const struct equiv_rule *rule, const struct library_pair *set,
		      const char *marks)
{
	const struct registry *r = &g->q->registry;
	int rc = 0, of_objects = set && library_needs_object(r->library, set);

	for (size_t i = 0; i < r->n && !rc; i++) {
		struct equiv_pair p = {.rule = rule, .name = r->apis[i].op->name, .api = &r->apis[i]};

		if (set)
			p.sets[0] = set->a, p.sets[1] = set->b, p.unlike_kernels = set->unlike_kernels,
			p.promised = library_promises(r->library, set), p.checked = library_checks(r->library, set);
		if (!marks[i] && rule->every->applies(r, &r->apis[i]) && (!of_objects || form_makes(&r->apis[i])))
			rc = gather(&p, g);
	}
	return rc;
}

static int gather_registry(struct equiv_gathering *g, const struct equiv_rule *rule, const char *folder)
{
	const struct library *library = g->q->registry.library;
	const struct library_pair *set = library ? library->pairs : NULL;
	struct exemptions left_out;
	int rc = find_exemptions(g, rule, folder, &left_out);

	if (!rc && rule->every->sets == PAIR_NONE)
		return gather_set(g, rule, NULL, left_out.marks);
	for (; !rc && set && set->kind != PAIR_NONE; set++)
		if (set->kind == rule->every->sets)
			rc = gather_set(g, rule, set, left_out.marks);
	return rc;
}

/* Calls are learned by making them: each is its own other side. */
static int gather_learning(struct equiv_gathering *g)
{
	static const struct rule_every once = {.applies = equiv_any, .other = equiv_same_call};
	static const struct equiv_rule learning = {0, "learning", "which calls are valid", &once};
	char *none = arena_array(&g->q->arena, g->q->registry.n + 1, 1);

	return none ? gather_set(g, &learning, NULL, none) : err_nomem(g->err, "operations", g->q->registry.n);
}

static int no_rule(const char *name, struct err *e)
{
	struct near n = NEAR(name);
	int last = 0;

	for (const struct equiv_rule *const *r = equiv_rules; *r; r++) {
		near_offer(&n, (*r)->id, (*r)->id);
		last = (*r)->number;
	}
	return err_set(e, ERR_USAGE,
		       "there is no rule '%s'%s; they have numbers 1 to %d, 'assay equiv --rules' lists them", name,
		       near_hint(&n), last);
}

static int gather_all(struct equiv_gathering *g, const char *folder)
{
	const struct equiv_rule *only = g->o->rule ? rule_find(g->o->rule) : NULL;
	int rc = 0;

	if (g->o->learn)
		return gather_learning(g);
	if (g->o->rule && !only)
		return no_rule(g->o->rule, g->err);
	for (size_t i = 0; equiv_rules[i] && !rc; i++) {
		const struct equiv_rule *rule = equiv_rules[i];

		if (only ? rule != only : rule->every && rule->every->spoil)
			continue;
		if (rule->every && !g->o->rows)
			rc = gather_registry(g, rule, folder);
		if (!rc)
			rc = equiv_rows(rule, g->q->registry.dialect->name, folder, &g->q->arena, gather, g, g->err);
	}
	return rc;
}

int equiv_gather(struct equiv *q, const char *folder, const struct equiv_options *o, struct err *e)
{
	struct equiv_gathering g = {.q = q, .o = o, .err = e};
	int rc = gather_all(&g, folder);

	q->pairs = g.pairs.at;
	q->n = g.pairs.n;
	if (!rc && (!(q->results = mem_array(q->n + 1, sizeof *q->results)) || !(q->busy = mem_zalloc(q->n + 1))))
		rc = err_nomem(e, "results", q->n * sizeof *q->results);
	return rc;
}

struct worker_limits equiv_limits(void)
{
	return (struct worker_limits){.run_seconds = clock_patience(CALL_SECONDS), .memory = CALL_MEMORY};
}

/* Of a call: some libraries compile it first, and take long to open. */
static struct worker_limits limits_of(const struct equiv *q, const struct equiv_options *o)
{
	const struct library *library = library_find(q->spec.backend);
	struct worker_limits limits = o->limits;

	if (library && library->patience)
		limits.run_seconds *= library->patience;
	return limits;
}

int equiv_open(struct equiv *q, const char *backend, const char *folder, const struct equiv_options *o, struct err *e)
{
	struct worker_limits limits;
	struct worker_report report;
	struct worker *w = NULL;
	int rc;

	*q = (struct equiv){.arena = ARENA_INIT};
	rc = spec_make(backend, &q->spec, e);
	if (!rc && spec_is_reference(&q->spec))
		rc = err_set(e, ERR_USAGE, "the reference has no operations of its own: name a library");
	if (!rc && spec_option(&q->spec, PARTY_LOWERS)) /* two ways to compute the same may be rounded otherwise */
		rc = err_set(e, ERR_UNSUPPORTED, "%s computes in a lower precision: rules compare in that of the types",
			     q->spec.name);
	if (!rc) {
		limits = limits_of(q, o);
		rc = worker_open(&q->spec, &limits, &w, &report, e);
	}
	if (!rc) {
		snprintf(q->version, sizeof q->version, "%s", worker_version(w));
		rc = registry_open(&q->registry, q->spec.backend, folder, w, e);
	}
	worker_close(w);
	if (!rc)
		rc = equiv_gather(q, folder, o, e);
	if (rc)
		equiv_release(q);
	return rc;
}

void equiv_release(struct equiv *q)
{
	for (size_t i = 0; q->results && i < q->n; i++)
		equiv_result_release(&q->results[i]);
	mem_free(q->results);
	mem_free(q->busy);
	mem_free(q->pairs);
	registry_release(&q->registry);
	spec_release(&q->spec);
	arena_release(&q->arena);
	*q = (struct equiv){0};
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

static const size_t rounds[] = {8, 64, 0}; /* inputs of a pair up to the end of each; 0: all */
#define N_ROUNDS (sizeof rounds / sizeof *rounds)

/* A worker on one option set, and the other one when the next pair wants that. */
struct seat {
	const char *set; /* NULL: as the user chose */
	struct worker_spec spec;
	struct worker *worker;
};

struct equiv_running {
	struct equiv *q;
	const struct equiv_options *o;
	struct journal journal;
	struct seat (*seats)[2]; /* by thread */
	size_t first, round;     /* of rounds[] */
	double end;              /* of time; 0: none */
	pthread_mutex_t handing; /* one at a time hands findings on */
};

void equiv_name_side(const char *backend, const char *set, char out[EQUIV_NAME])
{
	spec_name_set(backend, set, out, EQUIV_NAME);
}

static void leave_seat(struct seat *s)
{
	worker_close(s->worker);
	if (s->worker)
		spec_release(&s->spec);
	*s = (struct seat){0};
}

static int take_seat(struct equiv_running *x, struct seat *s, const char *set, struct err *e)
{
	struct worker_limits limits = limits_of(x->q, x->o);
	struct worker_report report;
	char full[EQUIV_NAME];
	int rc;

	if (s->worker && (s->set == set || (s->set && set && !strcmp(s->set, set))))
		return 0;
	leave_seat(s);
	equiv_name_side(x->q->spec.name, set, full);
	rc = spec_make(full, &s->spec, e);
	if (rc)
		return rc;
	rc = worker_open(&s->spec, &limits, &s->worker, &report, e);
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

static int needs_run(const struct equiv_running *x, const struct equiv_result *r)
{
	return !r->done && !(r->run && rounds[x->round] && r->next >= rounds[x->round]); /* the journal may have it */
}

static int begin_pair(void *arg, size_t i)
{
	struct equiv_running *x = arg;

	if (!has_time(x) || !needs_run(x, &x->q->results[i]))
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

static int run_pair(void *arg, size_t thread, size_t i, struct err *e)
{
	struct equiv_running *x = arg;
	struct equiv_pair *p = &x->q->pairs[i];
	struct seat *seats = x->seats[thread];
	int two = p->sets[0] != p->sets[1], rc = take_seat(x, &seats[0], p->sets[0], e);
	struct eval sides[2] = {{.invoke = eval_invoke_worker}, {.invoke = eval_invoke_worker}};

	if (!rc && two)
		rc = take_seat(x, &seats[1], p->sets[1], e);
	sides[0].library = seats[0].worker;
	sides[1].library = seats[two].worker;
	while (!rc && needs_run(x, &x->q->results[i])) {
		rc = equiv_run_pair(&x->q->registry, p, sides, x->o, rounds[x->round], &x->q->results[i], e);
		if (!rc && equiv_has_news(&x->q->results[i]))
			rc = hand_on(x, i, e); /* a run that is killed later has it */
	}
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
static int run_rounds(struct equiv_running *x, size_t threads, struct err *e)
{
	struct crew_work work = {.arg = x, .close = leave_seats, .begin = begin_pair, .run = run_pair, .end = end_pair};
	struct crew *crew;
	int rc;

	x->seats = mem_array(threads + 1, sizeof *x->seats);
	if (!x->seats)
		return err_nomem(e, "threads", threads * sizeof *x->seats);
	rc = crew_open(&work, threads, &crew, e);
	if (!rc) {
		for (x->round = x->first; x->round < N_ROUNDS && !rc; x->round++)
			rc = crew_run(crew, x->q->n, e);
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
		.q = q, .o = o, .first = o->seconds > 0 ? 0 : N_ROUNDS - 1, .handing = PTHREAD_MUTEX_INITIALIZER};
	double start = clock_now();
	int rc = o->journal ? journal_open(&x.journal, o->journal, q, o, e) : 0;

	if (rc)
		return rc;
	for (size_t i = 0; i < q->n && !rc; i++) /* what a run before wrote down */
		rc = hand_on(&x, i, e);
	x.end = o->seconds > 0 ? start + o->seconds : 0;
	if (!rc)
		rc = run_rounds(&x, o->jobs > 1 ? o->jobs : 0, e);
	memset(q->busy, 0, q->n);
	journal_close(&x.journal);
	q->seconds = clock_now() - start;
	gather_plans(q);
	return rc;
}
