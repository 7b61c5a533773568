/* work.c - what one process of a campaign does: makes its share of the cases and runs them. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/place.h"
#include "judge/unjudged.h"
#include "methods/fuzz/start.h"
#include "methods/fuzz/work.h"

#define WAIT_NANOSECONDS 1000000

static struct flight *flight_of(struct work *w, size_t k)
{
	return &w->flights[k % (RUNNER_DEPTH + 1)];
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

/* DIR/corpus/N/ for what raised the coverage, DIR/models/N.onnx for every model with keep_all. */
static int write_case(const struct work *w, struct flight *f, struct err *e)
{
	struct trial *t = &f->trial;
	int64_t index = f->record.index;
	char path[4096];
	int rc = 0;

	if (!w->o->folder || !f->notes.len)
		return 0;
	if (w->o->keep_all) {
		snprintf(path, sizeof path, "%s/models/%08lld.onnx", w->o->folder, (long long)index);
		rc = buf_write_file(t->bytes.data, t->bytes.len, path, e);
	}
	if (rc || !f->record.raised)
		return rc;
	snprintf(path, sizeof path, "%s/corpus/%08lld", w->o->folder, (long long)index);
	rc = trial_save(t, path, e);
	snprintf(path, sizeof path, "%s/corpus/%08lld/coverage.txt", w->o->folder, (long long)index);
	return rc ? rc : buf_write_file(f->notes.data, f->notes.len, path, e);
}

/* Pipes take up to PIPE_BUF bytes at once; a reader that is gone ends the work. */
static int tell(const struct work *w, const struct fuzz_record *r)
{
	_Static_assert(sizeof *r <= 4096, "a record must fit a pipe's atomic write");
	return write(w->fd, r, sizeof *r) == (ssize_t)sizeof *r ? 0 : ERR_IO;
}

static int tell_it(const struct work *w, const struct fuzz_record *r, struct err *e)
{
	return tell(w, r) ? err_set(e, ERR_IO, "nobody reads what the job tells") : 0;
}

/* What the reference cannot run is run all the same: a process may fail. */
static int know_truth(struct trial *t, struct err *e)
{
	int rc = trial_truth(t, e);

	if (!unjudged_status(rc))
		return rc;
	err_clear(e);
	return 0;
}

/* The case as backends get it, with the right answer. */
static int prepare(const struct work *w, struct flight *f, struct fuzz_case *c, struct err *e)
{
	int rc = trial_init(&f->trial, c->model, c->inputs, c->seed, e);

	f->notes = c->notes;
	buf_init(&c->notes, 0);
	c->model = NULL;
	c->inputs = NULL;
	if (!rc)
		f->record.held = held_in(f->trial.model->graph, f->trial.inputs);
	if (!rc)
		rc = know_truth(&f->trial, e);
	if (!rc && f->trial.invalid &&
	    !w->o->fuzz.invalid) /* every model is valid by construction: this one is a bug of the generator */
		rc = err_set(e, ERR_INTERNAL, "the reference refuses case %lld: %s", (long long)f->record.index,
			     f->trial.why.msg);
	return rc;
}

/* What the libraries made of the model, as a reward. */
static int note_fusions(struct work *w, struct flight *f, struct err *e)
{
	int fresh = 0, rc = shows_work(w->o) ? fusion_note(&w->fusion, f->trial.model, f->record.fused, &fresh, e) : 0;

	if (w->o->lines)
		f->record.lines = fresh;
	if (!rc && fresh && w->o->lines != LINES_COUNTED)
		fuzzer_credit(w->fuzzer, f->record.index, f->node);
	return rc;
}

/* A case that was run before: what it was credited with is known. */
static int pass_over(struct work *w, const struct fuzz_case *c, struct err *e)
{
	long long at;
	int used, rc;

	if (!w->fused || sscanf(w->fused, "%lld%n", &at, &used) != 1 || at != c->index)
		return 0;
	fuzzer_credit(w->fuzzer, c->index, c->node);
	rc = fusion_learn(&w->fusion, w->fused + used, e);
	w->fused += strcspn(w->fused, "\n");
	w->fused += *w->fused == '\n';
	return rc;
}

/* The paper's reward: a library failed. */
static void credit_failure(struct work *w, const struct flight *f)
{
	const int *status = f->record.status;

	if (fuzz_searches[w->o->fuzz.search].paper && (status[FUZZ_MCF] || status[FUZZ_IF] || status[FUZZ_DCF]))
		fuzzer_credit(w->fuzzer, f->record.index, f->node);
}

