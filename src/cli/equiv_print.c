/* equiv_print.c - see equiv_print.h. */
#include "cli/equiv_print.h"

#include <string.h>

#include "base/json.h"

static void print_side(FILE *out, const struct equiv *q, size_t i, int side, const char *graph)
{
	const char *set = q->pairs[i].sets[side];

	fprintf(out, "  %c%s%s%s: %s\n", "ab"[side], set ? " (" : "", set ? set : "", set ? ")" : "", graph);
}

static void print_finding(FILE *out, const struct equiv *q, size_t i, const struct equiv_finding *f,
			  const struct equiv_options *o)
{
	struct buf repro;

	buf_init(&repro, 65536);
	equiv_repro(q, i, o, &repro);
	fprintf(out, "rule %d (%s), %s: %s on %zu of %zu inputs\n", q->pairs[i].rule->number, q->pairs[i].rule->title,
		q->pairs[i].name, verdict_name(f->verdict), f->shown, q->results[i].inputs);
	print_side(out, q, i, 0, f->a);
	print_side(out, q, i, 1, f->b);
	fprintf(out, "  %s", f->detail);
	if (f->verdict == VERDICT_WRONG)
		fprintf(out, "; %.3g times the noise", f->ratio);
	fprintf(out, "\n  repro: %s\n", repro.data ? repro.data : "");
	buf_release(&repro);
}

static double share(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void equiv_print_text(FILE *out, const struct equiv *q, const struct equiv_options *o)
{
	struct equiv_totals t = equiv_totals(q);

	for (size_t i = 0; i < q->n; i++)
		for (int k = 0; k < EQUIV_KINDS; k++)
			if (verdict_is_finding(q->results[i].found[k].verdict))
				print_finding(out, q, i, &q->results[i].found[k], o);
	fprintf(out, "%s %s: %zu of %zu pairs run, %zu with a valid call, %zu inputs: %zu findings\n", q->spec.name,
		q->version, t.run, t.pairs, t.compared, t.inputs, t.findings);
	fprintf(out, "  %.1f pairs a second\n", q->seconds > 0 ? (double)t.run / q->seconds : 0);
	fprintf(out, "  agree %zu, rounding %zu, random %zu, one side refused %zu\n", t.equal, t.rounding, t.random,
		t.one_sided);
	fprintf(out, "  left out: %zu inputs outside of what is documented, %zu of operations that promise nothing\n",
		t.invalid, t.untold);
	fprintf(out, "  operations tried %zu of %zu, with a valid call %zu (%.1f %%)\n", t.apis, q->registry.n,
		t.reached, share(t.reached, t.apis));
	fprintf(out, "  calls given %zu, run %zu (%.1f %%); inputs judged on %zu of %zu (%.1f %%)\n", t.calls, t.valid,
		share(t.valid, t.calls), t.judged, t.inputs, share(t.judged, t.inputs));
	if (o->python)
		fprintf(out, "  dropped, because their own scripts do not show them: %zu\n", t.unshown);
	else
		fprintf(out, "  no script was run: --python names a Python that has the library's package\n");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *finding_json(const struct equiv *q, size_t i, const struct equiv_finding *f,
			    const struct equiv_options *o)
{
	struct buf repro;
	json_t *j;

	buf_init(&repro, 65536);
	equiv_repro(q, i, o, &repro);
	j = json_pack("{si, ss, ss?, ss?, so, ss, so, so, so, so, sI, sI, sI, so}", "rule", q->pairs[i].rule->number,
		      "rule_id", q->pairs[i].rule->id, "set_a", q->pairs[i].sets[0], "set_b", q->pairs[i].sets[1],
		      "api", json_text(q->pairs[i].name), "verdict", verdict_name(f->verdict), "a", json_text(f->a),
		      "b", json_text(f->b), "detail", json_text(f->detail), "noise_ratio", json_number(f->ratio),
		      "shown", (json_int_t)f->shown, "inputs", (json_int_t)q->results[i].inputs, "elements",
		      (json_int_t)f->elements, "repro", json_text(repro.data ? repro.data : ""));
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

json_t *equiv_print_json(const struct equiv *q, const struct equiv_options *o)
{
	struct equiv_totals t = equiv_totals(q);
	const struct tally counts = equiv_tally(q);
	json_t *findings = json_array();

	for (size_t i = 0; i < q->n; i++)
		for (int k = 0; k < EQUIV_KINDS; k++)
			if (verdict_is_finding(q->results[i].found[k].verdict))
				json_array_append_new(findings, finding_json(q, i, &q->results[i].found[k], o));
	return json_pack("{so, ss, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sI, sb, so, so, so}",
			 "backend", json_text(q->spec.name), "version", q->version, "pairs", (json_int_t)t.pairs, "run",
			 (json_int_t)t.run, "pairs_valid", (json_int_t)t.compared, "cases", (json_int_t)t.inputs,
			 "agree", (json_int_t)t.equal, "rounding", (json_int_t)t.rounding, "random",
			 (json_int_t)t.random, "one_sided", (json_int_t)t.one_sided, "apis", (json_int_t)t.apis,
			 "apis_valid", (json_int_t)t.reached, "calls", (json_int_t)t.calls, "calls_valid",
			 (json_int_t)t.valid, "registry", (json_int_t)q->registry.n, "judged", (json_int_t)t.judged,
			 "invalid", (json_int_t)t.invalid, "untold", (json_int_t)t.untold, "unshown",
			 (json_int_t)t.unshown, "scripts_run", o->python != NULL, "refused", refusals_json(q), "counts",
			 tally_json(&counts), "findings", findings);
}

void equiv_print_list(FILE *out, const struct equiv *q)
{
	for (size_t i = 0; i < q->registry.n; i++) {
		const struct api *api = &q->registry.apis[i];

		fprintf(out, "%s", api->op->name);
		for (size_t k = 0; k < api->op->n_parameters; k++)
			fprintf(out, " %s:%s%s", api->op->parameters[k].name, api->op->parameters[k].type,
				api->op->parameters[k].optional ? "?" : "");
		fprintf(out, "%s%s\n", api->why_not ? " - " : "", api->why_not ? api->why_not : "");
	}
}
