/* attention_back.c - gradients of Attention, and how far rounding may move it.  See attention.c for the stages S0 … S3.
 */
#include <math.h>
#include <string.h>

#include "ops/attention/attention.h"
#include "ops/engine/gemm.h"

/* ---- gradients --------------------------------------------------------------------------------------------------- */

struct attention_grad {
	double *dk, *dv; /* of a->k and a->v */
	double *ds;      /* [queries, total] */
};

static const double *out_grad_f(const struct call *c, int out)
{
	return out < c->n_out && c->out_grad[out] ? c->out_grad[out]->f : NULL;
}

static double *in_grad_f(const struct call *c, int in)
{
	return in < c->n_in && c->in_grad[in] ? c->in_grad[in]->f : NULL;
}

/* Adds what output qk_matmul_output sends back to stage `stage`. */
static void add_shown(const struct attention *a, size_t b, size_t h, int stage, double *ds)
{
	const double *g = out_grad_f(a->c, ATTENTION_QK);

	for (size_t i = 0; g && attention_shown_stage(a) == stage && i < a->queries * a->total; i++)
		ds[i] += g[attention_stage_offset(a, b, h) + i];
}

/* ds: from the gradient of S3 to that of S0, through softmax, bias (and mask) and cap. */
static void back_stages(const struct attention *a, size_t b, size_t h, double *ds)
{
	double *dmask = in_grad_f(a->c, ATTENTION_MASK);

	add_shown(a, b, h, 3, ds);
	for (size_t i = 0; i < a->queries; i++) {
		double *row = ds + i * a->total, dot = 0;
		const double *p = a->stage[3] + i * a->total;

		for (size_t j = 0; j < a->total; j++)
			dot += p[j] * row[j];
		for (size_t j = 0; j < a->total; j++)
			row[j] = p[j] * (row[j] - dot);
	}
	add_shown(a, b, h, 2, ds);
	for (size_t at = 0; dmask && at < a->queries * a->total; at++)
		if (!attention_is_shut_out(a, b, at / a->total, at % a->total))
			dmask[attention_mask_index(a, b, h, at / a->total, at % a->total)] += ds[at];
	add_shown(a, b, h, 1, ds);
	for (size_t at = 0; a->cap > 0 && at < a->queries * a->total; at++) {
		double t = a->stage[1][at] / a->cap;

		ds[at] *= 1 - t * t;
	}
	add_shown(a, b, h, 0, ds);
	for (size_t at = 0; at < a->queries * a->total; at++)
		ds[at] *= a->scale;
}

/* dV = S3ᵀ dY      dS3 = dY Vᵀ      dQ = dS0 K      dK = dS0ᵀ Q */
static int head_gradients(const struct attention *a, size_t b, size_t h, void *arg)
{
	const struct attention_grad *d = arg;
	const double *dy = out_grad_f(a->c, ATTENTION_Y);
	double *dq = in_grad_f(a->c, ATTENTION_Q);
	size_t kv = attention_kv_index(a, b, h) * a->total;
	struct attention_head y = attention_output_head(a, b, h), q = attention_query_head(a, b, h);
	struct gemm_shape g;

	memset(d->ds, 0, a->queries * a->total * sizeof *d->ds);
	if (dy) {
		g = gemm_dense(a->total, a->v_size, a->queries, 1, 0);
		g.ldb = y.row;
		g.add = 1;
		gemm_f64(&g, a->stage[3], dy + y.start, d->dv + kv * a->v_size);
		g = gemm_dense(a->queries, a->total, a->v_size, 0, 1);
		g.lda = y.row;
		gemm_f64(&g, dy + y.start, a->v + kv * a->v_size, d->ds);
	}
	back_stages(a, b, h, d->ds);
	if (dq) {
		g = gemm_dense(a->queries, a->size, a->total, 0, 0);
		g.ldc = q.row;
		g.add = 1;
		gemm_f64(&g, d->ds, a->k + kv * a->size, dq + q.start);
	}
	g = gemm_dense(a->total, a->size, a->queries, 1, 0);
	g.ldb = q.row;
	g.add = 1;
	gemm_f64(&g, d->ds, a->c->in[ATTENTION_Q]->f + q.start, d->dk + kv * a->size);
	return 0;
}

/* Zeroed memory of n numbers, or a copy of what the outputs present_key and present_value send back. */
static double *start_grad(struct call *c, int out, size_t n)
{
	const double *g = out_grad_f(c, out);
	double *d = call_scratch(c, n, sizeof *d);

	if (d && g)
		memcpy(d, g, n * sizeof *d);
	return d;
}