/* All that is done with a case once it is judged.  Its outcomes are released. */
static int settle(struct work *w, struct flight *f, struct outcome *o, struct err *e)
{
	double begin = clock_now();
	int rc = 0;

	for (size_t i = 0; i < w->o->n_specs && !rc; i++)
		rc = work_conclude(w, f, o, i, e);
	for (size_t i = 0; i < w->o->n_specs; i++)
		outcome_release(&o[i]);
	if (!rc)
		credit_failure(w, f);
	if (f->record.findings)
		w->later.spent += clock_now() - begin;
	if (f->record.findings && !f->counts_only)
		later_done(&w->later, f->trial.model->graph->nodes.n);
	if (!rc)
		rc = note_fusions(w, f, e);
	runner_release(w->runner);
	if (!rc)
		rc = write_case(w, f, e);
	if (rc)
		return rc;
	f->record.next = later_first(&w->later, w->next);
	f->record.waiting = (int)w->later.waiting.n;
	f->record.triage = w->later.spent;
	return tell_it(w, &f->record, e);
}

/* What is known is recognized at once, and counted; of the rest some wait. */
static int ask_to_wait(struct work *w, struct flight *f, size_t i, struct outcome *o, int *waits, struct err *e)
{
	struct party *p = runner_party(w->runner, i);
	double begin = clock_now();
	int fresh = 0, rc = known_take(&w->known, &f->trial, p, o, &f->looks[i], &fresh, e);

	w->later.spent += clock_now() - begin;
	f->counts_only = 1;
	f->passed |= fresh;
	return rc || !fresh ? rc : later_choose(&w->later, &f->trial, p, o, waits, e);
}

/* Whether the next case depends on what came of this one. */
static int needs_results(const struct work *w)
{
	return shows_work(w->o) || fuzz_searches[w->o->fuzz.search].paper;
}

/* Of the first backend that has a finding; 0: none has. */
static uint64_t rough_look(const struct work *w, const struct flight *f, const struct outcome *o)
{
	char key[KNOWN_KEY] = "";

	for (size_t i = 0; i < w->o->n_specs && !*key; i++)
		if (verdict_is_finding(o[i].verdict))
			known_look(&f->trial, runner_party(w->runner, i), &o[i], key);
	return *key ? hash_text(key) : 0;
}

/* Whether a case that is judged is to wait: it has findings, and triage has had its share of the time.  What a library
 * fused decides on the next case, which cannot wait for it. */
static int must_wait(struct work *w, struct flight *f, struct outcome *o, int *waits, struct err *e)
{
	int rc = 0;

	*waits = 0;
	if (!w->keeper.store || needs_results(w))
		return 0;
	f->roughly = rough_look(w, f, o);
	if (!f->roughly)
		return 0;
	if (later_is_next(&w->later, f) && later_is_due(&w->later, clock_now(), f->trial.model->graph->nodes.n))
		return later_note(&w->later, f, e);
	if (!later_has_room(&w->later, f)) { /* to ask whether it is known takes time as well */
		f->counts_only = f->passed = 1;
		return 0;
	}
	for (size_t i = 0; i < w->o->n_specs && !rc; i++)
		if (verdict_is_finding(o[i].verdict))
			rc = ask_to_wait(w, f, i, &o[i], waits, e);
	if (*waits)
		f->counts_only = f->passed = 0;
	return rc;
}

/* --invalid: where the rule that was broken is none after all, or one that a library may make sense of, only what
 * happened to its process counts. */
static void leave_broken(const struct work *w, const struct flight *f, struct outcome *o)
{
	int answered = o->report.result == WORKER_OK || o->report.result == WORKER_REJECTED;

	if (w->o->fuzz.invalid && answered && verdict_is_finding(o->verdict) && (f->may_run || !f->trial.invalid))
		o->verdict = VERDICT_UNJUDGED;
}

/* Judges what came of a case. */
static int land(struct work *w, struct flight *f, struct err *e)
{
	struct outcome *o;
	int waits = 0, rc = runner_take(w->runner, &o, e);

	if (rc)
		return rc;
	w->next = f->next;
	for (size_t i = 0; i < w->o->n_specs && !rc; i++) {
		rc = work_judge(w, &f->trial, runner_party(w->runner, i), runner_joined(w->runner, i), &o[i], e);
		leave_broken(w, f, &o[i]);
	}
	if (!rc)
		rc = must_wait(w, f, o, &waits, e);
	if (!rc && !waits)
		return settle(w, f, o, e);
	if (!rc)
		rc = later_add(&w->later, f, o, w->o->n_specs, e);
	for (size_t i = 0; i < w->o->n_specs; i++)
		outcome_release(&o[i]);
	runner_release(w->runner);
	return rc;
}

