/* domain.c - see domain.h. */
#include "ops/kit/domain.h"

#include <math.h>

#include "ops/attr.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

int domain_not_positive(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[r->port];

	(void)n;
	for (size_t i = 0; x && i < x->count; i++)
		if (!(tensor_get(x, i) > 0))
			return 1;
	return 0;
}

int domain_has_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[r->port];

	(void)n;
	for (size_t i = 0; x && i < x->count; i++)
		if (tensor_get(x, i) == 0)
			return 1;
	return 0;
}

int domain_whole_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	return in[r->port] && dtype_is_int(in[r->port]->dtype) && domain_has_zero(n, in, r);
}

int domain_has_nan(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)n;
	(void)r;
	for (int k = 0; k < OP_RULE_PORTS; k++)
		for (size_t i = 0; in[k] && dtype_is_float(in[k]->dtype) && i < in[k]->count; i++)
			if (isnan(tensor_get(in[k], i)))
				return 1;
	return 0;
}

int domain_nan_goes_in(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	return domain_has_nan(n, in, r);
}

int domain_not_finite(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[r->port];

	(void)n;
	for (size_t i = 0; x && dtype_is_float(x->dtype) && i < x->count; i++)
		if (!isfinite(tensor_get(x, i)))
			return 1;
	return 0;
}

int domain_reduces_nothing(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)n;
	return in[0] && !in[0]->count && (!r->port || dtype_is_int(in[0]->dtype));
}

int domain_is_lone(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *list = in[r->port], *of = in[r->of];
	int64_t axis = r->attr ? attr_int(n, r->attr) : r->axis;

	if (!list || !of || list->rank != 1 || list->count != 1)
		return 0;
	axis += axis < 0 ? of->rank : 0;
	return axis >= 0 && axis < of->rank && of->dims[axis] > 1;
}

int domain_attr_not_positive(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)in;
	return node_has(n, r->attr) && !(attr_float(n, r->attr) > 0);
}

int domain_attr_missing(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)in;
	return !node_has(n, r->attr);
}

int domain_attr_is_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)in;
	return node_has(n, r->attr) && attr_float(n, r->attr) == 0;
}

const struct op_rule *domain_open_rule(const struct node *n)
{
	const struct op_rule *r = n->op ? n->op->rules : NULL;

	while (r && r->broken && !r->open)
		r++;
	return r && r->broken ? r : NULL;
}

void domain_inputs(const struct node *n, const struct graph *g, struct value *const *values,
		   const struct tensor *in[OP_RULE_PORTS])
{
	for (int i = 0; i < OP_RULE_PORTS; i++) {
		const struct wire *w = i < n->n_in ? n->in[i] : NULL;
		const struct value *v = w && w->graph == g ? values[w->id] : NULL;

		in[i] = v && v->kind == VALUE_TENSOR ? v->tensor : w ? w->init : NULL;
	}
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

int domain_windows(const struct node *n, int ceil_mode, struct spatial *s)
{
	const struct type *in = &n->in[0]->type, *w = n->n_in > 1 && n->in[1] ? &n->in[1]->type : NULL;
	struct err ignored = ERR_INIT;
	struct call c = {.node = n, .op = n->op, .version = n->version, .err = &ignored};
	int axes = in->rank - 2;

	return axes > 0 && axes <= SPATIAL_MAX && type_is_static(in) &&
	       (!w || (type_is_static(w) && w->rank == in->rank)) &&
	       !spatial_init(&c, s, axes, in->dims + 2, w ? w->dims + 2 : NULL, ceil_mode);
}

int64_t domain_extent(const struct spatial *s, int axis)
{
	return s->dilation[axis] * (s->kernel[axis] - 1) + 1;
}

int domain_jumps(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	struct spatial s;

	(void)in;
	(void)r;
	if (!domain_windows(n, 0, &s) || !s.same)
		return 0;
	for (int i = 0; i < s.n; i++)
		if ((s.out[i] - 1) * s.stride[i] + domain_extent(&s, i) < s.in[i])
			return 1;
	return 0;
}
