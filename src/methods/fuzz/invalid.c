/* invalid.c - a model that ONNX forbids, on purpose: one illegal attribute, input, type or shape in a valid one.
 *
 * The change is drawn by chance, from those that fit a node.  Whether what comes of it is invalid the reference says,
 * and why; where it is not, the case is judged as any other. */
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/fuzz.h"
#include "ops/attr.h"

#define TRIES 48    /* of a node and a change, until one fits */
#define BEYOND 1000 /* past any axis, size and index of the models */

struct breaking {
	struct model *model;
	struct value **inputs; /* by graph->inputs */
	struct node *node;
	struct rng *rng;
	int changed; /* the node, or what leads into it */
};

/* Changes the node, where there is something of that kind to change. */
typedef int break_fn(struct breaking *b, struct err *e);

static int draw_below(struct breaking *b, size_t n)
{
	return (int)rng_below(b->rng, n);
}

static int is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names != NULL;
}

/* One of the node's attributes of a type and with one of these names, by chance. */
static const struct attr *draw_attr(struct breaking *b, enum attr_type type, const char *const *names)
{
	const struct attr *found = NULL;

	for (int i = 0, n = 0; i < b->node->n_attrs; i++)
		if (b->node->attrs[i].type == type && is_one_of(b->node->attrs[i].name, names) &&
		    !draw_below(b, (size_t)++n))
			found = &b->node->attrs[i];
	return found;
}

/* Another integer in an attribute of integers, or of one. */
static int change_number(struct breaking *b, const char *const *names, int64_t x, struct err *e)
{
	const struct attr *one = draw_attr(b, ATTR_INT, names), *list = draw_attr(b, ATTR_INTS, names);
	int64_t *changed;
	int rc;

	b->changed = one || (list && list->n);
	if (one)
		return node_set_int(b->node, one->name, x, e);
	if (!list || !list->n)
		return 0;
	changed = mem_array(list->n, sizeof *changed);
	if (!changed)
		return err_nomem(e, "an attribute", list->n);
	memcpy(changed, list->ints, list->n * sizeof *changed);
	changed[draw_below(b, list->n)] = x;
	rc = node_set_ints(b->node, list->name, changed, list->n, e);
	mem_free(changed);
	return rc;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int axis_beyond(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"axis", "axes", "batch_axis", "time_axis", NULL};
	static const char *const ignored[] = {"QuantizeLinear", "DequantizeLinear", NULL}; /* with one scale */

	if (is_one_of(b->node->op_type, ignored))
		return 0;
	return change_number(b, names, draw_below(b, 2) ? BEYOND : -BEYOND, e);
}

static int not_positive(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"kernel_shape", "strides", "dilations",  "group",
					    "blocksize",    "size",    "num_groups", NULL};

	return change_number(b, names, -draw_below(b, 2), e);
}

static int no_such_type(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"to", "dtype", NULL};

	return change_number(b, names, BEYOND, e);
}

static int axis_twice(struct breaking *b, struct err *e)
{
	size_t n;
	const int64_t *perm = node_ints(b->node, "perm", &n);
	int64_t twice[MAKE_MAX_IN];

	if (!perm || n < 2 || n > MAKE_MAX_IN)
		return 0;
	memcpy(twice, perm, n * sizeof *perm);
	twice[0] = twice[1];
	b->changed = 1;
	return node_set_ints(b->node, "perm", twice, n, e);
}

static int no_such_word(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"mode",         "auto_pad",  "coordinate_transformation_mode",
					    "nearest_mode", "direction", "reduction",
					    "padding_mode", NULL};
	const struct attr *a = draw_attr(b, ATTR_STRING, names);

	if (!a)
		return 0;
	b->changed = 1;
	return node_set_string(b->node, a->name, "no_such_word", e);
}

