/* recurrent.h - RNN, GRU and LSTM: what the driver (recurrent.c), a layer (layer.c) and the cells (rnn.c) share.
 *
 * The driver walks every sequence of every direction step by step and keeps a trace of all steps, which outputs are
 * copied from and which back-propagation walks backwards.  A cell only knows one step. */
#ifndef OPS_RECURRENT_RECURRENT_H
#define OPS_RECURRENT_RECURRENT_H

#include "ops/noise/noisy.h"
#include "ops/recurrent/activation.h"

#define CELL_MAX_GATES 4
#define CELL_MAX_ACTIVATIONS 3

/* ---- activation functions (rnn_activation.c) --------------------------------------------------------------------- */

struct activation {
	const struct activation_row *row;
	double alpha, beta;
	double absolute; /* what approximations are off by beside: struct call */
};

double activation_value(const struct activation *a, double x);
double activation_slope(const struct activation *a, double x);     /* derivative */
double activation_roundoffs(const struct activation *a, double y); /* how far rounding may move the value y */

/* Functions of one direction from the attributes activations, activation_alpha and activation_beta; `defaults` names
 * n functions. */
int activation_read(struct call *c, int direction, int directions, const char *const *defaults, int n,
		    struct activation *out);

/* ---- one direction of a layer ------------------------------------------------------------------------------------ */

struct recurrent_layer {
	size_t input, hidden;             /* sizes I and H */
	const double *w, *r;              /* [gates*H, I], [gates*H, H] */
	const double *wb, *rb;            /* [gates*H] or NULL */
	const double *p;                  /* [3*H] peepholes or NULL */
	double *dw, *dr, *dwb, *drb, *dp; /* gradients to add to; NULL: not wanted */
	struct activation act[CELL_MAX_ACTIVATIONS];
	double clip; /* INFINITY: none */
	int linear_before_reset, input_forget;
	struct noisy *noise; /* on: every result is moved by a random rounding */
	/* Inputs and states may be taken as integers of eight bits, each step 1/255 of this; 0: they are not. */
	double input_span, hidden_span;
};

/* One step of one sequence; vectors of H unless said. */
struct recurrent_step {
	const double *x;       /* [I] */
	const double *h0, *c0; /* states before */
	double *h, *c;         /* states after */
	double *z, *y;         /* [gates*H] gates before and after their activation */
	double *m;             /* GRU: what the reset gate acts on or gives, for the way back */
};

/* Gradients around one step. */
struct step_grad {
	const double *dh, *dc; /* of the states after: all there is to know */
	double *dh0, *dc0;     /* of the states before: add */
	double *dx;            /* [I] add, or NULL */
	double *dz;            /* [gates*H] scratch */
	double *tmp;           /* [H] scratch */
};

/* What lies behind the first `offset` numbers; NULL of nothing. */
static inline const double *layer_part(const double *p, size_t offset)
{
	return p ? p + offset : NULL;
}

static inline double *layer_part_mut(double *p, size_t offset)
{
	return p ? p + offset : NULL;
}

/* z[rows of `gates` gates from `gate` on] = W x + Wb, += R h + Rb */
void layer_input(const struct recurrent_layer *l, int gate, int gates, const double *x, double *z);
void layer_hidden(const struct recurrent_layer *l, int gate, int gates, const double *h, double *z);

/* The way back: adds dz xᵀ to dW, dz to dWb and Wᵀ dz to dx (may be NULL); the same for R, Rb, h. */
void layer_input_back(const struct recurrent_layer *l, int gate, int gates, const double *dz, const double *x,
		      double *dx);
void layer_hidden_back(const struct recurrent_layer *l, int gate, int gates, const double *dz, const double *h,
		       double *dh);

/* Activation k of the layer, after clipping its input to [-clip, clip], and the derivative of both. */
double layer_activate(const struct recurrent_layer *l, int k, double z);
double layer_slope(const struct recurrent_layer *l, int k, double z);

struct recurrent_cell {
	int gates, activations;
	const char *defaults[CELL_MAX_ACTIVATIONS + 1]; /* functions of a direction when a node names none */
	int has_c; /* a second state c, its initial value in input 6, peepholes in input 7 */
	void (*forward)(const struct recurrent_layer *l, const struct recurrent_step *s);
	void (*backward)(const struct recurrent_layer *l, const struct recurrent_step *s, const struct step_grad *g);
	int quantizes; /* rounding: inputs and states may become integers of eight bits */
};

extern const struct recurrent_cell recurrent_lstm;

int recurrent_infer(struct call *c, const struct recurrent_cell *cell);
int recurrent_eval(struct call *c, const struct recurrent_cell *cell);
int recurrent_grad(struct call *c, const struct recurrent_cell *cell);
int recurrent_scale(struct call *c, const struct recurrent_cell *cell, int out, double *s);

/* A rule: what a step adds of finite inputs and weights may be beyond the type. */
int recurrent_overflows(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

#endif
