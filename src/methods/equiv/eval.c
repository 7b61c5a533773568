/* eval.c - see eval.h. */
#include "methods/equiv/eval.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "methods/equiv/derive.h"

enum worker_result eval_invoke_worker(void *library, const struct backend_call *c, struct backend_answer *out,
				      struct worker_report *report)
{
	return caller_invoke(library, c, out, report);
}

void eval_set_patience(struct eval *v, double times)
{
	const struct caller *c = v->library;

	if (v->invoke == eval_invoke_worker)
		worker_set_patience(c->worker, times);
}

void eval_forget_gradients(struct eval *v)
{
	for (size_t i = 0; i < v->n_grads; i++)
		tensor_unref(v->grads[i]);
	mem_free(v->grads);
	v->grads = NULL;
	v->n_grads = 0;
}

/* One call: its arguments, and the values they hold on to. */
struct eval_call {
	struct eval *v;
	const struct bindings *bindings;
	struct arena arena;
	VEC(struct value *) held;
	struct err *err;
};

static int hold(struct eval_call *f, struct value *take)
{
	if (!vec_push(&f->held, take))
		return 0;
	value_unref(take);
	return err_nomem(f->err, "arguments", 0);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* tensor(@int32, [2,2], [1,1,2,2]); one value stands for all. */
static int constant(struct eval_call *f, const struct expr *x, struct value **out)
{
	int64_t dims[TENSOR_MAX_RANK], i = 0;
	struct tensor *wide, *packed;
	int rc = 0;

	if (x->n != 3 || x->items[0]->kind != EXPR_DTYPE || x->items[1]->kind != EXPR_LIST ||
	    x->items[2]->kind != EXPR_LIST || x->items[1]->n > TENSOR_MAX_RANK)
		return err_set(f->err, ERR_INPUT, "wanted tensor(@type, [sizes], [values])");
	for (size_t k = 0; k < x->items[1]->n && !rc; k++)
		rc = bindings_int(f->bindings, x->items[1]->items[k], &dims[k], f->err);
	if (rc)
		return rc;
	wide = tensor_zeros((enum dtype)x->items[0]->i, (int)x->items[1]->n, dims, f->err);
	if (!wide)
		return f->err->code;
	if (x->items[2]->n != wide->count && x->items[2]->n != 1)
		rc = err_set(f->err, ERR_INPUT, "tensor(): %zu values for %zu elements", x->items[2]->n, wide->count);
	for (size_t k = 0; k < wide->count && !rc; k++) {
		const struct expr *item = x->items[2]->items[x->items[2]->n == 1 ? 0 : k];

		if (item->kind != EXPR_FLOAT)
			rc = bindings_int(f->bindings, item, &i, f->err);
		if (dtype_wide(wide->dtype) == WIDE_F64)
			wide->f[k] = item->kind == EXPR_FLOAT ? item->f : (double)i;
		else if (dtype_wide(wide->dtype) == WIDE_I64)
			wide->i[k] = i;
	}
	packed = rc ? NULL : tensor_pack(wide, f->err);
	tensor_unref(wide);
	*out = packed ? value_tensor(packed, f->err) : NULL;
	return *out ? 0 : f->err->code;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static int is_tensor(const struct eval_call *f, const struct expr *x)
{
	const struct draw_binding *b = x->kind == EXPR_VARIABLE ? bindings_find(f->bindings, x->text) : NULL;

	return x->kind == EXPR_CALL || (b && b->tensor);
}

/* *out NULL: the library refused. */
static int tensor_of(struct eval_call *f, const struct expr *x, struct value **out)
{
	int rc = eval_expr(f->v, x, f->bindings, out, f->err);

	return rc || !*out ? rc : hold(f, *out);
}

static int list_argument(struct eval_call *f, const struct expr *x, struct backend_argument *a, int *refused)
{
	size_t n = x->n;
	struct value **tensors = arena_array(&f->arena, n + 1, sizeof *tensors);
	int64_t *ints = arena_array(&f->arena, n + 1, sizeof *ints);
	double *floats = arena_array(&f->arena, n + 1, sizeof *floats);
	const char **strings = arena_array(&f->arena, n + 1, sizeof *strings);
	int has_tensor = 0, has_float = 0, has_string = 0, rc = 0;

	if (!tensors || !ints || !floats || !strings)
		return err_nomem(f->err, "arguments", 0);
	for (size_t i = 0; i < n; i++) {
		has_tensor |= is_tensor(f, x->items[i]);
		has_float |= x->items[i]->kind == EXPR_FLOAT;
		has_string |= x->items[i]->kind == EXPR_STRING;
	}
	for (size_t i = 0; i < n && !rc && !*refused; i++) {
		const struct expr *item = x->items[i];

		strings[i] = item->text;
		if (has_tensor) {
			rc = tensor_of(f, item, &tensors[i]);
			*refused = !rc && !tensors[i];
		} else if (item->kind == EXPR_FLOAT) {
			floats[i] = item->f;
		} else if (item->kind == EXPR_BOOL || item->kind == EXPR_DTYPE) {
			ints[i] = item->i;
		} else if (!has_string) {
			rc = bindings_int(f->bindings, item, &ints[i], f->err);
			floats[i] = (double)ints[i];
		}
	}
	a->n = n;
	a->kind = has_tensor ? ARG_TENSORS : has_string ? ARG_STRINGS : has_float ? ARG_FLOATS : ARG_INTS;
	a->tensors = tensors;
	a->ints = ints;
	a->floats = floats;
	a->strings = strings;
	return rc;
}

static int argument(struct eval_call *f, const struct expr *x, struct backend_argument *a, int *refused)
{
	static const int kinds[] = {
		[EXPR_NONE] = ARG_NONE, [EXPR_CALL] = ARG_TENSOR, [EXPR_VARIABLE] = ARG_INT,
		[EXPR_INT] = ARG_INT,   [EXPR_FLOAT] = ARG_FLOAT, [EXPR_STRING] = ARG_STRING,
		[EXPR_BOOL] = ARG_BOOL, [EXPR_DTYPE] = ARG_DTYPE, [EXPR_LIST] = ARG_INTS,
		[EXPR_SUM] = ARG_INT,
	};
	int rc = 0;

	*a = (struct backend_argument){.name = x->name, .i = x->i, .f = x->f, .s = x->text};
	a->kind = kinds[x->kind];
	if (is_tensor(f, x)) {
		a->kind = ARG_TENSOR;
		rc = tensor_of(f, x, &a->tensor);
		*refused = !rc && !a->tensor;
	} else if (x->kind == EXPR_LIST) {
		rc = list_argument(f, x, a, refused);
	} else if (x->kind == EXPR_VARIABLE || x->kind == EXPR_SUM) {
		rc = bindings_int(f->bindings, x, &a->i, f->err);
	}
	return rc;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* A sequence takes references over; the array's own are given back by the caller. */
static int take_output(struct eval_call *f, const struct expr *x, struct value **values, size_t n, struct value **out)
{
	if (x->output == EXPR_ALL_OUTPUTS && n != 1) { /* none: that it ran is all there is to see */
		for (size_t i = 0; i < n; i++)
			value_ref(values[i]);
		*out = value_sequence(DT_UNDEFINED, values, n, f->err);
		return *out ? 0 : f->err->code;
	}
	if (x->output != EXPR_ALL_OUTPUTS && x->output >= n)
		return err_set(f->err, ERR_INPUT, "%s has no output %zu", x->text, x->output);
	*out = value_ref(values[n == 1 ? 0 : x->output]);
	return 0;
}

static int call(struct eval_call *f, const struct expr *x, struct value **out)
{
	struct backend_argument *args = arena_array(&f->arena, x->n + 1, sizeof *args);
	const struct backend_call asked = {x->text, args, x->n, f->v->derive, f->v->heads};
	struct backend_answer got = {0};
	int refused = 0, rc = args ? 0 : err_nomem(f->err, "arguments", 0);

	for (size_t i = 0; i < x->n && !rc && !refused; i++)
		rc = argument(f, x->items[i], &args[i], &refused);
	if (rc || refused)
		return rc;
	f->v->calls++;
	eval_forget_gradients(f->v);
	if (f->v->invoke(f->v->library, &asked, &got, &f->v->report) != WORKER_OK) {
		f->v->refused++;
		return 0;
	}
	rc = take_output(f, x, got.out, got.n_out, out);
	f->v->grads = got.grads;
	f->v->n_grads = got.n_grads;
	got.grads = NULL;
	backend_answer_free(&got);
	return rc;
}

int eval_expr(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e)
{
	struct eval_call f = {.v = v, .bindings = b, .arena = ARENA_INIT, .err = e};
	const struct draw_binding *variable = x->kind == EXPR_VARIABLE ? bindings_find(b, x->text) : NULL;
	int rc;

	*out = NULL;
	if (variable && variable->tensor) {
		v->report.result = WORKER_OK;
		*out = value_ref(variable->tensor);
		return 0;
	}
	if (x->kind != EXPR_CALL)
		return err_set(e, ERR_INPUT, "'%s' is not a tensor", x->text);
	if (derive_find(x->text))
		return derive_find(x->text)(v, x, b, out, e);
	rc = strcmp(x->text, "tensor") ? call(&f, x, out) : constant(&f, x, out);
	for (size_t i = 0; i < f.held.n; i++)
		value_unref(f.held.at[i]);
	vec_release(&f.held);
	arena_release(&f.arena);
	return rc;
}
