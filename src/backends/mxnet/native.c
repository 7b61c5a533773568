/* native.c - MXNet's own operations by name, and the list of them.
 *
 * Tensors are inputs in the order given; every other argument becomes a parameter, as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/mxnet/backend.h"
#include "backends/mxnet/mxnet.h"
#include "base/mem.h"

/* ---- one operation ----------------------------------------------------------------------------------------------- */

#define MAX_OUTPUTS 16

struct native {
	struct mx *mx;
	void **in, **gradients; /* [n_in]; gradients[i] NULL: not a float */
	struct tensor **given;  /* [n_in]: what the arrays were filled with */
	size_t n_in;
	const char *keys[MX_MAX_PARAMS], *values[MX_MAX_PARAMS];
	size_t n_params;
	struct arena arena;
};

static int add_input(struct native *v, struct value *x, struct err *e)
{
	struct tensor *t;

	if (!x || x->kind != VALUE_TENSOR)
		return err_set(e, ERR_UNSUPPORTED, "mxnet takes tensors only");
	t = tensor_pack(x->tensor, e);
	v->in[v->n_in] = t ? mx_from_tensor(v->mx, t, e) : NULL;
	if (!v->in[v->n_in]) {
		tensor_unref(t);
		return e->code;
	}
	v->given[v->n_in++] = t;
	return 0;
}

/* "(a,b,c)" of a list. */
static const char *list_text(struct arena *a, const struct backend_argument *arg)
{
	struct buf b;
	const char *text = NULL;

	buf_init(&b, 1 << 16);
	buf_puts(&b, "(");
	for (size_t i = 0; i < arg->n; i++) {
		if (arg->kind == ARG_INTS)
			buf_printf(&b, "%" PRId64, arg->ints[i]);
		else if (arg->kind == ARG_FLOATS)
			buf_printf(&b, "%.17g", arg->floats[i]);
		else
			buf_puts(&b, arg->strings[i]);
		buf_puts(&b, i + 1 < arg->n || arg->n == 1 ? "," : "");
	}
	buf_puts(&b, ")");
	if (!b.failed)
		text = arena_strdup(a, b.data);
	buf_release(&b);
	return text;
}

static const char *argument_text(struct arena *a, const struct backend_argument *arg)
{
	switch (arg->kind) {
	case ARG_INT:
		return arena_printf(a, "%" PRId64, arg->i);
	case ARG_FLOAT:
		return arena_printf(a, "%.17g", arg->f);
	case ARG_STRING:
		return arg->s;
	case ARG_BOOL:
		return arg->i ? "True" : "False";
	case ARG_DTYPE:
		return mx_dtype_name((enum dtype)arg->i);
	case ARG_INTS:
	case ARG_FLOATS:
	case ARG_STRINGS:
		return list_text(a, arg);
	default:
		return "None";
	}
}

static int add_argument(struct native *v, const struct backend_argument *arg, struct err *e)
{
	int rc = 0;

	if (arg->kind == ARG_TENSOR)
		return add_input(v, arg->tensor, e);
	for (size_t i = 0; i < arg->n && arg->kind == ARG_TENSORS && !rc; i++)
		rc = add_input(v, arg->tensors[i], e);
	if (arg->kind == ARG_TENSORS)
		return rc;
	if (v->n_params == MX_MAX_PARAMS)
		return err_set(e, ERR_LIMIT, "more than %d parameters", MX_MAX_PARAMS);
	v->keys[v->n_params] = arg->name;
	v->values[v->n_params] = argument_text(&v->arena, arg);
	if (!v->values[v->n_params++])
		return err_set(e, ERR_UNSUPPORTED, "parameter '%s' has a value that mxnet cannot take", arg->name);
	return 0;
}

static int mark_floats(struct native *v, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank, rc = 0;

	for (size_t i = 0; i < v->n_in && !rc; i++) {
		enum dtype t;

		rc = mx_shape(v->mx, v->in[i], &t, &rank, dims, e);
		if (!rc && dtype_is_float(t))
			rc = mx_mark(v->mx, v->in[i], &v->gradients[i], e);
	}
	return rc;
}

