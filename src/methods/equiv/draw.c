/* draw.c - see draw.h. */
#include "methods/equiv/draw.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/sample/values.h"

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static int bad(const char *text, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "variables '%s': %s", text, what);
}

static const struct {
	const char *word;
	enum draw_how how;
} hows[] = {{"positive", DRAW_POSITIVE},
	    {"whole", DRAW_WHOLE},
	    {"plain", DRAW_PLAIN},
	    {"edges", DRAW_EDGES},
	    {"below", DRAW_BELOW}};

/* ".positive", ".below5": what follows the element type; *at is moved behind it. */
static int parse_how(const char **at, struct draw_variable *v, const char *text, struct err *e)
{
	const char *word = *at + 1;
	size_t n = 0;
	char *after;

	if (**at != '.')
		return 0;
	while (isalpha((unsigned char)word[n]))
		n++;
	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
		if (strlen(hows[i].word) == n && !strncmp(hows[i].word, word, n))
			v->how = hows[i].how;
	if (v->how == DRAW_ANY)
		return bad(text, "after '.' stands positive, whole, plain, edges or belowN", e);
	*at = word + n;
	if (v->how != DRAW_BELOW)
		return 0;
	v->below = strtoll(*at, &after, 10);
	*at = after;
	return v->below < 1 ? bad(text, "'below' needs a number", e) : 0;
}

/* "float32.edges[n,3]" */
static int parse_tensor(const char *at, const char *end, struct arena *a, struct draw_variable *v, const char *text,
			struct err *e)
{
	const char *from = at;
	int rc;

	while (at < end && isalnum((unsigned char)*at))
		at++;
	v->is_tensor = 1;
	v->dtype = dtype_from_name(arena_strndup(a, from, (size_t)(at - from)));
	if (v->dtype == DT_UNDEFINED)
		return bad(text, "there is no such element type", e);
	rc = parse_how(&at, v, text, e);
	if (rc)
		return rc;
	if (at >= end || *at != '[')
		return bad(text, "a tensor needs its sizes", e);
	return expr_parse(arena_strndup(a, at, (size_t)(end - at)), a, &v->dims, e);
}

static int parse_int(const char *at, struct draw_variable *v, const char *text, struct err *e)
{
	char *after;

	v->lo = v->hi = strtoll(at, &after, 10);
	if (after == at)
		return bad(text, "an integer needs its range", e);
	if (!strncmp(after, "..", 2))
		v->hi = strtoll(after + 2, &after, 10);
	return v->lo <= v->hi ? 0 : bad(text, "a range is empty", e);
}

