/* keep.c - from a finding to a row of the store: the one door that all methods take (see triage.h).
 *
 *     confirm   it must come again, or it is flaky and not kept
 *     prove     it must be the library's, or it is recorded as our own defect, and not against the library
 *     record    at once, so that nothing is lost should the rest be interrupted
 *     blame     what is at fault
 *     known?    so many findings of one signature are kept; more are taken out again, before the costly part
 *     reduce    to the smallest that shows it
 *     sign      by that, and count once more: several may come down to the same defect
 *     cluster   all findings anew, for this one may be a better example, or join what was apart
 *
 * What each step does with a case, or with a call of a library's own operation, is in keep_case.c and keep_call.c. */
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "triage/keeping.h"
#include "worker/parent/spec.h"

#define PER_SIGNATURE 5

int keeper_open(struct keeper *k, struct err *e)
{
	return k->store ? 0 : store_open(k->db ? k->db : "", 1, &k->store, e);
}

int keeper_check(const struct keeper *k, struct err *e)
{
	if (!k->lost)
		return 0;
	return err_set(e, ERR_IO, "%zu finding%s not stored: %s", k->lost, k->lost > 1 ? "s are" : " is",
		       k->trouble.msg);
}

void keeper_close(struct keeper *k)
{
	store_close(k->store);
	k->store = NULL;
}

static int sign(struct keeping *x, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, 4096);
	rc = x->kind->sign(x, &text, e);
	if (!rc)
		snprintf(x->signature, sizeof x->signature, "%s", text.data ? text.data : "");
	buf_release(&text);
	return rc;
}

static int write_evidence(struct keeping *x, struct err *e)
{
	buf_clear(&x->text);
	json_write(&x->text, x->evidence, JSON_COMPACT);
	x->f.evidence = x->text.data ? x->text.data : "{}";
	return buf_check(&x->text, e);
}

/* ---- what is there already --------------------------------------------------------------------------------------- */

struct looking {
	const struct keeping *x;
	int64_t n; /* found alike; the id of the same */
};

static int find_same(const struct finding *f, void *arg)
{
	struct looking *l = arg;

	if (!l->n && l->x->kind->is_same(l->x, f))
		l->n = f->id;
	return 0;
}

/* The very same finding, from a run before, stays as it is; a larger example of it that this run added goes. */
static int look_for_same(struct keeping *x, struct err *e)
{
	struct store_filter filter = {.signature = x->signature, .with_bytes = STORE_ALL_BYTES};
	struct looking l = {.x = x};
	int rc = x->kind->is_same ? store_each(x->k->store, &filter, find_same, &l, e) : 0;

	if (rc || !l.n)
		return rc;
	x->out->id = l.n;
	snprintf(x->out->why, sizeof x->out->why, "it is finding %lld already", (long long)l.n);
	x->over = 1;
	return x->f.id && x->own ? store_remove(x->k->store, x->f.id, e) : 0;
}

/* Findings that looked the same before they were reduced. */
static int count_alike(const struct finding *f, void *arg)
{
	struct looking *l = arg;
	json_t *evidence = f->id != l->x->f.id ? json_loads(f->evidence, 0, NULL) : NULL;

	l->n += !strcmp(json_text_at(evidence, "first_signature"), l->x->signature);
	json_decref(evidence);
	return 0;
}

/* Takes the finding out again when there are enough of its kind. */
static int drop_if(struct keeping *x, int64_t others, struct err *e)
{
	int rc;

	if (others < (x->k->per_signature > 0 ? x->k->per_signature : PER_SIGNATURE))
		return 0;
	rc = store_remove(x->k->store, x->f.id, e);
	if (rc)
		return rc;
	x->out->id = 0;
	snprintf(x->out->why, sizeof x->out->why, "%lld findings with this signature are kept already",
		 (long long)others);
	x->over = 1;
	return 0;
}

