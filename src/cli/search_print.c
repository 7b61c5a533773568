/* search_print.c - see search_print.h. */
#include "cli/search_print.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "cli/terminal.h"

/* ---- a model ----------------------------------------------------------------------------------------------------- */

static void print_nan_sources(FILE *out, json_t *sources)
{
	const char *op, *between = "  NaN comes from";
	json_t *n;

	json_object_foreach(sources, op, n)
	{
		fprintf(out, "%s %s %lld", between, op, (long long)json_integer_value(n));
		between = ",";
	}
	if (json_object_size(sources))
		fputc('\n', out);
}

void search_print_model(FILE *out, const struct search_model_report *r)
{
	fprintf(out, "%s: %zu nodes\n", r->model, r->nodes);
	fprintf(out, "  %-8s %6s %6s %6s %6s %6s %8s %8s  %5s %9s %10s\n", "level", "cases", "crash", "NaN", "incons.",
		"far", "accepted", "refused", "bug", "precision", "cases/s");
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		const struct search_counts *c = &r->result->levels[i];

		if (!c->cases)
			continue;
		fprintf(out, "  %-8s %6zu %6zu %6zu %6zu %6zu %8zu %8zu  %5zu %9zu %10.1f\n", search_level_names[i],
			c->cases, c->crash, c->nan, c->inconsistent, c->distance, c->accepted, c->refused,
			c->by_class[SEARCH_BUG], c->by_class[SEARCH_PRECISION],
			c->seconds > 0 ? (double)c->cases / c->seconds : 0);
	}
	print_nan_sources(out, r->nan_sources);
	if (r->result->out_of_time)
		fprintf(out, "  ended before all cases were made\n");
}

static json_t *first_json(size_t first)
{
	return first ? json_integer((json_int_t)first) : json_null();
}

static json_t *counts_json(const struct search_counts *c)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I}, s:o, s:o, s:f}",
		"networks", (json_int_t)c->networks, "networks_nan", (json_int_t)c->networks_nan,
		"networks_inconsistent", (json_int_t)c->networks_inconsistent, "cases", (json_int_t)c->cases,
		"evaluations", (json_int_t)c->evaluations, "invalid", (json_int_t)c->invalid, "crash",
		(json_int_t)c->crash, "nan", (json_int_t)c->nan, "inconsistent", (json_int_t)c->inconsistent, "far",
		(json_int_t)c->distance, "accepted", (json_int_t)c->accepted, "refused", (json_int_t)c->refused,
		"classes", "bug", (json_int_t)c->by_class[SEARCH_BUG], "difference",
		(json_int_t)c->by_class[SEARCH_DIFFERENCE], "precision", (json_int_t)c->by_class[SEARCH_PRECISION],
		"first_nan", first_json(c->first_nan), "first_inconsistent", first_json(c->first_inconsistent),
		"seconds", c->seconds);
}

json_t *search_model_json(const struct search_model_report *r)
{
	json_t *levels = json_object();

	for (int i = 0; i < SEARCH_LEVELS; i++)
		if (r->result->levels[i].cases)
			json_object_set_new(levels, search_level_names[i], counts_json(&r->result->levels[i]));
	return json_pack("{s:o, s:I, s:b, s:O, s:o}", "model", json_text(r->model), "nodes", (json_int_t)r->nodes,
			 "out_of_time", r->result->out_of_time, "nan_sources", r->nan_sources, "levels", levels);
}

/* ---- a finding --------------------------------------------------------------------------------------------------- */

json_t *search_finding_json(const char *model, const struct search_failure *f, const struct kept *kept,
			    enum search_class class, const struct blame *blame, size_t map_layers, const char *smallest)
{
	return json_pack("{s:o, s:s, s:I, s:I, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o}",
			 "model", json_text(model), "level", search_level_names[f->level], "generation",
			 (json_int_t)f->generation, "case", (json_int_t)f->number, "backend",
			 json_text(f->party->spec.name), "version", json_text(party_version(f->party)), "verdict",
			 verdict_name(f->outcome->verdict), "class", search_class_names[class], "noise_ratio",
			 json_number(f->outcome->ratio), "edits", json_text(f->edits), "evidence",
			 json_text(f->evidence), "reason", json_text(f->outcome->reason), "id", (json_int_t)kept->id,
			 "signature", json_text(kept->signature), "map_layers", (json_int_t)map_layers, "smallest",
			 json_text(smallest), "blame", blame_to_json(blame, f->party->spec.name));
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_line(FILE *out, const char *head, const char *text)
{
	char line[1400];

	if (!*text)
		return;
	snprintf(line, sizeof line, "%s%s", head, text);
	term_wrap(out, 2, 2, term_columns(out), line);
}

void search_print_finding(FILE *out, const json_t *f)
{
	json_int_t id = json_integer_value(json_object_get(f, "id"));
	const json_t *s;
	size_t i;

	fprintf(out, "%s, %s level: %s is %s (%s)\n", text_of(f, "model"), text_of(f, "level"), text_of(f, "backend"),
		text_of(f, "verdict"), text_of(f, "class"));
	print_line(out, "", text_of(f, "reason"));
	print_line(out, "network: ", text_of(f, "edits"));
	if (strcmp(text_of(f, "smallest"), text_of(f, "edits")) != 0)
		print_line(out, "enough for it: ", text_of(f, "smallest"));
	print_line(out, "", text_of(f, "evidence"));
	json_array_foreach(json_object_get(f, "blame"), i, s)
	{
		char line[600];

		snprintf(line, sizeof line, "%s '%s'%s%s", text_of(s, "op"), text_of(s, "node"),
			 *text_of(s, "parameter") ? ", " : "", text_of(s, "parameter"));
		print_line(out, "blamed: ", line);
	}
	if (id)
		fprintf(out, "  finding %lld: %s\nrepro: assay replay %lld\n", (long long)id, text_of(f, "signature"),
			(long long)id);
}
