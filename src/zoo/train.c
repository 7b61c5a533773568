/* train.c - training on our own gradients: cross-entropy, Adam.
 *
 * The weights of the network become inputs with defaults, so that one prepared reference serves every step.  The
 * gradient of the loss  -log softmax(z)_label  with respect to the logits is  softmax(z) - onehot(label); it seeds the
 * reverse pass at the wire ZOO_LOGITS, which is made an output beside the probabilities.
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
#define SHIFT 2 /* pixels, at most */

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
	const struct zoo_digits *digits;
	size_t n_train;
	size_t *order;
	size_t done, total; /* steps */
	double rate;
	struct rng moves;
};

/* ---- setting up -------------------------------------------------------------------------------------------------- */

static int is_weight(const struct wire *w)
{
	return w->init && dtype_is_float(w->init->dtype) && w->init->rank > 0;
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
	}
	return 0;
}

static int trainer_start(struct trainer *t, const struct zoo_row *row, const struct zoo_digits *d,
			 const struct zoo_train_options *o, struct err *e)
{
	struct wire *logits;
	int rc = zoo_build(row, BATCH, o->seed, NULL, &t->model, e);

	if (rc)
		return rc;
	t->digits = d;
	t->n_train = d->n - o->held_out;
	t->rate = o->rate > 0 ? o->rate : row->network->rate;
	t->total = (size_t)(o->epochs > 0 ? o->epochs : row->network->epochs) * (t->n_train / BATCH);
	t->image = t->model->graph->inputs.at[0];
	logits = graph_wire(t->model->graph, ZOO_LOGITS);
	t->logits = t->model->graph->outputs.n;
	rc = graph_add_output(t->model->graph, logits, e);
	if (!rc)
		rc = take_weights(t, e);
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
	ref_close(t->ref);
	model_free(t->model);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Moves an image by dx, dy; what comes in from outside is black. */
static void shift(float *image, int dx, int dy)
{
	float from[28 * 28];

	memcpy(from, image, sizeof from);
	for (int y = 0; y < 28; y++)
		for (int x = 0; x < 28; x++) {
			int sy = y - dy, sx = x - dx, inside = sy >= 0 && sy < 28 && sx >= 0 && sx < 28;

			image[y * 28 + x] = inside ? from[sy * 28 + sx] : 0;
		}
}

/* Every time a digit is seen it stands elsewhere: 4,000 of them are few. */
static int set_images(struct trainer *t, size_t first, struct err *e)
{
	struct tensor *x = zoo_digits_batch(t->digits, t->order, first, t->image, e);

	for (size_t i = 0; x && i < BATCH; i++)
		shift((float *)x->data + i * 28 * 28, (int)rng_between(&t->moves, -SHIFT, SHIFT),
		      (int)rng_between(&t->moves, -SHIFT, SHIFT));
	value_unref(t->in[0]);
	t->in[0] = x ? value_tensor(x, e) : NULL;
	return t->in[0] ? 0 : e->code;
}

/* Mean loss of the batch; *seed becomes (softmax - onehot) / BATCH. */
static int loss_of(struct trainer *t, size_t first, struct tensor **seed, double *loss, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result r;
	int rc = ref_run(t->ref, t->in, t->n + 1, &o, &r, e);
	const struct tensor *p;

	if (rc)
		return rc;
	p = r.outputs[0].value->tensor;
	*seed = tensor_new(DT_DOUBLE, p->rank, p->dims, e);
	*loss = 0;
	for (size_t i = 0; *seed && i < BATCH; i++) {
		size_t classes = p->count / BATCH, label = (size_t)t->digits->labels[t->order[first + i]];

		for (size_t c = 0; c < classes; c++)
			(*seed)->f[i * classes + c] = (p->f[i * classes + c] - (c == label)) / BATCH;
		*loss -= log(fmax(p->f[i * classes + label], 1e-300)) / BATCH;
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
	struct ref_options o = {.mode = REF_EXACT};
	struct tensor **grads = mem_array(t->n, sizeof *grads), *seeds[8] = {0};
	const struct ref_gradient of = {
		.inputs = t->in, .n = t->n + 1, .seeds = seeds, .wanted = t->wires, .n_wanted = t->n};
	int rc = grads ? set_images(t, first, e) : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = loss_of(t, first, &seeds[t->logits], loss, e);
	if (!rc)
		rc = ref_backward(t->ref, &of, &o, grads, e);
	t->done++;
	for (size_t k = 0; k < t->n && !rc; k++) {
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

/* ---- results ----------------------------------------------------------------------------------------------------- */

int zoo_accuracy(struct model *m, const struct zoo_digits *d, size_t first, double *out, struct err *e)
{
	const struct wire *image = m->graph->inputs.at[0];
	struct ref_options o = {.mode = REF_ROUNDED};
	size_t batch = (size_t)image->type.dims[0], right = 0, tested = 0;
	struct ref *ref = NULL;
	int rc = ops_bind(m, e);

	if (!rc)
		rc = ref_open(m, &ref, e);
	for (size_t at = first; at + batch <= d->n && !rc; at += batch) {
		struct tensor *x = zoo_digits_batch(d, NULL, at, image, e);
		struct value *in = x ? value_tensor(x, e) : NULL;
		struct ref_result r = {0};

		rc = in ? ref_run(ref, &in, 1, &o, &r, e) : e->code;
		for (size_t i = 0; i < batch && !rc; i++) {
			const struct tensor *p = r.outputs[0].value->tensor;
			size_t classes = p->count / batch, best = 0;

			for (size_t c = 1; c < classes; c++)
				if (p->f[i * classes + c] > p->f[i * classes + best])
					best = c;
			right += best == (size_t)d->labels[at + i];
			tested++;
		}
		ref_result_release(&r);
		value_unref(in);
	}
	ref_close(ref);
	*out = tested ? (double)right / (double)tested : 0;
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

static int test_weights(const struct zoo_row *row, const struct zoo_digits *d, size_t n_train,
			struct zoo_train_result *r, struct err *e)
{
	struct zoo_digits seen = *d;
	struct model *m = NULL;
	int rc = zoo_build(row, 1, 0, &r->weights, &m, e);

	seen.n = n_train;
	r->tested = d->n - n_train;
	if (!rc)
		rc = zoo_accuracy(m, d, n_train, &r->accuracy, e);
	if (!rc)
		rc = zoo_accuracy(m, &seen, 0, &r->train_accuracy, e);
	model_free(m);
	return rc;
}

int zoo_train(const struct zoo_row *row, const struct zoo_digits *d, const struct zoo_train_options *o,
	      struct zoo_train_result *out, struct err *e)
{
	struct zoo_train_result r = {.weights = TENSOR_SET_INIT};
	int epochs = o->epochs > 0 ? o->epochs : row->network->epochs, stopped = 0, rc;
	struct trainer t = {0};

	if (!*row->network->dataset)
		return err_set(e, ERR_USAGE, "network '%s' has no data to be trained on", row->name);
	if (o->held_out + BATCH > d->n)
		return err_set(e, ERR_USAGE, "%zu digits held out of %zu leave none to train on", o->held_out, d->n);
	rc = trainer_start(&t, row, d, o, e);
	for (int i = 0; i < epochs && !rc && !stopped; i++)
		rc = train_epoch(&t, i, o, &r.loss, &stopped, e);
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
