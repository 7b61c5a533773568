/* linear_attention.c - LinearAttention: a state S (E, F) for each head of keys, updated token by token.
 *
 *     D = exp(g) ⊙ S                        gated rules: a decay for each row, or one for the head
 *     u = β (v - Dᵀ k), or v                delta rules correct what the state already recalls
 *     S = D + k uᵀ        o = scale Sᵀ q    for every query head that shares the state
 *
 * query (B, T, H*E), key (B, T, G*E), value (B, T, G*F), past_state and present_state (B, G, E, F), decay (B, T, G*E)
 * or (B, T, G), beta (B, T, G) or (B, T, 1). */
#include <math.h>
#include <string.h>

#include "ops/kit/dims.h"
#include "ops/noise/noisy.h"

enum { IN_Q, IN_K, IN_V, IN_STATE, IN_DECAY, IN_BETA };

struct linear_attention {
	int64_t batch, steps, heads, kv_heads, key_size, value_size; /* sizes: negative when not known */
	int64_t decays, betas;                                       /* last dimensions of decay and beta */
	int gated, delta;
	double scale;
};

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int read_rule(struct call *c, struct linear_attention *a)
{
	static const char *const names[] = {"linear", "gated", "delta", "gated_delta"};
	const char *rule = attr_string(c->node, "update_rule");
	int found = -1;

	for (int i = 0; i < 4; i++)
		if (!strcmp(rule, names[i]))
			found = i;
	if (found < 0)
		return call_bad(c, "update_rule '%s' is not known", rule);
	a->gated = found & 1;
	a->delta = found >> 1;
	if (a->gated != call_has(c, IN_DECAY) || a->delta != call_has(c, IN_BETA))
		return call_bad(c, "update_rule '%s' does not go with the inputs decay and beta as given", rule);
	a->heads = attr_int(c->node, "q_num_heads");
	a->kv_heads = attr_int(c->node, "kv_num_heads");
	if (a->heads < 1 || a->kv_heads < 1 || a->heads % a->kv_heads)
		return call_bad(c, "%lld heads cannot share %lld heads of keys", (long long)a->heads,
				(long long)a->kv_heads);
	return 0;
}

/* A packed input (B, T, heads*size); size may be NULL: then *last gets the last dimension as it is. */
static int read_packed(struct call *c, int in, struct linear_attention *a, int64_t heads, int64_t *size, int64_t *last)
{
	const struct type *t = call_shape(c, in);
	int rc;

	if (!t)
		return 0;
	if (t->rank != 3)
		return call_bad(c, "input %d has rank %d, wanted 3", in, t->rank);
	rc = dim_unify(c, &a->batch, t->dims[0], "batch size");
	if (!rc)
		rc = dim_unify(c, &a->steps, t->dims[1], "number of tokens");
	if (rc)
		return rc;
	if (last)
		*last = t->dims[2];
	if (!size || t->dims[2] < 0)
		return 0;
	if (t->dims[2] % heads)
		return call_bad(c, "input %d: %lld does not split into %lld heads", in, (long long)t->dims[2],
				(long long)heads);
	return dim_unify(c, size, t->dims[2] / heads, "head size");
}

static int read_state(struct call *c, struct linear_attention *a)
{
	const struct type *t = call_shape(c, IN_STATE);
	int rc;

	if (!t)
		return 0;
	if (t->rank != 4)
		return call_bad(c, "past_state has rank %d, wanted 4", t->rank);
	rc = dim_unify(c, &a->batch, t->dims[0], "batch size");
	if (!rc)
		rc = dim_unify(c, &a->kv_heads, t->dims[1], "number of heads");
	if (!rc)
		rc = dim_unify(c, &a->key_size, t->dims[2], "head size");
	return rc ? rc : dim_unify(c, &a->value_size, t->dims[3], "head size of values");
}

