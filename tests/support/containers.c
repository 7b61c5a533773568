/* containers.c - see containers.h. */
#include "support/containers.h"

#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "ops/kit/container.h"

#define MAX_PORTS 8  /* of it */
#define VARIADIC 2   /* inputs that a variadic port is given */
#define SCAN_BATCH 2 /* of Scan-8 */

/* What a port that takes anything is given. */
enum source {
	SOURCE_MADE_SEQUENCE,
	SOURCE_SEQUENCE,
	SOURCE_EMPTY_SEQUENCE,
	SOURCE_MADE_OPTIONAL,
	SOURCE_OPTIONAL,
	SOURCE_EMPTY_OPTIONAL,
	SOURCE_OPTIONAL_SEQUENCE,
	SOURCE_TENSOR,
	SOURCES
};

enum body_style { BODY_PLAIN, BODY_GROWING, BODY_NESTED, BODY_STYLES };

/* How an operator calls its graphs: number and condition of an iteration first, then the node's inputs from one on, or
 * none of them; so many of the last are no states. */
static const struct form {
	const char *name;
	int counts;    /* gets number and condition, and gives a condition */
	int from;      /* -1: none */
	int stateless; /* of the inputs; -1: all */
} forms[] = {
	{"If", 0, -1, 0},
	{"Loop", 1, 2, 0},
	{"Scan", 0, 0, 1},
	{"SequenceMap", 0, 0, -1},
};

struct making {
	struct build b;
	struct container_case *c;
	const struct op_row *row;
	int version;
	enum source source;
	enum body_style style;
	struct wire *x;             /* a tensor that graphs capture */
	struct wire *in[MAX_PORTS]; /* of the operator */
	int is_tensor[MAX_PORTS];
	int n_in;
	int names;
};

/* ---- wires ------------------------------------------------------------------------------------------------------- */

static const char *name(struct making *m)
{
	char number[16];

	snprintf(number, sizeof number, "%d", ++m->names);
	return build_name(&m->b, "w", number);
}

static struct tensor *numbers(struct making *m, enum dtype t, int rank, const int64_t *dims)
{
	struct tensor *y = tensor_zeros(t, rank, dims, m->b.err);

	BUG_ON(!y);
	for (size_t i = 0; i < y->count; i++)
		if (dtype_wide(t) == WIDE_F64)
			y->f[i] = (double)(i % 5) - 1.5;
		else
			y->i[i] = 1;
	return y;
}

static struct value *floats(struct making *m)
{
	return value_tensor(numbers(m, DT_FLOAT, 2, (int64_t[]){2, 3}), m->b.err);
}

static struct wire *give(struct making *m, const struct type *t, struct value *take)
{
	size_t at = m->b.model->graph->inputs.n;
	struct wire *w = NULL;

	BUG_ON(!take || at >= CONTAINER_MAX_INPUTS || graph_add_input(m->b.graph, name(m), t, &w, m->b.err));
	m->c->inputs[at] = take;
	return w;
}

static struct wire *give_floats(struct making *m)
{
	struct type t = TYPE_INIT;

	type_set(&t, DT_FLOAT, 2, (int64_t[]){2, 3});
	return give(m, &t, floats(m));
}

/* Integers and bools decide on what is done: constants, of which inference knows. */
static struct wire *constant(struct making *m, enum dtype t, int rank, const int64_t *dims)
{
	struct wire *w = NULL;

	BUG_ON(graph_add_init(m->b.graph, name(m), numbers(m, t, rank, dims), &w, m->b.err));
	return w;
}

static struct value *sequence(struct making *m, size_t n)
{
	struct value *items[2] = {NULL};

	for (size_t i = 0; i < n; i++)
		items[i] = floats(m);
	return value_sequence(DT_FLOAT, items, n, m->b.err);
}

static struct wire *give_source(struct making *m)
{
	const struct type optional = {
		.kind = VALUE_OPTIONAL, .dtype = DT_FLOAT, .rank = -1, .elem = elem_tensor(DT_FLOAT)};
	const struct type of_sequence = {
		.kind = VALUE_OPTIONAL, .dtype = DT_FLOAT, .rank = -1, .elem = elem_sequence(DT_FLOAT)};

