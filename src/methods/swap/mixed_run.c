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

enum segment_result {
	SEGMENT_FAILED = -1,
	SEGMENT_BROKEN, /* by the backend, and the run with it: its report says how */
	SEGMENT_DONE
};

/* Loads a segment that is not loaded; whether it is there. */
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

/* What is to be known of a request; whether it worked. */
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

static enum segment_result run_segment(struct mixed *m, struct segment *s, struct mixed_run *run, struct err *e)
{
	struct outcome o = {0};
	enum segment_result result = SEGMENT_FAILED;

	if (!s->cut.n_to)
		return SEGMENT_DONE;
	if (!prepare(m, s, run))
		return SEGMENT_BROKEN;
	feed(m, s);
	if (!session_run(m->parties[s->party], &s->part, s->session, &o, e))
		result = note(s, &o, run) ? SEGMENT_DONE : SEGMENT_BROKEN;
	for (size_t i = 0; result == SEGMENT_DONE && i < s->cut.n_to; i++) {
		struct value **to = &m->values[s->cut.to[i]->id];

		value_unref(*to);
		*to = value_ref(o.values[i]);
	}
	outcome_release(&o);
	return result;
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
	enum segment_result result = SEGMENT_DONE;
	int rc = mixed_plan(m, e);

	if (!rc)
		rc = begin(m, e);
	if (rc)
		return rc;
	run.segments = m->plan.n;
	for (size_t i = 0; i < m->plan.n && result == SEGMENT_DONE; i++)
		result = run_segment(m, m->plan.at[i], &run, e);
	if (result == SEGMENT_FAILED)
		return e->code;
	if (result == SEGMENT_DONE) {
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

/* Whether there is a gradient, of the wire's shape. */
static int fits(const struct mixed *m, const struct wire *w, const struct tensor *grad)
{
	const struct value *shape = m->known.at[w->id];

	return grad && (!shape || shape->kind != VALUE_TENSOR || tensor_same_shape(shape->tensor, grad));
}

/* Adds a gradient that fits to a wire's sum.  The first is taken as it is: -0 would be 0 in a sum that begins at 0. */
static int add(struct mixed *m, const struct wire *w, const struct tensor *grad, struct err *e)
{
	struct tensor **sum = &m->sums[w->id];
	int first = !*sum;

	if (first && !(*sum = tensor_zeros(grad->dtype, grad->rank, grad->dims, e)))
		return e->code;
	for (size_t i = 0; i < grad->count; i++)
		(*sum)->f[i] = first ? tensor_get(grad, i) : (*sum)->f[i] + tensor_get(grad, i);
	return 0;
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

static enum segment_result take_gradients(struct mixed *m, struct segment *s, const struct outcome *o,
					  struct mixed_run *run, struct err *e)
{
	for (size_t i = 0; i < o->n; i++) {
		if (fits(m, s->grads_of[i], o->grads[i])) {
			if (add(m, s->grads_of[i], o->grads[i], e))
				return SEGMENT_FAILED;
			continue;
		}
		run->report.result = WORKER_PROTOCOL;
		run->party = s->party;
		snprintf(run->report.message, sizeof run->report.message, "the gradient of '%.200s' has another shape",
			 s->grads_of[i]->name);
		return SEGMENT_BROKEN;
	}
	return SEGMENT_DONE;
}

static enum segment_result return_segment(struct mixed *m, struct segment *s, struct mixed_run *run, struct err *e)
{
	struct outcome o = {0};
	enum segment_result result = SEGMENT_FAILED;
	int any;

	if (!s->cut.n_to || !s->part.n_grads)
		return SEGMENT_DONE;
	if (seed(m, s, &any, e))
		return SEGMENT_FAILED;
	if (!any)
		return SEGMENT_DONE;
	if (!prepare(m, s, run))
		return SEGMENT_BROKEN;
	feed(m, s);
	if (!session_backward(m->parties[s->party], &s->part, s->session, &o, e))
		result = note(s, &o, run) ? take_gradients(m, s, &o, run, e) : SEGMENT_BROKEN;
	outcome_release(&o);
	return result;
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
		const struct tensor *given = m->t->grad_seeds[i];

		if (fits(m, g->outputs.at[i], given) && add(m, g->outputs.at[i], given, e))
			return e->code;
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
	enum segment_result result = SEGMENT_DONE;
	int rc = begin_back(m, e);

	if (rc)
		return rc;
	for (size_t i = m->plan.n; i > 0 && result == SEGMENT_DONE; i--)
		result = return_segment(m, m->plan.at[i - 1], run, e);
	if (result == SEGMENT_FAILED)
		return e->code;
	run->backward = result == SEGMENT_BROKEN;
	return result == SEGMENT_DONE ? finish_back(m, run, e) : 0;
}
