/* ov_tensor.c - tensors between ONNX and OpenVINO; see ov.h.
 *
 * Both store elements in the same way: little endian, types of four bits with the first element in the low half of a
 * byte, one byte for a bool. */
#include <string.h>

#include "backends/openvino/ov.h"
#include "base/mem.h"

/* ONNX type, OpenVINO's; types not named have no counterpart. */
static const struct {
	enum dtype dtype;
	enum ov_element element;
} elements[] = {
	{DT_FLOAT, OV_F32},           {DT_DOUBLE, OV_F64},        {DT_FLOAT16, OV_F16},
	{DT_BFLOAT16, OV_BF16},       {DT_INT8, OV_I8},           {DT_INT16, OV_I16},
	{DT_INT32, OV_I32},           {DT_INT64, OV_I64},         {DT_UINT8, OV_U8},
	{DT_UINT16, OV_U16},          {DT_UINT32, OV_U32},        {DT_UINT64, OV_U64},
	{DT_BOOL, OV_BOOL},           {DT_INT4, OV_I4},           {DT_UINT4, OV_U4},
	{DT_STRING, OV_STRING},       {DT_FLOAT4E2M1, OV_F4E2M1}, {DT_FLOAT8E8M0, OV_F8E8M0},
	{DT_FLOAT8E4M3FN, OV_F8E4M3}, {DT_FLOAT8E5M2, OV_F8E5M2},
};

#define N_ELEMENTS (sizeof elements / sizeof *elements)

static int to_element(enum dtype t)
{
	for (size_t i = 0; i < N_ELEMENTS; i++)
		if (elements[i].dtype == t)
			return (int)elements[i].element;
	return -1;
}

static enum dtype from_element(int element)
{
	for (size_t i = 0; i < N_ELEMENTS; i++)
		if ((int)elements[i].element == element)
			return elements[i].dtype;
	return DT_UNDEFINED;
}

static int from_strings(const struct ov *o, const struct tensor *t, struct ov_shape shape, struct ov_tensor **out,
			struct err *e)
{
	const char **text;
	int rc;

	if (!o->api.ov_tensor_create_from_string_array)
		return err_set(e, ERR_UNSUPPORTED, "OpenVINO %s takes no strings", o->version);
	text = mem_array(t->count + 1, sizeof *text);
	rc = text ? 0 : err_nomem(e, "strings", t->count * sizeof *text);

	for (size_t i = 0; i < t->count && !rc; i++) {
		text[i] = t->s[i].p ? t->s[i].p : "";
		if (strlen(text[i]) != t->s[i].n)
			rc = err_set(e, ERR_UNSUPPORTED, "openvino takes no string with a zero byte in it");
	}
	if (!rc)
		rc = ov_check(o, o->api.ov_tensor_create_from_string_array(text, t->count, shape, out), "take strings",
			      e);
	mem_free(text);
	return rc;
}

int ov_from_tensor(const struct ov *o, const struct tensor *t, struct ov_tensor **out, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct ov_shape shape = {t->rank, dims};
	int element = to_element(t->dtype);

	if (element < 0)
		return err_set(e, ERR_UNSUPPORTED, "openvino has no element type %s", dtype_name(t->dtype));
	memcpy(dims, t->dims, sizeof dims);
	if (t->dtype == DT_STRING)
		return from_strings(o, t, shape, out, e);
	return ov_check(o, o->api.ov_tensor_create_from_host_ptr(element + o->element_offset, shape, t->data, out),
			"take an input", e);
}

/* An std::string of libstdc++ as it lies in memory since its new form of 2015: text, length, room for short texts.  The
 * C interface gives no other way to read strings; the size of an element tells whether this is the form. */
struct cxx_string {
	const char *text;
	size_t n;
	char local[16];
};

static int copy_strings(const void *data, size_t bytes, struct tensor *t, struct err *e)
{
	const struct cxx_string *s = data;
	int rc = 0;

	if (t->count && bytes / t->count != sizeof *s)
		return err_set(e, ERR_UNSUPPORTED, "this OpenVINO keeps strings in a form assay cannot read");
	for (size_t i = 0; i < t->count && !rc; i++)
		rc = tensor_set_string(t, i, s[i].text, s[i].n, e);
	return rc;
}

static int copy_elements(const struct ov *o, const struct ov_tensor *from, struct tensor *t, struct err *e)
{
	size_t bytes = 0, wanted = t->dtype == DT_STRING ? 0 : dtype_packed_size(t->dtype, t->count);
	void *data = NULL;
	int rc = ov_check(o, o->api.ov_tensor_get_byte_size(from, &bytes), "tell an output's size", e);

	if (!rc && !t->count)
		return 0;
	if (!rc)
		rc = ov_check(o, o->api.ov_tensor_data(from, &data), "give an output", e);
	if (rc)
		return rc;
	if (t->dtype == DT_STRING)
		return copy_strings(data, bytes, t, e);
	if (bytes < wanted)
		return err_set(e, ERR_INPUT, "openvino gave %zu bytes for a tensor of %zu", bytes, wanted);
	memcpy(t->data, data, wanted);
	return 0;
}

/* The shape of a tensor.  A scalar's cannot be asked: making an ov_shape of rank 0 is an invalid parameter there. */
static int get_shape(const struct ov *o, const struct ov_tensor *t, struct ov_shape *shape, struct err *e)
{
	int rc = o->api.ov_tensor_get_shape(t, shape);

	*shape = rc == OV_OK ? *shape : (struct ov_shape){0, NULL};
	return rc == OV_INVALID_C_PARAM ? 0 : ov_check(o, rc, "tell an output's shape", e);
}

int ov_to_tensor(const struct ov *o, const struct ov_tensor *from, struct tensor **out, struct err *e)
{
	struct ov_shape shape = {0, NULL};
	struct tensor *t = NULL;
	int element = 0,
	    rc = ov_check(o, o->api.ov_tensor_get_element_type(from, &element), "tell an output's type", e);
	enum dtype dtype = from_element(element - o->element_offset);

	if (!rc)
		rc = get_shape(o, from, &shape, e);
	if (rc)
		return rc;
	if (dtype == DT_UNDEFINED || shape.rank > TENSOR_MAX_RANK)
		rc = err_set(e, ERR_UNSUPPORTED, "openvino gave a tensor of type %d and rank %lld", element,
			     (long long)shape.rank);
	if (!rc) {
		t = tensor_new_packed(dtype, (int)shape.rank, shape.dims, e);
		rc = t ? copy_elements(o, from, t, e) : e->code;
	}
	if (shape.dims)
		o->api.ov_shape_free(&shape);
	if (rc) {
		tensor_unref(t);
		return rc;
	}
	*out = t;
	return 0;
}
