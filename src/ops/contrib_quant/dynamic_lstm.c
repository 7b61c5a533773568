/* dynamic_lstm.c - DynamicQuantizeLSTM of com.microsoft: an LSTM with quantized weights.
 *
 *   W [D, I, 4H]   R [D, H, 4H], transposed to those of LSTM; scales and zero points [D], or [D, 4H]: one a column
 *
 * A library multiplies integers: it quantizes X and, step by step, the states to eight bits on the way.  Microsoft's
 * text does not say which of them share a scale (ONNX Runtime lets that depend on its threads).  So the reference
 * computes with X and the states as they are, and what eight bits are off by is noise: see layer.c. */
#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/domain.h"
#include "ops/recurrent/recurrent.h"

#define LSTM_INPUTS 8 /* the first inputs are those of LSTM */
#define GATES 4

enum { W = 1, R = 2, W_SCALE = 8, W_ZERO, R_SCALE, R_ZERO };

static struct recurrent_cell quantized_cell(void)
{
	struct recurrent_cell cell = recurrent_lstm;

	cell.quantizes = 1;
	return cell;
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

/* Input i has one number for each direction, or for each column of each direction of `weights`. */
static int check_params(struct call *c, int i, int weights)
{
	const struct type *t = call_shape(c, i), *w = call_shape(c, weights);

	if (!t || !w || w->rank != 3)
		return 0;
	if (t->rank != 1 && t->rank != 2)
		return call_bad(c, "input %d has rank %d, wanted 1 or 2", i, t->rank);
	for (int d = 0; d < t->rank; d++) {
		int64_t want = w->dims[d ? 2 : 0];

		if (t->dims[d] >= 0 && want >= 0 && t->dims[d] != want)
			return call_bad(c, "dimension %d of input %d is %lld, wanted %lld", d, i, (long long)t->dims[d],
					(long long)want);
	}
	return 0;
}

/* [D, I, 4H] as [D, 4H, I]. */
static void transpose(struct type *t)
{
	int64_t last = t->dims[2];

	t->dtype = DT_FLOAT;
	if (t->rank != 3)
		return;
	t->dims[2] = t->dims[1];
	t->dims[1] = last;
}

/* The call of LSTM: types[LSTM_INPUTS] are its inputs'. */
static struct call lstm_call(const struct call *c, struct type *types)
{
	struct call lstm = qlinear_inner(c, "LSTM");

	for (int i = 0; i < LSTM_INPUTS && i < c->n_in; i++)
		types[i] = c->in_type[i];
	transpose(&types[W]);
	transpose(&types[R]);
	lstm.in_type = types;
	lstm.n_in = c->n_in < LSTM_INPUTS ? c->n_in : LSTM_INPUTS;
	lstm.n_out = c->n_out;
	lstm.version = 7; /* from 14 on it has a layout */
	return lstm;
}

static int dynamic_quantize_lstm_infer(struct call *c)
{
	struct recurrent_cell cell = quantized_cell();
	struct type types[LSTM_INPUTS];
	struct call lstm = lstm_call(c, types);
	int rc = 0;

	for (int i = W_SCALE; i <= R_ZERO && !rc; i++)
		rc = check_params(c, i, i < R_SCALE ? W : R);
	return rc ? rc : recurrent_infer(&lstm, &cell);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Weights [D, n, 4H] as real numbers [D, 4H, n]; NULL with the error set. */
static struct tensor *real_weights(struct call *c, int i, int scale, int zero)
{
	const struct tensor *w = c->in[i], *s = c->in[scale], *z = c->in[zero];
	size_t rows = (size_t)w->dims[1], cols = (size_t)w->dims[2], size = rows * cols;
	struct type t = c->in_type[i];
	struct tensor *y;

	transpose(&t);
	y = tensor_new(DT_FLOAT, t.rank, t.dims, c->err);
	for (size_t k = 0; y && k < w->count; k++) {
		size_t d = k / size, row = k % size / cols, col = k % cols;
		double scaled = s->f[s->rank == 2 ? d * cols + col : d];

		y->f[d * size + col * rows + row] =
			(double)(w->i[k] - z->i[z->rank == 2 ? d * cols + col : d]) * scaled;
	}
	return y;
}

typedef int lstm_fn(struct call *lstm, const struct recurrent_cell *cell, int out, double *s);

static int run(struct call *c, lstm_fn *fn, int out, double *s)
{
	struct recurrent_cell cell = quantized_cell();
	struct tensor *in[LSTM_INPUTS] = {NULL};
	struct type types[LSTM_INPUTS];
	struct call lstm = lstm_call(c, types);
	int rc;

	for (int i = 0; i < lstm.n_in; i++)
		in[i] = c->in[i];
	in[W] = real_weights(c, W, W_SCALE, W_ZERO);
	in[R] = in[W] ? real_weights(c, R, R_SCALE, R_ZERO) : NULL;
	lstm.in = in;
	rc = in[R] ? fn(&lstm, &cell, out, s) : c->err->code;
	tensor_unref(in[W]);
	if (in[W])
		tensor_unref(in[R]);
	return rc;
}

static int eval_lstm(struct call *lstm, const struct recurrent_cell *cell, int out, double *s)
{
	(void)out;
	(void)s;
	return recurrent_eval(lstm, cell);
}

static int dynamic_quantize_lstm_eval(struct call *c)
{
	return run(c, eval_lstm, 0, NULL);
}

static int dynamic_quantize_lstm_scale(struct call *c, int out, double *s)
{
	return run(c, recurrent_scale, out, s);
}

const struct op op_dynamic_quantize_lstm = {
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "clip"},
		       {.broken = domain_not_positive, .port = W_SCALE},
		       {.broken = domain_not_positive, .port = R_SCALE}),
	.in = {{"X", T_F32, 'T', 0},
	       {"W", T_8BIT, 'W', 0},
	       {"R", T_8BIT, 'W', 0},
	       {"B", T_F32, 'T', PORT_OPTIONAL},
	       {"sequence_lens", T_I32, 0, PORT_OPTIONAL},
	       {"initial_h", T_F32, 'T', PORT_OPTIONAL},
	       {"initial_c", T_F32, 'T', PORT_OPTIONAL},
	       {"P", T_F32, 'T', PORT_OPTIONAL},
	       {"W_scale", T_F32, 'T', 0},
	       {"W_zero_point", T_8BIT, 'W', 0},
	       {"R_scale", T_F32, 'T', 0},
	       {"R_zero_point", T_8BIT, 'W', 0}},
	.out = {{"Y", T_F32, 'T', PORT_OPTIONAL},
		{"Y_h", T_F32, 'T', PORT_OPTIONAL},
		{"Y_c", T_F32, 'T', PORT_OPTIONAL}},
	.attrs = (const struct op_attr[]){OP_ATTR("activations", ATTR_STRINGS),
					  OP_ATTR("activation_alpha", ATTR_FLOATS),
					  OP_ATTR("activation_beta", ATTR_FLOATS),
					  OP_ATTR("clip", ATTR_FLOAT),
					  OP_STRING("direction", "forward"),
					  OP_ATTR("hidden_size", ATTR_INT),
					  OP_INT("input_forget", 0),
					  {0}},
	.infer = dynamic_quantize_lstm_infer,
	.eval = dynamic_quantize_lstm_eval,
	.scale = dynamic_quantize_lstm_scale,
};
