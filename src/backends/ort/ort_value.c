/* ort_value.c - values between assay and ONNX Runtime (declared in internal.h).
 *
 * Tensors are not copied: an input is wrapped by the library, an output is wrapped by us and keeps the library's value
 * alive. */
#include <stdio.h>
#include <string.h>

#include "backends/ort/internal.h"
#include "base/mem.h"

#define MAX_ITEMS ((size_t)1 << 20) /* of a sequence */

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* The library numbers types as ONNX does up to float4; after that it goes its own way. */
#define LAST_COMMON DT_FLOAT4E2M1

static const struct {
	enum dtype dtype;
	int code;
} own_codes[] = {{DT_UINT2, 24}, {DT_INT2, 25}, {DT_FLOAT8E8M0, 26}};

/* 0: the library has no such type. */
static int code_of(enum dtype t)
{
	for (size_t i = 0; i < sizeof own_codes / sizeof *own_codes; i++)
		if (own_codes[i].dtype == t)
			return own_codes[i].code;
	return t <= LAST_COMMON ? (int)t : 0;
}

static enum dtype dtype_of(int code)
{
	for (size_t i = 0; i < sizeof own_codes / sizeof *own_codes; i++)
		if (own_codes[i].code == code)
			return own_codes[i].dtype;
	return code <= LAST_COMMON ? dtype_from_code(code) : DT_UNDEFINED;
}

/* ---- to the library ---------------------------------------------------------------------------------------------- */

static int from_strings(struct ort *o, const struct tensor *t, struct OrtValue **out, struct err *e)
{
	const char **strings = mem_array(t->count ? t->count : 1, sizeof *strings);
	struct OrtValue *v = NULL;
	int rc = strings ? 0 : err_nomem(e, "strings", t->count * sizeof *strings);

	for (size_t i = 0; i < t->count && !rc; i++) {
		if (memchr(t->s[i].p, '\0', t->s[i].n))
			rc = err_set(e, ERR_UNSUPPORTED, "onnxruntime takes no strings with a NUL inside");
		strings[i] = t->s[i].p;
	}
	if (!rc)
		rc = ort_check(o,
			       o->api.CreateTensorAsOrtValue(o->allocator, t->dims, (size_t)t->rank, (int)t->dtype, &v),
			       "take an input", e);
	if (!rc)
		rc = ort_check(o, o->api.FillStringTensor(v, strings, t->count), "take an input", e);
	mem_free(strings);
	if (rc && v)
		o->api.ReleaseValue(v);
	if (!rc)
		*out = v;
	return rc;
}

static int from_tensor(struct ort *o, const struct tensor *t, struct OrtValue **out, struct err *e)
{
	if (!code_of(t->dtype))
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime has no tensors of %s", dtype_name(t->dtype));
	if (t->dtype == DT_STRING)
		return from_strings(o, t, out, e);
	return ort_check(o,
			 o->api.CreateTensorWithDataAsOrtValue(o->cpu, t->data, dtype_packed_size(t->dtype, t->count),
							       t->dims, (size_t)t->rank, code_of(t->dtype), out),
			 "take an input", e);
}

static int from_sequence(struct ort *o, const struct value *v, struct OrtValue **out, struct err *e)
{
	struct OrtValue **items;
	int rc = 0;

	if (!v->n)
		return err_set(e, ERR_UNSUPPORTED, "onnxruntime's C interface makes no empty sequences");
	items = mem_array(v->n, sizeof *items);
	if (!items)
		return err_nomem(e, "a sequence", v->n * sizeof *items);
	for (size_t i = 0; i < v->n && !rc; i++)
		rc = ort_from_value(o, v->items[i], &items[i], e);
	if (!rc)
		rc = ort_check(o,
			       o->api.CreateValue((const struct OrtValue *const *)items, v->n, ORT_TYPE_SEQUENCE, out),
			       "take a sequence", e);
	for (size_t i = 0; i < v->n; i++)
		if (items[i])
			o->api.ReleaseValue(items[i]);
	mem_free(items);
	return rc;
}

