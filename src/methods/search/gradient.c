/* gradient.c - children that follow the reference's gradient towards another class.
 *
 * Chance needs many cases to find numbers on which two classes have the same score.  The margin m of the two best
 * scores has a gradient g with respect to inputs and weights, and
 *
 *     x - t m g / |g|²
 *
 * is where m would be 0 if the network were linear and t 1.  From there the next generation goes on.  What two
 * libraries round differently is enough for another class there; whether one of them is wrong the reference says, as
 * always. */
#include <math.h>

#include "base/mem.h"
#include "methods/search/internal.h"

/* A step downhill: numbers that may change, with their gradients. */
struct slope {
	struct model *model;
	struct value **in;
	struct wire **wires; /* inputs first */
	struct tensor **grads;
	size_t n;
	double margin, squares;
};

/* The item whose two best scores are closest: their difference, and where they lie.  INFINITY: there are no two. */
static double closest_scores(const struct tensor *y, size_t at[2])
{
	size_t items = y->rank && y->dims[0] > 0 ? (size_t)y->dims[0] : 1, each = y->count / items;
	double least = INFINITY;

	for (size_t item = 0; item < items && each > 1; item++) {
		size_t best = item * each, second = best + 1;

		if (tensor_get(y, second) > tensor_get(y, best)) {
			best = second;
			second = item * each;
		}
		for (size_t i = item * each + 2; i < (item + 1) * each; i++) {
			if (tensor_get(y, i) > tensor_get(y, best)) {
				second = best;
				best = i;
			} else if (tensor_get(y, i) > tensor_get(y, second)) {
				second = i;
			}
		}
		if (tensor_get(y, best) - tensor_get(y, second) < least) {
			least = tensor_get(y, best) - tensor_get(y, second);
			at[0] = best;
			at[1] = second;
		}
	}
	return least;
}

static int collect_wires(const struct variation *v, struct slope *s, struct err *e)
{
	const struct graph *g = s->model->graph;

	s->wires = mem_array(g->inputs.n + g->wires.n + 1, sizeof *s->wires);
	s->grads = mem_array(g->inputs.n + g->wires.n + 1, sizeof *s->grads);
	if (!s->wires || !s->grads)
		return err_nomem(e, "gradients", g->wires.n);
	for (size_t i = 0; i < g->inputs.n && v->level != SEARCH_WEIGHT; i++)
		if (s->in[i] && s->in[i]->kind == VALUE_TENSOR && s->in[i]->tensor->count &&
		    dtype_is_float(s->in[i]->tensor->dtype))
			s->wires[s->n++] = g->inputs.at[i];
	for (size_t i = 0; i < g->wires.n && v->level != SEARCH_INPUT; i++)
		if (gene_is_weight(g->wires.at[i]->init))
			s->wires[s->n++] = g->wires.at[i];
	return 0;
}

/* Gradients of the margin of output `at`, in double.  Without two scores none are computed, and squares stays 0. */
static int take_gradients(struct slope *s, size_t at, struct err *e)
{
	const struct ref_options o = {.mode = REF_EXACT};
	const struct graph *g = s->model->graph;
	struct tensor **seeds = mem_array(g->outputs.n + 1, sizeof *seeds);
	struct ref_gradient of = {.inputs = s->in, .n = g->inputs.n, .wanted = s->wires, .n_wanted = s->n};
	struct ref_result r = {0};
	struct ref *ref = NULL;
	size_t two[2] = {0, 0};
	int rc = seeds ? ref_open(s->model, &ref, e) : err_nomem(e, "gradients", g->outputs.n);

	if (!rc)
		rc = ref_run(ref, s->in, g->inputs.n, &o, &r, e);
	if (!rc && r.outputs[at].value->kind == VALUE_TENSOR) {
		const struct tensor *y = r.outputs[at].value->tensor;

		s->margin = dtype_is_float(y->dtype) ? closest_scores(y, two) : INFINITY;
		seeds[at] = isfinite(s->margin) ? tensor_zeros(DT_DOUBLE, y->rank, y->dims, e) : NULL;
		rc = isfinite(s->margin) && !seeds[at] ? e->code : 0;
	}
	if (!rc && seeds[at]) {
		seeds[at]->f[two[0]] = 1;
		seeds[at]->f[two[1]] = -1;
		of.seeds = seeds;
		rc = ref_backward(ref, &of, &o, s->grads, e);
		for (size_t i = 0; i < s->n && !rc; i++)
			for (size_t k = 0; k < s->grads[i]->count; k++)
				s->squares += s->grads[i]->f[k] * s->grads[i]->f[k];
	}
	ref_result_release(&r);
	ref_close(ref);
	if (seeds)
		tensor_unref(seeds[at]);
	mem_free(seeds);
	return rc;
}

/* A packed tensor, `step` gradients away. */
static struct tensor *moved(const struct tensor *x, const struct tensor *grad, double step, struct err *e)
{
	struct tensor *t = tensor_new(x->dtype, x->rank, x->dims, e), *packed;

	if (!t)
		return NULL;
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = tensor_get(x, i) - step * grad->f[i];
	tensor_round(t);
	packed = tensor_pack(t, e);
	tensor_unref(t);
	return packed;
}

static int take_step(struct slope *s, double step, struct err *e)
{
	const struct graph *g = s->model->graph;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		size_t k = 0;
		struct tensor *t;

		while (k < g->inputs.n && g->inputs.at[k] != s->wires[i])
			k++;
		t = moved(k < g->inputs.n ? s->in[k]->tensor : s->wires[i]->init, s->grads[i], step, e);
		if (t && k < g->inputs.n) {
			value_unref(s->in[k]);
			s->in[k] = value_tensor(t, e);
			rc = s->in[k] ? 0 : e->code;
		} else {
			rc = t ? graph_set_init(s->wires[i], t, e) : e->code;
		}
	}
	return rc;
}

int gradient_step(const struct variation *v, int has_logits, double length, struct model *m, struct value **in,
		  int *taken, struct err *e)
{
	struct slope s = {.model = m, .in = in};
	int rc = collect_wires(v, &s, e);

	*taken = 0;
	if (!rc && s.n)
		rc = take_gradients(&s, has_logits ? m->graph->outputs.n - 1 : 0, e);
	if (rc == ERR_UNSUPPORTED || rc == ERR_LIMIT) {
		err_clear(e);
		rc = 0;
	} else if (!rc && s.margin > 0 && s.squares > 0 && isfinite(s.squares)) {
		rc = take_step(&s, length * s.margin / s.squares, e);
		*taken = !rc;
	}
	for (size_t i = 0; i < s.n && s.grads; i++)
		tensor_unref(s.grads[i]);
	mem_free(s.wires);
	mem_free(s.grads);
	return rc;
}
