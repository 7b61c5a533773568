/* train.c - training on our own gradients, with Adam.
 *
 * The weights of the network become inputs with defaults, so that one prepared reference serves every step.  The loss
 * follows from what the output is: cross-entropy behind a Softmax or a Sigmoid, half the squared error (in units of the
 * targets' deviation) for numbers.  For each of them the gradient with respect to the wire ZOO_LOGITS is  output -
 * right, with right the one-hot vector of a label or the target; it seeds the reverse pass there.
 *
 *     m ← β1 m + (1 - β1) g        v ← β2 v + (1 - β2) g²        w ← w - rate · m̂ / (sqrt(v̂) + ε)
 *
 * The step size falls along half a cosine to zero over all steps. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "zoo/zoo.h"

#define BATCH 32
#define BETA1 0.9
#define BETA2 0.999
#define EPSILON 1e-8
#define SHIFT 2             /* pixels, at most */
#define MEASURED_BATCHES 32 /* for the statistics of normalizations */

struct trainer {
	struct model *model;
	struct ref *ref;
	struct wire *image;
	struct wire **wires;    /* the weights */
	struct tensor **weight; /* wide doubles that are stepped, under the wires' own type */
	struct tensor **first, **second;
	struct value **in; /* by graph->inputs */
	size_t n;
	size_t logits; /* index of that output */
	const struct zoo_data *data;
	enum zoo_kind kind;
	double target_factor; /* deviation of the targets; 1 where there are none */
	size_t n_train;
	size_t *order;
	struct zoo_norms norms;
	size_t done, total; /* steps */
	double rate;
	struct rng moves;
};

/* ---- setting up -------------------------------------------------------------------------------------------------- */

/* Taken from the data, and kept. */
static int is_fixed(const char *name)
{
	return !strcmp(name, ZOO_INPUT_MEAN) || !strcmp(name, ZOO_INPUT_FACTOR) || !strcmp(name, ZOO_TARGET_MEAN) ||
	       !strcmp(name, ZOO_TARGET_FACTOR);
}

static int is_weight(const struct wire *w)
{
	return w->init && dtype_is_float(w->init->dtype) && w->init->rank > 0;
}

/* Mean and deviation of one column of the items to learn from. */
static void measure_column(const struct tensor *t, size_t columns, size_t column, size_t n, double *mean,
			   double *deviation)
{
	double square = 0;

	*mean = 0;
	for (size_t i = 0; i < n; i++)
		*mean += tensor_get(t, i * columns + column) / (double)n;
	for (size_t i = 0; i < n; i++)
		square += pow(tensor_get(t, i * columns + column) - *mean, 2) / (double)n;
	*deviation = square > 0 ? sqrt(square) : 1;
}

/* Mean and factor of the items or targets, in a wide tensor of one number for each column. */
static void take_from_data(struct trainer *t, const char *name, struct tensor *w)
{
	int of_target = !strcmp(name, ZOO_TARGET_MEAN) || !strcmp(name, ZOO_TARGET_FACTOR);
	int is_mean = !strcmp(name, ZOO_TARGET_MEAN) || !strcmp(name, ZOO_INPUT_MEAN);
	const struct tensor *from = of_target ? t->data->truth : t->data->items;
	size_t columns = from->count / t->data->n;

	for (size_t k = 0; k < w->count && k < columns; k++) {
		double mean, deviation;

		measure_column(from, columns, k, t->n_train, &mean, &deviation);
		w->f[k] = is_mean ? mean : of_target ? deviation : 1 / deviation;
	}
	if (of_target && !is_mean)
		t->target_factor = w->f[0];
}

static int list_as_input(struct graph *g, struct wire *w, struct err *e)
{
	w->is_input = 1;
	type_set(&w->type, w->init->dtype, w->init->rank, w->init->dims);
	return vec_push(&g->inputs, w) ? err_nomem(e, "inputs", 0) : 0;
}

