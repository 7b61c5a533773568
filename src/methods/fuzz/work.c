/* work.c - what one process of a campaign does: makes all cases, runs its share. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "methods/fuzz/campaign.h"
#include "triage/triage.h"

#define RESEEDS 3 /* other roundings that must come to the same verdict */
#define PER_KEY 4 /* findings that look alike and are taken to the end */
#define REDUCE_SECONDS 10

struct work {
	const struct campaign_options *o;
	int job, fd;
	struct fuzzer *fuzzer;
	struct party *parties;
	struct store *store;
	struct map seen; /* key of a finding → how many there were, as a pointer */
	double start;
};

/* ---- one backend ----------------------------------------------------------------------------------------------------
 */

static enum fuzz_status status_of(const struct outcome *o)
{
	if (o->verdict == VERDICT_UNSUPPORTED || o->verdict == VERDICT_UNSPECIFIED)
		return FUZZ_UNSUPPORTED;
	if (o->verdict == VERDICT_FLAKY)
		return FUZZ_FLAKY;
	if (!verdict_is_finding(o->verdict))
		return FUZZ_DCP;
	if (o->report.result == WORKER_OK)
		return FUZZ_DCF;
	return o->run_seconds > 0 ? FUZZ_IF : FUZZ_MCF;
}

/* The verdict on the same values with other random roundings. */
static int judge_again(const struct trial *t, const struct party *p, const struct judge_options *judge,
		       const struct outcome *o, uint64_t seed, enum verdict *out, struct err *e)
{
	struct outcome again = {.report = o->report, .n = o->n};
	struct trial copy = {0};
	int rc = trial_copy(t, &copy, e);

	if (rc)
		return rc;
	copy.seed = seed;
	again.values = mem_array(o->n + 1, sizeof *again.values);
	rc = again.values ? 0 : err_nomem(e, "values", 0);
	for (size_t i = 0; i < o->n && !rc; i++)
		again.values[i] = value_ref(o->values[i]);
	if (!rc)
		rc = trial_judge_values(&copy, p, judge, &again, e);
	*out = again.verdict;
	outcome_release(&again);
	trial_release(&copy);
	return rc;
}

/* Whether a library that rounds each result once, and is right otherwise, gives these values too: where 1 + x is 1 in
 * float32 a comparison with 1 flips, which small random roundings do not show. */
static int rounds_so(struct trial *t, double limit, const struct outcome *o, int *out, struct err *e)
{
	struct ref_options options = {.mode = REF_ROUNDED, .seed = t->seed};
	struct ref_result rounded;
	int rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &options, &rounded, e);

	if (rc)
		return rc;
	*out = rounded.n == o->n;
	for (size_t i = 0; i < rounded.n && *out; i++) {
		struct judgement j = {0};

		judge_value(rounded.outputs[i].value, t->truth.outputs[i].noise, o->values[i], limit, &j);
		*out = !verdict_is_finding(j.verdict);
	}
	ref_result_release(&rounded);
	return 0;
}

/* Eight runs may miss that an element is about to flip; a wrong one stays wrong under any. */
static int doubt(struct trial *t, const struct party *p, const struct judge_options *judge, struct outcome *o,
		 struct err *e)
{
	int rc = 0, same = 0;

	if (!o->values || !verdict_is_finding(o->verdict))
		return 0;
	rc = rounds_so(t, judge->limit > 0 ? judge->limit : JUDGE_LIMIT, o, &same, e);
	if (!rc && same)
		o->verdict = VERDICT_ROUNDING;

	for (uint64_t i = 1; i <= RESEEDS && !rc && verdict_is_finding(o->verdict); i++) {
		enum verdict v = o->verdict;

		rc = judge_again(t, p, judge, o, t->seed + i * 0x9e3779b97f4a7c15, &v, e);
		if (!rc && !verdict_is_finding(v))
			o->verdict = v;
	}
	return rc;
}

/* What makes two findings look alike before anything is known of them: the paper's rules.  Failures by their message
 * without numbers, wrong numbers by the operators of the model's end. */
