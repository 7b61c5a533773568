/* effects.c - what nodes do to the outputs.
 *
 * Measured on the run of the data that is furthest off with all nodes narrowed: node by node, or, where that would take
 * too many runs, by groups of neighbours, of which the worst is halved again and again. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"

#define NEGLIGIBLE 0.01 /* of what the outputs tolerate: a group below is not halved */

struct effects_group {
	size_t from, to; /* of active[] */
	double effect;
};

static int measure_group(struct narrow_job *j, unsigned char *low, struct effects_group *g, struct err *e)
{
	struct narrow_reach reach = {.error = 0};
	struct ref_result got = {.n = 0};
	int rc;

	memset(low, 0, j->g->nodes.n);
	for (size_t i = g->from; i < g->to; i++)
		low[j->able[j->active[i]]->index] = passes_mark(j);
	rc = passes_run(j, j->worst, low, NULL, &got, e);
	if (rc)
		return rc;
	measure_outputs(&j->outputs, &j->o->target, j->worst, &got, &reach);
	ref_result_release(&got);
	g->effect = reach.error / j->o->target.limit;
	for (size_t i = g->from; i < g->to; i++) {
		j->effect[j->active[i]] = g->effect;
		j->together[j->active[i]] = g->to - g->from;
	}
	return 0;
}

static int measure_each(struct narrow_job *j, unsigned char *low, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < j->n_active && !rc; i++) {
		struct effects_group g = {i, i + 1, 0};

		passes_tell(j->o, "effects", i, j->n_active);
		rc = measure_group(j, low, &g, e);
	}
	return rc;
}

/* The group to be halved: NULL when none is worth it. */
static struct effects_group *worst_group(struct effects_group *groups, size_t n)
{
	struct effects_group *worst = NULL;

	for (size_t i = 0; i < n; i++)
		if (groups[i].to - groups[i].from > 1 && groups[i].effect > (worst ? worst->effect : NEGLIGIBLE))
			worst = &groups[i];
	return worst;
}

static int measure_groups(struct narrow_job *j, unsigned char *low, struct err *e)
{
	size_t most = passes_most(j), n = 1;
	struct effects_group *groups = mem_array(most + 2, sizeof *groups), *worst = groups;
	int rc = groups ? 0 : err_nomem(e, "groups", most * sizeof *groups);

	if (!rc) {
		groups[0] = (struct effects_group){0, j->n_active, 0};
		rc = measure_group(j, low, &groups[0], e);
	}
	for (size_t done = 1; !rc && done + 2 <= most && (worst = worst_group(groups, n)); done += 2) {
		size_t middle = worst->from + (worst->to - worst->from) / 2;

		passes_tell(j->o, "effects", done, most);
		groups[n] = (struct effects_group){middle, worst->to, 0};
		worst->to = middle;
		rc = measure_group(j, low, worst, e);
		if (!rc)
			rc = measure_group(j, low, &groups[n++], e);
	}
	mem_free(groups);
	return rc;
}

/* Nodes that give what is exact when they alone are narrowed need no run. */
static void find_active(struct narrow_job *j)
{
	const struct narrow_result *r = j->out;

	for (size_t i = 0, row = 0; i < j->n_able; i++) {
		double local = 0;

		while (row < r->n && r->rows[row].node->index < j->able[i]->index)
			row++;
		for (size_t k = row; k < r->n && r->rows[k].node == j->able[i]; k++)
			local = fmax(local, r->rows[k].local);
		j->together[i] = 1;
		if (local > 0)
			j->active[j->n_active++] = i;
	}
}

int effects_measure(struct narrow_job *j, struct err *e)
{
	unsigned char *low = mem_array(j->g->nodes.n + 1, sizeof *low);
	int rc = 0;

	j->effect = mem_array(j->n_able + 1, sizeof *j->effect);
	j->together = mem_array(j->n_able + 1, sizeof *j->together);
	j->active = mem_array(j->n_able + 1, sizeof *j->active);
	if (!low || !j->effect || !j->together || !j->active)
		rc = err_nomem(e, "effects", j->n_able * sizeof *j->effect);
	else
		find_active(j);
	if (!rc && j->n_active)
		rc = j->n_active <= passes_most(j) ? measure_each(j, low, e) : measure_groups(j, low, e);
	mem_free(low);
	return rc;
}
