/* native.c - the dispatcher's operators by their own names: calls with any arguments, and the list of all schemas. */
#include <string.h>

#include "backends/torch/torch.h"
#include "base/mem.h"

#define MOST_KEPT 64
#define MAX_KEY ((size_t)1 << 20)

/* One call: handles of all tensor arguments, and the arguments that refer to them. */
struct torch_invocation {
	struct th *th;
	struct torch_arg *args;
	size_t n_args;
	VEC(void *) handles;        /* all, to be released */
	VEC(void *) differentiable; /* of single float tensors; NULL: no gradient */
	VEC(void **) lists;
	struct torch_result *results;
	size_t n_results;
};

static void *add_tensor(struct torch_invocation *v, const struct value *value, struct err *e)
{
	void *t;

	if (!value || value->kind != VALUE_TENSOR) {
		err_set(e, ERR_INPUT, "an argument is not a tensor");
		return NULL;
	}
	t = th_library.from_tensor(v->th, value->tensor, e);
	if (t && vec_push(&v->handles, t)) {
		v->th->api.assay_torch_release(t);
		err_nomem(e, "arguments", 0);
		return NULL;
	}
	return t;
}

static int single_tensor(struct torch_invocation *v, const struct backend_argument *a, struct torch_arg *out,
			 struct err *e)
{
	out->kind = TORCH_TENSOR;
	out->tensor = add_tensor(v, a->tensor, e);
	if (!out->tensor)
		return e->code;
	return vec_push(&v->differentiable, out->tensor) ? err_nomem(e, "arguments", 0) : 0;
}

static int tensor_list(struct torch_invocation *v, const struct backend_argument *a, struct torch_arg *out,
		       struct err *e)
{
	void **list = mem_array(a->n + 1, sizeof *list);

	if (!list || vec_push(&v->lists, list)) {
		mem_free(list);
		return err_nomem(e, "arguments", 0);
	}
	for (size_t i = 0; i < a->n; i++)
		if (!(list[i] = add_tensor(v, a->tensors[i], e)))
			return e->code;
	out->kind = TORCH_TENSORS;
	out->tensors = list;
	out->n = a->n;
	return 0;
}

static int convert(struct torch_invocation *v, const struct backend_argument *a, struct torch_arg *out, struct err *e)
{
	static const enum torch_kind kinds[] = {
		[ARG_NONE] = TORCH_NONE,       [ARG_TENSOR] = TORCH_TENSOR,   [ARG_INT] = TORCH_INT,
		[ARG_FLOAT] = TORCH_FLOAT,     [ARG_STRING] = TORCH_STRING,   [ARG_BOOL] = TORCH_BOOL,
		[ARG_DTYPE] = TORCH_DTYPE,     [ARG_INTS] = TORCH_INTS,       [ARG_FLOATS] = TORCH_FLOATS,
		[ARG_STRINGS] = TORCH_STRINGS, [ARG_TENSORS] = TORCH_TENSORS,
	};

	*out = (struct torch_arg){.name = a->name,
				  .kind = kinds[a->kind],
				  .i = a->i,
				  .f = a->f,
				  .s = a->s,
				  .ints = a->ints,
				  .floats = a->floats,
				  .strings = a->strings,
				  .n = a->n};
	if (a->kind == ARG_TENSOR)
		return single_tensor(v, a, out, e);
	return a->kind == ARG_TENSORS ? tensor_list(v, a, out, e) : 0;
}