	switch (m->source) {
	case SOURCE_MADE_SEQUENCE:
		return build_op(&m->b, "SequenceConstruct", name(m), give_floats(m), m->x, NULL);
	case SOURCE_SEQUENCE:
		return give(m, elem_sequence(DT_FLOAT), sequence(m, 2));
	case SOURCE_EMPTY_SEQUENCE:
		return give(m, elem_sequence(DT_FLOAT), sequence(m, 0));
	case SOURCE_MADE_OPTIONAL:
		return build_op(&m->b, "Optional", name(m), give_floats(m), NULL);
	case SOURCE_OPTIONAL:
		return give(m, &optional, value_optional(floats(m), m->b.err));
	case SOURCE_EMPTY_OPTIONAL:
		return give(m, &optional, value_optional(NULL, m->b.err));
	case SOURCE_OPTIONAL_SEQUENCE:
		return give(m, &of_sequence, value_optional(sequence(m, 2), m->b.err));
	default:
		return give_floats(m);
	}
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static const struct form *form_of(const struct op_row *row)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, row->name))
			return &forms[i];
	return NULL;
}

/* Scan-8: the first input has the lengths of sequences. */
static int takes_lengths(const struct making *m)
{
	return !strcmp(m->row->name, "Scan") && m->version == 8;
}

/* If true then w else w, in graphs of their own. */
static struct wire *choose(struct making *m, struct wire *w)
{
	static const char *const names[] = {"then_branch", "else_branch"};
	struct wire *condition = constant(m, DT_BOOL, 0, NULL), *y;
	struct graph *at = m->b.graph, *branches[2];

	for (int i = 0; i < 2; i++) {
		m->b.graph = branches[i] = graph_new(m->b.model, at, names[i]);
		BUG_ON(!branches[i]);
		build_output(&m->b, build_op(&m->b, "Identity", name(m), w, NULL));
	}
	m->b.graph = at;
	y = build_op(&m->b, "If", name(m), condition, NULL);
	for (int i = 0; i < 2; i++)
		BUG_ON(node_set_graph(m->b.last, names[i], branches[i], m->b.err));
	return y;
}

/* What comes of one of the body's inputs. */
static struct wire *next(struct making *m, struct wire *w, int is_tensor)
{
	int is_sequence = !is_tensor && m->source <= SOURCE_EMPTY_SEQUENCE;

	if (m->style == BODY_NESTED)
		return choose(m, w);
	if (m->style == BODY_GROWING && is_sequence)
		return build_op(&m->b, "SequenceInsert", name(m), w, m->x, NULL);
	if (m->style == BODY_GROWING && is_tensor) {
		w = build_op(&m->b, "Concat", name(m), w, w, NULL);
		build_int(&m->b, "axis", 0);
		return w;
	}
	return build_op(&m->b, is_tensor ? "Neg" : "Identity", name(m), w, NULL);
}

static struct wire *formal(struct making *m, const struct wire *outer, int declared)
{
	const struct type open = TYPE_INIT;
	struct wire *w = NULL;

	BUG_ON(graph_add_input(m->b.graph, name(m), declared ? &outer->type : &open, &w, m->b.err));
	return w;
}

/* The first of the node's inputs that a body gets. */
static int first_inner(const struct making *m, const struct form *f)
{
	return f->from < 0 ? m->n_in : f->from + takes_lengths(m);
}

static void body_of(struct making *m, const struct form *f)
{
	int map = f->stateless < 0, first = first_inner(m, f), states = map ? first : m->n_in - f->stateless;
	struct wire *inner[MAX_PORTS], *last = m->x;

	for (int i = first; i < m->n_in; i++) {
		/* what slices and items are like is not what the node is given */
		inner[i] = formal(m, m->in[i], f->counts && m->style == BODY_NESTED);
		last = map || m->is_tensor[i] ? inner[i] : last;
	}
	for (int i = first; i < states; i++)
		build_output(&m->b, next(m, inner[i], m->is_tensor[i]));
	build_output(&m->b, build_op(&m->b, "Add", name(m), last, m->x, NULL));
	build_output(&m->b, next(m, last, 1));
}

