/* index.c - index.json: what each case is, where it comes from and how often models use it. */
#include <math.h>

#include "base/json.h"
#include "methods/extract/extract.h"

static json_t *range_json(const struct extract_range *r)
{
	return json_pack("{s:o, s:o, s:I, s:I}", "min", json_number_or_null(r->min > r->max ? NAN : r->min), "max",
			 json_number_or_null(r->min > r->max ? NAN : r->max), "nan", (json_int_t)r->nan, "infinite",
			 (json_int_t)r->infinite);
}

static json_t *inputs_json(const struct extract_pattern *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_ports; i++) {
		const struct extract_port *port = &p->ports[i];

		json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:b, s:o}", "name", json_text(port->name),
						      "type", port->type, "word", port->word, "constant",
						      port->constant, "range", range_json(&port->range)));
	}
	return list;
}

static json_t *nodes_json(const struct extract_pattern *p, const struct graph *g)
{
	json_t *list = json_array();

	for (int i = 0; i < p->n; i++) {
		const struct node *n = g->nodes.at[p->nodes[i]];

		json_array_append_new(list, json_pack("{s:o, s:o, s:i, s:o, s:o}", "op", json_text(n->op_type),
						      "domain", json_text(n->domain), "version", n->version, "name",
						      json_text(n->name), "attributes", extract_attributes(n)));
	}
	return list;
}

static json_t *uses_json(const struct extract *x, const struct extract_pattern *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->uses.n; i++)
		json_array_append_new(list, json_pack("{s:o, s:I}", "model",
						      json_text(x->models.at[p->uses.at[i].model].name), "count",
						      (json_int_t)p->uses.at[i].count));
	return list;
}

json_t *extract_pattern_json(const struct extract *x, const struct extract_pattern *p, const struct graph *g)
{
	return json_pack("{s:n, s:s, s:o, s:o, s:I, s:o, s:o, s:I}", "file", "kind",
			 p->n == 1 ? "operation" : "subgraph", "nodes", nodes_json(p, g), "inputs", inputs_json(p),
			 "count", (json_int_t)p->count, "uses", uses_json(x, p), "from",
			 json_text(x->models.at[p->model].name), "bytes", (json_int_t)p->bytes);
}

static json_t *models_json(const struct extract *x)
{
	json_t *list = json_array();

	for (size_t i = 0; i < x->models.n; i++) {
		const struct extract_model *m = &x->models.at[i];
		json_t *row = json_pack("{s:o, s:I, s:I, s:b}", "model", json_text(m->name), "nodes",
					(json_int_t)m->nodes, "runs", (json_int_t)m->runs, "chains_cut", m->chains_cut);

		if (m->error)
			json_object_set_new(row, "error", json_text(m->error));
		json_array_append_new(list, row);
	}
	return list;
}

json_t *extract_index(const struct extract *x)
{
	json_t *cases = json_array();

	for (size_t i = 0; i < x->patterns.n; i++)
		if (x->patterns.at[i]->kept && x->patterns.at[i]->json)
			json_array_append(cases, x->patterns.at[i]->json);
	return json_document(json_pack("{s:I, s:o, s:I, s:o}", "seed", (json_int_t)x->o->seed, "models", models_json(x),
				       "subgraphs_left_out", (json_int_t)x->left_out, "cases", cases));
}
