/* read_graph.c - GraphProto to struct graph: the names first, then the nodes that use them.
 *
 * All names of a graph are declared before any node is read, so nodes may stand in any order in the file; the order is
 * made right at the end.  A subgraph is read together with its node and resolves names it does not know itself in the
 * scopes around it. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "model/read.h"

struct wire *read_lookup(const struct scope *s, const char *name)
{
	struct wire *w = NULL;

	for (; s && !w; s = s->outer)
		w = map_get(&s->names, name);
	return w;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* A name from the file for a message: cut, and with a question mark for each byte that no terminal should get. */
static const char *printable(const char *s, char *out, size_t size)
{
	size_t n = strnlen(s, size - 1), characters;
	int is_text = utf8_count(s, strlen(s), &characters);

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		out[i] = (char)(c < 0x20 || c == 0x7f || (c >= 0x80 && !is_text) ? '?' : c);
	}
	out[n] = '\0';
	return out;
}

/* Puts the node in front of the message.  Only the innermost one is named: with nested graphs and long names the cause
 * would be cut off. */
static int blame(struct reader *r, const struct scope *s, const Onnx__NodeProto *p, size_t index)
{
	char label[256], name[256], op[128], graph[128];

	if (r->located)
		return status_of(r->e);
	r->located = 1;
	printable(read_text(p->op_type), op, sizeof op);
	if (*read_text(p->name))
		snprintf(label, sizeof label, "%s%s", s->prefix, p->name);
	else
		snprintf(label, sizeof label, "%s%s_%zu", s->prefix, op, index);
	printable(label, name, sizeof name);
	if (!s->graph->parent)
		return err_prefix(r->e, "node '%s' (%s)", name, op);
	return err_prefix(r->e, "node '%s' (%s) in graph '%s'", name, op,
			  printable(s->graph->name, graph, sizeof graph));
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The name a wire gets in the model: that of the file, or, inside a function, one that is new in all graphs around.
 * Each try that fails has met a name of the file, so there are never many. */
static char *model_name(struct reader *r, const struct scope *s, const char *name)
{
	size_t size = strlen(s->prefix) + strlen(name) + 24;
	char *full;

	if (!s->fn)
		return model_strdup(r->m, name, r->e);
	full = model_carve(r->m, size, 1, "a name", r->e);
	if (!full)
		return NULL;
	snprintf(full, size, "%s%s", s->prefix, name);
	while (graph_wire(s->graph, full))
		snprintf(full, size, "%s%s_%zu", s->prefix, name, ++r->fresh);
	return full;
}

/* A new wire known as `name` in scope s. */
static int declare(struct reader *r, struct scope *s, const char *name, const char *what, struct wire **out)
{
	const char *full;
	int rc = read_name(r, name, what);

	if (rc)
		return rc;
	if (!*read_text(name))
		return err_set(r->e, ERR_INPUT, "%s is missing", what);
	if (map_get(&s->names, name))
		return err_set(r->e, ERR_INPUT, "'%s' is defined twice", name);
	full = model_name(r, s, name);
	*out = full ? wire_new(s->graph, full, r->e) : NULL;
	if (!*out)
		return status_of(r->e);
	return map_put(&s->names, name, *out) ? err_nomem(r->e, "a table of names", strlen(name)) : 0;
}

/* An output of a function's body is the wire that the caller has for it. */
static int declare_output(struct reader *r, struct scope *s, const char *name)
{
	struct wire *w = s->results ? map_get(s->results, name) : NULL;

	if (!w || map_get(&s->names, name))
		return declare(r, s, name, "an output's name", &w);
	return map_put(&s->names, name, w) ? err_nomem(r->e, "a table of names", strlen(name)) : 0;
}

int read_declare_outputs(struct reader *r, struct scope *s, Onnx__NodeProto *const *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < nodes[i]->n_output; k++) {
			const char *name = read_text(nodes[i]->output[k]);

			if (*name && declare_output(r, s, name))
				return blame(r, s, nodes[i], i);
		}
	return 0;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Domains that libraries know without an import, and the version that is meant then. */
static const struct opset known_domains[] = {
	{"ai.onnx.ml", 5},
	{"com.microsoft", 1},
	{"com.microsoft.nchwc", 1},
};

/* Imports what the model uses and does not import. */
static int assume_opset(struct reader *r, const char *domain, int *out)
{
	for (size_t i = 0; i < sizeof known_domains / sizeof *known_domains; i++) {
		if (strcmp(known_domains[i].domain, domain) != 0)
			continue;
		if (vec_push(&r->m->opsets, known_domains[i]))
			return err_nomem(r->e, "opset imports", sizeof *known_domains);
		*out = known_domains[i].version;
		return model_complain(r->m, r->e, "no opset of domain '%s' is imported; version %d is assumed", domain,
				      *out);
	}
	return err_set(r->e, ERR_INPUT, "no opset of domain '%s' is imported by the model",
		       *domain ? domain : "ai.onnx");
}

static int find_opset(struct reader *r, const struct scope *s, const char *domain, int *out)
{
	const struct opset *list = s->fn ? s->fn->function->opsets : r->m->opsets.at;
	size_t n = s->fn ? s->fn->function->n_opsets : r->m->opsets.n;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].domain, domain)) {
			*out = list[i].version;
			return 0;
		}
	if (s->fn)
		return err_set(r->e, ERR_INPUT, "no opset of domain '%s' is imported by the function",
			       *domain ? domain : "ai.onnx");
	return assume_opset(r, domain, out);
}

