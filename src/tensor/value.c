/* value.c - see value.h. */
#include "tensor/value.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static struct value *make(enum value_kind kind, enum dtype t, size_t n, struct err *e)
{
	struct value *v = mem_zalloc(sizeof *v);

	if (v && n) {
		v->items = mem_array(n, sizeof *v->items);
		if (!v->items) {
			mem_free(v);
			v = NULL;
		}
	}
	if (!v) {
		err_nomem(e, "a value", sizeof *v + n * sizeof *v->items);
		return NULL;
	}
	v->kind = kind;
	v->dtype = t;
	v->refs = 1;
	v->n = n;
	return v;
}

struct value *value_tensor(struct tensor *take, struct err *e)
{
	struct value *v = make(VALUE_TENSOR, take->dtype, 0, e);

	if (v)
		v->tensor = take;
	else
		tensor_unref(take);
	return v;
}

struct value *value_sequence(enum dtype t, struct value **items, size_t n, struct err *e)
{
	struct value *v = make(VALUE_SEQUENCE, t, n, e);

	if (v && n)
		memcpy(v->items, items, n * sizeof *items);
	for (size_t i = 0; !v && i < n; i++)
		value_unref(items[i]);
	return v;
}

struct value *value_optional(struct value *take_or_null, struct err *e)
{
	struct value *v =
		make(VALUE_OPTIONAL, take_or_null ? take_or_null->dtype : DT_UNDEFINED, take_or_null != NULL, e);

	if (!v)
		value_unref(take_or_null);
	else if (take_or_null)
		v->items[0] = take_or_null;
	return v;
}

struct value *value_ref(struct value *v)
{
	if (v)
		refs_add(&v->refs);
	return v;
}

void value_unref(struct value *v)
{
	if (!v || !refs_drop(&v->refs))
		return;
	tensor_unref(v->tensor);
	for (size_t i = 0; i < v->n; i++)
		value_unref(v->items[i]);
	mem_free(v->items);
	mem_free(v);
}

static struct value *convert_items(struct value *v, struct tensor *(*fn)(struct tensor *t, struct err *e),
				   struct err *e)
{
	struct value **items = mem_array(v->n, sizeof *items), *out = NULL;
	size_t n = 0;

	if (!items) {
		err_nomem(e, "a sequence", v->n * sizeof *items);
		return NULL;
	}
	while (n < v->n && (items[n] = value_convert(v->items[n], fn, e)))
		n++;
	if (n < v->n)
		while (n)
			value_unref(items[--n]);
	else if (v->kind == VALUE_OPTIONAL)
		out = value_optional(n ? items[0] : NULL, e);
	else
		out = value_sequence(v->dtype, items, n, e);
	mem_free(items);
	return out;
}

size_t value_elements(const struct value *v)
{
	size_t n = v->kind == VALUE_TENSOR ? v->tensor->count : 0;

	for (size_t i = 0; v->kind != VALUE_TENSOR && i < v->n; i++)
		n += value_elements(v->items[i]);
	return n;
}

struct value *value_convert(struct value *v, struct tensor *(*fn)(struct tensor *t, struct err *e), struct err *e)
{
	struct tensor *t;

	if (v->kind == VALUE_MAP)
		return value_ref(v);
	if (v->kind != VALUE_TENSOR)
		return convert_items(v, fn, e);
	t = fn(v->tensor, e);
	if (t != v->tensor)
		return t ? value_tensor(t, e) : NULL;
	tensor_unref(t);
	return value_ref(v);
}

int value_is_finite(const struct value *v)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR && dtype_is_float(v->tensor->dtype) ? v->tensor : NULL;

	for (size_t i = 0; t && i < t->count; i++)
		if (!isfinite(tensor_get(t, i)))
			return 0;
	return 1;
}
