/* genes.c - crossover and mutation (Algorithm 1, lines 10 to 15).
 *
 * Crossover takes each gene from the first parent with rate r1, from the second otherwise.  Mutation adds Cauchy noise
 *
 *     x + γ tan(π (u - 1/2)),   u uniform in (0, 1),   γ = 10^scale · spread of the tensor
 *
 * to a random share of the genes.  What has become large becomes larger, which is how outliers (NaN) grow; what decides
 * between two classes must be moved by ever smaller steps.  So the scale is a gene, too: a child has its parent's,
 * somewhat changed, and selection finds out which is needed.  Nothing keeps values realistic: the oracle is not a label
 * but the reference.  Integers are rounded and stay in the range of the seed's, for they are indices of words. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "tensor/stats.h"

#define PI 3.14159265358979323846
#define LARGEST 3e38 /* of float32, nearly: infinity as an input or a weight would be no finding */
#define JITTER 1.5

void individual_release(struct individual *x)
{
	for (size_t i = 0; i < x->n_outcomes; i++)
		outcome_release(&x->outcomes[i]);
	mem_free(x->outcomes);
	trial_release(&x->trial);
	*x = (struct individual){0};
}

/* How a child is made of its parents. */
struct gene_recipe {
	const struct individual *a, *b; /* the parents; the same one twice: it has no other */
	int mutates;
	double scale;   /* of the noise */
	int is_between; /* on the line between them, at `at` of the way; else gene by gene */
	double at;
	int descends;  /* from the first parent alone, along the gradient (gradient.c) */
	double length; /* of that step: 1 would end in a tie if the network were linear */
};

static double draw_scale(const struct variation *v, struct rng *rng)
{
	if (!v->has_scale)
		return rng_uniform(rng, SCALE_FINEST, SCALE_COARSEST);
	return fmax(SCALE_FINEST, fmin(SCALE_COARSEST, v->scale + rng_uniform(rng, -JITTER, JITTER)));
}

/* Half of the children of two are somewhere between them: a decision lies between two cases of different classes.  A
 * child of one parent alone is a mutant, else it would be the same. */
static struct gene_recipe make_recipe(const struct variation *v, const struct individual *a, const struct individual *b,
				      int mutate, struct rng *rng)
{
	struct gene_recipe r = {.a = a, .b = b, .scale = draw_scale(v, rng), .at = rng_unit(rng)};

	r.is_between = a != b && v->level != SEARCH_NETWORK && !rng_below(rng, 4);
	r.mutates = !r.is_between && (mutate || a == b || rng_unit(rng) < v->mutation);
	if (v->options->gradients && v->level != SEARCH_NETWORK && rng_below(rng, 2)) {
		r.descends = 1;
		r.length = 1 + (rng_below(rng, 2) ? 1 : -1) * pow(10, SCALE_FINEST * rng_unit(rng));
		r.b = a;
		r.mutates = r.is_between = 0;
	}
	return r;
}

/* ---- one tensor -------------------------------------------------------------------------------------------------- */

/* Standard deviation of a wide tensor of floats; 1 when all are alike.  Squares of float32 do not overflow a double. */
static double spread_of(const struct tensor *t)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < t->count; i++)
		sum += t->f[i];
	mean = sum / (double)t->count;
	for (size_t i = 0; i < t->count; i++)
		squares += (t->f[i] - mean) * (t->f[i] - mean);
	return squares > 0 ? sqrt(squares / (double)t->count) : 1;
}

static double cauchy(struct rng *rng)
{
	return tan(PI * (rng_unit(rng) - 0.5));
}

static void shake_floats(struct tensor *t, double share, double scale, struct rng *rng)
{
	double most = t->dtype == DT_FLOAT16 ? 65504 : LARGEST, gamma = spread_of(t) * pow(10, scale);

	for (size_t i = 0; i < t->count; i++)
		if (rng_unit(rng) < share)
			t->f[i] = fmax(-most, fmin(most, t->f[i] + gamma * cauchy(rng)));
}

