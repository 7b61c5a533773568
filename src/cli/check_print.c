/* check_print.c - see check_print.h. */
#include "cli/check_print.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/plain.h"
#include "cli/terminal.h"
#include "report/paint.h"
#include "worker/parent/spec.h"

#define MAX_SUSPECTS 5 /* in the text; JSON has all */
#define MAX_SET 12     /* nodes of a set */
#define MAX_LINE ((size_t)1 << 20)

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_backends(FILE *out, const struct check_report *r)
{
	size_t width = 8;
	int wrong = 0;

	for (size_t i = 0; i < r->result->n_backends; i++)
		if (strlen(SHOWN_AS(check_name_of(r, i))) > width)
			width = strlen(SHOWN_AS(check_name_of(r, i)));
	fprintf(out, "  %-*s  %-11s %12s  %s\n", (int)width, "backend", "verdict", "noise ratio", "load + run");
	for (size_t i = 0; i < r->result->n_backends; i++) {
		const struct check_backend *b = &r->result->backends[i];
		char ratio[32], word[PAINT_SIZE];

		fprintf(out, "  %-*s  %s %12s  %.3f + %.3f s\n", (int)width, SHOWN_AS(check_name_of(r, i)),
			paint_verdict(b->verdict, 11, word),
			b->tally.judged || b->tally.vacuous ? terminal_ratio(b->ratio, ratio, sizeof ratio) : "-",
			b->load_seconds, b->run_seconds);
		if (*b->reason && b->verdict > VERDICT_VACUOUS)
			terminal_wrap(out, 4, 0, terminal_columns(out), b->reason);
		wrong |= b->verdict == VERDICT_WRONG;
	}
	if (wrong)
		terminal_say(
			out, 2, 2,
			"noise ratio: largest difference in units of rounding noise ('assay explain noise ratio')");
}

/* "class distance 16 on 3 inputs, 15-8 on 2" without the empty bins. */
static void put_pattern(struct buf *out, const struct check_pair *p)
{
	static const char *const class_names[] = {"16", "15-8", "7-4", "3-2", "1", "0"};
	static const char *const mad_names[] = {"0.8-1", "0.6-0.8", "0.4-0.6", "0.2-0.4", "0-0.2"};
	int by_class = !isnan(p->max_class);
	size_t n = by_class ? CHECK_CLASS_BINS : CHECK_MAD_BINS, told = 0;

	for (size_t i = 0; i < n; i++) {
		size_t count = by_class ? p->class_bins[i] : p->mad_bins[i];

		if (count)
			buf_printf(out, "%s %s on %zu",
				   told++     ? ","
				   : by_class ? " class distance"
					      : " MAD",
				   by_class ? class_names[i] : mad_names[i], count);
	}
}

static void print_pair(FILE *out, const struct check_report *r, const struct check_pair *p)
{
	struct buf line;

	buf_init(&line, MAX_LINE);
	buf_printf(&line, "%s / %s: ", SHOWN_AS(check_name_of(r, p->a)), SHOWN_AS(check_name_of(r, p->b)));
	if (r->oracle)
		buf_printf(&line, "distance %.3g, ", p->distance);
	if (!isnan(p->max_class))
		buf_printf(&line, "class %g, ", p->max_class);
	buf_printf(&line, "MAD %.3g, %zu of %zu inputs, pattern %d:", p->max_mad, p->triggering, p->items, p->pattern);
	put_pattern(&line, p);
	terminal_say(out, 2, 2, line.data ? line.data : "");
	buf_release(&line);
	if (p->explained)
		terminal_say(out, 4, 0,
			     "the reference finds both right, up to rounding: not a failure unless you give --oracle");
}

static void print_pairs(FILE *out, const struct check_report *r)
{
	size_t inconsistent = 0, left;
	char line[512];
	int n;

	for (size_t i = 0; i < r->result->n_pairs; i++)
		inconsistent += (size_t)r->result->pairs[i].inconsistent;
	if (!r->result->n_pairs)
		return;
	n = snprintf(line, sizeof line, "%zu of %zu pair%s inconsistent, %zu unique (", inconsistent,
		     r->result->n_pairs, PLURAL(r->result->n_pairs), r->result->n_unique);
	left = sizeof line - (size_t)n;
	if (r->oracle)
		snprintf(line + n, left, "by the oracle '%s', limit %g)", r->oracle->name, r->oracle->oracle->limit);
	else if (r->result->has_classes)
		snprintf(line + n, left, "class-based %s, MAD-based)",
			 r->result->has_labels ? "with labels" : "by majority");
	else
		snprintf(line + n, left, "MAD-based %s)",
			 r->result->has_targets || r->result->has_labels ? "with targets" : "without targets");
	terminal_say(out, 0, 2, line);
	for (size_t i = 0; i < r->result->n_pairs; i++)
		if (r->result->pairs[i].inconsistent)
			print_pair(out, r, &r->result->pairs[i]);
}

static double percent(size_t part, size_t all)
{
	return 100.0 * (double)part / (double)all;
}

