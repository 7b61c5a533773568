/* train_print.c - what training came to, for people (declared in swap_print.h). */
#include "base/digits.h"
#include "base/plain.h"
#include "cli/swap_print.h"
#include "cli/terminal.h"
#include "worker/parent/spec.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A ratio, and the parameter that it stands at. */
static void print_worst(FILE *out, const struct train_judgement *j, int last)
{
	char ratio[32];

	fprintf(out, last ? " %11s  %s\n" : " %11s  %-28s", terminal_ratio(j->judged.ratio, ratio, sizeof ratio),
		PLAIN(j->parameter->name));
}

static void print_step(FILE *out, const struct train_result *t, size_t i)
{
	const struct train_step *s = &t->steps[i];

	fprintf(out, "  %4zu", i + 1);
	print_worst(out, &s->gradient, 0);
	if (t->update.used)
		print_worst(out, &s->update, 0);
	print_worst(out, &s->way, 1);
}

static void print_steps(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;

	if (!t->n)
		return;
	fprintf(out, "  %4s %11s  %-28s", "step", "gradient", "of");
	if (t->update.used)
		fprintf(out, " %11s  %-28s", "update", "of");
	fprintf(out, " %11s  %s\n", "way", "of");
	for (size_t i = 0; i < t->n; i++)
		if (!r->show || i < r->show || i + 1 == t->n || i + 1 == t->parted || i + 1 == t->way_parted ||
		    i + 1 == t->update.parted)
			print_step(out, t, i);
}

/* The operator behind it. */
static void print_culprit(FILE *out, const struct swap_report *r, const struct swap_op *op,
			  const struct swap_result *blame, const struct kept *kept)
{
	if (!op) {
		fprintf(out, "    no operator is wrong with the parameters of this step, alone or in its segment\n");
		return;
	}
	fprintf(out, "    %s (%s) in %s: %s%s\n", op->node->op_type, PLAIN(op->node->name), swap_culprit(r, op),
		op->gradient ? "its gradient is wrong" : verdict_name(op->verdict),
		op->effect == SWAP_GOES ? "; verified" : "");
	for (size_t i = 0; i < blame->n; i++)
		swap_print_kept(out, &kept[i]);
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

static void print_update(FILE *out, const struct swap_report *r)
{
	const struct train_update *u = &r->training->update;
	const struct train_judgement *j = u->parted ? &r->training->steps[u->parted - 1].update : NULL;

	if (j && j->parameter)
		print_judgement(out, "updates part at", u->parted, j);
	else if (j)
		fprintf(out, "  updates part at step %zu: the optimizer fails\n", u->parted);
	else if (u->used && r->training->n)
		fprintf(out, "  updates stay within rounding\n");
	if (j)
		print_culprit(out, r, u->culprit, &u->blame, r->update_kept);
}

/* Who takes the library's steps. */
static void print_own(FILE *out, const struct swap_report *r)
{
	const struct train_update *u = &r->training->update;

	if (*u->why_not)
		fprintf(out, "  assay takes its steps: %s\n", PLAIN(u->why_not));
	else if (u->used)
		fprintf(out, "  its own optimizer takes its steps\n");
	if (u->used && u->stand_ins)
		fprintf(out, "  %zu parameters whose steps it cannot take are updated by the reference\n",
			u->stand_ins);
}

static void print_partings(FILE *out, const struct swap_report *r)
{
	const struct train_result *t = r->training;

	if (t->parted) {
		print_judgement(out, "gradients part at", t->parted, &t->steps[t->parted - 1].gradient);
		print_culprit(out, r, t->culprit, &t->blame, r->train_kept);
	} else if (t->n) {
		fprintf(out, "  gradients stay within rounding\n");
	}
	print_update(out, r);
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
	print_own(out, r);
	print_steps(out, r);
	print_partings(out, r);
	if (*t->stopped)
		fprintf(out, "  stopped: %s\n", t->stopped);
	fprintf(out, "  %.2f s\n", t->seconds);
}
