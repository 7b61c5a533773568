/* ports.c - names and types of a graph's inputs and outputs, read from the wire format; see onnx.h.
 *
 * The numbers are those of onnx.proto.  A singular message may come in pieces (protobuf merges them), so the graph is
 * read wherever it turns up. */
#include <string.h>

#include "backends/onnx/onnx.h"
#include "tensor/proto_check.h"

enum {
	MODEL_GRAPH = 7,
	GRAPH_INITIALIZER = 5,
	GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	GRAPH_SPARSE_INITIALIZER = 15,
	TENSOR_NAME = 8,
	SPARSE_VALUES = 1,
	VALUE_INFO_NAME = 1,
	VALUE_INFO_TYPE = 2,
	TYPE_TENSOR = 1,
	TENSOR_TYPE_ELEM = 1,
	TENSOR_TYPE_SHAPE = 2,
	SHAPE_DIM = 1,
	DIM_VALUE = 1
};

#define PORTS_MAX_MEMORY ((size_t)1 << 28)

/* A walk over the fields of one message; each field goes to `take`. */
struct port_walk {
	struct onnx_ports *ports;
	int counting; /* first pass: only n_in and n_out are wanted */
	struct err *e;
};
typedef int take_field(struct port_walk *w, const struct proto_field *f, void *to);

static int each_field(struct port_walk *w, const uint8_t *data, size_t n, take_field *take, void *to)
{
	struct proto_reader r;
	struct proto_field f;
	enum proto_step step;
	int rc = 0;

	proto_reader_init(&r, data, n);
	while (!rc && (step = proto_next(&r, &f)) != PROTO_END)
		rc = step == PROTO_BAD ? err_set(w->e, ERR_INPUT, "not an ONNX model, damaged, or cut off")
				       : take(w, &f, to);
	return rc;
}

static int is_message(const struct proto_field *f, uint32_t id)
{
	return f->id == id && f->type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
}

/* A string field as a name of ours; other fields are passed over. */
static int take_name(struct port_walk *w, const struct proto_field *f, uint32_t id, const char **to)
{
	if (!is_message(f, id))
		return 0;
	if (memchr(f->data, 0, f->n))
		return err_set(w->e, ERR_INPUT, "a name in the model has a zero byte in it");
	*to = arena_strndup(&w->ports->arena, (const char *)f->data, f->n);
	return *to ? 0 : err_nomem(w->e, "a name", f->n);
}

static int take_dim(struct port_walk *w, const struct proto_field *f, void *to)
{
	int64_t *dim = to;

	(void)w;
	if (f->id == DIM_VALUE && f->type == PROTOBUF_C_WIRE_TYPE_VARINT && (int64_t)f->value >= 0)
		*dim = (int64_t)f->value;
	return 0;
}

static int take_shape(struct port_walk *w, const struct proto_field *f, void *to)
{
	struct onnx_input *in = to;

	if (!is_message(f, SHAPE_DIM))
		return 0;
	if (in->rank == TENSOR_MAX_RANK)
		return err_set(w->e, ERR_UNSUPPORTED, "an input has more than %d dimensions", TENSOR_MAX_RANK);
	in->dims[in->rank] = -1;
	return each_field(w, f->data, f->n, take_dim, &in->dims[in->rank++]);
}

static int take_tensor_type(struct port_walk *w, const struct proto_field *f, void *to)
{
	struct onnx_input *in = to;

	if (f->id == TENSOR_TYPE_ELEM && f->type == PROTOBUF_C_WIRE_TYPE_VARINT)
		in->dtype = dtype_from_code((int64_t)f->value);
	if (!is_message(f, TENSOR_TYPE_SHAPE))
		return 0;
	in->rank = in->rank < 0 ? 0 : in->rank;
	return each_field(w, f->data, f->n, take_shape, in);
}

static int take_type(struct port_walk *w, const struct proto_field *f, void *to)
{
	return is_message(f, TYPE_TENSOR) ? each_field(w, f->data, f->n, take_tensor_type, to) : 0;
}

static int take_input(struct port_walk *w, const struct proto_field *f, void *to)
{
	struct onnx_input *in = to;

	if (is_message(f, VALUE_INFO_TYPE))
		return each_field(w, f->data, f->n, take_type, in);
	return take_name(w, f, VALUE_INFO_NAME, &in->name);
}

static int take_output(struct port_walk *w, const struct proto_field *f, void *to)
{
	return take_name(w, f, VALUE_INFO_NAME, to);
}