static int take_weights(struct trainer *t, struct err *e)
{
	struct graph *g = t->model->graph;
	size_t n = 0;

	for (size_t i = 0; i < g->wires.n; i++)
		n += (size_t)is_weight(g->wires.at[i]);
	t->wires = mem_array(n + 1, sizeof *t->wires);
	t->weight = mem_array(n + 1, sizeof *t->weight);
	t->first = mem_array(n + 1, sizeof *t->first);
	t->second = mem_array(n + 1, sizeof *t->second);
	t->in = mem_array(n + 1, sizeof *t->in);
	if (!t->wires || !t->weight || !t->first || !t->second || !t->in)
		return err_nomem(e, "weights", 0);
	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i];
		size_t k = t->n;

		if (!is_weight(w))
			continue;
		t->n++;
		t->wires[k] = w;
		t->weight[k] = tensor_widen(w->init, e);
		t->first[k] = tensor_zeros(DT_DOUBLE, w->init->rank, w->init->dims, e);
		t->second[k] = tensor_zeros(DT_DOUBLE, w->init->rank, w->init->dims, e);
		if (!t->weight[k] || !t->first[k] || !t->second[k] || list_as_input(g, w, e))
			return e->code;
		t->in[k + 1] = value_tensor(tensor_ref(t->weight[k]), e);
		if (!t->in[k + 1])
			return e->code;
		if (is_fixed(w->name))
			take_from_data(t, w->name, t->weight[k]);
	}
	return 0;
}

/* Where training seeds: the output itself, or a wire that becomes one beside it. */
static int find_logits(struct trainer *t, struct err *e)
{
	struct graph *g = t->model->graph;
	struct wire *logits = graph_wire(g, ZOO_LOGITS);

	t->logits = g->outputs.at[0] == logits ? 0 : g->outputs.n;
	return t->logits ? graph_add_output(g, logits, e) : 0;
}

static int trainer_start(struct trainer *t, const struct zoo_row *row, const struct zoo_data *d,
			 const struct zoo_train_options *o, struct err *e)
{
	int rc = zoo_build(row, BATCH, o->seed, NULL, &t->model, e);

	if (!rc)
		rc = zoo_data_check(d, row, t->model, e);
	if (rc)
		return rc;
	t->data = d;
	t->kind = row->network->kind;
	t->target_factor = 1;
	t->n_train = d->n - o->held_out;
	t->rate = o->rate > 0 ? o->rate : row->network->rate;
	t->total = (size_t)(o->epochs > 0 ? o->epochs : row->network->epochs) * (t->n_train / BATCH);
	t->image = t->model->graph->inputs.at[0];
	rc = find_logits(t, e);
	if (!rc)
		rc = take_weights(t, e);
	if (!rc)
		rc = zoo_norms_find(t->model->graph, &t->norms, e);
	if (!rc)
		rc = ops_bind(t->model, e);
	if (!rc)
		rc = ref_open(t->model, &t->ref, e);
	t->order = rc ? NULL : mem_array(t->n_train, sizeof *t->order);
	if (!rc && !t->order)
		rc = err_nomem(e, "an order", t->n_train * sizeof *t->order);
	return rc;
}

static void trainer_end(struct trainer *t)
{
	for (size_t i = 0; t->in && i < t->n; i++) {
		tensor_unref(t->weight[i]);
		tensor_unref(t->first[i]);
		tensor_unref(t->second[i]);
		value_unref(t->in[i + 1]);
	}
	if (t->in)
		value_unref(t->in[0]);
	mem_free(t->wires);
	mem_free(t->weight);
	mem_free(t->first);
	mem_free(t->second);
	mem_free(t->in);
	mem_free(t->order);
	zoo_norms_release(&t->norms);
	ref_close(t->ref);
	model_free(t->model);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Moves one channel of n x n by dx, dy; what comes in from outside is black. */
static void shift(float *image, int n, int dx, int dy)
{
	float from[32 * 32];

	memcpy(from, image, (size_t)(n * n) * sizeof *from);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			int sy = y - dy, sx = x - dx, inside = sy >= 0 && sy < n && sx >= 0 && sx < n;

			image[y * n + x] = inside ? from[sy * n + sx] : 0;
		}
}