int ort_from_value(struct ort *o, const struct value *v, struct OrtValue **out, struct err *e)
{
	if (v->kind == VALUE_TENSOR)
		return from_tensor(o, v->tensor, out, e);
	if (v->kind == VALUE_SEQUENCE)
		return from_sequence(o, v, out, e);
	if (v->kind == VALUE_OPTIONAL && v->n)
		return ort_from_value(o, v->items[0], out, e);
	return err_set(e, ERR_UNSUPPORTED, "onnxruntime's C interface makes no %s",
		       v->kind == VALUE_OPTIONAL ? "empty optionals" : "maps of this kind");
}

/* ---- from the library -------------------------------------------------------------------------------------------- */

struct ort_shape {
	enum dtype dtype;
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
};

static int shape_of(struct ort *o, const struct OrtValue *v, struct ort_shape *out, struct err *e)
{
	struct OrtTensorTypeAndShapeInfo *info = NULL;
	size_t rank = 0;
	int type = 0, rc = ort_check(o, o->api.GetTensorTypeAndShape(v, &info), "describe an output", e);

	if (!rc)
		rc = ort_check(o, o->api.GetTensorElementType(info, &type), "describe an output", e);
	if (!rc)
		rc = ort_check(o, o->api.GetDimensionsCount(info, &rank), "describe an output", e);
	if (!rc && (rank > TENSOR_MAX_RANK || dtype_of(type) == DT_UNDEFINED))
		rc = err_set(e, ERR_UNSUPPORTED, "onnxruntime gave a tensor of rank %zu and type %d", rank, type);
	if (!rc)
		rc = ort_check(o, o->api.GetDimensions(info, out->dims, rank), "describe an output", e);
	if (info)
		o->api.ReleaseTensorTypeAndShapeInfo(info);
	out->dtype = dtype_of(type);
	out->rank = (int)rank;
	return rc;
}

/* All strings lie in one piece of text, string i from offsets[i] to the next one's. */
static int cut_strings(const char *text, size_t bytes, const size_t *offsets, struct tensor *t, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < t->count && !rc; i++) {
		size_t end = i + 1 < t->count ? offsets[i + 1] : bytes;

		if (offsets[i] > end || end > bytes)
			return err_set(e, ERR_INPUT, "onnxruntime gave string %zu with wrong bounds", i);
		rc = tensor_set_string(t, i, text + offsets[i], end - offsets[i], e);
	}
	return rc;
}

static struct tensor *to_strings(struct ort *o, const struct OrtValue *v, const struct ort_shape *s, struct err *e)
{
	struct tensor *t = tensor_new_packed(DT_STRING, s->rank, s->dims, e);
	size_t *offsets, bytes = 0;
	char *text;
	int rc;

	if (!t || !t->count)
		return t;
	rc = ort_check(o, o->api.GetStringTensorDataLength(v, &bytes), "give strings", e);
	text = mem_alloc(bytes + 1);
	offsets = mem_array(t->count, sizeof *offsets);
	if (!rc && (!text || !offsets))
		rc = err_nomem(e, "strings", bytes);
	if (!rc)
		rc = ort_check(o, o->api.GetStringTensorContent(v, text, bytes, offsets, t->count), "give strings", e);
	if (!rc)
		rc = cut_strings(text, bytes, offsets, t, e);
	mem_free(text);
	mem_free(offsets);
	if (!rc)
		return t;
	tensor_unref(t);
	return NULL;
}

/* What a wrapped output holds. */
struct ort_kept {
	struct ort *ort;
	struct OrtValue *value;
};

static void drop_kept(void *owner)
{
	struct ort_kept *k = owner;

	k->ort->api.ReleaseValue(k->value);
	mem_free(k);
}

