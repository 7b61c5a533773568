/* adapt.c - see adapt.h. */
#include "model/adapt.h"

#include <string.h>

static void drop_tensor(void *t)
{
	tensor_unref(t);
}

static struct tensor *bits_as(struct tensor *t, enum dtype dtype, struct err *e)
{
	const struct tensor_memory same = {
		.data = t->data, .bytes = dtype_packed_size(t->dtype, t->count), .drop = drop_tensor, .owner = t};
	struct tensor *out = tensor_wrap(dtype, t->rank, t->dims, &same, e);

	if (out)
		tensor_ref(t);
	return out;
}

static struct tensor *values_as(struct tensor *t, enum dtype dtype, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e);
	struct tensor *out = wide ? tensor_new(dtype, t->rank, t->dims, e) : NULL;

	if (out) {
		memcpy(out->data, wide->data, t->count * dtype_wide_size(dtype));
		tensor_round(out);
	}
	tensor_unref(wide);
	return out;
}

int adapt_value(struct value **v, const struct type *declared, struct err *e)
{
	struct tensor *t = (*v)->kind == VALUE_TENSOR ? (*v)->tensor : NULL, *out;
	enum dtype want = declared->kind == VALUE_TENSOR ? declared->dtype : DT_UNDEFINED;
	struct value *value;

	if (!t || !want || want == t->dtype || *dtype_npy(want))
		return 0;
	if (t->dtype == DT_UINT16 && want == DT_BFLOAT16 && !t->wide)
		out = bits_as(t, want, e);
	else if (t->dtype == DT_FLOAT && dtype_is_float(want))
		out = values_as(t, want, e);
	else if ((t->dtype == DT_INT8 || t->dtype == DT_UINT8) && dtype_is_int(want))
		out = values_as(t, want, e);
	else
		return 0;
	value = out ? value_tensor(out, e) : NULL;
	if (!value)
		return e->code;
	value_unref(*v);
	*v = value;
	return 0;
}

int adapt_fits(const struct type *declared, const struct tensor *t)
{
	int fits =
		(!declared->dtype || declared->dtype == t->dtype) && (declared->rank < 0 || declared->rank == t->rank);

	for (int i = 0; fits && i < declared->rank; i++)
		fits = declared->dims[i] < 0 || declared->dims[i] == t->dims[i];
	return fits;
}

int adapt_check_input(const struct wire *w, const struct value *v, struct err *e)
{
	char have[256], want[256];

	if (w->type.kind == VALUE_NONE)
		return 0;
	if (w->type.kind != v->kind)
		return err_set(e, ERR_INPUT, "input '%s': wrong kind of value", w->name);
	if (v->kind != VALUE_TENSOR || adapt_fits(&w->type, v->tensor))
		return 0;
	tensor_describe(v->tensor, have, sizeof have);
	type_describe(&w->type, w->graph, want, sizeof want);
	if (w->graph->parent && (!w->type.dtype || w->type.dtype == v->tensor->dtype))
		return model_complain(w->graph->model, e, "'%s' is declared as %s but is %s", w->name, want, have);
	return err_set(e, ERR_INPUT, "input '%s' is %s, the model wants %s", w->name, have, want);
}
