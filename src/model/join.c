/* join.c - see join.h. */
#include "model/join.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/copy.h"

int model_joins(const struct model *a, const struct model *b)
{
	int same = a->graphs.n == 1 && b->graphs.n == 1 && !a->symbols.n && !b->symbols.n && !a->file && !b->file &&
		   a->ir_version == b->ir_version && a->opsets.n == b->opsets.n;

	for (size_t i = 0; i < a->opsets.n && same; i++)
		same = a->opsets.at[i].version == b->opsets.at[i].version &&
		       !strcmp(a->opsets.at[i].domain, b->opsets.at[i].domain);
	return same;
}

/* Copies the contents of one part; what it names gets the prefix. */
static int add_part(struct copy_frame *f, size_t part, struct err *e)
{
	const struct graph *g = f->from;
	char name[512];
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		int n = snprintf(name, sizeof name, "%zu_%s", part, g->wires.at[i]->name);

		if (n < 0 || (size_t)n >= sizeof name)
			return err_set(e, ERR_LIMIT, "the name '%.60s…' is too long", g->wires.at[i]->name);
		rc = copy_wire(f, g->wires.at[i], name, e);
	}
	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (vec_push(&f->to->inputs, f->wires[g->inputs.at[i]->id]))
			rc = err_nomem(e, "a list of inputs", g->inputs.n);
	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		struct node named = *g->nodes.at[i];

		snprintf(name, sizeof name, "%zu_%.200s", part, named.name);
		named.name = name;
		rc = copy_node(f, &named, e);
	}
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		rc = graph_add_output(f->to, f->wires[g->outputs.at[i]->id], e);
	return rc;
}

int model_join(struct model *const *parts, size_t n, struct model **out, struct err *e)
{
	struct model *m = NULL;
	int rc = copy_head(parts[0], &m, e);

	if (rc)
		return rc;
	m->graph = graph_new(m, NULL, parts[0]->graph->name);
	rc = m->graph ? 0 : err_nomem(e, "a graph", sizeof *m->graph);
	for (size_t k = 0; k < n && !rc; k++) {
		struct copy_frame f;

		rc = copy_frame_init(&f, parts[k]->graph, m->graph, NULL, e);
		if (rc)
			break;
		rc = add_part(&f, k, e);
		mem_free(f.wires);
	}
	if (rc)
		model_free(m);
	else
		*out = m;
	return rc;
}
