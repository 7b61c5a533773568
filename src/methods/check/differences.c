/* differences.c - backends that nobody can judge, held against each other and against themselves (declared in check.h).
 *
 * What the reference cannot run may be run by several libraries, or by one in another way that must agree, say with its
 * optimizer off.  A difference beyond any tolerance is told when each side gives its answer again; nobody knows which
 * of the two is right. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "judge/session.h"
#include "judge/unjudged.h"
#include "libraries/libraries.h"
#include "methods/check/check.h"

/* ---- two sides --------------------------------------------------------------------------------------------------- */

/* *same: the backend gives again what it gave; else chance decides. */
static int repeats(struct trial *t, struct check_backend *b, size_t run, const struct check_data *data, int *same,
		   struct err *e)
{
	struct outcome again = {0};
	char how[256] = "";
	int rc = check_set_run(t, data, run, e);

	if (!rc)
		rc = party_run(&b->party, t, &again, e);
	if (!rc)
		rc = unjudged_compare(t->model->graph, &b->runs[run], &again, how, sizeof how, e);
	*same = !rc && again.values && !*how;
	outcome_release(&again);
	return rc;
}

/* The first input on which both were run, cannot be judged and differ. */
static int compare_two(struct trial *t, struct check_backend *a, struct check_backend *b, const struct check_data *data,
		       struct check_difference *d, struct err *e)
{
	int rc = 0, same_a = 1, same_b = 1;

	for (size_t run = 0; run < a->n && run < b->n && !*d->how && !rc; run++) {
		d->run = run;
		if (a->runs[run].verdict == VERDICT_UNJUDGED)
			rc = unjudged_compare(t->model->graph, &a->runs[run], &b->runs[run], d->how, sizeof d->how, e);
	}
	if (rc || !*d->how)
		return rc;
	rc = repeats(t, a, d->run, data, &same_a, e);
	if (!rc)
		rc = repeats(t, b, d->run, data, &same_b, e);
	if (!same_a || !same_b)
		*d->how = '\0';
	return rc;
}

/* ---- backends ---------------------------------------------------------------------------------------------------- */

static int compare_backends(struct trial *t, struct check_result *r, const struct check_data *data, struct err *e)
{
	int rc = 0;

	for (size_t a = 0; a < r->n_backends; a++)
		for (size_t b = a + 1; b < r->n_backends && !rc; b++) {
			struct check_difference *d = &r->differences[r->n_differences];

			*d = (struct check_difference){.a = a, .b = b};
			rc = compare_two(t, &r->backends[a], &r->backends[b], data, d, e);
			r->n_differences += *d->how != '\0';
		}
	return rc;
}

/* ---- option sets ------------------------------------------------------------------------------------------------- */

/* The first option set that must agree with the library as it comes; NULL: none, or the user chose one himself. */
static const char *other_set(const struct check_backend *b)
{
	const struct library *l = b->party.worker ? library_find(b->party.spec.name) : NULL;
	const struct library_pair *p = l && !strchr(b->party.spec.name, ':') ? l->pairs : NULL;

	while (p && p->kind != PAIR_NONE && (p->kind != PAIR_OPTIMIZED || p->a))
		p++;
	return p && p->kind != PAIR_NONE ? p->b : NULL;
}

static int is_there(const struct check_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_backends; i++)
		if (!strcmp(r->backends[i].party.spec.name, name))
			return 1;
	return 0;
}

/* How the other way ended, and what the verdict on the first says of it. */
static void tell_end(struct check_backend *b, const struct check_backend *other, struct check_difference *d)
{
	const struct outcome *last = other->n ? &other->runs[other->n - 1] : NULL;
	size_t used = strlen(b->reason);
	char said[200];

	if (*d->how || !last)
		return;
	if (last->report.result == WORKER_CRASH || last->report.result == WORKER_HANG)
		snprintf(d->how, sizeof d->how, "the first runs it, the second does not: %.180s",
			 worker_report_text(&last->report, said, sizeof said));
	else if (last->values)
		snprintf(b->reason + used, sizeof b->reason - used, "; %s gives no other answer", d->other);
}

/* One backend with another option set. */
static int compare_set(struct trial *t, struct check_backend *b, const struct check_data *data,
		       struct check_difference *d, struct err *e)
{
	static const struct check_options quiet = {0};
	struct check_backend other = {0};
	struct err absent = ERR_INIT;
	int rc;

	if (party_open(&other.party, d->other, &b->party.limits, &absent))
		return 0; /* this version has no such option set */
	rc = check_extract(t, &other, data, &quiet, e);
	if (!rc)
		rc = compare_two(t, b, &other, data, d, e);
	if (!rc)
		tell_end(b, &other, d);
	check_backend_release(&other);
	return rc;
}

static int compare_sets(struct trial *t, struct check_result *r, const struct check_data *data, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		struct check_backend *b = &r->backends[i];
		const char *set = b->verdict == VERDICT_UNJUDGED && b->runs[0].values ? other_set(b) : NULL;
		struct check_difference *d = &r->differences[r->n_differences];

		if (!set)
			continue;
		*d = (struct check_difference){.a = i, .b = i};
		snprintf(d->other, sizeof d->other, "%.100s:%.20s", b->party.spec.name, set);
		if (!is_there(r, d->other))
			rc = compare_set(t, b, data, d, e);
		r->n_differences += *d->how != '\0';
	}
	return rc;
}

int check_find_differences(struct trial *t, struct check_result *r, const struct check_data *data, struct err *e)
{
	size_t n = r->n_backends;
	int rc;

	r->differences = mem_array(n * n + 1, sizeof *r->differences);
	rc = r->differences ? compare_backends(t, r, data, e) : err_nomem(e, "differences", n * n);
	return rc ? rc : compare_sets(t, r, data, e);
}
