/* recurrent.c - RNN, GRU and LSTM on PyTorch's own.
 *
 *                ONNX                                     PyTorch
 *   weights      W [directions, gates*H, I]               one matrix a direction [gates*H, I]
 *                R [directions, gates*H, H]                                      [gates*H, H]
 *                B [directions, 2*gates*H]                two vectors a direction
 *   gates        LSTM i o f c, GRU z r h                  LSTM i f c o, GRU r z h
 *   output       Y [T, directions, N, H]                  [T, N, directions*H]
 *
 * torch's GRU applies the reset gate behind the product (linear_before_reset = 1); the other form is unrolled here. */
#include <string.h>

#include "backends/torch/th.h"

#define MAX_GATES 4

struct torch_recurrent {
	const char *op; /* torch's */
	int gates;
	const int *order; /* torch's gate i is ONNX's gate order[i] */
	int64_t time, batch, inputs, hidden;
	int directions, reverse;
	void *x; /* [T, N, I] */
	void *h; /* [directions, N, H] */
	void *c;
};

static int check_activations(struct bind_call *c, const char *const *usual, int n_usual, int directions)
{
	const struct attr *a = node_attr(c->node, "activations");

	if (node_has(c->node, "clip"))
		return bind_unsupported(c, "clip");
	if (node_has(c->node, "activation_alpha") || node_has(c->node, "activation_beta"))
		return bind_unsupported(c, "parameters of activations");
	if (!a)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->type != ATTR_STRINGS || a->n != (size_t)(n_usual * directions) ||
		    strcasecmp(a->strings[i].p, usual[i % (size_t)n_usual]))
			return bind_unsupported(c, "activations other than torch's own");
	return 0;
}

/* Lengths must all be the whole time. */
static int check_lengths(struct bind_call *c, int64_t time)
{
	const int64_t *lengths;
	int n, found;

	if (th_ints(c, NULL, 4, &lengths, &n, &found))
		return c->err->code;
	for (int i = 0; i < n; i++)
		if (lengths[i] != time)
			return bind_unsupported(c, "sequences of different lengths");
	return 0;
}

/* An initial state [directions, N, H], zeros when left out; with layout 1 it comes as [N, directions, H]. */
static void *initial(struct bind_call *c, const struct torch_recurrent *r, int input, enum dtype t, int batch_first)
{
	int64_t dims[3] = {r->directions, r->batch, r->hidden};

	if (!th_in(c, input))
		return th_op(c, "zeros", "Id", dims, 3, (int)t);
	if (!batch_first)
		return th_in(c, input);
	return th_op(c, "contiguous", "t",
		     th_op(c, "transpose.int", "tii", th_in(c, input), 0, 1)); /* as cuDNN wants it */
}

static int read_recurrent(struct bind_call *c, struct torch_recurrent *r, const char *const *activations,
			  int n_activations)
{
	const char *direction = attr_string(c->node, "direction");
	int batch_first = attr_int(c->node, "layout") != 0;
	struct th_shape x, w, rw;

	r->directions = !strcmp(direction, "bidirectional") ? 2 : 1;
	r->reverse = !strcmp(direction, "reverse");
	if (check_activations(c, activations, n_activations, r->directions))
		return c->err->code;
	r->x = batch_first ? th_op(c, "transpose.int", "tii", th_in(c, 0), 0, 1) : th_in(c, 0);
	if (th_shape(c, r->x, &x) || th_shape(c, th_in(c, 1), &w) || th_shape(c, th_in(c, 2), &rw))
		return c->err->code;
	if (x.rank != 3 || w.rank != 3 || rw.rank != 3 || w.dims[0] != r->directions)
		return err_set(c->err, ERR_INPUT, "X, W and R must have rank 3 and fit the direction");
	r->time = x.dims[0];
	r->batch = x.dims[1];
	r->inputs = x.dims[2];
	r->hidden = rw.dims[2];
	if (check_lengths(c, r->time))
		return c->err->code;
	r->h = initial(c, r, 5, x.dtype, batch_first);
	if (r->gates == 4)
		r->c = initial(c, r, 6, x.dtype, batch_first);
	return c->err->code;
}

