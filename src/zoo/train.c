/* train.c - training with Adam, on gradients of our own or of a library (struct zoo_engine).
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
	struct wire **wanted; /* those of the weights that are stepped, … */
	size_t *places;       /* … and which of them it is */
	size_t n_wanted;
	const struct zoo_engine *engine;
	void *engine_arg;
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
	t->wanted = mem_array(n + 1, sizeof *t->wanted);
	t->places = mem_array(n + 1, sizeof *t->places);
	if (!t->wires || !t->weight || !t->first || !t->second || !t->in || !t->wanted || !t->places)
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

/* What is taken from the data, and statistics, which are measured at the end, do not step. */
static void choose_wanted(struct trainer *t)
{
	for (size_t k = 0; k < t->n; k++)
		if (!is_fixed(t->wires[k]->name) && !zoo_norms_take(&t->norms, t->wires[k], t->weight[k]->f)) {
			t->places[t->n_wanted] = k;
			t->wanted[t->n_wanted++] = t->wires[k];
		}
}

/* ---- the reference as the one who computes ----------------------------------------------------------------------- */

static const struct ref_options in_training = {.mode = REF_EXACT, .training = 1};

static int reference_run(void *arg, struct value *const *in, struct tensor **y, struct err *e)
{
	struct trainer *t = arg;
	struct ref_result r;
	int rc = ref_run(t->ref, in, t->n + 1, &in_training, &r, e);

	if (rc)
		return rc;
	*y = tensor_ref(r.outputs[0].value->tensor);
	ref_result_release(&r);
	return 0;
}

static int reference_backward(void *arg, struct tensor *const *seeds, struct tensor **grads, struct err *e)
{
	struct trainer *t = arg;
	const struct ref_gradient of = {
		.inputs = t->in, .n = t->n + 1, .seeds = seeds, .wanted = t->wanted, .n_wanted = t->n_wanted};

	return ref_backward(t->ref, &of, &in_training, grads, e);
}

static const struct zoo_engine reference_engine = {NULL, reference_run, reference_backward};

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int start_engine(struct trainer *t, const struct zoo_train_options *o, struct err *e)
{
	choose_wanted(t);
	t->engine = o->engine ? o->engine : &reference_engine;
	t->engine_arg = o->engine ? o->engine_arg : t;
	return t->engine->open ? t->engine->open(t->engine_arg, t->model, t->wanted, t->n_wanted, e) : 0;
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
	if (!rc)
		rc = start_engine(t, o, e);
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
	mem_free(t->wanted);
	mem_free(t->places);
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
	struct tensor *y = NULL;
	int rc = t->engine->run(t->engine_arg, t->in, &y, e);

	if (rc)
		return rc;
	*seed = tensor_new(DT_DOUBLE, y->rank, y->dims, e);
	*loss = 0;
	if (*seed)
		zoo_data_truth(t->data, t->kind, t->order + first, t->in[0]->tensor, y, (*seed)->f);
	for (size_t i = 0; *seed && i < y->count; i++) {
		double right = (*seed)->f[i], given = tensor_get(y, i);

		*loss += loss_of_element(t, given, right) / BATCH;
		(*seed)->f[i] = (given - right) / t->target_factor / BATCH;
	}
	tensor_unref(y);
	return *seed ? 0 : e->code;
}

/* grad is wide. */
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

/* Steps weight k, which has to be as large as its gradient; that is taken. */
static int step_weight(struct trainer *t, size_t k, struct tensor *grad, struct err *e)
{
	struct tensor *wide = tensor_widen(grad, e);
	int rc = wide ? 0 : e->code;

	if (wide && wide->count != t->weight[k]->count)
		rc = err_set(e, ERR_INPUT, "the gradient of '%s' has another shape", t->wires[k]->name);
	if (!rc)
		adam(t, k, wide);
	tensor_unref(wide);
	tensor_unref(grad);
	return rc;
}

static int train_step(struct trainer *t, size_t first, double *loss, struct err *e)
{
	struct tensor **grads = mem_array(t->n_wanted + 1, sizeof *grads), *seeds[8] = {0};
	int rc = grads ? set_items(t, first, e) : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = loss_of(t, first, &seeds[t->logits], loss, e);
	if (!rc)
		rc = t->engine->backward(t->engine_arg, seeds, grads, e);
	t->done++;
	for (size_t i = 0; grads && i < t->n_wanted; i++) {
		if (rc)
			tensor_unref(grads[i]);
		else
			rc = step_weight(t, t->places[i], grads[i], e);
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

static int gather_weights(const struct trainer *t, struct tensor_set *out, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct tensor *packed = tensor_pack(t->weight[i], e);

		if (!packed || tensor_set_add(out, t->wires[i]->name, packed, e))
			return e->code;
	}
	return 0;
}

/* Who has no time for the reference's gradients has none for its outputs on all items to learn from. */
static int test_weights(const struct zoo_row *row, const struct trainer *t, struct zoo_train_result *r, struct err *e)
{
	size_t n = t->data->n;
	struct model *m = NULL;
	int rc = zoo_build(row, 1, 0, &r->weights, &m, e);

	r->tested = n - t->n_train;
	r->train_tested = t->engine == &reference_engine || r->tested > t->n_train ? t->n_train : r->tested;
	if (!rc)
		rc = zoo_score(row, m, t->data, t->n_train, n, &r->accuracy, e);
	if (!rc)
		rc = zoo_score(row, m, t->data, 0, r->train_tested, &r->train_accuracy, e);
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
		rc = test_weights(row, &t, &r, e);
	trainer_end(&t);
	if (rc)
		tensor_set_release(&r.weights);
	else
		*out = r;
	return rc;
}