/* A word is another one or the same: what would move it by less than one moves fewer of them. */
static void shake_integers(const struct tensor *seed, struct tensor *t, double share, double scale, struct rng *rng)
{
	struct tensor_stats s;
	double gamma;

	tensor_stats(seed, &s);
	gamma = s.std * pow(10, scale);
	share *= fmin(1, gamma);
	gamma = fmax(1, gamma);
	for (size_t i = 0; i < t->count; i++)
		if (rng_unit(rng) < share)
			t->i[i] = (int64_t)fmax(s.min, fmin(s.max, round((double)t->i[i] + gamma * cauchy(rng))));
}

/* Gene i of two wide tensors.  Words have nothing between them: the nearer parent's. */
static int64_t cross_integer(const struct variation *v, const struct gene_recipe *r, int64_t a, int64_t b,
			     struct rng *rng)
{
	return (r->is_between ? r->at < 0.5 : rng_unit(rng) < v->crossover) ? a : b;
}

static double cross_float(const struct variation *v, const struct gene_recipe *r, double a, double b, struct rng *rng)
{
	if (r->is_between)
		return a + r->at * (b - a);
	return rng_unit(rng) < v->crossover ? a : b;
}

/* A wide tensor of two of one shape. */
static struct tensor *mix(const struct variation *v, const struct gene_recipe *r, struct tensor *a, struct tensor *b,
			  struct rng *rng, struct err *e)
{
	struct tensor *wide_a = tensor_widen(a, e), *wide_b = wide_a ? tensor_widen(b, e) : NULL;
	struct tensor *t = wide_b ? tensor_new(a->dtype, a->rank, a->dims, e) : NULL;

	if (t && a == b)
		memcpy(t->i, wide_a->i, t->count * sizeof *t->i); /* doubles are as wide as integers */
	else if (t && dtype_is_float(t->dtype))
		for (size_t i = 0; i < t->count; i++)
			t->f[i] = cross_float(v, r, wide_a->f[i], wide_b->f[i], rng);
	else if (t)
		for (size_t i = 0; i < t->count; i++)
			t->i[i] = cross_integer(v, r, wide_a->i[i], wide_b->i[i], rng);
	tensor_unref(wide_a);
	tensor_unref(wide_b);
	return t;
}

/* A packed child of two tensors of one shape. */
static struct tensor *cross(const struct variation *v, const struct tensor *seed, struct tensor *a, struct tensor *b,
			    const struct gene_recipe *r, struct rng *rng, struct err *e)
{
	double share = pow(10, -2 * rng_unit(rng));
	struct tensor *t, *packed;

	if (a == b && !r->mutates)
		return tensor_pack(a, e);
	t = mix(v, r, a, b, rng, e);
	if (!t)
		return NULL;
	if (r->mutates && dtype_is_float(t->dtype))
		shake_floats(t, share, r->scale, rng);
	else if (r->mutates)
		shake_integers(seed, t, share, r->scale, rng);
	if (dtype_is_float(t->dtype))
		tensor_round(t);
	packed = tensor_pack(t, e);
	tensor_unref(t);
	return packed;
}

/* Numbers that a search may change: no strings, no bools. */
static int is_gene(const struct tensor *t)
{
	return t && t->count && (dtype_is_float(t->dtype) || t->dtype == DT_INT64 || t->dtype == DT_INT32);
}

/* ---- inputs and weights ------------------------------------------------------------------------------------------ */

static int cross_inputs(const struct variation *v, const struct gene_recipe *r, struct rng *rng, struct value **in,
			struct err *e)
{
	const struct trial *a = &r->a->trial, *b = &r->b->trial;
	size_t n = v->base->model->graph->inputs.n;

