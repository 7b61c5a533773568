/* layout.c - see layout.h.
 *
 * Graphviz is asked for coordinates only: boxes come with their sizes, so that it never measures text and needs no
 * fonts.  libgvc has global state and may be used by one thread at a time; a context that is freed and made again
 * leaks, hence the one of this file lives as long as the process. */
#include "report/layout.h"

#include <graphviz/gvc.h>
#include <pthread.h>
#include <stdio.h>

#define BIG_GRAPH 150 /* boxes above which fewer rounds are spent on fewer crossings */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* cgraph wants writable strings and does not write to them. */
static void set_default(Agraph_t *g, int kind, const char *name, const char *value)
{
	agattr(g, kind, (char *)name, (char *)value);
}

static void set_size(Agnode_t *n, const char *name, double points)
{
	char text[32];

	snprintf(text, sizeof text, "%.4f", points / POINTS_PER_INCH);
	agset(n, (char *)name, text);
}

static Agraph_t *make_graph(const struct layout *l, Agnode_t **nodes, Agedge_t **edges)
{
	Agraph_t *g = agopen((char *)"picture", Agdirected, NULL);
	char name[32];

	if (!g)
		return NULL;
	set_default(g, AGRAPH, "nodesep", "0.3");
	set_default(g, AGRAPH, "ranksep", "0.4");
	set_default(g, AGRAPH, "nslimit", "3");
	set_default(g, AGRAPH, "nslimit1", "3");
	set_default(g, AGRAPH, "mclimit", l->n_boxes > BIG_GRAPH ? "0.3" : "1");
	set_default(g, AGNODE, "shape", "box");
	set_default(g, AGNODE, "label", "");
	set_default(g, AGNODE, "fixedsize", "true");
	set_default(g, AGNODE, "width", "1");
	set_default(g, AGNODE, "height", "1");
	set_default(g, AGEDGE, "arrowhead", "none");
	for (size_t i = 0; i < l->n_boxes; i++) {
		snprintf(name, sizeof name, "%zu", i);
		nodes[i] = agnode(g, name, 1);
		set_size(nodes[i], "width", l->box[i].width);
		set_size(nodes[i], "height", l->box[i].height);
	}
	for (size_t i = 0; i < l->n_arrows; i++) {
		snprintf(name, sizeof name, "%zu", i);
		edges[i] = agedge(g, nodes[l->arrow[i].from], nodes[l->arrow[i].to], name, 1);
	}
	return g;
}

/* Graphviz counts y upwards. */
static int read_arrow(struct layout_arrow *a, const Agedge_t *edge, double height, struct arena *arena)
{
	const splines *all = ED_spl(edge);
	const bezier *b = all && all->size > 0 ? &all->list[0] : NULL;

	a->n = 0;
	if (!b || !b->size)
		return 0;
	a->points = arena_array(arena, (size_t)b->size * 2, sizeof(double));
	if (!a->points)
		return -1;
	a->n = (size_t)b->size;
	for (size_t i = 0; i < a->n; i++) {
		a->points[2 * i] = b->list[i].x;
		a->points[2 * i + 1] = height - b->list[i].y;
	}
	return 0;
}

static int read_places(struct layout *l, Agraph_t *g, Agnode_t **nodes, Agedge_t **edges, struct arena *arena)
{
	l->width = GD_bb(g).UR.x;
	l->height = GD_bb(g).UR.y;
	for (size_t i = 0; i < l->n_boxes; i++) {
		l->box[i].x = ND_coord(nodes[i]).x;
		l->box[i].y = l->height - ND_coord(nodes[i]).y;
	}
	for (size_t i = 0; i < l->n_arrows; i++)
		if (read_arrow(&l->arrow[i], edges[i], l->height, arena))
			return -1;
	return 0;
}

static int run_locked(struct layout *l, struct arena *arena, Agnode_t **nodes, Agedge_t **edges, struct err *e)
{
	static GVC_t *context;
	Agraph_t *g;
	int rc = 0;

	agseterr(AGMAX); /* it would print; a failure shows in the status */
	if (!context)
		context = gvContext();
	g = context ? make_graph(l, nodes, edges) : NULL;
	if (!g)
		return err_set(e, ERR_MEMORY, "Graphviz cannot make a graph of %zu boxes", l->n_boxes);
	if (gvLayout(context, g, "dot"))
		rc = err_set(e, ERR_UNSUPPORTED,
			     "Graphviz has no layout 'dot': is its plugin libgvplugin_dot_layout there?");
	else if (read_places(l, g, nodes, edges, arena))
		rc = err_nomem(e, "curves of a picture", 0);
	gvFreeLayout(context, g);
	agclose(g);
	return rc;
}

int layout_run(struct layout *l, struct arena *arena, struct err *e)
{
	Agnode_t **nodes = arena_array(arena, l->n_boxes + 1, sizeof *nodes);
	Agedge_t **edges = arena_array(arena, l->n_arrows + 1, sizeof *edges);
	int rc;

	if (!nodes || !edges)
		return err_nomem(e, "a picture", 0);
	pthread_mutex_lock(&one_at_a_time);
	rc = run_locked(l, arena, nodes, edges, e);
	pthread_mutex_unlock(&one_at_a_time);
	return rc;
}