static int read_inputs(struct reader *r, struct scope *s, const Onnx__NodeProto *p, struct node *n)
{
	for (size_t i = 0; i < p->n_input; i++) {
		const char *name = read_text(p->input[i]);
		struct wire *w;

		if (read_name(r, name, "an input's name"))
			return status_of(r->e);
		if (!*name)
			continue;
		w = read_lookup(s, name);
		if (!w)
			return err_set(r->e, ERR_INPUT, "input '%s' is made by no node, input or initializer", name);
		n->in[i] = w == &read_absent ? NULL : w;
	}
	return 0;
}

static int check_node(struct reader *r, const Onnx__NodeProto *p)
{
	if (++r->nodes > READ_MAX_NODES)
		return err_set(r->e, ERR_LIMIT, "more than %zu nodes", READ_MAX_NODES);
	if (read_name(r, p->op_type, "an operator's name") || read_name(r, p->domain, "a domain") ||
	    read_name(r, p->name, "a node's name") || read_name(r, p->overload, "an overload's name"))
		return status_of(r->e);
	if (!*read_text(p->op_type))
		return err_set(r->e, ERR_INPUT, "the operator's name is missing");
	if (p->n_attribute > READ_MAX_ATTRS)
		return err_set(r->e, ERR_LIMIT, "%zu attributes, more than %d", p->n_attribute, READ_MAX_ATTRS);
	return read_spend(r, p->n_input + p->n_output + p->n_attribute);
}

static int read_operator(struct reader *r, struct scope *s, const Onnx__NodeProto *p, const char *name)
{
	const char *domain = read_domain(p->domain);
	struct node_spec spec;
	struct node *n;
	int opset = 0, rc = find_opset(r, s, domain, &opset);

	if (rc)
		return rc;
	if (p->n_input > INT32_MAX || p->n_output > INT32_MAX)
		return err_set(r->e, ERR_LIMIT, "too many inputs or outputs");
	spec = (struct node_spec){.name = name,
				  .op_type = p->op_type,
				  .domain = domain,
				  .n_in = (int)p->n_input,
				  .n_out = (int)p->n_output};
	n = node_new(s->graph, &spec, (int)p->n_attribute, r->e);
	if (!n)
		return status_of(r->e);
	n->opset = opset;
	rc = read_inputs(r, s, p, n);
	for (size_t i = 0; i < p->n_output && !rc; i++)
		if (*read_text(p->output[i]))
			node_set_output(n, (int)i, map_get(&s->names, p->output[i]));
	if (!rc)
		rc = read_attrs(r, s, p, n);
	return rc ? rc : node_append(n, r->e);
}

