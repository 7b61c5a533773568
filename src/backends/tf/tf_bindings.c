/* tf_bindings.c - the table of bindings, and what the driver needs of TensorFlow; rows are in bindings.def. */
#include <string.h>

#include "backends/tf/tf_families.h"
#include "base/mem.h"

/* Runs a binding function, then releases what it made and did not keep. */
static int call(struct bind_call *c, int (*function)(struct bind_call *c))
{
	struct tf *t = tf_of(c);
	int rc;

	err_clear(c->err);
	t->in_call = 1;
	rc = function(c);
	t->in_call = 0;
	while (t->temps.n)
		tf_value_release(t, t->temps.at[--t->temps.n]);
	return rc;
}

#define ROW(op, function)                        \
	static int run_##op(struct bind_call *c) \
	{                                        \
		return call(c, function);        \
	}
#include "backends/tf/bindings.def"
#undef ROW

static const struct binding table[] = {
#define ROW(op, function) {"", #op, run_##op},
#include "backends/tf/bindings.def"
#undef ROW
	{NULL, NULL, NULL},
};

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
	.table = table,
	.from_tensor = from_tensor,
	.to_tensor = to_tensor,
	.retain = retain,
	.release = release,
	.shape = shape,
	.record = record_of,
};
