/* plants.c - see plants.h. */
#include "support/plants.h"

#include <math.h>

#include "base/mem.h"
#include "support/bench.h"

struct trial plant_trial(const struct net *net, const char *line, uint64_t seed)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct trial t;

	net->build(line, 1, &m);
	bench_must(trial_init(&t, m, nets_inputs(m->graph, seed), seed, &e), &e);
	bench_must(trial_truth(&t, &e), &e);
	if (t.invalid)
		bench_die(&t.why);
	return t;
}

void plant_run(struct trial *t, enum ref_mode mode, const struct fault *f, size_t *applied, struct ref_result *out)
{
	struct ref_options o = {.mode = mode, .seed = t->seed};
	struct fault_state state = {.applied = 0};
	struct err e = ERR_INIT;

	if (f)
		fault_plant_at(f, NETS_SITE, &state, &o);
	o.mode = mode;
	bench_must(ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &o, out, &e), &e);
	if (applied)
		*applied = state.applied;
}

double plant_ratio(const struct trial *t, const struct ref_result *r)
{
	double worst = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct judgement j;

		judge_value(t->truth.outputs[i].value, t->truth.outputs[i].noise, r->outputs[i].value, JUDGE_LIMIT, &j);
		worst = fmax(worst, j.ratio);
	}
	return worst;
}

void plant_gradients(struct trial *t, enum ref_mode mode, const struct fault *f, size_t *applied, struct value **out)
{
	struct ref_options o = {.mode = mode, .seed = t->seed};
	const struct ref_gradient of = {.inputs = t->inputs,
					.n = t->model->graph->inputs.n,
					.seeds = t->grad_seeds,
					.wanted = t->grad_wires,
					.n_wanted = t->n_grads};
	struct tensor **grads = mem_array(t->n_grads, sizeof *grads);
	struct fault_state state = {.applied = 0};
	struct err e = ERR_INIT;

	if (f)
		fault_plant_at(f, NETS_SITE, &state, &o);
	o.mode = mode;
	bench_must(ref_backward(t->ref, &of, &o, grads, &e), &e);
	for (size_t i = 0; i < t->n_grads; i++) {
		struct tensor *packed;

		grads[i]->dtype = t->grads[i]->dtype;
		packed = mode == REF_EXACT ? tensor_ref(grads[i]) : tensor_pack(grads[i], &e);
		if (!packed || !(out[i] = value_tensor(packed, &e)))
			bench_die(&e);
		tensor_unref(grads[i]);
	}
	mem_free(grads);
	if (applied)
		*applied = state.applied;
}
