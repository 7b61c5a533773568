/* states.c - tensors of the reference, recorded where a network is to be cut.
 *
 * Only what is wanted is kept, packed in its own type: mostly wires on borders of parts, seldom a whole network. */
#include "base/mem.h"
#include "blame/internal.h"

enum { VALUE = 1, GRADIENT = 2 };

int states_init(struct states *s, const struct trial *t, struct err *e)
{
	size_t n = t->model->graph->wires.n;

	*s = (struct states){.n = n, .wanted = mem_array(n, 1), .at = mem_array(n, sizeof(struct value *))};
	if (s->wanted && s->at)
		return 0;
	states_release(s);
	return err_nomem(e, "recorded tensors", n);
}

void states_release(struct states *s)
{
	for (size_t i = 0; s->at && i < s->n; i++)
		value_unref(s->at[i]);
	for (size_t i = 0; s->grads && i < s->n; i++)
		tensor_unref(s->grads[i]);
	mem_free(s->wanted);
	mem_free(s->at);
	mem_free(s->grads);
	*s = (struct states){0};
}

void states_want(struct states *s, const struct cut *c, int gradient)
{
	for (size_t i = 0; i < c->n_from; i++)
		s->wanted[c->from[i]->id] |= VALUE;
	for (size_t i = 0; gradient && i < c->n_to; i++)
		s->wanted[c->to[i]->id] |= GRADIENT;
}

void states_want_all(struct states *s, int gradient)
{
	for (size_t i = 0; i < s->n; i++)
		s->wanted[i] = (char)(gradient ? VALUE | GRADIENT : VALUE);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct state_recorder {
	struct states *s;
	struct err *e;
};

static struct value *packed(const struct value *v, struct err *e)
{
	struct tensor *t;

	if (v->kind != VALUE_TENSOR)
		return value_ref((struct value *)v);
	t = tensor_pack(v->tensor, e);
	return t ? value_tensor(t, e) : NULL;
}

static int record(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		  void *arg)
{
	struct state_recorder *r = arg;

	(void)n, (void)out, (void)noise;
	if (!(r->s->wanted[w->id] & VALUE))
		return 0;
	r->s->at[w->id] = packed(v, r->e);
	return r->s->at[w->id] ? 0 : r->e->code;
}

static int take_values(struct states *s, struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct state_recorder r = {s, e};
	struct ref_options o = {.mode = REF_EXACT, .seed = t->seed, .observe = record, .observe_arg = &r};
	struct ref_result result = {0};
	size_t made = 0;
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (t->inputs[i])
			s->at[g->inputs.at[i]->id] = value_ref(t->inputs[i]);
	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct wire *w = g->wires.at[i];

		made += s->wanted[i] & VALUE && w->producer;
		if (s->wanted[i] & VALUE && !w->producer && !s->at[i] && w->init &&
		    !(s->at[i] = value_tensor(tensor_ref(w->init), e)))
			rc = e->code;
	}
	if (rc || !made)
		return rc;
	rc = ref_run(t->ref, t->inputs, g->inputs.n, &o, &result, e);
	ref_result_release(&result);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* Gradients as a library gets them: of the wire's own type. */
static struct tensor *in_type(struct tensor *take, enum dtype t, struct err *e)
{
	struct tensor *x = tensor_new(t, take->rank, take->dims, e);

	for (size_t i = 0; x && i < x->count; i++)
		x->f[i] = dtype_round(t, take->f[i], 0);
	tensor_unref(take);
	return x;
}

static int take_gradients(struct states *s, struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct ref_options o = {.mode = REF_EXACT, .seed = t->seed};
	struct wire **wanted = mem_array(s->n, sizeof *wanted);
	struct tensor **grads = mem_array(s->n, sizeof *grads);
	struct ref_gradient of = {.inputs = t->inputs, .n = g->inputs.n, .seeds = t->grad_seeds, .wanted = wanted};
	size_t n = 0;
	int rc;

	s->grads = mem_array(s->n, sizeof *s->grads);
	rc = wanted && grads && s->grads ? 0 : err_nomem(e, "gradients", s->n);
	for (size_t i = 0; i < s->n && !rc; i++)
		if (s->wanted[i] & GRADIENT && dtype_is_float(g->wires.at[i]->type.dtype))
			wanted[n++] = g->wires.at[i];
	of.n_wanted = n;
	if (!rc && n)
		rc = ref_backward(t->ref, &of, &o, grads, e);
	for (size_t i = 0; i < n && !rc; i++) {
		s->grads[wanted[i]->id] = in_type(grads[i], wanted[i]->type.dtype, e);
		if (!s->grads[wanted[i]->id]) {
			rc = e->code;
			while (++i < n)
				tensor_unref(grads[i]);
		}
	}
	mem_free(wanted);
	mem_free(grads);
	return rc;
}

int states_take(struct states *s, struct trial *t, struct err *e)
{
	int gradient = 0, rc = t->ref ? 0 : ref_open(t->model, &t->ref, e);

	for (size_t i = 0; i < s->n; i++)
		gradient |= s->wanted[i] & GRADIENT;
	if (!rc)
		rc = take_values(s, t, e);
	if (!rc && gradient)
		rc = trial_truth_gradients(t, e); /* makes the seeds when there are none */
	if (!rc && gradient)
		rc = take_gradients(s, t, e);
	return rc;
}
