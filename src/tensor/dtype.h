/* dtype.h - the element types of ONNX, one table.
 *
 * Numbers are the codes of TensorProto.DataType.  Each type has a packed form (the bytes of ONNX raw_data, little
 * endian, sub-byte types two or four to a byte, low bits first) and a wide form, in which assay computes:
 *
 *     WIDE_F64   double     all float types
 *     WIDE_I64   int64_t    all integers and bool (0 or 1); uint64 keeps its bit pattern
 *     WIDE_STR   struct bytes
 *     WIDE_C64   two doubles (real, imaginary)
 */
#ifndef TENSOR_DTYPE_H
#define TENSOR_DTYPE_H

#include <stddef.h>
#include <stdint.h>

/* id, ONNX code, name, wide form, bits packed, .npy type ("" = none) */
#define DTYPE_MAP(X)                                                \
	X(DT_FLOAT, 1, "float32", WIDE_F64, 32, "<f4")              \
	X(DT_UINT8, 2, "uint8", WIDE_I64, 8, "|u1")                 \
	X(DT_INT8, 3, "int8", WIDE_I64, 8, "|i1")                   \
	X(DT_UINT16, 4, "uint16", WIDE_I64, 16, "<u2")              \
	X(DT_INT16, 5, "int16", WIDE_I64, 16, "<i2")                \
	X(DT_INT32, 6, "int32", WIDE_I64, 32, "<i4")                \
	X(DT_INT64, 7, "int64", WIDE_I64, 64, "<i8")                \
	X(DT_STRING, 8, "string", WIDE_STR, 0, "")                  \
	X(DT_BOOL, 9, "bool", WIDE_I64, 8, "|b1")                   \
	X(DT_FLOAT16, 10, "float16", WIDE_F64, 16, "<f2")           \
	X(DT_DOUBLE, 11, "float64", WIDE_F64, 64, "<f8")            \
	X(DT_UINT32, 12, "uint32", WIDE_I64, 32, "<u4")             \
	X(DT_UINT64, 13, "uint64", WIDE_I64, 64, "<u8")             \
	X(DT_COMPLEX64, 14, "complex64", WIDE_C64, 64, "<c8")       \
	X(DT_COMPLEX128, 15, "complex128", WIDE_C64, 128, "<c16")   \
	X(DT_BFLOAT16, 16, "bfloat16", WIDE_F64, 16, "")            \
	X(DT_FLOAT8E4M3FN, 17, "float8e4m3fn", WIDE_F64, 8, "")     \
	X(DT_FLOAT8E4M3FNUZ, 18, "float8e4m3fnuz", WIDE_F64, 8, "") \
	X(DT_FLOAT8E5M2, 19, "float8e5m2", WIDE_F64, 8, "")         \
	X(DT_FLOAT8E5M2FNUZ, 20, "float8e5m2fnuz", WIDE_F64, 8, "") \
	X(DT_UINT4, 21, "uint4", WIDE_I64, 4, "")                   \
	X(DT_INT4, 22, "int4", WIDE_I64, 4, "")                     \
	X(DT_FLOAT4E2M1, 23, "float4e2m1", WIDE_F64, 4, "")         \
	X(DT_FLOAT8E8M0, 24, "float8e8m0", WIDE_F64, 8, "")         \
	X(DT_UINT2, 25, "uint2", WIDE_I64, 2, "")                   \
	X(DT_INT2, 26, "int2", WIDE_I64, 2, "")                     \
	X(DT_FLOAT6E2M3, 27, "float6e2m3", WIDE_F64, 6, "")         \
	X(DT_FLOAT6E3M2, 28, "float6e3m2", WIDE_F64, 6, "")

enum dtype {
	DT_UNDEFINED = 0,
#define X(id, code, name, wide, bits, npy) id = code,
	DTYPE_MAP(X)
#undef X
		DT_COUNT
};

enum wide { WIDE_NONE, WIDE_F64, WIDE_I64, WIDE_STR, WIDE_C64 };

/* One element of a string tensor: n bytes, NUL-terminated for convenience. */
struct bytes {
	const char *p;
	size_t n;
};

int dtype_bytes_same(const struct bytes *a, const struct bytes *b);

const char *dtype_name(enum dtype t);         /* "float32"; "undefined" for an unknown code */
enum dtype dtype_from_name(const char *name); /* DT_UNDEFINED when unknown; also "float", "double" */
enum dtype dtype_from_code(int64_t code);     /* DT_UNDEFINED when unknown */
enum wide dtype_wide(enum dtype t);
size_t dtype_bits(enum dtype t);      /* of one packed element; 0 for string */
size_t dtype_wide_size(enum dtype t); /* bytes of one wide element */
const char *dtype_npy(enum dtype t);  /* "<f4"; "" when .npy has none */

int dtype_is_float(enum dtype t);    /* WIDE_F64 */
int dtype_is_int(enum dtype t);      /* WIDE_I64 but not bool */
int dtype_is_unsigned(enum dtype t); /* uint2 … uint64, bool */

/* Unit roundoff 2^-p of a float type, p its bits of significand (float32: 2^-24); 0 for others. */
double dtype_roundoff(enum dtype t);
double dtype_max(enum dtype t);      /* largest finite value (float), largest value (int) */
double dtype_lowest(enum dtype t);   /* most negative finite value */
double dtype_smallest(enum dtype t); /* smallest positive normal value of a float type */
enum dtype dtype_part(enum dtype t); /* of a complex type that of its parts, else itself */

/* Nearest value of the float type t, ties to even; overflow gives infinity where the type has one, else NaN, or the
 * largest finite value when `saturate`.  Subnormals are kept. */
double dtype_round(enum dtype t, double x, int saturate);

/* x wrapped (two's complement) into the integer type t. */
int64_t dtype_wrap(enum dtype t, int64_t x);

/* n elements from packed to wide and back.  Packing rounds floats (no saturation) and wraps integers.  `first` is the
 * index of the first packed element.  Not for strings. */
void dtype_unpack(enum dtype t, const void *packed, size_t first, size_t n, void *wide);
void dtype_pack(enum dtype t, const void *wide, size_t n, void *packed);

/* Sets packed element i of a type of 2, 4 or 6 bits to the low bits of v; the element must be zero before. */
void dtype_put_bits(void *packed, size_t i, unsigned bits, unsigned v);

/* Bytes of n packed elements; SIZE_MAX on overflow. */
size_t dtype_packed_size(enum dtype t, size_t n);

#endif
