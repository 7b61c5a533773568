/* check_print.c - see check_print.h. */
#include "cli/check_print.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/plain.h"
#include "cli/terminal.h"
#include "report/paint.h"

#define MAX_SUSPECTS 5 /* in the text; JSON has all */
#define MAX_SET 12     /* nodes of a set */

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_backends(FILE *out, const struct check_report *r)
{
	size_t width = 8;
	int wrong = 0;

	for (size_t i = 0; i < r->result->n_backends; i++)
		if (strlen(check_name_of(r, i)) > width)
			width = strlen(check_name_of(r, i));
	fprintf(out, "  %-*s  %-11s %12s  %s\n", (int)width, "backend", "verdict", "noise ratio", "load + run");
	for (size_t i = 0; i < r->result->n_backends; i++) {
		const struct check_backend *b = &r->result->backends[i];
		char ratio[32], word[PAINT_SIZE];

		fprintf(out, "  %-*s  %s %12s  %.3f + %.3f s\n", (int)width, check_name_of(r, i),
			paint_verdict(b->verdict, 11, word),
			b->tally.judged || b->tally.vacuous ? terminal_ratio(b->ratio, ratio, sizeof ratio) : "-",
			b->load_seconds, b->run_seconds);
		if (*b->reason && b->verdict > VERDICT_VACUOUS)
			terminal_wrap(out, 4, 0, terminal_columns(out), b->reason);
		wrong |= b->verdict == VERDICT_WRONG;
	}
	if (wrong)
		fputs("  noise ratio: largest difference in units of rounding noise ('assay explain noise ratio')\n",
		      out);
}

/* "class distance 16 on 3 inputs, 15-8 on 2" without the empty bins. */
static void print_pattern(FILE *out, const struct check_pair *p)
{
	static const char *const class_names[] = {"16", "15-8", "7-4", "3-2", "1", "0"};
	static const char *const mad_names[] = {"0.8-1", "0.6-0.8", "0.4-0.6", "0.2-0.4", "0-0.2"};
	int by_class = !isnan(p->max_class);
	size_t n = by_class ? CHECK_CLASS_BINS : CHECK_MAD_BINS, told = 0;

	for (size_t i = 0; i < n; i++) {
		size_t count = by_class ? p->class_bins[i] : p->mad_bins[i];

		if (count)
			fprintf(out, "%s %s on %zu",
				told++     ? ","
				: by_class ? " class distance"
					   : " MAD",
				by_class ? class_names[i] : mad_names[i], count);
	}
	fputc('\n', out);
}

static void print_pairs(FILE *out, const struct check_report *r)
{
	size_t inconsistent = 0;

	for (size_t i = 0; i < r->result->n_pairs; i++)
		inconsistent += (size_t)r->result->pairs[i].inconsistent;
	if (!r->result->n_pairs)
		return;
	fprintf(out, "%zu of %zu pair%s inconsistent, %zu unique (", inconsistent, r->result->n_pairs,
		PLURAL(r->result->n_pairs), r->result->n_unique);
	if (r->oracle)
		fprintf(out, "by the oracle '%s', limit %g)\n", r->oracle->name, r->oracle->oracle->limit);
	else if (r->result->has_classes)
		fprintf(out, "class-based %s, MAD-based)\n", r->result->has_labels ? "with labels" : "by majority");
	else
		fprintf(out, "MAD-based %s)\n",
			r->result->has_targets || r->result->has_labels ? "with targets" : "without targets");
	for (size_t i = 0; i < r->result->n_pairs; i++) {
		const struct check_pair *p = &r->result->pairs[i];

		if (!p->inconsistent)
			continue;
		fprintf(out, "  %s / %s: ", check_name_of(r, p->a), check_name_of(r, p->b));
		if (r->oracle)
			fprintf(out, "distance %.3g, ", p->distance);
		if (!isnan(p->max_class))
			fprintf(out, "class %g, ", p->max_class);
		fprintf(out, "MAD %.3g, %zu of %zu inputs, pattern %d:", p->max_mad, p->triggering, p->items,
			p->pattern);
		print_pattern(out, p);
		if (p->explained)
			fputs("    the reference finds both right, up to rounding: not a failure unless you give "
			      "--oracle\n",
			      out);
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
			 check_name_of(r, d->a), check_other_of(r, d), d->run, d->how);
		terminal_wrap(out, 2, 2, terminal_columns(out), line);
	}
}

