/* gradients.c - the right gradients of a case, and a library's against them (declared in trial.h). */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "judge/internal.h"
#include "judge/random.h"
#include "ops/op.h"

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

/* Numbers of the output's own type between -1 and 1: ones would let the gradients of a Softmax vanish. */
static struct tensor *make_seed(const struct tensor *y, struct rng *rng, struct err *e)
{
	struct tensor *s = tensor_new(y->dtype, y->rank, y->dims, e);

	for (size_t i = 0; s && i < s->count; i++)
		s->f[i] = rng_uniform(rng, -1, 1);
	if (s)
		tensor_round(s);
	return s;
}

int trial_seed_gradients(struct trial *t, struct err *e)
{
	size_t n = t->model->graph->outputs.n;
	struct rng root, rng;
	int rc = trial_truth(t, e);

	if (rc || t->invalid || t->grad_seeds)
		return rc;
	rng_init(&root, t->seed);
	rng = rng_split(&root, UINT64_C(0x67726164));
	t->grad_seeds = mem_array(n, sizeof *t->grad_seeds);
	if (!t->grad_seeds)
		return err_nomem(e, "seeds", n * sizeof *t->grad_seeds);
	for (size_t i = 0; i < n; i++) {
		const struct value *y = t->truth.outputs[i].value;

		if (y->kind == VALUE_TENSOR && dtype_is_float(y->dtype) &&
		    !(t->grad_seeds[i] = make_seed(y->tensor, &rng, e)))
			return e->code;
	}
	return 0;
}

/* ---- what has a gradient ----------------------------------------------------------------------------------------- */

enum dtype trial_wire_dtype(const struct wire *w)
{
	return w->init ? w->init->dtype : w->type.kind == VALUE_TENSOR ? w->type.dtype : DT_UNDEFINED;
}

static int is_trained(const struct node *n, int i)
{
	return !n->op || i >= OP_MAX_PORTS || !(n->op->in[i].flags & (PORT_UNTRAINED | PORT_SETTING));
}

unsigned char *trial_gradient_flow(const struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	unsigned char *needed = mem_array(g->wires.n, 1);

	if (!needed)
		err_nomem(e, "gradients", g->wires.n);
	for (size_t i = 0; needed && i < g->outputs.n; i++)
		if (t->grad_seeds[i] && g->outputs.at[i]->graph == g)
			needed[g->outputs.at[i]->id] = 1;
	for (size_t i = g->nodes.n; needed && i > 0; i--) {
		const struct node *n = g->nodes.at[i - 1];
		int any = 0;

		for (int k = 0; k < n->n_out; k++)
			any |= n->out[k] && needed[n->out[k]->id];
		for (int k = 0; k < n->n_in && any; k++)
			if (n->in[k] && n->in[k]->graph == g && dtype_is_float(trial_wire_dtype(n->in[k])) &&
			    is_trained(n, k))
				needed[n->in[k]->id] = 1;
	}
	return needed;
}

/* Float inputs that were given, and float initializers, by position in the graph. */
static int find_wires(struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	unsigned char *needed = trial_gradient_flow(t, e);

	if (!needed)
		return e->code;
	mem_free(t->grad_wires);
	t->grad_wires = mem_array(g->wires.n, sizeof *t->grad_wires);
	if (!t->grad_wires) {
		mem_free(needed);
		return err_nomem(e, "gradients", g->wires.n * sizeof *t->grad_wires);
	}
	t->n_grads = 0;
	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i];

		if (needed[i] && !w->producer && (w->is_input || w->init) && dtype_is_float(trial_wire_dtype(w)))
			t->grad_wires[t->n_grads++] = w;
	}
	mem_free(needed);
	return 0;
}

/* ---- truth ------------------------------------------------------------------------------------------------------- */

static int all_zero(const struct tensor *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->f[i] != 0)
			return 0;
	return 1;
}

/* A bound, a ratio, an exponent, of which libraries have no gradient: a number without an axis, or one that has no
 * influence. */
static int is_setting(const struct wire *w, const struct tensor *grad)
{
	return !w->is_input && (!grad->rank || (grad->count == 1 && all_zero(grad)));
}

