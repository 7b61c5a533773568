/* rnn.c - the cells of RNN, GRU and LSTM: one step forward, one step back.
 *
 * Vectors have H elements; gates are blocks of H in z (before) and y (after the activation).  σ'(z) stands for the
 * derivative of the gate's activation, clipping included. */
#include "ops/kit/domain.h"
#include "ops/recurrent/recurrent.h"
#include "ops/recurrent/samplers.h"

#include <string.h>

/* ---- RNN:  h = f(W x + Wb + R h0 + Rb) --------------------------------------------------------------------------- */

static void rnn_forward(const struct recurrent_layer *l, const struct recurrent_step *s)
{
	layer_input(l, 0, 1, s->x, s->z);
	layer_hidden(l, 0, 1, s->h0, s->z);
	for (size_t j = 0; j < l->hidden; j++)
		s->h[j] = layer_activate(l, 0, s->z[j]);
}

static void rnn_backward(const struct recurrent_layer *l, const struct recurrent_step *s, const struct step_grad *g)
{
	for (size_t j = 0; j < l->hidden; j++)
		g->dz[j] = g->dh[j] * layer_slope(l, 0, s->z[j]);
	layer_input_back(l, 0, 1, g->dz, s->x, g->dx);
	layer_hidden_back(l, 0, 1, g->dz, s->h0, g->dh0);
}

/* ---- GRU, gates z r h -------------------------------------------------------------------------------------------- */

/*     z, r = f(W x + Wb + R h0 + Rb)
 *     n = g(W x + Wb + R (r ⊙ h0) + Rb)         linear_before_reset: g(W x + Wb + r ⊙ (R h0 + Rb))
 *     h = (1 - z) ⊙ n + z ⊙ h0
 *
 * s->m keeps r ⊙ h0, or R h0 + Rb. */

enum { GRU_Z, GRU_R, GRU_N };

static void gru_hidden_gate(const struct recurrent_layer *l, const struct recurrent_step *s)
{
	const double *r = s->y + GRU_R * l->hidden;
	double *z = s->z + GRU_N * l->hidden;

	layer_input(l, GRU_N, 1, s->x, z);
	for (size_t j = 0; j < l->hidden; j++)
		s->m[j] = l->linear_before_reset ? 0 : noisy_round(l->noise, r[j] * s->h0[j], 1);
	if (!l->linear_before_reset) {
		layer_hidden(l, GRU_N, 1, s->m, z);
		return;
	}
	layer_hidden(l, GRU_N, 1, s->h0, s->m);
	for (size_t j = 0; j < l->hidden; j++)
		z[j] += noisy_round(l->noise, r[j] * s->m[j], 1);
}

static void gru_forward(const struct recurrent_layer *l, const struct recurrent_step *s)
{
	size_t n = l->hidden;

	layer_input(l, GRU_Z, 2, s->x, s->z);
	layer_hidden(l, GRU_Z, 2, s->h0, s->z);
	for (size_t j = 0; j < 2 * n; j++)
		s->y[j] = layer_activate(l, 0, s->z[j]);
	gru_hidden_gate(l, s);
	for (size_t j = 0; j < n; j++) {
		double z = s->y[j], y = layer_activate(l, 1, s->z[GRU_N * n + j]);

		s->y[GRU_N * n + j] = y;
		s->h[j] = noisy_round(l->noise, (1 - z) * y, 2) + noisy_round(l->noise, z * s->h0[j], 1);
	}
}

/* From the gradient dn of the hidden gate before its activation to its weights, to h0, and to the reset gate (dr). */
static void gru_hidden_gate_back(const struct recurrent_layer *l, const struct recurrent_step *s,
				 const struct step_grad *g, const double *dn, double *dr)
{
	const double *r = s->y + GRU_R * l->hidden;

	layer_input_back(l, GRU_N, 1, dn, s->x, g->dx);
	for (size_t j = 0; j < l->hidden; j++)
		g->tmp[j] = l->linear_before_reset ? dn[j] * r[j] : 0;
	if (l->linear_before_reset) {
		layer_hidden_back(l, GRU_N, 1, g->tmp, s->h0, g->dh0);
		for (size_t j = 0; j < l->hidden; j++)
			dr[j] = dn[j] * s->m[j];
		return;
	}
	layer_hidden_back(l, GRU_N, 1, dn, s->m, g->tmp);
	for (size_t j = 0; j < l->hidden; j++) {
		dr[j] = g->tmp[j] * s->h0[j];
		g->dh0[j] += g->tmp[j] * r[j];
	}
}

static void gru_backward(const struct recurrent_layer *l, const struct recurrent_step *s, const struct step_grad *g)
{
	size_t n = l->hidden;
	double *dz = g->dz, *dr = dz + GRU_R * n, *dn = dz + GRU_N * n;

	for (size_t j = 0; j < n; j++) {
		double z = s->y[j];

		dn[j] = g->dh[j] * (1 - z) * layer_slope(l, 1, s->z[GRU_N * n + j]);
		dz[j] = g->dh[j] * (s->h0[j] - s->y[GRU_N * n + j]) * layer_slope(l, 0, s->z[j]);
		g->dh0[j] += g->dh[j] * z;
	}
	gru_hidden_gate_back(l, s, g, dn, dr);
	for (size_t j = 0; j < n; j++)
		dr[j] *= layer_slope(l, 0, s->z[GRU_R * n + j]);
	layer_input_back(l, GRU_Z, 2, dz, s->x, g->dx);
	layer_hidden_back(l, GRU_Z, 2, dz, s->h0, g->dh0);
}