/* Ports of a graph; the arrays are there already when they are to be filled. */
static int take_graph(struct port_walk *w, const struct proto_field *f, void *to)
{
	struct onnx_ports *p = w->ports;
	size_t i;

	(void)to;
	if (is_message(f, GRAPH_INPUT)) {
		i = p->n_in++;
		if (w->counting)
			return 0;
		p->in[i] = (struct onnx_input){.name = "", .rank = -1};
		return each_field(w, f->data, f->n, take_input, &p->in[i]);
	}
	if (is_message(f, GRAPH_OUTPUT)) {
		i = p->n_out++;
		if (w->counting)
			return 0;
		p->out[i] = "";
		return each_field(w, f->data, f->n, take_output, &p->out[i]);
	}
	return 0;
}

static int take_model(struct port_walk *w, const struct proto_field *f, void *to)
{
	return is_message(f, MODEL_GRAPH) ? each_field(w, f->data, f->n, take_graph, to) : 0;
}

/* ---- initializers: marked after all inputs are known ------------------------------------------------------------- */

static int mark_tensor(struct port_walk *w, const struct proto_field *f, void *to)
{
	(void)to;
	for (size_t i = 0; is_message(f, TENSOR_NAME) && i < w->ports->n_in; i++)
		if (strlen(w->ports->in[i].name) == f->n && !memcmp(w->ports->in[i].name, f->data, f->n))
			w->ports->in[i].has_default = 1;
	return 0;
}

static int mark_sparse(struct port_walk *w, const struct proto_field *f, void *to)
{
	return is_message(f, SPARSE_VALUES) ? each_field(w, f->data, f->n, mark_tensor, to) : 0;
}

static int mark_graph(struct port_walk *w, const struct proto_field *f, void *to)
{
	if (is_message(f, GRAPH_INITIALIZER))
		return each_field(w, f->data, f->n, mark_tensor, to);
	return is_message(f, GRAPH_SPARSE_INITIALIZER) ? each_field(w, f->data, f->n, mark_sparse, to) : 0;
}

static int mark_model(struct port_walk *w, const struct proto_field *f, void *to)
{
	return is_message(f, MODEL_GRAPH) ? each_field(w, f->data, f->n, mark_graph, to) : 0;
}

/* ---- ports ------------------------------------------------------------------------------------------------------- */

int onnx_ports_read(const void *model, size_t n, struct onnx_ports *out, struct err *e)
{
	struct onnx_ports p = {.n_in = 0};
	struct port_walk w = {&p, 1, e};
	int rc;

	arena_init(&p.arena, PORTS_MAX_MEMORY);
	rc = each_field(&w, model, n, take_model, NULL);
	if (!rc) {
		p.in = arena_array(&p.arena, p.n_in + 1, sizeof *p.in);
		p.out = arena_array(&p.arena, p.n_out + 1, sizeof *p.out);
		if (!p.in || !p.out)
			rc = err_nomem(e, "the model's inputs and outputs", (p.n_in + p.n_out) * sizeof *p.in);
	}
	w.counting = 0;
	p.n_in = p.n_out = 0;
	if (!rc)
		rc = each_field(&w, model, n, take_model, NULL);
	if (!rc)
		rc = each_field(&w, model, n, mark_model, NULL);
	if (rc) {
		onnx_ports_release(&p);
		return rc;
	}
	*out = p;
	return 0;
}

void onnx_ports_release(struct onnx_ports *p)
{
	arena_release(&p->arena);
	*p = (struct onnx_ports){.n_in = 0};
}

int onnx_ports_find_input(const struct onnx_ports *p, const char *name)
{
	for (size_t i = 0; i < p->n_in; i++)
		if (!strcmp(p->in[i].name, name))
			return (int)i;
	return -1;
}

int onnx_ports_find_output(const struct onnx_ports *p, const char *name)
{
	for (size_t i = 0; i < p->n_out; i++)
		if (!strcmp(p->out[i], name))
			return (int)i;
	return -1;
}

int onnx_ports_check_given(const struct onnx_ports *p, const struct backend_values *in, struct err *e)
{
	for (size_t i = 0; i < p->n_in; i++)
		if (!p->in[i].has_default && !backend_value(in, p->in[i].name))
			return err_set(e, ERR_INPUT, "input '%s' is missing", p->in[i].name);
	return 0;
}

size_t onnx_ports_outputs(void *session, const char *const **names)
{
	const struct onnx_ports *p = session;

	*names = p->out;
	return p->n_out;
}

int onnx_ports_are_static(const struct onnx_ports *p)
{
	for (size_t i = 0; i < p->n_in; i++) {
		if (p->in[i].has_default)
			continue;
		if (p->in[i].dtype == DT_UNDEFINED || p->in[i].rank < 0)
			return 0;
		for (int d = 0; d < p->in[i].rank; d++)
			if (p->in[i].dims[d] < 0)
				return 0;
	}
	return 1;
}
