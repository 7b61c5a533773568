/* proof.c - call after call against its meaning; see proof.h. */
#include "proof/proof.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "proof/words.h"

static const struct {
	const char *name;
	int accuses;
} results[] = {
#define X(id, word, accuses) [id] = {word, accuses},
	PROOF_MAP(X)
#undef X
};

const char *proof_name(enum proof_result r)
{
	return results[r].name;
}

int proof_accuses(enum proof_result r)
{
	return results[r].accuses;
}

void proof_release(struct proof *p)
{
	buf_release(&p->call);
	buf_release(&p->script);
	tensor_set_release(&p->arguments);
	trial_release(&p->meaning);
	outcome_release(&p->outcome);
	*p = (struct proof){0};
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/* What came of the call, in the form that its meaning gives. */
static int take_results(const struct calls *c, const struct recorded_call *call, struct outcome *o, struct err *e)
{
	o->values = mem_array(call->n_results + 1, sizeof *o->values);
	if (!o->values)
		return err_nomem(e, "results", 0);
	for (; o->n < call->n_results; o->n++) {
		struct tensor *t = call->results[o->n] < c->values.n ? c->values.at[call->results[o->n]].tensor : NULL;

		if (!t)
			return err_set(e, ERR_UNSUPPORTED, "result %zu was not recorded", o->n);
		t = meaning_real(t, e);
		o->values[o->n] = t ? value_tensor(t, e) : NULL;
		if (!o->values[o->n])
			return e->code;
	}
	return 0;
}

/* Fewer results may have been asked for than there are. */
static void drop_outputs(struct model *m, size_t n)
{
	struct graph *g = m->graph;

	while (g->outputs.n > n)
		graph_remove_output(g, g->outputs.at[g->outputs.n - 1]);
	graph_remove_dead(g);
}

/* Judges a call that came to its end.  What cannot be evaluated is ERR_UNSUPPORTED. */
static int judge_call(const struct calls *c, const struct recorded_call *call, struct meaning *meaning,
		      const struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	int rc;

	drop_outputs(meaning->model, call->n_results);
	rc = trial_init(t, meaning->model, meaning->inputs, 1, e);
	meaning->model = NULL;
	meaning->inputs = NULL;
	if (!rc)
		rc = take_results(c, call, o, e);
	if (!rc && o->n != t->model->graph->outputs.n)
		rc = err_set(e, ERR_UNSUPPORTED, "it gave %zu results, its meaning has %zu", o->n,
			     t->model->graph->outputs.n);
	if (!rc)
		rc = trial_truth(t, e);
	if (!rc && t->invalid)
		rc = err_set(e, ERR_UNSUPPORTED, "its meaning is invalid: %.200s", t->why.msg);
	if (!rc)
		rc = trial_judge_values(t, p, NULL, o, e);
	return rc ? rc : trial_doubt(t, NULL, DOUBT_FULL, o, e);
}

/* What calls are held against. */
struct proof_view {
	const struct calls *calls;
	const struct meanings *meanings;
	const struct party *party;
};

/* The case itself is kept in *out only when it is the proof. */
struct proof_step {
	struct trial trial;
	struct outcome outcome;
};

static int accuse(const struct calls *c, const struct recorded_call *call, struct proof_step *s, struct proof *out,
		  struct err *e)
{
	out->result = PROOF_CALL;
	snprintf(out->name, sizeof out->name, "%.120s", call->name);
	buf_clear(&out->call);
	words_of_call(c, call, &out->call);
	out->meaning = s->trial;
	out->outcome = s->outcome;
	*s = (struct proof_step){0};
	return words_of_script(c, call, &out->meaning, &out->script, &out->arguments, e);
}

static void note_unknown(const struct recorded_call *call, const char *why, struct proof *out)
{
	if (!out->unknown++) {
		snprintf(out->name, sizeof out->name, "%.120s", call->name);
		snprintf(out->why, sizeof out->why, "the meaning of %.120s is not known: %.300s", call->name, why);
	}
}

/* A call whose result the documentation leaves open: what follows from it is no fault. */
static void note_limit(const struct calls *c, const struct recorded_call *call, const char *why, struct proof *out)
{
	if (out->limits++ || out->unknown)
		return;
	snprintf(out->name, sizeof out->name, "%.120s", call->name);
	snprintf(out->why, sizeof out->why, "%.500s", why);
	words_of_call(c, call, &out->call);
}

static void drop_step(struct proof_step *s)
{
	trial_release(&s->trial);
	outcome_release(&s->outcome);
	*s = (struct proof_step){0};
}

/* The call is not what its row says.  Where less is promised than that, it must be so much, and *limit is why. */
static int look_for_promise(const struct proof_view *v, const struct recorded_call *call, struct proof_step *s,
			    const char **limit, struct err *e)
{
	struct meaning less;
	struct proof_step again = {0};
	int rc = meaning_promised(v->meanings, v->calls, call, &less, e);

	if (!rc && less.model)
		rc = judge_call(v->calls, call, &less, v->party, &again.trial, &again.outcome, e);
	if (!rc && again.trial.model) {
		drop_step(s);
		*s = again;
		again = (struct proof_step){0};
		*limit = verdict_is_finding(s->outcome.verdict) ? NULL : less.limit;
	}
	drop_step(&again);
	meaning_release(&less);
	return rc;
}

static int takes_odd_numbers(const struct trial *t)
{
	for (size_t i = 0; i < t->model->graph->inputs.n; i++)
		if (!value_is_finite(t->inputs[i]))
			return 1;
	return 0;
}

/* A call that was held against its row; out->result is PROOF_CALL when it is the answer. */
static int settle_judged(const struct proof_view *v, const struct recorded_call *call, struct proof_step *s,
			 struct proof *out, struct err *e)
{
	const char *limit = NULL;
	int rc = 0;

	if (verdict_is_finding(s->outcome.verdict))
		rc = look_for_promise(v, call, s, &limit, e);
	if (rc)
		return rc;
	out->judged++;
	if (limit)
		note_limit(v->calls, call, limit, out);
	if (!verdict_is_finding(s->outcome.verdict))
		return 0;
	if (out->limits && takes_odd_numbers(&s->trial)) /* which came of what is left open */
		return 0;
	snprintf(out->why, sizeof out->why, "%.500s", s->outcome.reason);
	return accuse(v->calls, call, s, out, e);
}

static int look_at_finished(const struct proof_view *v, const struct recorded_call *call, struct meaning *m,
			    struct proof *out, struct err *e)
{
	struct proof_step s = {0};
	struct err trouble = ERR_INIT;
	int rc;

	if (!m->model) {
		if (m->limit)
			note_limit(v->calls, call, m->limit, out);
		else
			note_unknown(call, "there is no row for it", out);
		return 0;
	}
	rc = judge_call(v->calls, call, m, v->party, &s.trial, &s.outcome, &trouble);
	if (!rc)
		rc = settle_judged(v, call, &s, out, &trouble);
	drop_step(&s);
	if (rc == ERR_MEMORY || rc == ERR_INTERNAL) {
		*e = trouble;
		return rc;
	}
	if (rc)
		note_unknown(call, trouble.msg, out);
	return 0;
}

static void note_not_taken(const struct calls *c, const struct recorded_call *call, const char *why, struct proof *out)
{
	out->result = PROOF_LIMIT;
	snprintf(out->why, sizeof out->why, "%.500s", why);
	words_of_call(c, call, &out->call);
}

/* A call that was refused, or that the process died of. */
static int look_at_refused(const struct calls *c, const struct recorded_call *call, struct meaning *m,
			   enum proof_end end, struct proof *out, struct err *e)
{
	struct proof_step s = {0};
	int rc;

	snprintf(out->name, sizeof out->name, "%.120s", call->name);
	buf_clear(&out->call);
	if (m->limit && !m->model) {
		note_not_taken(c, call, m->limit, out);
		return 0;
	}
	if (!m->model) {
		out->result = PROOF_UNKNOWN;
		note_unknown(call, "there is no row for it", out);
		words_of_call(c, call, &out->call);
		return 0;
	}
	rc = trial_init(&s.trial, m->model, m->inputs, 1, e);
	m->model = NULL;
	m->inputs = NULL;
	if (!rc)
		rc = trial_truth(&s.trial, e);
	if (!rc && s.trial.invalid) {
		out->result = PROOF_OURS;
		snprintf(out->why, sizeof out->why, "the call is not valid: %.400s", s.trial.why.msg);
		words_of_call(c, call, &out->call);
	} else if (!rc && end == PROOF_END_REFUSED && !m->takes) {
		note_not_taken(c, call, "the documentation does not say that it takes such arguments", out);
	} else if (!rc) {
		snprintf(out->why, sizeof out->why, "the call is valid and does not come to its end");
		rc = accuse(c, call, &s, out, e);
	}
	trial_release(&s.trial);
	return rc;
}

/* ---- all calls --------------------------------------------------------------------------------------------------- */

static int look_at(const struct proof_view *v, size_t i, struct proof *out, struct err *e)
{
	const struct recorded_call *call = &v->calls->calls.at[i];
	struct meaning meaning;
	struct err trouble = ERR_INIT;
	int rc = meaning_of(v->meanings, v->calls, call, &meaning, &trouble);

	if (rc == ERR_MEMORY || rc == ERR_INTERNAL) {
		*e = trouble;
		return rc;
	}
	if (rc) {
		note_unknown(call, trouble.msg, out);
		return 0;
	}
	out->number = i + 1;
	rc = call->done ? look_at_finished(v, call, &meaning, out, e) : 0;
	meaning_release(&meaning);
	return rc;
}

/* The call that a run ended with, from 1; 0: none.  A process dies of its last call.  A binding may go on after a call
 * that the library refused, with others that its parts need. */
static size_t ending_call(const struct calls *c, enum proof_end end)
{
	size_t n = c->calls.n;

	if (end == PROOF_END_VALUES)
		return 0;
	while (end == PROOF_END_REFUSED && n > 1 && c->calls.at[n - 1].done)
		n--;
	return n && !c->calls.at[n - 1].done ? n : 0;
}

static int look_at_ending(const struct proof_view *v, size_t number, enum proof_end end, struct proof *out,
			  struct err *e)
{
	const struct recorded_call *call = &v->calls->calls.at[number - 1];
	struct meaning meaning;
	int rc = meaning_of(v->meanings, v->calls, call, &meaning, e);

	out->number = number;
	if (rc) { /* the arguments do not fit its row */
		out->result = PROOF_UNKNOWN;
		note_unknown(call, e->msg, out);
		err_clear(e);
		return 0;
	}
	rc = look_at_refused(v->calls, call, &meaning, end, out, e);
	meaning_release(&meaning);
	return rc;
}

enum proof_end proof_end_of(const struct outcome *o)
{
	return o->values ? PROOF_END_VALUES : o->report.result == WORKER_REJECTED ? PROOF_END_REFUSED : PROOF_END_DEAD;
}

int proof_of_calls(const struct calls *c, const struct meanings *m, const struct party *p, enum proof_end end,
		   struct proof *out, struct err *e)
{
	const struct proof_view v = {.calls = c, .meanings = m, .party = p};
	size_t ending = ending_call(c, end);
	int rc = 0;

	buf_init(&out->call, 65536);
	buf_init(&out->script, 65536);
	out->total = c->calls.n;
	out->result = PROOF_OURS; /* until a call is found wrong */
	for (size_t i = 0; i < c->calls.n && !rc && out->result != PROOF_CALL; i++)
		rc = look_at(&v, i, out, e);
	if (rc || out->result == PROOF_CALL)
		return rc;
	if (ending)
		return look_at_ending(&v, ending, end, out, e);
	out->result = out->unknown ? PROOF_UNKNOWN : out->limits ? PROOF_LIMIT : PROOF_OURS;
	if (out->result == PROOF_OURS)
		snprintf(out->why, sizeof out->why,
			 "all %zu calls are right: our translation is wrong, or our estimate of rounding", out->judged);
	return 0;
}
