/* value.c - tensors of TensorFlow: literals, eager handles, outputs of a graph; see tf.h. */
#include <stdio.h>
#include <string.h>

#include "backends/tf/tf.h"
#include "base/mem.h"

/* our type, TensorFlow's number; packed bytes are the same on both sides */
static const struct {
	enum dtype ours;
	unsigned theirs;
} types[] = {
	{DT_FLOAT, 1},       {DT_DOUBLE, 2},        {DT_INT32, 3},   {DT_UINT8, 4},   {DT_INT16, 5},
	{DT_INT8, 6},        {DT_INT64, 9},         {DT_BOOL, 10},   {DT_UINT16, 17}, {DT_FLOAT16, 19},
	{DT_COMPLEX64, 8},   {DT_COMPLEX128, 18},   {DT_UINT32, 22}, {DT_UINT64, 23}, {DT_BFLOAT16, 14},
	{DT_FLOAT8E5M2, 24}, {DT_FLOAT8E4M3FN, 25},
};

unsigned tf_type_code(enum dtype t)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].ours == t)
			return types[i].theirs;
	return 0;
}

enum dtype tf_type_from_code(unsigned code)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].theirs == code)
			return types[i].ours;
	return DT_UNDEFINED;
}

/* "Value for attr 'T' of bool is not in the list of allowed values" and its like come as invalid arguments, but say
 * that TensorFlow has no such operation for the type, not that the model is wrong. */
static int is_missing(const char *message)
{
	static const char *const words[] = {"is not in the list of allowed values",
					    "No OpKernel was registered",
					    "not in Op<",
					    "Op type not registered",
					    "invalid DataType enum",
					    "currently supported",
					    "passed float expected",
					    "No gradient defined",
					    "not supported",
					    "only support",
					    "unsupported",
					    "not implemented",
					    "Unhandled input dimensions",
					    "not yet"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(message, words[i]))
			return 1;
	return 0;
}

int tf_check(struct tf *t, const char *doing, struct err *e)
{
	unsigned code = t->api.TF_GetCode(t->status);
	const char *message;
	int rc = ERR_INPUT;

	if (code == TF_CODE_OK)
		return 0;
	message = t->api.TF_Message(t->status);
	if (code == TF_CODE_UNIMPLEMENTED || code == TF_CODE_NOT_FOUND || is_missing(message))
		rc = ERR_UNSUPPORTED;
	else if (code == TF_CODE_EXHAUSTED)
		rc = ERR_MEMORY;
	return err_set(e, rc, "tensorflow: %s: %s", doing, message);
}

static struct tf_value *value_new(struct tf *t, struct err *e)
{
	struct tf_value *v = mem_zalloc(sizeof *v);

	if (!v || (t->in_call && vec_push(&t->temps, v))) {
		mem_free(v);
		err_nomem(e, "a value", sizeof *v);
		return NULL;
	}
	v->refs = 1;
	return v;
}

/* Undoes value_new() for a value that nobody has seen. */
static struct tf_value *value_drop(struct tf *t, struct tf_value *v)
{
	if (t->in_call)
		t->temps.n--;
	tf_value_release(t, v);
	return NULL;
}

struct tf_value *tf_value_from_tensor(struct tf *t, const struct tensor *packed, struct err *e)
{
	size_t size = dtype_packed_size(packed->dtype, packed->count);
	unsigned code = tf_type_code(packed->dtype);
	struct tf_value *v;

	if (!code) {
		err_set(e, ERR_UNSUPPORTED, "tensors of type %s are not bound to tensorflow",
			dtype_name(packed->dtype));
		return NULL;
	}
	v = value_new(t, e);
	if (!v)
		return NULL;
	v->literal = t->api.TF_AllocateTensor(code, packed->dims, packed->rank, size);
	if (!v->literal) {
		err_nomem(e, "a tensor", size);
		return value_drop(t, v);
	}
	if (size)
		memcpy(t->api.TF_TensorData(v->literal), packed->data, size);
	v->dtype = packed->dtype;
	v->rank = packed->rank;
	memcpy(v->dims, packed->dims, sizeof v->dims);
	return v;
}

static int bad_result(unsigned code, int rank, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "tensorflow gave a tensor of rank %d and type %u", rank, code);
}

struct tf_value *tf_value_from_handle(struct tf *t, struct TFE_TensorHandle *take, struct err *e)
{
	struct tf_value *v = value_new(t, e);
	unsigned code = t->api.TFE_TensorHandleDataType(take);
	int rc;

	if (!v) {
		t->api.TFE_DeleteTensorHandle(take);
		return NULL;
	}
	v->eager = take;
	v->dtype = tf_type_from_code(code);
	v->rank = t->api.TFE_TensorHandleNumDims(take, t->status);
	rc = tf_check(t, "describe a result", e);
	if (!rc && (v->rank > TENSOR_MAX_RANK || v->rank < 0 || v->dtype == DT_UNDEFINED))
		rc = bad_result(code, v->rank, e);
	for (int i = 0; !rc && i < v->rank; i++) {
		v->dims[i] = t->api.TFE_TensorHandleDim(take, i, t->status);
		rc = tf_check(t, "describe a result", e);
	}
	return rc ? value_drop(t, v) : v;
}

