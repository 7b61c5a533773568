/* rnn_activation.c - the activation functions that recurrent operators name in an attribute. */
#include <math.h>
#include <strings.h>

#include "ops/recurrent/recurrent.h"

#define ACTIVATION(id, value_of_x, slope_of_x)                        \
	static double id##_value(double x, double alpha, double beta) \
	{                                                             \
		(void)alpha, (void)beta;                              \
		return value_of_x;                                    \
	}                                                             \
	static double id##_slope(double x, double alpha, double beta) \
	{                                                             \
		(void)x, (void)alpha, (void)beta;                     \
		return slope_of_x;                                    \
	}

/* No overflow on either side: exp of a negative number only. */
static double logistic(double x)
{
	double e = exp(-fabs(x));

	return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double square(double x)
{
	return x * x;
}

ACTIVATION(relu, x > 0 ? x : 0, x > 0)
ACTIVATION(tanh, tanh(x), 1 - square(tanh(x)))
ACTIVATION(sigmoid, logistic(x), logistic(x) * logistic(-x))
ACTIVATION(affine, alpha *x + beta, alpha)
ACTIVATION(leaky_relu, x >= 0 ? x : alpha * x, x >= 0 ? 1 : alpha)
ACTIVATION(thresholded_relu, x >= alpha ? x : 0, x >= alpha)
ACTIVATION(scaled_tanh, alpha *tanh(beta *x), alpha *beta *(1 - square(tanh(beta * x))))
ACTIVATION(hard_sigmoid, fmin(fmax(alpha *x + beta, 0), 1), alpha *x + beta > 0 && alpha * x + beta < 1 ? alpha : 0)
ACTIVATION(elu, x >= 0 ? x : alpha * expm1(x), x >= 0 ? 1 : alpha * exp(x))
ACTIVATION(softsign, x / (1 + fabs(x)), 1 / square(1 + fabs(x)))
ACTIVATION(softplus, fmax(x, 0) + log1p(exp(-fabs(x))), logistic(x))

#define FUNCTION(name_, id, ...)                                                     \
	{                                                                            \
		.name = name_, .value = id##_value, .slope = id##_slope, __VA_ARGS__ \
	}
#define ALPHA(x) .uses_alpha = 1, .alpha = (double)(float)(x) /* as attributes, float32 */
#define BETA(x) .uses_beta = 1, .beta = (double)(float)(x)

const struct activation_row activation_rows[] = {
	FUNCTION("Relu", relu, .floor = 0),
	FUNCTION("Tanh", tanh, .floor = 1),
	FUNCTION("Sigmoid", sigmoid, .floor = 0.5),
	FUNCTION("Affine", affine, ALPHA(1), BETA(0), .floor = 0),
	FUNCTION("LeakyRelu", leaky_relu, ALPHA(0.01f), .floor = 0),
	FUNCTION("ThresholdedRelu", thresholded_relu, ALPHA(1), .floor = 0),
	FUNCTION("ScaledTanh", scaled_tanh, ALPHA(1), BETA(1), .floor = 1),
	FUNCTION("HardSigmoid", hard_sigmoid, ALPHA(0.2f), BETA(0.5f), .floor = 0.5),
	FUNCTION("Elu", elu, ALPHA(1), .floor = 1),
	FUNCTION("Softsign", softsign, .floor = 0),
	FUNCTION("Softplus", softplus, .floor = 1),
	{0},
};

double activation_value(const struct activation *a, double x)
{
	return a->row->value(x, a->alpha, a->beta);
}

double activation_slope(const struct activation *a, double x)
{
	return a->row->slope(x, a->alpha, a->beta);
}

double activation_roundoffs(const struct activation *a, double y)
{
	return 2 * fabs(y) + a->row->floor + (a->row->floor > 0 ? a->absolute : 0);
}

/* Names are compared without case, since exporters have written both. */
static const struct activation_row *find_row(const char *name)
{
	const struct activation_row *row = activation_rows;

	while (row->name && strcasecmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

int activation_read(struct call *c, int direction, int directions, const char *const *defaults, int n,
		    struct activation *out)
{
	const struct attr *names = node_attr(c->node, "activations");
	size_t n_alpha, n_beta, used_alpha = 0, used_beta = 0;
	const double *alpha = node_floats(c->node, "activation_alpha", &n_alpha);
	const double *beta = node_floats(c->node, "activation_beta", &n_beta);

	/* The default list of RNN names two functions, whatever the direction, so a longer list is no error. */
	if (names && names->n < (size_t)(n * directions))
		return call_bad(c, "'activations' names %zu functions, wanted %d", names->n, n * directions);
	/* Parameters are consumed in order by the functions that have them, those of the first direction too. */
	for (int i = 0; i < n * (direction + 1); i++) {
		const char *name = names ? names->strings[i].p : defaults[i % n];
		struct activation a = {.row = find_row(name), .absolute = c->absolute};

		if (!a.row)
			return call_bad(c, "activation function '%s' is not known", name);
		a.alpha = a.row->uses_alpha && used_alpha < n_alpha ? alpha[used_alpha++] : a.row->alpha;
		a.beta = a.row->uses_beta && used_beta < n_beta ? beta[used_beta++] : a.row->beta;
		out[i % n] = a;
	}
	return 0;
}
