/* say.c - what bindings say often: inputs, constants, and the operations that move elements; see tf.h. */
#include <stdint.h>
#include <string.h>

#include "backends/bind/record.h"
#include "backends/tf/tf.h"

struct tf *tf_of(const struct bind_call *c)
{
	return c->ctx;
}

int tf_failed(const struct bind_call *c)
{
	return c->err->code != 0;
}

int tf_has(const struct bind_call *c, int i)
{
	return i >= 0 && i < c->n_in && c->in[i];
}

struct tf_value *tf_in(struct bind_call *c, int i)
{
	if (tf_has(c, i))
		return c->in[i];
	if (!tf_failed(c))
		err_set(c->err, ERR_INPUT, "input %d is missing", i);
	return NULL;
}

int tf_out(struct bind_call *c, int i, struct tf_value *v)
{
	if (tf_failed(c))
		return c->err->code;
	if (i < c->n_out) {
		v->refs++;
		c->out[i] = v;
	}
	return 0;
}

/* ---- known values ------------------------------------------------------------------------------------------------ */

/* A graph that was built with the value of a graph input in mind holds for that value alone. */
static void mark_read(struct bind_call *c, int i)
{
	const struct tf_value *v = tf_has(c, i) ? c->in[i] : NULL;

	if (v && v->is_input)
		tf_of(c)->read_input = 1;
}

const struct tensor *tf_known(struct bind_call *c, int i)
{
	if (tf_failed(c))
		return NULL;
	mark_read(c, i);
	return bind_known(c, i);
}

int tf_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, size_t *n, int *found)
{
	*found = 0;
	*n = 0;
	*list = NULL;
	if (tf_failed(c))
		return c->err->code;
	mark_read(c, input);
	return bind_ints(c, attr, input, list, n, found);
}

