/* read_attr.c - AttributeProto to struct attr.
 *
 * Inside a function an attribute may only name one of the function's own (ref_attr_name).  Such a reference is followed
 * to the call, and read there, in the scope of the call: a graph given as attribute sees what its writer saw. */
#include <string.h>

#include "model/read.h"

#define KIND(x) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##x

static const struct {
	int kind;
	enum attr_type type;
} kinds[] = {{KIND(FLOAT), ATTR_FLOAT},     {KIND(INT), ATTR_INT},         {KIND(STRING), ATTR_STRING},
	     {KIND(TENSOR), ATTR_TENSOR},   {KIND(GRAPH), ATTR_GRAPH},     {KIND(SPARSE_TENSOR), ATTR_SPARSE},
	     {KIND(TYPE_PROTO), ATTR_TYPE}, {KIND(FLOATS), ATTR_FLOATS},   {KIND(INTS), ATTR_INTS},
	     {KIND(STRINGS), ATTR_STRINGS}, {KIND(TENSORS), ATTR_TENSORS}, {KIND(GRAPHS), ATTR_GRAPHS}};

/* Files older than IR version 2 do not say the type: the field that is there tells it. */
static enum attr_type guess_type(const Onnx__AttributeProto *p)
{
	const struct {
		int there;
		enum attr_type type;
	} fields[] = {{p->has_f, ATTR_FLOAT},           {p->has_i, ATTR_INT},
		      {p->has_s, ATTR_STRING},          {p->t != NULL, ATTR_TENSOR},
		      {p->g != NULL, ATTR_GRAPH},       {p->sparse_tensor != NULL, ATTR_SPARSE},
		      {p->tp != NULL, ATTR_TYPE},       {p->n_floats > 0, ATTR_FLOATS},
		      {p->n_ints > 0, ATTR_INTS},       {p->n_strings > 0, ATTR_STRINGS},
		      {p->n_tensors > 0, ATTR_TENSORS}, {p->n_graphs > 0, ATTR_GRAPHS}};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].there)
			return fields[i].type;
	return ATTR_NONE;
}

static enum attr_type declared_type(const Onnx__AttributeProto *p)
{
	if (!p->has_type || !p->type)
		return guess_type(p);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == (int)p->type)
			return kinds[i].type;
	return ATTR_NONE;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int read_bytes(struct reader *r, const ProtobufCBinaryData *p, struct bytes *out)
{
	char *copy = model_carve(r->m, p->len + 1, 1, "an attribute", r->e);

	if (!copy)
		return status_of(r->e);
	if (p->len)
		memcpy(copy, p->data, p->len);
	*out = (struct bytes){copy, p->len};
	return 0;
}

static int read_floats(struct reader *r, const Onnx__AttributeProto *p, struct attr *a)
{
	a->n = p->n_floats;
	a->floats = model_carve(r->m, a->n, sizeof *a->floats, "an attribute", r->e);
	if (!a->floats)
		return status_of(r->e);
	for (size_t i = 0; i < a->n; i++)
		a->floats[i] = p->floats[i];
	return 0;
}

static int read_ints(struct reader *r, const Onnx__AttributeProto *p, struct attr *a)
{
	a->n = p->n_ints;
	a->ints = model_carve(r->m, a->n, sizeof *a->ints, "an attribute", r->e);
	if (!a->ints)
		return status_of(r->e);
	if (a->n)
		memcpy(a->ints, p->ints, a->n * sizeof *a->ints);
	return 0;
}