/* One of those that waited. */
static int settle_one(struct work *w, struct flight f, int counts_only, struct err *e)
{
	int rc;

	runner_hold(w->runner);
	f.counts_only = f.passed = counts_only;
	rc = settle(w, &f, f.outcomes, e);
	flight_release(&f, w->o->n_specs);
	return rc;
}

static int settle_waiting(struct work *w, struct err *e)
{
	struct flight f;
	int rc = later_take(&w->later, &f, e);

	return rc ? rc : settle_one(w, f, 0, e);
}

static int settle_due(struct work *w, struct err *e)
{
	int due = w->later.waiting.n && later_is_due(&w->later, clock_now(), later_least(&w->later));
	int rc = due ? settle_waiting(w, e) : 0;

	return !rc && later_is_crowded(&w->later) ? settle_one(w, later_give_way(&w->later), 1, e) : rc;
}

/* Ends cases until at most `left` are with the runner. */
static int land_all_but(struct work *w, size_t left, struct err *e)
{
	int rc = 0;

	while (!rc && runner_count(w->runner) > left) {
		struct flight *f = flight_of(w, w->landed++);

		rc = land(w, f, e);
		flight_release(f, 0);
		if (!rc)
			rc = settle_due(w, e);
	}
	return rc;
}

/* What waits when a campaign ends: when its time is over there is a grace for these, and one that was stopped goes on
 * with them. */
static int settle_rest(struct work *w, struct err *e)
{
	int rc = 0;

	while (!rc && w->later.waiting.n && !(w->o->stop && *w->o->stop))
		rc = settle_waiting(w, e);
	return rc;
}

/* Gives the runner the case that was made.  What fusions it shows must be known when the next but one is made, and the
 * file that tells them is the library's until then. */
static int launch(struct work *w, struct err *e)
{
	int rc = land_all_but(w, needs_results(w) ? 0 : runner_depth(w->runner) - 1, e);

	if (!rc)
		runner_give(w->runner, &flight_of(w, w->made++)->trial);
	return rc;
}

static int next_case(struct work *w, struct err *e)
{
	struct flight *f = flight_of(w, w->made);
	struct fuzz_case c = {0};
	int rc = fuzzer_next(w->fuzzer, &c, e);

	if (!rc && c.index < w->o->first)
		rc = pass_over(w, &c, e);
	else if (!rc) {
		*f = (struct flight){
			.record = {.job = w->job, .index = c.index, .raised = c.raised, .discarded = c.discarded},
			.next = fuzzer_index(w->fuzzer),
			.node = c.node,
			.may_run = c.may_run};
		snprintf(f->record.about, sizeof f->record.about, "%s", c.about);
		rc = prepare(w, f, &c, e);
		if (!rc)
			rc = launch(w, e);
	}
	fuzz_case_release(&c);
	return rc;
}

static int is_stopped(const struct work *w)
{
	const struct campaign_options *o = w->o;

	return (o->stop && *o->stop) || (o->seconds > 0 && clock_now() - w->start >= o->seconds);
}

