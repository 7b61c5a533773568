/* map.c - CRADLE's localization map (equations 3, 5 and 6): where does the deviation of hidden states grow?
 *
 *     δ(L)      mean absolute deviation of L's outputs between two sides (several outputs: the largest)
 *     δ_pre(L)  the largest δ of the nodes that L reads
 *     R_L       (δ - δ_pre) / (δ_pre + ε), ε = 1e-7
 *
 * Nodes whose R_L is above the third quartile of all R_L are highlighted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"

#define SHOWN 10 /* entries in the evidence */
#define MAX_KEPT 4096

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

struct inbound {
	const struct blame_map *map;
	const struct graph *g;
	double largest;
};

static int see_inbound(struct wire *w, void *arg)
{
	struct inbound *in = arg;

	if (w->graph == in->g && w->producer && in->map->at[w->producer->index].delta > in->largest)
		in->largest = in->map->at[w->producer->index].delta;
	return 0;
}

static double rate_of(double delta, double pre)
{
	if (isinf(delta))
		return isinf(pre) ? 0 : (double)INFINITY;
	return isinf(pre) ? -1 : (delta - pre) / (pre + BLAME_EPSILON);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of sorted numbers, between neighbours by proportion. */
static double quartile(const double *x, size_t n)
{
	double at = 0.75 * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n || !isfinite(x[i + 1]))
		return x[i];
	return x[i] + (at - (double)i) * (x[i + 1] - x[i]);
}

int blame_map_rates(struct blame_map *m, struct err *e)
{
	double *sorted = mem_array(m->n + 1, sizeof *sorted);
	size_t n = 0;

	if (!sorted)
		return err_nomem(e, "rates", m->n * sizeof *sorted);
	for (size_t i = 0; i < m->n; i++) {
		struct blame_map_entry *entry = &m->at[i];
		struct inbound in = {m, entry->node->graph, 0};

		if (isnan(entry->rate) || isnan(entry->delta)) {
			entry->rate = (double)NAN;
			continue;
		}
		node_for_each_read(entry->node, see_inbound, &in);
		sorted[n++] = entry->rate = rate_of(entry->delta, in.largest);
	}
	qsort(sorted, n, sizeof *sorted, ascending);
	m->third_quartile = n ? quartile(sorted, n) : (double)NAN;
	for (size_t i = 0; i < m->n; i++)
		m->at[i].above = m->at[i].rate > m->third_quartile;
	mem_free(sorted);
	return 0;
}

void blame_map_release(struct blame_map *m)
{
	mem_free(m->at);
	*m = (struct blame_map){0};
}

int blame_map_make(const struct blame_request *r, struct blame_map *out, struct err *e)
{
	struct blame unused = {0};
	struct blame_map map = {0};
	struct blaming b;
	int rc = blaming_begin(&b, r, &unused, e);

	b.said = json_object();
	if (!rc)
		rc = stream_measure(&b, r->trial, 1, &map, e);
	if (!rc)
		rc = blame_map_rates(&map, e);
	json_decref(b.said);
	blaming_end(&b);
	if (rc)
		blame_map_release(&map);
	else
		*out = map;
	return rc;
}

/* ---- the blamer -------------------------------------------------------------------------------------------------- */

static int by_rate(const void *a, const void *b)
{
	const struct blame_map_entry *x = *(struct blame_map_entry *const *)a, *y = *(struct blame_map_entry *const *)b;

	if (x->rate > y->rate || x->rate < y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->node->index - y->node->index;
}

/* Highlighted entries, the highest rate first. */
static struct blame_map_entry **highlighted(const struct blame_map *m, size_t *n)
{
	struct blame_map_entry **list = mem_array(m->n + 1, sizeof *list);

	*n = 0;
	for (size_t i = 0; list && i < m->n; i++)
		if (m->at[i].above)
			list[(*n)++] = &m->at[i];
	if (list)
		qsort(list, *n, sizeof *list, by_rate);
	return list;
}

/* Every node of the map, for the report's picture; of larger networks only the top is kept. */
static json_t *all_entries(const struct blame_map *m)
{
	json_t *list = json_array();

	for (size_t i = 0; m->n <= MAX_KEPT && i < m->n; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "node", m->at[i].node->name, "rate",
						      json_number_or_null(m->at[i].rate), "delta",
						      json_number_or_null(m->at[i].delta)));
	return list;
}

static void say(struct blaming *b, struct blame_map_entry *const *list, size_t n)
{
	json_t *top = json_array();

	for (size_t i = 0; i < n && i < SHOWN; i++)
		json_array_append_new(top, json_pack("{s:s, s:s, s:o, s:o}", "node", list[i]->node->name, "op",
						     list[i]->node->op_type, "rate", json_number_or_null(list[i]->rate),
						     "delta", json_number_or_null(list[i]->delta)));
	json_object_set_new(b->said, "third_quartile", json_number_or_null(b->map.third_quartile));
	json_object_set_new(b->said, "highlighted", json_integer((json_int_t)n));
	json_object_set_new(b->said, "exposing_hides", json_boolean(b->map.exposing_hides));
	json_object_set_new(b->said, "top", top);
	json_object_set_new(b->said, "nodes", all_entries(&b->map));
	if (n && isinf(list[0]->rate) && b->r->outcome->verdict == VERDICT_NAN)
		json_object_set_new(b->said, "makes_nonfinite", json_string(list[0]->node->name));
}

static int run(struct blaming *b, struct err *e)
{
	struct blame_map_entry **list;
	size_t n;
	int rc = stream_measure(b, b->r->trial, 0, &b->map, e); /* noise would cost more than all the rest */

	if (!rc)
		rc = blame_map_rates(&b->map, e);
	if (rc)
		return rc;
	b->out->exposing_hides = b->map.exposing_hides;
	list = highlighted(&b->map, &n);
	if (!list)
		return err_nomem(e, "a map", b->map.n);
	say(b, list, n);
	for (size_t i = 0; i < n && !rc; i++)
		if (!blaming_suspect(b, list[i]->node, e))
			rc = e->code;
	mem_free(list);
	return rc;
}

const struct blamer blamer_map = {
	.summary = "localization map: where the deviation of hidden states grows (CRADLE)",
	.run = run,
};
