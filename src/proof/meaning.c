/* meaning.c - the meaning of one call as a model (see meaning.h); rows.c reads the file. */
#include "proof/meaning.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "proof/evaluation.h"

#define MAX_DEPTH 16

static struct proof_term evaluate(struct evaluation *v, const struct expr *x);

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

	arguments_check(v, left, x, 0);
	for (size_t i = 0; i < left->n && i < MAX_PARAMETERS && !v->m.b.rc; i++) {
		const struct expr *p = left->items[i];
		const struct proof_term *given = given_for(x, args, arguments_parameter(p), i);

		inner.names[i] = arguments_parameter(p);
		if (!given && !*p->name)
			term_bad(&v->m, "%s: argument '%s' is missing", x->text, p->text);
		inner.terms[i] = given ? *given : arguments_term(v, p);
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

		if (strcmp(row->name, x->text) != 0 || !row->right || row->limit || bind_use(v, row->left, x, args))
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
		return arguments_term(v, x);
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

static int is_tensor(const struct expr *a)
{
	return a->kind == EXPR_VARIABLE && a->text[0] == 'v' && isdigit((unsigned char)a->text[1]);
}

/* The first tensor that a call is given; NULL: none. */
static const struct expr *first_tensor(const struct expr *call)
{
	for (size_t i = 0; i < call->n; i++) {
		const struct expr *a = call->items[i];
		const struct expr *inner = a->kind == EXPR_LIST ? first_tensor(a) : NULL;

		if (inner || is_tensor(a))
			return inner ? inner : a;
	}
	return NULL;
}

/* Is a tensor without elements among its arguments? */
static int has_empty(const struct calls *c, const struct expr *call)
{
	for (size_t i = 0; i < call->n; i++) {
		const struct expr *a = call->items[i];
		const struct tensor *t = is_tensor(a) ? calls_value(c, a->text) : NULL;

		if ((t && !t->count) || has_empty(c, a))
			return 1;
	}
	return 0;
}

/* Does the documentation say, for this operation or for all, that such arguments are valid? */
static int says_taken(struct evaluation *v, const struct meaning_row *row, const struct expr *call)
{
	const struct expr *first = first_tensor(call);
	struct proof_term t = {.kind = TERM_NONE};

	if (!row->takes && has_empty(v->calls, call)) /* of which few pages speak */
		return 0;
	for (size_t i = 0; !row->takes && i < v->rows->rows.n; i++)
		if (!strcmp(v->rows->rows.at[i].name, MEANING_OF_ALL) && first) {
			row = &v->rows->rows.at[i];
			v->scope = (struct meaning_scope){.names = {arguments_parameter(row->left->items[0])},
							  .terms = {arguments_term(v, first)},
							  .n = 1};
		}
	if (row->takes)
		t = evaluate(v, row->takes);
	return row->takes && !v->m.b.rc && term_is_true(&t);
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
	arguments_bind(&v, row->left, call->expr);
	if (row->when)
		when = evaluate(&v, row->when);
	*fits = term_is_true(&when);
	if (*fits && row->right && !v.m.b.rc) { /* a limit alone is about those arguments that it names */
		arguments_check(&v, row->left, call->expr, 1);
		add_results(&v, row->right);
	}
	if (*fits && row->right && !v.m.b.rc)
		out->takes = says_taken(&v, row, call->expr);
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

/* The first row of the call that fits, of the promises or of the others. */
static int first_row(const struct meanings *m, const struct calls *c, const struct recorded_call *call, int promise,
		     struct meaning *out, struct err *e)
{
	*out = (struct meaning){.known = 0};
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct meaning_row *row = &m->rows.at[i];
		int fits, rc;

		if (strcmp(row->name, call->name) != 0 || meaning_is_promise(row) != promise)
			continue;
		rc = try_row(m, row, c, call, &fits, out, e);
		if (rc)
			return rc;
		out->known |= fits;
		if (fits)
			return 0;
	}
	return 0;
}

int meaning_of(const struct meanings *m, const struct calls *c, const struct recorded_call *call, struct meaning *out,
	       struct err *e)
{
	return first_row(m, c, call, 0, out, e);
}

int meaning_promised(const struct meanings *m, const struct calls *c, const struct recorded_call *call,
		     struct meaning *out, struct err *e)
{
	return first_row(m, c, call, 1, out, e);
}

void meaning_release(struct meaning *m)
{
	for (size_t i = 0; m->model && m->inputs && i < m->model->graph->inputs.n; i++)
		value_unref(m->inputs[i]);
	mem_free(m->inputs);
	model_free(m->model);
	*m = (struct meaning){.known = 0};
}
