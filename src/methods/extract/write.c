/* write.c - the smallest example of each pattern as a folder that other verbs take:
 *
 *     corpus/0001-Conv/model.onnx, inputs.npz, expected.npz     fuzz -i, reduce, replay
 *     corpus/0001-Conv/test_data_set_0/{input,output}_<n>.pb    conform, check, swap */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/place.h"
#include "blame/cut.h"
#include "case/outputs.h"
#include "judge/unjudged.h"
#include "methods/extract/extract.h"
#include "tensor/io.h"

#define MAX_NAME 120 /* of a case's folder */

/* A model of which cases are cut. */
struct cutting {
	struct extract *x;
	struct trial *t;
	unsigned char *kinds; /* by wire id */
	struct states states;
};

/* ---- the cut ----------------------------------------------------------------------------------------------------- */

static int plan(const struct cutting *c, const struct extract_pattern *p, struct cut *out, struct err *e)
{
	struct node *nodes[EXTRACT_MAX_CHAIN];

	for (int i = 0; i < p->n; i++)
		nodes[i] = c->t->model->graph->nodes.at[p->nodes[i]];
	return cut_plan(c->t, c->kinds, nodes, (size_t)p->n, 1, out, e);
}

/* What depends on shapes alone is a constant of the case, unless nothing else would be left to feed it with. */
static int cut_part(const struct cutting *c, const struct cut *cut, struct trial *out, struct err *e)
{
	size_t n = c->t->model->graph->wires.n;
	unsigned char *kinds = mem_array(n + 1, 1);
	int fed = 0, rc;

	if (!kinds)
		return err_nomem(e, "kinds of wires", n);
	memcpy(kinds, c->kinds, n);
	for (size_t i = 0; i < cut->n_from; i++)
		fed |= kinds[cut->from[i]->id] == WIRE_DATA;
	for (size_t i = 0; !fed && i < cut->n_from; i++)
		if (kinds[cut->from[i]->id] == WIRE_SHAPE)
			kinds[cut->from[i]->id] = WIRE_DATA;
	rc = cut_trial(c->t, kinds, cut, &c->states, out, e);
	mem_free(kinds);
	return rc;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* "0001-Conv-Relu": what is no letter or digit in an operator's name becomes _. */
static void name_case(const struct extract_pattern *p, const struct graph *g, char out[MAX_NAME + 1])
{
	int at = snprintf(out, MAX_NAME + 1, "%04zu", p->number);

	for (int i = 0; i < p->n && at < MAX_NAME; i++)
		at += snprintf(out + at, (size_t)(MAX_NAME + 1 - at), "-%s", g->nodes.at[p->nodes[i]]->op_type);
	for (char *c = out; *c; c++)
		if (!strchr("-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", *c))
			*c = '_';
}

static int save_test_data(struct trial *part, const char *folder, struct err *e)
{
	const struct graph *g = part->model->graph;
	char data[PLACE_PATH], path[PLACE_PATH];
	int rc = place_path(data, e, "%s/test_data_set_0", folder);

	if (!rc)
		rc = outputs_save(&part->truth, data, e);
	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		rc = place_path(path, e, "%s/input_%zu.pb", data, i);
		if (!rc && part->inputs[i])
			rc = pb_save_value(part->inputs[i], g->inputs.at[i]->name, path, e);
	}
	return rc;
}

/* Outputs with the largest rounding noise of an element. */
static json_t *outputs_json(const struct trial *part)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < part->truth.n; i++) {
		const struct ref_output *o = &part->truth.outputs[i];
		size_t n = o->noise ? value_elements(o->value) : 0;
		double most = n ? 0 : NAN;

		for (size_t k = 0; k < n; k++)
			most = fmax(most, (double)o->noise[k]);
		json_array_append_new(
			list, json_pack("{s:o, s:o}", "name", json_text(o->name), "noise", json_number_or_null(most)));
	}
	return list;
}

