/* localize.c - where backends go wrong, and where two of them part; what is found goes to the store (see check.h). */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"
#include "judge/unjudged.h"
#include "methods/check/check.h"

static int is_late(double deadline)
{
	return deadline > 0 && clock_now() >= deadline;
}

static int pass_over(const struct check_backend *accused, struct err *e)
{
	log_print(LOG_WARNING, "%s is not localized: %s", accused->party.spec.name, e->msg);
	err_clear(e);
	return 0;
}

int check_localize(struct trial *t, struct check_result *r, const struct check_data *data,
		   const struct check_options *o, struct check_blame *out, struct err *e)
{
	struct check_backend *accused = &r->backends[out->backend];
	struct blame_request q = {.trial = t,
				  .accused = &accused->party,
				  .outcome = &accused->runs[accused->worst_run],
				  .blamers = o->blamers,
				  .options = &o->judge,
				  .deadline = out->deadline};
	int rc = check_set_run(t, data, accused->worst_run, e);

	if (rc || accused->verdict == VERDICT_ACCEPTED) /* the verdict names the node that is not valid */
		return rc;
	rc = trial_truth(t, e);
	if (unjudged_status(rc)) /* nothing to hold its nodes against; what it did stays a finding */
		return pass_over(accused, e);
	if (!rc)
		rc = blame_run(&q, &out->blame, e);
	if (rc == ERR_LIMIT) /* nor can parts be sent of a model that is too large */
		return pass_over(accused, e);
	if (!rc && !is_late(out->deadline)) {
		rc = blame_map_make(&q, &out->map, e);
		if (rc == ERR_LIMIT)
			return pass_over(accused, e);
		if (rc)
			blame_release(&out->blame);
	}
	return rc;
}

const struct check_pair *check_unexplained(const struct check_result *r, int pattern)
{
	const struct check_pair *furthest = NULL;

	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct check_pair *p = &r->pairs[i];

		if (p->pattern != pattern)
			continue;
		if (verdict_is_finding(r->backends[p->a].verdict) || verdict_is_finding(r->backends[p->b].verdict))
			return NULL;
		if (!furthest || p->worst_mad > furthest->worst_mad)
			furthest = p;
	}
	return furthest;
}

int check_map_pair(struct trial *t, struct check_result *r, const struct check_pair *p, const struct check_data *data,
		   const struct check_options *o, struct blame_map *map, struct err *e)
{
	size_t run = p->worst_item / data->batch;
	/* a map needs a worker on the one side; the other may be the reference itself */
	int swapped = !r->backends[p->a].party.worker;
	struct check_backend *a = &r->backends[swapped ? p->b : p->a], *b = &r->backends[swapped ? p->a : p->b];
	struct blame_request q = {
		.trial = t, .accused = &a->party, .other = &b->party, .outcome = &a->runs[run], .options = &o->judge};
	int rc = check_set_run(t, data, run, e);

	return rc ? rc : blame_map_make(&q, map, e);
}

/* ---- all of a model ---------------------------------------------------------------------------------------------- */

/* What confirming has to say of the worst run.  What does not come again is not said as if it were certain, unless
 * other inputs fail as well. */
static void settle_verdict(struct check_result *r, struct check_backend *b)
{
	const struct outcome *worst = &b->runs[b->worst_run];

	if (verdict_is_finding(worst->verdict))
		snprintf(b->reason, sizeof b->reason, "%s", worst->reason);
	for (size_t k = 0; k < b->n; k++)
		if (worst->verdict != VERDICT_FLAKY || verdict_is_finding(b->runs[k].verdict))
			return;
	b->verdict = VERDICT_FLAKY;
	snprintf(b->reason, sizeof b->reason, "%s", worst->reason);
	r->verdict = VERDICT_AGREE;
	for (size_t i = 0; i < r->n_backends; i++)
		r->verdict = verdict_worse(r->verdict, r->backends[i].verdict);
}

/* A backend whose turn comes too late is still confirmed and recorded, without blame and as large as it is. */
static int locate_backend(struct trial *t, struct check_result *r, const struct check_data *data,
			  const struct check_options *o, struct check_blame *out, struct err *e)
{
	struct check_backend *b = &r->backends[out->backend];
	int rc = 0;

	log_print(LOG_INFO, "localizing in %s", b->party.spec.name);
	progress_phase("localizing, backend", out->backend + 1, r->n_backends, b->party.spec.name);
	if (o->keeper)
		o->keeper->deadline = out->deadline;
	if (is_late(out->deadline))
		rc = check_set_run(t, data, b->worst_run, e);
	else
		rc = check_localize(t, r, data, o, out, e);
	if (!rc)
		rc = o->keeper ? keep_case(o->keeper, t, &b->party, &b->runs[b->worst_run], &out->kept, e)
			       : trial_confirm(t, &b->party, &o->judge, &b->runs[b->worst_run], e);
	if (!rc)
		settle_verdict(r, b);
	out->out_of_time = is_late(out->deadline);
	return rc;
}

/* One map for each pattern of inconsistency that no wrong backend explains.  What the reference cannot compute has no
 * map: the pair stays reported. */
static int map_pairs(struct trial *t, struct check_result *r, const struct check_data *data,
		     const struct check_options *o, double deadline, struct check_located *out, struct err *e)
{
	int rc = 0;

	out->maps = mem_array(r->n_patterns + 1, sizeof *out->maps);
	if (!out->maps)
		return err_nomem(e, "maps", r->n_patterns);
	for (size_t i = 1; i <= r->n_patterns && !rc && !is_late(deadline); i++) {
		const struct check_pair *p = check_unexplained(r, (int)i);
		struct check_pair_map *m = &out->maps[out->n_maps];

		if (!p)
			continue;
		m->pair = p;
		rc = check_map_pair(t, r, p, data, o, &m->map, e);
		out->n_maps += !rc;
		if (unjudged_status(rc)) {
			log_print(LOG_WARNING, "no localization map: %s", e->msg);
			err_clear(e);
			rc = 0;
		}
	}
	return rc;
}

int check_locate(struct trial *t, struct check_result *r, const struct check_data *data, const struct check_options *o,
		 struct check_located *out, struct err *e)
{
	struct check_located made = {.blames = mem_array(r->n_backends + 1, sizeof *made.blames)};
	double start = clock_now(), deadline = o->localize_seconds > 0 ? start + o->localize_seconds : 0;
	int rc = made.blames ? 0 : err_nomem(e, "blame", 0);

	for (size_t i = 0; i < r->n_backends && !rc; i++)
		if (verdict_is_finding(r->backends[i].verdict)) {
			made.blames[made.n_blames] = (struct check_blame){.backend = i, .deadline = deadline};
			rc = locate_backend(t, r, data, o, &made.blames[made.n_blames++], e);
		}
	if (!rc)
		rc = map_pairs(t, r, data, o, deadline, &made, e);
	made.seconds = clock_now() - start;
	if (rc)
		check_located_release(&made);
	else
		*out = made;
	return rc;
}

void check_located_release(struct check_located *l)
{
	for (size_t i = 0; i < l->n_blames; i++) {
		blame_release(&l->blames[i].blame);
		blame_map_release(&l->blames[i].map);
	}
	for (size_t i = 0; i < l->n_maps; i++)
		blame_map_release(&l->maps[i].map);
	mem_free(l->blames);
	mem_free(l->maps);
	*l = (struct check_located){0};
}
