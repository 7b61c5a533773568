/* random.c - operators whose results are random: RandomNormal, RandomUniform, their Like forms, Bernoulli, Multinomial.
 *
 * The attribute `seed` gives a stream of its own, the same on every run; without it numbers come from the run's stream.
 * Either way results are only ever compared with themselves (OP_RANDOM). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "ops/call.h"
#include "ops/kit/dims.h"

#define T_TO_BERNOULLI (T_NUM | T_BOOL)

/* ---- shared ------------------------------------------------------------------------------------------------------ */

/* The stream to draw from: `own` is filled when the node has a seed.  NULL with the error set. */
static struct rng *open_stream(struct call *c, struct rng *own)
{
	const struct attr *seed = node_attr(c->node, "seed");
	uint64_t bits;

	if (seed) {
		memcpy(&bits, &seed->f, sizeof bits);
		rng_init(own, bits);
		return own;
	}
	if (!c->env || !c->env->rng) {
		call_unsupported(c, "random numbers without a seed cannot be drawn here");
		return NULL;
	}
	return c->env->rng;
}

/* The type that a code names; must be in `allowed` once known. */
static int output_dtype(struct call *c, int64_t code, uint32_t allowed, enum dtype *t)
{
	*t = dtype_from_code(code);
	if (code != DT_UNDEFINED && (*t == DT_UNDEFINED || !(allowed & TM(*t))))
		return call_bad(c, "dtype %lld is not allowed here", (long long)code);
	return 0;
}

/* The attribute dtype, where the input's type is what leaving it out means. */
static int64_t dtype_or_input(const struct call *c)
{
	return node_int(c->node, "dtype", c->in_type[0].dtype);
}

typedef double draw_fn(struct rng *r, double a, double b);

static int fill(struct call *c, draw_fn *draw, double a, double b)
{
	struct rng own, *r = open_stream(c, &own);

	if (!r)
		return c->err->code;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] = draw(r, a, b);
	return 0;
}

static double draw_normal(struct rng *r, double mean, double scale)
{
	return mean + scale * rng_normal(r);
}

static int normal_eval(struct call *c)
{
	return fill(c, draw_normal, attr_float(c->node, "mean"), attr_float(c->node, "scale"));
}

static int uniform_eval(struct call *c)
{
	return fill(c, rng_uniform, attr_float(c->node, "low"), attr_float(c->node, "high"));
}

static int from_shape_infer(struct call *c)
{
	enum dtype t;
	size_t rank;
	const int64_t *dims = node_ints(c->node, "shape", &rank);
	int rc = output_dtype(c, attr_int(c->node, "dtype"), T_FLOAT, &t);

	if (!rc)
		rc = dims_check_rank(c, (int64_t)rank);
	for (size_t i = 0; i < rank && !rc; i++)
		if (dims[i] < 0)
			rc = call_bad(c, "dimension %zu of the shape is %lld", i, (long long)dims[i]);
	if (!rc)
		call_out(c, 0, t, (int)rank, dims);
	return rc;
}

static int like_infer(struct call *c)
{
	enum dtype t;
	int rc = output_dtype(c, dtype_or_input(c), T_FLOAT, &t);

	if (!rc)
		call_out(c, 0, t, c->in_type[0].rank, c->in_type[0].dims);
	return rc;
}

/* ---- RandomNormal, RandomUniform and their Like forms ------------------------------------------------------------ */

#define SEED OP_ATTR("seed", ATTR_FLOAT)
#define NORMAL OP_FLOAT("mean", 0), OP_FLOAT("scale", 1)
#define UNIFORM OP_FLOAT("low", 0), OP_FLOAT("high", 1)
#define OF_SHAPE OP_NEEDS("shape", ATTR_INTS), OP_INT("dtype", DT_FLOAT)
#define LIKE OP_ATTR("dtype", ATTR_INT) /* left out: the input's */

static const struct op_attr normal_attrs[] = {OF_SHAPE, NORMAL, SEED, {0}};
static const struct op_attr normal_like_attrs[] = {LIKE, NORMAL, SEED, {0}};
static const struct op_attr uniform_attrs[] = {OF_SHAPE, UNIFORM, SEED, {0}};
static const struct op_attr uniform_like_attrs[] = {LIKE, UNIFORM, SEED, {0}};

const struct op op_random_normal = {
	.undrawn = "each library draws its own numbers",
	.out = {{"output", T_FLOAT, 0, 0}},
	.attrs = normal_attrs,
	.flags = OP_RANDOM,
	.infer = from_shape_infer,
	.eval = normal_eval,
};

const struct op op_random_normal_like = {
	.undrawn = "each library draws its own numbers",
	.in = {{"input", T_ANY, 0, 0}},
	.out = {{"output", T_FLOAT, 0, 0}},
	.attrs = normal_like_attrs,
	.flags = OP_RANDOM,
	.infer = like_infer,
	.eval = normal_eval,
};

