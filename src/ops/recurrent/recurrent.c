/* recurrent.c - the driver of RNN, GRU and LSTM: shapes, directions, layouts, sequences, back-propagation through time.
 *
 *     layout 0: X [T, B, I]   Y [T, D, B, H]   states [D, B, H]        T steps, B sequences, D directions
 *     layout 1: X [B, T, I]   Y [B, T, D, H]   states [B, D, H]        (from version 14 on)
 *
 * A sequence shorter than T has zeros in Y after its end; its last states are those of its own last step.  The reverse
 * direction walks a sequence from its own end, and Y keeps the order of X. */
#include "ops/recurrent/recurrent.h"

#include <math.h>
#include <string.h>

enum { IN_X, IN_W, IN_R, IN_B, IN_LENS, IN_H, IN_C, IN_P };

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Sizes of a call; each may be negative (not known) during static inference. */
struct recurrent_sizes {
	int64_t steps, batch, input, hidden, directions;
	int batch_first;
	int reverse_first; /* direction 0 runs in reverse */
};

static int read_direction(struct call *c, struct recurrent_sizes *z)
{
	const char *name = attr_string(c->node, "direction");

	z->directions = strcmp(name, "bidirectional") ? 1 : 2;
	z->reverse_first = !strcmp(name, "reverse");
	if (z->directions == 1 && !z->reverse_first && strcmp(name, "forward"))
		return call_bad(c, "direction '%s' is not one of forward, reverse, bidirectional", name);
	return 0;
}

/* Notes what dimension `dim` of input `in` says about *size (times `factor`). */
static int learn(struct call *c, int in, int dim, int64_t factor, int64_t *size)
{
	const struct type *t = call_shape(c, in);
	int64_t d = t ? t->dims[dim] : DIM_UNKNOWN;

	if (d < 0) {
		if (*size < 0 && factor == 1 && t)
			*size = d; /* a symbol is better than nothing */
		return 0;
	}
	if (d % factor || (*size >= 0 && *size != d / factor))
		return call_bad(c, "dimension %d of input %d is %lld, which does not fit the other inputs", dim, in,
				(long long)d);
	*size = d / factor;
	return 0;
}

/* What each dimension of each input means. */
static int read_sizes(struct call *c, const struct recurrent_cell *cell, struct recurrent_sizes *z)
{
	int first = z->batch_first, g = cell->gates;
	const struct {
		int in, rank;
		int64_t *size[3];
		int factor[3];
	} shapes[] = {
		{IN_X, 3, {first ? &z->batch : &z->steps, first ? &z->steps : &z->batch, &z->input}, {1, 1, 1}},
		{IN_W, 3, {&z->directions, &z->hidden, &z->input}, {1, g, 1}},
		{IN_R, 3, {&z->directions, &z->hidden, &z->hidden}, {1, g, 1}},
		{IN_B, 2, {&z->directions, &z->hidden, NULL}, {1, 2 * g, 1}},
		{IN_LENS, 1, {&z->batch, NULL, NULL}, {1, 1, 1}},
		{IN_H,
		 3,
		 {first ? &z->batch : &z->directions, first ? &z->directions : &z->batch, &z->hidden},
		 {1, 1, 1}},
		{IN_C,
		 3,
		 {first ? &z->batch : &z->directions, first ? &z->directions : &z->batch, &z->hidden},
		 {1, 1, 1}},
		{IN_P, 2, {&z->directions, &z->hidden, NULL}, {1, 3, 1}},
	};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct type *t = call_shape(c, shapes[i].in);

		if (t && t->rank != shapes[i].rank)
			return call_bad(c, "input %d has rank %d, wanted %d", shapes[i].in, t->rank, shapes[i].rank);
		for (int d = 0; t && d < t->rank; d++) {
			int rc = learn(c, shapes[i].in, d, shapes[i].factor[d], shapes[i].size[d]);

			if (rc)
				return rc;
		}
	}
	return 0;
}

static int open_sizes(struct call *c, const struct recurrent_cell *cell, struct recurrent_sizes *z)
{
	int rc;

	*z = (struct recurrent_sizes){.steps = -1, .batch = -1, .input = -1};
	z->hidden = node_int(c->node, "hidden_size", -1); /* left out: the weights tell it */
	if (node_has(c->node, "hidden_size") && z->hidden <= 0)
		return call_bad(c, "hidden_size %lld is not positive", (long long)z->hidden);
	z->batch_first = c->version >= 14 && attr_int(c->node, "layout") != 0;
	rc = read_direction(c, z);
	return rc ? rc : read_sizes(c, cell, z);
}

