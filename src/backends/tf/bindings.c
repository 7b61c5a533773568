/* bindings.c - TensorFlow as the driver of bindings sees it: its values as handles, and the families of bindings. */
#include <string.h>

#include "backends/tf/tf.h"
#include "base/mem.h"

static const struct binding *const families[] = {
	tf_rows_elementwise, tf_rows_activation, tf_rows_conv,      tf_rows_pool, tf_rows_norm,
	tf_rows_linear,      tf_rows_shape,      tf_rows_index,     tf_rows_pad,  tf_rows_reduce,
	tf_rows_recurrent,   tf_rows_resize,     tf_rows_optimizer, NULL};

/* Runs a binding, then releases what it made and did not keep. */
static int call(struct bind_call *c)
{
	struct tf *t = c->ctx;
	int rc;

	err_clear(c->err);
	t->in_call = 1;
	rc = c->row->run(c);
	t->in_call = 0;
	while (t->temps.n)
		tf_value_release(t, t->temps.at[--t->temps.n]);
	return rc;
}

static void *from_tensor(void *ctx, const struct tensor *packed, struct err *e)
{
	return tf_value_from_tensor(ctx, packed, e);
}

static int to_tensor(void *ctx, void *handle, struct tensor **packed, struct err *e)
{
	return tf_value_to_tensor(ctx, handle, packed, e);
}

static void *retain(void *ctx, void *handle)
{
	struct tf_value *v = handle;

	(void)ctx;
	v->refs++;
	return v;
}

static void release(void *ctx, void *handle)
{
	tf_value_release(ctx, handle);
}

static int shape(void *ctx, void *handle, enum dtype *t, int *rank, int64_t *dims, struct err *e)
{
	const struct tf_value *v = handle;

	(void)ctx;
	(void)e;
	*t = v->dtype;
	*rank = v->rank;
	if (v->rank > 0)
		memcpy(dims, v->dims, (size_t)v->rank * sizeof *dims);
	return 0;
}

static struct record *record_of(void *ctx)
{
	return tf_record(ctx);
}

const struct bind_library tf_library = {
	.families = families,
	.call = call,
	.from_tensor = from_tensor,
	.to_tensor = to_tensor,
	.retain = retain,
	.release = release,
	.shape = shape,
	.record = record_of,
};
