/* optimizer.c - see optimizer.h. */
#include "backends/bind/optimizer.h"

#include <math.h>
#include <string.h>

static int read_number(struct bind_call *c, int i, double *out)
{
	const struct tensor *t = bind_known(c, i);

	if (!t)
		return c->err->code;
	if (t->count != 1)
		return err_set(c->err, ERR_INPUT, "input %d has %zu elements, wanted 1", i, t->count);
	*out = tensor_get(t, 0);
	return 0;
}

int bind_optimizer(struct bind_call *c, int states, struct bind_optimizer *o)
{
	int rc;

	*o = (struct bind_optimizer){.states = states, .norm = attr_float(c->node, "norm_coefficient")};
	if (c->n_in < 4 + states || (c->n_in - 2) % (2 + states))
		return err_set(c->err, ERR_INPUT, "%d inputs: wanted 2, then %d for each tensor", c->n_in, 2 + states);
	o->n = (c->n_in - 2) / (2 + states);
	o->x = c->in + 2;
	o->g = o->x + o->n;
	for (int k = 0; k < states; k++)
		o->state[k] = o->g + (size_t)(k + 1) * (size_t)o->n;
	o->type = c->call->in_type[2].dtype;
	for (int i = 2; i < c->n_in; i++) {
		if (!bind_has(c, i))
			return err_set(c->err, ERR_INPUT, "input %d is not there", i);
		if (c->call->in_type[i].dtype != o->type)
			return bind_unsupported(c, "tensors of several types in one step");
	}
	rc = read_number(c, 0, &o->rate);
	if (!rc)
		rc = read_number(c, 1, &o->count);
	if (!rc && (o->rate < 0 || o->count < 0))
		rc = bind_unsupported(c, "no optimizer has a negative rate or count of steps");
	return rc;
}

double bind_adam_correction(const struct bind_call *c, double count)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");

	return count > 0 ? sqrt(1 - pow(beta, count)) / (1 - pow(alpha, count)) : 1;
}

double bind_momentum_beta(const struct bind_call *c, const struct bind_optimizer *o)
{
	return o->count > 0 ? attr_float(c->node, "beta") : 1;
}

int bind_state_is_zero(struct bind_call *c, const struct bind_optimizer *o, int k)
{
	for (int i = 0; i < o->n; i++) {
		const struct tensor *t = bind_known(c, 2 + bind_state_out(o, k, i) + o->n);

		for (size_t j = 0; t && j < t->count; j++)
			if (t->f[j] != 0)
				return 0;
		if (!t)
			return 0;
	}
	return 1;
}
