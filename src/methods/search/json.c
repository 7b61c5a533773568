/* json.c - what a search found, as JSON (declared in keep.h). */
#include "base/json.h"
#include "methods/search/keep.h"

static json_t *first_json(size_t first)
{
	return first ? json_integer((json_int_t)first) : json_null();
}

static json_t *distance_json(double d)
{
	return d < 0 ? json_null() : json_number(d);
}

static json_t *counts_json(const struct search_counts *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I}, s:o, s:o, "
			 "s:{s:o, s:o, s:o}, s:f}",
			 "networks", (json_int_t)c->networks, "networks_nan", (json_int_t)c->networks_nan,
			 "networks_inconsistent", (json_int_t)c->networks_inconsistent, "cases", (json_int_t)c->cases,
			 "evaluations", (json_int_t)c->evaluations, "invalid", (json_int_t)c->invalid, "crash",
			 (json_int_t)c->crash, "nan", (json_int_t)c->nan, "inconsistent", (json_int_t)c->inconsistent,
			 "far", (json_int_t)c->distance, "accepted", (json_int_t)c->accepted, "refused",
			 (json_int_t)c->refused, "classes", "bug", (json_int_t)c->by_class[SEARCH_BUG], "difference",
			 (json_int_t)c->by_class[SEARCH_DIFFERENCE], "precision",
			 (json_int_t)c->by_class[SEARCH_PRECISION], "first_nan", first_json(c->first_nan),
			 "first_inconsistent", first_json(c->first_inconsistent), "distance", "base",
			 distance_json(c->base_distance), "most", distance_json(c->most_distance), "inconsistent",
			 distance_json(c->inconsistent_distance), "seconds", c->seconds);
}

json_t *search_model_json(const struct search_model_report *r)
{
	json_t *levels = json_object();

	for (int i = 0; i < SEARCH_LEVELS; i++)
		if (r->result->levels[i].cases)
			json_object_set_new(levels, search_level_names[i], counts_json(&r->result->levels[i]));
	return json_pack("{s:o, s:O?, s:I, s:I, s:b, s:O, s:o, s:o}", "model", json_text(r->model), "input_sizes",
			 r->sizes, "nodes", (json_int_t)r->nodes, "bases", (json_int_t)r->result->bases, "out_of_time",
			 r->result->out_of_time, "nan_sources", r->nan_sources, "counts",
			 tally_rows_json(r->rows, r->n_rows), "levels", levels);
}

json_t *search_finding_json(const char *model, const struct search_failure *f, const struct kept *kept,
			    enum search_class class, const struct blame *blame, size_t map_layers, const char *smallest)
{
	return json_pack(
		"{s:o, s:s, s:I, s:I, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:s, s:I, s:o, s:o}", "model",
		json_text(model), "level", search_level_names[f->level], "generation", (json_int_t)f->generation,
		"case", (json_int_t)f->number, "backend", json_text(f->party->spec.name), "version",
		json_text(party_version(f->party)), "verdict", verdict_name(f->outcome->verdict), "class",
		search_class_names[class], "noise_ratio", json_number(f->outcome->ratio), "edits", json_text(f->edits),
		"evidence", json_text(f->evidence), "reason", json_text(f->outcome->reason), "id", (json_int_t)kept->id,
		"signature", json_text(kept->signature), "repro", kept->repro, "map_layers", (json_int_t)map_layers,
		"smallest", json_text(smallest), "blame", blame_to_json(blame, f->party->spec.name));
}
