/* key.c - what tells operations apart: operator, version and attributes of a node, without names and sizes. */
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "methods/extract/extract.h"
#include "ops/attr.h"

#define MAX_HEAD ((size_t)16 << 20)
#define HASH_TEXT 17

static uint64_t hash_tensor(const struct tensor *t)
{
	uint64_t h = HASH_BEGIN;

	if (t->dtype != DT_STRING && !t->wide)
		return hash_bytes(h, t->data, dtype_packed_size(t->dtype, t->count));
	for (size_t i = 0; i < t->count && t->dtype == DT_STRING; i++)
		h = hash_bytes(hash_number(h, t->s[i].n), t->s[i].p, t->s[i].n);
	return h;
}

static json_t *tensor_json(const struct tensor *t)
{
	char type[256], hash[HASH_TEXT];

	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_tensor(t));
	return json_pack("{s:s, s:s}", "tensor", tensor_describe(t, type, sizeof type), "hash", hash);
}

/* Nodes of an inner graph with what they read: by number of the wire, or as taken from outside. */
static json_t *graph_json(const struct graph *g)
{
	json_t *nodes = json_array();

	for (size_t i = 0; nodes && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		json_t *reads = json_array();

		for (int k = 0; k < n->n_in; k++)
			json_array_append_new(reads, json_integer(!n->in[k]              ? -2
								  : n->in[k]->graph != g ? -1
											 : n->in[k]->id));
		json_array_append_new(nodes, json_pack("{s:o, s:o, s:o}", "op", json_text(n->op_type), "reads", reads,
						       "attributes", extract_attributes(n)));
	}
	return nodes;
}

static json_t *string_json(const struct bytes *s)
{
	json_t *text = json_stringn(s->p ? s->p : "", s->n);

	return text ? text : json_hex(s->p, s->n); /* no UTF-8 */
}

static json_t *type_json(const struct type *t, const struct graph *g)
{
	char text[256];

	return json_text(type_describe(t, g, text, sizeof text));
}

static json_t *item_json(const struct attr *a, size_t i)
{
	switch (a->type) {
	case ATTR_FLOATS:
		return json_number(a->floats[i]);
	case ATTR_INTS:
		return json_integer((json_int_t)a->ints[i]);
	case ATTR_STRINGS:
		return string_json(&a->strings[i]);
	case ATTR_TENSORS:
		return tensor_json(a->tensors[i]);
	case ATTR_GRAPHS:
		return graph_json(a->graphs[i]);
	default:
		return json_null();
	}
}

static json_t *value_json(const struct attr *a, const struct graph *g)
{
	json_t *list;

	switch (a->type) {
	case ATTR_FLOAT:
		return json_number(a->f);
	case ATTR_INT:
		return json_integer((json_int_t)a->i);
	case ATTR_STRING:
		return string_json(&a->s);
	case ATTR_TENSOR:
	case ATTR_SPARSE:
		return a->t ? tensor_json(a->t) : json_null();
	case ATTR_GRAPH:
		return graph_json(a->g);
	case ATTR_TYPE:
		return a->tp ? type_json(a->tp, g) : json_null();
	default:
		list = json_array();
		for (size_t i = 0; list && i < a->n; i++)
			json_array_append_new(list, item_json(a, i));
		return list;
	}
}

json_t *extract_attributes(const struct node *n)
{
	json_t *all = json_object();

	for (int i = 0; all && i < n->n_attrs; i++)
		if (!n->op || !attr_is_default(n, &n->attrs[i]))
			json_object_set_new(all, n->attrs[i].name, value_json(&n->attrs[i], n->graph));
	return all;
}

const char *extract_head(struct arena *a, const struct node *n, struct err *e)
{
	json_t *attributes = extract_attributes(n);
	const char *head = NULL;
	struct buf text;

	buf_init(&text, MAX_HEAD);
	buf_printf(&text, "%s%s%s-%d", n->domain, *n->domain ? ":" : "", n->op_type, n->version);
	json_write(&text, attributes, JSON_COMPACT | JSON_SORT_KEYS);
	buf_puts(&text, "->");
	for (int i = 0; i < n->n_out; i++)
		buf_puts(&text, n->out[i] ? "1" : "0");
	if (!buf_check(&text, e) && !(head = arena_strdup(a, text.data)))
		err_nomem(e, "a key", text.len);
	json_decref(attributes);
	buf_release(&text);
	return head;
}
