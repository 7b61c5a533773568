/* meaning.c - the meaning of one call as a model (see meaning.h); rows.c reads the file. */
#include "proof/meaning.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "proof/terms.h"

#define MAX_PARAMETERS 32
#define MAX_DEPTH 16

/* Names on the left of a row, and what they stand for in this call. */
struct meaning_scope {
	const char *names[MAX_PARAMETERS];
	struct proof_term terms[MAX_PARAMETERS];
	size_t n;
};

struct evaluation {
	struct meaning_maker m;
	const struct calls *calls;
	const struct meanings *rows; /* which may be used as functions */
	int depth;                   /* of such uses in one another */
	struct meaning_scope scope;
	VEC(struct value *) inputs;
	struct arena infer; /* scratch of inference */
};

static struct proof_term evaluate(struct evaluation *v, const struct expr *x);

/* ---- arguments of the call --------------------------------------------------------------------------------------- */

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

static struct proof_term recorded_term(struct evaluation *v, const struct expr *x);

/* [1, 2], and slice(0, None, 1) of an index as the three that it says. */
static struct proof_term recorded_list(struct evaluation *v, const struct expr *x)
{
	struct proof_term list = term_list(&v->m, x->n);

	for (size_t i = 0; i < list.n; i++)
		list.items[i] = recorded_term(v, x->items[i]);
	return list;
}

static struct proof_term recorded_term(struct evaluation *v, const struct expr *x)
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

/* x([y], z=1): `y` has no default, `z` has.  In the tree of the left side z is an argument with a name. */
static int bind_parameters(struct evaluation *v, const struct expr *left, const struct expr *call)
{
	size_t given = 0;

	for (size_t i = 1; i < call->n; i++)
		given += !*call->items[i]->name;
	if (left->n > MAX_PARAMETERS || given > left->n)
		return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "it has %zu arguments, the row %zu", given, left->n);
	for (size_t i = 0; i < left->n && !v->m.b.rc; i++) {
		const struct expr *p = left->items[i], *a;
		const char *name = *p->name ? p->name : p->kind == EXPR_LIST ? "" : p->text;
		struct proof_term t;

		a = argument_for(call, name, i);
		if (!a && !*p->name)
			return v->m.b.rc = err_set(v->m.b.err, ERR_INPUT, "argument '%s' is missing", name);
		t = recorded_term(v, a ? a : p);
		if (p->kind == EXPR_LIST && !*p->name)
			bind_items(v, p, &t);
		else
			bind_name(v, name, t);
	}
	return v->m.b.rc;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static enum dtype type_beside(const struct proof_term *args, const struct expr *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (!*x->items[i]->name && args[i].kind == TERM_WIRE)
			return args[i].wire->type.dtype;
	return DT_UNDEFINED;
}

#define MAX_NODE_INPUTS EXPR_MAX_ITEMS

static int is_list_of_wires(const struct proof_term *t)
{
	return t->kind == TERM_LIST && t->n && t->items[0].kind == TERM_WIRE;
}

/* One ONNX operator. */
static struct proof_term evaluate_node(struct evaluation *v, const struct expr *x, const struct proof_term *args)
{
	struct wire *in[MAX_NODE_INPUTS], *out;
	enum dtype type = type_beside(args, x);
	int n = 0;

	for (size_t i = 0; i < x->n; i++) {
		size_t parts = is_list_of_wires(&args[i]) ? args[i].n : 1;

		for (size_t k = 0; k < parts && !*x->items[i]->name; k++) {
			if (n == MAX_NODE_INPUTS)
				return term_bad(&v->m, "%s has too many inputs", x->text);
			in[n++] = term_to_wire(
				&v->m, parts > 1 || is_list_of_wires(&args[i]) ? &args[i].items[k] : &args[i], type);
		}
	}
	out = term_node(&v->m, x->text, in, n, x->output);
	for (size_t i = 0; i < x->n; i++)
		if (*x->items[i]->name)
			term_attribute(&v->m, x->items[i]->name, &args[i]);
	if (!v->m.b.rc)
		v->m.b.rc = ops_infer_node(out->producer, &v->infer, v->m.b.err);
	return term_wire(v->m.b.rc ? NULL : out);
}

/* map(i, list, body): what the body gives for each item, under the name i. */
static struct proof_term evaluate_map(struct evaluation *v, const struct expr *x)
{
	struct proof_term from = evaluate(v, x->items[1]), list;
	struct meaning_scope *s = &v->scope;

