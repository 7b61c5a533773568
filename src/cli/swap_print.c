/* swap_print.c - see swap_print.h. */
#include "cli/swap_print.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "cli/terminal.h"

const char *swap_print_culprit(const struct swap_report *r, const struct swap_op *op)
{
	return op->side == SWAP_BASE ? r->base->spec.name : r->test->spec.name;
}

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

	fprintf(out, "  %3d. %-20s %-24s %9s %9s %11s  %s%s%s\n", op->rank, op->node->op_type, op->node->name,
		number(op->delta_c, c, sizeof c), number(op->delta_g, g, sizeof g),
		isnan(op->ratio) ? "-" : terminal_ratio(op->ratio, ratio, sizeof ratio), verdict_name(op->verdict),
		op->gradient ? " gradient" : "",
		op->beyond && !verdict_is_finding(op->verdict) ? ", though beyond the paper's threshold" : "");
	if (!verdict_is_finding(op->verdict))
		return;
	fprintf(out, "       in %s%s%s", swap_print_culprit(r, op), op->both ? " and in " : "",
		op->both ? r->base->spec.name : "");
	if (op->together)
		fprintf(out, ", not alone but in a segment of %zu nodes", op->together);
	fprintf(out, "%s\n",
		op->effect == SWAP_GOES    ? "; verified: with this operator computed right the difference goes"
		: op->effect == SWAP_STAYS ? "; not verified: with this operator computed right the difference stays"
					   : "");
	if (*op->reason)
		terminal_wrap(out, 7, 0, terminal_columns(out), op->reason);
}

void swap_print_kept(FILE *out, const struct kept *k)
{
	if (k->id)
		fprintf(out, "       finding %lld: %s\n       repro: assay replay %lld\n", (long long)k->id,
			k->signature, (long long)k->id);
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
				op->node->name, r->base->spec.name, op->lacking);
	}
}

void swap_print_text(FILE *out, const struct swap_report *r)
{
	const struct swap_result *s = r->result;
	char ratio[2][32];
	size_t shown = 0;

	fprintf(out, "%s: %zu operators from %s to %s: %s\n", r->model, s->n, r->base->spec.name, r->test->spec.name,
		verdict_name(s->verdict));
	fprintf(out, "  all on %s: %s, %s times the noise; all on %s: %s, %s times the noise\n", r->base->spec.name,
		verdict_name(s->base_verdict), terminal_ratio(s->base_ratio, ratio[0], sizeof ratio[0]),
		r->test->spec.name, verdict_name(s->test_verdict),
		terminal_ratio(s->test_ratio, ratio[1], sizeof ratio[1]));
	print_lacking(out, r);
	if (*s->no_gradients)
		fprintf(out, "  no gradients: %s\n", s->no_gradients);
	fprintf(out, "  %4s %-20s %-24s %9s %9s %11s  %s\n", "rank", "operator", "node", "δ_C", "δ_G", "noise ratio",
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
	fprintf(out,
		"%zu operators beyond the paper's threshold; %.2f s, verification %.2f s of it, backends' own %.2f s\n",
		count_beyond(s), s->seconds, s->verify_seconds, s->backend_seconds);
	if (r->training)
		train_print_text(out, r);
}

void swap_print_untold(FILE *out, const struct swap_untold_report *r)
{
	const char *base = r->parties[SWAP_BASE]->spec.name, *test = r->parties[SWAP_TEST]->spec.name;

	fprintf(out, "%s: %s and %s whole, for the reference cannot run its operators: %s\n", r->model, base, test,
		verdict_name(r->result->verdict));
	for (int i = SWAP_BASE; i <= SWAP_TEST; i++) {
		fprintf(out, "  %s: %s\n", r->parties[i]->spec.name, verdict_name(r->result->outcomes[i].verdict));
		terminal_wrap(out, 4, 0, terminal_columns(out), r->result->outcomes[i].reason);
		swap_print_kept(out, &r->kept[i]);
	}
	if (*r->result->differ)
		fprintf(out, "  %s and %s differ from each other: %s; neither is blamed\n", base, test,
			r->result->differ);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *op_json(const struct swap_report *r, const struct swap_op *op, const struct kept *k)
{
	json_t *o =
		json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:b, s:I, s:o, s:o}", "rank", op->rank,
			  "node", json_text(op->node->name), "op", json_text(op->node->op_type), "backend",
			  json_text(swap_print_culprit(r, op)), "delta_c", json_number_or_null(op->delta_c), "delta_g",
			  json_number_or_null(op->delta_g), "noise_ratio", json_number_or_null(op->ratio), "verdict",
			  verdict_name(op->verdict), "gradient", op->gradient, "beyond", op->beyond, "both", op->both,
			  "together", (json_int_t)op->together, "verified",
			  op->effect == SWAP_UNTRIED ? json_null() : json_boolean(op->effect == SWAP_GOES), "reason",
			  json_text(op->reason));

	if (o && k->id)
		json_object_set_new(o, "finding", json_integer((json_int_t)k->id));
	if (o)
		json_object_set_new(o, "base",
				    json_text(op->home == SWAP_REFERENCE ? "reference" : r->base->spec.name));
	if (o && *op->lacking)
		json_object_set_new(o, "lacking", json_text(op->lacking));
	return o;
}

