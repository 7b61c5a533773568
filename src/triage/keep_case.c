/* keep_case.c - findings that a model and its inputs show, on their way to the store (declared in triage.h). */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "judge/unjudged.h"
#include "proof/proof.h"
#include "triage/keeping.h"
#include "triage/reduced.h"
#include "triage/reduction.h"
#include "worker/parent/quirks.h"

#define REDUCE_SECONDS 20
#define BLAME_SECONDS 20
#define CAME_TENSORS 8 /* outputs of which the evidence has what came … */
#define CAME_VALUES 24 /* … so many numbers */

struct kept_case {
	struct trial *trial;
	struct party *party;
	struct outcome *outcome;
	struct proof proof;
	struct blame blame;
	struct reduce_result reduced; /* its trial has no model before */
	struct blame again;           /* of that */
	struct case_bytes bytes, small;
};

/* A failure of assay itself ends the work; every other leaves the finding without this part of it. */
static int is_fatal(int rc, const struct err *trouble, struct err *e)
{
	if (rc != ERR_MEMORY && rc != ERR_INTERNAL)
		return 0;
	*e = *trouble;
	return rc;
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
				      "exact", json_number(j->exact), "got", json_number(j->got), "noise_ratio",
				      json_number(j->ratio), "beyond", (json_int_t)j->beyond));
	if (judge_is_told(j))
		json_object_set_new(json_object_get(x->evidence, key), "told", json_text(j->reason));
}

/* A text is {"text": …}, so that none is taken for a number. */
static json_t *element_json(const struct tensor *t, size_t i)
{
	int64_t whole;

	if (t->dtype == DT_STRING)
		return json_pack("{s:o}", "text", json_text(t->s[i].p ? t->s[i].p : ""));
	if (t->dtype != DT_INT64)
		return json_number(tensor_get(t, i));
	memcpy(&whole, (const char *)t->data + i * sizeof whole, sizeof whole);
	return json_integer(whole);
}

/* What came at an output, around its worst element. */
static json_t *came_json(const struct tensor *t, const char *name, const struct judgement *j)
{
	size_t first = j->worst < CAME_VALUES ? 0 : j->worst - CAME_VALUES / 2;
	json_t *values = json_array();
	char type[256];

	for (size_t i = first; i < t->count && i - first < CAME_VALUES; i++)
		json_array_append_new(values, element_json(t, i));
	return json_pack("{s:o, s:s, s:I, s:o, s:b}", "name", json_text(name), "type",
			 tensor_describe(t, type, sizeof type), "first", (json_int_t)first, "values", values, "more",
			 t->count > first + CAME_VALUES);
}

/* What the library gave, beside which the store has what is right. */
static void add_came(struct keeping *x, const struct outcome *o, const struct trial *t, const char *key)
{
	json_t *list = json_array();

	for (size_t i = 0; !x->k->gradient && o->values && o->judged && i < o->n && i < CAME_TENSORS; i++) {
		const struct tensor *v = o->values[i]->kind == VALUE_TENSOR ? o->values[i]->tensor : NULL;

		if (v && dtype_wide(v->dtype) != WIDE_C64)
			json_array_append_new(list, came_json(v, t->model->graph->outputs.at[i]->name, &o->judged[i]));
	}
	json_object_set_new(x->evidence, key, list);
}

static void add_proof(struct keeping *x, const struct proof *p)
{
	json_object_set_new(x->evidence, "proof",
			    json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "by", proof_name(p->result), "why", p->why,
				      "call", p->call.data ? p->call.data : "", "number", (json_int_t)p->number,
				      "calls", (json_int_t)p->total, "judged", (json_int_t)p->judged));
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

static int is_late(const struct keeper *k)
{
	return k->deadline > 0 && clock_now() >= k->deadline;
}

/* Whether the case is confirmed when it is reduced, and not before. */
static int is_hasty(const struct keeping *x)
{
	const struct kept_case *c = x->what;
	const struct keeper *k = x->k;

	return k->hasty && !k->gradient && !k->no_reduce && c->trial->model->graph->nodes.n == 1;
}

static int confirm(struct keeping *x, enum verdict *v, struct err *e)
{
	struct kept_case *c = x->what;
	int rc = x->k->gradient ? trial_confirm_gradients(c->trial, c->party, x->k->judge, c->outcome, e)
		 : is_hasty(x)  ? trial_repeat(c->trial, c->party, x->k->judge, c->outcome, e)
				: trial_confirm(c->trial, c->party, x->k->judge, c->outcome, e);

	*v = c->outcome->verdict;
	if (!rc && !verdict_is_finding(*v))
		snprintf(x->out->why, sizeof x->out->why, "%.250s", c->outcome->reason);
	return rc;
}

