/* library.c - opening libmxnet.so, NDArrays, and calls of operations by name. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/bind/record.h"
#include "backends/mxnet/mxnet.h"
#include "base/mem.h"
#include "worker/backend.h"

/* ---- element types ----------------------------------------------------------------------------------------------- */

/* By MXNet's type flag.  Flags above bool (1.9.1 names some) have no kernels on the processor. */
static const struct {
	enum dtype dtype;
	const char *name;
} mx_dtypes[] = {{DT_FLOAT, "float32"}, {DT_DOUBLE, "float64"}, {DT_FLOAT16, "float16"}, {DT_UINT8, "uint8"},
		 {DT_INT32, "int32"},   {DT_INT8, "int8"},      {DT_INT64, "int64"},     {DT_BOOL, "bool"}};

#define N_DTYPES ((int)(sizeof mx_dtypes / sizeof *mx_dtypes))

static int dtype_flag(enum dtype t)
{
	for (int i = 0; i < N_DTYPES; i++)
		if (mx_dtypes[i].dtype == t)
			return i;
	return -1;
}

const char *mx_dtype_name(enum dtype t)
{
	int flag = dtype_flag(t);

	return flag < 0 ? NULL : mx_dtypes[flag].name;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The library's words, without the stack trace that follows them.  What says that there is no such kernel is not a
 * refusal of the input. */
int mx_fail(struct mx *mx, const char *doing, struct err *e)
{
	static const char *const absent[] = {"not supported", "Not supported",      "not implemented",
					     "Unsupported",   "unsupported",        "Unknown type enum",
					     "not support",   "Too many reduction", "is supported"};
	const char *said = mx->api.MXGetLastError(), *end = strstr(said, "\nStack trace");
	int n = end ? (int)(end - said) : (int)strlen(said), code = ERR_INPUT;

	while (n && said[n - 1] == '\n')
		n--;
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		if (strstr(said, absent[i]))
			code = ERR_UNSUPPORTED;
	if (strstr(said, "Failed to allocate") || strstr(said, "bad_alloc"))
		code = ERR_MEMORY;
	return err_set(e, code, "mxnet cannot %s: %.*s", doing, n, said);
}

static int find_functions(struct mx *mx, const char *path, struct err *e)
{
	void *symbol;

#define F(result, name, arguments)                                                       \
	symbol = dlsym(mx->library, #name);                                              \
	if (!symbol)                                                                     \
		return err_set(e, ERR_UNSUPPORTED, "'%s' has no function " #name, path); \
	memcpy(&mx->api.name, &symbol, sizeof symbol);
	MX_FUNCTIONS(F)
#undef F
	return 0;
}

static int start(struct mx *mx, struct err *e)
{
	int version = 0, before;
	void **creators;
	uint32_t n;

	if (mx->api.MXGetVersion(&version))
		return mx_fail(mx, "tell its version", e);
	/* Operations of an older kind (InstanceNorm, Pad) are registered when the list is asked for, not before. */
	if (mx->api.MXSymbolListAtomicSymbolCreators(&n, &creators))
		return mx_fail(mx, "list its operations", e);
	snprintf(mx->version, sizeof mx->version, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
	/* Shapes as numpy has them: scalars and empty arrays exist. */
	if (mx->api.MXSetIsNumpyShape(1, &before))
		return mx_fail(mx, "use numpy's shapes", e);
	if (mx->api.MXRandomSeed(0))
		return mx_fail(mx, "set its seed", e);
	return 0;
}

int mx_open(const char *folder, int threads, struct mx **out, struct err *e)
{
	struct mx *mx = mem_zalloc(sizeof *mx);
	char path[4096], text[16];
	int rc = 0;

	if (!mx)
		return err_nomem(e, "mxnet", sizeof *mx);
	snprintf(text, sizeof text, "%d", threads);
	/* Read by the library when it is opened. */
	setenv("OMP_NUM_THREADS", text, 1);
	setenv("MXNET_ENGINE_TYPE", "NaiveEngine", 1);
	rc = backend_find_library(folder, "libmxnet.so", path, sizeof path, e);
	mx->library = rc ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!rc && !mx->library)
		rc = backend_cannot_open(path, e);
	if (!rc)
		rc = find_functions(mx, path, e);
	if (!rc)
		rc = start(mx, e);
	if (rc) {
		mx_close(mx);
		return rc;
	}
	*out = mx;
	return 0;
}

void mx_close(struct mx *mx)
{
	if (!mx)
		return;
	map_release(&mx->creators);
	vec_release(&mx->temporary);
	vec_release(&mx->seen);
	vec_release(&mx->variables);
	vec_release(&mx->symbols);
	record_close(mx->record);
	mem_free(mx); /* the library stays loaded: its threads may still run */
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

void *mx_from_tensor(void *ctx, const struct tensor *packed, struct err *e)
{
	struct mx *mx = ctx;
	int flag = dtype_flag(packed->dtype);
	void *array = NULL;

	if (flag < 0) {
		err_set(e, ERR_UNSUPPORTED, "mxnet has no element type %s", dtype_name(packed->dtype));
		return NULL;
	}
	if (mx->api.MXNDArrayCreateEx64(packed->dims, packed->rank, MX_DEVICE_CPU, 0, 0, flag, &array)) {
		mx_fail(mx, "make an array", e);
		return NULL;
	}
	if (packed->count && mx->api.MXNDArraySyncCopyFromCPU(array, packed->data, packed->count)) {
		mx_fail(mx, "take an array's elements", e);
		mx_release(mx, array);
		return NULL;
	}
	return array;
}

int mx_shape(void *ctx, void *array, enum dtype *t, int *rank, int64_t *dims, struct err *e)
{
	struct mx *mx = ctx;
	const int64_t *have = NULL;
	int n = -1, flag = -1;

	if (mx->api.MXNDArrayGetShapeEx64(array, &n, &have) || mx->api.MXNDArrayGetDType(array, &flag))
		return mx_fail(mx, "describe an array", e);
	if (n < 0 || n > TENSOR_MAX_RANK || flag < 0 || flag >= N_DTYPES)
		return err_set(e, ERR_UNSUPPORTED, "mxnet gave an array of rank %d and type %d", n, flag);
	*t = mx_dtypes[flag].dtype;
	*rank = n;
	for (int i = 0; i < n; i++)
		dims[i] = have[i];
	return 0;
}

int mx_to_tensor(void *ctx, void *array, struct tensor **packed, struct err *e)
{
	struct mx *mx = ctx;
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *t;
	enum dtype dt;
	int rank, rc = mx_shape(mx, array, &dt, &rank, dims, e);

	if (rc)
		return rc;
	t = tensor_new_packed(dt, rank, dims, e);
	if (!t)
		return e->code;
	if (t->count && mx->api.MXNDArraySyncCopyToCPU(array, t->data, t->count)) {
		tensor_unref(t);
		return mx_fail(mx, "compute", e);
	}
	*packed = t;
	return 0;
}

void *mx_retain(void *ctx, void *array)
{
	struct mx *mx = ctx;
	void *copy = NULL;

	if (mx->api.MXShallowCopyNDArray(array, &copy))
		return NULL;
	mx_trace_alias(mx, array, copy);
	record_alias(mx->record, copy, array);
	return copy;
}

void mx_release(void *ctx, void *array)
{
	mx_trace_forget(ctx, array);
	((struct mx *)ctx)->api.MXNDArrayFree(array);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Operations that other versions of the library have under another name. */
static const struct {
	const char *name, *other;
} other_names[] = {{"_npi_broadcast_to", "_np_broadcast_to"}};

static void *find_creator(struct mx *mx, const char *name, struct err *e)
{
	void *op = map_get(&mx->creators, name);

	if (op)
		return op;
	mx->api.NNGetOpHandle(name, &op);
	for (size_t i = 0; !op && i < sizeof other_names / sizeof *other_names; i++)
		if (!strcmp(other_names[i].name, name))
			mx->api.NNGetOpHandle(other_names[i].other, &op);
	if (!op)
		err_set(e, ERR_UNSUPPORTED, "mxnet %s has no operation '%s'", mx->version, name);
	else if (map_put(&mx->creators, name, op))
		err_nomem(e, "an operation", 0);
	return op;
}

static void record_invocation(struct record *r, const struct mx_invocation *v)
{
	record_op(r, v->op);
	record_values(r, v->in, (size_t)v->n_in);
	for (size_t i = 0; i < v->n_params; i++) {
		record_key(r, v->keys[i]);
		record_string(r, v->values[i]);
	}
	record_run(r);
}

int mx_invoke(struct mx *mx, const struct mx_invocation *v, void **out, int most, int *n_out, struct err *e)
{
	void *creator = find_creator(mx, v->op, e), **made = NULL;
	char doing[128];
	int n = 0;

	if (!creator)
		return e->code;
	if (mx->record)
		record_invocation(mx->record, v);
	if (mx->api.MXImperativeInvokeEx(creator, v->n_in, (void **)v->in, &n, &made, (int)v->n_params, v->keys,
					 v->values, &(const int *){NULL})) {
		snprintf(doing, sizeof doing, "run '%s'", v->op);
		return mx_fail(mx, doing, e);
	}
	if (mx->tracing && mx_trace_op(mx, creator, v, made, n, e)) {
		for (int i = 0; i < n; i++)
			mx_release(mx, made[i]);
		return e->code;
	}
	if (n == 1 && !v->n_states)
		record_made(mx->record, made[0]);
	for (int i = 0; i < n && n + v->n_states > 1; i++)
		record_made_part(mx->record, made[i], (size_t)i);
	for (int i = 0; i < v->n_states; i++)
		record_made_part(mx->record, v->in[v->n_in - v->n_states + i], (size_t)(n + i));
	for (int i = 0; i < n; i++)
		if (i < most)
			out[i] = made[i];
		else
			mx_release(mx, made[i]);
	*n_out = n;
	return 0;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* A gradient is to be written over whatever is in its array, such as the gradient of the step before.  An array of
 * zeros would hide operations that add to it instead (apache/mxnet issue 19817). */
#define MX_STALE 7.703125 /* in every float type exactly */
#define MX_STALE_TEXT "7.703125"

static void *make_stale(struct mx *mx, void *like, struct err *e)
{
	const char *key = "scalar", *value = MX_STALE_TEXT;
	void *zeros = NULL, *stale = NULL;
	int n;

	if (mx_invoke(mx, &(struct mx_invocation){.op = "zeros_like", .n_in = 1, .in = &like}, &zeros, 1, &n, e))
		return NULL;
	mx_invoke(mx, &(struct mx_invocation){"_plus_scalar", 1, &zeros, 1, &key, &value, 0}, &stale, 1, &n, e);
	mx_release(mx, zeros);
	return stale;
}

int mx_mark(struct mx *mx, void *array, void **gradient, struct err *e)
{
	uint32_t request = MX_WRITE_GRADIENT;
	struct record *record = mx->record;
	void *stale;

	mx->record = NULL; /* it is no part of the graph */
	stale = make_stale(mx, array, e);
	mx->record = record;
	if (!stale)
		return e->code;
	if (mx->api.MXAutogradMarkVariables(1, &array, &request, &stale)) {
		mx_release(mx, stale);
		return mx_fail(mx, "mark a variable", e);
	}
	*gradient = stale;
	return 0;
}

/* Nothing was written to it. */
static int is_stale(const struct tensor *gradient)
{
	for (size_t i = 0; i < gradient->count; i++)
		if (tensor_get(gradient, i) != MX_STALE)
			return 0;
	return 1;
}

int mx_gradient(struct mx *mx, void *gradient, struct tensor **packed, struct err *e)
{
	struct tensor *got, *zeros;
	int rc = mx_to_tensor(mx, gradient, &got, e);

	if (rc)
		return rc;
	if (!is_stale(got)) {
		*packed = got;
		return 0;
	}
	zeros = tensor_zeros(got->dtype, got->rank, got->dims, e);
	*packed = zeros ? tensor_pack(zeros, e) : NULL;
	tensor_unref(zeros);
	tensor_unref(got);
	return *packed ? 0 : e->code;
}

/* Training is on with it: the recurrent operation keeps what its gradient needs in training only.  Nothing that is
 * bound computes anything else there: Dropout is bound as its inference, BatchNorm uses the given statistics. */
int mx_record(struct mx *mx, int on, struct err *e)
{
	int before;

	if (mx->api.MXAutogradSetIsRecording(on, &before) || mx->api.MXAutogradSetIsTraining(on, &before))
		return mx_fail(mx, "record", e);
	mx->recording = on;
	return 0;
}

int mx_backward(struct mx *mx, void **outputs, void **seeds, size_t n, struct err *e)
{
	void **gradients = NULL;
	int *storage = NULL;

	if (mx->api.MXAutogradBackwardEx((uint32_t)n, outputs, seeds, 0, NULL, 0, 0, 1, &gradients, &storage))
		return mx_fail(mx, "compute gradients", e);
	return 0;
}
