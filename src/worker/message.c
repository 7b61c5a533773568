/* message.c - see message.h. */
#include "worker/message.h"

#include <string.h>

#include "base/mem.h"

/* protobuf-c has no const; it does not write to what it packs. */
static char *text(const char *s)
{
	return s ? (char *)(uintptr_t)s : (char *)(uintptr_t)protobuf_c_empty_string;
}

char **message_names(const char *const *names)
{
	return (char **)(uintptr_t)names;
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

static int no_room(struct err *e)
{
	return err_nomem(e, "a message", 0);
}

/* Makes room for n bytes of shared memory; *offset is aligned. */
static int place(struct message_out *o, size_t n, uint64_t *offset, struct err *e)
{
	uint64_t at = (o->at + SHM_ALIGN - 1) / SHM_ALIGN * SHM_ALIGN;
	int rc;

	if (n > UINT64_MAX - at)
		return err_set(e, ERR_LIMIT, "%zu bytes do not fit into shared memory", n);
	rc = shm_grow(o->shm, at + n, e);
	if (rc)
		return rc;
	*offset = at;
	o->at = at + n;
	return 0;
}

int message_put_bytes(struct message_out *o, const void *p, size_t n, uint64_t *offset, struct err *e)
{
	int rc = place(o, n, offset, e);

	if (!rc && n)
		memcpy(o->shm->base + *offset, p, n);
	return rc;
}

static int put_strings(struct message_out *o, const struct tensor *t, Assay__Tensor *m, struct err *e)
{
	m->strings = arena_array(o->arena, t->count, sizeof *m->strings);
	if (!m->strings)
		return no_room(e);
	m->n_strings = t->count;
	for (size_t i = 0; i < t->count; i++)
		m->strings[i] = (ProtobufCBinaryData){.len = t->s[i].n, .data = (uint8_t *)(uintptr_t)t->s[i].p};
	return 0;
}

/* The packed elements, inside the message or in shared memory.  `keep`: they live until the message is packed. */
static int put_elements(struct message_out *o, const struct tensor *t, int keep, Assay__Tensor *m, struct err *e)
{
	size_t n = dtype_packed_size(t->dtype, t->count);

	m->size = n;
	if (n > MESSAGE_INLINE) {
		m->data_case = ASSAY__TENSOR__DATA_SHM_OFFSET;
		return message_put_bytes(o, t->data, n, &m->shm_offset, e);
	}
	m->data_case = ASSAY__TENSOR__DATA_INLINE;
	m->inline_ = (ProtobufCBinaryData){.len = n, .data = t->data};
	if (!keep) {
		m->inline_.data = arena_alloc(o->arena, n);
		if (!m->inline_.data)
			return no_room(e);
		memcpy(m->inline_.data, t->data, n);
	}
	return 0;
}

int message_put_tensor(struct message_out *o, const char *name, struct tensor *t, Assay__Tensor **out, struct err *e)
{
	Assay__Tensor *m = arena_alloc(o->arena, sizeof *m);
	struct tensor *packed;
	int rc;

	if (!m)
		return no_room(e);
	assay__tensor__init(m);
	m->name = text(name);
	m->dtype = (int32_t)t->dtype;
	m->n_dims = (size_t)t->rank;
	m->dims = t->dims;
	*out = m;
	if (t->dtype == DT_STRING)
		return put_strings(o, t, m, e);
	if (!t->wide)
		return put_elements(o, t, 1, m, e);
	packed = tensor_pack(t, e);
	if (!packed)
		return e->code;
	rc = put_elements(o, packed, 0, m, e);
	tensor_unref(packed);
	return rc;
}

/* Values nest as deep as the caller made them: sequences of tensors, optionals of those. */
int message_put_value(struct message_out *o, const char *name, const struct value *v, Assay__Value **out, struct err *e)
{
	Assay__Value *m = arena_alloc(o->arena, sizeof *m);
	int rc = 0;

	if (!m)
		return no_room(e);
	assay__value__init(m);
	m->name = text(name);
	m->dtype = (int32_t)v->dtype;
	*out = m;
	switch (v->kind) {
	case VALUE_TENSOR:
		m->kind = ASSAY__VALUE__KIND__TENSOR;
		return message_put_tensor(o, NULL, v->tensor, &m->tensor, e);
	case VALUE_SEQUENCE:
		m->kind = ASSAY__VALUE__KIND__SEQUENCE;
		break;
	case VALUE_OPTIONAL:
		m->kind = ASSAY__VALUE__KIND__OPTIONAL;
		break;
	default:
		return err_set(e, ERR_UNSUPPORTED, "value '%s' is a map, which workers are not given", text(name));
	}
	m->items = arena_array(o->arena, v->n, sizeof(Assay__Value *));
	if (!m->items)
		return no_room(e);
	for (m->n_items = 0; !rc && m->n_items < v->n; m->n_items++)
		rc = message_put_value(o, NULL, v->items[m->n_items], &m->items[m->n_items], e);
	return rc;
}

int message_put_values(struct message_out *o, const struct named_value *v, size_t n, Assay__Value ***out, struct err *e)
{
	Assay__Value **m = arena_array(o->arena, n, sizeof(Assay__Value *));
	int rc = 0;

	if (!m)
		return no_room(e);
	for (size_t i = 0; !rc && i < n; i++)
		rc = message_put_value(o, v[i].name, v[i].value, &m[i], e);
	*out = m;
	return rc;
}

int message_put_options(struct message_out *o, const struct backend_option *options, size_t n, Assay__Option ***out,
			struct err *e)
{
	Assay__Option **m = arena_array(o->arena, n, sizeof(Assay__Option *));
	Assay__Option *rows = arena_array(o->arena, n, sizeof *rows);

	if (!m || !rows)
		return no_room(e);
	for (size_t i = 0; i < n; i++) {
		assay__option__init(&rows[i]);
		rows[i].name = text(options[i].name);
		rows[i].value = text(options[i].value);
		m[i] = &rows[i];
	}
	*out = m;
	return 0;
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

int message_get_bytes(struct message_in *in, uint64_t offset, uint64_t n, const uint8_t **p, struct err *e)
{
	if (offset % SHM_ALIGN)
		return err_set(e, ERR_INPUT, "offset %llu of shared memory is not aligned", (unsigned long long)offset);
	if (offset > in->shm->size || n > in->shm->size - offset)
		return err_set(e, ERR_INPUT, "%llu bytes at offset %llu lie outside of %llu bytes of shared memory",
			       (unsigned long long)n, (unsigned long long)offset, (unsigned long long)in->shm->size);
	*p = in->shm->base + offset;
	if (offset + n > in->end)
		in->end = offset + n;
	return 0;
}

/* The message itself, checked: a known type, dimensions that fit, and exactly the bytes that they need. */
static int check_tensor(struct message_in *in, const Assay__Tensor *m, enum dtype *type, const uint8_t **data,
			struct err *e)
{
	size_t count, wanted;
	int rc;

	*type = dtype_from_code(m->dtype);
	if (*type == DT_UNDEFINED)
		return err_set(e, ERR_INPUT, "type %d is not known", (int)m->dtype);
	if (m->n_dims > TENSOR_MAX_RANK)
		return err_set(e, ERR_INPUT, "rank %zu, more than %d", m->n_dims, TENSOR_MAX_RANK);
	rc = tensor_shape_count((int)m->n_dims, m->dims, &count, e);
	if (rc)
		return rc;
	if (*type == DT_STRING)
		return m->n_strings == count ? 0
					     : err_set(e, ERR_INPUT, "%zu strings where the shape has %zu elements",
						       m->n_strings, count);
	wanted = dtype_packed_size(*type, count);
	if (m->data_case == ASSAY__TENSOR__DATA_SHM_OFFSET) {
		if (m->size != wanted)
			return err_set(e, ERR_INPUT, "%llu bytes where %zu are needed", (unsigned long long)m->size,
				       wanted);
		return message_get_bytes(in, m->shm_offset, m->size, data, e);
	}
	*data = m->data_case == ASSAY__TENSOR__DATA_INLINE ? m->inline_.data : NULL;
	count = *data ? m->inline_.len : 0;
	if (count != wanted)
		return err_set(e, ERR_INPUT, "%zu bytes where %zu are needed", count, wanted);
	return 0;
}

static struct tensor *get_strings(const Assay__Tensor *m, struct err *e)
{
	struct tensor *t = tensor_new_packed(DT_STRING, (int)m->n_dims, m->dims, e);

	for (size_t i = 0; t && i < t->count; i++)
		if (tensor_set_string(t, i, (const char *)m->strings[i].data, m->strings[i].len, e)) {
			tensor_unref(t);
			return NULL;
		}
	return t;
}

int message_get_tensor(struct message_in *in, const Assay__Tensor *m, struct tensor **out, struct err *e)
{
	static const uint8_t nothing[SHM_ALIGN];
	const uint8_t *data = NULL;
	enum dtype type;
	struct tensor *t;
	size_t n;
	int rc = check_tensor(in, m, &type, &data, e);

	if (rc)
		return err_prefix(e, "tensor '%s'", m->name);
	if (type == DT_STRING) {
		t = get_strings(m, e);
	} else if (in->copy) {
		t = tensor_new_packed(type, (int)m->n_dims, m->dims, e);
		n = t ? dtype_packed_size(type, t->count) : 0;
		if (n)
			memcpy(t->data, data, n);
	} else {
		struct tensor_memory lent = {.data = nothing};

		if (data) {
			lent.data = data;
			lent.bytes = m->data_case == ASSAY__TENSOR__DATA_INLINE ? m->inline_.len : m->size;
		}
		t = tensor_wrap(type, (int)m->n_dims, m->dims, &lent, e);
	}
	if (!t && in->copy && e->code == ERR_LIMIT) /* the shape fits the bytes: there is no room here */
		e->code = ERR_MEMORY;
	if (!t)
		return e->code;
	*out = t;
	return 0;
}

int message_get_tensors(struct message_in *in, Assay__Tensor *const *m, size_t n, struct tensor **out, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		int rc = message_get_tensor(in, m[i], &out[i], e);

		if (rc) {
			while (i-- > 0)
				tensor_unref(out[i]);
			return rc;
		}
	}
	return 0;
}

static int get_items(struct message_in *in, const Assay__Value *m, struct value ***out, struct err *e)
{
	struct value **items = mem_array(m->n_items, sizeof(struct value *));
	int rc = 0;

	if (!items)
		return err_nomem(e, "a sequence", m->n_items * sizeof(struct value *));
	for (size_t i = 0; !rc && i < m->n_items; i++)
		rc = message_get_value(in, m->items[i], &items[i], e);
	if (!rc) {
		*out = items;
		return 0;
	}
	for (size_t i = 0; i < m->n_items; i++)
		value_unref(items[i]);
	mem_free(items);
	return rc;
}

/* Nesting is bounded: proto_unpack() refused what is deeper than MESSAGE_MAX_DEPTH. */
int message_get_value(struct message_in *in, const Assay__Value *m, struct value **out, struct err *e)
{
	struct value **items = NULL, *v = NULL;
	struct tensor *t;
	int rc;

	if (m->kind == ASSAY__VALUE__KIND__TENSOR) {
		if (!m->tensor)
			return err_set(e, ERR_INPUT, "value '%s' has no tensor", m->name);
		rc = message_get_tensor(in, m->tensor, &t, e);
		if (rc)
			return *m->name ? err_prefix(e, "value '%s'", m->name) : rc;
		v = value_tensor(t, e);
	} else if (m->kind == ASSAY__VALUE__KIND__SEQUENCE ||
		   (m->kind == ASSAY__VALUE__KIND__OPTIONAL && m->n_items <= 1)) {
		rc = get_items(in, m, &items, e);
		if (rc)
			return rc;
		v = m->kind == ASSAY__VALUE__KIND__SEQUENCE
			    ? value_sequence(dtype_from_code(m->dtype), items, m->n_items, e)
			    : value_optional(m->n_items ? items[0] : NULL, e);
		mem_free(items);
	} else {
		return err_set(e, ERR_INPUT, "value '%s' is of no known kind", m->name);
	}
	if (!v)
		return e->code;
	*out = v;
	return 0;
}