static const enum verdict verdict_by_proof[] = {
	[PROOF_LIMIT] = VERDICT_UNSUPPORTED,
	[PROOF_OURS] = VERDICT_OURS,
	[PROOF_ROUNDING] = VERDICT_ROUNDING,
	[PROOF_UNKNOWN] = VERDICT_UNPROVEN,
};

static int prove(struct keeping *x, struct err *e)
{
	struct kept_case *c = x->what;
	struct proof *p = &c->proof;
	int rc = proof_run(c->trial, c->party, c->outcome, x->k->gradient, p, e);

	if (rc)
		return rc;
	add_proof(x, p);
	if (proof_accuses(p->result))
		return 0;
	x->verdict = verdict_by_proof[p->result];
	snprintf(x->out->why, sizeof x->out->why, "%.250s", p->why);
	return 0;
}

static int describe(struct keeping *x, struct err *e)
{
	struct kept_case *c = x->what;
	int nodes = (int)c->trial->model->graph->nodes.n, rc = trial_truth(c->trial, e);

	if (unjudged_status(rc)) { /* a crash needs no right answer */
		err_clear(e);
		rc = 0;
	}
	if (!rc)
		rc = case_bytes_make(c->trial, &c->bytes, e);
	x->f = (struct finding){.backend = c->party->spec.name,
				.library = c->party->spec.library,
				.version = party_version(c->party),
				.verdict = x->verdict,
				.gradient = x->k->gradient,
				.op = "",
				.node = "",
				.parameter = "",
				.noise_ratio = c->outcome->ratio,
				.detail = verdict_is_finding(x->verdict) ? c->outcome->reason : c->proof.why,
				.command = x->k->command ? x->k->command : "",
				.seed = c->trial->seed,
				.nodes = nodes,
				.original_nodes = nodes,
				.model = case_bytes_of(&c->bytes.model),
				.inputs = case_bytes_of(&c->bytes.inputs),
				.expected = case_bytes_of(&c->bytes.expected),
				.since = "",
				.until = ""};
	return rc;
}

/* The first suspect; none where nodes fail only together: the last of them, where it shows, is as innocent as any. */
static void name_suspect(struct keeping *x, const struct blame *b)
{
	const struct suspect *s = b->n && !b->at[0].together ? &b->at[0] : NULL;

	x->f.op = s ? s->node->op_type : "";
	x->f.node = s ? s->node->name : "";
	x->f.parameter = s && s->parameter ? s->parameter : "";
}

/* The operators of nodes that fail only together, as the blamer found them. */
static void note_set(struct keeping *x, const json_t *blame)
{
	const json_t *sets = json_object_get(json_object_get(blame, "isolated"), "only_together");
	json_t *ops = json_object_get(json_array_get(sets, 0), "ops");

	if (!*x->f.op && json_array_size(ops))
		json_object_set(x->evidence, "together", ops);
	else
		json_object_del(x->evidence, "together");
}

/* The node of the smallest case that the signature is about: the only one, that which was blamed in it, or the first
 * with the operator that was blamed before. */
static const struct node *node_to_sign(struct keeping *x, const struct graph *g)
{
	const struct node *node = g->nodes.n == 1 ? g->nodes.at[0] : NULL;

	for (size_t i = 0; i < g->nodes.n && *x->f.op; i++) {
		const struct node *n = g->nodes.at[i];

		if (!strcmp(n->op_type, x->f.op) && (!node || !strcmp(n->name, x->f.node)))
			node = n;
	}
	if (!node || strcmp(node->op_type, x->f.op) != 0) /* what was blamed is not in it */
		x->f.parameter = "";
	x->f.op = node ? node->op_type : "";
	x->f.node = node ? node->name : "";
	return node;
}

/* By the smallest case where there is one, else by the blamed node. */
static int sign(struct keeping *x, struct buf *out, struct err *e)
{
	struct kept_case *c = x->what;
	const struct model *m = c->reduced.trial.model ? c->reduced.trial.model : c->trial->model;
	const struct node *node = c->reduced.trial.model                   ? node_to_sign(x, m->graph)
				  : c->blame.n && !c->blame.at[0].together ? c->blame.at[0].node
									   : NULL;

	const json_t *set = node ? NULL : json_object_get(x->evidence, "together");

	if (set)
		return signature_make_set(&c->party->spec, m, set, x->f.verdict, x->k->gradient, out, e);
	return signature_make(&c->party->spec, m, node, x->f.verdict, x->k->gradient, out, e);
}