static json_t *counts_json(const struct party *base, const struct tally *of_base, const struct party *test,
			   const struct tally *of_test)
{
	const struct tally_row rows[2] = {{base->spec.name, *of_base}, {test->spec.name, *of_test}};

	return tally_rows_json(rows, 2);
}

json_t *swap_print_json(const struct swap_report *r)
{
	const struct swap_result *s = r->result;
	const struct tally counts[2] = {swap_tally(s, SWAP_BASE), swap_tally(s, SWAP_TEST)};
	json_t *ops = json_array(), *o;

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(ops, op_json(r, &s->ops[i], &r->kept[i]));
	o = json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f}}", "model",
		      json_text(r->model), "base", json_text(r->base->spec.name), "backend",
		      json_text(r->test->spec.name), "base_version", party_version(r->base), "version",
		      party_version(r->test), "verdict", verdict_name(s->verdict), "backend_verdict",
		      verdict_name(s->test_verdict), "gradients", s->gradients, "no_gradients",
		      *s->no_gradients ? json_text(s->no_gradients) : json_null(), "base_ratio",
		      json_number(s->base_ratio), "backend_ratio", json_number(s->test_ratio), "ops", ops, "seconds",
		      "total", s->seconds, "verification", s->verify_seconds, "backends", s->backend_seconds);
	if (o)
		json_object_set_new(o, "counts", counts_json(r->base, &counts[SWAP_BASE], r->test, &counts[SWAP_TEST]));
	if (o && r->training)
		json_object_set_new(o, "training", train_print_json(r));
	return o;
}

json_t *swap_print_untold_json(const struct swap_untold_report *r)
{
	const struct party *base = r->parties[SWAP_BASE], *test = r->parties[SWAP_TEST];
	const struct swap_untold *u = r->result;

	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:[]}", "model", json_text(r->model),
			 "base", json_text(base->spec.name), "backend", json_text(test->spec.name), "base_version",
			 party_version(base), "version", party_version(test), "verdict", verdict_name(u->verdict),
			 "base_verdict", verdict_name(u->outcomes[SWAP_BASE].verdict), "backend_verdict",
			 verdict_name(u->outcomes[SWAP_TEST].verdict), "reason",
			 json_text(u->outcomes[SWAP_TEST].reason), "differ",
			 *u->differ ? json_text(u->differ) : json_null(), "counts",
			 counts_json(base, &u->tallies[SWAP_BASE], test, &u->tallies[SWAP_TEST]), "ops");
}
