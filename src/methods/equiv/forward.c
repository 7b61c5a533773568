/* forward.c - see forward.h. */
#include "methods/equiv/forward.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/equiv/known.h"

#define MAX_NAME 256

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct api *find(const struct registry *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->apis[i].op->name, name))
			return &r->apis[i];
	return NULL;
}

/* "MaxPoolGradV2" is a gradient of "MaxPoolV2", "Conv3DBackpropInputV2" one of "Conv3D". */
const struct api *forward_find(const struct registry *r, const struct api *api)
{
	const char *name = api->op->name;

	for (const char *const *mark = r->dialect->gradient_marks; mark && *mark; mark++) {
		const char *at = strstr(name, *mark);
		const struct api *found;
		char text[MAX_NAME];

		if (!at || at == name)
			continue;
		snprintf(text, sizeof text, "%.*s%s", (int)(at - name), name, at + strlen(*mark));
		found = find(r, text);
		snprintf(text, sizeof text, "%.*s", (int)(at - name), name);
		return found ? found : find(r, text);
	}
	return NULL;
}

/* ---- its call ---------------------------------------------------------------------------------------------------- */

struct asking {
	const struct expr *call;
	const struct bindings *in;
	struct arena arena;
};

/* The gradient of its result, among the arguments. */
static const struct tensor *gradient_of(const struct asking *q)
{
	static const char *const names[] = {"grad", "out_backprop", "gradients", "grad_output", "dy"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct tensor *t = known_tensor(known_argument(q->call, names[i]), q->in);

		if (t)
			return t;
	}
	return NULL;
}

/* Zeros of the shape that an argument gives: only the shape of the result is looked at. */
static struct expr *zeros(struct asking *q, const struct tensor *shape)
{
	struct expr *x = expr_new(&q->arena, EXPR_CALL, "", "tensor");
	struct expr *type = expr_new(&q->arena, EXPR_DTYPE, "", ""), *dims = expr_new(&q->arena, EXPR_LIST, "", "");
	struct expr *values = expr_new(&q->arena, EXPR_LIST, "", ""), *zero = expr_new(&q->arena, EXPR_FLOAT, "", "");

	if (!x || !type || !dims || !values || !zero || shape->rank != 1)
		return NULL;
	type->i = gradient_of(q) ? gradient_of(q)->dtype : DT_FLOAT;
	for (size_t i = 0; i < shape->count; i++) {
		struct expr *n = expr_new(&q->arena, EXPR_INT, "", "");

		if (!n || expr_push(&q->arena, dims, n))
			return NULL;
		n->i = (int64_t)tensor_get(shape, i);
		if (n->i < 0 || n->i > 4096)
			return NULL;
	}
	if (expr_push(&q->arena, values, zero) || expr_push(&q->arena, x, type) || expr_push(&q->arena, x, dims) ||
	    expr_push(&q->arena, x, values))
		return NULL;
	return x;
}

static const struct expr *argument(const struct asking *q, const char *format, const char *name)
{
	char text[MAX_NAME];

	snprintf(text, sizeof text, format, name);
	return known_argument(q->call, text);
}

/* An input of the forward operation: by its own name, as what it was ("orig_input"), or by its shape ("filter_sizes",
 * "orig_input_shape").  Gradients call an only input so whatever its name is. */
static struct expr *input_for(struct asking *q, const char *name, int only)
{
	static const char *const shapes[] = {"%s_sizes", "orig_%s_shape"};
	const struct expr *found = argument(q, "orig_%s", name);
	struct expr *x;

	if (!found && only)
		found = argument(q, "orig_%s", "input");
	for (size_t i = 0; !found && i < 2 * sizeof shapes / sizeof *shapes; i++) {
		const struct expr *shape = i % 2 && !only ? NULL : argument(q, shapes[i / 2], i % 2 ? "input" : name);

		if (shape)
			return known_tensor(shape, q->in) ? zeros(q, known_tensor(shape, q->in)) : NULL;
	}
	x = found ? arena_alloc(&q->arena, sizeof *x) : NULL;
	if (x)
		*x = *found;
	return x;
}