/* Forgets what is a setting. */
static void keep_relevant(struct trial *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_grads; i++) {
		if (is_setting(t->grad_wires[i], t->grads[i])) {
			tensor_unref(t->grads[i]);
			mem_free(t->grad_noise[i]);
			continue;
		}
		t->grad_wires[kept] = t->grad_wires[i];
		t->grads[kept] = t->grads[i];
		t->grads[kept]->dtype = trial_wire_dtype(t->grad_wires[i]);
		t->grad_noise[kept++] = t->grad_noise[i];
	}
	t->n_grads = kept;
}

struct ref_gradient trial_gradient_request(const struct trial *t)
{
	return (struct ref_gradient){.inputs = t->inputs,
				     .n = t->model->graph->inputs.n,
				     .seeds = t->grad_seeds,
				     .wanted = t->grad_wires,
				     .n_wanted = t->n_grads};
}

static int compute(struct trial *t, struct err *e)
{
	struct ref_options o = {.seed = t->seed};
	const struct ref_gradient of = trial_gradient_request(t);
	size_t n = t->n_grads;
	int rc;

	t->grads = mem_array(n, sizeof *t->grads);
	t->grad_noise = mem_array(n, sizeof *t->grad_noise);
	t->n_grads = 0; /* until they are there */
	if (!t->grads || !t->grad_noise)
		rc = err_nomem(e, "gradients", n * sizeof *t->grads);
	else
		rc = ref_backward_noisy(t->ref, &of, &o, t->grads, t->grad_noise, e);
	if (rc) {
		mem_free(t->grads);
		mem_free(t->grad_noise);
		t->grads = NULL;
		t->grad_noise = NULL;
		return rc;
	}
	t->n_grads = n;
	keep_relevant(t);
	return 0;
}

