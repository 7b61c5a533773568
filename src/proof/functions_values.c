/* functions_values.c - functions of what was recorded (terms.h): of the elements of tensors, for libraries that take
 * axes, sizes and paddings so, and for documentation that leaves results open for some; and of texts, for libraries
 * that take all parameters so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/kit/convert.h"
#include "proof/terms.h"

/* The elements of an argument of the call, wide; NULL and the error set: it is none, or was not recorded. */
static struct tensor *elements(struct meaning_maker *m, const struct proof_term *t)
{
	struct tensor *packed = t->kind == TERM_WIRE && m->calls ? calls_value(m->calls, t->wire->name) : NULL;
	struct tensor *wide;

	if (!packed) {
		term_bad(m, "an argument with recorded elements is wanted");
		return NULL;
	}
	wide = tensor_widen(packed, m->b.err);
	if (!wide)
		m->b.rc = m->b.err->code;
	return wide;
}

static struct proof_term element(const struct tensor *wide, size_t i)
{
	return dtype_wide(wide->dtype) == WIDE_F64 ? term_float(wide->f[i]) : term_int(wide->i[i]);
}

/* values(x): the elements of a tensor as a list; a list stays itself. */
static struct proof_term values(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *wide = a[0].kind == TERM_LIST ? NULL : elements(m, &a[0]);
	struct proof_term list = wide ? term_list(m, wide->count) : a[0];

	(void)n;
	for (size_t i = 0; wide && i < list.n; i++)
		list.items[i] = element(wide, i);
	tensor_unref(wide);
	return list;
}

/* value(x): the only element; a number stays itself. */
static struct proof_term value(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_is_number(&a[0]) ? a[0] : values(m, a, n);

	if (list.kind != TERM_LIST || m->b.rc)
		return list;
	return list.n == 1 ? list.items[0] : term_bad(m, "value: there are %zu", list.n);
}

/* The lowest number of a list (sign -1), or the highest (1); of an empty list what no number passes. */
static struct proof_term extreme(struct meaning_maker *m, const struct proof_term *list, double sign)
{
	struct proof_term best = term_float(-sign * (double)INFINITY);

	for (size_t i = 0; list->kind == TERM_LIST && i < list->n; i++) {
		if (!term_is_number(&list->items[i]))
			return term_bad(m, "a list of numbers is wanted");
		if (sign * list->items[i].f > sign * best.f)
			best = list->items[i];
	}
	return best;
}

static struct proof_term low(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return extreme(m, &a[0], -1);
}