	for (size_t i = 0; i < n; i++) {
		struct value *seed = v->base->inputs[i];
		struct tensor *t;

		in[i] = value_ref(a->inputs[i]);
		if (v->level == SEARCH_WEIGHT || v->level == SEARCH_NETWORK || !seed || seed->kind != VALUE_TENSOR ||
		    !is_gene(seed->tensor))
			continue;
		t = cross(v, seed->tensor, a->inputs[i]->tensor, b->inputs[i]->tensor, r, rng, e);
		value_unref(in[i]);
		in[i] = t ? value_tensor(t, e) : NULL;
		if (!in[i])
			return e->code;
	}
	return 0;
}

/* Float initializers; a single number is a setting (the bounds of a Clip), not a weight. */
int gene_is_weight(const struct tensor *t)
{
	return t && t->count > 1 && dtype_is_float(t->dtype);
}

static int cross_weights(const struct variation *v, const struct gene_recipe *r, struct rng *rng, struct model *m,
			 struct err *e)
{
	const struct graph *a = r->a->trial.model->graph, *b = r->b->trial.model->graph;
	const struct graph *base = v->base->model->graph;
	int rc = 0;

	for (size_t i = 0; i < base->wires.n && !rc; i++) {
		const char *name = base->wires.at[i]->name;
		const struct tensor *seed = base->wires.at[i]->init;
		const struct wire *of_a = graph_wire(a, name), *of_b = graph_wire(b, name);
		struct wire *w = graph_wire(m->graph, name);
		struct tensor *t;

		if (!gene_is_weight(seed) || !of_a || !of_b || !w)
			continue;
		t = cross(v, seed, of_a->init, of_b->init, r, rng, e);
		rc = t ? graph_set_init(w, t, e) : e->code;
	}
	return rc;
}

int variation_has_genes(const struct trial *base, enum search_level level)
{
	const struct graph *g = base->model->graph;

	if (level == SEARCH_NETWORK)
		return 1;
	for (size_t i = 0; i < g->inputs.n && level != SEARCH_WEIGHT; i++)
		if (base->inputs[i] && base->inputs[i]->kind == VALUE_TENSOR && is_gene(base->inputs[i]->tensor))
			return 1;
	for (size_t i = 0; i < g->wires.n && level != SEARCH_INPUT; i++)
		if (gene_is_weight(g->wires.at[i]->init))
			return 1;
	return 0;
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static uint64_t new_gene(struct rng *rng)
{
	return rng_u64(rng) | 1; /* 0: no gene */
}

/* Genes of a network: crossed one by one; mutation puts other edits into some of them, or takes one out.  A network
 * with no parent but the base gets several at once, for there is nothing yet that they could spoil. */
static void cross_genes(const struct variation *v, const struct gene_recipe *r, struct rng *rng, uint64_t *out)
{
	int empty = 1;

	for (size_t i = 0; i < SEARCH_EDITS; i++) {
		out[i] = (r->a == r->b || rng_unit(rng) < v->crossover ? r->a : r->b)->genes[i];
		empty &= !out[i];
	}
	for (uint64_t k = r->mutates ? 1 + rng_below(rng, empty ? SEARCH_EDITS : 3) : 0; k; k--)
		out[rng_below(rng, SEARCH_EDITS)] = rng_below(rng, 8) ? new_gene(rng) : 0;
}

static int child_model(const struct variation *v, const struct gene_recipe *r, struct rng *rng, struct individual *out,
		       struct model **m, struct err *e)
{
	int rc;

	if (v->level == SEARCH_NETWORK) {
		cross_genes(v, r, rng, out->genes);
		return network_make(v->base->model, out->genes, v->options->layers, m, out->edits, &out->invalid, e);
	}
	rc = model_copy(v->base->model, m, e);
	if (!rc && v->level != SEARCH_INPUT) {
		rc = cross_weights(v, r, rng, *m, e);
		if (rc)
			model_free(*m);
	}
	return rc;
}

static void release_inputs(struct value **in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		value_unref(in[i]);
		in[i] = NULL;
	}
}