static size_t count_inputs(const struct backend_operation *op)
{
	size_t n = 0;

	for (size_t i = 0; i < op->n_parameters; i++)
		n += (size_t)op->parameters[i].is_input;
	return n;
}

/* NULL: not all of it is known. */
static struct expr *forward_call(struct asking *q, const struct backend_operation *op)
{
	struct expr *x = expr_new(&q->arena, EXPR_CALL, "", op->name);
	int only = count_inputs(op) == 1;

	for (size_t i = 0; x && i < op->n_parameters; i++) {
		const struct backend_parameter *p = &op->parameters[i];
		const struct expr *same = argument(q, "%s", p->name);
		struct expr *given = same ? arena_alloc(&q->arena, sizeof *given) : NULL;

		if (given)
			*given = *same;
		else if (p->is_input)
			given = input_for(q, p->name, only);
		if (!given && (p->optional || !strcmp(p->type, "type"))) /* a type follows from the tensors */
			continue;
		if (!given)
			return NULL;
		given->name = p->name;
		if (expr_push(&q->arena, x, given))
			return NULL;
	}
	return x;
}

/* ---- its result -------------------------------------------------------------------------------------------------- */

static int same_numbers(const struct tensor *a, const struct tensor *b)
{
	if (!tensor_same_shape(a, b))
		return 0;
	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (!(isnan(x) && isnan(y)) && x != y && !(fabs(x - y) <= 1e-3 * fabs(y)))
			return 0;
	}
	return 1;
}

/* Output k of several, or the only one; NULL: there is none, or it is no tensor. */
static const struct tensor *output(const struct value *y, size_t k)
{
	const struct value *v = y->kind == VALUE_SEQUENCE ? (k < y->n ? y->items[k] : NULL) : k ? NULL : y;

	return v && v->kind == VALUE_TENSOR ? v->tensor : NULL;
}

/* What a gradient wants of the results themselves: by their names, or as "orig_output". */
static int has_results(const struct asking *q, const struct backend_operation *op, const struct value *y)
{
	for (size_t k = 0; k < op->n_outputs; k++) {
		const char *name = op->output_names ? op->output_names[k] : "";
		const struct tensor *given = known_tensor(argument(q, "%s", name), q->in), *is = output(y, k);

		if (!given)
			given = known_tensor(argument(q, "orig_%s", name), q->in);
		if (given && is && !same_numbers(given, is))
			return 0;
	}
	return 1;
}

static enum forward_result hold_against(const struct asking *q, const struct backend_operation *op,
					const struct value *y)
{
	const struct tensor *g = gradient_of(q), *first = output(y, 0);

	if ((g && first && !tensor_same_shape(g, first)) || !has_results(q, op, y))
		return FORWARD_REFUSES;
	return g && first ? FORWARD_AGREES : FORWARD_UNKNOWN;
}

enum forward_result forward_ask(const struct api *forward, struct eval *v, const struct expr *call,
				const struct bindings *in, struct err *e)
{
	struct asking q = {.call = call, .in = in, .arena = ARENA_INIT};
	struct expr *x = forward_call(&q, forward->op);
	enum forward_result found = FORWARD_UNKNOWN;
	struct value *y = NULL;

	if (x) {
		x->output = EXPR_ALL_OUTPUTS;
		if (eval_expr(v, x, in, &y, e))
			found = FORWARD_FAILED;
		else if (y)
			found = hold_against(&q, forward->op, y);
		else if (v->report.result == WORKER_REJECTED || v->report.result == WORKER_UNSUPPORTED)
			found = FORWARD_REFUSES;
	}
	value_unref(y);
	arena_release(&q.arena);
	return found;
}
