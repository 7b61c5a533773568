/* tensor_proto.c - TensorProto to tensor (declared in io.h).
 *
 * The elements lie either in raw_data, in packed form, or in the one typed field that belongs to the type.  Whatever
 * the file claims is compared with what it brings before anything is allocated. */
#include <stdio.h>
#include <string.h>

#include "onnx-ml.pb-c.h"
#include "tensor/io.h"

enum field { FIELD_FLOAT, FIELD_INT32, FIELD_STRING, FIELD_INT64, FIELD_DOUBLE, FIELD_UINT64, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {"float_data", "int32_data",  "string_data",
						     "int64_data", "double_data", "uint64_data"};

static enum field field_of(enum dtype t)
{
	switch (t) {
	case DT_FLOAT:
	case DT_COMPLEX64:
		return FIELD_FLOAT;
	case DT_DOUBLE:
	case DT_COMPLEX128:
		return FIELD_DOUBLE;
	case DT_STRING:
		return FIELD_STRING;
	case DT_INT64:
		return FIELD_INT64;
	case DT_UINT32:
	case DT_UINT64:
		return FIELD_UINT64;
	default:
		return FIELD_INT32;
	}
}

static size_t field_length(const struct Onnx__TensorProto *p, enum field f)
{
	const size_t lengths[FIELD_COUNT] = {p->n_float_data, p->n_int32_data,  p->n_string_data,
					     p->n_int64_data, p->n_double_data, p->n_uint64_data};

	return lengths[f];
}

/* Entries of the typed field that `count` elements take: complex numbers are pairs; 4-bit and 2-bit types come as
 * packed bytes, one byte to an entry; 6-bit types as one element to an entry. */
static size_t wanted_length(enum dtype t, size_t count)
{
	if (dtype_wide(t) == WIDE_C64)
		return 2 * count;
	if (dtype_bits(t) == 4 || dtype_bits(t) == 2)
		return dtype_packed_size(t, count);
	return count;
}

/* The bits of int32_data: `bits` of each entry, signed or unsigned, must carry everything it holds. */
static int pack_int32(const struct Onnx__TensorProto *p, struct tensor *t, struct err *e)
{
	unsigned bits = dtype_bits(t->dtype) < 8 && dtype_bits(t->dtype) != 6 ? 8 : (unsigned)dtype_bits(t->dtype);
	int64_t lo = -(INT64_C(1) << (bits - 1)), hi = (INT64_C(1) << bits) - 1;
	unsigned char *out = t->data;

	if (bits == 6)
		memset(out, 0, dtype_packed_size(t->dtype, t->count));
	for (size_t i = 0; i < p->n_int32_data; i++) {
		int32_t x = p->int32_data[i];

		if (t->dtype == DT_BOOL)
			x = x != 0;
		if (x < lo || x > hi)
			return err_set(e, ERR_INPUT, "value %d of int32_data does not fit %s", (int)x,
				       dtype_name(t->dtype));
		if (bits == 6)
			dtype_put_bits(out, i, bits, (unsigned)x);
		else
			memcpy(out + i * (bits / 8), &x, bits / 8);
	}
	return 0;
}

static int pack_uint64(const struct Onnx__TensorProto *p, struct tensor *t, struct err *e)
{
	size_t size = dtype_bits(t->dtype) / 8;

	for (size_t i = 0; i < p->n_uint64_data; i++) {
		if (t->dtype == DT_UINT32 && p->uint64_data[i] > UINT32_MAX)
			return err_set(e, ERR_INPUT, "value %llu of uint64_data does not fit uint32",
				       (unsigned long long)p->uint64_data[i]);
		memcpy((char *)t->data + i * size, &p->uint64_data[i], size);
	}
	return 0;
}

static int copy_strings(const struct Onnx__TensorProto *p, struct tensor *t, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < p->n_string_data; i++)
		rc = tensor_set_string(t, i, (const char *)p->string_data[i].data, p->string_data[i].len, e);
	return rc;
}

