/* elements.c - elements of tensors one by one (declared in tensor.h). */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "tensor/tensor.h"

struct rounds {
	enum dtype part;
	double *f;
};

static void round_piece(void *arg, size_t first, size_t end)
{
	const struct rounds *r = arg;

	if (r->part == DT_FLOAT)
		for (size_t i = first; i < end; i++)
			r->f[i] = (float)r->f[i];
	else
		for (size_t i = first; i < end; i++)
			r->f[i] = dtype_round(r->part, r->f[i], 0);
}

void tensor_round(struct tensor *t)
{
	struct rounds r = {dtype_part(t->dtype), t->f};

	BUG_ON(!t->wide);
	if (dtype_wide(t->dtype) == WIDE_I64)
		tensor_wrap_ints(t);
	else if (dtype_is_float(r.part) && r.part != DT_DOUBLE)
		parallel_for(tensor_parts(t), 2, round_piece, &r);
}

void tensor_flush(struct tensor *t)
{
	BUG_ON(!t->wide);
	for (size_t i = 0; dtype_is_float(t->dtype) && i < t->count; i++)
		if (fabs(t->f[i]) < dtype_smallest(t->dtype))
			t->f[i] = 0;
}

struct tensor *tensor_widen_flushed(struct tensor *t, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e), *own = wide ? tensor_copy(wide, e) : NULL;

	tensor_unref(wide);
	if (own)
		tensor_flush(own);
	return own;
}

void tensor_wrap_ints(struct tensor *t)
{
	BUG_ON(!t->wide);
	if (dtype_wide(t->dtype) != WIDE_I64 || dtype_bits(t->dtype) == 64)
		return;
	for (size_t i = 0; i < t->count; i++)
		t->i[i] = dtype_wrap(t->dtype, t->i[i]);
}

static int same_strings(const struct tensor *a, const struct tensor *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!dtype_bytes_same(&a->s[i], &b->s[i]))
			return 0;
	return 1;
}

int tensor_same_bits(const struct tensor *a, const struct tensor *b)
{
	size_t bytes = a->wide ? a->count * dtype_wide_size(a->dtype) : dtype_packed_size(a->dtype, a->count);

	if (a->dtype != b->dtype || a->wide != b->wide || !tensor_same_shape(a, b))
		return 0;
	if (a->dtype == DT_STRING)
		return same_strings(a, b);
	return !bytes || !memcmp(a->data, b->data, bytes);
}

double tensor_get_any(const struct tensor *t, size_t i)
{
	enum wide w = dtype_wide(t->dtype);
	int64_t n;
	double f[2];

	BUG_ON(i >= t->count);
	if (w == WIDE_STR)
		return NAN;
	if (w != WIDE_I64) {
		if (!t->wide)
			dtype_unpack(t->dtype, t->data, i, 1, f);
		else
			f[0] = t->f[w == WIDE_C64 ? 2 * i : i];
		return f[0];
	}
	if (t->wide)
		n = t->i[i];
	else
		dtype_unpack(t->dtype, t->data, i, 1, &n);
	return t->dtype == DT_UINT64 ? (double)(uint64_t)n : (double)n;
}
