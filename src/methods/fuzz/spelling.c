/* spelling.c - see spelling.h.
 *
 * Constants that several nodes may read stay as they are: a node with another spelling gets a constant of its own. */
#include "methods/fuzz/spelling.h"

#include <stdio.h>
#include <string.h>

#include "ops/attr.h"

#define LEFT_OUT 0.5    /* share of the attributes that say their default */
#define OTHER_END 0.3   /* share of the nodes with axes */
#define OPEN 0.15       /* share of the sizes that 0 may stand for, and of the shapes that get a -1 */
#define FROM_THE_END 11 /* from this opset on all axes may count from the end */
#define TAKEN 0.15      /* share of the shapes that another wire has as well */
#define MAX_LIST MAKE_MAX_RANK

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Without perm Transpose turns the axes round. */
static int is_reversed(const struct node *n, const struct attr *a)
{
	if (strcmp(n->op_type, "Transpose") != 0 || strcmp(a->name, "perm") != 0 || a->type != ATTR_INTS)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->ints[i] != (int64_t)(a->n - 1 - i))
			return 0;
	return 1;
}

static void leave_out(struct maker *m, struct node *n)
{
	for (int i = n->n_attrs; i-- > 0;)
		if ((attr_is_default(n, &n->attrs[i]) || is_reversed(n, &n->attrs[i])) && make_chance(m, LEFT_OUT))
			node_remove_attr(n, n->attrs[i].name);
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Operators whose axes are those of the output; of others they are those of the first input. */
static const char *const of_output[] = {"Unsqueeze", "OneHot"};
/* Operators of which ONNX does not say that an axis may count from the end. */
static const char *const front_only[] = {"MeanVarianceNormalization"};

static int is_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return 1;
	return 0;
}
#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof *(list), name)

/* What axes of the node count in; NULL: they have one spelling. */
static const struct wire *ranked_by(const struct maker *m, const struct node *n)
{
	const struct wire *w = IS_IN(of_output, n->op_type) ? n->out[0] : n->n_in ? n->in[0] : NULL;

	if (m->opset < FROM_THE_END || *n->domain || IS_IN(front_only, n->op_type))
		return NULL;
	return w && type_is_static(&w->type) ? w : NULL;
}

/* The same axis from the other end; one behind the last (Flatten has it) has no other spelling. */
static int64_t other_end(int64_t axis, int rank)
{
	return axis < 0 ? axis + rank : axis < rank ? axis - rank : axis;
}

static int names_axes(const char *name)
{
	return !strcmp(name, "axis") || !strcmp(name, "axes");
}

static void turn_attrs(struct node *n, int rank)
{
	for (int i = 0; i < n->n_attrs; i++) {
		struct attr *a = &n->attrs[i];

		if (!names_axes(a->name))
			continue;
		if (a->type == ATTR_INT)
			a->i = other_end(a->i, rank);
		for (size_t k = 0; a->type == ATTR_INTS && k < a->n; k++)
			a->ints[k] = other_end(a->ints[k], rank);
	}
}

/* The numbers of a constant of int64, one axis or none; how many, -1: it is something else. */
static int numbers_of(const struct wire *w, int64_t *list)
{
	const struct tensor *t = w ? w->init : NULL;

	if (!t || t->dtype != DT_INT64 || t->rank > 1 || !t->count || t->count > MAX_LIST)
		return -1;
	for (size_t i = 0; i < t->count; i++)
		list[i] = (int64_t)tensor_get(t, i);
	return (int)t->count;
}

static void put_numbers(struct maker *m, struct node *n, int port, const int64_t *list, int count)
{
	int is_scalar = !n->in[port]->init->rank;
	struct wire *w = is_scalar ? make_scalar(m, DT_INT64, (double)*list) : make_ints(m, (size_t)count, list);

	if (!w)
		return;
	n->in[port] = w;
	m->has_unused = 1;
}

