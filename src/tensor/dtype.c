/* dtype.c - see dtype.h.
 *
 * Packed data may lie at any address (it is borrowed from files), so every element goes through memcpy(), which
 * compilers turn into a plain load or store. */
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "tensor/smallfloat.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packed data are little endian and read as they are");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "float and double are the IEEE 754 types");

static const struct row {
	const char *name;
	enum wide wide;
	size_t bits;
	const char *npy;
} rows[DT_COUNT] = {{"undefined", WIDE_NONE, 0, ""},
#define X(id, code, name, wide, bits, npy) [id] = {name, wide, bits, npy},
		    DTYPE_MAP(X)
#undef X
};

int dtype_bytes_same(const struct bytes *a, const struct bytes *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->p, b->p, a->n));
}

static const struct row *row_of(enum dtype t)
{
	return &rows[(unsigned)t < DT_COUNT ? t : DT_UNDEFINED];
}

const char *dtype_name(enum dtype t)
{
	return row_of(t)->name;
}

enum dtype dtype_from_name(const char *name)
{
	for (int t = DT_UNDEFINED + 1; t < DT_COUNT; t++)
		if (!strcmp(rows[t].name, name))
			return (enum dtype)t;
	if (!strcmp(name, "float"))
		return DT_FLOAT;
	return !strcmp(name, "double") ? DT_DOUBLE : DT_UNDEFINED;
}

enum dtype dtype_from_code(int64_t code)
{
	return code > DT_UNDEFINED && code < DT_COUNT ? (enum dtype)code : DT_UNDEFINED;
}

enum wide dtype_wide(enum dtype t)
{
	return row_of(t)->wide;
}

size_t dtype_bits(enum dtype t)
{
	return row_of(t)->bits;
}

size_t dtype_wide_size(enum dtype t)
{
	switch (dtype_wide(t)) {
	case WIDE_F64:
		return sizeof(double);
	case WIDE_I64:
		return sizeof(int64_t);
	case WIDE_STR:
		return sizeof(struct bytes);
	case WIDE_C64:
		return 2 * sizeof(double);
	default:
		return 0;
	}
}

const char *dtype_npy(enum dtype t)
{
	return row_of(t)->npy;
}

int dtype_is_float(enum dtype t)
{
	return dtype_wide(t) == WIDE_F64;
}

int dtype_is_int(enum dtype t)
{
	return dtype_wide(t) == WIDE_I64 && t != DT_BOOL;
}

int dtype_is_unsigned(enum dtype t)
{
	switch (t) {
	case DT_BOOL:
	case DT_UINT2:
	case DT_UINT4:
	case DT_UINT8:
	case DT_UINT16:
	case DT_UINT32:
	case DT_UINT64:
		return 1;
	default:
		return 0;
	}
}

double dtype_roundoff(enum dtype t)
{
	const struct smallfloat *f = smallfloat_of(t);

	return f ? smallfloat_roundoff(f) : 0;
}

double dtype_max(enum dtype t)
{
	const struct smallfloat *f = smallfloat_of(t);

	if (f)
		return f->max;
	if (t == DT_BOOL)
		return 1;
	if (!dtype_is_int(t))
		return 0;
	return ldexp(1, (int)dtype_bits(t) - !dtype_is_unsigned(t)) - 1;
}

enum dtype dtype_part(enum dtype t)
{
	return t == DT_COMPLEX64 ? DT_FLOAT : t == DT_COMPLEX128 ? DT_DOUBLE : t;
}

double dtype_lowest(enum dtype t)
{
	const struct smallfloat *f = smallfloat_of(t);

	if (f)
		return f->kind == SMALLFLOAT_SCALE ? smallfloat_smallest(f) : -f->max;
	if (!dtype_is_int(t) || dtype_is_unsigned(t))
		return 0;
	return -ldexp(1, (int)dtype_bits(t) - 1);
}

double dtype_smallest(enum dtype t)
{
	const struct smallfloat *f = smallfloat_of(t);

	return f ? smallfloat_smallest(f) : 0;
}

double dtype_round(enum dtype t, double x, int saturate)
{
	const struct smallfloat *f;

	if (t == DT_FLOAT && (!saturate || fabs(x) <= FLT_MAX))
		return (float)x;
	f = smallfloat_of(t);
	if (!f)
		return x;
	if (t == DT_DOUBLE)
		return saturate && isinf(x) ? copysign(f->max, x) : x;
	return smallfloat_round(f, x, saturate);
}

int64_t dtype_wrap(enum dtype t, int64_t x)
{
	size_t bits = dtype_bits(t);
	uint64_t mask, u;

	if (t == DT_BOOL)
		return x != 0;
	if (!dtype_is_int(t) || bits == 64)
		return x;
	mask = (UINT64_C(1) << bits) - 1;
	u = (uint64_t)x & mask;
	if (!dtype_is_unsigned(t) && u >> (bits - 1))
		u |= ~mask;
	return (int64_t)u;
}

/* ---- elements that share bytes: `bits` (2, 4 or 6) each, one after another, low bits first ----------------------- */

static unsigned get_bits(const unsigned char *p, size_t i, unsigned bits)
{
	size_t at = i * bits;
	unsigned shift = at % 8;
	unsigned v = p[at / 8] >> shift;

	if (shift + bits > 8)
		v |= (unsigned)p[at / 8 + 1] << (8 - shift);
	return v & ((1u << bits) - 1);
}