static int read_node(struct reader *r, struct scope *s, const Onnx__NodeProto *p, size_t index)
{
	const char *own = read_text(p->name), *op = read_text(p->op_type);
	size_t size = strlen(s->prefix) + strlen(own) + strlen(op) + 24;
	const struct function *f = NULL;
	char *name;
	int rc = check_node(r, p);

	if (rc)
		return blame(r, s, p, index);
	name = model_carve(r->m, size, 1, "a name", r->e);
	if (!name)
		return status_of(r->e);
	if (*own)
		snprintf(name, size, "%s%s", s->prefix, own);
	else
		snprintf(name, size, "%s%s_%zu", s->prefix, op, index);
	rc = inline_find(r, p, &f);
	if (!rc)
		rc = f ? inline_call(r, s, p, name, f) : read_operator(r, s, p, name);
	return rc ? blame(r, s, p, index) : 0;
}

int read_nodes(struct reader *r, struct scope *s, Onnx__NodeProto *const *nodes, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = read_node(r, s, nodes[i], i);
	return rc;
}

/* ---- inputs, initializers, outputs ------------------------------------------------------------------------------- */

static int read_input(struct reader *r, struct scope *s, const Onnx__ValueInfoProto *p)
{
	struct wire *w;
	int rc = declare(r, s, p->name, "an input's name", &w);

	if (rc)
		return rc;
	w->is_input = 1;
	if (p->type && read_type(r, p->type, s->prefix, &w->type))
		return err_prefix(r->e, "input '%s'", p->name);
	if (vec_push(&s->graph->inputs, w))
		return err_nomem(r->e, "a list of inputs", s->graph->inputs.n * sizeof w);
	return 0;
}

/* Gives tensor t to the input of that name, or to a new wire. */
static int bind_initializer(struct reader *r, struct scope *s, const char *name, struct tensor *t)
{
	struct wire *w = map_get(&s->names, name);
	char declared[256], given[256];
	int rc = 0;

	if (w && (w->init || !w->is_input))
		return err_set(r->e, ERR_INPUT, "'%s' is defined twice", name);
	if (!w)
		rc = declare(r, s, name, "an initializer's name", &w);
	if (rc)
		return rc;
	if (w->type.kind != VALUE_NONE && !type_holds(&w->type, t))
		return err_set(r->e, ERR_INPUT, "initializer '%s' is %s, but the input is declared as %s", name,
			       tensor_describe(t, given, sizeof given),
			       type_describe(&w->type, s->graph, declared, sizeof declared));
	w->init = t;
	type_set(&w->type, t->dtype, t->rank, t->dims);
	return 0;
}

static int read_initializers(struct reader *r, struct scope *s, const Onnx__GraphProto *p)
{
	for (size_t i = 0; i < p->n_initializer; i++) {
		const char *name = read_text(p->initializer[i]->name);
		struct tensor *t;

		if (read_name(r, name, "an initializer's name"))
			return status_of(r->e);
		if (read_tensor(r, p->initializer[i], &t))
			return err_prefix(r->e, "initializer '%s'", name);
		if (bind_initializer(r, s, name, t))
			return status_of(r->e);
	}
	for (size_t i = 0; i < p->n_sparse_initializer; i++) {
		const Onnx__SparseTensorProto *sparse = p->sparse_initializer[i];
		const char *name = read_text(sparse->values ? sparse->values->name : NULL);
		struct tensor *t;

		if (read_name(r, name, "an initializer's name"))
			return status_of(r->e);
		if (read_sparse(r, sparse, &t))
			return err_prefix(r->e, "sparse initializer '%s'", name);
		if (bind_initializer(r, s, name, t))
			return status_of(r->e);
	}
	return 0;
}

