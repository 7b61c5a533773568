/* keep.c - from a finding to a row of the store: the one way that all methods take (see triage.h).
 *
 *     confirm   it must come again in fresh workers, or it is flaky and not kept
 *     record    at once, so that nothing is lost should the rest be interrupted
 *     blame     which node
 *     known?    so many findings of one signature are kept; more are taken out again, before the costly part
 *     reduce    to the smallest case
 *     sign      by the smallest case, and count once more: several nodes may come down to the same defect
 *     cluster   all findings anew, for this one may be a better example, or join what was apart */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

#define REDUCE_SECONDS 20
#define BLAME_SECONDS 20
#define PER_SIGNATURE 5
#define MAX_SIGNATURE 255

/* A finding on its way. */
struct keeping {
	const struct keeper *k;
	struct trial *trial;
	struct party *party;
	struct outcome *outcome;
	struct finding f;
	struct blame blame;
	struct reduce_result reduced;
	json_t *evidence;
	struct buf model, inputs, expected; /* of the case, then of the reduced one */
	struct buf small_model, small_inputs, small_expected;
	char signature[MAX_SIGNATURE + 1], recorded[MAX_SIGNATURE + 1], detail[512];
};

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* JSON has no infinity. */
static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

/* The worst element: what is right there and what came. */
static void add_numbers(struct keeping *x, const struct outcome *o, const struct trial *t, const char *key)
{
	const struct judgement *j = o->judged && o->worst < o->n ? &o->judged[o->worst] : NULL;
	const char *name = "";

	if (!j)
		return;
	if (x->k->gradient)
		name = o->worst < t->n_grads ? t->grad_wires[o->worst]->name : "";
	else if (o->worst < t->model->graph->outputs.n)
		name = t->model->graph->outputs.at[o->worst]->name;
	json_object_set_new(x->evidence, key,
			    json_pack("{s:s, s:I, s:o, s:o, s:o, s:I}", "output", name, "element", (json_int_t)j->worst,
				      "exact", number(j->exact), "got", number(j->got), "noise_ratio", number(j->ratio),
				      "beyond", (json_int_t)j->beyond));
}

static void add_blame(struct keeping *x)
{
	json_t *said = x->blame.evidence ? json_loads(x->blame.evidence, 0, NULL) : NULL;

	if (said)
		json_object_set_new(x->evidence, "blame", said);
}

static void add_reduction(struct keeping *x)
{
	const struct reduce_result *r = &x->reduced;

	json_object_set_new(x->evidence, "reduce",
			    json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:s}", "tries", (json_int_t)r->tries, "kept",
				      (json_int_t)r->kept, "nodes_before", (json_int_t)r->nodes_before, "nodes_after",
				      (json_int_t)r->nodes_after, "seconds", r->seconds, "backend_seconds",
				      r->backend_seconds, "guilty", r->guilty));
}

/* ---- the case as bytes ------------------------------------------------------------------------------------------- */

static struct bytes bytes_of(const struct buf *b)
{
	return (struct bytes){b->data ? b->data : "", b->len};
}

/* What the reference refuses has no right answer to keep. */
static int case_bytes(struct trial *t, struct buf *model, struct buf *inputs, struct buf *expected, struct err *e)
{
	int rc;

	buf_add(model, t->bytes.data, t->bytes.len);
	rc = buf_check(model, e);
	if (!rc)
		rc = trial_inputs_npz(t, inputs, e);
	if (!rc && !t->invalid)
		rc = trial_expected_npz(t, expected, e);
	return rc;
}

static void fill_finding(struct keeping *x)
{
	const struct keeper *k = x->k;

	x->f = (struct finding){.campaign = k->campaign,
				.method = k->method,
				.backend = x->party->spec.name,
				.library = x->party->spec.library,
				.version = party_version(x->party),
				.verdict = x->outcome->verdict,
				.gradient = k->gradient,
				.op = "",
				.node = "",
				.parameter = "",
				.noise_ratio = x->outcome->ratio,
				.signature = x->signature,
				.detail = x->detail,
				.evidence = "{}",
				.command = k->command ? k->command : "",
				.seed = x->trial->seed,
				.nodes = (int)x->trial->model->graph->nodes.n,
				.original_nodes = (int)x->trial->model->graph->nodes.n,
				.model = bytes_of(&x->model),
				.inputs = bytes_of(&x->inputs),
				.expected = bytes_of(&x->expected),
				.since = "",
				.until = ""};
	snprintf(x->detail, sizeof x->detail, "%s", x->outcome->reason);
}

