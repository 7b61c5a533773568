/* genes.c - crossover and mutation (Algorithm 1, lines 10 to 15).
 *
 * Crossover takes each gene from the first parent with rate r1, from the second otherwise.  Mutation adds Cauchy noise
 *
 *     x + γ tan(π (u - 1/2)),   u uniform in (0, 1)
 *
 * whose scale γ is a random share of the tensor's own spread, to a random share of the genes: what has become large
 * becomes larger, which is how outliers (NaN) and differences grow over generations.  Nothing keeps values realistic:
 * the oracle is not a label but the reference.  Integers are rounded and stay in the range of the seed's, for they are
 * indices of words. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "tensor/stats.h"

#define PI 3.14159265358979323846
#define LARGEST 3e38 /* of float32, nearly: infinity as an input or a weight would be no finding */

void individual_release(struct individual *x)
{
	for (size_t i = 0; i < x->n_outcomes; i++)
		outcome_release(&x->outcomes[i]);
	mem_free(x->outcomes);
	trial_release(&x->trial);
	*x = (struct individual){0};
}

/* ---- one tensor -------------------------------------------------------------------------------------------------- */

/* Bounds of the seed's tensor for integers. */
static double bounded(const struct tensor *seed, const struct tensor_stats *s, double x)
{
	if (dtype_is_float(seed->dtype)) {
		double most = seed->dtype == DT_FLOAT16 ? 65504 : LARGEST;

		return isnan(x) ? 0 : fmax(-most, fmin(most, x));
	}
	return fmax(s->min, fmin(s->max, round(x)));
}

static void add_noise(const struct tensor *seed, struct tensor *t, struct rng *rng)
{
	struct tensor_stats own, bounds;
	double share = pow(10, -2 * rng_unit(rng)), scale;
	int is_float = dtype_is_float(t->dtype);

	tensor_stats(seed, &bounds);
	tensor_stats(t, &own);
	scale = (own.std > 0 ? own.std : 1) * pow(10, rng_uniform(rng, -2, 1));
	for (size_t i = 0; i < t->count; i++) {
		double noise;

		if (rng_unit(rng) >= share)
			continue;
		noise = scale * tan(PI * (rng_unit(rng) - 0.5));
		if (is_float)
			t->f[i] = bounded(seed, &bounds, t->f[i] + noise);
		else
			t->i[i] = (int64_t)bounded(seed, &bounds, (double)t->i[i] + noise);
	}
}

/* A packed child of two tensors of one shape. */
static struct tensor *cross(const struct variation *v, const struct tensor *seed, const struct tensor *a,
			    const struct tensor *b, struct rng *rng, int mutate, struct err *e)
{
	struct tensor *t = tensor_new(a->dtype, a->rank, a->dims, e), *packed;
	int is_float = t && dtype_is_float(t->dtype);

	for (size_t i = 0; t && i < t->count; i++) {
		double x = tensor_get(a == b || rng_unit(rng) < v->crossover ? a : b, i);

		if (is_float)
			t->f[i] = x;
		else
			t->i[i] = (int64_t)x;
	}
	if (t && mutate)
		add_noise(seed, t, rng);
	if (t && is_float)
		tensor_round(t);
	packed = t ? tensor_pack(t, e) : NULL;
	tensor_unref(t);
	return packed;
}

/* Numbers that a search may change: no strings, no bools. */
static int is_gene(const struct tensor *t)
{
	return t && t->count && (dtype_is_float(t->dtype) || t->dtype == DT_INT64 || t->dtype == DT_INT32);
}

/* ---- inputs and weights ------------------------------------------------------------------------------------------ */