/* The known difference that a node has, and shows when it is run alone; a fault of the same operator is none. */
static int find_quirk(const struct keeping *x, const struct node *n, const struct quirk **row, struct err *e)
{
	const struct kept_case *c = x->what;
	const struct blame_request r = {.trial = c->trial, .accused = c->party, .options = x->k->judge};
	enum verdict alone = VERDICT_UNSPECIFIED;
	int rc = 0;

	*row = party_quirk(c->party, n, x->k->judge);
	if (*row && !x->k->gradient)
		rc = blame_verdict_alone(&r, n, &alone, e);
	if (alone != VERDICT_UNSPECIFIED)
		*row = NULL;
	return rc;
}

/* A finding that goes with a node for which the library has a known difference is that difference; and what ONNX leaves
 * open is no library's fault.  What happens to a process is never explained by either. */
static int explain(struct keeping *x, int *explained, struct err *e)
{
	struct kept_case *c = x->what;
	const struct suspect *s = c->blame.n ? &c->blame.at[0] : NULL;
	const struct quirk *row;
	const char *open = NULL;
	int rc;

	if (!s || s->effect != SWAP_GOES || !c->outcome->judged || c->outcome->stands)
		return 0;
	rc = find_quirk(x, s->node, &row, e);
	if (!rc && !row)
		rc = domain_why_open(c->trial, s->node, &open, e);
	if (rc || (!row && !open))
		return rc;
	*explained = 1;
	x->out->verdict = c->outcome->verdict = VERDICT_UNSPECIFIED;
	if (row)
		snprintf(x->out->why, sizeof x->out->why, "known difference of %s: %.200s", s->node->op_type,
			 row->reason);
	else
		snprintf(x->out->why, sizeof x->out->why, "ONNX leaves the result of %s open: %s", s->node->op_type,
			 open);
	return 0;
}

static double reduce_time(const struct keeper *k)
{
	double most = k->reduce_seconds > 0 ? k->reduce_seconds : clock_patience(REDUCE_SECONDS);
	double left = k->deadline - clock_now();

	return k->deadline > 0 && left < most ? left : most;
}

/* Blame may fail where a finding is still one: without it the finding just has no node. */
static int blame(struct keeping *x, int *explained, struct err *e)
{
	struct kept_case *c = x->what;
	struct blame_request r = {.trial = c->trial,
				  .accused = c->party,
				  .outcome = c->outcome,
				  .gradient = x->k->gradient,
				  .blamers = is_hasty(x) ? "isolated,swap" : NULL, /* of one node a map says nothing */
				  .options = x->k->judge,
				  .seconds = clock_patience(BLAME_SECONDS),
				  .deadline = x->k->deadline};
	struct err trouble = ERR_INIT;
	int rc = x->k->no_blame || is_late(x->k) ? 0 : blame_run(&r, &c->blame, &trouble);
	json_t *said = rc                  ? json_pack("{s:s}", "failed", trouble.msg)
		       : c->blame.evidence ? json_loads(c->blame.evidence, 0, NULL)
					   : NULL;

	name_suspect(x, &c->blame);
	note_set(x, said);
	if (said)
		json_object_set_new(x->evidence, "blame", said);
	add_numbers(x, c->outcome, c->trial, "numbers");
	add_came(x, c->outcome, c->trial, "came");
	if (is_fatal(rc, &trouble, e))
		return rc;
	return explain(x, explained, e);
}

/* The smallest case must show the same of the library; else it has slid to something else, and the larger one stays. */
static int prove_reduced(struct keeping *x, struct err *e)
{
	struct kept_case *c = x->what;
	struct proof again = {0};
	int rc = proof_run(&c->reduced.trial, c->party, &c->reduced.outcome, x->k->gradient, &again, e);

	if (rc)
		return rc;
	if (again.result != c->proof.result) {
		rc = err_set(e, ERR_INPUT, "the smallest case shows another thing (%s)", proof_name(again.result));
		proof_release(&again);
		return rc;
	}
	add_proof(x, &again);
	proof_release(&c->proof);
	c->proof = again;
	return 0;
}