static int attribute_gone(struct breaking *b, struct err *e)
{
	const struct op_attr *row;

	(void)e;
	for (int i = 0; i < b->node->n_attrs; i++) {
		row = b->node->op ? attr_row(b->node->op, b->node->attrs[i].name, b->node->version) : NULL;
		if (row && row->required) {
			node_remove_attr(b->node, row->name);
			b->changed = 1;
			break;
		}
	}
	return 0;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static int input_gone(struct breaking *b, struct err *e)
{
	const struct op *op = b->node->op;
	int at = b->node->n_in ? draw_below(b, (size_t)b->node->n_in) : 0;

	(void)e;
	if (!op || at >= b->node->n_in || at >= OP_MAX_PORTS || !op->in[at].name || !b->node->in[at] ||
	    op->in[at].flags & (PORT_OPTIONAL | PORT_VARIADIC))
		return 0;
	b->node->in[at] = NULL;
	b->changed = 1;
	return 0;
}

/* The place among the model's inputs of a wire; -1: it is none. */
static int input_of(const struct breaking *b, const struct wire *w)
{
	const struct graph *g = b->model->graph;

	for (size_t i = 0; w && i < g->inputs.n; i++)
		if (g->inputs.at[i] == w && b->inputs[i] && b->inputs[i]->kind == VALUE_TENSOR)
			return (int)i;
	return -1;
}

/* The numbers that lead into a port: those of a constant, or what an input is given; NULL: they are not known. */
static struct tensor *numbers_of(const struct breaking *b, int port)
{
	const struct wire *w = b->node->in[port];
	int at = input_of(b, w);

	return at >= 0 ? b->inputs[at]->tensor : w ? w->init : NULL;
}

/* Takes over the numbers. */
static int set_numbers(struct breaking *b, int port, struct tensor *packed, struct err *e)
{
	int at = input_of(b, b->node->in[port]);
	struct value *v;

	if (at < 0)
		return graph_set_init(b->node->in[port], packed, e);
	v = value_tensor(packed, e);
	if (!v)
		return e->code;
	value_unref(b->inputs[at]);
	b->inputs[at] = v;
	return 0;
}

/* A copy of the numbers, one of which is another; packed. */
static struct tensor *with_number(struct breaking *b, const struct tensor *t, double x, struct err *e)
{
	struct tensor *copy = tensor_copy(t, e), *wide, *packed = NULL; /* the buffer is shared */
	size_t at = (size_t)draw_below(b, t->count);

	wide = copy ? tensor_widen(copy, e) : NULL;
	if (wide && dtype_wide(wide->dtype) == WIDE_F64)
		wide->f[at] = x;
	else if (wide)
		wide->i[at] = (int64_t)x;
	if (wide)
		packed = tensor_pack(wide, e);
	tensor_unref(wide);
	tensor_unref(copy);
	return packed;
}

/* Another number in what leads into a port with one of these names. */
static int change_parameter(struct breaking *b, const char *const *names, double x, struct err *e)
{
	const struct op *op = b->node->op;

	for (int i = 0; op && i < b->node->n_in && i < OP_MAX_PORTS && op->in[i].name; i++) {
		const struct tensor *t = is_one_of(op->in[i].name, names) ? numbers_of(b, i) : NULL;
		struct tensor *packed;

		if (!t || !t->count || t->dtype == DT_STRING)
			continue;
		packed = with_number(b, t, x, e);
		b->changed = 1;
		return packed ? set_numbers(b, i, packed, e) : e->code;
	}
	return 0;
}

/* An index or an axis, far outside. */
static int index_beyond(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"indices", "axes", "axis", NULL};

	return change_parameter(b, names, draw_below(b, 2) ? BEYOND : -BEYOND, e);
}

/* A step that leads nowhere. */
static int no_step(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"delta", "steps", NULL};

	return change_parameter(b, names, 0, e);
}

/* More is cut away, or counted, than there is. */
static int count_beyond(struct breaking *b, struct err *e)
{
	static const char *const names[] = {"pads", "repeats", "split", "k", "K", NULL};

	return change_parameter(b, names, -BEYOND, e);
}

/* The place among the model's inputs of one that the node reads; -1: it reads none. */
static int read_input(struct breaking *b)
{
	const struct graph *g = b->model->graph;
	int found = -1, n = 0;

	for (int i = 0; i < b->node->n_in; i++)
		for (size_t k = 0; k < g->inputs.n; k++)
			if (b->node->in[i] == g->inputs.at[k] && b->inputs[k]->kind == VALUE_TENSOR &&
			    !draw_below(b, (size_t)++n))
				found = (int)k;
	return found;
}

