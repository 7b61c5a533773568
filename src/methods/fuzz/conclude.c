/* conclude.c - one case on one backend: what is wrong is kept, all of it is counted (see work.h). */
#include "methods/fuzz/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "judge/batch.h"
#include "judge/session.h"
#include "methods/fuzz/back.h"
#include "proof/proof.h"

static int keep(struct work *w, struct flight *f, size_t i, struct outcome *o, struct err *e)
{
	struct party *p = runner_party(w->runner, i);
	struct fuzz_record *r = &f->record;
	struct trial *t = &f->trial;
	struct kept kept = {0};
	int take = 0, rc = 0;

	if (w->keeper.store)
		rc = known_take(&w->known, t, p, o, &f->looks[i], &take, e);

	if (rc || !take)
		return rc;
	w->keeper.reduce_seconds = later_patience(&w->later);
	w->keeper.hasty = later_is_pressed(&w->later);
	rc = fuzz_keep_gradients(&w->keeper, t, p, o, &kept, e);
	if (rc && *kept.signature)
		err_prefix(e, "a finding is lost, %s", kept.signature);
	if (!rc)
		rc = known_settle(&w->known, kept.verdict, e);
	if (rc)
		return rc;
	if (!verdict_is_finding(kept.verdict)) {
		o->verdict = kept.verdict;
		return 0;
	}
	r->stored += kept.id != 0;
	if (kept.id && kept.fresh) {
		r->fresh++;
		snprintf(r->signature, sizeof r->signature, "%s", kept.signature);
	}
	return known_add(&w->known, p, kept.verdict, kept.signature, e);
}

/* A batch says no more than that a case is right: what it shows otherwise, the case must show alone. */
static int run_alone(struct work *w, struct trial *t, struct party *p, const struct judge_options *judge,
		     struct outcome *o, struct err *e)
{
	int rc;

	runner_hold(w->runner);
	outcome_release(o);
	rc = party_run(p, t, o, e);
	return rc ? rc : trial_judge_values(t, p, o->values ? judge : &w->o->judge, o, e);
}

/* Values are judged while the backends run the next case; what is done about a difference, or about a request that
 * failed, takes the backends. */
int work_judge(struct work *w, struct trial *t, struct party *p, int joined, struct outcome *o, struct err *e)
{
	struct judge_options plain = w->o->judge;
	int rc;

	plain.quirks = NULL;
	if (!o->values)
		runner_hold(w->runner);
	rc = trial_judge_values(t, p, o->values ? &plain : &w->o->judge, o, e);
	if (!rc && joined && !batch_holds(o))
		rc = run_alone(w, t, p, &plain, o, e);
	if (!rc)
		rc = trial_doubt(t, &plain, DOUBT_FULL, o, e);
	if (!rc && o->of_nan) {
		runner_hold(w->runner);
		rc = proof_agree(t, p, o, e);
	}
	if (!rc && verdict_is_finding(o->verdict)) {
		double begin;

		runner_hold(w->runner);
		begin = clock_now();
		rc = known_quirk(t, p, &w->o->judge, o, e);
		w->later.spent += clock_now() - begin;
	}
	if (!rc && w->o->gradients && verdict_is_right(o->verdict)) {
		runner_hold(w->runner);
		rc = fuzz_judge_gradients(t, p, &w->o->judge, o, e);
	}
	return rc;
}

/* A line that does not fit is left out. */
static void add_line(char *lines, size_t size, const char *line)
{
	size_t used = strlen(lines);

	if (used + strlen(line) < size)
		memcpy(lines + used, line, strlen(line) + 1);
}

static void note_look(const struct trial *t, const struct party *p, const struct outcome *o, enum fuzz_status s,
		      struct fuzz_record *r)
{
	char key[KNOWN_KEY], op[KNOWN_OP], line[KNOWN_KEY + 8];

	known_look(t, p, o, key);
	snprintf(line, sizeof line, "%d%s\n", (int)s, key);
	add_line(r->looks, sizeof r->looks, line);
	known_paper(t, p, o, key, op);
	snprintf(line, sizeof line, "%d%016" PRIx64 " %s\n", (int)s, hash_text(key), op);
	add_line(r->paper, sizeof r->paper, line);
}

/* A campaign's time is over, and the grace of later.h too. */
static int is_late(const struct work *w)
{
	return w->keeper.deadline > 0 && clock_now() >= w->keeper.deadline;
}

/* What a case comes to on one backend; `o` is judged. */
int work_conclude(struct work *w, struct flight *f, struct outcome *all, size_t i, struct err *e)
{
	struct party *p = runner_party(w->runner, i);
	struct fuzz_record *r = &f->record;
	struct outcome *o = &all[i];
	enum fuzz_status s = fuzz_status_by(w->o, &f->trial, all, i);
	int rc = 0;

	if (s != FUZZ_DCP && verdict_is_finding(o->verdict)) {
		if (!f->counts_only && w->keeper.store && is_late(w))
			f->counts_only = f->passed = 1;
		if (f->counts_only)
			known_pass(&w->known, &f->trial, p, o);
		else
			rc = keep(w, f, i, o, e);
		if (verdict_is_finding(o->verdict)) {
			r->findings++;
			r->passed += f->passed;
			note_look(&f->trial, p, o, s, r);
		} else { /* a second look took it back */
			s = fuzz_status_of(o);
		}
	}
	r->status[s]++;
	r->notes[i] = (unsigned char)((unsigned)outcome_counts_as(o) | (o->values || o->grads ? FUZZ_RAN : 0));
	return rc;
}
