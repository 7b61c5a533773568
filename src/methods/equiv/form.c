/* form.c - see form.h. */
#include "methods/equiv/form.h"
#include "methods/equiv/couple.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK " | " /* between variables and expression */
#define N_OTHERS 5 /* types that a form is tried with beside its own */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct form_reading {
	struct registry *r;
	struct form_list {
		char **at;
		size_t n, room;
	} * forms; /* by operation */
	size_t last;
	struct err *err;
};

/* The lines of a name follow each other, and names come in the order of the list or nearly so. */
static size_t find(const struct form_reading *x, const char *name)
{
	for (size_t k = 0; k < x->r->n; k++) {
		size_t i = (x->last + k) % x->r->n;

		if (!strcmp(x->r->apis[i].op->name, name))
			return i;
	}
	return x->r->n;
}

static int push(struct form_reading *x, struct form_list *l, const char *text)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 8;
		char **wider = arena_array(&x->r->arena, room, sizeof *wider);

		if (!wider)
			return -1;
		for (size_t i = 0; i < l->n; i++)
			wider[i] = l->at[i];
		l->at = wider;
		l->room = room;
	}
	l->at[l->n] = arena_strdup(&x->r->arena, text);
	return l->at[l->n++] ? 0 : -1;
}

static void take(char **fields, void *arg)
{
	struct form_reading *x = arg;
	size_t i = find(x, fields[1]);

	if (x->err->code || i == x->r->n) /* another version may not have it */
		return;
	x->last = i;
	if (!strstr(fields[2], MARK) || strchr(fields[2], '"'))
		err_set(x->err, ERR_INPUT, "%s: '%s' is not a form", fields[1], fields[2]);
	else if (push(x, &x->forms[i], fields[2]))
		err_nomem(x->err, "forms", 0);
}

/* The list has the parameters of a form; what they may be is known now. */
static int give(struct registry *r, struct api *api, const struct form_list *l, struct err *e)
{
	struct backend_operation *op = arena_alloc(&r->arena, sizeof *op);
	struct backend_parameter *p = arena_array(&r->arena, 2, sizeof *p);

	if (api->op->n_parameters != 2 || api->kinds[0] != PARAMETER_FORM || api->kinds[1] != PARAMETER_TENSORS)
		return err_set(e, ERR_INPUT, "%s: its parameters are not those of a form", api->op->name);
	if (!op || !p)
		return err_nomem(e, "an operation", sizeof *op);
	memcpy(p, api->op->parameters, 2 * sizeof *p);
	p[0].allowed = l->at;
	p[0].n_allowed = l->n;
	*op = *api->op;
	op->parameters = p;
	api->op = op;
	return 0;
}

int form_read(struct registry *r, const char *folder, struct err *e)
{
	struct form_reading x = {.r = r, .forms = arena_array(&r->arena, r->n + 1, sizeof *x.forms), .err = e};
	char path[4096];
	int rc;

	if (!x.forms)
		return err_nomem(e, "forms", r->n * sizeof *x.forms);
	snprintf(path, sizeof path, "%s/forms-%s.tsv", folder, r->dialect->name);
	rc = registry_lines(r, path, take, &x, e);
	if (!rc && e->code)
		rc = err_prefix(e, "%s", path);
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct api *api = &r->apis[i];

		if (x.forms[i].n)
			rc = give(r, api, &x.forms[i], e);
		else if (!api->why_not)
			api->why_not = "no valid call of it is known";
	}
	return rc;
}

