/* recurrent.c - RNN, LSTM and GRU with the library's fused operation.
 *
 * It takes all weights as one vector: for each direction the input's weights then the state's, gate by gate; after all
 * weights the biases in the same order.  Its gates are in another order than ONNX's, and its GRU multiplies by the
 * reset gate after the product with the state (linear_before_reset). */
#include <string.h>

#include "backends/mxnet/mxnet.h"
#include "ops/recurrent/activation.h"

struct mx_cell {
	const char *mode;
	int gates;
	int order[4]; /* ONNX's gate for each of the library's */
};

static const struct mx_cell rnn_tanh = {"rnn_tanh", 1, {0}};
static const struct mx_cell rnn_relu = {"rnn_relu", 1, {0}};
static const struct mx_cell lstm = {"lstm", 4, {0, 2, 3, 1}}; /* i f c o of ONNX's i o f c */
static const struct mx_cell gru = {"gru", 3, {1, 0, 2}};      /* r z n of ONNX's z r h */

struct mx_recurrent {
	const struct mx_cell *cell;
	int64_t steps, batch, input, hidden, directions;
	int reverse, batch_first;
};

/* The default activations of each direction, or others that the library has. */
static int read_activations(struct bind_call *c, struct mx_recurrent *r)
{
	static const char *const expected[] = {"Sigmoid", "Tanh", "Tanh"};
	const struct attr *a = node_attr(c->node, "activations");
	int n = r->cell == &lstm ? 3 : r->cell == &gru ? 2 : 1;

	if (!a || a->type != ATTR_STRINGS)
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		const char *want = n == 1 ? "Tanh" : expected[i % (size_t)n];

		if (n == 1 && !strcmp(a->strings[i].p, "Relu") && !strcmp(a->strings[0].p, "Relu"))
			r->cell = &rnn_relu;
		else if (strcmp(a->strings[i].p, want))
			return bind_unsupported(c, "activation '%s'", a->strings[i].p);
	}
	return 0;
}

static int read_recurrent(struct bind_call *c, const char *name, struct mx_recurrent *r)
{
	const char *direction = attr_string(c->node, "direction");
	const struct type *x = bind_type(c, 0), *h = bind_type(c, 2);
	const struct tensor *lengths;

	*r = (struct mx_recurrent){.cell = *name == 'L' ? &lstm : *name == 'G' ? &gru : &rnn_tanh};
	if (!x || !h || mx_only(c, TM(DT_FLOAT) | TM(DT_DOUBLE)))
		return c->err->code;
	r->batch_first = attr_int(c->node, "layout") != 0;
	r->steps = x->dims[r->batch_first ? 1 : 0];
	r->batch = x->dims[r->batch_first ? 0 : 1];
	r->input = x->dims[2];
	r->hidden = h->dims[2];
	r->reverse = !strcmp(direction, "reverse");
	r->directions = strcmp(direction, "bidirectional") ? 1 : 2;
	if (r->batch_first && c->n_in > 5 && (bind_has(c, 5) || bind_has(c, 6)))
		return bind_unsupported(c, "initial states with layout=1");
	if (node_has(c->node, "clip") || recurrent_flag(c->node, "input_forget"))
		return bind_unsupported(c, "clip and input_forget");
	if (bind_has(c, 7))
		return bind_unsupported(c, "peepholes");
	if (c->version < 7 && attr_int(c->node, "output_sequence") == 0 && call_wants(c->call, 0))
		return bind_unsupported(c, "output_sequence");
	lengths = bind_has(c, 4) ? bind_known(c, 4) : NULL;
	if (bind_has(c, 4) && !lengths)
		return c->err->code;
	for (size_t i = 0; lengths && i < lengths->count; i++)
		if (lengths->i[i] != r->steps)
			return bind_unsupported(c, "sequences of different lengths");
	return read_activations(c, r);
}

/* Gates [from, from + gates) of one direction of w, in the library's order, as a vector. */
static void *gates_of(struct bind_call *c, const struct mx_recurrent *r, void *w, int64_t direction, int from,
		      int64_t row)
{
	int64_t h = r->hidden, flat = h * row;
	void *parts[4], *one = mx_slice(c, w, 0, direction, direction + 1);

	for (int g = 0; g < r->cell->gates; g++) {
		int64_t at = (from + r->cell->order[g]) * h;

		parts[g] = mx_reshape(c, mx_slice(c, one, 1, at, at + h), 1, &flat);
	}
	return mx_concat(c, r->cell->gates, parts, 0);
}

