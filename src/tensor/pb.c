/* pb.c - .pb files: one TensorProto, SequenceProto or OptionalProto (declared in io.h).
 *
 * The latter two belong to onnx-data.proto.  Both have the same few fields - a name, the kind of what is inside, and
 * one field for each kind - so one short reader takes both straight from the bytes:
 *
 *     1 name    2 elem_type    3 tensors    4 sparse tensors    5 sequences    6 maps    7 optionals */
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "onnx-ml.pb-c.h"
#include "tensor/io.h"
#include "tensor/proto_check.h"

#define MAX_DEPTH 16                /* of sequences and optionals in one another */
#define MAX_ITEMS ((size_t)1 << 20) /* of a file, all levels together */
#define TENSOR_DEPTH 2              /* a TensorProto holds entries of strings, no more */

enum { FIELD_NAME = 1, FIELD_ELEM_TYPE, FIELD_TENSOR, FIELD_SPARSE, FIELD_SEQUENCE, FIELD_MAP, FIELD_OPTIONAL };

struct parse {
	size_t left; /* of MAX_ITEMS */
	struct err *e;
};

static int parse_any(struct parse *p, enum value_kind kind, const void *data, size_t n, int depth, struct value **out,
		     char **name);

static int copy_name(const char *text, size_t n, char **name, struct err *e)
{
	char *copy;

	if (!name)
		return 0;
	copy = mem_alloc(n + 1);
	if (!copy)
		return err_nomem(e, "a name", n);
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	mem_free(*name); /* the last one counts */
	*name = copy;
	return 0;
}

static void free_message(void *m)
{
	protobuf_c_message_free_unpacked(m, proto_allocator());
}

static int parse_tensor(struct parse *p, const void *data, size_t n, struct value **out, char **name)
{
	ProtobufCMessage *m;
	struct tensor *t;
	const char *text;
	int rc = proto_unpack(&onnx__tensor_proto__descriptor, data, n, TENSOR_DEPTH, &m, p->e);

	if (rc)
		return rc;
	text = ((Onnx__TensorProto *)m)->name;
	rc = copy_name(text, text ? strlen(text) : 0, name, p->e);
	if (!rc)
		rc = tensor_from_proto((Onnx__TensorProto *)m, free_message, m, &t, p->e);
	if (rc) {
		free_message(m);
		return rc;
	}
	*out = value_tensor(t, p->e);
	return *out ? 0 : ERR_MEMORY;
}

static enum value_kind kind_of_field(uint32_t id)
{
	switch (id) {
	case FIELD_TENSOR:
		return VALUE_TENSOR;
	case FIELD_SEQUENCE:
		return VALUE_SEQUENCE;
	case FIELD_OPTIONAL:
		return VALUE_OPTIONAL;
	default:
		return VALUE_NONE;
	}
}

struct items {
	VEC(struct value *) list;
	uint64_t elem_type; /* 0: not said; else FIELD_TENSOR - 2 … FIELD_OPTIONAL - 2 */
	uint32_t field;     /* that the items came from; 0: none yet */
};

static void items_release(struct items *it)
{
	for (size_t i = 0; i < it->list.n; i++)
		value_unref(it->list.at[i]);
	vec_release(&it->list);
}