static struct tensor *wrap(struct ort *o, struct OrtValue **v, const struct ort_shape *s, struct err *e)
{
	struct ort_kept *k = mem_alloc(sizeof *k);
	struct tensor *t = NULL;
	void *data = NULL;
	size_t count;

	if (!k) {
		err_nomem(e, "an output", sizeof *k);
		return NULL;
	}
	*k = (struct ort_kept){o, *v};
	if (!ort_check(o, o->api.GetTensorMutableData(*v, &data), "give an output", e) &&
	    !tensor_shape_count(s->rank, s->dims, &count, e)) {
		const struct tensor_memory kept = {
			.data = data, .bytes = dtype_packed_size(s->dtype, count), .drop = drop_kept, .owner = k};

		t = count ? tensor_wrap(s->dtype, s->rank, s->dims, &kept, e)
			  : tensor_new_packed(s->dtype, s->rank, s->dims, e);
	}
	if (t && count)
		*v = NULL;
	else
		mem_free(k);
	return t;
}

static int to_tensor(struct ort *o, struct OrtValue **v, struct value **out, struct err *e)
{
	struct ort_shape s = {DT_UNDEFINED, 0, {0}};
	struct tensor *t = NULL;
	int rc = shape_of(o, *v, &s, e);

	if (!rc)
		t = s.dtype == DT_STRING ? to_strings(o, *v, &s, e) : wrap(o, v, &s, e);
	if (!t)
		return e->code;
	*out = value_tensor(t, e);
	return *out ? 0 : e->code;
}

static int to_sequence(struct ort *o, const struct OrtValue *v, struct value **out, struct err *e)
{
	struct value **items = NULL;
	size_t count = 0, n = 0;
	int rc = ort_check(o, o->api.GetValueCount(v, &count), "count a sequence", e);

	if (!rc && count > MAX_ITEMS)
		rc = err_set(e, ERR_LIMIT, "onnxruntime gave a sequence of %zu items", count);
	if (rc)
		return rc;
	items = mem_array(count ? count : 1, sizeof *items);
	if (!items)
		return err_nomem(e, "a sequence", count * sizeof *items);
	while (n < count && !rc) {
		struct OrtValue *item = NULL;

		rc = ort_check(o, o->api.GetValue(v, (int)n, o->allocator, &item), "give an item of a sequence", e);
		if (!rc)
			rc = ort_to_value(o, &item, 0, &items[n], e);
		n += !rc;
		if (item)
			o->api.ReleaseValue(item);
	}
	if (rc)
		while (n)
			value_unref(items[--n]);
	else
		*out = value_sequence(n ? items[0]->dtype : DT_UNDEFINED, items, n, e);
	mem_free(items);
	return rc ? rc : *out ? 0 : e->code;
}

static int to_optional(struct value *take, struct value **out, struct err *e)
{
	*out = value_optional(take, e);
	return *out ? 0 : e->code;
}

int ort_to_value(struct ort *o, struct OrtValue **v, int optional, struct value **out, struct err *e)
{
	struct value *item = NULL;
	int has = 1, type = 0, rc = 0;

	if (!*v)
		return err_set(e, ERR_INPUT, "onnxruntime gave no value for an output");
	if (o->api.HasValue)
		rc = ort_check(o, o->api.HasValue(*v, &has), "describe an output", e);
	if (!rc && !has)
		return to_optional(NULL, out, e);
	if (!rc)
		rc = ort_check(o, o->api.GetValueType(*v, &type), "describe an output", e);
	if (!rc && type != ORT_TYPE_TENSOR && type != ORT_TYPE_SEQUENCE)
		rc = err_set(e, ERR_UNSUPPORTED, "onnxruntime gave a map or a sparse tensor (type %d)", type);
	if (!rc)
		rc = type == ORT_TYPE_TENSOR ? to_tensor(o, v, &item, e) : to_sequence(o, *v, &item, e);
	if (rc)
		return rc;
	if (optional)
		return to_optional(item, out, e);
	*out = item;
	return 0;
}