/* An input of another type and shape: all ones. */
static int replace_input(struct breaking *b, int at, const struct type *t, struct err *e)
{
	struct tensor *ones = tensor_new(t->dtype, t->rank, t->dims, e), *packed;
	struct value *v;

	for (size_t i = 0; ones && i < ones->count; i++) {
		if (dtype_wide(t->dtype) == WIDE_F64)
			ones->f[i] = 1;
		else
			ones->i[i] = 1;
	}
	packed = ones ? tensor_pack(ones, e) : NULL;
	tensor_unref(ones);
	v = packed ? value_tensor(packed, e) : NULL;
	if (!v)
		return e->code;
	value_unref(b->inputs[at]);
	b->inputs[at] = v;
	b->model->graph->inputs.at[at]->type = *t;
	b->changed = 1;
	return 0;
}

static int other_size(struct breaking *b, struct err *e)
{
	int at = read_input(b);
	struct type t;

	if (at < 0 || !b->model->graph->inputs.at[at]->type.rank)
		return 0;
	t = b->model->graph->inputs.at[at]->type;
	t.dims[draw_below(b, (size_t)t.rank)] += 1 + draw_below(b, 3);
	return replace_input(b, at, &t, e);
}

/* The size of 0 of an axis: there is nothing to choose from.  Only where the model is that node: another one behind it
 * may be what the size does not fit, of which a library may make sense. */
static int no_elements(struct breaking *b, struct err *e)
{
	int at = read_input(b);
	struct type t;

	if (at < 0 || !b->model->graph->inputs.at[at]->type.rank || !block_chooses(b->node->op) ||
	    b->model->graph->nodes.n > 1)
		return 0;
	t = b->model->graph->inputs.at[at]->type;
	t.dims[draw_below(b, (size_t)t.rank)] = 0;
	return replace_input(b, at, &t, e);
}

static int other_type(struct breaking *b, struct err *e)
{
	static const enum dtype types[] = {DT_BOOL, DT_INT64, DT_FLOAT, DT_UINT8, DT_DOUBLE};
	int at = read_input(b);
	struct type t;

	if (at < 0)
		return 0;
	t = b->model->graph->inputs.at[at]->type;
	t.dtype = types[draw_below(b, sizeof types / sizeof *types)];
	return replace_input(b, at, &t, e);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* firm: no library may run it.  Of the others one may make sense (a size of 1 where another was given), and only what
 * happens to its process is told.  few: it fits few operators, those that have such a parameter. */
static const struct {
	break_fn *make;
	int firm, few;
} breaks[] = {
	{axis_beyond, 1, 0}, {no_such_word, 1, 0}, {input_gone, 1, 0},   {other_size, 0, 0},     {other_type, 0, 0},
	{axis_twice, 1, 1},  {no_such_type, 1, 1}, {index_beyond, 1, 1}, {attribute_gone, 1, 1}, {no_step, 1, 1},
	{no_elements, 1, 1}, {count_beyond, 1, 1}, {not_positive, 0, 1},
};

/* An operator of a library's own has no rules but the library's. */
static int is_firm(const struct node *n, int firm)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);

	return firm && row && !ops_owner(row);
}

/* What fits few operators is tried first by half: what fits any would leave little of it. */
int invalid_make(struct fuzz_case *c, struct rng *r, struct err *e)
{
	struct breaking b = {.model = c->model, .inputs = c->inputs, .rng = r};
	const struct graph *g = c->model->graph;
	int rc = 0, few = draw_below(&b, 2) ? TRIES / 2 : 0;

	for (int i = 0; i < TRIES && !b.changed && !rc && g->nodes.n; i++) {
		int row = draw_below(&b, sizeof breaks / sizeof *breaks);

		if (i < few && !breaks[row].few)
			continue;
		b.node = g->nodes.at[draw_below(&b, g->nodes.n)];
		rc = breaks[row].make(&b, e);
		c->may_run = !is_firm(b.node, breaks[row].firm);
	}
	return rc ? rc : fuzz_infer_again(c->model, e);
}
