/* came.c - see came.h.  Evidence comes from a store, which is a file: nothing of it is taken for granted. */
#include "report/came.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/plain.h"
#include "report/evidence.h"

#define MOST_TEXT 24 /* bytes of a string */

const json_t *came_find(const json_t *came, const char *name)
{
	for (size_t i = 0; i < json_array_size(came); i++)
		if (!strcmp(json_text_at(json_array_get(came, i), "name"), name))
			return json_array_get(came, i);
	return NULL;
}

/* ---- elements as text -------------------------------------------------------------------------------------------- */

static void put_number(struct buf *out, double x, int digits)
{
	if (isfinite(x))
		buf_printf(out, "%.*g", digits, x);
	else
		buf_puts(out, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void put_text(struct buf *out, const char *s)
{
	size_t n = strlen(s) > MOST_TEXT ? MOST_TEXT : strlen(s);
	char part[MOST_TEXT + 1];

	while (n < strlen(s) && n && ((unsigned char)s[n] & 0xc0) == 0x80) /* not in the middle of a character */
		n--;
	snprintf(part, sizeof part, "%.*s", (int)n, s);
	buf_puts(out, "'");
	plain_name(out, part);
	buf_puts(out, s[n] ? "…'" : "'");
}

static void put_element(struct buf *out, const json_t *element, int digits)
{
	if (json_is_object(element))
		put_text(out, json_text_at(element, "text"));
	else if (json_is_integer(element))
		buf_printf(out, "%" PRId64, (int64_t)json_integer_value(element));
	else
		put_number(out, evidence_number(element), digits);
}

static void put_right(struct buf *out, const struct tensor *wide, size_t i, int digits)
{
	switch (dtype_wide(wide->dtype)) {
	case WIDE_I64:
		if (dtype_is_unsigned(wide->dtype))
			buf_printf(out, "%" PRIu64, (uint64_t)wide->i[i]);
		else
			buf_printf(out, "%" PRId64, wide->i[i]);
		break;
	case WIDE_STR:
		put_text(out, wide->s[i].p ? wide->s[i].p : "");
		break;
	case WIDE_C64:
		buf_printf(out, "%.9g%+.9gi", wide->f[2 * i], wide->f[2 * i + 1]);
		break;
	default:
		put_number(out, wide->f[i], digits);
	}
}

void came_put(struct buf *out, const json_t *element)
{
	put_element(out, element, digits_of_pair(evidence_number(element), 0));
}

void came_put_right(struct buf *out, const struct tensor *wide, size_t i)
{
	put_right(out, wide, i, digits_of_pair(tensor_get(wide, i), 0));
}

/* ---- elements that differ ---------------------------------------------------------------------------------------- */

/* 0: it is what is right, rounded to its type. */
static double distance(const json_t *element, const struct tensor *wide, size_t i)
{
	double got = evidence_number(element), right;

	if (wide->dtype == DT_STRING)
		return strcmp(json_text_at(element, "text"), wide->s[i].p ? wide->s[i].p : "") ? 1 : 0;
	if (wide->dtype == DT_INT64 && json_is_integer(element) && json_integer_value(element) != wide->i[i])
		return fmax(fabs(got - (double)wide->i[i]), 1);
	right = tensor_get(wide, i);
	if (dtype_is_float(wide->dtype))
		right = dtype_round(wide->dtype, right, 0);
	if (got == right || (isnan(got) && isnan(right)))
		return 0;
	return isfinite(got) && isfinite(right) ? fabs(got - right) : (double)INFINITY;
}

static size_t first_of(const json_t *came)
{
	json_int_t first = json_integer_value(json_object_get(came, "first"));

	return first > 0 ? (size_t)first : 0;
}

/* Puts an element among those that are furthest off, the furthest first. */
static size_t insert(size_t *at, double *how_far, size_t n, size_t most, size_t element, double d)
{
	size_t k = n < most ? n : most - 1;

	if (d <= 0 || (n == most && d <= how_far[k]))
		return n;
	for (; k && how_far[k - 1] < d; k--) {
		how_far[k] = how_far[k - 1];
		at[k] = at[k - 1];
	}
	how_far[k] = d;
	at[k] = element;
	return n < most ? n + 1 : n;
}

static void sort(size_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && at[k - 1] > at[k]; k--) {
			size_t swap = at[k];

			at[k] = at[k - 1];
			at[k - 1] = swap;
		}
}

size_t came_pick(const json_t *came, const struct tensor *wide, size_t most, size_t picked[CAME_PICKED])
{
	const json_t *values = json_object_get(came, "values");
	size_t first = first_of(came), n = 0;
	double how_far[CAME_PICKED];
	char type[256];

	if (dtype_wide(wide->dtype) == WIDE_C64 ||
	    strcmp(json_text_at(came, "type"), tensor_describe(wide, type, sizeof type)) != 0)
		return 0;
	for (size_t i = 0; i < json_array_size(values) && first < wide->count && i < wide->count - first; i++)
		n = insert(picked, how_far, n, most, first + i, distance(json_array_get(values, i), wide, first + i));
	sort(picked, n);
	return n;
}

void came_put_pair(struct buf *out, const json_t *came, const struct tensor *wide, size_t i)
{
	const json_t *element = json_array_get(json_object_get(came, "values"), i - first_of(came));
	int digits = digits_of_pair(evidence_number(element), tensor_get(wide, i));

	buf_printf(out, "element %zu: got ", i);
	put_element(out, element, digits);
	buf_puts(out, ", expected ");
	put_right(out, wide, i, digits);
}
