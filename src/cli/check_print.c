/* check_print.c - see check_print.h. */
#include "cli/check_print.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/terminal.h"

#define MAX_SUSPECTS 5 /* in the text; JSON has all */

static const char *name_of(const struct check_report *r, size_t backend)
{
	return r->result->backends[backend].party.spec.name;
}

static const char *other_of(const struct check_report *r, const struct check_difference *d)
{
	return *d->other ? d->other : name_of(r, d->b);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_backends(FILE *out, const struct check_report *r)
{
	size_t width = 8;

	for (size_t i = 0; i < r->result->n_backends; i++)
		if (strlen(name_of(r, i)) > width)
			width = strlen(name_of(r, i));
	fprintf(out, "  %-*s  %-11s %12s  %s\n", (int)width, "backend", "verdict", "noise ratio", "load + run");
	for (size_t i = 0; i < r->result->n_backends; i++) {
		const struct check_backend *b = &r->result->backends[i];
		char ratio[32];

		fprintf(out, "  %-*s  %-11s %12s  %.3f + %.3f s\n", (int)width, name_of(r, i), verdict_name(b->verdict),
			b->tally.judged || b->tally.vacuous ? terminal_ratio(b->ratio, ratio, sizeof ratio) : "-",
			b->load_seconds, b->run_seconds);
		if (*b->reason && b->verdict > VERDICT_VACUOUS)
			terminal_wrap(out, 4, 0, terminal_columns(out), b->reason);
	}
}

/* "16: 3  15-8: 2  …" without the empty bins. */
static void print_pattern(FILE *out, const struct check_pair *p)
{
	static const char *const class_names[] = {"16", "15-8", "7-4", "3-2", "1", "0"};
	static const char *const mad_names[] = {"0.8-1", "0.6-0.8", "0.4-0.6", "0.2-0.4", "0-0.2"};
	int by_class = !isnan(p->max_class);
	size_t n = by_class ? CHECK_CLASS_BINS : CHECK_MAD_BINS;

	for (size_t i = 0; i < n; i++) {
		size_t count = by_class ? p->class_bins[i] : p->mad_bins[i];

		if (count)
			fprintf(out, "  %s: %zu", by_class ? class_names[i] : mad_names[i], count);
	}
	fputc('\n', out);
}

static void print_pairs(FILE *out, const struct check_report *r)
{
	size_t inconsistent = 0;

	for (size_t i = 0; i < r->result->n_pairs; i++)
		inconsistent += (size_t)r->result->pairs[i].inconsistent;
	fprintf(out, "%zu of %zu pairs inconsistent, %zu unique (", inconsistent, r->result->n_pairs,
		r->result->n_unique);
	if (r->oracle)
		fprintf(out, "by the oracle '%s', limit %g)\n", r->oracle->name, r->oracle->oracle->limit);
	else
		fprintf(out, "class-based %s, MAD-based)\n", r->result->has_labels ? "with labels" : "by majority");
	for (size_t i = 0; i < r->result->n_pairs; i++) {
		const struct check_pair *p = &r->result->pairs[i];

		if (!p->inconsistent)
			continue;
		fprintf(out, "  %s / %s: ", name_of(r, p->a), name_of(r, p->b));
		if (r->oracle)
			fprintf(out, "distance %.3g, ", p->distance);
		fprintf(out, "class %g, MAD %.3g, %zu of %zu inputs, pattern %d:", p->max_class, p->max_mad,
			p->triggering, p->items, p->unique);
		print_pattern(out, p);
	}
}

static void print_differences(FILE *out, const struct check_report *r)
{
	for (size_t i = 0; i < r->result->n_differences; i++) {
		const struct check_difference *d = &r->result->differences[i];
		char line[1024];

		snprintf(line, sizeof line,
			 "%.200s and %.200s differ from each other on input %zu: %s; neither is blamed: "
			 "there is nothing to judge them by",
			 name_of(r, d->a), other_of(r, d), d->run, d->how);
		terminal_wrap(out, 2, 2, terminal_columns(out), line);
	}
}

/* The localization map as a table: nodes at or above the third quartile, in order of the network. */
static void print_map(FILE *out, const struct blame_map *m)
{
	if (*m->failed) {
		fprintf(out, "  no localization map, for want of hidden states\n");
		terminal_wrap(out, 4, 0, terminal_columns(out), m->failed);
		return;
	}
	fprintf(out, "  localization map: nodes above the third quartile of R_L (%.3g)\n", m->third_quartile);
	for (size_t i = 0; i < m->n; i++) {
		const struct blame_map_entry *x = &m->at[i];
		char ratio[32];

		if (x->above)
			fprintf(out, "    %-20s %-32s R_L %-10.3g δ %-10.3g noise ratio %s\n", x->node->op_type,
				x->node->name, x->rate, x->delta, terminal_ratio(x->noise_ratio, ratio, sizeof ratio));
	}
	if (m->exposing_hides)
		fprintf(out, "    with its intermediates exposed the backend gives other outputs: it fuses nodes,\n"
			     "    and the map shows the run without that fusion\n");
}

static void print_blame(FILE *out, const struct check_report *r, const struct check_blame *c, int with_map)
{
	if (c->blame.n)
		fprintf(out, "%s: blamed\n", name_of(r, c->backend));
	for (size_t i = 0; i < c->blame.n && i < MAX_SUSPECTS; i++) {
		const struct suspect *s = &c->blame.at[i];
		char ratio[32];

		fprintf(out, "  %d. %s '%s'%s%s", s->rank, s->node->op_type, s->node->name, *s->parameter ? ", " : "",
			s->parameter);
		if (!isnan(s->noise_ratio))
			fprintf(out, "; alone %s times the noise", terminal_ratio(s->noise_ratio, ratio, sizeof ratio));
		if (!isnan(s->rate))
			fprintf(out, "; R_L %.3g", s->rate);
		fprintf(out, "%s\n",
			s->effect == SWAP_GOES    ? "; with this node computed right the difference goes"
			: s->effect == SWAP_STAYS ? "; with this node computed right the difference stays"
						  : "");
	}
	if (c->blame.n > MAX_SUSPECTS)
		fprintf(out, "  and %zu more\n", c->blame.n - MAX_SUSPECTS);
	if (with_map && c->map.n)
		print_map(out, &c->map);
	if (c->kept.id)
		fprintf(out, "  finding %lld: %s\nrepro: assay replay %lld\n", (long long)c->kept.id, c->kept.signature,
			(long long)c->kept.id);
	else if (*c->kept.why)
		fprintf(out, "  not recorded: %s\n", c->kept.why);
}

void check_print_text(FILE *out, const struct check_report *r, int with_map)
{
	const struct check_result *c = r->result;

	fprintf(out, "%s: %zu nodes, %zu runs of %zu inputs: %s\n", r->model, r->graph->nodes.n, r->runs, r->items,
		verdict_name(c->verdict));
	print_backends(out, r);
	print_pairs(out, r);
	print_differences(out, r);
	for (size_t i = 0; i < r->located->n_blames; i++)
		print_blame(out, r, &r->located->blames[i], with_map);
	for (size_t i = 0; i < r->located->n_maps && with_map; i++) {
		fprintf(out, "%s / %s: where they part\n", name_of(r, r->located->maps[i].pair->a),
			name_of(r, r->located->maps[i].pair->b));
		print_map(out, &r->located->maps[i].map);
	}
	fprintf(out,
		"extraction %.2f s, comparison %.3f s, judging %.2f s, localization %.2f s; backends' own %.2f s\n",
		c->extract_seconds, c->compare_seconds, c->judge_seconds, r->located->seconds, c->own_seconds);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *bins_json(const size_t *bins, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)bins[i]));
	return list;
}

