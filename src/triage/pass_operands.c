/* pass_operands.c - optional inputs and outputs of nodes left out, and operands of those that take any number. */
#include "ops/op.h"
#include "triage/reduction.h"

static const struct op_port *port_at(const struct op_port *ports, int i)
{
	int last = 0;

	while (last + 1 < OP_MAX_PORTS && ports[last + 1].name)
		last++;
	return &ports[i < last ? i : last];
}

static void drop_operand(struct node *n, int i)
{
	if (port_at(n->op->in, i)->flags & PORT_VARIADIC) {
		for (int k = i; k + 1 < n->n_in; k++)
			n->in[k] = n->in[k + 1];
		n->n_in--;
		return;
	}
	n->in[i] = NULL;
	while (n->n_in && !n->in[n->n_in - 1])
		n->n_in--;
}

static void drop_result(struct node *n, int i)
{
	n->out[i]->producer = NULL;
	n->out[i] = NULL;
	while (n->n_out && !n->out[n->n_out - 1])
		n->n_out--;
}

static int may_drop(const struct node *n, int slot)
{
	if (!n->op)
		return 0;
	if (slot >= n->n_in)
		return slot > n->n_in && n->out[slot - n->n_in] && n->op->out[0].name &&
		       port_at(n->op->out, slot - n->n_in)->flags & PORT_OPTIONAL;
	return n->in[slot] && ((port_at(n->op->in, slot)->flags & PORT_OPTIONAL) ||
			       (port_at(n->op->in, slot)->flags & PORT_VARIADIC && n->n_in > 1));
}

/* Slot number i, counted over all nodes: inputs, then outputs. */
static int without(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct graph *g = r->now.model->graph;
	const struct wire *made;
	struct node *n;
	size_t node = 0;
	int rc, slot;

	(void)arg;
	while (i >= (size_t)(g->nodes.at[node]->n_in + g->nodes.at[node]->n_out)) {
		i -= (size_t)(g->nodes.at[node]->n_in + g->nodes.at[node]->n_out);
		node++;
	}
	n = g->nodes.at[node];
	slot = (int)i;
	made = slot < n->n_in ? NULL : n->out[slot - n->n_in];
	if (!may_drop(n, slot) || (made && (graph_has_output(g, made) || graph_reads(g, made))))
		return 0;
	rc = candidate_copy(r, out, e);
	if (rc)
		return rc;
	n = out->model->graph->nodes.at[node];
	n->op = g->nodes.at[node]->op;
	if (slot >= n->n_in)
		drop_result(n, slot - n->n_in);
	else
		drop_operand(n, slot);
	return 0;
}

static size_t count_slots(const struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		n += (size_t)(g->nodes.at[i]->n_in + g->nodes.at[i]->n_out);
	return n;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step;

	do
		step = reduce_first(r, count_slots(r->now.model->graph), without, NULL, e);
	while (step == REDUCE_KEPT);
	return step == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_operands = {.summary = "leave out optional inputs and outputs", .run = run};
