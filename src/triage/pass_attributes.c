/* pass_attributes.c - attributes towards their defaults: left out, else numbers that become 0 or 1.
 *
 * Every change goes down: left out < 0 < 1 < any other number, so that this ends. */
#include "triage/reduction.h"

/* Ways to change one attribute: leave it out, or set number `element` to `to`. */
struct attribute_change {
	size_t node;
	int attr;
	int leave_out;
	size_t element;
	int to;
};

struct changes {
	VEC(struct attribute_change) at;
};

static int add_numbers(struct changes *c, struct attribute_change base, const struct attr *a)
{
	size_t n = a->type == ATTR_INTS || a->type == ATTR_FLOATS ? a->n : 1;

	for (size_t k = 0; k < n; k++) {
		double x = a->type == ATTR_INT      ? (double)a->i
			   : a->type == ATTR_FLOAT  ? a->f
			   : a->type == ATTR_INTS   ? (double)a->ints[k]
			   : a->type == ATTR_FLOATS ? a->floats[k]
						    : 0;

		for (int to = 0; to <= 1; to++) {
			if (x == 0 || (x == 1 && to == 1))
				break;
			base.element = k;
			base.to = to;
			if (vec_push(&c->at, base))
				return ERR_MEMORY;
		}
	}
	return 0;
}

static int list_changes(const struct graph *g, struct changes *c)
{
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_attrs && !rc; k++) {
			struct attribute_change out = {.node = i, .attr = k, .leave_out = 1},
						number = {.node = i, .attr = k};

			rc = vec_push(&c->at, out);
			if (!rc)
				rc = add_numbers(c, number, &g->nodes.at[i]->attrs[k]);
		}
	return rc;
}

static void set_number(struct attr *a, size_t element, int to)
{
	if (a->type == ATTR_INT)
		a->i = to;
	else if (a->type == ATTR_FLOAT)
		a->f = to;
	else if (a->type == ATTR_INTS)
		a->ints[element] = to;
	else if (a->type == ATTR_FLOATS)
		a->floats[element] = to;
}

static int change(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct changes *c = arg;
	const struct attribute_change *x = &c->at.at[i];
	int rc = candidate_copy(r, out, e);
	struct node *n;

	if (rc)
		return rc;
	n = out->model->graph->nodes.at[x->node];
	if (x->leave_out)
		node_remove_attr(n, n->attrs[x->attr].name);
	else
		set_number(&n->attrs[x->attr], x->element, x->to);
	return 0;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step = REDUCE_KEPT;
	int rc = 0;

	while (!rc && step == REDUCE_KEPT) {
		struct changes c = {VEC_INIT};

		if (list_changes(r->now.model->graph, &c))
			rc = err_nomem(e, "changes", 0);
		else
			step = reduce_first(r, c.at.n, change, &c, e);
		vec_release(&c.at);
	}
	return step == REDUCE_FAILED ? e->code : rc;
}

const struct pass pass_attributes = {.summary = "attributes towards their defaults", .run = run};