static int cross_inputs(const struct variation *v, const struct trial *a, const struct trial *b, struct rng *rng,
			int mutate, struct value **in, struct err *e)
{
	size_t n = v->base->model->graph->inputs.n;

	for (size_t i = 0; i < n; i++) {
		struct value *seed = v->base->inputs[i];
		struct tensor *t;

		in[i] = value_ref(a->inputs[i]);
		if (v->level == SEARCH_WEIGHT || v->level == SEARCH_NETWORK || !seed || seed->kind != VALUE_TENSOR ||
		    !is_gene(seed->tensor))
			continue;
		t = cross(v, seed->tensor, a->inputs[i]->tensor, b->inputs[i]->tensor, rng, mutate, e);
		value_unref(in[i]);
		in[i] = t ? value_tensor(t, e) : NULL;
		if (!in[i])
			return e->code;
	}
	return 0;
}

/* Float initializers; a single number is a setting (the bounds of a Clip), not a weight. */
static int is_weight(const struct tensor *t)
{
	return t && t->count > 1 && dtype_is_float(t->dtype);
}

static int cross_weights(const struct variation *v, const struct model *a, const struct model *b, struct rng *rng,
			 int mutate, struct model *m, struct err *e)
{
	const struct graph *base = v->base->model->graph;
	int rc = 0;

	for (size_t i = 0; i < base->wires.n && !rc; i++) {
		const char *name = base->wires.at[i]->name;
		const struct tensor *seed = base->wires.at[i]->init;
		const struct wire *of_a = graph_wire(a->graph, name), *of_b = graph_wire(b->graph, name);
		struct wire *w = graph_wire(m->graph, name);
		struct tensor *t;

		if (!is_weight(seed) || !of_a || !of_b || !w)
			continue;
		t = cross(v, seed, of_a->init, of_b->init, rng, mutate, e);
		rc = t ? graph_set_init(w, t, e) : e->code;
	}
	return rc;
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static uint64_t new_gene(struct rng *rng)
{
	return rng_u64(rng) | 1; /* 0: no gene */
}

/* Genes of a network: crossed one by one; mutation puts another edit into one or two of them, or takes one out. */
static void cross_genes(const struct variation *v, const struct individual *a, const struct individual *b,
			struct rng *rng, int mutate, uint64_t *out)
{
	for (size_t i = 0; i < SEARCH_EDITS; i++)
		out[i] = (a == b || rng_unit(rng) < v->crossover ? a : b)->genes[i];
	for (uint64_t k = mutate ? 1 + rng_below(rng, 2) : 0; k; k--)
		out[rng_below(rng, SEARCH_EDITS)] = rng_below(rng, 8) ? new_gene(rng) : 0;
}

static int child_model(const struct variation *v, const struct individual *a, const struct individual *b,
		       struct rng *rng, int mutate, struct individual *out, struct model **m, struct err *e)
{
	int rc;

	if (v->level == SEARCH_NETWORK) {
		cross_genes(v, a, b, rng, mutate, out->genes);
		return network_make(v->base->model, out->genes, v->options->layers, m, out->edits, &out->invalid, e);
	}
	rc = model_copy(v->base->model, m, e);
	if (!rc && v->level != SEARCH_INPUT) {
		rc = cross_weights(v, a->trial.model, b->trial.model, rng, mutate, *m, e);
		if (rc)
			model_free(*m);
	}
	return rc;
}

int variation_child(const struct variation *v, const struct individual *a, const struct individual *b, struct rng *rng,
		    int mutate, struct individual *out, struct err *e)
{
	size_t n = v->base->model->graph->inputs.n;
	struct individual x = {.has_logits = a->has_logits};
	struct value **in = mem_array(n + 1, sizeof *in);
	struct model *m = NULL;
	int rc;

	mutate = mutate || rng_unit(rng) < v->mutation;
	if (!in)
		return err_nomem(e, "inputs", n * sizeof *in);
	rc = child_model(v, a, b, rng, mutate, &x, &m, e);
	if (!rc) {
		rc = cross_inputs(v, &a->trial, &b->trial, rng, mutate, in, e);
		if (rc)
			model_free(m);
	}
	if (rc) {
		for (size_t i = 0; i < n; i++)
			value_unref(in[i]);
		mem_free(in);
		return rc;
	}
	rc = trial_init(&x.trial, m, in, v->base->seed, e);
	if (!rc)
		*out = x;
	return rc;
}
