/* rule_invalid.c - a rule of assay's own: an argument that is not legal is refused, and ends no process.
 *
 * A call that the library took gets one argument that it cannot mean: a number far outside, a word that there is not, a
 * tensor of another type, rank or size, an index beyond the end, or nothing.  Whether the library must refuse it
 * nobody says for certain of its own operations, so an answer is no finding: a death and a hang are.  Of operators of
 * ONNX the reference can say it: an answer is a finding where it refuses the call as well, for one of the reasons that
 * leave nothing to make sense of (those of 'fuzz --invalid'). */
#include <string.h>

#include "methods/equiv/equiv.h"

#define TRIES 12    /* of an argument and a change, until one fits */
#define BEYOND 1000 /* past any axis, size and index that is drawn */
#define WORD EQUIV_NO_WORD

struct spoiling {
	struct expr *call;
	const char *name; /* of the argument */
	int firm;         /* no library may make sense of what was changed */
	struct bindings *in;
	struct rng *rng;
	struct err *err;
};

static uint64_t draw_below(struct spoiling *s, uint64_t n)
{
	return rng_below(s->rng, n);
}

/* Half of them just outside: ends of types make much work where they are sizes.  0 is where code divides by a size. */
static int64_t far_number(struct spoiling *s)
{
	static const int64_t numbers[] = {0, -1, -BEYOND, BEYOND, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

	return numbers[draw_below(s, draw_below(s, 2) ? 4 : sizeof numbers / sizeof *numbers)];
}

/* Numbers that lead nowhere, by the names of arguments. */
static int is_nowhere(const struct spoiling *s, int64_t x)
{
	static const struct {
		const char *name;
		int beyond, below, none; /* past either end, before the first, 0 */
	} rows[] = {
		{"axis", 1, 0, 0},    {"axes", 1, 0, 0},  {"batch_axis", 1, 0, 0}, {"time_axis", 1, 0, 0},
		{"indices", 1, 0, 0}, {"steps", 0, 0, 1}, {"delta", 0, 0, 1},      {"pads", 0, 1, 0},
		{"repeats", 0, 1, 0}, {"split", 0, 1, 0}, {"k", 0, 1, 0},          {"K", 0, 1, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(s->name, rows[i].name))
			return (rows[i].beyond && (x >= BEYOND || x <= -BEYOND)) || (rows[i].below && x <= -BEYOND) ||
			       (rows[i].none && !x);
	return 0;
}

static double far_float(struct spoiling *s)
{
	static const double numbers[] = {-1, -1e30, 1e30, 0};

	return numbers[draw_below(s, sizeof numbers / sizeof *numbers)];
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* What a tensor is made again as. */
struct spoiled_form {
	enum dtype dtype;
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
};

/* 0: this one cannot be changed so. */
typedef int change_fn(struct spoiling *s, struct spoiled_form *f);

static int other_type(struct spoiling *s, struct spoiled_form *f)
{
	static const enum dtype types[] = {DT_BOOL, DT_INT64, DT_FLOAT, DT_UINT8, DT_DOUBLE, DT_INT32, DT_COMPLEX64};
	enum dtype before = f->dtype;

	f->dtype = types[draw_below(s, sizeof types / sizeof *types)];
	return f->dtype != before;
}

static int one_number(struct spoiling *s, struct spoiled_form *f)
{
	(void)s;
	return f->rank ? !(f->rank = 0) : 0;
}

static int more_axes(struct spoiling *s, struct spoiled_form *f)
{
	if (f->rank == TENSOR_MAX_RANK)
		return 0;
	f->dims[f->rank++] = 1 + (int64_t)draw_below(s, 2);
	return 1;
}

static int other_size(struct spoiling *s, struct spoiled_form *f)
{
	if (!f->rank)
		return 0;
	f->dims[draw_below(s, (uint64_t)f->rank)] += 1 + (int64_t)draw_below(s, 3);
	return 1;
}

static int no_elements(struct spoiling *s, struct spoiled_form *f)
{
	if (!f->rank)
		return 0;
	f->dims[draw_below(s, (uint64_t)f->rank)] = 0;
	return 1;
}

static change_fn *const changes[] = {other_type, one_number, more_axes, other_size, no_elements};

/* Integers may be indices and sizes, single numbers of floats limits and ratios; bytes and halves are pixels. */
static int may_be_far(const struct tensor *t)
{
	return t->count && dtype_bits(t->dtype) > 16 && (dtype_is_int(t->dtype) || dtype_is_float(t->dtype));
}

/* One of its numbers far outside, as near as its type has it. */
static struct value *with_far_number(struct spoiling *s, const struct tensor *t)
{
	struct tensor *wide = tensor_widen((struct tensor *)t, s->err), *own = wide ? tensor_copy(wide, s->err) : NULL;
	struct tensor *packed = NULL;

	if (own) {
		size_t at = draw_below(s, own->count);

		if (dtype_is_int(t->dtype)) {
			own->i[at] = far_number(s);
			s->firm = is_nowhere(s, dtype_wrap(t->dtype, own->i[at]));
		} else {
			own->f[at] = far_float(s);
		}
		packed = tensor_pack(own, s->err);
	}
	tensor_unref(wide);
	tensor_unref(own);
	return packed ? value_tensor(packed, s->err) : NULL;
}

static int spoil_tensor(struct spoiling *s, const struct expr *x, enum equiv_spoiled *spoiled)
{
	const struct draw_binding *b = bindings_find(s->in, x->text);
	const struct tensor *t = b && b->tensor && b->tensor->kind == VALUE_TENSOR ? b->tensor->tensor : NULL;
	struct spoiled_form f = {.dtype = t ? t->dtype : DT_UNDEFINED, .rank = t ? t->rank : 0};
	struct value *made;

	if (!t)
		return 0;
	memcpy(f.dims, t->dims, sizeof f.dims);
	if (may_be_far(t) && draw_below(s, 2))
		made = with_far_number(s, t);
	else if (changes[draw_below(s, sizeof changes / sizeof *changes)](s, &f))
		made = draw_tensor(f.dtype, f.rank, f.dims, DRAW_PLAIN, 0, s->rng, s->err);
	else
		return 0;
	if (!made)
		return s->err->code;
	bindings_replace(s->in, x->text, made);
	*spoiled = EQUIV_SPOILED;
	return 0;
}

/* ---- other arguments --------------------------------------------------------------------------------------------- */

static int spoil_number(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled)
{
	if (x->kind == EXPR_INT) {
		x->i = far_number(s);
		s->firm = is_nowhere(s, x->i);
	} else {
		x->f = far_float(s);
	}
	*spoiled = EQUIV_SPOILED;
	return 0;
}

/* A list that is empty, one shorter, or has another number in it. */
static int spoil_list(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled)
{
	struct expr *item = x->n ? x->items[draw_below(s, x->n)] : NULL;
	uint64_t how = draw_below(s, 4);

	if (!item)
		return 0;
	if (item->kind == EXPR_VARIABLE && how > 1)
		return spoil_tensor(s, item, spoiled);
	if ((item->kind == EXPR_INT || item->kind == EXPR_FLOAT) && how > 1)
		return spoil_number(s, item, spoiled);
	x->n = how ? x->n - 1 : 0;
	*spoiled = EQUIV_SPOILED;
	return 0;
}

static int spoil_type(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled)
{
	struct spoiled_form f = {.dtype = (enum dtype)x->i};

	*spoiled = other_type(s, &f) ? EQUIV_SPOILED : EQUIV_LEGAL;
	x->i = f.dtype;
	return 0;
}

static int spoil_word(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled)
{
	x->text = WORD;
	s->firm = 1;
	*spoiled = EQUIV_SPOILED;
	return 0;
}

static int spoil_variable(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled)
{
	return spoil_tensor(s, x, spoiled);
}

static int (*const by_kind[])(struct spoiling *s, struct expr *x, enum equiv_spoiled *spoiled) = {
	[EXPR_VARIABLE] = spoil_variable,
	[EXPR_INT] = spoil_number,
	[EXPR_FLOAT] = spoil_number,
	[EXPR_STRING] = spoil_word,
	[EXPR_DTYPE] = spoil_type,
	[EXPR_LIST] = spoil_list,
	[EXPR_SUM] = NULL,
};

static void leave_out(struct expr *call, size_t at)
{
	memmove(call->items + at, call->items + at + 1, (call->n - at - 1) * sizeof *call->items);
	call->n--;
}

static int spoil(struct expr *call, struct bindings *in, struct rng *r, enum equiv_spoiled *spoiled, struct err *e)
{
	struct spoiling s = {.call = call, .in = in, .rng = r, .err = e};
	int rc = 0;

	*spoiled = EQUIV_LEGAL;
	for (int i = 0; i < TRIES && call->n && !rc && !*spoiled; i++) {
		size_t at = draw_below(&s, call->n);

		s.name = call->items[at]->name;
		s.firm = 0;
		if (!draw_below(&s, 16)) {
			leave_out(call, at);
			s.firm = 1; /* where the operator cannot do without it */
			*spoiled = EQUIV_SPOILED;
		} else if (by_kind[call->items[at]->kind]) {
			rc = by_kind[call->items[at]->kind](&s, call->items[at], spoiled);
		}
	}
	if (*spoiled && s.firm)
		*spoiled = EQUIV_SPOILED_FIRMLY;
	return rc;
}

static const struct rule_every every = {.applies = equiv_any, .other = equiv_same_call, .spoil = spoil};
const struct equiv_rule rule_invalid = {19, "invalid", "what is not legal ends no process", &every};
