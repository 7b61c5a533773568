/* infer.c - shape inference: type checks of one call, and the driver over a whole model.
 *
 * The driver walks each graph in order.  Constants are followed: a node whose inputs are all known small tensors is
 * evaluated, so that Shape → Gather → Concat → Reshape chains give static shapes. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/call.h"
#include "ops/op.h"

#define FOLD_MAX_COUNT 1024 /* elements of a tensor worth following; shapes are far smaller */

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static const struct op_port *port_at(const struct op_port *ports, int i)
{
	int last = 0;

	while (last + 1 < OP_MAX_PORTS && ports[last + 1].name)
		last++;
	return &ports[i < last ? i : last];
}

static int check_input(struct call *c, int i, enum dtype *groups)
{
	const struct op_port *p = port_at(c->op->in, i);
	const struct type *t = &c->in_type[i];
	enum dtype *group = &groups[(unsigned char)p->group & 127];

	if (t->kind == VALUE_NONE)
		return 0;
	if (t->kind != VALUE_TENSOR && !(p->flags & PORT_ANY_KIND))
		return call_bad(c, "input %d ('%s') is not a tensor", i, p->name);
	if (t->dtype == DT_UNDEFINED)
		return 0;
	if (!(p->types & TM(t->dtype)))
		return call_bad(c, "input %d ('%s') has element type %s, which the operator does not take", i, p->name,
				dtype_name(t->dtype));
	if (!p->group || (p->flags & PORT_MIXED))
		return 0;
	if (*group != DT_UNDEFINED && *group != t->dtype)
		return call_bad(c, "input %d ('%s') has element type %s, but another input that must match has %s", i,
				p->name, dtype_name(t->dtype), dtype_name(*group));
	*group = t->dtype;
	return 0;
}

int call_infer(struct call *c)
{
	enum dtype groups[128] = {DT_UNDEFINED};

	for (int i = 0; i < c->n_in; i++) {
		int rc = check_input(c, i, groups);

		if (rc)
			return rc;
	}
	for (int i = 0; i < c->n_out; i++) {
		const struct op_port *p = port_at(c->op->out, i);

		c->out_type[i] = (struct type)TYPE_INIT;
		c->out_type[i].kind = p->flags & PORT_ANY_KIND ? VALUE_NONE : VALUE_TENSOR;
		if (p->group && !(p->flags & PORT_MIXED))
			c->out_type[i].dtype = groups[(unsigned char)p->group & 127];
	}
	return c->op->infer(c);
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

/* Known values of wires, by wire->id, one table for each graph on the way in. */
struct infer_known {
	const struct graph *graph;
	struct tensor **values; /* wide; NULL: not known */
	struct infer_known *outer;
};

struct driver {
	struct model *model;
	struct arena tmp;
	struct err *err;
};

static int infer_graph(struct driver *d, struct graph *g, struct infer_known *outer);

static struct tensor *known_value(const struct infer_known *k, const struct wire *w)
{
	for (; k; k = k->outer)
		if (k->graph == w->graph)
			return k->values[w->id];
	return NULL;
}

static int shapes_agree(const struct type *a, const struct type *b)
{
	for (int i = 0; i < a->rank && a->rank == b->rank; i++)
		if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i])
			return 0;
	return a->rank == b->rank;
}

/* Libraries go by what comes out, whatever was declared. */
static int correct_shape(struct driver *d, struct wire *w, const struct type *t)
{
	char a[200], b[200];
	int rc =
		model_complain(d->model, d->err, "'%s' is declared as %s but is %s", w->name,
			       type_describe(&w->type, w->graph, a, sizeof a), type_describe(t, w->graph, b, sizeof b));

	w->type.rank = t->rank;
	memcpy(w->type.dims, t->dims, sizeof t->dims);
	return rc;
}