/* Lengths are checked: the field has what t needs. */
static int copy_field(const struct Onnx__TensorProto *p, enum field f, struct tensor *t, struct err *e)
{
	switch (f) {
	case FIELD_FLOAT:
		memcpy(t->data, p->float_data, p->n_float_data * sizeof *p->float_data);
		return 0;
	case FIELD_DOUBLE:
		memcpy(t->data, p->double_data, p->n_double_data * sizeof *p->double_data);
		return 0;
	case FIELD_INT64:
		memcpy(t->data, p->int64_data, p->n_int64_data * sizeof *p->int64_data);
		return 0;
	case FIELD_UINT64:
		return pack_uint64(p, t, e);
	case FIELD_STRING:
		return copy_strings(p, t, e);
	default:
		return pack_int32(p, t, e);
	}
}

static struct tensor *from_field(const struct Onnx__TensorProto *p, enum dtype dt, size_t count, struct err *e)
{
	enum field own = field_of(dt);
	size_t wanted = wanted_length(dt, count);
	struct tensor *t;

	for (int f = 0; f < FIELD_COUNT; f++)
		if (f != (int)own && field_length(p, (enum field)f)) {
			err_set(e, ERR_INPUT, "%s data in %s, wanted %s", dtype_name(dt), field_names[f],
				field_names[own]);
			return NULL;
		}
	if (field_length(p, own) != wanted) {
		err_set(e, ERR_INPUT, "%zu values in %s, wanted %zu", field_length(p, own), field_names[own], wanted);
		return NULL;
	}
	t = tensor_new_packed(dt, (int)p->n_dims, p->dims, e);
	if (t && wanted && copy_field(p, own, t, e)) {
		tensor_unref(t);
		return NULL;
	}
	return t;
}

static struct tensor *from_raw(const struct Onnx__TensorProto *p, enum dtype dt, size_t count, void (*drop)(void *),
			       void *owner, struct err *e)
{
	size_t wanted = dtype_packed_size(dt, count);
	const struct tensor_memory raw = {.data = p->raw_data.data, .bytes = wanted, .drop = drop, .owner = owner};
	struct tensor *t;

	if (dt == DT_STRING) {
		err_set(e, ERR_INPUT, "strings in raw_data");
		return NULL;
	}
	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_length(p, (enum field)f)) {
			err_set(e, ERR_INPUT, "data both in raw_data and in %s", field_names[f]);
			return NULL;
		}
	if (p->raw_data.len != wanted) {
		err_set(e, ERR_INPUT, "%zu bytes in raw_data, wanted %zu", p->raw_data.len, wanted);
		return NULL;
	}
	if (owner)
		return tensor_wrap(dt, (int)p->n_dims, p->dims, &raw, e);
	t = tensor_new_packed(dt, (int)p->n_dims, p->dims, e);
	if (t && wanted)
		memcpy(t->data, p->raw_data.data, wanted);
	return t;
}

static int check_head(const struct Onnx__TensorProto *p, enum dtype *dt, size_t *count, struct err *e)
{
	int64_t code = p->has_data_type ? p->data_type : 0;

	*dt = dtype_from_code(code);
	if (*dt == DT_UNDEFINED)
		return err_set(e, code ? ERR_UNSUPPORTED : ERR_INPUT, "unknown data type %lld", (long long)code);
	if (p->segment)
		return err_set(e, ERR_UNSUPPORTED, "a tensor in segments");
	if (p->has_data_location && p->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT)
		return err_set(e, ERR_UNSUPPORTED, "its data are in another file");
	if (p->n_dims > TENSOR_MAX_RANK)
		return err_set(e, ERR_LIMIT, "a tensor of rank %zu, more than %d", p->n_dims, TENSOR_MAX_RANK);
	return tensor_shape_count((int)p->n_dims, p->dims, count, e);
}

int tensor_from_proto(const struct Onnx__TensorProto *p, void (*drop)(void *), void *owner, struct tensor **out,
		      struct err *e)
{
	struct tensor *t = NULL;
	enum dtype dt;
	size_t count;
	char dims[256];
	int borrowed = 0;

	if (check_head(p, &dt, &count, e))
		return err_prefix(e, "tensor '%s'", p->name ? p->name : "");
	if (p->has_raw_data && p->raw_data.len) {
		t = from_raw(p, dt, count, drop, owner, e);
		borrowed = owner != NULL;
	} else {
		t = from_field(p, dt, count, e);
	}
	if (!t)
		return err_prefix(e, "tensor '%s' (%s[%s])", p->name ? p->name : "", dtype_name(dt),
				  tensor_dims_text((int)p->n_dims, p->dims, dims, sizeof dims));
	if (owner && !borrowed && drop)
		drop(owner);
	*out = t;
	return 0;
}
