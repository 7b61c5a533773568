/* rnn_activation.c - the activation functions that recurrent operators name in an attribute. */
#include <math.h>
#include <strings.h>

#include "ops/recurrent/recurrent.h"

struct activation_row {
	const char *name;
	int uses_alpha, uses_beta;
	double alpha, beta; /* defaults, those of the operators of the same name */
	double floor;       /* rounding that does not shrink with the value, as in e^x - 1 or 2 / (1 + e^-2x) - 1 */
	double (*value)(double x, double alpha, double beta);
	double (*slope)(double x, double alpha, double beta);
};

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

static const struct activation_row rows[] = {
	{"Relu", 0, 0, 0, 0, 0, relu_value, relu_slope},
	{"Tanh", 0, 0, 0, 0, 1, tanh_value, tanh_slope},
	{"Sigmoid", 0, 0, 0, 0, 0.5, sigmoid_value, sigmoid_slope},
	{"Affine", 1, 1, 1, 0, 0, affine_value, affine_slope},
	{"LeakyRelu", 1, 0, 0.01, 0, 0, leaky_relu_value, leaky_relu_slope},
	{"ThresholdedRelu", 1, 0, 1, 0, 0, thresholded_relu_value, thresholded_relu_slope},
	{"ScaledTanh", 1, 1, 1, 1, 1, scaled_tanh_value, scaled_tanh_slope},
	{"HardSigmoid", 1, 1, 0.2, 0.5, 0.5, hard_sigmoid_value, hard_sigmoid_slope},
	{"Elu", 1, 0, 1, 0, 1, elu_value, elu_slope},
	{"Softsign", 0, 0, 0, 0, 0, softsign_value, softsign_slope},
	{"Softplus", 0, 0, 0, 0, 1, softplus_value, softplus_slope},
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
	return 2 * fabs(y) + a->row->floor;
}

/* Names are compared without case, since exporters have written both. */
static const struct activation_row *find_row(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcasecmp(rows[i].name, name))
			return &rows[i];
	return NULL;
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
		struct activation a = {find_row(name), 0, 0};

		if (!a.row)
			return call_bad(c, "activation function '%s' is not known", name);
		a.alpha = a.row->uses_alpha && used_alpha < n_alpha ? alpha[used_alpha++] : a.row->alpha;
		a.beta = a.row->uses_beta && used_beta < n_beta ? beta[used_beta++] : a.row->beta;
		out[i % n] = a;
	}
	return 0;
}