	if (from.kind != TERM_LIST || x->items[0]->kind != EXPR_VARIABLE || s->n == MAX_PARAMETERS)
		return term_bad(&v->m, "map: a name, a list and an expression are wanted");
	list = term_list(&v->m, from.n);
	s->names[s->n++] = x->items[0]->text;
	for (size_t i = 0; i < list.n; i++) {
		s->terms[s->n - 1] = from.items[i];
		list.items[i] = evaluate(v, x->items[2]);
	}
	s->n--;
	return list;
}

/* let(name, value, body): the body, where the value has a name. */
static struct proof_term evaluate_let(struct evaluation *v, const struct expr *x)
{
	struct proof_term value = evaluate(v, x->items[1]);
	struct meaning_scope *s = &v->scope;

	if (x->items[0]->kind != EXPR_VARIABLE || s->n == MAX_PARAMETERS)
		return term_bad(&v->m, "let: a name, a value and an expression are wanted");
	s->names[s->n] = x->items[0]->text;
	s->terms[s->n++] = value;
	value = evaluate(v, x->items[2]);
	s->n--;
	return value;
}

/* What a use of a row says for a parameter; NULL: nothing. */
static const struct proof_term *given_for(const struct expr *x, const struct proof_term *args, const char *name,
					  size_t place)
{
	size_t at = 0;

	for (size_t i = 0; i < x->n; i++)
		if (*x->items[i]->name ? !strcmp(x->items[i]->name, name) : at++ == place)
			return &args[i];
	return NULL;
}

static int bind_use(struct evaluation *v, const struct expr *left, const struct expr *x, const struct proof_term *args)
{
	struct meaning_scope inner = {.n = left->n};

	for (size_t i = 0; i < left->n && i < MAX_PARAMETERS && !v->m.b.rc; i++) {
		const struct expr *p = left->items[i];
		const struct proof_term *given = given_for(x, args, *p->name ? p->name : p->text, i);

		inner.names[i] = *p->name ? p->name : p->text;
		if (!given && !*p->name)
			term_bad(&v->m, "%s: argument '%s' is missing", x->text, p->text);
		inner.terms[i] = given ? *given : recorded_term(v, p);
	}
	if (!v->m.b.rc)
		v->scope = inner;
	return v->m.b.rc;
}

/* A row used as a function: the first that fits. */
static struct proof_term evaluate_use(struct evaluation *v, const struct expr *x, const struct proof_term *args)
{
	struct meaning_scope outer = v->scope;
	struct proof_term t;

	for (size_t i = 0; v->depth < MAX_DEPTH && i < v->rows->rows.n && !v->m.b.rc; i++) {
		const struct meaning_row *row = &v->rows->rows.at[i];
		int fits;

		if (strcmp(row->name, x->text) != 0 || !row->right || bind_use(v, row->left, x, args))
			continue;
		v->depth++;
		t = row->when ? evaluate(v, row->when) : term_int(1);
		fits = term_is_true(&t);
		t = fits ? evaluate(v, row->right) : t;
		v->depth--;
		v->scope = outer;
		if (fits)
			return t;
	}
	return term_bad(&v->m, "there is no function %s of %zu arguments", x->text, x->n);
}

static struct proof_term evaluate_call(struct evaluation *v, const struct expr *x)
{
	struct proof_term *args = arena_array(v->m.arena, x->n + 1, sizeof *args);
	term_function *function;

	if (!args)
		return term_bad(&v->m, "no memory");
	if (!strcmp(x->text, "let") && x->n == 3)
		return evaluate_let(v, x);
	if (!strcmp(x->text, "if") && x->n == 3) { /* of the two sides only one is looked at */
		struct proof_term c = evaluate(v, x->items[0]);

		return evaluate(v, x->items[term_is_true(&c) ? 1 : 2]);
	}
	if (!strcmp(x->text, "map") && x->n == 3)
		return evaluate_map(v, x);
	for (size_t i = 0; i < x->n && !v->m.b.rc; i++)
		args[i] = evaluate(v, x->items[i]);
	if (v->m.b.rc)
		return (struct proof_term){.kind = TERM_NONE};
	if (isupper((unsigned char)x->text[0]))
		return evaluate_node(v, x, args);
	function = term_find(x->text, x->n);
	return function ? function(&v->m, args, x->n) : evaluate_use(v, x, args);
}