/* A type declared for a wire that has none yet.  Others are left: what the wire is made from knows better. */
static int declare_type(struct reader *r, struct scope *s, struct wire *w, const Onnx__ValueInfoProto *p)
{
	if (!p->type || w->type.kind != VALUE_NONE || w->graph != s->graph)
		return 0;
	if (read_type(r, p->type, s->prefix, &w->type))
		return err_prefix(r->e, "'%s'", p->name);
	return 0;
}

static int read_output(struct reader *r, struct scope *s, const Onnx__ValueInfoProto *p)
{
	const char *name = read_text(p->name);
	struct wire *w;

	if (read_name(r, name, "an output's name"))
		return status_of(r->e);
	w = *name ? read_lookup(s, name) : NULL;
	if (!w || w == &read_absent)
		return err_set(r->e, ERR_INPUT, "output '%s' is made by no node, input or initializer", name);
	/* subgraphs may give the same value twice, by position; outputs of a model are known by their names */
	for (size_t i = 0; i < s->graph->outputs.n && !s->graph->parent; i++)
		if (s->graph->outputs.at[i] == w)
			return err_set(r->e, ERR_INPUT, "output '%s' is listed twice", name);
	if (vec_push(&s->graph->outputs, w))
		return err_nomem(r->e, "a list of outputs", s->graph->outputs.n * sizeof w);
	return declare_type(r, s, w, p);
}

static int read_value_info(struct reader *r, struct scope *s, const Onnx__ValueInfoProto *p)
{
	struct wire *w;

	if (read_name(r, p->name, "a value's name"))
		return status_of(r->e);
	w = map_get(&s->names, read_text(p->name));
	return w ? declare_type(r, s, w, p) : 0; /* a note on a value that is gone does no harm */
}

/* ONNX wants nodes in topological order.  Files that are not are put right; lint, and who judges a program that writes
 * models, ask for the first place. */
static int put_in_order(struct reader *r, struct graph *g)
{
	struct graph_late late = {NULL, NULL};
	char text[600], op[128];
	int rc = graph_sort_noting(g, &late, r->e);

	if (rc || !late.reader || r->m->disorder)
		return rc;
	snprintf(text, sizeof text, "node '%.200s' (%s) reads '%.200s', which a later node makes", late.reader->name,
		 printable(late.reader->op_type, op, sizeof op), late.wire->name);
	r->m->disorder = model_strdup(r->m, text, r->e);
	return r->m->disorder ? 0 : status_of(r->e);
}

static int read_body(struct reader *r, struct scope *s, const Onnx__GraphProto *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->n_input && !rc; i++)
		rc = read_input(r, s, p->input[i]);
	if (!rc)
		rc = read_initializers(r, s, p);
	if (!rc)
		rc = read_declare_outputs(r, s, p->node, p->n_node);
	if (!rc)
		rc = read_nodes(r, s, p->node, p->n_node);
	for (size_t i = 0; i < p->n_output && !rc; i++)
		rc = read_output(r, s, p->output[i]);
	for (size_t i = 0; i < p->n_value_info && !rc; i++)
		rc = read_value_info(r, s, p->value_info[i]);
	return rc ? rc : put_in_order(r, s->graph);
}

int read_graph(struct reader *r, const Onnx__GraphProto *p, const struct scope *where, struct graph *parent, int depth,
	       struct graph **out)
{
	struct scope s = {.outer = (struct scope *)where,
			  .prefix = where ? where->prefix : "",
			  .fn = where ? where->fn : NULL,
			  .depth = depth};
	int rc;

	if (depth > MODEL_MAX_DEPTH)
		return err_set(r->e, ERR_LIMIT, "graphs nested deeper than %d", MODEL_MAX_DEPTH);
	if (read_name(r, p->name, "a graph's name"))
		return status_of(r->e);
	s.graph = graph_new(r->m, parent, read_text(p->name));
	if (!s.graph)
		return err_nomem(r->e, "a graph", sizeof *s.graph);
	rc = read_body(r, &s, p);
	map_release(&s.names);
	if (!rc)
		*out = s.graph;
	return rc;
}