/* Blames once more, in the smallest case: what was blamed in the whole need not be in it.  Without an answer what was
 * said before stands, as far as it is in it; parameters that were not tried there do not.  A node that was alone from
 * the start is what it was. */
static int blame_reduced(struct keeping *x, struct err *e)
{
	struct kept_case *c = x->what;
	struct blame_request r = {.trial = &c->reduced.trial,
				  .accused = c->party,
				  .outcome = &c->reduced.outcome,
				  .gradient = x->k->gradient,
				  .blamers = "isolated",
				  .options = x->k->judge,
				  .seconds = clock_patience(BLAME_SECONDS),
				  .deadline = x->k->deadline};
	struct err trouble = ERR_INIT;
	int passed = x->k->no_blame || is_late(x->k) || is_hasty(x);
	int rc = passed ? 0 : blame_run(&r, &c->again, &trouble);
	json_t *said = !rc && c->again.evidence ? json_loads(c->again.evidence, 0, NULL) : NULL;

	x->f.parameter = "";
	if (c->again.n) {
		name_suspect(x, &c->again);
		note_set(x, said);
	}
	if (said)
		json_object_set_new(x->evidence, "reduced_blame", said);
	return is_fatal(rc, &trouble, e);
}

/* Confirms a case that no reduction has: where it does not come again it is taken out. */
static int confirm_late(struct keeping *x, struct err *e)
{
	struct kept_case *c = x->what;
	int rc = is_hasty(x) ? trial_confirm(c->trial, c->party, x->k->judge, c->outcome, e) : 0;

	if (rc || verdict_is_finding(c->outcome->verdict))
		return rc;
	x->over = 1;
	x->out->id = 0;
	x->out->verdict = c->outcome->verdict;
	snprintf(x->out->why, sizeof x->out->why, "%.250s", c->outcome->reason);
	return store_remove(x->k->store, x->f.id, e);
}

static int reduce(struct keeping *x, int *reduced, struct err *e)
{
	struct kept_case *c = x->what;
	struct reduce_options o = {.gradient = x->k->gradient,
				   .hasty = is_hasty(x),
				   .judge = x->k->judge,
				   .seconds = reduce_time(x->k),
				   .deadline = x->k->deadline};
	struct err trouble = ERR_INIT;
	int passed = x->k->no_reduce || is_late(x->k);
	int rc = passed ? 0 : reduce_trial(c->trial, c->party, c->outcome, x->f.op, &o, &c->reduced, &trouble);

	if (passed)
		return confirm_late(x, e);
	if (is_fatal(rc, &trouble, e))
		return rc;
	if (!rc && o.hasty && !c->reduced.confirmed)
		rc = err_set(&trouble, ERR_INPUT, "no smaller case comes again in a fresh worker");
	if (!rc)
		rc = prove_reduced(x, &trouble);
	if (is_fatal(rc, &trouble, e))
		return rc;
	if (rc) {
		reduce_result_release(&c->reduced);
		json_object_set_new(x->evidence, "reduce", json_pack("{s:s}", "failed", trouble.msg));
		return confirm_late(x, e);
	}
	json_object_set_new(x->evidence, "reduce", reduced_json(&c->reduced));
	snprintf(x->out->guilty, sizeof x->out->guilty, "%s", c->reduced.switches.words);
	add_numbers(x, &c->reduced.outcome, &c->reduced.trial, "reduced_numbers");
	add_came(x, &c->reduced.outcome, &c->reduced.trial, "reduced_came");
	*reduced = 1;
	rc = blame_reduced(x, e);
	return rc ? rc : reduced_set(&c->reduced, &c->small, &x->f, e);
}

static const struct keep_kind case_kind = {
	.confirm = confirm, .prove = prove, .describe = describe, .sign = sign, .blame = blame, .reduce = reduce};

int keep_case(struct keeper *k, struct trial *t, struct party *p, struct outcome *o, struct kept *out, struct err *e)
{
	struct kept_case c = {.trial = t, .party = p, .outcome = o};
	struct keeping x = {.k = k, .kind = &case_kind, .what = &c, .out = out};
	int rc = keep(&x, e);

	case_bytes_release(&c.bytes);
	case_bytes_release(&c.small);
	blame_release(&c.blame);
	blame_release(&c.again);
	proof_release(&c.proof);
	reduce_result_release(&c.reduced);
	return rc;
}
