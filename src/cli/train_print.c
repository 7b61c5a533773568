/* train_print.c - what training came to, for people and as JSON (declared in swap_print.h). */
#include "base/json.h"
#include "cli/swap_print.h"
#include "cli/terminal.h"

/* The verdict on gradients, and where they stay right the one on ways, which is no finding. */
static const char *verdict_of(const struct train_result *t)
{
	if (*t->cannot)
		return "not possible";
	return verdict_is_finding(t->verdict) ? verdict_name(t->verdict) : "rounding";
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_step(FILE *out, const struct train_result *t, size_t i)
{
	const struct train_step *s = &t->steps[i];
	char ratio[2][32];

	fprintf(out, "  %4zu %11s  %-28s %11s  %s\n", i + 1,
		terminal_ratio(s->gradient.judged.ratio, ratio[0], sizeof ratio[0]), s->gradient.parameter->name,
		terminal_ratio(s->way.judged.ratio, ratio[1], sizeof ratio[1]), s->way.parameter->name);
}

static void print_steps(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;

	if (!t->n)
		return;
	fprintf(out, "  %4s %11s  %-28s %11s  %s\n", "step", "gradient", "of", "way", "of");
	for (size_t i = 0; i < t->n; i++)
		if (!r->show || i < r->show || i + 1 == t->n || i + 1 == t->parted || i + 1 == t->way_parted)
			print_step(out, t, i);
}

/* The operator behind it. */
static void print_culprit(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;
	const struct swap_op *op = t->culprit;

	if (!op) {
		fprintf(out, "    no operator is wrong with the parameters of this step, alone or in its segment\n");
		return;
	}
	fprintf(out, "    %s (%s) in %s: %s%s\n", op->node->op_type, op->node->name, swap_print_culprit(r, op),
		op->gradient ? "its gradient is wrong" : verdict_name(op->verdict),
		op->verified == 1 ? "; verified" : "");
	for (size_t i = 0; i < t->blame.n; i++)
		swap_print_kept(out, &r->train_kept[i]);
}

static void print_judgement(FILE *out, const char *what, size_t step, const struct train_judgement *j)
{
	char ratio[32];

	fprintf(out,
		"  %s step %zu, parameter '%s': element %zu is %.9g, right is %.9g; that is %s times what rounding "
		"explains\n",
		what, step, j->parameter->name, j->judged.worst, j->judged.got, j->judged.exact,
		terminal_ratio(j->judged.ratio, ratio, sizeof ratio));
}

static void print_partings(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;

	if (t->parted) {
		print_judgement(out, "gradients part at", t->parted, &t->steps[t->parted - 1].gradient);
		print_culprit(out, r);
	} else if (t->n) {
		fprintf(out, "  gradients stay within rounding\n");
	}
	if (t->way_parted)
		print_judgement(out, "ways part beyond rounding after", t->way_parted,
				&t->steps[t->way_parted - 1].way);
	else if (t->n)
		fprintf(out, "  ways stay within what rounding does to training\n");
}

void train_print_text(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;

	fprintf(out, "training on %s, %zu steps of %s, rate %g, %zu parameters: %s\n", r->test->spec.name, t->n,
		r->train->optimizer->name, t->rate, t->n_parameters, verdict_of(t));
	if (*t->cannot)
		fprintf(out, "  %s\n", t->cannot);
	if (t->stand_ins)
		fprintf(out, "  %zu operators that it lacks are computed by the reference\n", t->stand_ins);
	print_steps(out, r);
	print_partings(out, r);
	if (*t->stopped)
		fprintf(out, "  stopped: %s\n", t->stopped);
	fprintf(out, "  %.2f s\n", t->seconds);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *judgement_json(const struct train_judgement *j)
{
	return json_pack("{s:o, s:s, s:o}", "parameter", json_text(j->parameter->name), "verdict",
			 verdict_name(j->judged.verdict), "noise_ratio", json_number(j->judged.ratio));
}

static json_t *steps_json(const struct train_result *t)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < t->n; i++)
		json_array_append_new(steps, json_pack("{s:I, s:o, s:o}", "step", (json_int_t)i + 1, "gradient",
						       judgement_json(&t->steps[i].gradient), "way",
						       judgement_json(&t->steps[i].way)));
	return steps;
}

static json_t *parting_json(const struct swap_report *r)
{
	const struct train_result *t = r->training;
	const struct swap_op *op = t->culprit;
	const struct train_judgement *j;
	json_t *o;

	if (!t->parted)
		return json_null();
	j = &t->steps[t->parted - 1].gradient;
	o = judgement_json(j);
	json_object_set_new(o, "step", json_integer((json_int_t)t->parted));
	json_object_set_new(o, "element", json_integer((json_int_t)j->judged.worst));
	json_object_set_new(o, "got", json_number(j->judged.got));
	json_object_set_new(o, "right", json_number(j->judged.exact));
	json_object_set_new(o, "node", op ? json_text(op->node->name) : json_null());
	json_object_set_new(o, "op", op ? json_text(op->node->op_type) : json_null());
	json_object_set_new(o, "backend", op ? json_text(swap_print_culprit(r, op)) : json_null());
	json_object_set_new(o, "verified", op && op->verified >= 0 ? json_boolean(op->verified) : json_null());
	return o;
}

json_t *train_print_json(const struct swap_report *r)
{
	const struct train_result *t = r->training;

	return json_pack("{s:s, s:f, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:f}", "optimizer",
			 r->train->optimizer->name, "rate", t->rate, "verdict", verdict_of(t), "parameters",
			 (json_int_t)t->n_parameters, "stand_ins", (json_int_t)t->stand_ins, "cannot",
			 *t->cannot ? json_text(t->cannot) : json_null(), "stopped",
			 *t->stopped ? json_text(t->stopped) : json_null(), "parted", parting_json(r), "way_parted",
			 t->way_parted ? json_integer((json_int_t)t->way_parted) : json_null(), "steps", steps_json(t),
			 "seconds", t->seconds);
}