struct tf_value *tf_value_from_output(struct tf *t, struct TF_Output output, struct err *e)
{
	struct tf_value *v = value_new(t, e);
	unsigned code = t->api.TF_OperationOutputType(output);
	int rc;

	if (!v)
		return NULL;
	v->output = output;
	v->generation = t->generation;
	v->dtype = tf_type_from_code(code);
	v->rank = t->api.TF_GraphGetTensorNumDims(t->graph, output, t->status);
	rc = tf_check(t, "describe a result", e);
	if (!rc && (v->rank > TENSOR_MAX_RANK || v->dtype == DT_UNDEFINED))
		rc = bad_result(code, v->rank, e);
	if (!rc && v->rank > 0) {
		t->api.TF_GraphGetTensorShape(t->graph, output, v->dims, v->rank, t->status);
		rc = tf_check(t, "describe a result", e);
	}
	return rc ? value_drop(t, v) : v;
}

int tf_tensor_from_literal(struct tf *t, const struct TF_Tensor *l, struct tensor **packed, struct err *e)
{
	unsigned code = t->api.TF_TensorType(l);
	enum dtype dtype = tf_type_from_code(code);
	int64_t dims[TENSOR_MAX_RANK];
	int rank = t->api.TF_NumDims(l);
	struct tensor *out;
	size_t size;

	if (rank > TENSOR_MAX_RANK || dtype == DT_UNDEFINED)
		return bad_result(code, rank, e);
	for (int i = 0; i < rank; i++)
		dims[i] = t->api.TF_Dim(l, i);
	out = tensor_new_packed(dtype, rank, dims, e);
	if (!out)
		return e->code;
	size = dtype_packed_size(dtype, out->count);
	if (t->api.TF_TensorByteSize(l) < size) {
		tensor_unref(out);
		return err_set(e, ERR_INPUT, "tensorflow gave a tensor of %zu bytes, wanted %zu",
			       t->api.TF_TensorByteSize(l), size);
	}
	if (size)
		memcpy(out->data, t->api.TF_TensorData(l), size);
	*packed = out;
	return 0;
}

int tf_value_to_tensor(struct tf *t, struct tf_value *v, struct tensor **packed, struct err *e)
{
	struct TF_Tensor *l;
	int rc;

	if (v->literal) {
		t->read_input |= v->is_input;
		return tf_tensor_from_literal(t, v->literal, packed, e);
	}
	if (!v->eager)
		return err_set(e, ERR_UNSUPPORTED, "a value is not known while the graph is built");
	l = t->api.TFE_TensorHandleResolve(v->eager, t->status);
	rc = tf_check(t, "give a result", e);
	if (!rc)
		rc = tf_tensor_from_literal(t, l, packed, e);
	if (l)
		t->api.TF_DeleteTensor(l);
	return rc;
}

struct TFE_TensorHandle *tf_value_handle(struct tf *t, struct tf_value *v, struct err *e)
{
	if (!v->eager && v->literal) {
		v->eager = t->api.TFE_NewTensorHandle(v->literal, t->status);
		if (tf_check(t, "take a tensor", e))
			v->eager = NULL;
	} else if (!v->eager) {
		err_set(e, ERR_INTERNAL, "a value of a graph was used outside of it");
	}
	return v->eager;
}

/* A literal enters the graph: graph inputs as Placeholder of their shape, everything else as Const. */
static int enter_graph(struct tf *t, struct tf_value *v, struct err *e)
{
	struct TF_OperationDescription *d;
	char name[32];
	int rc = 0;

	snprintf(name, sizeof name, "v%zu", t->next_name++);
	d = t->api.TF_NewOperation(t->graph, v->is_input ? "Placeholder" : "Const", name);
	t->api.TF_SetAttrType(d, "dtype", tf_type_code(v->dtype));
	if (v->is_input) {
		t->api.TF_SetAttrShape(d, "shape", v->dims, v->rank);
	} else {
		t->api.TF_SetAttrTensor(d, "value", v->literal, t->status);
		rc = tf_check(t, "take a constant", e);
	}
	v->output.oper = t->api.TF_FinishOperation(d, t->status);
	v->output.index = 0;
	if (!rc)
		rc = tf_check(t, "take a tensor", e);
	if (!rc)
		v->generation = t->generation;
	return rc;
}

int tf_value_output(struct tf *t, struct tf_value *v, struct TF_Output *out, struct err *e)
{
	int rc = 0;

	if (v->generation != t->generation)
		rc = v->literal ? enter_graph(t, v, e)
				: err_set(e, ERR_INTERNAL, "a value outside of the graph was used in it");
	if (!rc)
		*out = v->output;
	return rc;
}

void tf_value_release(struct tf *t, struct tf_value *v)
{
	if (!v || --v->refs)
		return;
	if (v->literal)
		t->api.TF_DeleteTensor(v->literal);
	if (v->eager)
		t->api.TFE_DeleteTensorHandle(v->eager);
	mem_free(v);
}
