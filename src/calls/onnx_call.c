/* onnx_call.c - see onnx_call.h.
 *
 * Tensors become inputs of the graph.  Those of ports that take nothing but indices (shapes, axes, pads) become
 * initializers, as exporters write them: many libraries need to know them when they load a model. */
#include "calls/onnx_call.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "ops/attr.h"

/* A call that is being made into a model. */
struct onnx_call_making {
	const struct op_row *row;
	int opset;
	struct onnx_call *call;
	struct wire *in[ONNX_CALL_INPUTS];
	int n_in;
	struct err *err;
};

/* ---- the operator ------------------------------------------------------------------------------------------------ */

static int base_opset(const struct op_row *row)
{
	int base = !*row->domain ? ONNX_BASE_OPSET : !strcmp(row->domain, "ai.onnx.ml") ? ONNX_BASE_OPSET_ML : 1;

	return row->versions[0] > base ? row->versions[0] : base;
}

/* "domain:Name-12" */
static int find_operator(struct onnx_call_making *v, const char *text)
{
	const char *colon = strchr(text, ':'), *dash = strrchr(text, '-');
	const char *name = colon ? colon + 1 : text;
	char domain[64] = "", op[64] = "";
	size_t n = dash && dash > name ? (size_t)(dash - name) : strlen(name);

	if (n < sizeof op && (!colon || (size_t)(colon - text) < sizeof domain)) {
		memcpy(op, name, n);
		if (colon)
			memcpy(domain, text, (size_t)(colon - text));
	}
	v->row = ops_find(domain, op);
	if (!v->row)
		return err_set(v->err, ERR_UNSUPPORTED, "there is no operator '%s'", text);
	v->opset = base_opset(v->row);
	if (name[n] && (sscanf(name + n + 1, "%d", &v->opset) != 1 || v->opset < 1))
		return err_set(v->err, ERR_INPUT, "'%s' does not end in an opset", text);
	return 0;
}

