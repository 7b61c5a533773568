/* terms.c - see terms.h: terms as wires, nodes and attributes; the functions are in functions.c. */
#include "proof/terms.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"

int term_is_number(const struct proof_term *t)
{
	return t->kind == TERM_INT || t->kind == TERM_FLOAT;
}

int term_is_true(const struct proof_term *t)
{
	return term_is_number(t) && t->f != 0;
}

struct proof_term term_int(int64_t i)
{
	return (struct proof_term){.kind = TERM_INT, .i = i, .f = (double)i};
}

struct proof_term term_float(double f)
{
	return (struct proof_term){.kind = TERM_FLOAT, .f = f, .i = (int64_t)(f > -9e18 && f < 9e18 ? f : 0)};
}

struct proof_term term_wire(struct wire *w)
{
	return (struct proof_term){.kind = w ? TERM_WIRE : TERM_NONE, .wire = w};
}

struct proof_term term_list(struct meaning_maker *m, size_t n)
{
	struct proof_term t = {.kind = TERM_LIST, .items = arena_array(m->arena, n + 1, sizeof *t.items), .n = n};

	if (!t.items) {
		t.n = 0;
		m->b.rc = err_nomem(m->b.err, "a list", n);
	}
	return t;
}

struct proof_term term_bad(struct meaning_maker *m, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!m->b.rc)
		m->b.rc = err_set(m->b.err, ERR_INPUT, "%s", text);
	return (struct proof_term){.kind = TERM_NONE};
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static const char *new_name(struct meaning_maker *m)
{
	char name[24];

	snprintf(name, sizeof name, "t%d", m->names++);
	return build_name(&m->b, name, "");
}

static struct wire *add_constant(struct meaning_maker *m, struct tensor *wide)
{
	struct tensor *packed = wide ? tensor_pack(wide, m->b.err) : NULL;
	struct wire *w = NULL;

	tensor_unref(wide);
	if (!packed)
		m->b.rc = m->b.err->code;
	if (!m->b.rc)
		m->b.rc = graph_add_init(m->b.graph, new_name(m), packed, &w, m->b.err);
	else
		tensor_unref(packed);
	return m->b.rc ? NULL : w;
}

static struct wire *number_wire(struct meaning_maker *m, const struct proof_term *t, enum dtype type)
{
	struct tensor *x;

	if (type == DT_UNDEFINED)
		type = t->kind == TERM_INT ? DT_INT64 : DT_FLOAT;
	x = dtype_is_float(type) ? tensor_scalar_f(type, t->f, m->b.err) : tensor_scalar_i(type, t->i, m->b.err);
	return add_constant(m, x);
}

static struct wire *list_wire(struct meaning_maker *m, const struct proof_term *t)
{
	int64_t n = (int64_t)t->n;
	int floats = 0;
	struct tensor *x;

	for (size_t i = 0; i < t->n; i++) {
		if (!term_is_number(&t->items[i])) {
			term_bad(m, "a list of numbers is wanted");
			return NULL;
		}
		floats |= t->items[i].kind == TERM_FLOAT;
	}
	x = tensor_new(floats ? DT_FLOAT : DT_INT64, 1, &n, m->b.err);
	for (size_t i = 0; x && i < t->n; i++)
		if (floats)
			x->f[i] = t->items[i].f;
		else
			x->i[i] = t->items[i].i;
	return add_constant(m, x);
}

struct wire *term_to_wire(struct meaning_maker *m, const struct proof_term *t, enum dtype type)
{
	if (m->b.rc)
		return NULL;
	switch (t->kind) {
	case TERM_WIRE:
		return t->wire;
	case TERM_NONE:
		return NULL;
	case TERM_INT:
	case TERM_FLOAT:
		return number_wire(m, t, type);
	case TERM_LIST:
		return list_wire(m, t);
	default:
		term_bad(m, "a text or a type where a tensor is wanted");
		return NULL;
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

#define MAX_OUTPUTS 8

/* Outputs that no node of the operator may be without. */
static size_t required_outputs(const char *op)
{
	const struct op_row *row = ops_find("", op);
	size_t n = 0;

	for (size_t i = 0; row && i < OP_MAX_PORTS && row->op->out[i].name; i++)
		if (!(row->op->out[i].flags & (PORT_OPTIONAL | PORT_VARIADIC)))
			n = i + 1;
	return n < MAX_OUTPUTS ? n : MAX_OUTPUTS;
}

struct wire *term_node(struct meaning_maker *m, const char *op, struct wire *const *in, int n_in, size_t output)
{
	const char *outs[MAX_OUTPUTS] = {NULL};
	size_t required = required_outputs(op), count = output < required ? required : output + 1;
	struct node *n;

	if (m->b.rc)
		return NULL;
	if (output >= MAX_OUTPUTS) {
		term_bad(m, "%s has no output %zu", op, output);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		outs[i] = new_name(m);
	n = build_op_n(&m->b, op, outs[0], in, n_in, outs, (int)count);
	return n ? n->out[output] : NULL;
}

/* Numbers, or texts. */
static void list_attribute(struct meaning_maker *m, const char *name, const struct proof_term *t)
{
	int64_t *ints = arena_array(m->arena, t->n + 1, sizeof *ints);
	double *floats = arena_array(m->arena, t->n + 1, sizeof *floats);
	const char **texts = arena_array(m->arena, t->n + 1, sizeof *texts);
	int real = 0, text = 0;

	if (!ints || !floats || !texts) {
		m->b.rc = err_nomem(m->b.err, "an attribute", t->n);
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		real |= t->items[i].kind == TERM_FLOAT;
		text |= t->items[i].kind == TERM_STRING;
		ints[i] = t->items[i].i;
		floats[i] = t->items[i].f;
		texts[i] = t->items[i].s ? t->items[i].s : "";
	}
	if (text)
		m->b.rc = node_set_strings(m->b.last, name, texts, t->n, m->b.err);
	else
		m->b.rc = real ? node_set_floats(m->b.last, name, floats, t->n, m->b.err)
			       : node_set_ints(m->b.last, name, ints, t->n, m->b.err);
}

void term_attribute(struct meaning_maker *m, const char *name, const struct proof_term *t)
{
	if (m->b.rc || t->kind == TERM_NONE)
		return;
	if (t->kind == TERM_INT || t->kind == TERM_DTYPE)
		build_int(&m->b, name, t->i);
	else if (t->kind == TERM_FLOAT)
		build_float(&m->b, name, t->f);
	else if (t->kind == TERM_STRING)
		build_string(&m->b, name, t->s);
	else if (t->kind == TERM_LIST)
		list_attribute(m, name, t);
	else
		term_bad(m, "attribute %s is a tensor", name);
}