static int sign(struct keeping *x, const struct model *m, const struct node *blamed, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, 4096);
	rc = signature_make(x->party, m, blamed, x->f.verdict, x->k->gradient, &text, e);
	if (!rc)
		snprintf(x->signature, sizeof x->signature, "%s", text.data ? text.data : "");
	buf_release(&text);
	return rc;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static int confirm(struct keeping *x, struct err *e)
{
	return x->k->gradient ? trial_confirm_gradients(x->trial, x->party, x->k->judge, x->outcome, e)
			      : trial_confirm(x->trial, x->party, x->k->judge, x->outcome, e);
}

static int record(struct keeping *x, struct err *e)
{
	int rc = trial_truth(x->trial, e);

	if (rc == ERR_UNSUPPORTED) { /* a crash needs no right answer */
		err_clear(e);
		rc = 0;
	}
	if (!rc)
		rc = case_bytes(x->trial, &x->model, &x->inputs, &x->expected, e);
	if (rc)
		return rc;
	fill_finding(x);
	rc = sign(x, x->trial->model, NULL, e);
	if (!rc)
		rc = store_add(x->k->store, &x->f, e);
	snprintf(x->recorded, sizeof x->recorded, "%s", x->signature);
	return rc;
}

/* Blame may fail where a finding is still one: without it the finding just has no node. */
static int blame(struct keeping *x, struct err *e)
{
	struct blame_request r = {.trial = x->trial,
				  .accused = x->party,
				  .outcome = x->outcome,
				  .gradient = x->k->gradient,
				  .options = x->k->judge,
				  .seconds = BLAME_SECONDS};
	struct err trouble = ERR_INIT;
	int rc = x->k->no_blame ? 0 : blame_run(&r, &x->blame, &trouble);

	if (rc == ERR_MEMORY || rc == ERR_INTERNAL) {
		*e = trouble;
		return rc;
	}
	if (rc)
		json_object_set_new(x->evidence, "blame", json_pack("{s:s}", "failed", trouble.msg));
	add_blame(x);
	if (!x->blame.n)
		return 0;
	x->f.op = x->blame.at[0].node->op_type;
	x->f.node = x->blame.at[0].node->name;
	x->f.parameter = x->blame.at[0].parameter ? x->blame.at[0].parameter : "";
	return sign(x, x->trial->model, x->blame.at[0].node, e);
}

/* A finding that goes with a node for which the library has a known difference is that difference: it is taken out
 * again, and called unspecified; 1 then.  What happens to a process is never explained by one. */
static int drop_explained(struct keeping *x, struct kept *out, struct err *e)
{
	const struct suspect *s = x->blame.n ? &x->blame.at[0] : NULL;
	const struct quirk *row =
		s && s->verified == 1 && x->outcome->judged ? party_quirk(x->party, s->node, x->k->judge) : NULL;
	int rc = row ? store_remove(x->k->store, x->f.id, e) : 0;

	if (!row || rc)
		return rc;
	out->id = 0;
	out->verdict = x->outcome->verdict = VERDICT_UNSPECIFIED;
	snprintf(out->why, sizeof out->why, "known difference of %s: %.200s", s->node->op_type, row->reason);
	return 1;
}

static int reduce(struct keeping *x, struct err *e)
{
	struct reduce_options o = {.gradient = x->k->gradient,
				   .judge = x->k->judge,
				   .seconds = x->k->reduce_seconds > 0 ? x->k->reduce_seconds : REDUCE_SECONDS};
	struct err trouble = ERR_INIT;
	/* of nodes that are guilty together the last is named, and need not be one of them: the smallest case tells */
	const char *op = x->blame.n && x->blame.at[0].together ? NULL : x->f.op;
	int rc = reduce_trial(x->trial, x->party, x->outcome, op, &o, &x->reduced, &trouble);

	if (rc == ERR_MEMORY || rc == ERR_INTERNAL) {
		*e = trouble;
		return rc;
	}
	if (rc) {
		json_object_set_new(x->evidence, "reduce", json_pack("{s:s}", "failed", trouble.msg));
		return 0;
	}
	add_reduction(x);
	add_numbers(x, &x->reduced.outcome, &x->reduced.trial, "reduced_numbers");
	rc = case_bytes(&x->reduced.trial, &x->small_model, &x->small_inputs, &x->small_expected, e);
	if (rc)
		return rc;
	x->f.reduced_model = bytes_of(&x->small_model);
	x->f.reduced_inputs = bytes_of(&x->small_inputs);
	x->f.reduced_expected = bytes_of(&x->small_expected);
	x->f.nodes = (int)x->reduced.nodes_after;
	return 0;
}

