/* json.c - what a check found, for programs (declared in report.h). */
#include <math.h>

#include "base/json.h"
#include "methods/check/report.h"

const char *check_name_of(const struct check_report *r, size_t backend)
{
	return r->result->backends[backend].party.spec.name;
}

const char *check_other_of(const struct check_report *r, const struct check_difference *d)
{
	return *d->other ? d->other : check_name_of(r, d->b);
}

static json_t *bins_json(const size_t *bins, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)bins[i]));
	return list;
}

static json_t *pair_json(const struct check_report *r, const struct check_pair *p)
{
	json_t *pair = json_pack(
		"{s:o, s:o, s:o, s:o, s:b, s:i, s:I, s:I, s:o, s:o}", "a", json_text(check_name_of(r, p->a)), "b",
		json_text(check_name_of(r, p->b)), "max_d_class", json_number_or_null(p->max_class), "max_d_mad",
		json_number(p->max_mad), "inconsistent", p->inconsistent, "pattern", p->pattern, "triggering",
		(json_int_t)p->triggering, "inputs", (json_int_t)p->items, "class_bins",
		bins_json(p->class_bins, CHECK_CLASS_BINS), "mad_bins", bins_json(p->mad_bins, CHECK_MAD_BINS));

	json_object_set_new(pair, "explained", json_boolean(p->explained));
	if (r->oracle)
		json_object_set_new(pair, "distance", json_number(p->distance));
	return pair;
}

/* By output: which distance it has; null where it is not compared. */
static json_t *tasks_json(const struct check_result *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_tasks; i++)
		json_array_append_new(list, c->tasks[i] ? json_string(check_task_names[c->tasks[i]]) : json_null());
	return list;
}

static json_t *difference_json(const struct check_report *r, const struct check_difference *d)
{
	return json_pack("{s:o, s:o, s:I, s:o}", "a", json_text(check_name_of(r, d->a)), "b",
			 json_text(check_other_of(r, d)), "input", (json_int_t)d->run, "how", json_text(d->how));
}

const char *check_held_name(const struct check_report *r, size_t i)
{
	return i < r->result->n_backends ? check_name_of(r, i) : "reference";
}

static json_t *held_json(const struct check_report *r, size_t i)
{
	const struct check_held *h = &r->result->held[i];

	return json_pack("{s:o, s:s, s:s, s:o, s:I, s:o, s:I, s:o, s:o, s:I, s:I, s:o}", "backend",
			 json_text(check_held_name(r, i)), "verdict", verdict_name(h->verdict), "by",
			 h->by_tolerance ? "tolerance" : "rounding", "ratio", json_number(h->ratio), "input",
			 (json_int_t)h->run, "output", json_text(h->output), "element", (json_int_t)h->worst.worst,
			 "got", json_number(h->worst.got), "expected", json_number(h->worst.exact), "runs",
			 (json_int_t)h->n_runs, "findings", (json_int_t)h->n_findings, "reason", json_text(h->reason));
}

static json_t *expected_json(const struct check_report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; r->result->held && i <= r->result->n_backends; i++)
		if (r->result->held[i].n_runs)
			json_array_append_new(list, held_json(r, i));
	return list;
}

/* The element that a backend's verdict is about; null when nothing came out, or when what came has another shape. */
static json_t *worst_json(const struct check_report *r, const struct check_backend *b)
{
	const struct outcome *o = b->worst_run < b->n ? &b->runs[b->worst_run] : NULL;
	const struct judgement *j = o && o->judged && o->worst < o->n ? &o->judged[o->worst] : NULL;

	if (!j || !j->beyond || isnan(j->exact) || o->gradient || o->worst >= r->graph->outputs.n)
		return json_null();
	return json_pack("{s:I, s:o, s:I, s:o, s:o}", "input", (json_int_t)b->worst_run, "output",
			 json_text(r->graph->outputs.at[o->worst]->name), "element", (json_int_t)j->worst, "got",
			 json_number(j->got), "expected", json_number(j->exact));
}

