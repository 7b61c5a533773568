/* picture.c - what was found as JSON and as a picture of the network. */
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "methods/narrow/internal.h"
#include "report/report.h"
#include "report/text.h"

#define DECADES 4.0 /* of the colours: from a thousandth of what is tolerated to ten times that */
#define PALEST -3.0
#define MANY_NODES 600 /* of a larger network the picture shows what is around the marked nodes */
#define WORTH 0.01     /* what marks a node there */

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *reach_json(const struct graph *g, const struct narrow_target *t, const struct narrow_reach *r)
{
	return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "error", json_number(r->error), "of_target",
			 json_number(r->error / t->limit), "output",
			 r->output < g->outputs.n ? json_text(g->outputs.at[r->output]->name) : json_null(), "run",
			 (json_int_t)r->run, "rows", (json_int_t)r->rows, "rows_moved", (json_int_t)r->moved);
}

static json_t *target_json(const struct narrow_target *t)
{
	return t->top ? json_string("top1") : json_number(t->limit);
}

static json_t *row_json(const struct narrow_row *r)
{
	return json_pack(
		"{s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:I, s:o, s:I, s:I}", "node", json_text(r->node->name), "op",
		json_text(r->node->op_type), "tensor", json_text(r->wire->name), "narrowed", r->narrowed, "float32",
		r->kept, "local", json_number_or_null(r->local), "accumulated", json_number(r->accumulated), "effect",
		json_number_or_null(r->effect), "effect_of_nodes", (json_int_t)r->together, "largest",
		json_number(r->largest), "overflows", (json_int_t)r->overflows, "become_zero", (json_int_t)r->lost);
}

json_t *narrow_json(const struct narrow_result *r, const char *model)
{
	static const char *const answers[] = {[NARROW_ALL] = "all",
					      [NARROW_SOME] = "some",
					      [NARROW_NONE] = "none",
					      [NARROW_NOTHING] = "nothing",
					      [NARROW_BEYOND] = "beyond"};
	json_t *kept = json_array(), *rows = json_array();

	for (size_t i = 0; i < r->n_kept; i++)
		json_array_append_new(kept, json_text(r->kept[i]->name));
	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(rows, row_json(&r->rows[i]));
	return json_pack(
		"{s:o, s:s, s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:I}", "model", json_text(model),
		"precision", narrow_type_name(r->o.type), "target", target_json(&r->o.target), "runs",
		(json_int_t)r->n_data, "nodes", (json_int_t)r->graph->nodes.n, "nodes_narrowed", (json_int_t)r->nodes,
		"answer", answers[r->answer], "float32", reach_json(r->graph, &r->o.target, &r->wide), "narrow",
		reach_json(r->graph, &r->o.target, &r->narrow), "keep", kept, "minimal", r->minimal, "kept",
		reach_json(r->graph, &r->o.target, &r->mixed), "tensors", rows, "network_runs", (json_int_t)r->runs);
}

static json_t *pair_json(const struct narrow_pair *p)
{
	static const char *const how[] = {
		[NARROW_UNMATCHED] = "none", [NARROW_BY_NAME] = "name", [NARROW_BY_VALUES] = "values"};

	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "node", json_text(p->node->name), "op",
			 json_text(p->node->op_type), "tensor", json_text(p->wire->name), "match", how[p->match],
			 "other_node", p->other_node ? json_text(p->other_node->name) : json_null(), "other_tensor",
			 p->other ? json_text(p->other->name) : json_null(), "correlation",
			 json_number_or_null(p->correlation), "local", json_number_or_null(p->local), "accumulated",
			 json_number_or_null(p->accumulated), "effect", json_number_or_null(p->effect));
}

