/* json.c - what equiv found, for programs (declared in equiv.h). */
#include "base/json.h"
#include "methods/equiv/equiv.h"

static json_t *finding_json(const struct equiv *q, size_t i, const struct equiv_finding *f,
			    const struct equiv_options *o)
{
	struct buf repro;
	json_t *j;

	buf_init(&repro, 65536);
	equiv_repro(q, i, o, &repro);
	j = json_pack("{si, ss, ss?, ss?, so, ss, so, so, so, so, sI, sI, sI, ss, ss, ss, ss, so}", "rule",
		      q->pairs[i].rule->number, "rule_id", q->pairs[i].rule->id, "set_a", q->pairs[i].sets[0], "set_b",
		      q->pairs[i].sets[1], "api", json_text(q->pairs[i].name), "verdict", verdict_name(f->verdict), "a",
		      json_text(f->a), "b", json_text(f->b), "detail", json_text(f->detail), "noise_ratio",
		      json_number(f->ratio), "shown", (json_int_t)f->shown, "inputs", (json_int_t)q->results[i].inputs,
		      "elements", (json_int_t)f->elements, "oracle", equiv_oracle(f), "wrong_side", equiv_wrong_side(f),
		      "class", equiv_class_name(f->class), "class_reason", f->why, "repro",
		      json_text(repro.data ? repro.data : ""));
	buf_release(&repro);
	return j;
}

/* Operations that took no call, with what the library said last. */
static json_t *refusals_json(const struct equiv *q)
{
	json_t *list = json_array();

	for (size_t i = 0; i < q->n; i++) {
		const struct equiv_result *r = &q->results[i];

		if (r->run && q->pairs[i].api && r->calls == r->refusals)
			json_array_append_new(list, json_pack("{si, so, so}", "rule", q->pairs[i].rule->number, "api",
							      json_text(q->pairs[i].name), "said", json_text(r->said)));
	}
	return list;
}

/* Pairs of which one side answers and the other gives an error. */
static json_t *alone_json(const struct equiv *q)
{
	json_t *list = json_array();

	for (size_t i = 0; i < q->n; i++) {
		const struct equiv_result *r = &q->results[i];

		if (r->alone)
			json_array_append_new(list,
					      json_pack("{si, ss?, ss?, so, sI, so}", "rule", q->pairs[i].rule->number,
							"set_a", q->pairs[i].sets[0], "set_b", q->pairs[i].sets[1],
							"api", json_text(q->pairs[i].name), "cases",
							(json_int_t)r->alone, "said", json_text(r->said_alone)));
	}
	return list;
}

static json_t *classes_json(const struct equiv_totals *t)
{
	json_t *j = json_object();

	for (int c = 0; c < EQUIV_CLASSES; c++)
		json_object_set_new(j, equiv_class_name((enum equiv_class)c), json_integer((json_int_t)t->classes[c]));
	return j;
}

json_t *equiv_json(const struct equiv *q, const struct equiv_options *o)
{
	struct equiv_totals t = equiv_totals(q);
	const struct tally counts = equiv_tally(q);
	json_t *findings = json_array(), *inner = json_array();

	for (size_t i = 0; i < EQUIV_KINDS * q->n; i++) {
		const struct equiv_finding *f = &q->results[i / EQUIV_KINDS].found[i % EQUIV_KINDS];

		if (verdict_is_finding(f->verdict))
			json_array_append_new(equiv_is_inner(f) ? inner : findings,
					      finding_json(q, i / EQUIV_KINDS, f, o));
	}
	return json_pack("{so, ss, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sb, so, so, "
			 "so, so, so, so}",
			 "backend", json_text(q->spec.name), "version", q->version, "pairs", (json_int_t)t.pairs, "run",
			 (json_int_t)t.run, "pairs_valid", (json_int_t)t.compared, "cases", (json_int_t)t.inputs,
			 "agree", (json_int_t)t.equal, "rounding", (json_int_t)t.rounding, "random",
			 (json_int_t)t.random, "one_sided", (json_int_t)t.one_sided, "waiting", (json_int_t)t.waiting,
			 "apis", (json_int_t)t.apis, "apis_valid", (json_int_t)t.reached, "calls", (json_int_t)t.calls,
			 "calls_valid", (json_int_t)t.valid, "registry", (json_int_t)q->registry.n, "judged",
			 (json_int_t)t.judged, "invalid", (json_int_t)t.invalid, "untold", (json_int_t)t.untold,
			 "unshown", (json_int_t)t.unshown, "scripts_run", o->python != NULL, "refused",
			 refusals_json(q), "refused_alone", alone_json(q), "counts", tally_json(&counts), "classes",
			 classes_json(&t), "findings", findings, "inner", inner);
}
