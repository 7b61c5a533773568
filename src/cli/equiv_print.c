/* equiv_print.c - see equiv_print.h. */
#include "cli/equiv_print.h"

#include <string.h>

#include "report/evidence.h"
#include "worker/parent/spec.h"

static void print_side(FILE *out, const struct equiv *q, size_t i, int side, const char *graph)
{
	const char *set = q->pairs[i].sets[side];

	fprintf(out, "  %c%s%s%s: %s\n", "ab"[side], set ? " (" : "", set ? set : "", set ? ")" : "", graph);
}

static void print_finding(FILE *out, const struct equiv *q, size_t i, const struct equiv_finding *f,
			  const struct equiv_options *o)
{
	const char *side = equiv_wrong_side(f);
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
	fprintf(out, "\n  decided by %s%s%s\n", evidence_oracle(equiv_oracle(f)), *side ? "; wrong is side " : "",
		side);
	fprintf(out, "  class: %s (%s)\n", equiv_class_name(f->class), f->why);
	fprintf(out, "  repro: %s\n", repro.data ? repro.data : "");
	buf_release(&repro);
}

/* Nothing without findings. */
static void print_classes(FILE *out, const struct equiv_totals *t)
{
	const char *before = "  classes:";

	for (int c = 0; c < EQUIV_CLASSES; c++)
		if (t->classes[c] && c != CLASS_INTERNAL) {
			fprintf(out, "%s %s %zu", before, equiv_class_name((enum equiv_class)c), t->classes[c]);
			before = ",";
		}
	fputs(t->findings ? "\n" : "", out);
}

/* One line for each: what is stored has the rest. */
static void print_inner(FILE *out, const struct equiv *q, size_t n)
{
	if (!n)
		return;
	fprintf(out, "inner operations, which nothing documented calls, are no findings: %zu of them failed\n", n);
	for (size_t i = 0; i < q->n; i++)
		for (int k = 0; k < EQUIV_KINDS; k++)
			if (equiv_is_inner(&q->results[i].found[k]))
				fprintf(out, "  rule %d, %s: %s\n", q->pairs[i].rule->number, q->pairs[i].name,
					verdict_name(q->results[i].found[k].verdict));
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
			if (equiv_is_finding(&q->results[i].found[k]))
				print_finding(out, q, i, &q->results[i].found[k], o);
	print_inner(out, q, t.inner);
	fprintf(out, "%s %s: %zu of %zu pairs run, %zu with a valid call, %zu inputs: %zu finding%s\n",
		SHOWN_AS(q->spec.name), q->version, t.run, t.pairs, t.compared, t.inputs, t.findings,
		PLURAL(t.findings));
	print_classes(out, &t);
	fprintf(out, "  %.1f pairs a second\n", q->seconds > 0 ? (double)t.run / q->seconds : 0);
	fprintf(out, "  agree %zu, rounding %zu, random %zu, one side refused %zu\n", t.equal, t.rounding, t.random,
		t.one_sided);
	if (t.waiting)
		fprintf(out, "  took too long, and there was no time to try again: %zu pair%s\n", t.waiting,
			PLURAL(t.waiting));
	if (t.alone)
		fprintf(out, "  an error of one side where the other answers: %zu pair%s; --json lists them\n", t.alone,
			PLURAL(t.alone));
	fprintf(out, "  left out: %zu inputs outside of what is documented, %zu of operations that promise nothing\n",
		t.invalid, t.untold);
	if (t.apis) /* pairs of whole networks belong to none */
		fprintf(out, "  %s tried %zu of %zu, with a valid call %zu (%.1f %%)\n",
			q->registry.dialect->forms ? "documented names" : "operations", t.apis, q->registry.n,
			t.reached, share(t.reached, t.apis));
	fprintf(out, "  calls given %zu, run %zu (%.1f %%); inputs judged on %zu of %zu (%.1f %%)\n", t.calls, t.valid,
		share(t.valid, t.calls), t.judged, t.inputs, share(t.judged, t.inputs));
	if (o->python)
		fprintf(out, "  dropped, because their own scripts do not show them: %zu\n", t.unshown);
	else if (t.findings)
		fprintf(out, "  their scripts were not run: --python names a Python that has the library's package\n");
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