static void print_held(FILE *out, const struct check_report *r)
{
	for (size_t i = 0; r->result->held && i <= r->result->n_backends; i++) {
		const struct check_held *h = &r->result->held[i];
		char line[1024], ratio[32];

		if (!h->n_runs)
			continue;
		terminal_ratio(h->ratio, ratio, sizeof ratio);
		snprintf(line, sizeof line, "expected outputs, %s: %s on %zu of %zu run%s, %s %s%s%s",
			 check_held_name(r, i), verdict_name(h->verdict), h->n_findings ? h->n_findings : h->n_runs,
			 h->n_runs, PLURAL(h->n_runs), ratio, h->by_tolerance ? "of the tolerance" : "times the noise",
			 h->n_findings ? "; " : "", h->n_findings ? h->reason : "");
		terminal_wrap(out, 0, 2, terminal_columns(out), line);
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
	fprintf(out,
		"  localization map: nodes above the third quartile (%.3g) of R_L, by how much their difference δ\n"
		"  exceeds that of their inputs, relative to it\n",
		m->third_quartile);
	for (size_t i = 0; i < m->n; i++) {
		const struct blame_map_entry *x = &m->at[i];
		char ratio[32];

		if (x->above)
			fprintf(out, "    %-20s %-32s R_L %-10.3g δ %-10.3g noise ratio %s\n", x->node->op_type,
				PLAIN(x->node->name), x->rate, x->delta,
				terminal_ratio(x->noise_ratio, ratio, sizeof ratio));
	}
	if (m->exposing_hides)
		fprintf(out, "    with its intermediates exposed the backend gives other outputs: it fuses nodes,\n"
			     "    and the map shows the run without that fusion\n");
}

/* Nodes that fail only together: named as a set, with the switch of the library that decides. */
static void print_set(FILE *out, const struct check_blame *c)
{
	const struct suspect *first = NULL, *s;
	size_t told = 0, more = 0;
	char ratio[32];

	for (int at = -1; (s = blame_next_together(&c->blame, at)) != NULL; at = s->node->index) {
		first = first ? first : s;
		if (told == MAX_SET)
			more++;
		else
			fprintf(out, "%s %s '%s'", told++ ? "," : "  together:", s->node->op_type,
				PLAIN(s->node->name));
	}
	if (more)
		fprintf(out, " and %zu more", more);
	if (first && !isnan(first->noise_ratio))
		fprintf(out, "; each alone is right, the set is %s times the noise\n",
			terminal_ratio(first->noise_ratio, ratio, sizeof ratio));
	else if (first)
		fputs("; each alone is right\n", out);
	if (first && *c->kept.guilty)
		fprintf(out, "  decided by the library's own switch: %s\n", c->kept.guilty);
}

static void print_blame(FILE *out, const struct check_report *r, const struct check_blame *c, int with_map)
{
	size_t told = 0;

	if (c->blame.n)
		fprintf(out, "%s: blamed\n", check_name_of(r, c->backend));
	print_set(out, c);
	for (size_t i = 0; i < c->blame.n; i++) {
		const struct suspect *s = &c->blame.at[i];
		char ratio[32];

		if (s->together || ++told > MAX_SUSPECTS)
			continue;
		fprintf(out, "  %d. %s '%s'%s%s", s->rank, s->node->op_type, PLAIN(s->node->name),
			*s->parameter ? ", " : "", PLAIN(s->parameter));
		if (!isnan(s->noise_ratio))
			fprintf(out, "; alone %s times the noise", terminal_ratio(s->noise_ratio, ratio, sizeof ratio));
		if (!isnan(s->rate))
			fprintf(out, "; R_L (growth of the difference) %.3g", s->rate);
		fprintf(out, "%s\n",
			s->effect == SWAP_GOES ? "; replacing this node with the reference removes the difference"
			: s->effect == SWAP_STAYS
				? "; replacing this node with the reference does not remove the difference"
				: "");
	}
	if (told > MAX_SUSPECTS)
		fprintf(out, "  and %zu more\n", told - MAX_SUSPECTS);
	if (c->out_of_time)
		fputs("  localization stopped early: --localize-time is over\n", out);
	if (with_map && c->map.n)
		print_map(out, &c->map);
	if (c->kept.id)
		fprintf(out, "  finding %lld: %s\nrepro: %s\n", (long long)c->kept.id, c->kept.signature,
			c->kept.repro);
	else if (*c->kept.why)
		fprintf(out, "  not recorded: %s\n", c->kept.why);
}

void check_print_text(FILE *out, const struct check_report *r, int with_map)
{
	const struct check_result *c = r->result;
	char word[PAINT_SIZE];

	fprintf(out, "%s: %zu node%s, %zu run%s of %zu input%s: %s\n", r->model, r->graph->nodes.n,
		PLURAL(r->graph->nodes.n), r->runs, PLURAL(r->runs), r->items, PLURAL(r->items),
		paint_verdict(c->verdict, 0, word));
	print_backends(out, r);
	print_pairs(out, r);
	print_differences(out, r);
	print_held(out, r);
	for (size_t i = 0; i < r->located->n_blames; i++)
		print_blame(out, r, &r->located->blames[i], with_map);
	for (size_t i = 0; i < r->located->n_maps && with_map; i++) {
		fprintf(out, "%s / %s: where they part\n", check_name_of(r, r->located->maps[i].pair->a),
			check_name_of(r, r->located->maps[i].pair->b));
		print_map(out, &r->located->maps[i].map);
	}
	fprintf(out,
		"extraction %.2f s, comparison %.3f s, judging %.2f s, localization %.2f s; backends' own %.2f s\n",
		c->extract_seconds, c->compare_seconds, c->judge_seconds, r->located->seconds, c->own_seconds);
}
