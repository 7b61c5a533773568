/* arguments.c - what a call was given, by the names of a row (declared in evaluation.h). */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "proof/evaluation.h"

static struct proof_term input_term(struct wire *w, int complex)
{
	struct proof_term term = term_wire(w);

	term.is_complex = complex;
	return term;
}

/* A recorded tensor becomes an input of the model, once. */
static struct proof_term value_term(struct evaluation *v, const char *name)
{
	struct tensor *t = calls_value(v->calls, name);
	struct meaning_maker *m = &v->m;
	struct wire *w = m->b.rc ? NULL : graph_wire(m->b.graph, name);
	int complex = t && meaning_is_complex(t);
	struct value *value;

	if (w || m->b.rc)
		return input_term(w, complex);
	if (!t)
		return term_bad(m, "the value of %s was not recorded", name);
	t = meaning_real(t, m->b.err);
	value = t ? value_tensor(tensor_ref(t), m->b.err) : NULL;
	if (!value || vec_push(&v->inputs, value)) {
		m->b.rc = m->b.err->code ? m->b.err->code : err_nomem(m->b.err, "an input", 0);
		value_unref(value);
	}
	if (!m->b.rc)
		w = build_input(&m->b, arena_strdup(&m->b.model->arena, name), t->dtype, t->rank, t->dims);
	tensor_unref(t);
	return input_term(w, complex);
}

/* What the record writes as words: True, dtype("float32"), tf.float32, float("inf"), DEFAULT. */
static struct proof_term word_term(struct evaluation *v, const struct expr *x)
{
	const char *dot = strchr(x->text, '.'), *type = x->kind == EXPR_CALL && x->n == 1 ? x->items[0]->text
							: dot                             ? dot + 1
											  : "";

	if (!strcmp(x->text, "True") || !strcmp(x->text, "False"))
		return term_int(x->text[0] == 'T');
	if (!strcmp(x->text, "float") && x->n == 1)
		return term_float(strcmp(type, "nan") ? strcmp(type, "inf") ? -(double)INFINITY : (double)INFINITY
						      : (double)NAN);
	if (dtype_from_name(type) != DT_UNDEFINED)
		return (struct proof_term){.kind = TERM_DTYPE, .i = dtype_from_name(type)};
	return term_bad(&v->m, "the record says '%s', which is nothing known", x->text);
}

/* [1, 2], and slice(0, None, 1) of an index as the three that it says. */
static struct proof_term recorded_list(struct evaluation *v, const struct expr *x)
{
	struct proof_term list = term_list(&v->m, x->n);

	for (size_t i = 0; i < list.n; i++)
		list.items[i] = arguments_term(v, x->items[i]);
	return list;
}

struct proof_term arguments_term(struct evaluation *v, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_INT:
	case EXPR_BOOL:
		return term_int(x->i);
	case EXPR_FLOAT:
		return term_float(x->f);
	case EXPR_STRING:
		return (struct proof_term){.kind = TERM_STRING, .s = x->text};
	case EXPR_DTYPE:
		return (struct proof_term){.kind = TERM_DTYPE, .i = x->i};
	case EXPR_LIST:
		return recorded_list(v, x);
	case EXPR_VARIABLE:
		if (x->text[0] == 'v' && isdigit((unsigned char)x->text[1]))
			return value_term(v, x->text);
		return word_term(v, x);
	case EXPR_CALL:
		return strcmp(x->text, "slice") != 0 ? word_term(v, x) : recorded_list(v, x);
	default:
		return (struct proof_term){.kind = TERM_NONE};
	}
}

static int is_default(const struct expr *x)
{
	return x->kind == EXPR_VARIABLE && !strcmp(x->text, "DEFAULT");
}

/* The argument of a call for a parameter: by its name, or the one at its place among those without a name. */
static const struct expr *argument_for(const struct expr *call, const char *name, size_t place)
{
	size_t at = 0;

	for (size_t i = 1; i < call->n; i++) {
		const struct expr *a = call->items[i];

		if (*a->name ? !strcmp(a->name, name) : at++ == place)
			return is_default(a) ? NULL : a;
	}
	return NULL;
}

static int bind_name(struct evaluation *v, const char *name, struct proof_term t)
{
	if (v->scope.n == MAX_PARAMETERS)
		return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "it has too many arguments");
	v->scope.names[v->scope.n] = name;
	v->scope.terms[v->scope.n++] = t;
	return v->m.b.rc;
}

/* [x, y]: the items of a list that is one argument; those that it has not are None. */
static int bind_items(struct evaluation *v, const struct expr *names, const struct proof_term *list)
{
	if (list->kind != TERM_LIST || list->n > names->n)
		return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "a list of at most %zu is wanted", names->n);
	for (size_t i = 0; i < names->n && !v->m.b.rc; i++)
		bind_name(v, names->items[i]->text,
			  i < list->n ? list->items[i] : (struct proof_term){.kind = TERM_NONE});
	return v->m.b.rc;
}

const char *arguments_parameter(const struct expr *p)
{
	return *p->name ? p->name : p->kind == EXPR_LIST ? "" : p->text;
}

static int has_parameter(const struct expr *left, const char *name)
{
	for (size_t i = 0; i < left->n; i++)
		if (!strcmp(arguments_parameter(left->items[i]), name))
			return 1;
	return 0;
}

/* Arguments from items[first] on that the row has no parameter for: what they do to the result, it does not say. */
int arguments_check(struct evaluation *v, const struct expr *left, const struct expr *call, size_t first)
{
	size_t given = 0;

	for (size_t i = first; i < call->n; i++) {
		const struct expr *a = call->items[i];

		given += !*a->name;
		if (*a->name && !is_default(a) && !calls_is_for_scripts(a) && !has_parameter(left, a->name))
			return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "the row has no argument '%s'", a->name);
	}
	if (left->n > MAX_PARAMETERS || given > left->n)
		return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "it has %zu arguments, the row %zu", given, left->n);
	return 0;
}

/* x([y], z=1): `y` has no default, `z` has.  In the tree of the left side z is an argument with a name. */
int arguments_bind(struct evaluation *v, const struct expr *left, const struct expr *call)
{
	for (size_t i = 0; i < left->n && !v->m.b.rc; i++) {
		const struct expr *p = left->items[i], *a;
		const char *name = arguments_parameter(p);
		struct proof_term t;

		a = argument_for(call, name, i);
		if (!a && !*p->name)
			return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "argument '%s' is missing", name);
		t = arguments_term(v, a ? a : p);
		if (p->kind == EXPR_LIST && !*p->name)
			bind_items(v, p, &t);
		else
			bind_name(v, name, t);
	}
	return v->m.b.rc;
}
