/* lower.c - see lower.h. */
#include "support/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "blame/blame.h"
#include "reference/precision.h"
#include "support/bench.h"
#include "support/plants.h"

#define VISIBLE 5.0                 /* units of noise, as in faults.c */
#define MAX_WIRES 4096              /* of a network */
#define OPEN_FAULT "relu_drops_nan" /* Relu of NaN may be 0: no fault in a network, where ONNX alone decides */

/* ---- int8 networks ----------------------------------------------------------------------------------------------- */

/* The largest absolute value of each float that a node makes, by wire id. */
static int note_range(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		      void *arg)
{
	double *range = arg;

	(void)n, (void)out, (void)noise;
	if (v->kind != VALUE_TENSOR || v->tensor->dtype != DT_FLOAT || w->id >= MAX_WIRES)
		return 0;
	for (size_t i = 0; i < v->tensor->count; i++)
		range[w->id] = isfinite(v->tensor->f[i]) ? fmax(range[w->id], fabs(v->tensor->f[i])) : (double)INFINITY;
	return 0;
}

static struct wire *constant(struct graph *g, const char *name, enum dtype t, double x)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(t, 0, NULL, &e);
	struct wire *w = NULL;

	bench_must(wide ? 0 : e.code, &e);
	if (dtype_is_float(t))
		wide->f[0] = x;
	else
		wide->i[0] = (int64_t)x;
	bench_must(graph_add_init(g, name, tensor_pack(wide, &e), &w, &e), &e);
	tensor_unref(wide);
	return w;
}

/* Puts QuantizeLinear and DequantizeLinear behind a wire. */
static void quantize_wire(struct graph *g, struct wire *w, double range)
{
	struct arena *a = &g->model->arena;
	struct err e = ERR_INIT;
	struct wire *s = constant(g, arena_printf(a, "%s.scale", w->name), DT_FLOAT, range / 127);
	struct wire *z = constant(g, arena_printf(a, "%s.zero", w->name), DT_INT8, 0);
	struct node *q, *d;

	bench_must(graph_append_node(g, "QuantizeLinear", (struct wire *[]){w, s, z}, 3,
				     arena_printf(a, "%s.int8", w->name), &q, &e),
		   &e);
	bench_must(graph_append_node(g, "DequantizeLinear", (struct wire *[]){q->out[0], s, z}, 3,
				     arena_printf(a, "%s.back", w->name), &d, &e),
		   &e);
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; g->nodes.at[i] != q && k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == w)
				g->nodes.at[i]->in[k] = d->out[0];
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == w)
			g->outputs.at[i] = d->out[0];
}

/* The network with int8 behind every node that makes floats which are numbers. */
static struct trial int8_trial(const struct net *net, const char *line, uint64_t seed)
{
	double *range = mem_array(MAX_WIRES, sizeof *range);
	struct ref_options o = {.mode = REF_EXACT, .observe = note_range, .observe_arg = range};
	struct trial plain = plant_trial(net, line, seed), t;
	struct ref_result r;
	struct err e = ERR_INIT;
	struct model *m;
	size_t wires;

	bench_must(ref_run(plain.ref, plain.inputs, plain.model->graph->inputs.n, &o, &r, &e), &e);
	ref_result_release(&r);
	net->build(line, 1, &m);
	wires = m->graph->wires.n;
	for (size_t i = 0; i < wires && i < MAX_WIRES; i++)
		if (m->graph->wires.at[i]->producer && range[i] > 0 && isfinite(range[i]))
			quantize_wire(m->graph, m->graph->wires.at[i], range[i]);
	bench_must(graph_sort(m->graph, &e), &e);
	bench_must(trial_init(&t, m, nets_inputs(m->graph, seed), seed, &e), &e);
	bench_must(trial_truth(&t, &e), &e);
	if (t.invalid)
		bench_die(&t.why);
	trial_release(&plain);
	mem_free(range);
	return t;
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* The rounded reference in a precision, with a fault at the site (or one at no node) as a library: as `check` does it.
 */
static enum verdict judge(struct trial *t, enum ref_precision p, const char *fault, const char *site)
{
	struct outcome got = {0};
	struct blame_request q = {.trial = t, .outcome = &got, .seconds = 60};
	const struct node *guilty = NULL;
	struct err e = ERR_INIT;
	struct party library;
	char name[128];
	enum verdict v;

