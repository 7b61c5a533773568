/* patterns.c - the table of patterns, and which of them are worth a case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "methods/extract/extract.h"

#define RECURS 2 /* times that a subgraph must occur */

struct extract_pattern *extract_find(struct extract *x, const char *key, int n, size_t n_ports, struct err *e)
{
	struct extract_pattern *p = map_get(&x->by_key, key);

	if (p)
		return p;
	p = arena_zalloc(&x->arena, sizeof *p);
	if (p) {
		*p = (struct extract_pattern){.key = arena_strdup(&x->arena, key),
					      .n = n,
					      .ports = arena_array(&x->arena, n_ports + 1, sizeof *p->ports),
					      .n_ports = n_ports};
		for (size_t i = 0; p->ports && i < n_ports; i++)
			p->ports[i].range = (struct extract_range){INFINITY, -INFINITY, 0, 0};
	}
	if (p && p->key && p->ports && !vec_push(&x->patterns, p) && !map_put(&x->by_key, key, p))
		return p;
	err_nomem(e, "patterns", x->patterns.n);
	return NULL;
}

int extract_count(struct extract_pattern *p, size_t model, struct err *e)
{
	p->count++;
	if (p->uses.n && p->uses.at[p->uses.n - 1].model == model) {
		p->uses.at[p->uses.n - 1].count++;
		return 0;
	}
	return vec_push(&p->uses, ((struct extract_use){model, 1})) ? err_nomem(e, "uses", p->uses.n) : 0;
}

void extract_widen(struct extract_range *r, const struct extract_range *by)
{
	r->min = fmin(r->min, by->min);
	r->max = fmax(r->max, by->max);
	r->nan += by->nan;
	r->infinite += by->infinite;
}

/* ---- which are kept ---------------------------------------------------------------------------------------------- */

/* A pattern that occurs only as a part of a longer one is not kept beside it. */
static void cover_parts(const struct extract_pattern *p)
{
	if (p->n < 2 || p->count < RECURS)
		return;
	p->prefix->covered |= p->prefix->count == p->count;
	p->suffix->covered |= p->suffix->count == p->count;
}

static int is_candidate(const struct extract_pattern *p)
{
	return p->count && (p->n == 1 || (p->count >= RECURS && !p->covered));
}

/* Operations first; most used first, by the nodes that they stand for. */
static int by_use(const void *a, const void *b)
{
	const struct extract_pattern *x = *(struct extract_pattern *const *)a;
	const struct extract_pattern *y = *(struct extract_pattern *const *)b;
	size_t x_nodes = x->count * (size_t)x->n, y_nodes = y->count * (size_t)y->n;

	if (is_candidate(x) != is_candidate(y))
		return is_candidate(y) - is_candidate(x);
	if ((x->n == 1) != (y->n == 1))
		return x->n == 1 ? -1 : 1;
	if (x_nodes != y_nodes)
		return x_nodes > y_nodes ? -1 : 1;
	if (x->uses.n != y->uses.n)
		return x->uses.n > y->uses.n ? -1 : 1;
	return strcmp(x->key, y->key);
}

void extract_choose(struct extract *x)
{
	for (size_t i = 0; i < x->patterns.n; i++)
		cover_parts(x->patterns.at[i]);
	if (x->patterns.n)
		qsort(x->patterns.at, x->patterns.n, sizeof *x->patterns.at, by_use);
	for (size_t i = 0; i < x->patterns.n && is_candidate(x->patterns.at[i]); i++) {
		struct extract_pattern *p = x->patterns.at[i];

		if (p->n > 1 && x->subgraphs == x->o->subgraphs) {
			x->left_out++;
			continue;
		}
		p->kept = 1;
		p->number = i + 1;
		x->operations += p->n == 1;
		x->subgraphs += p->n > 1;
	}
}
