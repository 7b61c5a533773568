/* functions_graph.c - functions of meanings (terms.h) for libraries of networks, whose nodes take sizes, axes and pads
 * as tensors: their elements as lists, arithmetic on such lists, parts of a tensor. */
#include <string.h>

#include "ops/op.h"
#include "proof/terms.h"

/* ---- elements of recorded tensors -------------------------------------------------------------------------------- */

/* values(x): the elements of a recorded tensor, as a list; a list stays as it is. */
static struct proof_term elements_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct tensor *t = a[0].kind == TERM_WIRE ? calls_value(m->calls, a[0].wire->name) : NULL;
	struct tensor *wide = t ? tensor_widen(t, m->b.err) : NULL;
	struct proof_term list = a[0];

	(void)n;
	if (a[0].kind == TERM_LIST)
		return a[0];
	if (!t)
		return term_bad(m, "values: a recorded tensor is wanted");
	if (!wide)
		m->b.rc = m->b.err->code;
	else
		list = term_list(m, wide->count);
	for (size_t i = 0; wide && i < list.n; i++)
		list.items[i] = dtype_is_float(wide->dtype) ? term_float(wide->f[i]) : term_int(wide->i[i]);
	tensor_unref(wide);
	return list;
}

/* value(x): the only element of a recorded tensor. */
static struct proof_term element_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = elements_of(m, a, n);

	return list.kind == TERM_LIST && list.n == 1 ? list.items[0] : term_bad(m, "value: one element is wanted");
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* every(list, from, step): items from, from + step, … */
static struct proof_term every(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	size_t from = (size_t)a[1].i, step = (size_t)a[2].i;
	struct proof_term list;

	(void)n;
	if (a[0].kind != TERM_LIST || a[1].i < 0 || a[2].i < 1)
		return term_bad(m, "every: a list, the first item's place and a step are wanted");
	list = term_list(m, from < a[0].n ? (a[0].n - from - 1) / step + 1 : 0);
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = a[0].items[from + i * step];
	return list;
}

/* plus(a, b): sums of the items of two lists of the same length. */
static struct proof_term sums(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list;

	(void)n;
	if (a[0].kind != TERM_LIST || a[1].kind != TERM_LIST || a[0].n != a[1].n)
		return term_bad(m, "plus: two lists of the same length are wanted");
	list = term_list(m, a[0].n);
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = term_int(a[0].items[i].i + a[1].items[i].i);
	return list;
}

/* low(list): the lowest number */
static struct proof_term lowest(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term low;

	(void)n;
	if (a[0].kind != TERM_LIST || !a[0].n)
		return term_bad(m, "low: a list with items is wanted");
	low = a[0].items[0];
	for (size_t i = 1; i < a[0].n; i++)
		if (a[0].items[i].f < low.f)
			low = a[0].items[i];
	return low;
}

/* choose(bits, a, b): items of `a` where the bit of their place is set, of `b` elsewhere. */
static struct proof_term choose(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list;

	(void)n;
	if (a[1].kind != TERM_LIST || a[2].kind != TERM_LIST || a[1].n != a[2].n || a[1].n > 62)
		return term_bad(m, "choose: two lists of the same length are wanted");
	list = term_list(m, a[1].n);
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = a[0].i >> i & 1 ? a[1].items[i] : a[2].items[i];
	return list;
}

/* far(steps): for each step an end that no axis reaches. */
static struct proof_term far_ends(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list;

	(void)n;
	if (a[0].kind != TERM_LIST)
		return term_bad(m, "far: a list is wanted");
	list = term_list(m, a[0].n);
	for (size_t i = 0; i < list.n; i++)
		list.items[i] = term_int(a[0].items[i].i < 0 ? -INT64_MAX : INT64_MAX);
	return list;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static struct wire *vector(struct meaning_maker *m, int64_t x)
{
	struct proof_term one = term_int(x), list = {.kind = TERM_LIST, .items = &one, .n = 1};

	return term_to_wire(m, &list, DT_UNDEFINED);
}

/* cut(x, axis, sizes): the tensor's parts along an axis, a list of them. */
static struct proof_term parts_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct arena scratch = ARENA_INIT;
	struct proof_term list;
	int64_t at = 0;

	(void)n;
	if (a[0].kind != TERM_WIRE || !term_is_number(&a[1]) || a[2].kind != TERM_LIST)
		return term_bad(m, "cut: a tensor, an axis and a list of sizes are wanted");
	list = term_list(m, a[2].n);
	for (size_t i = 0; i < list.n && !m->b.rc; i++) {
		int64_t end = at + a[2].items[i].i;
		struct wire *in[] = {a[0].wire, vector(m, at), vector(m, end), vector(m, a[1].i)};
		struct wire *out = term_node(m, "Slice", in, 4, 0);

		if (!m->b.rc)
			m->b.rc = ops_infer_node(out->producer, &scratch, m->b.err);
		list.items[i] = term_wire(out);
		at = end;
	}
	arena_release(&scratch);
	return list;
}

static const struct {
	const char *name;
	size_t arguments;
	term_function *function;
} functions[] = {
	{"values", 1, elements_of}, {"value", 1, element_of}, {"every", 3, every},  {"plus", 2, sums},
	{"low", 1, lowest},         {"choose", 3, choose},    {"far", 1, far_ends}, {"cut", 3, parts_of},
};

term_function *term_find_graph(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name) && n == functions[i].arguments)
			return functions[i].function;
	return NULL;
}