/* A graph as the operator runs it; gives how many outputs the node has of it. */
static int add_body(struct making *m, const char *attribute, struct graph **out)
{
	const struct type open = TYPE_INIT;
	const struct form *f = form_of(m->row);
	struct graph *at = m->b.graph, *g = graph_new(m->b.model, at, attribute);
	struct wire *condition = NULL;

	if (!f)
		fprintf(stderr, "%s: nothing is known of how it calls its graphs\n", m->row->name);
	BUG_ON(!f || !g);
	m->b.graph = g;
	if (f->counts) {
		BUG_ON(graph_add_input(g, name(m), &open, NULL, m->b.err));
		BUG_ON(graph_add_input(g, name(m), &open, &condition, m->b.err));
		build_output(&m->b, build_op(&m->b, "Identity", name(m), condition, NULL));
	}
	body_of(m, f);
	m->b.graph = at;
	*out = g;
	return (int)g->outputs.n - f->counts;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static void add_input(struct making *m, const struct op_port *p, int lengths, int tensor)
{
	struct wire **w = &m->in[m->n_in];
	int anything = p->flags & PORT_ANY_KIND && !tensor;

	BUG_ON(m->n_in == MAX_PORTS);
	m->is_tensor[m->n_in++] = !anything || m->source == SOURCE_TENSOR;
	if (lengths)
		*w = constant(m, DT_INT64, 1, (int64_t[]){SCAN_BATCH});
	else if (anything)
		*w = give_source(m);
	else if (p->types & T_F32)
		*w = give_floats(m);
	else
		*w = constant(m, p->types & T_I64 ? DT_INT64 : DT_BOOL, 0, NULL);
}

static void make_inputs(struct making *m)
{
	const struct op_port *ports = m->row->op->in;

	for (int i = 0; i < OP_MAX_PORTS && ports[i].name; i++)
		for (int k = 0; k < (ports[i].flags & PORT_VARIADIC ? VARIADIC : 1); k++)
			add_input(m, &ports[i], i == 0 && takes_lengths(m), k > 0 && ports[i].flags & PORT_MIXED);
}

static int count_outputs(const struct op *op)
{
	int n = 0;

	while (n < OP_MAX_PORTS && op->out[n].name)
		n++;
	return n;
}

static void make_node(struct making *m)
{
	const struct op *op = m->row->op;
	const char *outs[MAX_PORTS];
	struct graph *bodies[2] = {NULL};
	int n_out = count_outputs(op), n = 0;
	struct node *node;

	for (const struct op_attr *a = op->attrs; a && a->name; a++)
		if (a->type == ATTR_GRAPH) {
			BUG_ON(n == 2);
			n_out = add_body(m, a->name, &bodies[n++]);
		}
	BUG_ON(n_out > MAX_PORTS);
	for (int i = 0; i < n_out; i++)
		outs[i] = name(m);
	node = build_op_n(&m->b, m->row->name, name(m), m->in, m->n_in, outs, n_out);
	BUG_ON(!node);
	n = 0;
	for (const struct op_attr *a = op->attrs; a && a->name; a++)
		if (a->type == ATTR_GRAPH)
			BUG_ON(node_set_graph(node, a->name, bodies[n++], m->b.err));
		else if (a->required)
			build_int(&m->b, a->name, a->type == ATTR_INT);
	node->opset = m->version;
	for (int i = 0; i < n_out; i++)
		build_output(&m->b, node->out[i]);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int takes_anything(const struct op *op)
{
	for (int i = 0; i < OP_MAX_PORTS && op->in[i].name; i++)
		if (op->in[i].flags & PORT_ANY_KIND)
			return 1;
	return 0;
}

int container_wanted(const struct op *op)
{
	return (op->flags & OP_CONTROL) || takes_anything(op) || (op->out[0].flags & PORT_ANY_KIND);
}

int container_make(const struct op_row *row, int version, size_t k, struct container_case *out)
{
	size_t sources = takes_anything(row->op) ? SOURCES : 1, styles = row->op->flags & OP_CONTROL ? BODY_STYLES : 1;
	struct err e = ERR_INIT;
	struct making m = {.c = out, .row = row, .version = version};

	if (k >= sources * styles)
		return 0;
	*out = (struct container_case){.model = NULL};
	m.source = (enum source)(k % sources);
	m.style = (enum body_style)(k / sources);
	snprintf(out->what, sizeof out->what, "source %d, body %d", (int)m.source, (int)m.style);
	build_begin(&m.b, CONTAINER_OPSET, 1, &e);
	m.x = give_floats(&m);
	make_inputs(&m);
	make_node(&m);
	if (build_end(&m.b, &out->model))
		fprintf(stderr, "%s-%d, %s: %s\n", row->name, version, out->what, e.msg);
	BUG_ON(!out->model);
	return 1;
}

void container_release(struct container_case *c)
{
	for (size_t i = 0; i < CONTAINER_MAX_INPUTS; i++)
		value_unref(c->inputs[i]);
	model_free(c->model);
}
