/* backward.c - reverse mode in double.
 *
 * The forward run keeps every value of the main graph.  A wire is `live` when it depends on a wanted wire through float
 * values; gradients flow only into live wires, so an operator without a gradient is an error only where it matters. */
#include <string.h>

#include "base/mapped.h"
#include "base/mem.h"
#include "reference/tape.h"

static const struct tensor *value_of(const struct tape *t, const struct wire *w)
{
	const struct value *v = t->run->frame->cells[w->id].value;

	return v && v->kind == VALUE_TENSOR ? v->tensor : w->init;
}

static int is_live(const struct tape *t, const struct wire *w)
{
	return w && w->graph == t->graph && t->live[w->id];
}

static int carries_gradient(const struct tape *t, const struct wire *w)
{
	const struct tensor *x = w && w->graph == t->graph ? value_of(t, w) : NULL;

	return x && dtype_is_float(x->dtype);
}

static void mark_live(struct tape *t, struct wire *const *wanted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		t->live[wanted[i]->id] = 1;
	for (size_t i = 0; i < t->graph->nodes.n; i++) {
		const struct node *node = t->graph->nodes.at[i];
		int any = 0;

		for (int j = 0; j < node->n_in; j++)
			any |= is_live(t, node->in[j]);
		for (int j = 0; j < node->n_out && any; j++)
			if (carries_gradient(t, node->out[j]))
				t->live[node->out[j]->id] = 1;
	}
}

static struct tensor *grad_of(struct tape *t, const struct wire *w)
{
	const struct tensor *x = value_of(t, w);

	if (!t->grads[w->id])
		t->grads[w->id] = tensor_zeros(DT_DOUBLE, x->rank, x->dims, t->run->err);
	return t->grads[w->id];
}

static int seed(struct tape *t, struct tensor *const *seeds)
{
	for (size_t i = 0; i < t->graph->outputs.n; i++) {
		const struct wire *w = t->graph->outputs.at[i];
		struct tensor *g;

		if (!seeds[i] || !is_live(t, w))
			continue;
		g = grad_of(t, w);
		if (!g)
			return t->run->err->code;
		if (!tensor_same_shape(g, seeds[i]) || !seeds[i]->wide || !dtype_is_float(seeds[i]->dtype))
			return err_set(t->run->err, ERR_INPUT, "the gradient given for output '%s' does not fit it",
				       w->name);
		for (size_t k = 0; k < g->count; k++)
			g->f[k] += seeds[i]->f[k];
	}
	return 0;
}

/* Points the call at the gradients of its wires; a wire used twice by the node gets both sums, since grad adds.  *any:
 * there is one to hand on, and somebody to hand it to. */
static int attach(struct tape *t, struct call *c, int *any)
{
	const struct node *n = c->node;
	struct tensor **out = arena_array(c->tmp, (size_t)c->n_out, sizeof *out);
	int taken = 0;

	c->in_grad = arena_array(c->tmp, (size_t)c->n_in, sizeof *c->in_grad);
	c->out_grad = out;
	if (!out || !c->in_grad)
		return err_nomem(c->err, "gradients", 0);
	*any = 0;
	for (int i = 0; i < n->n_out; i++) {
		out[i] = is_live(t, n->out[i]) ? t->grads[n->out[i]->id] : NULL;
		*any |= out[i] && out[i]->count;
	}
	for (int i = 0; i < n->n_in && *any; i++) {
		if (!is_live(t, n->in[i]) || !carries_gradient(t, n->in[i]))
			continue;
		taken = 1;
		if (!(c->in_grad[i] = grad_of(t, n->in[i])))
			return c->err->code;
	}
	*any = taken;
	return 0;
}

void tape_release_grads(struct tensor **grads, int n)
{
	for (int i = 0; grads && i < n; i++)
		tensor_unref(grads[i]);
}

int tape_fresh_grads(struct call *c, struct tensor *const *like, struct tensor ***out)
{
	struct tensor **fresh = arena_array(c->tmp, (size_t)c->n_in, sizeof *fresh), **saved = c->in_grad;
	int rc = fresh ? 0 : err_nomem(c->err, "gradients", 0);

	for (int i = 0; i < c->n_in && !rc; i++)
		if (like[i] && !(fresh[i] = tensor_zeros(DT_DOUBLE, like[i]->rank, like[i]->dims, c->err)))
			rc = c->err->code;
	if (!rc) {
		c->in_grad = fresh;
		rc = c->op->grad(c);
		c->in_grad = saved;
	}
	if (rc)
		tape_release_grads(fresh, c->n_in);
	else
		*out = fresh;
	return rc;
}

