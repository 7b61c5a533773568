/* chain.c - elementwise nodes done as steps behind the node before them, see ops/noise/step.h.
 *
 * A chain is a node and those right behind it that each read its output, or that of the one before, alone.  None of
 * the values in between is kept; so there are no chains when somebody wants to see them (an observer), to change them
 * (planted defects) or to come back to them (gradients), nor when they are rounded. */
#include <string.h>

#include "base/parallel.h"
#include "reference/internal.h"

/* Which input of n is wire w, when that is its only use; else -1. */
static int reads_alone(const struct run *r, const struct node *n, const struct wire *w)
{
	int from = -1;

	if (r->frame->plan->last_use[w->id] != n->index)
		return -1;
	for (int i = 0; i < n->n_in; i++) {
		if (n->in[i] != w)
			continue;
		if (from >= 0)
			return -1;
		from = i;
	}
	return from;
}

/* Nodes whose output is new, rounded, and the only one. */
static int may_begin(const struct run *r, const struct node *n)
{
	const struct ref_options *o = r->o;

	return o->mode != REF_ROUNDED && !o->apart && !o->moved && o->louder == 0 && !o->observe && !o->tamper &&
	       r->asked == REF_OWN && !r->keep_all && r->lane < 0 && n->n_out == 1 && n->out[0] &&
	       !(n->op->flags & (OP_OWN_OUTPUTS | OP_CONTROL | OP_RANDOM)) && (n->op->scale || n->op->ulps != 0.0f);
}

void chain_plan(const struct run *r, size_t first, struct chain *ch)
{
	const struct graph *g = r->frame->plan->graph;
	struct node *before = g->nodes.at[first];

	*ch = (struct chain){.first = first, .next = first + 1};
	if (!may_begin(r, before))
		return;
	for (size_t i = first + 1; i < g->nodes.n && ch->n < CHAIN_MAX; i++) {
		struct node *n = g->nodes.at[i];

		if (r->folded && constants_cover(r->ref, n))
			continue;
		if (!n->op->step || n->n_out != 1 || !n->out[0])
			return;
		ch->steps[ch->n].from = reads_alone(r, n, before->out[0]);
		if (ch->steps[ch->n].from < 0)
			return;
		ch->nodes[ch->n++] = before = n;
	}
}

/* The lanes of a step's inputs; false when some are whole values. */
static int find_lanes(struct run *r, struct call *c, int *unstable)
{
	const float **in = arena_array(c->tmp, (size_t)c->n_in, sizeof *in);

	c->lanes = r->lanes;
	c->in_delta = in;
	for (int i = 0; in && i < c->n_in; i++) {
		const struct wire *w = c->node->in[i];
		const struct cell *cell = w && w->graph == r->frame->plan->graph ? &r->frame->cells[w->id] : NULL;

		if (cell && cell->lane)
			return 0;
		in[i] = cell ? cell->delta : NULL;
		*unstable |= cell && cell->unstable;
	}
	return in != NULL;
}

static int is_type_of(const struct type *t, const struct tensor *x)
{
	return t->dtype == x->dtype && t->rank == x->rank &&
	       !memcmp(t->dims, x->dims, (size_t)x->rank * sizeof *x->dims);
}

/* Step k behind a call that makes y; false when it must be a node. */
static int prepare_step(struct run *r, struct chain *ch, int k, struct value *y)
{
	struct node *n = ch->nodes[k];
	struct step *s = &ch->steps[k];
	struct call *c = &ch->calls[k];
	int rc = run_call_begin(r, n, c), unstable = 0, fits;

	ch->begun = k + 1;
	for (int i = 0; i < n->n_in && !rc; i++)
		if (i == s->from)
			c->in_value[i] = value_ref(y);
		else if (n->in[i])
			rc = run_lookup(r, n->in[i], &c->in_value[i]);
	if (!rc)
		rc = run_infer(c);
	fits = !rc && is_type_of(&c->out_type[0], y->tensor) && (!r->frame->lockstep || find_lanes(r, c, &unstable));
	s->call = c;
	s->seed = noise_seed(r, n, 0);
	fits = fits && n->op->step->prepare(s);
	if (fits)
		ch->unstable |= unstable;
	return fits;
}

void chain_prepare(struct run *r, struct chain *ch, struct call *c)
{
	struct err *saved = r->err;
	struct value *y;
	int n = ch->n;

	if (!n)
		return;
	r->err = &ch->ignored; /* what cannot be a step runs as a node, and says there what is wrong */
	ch->n = 0;
	y = value_tensor(tensor_ref(c->out[0]), r->err);
	while (y && ch->n < n && prepare_step(r, ch, ch->n, y))
		ch->next = (size_t)ch->nodes[ch->n++]->index + 1;
	value_unref(y);
	r->err = saved;
	ch->list = (struct steps){.at = ch->steps, .n = ch->n};
}

struct pieces {
	const struct steps *steps;
	double *y;
	float *d;
	size_t lanes;
};

static void apply_piece(void *arg, size_t first, size_t end)
{
	const struct pieces *p = arg;

	steps_apply(p->steps, first, end - first, p->y + first, p->d ? p->d + first * p->lanes : NULL);
}

void chain_finish(struct run *r, struct chain *ch, struct call *c)
{
	struct cell *from = &r->frame->cells[c->node->out[0]->id], *to;

	if (from->lane) { /* the lanes of a step are differences */
		ch->n = 0;
		ch->next = ch->first + 1;
	}
	if (!ch->n)
		return;
	to = &r->frame->cells[ch->nodes[ch->n - 1]->out[0]->id];
	if (!ch->list.done) {
		struct pieces p = {&ch->list, c->out[0]->f, from->delta, (size_t)r->lanes};

		parallel_for(c->out[0]->count, (double)(ch->n * (2 + r->lanes)), apply_piece, &p);
	}
	*to = *from;
	to->unstable |= ch->unstable;
	*from = (struct cell){0};
}

void chain_end(struct chain *ch)
{
	for (int i = 0; i < ch->begun; i++)
		run_call_end(&ch->calls[i]);
}