static void key_of(const struct trial *t, const struct party *p, const struct outcome *o, char *out, size_t size)
{
	const struct graph *g = t->model->graph;
	size_t n = (size_t)snprintf(out, size, "%s|%s|", p->spec.name, verdict_name(o->verdict));
	const struct node *last;

	if (o->report.result != WORKER_OK) {
		const char *s = o->report.message;

		for (; *s && n + 1 < size; s++)
			if (*s < '0' || *s > '9')
				out[n++] = *s;
		out[n] = '\0';
		return;
	}
	last = o->worst < g->outputs.n ? g->outputs.at[o->worst]->producer : NULL;
	for (int depth = 0; last && depth < 3 && n + 1 < size; depth++) {
		n += (size_t)snprintf(out + n, size - n, "%s|", last->op_type);
		last = last->n_in && last->in[0] ? last->in[0]->producer : NULL;
	}
}

/* Whether it is worth to be taken to the end. */
static int is_new(struct work *w, const char *key, struct err *e, int *out)
{
	uintptr_t n = (uintptr_t)map_get(&w->seen, key);

	*out = n < PER_KEY;
	return map_put(&w->seen, key, (void *)(n + 1)) ? err_nomem(e, "findings", 0) : 0;
}

static int keep(struct work *w, struct trial *t, struct party *p, struct outcome *o, struct fuzz_record *r,
		struct err *e)
{
	struct keeper k = {.store = w->store,
			   .campaign = w->o->id,
			   .method = "fuzz",
			   .command = w->o->command,
			   .judge = &w->o->judge,
			   .no_reduce = w->o->no_reduce,
			   .reduce_seconds = REDUCE_SECONDS};
	struct kept kept = {0};
	char key[512];
	int take, rc;

	key_of(t, p, o, key, sizeof key);
	rc = is_new(w, key, e, &take);
	if (rc || !take || !w->store)
		return rc;
	rc = keep_finding(&k, t, p, o, &kept, e);
	if (rc)
		return rc;
	if (!verdict_is_finding(kept.verdict)) {
		o->verdict = VERDICT_FLAKY;
		return 0;
	}
	r->stored += kept.id != 0;
	if (kept.id && kept.fresh) {
		r->fresh++;
		snprintf(r->signature, sizeof r->signature, "%s", kept.signature);
	}
	return 0;
}

static int on_backend(struct work *w, struct trial *t, struct party *p, struct fuzz_record *r, struct err *e)
{
	struct outcome o = {0};
	enum fuzz_status s;
	int rc = trial_judge(t, p, &w->o->judge, &o, e);

	if (!rc)
		rc = doubt(t, p, &w->o->judge, &o, e);
	s = status_of(&o);
	if (!rc && verdict_is_finding(o.verdict)) {
		rc = keep(w, t, p, &o, r, e);
		s = o.verdict == VERDICT_FLAKY ? FUZZ_FLAKY : s;
		r->findings += s != FUZZ_FLAKY;
	}
	r->status[s]++;
	outcome_release(&o);
	return rc;
}

/* ---- one case -------------------------------------------------------------------------------------------------------
 */

static int make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return err_set(e, ERR_IO, "cannot make folder '%s': %s", path, strerror(errno));
	return 0;
}

/* DIR/corpus/N/ for what raised the coverage, DIR/models/N.onnx for every model with keep_all. */
static int write_case(const struct work *w, struct trial *t, int raised, int64_t index, struct err *e)
{
	char path[4096];
	int rc = 0;

	if (!w->o->folder)
		return 0;
	if (w->o->keep_all) {
		snprintf(path, sizeof path, "%s/models/%08lld.onnx", w->o->folder, (long long)index);
		rc = buf_write_file(t->bytes.data, t->bytes.len, path, e);
	}
	if (rc || !raised)
		return rc;
	snprintf(path, sizeof path, "%s/corpus/%08lld", w->o->folder, (long long)index);
	return trial_save(t, path, e);
}

