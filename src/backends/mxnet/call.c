/* call.c - what bindings are written with: operations on arrays that live as long as the call.  See mxnet.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"
#include "base/mem.h"

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* The call owns a from now on. */
static int own(struct bind_call *c, void *a)
{
	struct mx *mx = c->ctx;

	if (!vec_push(&mx->temporary, a))
		return 0;
	mx_release(mx, a);
	return err_nomem(c->err, "a result", 0);
}

int mx_give(struct bind_call *c, int i, void *a)
{
	struct mx *mx = c->ctx;

	if (!a)
		return c->err->code ? c->err->code : err_set(c->err, ERR_INTERNAL, "no result was made");
	for (size_t k = 0; k < mx->temporary.n; k++)
		if (mx->temporary.at[k] == a) {
			vec_remove(&mx->temporary, k);
			c->out[i] = a;
			return 0;
		}
	c->out[i] = mx_retain(mx, a); /* an input, or what was given before */
	return c->out[i] ? 0 : mx_fail(mx, "share an array", c->err);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Splits "key=value;key=value" in place. */
static size_t split_params(char *text, const char **keys, const char **values)
{
	size_t n = 0;

	while (*text && n < MX_MAX_PARAMS) {
		char *equal = strchr(text, '='), *end = strchr(text, ';');

		BUG_ON(!equal || (end && end < equal));
		*equal = '\0';
		keys[n] = text;
		values[n++] = equal + 1;
		if (!end)
			break;
		*end = '\0';
		text = end + 1;
	}
	return n;
}

/* After a call that failed no other is made: the refusal is the last thing that is written down. */
static int invoke_text(struct bind_call *c, struct mx_invocation v, void **out, int n, const char *params, va_list ap)
{
	const char *keys[MX_MAX_PARAMS], *values[MX_MAX_PARAMS];
	char text[2048];
	int made, rc;

	if (c->err->code)
		return c->err->code;
	for (int i = 0; i < v.n_in; i++)
		if (!v.in[i])
			return err_set(c->err, ERR_INTERNAL, "an input was not made");
	if (vsnprintf(text, sizeof text, params, ap) >= (int)sizeof text)
		return bind_unsupported(c, "the parameters of '%s' are too long", v.op);
	v.keys = keys;
	v.values = values;
	v.n_params = split_params(text, keys, values);
	rc = mx_invoke(c->ctx, &v, out, n, &made, c->err);
	if (rc)
		return rc;
	for (int i = 0; i < made && i < n; i++) {
		int failed = own(c, out[i]);

		rc = rc ? rc : failed;
	}
	if (!rc && made < n)
		rc = err_set(c->err, ERR_INTERNAL, "'%s' gave %d results, wanted %d", v.op, made, n);
	return rc;
}

void *mx_op(struct bind_call *c, const char *op, int n_in, void *const *in, const char *params, ...)
{
	void *out = NULL;
	va_list ap;
	int rc;

	va_start(ap, params);
	rc = invoke_text(c, (struct mx_invocation){.op = op, .n_in = n_in, .in = in}, &out, 1, params, ap);
	va_end(ap);
	return rc ? NULL : out;
}

int mx_ops(struct bind_call *c, const struct mx_invocation *v, void **out, int n, const char *params, ...)
{
	va_list ap;
	int rc;

	va_start(ap, params);
	rc = invoke_text(c, *v, out, n, params, ap);
	va_end(ap);
	return rc;
}

void *mx_op1(struct bind_call *c, const char *op, void *a)
{
	return mx_op(c, op, 1, &a, "%s", "");
}

void *mx_op2(struct bind_call *c, const char *op, void *a, void *b)
{
	return mx_op(c, op, 2, (void *[]){a, b}, "%s", "");
}

void *mx_scalar(struct bind_call *c, const char *op, void *a, double scalar)
{
	return mx_op(c, op, 1, &a, "scalar=%.17g", scalar);
}

/* ---- shapes and values ------------------------------------------------------------------------------------------- */

const char *mx_tuple(struct bind_call *c, const int64_t *x, size_t n)
{
	size_t size = n * 22 + 4, used = 1;
	char *text = arena_alloc(c->tmp, size);

	if (!text)
		return "()";
	text[0] = '(';
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, size - used, "%" PRId64 "%s", x[i],
					 n == 1 || i + 1 < n ? "," : "");
	snprintf(text + used, size - used, ")");
	return text;
}

const struct type *mx_out_type(struct bind_call *c, int i)
{
	if (i < c->n_out && type_is_static(&c->call->out_type[i]))
		return &c->call->out_type[i];
	bind_unsupported(c, "the shape of output %d is not known before it is computed", i);
	return NULL;
}