int draw_parse(const char *text, struct arena *a, struct draw *out, struct err *e)
{
	const char *at = text;
	int rc = 0;

	*out = (struct draw){0};
	while (*at && !rc) {
		const char *end = at + strcspn(at, " "), *mark = at + strcspn(at, "=:");
		struct draw_variable *v = &out->at[out->n];

		if (out->n == DRAW_MAX)
			return bad(text, "there are too many", e);
		if (mark >= end || mark == at)
			return bad(text, "wanted NAME=LO..HI or NAME:TYPE[SIZES]", e);
		v->name = arena_strndup(a, at, (size_t)(mark - at));
		rc = *mark == '=' ? parse_int(mark + 1, v, text, e) : parse_tensor(mark + 1, end, a, v, text, e);
		if (!rc && !v->name)
			rc = err_nomem(e, "variables", 0);
		out->n++;
		at = end + strspn(end, " ");
	}
	return rc;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* One of the numbers where libraries part ways.  The largest of a type are not among them where several may be: sums
 * that overflow depend on their order, which is nobody's fault. */
static double edge_value(enum dtype t, int far, struct rng *r)
{
	double large = far ? (double)INFINITY : t == DT_FLOAT16 ? 1e3 : 1e15, x;

	do
		x = values_float(t, r);
	while (isfinite(x) && fabs(x) > large);
	return x;
}

/* So large or so small that a product of two such numbers has no place in the type.  One of a tensor: a sum of several
 * would depend on their order. */
static double end_value(enum dtype t, struct rng *r)
{
	double max = dtype_max(t), x = rng_below(r, 2) ? rng_uniform(r, 0.05, 0.9) * max
						       : exp(rng_uniform(r, log(max) / 2, log(0.9 * max)));

	x = rng_below(r, 3) ? x : 1 / x;
	return dtype_round(t, rng_below(r, 2) ? -x : x, 1);
}

/* Those among them that no work grows with, when a number is a size, a count or a rate. */
static double small_edge(enum dtype t, struct rng *r)
{
	const double edges[] = {0.0, -0.0, dtype_smallest(t) / 4, -1.0, (double)NAN, -(double)INFINITY};

	return edges[rng_below(r, sizeof edges / sizeof *edges)];
}

static double float_value(enum dtype t, enum draw_how how, size_t i, struct rng *r)
{
	double x = 2 * rng_normal(r);

	if (how == DRAW_WHOLE)
		return (double)rng_between(r, -8, 8);
	if (how == DRAW_POSITIVE)
		return fabs(x) + 0.05;
	if (draw_has_edges(how) && !rng_below(r, 4))
		return edge_value(t, how == DRAW_FAR_EDGES && !i, r);
	if (how == DRAW_SMALL_EDGES)
		return rng_below(r, 2) ? small_edge(t, r) : x;
	if (how == DRAW_END && !i && rng_below(r, 4))
		return end_value(t, r);
	if (how == DRAW_PLAIN || how == DRAW_END)
		return x;
	switch (rng_below(r, 24)) {
	case 0:
		return i % 2 ? 0.0 : -0.0;
	case 1:
		return dtype_smallest(t) / 8;
	default:
		return x;
	}
}

static int64_t small_int_edge(enum dtype t, struct rng *r)
{
	const int64_t edges[] = {0, -1, -2, t == DT_INT64 ? INT64_MAX : 5, t == DT_INT64 ? INT64_MIN : 6};

	return edges[rng_below(r, sizeof edges / sizeof *edges)];
}

static int64_t int_value(enum dtype t, enum draw_how how, int64_t below, struct rng *r)
{
	if (how == DRAW_BELOW)
		return (int64_t)rng_below(r, (uint64_t)below);
	if (t == DT_BOOL)
		return (int64_t)rng_below(r, 2);
	if (draw_has_edges(how) && !rng_below(r, 4))
		return values_int(t, r);
	if (how == DRAW_SMALL_EDGES && rng_below(r, 2))
		return small_int_edge(t, r);
	if (how == DRAW_FULL && dtype_bits(t) < 64)
		return rng_between(r, (int64_t)dtype_lowest(t), (int64_t)dtype_max(t));
	if (t == DT_UINT8)
		return rng_between(r, 0, 255);
	return rng_between(r, dtype_is_unsigned(t) || how == DRAW_POSITIVE ? 1 : -9, 9);
}

/* Takes the wide tensor. */
static struct value *pack(struct tensor *wide, struct err *e)
{
	struct tensor *packed;

	tensor_round(wide);
	packed = tensor_pack(wide, e);
	tensor_unref(wide);
	return packed ? value_tensor(packed, e) : NULL;
}

struct value *draw_tensor(enum dtype t, int rank, const int64_t *dims, enum draw_how how, int64_t below, struct rng *r,
			  struct err *e)
{
	struct tensor *wide = tensor_zeros(t, rank, dims, e);
	enum wide form = dtype_wide(t);
	enum dtype part = t == DT_COMPLEX128 ? DT_DOUBLE : DT_FLOAT; /* of a complex number */

	if (!wide)
		return NULL;
	for (size_t i = 0; i < wide->count; i++) {
		if (form == WIDE_F64)
			wide->f[i] = float_value(t, how, i, r);
		else if (form == WIDE_C64)
			wide->f[2 * i] = float_value(part, how, i, r),
				    wide->f[2 * i + 1] = float_value(part, how, i, r);
		else if (form == WIDE_I64)
			wide->i[i] = int_value(t, how, below, r);
	}
	return pack(wide, e);
}

struct value *draw_numbers(enum dtype t, int rank, const int64_t *dims, draw_number_fn *number, void *arg,
			   struct err *e)
{
	struct tensor *wide = tensor_zeros(t, rank, dims, e);
	enum wide form = dtype_wide(t);

	for (size_t i = 0; wide && i < wide->count; i++) {
		double x = number(i, arg);

		if (form == WIDE_I64)
			wide->i[i] = (int64_t)x;
		else if (form == WIDE_F64 || form == WIDE_C64)
			wide->f[form == WIDE_C64 ? 2 * i : i] = x;
	}
	return wide ? pack(wide, e) : NULL;
}

/* The same tensor, its numbers changed by change(). */
static struct value *changed(struct tensor *t, void (*change)(struct tensor *t, void *arg), void *arg, struct err *e)
{
	struct tensor *wide = tensor_widen(t, e), *moved, *packed = NULL;

	moved = wide ? tensor_copy(wide, e) : NULL;
	tensor_unref(wide);
	if (moved) {
		change(moved, arg);
		tensor_round(moved);
		packed = tensor_pack(moved, e);
	}
	tensor_unref(moved);
	return packed ? value_tensor(packed, e) : NULL;
}

/* Floats and the parts of complex numbers alone. */
static struct value *changed_floats(const struct value *v, void (*change)(struct tensor *t, void *arg), void *arg,
				    struct err *e)
{
	if (v->kind != VALUE_TENSOR || (!dtype_is_float(v->tensor->dtype) && dtype_wide(v->tensor->dtype) != WIDE_C64))
		return value_ref((struct value *)(uintptr_t)v);
	return changed(v->tensor, change, arg, e);
}

struct nudging {
	double u;
	struct rng *r;
};

static void nudge_all(struct tensor *t, void *arg)
{
	const struct nudging *n = arg;

	for (size_t i = 0; i < tensor_parts(t); i++)
		t->f[i] *= 1 + 2 * n->u * (double)rng_between(n->r, -1, 1);
}

static void shake_all(struct tensor *t, void *arg)
{
	const struct nudging *n = arg;
	double largest = 0;

	for (size_t i = 0; i < tensor_parts(t); i++)
		largest = fmax(largest, fabs(t->f[i]));
	for (size_t i = 0; i < tensor_parts(t); i++)
		t->f[i] += 2 * n->u * largest * (double)rng_between(n->r, -1, 1);
}

/* One that a rounding would take out of its type stays. */
static void nudge_whole(struct tensor *t, void *arg)
{
	const struct nudging *n = arg;

	for (size_t i = 0; i < t->count; i++) {
		int64_t step = (int64_t)fmin(2 * n->u * fabs((double)t->i[i]), 0x1p62), to;

		if (!step || __builtin_add_overflow(t->i[i], step * rng_between(n->r, -1, 1), &to))
			continue;
		if ((double)to >= dtype_lowest(t->dtype) && (double)to <= dtype_max(t->dtype))
			t->i[i] = to;
	}
}

struct value *draw_nudged(const struct value *v, double u, struct rng *r, struct err *e)
{
	return changed_floats(v, nudge_all, &(struct nudging){u, r}, e);
}

struct value *draw_nudged_whole(const struct value *v, double u, struct rng *r, struct err *e)
{
	if (v->kind != VALUE_TENSOR || !dtype_is_int(v->tensor->dtype) || v->tensor->dtype == DT_UINT64)
		return value_ref((struct value *)(uintptr_t)v);
	return changed(v->tensor, nudge_whole, &(struct nudging){u, r}, e);
}

struct value *draw_shaken(const struct value *v, double u, struct rng *r, struct err *e)
{
	return changed_floats(v, shake_all, &(struct nudging){u, r}, e);
}

/* What no library promises to look at goes, too: the sign of a complex number's 0, which says on which side of a cut it
 * lies, and the sign of a NaN, by which some order them. */
static void flush_all(struct tensor *t, void *arg)
{
	enum dtype part = dtype_part(t->dtype);

	(void)arg;
	for (size_t i = 0; i < tensor_parts(t); i++)
		if (isnan(t->f[i]))
			t->f[i] = copysign((double)NAN, 1.0);
		else if (fabs(t->f[i]) < dtype_smallest(part))
			t->f[i] = part == t->dtype ? copysign(0.0, t->f[i]) : 0.0;
}

struct value *draw_flushed(const struct value *v, struct err *e)
{
	return changed_floats(v, flush_all, NULL, e);
}

static void leave_zero(struct tensor *t, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < tensor_parts(t); i++)
		if (t->f[i] == 0)
			t->f[i] = 0.5;
}

