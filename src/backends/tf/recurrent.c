/* recurrent.c - RNN, GRU and LSTM, written out step by step with MatMul, Split and the activations.
 *
 *     X (T, B, I)   W (D, G·H, I)   R (D, G·H, H)   B (D, 2·G·H)   h, c (D, B, H)   P (D, 3·H)
 *
 * for D directions and G gates.  Batches whose sequences differ in length are not bound. */
#include <string.h>

#include "backends/tf/tf.h"
#include "ops/recurrent/activation.h"

#define MAX_GATES 4
#define MAX_STEPS 4096

/* One direction. */
struct tf_layer {
	struct bind_call *c;
	int gates, index; /* which direction */
	int64_t steps, batch, input, hidden;
	const char *act[3];
	struct tf_value *w, *r;                         /* (G·H, I), (G·H, H) */
	struct tf_value *wb[MAX_GATES], *rb[MAX_GATES]; /* (H) each; NULL: none */
	struct tf_value *p[3];                          /* (H) each; NULL: none */
	struct tf_value *h, *s;                         /* states */
};

typedef void step_function(struct tf_layer *l, struct tf_value *x);

/* Row d of the first axis. */
static struct tf_value *row_of(struct bind_call *c, struct tf_value *x, int d)
{
	int64_t begin[TENSOR_MAX_RANK] = {d}, size[TENSOR_MAX_RANK];

	if (tf_failed(c))
		return NULL;
	memcpy(size, x->dims, sizeof size);
	size[0] = 1;
	return tf_reshape(c, tf_slice(c, x, begin, size), x->rank - 1, x->dims + 1);
}

static void split(struct bind_call *c, struct tf_value *x, int axis, int n, struct tf_value **out)
{
	struct tf_op op;

	out[0] = x;
	if (n == 1)
		return;
	op = tf_op(c, "Split");
	tf_op_in(&op, tf_scalar(c, DT_INT32, axis));
	tf_op_in(&op, x);
	tf_op_int(&op, "num_split", n);
	tf_op_run_many(&op, out, n);
}

static struct tf_value *pack(struct bind_call *c, struct tf_value **x, int n, int axis)
{
	struct tf_op op = tf_op(c, "Pack");

	tf_op_in_list(&op, x, n);
	tf_op_int(&op, "axis", axis);
	return tf_op_run(&op);
}

static struct tf_value *add(struct tf_layer *l, struct tf_value *a, struct tf_value *b)
{
	return b ? tf_2(l->c, "AddV2", a, b) : a;
}

static struct tf_value *mul(struct tf_layer *l, struct tf_value *a, struct tf_value *b)
{
	return tf_2(l->c, "Mul", a, b);
}

/* a wᵀ, split into gates */
static void gates_of(struct tf_layer *l, struct tf_value *a, struct tf_value *w, struct tf_value **out)
{
	struct tf_op op = tf_op(l->c, "MatMul");

	tf_op_in(&op, a);
	tf_op_in(&op, w);
	tf_op_bool(&op, "transpose_b", 1);
	split(l->c, tf_op_run(&op), 1, l->gates, out);
}

/* h = f(x Wᵀ + h Rᵀ + Wb + Rb) */
static void rnn_step(struct tf_layer *l, struct tf_value *x)
{
	struct tf_value *zx[MAX_GATES], *zh[MAX_GATES];

	gates_of(l, x, l->w, zx);
	gates_of(l, l->h, l->r, zh);
	l->h = tf_1(l->c, l->act[0], add(l, add(l, add(l, zx[0], l->wb[0]), zh[0]), l->rb[0]));
}

/* Gates z, r, h:  z, r = f(…)   n = g(x Wᵀ + Wb + r (h Rᵀ + Rb)) or g(x Wᵀ + Wb + (r h) Rᵀ + Rb)
 *                 h = (1 - z) n + z h */