int form_makes(const struct api *api)
{
	const struct backend_parameter *p = api->op->parameters;
	const char *made = api->op->n_parameters && p[0].n_allowed ? strstr(p[0].allowed[0], MARK) : NULL;

	return made && strstr(made + 1, MARK);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static struct expr *make(const struct api *api, const char *form, const struct bindings *b, struct arena *a)
{
	struct expr *x = expr_new(a, EXPR_CALL, "", api->op->name), *list = expr_new(a, EXPR_LIST, "tensors", "");
	struct expr *word = expr_new(a, EXPR_STRING, "form", form);

	if (!x || !list || !word || expr_push(a, x, word))
		return NULL;
	for (size_t i = 0; i < b->n; i++)
		if (expr_push(a, list, expr_new(a, EXPR_VARIABLE, "", b->at[i].name)))
			return NULL;
	if (b->n && expr_push(a, x, list))
		return NULL;
	x->output = EXPR_ALL_OUTPUTS;
	return x;
}

/* Another type of the same kind, for all variables of a type alike: what is wrong with one is often right with another.
 * Those that the library does not take it refuses. */
static enum dtype other_type(enum dtype t, uint64_t kind)
{
	static const enum dtype whole[N_OTHERS] = {DT_INT8, DT_UINT8, DT_INT16, DT_INT32, DT_INT64};
	static const enum dtype floats[N_OTHERS] = {DT_FLOAT16, DT_DOUBLE, DT_FLOAT16, DT_DOUBLE, DT_FLOAT};

	return t == DT_INT32 || t == DT_INT64 ? whole[kind] : t == DT_FLOAT ? floats[kind] : t;
}

/* Whole numbers where a form has floats: what a library makes of them by its rules of promotion. */
static const struct {
	enum dtype dtype;
	enum draw_how how; /* DRAW_ANY: as the form and the rule say */
	int first;         /* the first float variable alone */
} wholes[] = {{DT_INT32, DRAW_ANY, 0}, {DT_INT8, DRAW_FULL, 0}, {DT_INT32, DRAW_ANY, 1}, {DT_INT8, DRAW_FULL, 1}};

#define N_WHOLES (sizeof wholes / sizeof *wholes)

/* Whether a call has a number that is not whole, such as alpha=0.6: beside tensors of whole numbers libraries want
 * factors of their type, and what else they make of one they do not say. */
static int has_fraction(const char *call)
{
	for (const char *at = call; *at; at++) {
		char *end;

		/* what stands before the call is MARK */
		if (!isdigit((unsigned char)*at) || isalnum((unsigned char)at[-1]) || at[-1] == '_')
			continue;
		if (fmod(strtod(at, &end), 1) != 0)
			return 1;
		at = end - 1;
	}
	return 0;
}

/* Whether the second of a call's two arguments is a number where another form of the function has a tensor, as with
 * fmod(t0, 1.5) beside fmod(t0, t1): an operand, whose type libraries promote as they document. */
static int is_operand(const struct api *api, const char *call)
{
	const char *comma = strchr(call, ',');
	size_t before;

	if (!comma || strchr(comma + 1, ','))
		return 0;
	before = (size_t)(comma - call);
	for (size_t i = 0; i < form_count(api); i++) {
		const char *other = strstr(api->op->parameters[0].allowed[i], MARK);

		if (!strncmp(other, call, before) && !strcmp(other + before, ", t1)"))
			return 1;
	}
	return 0;
}

/* Whether a form is a pattern, one function of another's result: numbers of a whole type's range, which overflow
 * between the two as both document, say nothing of either. */
static int is_pattern(const char *call)
{
	const char *last = call;
	int calls = 0;

	for (const char *mark = call; (mark = strstr(mark, MARK)); mark += strlen(MARK))
		last = mark + strlen(MARK);
	for (; *last; last++) /* a list or tuple in brackets has no name before it */
		calls += last[0] == '(' && (isalnum((unsigned char)last[-1]) || last[-1] == '_');
	return calls > 1;
}

/* Which of the ways to draw types a plan takes; N_OTHERS + N_WHOLES and above: the form's own, as more than half of the
 * plans have, but for a rule that is about types. */
static uint64_t choose_kind(const struct api *api, const char *call, int types, struct rng *structure)
{
	uint64_t kind = rng_below(structure, types ? N_OTHERS + N_WHOLES + 1 : 5 * N_OTHERS);

	if (kind >= N_OTHERS && has_fraction(call) && !is_operand(api, call))
		return N_OTHERS + N_WHOLES;
	if (kind >= N_OTHERS && kind < N_OTHERS + N_WHOLES && wholes[kind - N_OTHERS].how == DRAW_FULL &&
	    is_pattern(call))
		kind--; /* the same with small numbers */
	return kind;
}

/* Whole numbers of a plan with a rare type have that. */
static void choose_rare(struct draw *variables, uint64_t plan)
{
	enum dtype rare = PLAN_IS_RARE(plan) ? registry_rare[PLAN_RARE_TYPE(plan) % RARE_TYPES] : DT_UNDEFINED;

	for (size_t i = 0; i < variables->n; i++) {
		struct draw_variable *v = &variables->at[i];

		if (dtype_is_int(rare) && (v->dtype == DT_INT32 || v->dtype == DT_INT64))
			v->dtype = rare;
	}
}

/* Whether the form itself says nothing of its whole numbers. */
static int may_couple(const struct draw *variables)
{
	for (size_t i = 0; i < variables->n; i++)
		if (dtype_is_int(variables->at[i].dtype) && !draw_has_edges(variables->at[i].how))
			return 0;
	return 1;
}

/* What a form or a type says of its numbers comes before what a rule wants. */
static void choose_types(struct draw *variables, uint64_t kind, enum draw_how how)
{
	int changed = 0;

	for (size_t i = 0; i < variables->n; i++) {
		struct draw_variable *v = &variables->at[i];

		if (kind < N_OTHERS) {
			v->dtype = other_type(v->dtype, kind);
		} else if (kind < N_OTHERS + N_WHOLES && v->dtype == DT_FLOAT &&
			   !(changed && wholes[kind - N_OTHERS].first)) {
			v->dtype = wholes[kind - N_OTHERS].dtype;
			v->how = v->how == DRAW_ANY ? wholes[kind - N_OTHERS].how : v->how;
			changed = 1;
		}
		if (v->how == DRAW_ANY)
			v->how = how;
	}
}

static size_t draw_form(const struct api *api, uint64_t plan, struct rng *structure)
{
	rng_init(structure, plan & (((uint64_t)1 << PLAN_BITS) - 1));
	return (size_t)rng_below(structure, form_count(api));
}

size_t form_count(const struct api *api)
{
	return api->op->parameters[0].n_allowed;
}

size_t form_of_plan(const struct api *api, uint64_t plan)
{
	struct rng structure;

	return draw_form(api, plan, &structure);
}

int form_call(const struct api *api, const struct call_draw *draw, struct arena *a, struct expr **out,
	      struct bindings *bindings, struct err *e)
{
	struct draw variables;
	struct rng structure;
	const char *form, *text;
	uint64_t kind;
	int rc;

	form = api->op->parameters[0].allowed[draw_form(api, draw->plan, &structure)];
	kind = choose_kind(api, strstr(form, MARK), draw->types, &structure);
	text = arena_strndup(a, form, (size_t)(strstr(form, MARK) - form));
	rc = text ? draw_parse(text, a, &variables, e) : err_nomem(e, "a form", 0);
	if (!rc) {
		choose_types(&variables, kind, draw->how);
		choose_rare(&variables, draw->plan);
		rc = draw_make(&variables, draw->values, 0, bindings, e);
		if (!rc && may_couple(&variables) && couple_numbers(bindings, DT_UNDEFINED, draw->values, e)) {
			bindings_release(bindings);
			rc = e->code;
		}
	}
	if (rc)
		return err_prefix(e, "%s: '%s'", api->op->name, form);
	*out = make(api, form, bindings, a);
	if (*out)
		return 0;
	bindings_release(bindings);
	return err_nomem(e, "a call", 0);
}

static double number_of(size_t i, void *arg)
{
	return tensor_get(arg, i);
}

int form_floats(const struct expr *call, struct bindings *b, int *changed, struct err *e)
{
	const char *form = call->n ? call->items[0]->text : "", *mark = strstr(form, MARK);
	struct arena arena = ARENA_INIT;
	const char *text = arena_strndup(&arena, form, mark ? (size_t)(mark - form) : 0);
	struct draw variables = {0};
	int rc = text ? draw_parse(text, &arena, &variables, e) : err_nomem(e, "a form", 0);

	for (size_t i = 0; i < b->n && i < variables.n && !rc; i++) {
		struct tensor *t = b->at[i].tensor->tensor;
		struct value *v;

		if (variables.at[i].dtype != DT_FLOAT || dtype_is_float(t->dtype))
			continue;
		v = draw_numbers(DT_FLOAT, t->rank, t->dims, number_of, t, e);
		if (!v) {
			rc = e->code;
			break;
		}
		bindings_replace(b, b->at[i].name, v);
		*changed = 1;
	}
	arena_release(&arena);
	return rc;
}
