/* stream.c - hidden states of a library beside the reference's, a few nodes at a time.
 *
 * The reference runs once.  Whenever it comes to nodes whose states the library has not shown yet, the library runs the
 * network with the outputs of the next nodes exposed, as many as fit into STREAM_BYTES; each is compared when the
 * reference has computed it, and forgotten.  So memory does not grow with the network, at the price of one run of the
 * library for each group. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"
#include "judge/distance.h"

#define STREAM_BYTES ((size_t)128 << 20)
#define UNKNOWN_BYTES ((size_t)1 << 20) /* assumed where shapes are not known beforehand */

struct stream {
	struct blaming *b;
	struct trial *t;
	struct party *other;
	unsigned char *kinds;
	size_t begin, end;     /* nodes whose states are held */
	struct value **ours;   /* by wire id */
	struct value **theirs; /* … of the other library */
	struct blame_map *map;
	struct err *e;
};

/* ---- exposing ---------------------------------------------------------------------------------------------------- */

static int is_exposed(const struct stream *s, const struct wire *w)
{
	return w && s->kinds[w->id] != WIRE_CONSTANT && (w->type.kind == VALUE_TENSOR || w->type.kind == VALUE_NONE);
}

static size_t bytes_of(const struct type *t)
{
	size_t count;

	if (!type_is_static(t) || tensor_shape_count(t->rank, t->dims, &count, NULL))
		return UNKNOWN_BYTES;
	return dtype_packed_size(t->dtype, count);
}

static void choose_group(struct stream *s, size_t first)
{
	const struct graph *g = s->t->model->graph;
	size_t bytes = 0;

	s->begin = s->end = first;
	while (s->end < g->nodes.n && (s->end == first || bytes < STREAM_BYTES)) {
		const struct node *n = g->nodes.at[s->end++];

		for (int i = 0; i < n->n_out; i++)
			if (is_exposed(s, n->out[i]))
				bytes += bytes_of(&n->out[i]->type);
	}
}

/* Of what nodes make: a case has sizes where its model has names, and a library told of both may fail to see that they
 * are one. */
static void forget_symbols(struct graph *g)
{
	for (size_t i = 0; i < g->wires.n; i++)
		for (int k = 0; g->wires.at[i]->producer && k < g->wires.at[i]->type.rank; k++)
			if (g->wires.at[i]->type.dims[k] < 0)
				g->wires.at[i]->type.dims[k] = DIM_UNKNOWN;
}

static int expose(struct model *m, void *arg, struct err *e)
{
	const struct stream *s = arg;
	int rc = 0;

	forget_symbols(m->graph);
	for (size_t i = s->begin; i < s->end && !rc; i++) {
		const struct node *n = s->t->model->graph->nodes.at[i];

		for (int k = 0; k < n->n_out && !rc; k++) {
			struct wire *w = is_exposed(s, n->out[k]) ? graph_wire(m->graph, n->out[k]->name) : NULL;

			if (w && !graph_has_output(m->graph, w))
				rc = graph_add_output(m->graph, w, e);
		}
	}
	return rc;
}

/* ---- the library's side ------------------------------------------------------------------------------------------ */

/* Does the whole case fail in the same way when its inside is looked at?  Where nothing failed (a map of two libraries
 * that differ by rounding), does it give the same bits? */
static void compare_outputs(struct stream *s, const struct outcome *o)
{
	const struct outcome *plain = s->b->r->outcome;
	const struct trial *t = s->t;
	int wrong = 0;

	if (!verdict_is_finding(plain->verdict)) {
		for (size_t i = 0; plain->values && i < plain->n && i < o->n; i++)
			if (plain->values[i]->kind == VALUE_TENSOR && o->values[i]->kind == VALUE_TENSOR)
				s->map->exposing_hides |=
					!tensor_same_bits(plain->values[i]->tensor, o->values[i]->tensor);
		return;
	}
	for (size_t i = 0; i < t->truth.n; i++) {
		struct judgement j;

		if (t->truth.outputs[i].value->kind != VALUE_TENSOR || o->values[i]->kind != VALUE_TENSOR)
			continue;
		judge_tensor(t->truth.outputs[i].value->tensor, t->truth.outputs[i].noise, o->values[i]->tensor,
			     judge_limit(&s->b->options), &j);
		wrong |= verdict_is_finding(j.verdict);
	}
	if (t == s->b->r->trial && t->truth.n && !wrong)
		s->map->exposing_hides = 1;
}

