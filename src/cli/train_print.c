/* train_print.c - what training came to, for people (declared in swap_print.h). */
#include "base/digits.h"
#include "base/plain.h"
#include "cli/swap_print.h"
#include "cli/terminal.h"
#include "worker/parent/spec.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_step(FILE *out, const struct train_result *t, size_t i)
{
	const struct train_step *s = &t->steps[i];
	char ratio[2][32];

	fprintf(out, "  %4zu %11s  %-28s %11s  %s\n", i + 1,
		terminal_ratio(s->gradient.judged.ratio, ratio[0], sizeof ratio[0]), PLAIN(s->gradient.parameter->name),
		terminal_ratio(s->way.judged.ratio, ratio[1], sizeof ratio[1]), PLAIN(s->way.parameter->name));
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
	fprintf(out, "    %s (%s) in %s: %s%s\n", op->node->op_type, PLAIN(op->node->name), swap_culprit(r, op),
		op->gradient ? "its gradient is wrong" : verdict_name(op->verdict),
		op->effect == SWAP_GOES ? "; verified" : "");
	for (size_t i = 0; i < t->blame.n; i++)
		swap_print_kept(out, &r->train_kept[i]);
}

static void print_judgement(FILE *out, const char *what, size_t step, const struct train_judgement *j)
{
	int digits = digits_of_pair(j->judged.got, j->judged.exact);
	char ratio[32];

	fprintf(out,
		"  %s step %zu, parameter '%s': element %zu: got %.*g, expected %.*g; that is %s times what rounding "
		"explains\n",
		what, step, PLAIN(j->parameter->name), j->judged.worst, digits, j->judged.got, digits, j->judged.exact,
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

	fprintf(out, "training on %s, %zu steps of %s%s%s, rate %g, %zu parameters: %s\n", SHOWN_AS(r->test->spec.name),
		t->n, r->train->optimizer->name, r->train->loss ? " on " : "",
		r->train->loss ? r->train->loss->name : "", t->rate, t->n_parameters, train_verdict_word(t));
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