int mx_refuse_gradient(struct bind_call *c, int i)
{
	struct mx *mx = c->ctx;
	const struct wire *w = c->node->in[i];
	int wanted = w->producer && w->producer->n_in && dtype_is_float(c->call->in_type[i].dtype);

	for (size_t k = 0; k < mx->wanted.n && !wanted; k++)
		wanted = !strcmp(mx->wanted.at[k], w->name);
	return mx->recording && wanted ? bind_unsupported(c, "mxnet has no gradient of input %d", i) : 0;
}

int mx_number(struct bind_call *c, int i, double *out)
{
	const struct tensor *t;

	if (mx_refuse_gradient(c, i) || !(t = bind_known(c, i)))
		return c->err->code;
	if (t->count != 1)
		return err_set(c->err, ERR_INPUT, "input %d has %zu elements, wanted 1", i, t->count);
	*out = tensor_get(t, 0);
	return 0;
}

int mx_only(struct bind_call *c, uint32_t types)
{
	enum dtype t = c->call->in_type[0].dtype;

	return types & TM(t) ? 0 : bind_unsupported(c, "mxnet has it not for %s", dtype_name(t));
}

/* ---- moving data ------------------------------------------------------------------------------------------------- */

void *mx_cast(struct bind_call *c, void *a, enum dtype t)
{
	const char *name = mx_dtype_name(t);

	if (name)
		return mx_op(c, "Cast", 1, &a, "dtype=%s", name);
	bind_unsupported(c, "mxnet has no element type %s", dtype_name(t));
	return NULL;
}

void *mx_reshape(struct bind_call *c, void *a, int rank, const int64_t *dims)
{
	return mx_op(c, "_np_reshape", 1, &a, "newshape=%s", mx_tuple(c, dims, (size_t)rank));
}

void *mx_broadcast(struct bind_call *c, void *a, int rank, const int64_t *dims)
{
	int64_t have[TENSOR_MAX_RANK];
	enum dtype t;
	int n, same;

	if (!a || mx_shape(c->ctx, a, &t, &n, have, c->err))
		return NULL;
	same = n == rank;
	for (int i = 0; same && i < n; i++)
		same = have[i] == dims[i];
	return same ? a : mx_op(c, "_npi_broadcast_to", 1, &a, "shape=%s", mx_tuple(c, dims, (size_t)rank));
}

void *mx_transpose(struct bind_call *c, void *a, int rank, const int64_t *order)
{
	return rank < 2 ? a : mx_op(c, "transpose", 1, &a, "axes=%s", mx_tuple(c, order, (size_t)rank));
}

void *mx_concat(struct bind_call *c, int n, void *const *parts, int axis)
{
	return n == 1 ? parts[0] : mx_op(c, "Concat", n, parts, "num_args=%d;dim=%d", n, axis);
}

void *mx_full(struct bind_call *c, enum dtype t, int rank, const int64_t *dims, double value)
{
	const char *name = mx_dtype_name(t);

	if (t == DT_BOOL) /* 1.6.0 makes none */
		return mx_cast(c, mx_full(c, DT_INT32, rank, dims, value), t);
	if (name)
		return mx_op(c, "_full", 0, NULL, "shape=%s;dtype=%s;value=%.17g", mx_tuple(c, dims, (size_t)rank),
			     name, value);
	bind_unsupported(c, "mxnet has no element type %s", dtype_name(t));
	return NULL;
}

void *mx_slice(struct bind_call *c, void *a, int axis, int64_t begin, int64_t end)
{
	return mx_op(c, "slice_axis", 1, &a, "axis=%d;begin=%" PRId64 ";end=%" PRId64, axis, begin, end);
}

void *mx_reverse(struct bind_call *c, void *a, int axis)
{
	return mx_op(c, "reverse", 1, &a, "axis=(%d,)", axis);
}

void *mx_where(struct bind_call *c, void *condition, void *x, void *y)
{
	return mx_op(c, "where", 3, (void *[]){mx_cast(c, condition, DT_INT32), x, y}, "%s",
		     ""); /* it knows no bools */
}

void *mx_pad(struct bind_call *c, void *a, const struct type *t, const int64_t *begin, const int64_t *end, double value)
{
	int64_t now[TENSOR_MAX_RANK];

	memcpy(now, t->dims, (size_t)t->rank * sizeof *now);
	for (int i = 0; i < t->rank; i++) {
		int64_t from = begin[i] < 0 ? -begin[i] : 0, to = now[i] + (end[i] < 0 ? end[i] : 0);
		void *parts[3];
		int n = 0;

		if (to < from)
			to = from;
		if (from > 0 || to < now[i])
			a = mx_slice(c, a, i, from, to);
		now[i] = begin[i];
		if (begin[i] > 0)
			parts[n++] = mx_full(c, t->dtype, t->rank, now, value);
		parts[n++] = a;
		now[i] = end[i];
		if (end[i] > 0)
			parts[n++] = mx_full(c, t->dtype, t->rank, now, value);
		a = mx_concat(c, n, parts, i);
		now[i] = to - from + (begin[i] > 0 ? begin[i] : 0) + (end[i] > 0 ? end[i] : 0);
	}
	return a;
}
