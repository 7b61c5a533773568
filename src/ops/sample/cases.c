/* cases.c - nodes drawn from an operator's cases (data/cases), for operators that have no sampler of their own.
 *
 * One of the cases gives the attributes, and the shapes and ranges of all inputs.  The wire that leads in takes the
 * place of the first random input: it is cut or filled up to its shape, and clipped to its range.  The other random
 * inputs are drawn anew, as constants or as inputs of the model.  Nothing is known of how large results are, so what
 * comes behind clips them where that matters. */
#include <math.h>
#include <string.h>

#include "ops/sample/maker.h"
#include "tensor/stats.h"

#define MAX_PORTS 16

/* ---- cases that do ----------------------------------------------------------------------------------------------- */

static const struct node *node_of(const struct op_case *c)
{
	return c->model->graph->nodes.at[0];
}

/* Which of the case's random inputs leads into a port; -1: it has a constant, or nothing. */
static int input_at(const struct op_case *c, int port)
{
	const struct wire *w = node_of(c)->in[port];

	for (size_t i = 0; w && i < c->n; i++)
		if (c->model->graph->inputs.at[i] == w)
			return (int)i;
	return -1;
}

enum dtype make_case_type(const struct op_case *c)
{
	return c->model->graph->inputs.at[0]->type.dtype;
}

/* A tensor of numbers with a known shape, and elements in it: what other nodes can take. */
static int is_plain(const struct type *t)
{
	if (t->kind != VALUE_TENSOR || !(MAKE_PLAIN & TM(t->dtype)) || !type_is_static(t))
		return 0;
	for (int i = 0; i < t->rank; i++)
		if (!t->dims[i])
			return 0;
	return 1;
}

/* The output that goes on; -1: there is none. */
static int way_out(const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && is_plain(&n->out[i]->type))
			return i;
	return -1;
}

int make_case_is_open(struct op_case *c)
{
	struct err ignored = ERR_INIT;

	return c->n && node_of(c)->n_in <= MAX_PORTS && is_plain(&c->model->graph->inputs.at[0]->type) &&
	       !ops_bind(c->model, &ignored) && !ops_require_bound(c->model, &ignored) &&
	       !ops_infer(c->model, &ignored) && way_out(node_of(c)) >= 0;
}

int make_case_fits(const struct op_case *c, int opset)
{
	const struct node *n = node_of(c);
	const struct op_row *row = ops_find(n->domain, n->op_type);

	return row && ops_version(row, ops_opset_with(n->domain, opset)) == ops_version(row, n->opset);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* One of those that fit the model's opset and take the wire's type. */
static const struct op_case *draw_case(struct maker *m, enum dtype t)
{
	const struct op_case *chosen = NULL;
	int64_t n = 0;

	for (size_t i = 0; m->cases && m->cases[i]; i++)
		if (make_case_fits(m->cases[i], m->opset) && make_case_type(m->cases[i]) == t &&
		    !make_between(m, 0, n++))
			chosen = m->cases[i];
	return chosen;
}

/* Another random input: one of the model, when its type is one that those have, or a constant. */
static struct wire *draw_other(struct maker *m, const struct op_case *c, int i)
{
	const struct type *t = &c->model->graph->inputs.at[i]->type;
	const struct case_range *r = &c->ranges[i];
	struct tensor *x;

	if (m->b.rc)
		return NULL;
	if ((MAKE_NUMBERS & TM(t->dtype)) && make_chance(m, 0.3)) {
		struct wire *w = make_set_bound(m, make_body_input(m, t->dtype, t->rank, t->dims), INFINITY);

		return make_within(m, w, r->low, r->high);
	}
	x = tensor_new(t->dtype, t->rank, t->dims, m->b.err);
	if (x && tensor_fill_random(x, &m->rng, r->low, r->high, m->b.err)) {
		tensor_unref(x);
		x = NULL;
	}
	return make_const(m, x, fmax(fabs(r->low), fabs(r->high)));
}

static struct wire *first_input(struct maker *m, const struct op_case *c, struct wire *w)
{
	const struct type *t = &c->model->graph->inputs.at[0]->type;

	return make_within(m, make_match(m, w, t->rank, t->dims), c->ranges[0].low, c->ranges[0].high);
}

static void fill_ports(struct maker *m, const struct op_case *c, struct wire *first, struct wire **all)
{
	const struct node *n = node_of(c);

	for (int i = 0; i < n->n_in && !m->b.rc; i++) {
		int input = input_at(c, i);

		if (input == 0)
			all[i] = first_input(m, c, first);
		else if (input > 0)
			all[i] = draw_other(m, c, input);
		else
			all[i] = n->in[i] ? make_const(m, tensor_copy(n->in[i]->init, m->b.err), INFINITY) : NULL;
	}
}

/* Largest values that a type may have: nothing else is known. */
static double widest(enum dtype t)
{
	return t == DT_BOOL ? 1 : dtype_is_float(t) ? (double)INFINITY : dtype_max(t);
}

static struct wire *sample_cases(struct maker *m, struct wire *const *in, int n)
{
	const struct op_case *c = draw_case(m, in[0]->type.dtype);
	struct wire *all[MAX_PORTS] = {NULL};
	int out;

	(void)n;
	if (!c && !m->b.rc)
		m->b.rc = err_set(m->b.err, ERR_INTERNAL, "no case of %s fits", m->row->name);
	if (m->b.rc)
		return NULL;
	fill_ports(m, c, in[0], all);
	make_begin_row(m, all, node_of(c)->n_in, node_of(c)->n_out);
	if (!m->b.rc)
		m->b.rc = node_copy_attrs(m->b.last, node_of(c), m->b.err);
	make_done_open(m);
	out = m->b.rc ? -1 : way_out(m->b.last);
	for (int i = 0; i < (m->b.rc ? 0 : m->b.last->n_out); i++)
		if (i != out && make_chance(m, 0.5))
			build_output(&m->b, m->b.last->out[i]);
	if (out < 0)
		return NULL;
	return make_set_bound(m, m->b.last->out[out], widest(m->b.last->out[out]->type.dtype));
}

const struct sampler sampler_cases = {
	.summary = "one of the operator's cases",
	.types = MAKE_PLAIN,
	.make = sample_cases,
};