/* Every time a picture is seen it stands elsewhere: 4,000 of them are few. */
static int set_items(struct trainer *t, size_t first, struct err *e)
{
	struct tensor *x = zoo_data_batch(t->data, t->order, first, t->image, e);
	int n = t->data->source->pixels;
	size_t channel = (size_t)(n * n), each = x && n ? x->count / BATCH : 0;

	for (size_t i = 0; i < BATCH && each; i++) {
		int dy = (int)rng_between(&t->moves, -SHIFT, SHIFT), dx = (int)rng_between(&t->moves, -SHIFT, SHIFT);

		for (size_t at = 0; at + channel <= each; at += channel)
			shift((float *)x->data + i * each + at, n, dx, dy);
	}
	value_unref(t->in[0]);
	t->in[0] = x ? value_tensor(x, e) : NULL;
	return t->in[0] ? 0 : e->code;
}

static double loss_of_element(const struct trainer *t, double y, double right)
{
	if (t->kind == ZOO_ESTIMATES)
		return 0.5 * pow((y - right) / t->target_factor, 2);
	if (t->kind == ZOO_CLASSIFIES)
		return -right * log(fmax(y, 1e-300));
	return -right * log(fmax(y, 1e-300)) - (1 - right) * log(fmax(1 - y, 1e-300));
}

/* Mean loss of the batch; *seed becomes (output - right) / BATCH. */
static int loss_of(struct trainer *t, size_t first, struct tensor **seed, double *loss, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT, .training = 1};
	struct ref_result r;
	int rc = ref_run(t->ref, t->in, t->n + 1, &o, &r, e);
	const struct tensor *y;

	if (rc)
		return rc;
	y = r.outputs[0].value->tensor;
	*seed = tensor_new(DT_DOUBLE, y->rank, y->dims, e);
	*loss = 0;
	if (*seed)
		zoo_data_truth(t->data, t->kind, t->order + first, t->in[0]->tensor, y, (*seed)->f);
	for (size_t i = 0; *seed && i < y->count; i++) {
		double right = (*seed)->f[i];

		*loss += loss_of_element(t, y->f[i], right) / BATCH;
		(*seed)->f[i] = (y->f[i] - right) / t->target_factor / BATCH;
	}
	ref_result_release(&r);
	return *seed ? 0 : e->code;
}

static void adam(struct trainer *t, size_t k, const struct tensor *grad)
{
	double at = (double)t->done, rate = t->rate * 0.5 * (1 + cos(acos(-1.0) * at / (double)t->total));
	double c1 = 1 - pow(BETA1, at), c2 = 1 - pow(BETA2, at);
	double *w = t->weight[k]->f, *m = t->first[k]->f, *v = t->second[k]->f;

	for (size_t i = 0; i < grad->count; i++) {
		double g = grad->f[i];

		m[i] = BETA1 * m[i] + (1 - BETA1) * g;
		v[i] = BETA2 * v[i] + (1 - BETA2) * g * g;
		w[i] -= rate * (m[i] / c1) / (sqrt(v[i] / c2) + EPSILON);
	}
}

static int train_step(struct trainer *t, size_t first, double *loss, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT, .training = 1};
	struct tensor **grads = mem_array(t->n, sizeof *grads), *seeds[8] = {0};
	const struct ref_gradient of = {
		.inputs = t->in, .n = t->n + 1, .seeds = seeds, .wanted = t->wires, .n_wanted = t->n};
	int rc = grads ? set_items(t, first, e) : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = loss_of(t, first, &seeds[t->logits], loss, e);
	if (!rc)
		rc = ref_backward(t->ref, &of, &o, grads, e);
	t->done++;
	for (size_t k = 0; k < t->n && !rc; k++) { /* statistics are measured at the end, and do not step */
		if (!is_fixed(t->wires[k]->name) && !zoo_norms_take(&t->norms, t->wires[k], t->weight[k]->f))
			adam(t, k, grads[k]);
		tensor_unref(grads[k]);
	}
	tensor_unref(seeds[t->logits]);
	mem_free(grads);
	return rc;
}

