/* eval.c - the nodes that the driver runs itself: constants, shapes, and integer arithmetic on those.
 *
 * Libraries want axes, shapes and pads as plain numbers when an operation is built, while ONNX computes them in the
 * graph.  Following them with the reference's own operators keeps that out of the library under test; a node that sees
 * data of a graph input is never run here, or the library would not be tested. */
#include <string.h>

#include "backends/bind/internal.h"

#define FILL_MAX ((size_t)1 << 22) /* elements of a constant made for a library that cannot make it */

int bind_call_begin(struct bind_state *st, const struct node *n, struct call *c)
{
	size_t ins = (size_t)n->n_in, outs = (size_t)n->n_out;
	struct arena *a = &st->s->scratch;
	struct type *types;

	arena_reset(a);
	types = arena_array(a, ins, sizeof *types);
	*c = (struct call){.node = n, .op = n->op, .version = n->version, .err = st->err, .tmp = a, .in_type = types};
	c->in = arena_array(a, ins, sizeof *c->in);
	c->in_value = arena_array(a, ins, sizeof *c->in_value);
	c->out_type = arena_array(a, outs, sizeof *c->out_type);
	c->out = arena_array(a, outs, sizeof *c->out);
	c->out_value = arena_array(a, outs, sizeof *c->out_value);
	if (!types || !c->in || !c->in_value || !c->out_type || !c->out || !c->out_value)
		return err_nomem(st->err, "a call", 0);
	c->n_in = n->n_in;
	c->n_out = n->n_out;
	for (int i = 0; i < n->n_in; i++) {
		types[i] = (struct type)TYPE_INIT;
		if (!n->in[i])
			continue;
		types[i] = bind_cell(st, n->in[i])->type;
		c->in[i] = tensor_ref(bind_cell(st, n->in[i])->value);
	}
	return call_infer(c);
}

void bind_call_end(struct call *c)
{
	for (int i = 0; i < c->n_in; i++)
		tensor_unref(c->in[i]);
	for (int i = 0; i < c->n_out; i++) {
		tensor_unref(c->out[i]);
		value_unref(c->out_value[i]);
	}
}

static int is_whole(enum dtype t)
{
	return dtype_wide(t) == WIDE_I64;
}

/* Everything that the node reads is a whole number made from shapes and constants, or it reads shapes only. */
static int reads_meta(struct bind_state *st, const struct call *c)
{
	for (int i = 0; i < c->n_in; i++) {
		const struct bind_cell *cell = c->node->in[i] ? bind_cell(st, c->node->in[i]) : NULL;

		if (!cell)
			continue;
		if (c->op->flags & OP_SHAPE_ONLY ? !type_is_static(&cell->type)
						 : !cell->meta || !cell->value || !is_whole(cell->type.dtype))
			return 0;
	}
	return 1;
}

/* Results are small whole numbers, or a filled tensor that the library has no operation for. */
static int gives_meta(const struct bind_session *s, const struct call *c)
{
	int bound = s->bindings[c->node->index] != NULL, moves = c->op->ulps == 0.0f && !c->op->scale;
	struct err ignored = ERR_INIT;
	size_t count;

	for (int i = 0; i < c->n_out; i++) {
		const struct type *t = &c->out_type[i];

		if (!c->node->out[i])
			continue;
		if (!type_is_static(t) || tensor_shape_count(t->rank, t->dims, &count, &ignored))
			return 0;
		if (count > (bound || !moves ? BIND_KNOWN_MAX : FILL_MAX))
			return 0;
		if (!is_whole(t->dtype) && (bound || !moves || !dtype_is_float(t->dtype)))
			return 0;
	}
	return 1;
}

/* Runs eval; results are in c->out. */
static int evaluate(struct call *c)
{
	for (int i = 0; i < c->n_out && !(c->op->flags & OP_OWN_OUTPUTS); i++) {
		const struct type *t = &c->out_type[i];

		if (!c->node->out[i])
			continue;
		c->out[i] = tensor_new(t->dtype, t->rank, t->dims, c->err);
		if (!c->out[i])
			return c->err->code;
	}
	return c->op->eval(c);
}

/* Moves the results of a call into the cells of its outputs. */
static int keep_results(struct bind_cell *cells, struct call *c)
{
	for (int i = 0; i < c->n_out; i++) {
		struct bind_cell *cell = c->node->out[i] ? &cells[c->node->out[i]->id] : NULL;

		if (!cell)
			continue;
		if (!c->out[i])
			return err_set(c->err, ERR_INTERNAL, "output %d was not computed", i);
		if (tensor_is_unique(c->out[i]))
			tensor_wrap_ints(c->out[i]);
		cell->value = tensor_ref(c->out[i]);
		cell->meta = 1;
		type_set(&cell->type, c->out[i]->dtype, c->out[i]->rank, c->out[i]->dims);
	}
	return 0;
}

int bind_evaluate(struct bind_state *st, struct call *c, int *done)
{
	int rc;

	*done = !(c->op->flags & (OP_RANDOM | OP_CONTROL)) && reads_meta(st, c) && gives_meta(st->s, c);
	if (!*done)
		return 0;
	rc = evaluate(c);
	return rc ? rc : keep_results(st->cells, c);
}

int bind_may_evaluate(const struct node *n)
{
	if (!n->op || (n->op->flags & (OP_RANDOM | OP_CONTROL)))
		return 0;
	for (int i = 0; i < n->n_in && !(n->op->flags & OP_SHAPE_ONLY); i++)
		if (n->in[i] && n->in[i]->type.dtype && !is_whole(n->in[i]->type.dtype))
			return 0;
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && (n->op->ulps != 0.0f || n->op->scale) && !is_whole(n->out[i]->type.dtype))
			return 0;
	return 1;
}

int bind_fold_constants(struct bind_session *s, struct err *e)
{
	const struct graph *g = s->model->graph;
	struct bind_state st = {s, s->constants, e};
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		const struct node *n = g->nodes.at[i];
		struct call c;

		if (strcmp(n->op_type, "Constant") || *n->domain)
			continue;
		rc = bind_call_begin(&st, n, &c);
		if (!rc)
			rc = evaluate(&c);
		if (!rc)
			rc = keep_results(s->constants, &c);
		bind_call_end(&c);
		if (rc)
			return err_prefix(e, "node '%s' (%s)", n->name, n->op_type);
	}
	return rc;
}
