/* fault_recurrent.c - recurrent layers gone wrong. */
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"

static const char *const lstm_ops[] = {"LSTM", NULL};
static const char *const gru_ops[] = {"GRU", NULL};
static const char *const all_ops[] = {"LSTM", "GRU", "RNN", NULL};

/* Exchanges two gates in W, R and (both halves of) B: [directions, gates * hidden, …]. */
static void exchange_gates(struct tensor *t, size_t gates, size_t a, size_t b)
{
	size_t blocks = t->rank == 3 ? gates : 2 * gates, directions = (size_t)t->dims[0];
	size_t block = t->count / directions / blocks;

	for (size_t d = 0; d < directions; d++)
		for (size_t half = 0; half < blocks; half += gates)
			for (size_t i = 0; i < block; i++) {
				double *x = t->f + (d * blocks + half + a) * block + i;
				double *y = t->f + (d * blocks + half + b) * block + i, z = *x;

				*x = *y;
				*y = z;
			}
}

static enum fault_effect apply_lstm_gate_order(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	for (int i = 1; i <= 3 && i < c->n_in && !rc; i++) {
		struct tensor *t = c->in[i] ? shadow_input(&s, i) : NULL;

		if (c->in[i] && !t)
			rc = c->err->code;
		if (t)
			exchange_gates(t, 4, 1, 2); /* i o f c read as i f o c */
	}
	return shadow_apply(&s, rc);
}

const struct fault fault_lstm_gate_order = {
	.kind = FAULT_VALUE,
	.what = "the output and forget gates of LSTM are exchanged",
	.like = "gate orders that differ between libraries",
	.ops = lstm_ops,
	.apply = apply_lstm_gate_order,
};

static enum fault_effect apply_gru_reset(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		rc = shadow_int(&s, "linear_before_reset", !attr_int(c->node, "linear_before_reset"));
	return shadow_apply(&s, rc);
}

const struct fault fault_gru_reset = {
	.kind = FAULT_VALUE,
	.what = "GRU applies the reset gate on the other side of the product",
	.like = "reset_after of Keras and its backends",
	.ops = gru_ops,
	.apply = apply_gru_reset,
};

static enum fault_effect apply_initial_state_ignored(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc;

	(void)st;
	if (c->n_in < 6 || !c->in[5])
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		shadow_leave_out(&s, 5);
	return shadow_apply(&s, rc);
}

const struct fault fault_initial_state_ignored = {
	.kind = FAULT_VALUE,
	.what = "the initial hidden state is taken as zero",
	.like = "optional inputs of recurrent layers that are skipped",
	.ops = all_ops,
	.apply = apply_initial_state_ignored,
};
