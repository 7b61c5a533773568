/* container.c - see container.h. */
#include "ops/kit/container.h"

#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct value *call_wrap(struct call *c, struct tensor *take)
{
	return take ? value_tensor(take, c->err) : NULL;
}

struct value *call_value(struct call *c, int in)
{
	if (in < c->n_in && c->in_value && c->in_value[in])
		return value_ref(c->in_value[in]);
	if (in < c->n_in && c->in[in])
		return call_wrap(c, tensor_ref(c->in[in]));
	call_bad(c, "input %d is left out", in);
	return NULL;
}

int call_give(struct call *c, int out, struct value *take)
{
	struct tensor *t;

	if (!call_wants(c, out)) {
		value_unref(take);
		return 0;
	}
	if (take->kind != VALUE_TENSOR) {
		c->out_value[out] = take;
		return 0;
	}
	t = tensor_widen(take->tensor, c->err);
	value_unref(take);
	if (!t)
		return c->err->code;
	c->out[out] = t;
	return 0;
}

struct value *call_sequence(struct call *c, int in)
{
	struct value *v = in < c->n_in && c->in_value ? c->in_value[in] : NULL;

	if (!v || v->kind != VALUE_SEQUENCE) {
		call_bad(c, "input %d is not a sequence", in);
		return NULL;
	}
	return v;
}

struct tensor *call_item(struct call *c, const struct value *seq, size_t i)
{
	if (seq->items[i]->kind != VALUE_TENSOR) {
		call_bad(c, "item %zu of the sequence is not a tensor", i);
		return NULL;
	}
	return tensor_widen(seq->items[i]->tensor, c->err);
}