static json_t *pair_json(const struct check_report *r, const struct check_pair *p)
{
	json_t *pair = json_pack("{s:o, s:o, s:o, s:o, s:b, s:i, s:I, s:I, s:o, s:o}", "a", json_text(name_of(r, p->a)),
				 "b", json_text(name_of(r, p->b)), "max_d_class", json_number_or_null(p->max_class),
				 "max_d_mad", json_number(p->max_mad), "inconsistent", p->inconsistent, "pattern",
				 p->unique, "triggering", (json_int_t)p->triggering, "inputs", (json_int_t)p->items,
				 "class_bins", bins_json(p->class_bins, CHECK_CLASS_BINS), "mad_bins",
				 bins_json(p->mad_bins, CHECK_MAD_BINS));

	if (r->oracle)
		json_object_set_new(pair, "distance", json_number(p->distance));
	return pair;
}

static json_t *difference_json(const struct check_report *r, const struct check_difference *d)
{
	return json_pack("{s:o, s:o, s:I, s:o}", "a", json_text(name_of(r, d->a)), "b", json_text(other_of(r, d)),
			 "input", (json_int_t)d->run, "how", json_text(d->how));
}

static json_t *backend_json(const struct check_report *r, size_t i)
{
	const struct check_backend *b = &r->result->backends[i];

	return json_pack("{s:o, s:s, s:s, s:o, s:s?, s:o, s:I, s:I, s:I, s:o, s:f, s:f}", "backend",
			 json_text(name_of(r, i)), "version", party_version(&b->party), "verdict",
			 verdict_name(b->verdict), "noise_ratio",
			 b->tally.judged || b->tally.vacuous ? json_number(b->ratio) : json_null(), "explained_by",
			 b->explained_by, "reason", json_text(b->reason), "judged", (json_int_t)b->tally.judged,
			 "findings", (json_int_t)b->n_findings, "suspicious", (json_int_t)b->n_suspicious, "counts",
			 tally_json(&b->tally), "load_seconds", b->load_seconds, "run_seconds", b->run_seconds);
}