/* Decisions of a backend; null where the first output has none. */
static json_t *impact_json(const struct check_report *r, const struct check_impact *x)
{
	int has_right = x->against < r->result->n_backends;

	if (!x->decisions)
		return json_null();
	return json_pack("{s:I, s:o, s:o, s:o}", "decisions", (json_int_t)x->decisions, "correct",
			 r->result->has_labels ? json_integer((json_int_t)x->correct) : json_null(), "flips",
			 has_right ? json_integer((json_int_t)x->flips) : json_null(), "against",
			 has_right ? json_text(check_name_of(r, x->against)) : json_null());
}

static json_t *backend_json(const struct check_report *r, size_t i)
{
	const struct check_backend *b = &r->result->backends[i];

	return json_pack("{s:o, s:s, s:s, s:b, s:o, s:o, s:s?, s:o, s:I, s:I, s:I, s:o, s:o, s:f, s:f}", "backend",
			 json_text(check_name_of(r, i)), "version", party_version(&b->party), "verdict",
			 verdict_name(b->verdict), "is_finding", verdict_is_finding(b->verdict), "worst",
			 worst_json(r, b), "noise_ratio",
			 b->tally.judged || b->tally.vacuous ? json_number(b->ratio) : json_null(), "explained_by",
			 b->explained_by, "reason", json_text(b->reason), "judged", (json_int_t)b->tally.judged,
			 "findings", (json_int_t)b->n_findings, "suspicious", (json_int_t)b->n_suspicious, "counts",
			 tally_json(&b->tally), "impact", impact_json(r, &b->impact), "load_seconds", b->load_seconds,
			 "run_seconds", b->run_seconds);
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

json_t *check_json(const struct check_report *r)
{
	const struct check_result *c = r->result;
	json_t *names = json_array(), *pairs = json_array(), *verdicts = json_array(), *blame = json_array();
	json_t *differences = json_array(), *maps = json_object(), *pair_maps = json_array(), *findings = json_array(),
	       *root;
	int out_of_time = 0;

	for (size_t i = 0; i < c->n_backends; i++) {
		json_array_append_new(names, json_text(check_name_of(r, i)));
		json_array_append_new(verdicts, backend_json(r, i));
	}
	for (size_t i = 0; i < c->n_pairs; i++)
		json_array_append_new(pairs, pair_json(r, &c->pairs[i]));
	for (size_t i = 0; i < c->n_differences; i++)
		json_array_append_new(differences, difference_json(r, &c->differences[i]));
	for (size_t i = 0; i < r->located->n_blames; i++) {
		json_t *one =
			blame_to_json(&r->located->blames[i].blame, check_name_of(r, r->located->blames[i].backend));

		out_of_time |= r->located->blames[i].out_of_time;
		json_array_extend(blame, one);
		json_decref(one);
		json_object_set_new(maps, check_name_of(r, r->located->blames[i].backend),
				    map_json(&r->located->blames[i].map));
		if (r->located->blames[i].kept.id)
			json_array_append_new(findings, json_integer((json_int_t)r->located->blames[i].kept.id));
	}
	for (size_t i = 0; i < r->located->n_maps; i++)
		json_array_append_new(pair_maps,
				      json_pack("{s:o, s:o, s:o}", "a",
						json_text(check_name_of(r, r->located->maps[i].pair->a)), "b",
						json_text(check_name_of(r, r->located->maps[i].pair->b)), "map",
						map_json(&r->located->maps[i].map)));
	root = json_pack("{s:o, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f}}",
			 "model", json_text(r->model), "backends", names, "verdict", verdict_name(c->verdict), "inputs",
			 (json_int_t)r->items, "unique_inconsistencies", (json_int_t)c->n_unique, "pairs", pairs,
			 "differences", differences, "backend_verdicts", verdicts, "blame", blame, "maps", maps,
			 "pair_maps", pair_maps, "findings", findings, "seconds", "extraction", c->extract_seconds,
			 "comparison", c->compare_seconds, "judging", c->judge_seconds, "localization",
			 r->located->seconds, "own", c->own_seconds);
	if (root) {
		json_object_set_new(root, "patterns", json_integer((json_int_t)c->n_patterns));
		json_object_set_new(root, "tasks", tasks_json(c));
	}
	if (root && out_of_time)
		json_object_set_new(root, "localize_out_of_time", json_true());
	if (root && c->held)
		json_object_set_new(root, "expected", expected_json(r));
	return root;
}
