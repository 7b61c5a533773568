/* control.c - If and Loop.
 *
 * Both run subgraphs through c->env.  The subgraph's outputs are passed on by reference: nothing is copied but the scan
 * outputs of Loop, which are stacked along a new first axis. */
#include "ops/control/samplers.h"
#include "ops/kit/container.h"

#include <string.h>

/* ---- If ---------------------------------------------------------------------------------------------------------- */

static const struct op_attr if_attrs[] = {
	OP_NEEDS("then_branch", ATTR_GRAPH),
	OP_NEEDS("else_branch", ATTR_GRAPH),
	{0},
};

static int branch_check(struct call *c, const struct graph *g, const char *name)
{
	int rc = call_body_check(c, g, name, 0, (size_t)c->n_out);

	if (!rc && g->outputs.n != (size_t)c->n_out)
		rc = call_bad(c, "graph '%s' has %zu outputs, the node has %d", name, g->outputs.n, c->n_out);
	return rc;
}

static int if_infer(struct call *c)
{
	const struct graph *yes = node_graph(c->node, "then_branch"), *no = node_graph(c->node, "else_branch");
	int rc = branch_check(c, yes, "then_branch");

	if (!rc)
		rc = branch_check(c, no, "else_branch");
	for (int i = 0; i < c->n_out && !rc; i++) {
		struct type t = yes->outputs.at[i]->type;
		int known = c->in[0] && c->in[0]->count == 1;

		if (known && !c->in[0]->i[0])
			t = no->outputs.at[i]->type;
		else if (!known && !container_type_merge(&t, &no->outputs.at[i]->type))
			rc = call_bad(c, "output %d has another type in each branch", i);
		container_type_forget_symbols(&t);
		call_out_type(c, i, &t);
	}
	return rc;
}

static int if_eval(struct call *c)
{
	const struct graph *branch;
	struct value **out = call_scratch(c, (size_t)c->n_out, sizeof *out), **in;
	int64_t cond;
	int rc = out ? call_single(c, c->in[0], "the condition", &cond) : c->err->code;

	if (rc)
		return rc;
	branch = node_graph(c->node, cond ? "then_branch" : "else_branch");
	in = call_scratch(c, branch->inputs.n, sizeof *in);
	if (!in)
		return c->err->code;
	rc = call_body_run(c, branch, in, out);
	for (int i = 0; i < c->n_out; i++) {
		if (!rc)
			rc = call_give(c, i, out[i]);
		else
			value_unref(out[i]);
	}
	return rc;
}

const struct op op_if = {
	.samples = SAMPLES({.by = &sampler_if}),
	.in = {{"cond", T_BOOL, 0, 0}},
	.out = {{"outputs", T_ANY, 0, PORT_VARIADIC | PORT_ANY_KIND | PORT_MIXED}},
	.attrs = if_attrs,
	.flags = OP_OWN_OUTPUTS | OP_CONTROL,
	.infer = if_infer,
	.eval = if_eval,
};

/* ---- Loop -------------------------------------------------------------------------------------------------------- */

static const struct op_attr loop_attrs[] = {OP_NEEDS("body", ATTR_GRAPH), {0}};

/* A scan output while it grows: rows of equal shape, room doubled when it is full. */
struct stack {
	struct tensor *t; /* [room, row dims…]; NULL before the first row */
	size_t rows;
};

struct loop {
	const struct graph *body;
	size_t n_state, n_scan;
	struct value **in;  /* iteration number, condition, states */
	struct value **out; /* [1 + n_state + n_scan]: condition, states, rows of the scan outputs */
	struct stack *scans;
	int64_t limit; /* most iterations; -1: no limit */
	int ask;       /* the body's condition counts */
};

static int loop_bodies(struct call *c, struct loop *l)
{
	int rc;

	l->body = node_graph(c->node, "body");
	l->n_state = c->n_in > 2 ? (size_t)c->n_in - 2 : 0;
	rc = call_body_check(c, l->body, "body", 2 + l->n_state, 1 + l->n_state);
	if (rc)
		return rc;
	l->n_scan = l->body->outputs.n - 1 - l->n_state;
	if ((size_t)c->n_out > l->n_state + l->n_scan)
		return call_bad(c, "has %d outputs, but its body gives %zu", c->n_out, l->n_state + l->n_scan);
	return 0;
}

