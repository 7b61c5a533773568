/* zoo_worker.c - see zoo_worker.h.
 *
 * The network is loaded once, with its weights as inputs, and each step sends them as float32. */
#include "case/zoo_worker.h"

#include <string.h>

#include "base/mem.h"
#include "judge/session.h"
#include "ops/op.h"

struct zoo_worker {
	struct party party;
	struct trial trial; /* inputs, seeds and wires change with each step */
	uint64_t session;
};

int zoo_worker_new(const struct worker_spec *spec, struct zoo_worker **out, struct err *e)
{
	struct zoo_worker *w = mem_array(1, sizeof *w);
	int rc = w ? party_open_spec(&w->party, spec, NULL, e) : err_nomem(e, "a library", sizeof *w);

	if (rc) {
		mem_free(w);
		return rc;
	}
	*out = w;
	return 0;
}

void zoo_worker_free(struct zoo_worker *w)
{
	if (!w)
		return;
	w->trial.n_grads = 0; /* the trial has no right gradients of its own */
	trial_release(&w->trial);
	party_close(&w->party);
	mem_free(w);
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

/* In training a normalization takes the numbers of the batch. */
static int take_training_form(struct model *m, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < m->graph->nodes.n && !rc; i++)
		if (!strcmp(m->graph->nodes.at[i]->op_type, "BatchNormalization"))
			rc = node_set_int(m->graph->nodes.at[i], "training_mode", 1, e);
	return rc;
}

/* What is asked for, on the trial's own wires. */
static int list_gradients(struct trial *t, struct wire *const *wanted, size_t n, struct err *e)
{
	const struct graph *g = t->model->graph;

	t->grad_seeds = mem_array(g->outputs.n, sizeof *t->grad_seeds);
	t->grad_wires = mem_array(n + 1, sizeof *t->grad_wires);
	if (!t->grad_seeds || !t->grad_wires)
		return err_nomem(e, "gradients", n);
	for (; t->n_grads < n; t->n_grads++)
		t->grad_wires[t->n_grads] = graph_wire(g, wanted[t->n_grads]->name);
	return 0;
}

static int load(struct zoo_worker *w, struct err *e)
{
	struct outcome o = {0};
	int rc;

	session_load(&w->party, &w->trial, &w->session, &o);
	rc = session_failed(&o, e);
	outcome_release(&o);
	return rc ? err_prefix(e, "%s", w->party.spec.name) : 0;
}

static int engine_open(void *arg, const struct model *m, struct wire *const *wanted, size_t n, struct err *e)
{
	struct zoo_worker *w = arg;
	const struct graph *g = m->graph;
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct model *own = NULL;
	int rc = in ? graph_extract(g, g->inputs.at, g->inputs.n, g->outputs.at, g->outputs.n, &own, e)
		    : err_nomem(e, "inputs", g->inputs.n);

	if (!rc)
		rc = take_training_form(own, e);
	if (!rc)
		rc = ops_bind(own, e);
	if (!rc)
		rc = ops_infer(own, e);
	if (rc) {
		model_free(own);
		mem_free(in);
		return rc;
	}
	rc = trial_init(&w->trial, own, in, 0, e);
	if (!rc)
		rc = list_gradients(&w->trial, wanted, n, e);
	return rc ? rc : load(w, e);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static int set_inputs(struct trial *t, struct value *const *in, struct err *e)
{
	for (size_t i = 0; i < t->model->graph->inputs.n; i++) {
		struct value *packed = value_convert(in[i], tensor_pack, e);

		if (!packed)
			return e->code;
		value_unref(t->inputs[i]);
		t->inputs[i] = packed;
	}
	return 0;
}

static int engine_run(void *arg, struct value *const *in, struct tensor **y, struct err *e)
{
	struct zoo_worker *w = arg;
	struct outcome o = {0};
	int rc = set_inputs(&w->trial, in, e);

	if (!rc)
		rc = session_run(&w->party, &w->trial, w->session, &o, e);
	if (!rc)
		rc = session_failed(&o, e);
	if (!rc && o.values[0]->kind != VALUE_TENSOR)
		rc = err_set(e, ERR_INPUT, "the output is not a tensor");
	if (!rc)
		*y = tensor_ref(o.values[0]->tensor);
	outcome_release(&o);
	return rc ? err_prefix(e, "%s", w->party.spec.name) : 0;
}

static int engine_backward(void *arg, struct tensor *const *seeds, struct tensor **grads, struct err *e)
{
	struct zoo_worker *w = arg;
	struct trial *t = &w->trial;
	struct outcome o = {0};
	int rc = 0;

	for (size_t i = 0; i < t->model->graph->outputs.n; i++) {
		tensor_unref(t->grad_seeds[i]);
		t->grad_seeds[i] = seeds[i] ? tensor_copy(seeds[i], e) : NULL;
		if (!t->grad_seeds[i])
			rc = seeds[i] ? e->code : rc;
		else
			t->grad_seeds[i]->dtype = DT_FLOAT;
	}
	if (!rc)
		rc = session_backward(&w->party, t, w->session, &o, e);
	if (!rc)
		rc = session_failed(&o, e);
	for (size_t i = 0; i < t->n_grads && !rc; i++)
		grads[i] = tensor_ref(o.grads[i]);
	outcome_release(&o);
	return rc ? err_prefix(e, "%s", w->party.spec.name) : 0;
}

const struct zoo_engine zoo_worker_engine = {engine_open, engine_run, engine_backward};