static int save_part(struct cutting *c, struct extract_pattern *p, struct trial *part, struct err *e)
{
	char name[MAX_NAME + 1], folder[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int rc;

	name_case(p, c->t->model->graph, name);
	rc = place_path(folder, e, "%s/corpus/%s", c->x->o->folder, name);
	if (rc)
		return rc;
	rc = trial_save(part, folder, e);
	if (!rc)
		rc = save_test_data(part, folder, e);
	if (rc) {
		place_remove_tree(folder, &ignored);
		return rc;
	}
	c->x->written++;
	json_object_set_new(p->json, "file", json_sprintf("corpus/%s/model.onnx", name));
	json_object_set_new(p->json, "outputs", outputs_json(part));
	return 0;
}

/* ---- one pattern ------------------------------------------------------------------------------------------------- */

static void leave_out(struct extract_pattern *p, size_t *count, const char *why)
{
	++*count;
	json_object_set_new(p->json, "left_out", json_text(why));
}

/* The right answer of a part is known, or why there is none. */
static int know_truth(struct trial *part, const char **why, struct err *e)
{
	int rc = trial_truth(part, e);

	if (unjudged_status(rc) || (!rc && (part->invalid || part->untold))) {
		err_clear(e);
		*why = part->why.msg;
		return 0;
	}
	return rc;
}

static int write_part(struct cutting *c, struct extract_pattern *p, const struct cut *cut, struct err *e)
{
	struct trial part = {0};
	const char *why = NULL;
	int rc = cut_part(c, cut, &part, e);

	if (!rc)
		rc = know_truth(&part, &why, e);
	if (!rc && !why)
		rc = save_part(c, p, &part, e);
	if (rc == ERR_UNSUPPORTED || rc == ERR_INPUT || rc == ERR_LIMIT) { /* a value that has no form in files, say */
		leave_out(p, &c->x->other, e->msg);
		err_clear(e);
		rc = 0;
	} else if (!rc && why) {
		leave_out(p, &c->x->other, why);
	}
	trial_release(&part);
	return rc;
}

static int is_too_large(const struct extract *x, const struct extract_pattern *p)
{
	return p->bytes > (size_t)x->o->max_bytes;
}

static int write_pattern(struct cutting *c, struct extract_pattern *p, struct err *e)
{
	struct cut cut = {0};
	char why[96];
	int rc;

	if (is_too_large(c->x, p)) {
		snprintf(why, sizeof why, "its inputs take %zu bytes, more than --max-bytes %lld", p->bytes,
			 (long long)c->x->o->max_bytes);
		leave_out(p, &c->x->too_large, why);
		return 0;
	}
	rc = plan(c, p, &cut, e);
	if (!rc && !cut.n_to)
		leave_out(p, &c->x->other, "nobody reads what it makes");
	else if (!rc)
		rc = write_part(c, p, &cut, e);
	cut_release(&cut);
	return rc;
}

/* ---- all of a model ---------------------------------------------------------------------------------------------- */

/* Those whose smallest example is in the model. */
static int each_pattern(struct cutting *c, size_t model,
			int (*fn)(struct cutting *, struct extract_pattern *, struct err *), struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < c->x->patterns.n && !rc; i++)
		if (c->x->patterns.at[i]->kept && c->x->patterns.at[i]->model == model)
			rc = fn(c, c->x->patterns.at[i], e);
	return rc;
}

static int want_pattern(struct cutting *c, struct extract_pattern *p, struct err *e)
{
	struct cut cut = {0};
	int rc;

	p->json = extract_pattern_json(c->x, p, c->t->model->graph);
	if (!p->json)
		return err_nomem(e, "JSON", 0);
	rc = is_too_large(c->x, p) ? 0 : plan(c, p, &cut, e);
	if (!rc && cut.from)
		states_want(&c->states, &cut, 0);
	cut_release(&cut);
	return rc;
}

/* Cases have sizes of their own: names that the whole model has for sizes would say nothing of them. */
static void forget_symbols(struct graph *g)
{
	for (size_t i = 0; i < g->wires.n; i++) {
		struct type *t = &g->wires.at[i]->type;

		for (int k = 0; k < t->rank; k++)
			if (t->dims[k] < DIM_UNKNOWN)
				t->dims[k] = DIM_UNKNOWN;
	}
}

int extract_write(struct extract *x, size_t model, struct trial *t, struct err *e)
{
	struct cutting c = {.x = x, .t = t, .kinds = cut_kinds(t, e)};
	int rc = c.kinds ? states_init(&c.states, t, e) : e->code;

	forget_symbols(t->model->graph);
	if (!rc)
		rc = each_pattern(&c, model, want_pattern, e);
	if (!rc)
		rc = states_take(&c.states, t, e);
	if (!rc)
		rc = each_pattern(&c, model, write_pattern, e);
	states_release(&c.states);
	mem_free(c.kinds);
	return rc;
}