/* The gates of one direction in torch's order: rows [first, first + gates*H) of axis 0. */
static void *reorder(struct bind_call *c, const struct torch_recurrent *r, void *t, int64_t first)
{
	void *parts[MAX_GATES];

	for (int g = 0; g < r->gates; g++) {
		int64_t from = first + r->order[g] * r->hidden;

		parts[g] = th_slice(c, t, 0, from, from + r->hidden, 1);
	}
	return th_op(c, "cat", "Ti", parts, r->gates, 0);
}

/* weights of a direction: W, R, Wb, Rb; their number. */
static int direction_weights(struct bind_call *c, const struct torch_recurrent *r, int direction, void **out)
{
	int n = 0;

	out[n++] = reorder(c, r, th_op(c, "select.int", "tii", th_in(c, 1), 0, direction), 0);
	out[n++] = reorder(c, r, th_op(c, "select.int", "tii", th_in(c, 2), 0, direction), 0);
	if (th_in(c, 3)) {
		void *b = th_op(c, "select.int", "tii", th_in(c, 3), 0, direction);

		out[n++] = reorder(c, r, b, 0);
		out[n++] = reorder(c, r, b, r->gates * r->hidden);
	}
	return n;
}

static void *flip_time(struct bind_call *c, const struct torch_recurrent *r, void *t)
{
	static const int64_t time_axis[] = {0};

	return r->reverse ? th_op(c, "flip", "tI", t, time_axis, 1) : t;
}

/* y [T, N, directions*H], h and c [directions, N, H] become outputs Y, Y_h, Y_c in the node's layout. */
static int give_states(struct bind_call *c, const struct torch_recurrent *r, void *y, void *h, void *cell)
{
	static const int64_t time_first[] = {0, 2, 1, 3}, batch_first[] = {1, 0, 2, 3};
	int layout = attr_int(c->node, "layout") != 0;
	void *states[2] = {h, cell};

	if (th_wants(c, 0)) {
		y = th_reshape(c, flip_time(c, r, y), (int64_t[]){r->time, r->batch, r->directions, r->hidden}, 4);
		th_out(c, 0, th_op(c, "permute", "tI", y, layout ? batch_first : time_first, 4));
	}
	for (int i = 0; i < 2; i++)
		if (th_wants(c, 1 + i))
			th_out(c, 1 + i, layout ? th_op(c, "transpose.int", "tii", states[i], 0, 1) : states[i]);
	return th_done(c);
}

static int run_native(struct bind_call *c, const struct torch_recurrent *r)
{
	void *weights[8], *state[2] = {r->h, r->c}, *out[3] = {NULL};
	void *x = flip_time(c, r, r->x);
	int n = 0, two = r->directions == 2, bias = th_in(c, 3) != NULL;
	int training = ((const struct th *)c->ctx)->training;

	for (int d = 0; d < r->directions; d++)
		n += direction_weights(c, r, d, weights + n);
	if (r->gates == 4)
		th_ops(c, r->op, out, 3, "tTTbifbbb", x, state, 2, weights, n, bias, 1, 0.0, training, two, 0);
	else
		th_ops(c, r->op, out, 2, "ttTbifbbb", x, r->h, weights, n, bias, 1, 0.0, training, two, 0);
	return give_states(c, r, out[0], out[1], out[2]);
}

static int run_lstm(struct bind_call *c)
{
	static const char *const activations[] = {"Sigmoid", "Tanh", "Tanh"};
	static const int order[] = {0, 2, 3, 1};
	struct torch_recurrent r = {.op = "lstm.input", .gates = 4, .order = order};

	if (th_in(c, 7))
		return bind_unsupported(c, "peepholes");
	if (attr_int(c->node, "input_forget"))
		return bind_unsupported(c, "input_forget");
	return read_recurrent(c, &r, activations, 3) ? th_done(c) : run_native(c, &r);
}