static void end_invocation(struct torch_invocation *v)
{
	const struct torch_api *api = &v->th->api;

	for (size_t i = 0; i < v->n_results; i++)
		for (size_t k = 0; k < v->results[i].n; k++)
			api->assay_torch_release(v->results[i].tensors[k]);
	if (v->results)
		api->assay_torch_free_results(v->results, v->n_results);
	for (size_t i = 0; i < v->handles.n; i++)
		api->assay_torch_release(v->handles.at[i]);
	for (size_t i = 0; i < v->lists.n; i++)
		mem_free(v->lists.at[i]);
	vec_release(&v->handles);
	vec_release(&v->differentiable);
	vec_release(&v->lists);
	mem_free(v->args);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static struct value *value_of(struct torch_invocation *v, void *handle, struct err *e)
{
	struct tensor *t;

	return th_library.to_tensor(v->th, handle, &t, e) ? NULL : value_tensor(t, e);
}

static struct value *result_value(struct torch_invocation *v, const struct torch_result *r, struct err *e)
{
	struct value **items, *sequence = NULL;
	size_t n = 0;

	if (!r->is_list)
		return value_of(v, r->tensors[0], e);
	items = mem_array(r->n + 1, sizeof *items);
	if (!items) {
		err_nomem(e, "results", 0);
		return NULL;
	}
	while (n < r->n && (items[n] = value_of(v, r->tensors[n], e)))
		n++;
	if (n == r->n)
		sequence = value_sequence(n ? items[0]->dtype : DT_UNDEFINED, items, n, e);
	else
		while (n)
			value_unref(items[--n]);
	mem_free(items);
	return sequence;
}

static int give_results(struct torch_invocation *v, struct value ***out, size_t *n_out, struct err *e)
{
	struct value **values = mem_array(v->n_results + 1, sizeof *values);
	size_t n = 0;

	if (!values)
		return err_nomem(e, "results", 0);
	while (n < v->n_results && (values[n] = result_value(v, &v->results[n], e)))
		n++;
	if (n < v->n_results) {
		while (n)
			value_unref(values[--n]);
		mem_free(values);
		return e->code;
	}
	*out = values;
	*n_out = n;
	return 0;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static int is_differentiable(struct torch_invocation *v, void *handle)
{
	int64_t dims[TORCH_MAX_RANK];
	int code, rank;

	return !v->th->api.assay_torch_shape(handle, &code, &rank, dims) && dtype_is_float(dtype_from_code(code));
}

/* What an operator says of a tensor: yes or no. */
static int ask(struct torch_invocation *v, const char *question, void *handle, int *yes, struct err *e)
{
	struct torch_arg arg = {.kind = TORCH_TENSOR, .tensor = handle};
	struct torch_result *answer = NULL;
	struct tensor *t = NULL;
	size_t n = 0;
	int rc = 0;

	if (v->th->api.assay_torch_call(question, &arg, 1, &answer, &n))
		return th_failed(v->th, question, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = vec_push(&v->handles, answer[i].tensors[0]) ? err_nomem(e, "an answer", 0) : 0;
	if (!rc)
		rc = n == 1 ? th_library.to_tensor(v->th, answer->tensors[0], &t, e)
			    : err_set(e, ERR_INTERNAL, "%s gave %zu results", question, n);
	*yes = !rc && t->count == 1 && tensor_get(t, 0) != 0;
	tensor_unref(t);
	v->th->api.assay_torch_free_results(answer, n);
	return rc;
}

/* The gradient that an output is given: of its type and shape. */
static int make_head(struct torch_invocation *v, void *output, uint32_t heads, void **head, struct err *e)
{
	int64_t dims[TORCH_MAX_RANK];
	int code, rank;
	struct tensor *t;
	struct value *value;

	if (v->th->api.assay_torch_shape(output, &code, &rank, dims))
		return th_failed(v->th, "make seeds", e);
	t = backend_heads(heads, dtype_from_code(code), rank, dims, e);
	value = t ? value_tensor(t, e) : NULL;
	*head = value ? add_tensor(v, value, e) : NULL;
	value_unref(value);
	return *head ? 0 : e->code;
}

/* An output that nothing is recorded of is a leaf: it has no gradient, which is something else than 0. */
static int backward(struct torch_invocation *v, uint32_t heads, void **wanted, void **grads, struct err *e)
{
	const struct torch_api *api = &v->th->api;
	VEC(void *) outputs = VEC_INIT, seeds = VEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < v->n_results && !rc; i++)
		for (size_t k = 0; k < v->results[i].n && !rc; k++) {
			void *output = v->results[i].tensors[k], *head = NULL;
			int leaf = 1;

			if (!is_differentiable(v, output) || (rc = ask(v, "is_leaf", output, &leaf, e)) || leaf)
				continue;
			rc = make_head(v, output, heads, &head, e);
			if (!rc && (vec_push(&outputs, output) || vec_push(&seeds, head)))
				rc = err_nomem(e, "seeds", 0);
		}
	if (!rc && !outputs.n)
		rc = err_set(e, ERR_UNSUPPORTED, "no output has a gradient");
	if (!rc && api->assay_torch_backward(outputs.at, seeds.at, outputs.n, wanted, v->differentiable.n, grads))
		rc = th_failed(v->th, "compute gradients", e);
	vec_release(&outputs);
	vec_release(&seeds);
	return rc;
}

/* Zeros that are known to be zeros have no memory. */
static int read_gradient(struct torch_invocation *v, void *handle, struct tensor **out, struct err *e)
{
	struct torch_arg arg = {.kind = TORCH_TENSOR, .tensor = handle};
	struct torch_result *zeros = NULL;
	size_t n = 0;
	int without = 0, rc = ask(v, "_is_zerotensor", handle, &without, e);

	if (rc || !without)
		return rc ? rc : th_library.to_tensor(v->th, handle, out, e);
	if (v->th->api.assay_torch_call("zeros_like", &arg, 1, &zeros, &n))
		return th_failed(v->th, "make zeros", e);
	rc = vec_push(&v->handles, zeros->tensors[0]) ? err_nomem(e, "zeros", 0) : 0;
	if (!rc)
		rc = th_library.to_tensor(v->th, zeros->tensors[0], out, e);
	v->th->api.assay_torch_free_results(zeros, n);
	return rc;
}

/* One gradient for each tensor argument, in order; zeros for those of integers. */
static int give_gradients(struct torch_invocation *v, uint32_t heads, struct tensor ***out, size_t *n_out,
			  struct err *e)
{
	size_t n = v->differentiable.n, done = 0;
	struct tensor **tensors = mem_array(n + 1, sizeof *tensors);
	void **grads = mem_array(n + 1, sizeof *grads);
	int rc = tensors && grads ? backward(v, heads, v->differentiable.at, grads, e) : err_nomem(e, "gradients", 0);

	while (!rc && done < n) {
		rc = read_gradient(v, grads[done], &tensors[done], e);
		done += !rc;
	}
	for (size_t i = 0; grads && i < n; i++)
		if (grads[i])
			v->th->api.assay_torch_release(grads[i]);
	mem_free(grads);
	if (!rc) {
		*out = tensors;
		*n_out = n;
		return 0;
	}
	while (done)
		tensor_unref(tensors[--done]);
	mem_free(tensors);
	return rc;
}

static int mark(struct torch_invocation *v, struct err *e)
{
	if (v->th->api.assay_torch_grad_mode(1))
		return th_failed(v->th, "record gradients", e);
	for (size_t i = 0; i < v->differentiable.n; i++)
		if (is_differentiable(v, v->differentiable.at[i]) &&
		    v->th->api.assay_torch_requires_grad(v->differentiable.at[i], 1))
			return th_failed(v->th, "record gradients", e);
	return 0;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

void torch_forget_programs(struct th *th)
{
	for (const struct map_entry *it = map_first(&th->programs); it; it = map_next(it))
		th->api.assay_torch_compiled_free(map_value(it));
	map_release(&th->programs);
}

/* The program of a call; it serves all that differ in the values of tensors alone, and is kept. */
static void *find_program(struct torch_invocation *v, const struct backend_call *c, struct err *e)
{
	struct th *th = v->th;
	struct buf key;
	void *program;

	buf_init(&key, MAX_KEY);
	backend_call_key(c, &key);
	program = buf_check(&key, e) ? NULL : map_get(&th->programs, key.data);
	if (!program && !e->code) {
		if (map_count(&th->programs) >= MOST_KEPT)
			torch_forget_programs(th);
		program = th->api.assay_torch_compile(c->operation, v->args, v->n_args, th->saved);
		if (!program)
			th_failed(th, c->operation, e);
		else if (map_put(&th->programs, key.data, program)) {
			th->api.assay_torch_compiled_free(program);
			err_nomem(e, "a program", 0);
		}
	}
	buf_release(&key);
	return e->code ? NULL : program;
}

/* Gradients are autograd's, of the operator itself, in both modes. */
static int run_call(struct torch_invocation *v, const struct backend_call *c, struct err *e)
{
	const struct torch_api *api = &v->th->api;
	void *program = NULL;
	int rc;

	if (v->th->jit && !c->gradient && !(program = find_program(v, c, e)))
		return e->code;
	rc = program ? api->assay_torch_compiled_call(program, v->args, v->n_args, &v->results, &v->n_results)
		     : api->assay_torch_call(c->operation, v->args, v->n_args, &v->results, &v->n_results);
	return rc ? th_failed(v->th, c->operation, e) : 0;
}

int torch_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e)
{
	struct torch_invocation v = {.th = ctx, .args = mem_array(c->n_args + 1, sizeof *v.args), .n_args = c->n_args};
	int rc = v.args ? 0 : err_nomem(e, "arguments", 0);

	for (size_t i = 0; i < c->n_args && !rc; i++)
		rc = convert(&v, &c->args[i], &v.args[i], e);
	if (!rc && c->gradient)
		rc = mark(&v, e);
	if (!rc)
		rc = run_call(&v, c, e);
	if (!rc)
		rc = give_results(&v, &out->out, &out->n_out, e);
	if (!rc && c->gradient)
		rc = give_gradients(&v, c->heads, &out->grads, &out->n_grads, e);
	if (rc)
		backend_answer_free(out);
	v.th->api.assay_torch_grad_mode(0);
	end_invocation(&v);
	return rc;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

struct torch_listing {
	struct arena *arena;
	VEC(struct backend_operation) found;
	struct err *err;
};

static char *copy(struct torch_listing *l, const char *s)
{
	char *text = arena_strdup(l->arena, s);

	if (!text)
		err_nomem(l->err, "the list of operators", strlen(s));
	return text;
}

static int add_schema(void *arg, const struct torch_schema *s)
{
	struct torch_listing *l = arg;
	struct backend_operation o = {.name = copy(l, s->name),
				      .doc = copy(l, s->text),
				      .parameters = arena_array(l->arena, s->n_parameters, sizeof *o.parameters),
				      .n_parameters = s->n_parameters,
				      .n_outputs = s->n_outputs};

	for (size_t i = 0; i < s->n_parameters && o.parameters && !l->err->code; i++) {
		const struct torch_parameter *from = &s->parameters[i];
		struct backend_parameter *to = &o.parameters[i];

		to->name = copy(l, from->name);
		to->type = copy(l, from->type);
		to->default_value = from->default_value ? copy(l, from->default_value) : NULL;
		to->is_input = from->is_tensor;
		to->optional = from->is_optional;
	}
	if (!l->err->code && (!o.parameters || vec_push(&l->found, o)))
		err_nomem(l->err, "the list of operators", 0);
	return l->err->code;
}

int torch_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
	       struct err *e)
{
	const struct th *th = ctx;
	struct torch_listing l = {arena, VEC_INIT, e};
	struct backend_operation *list = NULL;
	int rc = 0;

	if (th->api.assay_torch_list(prefix ? prefix : "", add_schema, &l))
		rc = e->code ? e->code : th_failed(th, "list its operators", e);
	if (!rc && !(list = arena_array(arena, l.found.n + 1, sizeof *list)))
		rc = err_nomem(e, "the list of operators", 0);
	if (!rc) {
		if (l.found.n)
			memcpy(list, l.found.at, l.found.n * sizeof *list);
		*out = list;
		*n = l.found.n;
	}
	vec_release(&l.found);
	return rc;
}