static json_t *map_json(const struct blame_map *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:b}", "node", json_text(m->at[i].node->name), "rate",
					json_number(m->at[i].rate), "delta", json_number(m->at[i].delta), "noise_ratio",
					json_number(m->at[i].noise_ratio), "above", m->at[i].above));
	return list;
}

json_t *check_print_json(const struct check_report *r)
{
	const struct check_result *c = r->result;
	json_t *names = json_array(), *pairs = json_array(), *verdicts = json_array(), *blame = json_array();
	json_t *differences = json_array(), *maps = json_object(), *pair_maps = json_array(), *findings = json_array();

	for (size_t i = 0; i < c->n_backends; i++) {
		json_array_append_new(names, json_text(name_of(r, i)));
		json_array_append_new(verdicts, backend_json(r, i));
	}
	for (size_t i = 0; i < c->n_pairs; i++)
		json_array_append_new(pairs, pair_json(r, &c->pairs[i]));
	for (size_t i = 0; i < c->n_differences; i++)
		json_array_append_new(differences, difference_json(r, &c->differences[i]));
	for (size_t i = 0; i < r->located->n_blames; i++) {
		json_t *one = blame_to_json(&r->located->blames[i].blame, name_of(r, r->located->blames[i].backend));

		json_array_extend(blame, one);
		json_decref(one);
		json_object_set_new(maps, name_of(r, r->located->blames[i].backend),
				    map_json(&r->located->blames[i].map));
		if (r->located->blames[i].kept.id)
			json_array_append_new(findings, json_integer((json_int_t)r->located->blames[i].kept.id));
	}
	for (size_t i = 0; i < r->located->n_maps; i++)
		json_array_append_new(pair_maps, json_pack("{s:o, s:o, s:o}", "a",
							   json_text(name_of(r, r->located->maps[i].pair->a)), "b",
							   json_text(name_of(r, r->located->maps[i].pair->b)), "map",
							   map_json(&r->located->maps[i].map)));
	return json_pack("{s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f}}",
			 "model", json_text(r->model), "backends", names, "verdict", verdict_name(c->verdict), "inputs",
			 (json_int_t)r->items, "unique_inconsistencies", (json_int_t)c->n_unique, "pairs", pairs,
			 "differences", differences, "backend_verdicts", verdicts, "blame", blame, "maps", maps,
			 "pair_maps", pair_maps, "findings", findings, "seconds", "extraction", c->extract_seconds,
			 "comparison", c->compare_seconds, "judging", c->judge_seconds, "localization",
			 r->located->seconds, "own", c->own_seconds);
}
