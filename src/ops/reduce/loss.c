/* loss.c - NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
 *
 *     l_k = -w[t_k] * logp[t_k, k]        one loss for each target t_k, 0 when t_k is ignore_index
 *
 * logp (N, C, D1 … Dk) is the input, or the log-softmax of the scores over the classes; targets are (N, D1 … Dk), which
 * is the order of the lines along axis 1.  Reduced: none, Σ l_k, or the mean Σ l_k / Σ w[t_k], where ignored targets
 * have no weight, as the functions in the specification compute it.  Without weights and ignored targets that is the
 * plain mean. */
#include <math.h>
#include <string.h>

#include "ops/reduce/samplers.h"
#include "ops/reduce/softmax.h"

enum reduction_mode { LOSS_NONE, LOSS_SUM, LOSS_MEAN };

struct loss {
	struct lines lines;
	const double *logp;
	const int64_t *target;
	const double *weight; /* NULL: all ones */
	int has_ignore;
	int64_t ignore;
	enum reduction_mode mode;
	double weight_sum; /* of the targets that count */
};

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int loss_mode(struct call *c, enum reduction_mode *mode)
{
	static const char *const names[] = {"none", "sum", "mean"};
	const char *wanted = attr_string(c->node, "reduction");

	for (int i = 0; i < 3; i++) {
		if (!strcmp(wanted, names[i])) {
			*mode = (enum reduction_mode)i;
			return 0;
		}
	}
	return call_bad(c, "reduction '%s' is not one of none, sum, mean", wanted);
}

static int dims_clash(int64_t a, int64_t b)
{
	return a >= 0 && b >= 0 && a != b;
}

/* Checks x (N, C, D…) against targets (N, D…) and weights (C). */
static int check_shapes(struct call *c, const struct type *x, const struct type *target, const struct type *weight)
{
	if (x && x->rank < 2)
		return call_bad(c, "input 0 has rank %d, wanted at least 2", x->rank);
	if (x && target && target->rank != x->rank - 1)
		return call_bad(c, "targets have rank %d, wanted %d", target->rank, x->rank - 1);
	for (int i = 0; x && target && i < target->rank; i++)
		if (dims_clash(target->dims[i], x->dims[i ? i + 1 : 0]))
			return call_bad(c, "dimension %d of the targets is %lld, wanted %lld", i,
					(long long)target->dims[i], (long long)x->dims[i ? i + 1 : 0]);
	if (weight && (weight->rank != 1 || (x && dims_clash(weight->dims[0], x->dims[1]))))
		return call_bad(c, "weights must be one number for each class");
	return 0;
}

static int loss_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *target = call_shape(c, 1);
	enum dtype t = c->in_type[0].dtype;
	enum reduction_mode mode;
	int rc = loss_mode(c, &mode);

	if (!rc)
		rc = check_shapes(c, x, target, call_shape(c, 2));
	if (rc)
		return rc;
	if (mode != LOSS_NONE)
		call_out(c, 0, t, 0, NULL);
	else if (target)
		call_out(c, 0, t, target->rank, target->dims);
	else
		call_out_rank(c, 0, t, x ? x->rank - 1 : -1);
	call_out_like(c, 1, 0);
	return 0;
}

/* ---- one loss ---------------------------------------------------------------------------------------------------- */

/* Weight of target k (0: ignored), and where its log-probability is. */
static double loss_weight(const struct loss *p, size_t k, size_t *index)
{
	int64_t t = p->target[k];

	if (p->has_ignore && t == p->ignore)
		return *index = 0, 0;
	*index = lines_start(&p->lines, k) + (size_t)t * p->lines.along[0].stride;
	return p->weight ? p->weight[t] : 1;
}

static int loss_is_ignored(const struct loss *p, size_t k)
{
	return p->has_ignore && p->target[k] == p->ignore;
}

