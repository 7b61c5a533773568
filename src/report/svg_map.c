/* svg_map.c - the localization map as a picture: the network, each node coloured by its rate of change.
 *
 * Rates span many orders of magnitude (δ_pre may be 0), so the colour goes by log(1 + R_L) against the largest one.
 * Nodes whose rate is no number are grey. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"
#include "report/report.h"
#include "report/text.h"

#define MAX_NODES 600
#define MAX_MARKED 24 /* of a network that is too large to be drawn whole */
#define NO_NUMBER "#b8b8b8"

/* Pale yellow to dark red: grows darker all the way, so it reads without colour as well. */
static const unsigned char ramp[][3] = {
	{255, 250, 220}, {254, 224, 144}, {253, 174, 97}, {240, 101, 60}, {200, 30, 40}, {110, 0, 35},
};

const char *svg_map_shade(double t, char out[8])
{
	const size_t last = sizeof ramp / sizeof *ramp - 1;
	double at = fmin(fmax(t, 0), 1) * (double)last;
	size_t i = (size_t)at < last ? (size_t)at : last - 1;
	double part = at - (double)i;
	unsigned char c[3];

	for (int k = 0; k < 3; k++)
		c[k] = (unsigned char)lrint(ramp[i][k] + part * (ramp[i + 1][k] - ramp[i][k]));
	snprintf(out, 8, "#%02x%02x%02x", c[0], c[1], c[2]);
	return out;
}

static double strength(double rate)
{
	return isinf(rate) && rate > 0 ? INFINITY : log1p(fmax(rate, 0));
}

/* The rate of the n-th largest entry: what is marked in a network that is too large. */
static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static double marked_from(const struct blame_map *map, double *rates)
{
	size_t n = 0;

	if (map->n <= MAX_NODES)
		return -INFINITY;
	for (size_t i = 0; i < map->n; i++)
		if (!isnan(map->at[i].rate))
			rates[n++] = map->at[i].rate;
	qsort(rates, n, sizeof *rates, descending);
	return n > MAX_MARKED ? rates[MAX_MARKED - 1] : -INFINITY;
}

/* What rounding explains is nobody's fault, however fast it grows: a small difference out of almost none has a high
 * rate.
 */
static double guilt(const struct blame_map_entry *m)
{
	return m->noise_ratio <= JUDGE_LIMIT ? 0 : strength(m->rate);
}

static int note_entry(struct arena *a, const struct blame_map_entry *m, double largest, struct svg_node *note)
{
	char rate[32], delta[32], ratio[32], color[8];
	double s = guilt(m);
	const char *shade = isnan(m->rate) ? NO_NUMBER
					   : svg_map_shade(isinf(s)      ? 1
							   : largest > 0 ? s / largest
									 : 0,
							   color);

	note->color = arena_strdup(a, shade);
	if (isnan(m->rate)) /* a node that makes a constant */
		snprintf(rate, sizeof rate, "–");
	else
		text_number(m->rate, rate);
	note->note = arena_printf(a, "R %s  δ %s", rate, text_number(m->delta, delta));
	note->tip = arena_printf(a, "%s (%s): rate of change %s, δ %s, %s units of rounding noise%s", m->node->name,
				 m->node->op_type, rate, text_number(m->delta, delta),
				 text_number(m->noise_ratio, ratio), m->above ? "; in the upper quarter" : "");
	return note->color && note->note && note->tip ? 0 : -1;
}

int svg_map(const struct model *m, const struct blame_map *map, struct buf *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	size_t n = m->graph->nodes.n;
	struct svg_node *notes = arena_array(&a, n + 1, sizeof *notes);
	double *rates = arena_array(&a, map->n + 1, sizeof *rates);
	double largest = 0, from;
	int rc = notes && rates ? 0 : err_nomem(e, "a localization map", n);

	for (size_t i = 0; i < n && !rc; i++)
		notes[i] = (struct svg_node){"", "", ""};
	for (size_t i = 0; i < map->n; i++)
		if (isfinite(map->at[i].rate))
			largest = fmax(largest, guilt(&map->at[i]));
	from = rc ? 0 : marked_from(map, rates);
	for (size_t i = 0; i < map->n && !rc; i++) {
		const struct blame_map_entry *entry = &map->at[i];

		if (entry->node->index < 0 || (size_t)entry->node->index >= n || entry->rate < from)
			continue;
		if (!entry->node->n_in && !(entry->rate > 0)) /* a constant; the picture may leave it out */
			continue;
		if (note_entry(&a, entry, largest, &notes[entry->node->index]))
			rc = err_nomem(e, "a localization map", n);
	}
	if (!rc)
		rc = svg_graph(m, notes, MAX_NODES, out, e);
	arena_release(&a);
	return rc;
}