static int run_case(struct work *w, struct fuzz_case *c, struct fuzz_record *r, struct err *e)
{
	struct trial t = {0};
	int rc = trial_init(&t, c->model, c->inputs, c->seed, e);

	c->model = NULL;
	c->inputs = NULL;
	if (!rc)
		rc = trial_truth(&t, e);
	if (!rc && t.invalid) /* every model is valid by construction: this one is a bug of the generator */
		rc = err_set(e, ERR_INTERNAL, "the reference refuses case %lld: %s", (long long)r->index, t.why.msg);
	for (size_t i = 0; i < w->o->n_specs && !rc; i++)
		rc = on_backend(w, &t, &w->parties[i], r, e);
	if (!rc)
		rc = write_case(w, &t, r->raised, r->index, e);
	trial_release(&t);
	return rc;
}

/* Pipes take up to PIPE_BUF bytes at once; a reader that is gone ends the work. */
static int tell(const struct work *w, const struct fuzz_record *r)
{
	_Static_assert(sizeof *r <= 4096, "a record must fit a pipe's atomic write");
	return write(w->fd, r, sizeof *r) == (ssize_t)sizeof *r ? 0 : ERR_IO;
}

static int next_case(struct work *w, int64_t index, struct err *e)
{
	struct fuzz_record r = {.job = w->job, .index = index};
	struct fuzz_case c = {0};
	int rc = fuzzer_next(w->fuzzer, &c, e);

	if (!rc && (index < w->o->first || index % w->o->jobs != w->job)) {
		fuzz_case_release(&c);
		return 0;
	}
	if (!rc) {
		r.raised = c.raised;
		snprintf(r.about, sizeof r.about, "%s", c.about);
		rc = run_case(w, &c, &r, e);
	}
	fuzz_case_release(&c);
	r.coverage = coverage_of_set(fuzzer_coverage(w->fuzzer));
	if (!rc)
		rc = tell(w, &r) ? err_set(e, ERR_IO, "nobody reads what the job tells") : 0;
	return rc;
}

/* ---- all ------------------------------------------------------------------------------------------------------------
 */

static int is_over(const struct work *w, int64_t index)
{
	const struct campaign_options *o = w->o;

	return (o->stop && *o->stop) || (o->models > 0 && index >= o->models) ||
	       (o->seconds > 0 && clock_now() - w->start >= o->seconds);
}

static int begin(struct work *w, struct err *e)
{
	const struct campaign_options *o = w->o;
	char path[4096];
	int rc = o->db ? store_open(o->db, 1, &w->store, e) : 0;

	w->parties = mem_array(o->n_specs + 1, sizeof *w->parties);
	if (!rc && !w->parties)
		rc = err_nomem(e, "backends", 0);
	for (size_t i = 0; i < o->n_specs && !rc; i++)
		rc = party_open_spec(&w->parties[i], &o->specs[i], NULL, e);
	for (int i = 0; i < 3 && o->folder && !rc; i++) {
		static const char *const parts[] = {"", "/corpus", "/models"};

		snprintf(path, sizeof path, "%s%s", o->folder, parts[i]);
		rc = i < 2 || o->keep_all ? make_folder(path, e) : 0;
	}
	return rc ? rc : fuzzer_new(o->corpus, &o->fuzz, &w->fuzzer, e);
}

int campaign_work(const struct campaign_options *o, int job, int fd)
{
	struct work w = {.o = o, .job = job, .fd = fd, .start = clock_now()};
	struct err e = ERR_INIT;
	int rc = begin(&w, &e);

	for (int64_t i = 0; !rc && !is_over(&w, i); i++)
		rc = next_case(&w, i, &e);
	if (rc) {
		struct fuzz_record r = {.job = job, .failed = rc};

		snprintf(r.signature, sizeof r.signature, "%s", e.msg);
		tell(&w, &r);
	}
	fuzzer_free(w.fuzzer);
	for (size_t i = 0; w.parties && i < o->n_specs; i++)
		party_close(&w.parties[i]);
	mem_free(w.parties);
	map_release(&w.seen);
	store_close(w.store);
	return rc;
}