struct value *draw_off_zero(const struct value *v, struct err *e)
{
	return changed_floats(v, leave_zero, NULL, e);
}

/* ---- one drawing ------------------------------------------------------------------------------------------------- */

void bindings_replace(struct bindings *b, const char *name, struct value *take)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->at[i].name, name)) {
			value_unref(b->at[i].tensor);
			b->at[i].tensor = take;
			return;
		}
	value_unref(take);
}

const struct draw_binding *bindings_find(const struct bindings *b, const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->at[i].name, name))
			return &b->at[i];
	return NULL;
}

int bindings_int(const struct bindings *b, const struct expr *x, int64_t *out, struct err *e)
{
	const struct draw_binding *v = x->kind == EXPR_VARIABLE ? bindings_find(b, x->text) : NULL;
	int64_t left, right;
	int rc;

	if (x->kind == EXPR_INT || (v && !v->tensor)) {
		*out = v ? v->i : x->i;
		return 0;
	}
	if (x->kind != EXPR_SUM)
		return err_set(e, ERR_INPUT, "'%s' is not an integer", x->text);
	rc = bindings_int(b, x->items[0], &left, e);
	if (!rc)
		rc = bindings_int(b, x->items[1], &right, e);
	if (!rc)
		*out = *x->text == '+' ? left + right : *x->text == '-' ? left - right : left * right;
	return rc;
}

