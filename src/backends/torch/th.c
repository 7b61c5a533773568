/* th.c - see th.h. */
#include "backends/torch/th.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/bind/record.h"
#include "base/mem.h"

#define MAX_ARGS 32

int th_failed(const struct th *th, const char *doing, struct err *e)
{
	int kind = th->api.assay_torch_failure();
	int code = kind == TORCH_UNSUPPORTED ? ERR_UNSUPPORTED : kind == TORCH_NO_MEMORY ? ERR_MEMORY : ERR_INPUT;

	return err_set(e, code, "torch cannot %s: %s", doing, th->api.assay_torch_error());
}

/* Makes the call the owner of a handle; NULL when it cannot be. */
static void *own(struct bind_call *c, void *handle)
{
	struct th *th = c->ctx;

	if (handle && vec_push(&th->handles, handle)) {
		th->api.assay_torch_release(handle);
		err_nomem(c->err, "a handle", sizeof handle);
		return NULL;
	}
	return handle;
}

static int read_arguments(struct bind_call *c, const char *format, va_list ap, struct torch_arg *args)
{
	int n = 0;

	for (; format[n]; n++) {
		struct torch_arg *a = &args[n];

		BUG_ON(n >= MAX_ARGS);
		memset(a, 0, sizeof *a);
		switch (format[n]) {
		case 't':
			a->kind = TORCH_TENSOR;
			a->tensor = va_arg(ap, void *);
			break;
		case 'i':
		case 'b':
		case 'd':
			a->kind = format[n] == 'i' ? TORCH_INT : format[n] == 'b' ? TORCH_BOOL : TORCH_DTYPE;
			a->i = va_arg(ap, int);
			break;
		case 'l':
			a->kind = TORCH_INT;
			a->i = va_arg(ap, int64_t);
			break;
		case 'f':
			a->kind = TORCH_FLOAT;
			a->f = va_arg(ap, double);
			break;
		case 's':
			a->kind = TORCH_STRING;
			a->s = va_arg(ap, const char *);
			break;
		case 'I':
			a->kind = TORCH_INTS;
			a->ints = va_arg(ap, const int64_t *);
			a->n = (size_t)va_arg(ap, int);
			break;
		case 'T':
			a->kind = TORCH_TENSORS;
			a->tensors = va_arg(ap, void *const *);
			a->n = (size_t)va_arg(ap, int);
			break;
		case 'n':
			a->kind = TORCH_NONE;
			break;
		case '-':
			a->kind = TORCH_DEFAULT;
			break;
		default:
			return err_set(c->err, ERR_INTERNAL, "argument letter '%c'", format[n]);
		}
	}
	return n;
}

static void record_argument(struct record *r, const struct torch_arg *a)
{
	switch (a->kind) {
	case TORCH_DEFAULT:
		record_word(r, "DEFAULT");
		break;
	case TORCH_TENSOR:
		record_value(r, a->tensor);
		break;
	case TORCH_INT:
		record_word(r, "%lld", (long long)a->i);
		break;
	case TORCH_FLOAT:
		record_float(r, a->f);
		break;
	case TORCH_BOOL:
		record_word(r, a->i ? "True" : "False");
		break;
	case TORCH_STRING:
		record_string(r, a->s);
		break;
	case TORCH_DTYPE:
		record_word(r, "dtype(\"%s\")", dtype_name((enum dtype)a->i));
		break;
	case TORCH_INTS:
		record_ints(r, a->ints, a->n);
		break;
	case TORCH_TENSORS:
		record_values(r, a->tensors, a->n);
		break;
	default:
		record_word(r, "None");
	}
}

static void record_arguments(struct record *r, const char *op, const struct torch_arg *args, int n)
{
	record_op(r, op);
	for (int i = 0; i < n; i++)
		record_argument(r, &args[i]);
	record_run(r);
}

/* Results one after the other, those of a list too; at most n_out of them are wanted, fewer are an error. */
static int call(struct bind_call *c, const char *op, const struct torch_arg *args, int n, void **out, int n_out)
{
	struct th *th = c->ctx;
	struct torch_result *r = NULL;
	size_t n_results = 0, made = 0;
	int got = 0;

	if (th->record)
		record_arguments(th->record, op, args, n);
	if (th->api.assay_torch_call(op, args, (size_t)n, &r, &n_results))
		return th_failed(th, op, c->err);
	for (size_t i = 0; i < n_results; i++)
		for (size_t k = 0; k < r[i].n; k++) {
			void *t = own(c, r[i].tensors[k]);

			if (n_results == 1 && !r[i].is_list)
				record_made(th->record, t);
			else
				record_made_part(th->record, t, made++);
			if (got < n_out)
				out[got++] = t;
		}
	th->api.assay_torch_free_results(r, n_results);
	if (!c->err->code && got < n_out)
		err_set(c->err, ERR_INTERNAL, "%s gave %d results, not %d", op, got, n_out);
	return c->err->code;
}

void *th_op(struct bind_call *c, const char *op, const char *format, ...)
{
	struct torch_arg args[MAX_ARGS];
	void *out = NULL;
	va_list ap;
	int n;

	if (c->err->code)
		return NULL;
	va_start(ap, format);
	n = read_arguments(c, format, ap, args);
	va_end(ap);
	return n < 0 || call(c, op, args, n, &out, 1) ? NULL : out;
}

int th_ops(struct bind_call *c, const char *op, void **out, int n_out, const char *format, ...)
{
	struct torch_arg args[MAX_ARGS];
	va_list ap;
	int n;

	memset(out, 0, (size_t)n_out * sizeof *out);
	if (c->err->code)
		return c->err->code;
	va_start(ap, format);
	n = read_arguments(c, format, ap, args);
	va_end(ap);
	return n < 0 ? n : call(c, op, args, n, out, n_out);
}