static int linear_read(struct call *c, struct linear_attention *a)
{
	int rc;

	*a = (struct linear_attention){
		.batch = -1, .steps = -1, .key_size = -1, .value_size = -1, .decays = -1, .betas = -1};
	rc = read_rule(c, a);
	if (!rc)
		rc = read_packed(c, IN_Q, a, a->heads, &a->key_size, NULL);
	if (!rc)
		rc = read_packed(c, IN_K, a, a->kv_heads, &a->key_size, NULL);
	if (!rc)
		rc = read_packed(c, IN_V, a, a->kv_heads, &a->value_size, NULL);
	if (!rc)
		rc = read_state(c, a);
	if (!rc)
		rc = read_packed(c, IN_DECAY, a, 1, NULL, &a->decays);
	if (!rc)
		rc = read_packed(c, IN_BETA, a, 1, NULL, &a->betas);
	if (rc)
		return rc;
	if (a->decays >= 0 && a->key_size >= 0 && a->decays != a->kv_heads && a->decays != a->kv_heads * a->key_size)
		return call_bad(c, "decay has %lld in its last dimension, wanted one for each head or key element",
				(long long)a->decays);
	if (a->betas >= 0 && a->betas != 1 && a->betas != a->kv_heads)
		return call_bad(c, "beta has %lld in its last dimension, wanted 1 or one for each head",
				(long long)a->betas);
	a->scale = attr_float(c->node, "scale");
	if (a->scale == 0)
		a->scale = 1 / sqrt((double)a->key_size);
	return 0;
}

static int linear_infer(struct call *c)
{
	struct linear_attention a;
	enum dtype t = c->in_type[IN_Q].dtype;
	int64_t hidden;
	int rc = linear_read(c, &a);

	if (!rc)
		rc = dim_mul(c, a.heads, a.value_size, &hidden);
	if (rc)
		return rc;
	call_out(c, 0, t, 3, (int64_t[]){a.batch, a.steps, hidden});
	call_out(c, 1, call_has(c, IN_STATE) ? c->in_type[IN_STATE].dtype : t, 4,
		 (int64_t[]){a.batch, a.kv_heads, a.key_size, a.value_size});
	return 0;
}

/* ---- one token of one state -------------------------------------------------------------------------------------- */

/* Offsets of what token t of head g of batch b uses. */
struct token {
	size_t q; /* the first query head of those that share the state, counted in heads */
	size_t k, v, state, beta;
	size_t decay, decay_step; /* step 0: one decay for all rows */
};

static struct token token_at(const struct linear_attention *a, size_t b, size_t g, size_t t)
{
	size_t at = b * (size_t)a->steps + t, heads = (size_t)a->kv_heads;
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;
	int by_row = a->decays != a->kv_heads;

	return (struct token){
		.q = at * (size_t)a->heads + g * (size_t)(a->heads / a->kv_heads),
		.k = (at * heads + g) * e,
		.v = (at * heads + g) * f,
		.state = (b * heads + g) * e * f,
		.beta = a->betas == 1 ? at : at * heads + g,
		.decay = by_row ? (at * heads + g) * e : at * heads + g,
		.decay_step = by_row,
	};
}

static double decay_of(const struct call *c, const struct linear_attention *a, const struct token *p, size_t row)
{
	return a->gated ? exp(c->in[IN_DECAY]->f[p->decay + row * p->decay_step]) : 1;
}

/* From s0 to s (E, F); u (F) is left for the way back. */
static void update_state(struct call *c, const struct linear_attention *a, const struct token *p, struct noisy *n,
			 const double *s0, double *s, double *u)
{
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;
	const double *k = c->in[IN_K]->f + p->k, *v = c->in[IN_V]->f + p->v;

	for (size_t i = 0; i < e; i++)
		for (size_t m = 0; m < f; m++)
			s[i * f + m] = noisy_round(n, decay_of(c, a, p, i) * s0[i * f + m], a->gated ? 3 : 0);
	for (size_t m = 0; m < f; m++) {
		double recalled = 0, size = 0;

		for (size_t i = 0; a->delta && i < e; i++) {
			recalled += s[i * f + m] * k[i];
			size += fabs(s[i * f + m] * k[i]);
		}
		recalled = noisy_move(n, recalled, size * noise_growth((double)e));
		u[m] = a->delta ? noisy_round(n, c->in[IN_BETA]->f[p->beta] * (v[m] - recalled), 2) : v[m];
	}
	for (size_t i = 0; i < e; i++)
		for (size_t m = 0; m < f; m++)
			s[i * f + m] = noisy_round(n, s[i * f + m] + noisy_round(n, k[i] * u[m], 1), 1);
}