int call_single(struct call *c, const struct tensor *t, const char *what, int64_t *out)
{
	if (dtype_wide(t->dtype) != WIDE_I64)
		return call_bad(c, "%s is %s, wanted an integer or a bool", what, dtype_name(t->dtype));
	if (t->count != 1)
		return call_bad(c, "%s has %zu elements, wanted 1", what, t->count);
	*out = t->i[0];
	return 0;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define X(id, code, name, wide, bits, npy) [id] = {.kind = VALUE_TENSOR, .dtype = id, .rank = -1},
static const struct type tensor_types[DT_COUNT] = {[DT_UNDEFINED] = {.kind = VALUE_TENSOR, .rank = -1}, DTYPE_MAP(X)};
#undef X

#define X(id, code, name, wide, bits, npy) \
	[id] = {.kind = VALUE_SEQUENCE, .dtype = id, .rank = -1, .elem = &tensor_types[id]},
static const struct type sequence_types[DT_COUNT] = {
	[DT_UNDEFINED] = {.kind = VALUE_SEQUENCE, .rank = -1, .elem = &tensor_types[DT_UNDEFINED]}, DTYPE_MAP(X)};
#undef X

const struct type *elem_tensor(enum dtype t)
{
	return &tensor_types[t];
}

const struct type *elem_sequence(enum dtype t)
{
	return &sequence_types[t];
}

void call_out_type(struct call *c, int out, const struct type *t)
{
	if (out < c->n_out)
		c->out_type[out] = *t;
}

void call_out_sequence(struct call *c, int out, enum dtype t)
{
	call_out_type(c, out, elem_sequence(t));
}

void container_type_forget_symbols(struct type *t)
{
	for (int i = 0; i < t->rank; i++)
		if (t->dims[i] < 0)
			t->dims[i] = DIM_UNKNOWN;
}

int container_type_merge(struct type *a, const struct type *b)
{
	if (a->dtype != b->dtype && a->dtype != DT_UNDEFINED && b->dtype != DT_UNDEFINED)
		return 0;
	if (a->kind != b->kind) { /* an optional may become what it holds: which one it is shows when it runs */
		*a = (struct type)TYPE_INIT;
		return 1;
	}
	if (a->dtype == DT_UNDEFINED)
		a->dtype = b->dtype;
	if (a->kind != VALUE_TENSOR) {
		if (!a->elem || !b->elem || a->elem->kind != b->elem->kind)
			a->elem = NULL;
		else if (a->elem->kind == VALUE_TENSOR)
			a->elem = elem_tensor(a->dtype);
		return 1;
	}
	if (a->rank != b->rank)
		a->rank = -1;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			a->dims[i] = DIM_UNKNOWN;
	return 1;
}

void container_type_add_axis(struct type *t, int axis, int64_t dim)
{
	if (t->kind != VALUE_TENSOR || t->rank < 0 || t->rank >= TENSOR_MAX_RANK || axis > t->rank) {
		t->rank = -1;
		return;
	}
	memmove(t->dims + axis + 1, t->dims + axis, (size_t)(t->rank - axis) * sizeof *t->dims);
	t->dims[axis] = dim;
	t->rank++;
}

/* ---- subgraphs --------------------------------------------------------------------------------------------------- */

int call_body_check(struct call *c, const struct graph *body, const char *name, size_t n_in, size_t n_out)
{
	if (!body)
		return call_bad(c, "attribute '%s' is missing", name);
	if (body->inputs.n < n_in)
		return call_bad(c, "graph '%s' has %zu inputs, wanted %zu", name, body->inputs.n, n_in);
	/* Old files list initializers as inputs too; those have a value already. */
	for (size_t i = n_in; i < body->inputs.n; i++)
		if (!body->inputs.at[i]->init)
			return call_bad(c, "graph '%s' has %zu inputs, wanted %zu", name, body->inputs.n, n_in);
	if (body->outputs.n < n_out)
		return call_bad(c, "graph '%s' has %zu outputs, wanted %zu", name, body->outputs.n, n_out);
	return 0;
}

/* A constant that a graph passes straight on may still be packed. */
static int widen_value(struct value **v, struct err *e)
{
	struct tensor *t;

	if ((*v)->kind != VALUE_TENSOR || (*v)->tensor->wide)
		return 0;
	t = tensor_widen((*v)->tensor, e);
	value_unref(*v);
	*v = t ? value_tensor(t, e) : NULL;
	return *v ? 0 : e->code;
}

int call_body_run(struct call *c, const struct graph *body, struct value *const *in, struct value **out)
{
	size_t n_out = body->outputs.n;
	int rc;

	for (size_t i = 0; i < n_out; i++)
		out[i] = NULL;
	if (!c->env || !c->env->run_graph)
		return call_unsupported(c, "subgraphs cannot be run here");
	rc = c->env->run_graph(c->env, body, in, body->inputs.n, out, n_out, c->err);
	if (rc) {
		for (size_t i = 0; i < n_out; i++)
			out[i] = NULL;
		return rc;
	}
	for (size_t i = 0; i < n_out && !rc; i++)
		rc = widen_value(&out[i], c->err);
	for (size_t i = 0; i < n_out && rc; i++) {
		value_unref(out[i]);
		out[i] = NULL;
	}
	return rc;
}

int call_step(struct call *c)
{
	if (!c->env)
		return call_unsupported(c, "subgraphs cannot be run here");
	if (++c->env->loop_steps > CONTROL_MAX_STEPS)
		return err_set(c->err, ERR_LIMIT, "loops make more than %lld iterations", (long long)CONTROL_MAX_STEPS);
	return 0;
}

struct value *call_formal(struct call *c, const struct wire *formal, struct value *take)
{
	static const int64_t one = 1;
	int rank = formal->type.kind == VALUE_TENSOR ? formal->type.rank : -1;
	struct tensor *t;

	if (take && take->kind != VALUE_OPTIONAL && formal->type.kind == VALUE_OPTIONAL)
		return value_optional(take, c->err);
	if (!take || take->kind != VALUE_TENSOR || take->tensor->count != 1 || rank < 0 || rank > 1 ||
	    rank == take->tensor->rank)
		return take;
	t = tensor_view(take->tensor, rank, &one, c->err);
	value_unref(take);
	return call_wrap(c, t);
}

/* ---- slabs ------------------------------------------------------------------------------------------------------- */

void slab_init(struct slab *s, struct tensor *t, int axis)
{
	s->t = t;
	s->outer = dims_product(t->dims, 0, axis);
	s->inner = dims_product(t->dims, axis + 1, t->rank);
	s->row = s->inner * (size_t)t->dims[axis];
}

int elements_copy(struct tensor *dst, size_t at, const struct tensor *src, size_t from, size_t n, struct err *e)
{
	int rc = 0;

	if (dtype_wide(dst->dtype) != WIDE_STR) {
		size_t size = dtype_wide_size(dst->dtype);

		if (n)
			memcpy((char *)dst->data + at * size, (const char *)src->data + from * size, n * size);
		return 0;
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc = tensor_set_string(dst, at + i, src->s[from + i].p, src->s[from + i].n, e);
	return rc;
}

int slab_copy(const struct slab *dst, size_t at, const struct slab *src, size_t from, size_t n, struct err *e)
{
	int rc = 0;

	BUG_ON(dst->outer != src->outer || dst->inner != src->inner || dst->t->dtype != src->t->dtype);
	if (!n || !src->inner)
		return 0; /* `outer` may be huge when nothing is there */
	for (size_t o = 0; o < dst->outer && !rc; o++)
		rc = elements_copy(dst->t, o * dst->row + at * dst->inner, src->t, o * src->row + from * src->inner,
				   n * src->inner, e);
	return rc;
}

void elements_clear(struct tensor *t)
{
	if (dtype_wide(t->dtype) != WIDE_STR && t->count)
		memset(t->data, 0, t->count * dtype_wide_size(t->dtype));
}