void th_out(struct bind_call *c, int i, void *t)
{
	struct th *th = c->ctx;

	if (c->err->code || i >= c->n_out)
		return;
	c->out[i] = t ? th_library.retain(th, t) : NULL;
	if (!c->out[i])
		th_failed(th, "keep an output", c->err);
}

int th_done(struct bind_call *c)
{
	return c->err->code;
}

int th_give(struct bind_call *c, void *t)
{
	th_out(c, 0, t);
	return th_done(c);
}

int th_wants(const struct bind_call *c, int i)
{
	return i < c->n_out && i < c->node->n_out && c->node->out[i];
}

int th_shape(struct bind_call *c, void *t, struct th_shape *s)
{
	struct th *th = c->ctx;
	int code = 0;

	memset(s, 0, sizeof *s);
	if (c->err->code)
		return c->err->code;
	if (!t)
		return err_set(c->err, ERR_INPUT, "an input is missing");
	if (th->api.assay_torch_shape(t, &code, &s->rank, s->dims))
		return th_failed(th, "describe a tensor", c->err);
	s->dtype = dtype_from_code(code);
	return 0;
}

int th_axis(struct bind_call *c, int64_t axis, int rank, int *out)
{
	if (c->err->code)
		return c->err->code;
	if (axis < -rank || axis >= rank)
		return err_set(c->err, ERR_INPUT, "axis %lld of a tensor of rank %d", (long long)axis, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return 0;
}

void *th_in(const struct bind_call *c, int i)
{
	return i < c->n_in ? c->in[i] : NULL;
}

int th_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, int *n, int *found)
{
	size_t count = 0;

	*found = *n = 0;
	*list = NULL;
	if (c->err->code)
		return c->err->code;
	if (bind_ints(c, attr, input, list, &count, found))
		return c->err->code;
	if (count > INT32_MAX)
		return err_set(c->err, ERR_LIMIT, "a list of %zu integers", count);
	*n = (int)count;
	return 0;
}

int64_t th_int(struct bind_call *c, int input, int64_t otherwise)
{
	const int64_t *list;
	int n, found;

	if (th_ints(c, NULL, input, &list, &n, &found) || !found)
		return otherwise;
	if (n != 1)
		err_set(c->err, ERR_INPUT, "input %d has %d elements, wanted 1", input, n);
	return n == 1 ? list[0] : otherwise;
}

void *th_index(struct bind_call *c, const int64_t *list, int rank, const int64_t *dims)
{
	struct th *th = c->ctx;
	struct tensor *packed;
	size_t count = 0;
	void *t;

	if (c->err->code || tensor_shape_count(rank, dims, &count, c->err))
		return NULL;
	packed = tensor_new_packed(DT_INT64, rank, dims, c->err);
	if (packed && count)
		memcpy(packed->data, list, count * sizeof *list);
	t = packed ? th_library.from_tensor(th, packed, c->err) : NULL;
	record_source(th->record, t, NULL, 0, packed);
	tensor_unref(packed);
	return own(c, t);
}

void *th_number(struct bind_call *c, enum dtype t, double x)
{
	return th_op(c, "scalar_tensor", "fd", x, (int)t);
}

void *th_cast(struct bind_call *c, void *t, enum dtype to)
{
	return th_op(c, "to.dtype", "td", t, (int)to);
}

void *th_reshape(struct bind_call *c, void *t, const int64_t *dims, int rank)
{
	return th_op(c, "reshape", "tI", t, dims, rank);
}

void *th_pad(struct bind_call *c, void *t, const int64_t *before, const int64_t *after, int n, double x)
{
	int64_t pads[2 * TENSOR_MAX_RANK];

	if (th_is_zero(before, n) && th_is_zero(after, n))
		return t;
	for (int i = 0; i < n; i++) {
		pads[2 * i] = before[n - 1 - i];
		pads[2 * i + 1] = after[n - 1 - i];
	}
	return th_op(c, "constant_pad_nd", "tIf", t, pads, 2 * n, x);
}

void *th_slice(struct bind_call *c, void *t, int axis, int64_t start, int64_t end, int64_t step)
{
	return th_op(c, "slice.Tensor", "tilll", t, axis, start, end, step);
}

void *th_positive(struct bind_call *c, void *index, int64_t size)
{
	void *wide = th_cast(c, index, DT_INT64);

	return th_op(c, "where.self", "ttt", th_op(c, "lt.Scalar", "ti", wide, 0),
		     th_op(c, "add.Scalar", "tl", wide, size), wide);
}

void *th_like(struct bind_call *c, void *t, double x)
{
	return th_op(c, "full_like", "tf", t, x);
}

int th_spatial(struct bind_call *c, struct spatial *s, int n, const int64_t *in, const int64_t *kernel, int ceil_mode)
{
	struct call call = {.node = c->node, .op = c->node->op, .version = c->version, .err = c->err, .tmp = c->tmp};

	if (c->err->code)
		return c->err->code;
	if (n < 1 || n > TH_SPATIAL_MAX)
		return bind_unsupported(c, "%d spatial axes, torch knows 1 to %d", n, TH_SPATIAL_MAX);
	return spatial_init(&call, s, n, in, kernel, ceil_mode);
}

int th_is_zero(const int64_t *x, int n)
{
	for (int i = 0; i < n; i++)
		if (x[i])
			return 0;
	return 1;
}