const struct op op_random_uniform = {
	.undrawn = "each library draws its own numbers",
	.out = {{"output", T_FLOAT, 0, 0}},
	.attrs = uniform_attrs,
	.flags = OP_RANDOM,
	.infer = from_shape_infer,
	.eval = uniform_eval,
};

const struct op op_random_uniform_like = {
	.undrawn = "each library draws its own numbers",
	.in = {{"input", T_ANY, 0, 0}},
	.out = {{"output", T_FLOAT, 0, 0}},
	.attrs = uniform_like_attrs,
	.flags = OP_RANDOM,
	.infer = like_infer,
	.eval = uniform_eval,
};

/* ---- Bernoulli --------------------------------------------------------------------------------------------------- */

static int bernoulli_infer(struct call *c)
{
	enum dtype t;
	int rc = output_dtype(c, dtype_or_input(c), T_TO_BERNOULLI, &t);

	if (!rc)
		call_out(c, 0, t, c->in_type[0].rank, c->in_type[0].dims);
	return rc;
}

/* 1 with probability x, else 0. */
static int bernoulli_eval(struct call *c)
{
	struct tensor *y = c->out[0];
	struct rng own, *r = open_stream(c, &own);

	if (!r)
		return c->err->code;
	for (size_t i = 0; i < y->count; i++) {
		int one = rng_unit(r) < c->in[0]->f[i];

		if (dtype_is_float(y->dtype))
			y->f[i] = one;
		else
			y->i[i] = one;
	}
	return 0;
}

static const struct op_attr bernoulli_attrs[] = {LIKE, SEED, {0}};

const struct op op_bernoulli = {
	.undrawn = "each library draws its own numbers",
	.in = {{"input", T_FLOAT, 0, 0}},
	.out = {{"output", T_TO_BERNOULLI, 0, 0}},
	.attrs = bernoulli_attrs,
	.flags = OP_RANDOM,
	.infer = bernoulli_infer,
	.eval = bernoulli_eval,
};

/* ---- Multinomial ------------------------------------------------------------------------------------------------- */

static int multinomial_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[2] = {DIM_UNKNOWN, attr_int(c->node, "sample_size")};
	enum dtype t;
	int rc = output_dtype(c, attr_int(c->node, "dtype"), T_INDEX, &t);

	if (rc)
		return rc;
	if (dims[1] < 0)
		return call_bad(c, "sample_size is %lld", (long long)dims[1]);
	if (x && x->rank != 2)
		return call_bad(c, "input has rank %d, wanted 2", x->rank);
	if (x && x->dims[1] == 0)
		return call_bad(c, "there is no class to draw");
	if (x)
		dims[0] = x->dims[0];
	call_out(c, 0, t, 2, dims);
	return 0;
}

/* cumulative[j] = Σ_{k <= j} exp(x[k] - max x): unnormalized, and safe for large log-probabilities. */
static void accumulate(const double *x, size_t n, double *cumulative)
{
	double highest = x[0], sum = 0;

	for (size_t j = 1; j < n; j++)
		highest = fmax(highest, x[j]);
	for (size_t j = 0; j < n; j++) {
		sum += exp(x[j] - highest);
		cumulative[j] = sum;
	}
}

/* The first class whose cumulative probability is above u; the last one when rounding leaves none. */
static size_t pick(const double *cumulative, size_t n, double u)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cumulative[middle] > u)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int multinomial_eval(struct call *c)
{
	size_t rows = (size_t)c->in[0]->dims[0], classes = (size_t)c->in[0]->dims[1];
	size_t samples = (size_t)c->out[0]->dims[1], at = 0;
	double *cumulative = call_scratch(c, classes, sizeof *cumulative);
	struct rng own, *r = cumulative ? open_stream(c, &own) : NULL;

	if (!r)
		return c->err->code;
	for (size_t i = 0; i < rows && samples; i++) {
		accumulate(c->in[0]->f + i * classes, classes, cumulative);
		for (size_t k = 0; k < samples; k++)
			c->out[0]->i[at++] = (int64_t)pick(cumulative, classes, rng_unit(r) * cumulative[classes - 1]);
	}
	return 0;
}

static const struct op_attr multinomial_attrs[] = {OP_INT("dtype", DT_INT32), OP_INT("sample_size", 1), SEED, {0}};

const struct op op_multinomial = {
	.undrawn = "each library draws its own numbers",
	.in = {{"input", T_FLOAT, 0, 0}},
	.out = {{"output", T_INDEX, 0, 0}},
	.attrs = multinomial_attrs,
	.flags = OP_RANDOM,
	.infer = multinomial_infer,
	.eval = multinomial_eval,
};
