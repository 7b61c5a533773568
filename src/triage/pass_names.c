/* pass_names.c - short names: inputs x, x2 …, initializers w, w2 …, outputs y, y2 …, what lies between t, t2 …
 *
 * Names carry no meaning for a library, except where they do: then the case keeps its own. */
#include <stdio.h>
#include <string.h>

#include "triage/reduction.h"

static char letter_of(const struct graph *g, const struct wire *w)
{
	if (w->is_input)
		return 'x';
	if (!w->producer)
		return 'w';
	return graph_has_output(g, w) ? 'y' : 't';
}

static void make_name(char letter, int count, char *out, size_t size)
{
	if (count > 1)
		snprintf(out, size, "%c%d", letter, count);
	else
		snprintf(out, size, "%c", letter);
}

/* Two rounds: a short name may be taken by a wire that is yet to be renamed. */
static int rename_all(struct graph *g, int final, struct err *e)
{
	int count[128] = {0}, rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		struct wire *w = g->wires.at[i];
		char letter = letter_of(g, w), name[48];

		if (final)
			make_name(letter, ++count[(int)letter], name, sizeof name);
		else
			snprintf(name, sizeof name, "renamed wire %zu", i);
		rc = graph_rename_wire(w, name, e);
	}
	return rc;
}

static int has_short_names(const struct graph *g)
{
	int count[128] = {0};

	for (size_t i = 0; i < g->wires.n; i++) {
		char letter = letter_of(g, g->wires.at[i]), name[48];

		make_name(letter, ++count[(int)letter], name, sizeof name);
		if (strcmp(name, g->wires.at[i]->name) != 0)
			return 0;
	}
	return 1;
}

static int shorten(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	int rc;

	(void)i;
	(void)arg;
	if (has_short_names(r->now.model->graph))
		return 0;
	rc = candidate_copy(r, out, e);
	if (!rc) {
		rc = rename_all(out->model->graph, 0, e);
		if (!rc)
			rc = rename_all(out->model->graph, 1, e);
		if (rc)
			candidate_release(out);
	}
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	return reduce_first(r, 1, shorten, NULL, e) == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_names = {.summary = "short names", .run = run};