void dtype_put_bits(void *packed, size_t i, unsigned bits, unsigned v)
{
	unsigned char *p = packed;
	size_t at = i * bits;
	unsigned shift = at % 8;

	v &= (1u << bits) - 1;
	p[at / 8] |= (unsigned char)(v << shift);
	if (shift + bits > 8)
		p[at / 8 + 1] |= (unsigned char)(v >> (8 - shift));
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

/* wide[i] = the i-th `type` of p, converted */
#define UNPACK_LOOP(type, wide)                             \
	for (size_t k = 0; k < n; k++) {                    \
		type v;                                     \
		memcpy(&v, p + k * sizeof(type), sizeof v); \
		(wide)[k] = v;                              \
	}

static void unpack_ints(enum dtype t, const unsigned char *p, size_t n, int64_t *out)
{
	switch (t) {
	case DT_UINT8:
		UNPACK_LOOP(uint8_t, out);
		break;
	case DT_INT8:
		UNPACK_LOOP(int8_t, out);
		break;
	case DT_UINT16:
		UNPACK_LOOP(uint16_t, out);
		break;
	case DT_INT16:
		UNPACK_LOOP(int16_t, out);
		break;
	case DT_UINT32:
		UNPACK_LOOP(uint32_t, out);
		break;
	case DT_INT32:
		UNPACK_LOOP(int32_t, out);
		break;
	default: /* bool */
		for (size_t k = 0; k < n; k++)
			out[k] = p[k] != 0;
	}
}

static void unpack_small_ints(enum dtype t, const unsigned char *p, size_t first, size_t n, int64_t *out)
{
	unsigned bits = (unsigned)dtype_bits(t);

	for (size_t k = 0; k < n; k++)
		out[k] = dtype_wrap(t, get_bits(p, first + k, bits));
}

static void unpack_small_floats(enum dtype t, const unsigned char *p, size_t first, size_t n, double *out)
{
	const struct smallfloat *f = smallfloat_of(t);
	unsigned bits = (unsigned)dtype_bits(t);

	for (size_t k = 0; k < n; k++) {
		uint16_t code;

		if (bits < 8)
			code = (uint16_t)get_bits(p, first + k, bits);
		else if (bits == 8)
			code = p[first + k];
		else
			memcpy(&code, p + (first + k) * sizeof code, sizeof code);
		out[k] = smallfloat_decode(f, code);
	}
}

void dtype_unpack(enum dtype t, const void *packed, size_t first, size_t n, void *wide)
{
	size_t bits = dtype_bits(t);
	const unsigned char *p = packed;

	BUG_ON(!bits);
	if (!n)
		return;
	if (bits >= 8)
		p += first * (bits / 8);
	if (t == DT_FLOAT) {
		UNPACK_LOOP(float, (double *)wide);
	} else if (t == DT_COMPLEX64) {
		n *= 2;
		UNPACK_LOOP(float, (double *)wide);
	} else if (bits >= 64) { /* both forms are the same */
		memcpy(wide, p, n * (bits / 8));
	} else if (dtype_is_float(t)) {
		unpack_small_floats(t, packed, first, n, wide);
	} else if (bits < 8) {
		unpack_small_ints(t, packed, first, n, wide);
	} else {
		unpack_ints(t, p, n, wide);
	}
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

/* the i-th `type` of p = wide[i], converted */
#define PACK_LOOP(type, wide)                               \
	for (size_t k = 0; k < n; k++) {                    \
		type v = (type)(wide)[k];                   \
		memcpy(p + k * sizeof(type), &v, sizeof v); \
	}

/* Packing does not ask for the sign: the low bits are the same. */
static void pack_ints(enum dtype t, const int64_t *wide, size_t n, unsigned char *p)
{
	switch (dtype_bits(t)) {
	case 32:
		PACK_LOOP(uint32_t, wide);
		break;
	case 16:
		PACK_LOOP(uint16_t, wide);
		break;
	case 8:
		if (t == DT_BOOL)
			for (size_t k = 0; k < n; k++)
				p[k] = wide[k] != 0;
		else
			PACK_LOOP(uint8_t, wide);
		break;
	default:
		for (size_t k = 0; k < n; k++)
			dtype_put_bits(p, k, (unsigned)dtype_bits(t), (unsigned)((uint64_t)wide[k] & 0xff));
	}
}

static void pack_small_floats(enum dtype t, const double *wide, size_t n, unsigned char *p)
{
	const struct smallfloat *f = smallfloat_of(t);
	unsigned bits = (unsigned)dtype_bits(t);

	for (size_t k = 0; k < n; k++) {
		uint16_t code = (uint16_t)smallfloat_encode(f, wide[k]);

		if (bits < 8)
			dtype_put_bits(p, k, bits, code);
		else
			memcpy(p + k * (bits / 8), &code, bits / 8);
	}
}

void dtype_pack(enum dtype t, const void *wide, size_t n, void *packed)
{
	size_t bits = dtype_bits(t);
	unsigned char *p = packed;

	BUG_ON(!bits);
	if (!n)
		return;
	if (bits < 8)
		memset(packed, 0, dtype_packed_size(t, n));
	if (t == DT_FLOAT) {
		PACK_LOOP(float, (const double *)wide);
	} else if (t == DT_COMPLEX64) {
		n *= 2;
		PACK_LOOP(float, (const double *)wide);
	} else if (bits >= 64) {
		memcpy(packed, wide, n * (bits / 8));
	} else if (dtype_is_float(t)) {
		pack_small_floats(t, wide, n, packed);
	} else {
		pack_ints(t, wide, n, packed);
	}
}

size_t dtype_packed_size(enum dtype t, size_t n)
{
	size_t bits = dtype_bits(t);

	if (bits && n > (SIZE_MAX - 7) / bits)
		return SIZE_MAX;
	return (n * bits + 7) / 8;
}