/* The gradient that an output is given: what is no float has ones. */
static int make_head(struct native *v, void *out, uint32_t heads, void **head, struct err *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *t = NULL;
	enum dtype type;
	int rank, made, rc = mx_shape(v->mx, out, &type, &rank, dims, e);

	if (rc)
		return rc;
	if (!heads || !dtype_is_float(type))
		return mx_invoke(v->mx, &(struct mx_invocation){.op = "ones_like", .n_in = 1, .in = &out}, head, 1,
				 &made, e);
	t = backend_heads(heads, type, rank, dims, e);
	*head = t ? mx_from_tensor(v->mx, t, e) : NULL;
	tensor_unref(t);
	return *head ? 0 : e->code;
}

/* Gradients of Σ head · output. */
static int native_backward(struct native *v, void **out, int n, uint32_t heads, struct err *e)
{
	void *given[MAX_OUTPUTS] = {NULL};
	int rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = make_head(v, out[i], heads, &given[i], e);
	if (!rc)
		rc = mx_backward(v->mx, out, given, (size_t)n, e);
	for (int i = 0; i < n; i++)
		if (given[i])
			mx_release(v->mx, given[i]);
	return rc;
}

/* Some operations write into their inputs: the graph must not see what the first run left. */
static int refill(struct native *v, struct err *e)
{
	for (size_t i = 0; i < v->n_in; i++)
		if (v->given[i]->count &&
		    v->mx->api.MXNDArraySyncCopyFromCPU(v->in[i], v->given[i]->data, v->given[i]->count))
			return mx_fail(v->mx, "fill an array", e);
	return 0;
}

static int native_run(struct native *v, const struct backend_call *c, void **out, int *n, struct err *e)
{
	const struct mx_invocation asked = {c->operation, (int)v->n_in, v->in, v->n_params, v->keys, v->values, 0};
	struct err ignored = ERR_INIT;
	int gradient = c->gradient, rc = 0;

	if (gradient)
		rc = mark_floats(v, e);
	if (!rc && gradient)
		rc = mx_record(v->mx, 1, e);
	if (v->mx->symbolic && !gradient)
		mx_trace_begin(v->mx);
	if (!rc)
		rc = mx_invoke(v->mx, &asked, out, MAX_OUTPUTS, n, e);
	if (!rc && v->mx->symbolic && !gradient)
		rc = refill(v, e);
	if (!rc && v->mx->symbolic && !gradient)
		rc = mx_trace_run(v->mx, out, (size_t)(*n < MAX_OUTPUTS ? *n : MAX_OUTPUTS), e);
	mx_trace_end(v->mx);
	if (gradient)
		mx_record(v->mx, 0, &ignored);
	if (!rc && *n > MAX_OUTPUTS)
		*n = MAX_OUTPUTS;
	if (!rc && gradient)
		rc = native_backward(v, out, *n, c->heads, e);
	return rc;
}

static int take_outputs(struct mx *mx, void **arrays, size_t n, struct backend_answer *out, struct err *e)
{
	int rc = 0;

	out->out = mem_array(n, sizeof *out->out);
	if (!out->out)
		return err_nomem(e, "outputs", n * sizeof *out->out);
	for (; out->n_out < n && !rc; out->n_out += !rc) {
		struct tensor *t;

		rc = mx_to_tensor(mx, arrays[out->n_out], &t, e);
		if (!rc && !(out->out[out->n_out] = value_tensor(t, e)))
			rc = e->code;
	}
	return rc;
}

/* One for each input; NULL where it is no float. */
static int take_gradients(struct native *v, struct backend_answer *out, struct err *e)
{
	int rc = 0;

	out->grads = mem_array(v->n_in, sizeof *out->grads);
	if (!out->grads)
		return err_nomem(e, "gradients", v->n_in * sizeof *out->grads);
	out->n_grads = v->n_in;
	for (size_t i = 0; i < v->n_in && !rc; i++)
		if (v->gradients[i])
			rc = mx_gradient(v->mx, v->gradients[i], &out->grads[i], e);
	return rc;
}

static size_t count_tensors(const struct backend_argument *args, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += args[i].kind == ARG_TENSOR ? 1 : args[i].kind == ARG_TENSORS ? args[i].n : 0;
	return count;
}

static void native_release(struct native *v)
{
	for (size_t i = 0; i < v->n_in; i++) {
		mx_release(v->mx, v->in[i]);
		tensor_unref(v->given[i]);
		if (v->gradients[i])
			mx_release(v->mx, v->gradients[i]);
	}
	mem_free(v->in);
	mem_free(v->given);
	mem_free(v->gradients);
	arena_release(&v->arena);
}