int trial_truth_gradients(struct trial *t, struct err *e)
{
	int rc;

	if (t->grads)
		return 0;
	rc = trial_seed_gradients(t, e);
	if (rc || t->invalid)
		return rc;
	rc = find_wires(t, e);
	if (!rc && !t->n_grads)
		rc = err_set(e, ERR_UNSUPPORTED, "no output depends on a float input or initializer");
	return rc ? rc : compute(t, e);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* Gradients of what is random are random. */
static int depends_on_chance(const struct trial *t, int *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	unsigned char *random;
	int rc = random_wires(g, 1, &random, e);

	*out = 0;
	for (size_t i = 0; !rc && i < g->outputs.n; i++)
		*out |= t->grad_seeds[i] && g->outputs.at[i]->graph == g && random[g->outputs.at[i]->id];
	if (!rc)
		mem_free(random);
	return rc;
}

/* What the elements under a maximum share must stay what it is, whoever of those that are equal gets it. */
static int keeps_sum(const struct trial *t, const struct outcome *o, const struct ref_kinks *k, double limit)
{
	double sum = 0, noise = 0;

	for (size_t i = 0; i < o->n; i++)
		for (size_t j = 0; tensor_same_shape(o->grads[i], t->grads[i]) && j < t->grads[i]->count; j++) {
			double got = tensor_get(o->grads[i], j);

			sum += got;
			noise += (double)t->grad_noise[i][j] + dtype_roundoff(t->grads[i]->dtype) * fabs(got);
		}
	return !k->kept || fabs(sum - k->sum) <= limit * noise;
}

/* Whether an element of gradient i is between the ends, give or take the roundings of these or its own noise. */
static int is_between(const struct trial *t, const struct ref_kinks *k, size_t i, size_t j, double got, double limit)
{
	double low = k->low[i]->f[j], high = k->high[i]->f[j], u = dtype_roundoff(t->grads[i]->dtype);
	double room = limit * fmax((double)t->grad_noise[i][j], u * fmax(fabs(low), fabs(high)));

	return low < high && got >= low - room && got <= high + room;
}

/* Judges gradient i once more: what lies between the ends of a kink is right, what has ends that are not known, or is
 * no number, is not judged.  Nothing is promised there. */
static int judge_between(const struct trial *t, const struct ref_kinks *k, size_t i, double limit, struct outcome *o,
			 struct err *e)
{
	const struct tensor *got = o->grads[i];
	struct tensor *right = tensor_copy(t->grads[i], e);
	float *noise = mem_array(t->grads[i]->count, sizeof *noise);
	int rc = !right ? e->code : noise ? 0 : err_nomem(e, "gradients", t->grads[i]->count);

	for (size_t j = 0; !rc && j < right->count; j++) {
		noise[j] = t->grad_noise[i][j];
		if (!isfinite(right->f[j]) || isinf(k->high[i]->f[j]))
			noise[j] = INFINITY;
		else if (tensor_same_shape(got, right) && is_between(t, k, i, j, tensor_get(got, j), limit))
			right->f[j] = tensor_get(got, j);
	}
	if (!rc)
		judge_tensor(right, noise, got, limit, &o->judged[i]);
	tensor_unref(right);
	mem_free(noise);
	return rc;
}

static int judge_at_kinks(struct trial *t, double limit, struct outcome *o, struct err *e)
{
	const struct ref_gradient of = trial_gradient_request(t);
	const struct ref_options options = {.seed = t->seed};
	struct ref_kinks k = {0};
	int wrong = 0, rc = 0;

	for (size_t i = 0; i < o->n; i++)
		wrong |= verdict_is_finding(o->judged[i].verdict);
	if (!wrong)
		return 0;
	rc = ref_backward_kinks(t->ref, &of, &options, &k, e);
	if (!rc && keeps_sum(t, o, &k, limit))
		for (size_t i = 0; i < o->n && !rc; i++)
			if (verdict_is_finding(o->judged[i].verdict))
				rc = judge_between(t, &k, i, limit, o, e);
	ref_kinks_release(&k);
	return rc;
}

static int judge_grads(struct trial *t, double limit, struct outcome *o, struct err *e)
{
	int chance, rc = depends_on_chance(t, &chance, e);

	if (rc)
		return rc;
	o->judged = mem_array(o->n, sizeof *o->judged);
	if (!o->judged)
		return err_nomem(e, "verdicts", o->n * sizeof *o->judged);
	for (size_t i = 0; i < o->n; i++)
		if (chance)
			o->judged[i] =
				(struct judgement){.verdict = VERDICT_VACUOUS, .reason = "random by specification"};
		else
			judge_tensor(t->grads[i], t->grad_noise[i], o->grads[i], limit, &o->judged[i]);
	rc = judge_at_kinks(t, limit, o, e);
	if (rc)
		return rc;
	outcome_summarize(o);
	if (o->n)
		outcome_explain(o, "gradient of", t->grad_wires[o->worst]->name);
	return verdict_is_finding(o->verdict) ? gradients_doubt(t, limit, o, e) : 0;
}

static int conclude(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *o,
		    struct err *e)
{
	double limit = judge_limit(options);

	if (o->report.result != WORKER_OK)
		return outcome_without_values(t, p, options, o, e);
	if (options && options->no_truth) {
		o->verdict = VERDICT_VACUOUS;
		snprintf(o->reason, sizeof o->reason, "only run, not compared");
		return 0;
	}
	return judge_grads(t, limit, o, e);
}

int trial_judge_given(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *o,
		      struct err *e)
{
	int rc = trial_truth_gradients(t, e);

	o->gradient = 1;
	if (!rc && t->invalid) /* it is judged by running it */
		return err_set(e, ERR_UNSUPPORTED, "no gradients of what is not valid: %.800s", t->why.msg);
	if (!rc)
		rc = conclude(t, p, options, o, e);
	if (!rc)
		outcome_ask_quirks(t, p, options, o);
	return rc;
}

int trial_judge_gradients(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
			  struct err *e)
{
	struct outcome o = {0};
	int rc = trial_truth_gradients(t, e);

	if (!rc && !t->invalid)
		rc = party_backward(p, t, &o, e);
	if (!rc)
		rc = trial_judge_given(t, p, options, &o, e);
	if (rc)
		outcome_release(&o);
	else
		*out = o;
	return rc;
}