/* Fits what was inferred to what was declared; the more precise of both stays. */
static int merge_type(struct driver *d, struct wire *w, const struct type *t)
{
	struct type *have = &w->type;
	char a[200], b[200];

	if (t->kind == VALUE_NONE)
		return 0;
	if (have->kind == VALUE_NONE) {
		*have = *t;
		return 0;
	}
	if (have->kind != t->kind || (have->dtype && t->dtype && have->dtype != t->dtype))
		return err_set(d->err, ERR_INPUT, "output '%s' is declared as %s but is %s", w->name,
			       type_describe(have, w->graph, a, sizeof a), type_describe(t, w->graph, b, sizeof b));
	if (!have->dtype)
		have->dtype = t->dtype;
	if (!have->elem)
		have->elem = t->elem;
	if (t->rank < 0)
		return 0;
	if (have->rank < 0) {
		have->rank = t->rank;
		memcpy(have->dims, t->dims, sizeof have->dims);
		return 0;
	}
	if (!shapes_agree(have, t))
		return correct_shape(d, w, t);
	for (int i = 0; i < t->rank; i++)
		if (have->dims[i] == DIM_UNKNOWN || t->dims[i] >= 0)
			have->dims[i] = t->dims[i];
	return 0;
}

static int set_up_call(struct driver *d, const struct node *n, const struct infer_known *k, struct call *c)
{
	size_t ins = (size_t)n->n_in, outs = (size_t)n->n_out;
	struct type *types = arena_array(&d->tmp, ins, sizeof *types);

	*c = (struct call){.node = n, .op = n->op, .version = n->version, .err = d->err, .tmp = &d->tmp};
	c->n_in = n->n_in;
	c->n_out = n->n_out;
	c->in_type = types;
	c->in = arena_array(&d->tmp, ins, sizeof *c->in);
	c->in_value = arena_array(&d->tmp, ins, sizeof *c->in_value);
	c->out_type = arena_array(&d->tmp, outs, sizeof *c->out_type);
	c->out = arena_array(&d->tmp, outs, sizeof *c->out);
	c->out_value = arena_array(&d->tmp, outs, sizeof *c->out_value);
	if (!types || !c->in || !c->in_value || !c->out_type || !c->out || !c->out_value)
		return err_nomem(d->err, "shape inference", 0);
	for (int i = 0; i < n->n_in; i++) {
		types[i] = n->in[i] ? n->in[i]->type : (struct type)TYPE_INIT;
		if (n->in[i])
			c->in[i] = known_value(k, n->in[i]);
	}
	return 0;
}

/* Evaluates a call whose inputs are all known (or whose eval asks for their shapes only) and whose outputs are small;
 * failure means only "not known". */
static void fold(struct driver *d, struct call *c, struct infer_known *k)
{
	const struct node *n = c->node;
	struct err ignored = ERR_INIT;

	if (n->op->flags & (OP_RANDOM | OP_CONTROL))
		return;
	for (int i = 0; i < c->n_in && !(n->op->flags & OP_SHAPE_ONLY); i++)
		if (n->in[i] && !c->in[i])
			return;
	for (int i = 0; i < c->n_out; i++) {
		size_t count;

		if (!n->out[i])
			continue;
		if (!type_is_static(&c->out_type[i]))
			return;
		if (tensor_shape_count(c->out_type[i].rank, c->out_type[i].dims, &count, &ignored) ||
		    count > FOLD_MAX_COUNT)
			return;
	}
	c->err = &ignored;
	for (int i = 0; i < c->n_out && !(n->op->flags & OP_OWN_OUTPUTS); i++)
		if (n->out[i])
			c->out[i] =
				tensor_new(c->out_type[i].dtype, c->out_type[i].rank, c->out_type[i].dims, &ignored);
	if (!ignored.code && !call_eval(c))
		for (int i = 0; i < c->n_out; i++)
			if (c->out[i] && n->out[i]) {
				tensor_wrap_ints(c->out[i]);
				k->values[n->out[i]->id] = tensor_ref(c->out[i]);
			}
	for (int i = 0; i < c->n_out; i++) {
		tensor_unref(c->out[i]);
		value_unref(c->out_value[i]);
	}
	c->err = d->err;
}

