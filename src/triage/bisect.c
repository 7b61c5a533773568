/* bisect.c - since which version of a library a finding shows, and until which one (see triage.h).
 *
 * Versions are run one by one, each in a worker of its own.  One that cannot be run (not installed, too old for the
 * model's opset) counts as not bad; whether it would be good is not known, and it is not named as such. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "triage/triage.h"

#define NAME_SIZE 512

struct bisect_search {
	const struct bisect_request *q;
	enum verdict verdict; /* what a bad version gives */
	VEC(struct bisect_step) tried;
};

/* ---- one version ------------------------------------------------------------------------------------------------- */

/* The backend's name with another version: options stay. */
static int spec_of(const struct bisect_search *s, const char *version, struct worker_spec *out, struct err *e)
{
	const char *options = strchr(s->q->spec->name, ':');
	char name[NAME_SIZE];

	if (snprintf(name, sizeof name, "%s@%s%s", s->q->spec->backend, version, options ? options : "") >=
	    (int)sizeof name)
		return err_set(e, ERR_USAGE, "the name '%s' is too long", s->q->spec->name);
	return spec_make(name, out, e);
}

static int run_version(struct bisect_search *s, const char *version, struct bisect_step *step, struct err *e)
{
	struct worker_spec spec = {0};
	struct party p = {0};
	struct outcome o = {0};
	struct err absent = ERR_INIT;
	int rc = s->q->install ? s->q->install(s->q->spec->backend, version, s->q->arg, &absent) : 0;

	if (!rc)
		rc = spec_of(s, version, &spec, &absent);
	if (!rc)
		rc = party_open_spec(&p, &spec, &s->q->limits, &absent);
	spec_release(&spec);
	if (rc) {
		step->verdict = VERDICT_UNSUPPORTED;
		snprintf(step->note, sizeof step->note, "%.150s", absent.msg);
		return 0;
	}
	rc = s->q->gradient ? trial_judge_gradients(s->q->trial, &p, NULL, &o, e)
			    : trial_judge(s->q->trial, &p, NULL, &o, e);
	step->verdict = o.verdict;
	step->ratio = o.ratio;
	outcome_release(&o);
	party_close(&p);
	return rc;
}

/* The step of version i, run when it was not yet; NULL on failure. */
static const struct bisect_step *look(struct bisect_search *s, size_t i, struct err *e)
{
	struct bisect_step step = {.verdict = VERDICT_UNSUPPORTED};

	for (size_t k = 0; k < s->tried.n; k++)
		if (!strcmp(s->tried.at[k].version, s->q->versions[i]))
			return &s->tried.at[k];
	snprintf(step.version, sizeof step.version, "%s", s->q->versions[i]);
	if (run_version(s, s->q->versions[i], &step, e))
		return NULL;
	if (vec_push(&s->tried, step)) {
		err_nomem(e, "versions", 0);
		return NULL;
	}
	return &s->tried.at[s->tried.n - 1];
}

static int is_bad(const struct bisect_search *s, const struct bisect_step *step)
{
	return step->verdict == s->verdict;
}

static int is_good(const struct bisect_step *step)
{
	return verdict_is_right(step->verdict);
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

/* From a bad version towards `end`, which lies on one side of it: the last bad one before a change, in *edge. */
static int find_edge(struct bisect_search *s, size_t bad, size_t end, size_t *edge, struct err *e)
{
	const struct bisect_step *step = look(s, end, e);

	if (!step)
		return e->code;
	if (is_bad(s, step)) {
		*edge = end;
		return 0;
	}
	while (bad > end ? bad - end > 1 : end - bad > 1) {
		size_t middle = bad > end ? end + (bad - end) / 2 : bad + (end - bad) / 2;

		step = look(s, middle, e);
		if (!step)
			return e->code;
		if (is_bad(s, step))
			bad = middle;
		else
			end = middle;
	}
	*edge = bad;
	return 0;
}

static int name_if_good(struct bisect_search *s, size_t i, char *out, size_t size, struct err *e)
{
	const struct bisect_step *step = look(s, i, e);

	if (step && is_good(step))
		snprintf(out, size, "%s", s->q->versions[i]);
	return step ? 0 : e->code;
}

/* The version that the finding was made with, else the nearest that is not newer. */
static size_t start_of(const struct bisect_search *s)
{
	size_t i = s->q->n - 1;

	while (i && spec_version_order(s->q->versions[i], s->q->spec->version) > 0)
		i--;
	return i;
}

static int search(struct bisect_search *s, struct bisect_result *out, struct err *e)
{
	size_t start = start_of(s), first, last;
	const struct bisect_step *step = look(s, start, e);
	int rc;

	if (!step)
		return e->code;
	if (*step->note) /* says nothing about the finding */
		return err_set(e, ERR_INPUT, "%s %s, which the search begins with, could not be run: %s",
			       s->q->spec->library, s->q->versions[start], step->note);
	if (s->q->any && verdict_is_finding(step->verdict))
		s->verdict = step->verdict;
	if (!is_bad(s, step))
		return err_set(e, ERR_INPUT,
			       "%s %s does not show the finding but gives '%s': there is nothing to search from",
			       s->q->spec->library, s->q->versions[start], verdict_name(step->verdict));
	rc = find_edge(s, start, 0, &first, e);
	if (!rc)
		rc = find_edge(s, start, s->q->n - 1, &last, e);
	if (rc)
		return rc;
	snprintf(out->first_bad, sizeof out->first_bad, "%s", s->q->versions[first]);
	if (first)
		rc = name_if_good(s, first - 1, out->last_good_before, sizeof out->last_good_before, e);
	if (!rc && last + 1 < s->q->n)
		rc = name_if_good(s, last + 1, out->first_good_after, sizeof out->first_good_after, e);
	return rc;
}

int bisect_versions(const struct bisect_request *q, struct bisect_result *out, struct err *e)
{
	struct bisect_search s = {.q = q, .verdict = q->verdict};
	struct bisect_result result = {0};
	int rc = q->n ? search(&s, &result, e) : err_set(e, ERR_INPUT, "no version of '%s' is known", q->spec->backend);

	if (rc) {
		vec_release(&s.tried);
		return rc;
	}
	result.verdict = s.verdict;
	result.tried = s.tried.at;
	result.n = s.tried.n;
	*out = result;
	return 0;
}

void bisect_release(struct bisect_result *r)
{
	mem_free(r->tried);
	*r = (struct bisect_result){0};
}