static int loss_open(struct call *c, const double *logp, struct loss *p)
{
	const struct attr *ignore = node_attr(c->node, "ignore_index");
	const struct tensor *x = c->in[0];
	int rc = loss_mode(c, &p->mode);

	if (rc)
		return rc;
	lines_init(&p->lines, x->rank, x->dims, UINT32_C(1) << 1);
	p->logp = logp;
	p->target = c->in[1]->i;
	p->weight = call_has(c, 2) ? c->in[2]->f : NULL;
	p->has_ignore = ignore != NULL;
	p->ignore = ignore ? ignore->i : 0;
	p->weight_sum = 0;
	for (size_t k = 0; k < c->in[1]->count; k++) {
		size_t index;

		if (!loss_is_ignored(p, k) && (p->target[k] < 0 || p->target[k] >= x->dims[1]))
			return call_bad(c, "target %lld is not one of %lld classes", (long long)p->target[k],
					(long long)x->dims[1]);
		p->weight_sum += loss_weight(p, k, &index);
	}
	return 0;
}

/* l_k */
static double loss_at(const struct loss *p, size_t k)
{
	size_t index;
	double w = loss_weight(p, k, &index);

	return loss_is_ignored(p, k) ? 0 : -w * p->logp[index];
}

/* ---- reduced losses ---------------------------------------------------------------------------------------------- */

static void loss_values(struct call *c, const struct loss *p)
{
	double sum = 0;

	for (size_t k = 0; k < c->in[1]->count; k++) {
		double l = loss_at(p, k);

		if (p->mode == LOSS_NONE)
			c->out[0]->f[k] = l;
		sum += l;
	}
	if (p->mode != LOSS_NONE)
		c->out[0]->f[0] = p->mode == LOSS_SUM ? sum : sum / p->weight_sum;
}

/* Adds to dlogp and dweight (NULL: not wanted), g the gradient of the output:
 *     dlogp[t_k, k] = -w g_k      dw[t_k] = -logp g_k      with g_k = g, or g / Σw for the mean, whose divisor moves
 * with w too: dw[t_k] = (-logp - mean) g / Σw. */
static void loss_gradients(struct call *c, const struct loss *p, double *dlogp, double *dweight)
{
	const double *g = c->out_grad[0]->f;
	size_t n = c->in[1]->count;
	double mean = 0;

	for (size_t k = 0; p->mode == LOSS_MEAN && k < n; k++)
		mean += loss_at(p, k) / p->weight_sum;
	for (size_t k = 0; k < n; k++) {
		double gk = p->mode == LOSS_NONE ? g[k] : p->mode == LOSS_SUM ? g[0] : g[0] / p->weight_sum;
		size_t index;
		double w = loss_weight(p, k, &index);

		if (loss_is_ignored(p, k))
			continue;
		if (dlogp)
			dlogp[index] -= w * gk;
		if (dweight)
			dweight[p->target[k]] -= (p->logp[index] + mean) * gk;
	}
}

/* Rounding of the losses; `inner` is the scale of the log-probabilities (NULL: they are inputs, exact).  Their errors
 * are independent from line to line, so they add up in squares. */
static void loss_scales(struct call *c, const struct loss *p, const double *inner, double *s)
{
	size_t n = c->in[1]->count;
	double sum = 0, total = 0, squares = 0;

	for (size_t k = 0; k < n; k++) {
		size_t index;
		double w = fabs(loss_weight(p, k, &index)), l = loss_at(p, k);
		double moved = inner && !loss_is_ignored(p, k) ? w * inner[index] : 0;

		if (p->mode == LOSS_NONE)
			s[k] = fabs(l) + moved;
		total += l;
		sum += fabs(l);
		squares += moved * moved;
	}
	if (p->mode == LOSS_NONE)
		return;
	s[0] = sum * noise_growth((double)n) + sqrt(squares);
	if (p->mode == LOSS_MEAN)
		s[0] = (s[0] + fabs(total) * (1 + noise_growth((double)n))) / fabs(p->weight_sum);
}

/* ---- NegativeLogLikelihoodLoss ----------------------------------------------------------------------------------- */

static int nll_eval(struct call *c)
{
	struct loss p;
	int rc = loss_open(c, c->in[0]->f, &p);

	if (!rc)
		loss_values(c, &p);
	return rc;
}

static double *wanted_grad(struct call *c, int in)
{
	return in < c->n_in && c->in_grad[in] ? c->in_grad[in]->f : NULL;
}