static int drop_known(struct keeping *x, struct err *e)
{
	struct store_filter filter = {.verdict = verdict_name(x->f.verdict), .op = *x->f.op ? x->f.op : NULL};
	struct looking l = {.x = x};
	int rc = store_each(x->k->store, &filter, count_alike, &l, e);

	json_object_set_new(x->evidence, "first_signature", json_string(x->signature));
	return rc ? rc : drop_if(x, l.n, e);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static int describe(struct keeping *x, struct err *e)
{
	int rc = x->kind->describe(x, e);

	x->f.campaign = x->k->campaign;
	x->f.method = x->k->method;
	x->f.signature = x->signature;
	if (!rc)
		rc = sign(x, e);
	return rc ? rc : write_evidence(x, e);
}

/* Unless it is there already. */
static int record(struct keeping *x, struct err *e)
{
	int rc = keeper_open(x->k, e);

	if (!rc)
		rc = look_for_same(x, e);
	if (rc || x->over)
		return rc;
	x->earlier = x->f.id;
	if (x->f.id) /* a better example of what is kept */
		rc = store_update(x->k->store, &x->f, e);
	else
		rc = store_add(x->k->store, &x->f, e);
	if (!rc)
		x->out->id = x->f.id;
	x->out->added = !rc && !x->earlier;
	snprintf(x->recorded, sizeof x->recorded, "%s", x->signature);
	return rc;
}

/* What is explained is taken out again. */
static int blame(struct keeping *x, struct err *e)
{
	int rc = x->kind->blame ? x->kind->blame(x, &x->over, e) : 0;

	if (rc)
		return rc;
	if (x->over)
		x->out->id = 0;
	return x->over ? store_remove(x->k->store, x->f.id, e) : sign(x, e);
}

static int update(struct keeping *x, struct err *e)
{
	int64_t same = 0;
	int rc = store_count(x->k->store, x->signature, &same, e);

	same -= !strcmp(x->signature, x->recorded); /* itself */
	if (!rc)
		rc = drop_if(x, same, e);
	if (rc || x->over)
		return rc;
	rc = write_evidence(x, e);
	if (!rc)
		rc = store_update(x->k->store, &x->f, e);
	x->out->fresh = !rc && !same;
	return rc;
}

static int keep_recorded(struct keeping *x, struct err *e)
{
	int rc = blame(x, e), reduced = 0;

	if (!rc && !x->over)
		rc = drop_known(x, e);
	if (rc || x->over)
		return rc;
	if (x->kind->reduce && verdict_is_finding(x->verdict))
		rc = x->kind->reduce(x, &reduced, e);
	if (!rc && reduced)
		rc = sign(x, e);
	return rc || x->over ? rc : update(x, e);
}

/* Findings, and what is a defect of our own. */
static int is_to_record(enum verdict v)
{
	return verdict_is_finding(v) || v == VERDICT_OURS || v == VERDICT_UNPROVEN;
}

static void tell_repro(const struct keeping *x)
{
	struct buf text;

	if (!x->out->id)
		return;
	buf_init(&text, KEPT_REPRO);
	store_command(x->k->store, "replay", x->out->id, &text);
	spec_type(x->f.backend, &text);
	snprintf(x->out->repro, sizeof x->out->repro, "%s", text.data && !text.failed ? text.data : "");
	buf_release(&text);
}

/* What was found is told whatever becomes of the store; only assay's own troubles end everything. */
static int is_loss(const struct keeper *k, int rc)
{
	return rc && rc != ERR_MEMORY && rc != ERR_INTERNAL && !k->must;
}

/* From here on all goes to a store that is forgotten: blame and the smallest case are told all the same. */
static int lose(struct keeper *k, struct err *e)
{
	k->trouble = *e;
	err_clear(e);
	keeper_close(k);
	return store_open_scratch(&k->store, e);
}

/* Where the finding cannot even be written down, it is once more, in a store that is forgotten. */
static int record_or_lose(struct keeping *x, struct err *e)
{
	int rc = record(x, e);

	if (!is_loss(x->k, rc) || x->k->trouble.code)
		return rc;
	rc = lose(x->k, e);
	x->over = 0;
	x->f.id = 0;
	return rc ? rc : record(x, e);
}

static int store_it(struct keeping *x, struct err *e)
{
	int rc = record_or_lose(x, e);

	if (!rc && !x->over)
		rc = keep_recorded(x, e);
	snprintf(x->out->signature, sizeof x->out->signature, "%s", x->signature);
	if (!rc && !x->over)
		rc = cluster_all(x->k->store, NULL, e);
	tell_repro(x);
	return rc;
}

static int store_or_lose(struct keeping *x, struct err *e)
{
	struct keeper *k = x->k;
	int rc = describe(x, e);

	if (!rc)
		rc = store_it(x, e);
	if (is_loss(k, rc) && !k->trouble.code)
		rc = lose(k, e);
	if (!k->trouble.code)
		return rc;
	k->lost++;
	x->out->id = 0;
	*x->out->repro = '\0';
	snprintf(x->out->why, sizeof x->out->why, "%.250s", k->trouble.msg);
	if (!is_loss(k, rc))
		return rc;
	err_clear(e);
	return 0;
}

int keep(struct keeping *x, struct err *e)
{
	int rc;

	*x->out = (struct kept){0};
	x->verdict = VERDICT_FLAKY;
	x->evidence = json_object();
	buf_init(&x->text, KEEP_MAX_BYTES);
	progress_phase("confirming", 0, 0, NULL);
	rc = x->evidence ? x->kind->confirm(x, &x->verdict, e) : err_nomem(e, "evidence", 0);
	if (!rc && verdict_is_finding(x->verdict) && x->kind->prove) {
		progress_phase("proving", 0, 0, NULL);
		rc = x->kind->prove(x, e);
	}
	x->out->verdict = x->verdict;
	if (!rc && is_to_record(x->verdict))
		rc = store_or_lose(x, e);
	buf_release(&x->text);
	json_decref(x->evidence);
	return rc;
}