/* o = scale Sᵀ q for all query heads of the state. */
static void read_outputs(struct call *c, const struct linear_attention *a, const struct token *p, struct noisy *n,
			 const double *s, double *out)
{
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;

	for (size_t j = 0; j < (size_t)(a->heads / a->kv_heads); j++) {
		const double *q = c->in[IN_Q]->f + (p->q + j) * e;
		double *o = out + (p->q + j) * f;

		for (size_t m = 0; m < f; m++) {
			double sum = 0, size = 0;

			for (size_t i = 0; i < e; i++) {
				sum += q[i] * s[i * f + m];
				size += fabs(q[i] * s[i * f + m]);
			}
			o[m] = a->scale * noisy_move(n, sum, size * noise_growth((double)e));
		}
	}
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void start_state(struct call *c, const struct token *p, double *s, size_t n)
{
	if (call_has(c, IN_STATE))
		memcpy(s, c->in[IN_STATE]->f + p->state, n * sizeof *s);
	else
		memset(s, 0, n * sizeof *s);
}

/* Runs everything; o and present may be NULL. */
static int linear_run(struct call *c, const struct linear_attention *a, struct noisy *n, double *o, double *present)
{
	size_t state = (size_t)(a->key_size * a->value_size);
	double *s = call_scratch(c, state, sizeof *s), *next = call_scratch(c, state, sizeof *s);
	double *u = call_scratch(c, (size_t)a->value_size, sizeof *u), *swap;

	if (!s || !next || !u)
		return ERR_MEMORY;
	for (size_t b = 0; b < (size_t)a->batch; b++)
		for (size_t g = 0; g < (size_t)a->kv_heads; g++) {
			struct token p = token_at(a, b, g, 0);

			start_state(c, &p, s, state);
			for (size_t t = 0; t < (size_t)a->steps; t++) {
				p = token_at(a, b, g, t);
				update_state(c, a, &p, n, s, next, u);
				swap = s, s = next, next = swap;
				if (o)
					read_outputs(c, a, &p, n, s, o);
			}
			if (present)
				memcpy(present + p.state, s, state * sizeof *s);
		}
	return 0;
}

static int linear_eval(struct call *c)
{
	struct linear_attention a;
	struct noisy exact = {.on = 0};
	int rc = linear_read(c, &a);

	if (rc)
		return rc;
	return linear_run(c, &a, &exact, c->out[0] ? c->out[0]->f : NULL, call_wants(c, 1) ? c->out[1]->f : NULL);
}

static int linear_noisy(struct call *c, struct noisy *n, int out, double *y, void *arg)
{
	return linear_run(c, arg, n, out == 0 ? y : NULL, out == 1 ? y : NULL);
}

static int linear_scale(struct call *c, int out, double *s)
{
	struct linear_attention a;
	int rc = linear_read(c, &a);

	return rc ? rc : noisy_scale(c, out, linear_noisy, &a, s);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static double *grad_at(const struct call *c, int in, size_t offset)
{
	return in < c->n_in && c->in_grad[in] ? c->in_grad[in]->f + offset : NULL;
}

static void add_to(double *p, double x)
{
	if (p)
		*p += x;
}

/* Outputs of a token: dq = scale S do, dS += scale q doᵀ. */
static void back_outputs(struct call *c, const struct linear_attention *a, const struct token *p, const double *s,
			 double *ds)
{
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;

	for (size_t j = 0; c->out_grad[0] && j < (size_t)(a->heads / a->kv_heads); j++) {
		size_t at = (p->q + j) * e;
		const double *q = c->in[IN_Q]->f + at;
		const double *d_o = c->out_grad[0]->f + (p->q + j) * f;
		double *dq = grad_at(c, IN_Q, at);

		for (size_t i = 0; i < e; i++)
			for (size_t m = 0; m < f; m++) {
				if (dq)
					dq[i] += a->scale * s[i * f + m] * d_o[m];
				ds[i * f + m] += a->scale * q[i] * d_o[m];
			}
	}
}

/* What u = β (v - Dᵀ k) sends back to beta, v, k and D, whose gradient ds also is. */
static void back_correction(struct call *c, const struct linear_attention *a, const struct token *p, const double *s0,
			    size_t m, double du, double *ds)
{
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;
	const double *k = c->in[IN_K]->f + p->k;
	double beta = c->in[IN_BETA]->f[p->beta], recalled = 0, *dk = grad_at(c, IN_K, p->k);

	for (size_t i = 0; i < e; i++)
		recalled += decay_of(c, a, p, i) * s0[i * f + m] * k[i];
	add_to(grad_at(c, IN_BETA, p->beta), du * (c->in[IN_V]->f[p->v + m] - recalled));
	for (size_t i = 0; i < e; i++) {
		if (dk)
			dk[i] -= beta * du * decay_of(c, a, p, i) * s0[i * f + m];
		ds[i * f + m] -= beta * du * k[i];
	}
}

/* One update backwards: ds is the gradient of the state after it, then of the state before it. */
static void back_update(struct call *c, const struct linear_attention *a, const struct token *p, const double *s0,
			const double *u, double *ds)
{
	size_t e = (size_t)a->key_size, f = (size_t)a->value_size;
	const double *k = c->in[IN_K]->f + p->k;
	double *dk = grad_at(c, IN_K, p->k), *dv = grad_at(c, IN_V, p->v);

	for (size_t i = 0; dk && i < e; i++)
		for (size_t m = 0; m < f; m++)
			dk[i] += ds[i * f + m] * u[m];
	for (size_t m = 0; m < f; m++) {
		double du = 0;

		for (size_t i = 0; i < e; i++)
			du += ds[i * f + m] * k[i];
		if (dv)
			dv[m] += a->delta ? c->in[IN_BETA]->f[p->beta] * du : du;
		if (a->delta)
			back_correction(c, a, p, s0, m, du, ds);
	}
	for (size_t at = 0; a->gated && at < e * f; at++) {
		double decay = decay_of(c, a, p, at / f);

		add_to(grad_at(c, IN_DECAY, p->decay + at / f * p->decay_step), ds[at] * decay * s0[at]);
		ds[at] *= decay;
	}
}

/* One state: forward with a trace of all states, then back. */
static void back_head(struct call *c, const struct linear_attention *a, size_t b, size_t g, double *trace, double *u,
		      double *ds)
{
	size_t steps = (size_t)a->steps, state = (size_t)(a->key_size * a->value_size), f = (size_t)a->value_size;
	struct token p = token_at(a, b, g, 0);
	struct noisy exact = {.on = 0};
	double *dpast = grad_at(c, IN_STATE, p.state);

	start_state(c, &p, trace, state);
	for (size_t t = 0; t < steps; t++) {
		p = token_at(a, b, g, t);
		update_state(c, a, &p, &exact, trace + t * state, trace + (t + 1) * state, u + t * f);
	}
	memset(ds, 0, state * sizeof *ds);
	if (c->n_out > 1 && c->out_grad[1])
		memcpy(ds, c->out_grad[1]->f + p.state, state * sizeof *ds);
	for (size_t t = steps; t-- > 0;) {
		p = token_at(a, b, g, t);
		back_outputs(c, a, &p, trace + (t + 1) * state, ds);
		back_update(c, a, &p, trace + t * state, u + t * f, ds);
	}
	for (size_t i = 0; dpast && i < state; i++)
		dpast[i] += ds[i];
}

static int linear_grad(struct call *c)
{
	struct linear_attention a;
	double *trace, *u, *ds;
	size_t state;
	int rc = linear_read(c, &a);

	if (rc)
		return rc;
	state = (size_t)(a.key_size * a.value_size);
	trace = call_scratch(c, (size_t)a.steps + 1, state * sizeof *trace);
	u = call_scratch(c, (size_t)a.steps, (size_t)a.value_size * sizeof *u);
	ds = call_scratch(c, state, sizeof *ds);
	if (!trace || !u || !ds)
		return ERR_MEMORY;
	for (size_t b = 0; b < (size_t)a.batch; b++)
		for (size_t g = 0; g < (size_t)a.kv_heads; g++)
			back_head(c, &a, b, g, trace, u, ds);
	return 0;
}

static const struct op_attr linear_attrs[] = {
	OP_INT("chunk_size", 64), OP_NEEDS("kv_num_heads", ATTR_INT),      OP_NEEDS("q_num_heads", ATTR_INT),
	OP_FLOAT("scale", 0),     OP_STRING("update_rule", "gated_delta"), {0},
};

const struct op op_linear_attention = {
	.in = {{"query", T_FLOAT, 'T', 0},
	       {"key", T_FLOAT, 'T', 0},
	       {"value", T_FLOAT, 'T', 0},
	       {"past_state", T_FLOAT, 0, PORT_OPTIONAL},
	       {"decay", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"beta", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}, {"present_state", T_FLOAT, 0, 0}},
	.attrs = linear_attrs,
	.flags = OP_PRODUCTS,
	.infer = linear_infer,
	.eval = linear_eval,
	.grad = linear_grad,
	.scale = linear_scale,
};
