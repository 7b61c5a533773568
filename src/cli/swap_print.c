/* swap_print.c - see swap_print.h. */
#include "cli/swap_print.h"

#include <math.h>

#include "base/plain.h"
#include "cli/terminal.h"
#include "report/paint.h"
#include "worker/parent/spec.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *number(double x, char *out, size_t size)
{
	if (isnan(x))
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%.3g", x);
	return out;
}

static void print_op(FILE *out, const struct swap_report *r, const struct swap_op *op)
{
	char c[32], g[32], ratio[32];

	fprintf(out, "  %3d. %-20s %-24s %9s %9s %11s  %s%s%s\n", op->rank, op->node->op_type, PLAIN(op->node->name),
		number(op->delta_c, c, sizeof c), number(op->delta_g, g, sizeof g),
		isnan(op->ratio) ? "-" : terminal_ratio(op->ratio, ratio, sizeof ratio), verdict_name(op->verdict),
		op->gradient ? " gradient" : "",
		op->beyond && !verdict_is_finding(op->verdict) ? ", though beyond the paper's threshold" : "");
	if (!verdict_is_finding(op->verdict))
		return;
	fprintf(out, "       in %s%s%s", swap_culprit(r, op), op->both ? " and in " : "",
		op->both ? SHOWN_AS(r->base->spec.name) : "");
	if (op->together)
		fprintf(out, ", not alone but in a segment of %zu nodes", op->together);
	fprintf(out, "%s\n",
		op->effect == SWAP_GOES
			? "; verified: replacing this operator with the reference removes the difference"
		: op->effect == SWAP_STAYS
			? "; not verified: replacing this operator with the reference does not remove the difference"
			: "");
	if (*op->reason)
		terminal_wrap(out, 7, 0, terminal_columns(out), op->reason);
	if (op->together) {
		char hint[512];

		snprintf(hint, sizeof hint,
			 "the operator only completes the segment: 'assay check MODEL -b %.200s' finds the smallest "
			 "set of nodes that are wrong together",
			 swap_culprit(r, op));
		terminal_wrap(out, 7, 0, terminal_columns(out), hint);
	}
}

void swap_print_kept(FILE *out, const struct kept *k)
{
	if (k->id)
		fprintf(out, "       finding %lld: %s\n       repro: %s\n", (long long)k->id, k->signature, k->repro);
	else if (*k->why)
		fprintf(out, "       not recorded: %s\n", k->why);
}

static size_t count_beyond(const struct swap_result *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += (size_t)s->ops[i].beyond;
	return n;
}

/* Operators that the base library does not compute. */
static void print_lacking(FILE *out, const struct swap_report *r)
{
	for (size_t i = 0; i < r->result->n; i++) {
		const struct swap_op *op = &r->result->ops[i];

		if (op->home == SWAP_REFERENCE)
			fprintf(out, "  %s (%s) is bound to the reference in place of %s: %s\n", op->node->op_type,
				op->node->name, SHOWN_AS(r->base->spec.name), op->lacking);
	}
}

void swap_print_text(FILE *out, const struct swap_report *r)
{
	const struct swap_result *s = r->result;
	char ratio[2][32], word[PAINT_SIZE];
	size_t shown = 0;

	fprintf(out, "%s: %zu operators from %s to %s: %s\n", r->model, s->n, SHOWN_AS(r->base->spec.name),
		SHOWN_AS(r->test->spec.name), paint_verdict(s->verdict, 0, word));
	fprintf(out, "  all on %s: %s, %s times the noise; all on %s: %s, %s times the noise\n",
		SHOWN_AS(r->base->spec.name), verdict_name(s->base_verdict),
		terminal_ratio(s->base_ratio, ratio[0], sizeof ratio[0]), SHOWN_AS(r->test->spec.name),
		verdict_name(s->test_verdict), terminal_ratio(s->test_ratio, ratio[1], sizeof ratio[1]));
	print_lacking(out, r);
	if (*s->no_gradients)
		fprintf(out, "  no gradients: %s\n", s->no_gradients);
	fprintf(out, "  %4s %-20s %-24s %10s %10s %11s  %s\n", "rank", "operator", "node", "δ_C", "δ_G", "noise ratio",
		"verdict");
	for (; shown < s->n; shown++) {
		const struct swap_op *op = &s->ops[shown];

		if (r->show && shown >= r->show && !verdict_is_finding(op->verdict))
			break;
		print_op(out, r, op);
		swap_print_kept(out, &r->kept[shown]);
	}
	if (shown < s->n)
		fprintf(out, "  and %zu more\n", s->n - shown);
	fputs("  δ_C, δ_G: mean change of outputs and of gradients; noise ratio: in units of rounding noise\n", out);
	fprintf(out,
		"%zu operators beyond the paper's threshold; %.2f s, verification %.2f s of it, backends' own %.2f s\n",
		count_beyond(s), s->seconds, s->verify_seconds, s->backend_seconds);
	if (r->training)
		train_print_text(out, r);
}

void swap_print_untold(FILE *out, const struct swap_untold_report *r)
{
	const char *base = SHOWN_AS(r->parties[SWAP_BASE]->spec.name),
		   *test = SHOWN_AS(r->parties[SWAP_TEST]->spec.name);

	fprintf(out, "%s: %s and %s whole, for the reference cannot run its operators: %s\n", r->model, base, test,
		verdict_name(r->result->verdict));
	for (int i = SWAP_BASE; i <= SWAP_TEST; i++) {
		fprintf(out, "  %s: %s\n", SHOWN_AS(r->parties[i]->spec.name),
			verdict_name(r->result->outcomes[i].verdict));
		terminal_wrap(out, 4, 0, terminal_columns(out), r->result->outcomes[i].reason);
		swap_print_kept(out, &r->kept[i]);
	}
	if (*r->result->differ)
		fprintf(out, "  %s and %s differ from each other: %s; neither is blamed\n", base, test,
			r->result->differ);
}