json_t *narrow_against_json(const struct narrow_against *a, const char *model, const char *original)
{
	json_t *pairs = json_array();

	for (size_t i = 0; i < a->n; i++)
		json_array_append_new(pairs, pair_json(&a->pairs[i]));
	return json_pack("{s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o}", "model", json_text(model), "against",
			 json_text(original), "target", target_json(&a->target), "runs", (json_int_t)a->n_data,
			 "outputs", reach_json(a->graph, &a->target, &a->reach), "matched", (json_int_t)a->n_matched,
			 "first_beyond", a->first ? json_text(a->first->wire->name) : json_null(), "largest_effect",
			 a->worst ? json_text(a->worst->wire->name) : json_null(), "tensors", pairs);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A node's shade by what it does in units of what is tolerated, on a scale of decades. */
static const char *shade(struct arena *a, double x)
{
	char color[8];

	return arena_strdup(a, svg_map_shade(x > 0 ? (log10(x) - PALEST) / DECADES : 0, color));
}

static int is_marked(const struct graph *g, double x, int special)
{
	return g->nodes.n <= MANY_NODES || special || x >= WORTH;
}

static struct svg_node *blank_notes(const struct graph *g, struct arena *a)
{
	struct svg_node *notes = arena_array(a, g->nodes.n + 1, sizeof *notes);

	for (size_t i = 0; notes && i < g->nodes.n; i++)
		notes[i] = (struct svg_node){"", "", ""};
	return notes;
}

static int draw(const struct graph *g, const struct svg_node *notes, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!notes[i].color || !notes[i].note || !notes[i].tip)
			return err_nomem(e, "a picture", g->nodes.n);
	return svg_graph(g->model, notes, MANY_NODES, out, e);
}

int narrow_svg(const struct narrow_result *r, struct buf *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct svg_node *notes = blank_notes(r->graph, &a);
	int rc = notes ? 0 : err_nomem(e, "a picture", r->graph->nodes.n);

	for (size_t i = 0; i < r->n && !rc; i++) {
		const struct narrow_row *row = &r->rows[i];
		struct svg_node *note = &notes[row->node->index];
		char effect[32], local[32], all[32];

		if (!row->narrowed || *note->color || !is_marked(r->graph, row->effect, row->kept))
			continue;
		note->color = shade(&a, row->effect);
		note->note =
			arena_printf(&a, "%seffect %s", row->kept ? "float32  " : "", text_number(row->effect, effect));
		note->tip =
			arena_printf(&a, "%s (%s): local loss %s, accumulated %s, %s of what the outputs tolerate%s%s",
				     row->node->name, row->node->op_type, text_number(row->local, local),
				     text_number(row->accumulated, all), text_number(row->effect, effect),
				     row->overflows ? "; overflow" : "", row->kept ? "; stays in float32" : "");
	}
	if (!rc)
		rc = draw(r->graph, notes, out, e);
	arena_release(&a);
	return rc;
}

int narrow_against_svg(const struct narrow_against *t, struct buf *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct svg_node *notes = blank_notes(t->graph, &a);
	int rc = notes ? 0 : err_nomem(e, "a picture", t->graph->nodes.n);

	for (size_t i = 0; i < t->n && !rc; i++) {
		const struct narrow_pair *p = &t->pairs[i];
		struct svg_node *note = &notes[p->node->index];
		char local[32], all[32], effect[32];

		if (!p->other || *note->color || !is_marked(t->graph, p->effect, p == t->first))
			continue;
		note->color = shade(&a, p->effect);
		note->note = arena_printf(&a, "%seffect %s", p == t->first ? "begins here  " : "",
					  text_number(p->effect, effect));
		note->tip = arena_printf(
			&a, "%s (%s), counterpart %s: local loss %s, accumulated %s, %s of what the outputs tolerate",
			p->node->name, p->node->op_type, p->other->name, text_number(p->local, local),
			text_number(p->accumulated, all), text_number(p->effect, effect));
	}
	if (!rc)
		rc = draw(t->graph, notes, out, e);
	arena_release(&a);
	return rc;
}
