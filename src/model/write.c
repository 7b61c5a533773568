/* write.c - a model to the bytes of a file. */
#include "model/write.h"

#include <stdint.h>
#include <string.h>

#define IR_WITH_OPSETS 3      /* first IR version with opset imports */
#define IR_WITH_PLAIN_INITS 4 /* first IR version in which initializers need not be inputs */

int writer_fail(struct writer *w, int rc)
{
	if (!w->rc)
		w->rc = rc;
	return rc;
}

void *writer_alloc(struct writer *w, size_t count, size_t size)
{
	void *p = arena_array(&w->arena, count, size);

	if (!p && !w->rc)
		w->rc = err_nomem(w->e, "writing a model", count * size);
	return p;
}

void *writer_copy(struct writer *w, const void *p, size_t size)
{
	void *copy = writer_alloc(w, 1, size);

	return copy ? memcpy(copy, p, size) : NULL;
}

char *writer_text(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* A file knows wires by name: the name must mean this wire where it is used. */
static char *write_use(struct writer *w, const struct graph *g, const struct wire *used)
{
	if (!used)
		return writer_text("");
	if (!w->rc && graph_wire(g, used->name) != used)
		w->rc = err_set(w->e, ERR_INPUT, "'%s' means another value inside graph '%s'", used->name, g->name);
	return writer_text(used->name);
}

/* A file has one version of each domain. */
static void note_opset(struct writer *w, const struct node *n)
{
	for (size_t i = 0; i < w->opsets.n; i++) {
		if (strcmp(w->opsets.at[i].domain, n->domain))
			continue;
		if (w->opsets.at[i].version != n->opset && !w->rc)
			w->rc = err_set(w->e, ERR_UNSUPPORTED,
					"nodes '%s' and '%s' are of opsets %d and %d of domain '%s', a file can "
					"have only one",
					w->witness.at[i], n->name, w->opsets.at[i].version, n->opset,
					*n->domain ? n->domain : "ai.onnx");
		return;
	}
	if (vec_push(&w->opsets, ((struct opset){n->domain, n->opset})) || vec_push(&w->witness, n->name))
		writer_fail(w, err_nomem(w->e, "opsets", sizeof(struct opset)));
}

static Onnx__NodeProto *write_node(struct writer *w, const struct node *n)
{
	Onnx__NodeProto *p = NEW(w, Onnx__NodeProto, ONNX__NODE_PROTO__INIT);

	if (!p)
		return NULL;
	note_opset(w, n);
	p->name = writer_text(n->name);
	p->op_type = writer_text(n->op_type);
	p->domain = writer_text(n->domain);
	p->n_input = (size_t)n->n_in;
	p->n_output = (size_t)n->n_out;
	p->n_attribute = (size_t)n->n_attrs;
	p->input = writer_alloc(w, p->n_input, sizeof *p->input);
	p->output = writer_alloc(w, p->n_output, sizeof *p->output);
	p->attribute = writer_alloc(w, p->n_attribute, sizeof *p->attribute);
	if (!p->input || !p->output || !p->attribute)
		return NULL;
	for (int i = 0; i < n->n_in; i++)
		p->input[i] = write_use(w, n->graph, n->in[i]);
	for (int i = 0; i < n->n_out; i++)
		p->output[i] = write_use(w, n->graph, n->out[i]);
	for (int i = 0; i < n->n_attrs && !w->rc; i++)
		p->attribute[i] = write_attr(w, &n->attrs[i], n->graph);
	return p;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* Inputs and outputs of a subgraph may leave their types out; one of elements of no type would be no ONNX. */
static Onnx__ValueInfoProto *write_info(struct writer *w, const struct wire *x, const struct graph *g)
{
	Onnx__ValueInfoProto *p = NEW(w, Onnx__ValueInfoProto, ONNX__VALUE_INFO_PROTO__INIT);

	if (!p)
		return NULL;
	p->name = write_use(w, g, x);
	if (x->type.kind != VALUE_TENSOR || x->type.dtype != DT_UNDEFINED)
		p->type = write_type(w, &x->type, g);
	return p;
}

/* Initializers, and types of the wires between inputs and outputs. */
static void write_wires(struct writer *w, const struct graph *g, Onnx__GraphProto *p)
{
	char *is_output = writer_alloc(w, g->wires.n, 1);

	p->initializer = writer_alloc(w, g->wires.n, sizeof *p->initializer);
	p->value_info = writer_alloc(w, g->wires.n, sizeof *p->value_info);
	for (size_t i = 0; i < g->outputs.n && !w->rc; i++)
		if (g->outputs.at[i]->graph == g)
			is_output[g->outputs.at[i]->id] = 1;
	for (size_t i = 0; i < g->wires.n && !w->rc; i++) {
		const struct wire *x = g->wires.at[i];

		if (x->init)
			p->initializer[p->n_initializer++] = write_tensor(w, x->name, x->init);
		else if (x->producer && x->type.kind != VALUE_NONE && x->type.dtype != DT_UNDEFINED && !is_output[i])
			p->value_info[p->n_value_info++] = write_info(w, x, g);
	}
}

Onnx__GraphProto *write_graph(struct writer *w, const struct graph *g)
{
	Onnx__GraphProto *p = NEW(w, Onnx__GraphProto, ONNX__GRAPH_PROTO__INIT);

	if (!p)
		return NULL;
	p->name = writer_text(*g->name ? g->name : "graph"); /* the specification wants one */
	p->n_node = g->nodes.n;
	p->n_input = g->inputs.n;
	p->n_output = g->outputs.n;
	p->node = writer_alloc(w, p->n_node, sizeof *p->node);
	p->input = writer_alloc(w, p->n_input, sizeof *p->input);
	p->output = writer_alloc(w, p->n_output, sizeof *p->output);
	for (size_t i = 0; i < p->n_input && !w->rc; i++)
		p->input[i] = write_info(w, g->inputs.at[i], g);
	for (size_t i = 0; i < p->n_output && !w->rc; i++)
		p->output[i] = write_info(w, g->outputs.at[i], g);
	for (size_t i = 0; i < p->n_node && !w->rc; i++)
		p->node[i] = write_node(w, g->nodes.at[i]);
	write_wires(w, g, p);
	return p;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* The smallest one that holds the model: old libraries refuse what they could run, for this number alone.  From 4 on
 * an initializer that is an input too can be overridden, so that border is not crossed. */
static int64_t ir_version(const struct model *m)
{
	int needed = model_least_ir(m), least = IR_WITH_OPSETS;

	for (size_t i = 0; i < m->graph->wires.n; i++)
		if (m->graph->wires.at[i]->init && !m->graph->wires.at[i]->is_input)
			least = IR_WITH_PLAIN_INITS;
	if (m->ir_version >= IR_WITH_PLAIN_INITS)
		least = IR_WITH_PLAIN_INITS;
	if (needed > m->ir_version)
		needed = m->ir_version;
	return needed > least ? needed : least;
}

static int is_noted(const struct writer *w, const char *domain)
{
	for (size_t i = 0; i < w->opsets.n; i++)
		if (!strcmp(w->opsets.at[i].domain, domain))
			return 1;
	return 0;
}

/* What the nodes need, and what the model imports without need. */
static void write_opsets(struct writer *w, Onnx__ModelProto *p)
{
	for (size_t i = 0; i < w->m->opsets.n; i++)
		if (!is_noted(w, w->m->opsets.at[i].domain) && vec_push(&w->opsets, w->m->opsets.at[i]))
			writer_fail(w, err_nomem(w->e, "opsets", sizeof(struct opset)));
	p->opset_import = writer_alloc(w, w->opsets.n, sizeof *p->opset_import);
	for (size_t i = 0; i < w->opsets.n && !w->rc; i++) {
		Onnx__OperatorSetIdProto *o = NEW(w, Onnx__OperatorSetIdProto, ONNX__OPERATOR_SET_ID_PROTO__INIT);

		if (!o)
			return;
		o->domain = writer_text(w->opsets.at[i].domain);
		o->has_version = 1;
		o->version = w->opsets.at[i].version;
		p->opset_import[p->n_opset_import++] = o;
	}
}

struct sink {
	ProtobufCBuffer base;
	struct buf *out;
};

static void sink_append(ProtobufCBuffer *base, size_t n, const uint8_t *data)
{
	buf_add(((struct sink *)base)->out, data, n);
}

_Atomic size_t model_max_message = ((size_t)1 << 31) - 1;

static int pack(const Onnx__ModelProto *p, struct buf *out, struct err *e)
{
	struct sink sink = {{sink_append}, out};
	size_t size = onnx__model_proto__get_packed_size(p);
	int rc;

	if (size > model_max_message)
		return err_set(e, ERR_LIMIT, "the model has %zu bytes, and one message has at most %zu", size,
			       model_max_message);
	onnx__model_proto__pack_to_buffer(p, &sink.base);
	rc = buf_check(out, e);
	if (rc)
		buf_clear(out);
	return rc;
}

int model_serialize(const struct model *m, struct buf *out, struct err *e)
{
	Onnx__ModelProto p = ONNX__MODEL_PROTO__INIT;
	struct writer w = {.m = m, .e = e};

	arena_init(&w.arena, 0);
	p.has_ir_version = 1;
	p.ir_version = ir_version(m);
	p.producer_name = writer_text(m->producer);
	p.graph = write_graph(&w, m->graph);
	write_opsets(&w, &p);
	if (!w.rc)
		w.rc = pack(&p, out, e);
	vec_release(&w.opsets);
	vec_release(&w.witness);
	arena_release(&w.arena);
	return w.rc;
}

int model_save(const struct model *m, const char *path, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, MODEL_MAX_FILE);
	rc = model_serialize(m, &b, e);
	if (rc)
		rc = err_prefix(e, "cannot write '%s'", path);
	else
		rc = buf_write_file(b.data, b.len, path, e);
	buf_release(&b);
	return rc;
}