static void gru_step(struct tf_layer *l, struct tf_value *x)
{
	struct tf_value *zx[MAX_GATES], *zh[MAX_GATES], *gate[2], *again[MAX_GATES], *n, *one;

	gates_of(l, x, l->w, zx);
	gates_of(l, l->h, l->r, zh);
	for (int i = 0; i < 2; i++)
		gate[i] = tf_1(l->c, l->act[0], add(l, add(l, add(l, zx[i], l->wb[i]), zh[i]), l->rb[i]));
	if (attr_int(l->c->node, "linear_before_reset")) {
		n = mul(l, gate[1], add(l, zh[2], l->rb[2]));
	} else {
		gates_of(l, mul(l, gate[1], l->h), l->r, again);
		n = add(l, again[2], l->rb[2]);
	}
	n = tf_1(l->c, l->act[1], add(l, add(l, zx[2], l->wb[2]), n));
	one = l->h ? tf_scalar(l->c, l->h->dtype, 1) : NULL;
	l->h = add(l, mul(l, tf_2(l->c, "Sub", one, gate[0]), n), mul(l, gate[0], l->h));
}

/* Gates i, o, f, c (peepholes i, o, f):  s = f s + i c   h = o h(s) */
static void lstm_step(struct tf_layer *l, struct tf_value *x)
{
	struct tf_value *zx[MAX_GATES], *zh[MAX_GATES], *z[MAX_GATES], *in, *forget, *new;

	gates_of(l, x, l->w, zx);
	gates_of(l, l->h, l->r, zh);
	for (int i = 0; i < 4; i++)
		z[i] = add(l, add(l, add(l, zx[i], l->wb[i]), zh[i]), l->rb[i]);
	if (l->p[0]) {
		z[0] = add(l, z[0], mul(l, l->p[0], l->s));
		z[2] = add(l, z[2], mul(l, l->p[2], l->s));
	}
	in = tf_1(l->c, l->act[0], z[0]);
	forget = tf_1(l->c, l->act[0], z[2]);
	new = tf_1(l->c, l->act[1], z[3]);
	l->s = add(l, mul(l, forget, l->s), mul(l, in, new));
	if (l->p[0])
		z[1] = add(l, z[1], mul(l, l->p[1], l->s));
	l->h = mul(l, tf_1(l->c, l->act[0], z[1]), tf_1(l->c, l->act[2], l->s));
}

/* ---- the layer as a whole ---------------------------------------------------------------------------------------- */

struct tf_cell {
	int gates, n_act, has_s;
	step_function *step;
};

static int read_activations(struct bind_call *c, const struct tf_cell *cell, int direction, const char **out)
{
	const char *const *usual = recurrent_defaults(c->node->op_type);
	const struct attr *a = node_attr(c->node, "activations");

	for (int i = 0; i < cell->n_act; i++) {
		size_t at = (size_t)(direction * cell->n_act + i);

		out[i] = usual[i];
		if (a && a->type == ATTR_STRINGS && at < a->n)
			out[i] = a->strings[at].p;
		if (strcmp(out[i], "Sigmoid") != 0 && strcmp(out[i], "Tanh") != 0 && strcmp(out[i], "Relu") != 0)
			return bind_unsupported(c, "activation '%s'", out[i]);
	}
	return 0;
}

static int check(struct bind_call *c, struct tf_value *x)
{
	const struct tensor *lengths;
	int64_t steps;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (x->rank != 3 || !tf_in(c, 1) || !tf_in(c, 2) || tf_in(c, 1)->rank != 3 || tf_in(c, 2)->rank != 3)
		return err_set(c->err, ERR_INPUT, "X, W and R must have rank 3");
	steps = x->dims[attr_int(c->node, "layout") ? 1 : 0];
	if (steps < 1 || steps > MAX_STEPS)
		return bind_unsupported(c, "%lld steps: the binding writes out 1 to %d", (long long)steps, MAX_STEPS);
	if (node_has(c->node, "clip") || recurrent_flag(c->node, "input_forget"))
		return bind_unsupported(c, "clip or input_forget");
	lengths = tf_has(c, 4) ? tf_known(c, 4) : NULL;
	for (size_t i = 0; lengths && i < lengths->count; i++)
		if (lengths->i[i] != steps)
			return bind_unsupported(c, "sequences of different lengths");
	return tf_failed(c) ? c->err->code : 0;
}

/* Initial state of a direction: zeros when the input is not there. */
static struct tf_value *initial(struct tf_layer *l, int input)
{
	static const int order[] = {1, 0, 2};
	int64_t dims[2] = {l->batch, l->hidden};
	struct tf_value *all;

	if (!tf_has(l->c, input))
		return tf_fill(l->c, l->w->dtype, 2, dims, 0);
	all = tf_in(l->c, input);
	if (all->rank != 3) {
		err_set(l->c->err, ERR_INPUT, "initial states must have rank 3");
		return NULL;
	}
	if (attr_int(l->c->node, "layout"))
		all = tf_transpose(l->c, all, order);
	return row_of(l->c, all, l->index);
}