int mx_backend_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e)
{
	struct native v = {.mx = ctx};
	size_t tensors = count_tensors(c->args, c->n_args);
	void *arrays[MAX_OUTPUTS] = {NULL};
	int n = 0, rc;

	v.in = mem_array(tensors, sizeof *v.in);
	v.gradients = mem_array(tensors, sizeof *v.gradients);
	v.given = mem_array(tensors, sizeof *v.given);
	rc = v.in && v.gradients && v.given ? 0 : err_nomem(e, "inputs", tensors * sizeof *v.in);
	for (size_t i = 0; i < c->n_args && !rc; i++)
		rc = add_argument(&v, &c->args[i], e);
	if (!rc)
		rc = native_run(&v, c, arrays, &n, e);
	if (!rc && c->gradient)
		rc = take_gradients(&v, out, e);
	if (!rc)
		rc = take_outputs(v.mx, arrays, (size_t)n, out, e);
	if (rc)
		backend_answer_free(out);
	for (int i = 0; i < MAX_OUTPUTS; i++)
		if (arrays[i])
			mx_release(v.mx, arrays[i]);
	native_release(&v);
	return rc;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* The words in "{'a', 'b', None}" at the start of a type. */
static int allowed_words(struct arena *a, const char *type, struct backend_parameter *p)
{
	const char *end = *type == '{' ? strchr(type, '}') : NULL, *at = type + 1;
	size_t n = 1;

	if (!end)
		return 0;
	for (const char *s = type; s < end; s++)
		n += *s == ',';
	p->allowed = arena_array(a, n, sizeof *p->allowed);
	if (!p->allowed)
		return -1;
	while (at < end) {
		size_t length = strcspn(at, ",}");
		const char *from = at;

		at += length + 1;
		while (length && (*from == ' ' || *from == '\''))
			from++, length--;
		while (length && (from[length - 1] == ' ' || from[length - 1] == '\''))
			length--;
		if (!(p->allowed[p->n_allowed++] = arena_strndup(a, from, length)))
			return -1;
	}
	return 0;
}

/* "float, optional, default=0.25" and the like. */
static int read_parameter(struct arena *a, const char *name, const char *type, struct backend_parameter *p)
{
	const char *value = strstr(type, "default=");

	p->name = arena_strdup(a, name);
	p->type = arena_strdup(a, type);
	p->default_value = value ? arena_strdup(a, value + 8) : NULL;
	p->is_input = !strncmp(type, "NDArray", 7) || !strncmp(type, "Symbol", 6);
	p->optional = strstr(type, "optional") != NULL;
	return p->name && p->type && (!value || p->default_value) ? allowed_words(a, type, p) : -1;
}

/* op->name stays NULL where the name has another prefix. */
static int read_operation(struct mx *mx, void *creator, const char *prefix, struct arena *a,
			  struct backend_operation *op, struct err *e)
{
	const char *name, *text, **names, **types, **texts, *count_key, *result = NULL;
	uint32_t n;

	if (mx->api.MXSymbolGetAtomicSymbolInfo(creator, &name, &text, &n, &names, &types, &texts, &count_key, &result))
		return mx_fail(mx, "describe an operation", e);
	if (strncmp(name, prefix, strlen(prefix)))
		return 0;
	op->name = arena_strdup(a, name);
	op->doc = arena_strdup(a, text);
	op->n_parameters = n;
	op->parameters = arena_array(a, n, sizeof *op->parameters);
	for (uint32_t i = 0; op->parameters && i < n; i++)
		if (read_parameter(a, names[i], types[i], &op->parameters[i]))
			return err_nomem(e, "an operation", 0);
	return op->name && op->doc && op->parameters ? 0 : err_nomem(e, "an operation", 0);
}

int mx_backend_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		    struct err *e)
{
	struct mx *mx = ctx;
	struct backend_operation *list;
	void **creators;
	uint32_t count;
	size_t have = 0;

	if (mx->api.MXSymbolListAtomicSymbolCreators(&count, &creators))
		return mx_fail(mx, "list its operations", e);
	list = arena_array(arena, count, sizeof *list);
	if (!list)
		return err_nomem(e, "operations", count * sizeof *list);
	for (uint32_t i = 0; i < count; i++) {
		int rc = read_operation(mx, creators[i], prefix, arena, &list[have], e);

		if (rc)
			return rc;
		have += list[have].name != NULL;
	}
	*out = list;
	*n = have;
	return 0;
}