int tf_axis(struct bind_call *c, int64_t axis, int rank, int *out)
{
	if (tf_failed(c))
		return c->err->code;
	if (rank < 0)
		return bind_unsupported(c, "the rank of an input is not known while the graph is built");
	if (axis < -rank || axis >= rank)
		return err_set(c->err, ERR_INPUT, "axis %lld does not fit rank %d", (long long)axis, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return 0;
}

int tf_static(struct bind_call *c, const struct tf_value *v)
{
	if (tf_failed(c))
		return c->err->code;
	if (v->rank < 0)
		return bind_unsupported(c, "the rank of an input is not known while the graph is built");
	for (int i = 0; i < v->rank; i++)
		if (v->dims[i] < 0)
			return bind_unsupported(c, "the shape of an input is not known while the graph is built");
	return 0;
}

/* ---- operations without attributes ------------------------------------------------------------------------------- */

struct tf_value *tf_1(struct bind_call *c, const char *op, struct tf_value *x)
{
	struct tf_op o = tf_op(c, op);

	tf_op_in(&o, x);
	return tf_op_run(&o);
}

struct tf_value *tf_2(struct bind_call *c, const char *op, struct tf_value *a, struct tf_value *b)
{
	struct tf_op o = tf_op(c, op);

	tf_op_in(&o, a);
	tf_op_in(&o, b);
	return tf_op_run(&o);
}

struct tf_value *tf_3(struct bind_call *c, const char *op, struct tf_value *a, struct tf_value *b, struct tf_value *d)
{
	struct tf_op o = tf_op(c, op);

	tf_op_in(&o, a);
	tf_op_in(&o, b);
	tf_op_in(&o, d);
	return tf_op_run(&o);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

struct tf_value *tf_constant(struct bind_call *c, struct tensor *take)
{
	struct tensor *packed = take && !tf_failed(c) ? tensor_pack(take, c->err) : NULL;
	struct tf_value *v = packed ? tf_value_from_tensor(tf_of(c), packed, c->err) : NULL;

	record_source(tf_record(tf_of(c)), v, NULL, 0, packed);
	tensor_unref(packed);
	tensor_unref(take);
	return v;
}

struct tf_value *tf_fill(struct bind_call *c, enum dtype t, int rank, const int64_t *dims, double x)
{
	struct tensor *w = tf_failed(c) ? NULL : tensor_new(t, rank, dims, c->err);

	for (size_t i = 0; w && i < w->count; i++) {
		if (dtype_wide(t) == WIDE_F64)
			w->f[i] = x;
		else
			w->i[i] = (int64_t)x;
	}
	return tf_constant(c, w);
}

struct tf_value *tf_scalar(struct bind_call *c, enum dtype t, double x)
{
	return tf_fill(c, t, 0, NULL, x);
}

struct tf_value *tf_list(struct bind_call *c, const int64_t *x, int n)
{
	int64_t dims[1] = {n};
	struct tensor *w = tf_failed(c) ? NULL : tensor_new(DT_INT32, 1, dims, c->err);

	for (int i = 0; w && i < n; i++) {
		if (x[i] > INT32_MAX || x[i] < INT32_MIN)
			bind_unsupported(c, "%lld does not fit 32 bits", (long long)x[i]);
		w->i[i] = x[i];
	}
	return tf_constant(c, w);
}

/* ---- moving elements --------------------------------------------------------------------------------------------- */

struct tf_value *tf_reshape(struct bind_call *c, struct tf_value *x, int rank, const int64_t *dims)
{
	return tf_2(c, "Reshape", x, tf_list(c, dims, rank));
}

struct tf_value *tf_transpose(struct bind_call *c, struct tf_value *x, const int *perm)
{
	int64_t p[TENSOR_MAX_RANK];

	if (tf_failed(c))
		return NULL;
	for (int i = 0; i < x->rank; i++)
		p[i] = perm[i];
	return tf_2(c, "Transpose", x, tf_list(c, p, x->rank));
}

struct tf_value *tf_cast(struct bind_call *c, struct tf_value *x, enum dtype t)
{
	struct tf_op o;

	if (tf_failed(c) || x->dtype == t)
		return x;
	o = tf_op(c, "Cast");
	tf_op_in(&o, x);
	tf_op_type(&o, "DstT", t);
	return tf_op_run(&o);
}

struct tf_value *tf_slice(struct bind_call *c, struct tf_value *x, const int64_t *begin, const int64_t *size)
{
	if (tf_failed(c))
		return NULL;
	return tf_3(c, "Slice", x, tf_list(c, begin, x->rank), tf_list(c, size, x->rank));
}

struct tf_value *tf_concat(struct bind_call *c, struct tf_value *const *v, int n, int axis)
{
	struct tf_op o;

	if (tf_failed(c) || n == 1)
		return v[0];
	o = tf_op(c, "ConcatV2");
	tf_op_in_list(&o, v, n);
	tf_op_in(&o, tf_scalar(c, DT_INT32, axis));
	return tf_op_run(&o);
}

struct tf_value *tf_pad(struct bind_call *c, struct tf_value *x, const int64_t *before, const int64_t *after,
			double value)
{
	int64_t pairs[2 * TENSOR_MAX_RANK], dims[2];
	int any = 0;

	if (tf_failed(c))
		return NULL;
	for (int i = 0; i < x->rank; i++) {
		pairs[2 * i] = before[i];
		pairs[2 * i + 1] = after[i];
		any |= before[i] || after[i];
	}
	if (!any)
		return x;
	dims[0] = x->rank;
	dims[1] = 2;
	return tf_3(c, "PadV2", x, tf_reshape(c, tf_list(c, pairs, 2 * x->rank), 2, dims),
		    tf_scalar(c, x->dtype, value));
}

struct tf_value *tf_reduce(struct bind_call *c, const char *op, struct tf_value *x, const int64_t *axes, int n,
			   int keep)
{
	struct tf_op o = tf_op(c, op);

	tf_op_in(&o, x);
	tf_op_in(&o, tf_list(c, axes, n));
	tf_op_bool(&o, "keep_dims", keep);
	return tf_op_run(&o);
}

struct tf_value *tf_to_last(struct bind_call *c, struct tf_value *x)
{
	int perm[TENSOR_MAX_RANK];

	if (tf_failed(c) || x->rank < 3)
		return x;
	perm[0] = 0;
	for (int i = 2; i < x->rank; i++)
		perm[i - 1] = i;
	perm[x->rank - 1] = 1;
	return tf_transpose(c, x, perm);
}

struct tf_value *tf_to_first(struct bind_call *c, struct tf_value *x)
{
	int perm[TENSOR_MAX_RANK];

	if (tf_failed(c) || x->rank < 3)
		return x;
	perm[0] = 0;
	perm[1] = x->rank - 1;
	for (int i = 2; i < x->rank; i++)
		perm[i] = i - 1;
	return tf_transpose(c, x, perm);
}
