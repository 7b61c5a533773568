/* bindings.c - MXNet as the driver of bindings sees it: its arrays as handles, and the families of bindings. */
#include "backends/mxnet/mxnet.h"

static const struct binding *const families[] = {mx_rows_unary,   mx_rows_binary,    mx_rows_shape,     mx_rows_window,
						 mx_rows_product, mx_rows_norm,      mx_rows_reduce,    mx_rows_index,
						 mx_rows_make,    mx_rows_recurrent, mx_rows_optimizer, NULL};

/* Runs a binding, then frees what it has made and not given. */
static int call(struct bind_call *c)
{
	struct mx *mx = c->ctx;
	int rc = c->row->run(c);

	for (size_t i = 0; i < mx->temporary.n; i++)
		mx_release(mx, mx->temporary.at[i]);
	mx->temporary.n = 0;
	return rc;
}

static struct record *record_of(void *ctx)
{
	return ((const struct mx *)ctx)->record;
}

const struct bind_library mx_library = {
	.families = families,
	.call = call,
	.from_tensor = mx_from_tensor,
	.to_tensor = mx_to_tensor,
	.retain = mx_retain,
	.release = mx_release,
	.shape = mx_shape,
	.record = record_of,
};
