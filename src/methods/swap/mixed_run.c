/* mixed_run.c - forward and backward through the segments of a mix (declared in mixed.h). */
#include <stdio.h>

#include "base/mem.h"
#include "judge/session.h"
#include "methods/swap/internal.h"

void mixed_run_release(struct mixed_run *r)
{
	for (size_t i = 0; r->outputs && i < r->n_outputs; i++)
		value_unref(r->outputs[i]);
	for (size_t i = 0; r->grads && i < r->n_grads; i++)
		tensor_unref(r->grads[i]);
	mem_free(r->outputs);
	mem_free(r->grads);
	*r = (struct mixed_run){0};
}

/* ---- one segment ------------------------------------------------------------------------------------------------- */

/* Loads a segment that is not loaded.  1: it is there; 0: the run failed. */
static int prepare(struct mixed *m, struct segment *s, struct mixed_run *run)
{
	struct outcome o = {0};

	if (s->loaded && session_lives(m->parties[s->party], s->session))
		return 1;
	session_load(m->parties[s->party], &s->part, &s->session, &o);
	s->loaded = o.report.result == WORKER_OK;
	if (s->loaded)
		return 1;
	run->report = o.report;
	run->party = s->party;
	return 0;
}

/* What is to be known of a request; 1: it worked. */
static int note(const struct segment *s, const struct outcome *o, struct mixed_run *run)
{
	run->seconds += o->run_seconds;
	if (o->report.result == WORKER_OK)
		return 1;
	run->report = o->report;
	run->party = s->party;
	return 0;
}

static void feed(struct mixed *m, struct segment *s)
{
	const struct graph *whole = m->t->model->graph, *g = s->part.model->graph;

	for (size_t i = 0; i < g->inputs.n; i++) {
		value_unref(s->part.inputs[i]);
		s->part.inputs[i] = value_ref(m->values[graph_wire(whole, g->inputs.at[i]->name)->id]);
	}
}

/* ---- forward ----------------------------------------------------------------------------------------------------- */

/* 1: it worked, 0: the backend failed. */
static int run_segment(struct mixed *m, struct segment *s, struct mixed_run *run, struct err *e)
{
	struct outcome o = {0};
	int rc;

	if (!s->cut.n_to)
		return 1;
	if (!prepare(m, s, run))
		return 0;
	feed(m, s);
	rc = session_run(m->parties[s->party], &s->part, s->session, &o, e);
	if (!rc)
		rc = note(s, &o, run);
	for (size_t i = 0; rc > 0 && i < s->cut.n_to; i++) {
		struct value **to = &m->values[s->cut.to[i]->id];

		value_unref(*to);
		*to = value_ref(o.values[i]);
	}
	outcome_release(&o);
	return rc;
}

/* Inputs, and outputs that no node makes. */
static int begin(struct mixed *m, struct err *e)
{
	const struct graph *g = m->t->model->graph;

	for (size_t i = 0; i < g->wires.n; i++) {
		value_unref(m->values[i]);
		m->values[i] = NULL;
	}
	for (size_t i = 0; i < g->inputs.n; i++)
		m->values[g->inputs.at[i]->id] = value_ref(m->t->inputs[i]);
	for (size_t i = 0; i < g->outputs.n; i++) {
		const struct wire *w = g->outputs.at[i];

		if (m->values[w->id] || !w->init)
			continue;
		m->values[w->id] = value_tensor(tensor_ref(w->init), e);
		if (!m->values[w->id])
			return e->code;
	}
	return 0;
}

int mixed_forward(struct mixed *m, struct mixed_run *out, struct err *e)
{
	const struct graph *g = m->t->model->graph;
	struct mixed_run run = {0};
	int ok = 1, rc = mixed_plan(m, e);

	if (!rc)
		rc = begin(m, e);
	if (rc)
		return rc;
	run.segments = m->plan.n;
	for (size_t i = 0; i < m->plan.n && ok > 0; i++)
		ok = run_segment(m, m->plan.at[i], &run, e);
	if (ok < 0)
		return ok;
	if (ok) {
		run.outputs = mem_array(g->outputs.n, sizeof *run.outputs);
		if (!run.outputs)
			return err_nomem(e, "outputs", g->outputs.n);
		for (; run.n_outputs < g->outputs.n; run.n_outputs++)
			run.outputs[run.n_outputs] = value_ref(m->values[g->outputs.at[run.n_outputs]->id]);
	}
	*out = run;
	return 0;
}

