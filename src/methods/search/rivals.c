/* rivals.c - a population on all backends at once, each with a worker of its own.
 *
 * Tensors belong to one thread: a rival copies a case's inputs; of its model a library sees the bytes alone, which only
 * the reference must make a model of its own of.  Cases of one model (input level) are run in one session, which is
 * loaded anew with each population.  What a rival gives is taken over by the caller when all are at rest. */
#include <string.h>

#include "base/crew.h"
#include "base/mem.h"
#include "judge/session.h"
#include "methods/search/internal.h"
#include "ops/op.h"

struct rival {
	struct rivals *all;
	size_t index;
	const struct worker_spec *spec;
	struct party party;
};

struct rivals {
	struct rival *at;
	size_t n;
	struct crew *crew;         /* a job is one rival */
	struct individual **cases; /* of the run that is going on; NULL: parties are opened */
	size_t n_cases;
	int one_model; /* all of them have the same */
	const struct search_options *options;
};

/* What a rival has loaded while a run goes on. */
struct loaded {
	uint64_t session;
	int is_open;
};

/* ---- a rival ----------------------------------------------------------------------------------------------------- */

static int copy_inputs(const struct trial *t, struct value **in, struct err *e)
{
	for (size_t i = 0; i < t->model->graph->inputs.n; i++) {
		struct tensor *copy;

		if (!t->inputs[i])
			continue;
		if (t->inputs[i]->kind != VALUE_TENSOR)
			return err_set(e, ERR_UNSUPPORTED, "inputs that are not tensors are not searched");
		copy = tensor_copy(t->inputs[i]->tensor, e);
		in[i] = copy ? value_tensor(copy, e) : NULL;
		if (!in[i])
			return e->code;
	}
	return 0;
}

/* The caller's case with inputs of the member's own; only those are to be released. */
static int borrow_case(const struct trial *t, struct trial *out, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	int rc;

	*out = (struct trial){.model = t->model, .bytes = t->bytes, .seed = t->seed};
	out->inputs = mem_array(n + 1, sizeof *out->inputs);
	rc = out->inputs ? copy_inputs(t, out->inputs, e) : err_nomem(e, "inputs", n * sizeof *out->inputs);
	return rc;
}

static void return_case(struct trial *t)
{
	for (size_t i = 0; t->inputs && i < t->model->graph->inputs.n; i++)
		value_unref(t->inputs[i]);
	mem_free(t->inputs);
}

static void unload(struct rival *me, struct loaded *l)
{
	if (l->is_open)
		session_unload(&me->party, l->session);
	l->is_open = 0;
}

/* On a library. */
static int run_worker(struct rival *me, struct trial *t, struct loaded *l, struct outcome *o, struct err *e)
{
	int rc = 0;

	if (!l->is_open) {
		session_load(&me->party, t, &l->session, o);
		l->is_open = o->report.result == WORKER_OK;
	}
	if (l->is_open) {
		rc = session_run(&me->party, t, l->session, o, e);
		l->is_open = session_lives(&me->party, l->session);
	}
	if (!me->all->one_model)
		unload(me, l);
	return rc;
}

/* On the reference, in this process: it binds and opens the model. */
static int run_reference(struct rival *me, struct trial *t, struct outcome *o, struct err *e)
{
	struct model *m = NULL;
	int rc = model_parse(t->bytes.data, t->bytes.len, "", &m, e);
	struct trial own = {.model = m, .bytes = t->bytes, .inputs = t->inputs, .seed = t->seed};
	struct err ignored = ERR_INIT;

	if (rc)
		return rc;
	ops_bind(m, &ignored); /* as trial_init() does: what breaks the rules is refused when it is run */
	rc = session_run(&me->party, &own, 0, o, e);
	own.inputs = NULL;
	buf_init(&own.bytes, 0);
	trial_release(&own);
	return rc;
}

/* A library that ran what is not valid may have written anywhere: the next case is not to suffer for it. */
static int replace_worker(struct rival *me, struct loaded *l, struct err *e)
{
	l->is_open = 0;
	party_close(&me->party);
	return party_open_spec(&me->party, me->spec, NULL, e);
}

static int run_case(struct rival *me, struct individual *x, struct loaded *l, struct err *e)
{
	static const struct judge_options only_run = {.no_truth = 1};
	struct outcome *o = &x->outcomes[me->index];
	struct trial t;
	int rc = borrow_case(&x->trial, &t, e);

	if (!rc && me->party.worker)
		rc = run_worker(me, &t, l, o, e);
	else if (!rc)
		rc = run_reference(me, &t, o, e);
	if (!rc)
		rc = trial_judge_values(&t, &me->party, &only_run, o, e);
	return_case(&t);
	if (!rc && x->invalid && me->party.worker && o->report.result == WORKER_OK)
		return replace_worker(me, l, e);
	if (rc != ERR_UNSUPPORTED && rc != ERR_LIMIT && rc != ERR_INPUT)
		return rc;
	err_clear(e); /* assay cannot run this one there */
	outcome_release(o);
	o->verdict = VERDICT_UNSUPPORTED;
	o->report.result = WORKER_UNSUPPORTED;
	return 0;
}

/* All cases, or opening it. */
static int work(void *arg, size_t thread, size_t i, struct err *e)
{
	struct rivals *all = arg;
	struct rival *me = &all->at[i];
	struct loaded loaded = {0};
	int rc = 0;

	(void)thread;
	if (!all->cases)
		return party_open_spec(&me->party, me->spec, NULL, e);
	for (size_t k = 0; k < all->n_cases && !rc && !search_is_over(all->options); k++)
		rc = run_case(me, all->cases[k], &loaded, e);
	unload(me, &loaded);
	return rc;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

int rivals_open(const struct spec_list *specs, size_t jobs, struct rivals **out, struct err *e)
{
	struct rivals *all = mem_zalloc(sizeof *all);
	struct crew_work does = {.arg = all, .run = work};
	int rc = all ? 0 : err_nomem(e, "backends", sizeof *all);

	if (rc)
		return rc;
	all->at = mem_array(specs->n + 1, sizeof *all->at);
	rc = all->at ? 0 : err_nomem(e, "backends", specs->n * sizeof *all->at);
	for (; all->n < specs->n && !rc; all->n++)
		all->at[all->n] = (struct rival){.all = all, .index = all->n, .spec = &specs->at[all->n]};
	if (!rc)
		rc = crew_open(&does, jobs && jobs < all->n ? jobs : all->n, &all->crew, e);
	if (!rc)
		rc = crew_run(all->crew, all->n, e);
	if (rc)
		rivals_close(all);
	else
		*out = all;
	return rc;
}

void rivals_close(struct rivals *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		party_close(&all->at[i].party);
	crew_close(all->crew);
	mem_free(all->at);
	mem_free(all);
}

size_t rivals_count(const struct rivals *all)
{
	return all->n;
}

struct party *rivals_party(struct rivals *all, size_t i)
{
	return &all->at[i].party;
}

int rivals_run(struct rivals *all, struct individual **cases, size_t n, int one_model, const struct search_options *o,
	       struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		cases[i]->outcomes = mem_array(all->n + 1, sizeof *cases[i]->outcomes);
		if (!cases[i]->outcomes)
			return err_nomem(e, "outcomes", all->n * sizeof *cases[i]->outcomes);
		cases[i]->n_outcomes = all->n;
	}
	all->cases = cases;
	all->n_cases = n;
	all->one_model = one_model;
	all->options = o;
	return crew_run(all->crew, all->n, e);
}