/* *stopped: by the caller. */
static int train_epoch(struct trainer *t, int epoch, const struct zoo_train_options *o, double *loss, int *stopped,
		       struct err *e)
{
	size_t steps = t->n_train / BATCH;
	struct rng root, r;
	int rc = 0;

	rng_init(&root, o->seed);
	r = rng_split(&root, 2 * (uint64_t)epoch);
	t->moves = rng_split(&root, 2 * (uint64_t)epoch + 1);
	for (size_t i = 0; i < t->n_train; i++)
		t->order[i] = i;
	rng_shuffle(&r, t->order, t->n_train);
	*loss = 0;
	for (size_t s = 0; s < steps && !rc && !*stopped; s++) {
		double one = 0;

		rc = train_step(t, s * BATCH, &one, e);
		*loss += one / (double)steps;
		*stopped = !rc && o->progress && o->progress(epoch, s, steps, one, o->progress_arg);
	}
	return rc;
}

/* Statistics of the normalizations with the weights as they are now, from the first batches of the last order. */
static int measure_norms(struct trainer *t, struct err *e)
{
	struct ref_options o = {
		.mode = REF_EXACT, .training = 1, .observe = zoo_norms_observe, .observe_arg = &t->norms};
	int rc = 0;

	for (size_t i = 0; t->norms.n && i < MEASURED_BATCHES && (i + 1) * BATCH <= t->n_train && !rc; i++) {
		struct ref_result r;

		rc = set_items(t, i * BATCH, e);
		if (!rc)
			rc = ref_run(t->ref, t->in, t->n + 1, &o, &r, e);
		if (!rc)
			ref_result_release(&r);
	}
	for (size_t k = 0; k < t->n && !rc; k++)
		zoo_norms_take(&t->norms, t->wires[k], t->weight[k]->f);
	return rc;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Sums over the elements of the outputs that were looked at. */
struct zoo_sums {
	double right, labels;        /* labels that are the largest score, or on the right side of a half */
	double error, square, total; /* of numbers: squared errors, right ones squared, their sum */
	double n;
};

/* One vector of scores: whether the class that is right has the largest, the first of equal ones. */
static int is_first_class(const double *y, const double *right, size_t classes)
{
	size_t best = 0;

	for (size_t c = 1; c < classes; c++)
		if (y[c] > y[best])
			best = c;
	return right[best] == 1;
}

static void add_batch(enum zoo_kind kind, const struct tensor *y, const double *right, struct zoo_sums *s)
{
	size_t classes = kind == ZOO_CLASSIFIES ? (size_t)y->dims[y->rank - 1] : 1;

	for (size_t i = 0; i < y->count; i += classes) {
		s->right += kind == ZOO_CLASSIFIES ? is_first_class(y->f + i, right + i, classes)
						   : (y->f[i] > 0.5) == (right[i] > 0.5);
		s->error += pow(y->f[i] - right[i], 2);
		s->square += right[i] * right[i];
		s->total += right[i];
		s->n++;
	}
}

static double score_of(enum zoo_kind kind, const struct zoo_sums *s)
{
	double variance = s->n > 0 ? s->square - s->total * s->total / s->n : 0;

	if (kind == ZOO_CLASSIFIES || kind == ZOO_DECIDES)
		return s->n > 0 ? s->right / s->n : 0;
	return variance > 0 ? 1 - s->error / variance : 0;
}

/* One batch, from item `at` on. */
static int score_batch(enum zoo_kind kind, struct ref *ref, const struct wire *w, const struct zoo_data *d, size_t at,
		       struct zoo_sums *s, struct err *e)
{
	size_t batch = (size_t)w->type.dims[0], *items = mem_array(batch, sizeof *items);
	struct ref_options o = {.mode = REF_ROUNDED};
	struct tensor *x = items ? zoo_data_batch(d, NULL, at, w, e) : NULL;
	struct value *in = x ? value_tensor(x, e) : NULL;
	struct ref_result r = {0};
	double *right = NULL;
	int rc = in ? ref_run(ref, &in, 1, &o, &r, e) : items ? e->code : err_nomem(e, "items", batch);

	for (size_t i = 0; i < batch && !rc; i++)
		items[i] = at + i;
	if (!rc && !(right = mem_array(r.outputs[0].value->tensor->count, sizeof *right)))
		rc = err_nomem(e, "outputs", 0);
	if (!rc) {
		zoo_data_truth(d, kind, items, x, r.outputs[0].value->tensor, right);
		add_batch(kind, r.outputs[0].value->tensor, right, s);
	}
	mem_free(right);
	mem_free(items);
	ref_result_release(&r);
	value_unref(in);
	return rc;
}

int zoo_score(const struct zoo_row *row, struct model *m, const struct zoo_data *d, size_t first, size_t last,
	      double *out, struct err *e)
{
	const struct wire *w = m->graph->inputs.at[0];
	size_t batch = (size_t)w->type.dims[0];
	struct zoo_sums s = {0};
	struct ref *ref = NULL;
	int rc = zoo_data_check(d, row, m, e);

	if (!rc)
		rc = ops_bind(m, e);
	if (!rc)
		rc = ref_open(m, &ref, e);
	for (size_t at = first; at + batch <= last && !rc; at += batch)
		rc = score_batch(row->network->kind, ref, w, d, at, &s, e);
	ref_close(ref);
	if (!rc)
		*out = score_of(row->network->kind, &s);
	return rc;
}

static int gather_weights(const struct trainer *t, struct tensor_set *out, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct tensor *packed = tensor_pack(t->weight[i], e);

		if (!packed || tensor_set_add(out, t->wires[i]->name, packed, e))
			return e->code;
	}
	return 0;
}