/* ---- backward ---------------------------------------------------------------------------------------------------- */

/* Adds a gradient to a wire's sum.  0: it has another shape than the wire; 1: added. */
static int add(struct mixed *m, const struct wire *w, const struct tensor *grad, struct err *e)
{
	struct tensor **sum = &m->sums[w->id];
	const struct value *shape = m->known.at[w->id];

	if (!grad || (shape && shape->kind == VALUE_TENSOR && !tensor_same_shape(shape->tensor, grad)))
		return 0;
	if (!*sum && !(*sum = tensor_zeros(grad->dtype, grad->rank, grad->dims, e)))
		return e->code;
	for (size_t i = 0; i < grad->count; i++)
		(*sum)->f[i] += tensor_get(grad, i);
	return 1;
}

/* Seeds of a segment: the gradients of what it made, of the wire's own type.  *any: there is one. */
static int seed(struct mixed *m, struct segment *s, int *any, struct err *e)
{
	*any = 0;
	for (size_t i = 0; i < s->cut.n_to; i++) {
		struct tensor **to = &s->part.grad_seeds[i], *sum = m->sums[s->cut.to[i]->id];

		tensor_unref(*to);
		*to = NULL;
		if (!sum || !m->flow[s->cut.to[i]->id])
			continue;
		*to = tensor_copy(sum, e);
		if (!*to)
			return e->code;
		tensor_round(*to);
		*any = 1;
	}
	return 0;
}

static int take_gradients(struct mixed *m, struct segment *s, const struct outcome *o, struct mixed_run *run,
			  struct err *e)
{
	for (size_t i = 0; i < o->n; i++) {
		int rc = add(m, s->grads_of[i], o->grads[i], e);

		if (rc > 0)
			continue;
		if (rc < 0)
			return rc;
		run->report.result = WORKER_PROTOCOL;
		run->party = s->party;
		snprintf(run->report.message, sizeof run->report.message, "the gradient of '%.200s' has another shape",
			 s->grads_of[i]->name);
		return 0;
	}
	return 1;
}

/* 1: it worked, 0: the backend failed. */
static int return_segment(struct mixed *m, struct segment *s, struct mixed_run *run, struct err *e)
{
	struct outcome o = {0};
	int any, rc;

	if (!s->cut.n_to || !s->part.n_grads)
		return 1;
	rc = seed(m, s, &any, e);
	if (rc || !any)
		return rc ? rc : 1;
	if (!prepare(m, s, run))
		return 0;
	feed(m, s);
	rc = session_backward(m->parties[s->party], &s->part, s->session, &o, e);
	if (!rc)
		rc = note(s, &o, run);
	if (rc > 0)
		rc = take_gradients(m, s, &o, run, e);
	outcome_release(&o);
	return rc;
}

/* What the outputs are seeded with. */
static int begin_back(struct mixed *m, struct err *e)
{
	const struct graph *g = m->t->model->graph;

	for (size_t i = 0; i < g->wires.n; i++) {
		tensor_unref(m->sums[i]);
		m->sums[i] = NULL;
	}
	for (size_t i = 0; i < g->outputs.n; i++) {
		int rc = m->t->grad_seeds[i] ? add(m, g->outputs.at[i], m->t->grad_seeds[i], e) : 1;

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The sums of inputs and parameters; zeros where no gradient came. */
static int finish_back(struct mixed *m, struct mixed_run *run, struct err *e)
{
	const struct trial *t = m->t;

	run->grads = mem_array(t->n_grads, sizeof *run->grads);
	if (!run->grads)
		return err_nomem(e, "gradients", t->n_grads);
	run->n_grads = t->n_grads;
	for (size_t i = 0; i < t->n_grads; i++) {
		const struct tensor *sum = m->sums[t->grad_wires[i]->id], *like = t->grads[i];

		run->grads[i] = sum ? tensor_copy(sum, e) : tensor_zeros(like->dtype, like->rank, like->dims, e);
		if (!run->grads[i])
			return e->code;
		tensor_round(run->grads[i]);
	}
	return 0;
}

int mixed_backward(struct mixed *m, struct mixed_run *run, struct err *e)
{
	int ok = 1, rc = begin_back(m, e);

	if (rc)
		return rc;
	for (size_t i = m->plan.n; i > 0 && ok > 0; i--)
		ok = return_segment(m, m->plan.at[i - 1], run, e);
	if (ok < 0)
		return ok;
	run->backward = !ok;
	return ok ? finish_back(m, run, e) : 0;
}
