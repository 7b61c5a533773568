/* functions.c - the functions that meanings are written with (terms.h): questions about shapes and types, lists,
 * conditions.  Each row of `functions` has its arguments behind it. */
#include <string.h>

#include "proof/terms.h"

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static const struct type *tensor_type(struct meaning_maker *m, const struct proof_term *t)
{
	if (t->kind == TERM_WIRE && t->wire->type.rank >= 0)
		return &t->wire->type;
	term_bad(m, "a tensor of known shape is wanted");
	return NULL;
}

static struct proof_term rank_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = tensor_type(m, &a[0]);

	(void)n;
	return t ? term_int(t->rank) : a[0];
}

/* size(x, axis); an axis below 0 counts from the end. */
static struct proof_term size_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = tensor_type(m, &a[0]);
	int64_t axis = a[1].i + (t && a[1].i < 0 ? t->rank : 0);

	(void)n;
	if (!t)
		return a[0];
	return axis >= 0 && axis < t->rank ? term_int(t->dims[axis]) : term_bad(m, "size: there is no such axis");
}

static struct proof_term shape_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = tensor_type(m, &a[0]);
	struct proof_term list = term_list(m, t ? (size_t)t->rank : 0);

	(void)n;
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = term_int(t->dims[i]);
	return list;
}

static struct proof_term dtype_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	if (a[0].kind != TERM_WIRE)
		return term_bad(m, "dtype: a tensor is wanted");
	return (struct proof_term){.kind = TERM_DTYPE, .i = a[0].wire->type.dtype};
}

/* Of numbers, too: 1.0 is a float, 1 is none. */
static struct proof_term is_float(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term t = term_is_number(&a[0]) || a[0].kind == TERM_DTYPE ? a[0] : dtype_of(m, a, n);

	return term_int(t.kind == TERM_DTYPE ? dtype_is_float((enum dtype)t.i) : t.kind == TERM_FLOAT);
}

/* bits(x or type): the width of its elements. */
static struct proof_term bits(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term t = a[0].kind == TERM_DTYPE ? a[0] : dtype_of(m, a, n);

	return t.kind == TERM_DTYPE ? term_int(dtype_bits((enum dtype)t.i)) : t;
}

static struct proof_term is_complex(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_int(a[0].kind == TERM_WIRE && a[0].is_complex);
}

/* as(number or list, x): a constant of x's element type. */
static struct proof_term as_type_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	if (a[1].kind != TERM_WIRE && a[1].kind != TERM_DTYPE)
		return term_bad(m, "as: a tensor or a type is wanted");
	return term_wire(term_to_wire(m, &a[0], a[1].kind == TERM_WIRE ? a[1].wire->type.dtype : (enum dtype)a[1].i));
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static size_t length(const struct proof_term *t)
{
	return t->kind == TERM_LIST ? t->n : t->kind == TERM_NONE ? 0 : 1;
}

/* cat(a, b, …): lists, or single items, one behind the other. */
static struct proof_term join(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += length(&a[i]);
	list = term_list(m, total);
	for (size_t i = 0; i < n && list.n; i++)
		for (size_t k = 0; k < length(&a[i]); k++)
			list.items[at++] = a[i].kind == TERM_LIST ? a[i].items[k] : a[i];
	return list;
}

/* fill(n, x): x n times. */
static struct proof_term fill(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_list(m, a[0].i > 0 && a[0].i < 64 ? (size_t)a[0].i : 0);

	(void)n;
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = a[1];
	return list;
}

/* each(list, n): the list, or a single number n times: what windows take as "one for all axes". */
static struct proof_term each(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	if (a[0].kind == TERM_LIST && a[0].n == (size_t)a[1].i)
		return a[0];
	if (a[0].kind == TERM_LIST && a[0].n != 1)
		return term_bad(m, "each: %zu numbers for %lld axes", a[0].n, (long long)a[1].i);
	return fill(m, (struct proof_term[]){a[1], a[0].kind == TERM_LIST ? a[0].items[0] : a[0]}, 2);
}

static struct proof_term reversed(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_list(m, length(&a[0]));

	(void)n;
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = a[0].items[list.n - 1 - i];
	return list;
}

/* at(list, i) */
static struct proof_term item(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int64_t i = a[1].i + (a[1].i < 0 ? (int64_t)length(&a[0]) : 0);

	(void)n;
	if (a[0].kind != TERM_LIST || i < 0 || (size_t)i >= a[0].n)
		return term_bad(m, "at: there is no item %lld", (long long)a[1].i);
	return a[0].items[i];
}

static struct proof_term length_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_int((int64_t)length(&a[0]));
}

/* range(from, to) */
static struct proof_term range(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int64_t count = a[1].i - a[0].i;
	struct proof_term list = term_list(m, count > 0 && count < 64 ? (size_t)count : 0);

	(void)n;
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = term_int(a[0].i + (int64_t)i);
	return list;
}

/* part(list, from, to), or every step-th item of it: part(list, from, to, step) */
static struct proof_term part(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int64_t size = (int64_t)length(&a[0]), from = a[1].i < 0 ? a[1].i + size : a[1].i;
	int64_t to = a[2].i < 0 ? a[2].i + size : a[2].i, step = n > 3 ? a[3].i : 1;
	struct proof_term list;

	if (from < 0 || to > size || from > to || step < 1)
		return term_bad(m, "part: the list has %lld items", (long long)size);
	list = term_list(m, (size_t)((to - from + step - 1) / step));
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = a[0].items[from + (int64_t)i * step];
	return list;
}