/* How many outputs are not optional; one of a variadic port. */
static int required_outputs(const struct op *op)
{
	int n = 0;

	while (n < OP_MAX_PORTS && op->out[n].name && !(op->out[n].flags & PORT_OPTIONAL))
		n++;
	return n ? n : 1;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* The port that input i belongs to: the last one repeats when it is variadic. */
static const struct op_port *port_of(const struct op *op, int i)
{
	int n = 0;

	while (n < OP_MAX_PORTS && op->in[n].name)
		n++;
	if (i < n)
		return &op->in[i];
	return n && op->in[n - 1].flags & PORT_VARIADIC ? &op->in[n - 1] : NULL;
}

/* The type of an attribute in the newest version, ATTR_NONE: the operator has none of that name. */
static enum attr_type attr_type_of(const struct op *op, const char *name)
{
	const struct op_attr *row = attr_row(op, name, INT_MAX);

	return row ? row->type : ATTR_NONE;
}

/* A tensor may be an attribute as well: the value of Constant. */
static int is_attribute(const struct op *op, const struct backend_argument *a)
{
	return a->kind == ARG_TENSOR && a->name && attr_type_of(op, a->name) == ATTR_TENSOR;
}

static int find_port(const struct op *op, const char *name)
{
	for (int i = 0; i < OP_MAX_PORTS && op->in[i].name; i++)
		if (!strcmp(op->in[i].name, name))
			return i;
	return -1;
}

static int add_input(struct onnx_call_making *v, int i, struct value *value)
{
	const struct op_port *port = port_of(v->row->op, i);
	struct type type = TYPE_INIT;
	const struct tensor *t;
	char name[16];

	if (!port || i >= ONNX_CALL_INPUTS)
		return err_set(v->err, ERR_INPUT, "%s has no input %d", v->row->name, i);
	if (v->in[i])
		return err_set(v->err, ERR_INPUT, "input %d of %s is given twice", i, v->row->name);
	if (value->kind != VALUE_TENSOR)
		return err_set(v->err, ERR_UNSUPPORTED, "sequences and optionals cannot be given to an operation");
	t = value->tensor;
	snprintf(name, sizeof name, "x%d", i);
	v->n_in = i + 1 > v->n_in ? i + 1 : v->n_in;
	if (i && !(port->types & ~T_INDEX))
		return graph_add_init(v->call->model->graph, name, tensor_ref(value->tensor), &v->in[i], v->err);
	type_set(&type, t->dtype, t->rank, t->dims);
	if (graph_add_input(v->call->model->graph, name, &type, &v->in[i], v->err))
		return v->err->code;
	v->call->given[v->call->n_given++] = (struct named_value){v->in[i]->name, value};
	return 0;
}

static int add_inputs(struct onnx_call_making *v, const struct backend_call *c)
{
	int next = 0, rc = 0;

	for (size_t k = 0; k < c->n_args && !rc; k++) {
		const struct backend_argument *a = &c->args[k];
		int at = a->name && *a->name ? find_port(v->row->op, a->name) : next;

		if (is_attribute(v->row->op, a))
			continue;
		if (a->kind == ARG_TENSOR)
			rc = at < 0 ? err_set(v->err, ERR_INPUT, "%s has no input '%s'", v->row->name, a->name)
				    : add_input(v, at, a->tensor);
		for (size_t i = 0; a->kind == ARG_TENSORS && at >= 0 && i < a->n && !rc; i++)
			rc = add_input(v, at + (int)i, a->tensors[i]);
		if (a->kind == ARG_TENSOR || a->kind == ARG_NONE)
			next = at >= 0 ? at + 1 : next;
		else if (a->kind == ARG_TENSORS)
			next = at + (int)a->n;
	}
	return rc;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int set_attr(struct onnx_call_making *v, struct node *node, const struct backend_argument *a)
{
	enum attr_type type = attr_type_of(v->row->op, a->name ? a->name : "");

	if (type == ATTR_NONE)
		return err_set(v->err, ERR_INPUT, "%s has no attribute '%s'", v->row->name, a->name ? a->name : "");
	switch (a->kind) {
	case ARG_FLOAT:
		return node_set_float(node, a->name, a->f, v->err);
	case ARG_STRING:
		return node_set_string(node, a->name, a->s, v->err);
	case ARG_INTS:
		return node_set_ints(node, a->name, a->ints, a->n, v->err);
	case ARG_FLOATS:
		return node_set_floats(node, a->name, a->floats, a->n, v->err);
	case ARG_STRINGS:
		return node_set_strings(node, a->name, a->strings, a->n, v->err);
	case ARG_TENSOR:
		return node_set_tensor(node, a->name, tensor_ref(a->tensor->tensor), v->err);
	case ARG_INT:
		if (type == ATTR_FLOAT)
			return node_set_float(node, a->name, (double)a->i, v->err);
		return node_set_int(node, a->name, a->i, v->err);
	default: /* bools and element types */
		return node_set_int(node, a->name, a->i, v->err);
	}
}

static int set_attrs(struct onnx_call_making *v, struct node *node, const struct backend_call *c)
{
	int rc = 0;

	for (size_t k = 0; k < c->n_args && !rc; k++) {
		const struct backend_argument *a = &c->args[k];

		if (a->kind == ARG_NONE || a->kind == ARG_TENSORS || !strcmp(a->name ? a->name : "", "outputs"))
			continue;
		if (a->kind != ARG_TENSOR || is_attribute(v->row->op, a))
			rc = set_attr(v, node, a);
	}
	return rc;
}

/* What the argument "outputs" says; -1: it is out of range. */
static int wanted_outputs(const struct backend_call *c, int otherwise)
{
	for (size_t k = 0; k < c->n_args; k++) {
		const struct backend_argument *a = &c->args[k];

		if (a->kind == ARG_INT && a->name && !strcmp(a->name, "outputs"))
			return a->i > 0 && a->i <= ONNX_CALL_OUTPUTS ? (int)a->i : -1;
	}
	return otherwise;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static int import_domain(struct onnx_call_making *v)
{
	const struct opset set = {v->row->domain, v->opset};

	return *v->row->domain && vec_push(&v->call->model->opsets, set) ? err_nomem(v->err, "a model", 0) : 0;
}

/* Checkers of ONNX want the types of outputs.  A call that is not valid has none, and reaches the library all the
 * same. */
static void declare_outputs(struct node *node)
{
	struct arena tmp = ARENA_INIT;
	struct err ignored = ERR_INIT;

	ops_infer_node(node, &tmp, &ignored);
	arena_release(&tmp);
}

static int build(struct onnx_call_making *v, const struct backend_call *c)
{
	const char *names[ONNX_CALL_OUTPUTS] = {"y0", "y1", "y2",  "y3",  "y4",  "y5",  "y6",  "y7",
						"y8", "y9", "y10", "y11", "y12", "y13", "y14", "y15"};
	struct node_spec spec;
	struct node *node = NULL;
	int rc;

	v->call->n_out = wanted_outputs(c, required_outputs(v->row->op));
	if (v->call->n_out < 0)
		return err_set(v->err, ERR_INPUT, "outputs: from 1 to %d can be asked for", ONNX_CALL_OUTPUTS);
	rc = model_new(*v->row->domain ? ONNX_BASE_OPSET : v->opset, &v->call->model, v->err);
	if (!rc)
		rc = import_domain(v);
	if (!rc)
		rc = add_inputs(v, c);
	spec = (struct node_spec){.op_type = v->row->name,
				  .domain = v->row->domain,
				  .in = v->in,
				  .n_in = v->n_in,
				  .out = names,
				  .n_out = v->call->n_out};
	if (!rc)
		rc = graph_add_node(v->call->model->graph, 0, &spec, &node, v->err);
	if (!rc)
		rc = set_attrs(v, node, c);
	if (!rc)
		declare_outputs(node);
	for (int i = 0; i < v->call->n_out && !rc; i++)
		rc = graph_add_output(v->call->model->graph, node->out[i], v->err);
	return rc;
}

int onnx_call_make(const struct backend_call *c, struct onnx_call *out, struct err *e)
{
	struct onnx_call call = {0};
	struct onnx_call_making v = {.call = &call, .err = e};
	int rc = find_operator(&v, c->operation);

	if (!rc)
		rc = build(&v, c);
	if (rc)
		onnx_call_release(&call);
	else
		*out = call;
	return rc;
}

void onnx_call_release(struct onnx_call *c)
{
	model_free(c->model);
	*c = (struct onnx_call){0};
}