static int read_strings(struct reader *r, const Onnx__AttributeProto *p, struct attr *a)
{
	int rc = 0;

	a->n = p->n_strings;
	a->strings = model_carve(r->m, a->n, sizeof *a->strings, "an attribute", r->e);
	if (!a->strings)
		return status_of(r->e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = read_bytes(r, &p->strings[i], &a->strings[i]);
	return rc;
}

static int read_tensors(struct reader *r, const Onnx__AttributeProto *p, struct attr *a)
{
	int rc = 0;

	a->n = p->n_tensors;
	a->tensors = model_carve(r->m, a->n, sizeof *a->tensors, "an attribute", r->e);
	if (!a->tensors)
		return status_of(r->e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = read_tensor(r, p->tensors[i], &a->tensors[i]);
	return rc;
}

static int read_graphs(struct reader *r, const Onnx__AttributeProto *p, const struct scope *s, struct node *n,
		       int depth, struct attr *a)
{
	int rc = 0;

	a->n = p->n_graphs;
	a->graphs = model_carve(r->m, a->n, sizeof *a->graphs, "an attribute", r->e);
	if (!a->graphs)
		return status_of(r->e);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = read_graph(r, p->graphs[i], s, n->graph, depth + 1, &a->graphs[i]);
	return rc;
}

static int read_type_attr(struct reader *r, const Onnx__TypeProto *p, const struct scope *s, struct attr *a)
{
	struct type *t = model_carve(r->m, 1, sizeof *t, "a type", r->e);

	a->tp = t;
	return t ? read_type(r, p, s->prefix, t) : status_of(r->e);
}

static int has_message(const Onnx__AttributeProto *p, enum attr_type type)
{
	return (type != ATTR_TENSOR || p->t) && (type != ATTR_GRAPH || p->g) &&
	       (type != ATTR_SPARSE || p->sparse_tensor) && (type != ATTR_TYPE || p->tp);
}

/* The value of p, as seen in scope s, into a; node n has it, at nesting `depth`. */
static int read_value(struct reader *r, const Onnx__AttributeProto *p, const struct scope *s, struct node *n, int depth,
		      struct attr *a)
{
	a->n = 1;
	if (!has_message(p, a->type))
		return err_set(r->e, ERR_INPUT, "it has no value");
	switch (a->type) {
	case ATTR_FLOAT:
		a->f = p->f;
		return 0;
	case ATTR_INT:
		a->i = p->i;
		return 0;
	case ATTR_STRING:
		return read_bytes(r, &p->s, &a->s);
	case ATTR_TENSOR:
		return read_tensor(r, p->t, &a->t);
	case ATTR_SPARSE:
		return read_sparse(r, p->sparse_tensor, &a->t);
	case ATTR_TYPE:
		return read_type_attr(r, p->tp, s, a);
	case ATTR_GRAPH:
		return read_graph(r, p->g, s, n->graph, depth + 1, &a->g);
	case ATTR_FLOATS:
		return read_floats(r, p, a);
	case ATTR_INTS:
		return read_ints(r, p, a);
	case ATTR_STRINGS:
		return read_strings(r, p, a);
	case ATTR_TENSORS:
		return read_tensors(r, p, a);
	case ATTR_GRAPHS:
		return read_graphs(r, p, s, n, depth, a);
	case ATTR_NONE:
		break;
	}
	return err_set(r->e, ERR_UNSUPPORTED, "unknown attribute type %d", (int)p->type);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static const Onnx__AttributeProto *find(Onnx__AttributeProto *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(read_text(list[i]->name), name))
			return list[i];
	return NULL;
}

static int is_declared(const Onnx__FunctionProto *f, const char *name)
{
	for (size_t i = 0; i < f->n_attribute; i++)
		if (!strcmp(read_text(f->attribute[i]), name))
			return 1;
	return 0;
}

/* Follows references from *p in *s to the attribute that has the value and the scope to read it in.  *p is NULL when
 * the call leaves the attribute out and the function has no default.  Each step goes to an outer call, so it ends. */
static int follow(struct reader *r, const Onnx__AttributeProto **p, const struct scope **s)
{
	while (*p && *read_text((*p)->ref_attr_name)) {
		const char *name = (*p)->ref_attr_name;
		struct call_site *call = (*s)->fn;
		const Onnx__FunctionProto *f;

		if (!call)
			return err_set(r->e, ERR_INPUT, "it refers to attribute '%s' of a function, outside of one",
				       name);
		f = call->function->proto;
		if (read_spend(r, 1 + call->node->n_attribute + f->n_attribute_proto + f->n_attribute))
			return status_of(r->e);
		*p = find(call->node->attribute, call->node->n_attribute, name);
		*s = call->scope;
		if (*p)
			continue;
		*p = find(f->attribute_proto, f->n_attribute_proto, name);
		*s = &call->defaults;
		if (!*p && !is_declared(f, name))
			return err_set(r->e, ERR_INPUT, "function '%s' has no attribute '%s'", read_text(f->name),
				       name);
	}
	return 0;
}

/* Reads one attribute into the next free place of n. */
static int read_attr(struct reader *r, const struct scope *s, const Onnx__AttributeProto *p, struct node *n)
{
	const Onnx__AttributeProto *value = p;
	struct attr *a = &n->attrs[n->n_attrs];
	int depth = s->depth, rc = follow(r, &value, &s);

	if (rc || !value)
		return rc;
	a->type = declared_type(value);
	if (value != p && p->has_type && p->type && declared_type(p) != a->type)
		return err_set(r->e, ERR_INPUT, "it is of another type than the attribute '%s' it refers to",
			       p->ref_attr_name);
	a->name = model_strdup(r->m, p->name, r->e);
	if (!a->name)
		return status_of(r->e);
	rc = read_value(r, value, s, n, depth, a);
	if (!rc)
		n->n_attrs++;
	return rc;
}

int read_attrs(struct reader *r, struct scope *s, const Onnx__NodeProto *p, struct node *n)
{
	n->n_attrs = 0;
	for (size_t i = 0; i < p->n_attribute; i++) {
		const char *name = read_text(p->attribute[i]->name);

		if (read_name(r, name, "an attribute's name"))
			return status_of(r->e);
		if (!*name)
			return err_set(r->e, ERR_INPUT, "an attribute without a name");
		if (node_has(n, name))
			return err_set(r->e, ERR_INPUT, "attribute '%s' is given twice", name);
		if (read_attr(r, s, p->attribute[i], n))
			return r->located ? status_of(r->e) : err_prefix(r->e, "attribute '%.200s'", name);
	}
	return 0;
}