/* swap(list, i, j) */
static struct proof_term swapped(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = join(m, a, 1);
	int64_t size = (int64_t)list.n, i = a[1].i < 0 ? a[1].i + size : a[1].i,
		j = a[2].i < 0 ? a[2].i + size : a[2].i;

	(void)n;
	if (i < 0 || j < 0 || i >= size || j >= size)
		return term_bad(m, "swap: the list has %lld items", (long long)size);
	list.items[i] = a[0].items[j];
	list.items[j] = a[0].items[i];
	return list;
}

/* sum(list), prod(list) */
static struct proof_term folded(const struct proof_term *list, int product)
{
	int64_t whole = product;
	double x = product;
	int real = 0;

	for (size_t i = 0; i < list->n; i++) {
		real |= list->items[i].kind == TERM_FLOAT;
		whole = product ? whole * list->items[i].i : whole + list->items[i].i;
		x = product ? x * list->items[i].f : x + list->items[i].f;
	}
	return real ? term_float(x) : term_int(whole);
}

static struct proof_term sum_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return a[0].kind == TERM_LIST ? folded(&a[0], 0) : term_bad(m, "sum: a list is wanted");
}

static struct proof_term product_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return a[0].kind == TERM_LIST ? folded(&a[0], 1) : term_bad(m, "prod: a list is wanted");
}

/* ---- numbers and conditions -------------------------------------------------------------------------------------- */

static int compare(const struct proof_term *a, const struct proof_term *b)
{
	if (a->kind == TERM_STRING && b->kind == TERM_STRING)
		return strcmp(a->s, b->s);
	if (a->kind == TERM_NONE || b->kind == TERM_NONE)
		return (a->kind != TERM_NONE) - (b->kind != TERM_NONE);
	if (a->kind == TERM_LIST && b->kind == TERM_LIST) {
		int d = (a->n > b->n) - (a->n < b->n);

		for (size_t i = 0; i < a->n && !d; i++)
			d = compare(&a->items[i], &b->items[i]);
		return d;
	}
	if (a->kind == TERM_DTYPE || b->kind == TERM_DTYPE)
		return (a->i > b->i) - (a->i < b->i);
	return (a->f > b->f) - (a->f < b->f);
}

#define COMPARISON(name, test)                                                                       \
	static struct proof_term name(struct meaning_maker *m, const struct proof_term *a, size_t n) \
	{                                                                                            \
		(void)m;                                                                             \
		(void)n;                                                                             \
		return term_int(compare(&a[0], &a[1]) test 0);                                       \
	}

COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
COMPARISON(less, <)
COMPARISON(less_or_equal, <=)

static struct proof_term both(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int all = 1;

	(void)m;
	for (size_t i = 0; i < n; i++)
		all &= term_is_true(&a[i]);
	return term_int(all);
}

static struct proof_term either(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int any = 0;

	(void)m;
	for (size_t i = 0; i < n; i++)
		any |= term_is_true(&a[i]);
	return term_int(any);
}

static struct proof_term negation(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_int(!term_is_true(&a[0]));
}

/* quotient(a, b), rounded down */
static struct proof_term quotient(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	int64_t x = a[0].i, y = a[1].i;

	(void)n;
	return y ? term_int(x / y - (x % y && (x < 0) != (y < 0))) : term_bad(m, "quotient: a division by 0");
}

/* ratio(a, b), not rounded */
static struct proof_term ratio(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_float(a[0].f / a[1].f);
}

/* single(x): the number as float32 has it */
static struct proof_term single(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return a[0].kind == TERM_FLOAT ? term_float((double)(float)a[0].f) : a[0];
}

/* wrap(axis, rank): an axis below 0 counts from the end. */
static struct proof_term wrapped(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return term_int(a[0].i < 0 ? a[0].i + a[1].i : a[0].i);
}

static struct proof_term least(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return compare(&a[0], &a[1]) < 0 ? a[0] : a[1];
}

static struct proof_term largest(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)m;
	(void)n;
	return compare(&a[0], &a[1]) > 0 ? a[0] : a[1];
}

static const struct {
	const char *name;
	size_t arguments; /* at least */
	term_function *function;
} functions[] = {
	{"rank", 1, rank_of},      {"size", 2, size_of},      {"shape", 1, shape_of},
	{"dtype", 1, dtype_of},    {"is_float", 1, is_float}, {"as", 2, as_type_of},
	{"cat", 0, join},          {"fill", 2, fill},         {"each", 2, each},
	{"rev", 1, reversed},      {"at", 2, item},           {"len", 1, length_of},
	{"range", 2, range},       {"part", 3, part},         {"eq", 2, equal},
	{"ne", 2, not_equal},      {"lt", 2, less},           {"le", 2, less_or_equal},
	{"and", 1, both},          {"or", 1, either},         {"not", 1, negation},
	{"quotient", 2, quotient}, {"wrap", 2, wrapped},      {"min", 2, least},
	{"max", 2, largest},       {"ratio", 2, ratio},       {"sum", 1, sum_of},
	{"prod", 1, product_of},   {"swap", 3, swapped},      {"is_complex", 1, is_complex},
	{"single", 1, single},     {"bits", 1, bits},
};

term_function *term_find(const char *name, size_t n)
{
	term_function *found;

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name) && n >= functions[i].arguments)
			return functions[i].function;
	found = term_find_of_values(name, n);
	return found ? found : term_find_array(name, n);
}