static int add_item(struct parse *p, struct items *it, const struct proto_field *f, int depth)
{
	enum value_kind kind = kind_of_field(f->id);
	struct value *v;
	int rc;

	if (kind == VALUE_NONE)
		return err_set(p->e, ERR_UNSUPPORTED, "%s inside a sequence or an optional",
			       f->id == FIELD_MAP ? "a map" : "a sparse tensor");
	if (f->type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
		return err_set(p->e, ERR_INPUT, "an item that is not a message");
	if (it->field && it->field != f->id)
		return err_set(p->e, ERR_INPUT, "items of different kinds");
	if (!p->left--)
		return err_set(p->e, ERR_LIMIT, "more than %zu items", MAX_ITEMS);
	it->field = f->id;
	rc = parse_any(p, kind, f->data, f->n, depth + 1, &v, NULL);
	if (rc)
		return err_prefix(p->e, "item %zu", it->list.n);
	if (it->list.n && it->list.at[0]->dtype != v->dtype)
		rc = err_set(p->e, ERR_INPUT, "item %zu is of %s, the first of %s", it->list.n, dtype_name(v->dtype),
			     dtype_name(it->list.at[0]->dtype));
	else if (vec_push(&it->list, v))
		rc = err_nomem(p->e, "an item", sizeof v);
	if (rc)
		value_unref(v);
	return rc;
}

static int parse_items(struct parse *p, const void *data, size_t n, int depth, struct items *it, char **name)
{
	struct proto_reader r;
	struct proto_field f;
	enum proto_step step;
	int rc = 0;

	proto_reader_init(&r, data, n);
	while (!rc && (step = proto_next(&r, &f)) != PROTO_END) {
		if (step == PROTO_BAD)
			rc = err_set(p->e, ERR_INPUT, "damaged or cut off");
		else if (f.id == FIELD_NAME && f.type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
			rc = copy_name((const char *)f.data, f.n, name, p->e);
		else if (f.id == FIELD_ELEM_TYPE && f.type == PROTOBUF_C_WIRE_TYPE_VARINT)
			it->elem_type = f.value;
		else if (f.id >= FIELD_TENSOR && f.id <= FIELD_OPTIONAL)
			rc = add_item(p, it, &f, depth);
	}
	if (!rc && it->field && it->elem_type && it->elem_type + 2 != it->field)
		rc = err_set(p->e, ERR_INPUT, "elem_type is %llu, but items are of type %d",
			     (unsigned long long)it->elem_type, (int)it->field - 2);
	return rc;
}

static int parse_container(struct parse *p, enum value_kind kind, const void *data, size_t n, int depth,
			   struct value **out, char **name)
{
	struct items it = {.list = VEC_INIT};
	struct value *v;
	int rc;

	if (depth > MAX_DEPTH)
		return err_set(p->e, ERR_LIMIT, "sequences nested more than %d levels deep", MAX_DEPTH);
	rc = parse_items(p, data, n, depth, &it, name);
	if (!rc && kind == VALUE_OPTIONAL && it.list.n > 1)
		rc = err_set(p->e, ERR_INPUT, "an optional with %zu elements", it.list.n);
	if (rc) {
		items_release(&it);
		return rc;
	}
	if (kind == VALUE_OPTIONAL)
		v = value_optional(it.list.n ? it.list.at[0] : NULL, p->e);
	else
		v = value_sequence(it.list.n ? it.list.at[0]->dtype : DT_UNDEFINED, it.list.at, it.list.n, p->e);
	vec_release(&it.list);
	if (!v)
		return ERR_MEMORY;
	*out = v;
	return 0;
}

static int parse_any(struct parse *p, enum value_kind kind, const void *data, size_t n, int depth, struct value **out,
		     char **name)
{
	switch (kind) {
	case VALUE_NONE:
	case VALUE_TENSOR:
		return parse_tensor(p, data, n, out, name);
	case VALUE_SEQUENCE:
	case VALUE_OPTIONAL:
		return parse_container(p, kind, data, n, depth, out, name);
	default:
		return err_set(p->e, ERR_UNSUPPORTED, "maps in .pb files");
	}
}

int pb_parse_value(const void *data, size_t n, enum value_kind kind, struct value **out, char **name, struct err *e)
{
	struct parse p = {MAX_ITEMS, e};
	char *found = NULL;
	struct value *v;
	int rc = parse_any(&p, kind, data, n, 1, &v, name ? &found : NULL);

	if (!rc && name && !found) {
		rc = copy_name("", 0, &found, e);
		if (rc)
			value_unref(v);
	}
	if (rc) {
		mem_free(found);
		return rc;
	}
	if (name)
		*name = found;
	*out = v;
	return 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Fills p with pointers into t, which is packed; strings need an array of their own, *strings, for the caller to free.
 */
static int fill_proto(const struct tensor *t, const char *name, Onnx__TensorProto *p, ProtobufCBinaryData **strings,
		      struct err *e)
{
	onnx__tensor_proto__init(p);
	p->name = (char *)(uintptr_t)name; /* protobuf-c reads them only */
	p->n_dims = (size_t)t->rank;
	p->dims = (int64_t *)(uintptr_t)t->dims;
	p->has_data_type = 1;
	p->data_type = (int32_t)t->dtype;
	if (t->dtype != DT_STRING) {
		p->has_raw_data = 1;
		p->raw_data.data = t->data;
		p->raw_data.len = dtype_packed_size(t->dtype, t->count);
		return 0;
	}
	*strings = mem_array(t->count, sizeof **strings);
	if (!*strings)
		return err_nomem(e, "strings", t->count * sizeof **strings);
	for (size_t i = 0; i < t->count; i++)
		(*strings)[i] = (ProtobufCBinaryData){t->s[i].n, (uint8_t *)(uintptr_t)t->s[i].p};
	p->string_data = *strings;
	p->n_string_data = t->count;
	return 0;
}

static int put_tensor(const struct tensor *t, const char *name, struct buf *out, struct err *e)
{
	struct tensor *packed = tensor_pack((struct tensor *)(uintptr_t)t, e); /* counts a reference, no more */
	ProtobufCBinaryData *strings = NULL;
	Onnx__TensorProto p;
	uint8_t *bytes = NULL;
	size_t n;
	int rc;

	if (!packed)
		return e ? e->code : ERR_MEMORY;
	rc = fill_proto(packed, name, &p, &strings, e);
	if (!rc) {
		n = protobuf_c_message_get_packed_size(&p.base);
		bytes = mem_alloc(n);
		if (!bytes)
			rc = err_nomem(e, "a TensorProto", n);
	}
	if (!rc) {
		buf_add(out, bytes, protobuf_c_message_pack(&p.base, bytes));
		rc = buf_check(out, e);
	}
	mem_free(bytes);
	mem_free(strings);
	tensor_unref(packed);
	return rc;
}

static void put_varint(struct buf *out, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		buf_add(out, (uint8_t[]){(uint8_t)(n | 0x80)}, 1);
	buf_add(out, (uint8_t[]){(uint8_t)n}, 1);
}

static void put_data(struct buf *out, int field, const void *p, size_t n)
{
	put_varint(out, (uint64_t)field << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
	put_varint(out, n);
	buf_add(out, p, n);
}

static int field_of_kind(enum value_kind kind)
{
	return kind == VALUE_SEQUENCE ? FIELD_SEQUENCE : kind == VALUE_OPTIONAL ? FIELD_OPTIONAL : FIELD_TENSOR;
}

int pb_write_value(const struct value *v, const char *name, struct buf *out, struct err *e)
{
	int rc = 0;

	if (v->kind == VALUE_TENSOR)
		return put_tensor(v->tensor, name, out, e);
	if (v->kind != VALUE_SEQUENCE && v->kind != VALUE_OPTIONAL)
		return err_set(e, ERR_UNSUPPORTED, "maps in .pb files");
	put_data(out, FIELD_NAME, name, strlen(name));
	put_varint(out, FIELD_ELEM_TYPE << 3 | PROTOBUF_C_WIRE_TYPE_VARINT);
	put_varint(out, (uint64_t)field_of_kind(v->n ? v->items[0]->kind : VALUE_TENSOR) - 2);
	for (size_t i = 0; i < v->n && !rc; i++) {
		struct buf item;

		buf_init(&item, TENSOR_IO_MAX_FILE);
		rc = pb_write_value(v->items[i], "", &item, e);
		if (!rc)
			put_data(out, field_of_kind(v->items[i]->kind), item.data ? item.data : "", item.len);
		buf_release(&item);
	}
	return rc ? rc : buf_check(out, e);
}