/* A state that the body declares with another rank than it starts with.  The run goes by what it is. */
static int look_at_ranks(struct call *c, const struct loop *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_state && !rc; i++) {
		const struct wire *w = l->body->inputs.at[2 + i];
		const struct type *start = &c->in_type[2 + i];

		if (w->type.rank >= 0 && start->rank >= 0 && w->type.rank != start->rank)
			rc = call_complain(c, "state '%s' is declared with rank %d and starts with rank %d", w->name,
					   w->type.rank, start->rank);
	}
	return rc;
}

static int loop_infer(struct call *c)
{
	struct loop l = {0};
	int rc = loop_bodies(c, &l);

	if (!rc)
		rc = look_at_ranks(c, &l);

	for (int i = 0; i < c->n_out && !rc; i++) {
		struct type t = l.body->outputs.at[1 + i]->type;

		container_type_forget_symbols(&t);
		if ((size_t)i >= l.n_state)
			container_type_add_axis(&t, 0, DIM_UNKNOWN);
		else if (!container_type_merge(&t, &c->in_type[2 + i])) /* no iteration: the initial value comes out */
			return call_bad(c, "state %d changes its type in the body", i);
		call_out_type(c, i, &t);
	}
	return rc;
}

static int stack_push(struct call *c, struct stack *s, const struct value *v, size_t index)
{
	const struct tensor *row = v->tensor;
	int64_t dims[TENSOR_MAX_RANK + 1];
	struct tensor *grown;

	if (v->kind != VALUE_TENSOR)
		return call_bad(c, "scan output %zu of the body is not a tensor", index);
	if (row->rank >= TENSOR_MAX_RANK)
		return call_bad(c, "scan output %zu has rank %d: too many to stack", index, row->rank);
	if (s->t && (s->t->rank != row->rank + 1 || s->t->dtype != row->dtype ||
		     memcmp(s->t->dims + 1, row->dims, (size_t)row->rank * sizeof *dims) != 0))
		return call_bad(c, "scan output %zu changes its shape or type between iterations", index);
	if (!s->t || s->rows == (size_t)s->t->dims[0]) {
		dims[0] = s->t ? 2 * s->t->dims[0] : 8;
		memcpy(dims + 1, row->dims, (size_t)row->rank * sizeof *dims);
		grown = tensor_new(row->dtype, row->rank + 1, dims, c->err);
		if (!grown)
			return c->err->code;
		if (s->t && elements_copy(grown, 0, s->t, 0, s->rows * row->count, c->err)) {
			tensor_unref(grown);
			return c->err->code;
		}
		tensor_unref(s->t);
		s->t = grown;
	}
	return elements_copy(s->t, s->rows++ * row->count, row, 0, row->count, c->err);
}

/* The finished scan output.  Without any iteration its shape is that of the body's declaration behind a 0; dimensions
 * that are not declared become 0, as nothing can contradict that. */
static int stack_finish(struct call *c, struct stack *s, int out, const struct type *row)
{
	int64_t dims[TENSOR_MAX_RANK] = {0};
	int rank = 1;
	struct tensor *y;

	if (!call_wants(c, out))
		return 0;
	if (s->t) {
		rank = s->t->rank;
		memcpy(dims, s->t->dims, sizeof dims);
	} else {
		for (int i = 0; i < row->rank && rank < TENSOR_MAX_RANK; i++)
			dims[rank++] = row->dims[i] > 0 ? row->dims[i] : 0;
		if (row->dtype == DT_UNDEFINED)
			return call_unsupported(c, "output %d: no iteration, and the body does not declare its type",
						out);
	}
	dims[0] = (int64_t)s->rows;
	y = call_alloc(c, out, s->t ? s->t->dtype : row->dtype, rank, dims);
	if (!y)
		return c->err->code;
	return s->t ? elements_copy(y, 0, s->t, 0, y->count, c->err) : 0;
}