/* The node of the smallest case that the signature is about: the only one, or the first with the blamed operator. */
static const struct node *node_to_sign(struct keeping *x)
{
	const struct graph *g = x->reduced.trial.model->graph;

	if (g->nodes.n == 1)
		return g->nodes.at[0];
	for (size_t i = 0; i < g->nodes.n && *x->f.op; i++)
		if (!strcmp(g->nodes.at[i]->op_type, x->f.op))
			return g->nodes.at[i];
	x->f.op = x->f.node = x->f.parameter = ""; /* what was blamed is not in it */
	return NULL;
}

/* ---- how many are kept ------------------------------------------------------------------------------------------- */

struct counting {
	const struct keeping *x;
	int64_t n;
};

/* Findings that looked the same before they were reduced. */
static int count_alike(const struct finding *f, void *arg)
{
	struct counting *c = arg;
	json_t *evidence = f->id != c->x->f.id ? json_loads(f->evidence, 0, NULL) : NULL;
	const char *first = json_string_value(json_object_get(evidence, "first_signature"));

	c->n += first && !strcmp(first, c->x->signature);
	json_decref(evidence);
	return 0;
}

static int64_t cap_of(const struct keeping *x)
{
	return x->k->per_signature > 0 ? x->k->per_signature : PER_SIGNATURE;
}

/* Takes the finding out again when there are enough of its kind; 1 then. */
static int drop_if(struct keeping *x, int64_t others, struct kept *out, struct err *e)
{
	int rc;

	if (others < cap_of(x))
		return 0;
	rc = store_remove(x->k->store, x->f.id, e);
	if (rc)
		return rc;
	out->id = 0;
	snprintf(out->why, sizeof out->why, "%lld findings with this signature are kept already", (long long)others);
	return 1;
}

static int drop_known(struct keeping *x, struct kept *out, struct err *e)
{
	struct store_filter filter = {.verdict = verdict_name(x->f.verdict), .op = *x->f.op ? x->f.op : NULL};
	struct counting c = {.x = x};
	int rc = store_each(x->k->store, &filter, count_alike, &c, e);

	json_object_set_new(x->evidence, "first_signature", json_string(x->signature));
	return rc ? rc : drop_if(x, c.n, out, e);
}

static int update(struct keeping *x, struct kept *out, struct err *e)
{
	int64_t same = 0;
	char *text;
	int rc = store_count(x->k->store, x->signature, &same, e);

	same -= !strcmp(x->signature, x->recorded); /* itself */
	if (!rc)
		rc = drop_if(x, same, out, e);
	if (rc)
		return rc;
	text = json_dumps(x->evidence, JSON_COMPACT);
	if (!text)
		return err_nomem(e, "evidence", 0);
	x->f.evidence = text;
	rc = store_update(x->k->store, &x->f, e);
	mem_free(text);
	out->fresh = !same;
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* 1: taken out again. */
static int keep_recorded(struct keeping *x, struct kept *out, struct err *e)
{
	int rc = blame(x, e);

	add_numbers(x, x->outcome, x->trial, "numbers");
	if (!rc)
		rc = drop_explained(x, out, e);
	if (!rc)
		rc = drop_known(x, out, e);
	if (rc)
		return rc;
	if (!x->k->no_reduce)
		rc = reduce(x, e);
	if (!rc && x->reduced.trial.model)
		rc = sign(x, x->reduced.trial.model, node_to_sign(x), e);
	return rc ? rc : update(x, out, e);
}

static void release(struct keeping *x)
{
	struct buf *bufs[] = {&x->model,       &x->inputs,       &x->expected,
			      &x->small_model, &x->small_inputs, &x->small_expected};

	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_release(bufs[i]);
	blame_release(&x->blame);
	reduce_result_release(&x->reduced);
	json_decref(x->evidence);
}

int keep_finding(const struct keeper *k, struct trial *t, struct party *p, struct outcome *o, struct kept *out,
		 struct err *e)
{
	struct keeping x = {.k = k, .trial = t, .party = p, .outcome = o, .evidence = json_object()};
	struct buf *bufs[] = {&x.model, &x.inputs, &x.expected, &x.small_model, &x.small_inputs, &x.small_expected};
	int rc;

	*out = (struct kept){0};
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_init(bufs[i], MODEL_MAX_FILE);
	rc = x.evidence ? confirm(&x, e) : err_nomem(e, "evidence", 0);
	out->verdict = o->verdict;
	if (!rc && !verdict_is_finding(o->verdict)) {
		snprintf(out->why, sizeof out->why, "%.250s", o->reason);
		release(&x);
		return 0;
	}
	if (!rc)
		rc = record(&x, e);
	if (!rc) {
		out->id = x.f.id;
		rc = keep_recorded(&x, out, e);
		snprintf(out->signature, sizeof out->signature, "%s", x.signature);
		if (!rc)
			rc = cluster_all(k->store, NULL, e);
	}
	release(&x);
	return rc < 0 ? rc : 0;
}
