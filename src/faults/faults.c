/* faults.c - the catalogue, planting, and calls evaluated again with something changed. */
#include <string.h>

#include "base/mem.h"
#include "faults/fault.h"
#include "ops/call.h"

#define FAULT(name) extern const struct fault fault_##name;
#include "faults/faults.def"
#undef FAULT

const struct fault_row fault_rows[] = {
#define FAULT(name) {#name, &fault_##name},
#include "faults/faults.def"
#undef FAULT
	{NULL, NULL},
};

const struct fault_example fault_examples[] = {
#define EXAMPLE(fault, line) {#fault, line},
#include "faults/examples.def"
#undef EXAMPLE
	{NULL, NULL},
};

const struct fault_row *fault_find(const char *name)
{
	for (const struct fault_row *r = fault_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

const char *fault_kind_name(enum fault_kind k)
{
	static const char *const names[] = {
		[FAULT_VALUE] = "value", [FAULT_GRADIENT] = "gradient", [FAULT_PROCESS] = "process"};

	return names[k];
}

/* ---- planting ---------------------------------------------------------------------------------------------------- */

/* "Conv", "ai.onnx.preview.training:Adam" */
static int is_named(const struct node *n, const char *op)
{
	size_t domain = strlen(n->domain);

	if (!domain)
		return !strcmp(op, n->op_type);
	return !strncmp(op, n->domain, domain) && op[domain] == ':' && !strcmp(op + domain + 1, n->op_type);
}

int fault_is_for(const struct fault *f, const struct node *n)
{
	for (size_t i = 0; f->ops && f->ops[i]; i++)
		if (is_named(n, f->ops[i]))
			return 1;
	return !f->ops && !*n->domain;
}

static int tamper(struct call *c, int back, void *arg)
{
	struct fault_state *s = arg;
	enum fault_effect effect;

	if ((s->fault->kind == FAULT_GRADIENT) != back || !fault_is_for(s->fault, c->node))
		return 0;
	if (s->node && strcmp(s->node, c->node->name) != 0)
		return 0;
	if (!back && c->n_out && c->out[0] && !tensor_is_unique(c->out[0]))
		return 0; /* a view of its input: not to be written */
	effect = s->fault->apply(c, s);
	s->applied += effect == FAULT_CHANGED;
	return effect == FAULT_FAILED ? c->err->code : 0;
}

void fault_plant(const struct fault *f, struct fault_state *state, struct ref_options *o)
{
	fault_plant_at(f, NULL, state, o);
}

void fault_plant_at(const struct fault *f, const char *node, struct fault_state *state, struct ref_options *o)
{
	*state = (struct fault_state){.fault = f, .node = node};
	rng_init(&state->rng, 1);
	o->mode = REF_ROUNDED;
	o->tamper = tamper;
	o->tamper_arg = state;
}

/* ---- shadows ----------------------------------------------------------------------------------------------------- */

int shadow_init(struct shadow *s, struct call *c)
{
	size_t n = (size_t)c->n_in;

	*s = (struct shadow){.call = *c, .node = *c->node};
	s->call.node = &s->node;
	s->call.in = arena_array(c->tmp, n, sizeof *s->call.in);
	s->call.in_type = arena_array(c->tmp, n, sizeof *s->call.in_type);
	s->call.out_type = arena_array(c->tmp, (size_t)c->n_out, sizeof *s->call.out_type);
	s->node.in = arena_array(c->tmp, n, sizeof *s->node.in);
	if (!s->call.in || !s->call.in_type || !s->call.out_type || !s->node.in)
		return err_nomem(c->err, "a fault", 0);
	if (n) {
		memcpy(s->call.in, c->in, n * sizeof *c->in);
		memcpy((struct type *)s->call.in_type, c->in_type, n * sizeof *c->in_type);
		memcpy(s->node.in, c->node->in, n * sizeof *s->node.in);
	}
	return 0;
}

void shadow_drop(struct shadow *s, const char *name)
{
	struct attr *kept = arena_array(s->call.tmp, (size_t)s->node.n_attrs + 1, sizeof *kept);
	int n = 0;

	for (int i = 0; kept && i < s->node.n_attrs; i++)
		if (strcmp(s->node.attrs[i].name, name) != 0)
			kept[n++] = s->node.attrs[i];
	if (!kept)
		return;
	s->node.attrs = kept;
	s->node.n_attrs = n;
}

/* Room for one more attribute was left by shadow_drop(). */
static int put(struct shadow *s, struct attr a)
{
	shadow_drop(s, a.name);
	if (!s->node.attrs)
		return err_nomem(s->call.err, "a fault", 0);
	s->node.attrs[s->node.n_attrs++] = a;
	return 0;
}

int shadow_int(struct shadow *s, const char *name, int64_t x)
{
	return put(s, (struct attr){.name = name, .type = ATTR_INT, .n = 1, .i = x});
}

int shadow_float(struct shadow *s, const char *name, double x)
{
	return put(s, (struct attr){.name = name, .type = ATTR_FLOAT, .n = 1, .f = x});
}

int shadow_string(struct shadow *s, const char *name, const char *x)
{
	return put(s, (struct attr){.name = name, .type = ATTR_STRING, .n = 1, .s = {x, strlen(x)}});
}

int shadow_ints(struct shadow *s, const char *name, const int64_t *x, size_t n)
{
	int64_t *copy = arena_array(s->call.tmp, n, sizeof *copy);

	if (!copy)
		return err_nomem(s->call.err, "a fault", 0);
	memcpy(copy, x, n * sizeof *copy);
	return put(s, (struct attr){.name = name, .type = ATTR_INTS, .n = n, .ints = copy});
}

struct tensor *shadow_input(struct shadow *s, int i)
{
	if (!s->made[i]) {
		s->made[i] = tensor_copy(s->call.in[i], s->call.err);
		s->call.in[i] = s->made[i];
	}
	return s->made[i];
}

void shadow_leave_out(struct shadow *s, int i)
{
	s->call.in[i] = NULL;
	s->node.in[i] = NULL;
	((struct type *)s->call.in_type)[i] = (struct type)TYPE_INIT;
}

static int same_shapes(const struct shadow *s)
{
	for (int i = 0; i < s->call.n_out; i++) {
		const struct tensor *y = s->call.out[i];
		const struct type *t = &s->call.out_type[i];

		if (y && (t->rank != y->rank || memcmp(t->dims, y->dims, (size_t)y->rank * sizeof *y->dims) != 0))
			return 0;
	}
	return 1;
}

static enum fault_effect evaluate(struct shadow *s)
{
	if (s->call.op->flags & OP_OWN_OUTPUTS)
		return FAULT_NO_EFFECT;
	if (call_infer(&s->call) || !same_shapes(s)) {
		err_clear(s->call.err);
		return FAULT_NO_EFFECT;
	}
	return s->call.op->eval(&s->call) ? FAULT_FAILED : FAULT_CHANGED;
}

enum fault_effect shadow_apply(struct shadow *s, int rc)
{
	enum fault_effect effect = rc ? FAULT_FAILED : evaluate(s);

	for (int i = 0; i < OP_MAX_PORTS; i++)
		tensor_unref(s->made[i]);
	return effect;
}
