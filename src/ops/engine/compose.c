/* compose.c - see compose.h: the tape, shapes and values.  compose_play.c plays it for noise and gradients. */
#include "ops/engine/compose.h"

#include <string.h>

static const struct wire somewhere; /* steps have no wires; what is not NULL is there */

/* Parts of which nothing is known yet; never NULL. */
static struct compose_part *nothing(struct compose *p, int n)
{
	struct compose_part *x = arena_array(p->c->tmp, (size_t)n, sizeof *x);

	if (!x) {
		compose_fail(p, call_nomem(p->c, sizeof *x));
		x = p->none;
	}
	for (int i = 0; i < n; i++)
		x[i].type = (struct type)TYPE_INIT;
	return x;
}

void compose_fail(struct compose *p, int rc)
{
	if (!p->rc)
		p->rc = rc;
}

int compose_rank(const struct compose_part *x)
{
	return x && x->type.kind == VALUE_TENSOR ? x->type.rank : -1;
}

int64_t compose_dim(const struct compose_part *x, int d)
{
	int rank = compose_rank(x);

	d = d < 0 ? d + rank : d;
	return d >= 0 && d < rank ? x->type.dims[d] : DIM_UNKNOWN;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static int keep_parts(struct compose *p, struct compose_part *x, int n)
{
	for (int i = 0; i < n; i++)
		if (vec_push(&p->parts, &x[i]))
			return call_nomem(p->c, sizeof *x);
	return 0;
}

struct compose_part *compose_input(struct compose *p, int i)
{
	struct compose_part *x;

	if (!call_has(p->c, i) || p->in[i])
		return i < p->c->n_in ? p->in[i] : NULL;
	x = nothing(p, 1);
	if (x == p->none)
		return x;
	p->in[i] = x;
	x->type = p->c->in_type[i];
	x->value = tensor_ref(p->c->in[i]);
	compose_fail(p, keep_parts(p, x, 1));
	return x;
}

void compose_output(struct compose *p, int i, struct compose_part *x)
{
	p->out[i] = x;
}

struct compose_part *compose_constant(struct compose *p, struct tensor *take)
{
	struct compose_part *x = nothing(p, 1);

	if (!take)
		compose_fail(p, p->c->err->code);
	if (!take || x == p->none || keep_parts(p, x, 1)) {
		compose_fail(p, ERR_MEMORY);
		tensor_unref(take);
		return x;
	}
	type_set(&x->type, take->dtype, take->rank, take->dims);
	x->value = take;
	return x;
}

struct compose_part *compose_unknown(struct compose *p, enum dtype t, int rank, const int64_t *dims)
{
	struct compose_part *x = nothing(p, 1);

	type_set(&x->type, t, rank, dims);
	return x;
}

struct compose_part *compose_number(struct compose *p, enum dtype t, double x)
{
	return compose_constant(p, tensor_scalar_f(t, x, p->c->err));
}

struct compose_part *compose_ints(struct compose *p, const int64_t *list, int n)
{
	struct tensor *t = tensor_new(DT_INT64, 1, (int64_t[]){n}, p->c->err);

	if (t && n)
		memcpy(t->i, list, (size_t)n * sizeof *list);
	return compose_constant(p, t);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void prepare_node(struct compose_step *s, const char *op, const struct attr *attrs)
{
	const struct op_row *row = ops_find("", op);

	s->node.name = s->node.op_type = op;
	s->node.domain = "";
	s->node.opset = OP_NEWEST_OPSET;
	s->node.op = s->call.op = row->op;
	s->node.version = s->call.version = ops_version(row, OP_NEWEST_OPSET);
	while (attrs && attrs[s->node.n_attrs].name)
		s->node.n_attrs++;
}

/* Attributes that outlive the function that names them: lists are often its own. */
static int copy_attrs(struct compose *p, struct compose_step *s, const struct attr *attrs)
{
	for (int i = 0; i < s->node.n_attrs; i++) {
		s->node.attrs[i] = attrs[i];
		if (attrs[i].type != ATTR_INTS)
			continue;
		s->node.attrs[i].ints = call_scratch(p->c, attrs[i].n + 1, sizeof(int64_t));
		if (!s->node.attrs[i].ints)
			return ERR_MEMORY;
		for (size_t k = 0; k < attrs[i].n; k++)
			s->node.attrs[i].ints[k] = attrs[i].ints[k];
	}
	return 0;
}

/* A step with room for everything; NULL with the error told. */
static struct compose_step *new_step(struct compose *p, const char *op, const struct attr *attrs, int n_in, int n_out)
{
	struct compose_step *s = call_scratch(p->c, 1, sizeof *s);
	size_t ins = (size_t)n_in, outs = (size_t)n_out;

	if (!s)
		return NULL;
	prepare_node(s, op, attrs);
	s->node.attrs = call_scratch(p->c, (size_t)s->node.n_attrs + 1, sizeof *attrs);
	s->node.in = call_scratch(p->c, ins, sizeof *s->node.in);
	s->node.out = call_scratch(p->c, outs, sizeof *s->node.out);
	s->call.in = call_scratch(p->c, ins, sizeof *s->call.in);
	s->call.in_type = call_scratch(p->c, ins, sizeof *s->call.in_type);
	s->call.in_value = call_scratch(p->c, ins, sizeof *s->call.in_value);
	s->call.out = call_scratch(p->c, outs, sizeof *s->call.out);
	s->call.out_type = call_scratch(p->c, outs, sizeof *s->call.out_type);
	s->call.out_value = call_scratch(p->c, outs, sizeof *s->call.out_value);
	s->in = call_scratch(p->c, ins, sizeof(struct compose_part *));
	s->scale = call_scratch(p->c, outs, sizeof *s->scale);
	s->out = nothing(p, n_out);
	if (!s->node.attrs || !s->node.in || !s->node.out || !s->call.in || !s->call.in_type || !s->call.in_value ||
	    !s->call.out || !s->call.out_type || !s->call.out_value || !s->in || !s->scale || s->out == p->none)
		return NULL;
	if (copy_attrs(p, s, attrs))
		return NULL;
	s->call.n_in = s->node.n_in = n_in;
	s->call.n_out = s->node.n_out = n_out;
	return s;
}

/* The call of a step, with what the operator was told for its own. */
static void begin_call(struct compose *p, struct compose_step *s)
{
	s->call.node = &s->node;
	s->call.err = p->c->err;
	s->call.tmp = &p->scratch;
	s->call.env = p->c->env;
	s->call.range = p->c->range;
	s->call.ties = p->c->ties;
	s->call.absolute = p->c->absolute;
	s->call.one_pass = p->c->one_pass;
	arena_reset(&p->scratch);
}

static int infer_step(struct compose *p, struct compose_step *s, struct tensor *const *in)
{
	struct type *types = (struct type *)s->call.in_type;

	begin_call(p, s);
	for (int i = 0; i < s->call.n_in; i++) {
		types[i] = s->in[i] ? s->in[i]->type : (struct type)TYPE_INIT;
		s->call.in[i] = in[i];
	}
	return call_infer(&s->call);
}

int compose_evaluate(struct compose *p, struct compose_step *s, struct tensor *const *in, struct tensor **out)
{
	struct call *c = &s->call;
	int rc = infer_step(p, s, in);

	for (int i = 0; !rc && i < c->n_out; i++) {
		c->out[i] = NULL;
		if (c->op->flags & OP_OWN_OUTPUTS)
			continue;
		c->out[i] = tensor_new(c->out_type[i].dtype, c->out_type[i].rank, c->out_type[i].dims, c->err);
		rc = c->out[i] ? 0 : c->err->code;
	}
	if (!rc)
		rc = call_eval(c);
	for (int i = 0; i < c->n_out; i++) {
		if (rc) {
			tensor_unref(c->out[i]);
			c->out[i] = NULL;
		} else if (tensor_is_unique(c->out[i])) {
			tensor_wrap_ints(c->out[i]);
		}
		out[i] = c->out[i];
	}
	return rc;
}

/* An optional input of the whole may be one that a step cannot do without. */
static int check_inputs(struct compose *p, const struct compose_step *s)
{
	const struct op_port *ports = s->call.op->in;

	for (int i = 0; ports[i].name; i++)
		if (!(ports[i].flags & PORT_OPTIONAL) && (i >= s->call.n_in || !s->in[i]))
			return call_bad(p->c, "an input is missing: %s, which it is made of, needs %s", s->node.op_type,
					ports[i].name);
	return 0;
}

static int run_step(struct compose *p, struct compose_step *s)
{
	struct tensor **in = call_scratch(p->c, (size_t)s->call.n_in, sizeof *in);
	struct tensor **out = call_scratch(p->c, (size_t)s->call.n_out, sizeof *out);
	int rc = in && out ? check_inputs(p, s) : ERR_MEMORY;

	for (int i = 0; !rc && i < s->call.n_in; i++)
		in[i] = s->in[i] ? s->in[i]->value : NULL;
	if (!rc)
		rc = p->known ? compose_evaluate(p, s, in, out) : infer_step(p, s, in);
	for (int i = 0; !rc && i < s->call.n_out; i++) {
		s->out[i].type = s->call.out_type[i];
		s->out[i].value = out[i];
		if (out[i]) /* operators that make their outputs themselves may know more now */
			type_set(&s->out[i].type, out[i]->dtype, out[i]->rank, out[i]->dims);
	}
	return rc;
}

struct compose_part *compose_steps(struct compose *p, const char *op, const struct attr *attrs,
				   struct compose_part *const *in, int n_in, int n_out)
{
	struct compose_step *s = p->rc ? NULL : new_step(p, op, attrs, n_in, n_out);
	int rc = s ? keep_parts(p, s->out, n_out) : ERR_MEMORY;

	for (int i = 0; !rc && i < n_in; i++) {
		s->in[i] = in[i];
		s->node.in[i] = in[i] ? (struct wire *)&somewhere : NULL;
	}
	for (int i = 0; !rc && i < n_out; i++)
		s->node.out[i] = (struct wire *)&somewhere;
	if (!rc && vec_push(&p->steps, s))
		rc = call_nomem(p->c, sizeof s);
	if (!rc)
		rc = run_step(p, s);
	compose_fail(p, rc);
	return s ? s->out : nothing(p, n_out);
}

/* ---- the tape ---------------------------------------------------------------------------------------------------- */

static void start(struct compose *p, struct call *c)
{
	*p = (struct compose){.c = c, .parts = VEC_INIT, .steps = VEC_INIT, .scratch = ARENA_INIT};
}

/* Outputs are copied, so they must be as large as infer has said: it may know less of the inputs than the steps. */
static int check_output(struct compose *p, int i)
{
	const struct tensor *wanted = p->c->out[i], *value = p->out[i] ? p->out[i]->value : NULL;

	if (!value)
		return err_set(p->c->err, ERR_INTERNAL, "output %d was not composed", i);
	if (wanted && (!tensor_same_shape(wanted, value) || dtype_wide(wanted->dtype) != dtype_wide(value->dtype)))
		return call_bad(p->c, "the shapes of the inputs do not fit together: output %d comes out another", i);
	return 0;
}

int compose_open(struct compose *p, struct call *c, compose_fn *fn)
{
	start(p, c);
	p->known = 1;
	fn(p);
	for (int i = 0; !p->rc && i < c->n_out; i++)
		p->rc = call_wants(c, i) ? check_output(p, i) : 0;
	return p->rc;
}

void compose_close(struct compose *p)
{
	for (size_t i = 0; i < p->parts.n; i++) {
		tensor_unref(p->parts.at[i]->value);
		tensor_unref(p->parts.at[i]->moved);
		tensor_unref(p->parts.at[i]->grad);
	}
	vec_release(&p->parts);
	vec_release(&p->steps);
	arena_release(&p->scratch);
}

int compose_infer(struct call *c, compose_fn *fn)
{
	struct compose p;

	start(&p, c);
	fn(&p);
	for (int i = 0; !p.rc && i < c->n_out; i++) {
		enum dtype preset = c->out_type[i].dtype;

		call_out_rank(c, i, preset, -1);
		if (!p.out[i] || p.out[i]->type.kind != VALUE_TENSOR)
			continue;
		c->out_type[i] = p.out[i]->type;
		if (c->out_type[i].dtype == DT_UNDEFINED)
			c->out_type[i].dtype = preset;
	}
	compose_close(&p);
	return p.rc;
}

int compose_eval(struct call *c, compose_fn *fn)
{
	struct compose p;
	int rc = compose_open(&p, c, fn);

	for (int i = 0; !rc && i < c->n_out; i++)
		if (call_wants(c, i))
			memcpy(c->out[i]->f, p.out[i]->value->f, c->out[i]->count * sizeof *c->out[i]->f);
	compose_close(&p);
	return rc;
}