static int nll_grad(struct call *c)
{
	struct loss p;
	int rc;

	if (!c->out_grad[0])
		return 0;
	rc = loss_open(c, c->in[0]->f, &p);
	if (!rc)
		loss_gradients(c, &p, wanted_grad(c, 0), wanted_grad(c, 2));
	return rc;
}

static int nll_scale(struct call *c, int out, double *s)
{
	struct loss p;
	int rc = loss_open(c, c->in[0]->f, &p);

	(void)out;
	if (!rc)
		loss_scales(c, &p, NULL, s);
	return rc;
}

/* ---- SoftmaxCrossEntropyLoss ------------------------------------------------------------------------------------- */

/* Runs a kernel of softmax.h over the classes. */
static int over_classes(struct call *c, lines_fn *fn, const double *second, double *out, int add)
{
	const struct tensor *x = c->in[0];
	struct lines_job job = {.in = {x->f, second}, .out = out, .add = add, .fn = fn};
	struct lines l;

	lines_init(&l, x->rank, x->dims, UINT32_C(1) << 1);
	return lines_map(c, &l, &job);
}

/* Scratch of x's size filled by fn. */
static double *classes_scratch(struct call *c, lines_fn *fn)
{
	double *y = call_scratch(c, c->in[0]->count, sizeof *y);

	return y && !over_classes(c, fn, NULL, y, 0) ? y : NULL;
}

static int sce_eval(struct call *c)
{
	double *logp = classes_scratch(c, log_softmax_line);
	struct loss p;
	int rc = logp ? loss_open(c, logp, &p) : ERR_MEMORY;

	if (rc)
		return rc;
	if (c->out[0])
		loss_values(c, &p);
	if (call_wants(c, 1))
		memcpy(c->out[1]->f, logp, c->in[0]->count * sizeof *logp);
	return 0;
}

static int sce_grad(struct call *c)
{
	double *logp = classes_scratch(c, log_softmax_line);
	double *dlogp = call_scratch(c, c->in[0]->count, sizeof *dlogp);
	struct loss p;
	int rc = logp && dlogp ? loss_open(c, logp, &p) : ERR_MEMORY;

	if (rc)
		return rc;
	if (c->n_out > 1 && c->out_grad[1])
		memcpy(dlogp, c->out_grad[1]->f, c->in[0]->count * sizeof *dlogp);
	if (c->out_grad[0])
		loss_gradients(c, &p, dlogp, wanted_grad(c, 2));
	return c->in_grad[0] ? over_classes(c, log_softmax_line_grad, dlogp, c->in_grad[0]->f, 1) : 0;
}

static int sce_scale(struct call *c, int out, double *s)
{
	double *logp, *inner;
	struct loss p;
	int rc;

	if (out == 1)
		return over_classes(c, log_softmax_line_scale, NULL, s, 0);
	logp = classes_scratch(c, log_softmax_line);
	inner = classes_scratch(c, log_softmax_line_scale);
	rc = logp && inner ? loss_open(c, logp, &p) : ERR_MEMORY;
	if (!rc)
		loss_scales(c, &p, inner, s);
	return rc;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const struct op_attr loss_attrs[] = {OP_ATTR("ignore_index", ATTR_INT), OP_STRING("reduction", "mean"), {0}};

const struct op op_negative_log_likelihood_loss = {
	.samples = SAMPLES({.by = &sampler_loss}),
	.in = {{"input", T_FLOAT, 'T', 0}, {"target", T_INDEX, 0, 0}, {"weight", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"loss", T_FLOAT, 'T', 0}},
	.attrs = loss_attrs,
	.infer = loss_infer,
	.eval = nll_eval,
	.grad = nll_grad,
	.scale = nll_scale,
};

const struct op op_softmax_cross_entropy_loss = {
	.samples = SAMPLES({.by = &sampler_loss}),
	.in = {{"scores", T_FLOAT, 'T', 0}, {"labels", T_INDEX, 0, 0}, {"weights", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}, {"log_prob", T_FLOAT, 'T', PORT_OPTIONAL}},
	.attrs = loss_attrs,
	.infer = loss_infer,
	.eval = sce_eval,
	.grad = sce_grad,
	.scale = sce_scale,
};