static void *parameters(struct bind_call *c, const struct mx_recurrent *r)
{
	enum dtype t = c->call->in_type[0].dtype;
	int64_t none = 2 * r->cell->gates * r->hidden;
	void *parts[8];
	int n = 0;

	for (int64_t d = 0; d < r->directions; d++) {
		parts[n++] = gates_of(c, r, c->in[1], d, 0, r->input);
		parts[n++] = gates_of(c, r, c->in[2], d, 0, r->hidden);
	}
	for (int64_t d = 0; d < r->directions; d++) {
		if (!bind_has(c, 3)) {
			parts[n++] = mx_full(c, t, 1, &none, 0.0);
			continue;
		}
		parts[n++] = gates_of(c, r, c->in[3], d, 0, 1);
		parts[n++] = gates_of(c, r, c->in[3], d, r->cell->gates, 1);
	}
	return mx_concat(c, n, parts, 0);
}

/* Y [steps, directions, batch, hidden] from the library's [steps, batch, directions · hidden], or with layout=1
 * [batch, steps, directions, hidden]. */
static void *sequence_output(struct bind_call *c, const struct mx_recurrent *r, void *y)
{
	static const int64_t by_step[] = {0, 2, 1, 3}, by_batch[] = {1, 0, 2, 3};

	if (r->reverse)
		y = mx_reverse(c, y, 0);
	y = mx_reshape(c, y, 4, (int64_t[]){r->steps, r->batch, r->directions, r->hidden});
	return mx_transpose(c, y, 4, r->batch_first ? by_batch : by_step);
}

static void *state_output(struct bind_call *c, const struct mx_recurrent *r, void *state)
{
	static const int64_t by_batch[] = {1, 0, 2};

	return r->batch_first ? mx_transpose(c, state, 3, by_batch) : state;
}

/* ---- GRU as ONNX has it by default ------------------------------------------------------------------------------- */

#define MAX_STEPS 1024 /* of a loop that is unrolled */

/* [from, to) of the rows of a matrix or vector. */
static void *rows(struct bind_call *c, void *a, int64_t from, int64_t to)
{
	return mx_slice(c, a, 0, from, to);
}

static void *affine(struct bind_call *c, void *x, void *w, void *b, int64_t n)
{
	return mx_op(c, "FullyConnected", 3, (void *[]){x, w, b}, "num_hidden=%lld;flatten=0", (long long)n);
}

/* One step: z, r = σ(x + R h + b); n = tanh(x + R (r ⊙ h) + b); h ← (1 - z) ⊙ n + z ⊙ h, where x has the input's part.
 */
static void *gru_step(struct bind_call *c, const struct mx_recurrent *r, void *x, void *h, void *w, void *b)
{
	int64_t n = r->hidden;
	void *gates = mx_op2(c, "elemwise_add", mx_slice(c, x, 1, 0, 2 * n),
			     affine(c, h, rows(c, w, 0, 2 * n), rows(c, b, 0, 2 * n), 2 * n));
	void *z, *reset, *fresh;

	gates = mx_op1(c, "sigmoid", gates);
	z = mx_slice(c, gates, 1, 0, n);
	reset = mx_op2(c, "elemwise_mul", mx_slice(c, gates, 1, n, 2 * n), h);
	fresh = affine(c, reset, rows(c, w, 2 * n, 3 * n), rows(c, b, 2 * n, 3 * n), n);
	fresh = mx_op1(c, "tanh", mx_op2(c, "elemwise_add", mx_slice(c, x, 1, 2 * n, 3 * n), fresh));
	fresh = mx_op2(c, "elemwise_mul", mx_scalar(c, "_rminus_scalar", z, 1.0), fresh);
	return mx_op2(c, "elemwise_add", fresh, mx_op2(c, "elemwise_mul", z, h));
}

/* One direction over x [steps, batch, input]: outputs [steps, 1, batch, hidden] and the last state [1, batch, hidden].
 */