/* What a wrong answer does to decisions, and with labels how often each backend is right. */
static void print_impact(FILE *out, const struct check_report *r)
{
	const struct check_result *c = r->result;
	size_t told = 0;
	struct buf line;

	buf_init(&line, MAX_LINE);
	for (size_t i = 0; i < c->n_backends && c->has_labels; i++)
		if (c->backends[i].impact.decisions)
			buf_printf(&line, "%s %s %.1f %%", told++ ? "," : "accuracy:", SHOWN_AS(check_name_of(r, i)),
				   percent(c->backends[i].impact.correct, c->backends[i].impact.decisions));
	if (told)
		terminal_say(out, 0, 2, line.data ? line.data : "");
	buf_release(&line);
	for (size_t i = 0; i < c->n_backends; i++) {
		const struct check_impact *x = &c->backends[i].impact;
		char text[512];

		if (!x->decisions || x->against == c->n_backends || !verdict_is_finding(c->backends[i].verdict))
			continue;
		snprintf(text, sizeof text, "%.200s names another class than %.200s for %zu of %zu %s%s (%.1f %%)",
			 SHOWN_AS(check_name_of(r, i)), SHOWN_AS(check_name_of(r, x->against)), x->flips, x->decisions,
			 x->places > 1 ? "place" : "input", PLURAL(x->decisions), percent(x->flips, x->decisions));
		terminal_say(out, 0, 2, text);
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
			 SHOWN_AS(check_name_of(r, d->a)), SHOWN_AS(check_other_of(r, d)), d->run, d->how);
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
			 SHOWN_AS(check_held_name(r, i)), verdict_name(h->verdict),
			 h->n_findings ? h->n_findings : h->n_runs, h->n_runs, PLURAL(h->n_runs), ratio,
			 h->by_tolerance ? "of the tolerance" : "times the noise", h->n_findings ? "; " : "",
			 h->n_findings ? h->reason : "");
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
	struct buf line;

	buf_init(&line, MAX_LINE);
	for (int at = -1; (s = blame_next_together(&c->blame, at)) != NULL; at = s->node->index) {
		first = first ? first : s;
		if (told == MAX_SET)
			more++;
		else
			buf_printf(&line, "%s %s '%s'", told++ ? "," : "together:", s->node->op_type,
				   PLAIN(s->node->name));
	}
	if (more)
		buf_printf(&line, " and %zu more", more);
	if (first)
		buf_puts(&line, "; each alone is right");
	if (first && isinf(first->noise_ratio))
		buf_puts(&line, ", together they are off where nothing rounds");
	else if (first && !isnan(first->noise_ratio))
		buf_printf(&line, ", together they are off by %s times the noise",
			   terminal_ratio(first->noise_ratio, ratio, sizeof ratio));
	terminal_say(out, 2, 2, line.data ? line.data : "");
	buf_release(&line);
	if (first && *c->kept.guilty)
		fprintf(out, "  decided by the library's own switch: %s\n", c->kept.guilty);
}

static void print_suspect(FILE *out, const struct suspect *s)
{
	struct buf line;
	char ratio[32];

	buf_init(&line, MAX_LINE);
	buf_printf(&line, "%d. %s '%s'%s%s", s->rank, s->node->op_type, PLAIN(s->node->name), *s->parameter ? ", " : "",
		   PLAIN(s->parameter));
	if (isinf(s->noise_ratio))
		buf_puts(&line, "; alone off where nothing rounds");
	else if (!isnan(s->noise_ratio))
		buf_printf(&line, "; alone %s times the noise", terminal_ratio(s->noise_ratio, ratio, sizeof ratio));
	if (!isnan(s->rate))
		buf_printf(&line, "; R_L (growth of the difference) %.3g", s->rate);
	if (s->effect == SWAP_GOES)
		buf_puts(&line, "; replacing this node with the reference removes the difference");
	else if (s->effect == SWAP_STAYS)
		buf_puts(&line, "; replacing this node with the reference does not remove the difference");
	terminal_say(out, 2, 3, line.data ? line.data : "");
	buf_release(&line);
}

static void print_blame(FILE *out, const struct check_report *r, const struct check_blame *c, int with_map)
{
	size_t told = 0;

	if (c->blame.n)
		fprintf(out, "%s: blamed\n", SHOWN_AS(check_name_of(r, c->backend)));
	print_set(out, c);
	for (size_t i = 0; i < c->blame.n; i++)
		if (!c->blame.at[i].together && ++told <= MAX_SUSPECTS)
			print_suspect(out, &c->blame.at[i]);
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
	char word[PAINT_SIZE], line[256];

	fprintf(out, "%s: %zu node%s, %zu run%s of %zu input%s: %s\n", r->model, r->graph->nodes.n,
		PLURAL(r->graph->nodes.n), r->runs, PLURAL(r->runs), r->items, PLURAL(r->items),
		paint_verdict(c->verdict, 0, word));
	print_backends(out, r);
	print_pairs(out, r);
	print_impact(out, r);
	print_differences(out, r);
	print_held(out, r);
	for (size_t i = 0; i < r->located->n_blames; i++)
		print_blame(out, r, &r->located->blames[i], with_map);
	for (size_t i = 0; i < r->located->n_maps && with_map; i++) {
		fprintf(out, "%s / %s: where they part\n", SHOWN_AS(check_name_of(r, r->located->maps[i].pair->a)),
			SHOWN_AS(check_name_of(r, r->located->maps[i].pair->b)));
		print_map(out, &r->located->maps[i].map);
	}
	snprintf(line, sizeof line,
		 "extraction %.2f s, comparison %.3f s, judging %.2f s, localization %.2f s; backends' own %.2f s",
		 c->extract_seconds, c->compare_seconds, c->judge_seconds, r->located->seconds, c->own_seconds);
	terminal_say(out, 0, 2, line);
}