/* ---- LSTM, gates i o f c, peepholes i o f ------------------------------------------------------------------------ */

/*     i, f = f(W x + Wb + R h0 + Rb + P ⊙ c0)         input_forget: f = 1 - i
 *     n = g(W x + Wb + R h0 + Rb)
 *     c = f ⊙ c0 + i ⊙ n
 *     o = f(W x + Wb + R h0 + Rb + P ⊙ c)
 *     h = o ⊙ h(c)                                    clip bounds the input of h too, but not the state c */

enum { LSTM_I, LSTM_O, LSTM_F, LSTM_N };

static double peephole(const struct recurrent_layer *l, int gate, size_t j)
{
	return l->p ? l->p[(size_t)gate * l->hidden + j] : 0;
}

static void lstm_forward(const struct recurrent_layer *l, const struct recurrent_step *s)
{
	size_t n = l->hidden;

	layer_input(l, LSTM_I, 4, s->x, s->z);
	layer_hidden(l, LSTM_I, 4, s->h0, s->z);
	for (size_t j = 0; j < n; j++) {
		double *z = s->z + j, *y = s->y + j;

		z[LSTM_I * n] += noisy_round(l->noise, peephole(l, LSTM_I, j) * s->c0[j], 1);
		z[LSTM_F * n] += noisy_round(l->noise, peephole(l, LSTM_F, j) * s->c0[j], 1);
		y[LSTM_I * n] = layer_activate(l, 0, z[LSTM_I * n]);
		y[LSTM_F * n] = l->input_forget ? 1 - y[LSTM_I * n] : layer_activate(l, 0, z[LSTM_F * n]);
		y[LSTM_N * n] = layer_activate(l, 1, z[LSTM_N * n]);
		s->c[j] = noisy_round(l->noise, y[LSTM_F * n] * s->c0[j], 1) +
			  noisy_round(l->noise, y[LSTM_I * n] * y[LSTM_N * n], 1);
		z[LSTM_O * n] += noisy_round(l->noise, peephole(l, LSTM_O, j) * s->c[j], 1);
		y[LSTM_O * n] = layer_activate(l, 0, z[LSTM_O * n]);
		s->h[j] = noisy_round(l->noise, y[LSTM_O * n] * layer_activate(l, 2, s->c[j]), 1);
	}
}

/* One element; all that is left to do then are the linear maps. */
static void lstm_element_back(const struct recurrent_layer *l, const struct recurrent_step *s,
			      const struct step_grad *g, size_t j)
{
	size_t n = l->hidden;
	const double *z = s->z + j, *y = s->y + j;
	double *dz = g->dz + j, dc, di, df;

	dz[LSTM_O * n] = g->dh[j] * layer_activate(l, 2, s->c[j]) * layer_slope(l, 0, z[LSTM_O * n]);
	dc = g->dc[j] + g->dh[j] * y[LSTM_O * n] * layer_slope(l, 2, s->c[j]) + dz[LSTM_O * n] * peephole(l, LSTM_O, j);
	di = dc * y[LSTM_N * n];
	df = dc * s->c0[j];
	if (l->input_forget)
		di -= df, df = 0;
	dz[LSTM_I * n] = di * layer_slope(l, 0, z[LSTM_I * n]);
	dz[LSTM_F * n] = df * layer_slope(l, 0, z[LSTM_F * n]);
	dz[LSTM_N * n] = dc * y[LSTM_I * n] * layer_slope(l, 1, z[LSTM_N * n]);
	g->dc0[j] +=
		dc * y[LSTM_F * n] + dz[LSTM_I * n] * peephole(l, LSTM_I, j) + dz[LSTM_F * n] * peephole(l, LSTM_F, j);
	if (l->dp) {
		l->dp[LSTM_I * n + j] += dz[LSTM_I * n] * s->c0[j];
		l->dp[LSTM_O * n + j] += dz[LSTM_O * n] * s->c[j];
		l->dp[LSTM_F * n + j] += dz[LSTM_F * n] * s->c0[j];
	}
}

static void lstm_backward(const struct recurrent_layer *l, const struct recurrent_step *s, const struct step_grad *g)
{
	for (size_t j = 0; j < l->hidden; j++)
		lstm_element_back(l, s, g, j);
	layer_input_back(l, LSTM_I, 4, g->dz, s->x, g->dx);
	layer_hidden_back(l, LSTM_I, 4, g->dz, s->h0, g->dh0);
}

/* ---- operators ---- */

