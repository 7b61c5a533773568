/* traits.c - see traits.h. */
#include "triage/traits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/attr.h"

#define MAX_WORD 512
#define MAX_STRING 48 /* bytes of a string attribute that are looked at */

/* ---- sets of words ----------------------------------------------------------------------------------------------- */

void words_release(struct words *w)
{
	vec_release(w);
	arena_release(&w->arena);
}

void words_add(struct words *w, const char *fmt, ...)
{
	char text[MAX_WORD];
	const char *kept;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	kept = arena_strdup(&w->arena, text);
	if (!kept || vec_push(w, kept))
		w->failed = 1;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void words_sort(struct words *w)
{
	size_t kept = 0;

	if (w->n)
		qsort(w->at, w->n, sizeof *w->at, by_text);
	for (size_t i = 0; i < w->n; i++)
		if (!kept || strcmp(w->at[kept - 1], w->at[i]) != 0)
			w->at[kept++] = w->at[i];
	w->n = kept;
}

int words_has(const struct words *w, const char *word)
{
	return w->n && bsearch(&word, w->at, w->n, sizeof *w->at, by_text) != NULL;
}

int words_within(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!words_has(b, a->at[i]))
			return 0;
	return 1;
}

void words_join(const struct words *w, const char *between, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++)
		buf_printf(out, "%s%s", i ? between : "", w->at[i]);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *begins, *brief;
} brief_names[] = {{"float", "f"}, {"bfloat", "bf"}, {"uint", "u"}, {"int", "i"}, {"complex", "c"}};

#define N_BRIEF (sizeof brief_names / sizeof *brief_names)

/* "f32" for float32. */
static void put_dtype(enum dtype t, struct buf *out)
{
	const char *name = t == DT_UNDEFINED ? "?" : dtype_name(t);

	for (size_t i = 0; i < N_BRIEF; i++) {
		size_t n = strlen(brief_names[i].begins);

		if (!strncmp(name, brief_names[i].begins, n)) {
			buf_printf(out, "%s%s", brief_names[i].brief, name + n);
			return;
		}
	}
	buf_puts(out, name);
}

/* "0": no element, "1": exactly one, "": more, or not known. */
static const char *size_class(const struct type *t)
{
	int ones = 0;

	for (int i = 0; i < t->rank; i++) {
		if (!t->dims[i])
			return "0";
		ones += t->dims[i] == 1;
	}
	return t->rank > 0 && ones == t->rank ? "1" : "";
}

void traits_type(const struct type *t, struct buf *out)
{
	static const char *const kinds[] = {[VALUE_SEQUENCE] = "seq", [VALUE_OPTIONAL] = "opt", [VALUE_MAP] = "map"};

	if (t->kind == VALUE_SEQUENCE || t->kind == VALUE_OPTIONAL || t->kind == VALUE_MAP) {
		buf_puts(out, kinds[t->kind]);
		return;
	}
	put_dtype(t->dtype, out);
	if (t->rank < 0)
		buf_puts(out, ".?d");
	else
		buf_printf(out, ".%dd%s", t->rank, size_class(t));
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Attributes whose number is a code of TensorProto.DataType. */
static int holds_dtype(const char *name)
{
	static const char *const names[] = {"to", "dtype", "output_dtype", "output_datatype", "stash_type"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

static const char *number_class(double x)
{
	if (isnan(x))
		return "nan";
	if (isinf(x))
		return x > 0 ? "inf" : "-inf";
	if (x == 0)
		return signbit(x) ? "-0" : "0";
	if (x == 1 || x == -1)
		return x > 0 ? "1" : "-1";
	return x > 0 ? "n" : "-n";
}

static void put_string(const struct bytes *s, struct buf *out)
{
	for (size_t i = 0; i < s->n && i < MAX_STRING; i++) {
		unsigned char c = (unsigned char)s->p[i];
		char kept = c <= ' ' || c >= 0x7f || c == '/' || c == ',' ? '_' : (char)c;

		buf_add(out, &kept, 1);
	}
}

static void put_numbers(const struct attr *a, struct buf *out)
{
	for (size_t i = 1; i < a->n; i++)
		if (a->type == ATTR_INTS ? a->ints[i] != a->ints[0] : a->floats[i] != a->floats[0]) {
			buf_puts(out, "mixed");
			return;
		}
	buf_puts(out, !a->n ? "none" : number_class(a->type == ATTR_INTS ? (double)a->ints[0] : a->floats[0]));
}

static void put_tensor(const struct tensor *t, struct buf *out)
{
	struct type type = TYPE_INIT;

	type_set(&type, t->dtype, t->rank, t->dims);
	traits_type(&type, out);
}

static void put_value(const struct attr *a, struct buf *out)
{
	if (a->type == ATTR_INT && holds_dtype(a->name))
		put_dtype(dtype_from_code(a->i), out);
	else if (a->type == ATTR_INT || a->type == ATTR_FLOAT)
		buf_puts(out, number_class(a->type == ATTR_INT ? (double)a->i : a->f));
	else if (a->type == ATTR_INTS || a->type == ATTR_FLOATS)
		put_numbers(a, out);
	else if (a->type == ATTR_STRING)
		put_string(&a->s, out);
	else if ((a->type == ATTR_TENSOR || a->type == ATTR_SPARSE) && a->t)
		put_tensor(a->t, out);
	else if (a->type == ATTR_STRINGS && a->n)
		for (size_t i = 0; i < a->n && i < 4; i++) {
			buf_puts(out, i ? "+" : "");
			put_string(&a->strings[i], out);
		}
	else
		buf_puts(out, "given");
}

void traits_attr(const struct attr *a, struct buf *out)
{
	buf_printf(out, "%s=", a->name);
	put_value(a, out);
}

int traits_add_attrs(struct words *w, const struct node *n, const char *prefix, struct err *e)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, MAX_WORD);
	for (int i = 0; i < n->n_attrs && !rc; i++) {
		if (attr_is_default(n, &n->attrs[i]))
			continue;
		buf_clear(&text);
		traits_attr(&n->attrs[i], &text);
		rc = buf_check(&text, e);
		if (!rc)
			words_add(w, "%s%s", prefix, text.data);
	}
	buf_release(&text);
	return !rc && w->failed ? err_nomem(e, "words", 0) : rc;
}

const char *traits_op(const struct node *n, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", n->domain, *n->domain ? ":" : "", n->op_type);
	for (char *p = out; *p; p++)
		if (*p == '/' || *p == ',')
			*p = '_';
	return out;
}