static int run_rnn(struct bind_call *c)
{
	static const char *const tanh_only[] = {"Tanh"}, *const relu_only[] = {"Relu"};
	static const int order[] = {0};
	const struct attr *a = node_attr(c->node, "activations");
	int relu = a && a->type == ATTR_STRINGS && a->n && !strcasecmp(a->strings[0].p, "Relu");
	struct torch_recurrent r = {.op = relu ? "rnn_relu.input" : "rnn_tanh.input", .gates = 1, .order = order};

	return read_recurrent(c, &r, relu ? relu_only : tanh_only, 1) ? th_done(c) : run_native(c, &r);
}

/* ---- GRU with the reset gate in front of the product ------------------------------------------------------------- */

static void *gate(struct bind_call *c, void *x, void *h, void *const *w, int64_t hidden, int g)
{
	void *wx = th_slice(c, w[0], 0, g * hidden, (g + 1) * hidden, 1);
	void *wh = th_slice(c, w[1], 0, g * hidden, (g + 1) * hidden, 1);
	void *bx = w[2] ? th_slice(c, w[2], 0, g * hidden, (g + 1) * hidden, 1) : NULL;
	void *bh = w[3] ? th_slice(c, w[3], 0, g * hidden, (g + 1) * hidden, 1) : NULL;

	return th_op(c, "add.Tensor", "tt", th_op(c, "linear", "ttt", x, wx, bx), th_op(c, "linear", "ttt", h, wh, bh));
}

/* h' = (1 - z) h~ + z h,  h~ = tanh(W x + R (r h)) */
static void *gru_step(struct bind_call *c, void *x, void *h, void *const *w, int64_t hidden)
{
	void *r = th_op(c, "sigmoid", "t", gate(c, x, h, w, hidden, 0));
	void *z = th_op(c, "sigmoid", "t", gate(c, x, h, w, hidden, 1));
	void *n = th_op(c, "tanh", "t", gate(c, x, th_op(c, "mul.Tensor", "tt", r, h), w, hidden, 2));

	return th_op(c, "add.Tensor", "tt", n, th_op(c, "mul.Tensor", "tt", z, th_op(c, "sub.Tensor", "tt", h, n)));
}

static int gru_unrolled(struct bind_call *c, const struct torch_recurrent *r)
{
	void **y = arena_array(c->tmp, (size_t)r->time + 1, sizeof *y), *last[2], *all[2];

	if (!y)
		return err_nomem(c->err, "steps", 0);
	for (int d = 0; d < r->directions; d++) {
		void *w[4] = {NULL}, *h = th_op(c, "select.int", "tii", r->h, 0, d);
		int backward = r->reverse || d == 1;

		direction_weights(c, r, d, w);
		for (int64_t i = 0; i < r->time; i++) {
			int64_t t = backward ? r->time - 1 - i : i;

			h = gru_step(c, th_op(c, "select.int", "til", r->x, 0, t), h, w, r->hidden);
			/* give_states() turns a reversed sequence round */
			y[r->reverse ? i : t] = h;
		}
		last[d] = h;
		all[d] = th_op(c, "stack", "Ti", y, (int)r->time, 0);
	}
	return give_states(c, r, th_op(c, "cat", "Ti", all, r->directions, 2),
			   th_op(c, "stack", "Ti", last, r->directions, 0), NULL);
}

static int run_gru(struct bind_call *c)
{
	static const char *const activations[] = {"Sigmoid", "Tanh"};
	static const int order[] = {1, 0, 2};
	struct torch_recurrent r = {.op = "gru.input", .gates = 3, .order = order};

	if (read_recurrent(c, &r, activations, 2))
		return th_done(c);
	return attr_int(c->node, "linear_before_reset") ? run_native(c, &r) : gru_unrolled(c, &r);
}

const struct binding th_rows_recurrent[] = {
	{"GRU", run_gru, NULL},
	{"LSTM", run_lstm, NULL},
	{"RNN", run_rnn, NULL},
	{0},
};