static const struct recurrent_cell recurrent_rnn = {1, 1, {"Tanh"}, 0, rnn_forward, rnn_backward, 0};
static const struct recurrent_cell recurrent_gru = {3, 2, {"Sigmoid", "Tanh"}, 0, gru_forward, gru_backward, 0};
const struct recurrent_cell recurrent_lstm = {4, 3, {"Sigmoid", "Tanh", "Tanh"}, 1, lstm_forward, lstm_backward, 0};

const char *const *recurrent_defaults(const char *op_type)
{
	static const struct {
		const char *op_type;
		const struct recurrent_cell *cell;
	} cells[] = {{"RNN", &recurrent_rnn}, {"GRU", &recurrent_gru}, {"LSTM", &recurrent_lstm}};

	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		if (!strcmp(cells[i].op_type, op_type))
			return cells[i].cell->defaults;
	return NULL;
}

int recurrent_flag(const struct node *n, const char *name)
{
	return attr_int_or_0(n, name) != 0;
}

#define RECURRENT_FUNCTIONS(id)                                     \
	static int id##_infer(struct call *c)                       \
	{                                                           \
		return recurrent_infer(c, &recurrent_##id);         \
	}                                                           \
	static int id##_eval(struct call *c)                        \
	{                                                           \
		return recurrent_eval(c, &recurrent_##id);          \
	}                                                           \
	static int id##_grad(struct call *c)                        \
	{                                                           \
		return recurrent_grad(c, &recurrent_##id);          \
	}                                                           \
	static int id##_scale(struct call *c, int out, double *s)   \
	{                                                           \
		return recurrent_scale(c, &recurrent_##id, out, s); \
	}

RECURRENT_FUNCTIONS(rnn)
RECURRENT_FUNCTIONS(gru)
RECURRENT_FUNCTIONS(lstm)

#define RECURRENT_INPUTS                                                                                            \
	{"X", T_FLOAT, 'T', 0}, {"W", T_FLOAT, 'T', 0}, {"R", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', PORT_OPTIONAL}, \
		{"sequence_lens", TM(DT_INT32), 0, PORT_OPTIONAL},                                                  \
	{                                                                                                           \
		"initial_h", T_FLOAT, 'T', PORT_OPTIONAL                                                            \
	}
#define RECURRENT_ATTRS                                                                                   \
	OP_ATTR("activations", ATTR_STRINGS), OP_ATTR("activation_alpha", ATTR_FLOATS),                   \
		OP_ATTR("activation_beta", ATTR_FLOATS), OP_ATTR("clip", ATTR_FLOAT),                     \
		OP_STRING("direction", "forward"), OP_ATTR("hidden_size", ATTR_INT), OP_INT("layout", 0), \
		OP_INT("output_sequence", 0)

#define RECURRENT_RULES                                               \
	RULES({.broken = domain_attr_not_positive, .attr = "clip"},   \
	      {.broken = domain_attr_missing, .attr = "hidden_size"}, \
	      {.broken = recurrent_overflows, .open = "a sum of inputs and weights is beyond the type"})

static const struct op_attr rnn_attrs[] = {RECURRENT_ATTRS, {0}};
static const struct op_attr gru_attrs[] = {OP_INT("linear_before_reset", 0), RECURRENT_ATTRS, {0}};
static const struct op_attr lstm_attrs[] = {OP_INT("input_forget", 0), RECURRENT_ATTRS, {0}};

const struct op op_rnn = {
	.samples = SAMPLES({.by = &sampler_recurrent}),
	.rules = RECURRENT_RULES,
	.in = {RECURRENT_INPUTS},
	.out = {{"Y", T_FLOAT, 'T', PORT_OPTIONAL}, {"Y_h", T_FLOAT, 'T', PORT_OPTIONAL}},
	.attrs = rnn_attrs,
	.flags = OP_PRODUCTS,
	.infer = rnn_infer,
	.eval = rnn_eval,
	.grad = rnn_grad,
	.scale = rnn_scale,
};

const struct op op_gru = {
	.samples = SAMPLES({.by = &sampler_recurrent}),
	.rules = RECURRENT_RULES,
	.in = {RECURRENT_INPUTS},
	.out = {{"Y", T_FLOAT, 'T', PORT_OPTIONAL}, {"Y_h", T_FLOAT, 'T', PORT_OPTIONAL}},
	.attrs = gru_attrs,
	.flags = OP_PRODUCTS,
	.infer = gru_infer,
	.eval = gru_eval,
	.grad = gru_grad,
	.scale = gru_scale,
};

const struct op op_lstm = {
	.samples = SAMPLES({.by = &sampler_recurrent}),
	.rules = RECURRENT_RULES,
	.in = {RECURRENT_INPUTS, {"initial_c", T_FLOAT, 'T', PORT_OPTIONAL}, {"P", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', PORT_OPTIONAL},
		{"Y_h", T_FLOAT, 'T', PORT_OPTIONAL},
		{"Y_c", T_FLOAT, 'T', PORT_OPTIONAL}},
	.attrs = lstm_attrs,
	.flags = OP_PRODUCTS,
	.infer = lstm_infer,
	.eval = lstm_eval,
	.grad = lstm_grad,
	.scale = lstm_scale,
};