static int prepare(struct tf_layer *l, const struct tf_cell *cell)
{
	struct bind_call *c = l->c;
	struct tf_value *b[2 * MAX_GATES];

	l->w = row_of(c, tf_in(c, 1), l->index);
	l->r = row_of(c, tf_in(c, 2), l->index);
	if (tf_has(c, 3)) {
		split(c, row_of(c, tf_in(c, 3), l->index), 0, 2 * cell->gates, b);
		for (int i = 0; i < cell->gates; i++) {
			l->wb[i] = b[i];
			l->rb[i] = b[cell->gates + i];
		}
	}
	if (cell->has_s && tf_has(c, 7))
		split(c, row_of(c, tf_in(c, 7), l->index), 0, 3, l->p);
	if (tf_failed(c))
		return c->err->code;
	l->h = initial(l, 5);
	l->s = cell->has_s ? initial(l, 6) : NULL;
	return read_activations(c, cell, l->index, l->act);
}

/* Walks one direction; its states in the order of time are packed as (T, B, H). */
static struct tf_value *walk(struct tf_layer *l, const struct tf_cell *cell, struct tf_value *x, int backwards)
{
	struct tf_value **states = arena_array(l->c->tmp, (size_t)l->steps, sizeof *states);

	if (!states) {
		err_nomem(l->c->err, "states", (size_t)l->steps * sizeof *states);
		return NULL;
	}
	for (int64_t i = 0; i < l->steps && !tf_failed(l->c); i++) {
		int64_t t = backwards ? l->steps - 1 - i : i;

		cell->step(l, row_of(l->c, x, (int)t));
		states[t] = l->h;
	}
	return pack(l->c, states, (int)l->steps, 0);
}

static int give(struct bind_call *c, int output, struct tf_value *v, const int *order)
{
	if (output >= c->n_out || !c->node->out[output] || tf_failed(c))
		return c->err->code;
	return tf_out(c, output, attr_int(c->node, "layout") ? tf_transpose(c, v, order) : v);
}

static int recurrent(struct bind_call *c, const struct tf_cell *cell)
{
	static const int batch_first[] = {1, 0, 2}, all_first[] = {2, 0, 1, 3};
	const char *direction = attr_string(c->node, "direction");
	int n = !strcmp(direction, "bidirectional") ? 2 : 1;
	struct tf_value *x = tf_in(c, 0), *y[2], *h[2], *s[2];

	if (check(c, x))
		return c->err->code;
	if (attr_int(c->node, "layout"))
		x = tf_transpose(c, x, batch_first);
	if (tf_failed(c) || tf_in(c, 1)->dims[0] != n)
		return tf_failed(c) ? c->err->code : err_set(c->err, ERR_INPUT, "W does not fit the directions");
	for (int d = 0; d < n; d++) {
		struct tf_layer l = {.c = c, .gates = cell->gates, .index = d};

		l.steps = x->dims[0];
		l.batch = x->dims[1];
		l.input = x->dims[2];
		l.hidden = tf_in(c, 2)->dims[2];
		if (prepare(&l, cell))
			return c->err->code;
		y[d] = walk(&l, cell, x, d == 1 || !strcmp(direction, "reverse"));
		h[d] = l.h;
		s[d] = l.s;
	}
	give(c, 0, pack(c, y, n, 1), all_first);
	give(c, 1, pack(c, h, n, 0), batch_first);
	if (cell->has_s)
		give(c, 2, pack(c, s, n, 0), batch_first);
	return c->err->code;
}

static int run_rnn(struct bind_call *c)
{
	static const struct tf_cell cell = {1, 1, 0, rnn_step};

	return recurrent(c, &cell);
}

static int run_gru(struct bind_call *c)
{
	static const struct tf_cell cell = {3, 2, 0, gru_step};

	return recurrent(c, &cell);
}

static int run_lstm(struct bind_call *c)
{
	static const struct tf_cell cell = {4, 3, 1, lstm_step};

	return recurrent(c, &cell);
}

const struct binding tf_rows_recurrent[] = {
	{"GRU", run_gru, NULL},
	{"LSTM", run_lstm, NULL},
	{"RNN", run_rnn, NULL},
	{0},
};