static int draw_one(const struct draw_variable *v, struct rng *r, int lowest, struct bindings *out, struct err *e)
{
	struct draw_binding *b = &out->at[out->n];
	int64_t dims[TENSOR_MAX_RANK];
	int rc = 0;

	*b = (struct draw_binding){.name = v->name};
	if (!v->is_tensor) {
		b->i = lowest ? v->lo : rng_between(r, v->lo, v->hi);
		out->n++;
		return 0;
	}
	if (v->dims->n > TENSOR_MAX_RANK)
		return err_set(e, ERR_INPUT, "variable '%s' has more than %d sizes", v->name, TENSOR_MAX_RANK);
	for (size_t i = 0; i < v->dims->n && !rc; i++)
		rc = bindings_int(out, v->dims->items[i], &dims[i], e);
	if (!rc && !(b->tensor = draw_tensor(v->dtype, (int)v->dims->n, dims, v->how, v->below, r, e)))
		rc = e->code;
	out->n += !rc;
	return rc;
}

int draw_make(const struct draw *d, const struct rng *r, uint64_t index, struct bindings *out, struct err *e)
{
	struct rng stream = rng_split(r, index);
	int rc = 0;

	*out = (struct bindings){0};
	for (size_t i = 0; i < d->n && !rc; i++)
		rc = draw_one(&d->at[i], &stream, index % 8 == 7, out, e);
	if (rc)
		bindings_release(out);
	return rc;
}

void bindings_copy(const struct bindings *from, struct bindings *to)
{
	*to = *from;
	for (size_t i = 0; i < to->n; i++)
		value_ref(to->at[i].tensor);
}

void bindings_release(struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++)
		value_unref(b->at[i].tensor);
	*b = (struct bindings){0};
}