/* The call as it was evaluated: inputs and outputs from the frame. */
static int recall(struct tape *t, struct call *c)
{
	struct node *n = (struct node *)c->node;
	struct type *types = (struct type *)c->in_type;

	for (int i = 0; i < n->n_in; i++) {
		int rc = n->in[i] ? run_lookup(t->run, n->in[i], &c->in_value[i]) : 0;

		if (rc)
			return rc;
		types[i] = (struct type)TYPE_INIT;
		c->in[i] = c->in_value[i] ? c->in_value[i]->tensor : NULL;
		if (c->in[i])
			type_set(&types[i], c->in[i]->dtype, c->in[i]->rank, c->in[i]->dims);
	}
	for (int i = 0; i < n->n_out; i++) {
		const struct value *v = n->out[i] ? t->run->frame->cells[n->out[i]->id].value : NULL;

		c->out[i] = v ? tensor_ref(v->tensor) : NULL;
		if (c->out[i])
			type_set(&c->out_type[i], c->out[i]->dtype, c->out[i]->rank, c->out[i]->dims);
	}
	return 0;
}

static int backward_node(struct tape *t, struct node *n)
{
	struct call c;
	int any = 0, rc = run_call_begin(t->run, n, &c);

	if (!rc)
		rc = attach(t, &c, &any);
	if (!rc && any && !n->op->grad)
		rc = err_set(t->run->err, ERR_UNSUPPORTED, "the operator has no gradient");
	if (!rc && any)
		rc = recall(t, &c);
	if (!rc && any)
		rc = t->step ? t->step->add(t->step->arg, &c) : n->op->grad(&c);
	if (!rc && any && t->run->o->tamper)
		rc = t->run->o->tamper(&c, 1, t->run->o->tamper_arg);
	run_call_end(&c);
	return rc ? node_prefix(n, t->run->err) : 0;
}

/* Drops the gradients of a node's outputs once they were used, unless wanted. */
static void drop_used(struct tape *t, const struct node *n, const struct ref_gradient *of)
{
	for (int i = 0; i < n->n_out; i++) {
		int keep = !n->out[i];

		for (size_t k = 0; k < of->n_wanted && !keep; k++)
			keep = of->wanted[k] == n->out[i];
		if (keep)
			continue;
		tensor_unref(t->grads[n->out[i]->id]);
		t->grads[n->out[i]->id] = NULL;
	}
}

static int collect(struct tape *t, const struct ref_gradient *of, struct tensor **grads)
{
	for (size_t i = 0; i < of->n_wanted; i++) {
		struct tensor *g = grad_of(t, of->wanted[i]);

		if (!g) {
			while (i)
				tensor_unref(grads[--i]);
			return t->run->err->code;
		}
		grads[i] = tensor_ref(g);
	}
	return 0;
}

static int check_wanted(struct tape *t, const struct ref_gradient *of)
{
	for (size_t i = 0; i < of->n_wanted; i++)
		if (!carries_gradient(t, of->wanted[i]))
			return err_set(t->run->err, ERR_INPUT,
				       "'%s' is not a float tensor of the main graph: it has no gradient",
				       of->wanted[i]->name);
	return 0;
}

static int go_back(struct tape *t, const struct ref_gradient *of, struct tensor **grads)
{
	int rc = check_wanted(t, of);

	if (rc)
		return rc;
	mark_live(t, of->wanted, of->n_wanted);
	rc = seed(t, of->seeds);
	for (size_t i = t->graph->nodes.n; i > 0 && !rc; i--) {
		rc = backward_node(t, t->graph->nodes.at[i - 1]);
		if (!rc)
			drop_used(t, t->graph->nodes.at[i - 1], of);
	}
	if (!rc)
		rc = mapped_check(t->run->err);
	return rc ? rc : collect(t, of, grads);
}

int tape_run(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o, int lane,
	     const struct tape_step *step, struct tensor **grads, struct err *e)
{
	const struct graph *g = ref->model->graph;
	struct tape t = {.graph = g,
			 .live = mem_array(g->wires.n, 1),
			 .grads = mem_array(g->wires.n, sizeof *t.grads),
			 .step = step};
	struct ref_frame f = {0};
	struct run r;
	int rc = t.live && t.grads ? run_start(&r, ref, o, e) : err_nomem(e, "gradients", 0);

	if (!rc) {
		t.run = &r;
		r.keep_all = 1;
		r.lane = lane;
		r.lane_rng = rng_split(&r.root, UINT64_C(0x20000) + (uint64_t)(lane + 1));
		rc = run_frame(&r, g, of->inputs, of->n, &f);
		if (!rc)
			rc = go_back(&t, of, grads);
		run_frame_release(&r, &f);
	}
	for (size_t i = 0; t.grads && i < g->wires.n; i++)
		tensor_unref(t.grads[i]);
	mem_free(t.grads);
	mem_free(t.live);
	return rc;
}

int ref_backward(struct ref *ref, const struct ref_gradient *of, const struct ref_options *o, struct tensor **grads,
		 struct err *e)
{
	if (o->mode == REF_NOISY)
		return err_set(e, ERR_USAGE, "ref_backward_noisy() is for the noisy mode");
	return tape_run(ref, of, o, -1, NULL, grads, e);
}
