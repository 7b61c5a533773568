/* order.c - see order.h. */
#include "ops/kit/order.h"

#include <math.h>
#include <string.h>

/* The bits of a double grow with its value once the sign is turned round. */
static uint64_t float_key(double x)
{
	uint64_t bits;

	if (isnan(x))
		return UINT64_MAX;
	if (x == 0)
		x = 0; /* -0 */
	memcpy(&bits, &x, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

uint64_t order_key(const struct tensor *t, size_t i)
{
	if (dtype_is_float(t->dtype))
		return float_key(t->f[i]);
	return dtype_is_unsigned(t->dtype) ? (uint64_t)t->i[i] : (uint64_t)t->i[i] ^ UINT64_C(1) << 63;
}

static int compare_keys(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_strings(const struct bytes *a, const struct bytes *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int order = n ? memcmp(a->p, b->p, n) : 0;

	return order ? order : (a->n > b->n) - (a->n < b->n);
}

int order_compare(const struct tensor *t, size_t i, size_t j)
{
	int order;

	if (dtype_wide(t->dtype) == WIDE_STR)
		return compare_strings(&t->s[i], &t->s[j]);
	if (dtype_wide(t->dtype) != WIDE_C64)
		return compare_keys(order_key(t, i), order_key(t, j));
	order = compare_keys(float_key(t->f[2 * i]), float_key(t->f[2 * j]));
	return order ? order : compare_keys(float_key(t->f[2 * i + 1]), float_key(t->f[2 * j + 1]));
}