int recurrent_infer(struct call *c, const struct recurrent_cell *cell)
{
	enum dtype t = c->in_type[IN_X].dtype;
	struct activation acts[CELL_MAX_ACTIVATIONS];
	struct recurrent_sizes z;
	int rc = open_sizes(c, cell, &z);

	if (!rc)
		rc = activation_read(c, (int)z.directions - 1, (int)z.directions, cell->defaults, cell->activations,
				     acts);
	if (rc)
		return rc;
	if (z.batch_first) {
		call_out(c, 0, t, 4, (int64_t[]){z.batch, z.steps, z.directions, z.hidden});
		call_out(c, 1, t, 3, (int64_t[]){z.batch, z.directions, z.hidden});
	} else {
		call_out(c, 0, t, 4, (int64_t[]){z.steps, z.directions, z.batch, z.hidden});
		call_out(c, 1, t, 3, (int64_t[]){z.directions, z.batch, z.hidden});
	}
	if (cell->has_c && c->n_out > 2)
		c->out_type[2] = c->out_type[1];
	return 0;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/* One sequence: its layer, its place, and the trace of its steps. */
struct recurrent_run {
	struct call *c;
	const struct recurrent_cell *cell;
	struct recurrent_sizes z;
	struct recurrent_layer layer;
	double *h, *c_state; /* [(T+1) * H] states, [0] initial */
	double *gates_z, *gates_y, *m;
};

static size_t x_offset(const struct recurrent_sizes *z, size_t t, size_t b)
{
	size_t steps = (size_t)z->steps, batch = (size_t)z->batch;

	return (z->batch_first ? b * steps + t : t * batch + b) * (size_t)z->input;
}

static size_t y_offset(const struct recurrent_sizes *z, size_t t, size_t d, size_t b)
{
	size_t steps = (size_t)z->steps, batch = (size_t)z->batch, dirs = (size_t)z->directions;

	return (z->batch_first ? (b * steps + t) * dirs + d : (t * dirs + d) * batch + b) * (size_t)z->hidden;
}

static size_t state_offset(const struct recurrent_sizes *z, size_t d, size_t b)
{
	size_t batch = (size_t)z->batch, dirs = (size_t)z->directions;

	return (z->batch_first ? b * dirs + d : d * batch + b) * (size_t)z->hidden;
}

/* Place in time of step s of a sequence of n steps. */
static size_t time_of(const struct recurrent_run *r, size_t d, size_t s, size_t n)
{
	return (d == 1 || r->z.reverse_first) ? n - 1 - s : s;
}

static const double *input_f(const struct call *c, int i)
{
	return call_has(c, i) && c->in[i] ? c->in[i]->f : NULL;
}

static double *grad_f(const struct call *c, int i)
{
	return c->in_grad && i < c->n_in && c->in_grad[i] ? c->in_grad[i]->f : NULL;
}

static int check_lengths(struct call *c, const struct recurrent_sizes *z)
{
	for (int64_t b = 0; call_has(c, IN_LENS) && b < z->batch; b++)
		if (c->in[IN_LENS]->i[b] < 0 || c->in[IN_LENS]->i[b] > z->steps)
			return call_bad(c, "sequence %lld has length %lld, X has %lld steps", (long long)b,
					(long long)c->in[IN_LENS]->i[b], (long long)z->steps);
	return 0;
}

static size_t length_of(const struct recurrent_run *r, size_t b)
{
	return (size_t)(call_has(r->c, IN_LENS) ? r->c->in[IN_LENS]->i[b] : r->z.steps);
}

static int run_open(struct call *c, const struct recurrent_cell *cell, struct noisy *noise, struct recurrent_run *r)
{
	size_t steps, hidden, gates;
	int rc;

	memset(r, 0, sizeof *r);
	r->c = c;
	r->cell = cell;
	r->layer.noise = noise;
	rc = open_sizes(c, cell, &r->z);
	if (!rc)
		rc = check_lengths(c, &r->z);
	if (rc)
		return rc;
	steps = (size_t)r->z.steps + 1, hidden = (size_t)r->z.hidden, gates = (size_t)cell->gates * hidden;
	r->h = call_scratch(c, steps, hidden * sizeof(double));
	r->c_state = call_scratch(c, steps, hidden * sizeof(double));
	r->m = call_scratch(c, steps, hidden * sizeof(double));
	r->gates_z = call_scratch(c, steps, gates * sizeof(double));
	r->gates_y = call_scratch(c, steps, gates * sizeof(double));
	return r->h && r->c_state && r->m && r->gates_z && r->gates_y ? 0 : ERR_MEMORY;
}

/* Fills r->layer for direction d. */
static int open_direction(struct recurrent_run *r, size_t d)
{
	struct call *c = r->c;
	struct recurrent_layer *l = &r->layer;
	size_t input = (size_t)r->z.input, hidden = (size_t)r->z.hidden, rows = (size_t)r->cell->gates * hidden;
	int peepholes = r->cell->has_c;

	l->input = input;
	l->hidden = hidden;
	l->w = c->in[IN_W]->f + d * rows * input;
	l->r = c->in[IN_R]->f + d * rows * hidden;
	l->wb = layer_part(input_f(c, IN_B), d * 2 * rows);
	l->rb = layer_part(input_f(c, IN_B), (d * 2 + 1) * rows);
	l->p = peepholes ? layer_part(input_f(c, IN_P), d * 3 * hidden) : NULL;
	l->dw = layer_part_mut(grad_f(c, IN_W), d * rows * input);
	l->dr = layer_part_mut(grad_f(c, IN_R), d * rows * hidden);
	l->dwb = layer_part_mut(grad_f(c, IN_B), d * 2 * rows);
	l->drb = layer_part_mut(grad_f(c, IN_B), (d * 2 + 1) * rows);
	l->dp = peepholes ? layer_part_mut(grad_f(c, IN_P), d * 3 * hidden) : NULL;
	l->clip = fabs(node_float(c->node, "clip", INFINITY)); /* left out, which is no number: none */
	l->linear_before_reset = recurrent_flag(c->node, "linear_before_reset");
	l->input_forget = recurrent_flag(c->node, "input_forget");
	return activation_read(c, (int)d, (int)r->z.directions, r->cell->defaults, r->cell->activations, l->act);
}

static struct recurrent_step step_at(const struct recurrent_run *r, size_t d, size_t b, size_t s, size_t n)
{
	size_t hidden = r->layer.hidden, gates = (size_t)r->cell->gates * hidden;

	return (struct recurrent_step){
		.x = r->c->in[IN_X]->f + x_offset(&r->z, time_of(r, d, s, n), b),
		.h0 = r->h + s * hidden,
		.c0 = r->c_state + s * hidden,
		.h = r->h + (s + 1) * hidden,
		.c = r->c_state + (s + 1) * hidden,
		.z = r->gates_z + s * gates,
		.y = r->gates_y + s * gates,
		.m = r->m + s * hidden,
	};
}

/* Runs sequence b of direction d and leaves its trace in r; returns its length. */
static size_t run_sequence(struct recurrent_run *r, size_t d, size_t b)
{
	size_t n = length_of(r, b), bytes = r->layer.hidden * sizeof(double), state = state_offset(&r->z, d, b);
	const double *h = input_f(r->c, IN_H), *c = r->cell->has_c ? input_f(r->c, IN_C) : NULL;

	memset(r->h, 0, bytes);
	memset(r->c_state, 0, bytes);
	if (h)
		memcpy(r->h, h + state, bytes);
	if (c)
		memcpy(r->c_state, c + state, bytes);
	for (size_t s = 0; s < n; s++) {
		struct recurrent_step step = step_at(r, d, b, s, n);

		r->cell->forward(&r->layer, &step);
	}
	return n;
}

/* Calls fn for every sequence after its run. */
typedef int sequence_fn(struct recurrent_run *r, size_t d, size_t b, size_t n, void *arg);

static int for_each_sequence(struct recurrent_run *r, sequence_fn *fn, void *arg)
{
	for (size_t d = 0; d < (size_t)r->z.directions; d++) {
		int rc = open_direction(r, d);

		for (size_t b = 0; !rc && b < (size_t)r->z.batch; b++)
			rc = fn(r, d, b, run_sequence(r, d, b), arg);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Copies a trace to the outputs that are wanted: y[0] = Y, y[1] = Y_h, y[2] = Y_c, NULL: not. */
static int store(struct recurrent_run *r, size_t d, size_t b, size_t n, void *arg)
{
	double *const *y = arg;
	size_t hidden = r->layer.hidden, bytes = hidden * sizeof(double), state = state_offset(&r->z, d, b);

	for (size_t t = n; y[0] && t < (size_t)r->z.steps; t++)
		memset(y[0] + y_offset(&r->z, t, d, b), 0, bytes);
	for (size_t s = 0; y[0] && s < n; s++)
		memcpy(y[0] + y_offset(&r->z, time_of(r, d, s, n), d, b), r->h + (s + 1) * hidden, bytes);
	if (y[1])
		memcpy(y[1] + state, r->h + n * hidden, bytes);
	if (y[2])
		memcpy(y[2] + state, r->c_state + n * hidden, bytes);
	return 0;
}

int recurrent_eval(struct call *c, const struct recurrent_cell *cell)
{
	double *y[3] = {NULL, NULL, NULL};
	struct noisy exact = {.on = 0};
	struct recurrent_run r;
	int rc = run_open(c, cell, &exact, &r);

	for (int i = 0; i < c->n_out && i < 3; i++)
		y[i] = c->out[i] ? c->out[i]->f : NULL;
	return rc ? rc : for_each_sequence(&r, store, y);
}

static int noisy_run(struct call *c, struct noisy *n, int out, double *to, void *arg)
{
	double *y[3] = {NULL, NULL, NULL};
	struct recurrent_run *r = arg;

	(void)c;
	r->layer.noise = n;
	y[out] = to;
	return for_each_sequence(r, store, y);
}

/* From the smallest to the largest number, and 0 among them. */
static double span_of(const struct tensor *t)
{
	double low = 0, high = 0;

	for (size_t i = 0; t && i < t->count; i++) {
		low = fmin(low, t->f[i]);
		high = fmax(high, t->f[i]);
	}
	return high - low;
}

/* States are in Y, or as large as Y_h, or within -1 … 1 as those of the usual functions. */
static void open_spans(struct recurrent_run *r)
{
	const struct call *c = r->c;
	const struct tensor *y = call_wants(c, 0) ? c->out[0] : NULL, *last = call_wants(c, 1) ? c->out[1] : NULL;

	r->layer.input_span = span_of(c->in[IN_X]);
	r->layer.hidden_span = y ? span_of(y) : fmax(2, span_of(last));
	if (call_has(c, IN_H))
		r->layer.hidden_span = fmax(r->layer.hidden_span, span_of(c->in[IN_H]));
}

int recurrent_scale(struct call *c, const struct recurrent_cell *cell, int out, double *s)
{
	struct recurrent_run r;
	int rc = run_open(c, cell, NULL, &r);

	if (!rc && cell->quantizes)
		open_spans(&r);
	return rc ? rc : noisy_scale(c, out, noisy_run, &r, s);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

struct back {
	double *dh, *dc, *dh0, *dc0, *dz, *tmp; /* see struct step_grad */
};

static const double *out_grad_f(const struct call *c, int i)
{
	return i < c->n_out && c->out_grad[i] ? c->out_grad[i]->f : NULL;
}

static void add_part(double *to, const double *from, size_t offset, size_t n)
{
	for (size_t i = 0; from && i < n; i++)
		to[i] += from[offset + i];
}

static void swap(double **a, double **b)
{
	double *t = *a;

	*a = *b;
	*b = t;
}

/* Walks one sequence backwards; the gradient of a state is what Y (or Y_h) gives plus what the next step sent back. */
static int back_sequence(struct recurrent_run *r, size_t d, size_t b, size_t n, void *arg)
{
	struct back *k = arg;
	const struct call *c = r->c;
	size_t hidden = r->layer.hidden, bytes = hidden * sizeof(double), state = state_offset(&r->z, d, b);
	double *dh_initial = grad_f(c, IN_H), *dc_initial = r->cell->has_c ? grad_f(c, IN_C) : NULL;

	memset(k->dh, 0, bytes);
	memset(k->dc, 0, bytes);
	add_part(k->dh, out_grad_f(c, 1), state, hidden);
	if (r->cell->has_c)
		add_part(k->dc, out_grad_f(c, 2), state, hidden);
	for (size_t s = n; s-- > 0;) {
		struct recurrent_step step = step_at(r, d, b, s, n);
		size_t t = time_of(r, d, s, n);
		struct step_grad g = {
			k->dh, k->dc, k->dh0, k->dc0, layer_part_mut(grad_f(c, IN_X), x_offset(&r->z, t, b)),
			k->dz, k->tmp};

		add_part(k->dh, out_grad_f(c, 0), y_offset(&r->z, t, d, b), hidden);
		memset(k->dh0, 0, bytes);
		memset(k->dc0, 0, bytes);
		r->cell->backward(&r->layer, &step, &g);
		swap(&k->dh, &k->dh0);
		swap(&k->dc, &k->dc0);
	}
	if (dh_initial)
		add_part(dh_initial + state, k->dh, 0, hidden);
	if (dc_initial)
		add_part(dc_initial + state, k->dc, 0, hidden);
	return 0;
}

int recurrent_grad(struct call *c, const struct recurrent_cell *cell)
{
	struct noisy exact = {.on = 0};
	struct recurrent_run r;
	struct back k;
	double **const vectors[] = {&k.dh, &k.dc, &k.dh0, &k.dc0, &k.tmp, &k.dz};
	int rc = run_open(c, cell, c->noisy ? c->noisy : &exact, &r);

	for (size_t i = 0; !rc && i < sizeof vectors / sizeof *vectors; i++) {
		*vectors[i] = call_scratch(c, (size_t)r.z.hidden, CELL_MAX_GATES * sizeof(double));
		if (!*vectors[i])
			rc = ERR_MEMORY;
	}
	return rc ? rc : for_each_sequence(&r, back_sequence, &k);
}