/* Model and inputs of a child; on failure there is neither. */
static int make_child(const struct variation *v, const struct gene_recipe *r, struct rng *rng, struct individual *x,
		      struct model **m, struct value **in, struct err *e)
{
	int rc = child_model(v, r, rng, x, m, e);

	if (rc)
		return rc;
	rc = cross_inputs(v, r, rng, in, e);
	if (rc) {
		model_free(*m);
		release_inputs(in, v->base->model->graph->inputs.n);
	}
	return rc;
}

/* One that follows the gradient; where there is none to follow, a mutant. */
static int make_descendant(const struct variation *v, struct gene_recipe *r, struct rng *rng, struct individual *x,
			   struct model **m, struct value **in, struct err *e)
{
	int taken = 0, rc = make_child(v, r, rng, x, m, in, e);

	if (rc || !r->descends)
		return rc;
	rc = gradient_step(v, x->has_logits, r->length, *m, in, &taken, e);
	if (!rc && taken)
		return 0;
	model_free(*m);
	release_inputs(in, v->base->model->graph->inputs.n);
	r->mutates = 1;
	return rc ? rc : make_child(v, r, rng, x, m, in, e);
}

int variation_child(const struct variation *v, const struct individual *a, const struct individual *b, struct rng *rng,
		    int mutate, struct individual *out, struct err *e)
{
	size_t n = v->base->model->graph->inputs.n;
	struct individual x = {.has_logits = a->has_logits, .number = out->number};
	struct value **in = mem_array(n + 1, sizeof *in);
	struct gene_recipe r = make_recipe(v, a, b, mutate, rng);
	struct model *m = NULL;
	int rc;

	x.scale = r.scale;
	if (!in)
		return err_nomem(e, "inputs", n * sizeof *in);
	rc = make_descendant(v, &r, rng, &x, &m, in, e);
	x.hears_layers = !rc && v->options->nan_layers && !x.invalid;
	if (x.hears_layers) {
		rc = search_expose_layers(m, e);
		if (rc) {
			model_free(m);
			release_inputs(in, n);
		}
	}
	if (rc) {
		mem_free(in);
		return rc;
	}
	rc = trial_init(&x.trial, m, in, v->base->seed, e);
	if (!rc)
		*out = x;
	return rc;
}

int variation_base(const struct variation *v, struct individual *x, struct err *e)
{
	size_t n = v->base->model->graph->inputs.n;
	struct value **in;
	struct model *m = NULL;
	int rc;

	x->hears_layers = v->options->nan_layers;
	if (!x->hears_layers)
		return trial_copy(v->base, &x->trial, e);
	in = mem_array(n + 1, sizeof *in);
	rc = in ? model_copy(v->base->model, &m, e) : err_nomem(e, "inputs", n * sizeof *in);
	if (!rc && search_expose_layers(m, e)) {
		model_free(m);
		rc = e->code;
	}
	for (size_t i = 0; i < n && !rc; i++)
		in[i] = value_ref(v->base->inputs[i]);
	if (!rc)
		return trial_init(&x->trial, m, in, v->base->seed, e);
	mem_free(in);
	return rc;
}

int variation_network(const struct variation *v, const struct trial *like, struct individual *x, struct err *e)
{
	size_t n = like->model->graph->inputs.n;
	struct value **in = mem_array(n + 1, sizeof *in);
	struct model *m = NULL;
	int rc = in ? 0 : err_nomem(e, "inputs", n * sizeof *in);

	if (!rc)
		rc = network_make(v->base->model, x->genes, v->options->layers, &m, x->edits, &x->invalid, e);
	for (size_t i = 0; i < n && !rc; i++)
		in[i] = value_ref(like->inputs[i]);
	if (!rc)
		return trial_init(&x->trial, m, in, v->base->seed, e);
	mem_free(in);
	return rc;
}