static int loop_open(struct call *c, struct loop *l)
{
	int rc = loop_bodies(c, l);

	if (rc)
		return rc;
	l->in = call_scratch(c, l->body->inputs.n, sizeof *l->in);
	l->out = call_scratch(c, l->body->outputs.n, sizeof *l->out);
	l->scans = call_scratch(c, l->n_scan + 1, sizeof *l->scans);
	if (!l->in || !l->out || !l->scans)
		return c->err->code;
	l->limit = -1;
	l->ask = call_has(c, 1);
	if (call_has(c, 0)) {
		rc = call_single(c, c->in[0], "the trip count", &l->limit);
		if (!rc && l->limit < 0)
			l->limit = 0;
	} else if (!l->ask) {
		rc = call_bad(c, "has neither a trip count nor a condition: it never ends");
	}
	if (rc)
		return rc;
	l->in[1] = l->ask ? call_value(c, 1) : call_wrap(c, tensor_scalar_i(DT_BOOL, 1, c->err));
	if (!l->in[1])
		return c->err->code;
	for (size_t i = 0; i < l->n_state; i++) {
		l->in[2 + i] = call_value(c, 2 + (int)i);
		if (!l->in[2 + i])
			return c->err->code;
	}
	return 0;
}

/* One iteration: states and condition move from l->out to l->in, rows onto their stacks. */
static int loop_step(struct call *c, struct loop *l, int64_t i)
{
	int rc = call_step(c);

	if (rc)
		return rc;
	value_unref(l->in[0]);
	l->in[0] = call_formal(c, l->body->inputs.at[0], call_wrap(c, tensor_scalar_i(DT_INT64, i, c->err)));
	for (size_t k = 0; k < 1 + l->n_state; k++) {
		l->in[1 + k] = call_formal(c, l->body->inputs.at[1 + k], l->in[1 + k]);
		if (!l->in[1 + k])
			return c->err->code;
	}
	if (!l->in[0])
		return c->err->code;
	rc = call_body_run(c, l->body, l->in, l->out);
	if (rc)
		return rc;
	for (size_t k = 0; k < 1 + l->n_state; k++) {
		value_unref(l->in[1 + k]);
		l->in[1 + k] = l->out[k];
		l->out[k] = NULL;
	}
	for (size_t k = 0; k < l->n_scan; k++) {
		struct value **row = &l->out[1 + l->n_state + k];

		if (!rc)
			rc = stack_push(c, &l->scans[k], *row, k);
		value_unref(*row);
		*row = NULL;
	}
	return rc;
}

static int loop_goes_on(struct call *c, const struct loop *l, int64_t i, int *yes)
{
	int64_t cond = 1;
	int rc = 0;

	if (l->in[1]->kind != VALUE_TENSOR)
		return call_bad(c, "the condition is not a tensor");
	if (l->ask)
		rc = call_single(c, l->in[1]->tensor, "the condition", &cond);
	*yes = cond && (l->limit < 0 || i < l->limit);
	return rc;
}

/*   for (i = 0; i < M && cond; i++)
 *           cond, states, rows = body(i, cond, states)
 *
 * Without the input `cond`, the body's condition is ignored, as the table in the specification says. */
static int loop_eval(struct call *c)
{
	struct loop l = {0};
	int rc = loop_open(c, &l), yes = 0;

	for (int64_t i = 0; !rc; i++) {
		rc = loop_goes_on(c, &l, i, &yes);
		if (rc || !yes)
			break;
		rc = loop_step(c, &l, i);
	}
	for (size_t i = 0; i < l.n_state && !rc && i < (size_t)c->n_out; i++)
		rc = call_give(c, (int)i, value_ref(l.in[2 + i]));
	for (size_t i = 0; i < l.n_scan && !rc; i++)
		rc = stack_finish(c, &l.scans[i], (int)(l.n_state + i), &l.body->outputs.at[1 + l.n_state + i]->type);
	for (size_t i = 0; l.in && i < 2 + l.n_state; i++)
		value_unref(l.in[i]);
	for (size_t i = 0; l.scans && i < l.n_scan; i++)
		tensor_unref(l.scans[i].t);
	return rc;
}

const struct op op_loop = {
	.samples = SAMPLES({.by = &sampler_loop}),
	.in = {{"M", T_I64, 0, PORT_OPTIONAL},
	       {"cond", T_BOOL, 0, PORT_OPTIONAL},
	       {"v_initial", T_ANY, 0, PORT_OPTIONAL | PORT_VARIADIC | PORT_ANY_KIND | PORT_MIXED}},
	.out = {{"v_final_and_scan_outputs", T_ANY, 0, PORT_OPTIONAL | PORT_VARIADIC | PORT_ANY_KIND | PORT_MIXED}},
	.attrs = loop_attrs,
	.flags = OP_OWN_OUTPUTS | OP_CONTROL,
	.infer = loop_infer,
	.eval = loop_eval,
};