static void turn_inputs(struct maker *m, struct node *n, int rank)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);
	int64_t list[MAX_LIST];

	for (int port = 1; row && port < n->n_in && port < OP_MAX_PORTS && !m->b.rc; port++) {
		const char *name = row->op->in[port].name;
		int count = name && names_axes(name) ? numbers_of(n->in[port], list) : -1;

		for (int i = 0; i < count; i++)
			list[i] = other_end(list[i], rank);
		if (count > 0)
			put_numbers(m, n, port, list, count);
	}
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void open_sizes(struct maker *m, struct node *n)
{
	const struct wire *x = n->n_in > 1 && !strcmp(n->op_type, "Reshape") && !*n->domain ? n->in[0] : NULL;
	int64_t list[MAX_LIST];
	int count = x ? numbers_of(n->in[1], list) : -1, has_open = 0, changed = 0;

	/* a size of 0 is none that 0 stands for, and leaves open what -1 would be */
	if (count <= 0 || !type_is_static(&x->type) || !make_count_of(x) || attr_int(n, "allowzero"))
		return;
	for (int i = 0; i < count; i++)
		has_open |= list[i] < 0;
	for (int i = 0; i < count; i++) {
		if (!make_chance(m, OPEN))
			continue;
		if (i < x->type.rank && list[i] == x->type.dims[i] && make_chance(m, 0.7))
			list[i] = 0;
		else if (!has_open && list[i] > 0)
			list[i] = -1;
		else
			continue;
		has_open |= list[i] < 0;
		changed = 1;
	}
	if (changed)
		put_numbers(m, n, 1, list, count);
}

/* ---- shapes of other wires --------------------------------------------------------------------------------------- */

static int has_dims(const struct wire *w, const int64_t *list, int count)
{
	return type_is_static(&w->type) && w->type.rank == count &&
	       !memcmp(w->type.dims, list, (size_t)count * sizeof *list);
}

/* A wire of that shape which is there before node `at`, by chance; NULL: none. */
static struct wire *wire_with(struct maker *m, size_t at, const int64_t *list, int count)
{
	const struct graph *g = m->b.graph;
	struct wire *found = NULL;
	uint64_t n = 0;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (has_dims(g->inputs.at[i], list, count) && !rng_below(&m->rng, ++n))
			found = g->inputs.at[i];
	for (size_t i = 0; i < at; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out; k++) {
			struct wire *w = g->nodes.at[i]->out[k];

			if (w && has_dims(w, list, count) && !rng_below(&m->rng, ++n))
				found = w;
		}
	return found;
}

/* The shape that node `at` is given as a constant comes from a Shape, as exporters write it; how many nodes that are.
 */
static size_t take_shape(struct maker *m, size_t at)
{
	struct node *n = m->b.graph->nodes.at[at], *shape;
	int is_shaped = !*n->domain && (!strcmp(n->op_type, "Reshape") || !strcmp(n->op_type, "Expand"));
	int64_t list[MAX_LIST];
	int count = is_shaped ? numbers_of(n->in[1], list) : -1;
	struct wire *of = count > 0 && make_chance(m, TAKEN) ? wire_with(m, at, list, count) : NULL;
	char name[24];
	const char *out = name;

	if (!of || !make_count_of(of))
		return 0;
	snprintf(name, sizeof name, "s%d", m->names++);
	m->b.rc = graph_add_node(
		m->b.graph, at,
		&(struct node_spec){.name = name, .op_type = "Shape", .in = &of, .n_in = 1, .out = &out, .n_out = 1},
		&shape, m->b.err);
	if (!m->b.rc)
		m->b.rc = ops_infer_node(shape, &m->tmp, m->b.err);
	if (m->b.rc)
		return 0;
	make_set_bound(m, shape->out[0], 0);
	n->in[1] = shape->out[0];
	m->has_unused = 1;
	return 1;
}

void spelling_draw(struct maker *m, size_t first)
{
	struct graph *g = m->b.graph;

	for (size_t i = first; i < g->nodes.n && !m->b.rc; i++) {
		struct node *n = g->nodes.at[i];
		const struct wire *by = ranked_by(m, n);

		leave_out(m, n);
		if (by && make_chance(m, OTHER_END)) {
			turn_attrs(n, by->type.rank);
			turn_inputs(m, n, by->type.rank);
		}
		if (!m->b.rc)
			i += take_shape(m, i);
		if (!m->b.rc)
			open_sizes(m, n);
	}
}