int attention_grad(struct call *c)
{
	struct attention a;
	struct attention_grad d;
	size_t kv;
	int rc = attention_open(c, &a);

	if (rc)
		return rc;
	kv = (size_t)(a.z.batch * a.z.kv_heads) * a.total;
	d.dk = start_grad(c, ATTENTION_PRESENT_K, kv * a.size);
	d.dv = start_grad(c, ATTENTION_PRESENT_V, kv * a.v_size);
	d.ds = call_scratch(c, a.queries, a.total * sizeof *d.ds);
	if (!d.dk || !d.dv || !d.ds)
		return ERR_MEMORY;
	rc = attention_for_each_head(c, &a, head_gradients, &d);
	if (rc)
		return rc;
	attention_join_cache(&a, in_grad_f(c, ATTENTION_PAST_K), in_grad_f(c, ATTENTION_K), d.dk, a.z.size, 0);
	attention_join_cache(&a, in_grad_f(c, ATTENTION_PAST_V), in_grad_f(c, ATTENTION_V), d.dv, a.z.v_size, 0);
	return 0;
}

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

struct attention_scale {
	int out;
	double *s;
	double *moved; /* [total] one row: by how much S0 … S2, or S3 relatively, move */
};

/* Row i: absolute error of stage 0, 1 or 2, or relative error of stage 3, in roundoffs.  Products of q and k add up
 * with noise; tanh and the mask add a rounding each; exp magnifies what its argument is off. */
static void row_noise(const struct attention *a, size_t b, size_t h, size_t i, int stage, double *moved)
{
	struct attention_head q = attention_query_head(a, b, h);
	const double *qi = a->c->in[ATTENTION_Q]->f + q.start + i * q.row;
	const double *s = a->stage[2] + i * a->total, *p = a->stage[3] + i * a->total;
	double max = -INFINITY, common = noise_growth((double)a->total);

	for (size_t j = 0; j < a->total; j++) {
		const double *kj = a->k + (attention_kv_index(a, b, h) * a->total + j) * a->size;
		size_t at = i * a->total + j;
		double sum = 0;

		for (size_t e = 0; e < a->size; e++)
			sum += fabs(qi[e] * kj[e]);
		moved[j] = fabs(a->scale) * sum * (noise_growth((double)a->size) + 2);
		if (stage > 0 && a->cap > 0)
			moved[j] += 3 * fabs(a->stage[1][at]);
		if (stage > 1 && isfinite(s[j]))
			moved[j] += fabs(s[j]);
		max = fmax(max, s[j]);
	}
	for (size_t j = 0; j < a->total; j++)
		common += p[j] > 0 ? p[j] * (moved[j] + max - s[j]) : 0;
	for (size_t j = 0; stage == 3 && j < a->total; j++)
		moved[j] = p[j] > 0 ? moved[j] + (max - s[j]) + 2 + common : 0;
}

/* Y: errors of the weights are independent, so they add up in squares; then the sum itself. */
static int head_scales(const struct attention *a, size_t b, size_t h, void *arg)
{
	const struct attention_scale *k = arg;
	const double *v = a->v + attention_kv_index(a, b, h) * a->total * a->v_size;
	struct attention_head y = attention_output_head(a, b, h);

	for (size_t i = 0; i < a->queries; i++) {
		const double *p = a->stage[3] + i * a->total;
		int stage = k->out == ATTENTION_Y ? 3 : attention_shown_stage(a);

		row_noise(a, b, h, i, stage, k->moved);
		for (size_t j = 0; k->out == ATTENTION_QK && j < a->total; j++)
			k->s[attention_stage_offset(a, b, h) + i * a->total + j] =
				k->moved[j] * (stage == 3 ? p[j] : 1);
		for (size_t e = 0; k->out == ATTENTION_Y && e < a->v_size; e++) {
			double squares = 0, sum = 0;

			for (size_t j = 0; j < a->total; j++) {
				double term = fabs(p[j] * v[j * a->v_size + e]);

				squares += term * k->moved[j] * term * k->moved[j];
				sum += term;
			}
			k->s[y.start + i * y.row + e] = sqrt(squares) + sum * noise_growth((double)a->total);
		}
	}
	return 0;
}

int attention_scale(struct call *c, int out, double *s)
{
	struct attention a;
	struct attention_scale k = {out, s, NULL};
	int rc;

	if (out == ATTENTION_PRESENT_K || out == ATTENTION_PRESENT_V) {
		memset(s, 0, c->out[out]->count * sizeof *s);
		return 0;
	}
	rc = attention_open(c, &a);
	if (rc)
		return rc;
	k.moved = call_scratch(c, a.total, sizeof *k.moved);
	return k.moved ? attention_for_each_head(c, &a, head_scales, &k) : ERR_MEMORY;
}