static int gru_direction(struct bind_call *c, const struct mx_recurrent *r, void *x, int64_t d, int reverse, void **y,
			 void **last)
{
	int64_t h = r->hidden, g = 3 * h, state[2] = {r->batch, h}, row[2] = {r->batch, g};
	enum dtype t = c->call->in_type[0].dtype;
	void **steps = arena_array(c->tmp, (size_t)r->steps, sizeof *steps);
	void *w = mx_reshape(c, rows(c, c->in[1], d, d + 1), 2, (int64_t[]){g, r->input});
	void *u = mx_reshape(c, rows(c, c->in[2], d, d + 1), 2, (int64_t[]){g, h});
	int64_t both = 2 * g;
	void *b = bind_has(c, 3) ? mx_reshape(c, rows(c, c->in[3], d, d + 1), 1, &both) : mx_full(c, t, 1, &both, 0.0);
	void *now =
		bind_has(c, 5) ? mx_reshape(c, rows(c, c->in[5], d, d + 1), 2, state) : mx_full(c, t, 2, state, 0.0);

	if (!steps)
		return err_nomem(c->err, "steps", 0);
	x = affine(c, x, w, rows(c, b, 0, g), g);
	for (int64_t i = 0; i < r->steps; i++) {
		int64_t at = reverse ? r->steps - 1 - i : i;

		now = gru_step(c, r, mx_reshape(c, rows(c, x, at, at + 1), 2, row), now, u, rows(c, b, g, 2 * g));
		steps[at] = mx_reshape(c, now, 4, (int64_t[]){1, 1, r->batch, h});
	}
	*y = mx_concat(c, (int)r->steps, steps, 0);
	*last = mx_reshape(c, now, 3, (int64_t[]){1, r->batch, h});
	return 0;
}

/* The library's GRU has the reset gate after the product with the state; this one is spelled out. */
static int run_gru(struct bind_call *c, const struct mx_recurrent *r)
{
	static const int64_t time_first[] = {1, 0, 2}, batch_first[] = {2, 0, 1, 3};
	void *x = r->batch_first ? mx_transpose(c, c->in[0], 3, time_first) : c->in[0], *y[2], *last[2];
	int rc = 0;

	if (r->steps < 1 || r->steps > MAX_STEPS)
		return bind_unsupported(c, "%lld steps", (long long)r->steps);
	for (int64_t d = 0; d < r->directions && !rc; d++)
		rc = gru_direction(c, r, x, d, r->reverse || d, &y[d], &last[d]);
	if (!rc && call_wants(c->call, 0)) {
		y[0] = mx_concat(c, (int)r->directions, y, 1);
		rc = mx_give(c, 0, r->batch_first ? mx_transpose(c, y[0], 4, batch_first) : y[0]);
	}
	if (!rc && call_wants(c->call, 1))
		rc = mx_give(c, 1, state_output(c, r, mx_concat(c, (int)r->directions, last, 0)));
	return rc;
}

/* ---- the operators ----------------------------------------------------------------------------------------------- */

static int run_recurrent(struct bind_call *c)
{
	static const int64_t time_first[] = {1, 0, 2};
	enum dtype t = c->call->in_type[0].dtype;
	struct mx_recurrent r;
	void *in[4], *out[3];
	int rc = read_recurrent(c, c->row->op, &r), states, n = 3;
	int64_t state[3];

	if (rc)
		return rc;
	if (r.cell == &gru && !attr_int(c->node, "linear_before_reset"))
		return run_gru(c, &r);
	states = r.cell == &lstm ? 2 : 1;
	state[0] = r.directions;
	state[1] = r.batch;
	state[2] = r.hidden;
	in[0] = r.batch_first ? mx_transpose(c, c->in[0], 3, time_first) : c->in[0];
	if (r.reverse)
		in[0] = mx_reverse(c, in[0], 0);
	in[1] = parameters(c, &r);
	for (int i = 0; i < states; i++)
		in[2 + i] = bind_has(c, 5 + i) ? c->in[5 + i] : mx_full(c, t, 3, state, 0.0);
	n = 2 + states;
	rc = mx_ops(c, &(struct mx_invocation){.op = c->row->native, .n_in = n, .in = in}, out, 1 + states,
		    "state_size=%lld;num_layers=1;bidirectional=%d;mode=%s;state_outputs=1", (long long)r.hidden,
		    r.directions == 2, r.cell->mode);
	if (!rc && call_wants(c->call, 0))
		rc = mx_give(c, 0, sequence_output(c, &r, out[0]));
	for (int i = 0; i < states && !rc; i++)
		if (call_wants(c->call, 1 + i))
			rc = mx_give(c, 1 + i, state_output(c, &r, out[1 + i]));
	return rc;
}

const struct binding mx_rows_recurrent[] = {
	{"RNN", run_recurrent, "RNN"},
	{"LSTM", run_recurrent, "RNN"},
	{"GRU", run_recurrent, "RNN"},
	{0},
};
