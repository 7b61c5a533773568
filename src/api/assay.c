/* assay.c - the public interface (include/assay.h) over the layers below: tensors and models.
 *
 * Thin on purpose: public types are the inner ones under another name, never looked into by callers.  Only errors are
 * copied, since their struct is public.  What callers give is checked here, so that the layers below need not. */
#include "assay.h"

#include <math.h>
#include <string.h>

#include "api/guest.h"
#include "base/place.h"
#include "model/model.h"
#include "tensor/io.h"

_Static_assert((int)ASSAY_ERR_INPUT == (int)ERR_INPUT, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_USAGE == (int)ERR_USAGE, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_UNSUPPORTED == (int)ERR_UNSUPPORTED, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_LIMIT == (int)ERR_LIMIT, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_IO == (int)ERR_IO, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_MEMORY == (int)ERR_MEMORY, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_INTERNAL == (int)ERR_INTERNAL, "public statuses are the inner ones");
_Static_assert((int)ASSAY_BFLOAT16 == (int)DT_BFLOAT16 && (int)ASSAY_DOUBLE == (int)DT_DOUBLE, "dtypes are ONNX's");
_Static_assert(ASSAY_MAX_RANK == TENSOR_MAX_RANK, "ranks are the inner ones");

static struct tensor *inner(const struct assay_tensor *t)
{
	return (struct tensor *)(uintptr_t)t;
}

static struct model *inner_model(const struct assay_model *m)
{
	return (struct model *)(uintptr_t)m;
}

/* ---- version and errors ------------------------------------------------------------------------------------------ */

const char *assay_version(void)
{
	return ASSAY_VERSION;
}

