/* bindings.c - PyTorch as the driver of bindings sees it: its tensors as handles, and the families of bindings. */
#include <stddef.h>

#include "backends/bind/record.h"
#include "backends/torch/th.h"

static const struct binding *const families[] = {
	th_rows_activation, th_rows_conv,      th_rows_elementwise, th_rows_gather,   th_rows_linear,
	th_rows_norm,       th_rows_optimizer, th_rows_patches,     th_rows_pool,     th_rows_recurrent,
	th_rows_reduce,     th_rows_resize,    th_rows_shape,       th_rows_spectral, NULL};

/* Runs a binding, then releases what it has made: what it gave as outputs has a reference of its own. */
static int call(struct bind_call *c)
{
	struct th *th = c->ctx;
	int rc = c->row->run(c);

	for (size_t i = 0; i < th->handles.n; i++)
		th->api.assay_torch_release(th->handles.at[i]);
	th->handles.n = 0;
	return rc;
}

static void *from_tensor(void *ctx, const struct tensor *packed, struct err *e)
{
	const struct th *th = ctx;
	void *t;

	if (packed->dtype == DT_STRING) {
		err_set(e, ERR_UNSUPPORTED, "torch has no tensors of strings");
		return NULL;
	}
	t = th->api.assay_torch_tensor((int)packed->dtype, packed->rank, packed->dims, packed->data,
				       dtype_packed_size(packed->dtype, packed->count));
	if (!t)
		th_failed(th, "take a tensor", e);
	return t;
}

static int shape(void *ctx, void *handle, enum dtype *t, int *rank, int64_t *dims, struct err *e)
{
	const struct th *th = ctx;
	int code = 0;

	if (th->api.assay_torch_shape(handle, &code, rank, dims))
		return th_failed(th, "describe a tensor", e);
	*t = dtype_from_code(code);
	return 0;
}

static int to_tensor(void *ctx, void *handle, struct tensor **packed, struct err *e)
{
	const struct th *th = ctx;
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *t;
	enum dtype type = DT_UNDEFINED;
	int rank = 0, rc = shape(ctx, handle, &type, &rank, dims, e);

	if (rc)
		return rc;
	t = tensor_new_packed(type, rank, dims, e);
	if (!t)
		return e->code;
	if (th->api.assay_torch_read(handle, t->data, dtype_packed_size(type, t->count))) {
		tensor_unref(t);
		return th_failed(th, "give a tensor", e);
	}
	*packed = t;
	return 0;
}

static void *retain(void *ctx, void *handle)
{
	const struct th *th = ctx;
	void *copy = th->api.assay_torch_retain(handle);

	record_alias(th->record, copy, handle);
	return copy;
}

static void release(void *ctx, void *handle)
{
	((const struct th *)ctx)->api.assay_torch_release(handle);
}

static struct record *record_of(void *ctx)
{
	return ((const struct th *)ctx)->record;
}

const struct bind_library th_library = {
	.families = families,
	.call = call,
	.from_tensor = from_tensor,
	.to_tensor = to_tensor,
	.shape = shape,
	.retain = retain,
	.release = release,
	.record = record_of,
};