	snprintf(name, sizeof name, "fault:%s@%s%s%s", fault, site, p ? "+precision=" : "",
		 p ? precision_row(p)->name : "");
	bench_must(party_open(&library, name, NULL, &e), &e);
	q.accused = &library;
	bench_must(trial_judge(t, &library, NULL, &got, &e), &e);
	bench_must(trial_doubt(t, NULL, DOUBT_FULL, &got, &e), &e);
	bench_must(trial_explain(t, &library, NULL, &got, &e), &e);
	if (got.verdict == VERDICT_EXPLAINED || got.doubtful)
		bench_must(blame_alone(&q, &guilty, &e), &e);
	v = guilty ? VERDICT_WRONG : got.verdict;
	outcome_release(&got);
	party_close(&library);
	return v;
}

/* The largest change that a fault makes, in units of the noise of a network in that precision. */
static double visible(struct trial *t, enum ref_precision p, const struct fault *f)
{
	const struct ref_options o = {.mode = REF_NOISY, .precision = p, .seed = t->seed};
	struct ref_result faulty, noise;
	struct err e = ERR_INIT;
	double worst = 0;

	plant_run(t, REF_EXACT, f, NULL, &faulty);
	bench_must(ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &o, &noise, &e), &e);
	for (size_t i = 0; i < faulty.n; i++) {
		struct judgement j;

		judge_value(noise.outputs[i].value, noise.outputs[i].noise, faulty.outputs[i].value, JUDGE_LIMIT, &j);
		worst = fmax(worst, j.ratio);
	}
	ref_result_release(&faulty);
	ref_result_release(&noise);
	return worst;
}

static void plant(struct trial *t, enum ref_precision p, const struct fault_row *row, const char *where, int list,
		  struct lower_tally *out)
{
	int open = !strcmp(row->name, OPEN_FAULT);
	double size = visible(t, p, row->fault);
	enum verdict v;

	out->planted++;
	out->open += (size_t)open;
	if (open || !(size > VISIBLE))
		return;
	v = judge(t, p, row->name, NETS_SITE);
	out->visible++;
	out->found += (size_t)verdict_is_finding(v);
	if (list)
		printf("%s: %-22s %-12s %10.3g %s\n", out->name, row->name, where, size, verdict_name(v));
}

static void look_at_clean(struct trial *t, enum ref_precision p, const char *where, int list, struct lower_tally *out)
{
	enum verdict v = judge(t, p, "relu6", "nowhere");

	out->clean++;
	out->alarms += (size_t)verdict_is_finding(v);
	out->explained += v == VERDICT_EXPLAINED;
	if (list && verdict_is_finding(v))
		printf("%s: false alarm in %s: %s\n", out->name, where, verdict_name(v));
}

void lower_faults(const char *only, int list, int clean, struct lower_tally *bf16, struct lower_tally *int8)
{
	for (const struct fault_example *x = fault_examples; x->fault; x++)
		for (const struct net *net = nets; net->name; net++) {
			const struct fault_row *row = fault_find(x->fault);
			struct trial t, q;

			if (row->fault->kind != FAULT_VALUE || (only && strcmp(only, row->name) != 0))
				continue;
			t = plant_trial(net, x->line, 3);
			q = int8_trial(net, x->line, 3);
			plant(&t, REF_BF16, row, net->name, list, bf16);
			plant(&q, REF_OWN, row, net->name, list, int8);
			if (bf16->clean < (size_t)clean) {
				look_at_clean(&t, REF_BF16, net->name, list, bf16);
				look_at_clean(&q, REF_OWN, net->name, list, int8);
			}
			trial_release(&t);
			trial_release(&q);
		}
}