const char *assay_status_text(int status)
{
	return err_text(status);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* The bytes are those of the tensor, and are there. */
static int fill(struct tensor *t, const void *data, size_t bytes, struct err *e)
{
	size_t wanted = dtype_packed_size(t->dtype, t->count);

	if (wanted != bytes)
		return err_set(e, ERR_USAGE, "%zu bytes were given, the tensor has %zu", bytes, wanted);
	if (bytes && !data)
		return err_set(e, ERR_USAGE, "no data are given, the tensor has %zu bytes", bytes);
	if (bytes)
		memcpy(t->data, data, bytes);
	return 0;
}

int assay_tensor_new(int dtype, int rank, const int64_t *dims, const void *data, size_t bytes,
		     struct assay_tensor **out, struct assay_error *e)
{
	enum dtype t = dtype_from_code(dtype);
	struct err inner_error = ERR_INIT;
	struct tensor *made;
	int rc;

	if (!t || t == DT_STRING)
		return guest_refuse(e, "%d is not the code of a type with bytes", dtype);
	if (rank < 0 || rank > TENSOR_MAX_RANK)
		return guest_refuse(e, "rank %d is not between 0 and %d", rank, TENSOR_MAX_RANK);
	if (!out || (rank && !dims))
		return guest_refuse(e, "a tensor needs dimensions and a place to be put");
	made = tensor_new_packed(t, rank, dims, &inner_error);
	rc = made ? fill(made, data, bytes, &inner_error) : inner_error.code;
	if (rc)
		tensor_unref(made);
	else
		*out = (struct assay_tensor *)made;
	return guest_report(rc, &inner_error, e);
}

static int load_tensor(const char *path, struct tensor **out, struct err *e)
{
	struct value *v;
	int rc;

	if (place_has_suffix(path, ".npy"))
		return npy_load(path, out, e);
	if (!place_has_suffix(path, ".pb"))
		return err_set(e, ERR_USAGE, "'%s' is neither .npy nor .pb", path);
	rc = pb_load_value(path, VALUE_TENSOR, &v, NULL, e);
	if (!rc) {
		*out = tensor_ref(v->tensor);
		value_unref(v);
	}
	return rc;
}

int assay_tensor_load(const char *path, struct assay_tensor **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct tensor *t = NULL;
	struct guest g;
	int rc;

	if (!path || !out)
		return guest_refuse(e, "a tensor needs a path and a place to be put");
	guest_enter(&g);
	if (setjmp(g.door.at))
		rc = door_fault(&g.door, &inner_error);
	else
		rc = load_tensor(path, &t, &inner_error);
	guest_leave(&g);
	if (!rc)
		*out = (struct assay_tensor *)t;
	return guest_report(rc, &inner_error, e);
}

int assay_tensor_save(const struct assay_tensor *t, const char *path, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct guest g;
	int rc;

	if (!t || !path)
		return guest_refuse(e, "a tensor and a path are needed");
	guest_enter(&g);
	if (setjmp(g.door.at))
		rc = door_fault(&g.door, &inner_error);
	else if (place_has_suffix(path, ".npy"))
		rc = npy_save(inner(t), path, &inner_error);
	else if (place_has_suffix(path, ".pb"))
		rc = pb_save_tensor(inner(t), "", path, &inner_error);
	else
		rc = err_set(&inner_error, ERR_USAGE, "'%s' is neither .npy nor .pb", path);
	guest_leave(&g);
	return guest_report(rc, &inner_error, e);
}

void assay_tensor_free(struct assay_tensor *t)
{
	tensor_unref(inner(t));
}

int assay_tensor_dtype(const struct assay_tensor *t)
{
	return t ? (int)inner(t)->dtype : 0;
}

const char *assay_tensor_dtype_name(const struct assay_tensor *t)
{
	return t ? dtype_name(inner(t)->dtype) : NULL;
}

int assay_tensor_rank(const struct assay_tensor *t)
{
	return t ? inner(t)->rank : 0;
}

const int64_t *assay_tensor_dims(const struct assay_tensor *t)
{
	return t ? inner(t)->dims : NULL;
}

size_t assay_tensor_count(const struct assay_tensor *t)
{
	return t ? inner(t)->count : 0;
}

double assay_tensor_get(const struct assay_tensor *t, size_t i)
{
	return t && i < inner(t)->count ? tensor_get(inner(t), i) : NAN;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

int assay_model_load(const char *path, struct assay_model **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct model *m;
	struct guest g;
	int rc;

	if (!path || !out)
		return guest_refuse(e, "a model needs a path and a place to be put");
	guest_enter(&g);
	if (setjmp(g.door.at))
		rc = door_fault(&g.door, &inner_error);
	else
		rc = model_load(path, &m, &inner_error);
	guest_leave(&g);
	if (!rc)
		*out = (struct assay_model *)m;
	return guest_report(rc, &inner_error, e);
}

int assay_model_parse(const void *data, size_t bytes, const char *path, struct assay_model **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct model *m;
	struct guest g;
	int rc;

	if ((bytes && !data) || !path || !out)
		return guest_refuse(e, "a model needs data, a path (or \"\") and a place to be put");
	guest_enter(&g);
	if (setjmp(g.door.at))
		rc = door_fault(&g.door, &inner_error);
	else
		rc = model_parse(bytes ? data : "", bytes, path, &m, &inner_error);
	guest_leave(&g);
	if (!rc)
		*out = (struct assay_model *)m;
	return guest_report(rc, &inner_error, e);
}

void assay_model_free(struct assay_model *m)
{
	model_free(inner_model(m));
}

size_t assay_model_input_count(const struct assay_model *m)
{
	return m ? inner_model(m)->graph->inputs.n : 0;
}

const char *assay_model_input_name(const struct assay_model *m, size_t i)
{
	return i < assay_model_input_count(m) ? inner_model(m)->graph->inputs.at[i]->name : NULL;
}

int assay_model_input_has_default(const struct assay_model *m, size_t i)
{
	return i < assay_model_input_count(m) && inner_model(m)->graph->inputs.at[i]->init != NULL;
}

size_t assay_model_output_count(const struct assay_model *m)
{
	return m ? inner_model(m)->graph->outputs.n : 0;
}

const char *assay_model_output_name(const struct assay_model *m, size_t i)
{
	return i < assay_model_output_count(m) ? inner_model(m)->graph->outputs.at[i]->name : NULL;
}