static int infer_subgraphs(struct driver *d, const struct node *n, struct infer_known *k)
{
	int rc = 0;

	for (int i = 0; i < n->n_attrs && !rc; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH)
			rc = infer_graph(d, a->g, k);
		for (size_t j = 0; a->type == ATTR_GRAPHS && j < a->n && !rc; j++)
			rc = infer_graph(d, a->graphs[j], k);
	}
	return rc;
}

static int infer_node(struct driver *d, struct node *n, struct infer_known *k)
{
	struct call c;
	int rc = infer_subgraphs(d, n, k);

	if (rc || !n->op)
		return rc;
	arena_reset(&d->tmp);
	rc = set_up_call(d, n, k, &c);
	if (!rc)
		rc = call_infer(&c);
	for (int i = 0; i < n->n_out && !rc; i++)
		if (n->out[i])
			rc = merge_type(d, n->out[i], &c.out_type[i]);
	if (rc)
		return err_prefix(d->err, "%s%snode '%s' (%s)", d->model->path, *d->model->path ? ": " : "", n->name,
				  n->op_type);
	fold(d, &c, k);
	return 0;
}

/* Small initializers are known values, unless a caller may replace them: before IR version 4 every initializer had to
 * be listed as an input, so there it is no sign of that. */
static int load_constants(struct driver *d, struct graph *g, struct infer_known *k)
{
	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i];

		if (!w->init)
			continue;
		if (w->type.kind == VALUE_NONE)
			type_set(&w->type, w->init->dtype, w->init->rank, w->init->dims);
		if ((w->is_input && d->model->ir_version >= 4) || w->init->count > FOLD_MAX_COUNT)
			continue;
		k->values[w->id] = tensor_widen(w->init, d->err);
		if (!k->values[w->id])
			return d->err->code;
	}
	return 0;
}

static int infer_graph(struct driver *d, struct graph *g, struct infer_known *outer)
{
	struct infer_known k = {g, mem_array(g->wires.n, sizeof *k.values), outer};
	int rc;

	if (!k.values)
		return err_nomem(d->err, "shape inference", g->wires.n * sizeof *k.values);
	rc = load_constants(d, g, &k);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		rc = infer_node(d, g->nodes.at[i], &k);
	for (size_t i = 0; i < g->wires.n; i++)
		tensor_unref(k.values[i]);
	mem_free(k.values);
	return rc;
}

int ops_infer(struct model *m, struct err *e)
{
	struct driver d = {.model = m, .err = e};
	int rc;

	arena_init(&d.tmp, (size_t)256 << 20);
	rc = infer_graph(&d, m->graph, NULL);
	arena_release(&d.tmp);
	return rc;
}

int ops_infer_node(struct node *n, struct arena *tmp, struct err *e)
{
	struct driver d = {.model = n->graph->model, .tmp = *tmp, .err = e};
	struct call c;
	int rc = ops_bind_node(n, e);

	if (!rc && !n->op)
		rc = err_set(e, ERR_UNSUPPORTED, "operator %s is not known", n->op_type);
	if (rc)
		return rc;
	arena_reset(&d.tmp);
	rc = set_up_call(&d, n, NULL, &c);
	for (int i = 0; i < n->n_in && !rc; i++) {
		struct tensor *init = n->in[i] ? n->in[i]->init : NULL;

		if (!init || init->rank > 1) /* sizes, axes and the like are lists or numbers */
			continue;
		c.in[i] = tensor_widen(init, e);
		rc = c.in[i] ? 0 : e->code;
	}
	if (!rc)
		rc = call_infer(&c);
	for (int i = 0; i < n->n_out && !rc; i++)
		if (n->out[i])
			rc = merge_type(&d, n->out[i], &c.out_type[i]);
	for (int i = 0; c.in && i < n->n_in; i++)
		tensor_unref(c.in[i]);
	*tmp = d.tmp;
	return rc ? err_prefix(e, "node '%s' (%s)", n->name, n->op_type) : 0;
}