static struct proof_term high(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return extreme(m, &a[0], 1);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* A number, a truth or None as libraries write them; what is neither stays a text. */
static struct proof_term read_word(const char *word)
{
	char *end;
	double x = strtod(word, &end);

	if (*word && !*end)
		return word[strcspn(word, ".eEnN")] ? term_float(x) : term_int(strtoll(word, NULL, 10));
	if (!strcmp(word, "True") || !strcmp(word, "False"))
		return term_int(*word == 'T');
	if (!strcmp(word, "None") || !strcmp(word, ""))
		return (struct proof_term){.kind = TERM_NONE};
	return (struct proof_term){.kind = TERM_STRING, .s = word};
}

/* read(text): "1.5", "True", "(1, None, 3)", "[2]" as what they say; what is no text stays itself. */
static struct proof_term read_text(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	char *text = a[0].kind == TERM_STRING ? arena_strdup(m->arena, a[0].s) : NULL, *word, *rest;
	struct proof_term list;
	size_t count = 0;

	(void)n;
	if (!text)
		return a[0];
	if (!strchr("([", *text))
		return read_word(text);
	list = term_list(m, strlen(text));
	for (word = strtok_r(text, "([, ])", &rest); word && list.n; word = strtok_r(NULL, "([, ])", &rest))
		list.items[count++] = read_word(word);
	list.n = count;
	return list;
}

/* has(text, part) */
static struct proof_term has_part(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	if (a[0].kind != TERM_STRING || a[1].kind != TERM_STRING)
		return term_bad(m, "has: two texts are wanted");
	return term_int(strstr(a[0].s, a[1].s) != NULL);
}

/* after(text, mark): what stands behind the mark, all where there is none. */
static struct proof_term text_after(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const char *at;

	(void)n;
	if (a[0].kind != TERM_STRING || a[1].kind != TERM_STRING)
		return term_bad(m, "after: two texts are wanted");
	at = strstr(a[0].s, a[1].s);
	return (struct proof_term){.kind = TERM_STRING, .s = at ? at + strlen(a[1].s) : a[0].s};
}

/* single(x): the number as a parameter of type float32 has it. */
static struct proof_term as_single(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return term_is_number(&a[0]) ? term_float((float)a[0].f) : term_bad(m, "single: a number is wanted");
}

/* type("float32") */
static struct proof_term type_of_text(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	enum dtype t = a[0].kind == TERM_STRING ? dtype_from_name(a[0].s) : DT_UNDEFINED;

	(void)n;
	if (a[0].kind == TERM_DTYPE)
		return a[0];
	if (t == DT_UNDEFINED)
		return term_bad(m, "type: the name of an element type is wanted");
	return (struct proof_term){.kind = TERM_DTYPE, .i = t};
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

/* bit(mask, i) */
static struct proof_term bit(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_int(a[1].i >= 0 && a[1].i < 63 && (a[0].i >> a[1].i & 1));
}

/* ---- open results ------------------------------------------------------------------------------------------------ */

/* finite(x): all elements are. */
static struct proof_term all_finite(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *wide = elements(m, &a[0]);
	int all = 1;

	(void)n;
	for (size_t i = 0; wide && i < wide->count; i++)
		all &= isfinite(tensor_get(wide, i)) != 0;
	tensor_unref(wide);
	return term_int(all);
}

/* Are two of the n elements at x, step apart, the same? */
static int row_repeats(const struct tensor *x, size_t at, size_t step, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!(tensor_get(x, at + i * step) < tensor_get(x, at + k * step)) &&
			    !(tensor_get(x, at + i * step) > tensor_get(x, at + k * step)))
				return 1;
	return 0;
}

/* Does the largest (sign 1) or smallest (-1) of the n elements at x, step apart, stand there twice, or a NaN? */
static int row_ties(const struct tensor *x, size_t at, size_t step, size_t n, double sign)
{
	double best = -(double)INFINITY;
	size_t times = 0;

	for (size_t i = 0; i < n; i++) {
		double v = sign * tensor_get(x, at + i * step);

		if (isnan(v))
			return 1;
		if (v > best || !i) {
			best = v;
			times = 0;
		}
		times += v == best;
	}
	return times > 1;
}

/* ties(x, axis, sign): somewhere along the axis the largest (1) or smallest (-1) element is not alone, or (0) any. */
static struct proof_term ties(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *wide = elements(m, &a[0]);
	int64_t axis = wide && a[1].i < 0 ? a[1].i + wide->rank : a[1].i;
	size_t length, step = 1;
	int found = 0;

	(void)n;
	if (!wide || axis < 0 || axis >= wide->rank) {
		tensor_unref(wide);
		return term_bad(m, "ties: there is no such axis");
	}
	for (int i = (int)axis + 1; i < wide->rank; i++)
		step *= (size_t)wide->dims[i];
	length = (size_t)wide->dims[axis];
	for (size_t i = 0; i < wide->count && !found; i++)
		if (i / step % length == 0)
			found = a[2].f != 0 ? row_ties(wide, i, step, length, a[2].f)
					    : row_repeats(wide, i, step, length);
	tensor_unref(wide);
	return term_int(found);
}

/* repeats(index): two rows of the last axis are the same. */
static struct proof_term repeats(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *wide = elements(m, &a[0]);
	size_t length, rows;
	int found = 0;

	(void)n;
	if (!wide)
		return a[0];
	length = wide->rank ? (size_t)wide->dims[wide->rank - 1] : 1;
	rows = length ? wide->count / length : 0;
	for (size_t i = 0; i < rows; i++)
		for (size_t k = 0; k < i && !found; k++)
			found = !memcmp(wide->i + i * length, wide->i + k * length, length * sizeof *wide->i);
	tensor_unref(wide);
	return term_int(found);
}

/* beyond(x, type): a float of x is none of the integer type, which its documentation mostly leaves open. */
static struct proof_term beyond(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *wide;
	int found = 0;

	(void)n;
	if (a[1].kind != TERM_DTYPE)
		return term_bad(m, "beyond: a type is wanted");
	if (!dtype_is_int((enum dtype)a[1].i))
		return term_int(0);
	wide = elements(m, &a[0]);
	for (size_t i = 0; wide && dtype_is_float(wide->dtype) && i < wide->count && !found; i++)
		found = !convert_fits(wide->f[i], (enum dtype)a[1].i);
	tensor_unref(wide);
	return term_int(found);
}

static const struct {
	const char *name;
	size_t arguments; /* at least */
	term_function *function;
} functions[] = {
	{"values", 1, values},     {"value", 1, value},      {"low", 1, low},      {"high", 1, high},
	{"ties", 3, ties},         {"repeats", 1, repeats},  {"bit", 2, bit},      {"read", 1, read_text},
	{"type", 1, type_of_text}, {"single", 1, as_single}, {"has", 2, has_part}, {"after", 2, text_after},
	{"finite", 1, all_finite}, {"beyond", 2, beyond},
};

term_function *term_find_of_values(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name) && n >= functions[i].arguments)
			return functions[i].function;
	return NULL;
}