static int test_weights(const struct zoo_row *row, const struct zoo_data *d, size_t n_train, struct zoo_train_result *r,
			struct err *e)
{
	struct model *m = NULL;
	int rc = zoo_build(row, 1, 0, &r->weights, &m, e);

	r->tested = d->n - n_train;
	if (!rc)
		rc = zoo_score(row, m, d, n_train, d->n, &r->accuracy, e);
	if (!rc)
		rc = zoo_score(row, m, d, 0, n_train, &r->train_accuracy, e);
	model_free(m);
	return rc;
}

int zoo_train(const struct zoo_row *row, const struct zoo_data *d, const struct zoo_train_options *o,
	      struct zoo_train_result *out, struct err *e)
{
	struct zoo_train_result r = {.weights = TENSOR_SET_INIT};
	int epochs = o->epochs > 0 ? o->epochs : row->network->epochs, stopped = 0, rc;
	struct trainer t = {0};

	if (!*row->network->dataset)
		return err_set(e, ERR_USAGE, "network '%s' has no data to be trained on", row->name);
	if (o->held_out + BATCH > d->n)
		return err_set(e, ERR_USAGE, "%zu items held out of %zu leave none to train on", o->held_out, d->n);
	rc = trainer_start(&t, row, d, o, e);
	for (int i = 0; i < epochs && !rc && !stopped; i++)
		rc = train_epoch(&t, i, o, &r.loss, &stopped, e);
	if (!rc)
		rc = measure_norms(&t, e);
	if (!rc)
		rc = gather_weights(&t, &r.weights, e);
	if (!rc)
		rc = test_weights(row, d, t.n_train, &r, e);
	trainer_end(&t);
	if (rc)
		tensor_set_release(&r.weights);
	else
		*out = r;
	return rc;
}