static int show(struct stream *s, struct party *p, struct value **states)
{
	struct trial exposed = {0};
	struct outcome o = {0};
	int rc = blame_variant(s->t, expose, s, NULL, &exposed, s->e);

	if (!rc)
		rc = blaming_run(s->b, p, &exposed, &o, s->e);
	if (!rc && !o.values) {
		json_object_set_new(s->b->said, "hidden_states_failed", json_text(o.reason));
		snprintf(s->map->failed, sizeof s->map->failed, "%s: %.200s", p->spec.name, o.reason);
	}
	for (size_t i = 0; !rc && o.values && i < o.n; i++) {
		const struct wire *w = graph_wire(s->t->model->graph, exposed.model->graph->outputs.at[i]->name);

		if (w->producer && w->producer->index >= (int)s->begin && !states[w->id])
			states[w->id] = value_ref(o.values[i]);
	}
	if (!rc && o.values && p == s->b->party)
		compare_outputs(s, &o);
	outcome_release(&o);
	trial_release(&exposed);
	return rc;
}

static int next_group(struct stream *s, size_t first)
{
	int rc;

	choose_group(s, first);
	rc = show(s, s->b->party, s->ours);
	if (!rc && s->other)
		rc = show(s, s->other, s->theirs);
	return rc;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* δ, infinite where one side has a number and the other has none. */
static double state_distance(const struct tensor *a, const struct tensor *b)
{
	double d;

	if (!tensor_same_shape(a, b) || a->dtype != b->dtype)
		return (double)INFINITY;
	if (a->dtype == DT_STRING)
		return (double)NAN;
	d = distance_mad(a, b);
	if (isfinite(d))
		return d;
	d = 0;
	for (size_t i = 0; i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (!(isnan(x) && isnan(y)) && !(isinf(x) && isinf(y) && signbit(x) == signbit(y)))
			d += fabs(x - y) / (double)a->count;
	}
	return isfinite(d) ? d : (double)INFINITY;
}

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

static void compare(struct stream *s, const struct wire *w, const struct value *v, const float *noise)
{
	struct blame_map_entry *entry = &s->map->at[w->producer->index];
	const struct value *ours = s->ours[w->id], *theirs = s->other ? s->theirs[w->id] : v;
	struct judgement j;

	if (!ours || !theirs || v->kind != VALUE_TENSOR || ours->kind != VALUE_TENSOR || theirs->kind != VALUE_TENSOR)
		return;
	entry->delta = larger(entry->delta, state_distance(ours->tensor, theirs->tensor));
	if (!noise)
		return;
	judge_tensor(v->tensor, noise, ours->tensor, JUDGE_LIMIT, &j);
	entry->noise_ratio = larger(entry->noise_ratio, j.ratio);
}

static void forget(struct stream *s, const struct wire *w)
{
	value_unref(s->ours[w->id]);
	value_unref(s->theirs[w->id]);
	s->ours[w->id] = s->theirs[w->id] = NULL;
}

static int observe(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		   void *arg)
{
	struct stream *s = arg;
	int rc = 0;

	(void)out;
	if (s->kinds[w->id] == WIRE_CONSTANT)
		return 0;
	if ((size_t)n->index >= s->end)
		rc = next_group(s, (size_t)n->index);
	if (!rc)
		compare(s, w, v, noise);
	forget(s, w);
	return rc;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void number_entries(struct stream *s, const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		int constant = 1;

		for (int k = 0; k < n->n_out; k++)
			constant &= !n->out[k] || s->kinds[n->out[k]->id] == WIRE_CONSTANT;
		s->map->at[i] = (struct blame_map_entry){.node = n,
							 .delta = constant ? 0 : (double)NAN,
							 .rate = constant ? (double)NAN : 0,
							 .noise_ratio = NAN};
	}
}

static int measure(struct stream *s, int noisy)
{
	struct ref_options o = {
		.mode = noisy ? REF_NOISY : REF_EXACT, .seed = s->t->seed, .observe = observe, .observe_arg = s};
	struct ref_result result = {0};
	int rc = s->t->ref ? 0 : ref_open(s->t->model, &s->t->ref, s->e);

	if (!rc)
		rc = ref_run(s->t->ref, s->t->inputs, s->t->model->graph->inputs.n, &o, &result, s->e);
	ref_result_release(&result);
	return rc;
}

int stream_measure(struct blaming *b, struct trial *t, int noisy, struct blame_map *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct blame_map map = {.n = g->nodes.n, .at = mem_array(g->nodes.n, sizeof *map.at)};
	struct stream s = {.b = b,
			   .t = t,
			   .kinds = cut_kinds(t, e),
			   .map = &map,
			   .e = e,
			   .ours = mem_array(g->wires.n, sizeof *s.ours),
			   .theirs = mem_array(g->wires.n, sizeof *s.theirs)};
	int rc = map.at && s.kinds && s.ours && s.theirs ? 0 : err_nomem(e, "a map", g->wires.n);

	s.other = b->r->other && b->r->other->worker ? b->r->other : NULL;
	if (!rc) {
		number_entries(&s, g);
		rc = measure(&s, noisy);
		for (size_t i = 0; i < g->wires.n; i++)
			forget(&s, g->wires.at[i]);
	}
	mem_free(s.kinds);
	mem_free(s.ours);
	mem_free(s.theirs);
	if (rc)
		blame_map_release(&map);
	else
		*out = map;
	return rc;
}