static struct proof_term evaluate_sum(struct evaluation *v, const struct expr *x)
{
	struct proof_term a = evaluate(v, x->items[0]), b = evaluate(v, x->items[1]);
	double f = *x->text == '+' ? a.f + b.f : *x->text == '-' ? a.f - b.f : a.f * b.f;

	if (!term_is_number(&a) || !term_is_number(&b))
		return term_bad(&v->m, "'%s' is for numbers; tensors take Add, Sub, Mul", x->text);
	return a.kind == TERM_INT && b.kind == TERM_INT ? term_int((int64_t)f) : term_float(f);
}

static struct proof_term evaluate(struct evaluation *v, const struct expr *x)
{
	struct proof_term list;

	if (v->m.b.rc)
		return (struct proof_term){.kind = TERM_NONE};
	switch (x->kind) {
	case EXPR_VARIABLE:
		for (size_t i = v->scope.n; i > 0; i--)
			if (!strcmp(v->scope.names[i - 1], x->text))
				return v->scope.terms[i - 1];
		return term_bad(&v->m, "there is no '%s'", x->text);
	case EXPR_CALL:
		return evaluate_call(v, x);
	case EXPR_SUM:
		return evaluate_sum(v, x);
	case EXPR_LIST:
		list = term_list(&v->m, x->n);
		for (size_t i = 0; i < list.n; i++)
			list.items[i] = evaluate(v, x->items[i]);
		return list;
	default:
		return recorded_term(v, x);
	}
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

/* Results must be made by a node each, and differ. */
static void add_result(struct evaluation *v, const struct proof_term *t)
{
	struct wire *w = term_to_wire(&v->m, t, DT_UNDEFINED);

	w = term_node(&v->m, "Identity", &w, 1, 0);
	if (!v->m.b.rc)
		v->m.b.rc = ops_infer_node(w->producer, &v->infer, v->m.b.err);
	build_output(&v->m.b, w);
}

static void add_results(struct evaluation *v, const struct expr *right)
{
	struct proof_term t = evaluate(v, right);

	if (!v->m.b.rc && t.kind == TERM_LIST)
		for (size_t i = 0; i < t.n; i++)
			add_result(v, &t.items[i]);
	else
		add_result(v, &t);
}

static void drop_inputs(struct evaluation *v)
{
	for (size_t i = 0; i < v->inputs.n; i++)
		value_unref(v->inputs.at[i]);
	vec_release(&v->inputs);
}

/* *fits: the row's condition holds. */
static int try_row(const struct meanings *m, const struct meaning_row *row, const struct calls *c,
		   const struct recorded_call *call, int *fits, struct meaning *out, struct err *e)
{
	struct arena scratch = ARENA_INIT;
	struct evaluation v = {.m = {.arena = &scratch, .calls = c}, .calls = c, .rows = m, .infer = ARENA_INIT};
	struct proof_term when = term_int(1);
	int rc;

	build_begin(&v.m.b, OP_NEWEST_OPSET, 0, e);
	bind_parameters(&v, row->left, call->expr);
	if (row->when)
		when = evaluate(&v, row->when);
	*fits = term_is_true(&when);
	if (*fits && row->right)
		add_results(&v, row->right);
	rc = v.m.b.rc;
	if (rc)
		err_prefix(e, "%s (line %d of its meanings)", call->name, row->line);
	if (*fits && row->right && !rc) {
		rc = build_end(&v.m.b, &out->model);
		out->inputs = v.inputs.at; /* in the order of graph->inputs */
		v.inputs.at = NULL;
	} else {
		model_free(v.m.b.model);
		drop_inputs(&v);
	}
	out->limit = *fits && !rc ? row->limit : NULL;
	arena_release(&scratch);
	arena_release(&v.infer);
	return rc;
}

int meaning_of(const struct meanings *m, const struct calls *c, const struct recorded_call *call, struct meaning *out,
	       struct err *e)
{
	*out = (struct meaning){.known = 0};
	for (size_t i = 0; i < m->rows.n; i++) {
		int fits, rc;

		if (strcmp(m->rows.at[i].name, call->name) != 0)
			continue;
		rc = try_row(m, &m->rows.at[i], c, call, &fits, out, e);
		if (rc)
			return rc;
		out->known |= fits;
		if (fits)
			return 0;
	}
	return 0;
}

void meaning_release(struct meaning *m)
{
	for (size_t i = 0; m->model && m->inputs && i < m->model->graph->inputs.n; i++)
		value_unref(m->inputs[i]);
	mem_free(m->inputs);
	model_free(m->model);
	*m = (struct meaning){.known = 0};
}
