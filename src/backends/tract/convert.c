/* convert.c - tensors between ONNX and tract; see internal.h.
 *
 * Elements lie in memory in the same way on both sides; tract has no type of less than eight bits and no bfloat16. */
#include <string.h>

#include "backends/tract/internal.h"

static const struct {
	enum dtype dtype;
	enum tract_type type;
	const char *name;
} types[] = {
	{DT_BOOL, TRACT_BOOL, "bool"},  {DT_UINT8, TRACT_U8, "u8"},    {DT_UINT16, TRACT_U16, "u16"},
	{DT_UINT32, TRACT_U32, "u32"},  {DT_UINT64, TRACT_U64, "u64"}, {DT_INT8, TRACT_I8, "i8"},
	{DT_INT16, TRACT_I16, "i16"},   {DT_INT32, TRACT_I32, "i32"},  {DT_INT64, TRACT_I64, "i64"},
	{DT_FLOAT16, TRACT_F16, "f16"}, {DT_FLOAT, TRACT_F32, "f32"},  {DT_DOUBLE, TRACT_F64, "f64"},
};

#define N_TYPES (sizeof types / sizeof *types)

const char *tract_type_name(enum dtype t)
{
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].dtype == t)
			return types[i].name;
	return NULL;
}

static int to_type(enum dtype t)
{
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].dtype == t)
			return (int)types[i].type;
	return 0;
}

static enum dtype from_type(int type)
{
	for (size_t i = 0; i < N_TYPES; i++)
		if ((int)types[i].type == type)
			return types[i].dtype;
	return DT_UNDEFINED;
}

int tract_from_tensor(const struct tract *t, const struct tensor *from, struct TractTensor **out, struct err *e)
{
	uintptr_t dims[TENSOR_MAX_RANK];
	int type = to_type(from->dtype);

	if (!type)
		return err_set(e, ERR_UNSUPPORTED, "tract takes no element type %s", dtype_name(from->dtype));
	for (int i = 0; i < from->rank; i++)
		dims[i] = (uintptr_t)from->dims[i];
	return tract_check(t, t->api.tract_tensor_from_bytes(type, (uintptr_t)from->rank, dims, from->data, out),
			   "take a tensor", e);
}

static int copy(const struct tract *t, struct TractTensor *from, struct tensor **out, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	const uintptr_t *shape = NULL;
	const void *data = NULL;
	uintptr_t rank = 0;
	int type = 0,
	    rc = tract_check(t, t->api.tract_tensor_as_bytes(from, &type, &rank, &shape, &data), "give a tensor", e);

	if (rc)
		return rc;
	if (rank > TENSOR_MAX_RANK || from_type(type) == DT_UNDEFINED)
		return err_set(e, ERR_UNSUPPORTED, "tract gave a tensor of type %d and rank %zu", type, (size_t)rank);
	for (size_t i = 0; i < rank; i++)
		dims[i] = (int64_t)shape[i];
	*out = tensor_new_packed(from_type(type), (int)rank, dims, e);
	if (!*out)
		return e->code;
	if ((*out)->count)
		memcpy((*out)->data, data, dtype_packed_size((*out)->dtype, (*out)->count));
	return 0;
}

/* Shapes are int64 in ONNX and a type of symbols in tract, which the C interface does not give out: it has to become a
 * number first.  That fails for strings and all else that is no number. */
int tract_to_tensor(const struct tract *t, struct TractTensor *from, struct tensor **out, struct err *e)
{
	struct TractTensor *numbers = NULL;
	struct err first = ERR_INIT;
	int rc = copy(t, from, out, &first);

	if (!rc)
		return 0;
	if (strstr(first.msg, "TDim") && !t->api.tract_tensor_convert_to(from, TRACT_I64, &numbers)) {
		rc = copy(t, numbers, out, e);
		t->api.tract_tensor_destroy(&numbers);
		return rc;
	}
	*e = first;
	return rc;
}