/* The cases of another run: each process learns from all and runs its share, or as much of it as there is time for. */
static int run_start(struct work *w, struct err *e)
{
	const struct split *part = &w->o->fuzz.split;
	struct fuzz_record left = {.job = w->job};
	struct start s = {VEC_INIT};
	int rc = start_open(w->o->start, &s, e);

	for (size_t i = 0; i < s.folders.n && !rc; i++) {
		struct flight *f = flight_of(w, w->made);
		struct buf notes;

		rc = start_notes(&s, i, &notes, e);
		if (!rc)
			rc = fuzzer_learn(w->fuzzer, notes.data ? notes.data : "", e);
		buf_release(&notes);
		if (rc || w->o->first || !split_has(part, i) ||
		    split_own(part, (int64_t)i) % w->o->jobs != (int64_t)w->job)
			continue;
		if (is_stopped(w)) {
			left.not_run++;
			continue;
		}
		*f = (struct flight){.record = {.job = w->job, .index = w->job - w->o->jobs},
				     .next = fuzzer_index(w->fuzzer)};
		rc = trial_load(s.folders.at[i], 0, &f->trial, e);
		if (!rc)
			f->record.held = held_in(f->trial.model->graph, f->trial.inputs);
		if (!rc)
			rc = know_truth(&f->trial, e);
		if (!rc && f->trial.invalid)
			rc = err_set(e, ERR_INPUT, "'%s' is not a valid case: %s", s.folders.at[i], f->trial.why.msg);
		if (!rc)
			rc = launch(w, e);
	}
	start_release(&s);
	if (!rc && left.not_run)
		rc = tell_it(w, &left, e);
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int is_over(const struct work *w)
{
	return is_stopped(w) || (w->o->models > 0 && fuzzer_index(w->fuzzer) >= w->o->models);
}

/* Until the other jobs are far enough: what was begun is ended meanwhile, and findings that wait get the time.  A batch
 * that is not full stays so: which cases are run together must not depend on how fast the others are. */
static int wait_turn(struct work *w, struct err *e)
{
	const struct timespec pause = {.tv_nsec = WAIT_NANOSECONDS};
	int rc = fuzzer_is_ready(w->fuzzer) ? 0 : land_all_but(w, runner_unsent(w->runner), e);

	while (!rc && !fuzzer_is_ready(w->fuzzer) && !is_over(w)) {
		if (w->later.waiting.n)
			rc = settle_waiting(w, e);
		else
			nanosleep(&pause, NULL);
	}
	return rc;
}

static int run_cases(struct work *w, struct err *e)
{
	int rc = wait_turn(w, e);

	while (!rc && !is_over(w)) {
		rc = next_case(w, e);
		if (!rc)
			rc = wait_turn(w, e);
	}
	return rc;
}

/* Whether cases may be run together: not where the next one waits for what came of this, nor where most are refused. */
static int joins_cases(const struct work *w)
{
	return !needs_results(w) && !w->o->fuzz.invalid;
}

static int begin(struct work *w, struct err *e)
{
	const struct campaign_options *o = w->o;
	struct fuzz_options fuzz = o->fuzz;
	char path[4096];
	int rc;

	w->keeper = (struct keeper){.db = o->db,
				    .campaign = o->id,
				    .method = "fuzz",
				    .command = o->command,
				    .judge = &o->judge,
				    .no_reduce = o->no_reduce,
				    .must = 1,
				    .deadline = o->seconds > 0 ? w->start + o->seconds + later_grace(o->seconds) : 0};
	rc = o->db ? keeper_open(&w->keeper, e) : 0;
	if (!rc && shows_work(w->o))
		rc = fusion_open(&w->fusion, o->specs, o->n_specs, o->lines != LINES_NO, e);
	if (!rc)
		rc = runner_new(shows_work(w->o) ? w->fusion.specs : o->specs, o->n_specs, joins_cases(w), &w->runner,
				e);
	for (int i = 0; i < 3 && o->folder && !rc; i++) {
		static const char *const parts[] = {"", "/corpus", "/models"};

		snprintf(path, sizeof path, "%s%s", o->folder, parts[i]);
		rc = i < 2 || o->keep_all ? place_make_folder(path, e) : 0;
	}
	fuzz.notes = o->folder != NULL;
	fuzz.shards = fuzz_searches[fuzz.search].paper || o->lines ? 1 : FUZZ_SHARDS; /* one tree, as there */
	fuzz.job = w->job;
	fuzz.jobs = o->jobs;
	fuzz.exchange = w->exchange;
	return rc ? rc : fuzzer_new(o->corpus, &fuzz, &w->fuzzer, e);
}

int campaign_work(const struct campaign_options *o, struct fuzz_exchange *x, int job, int fd)
{
	struct work w = {.o = o,
			 .exchange = x,
			 .job = job,
			 .fd = fd,
			 .start = clock_now(),
			 .fused = o->fused,
			 .known = {.judge = &o->judge, .kinds = {.doubling = 1}},
			 .later = {.looks = {.doubling = 1}, .begin = clock_now(), .seconds = o->seconds}};
	struct err e = ERR_INIT;
	int rc;

	worker_park_open(); /* this process's own */
	rc = begin(&w, &e);
	if (!rc && o->start)
		rc = run_start(&w, &e);
	if (!rc)
		rc = run_cases(&w, &e);
	if (!rc)
		rc = land_all_but(&w, 0, &e);
	if (!rc)
		rc = settle_rest(&w, &e);
	if (rc) {
		struct fuzz_record r = {.job = job, .failed = rc};

		snprintf(r.signature, sizeof r.signature, "%.*s", (int)sizeof r.signature - 1, e.msg);
		tell(&w, &r);
	}
	runner_free(w.runner);
	for (int i = 0; i <= RUNNER_DEPTH; i++)
		flight_release(&w.flights[i], 0);
	later_release(&w.later, o->n_specs);
	fuzzer_free(w.fuzzer);
	known_release(&w.known);
	fusion_close(&w.fusion);
	keeper_close(&w.keeper);
	worker_park_close();
	return rc;
}
