/* seeds.c - subgraphs of real networks as blocks (declared in fuzz.h).
 *
 * `assay extract -o DIR` cuts them out of networks.  Their operators and edges are taken: as any subgraph of the corpus
 * they are chosen by the search, get neighbours, lose and double operators (BNR, BNA), and each operator draws its
 * attributes, shapes and element types anew.  What the network had of these is left behind; `-i DIR` runs the cases as
 * they are. */
#include "methods/fuzz/start.h"

#include <stdio.h>
#include <string.h>

#define MOST 12 /* operators of one: some more may be doubled */

typedef VEC(struct fuzz_subgraph) subgraph_list;

/* The block of an operator, not one of its forms where there is another; -1: the corpus has none. */
static int block_of(const struct corpus *c, const struct node *n)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);
	int form = -1;

	for (int i = 0; row && i < c->n_ops; i++) {
		if (c->ops[i].row != row)
			continue;
		if (!c->ops[i].is_form)
			return i;
		form = form < 0 ? i : form;
	}
	return form;
}

static void add_edges(const struct node *n, struct fuzz_subgraph *s)
{
	for (int k = 0; k < n->n_in; k++) {
		if (!n->in[k] || !n->in[k]->producer || s->n_edges == FUZZ_MAX_EDGES)
			continue;
		s->from[s->n_edges] = n->in[k]->producer->index;
		s->to[s->n_edges++] = n->index;
	}
}

static int leads_in(const struct fuzz_subgraph *s, int node)
{
	for (int i = 0; i < s->n_edges; i++)
		if (s->to[i] == node)
			return 1;
	return 0;
}

/* 0: it is one operator, too many, or one that the corpus does not have. */
static int take(const struct corpus *c, const struct graph *g, struct fuzz_subgraph *out)
{
	*out = (struct fuzz_subgraph){.in_low = 1, .out_high = FUZZ_OUT};
	if (g->nodes.n < 2 || g->nodes.n > MOST)
		return 0;
	for (size_t i = 0; i < g->nodes.n; i++) {
		int block = block_of(c, g->nodes.at[i]);

		if (block < 0)
			return 0;
		out->ops[out->n++] = block;
		add_edges(g->nodes.at[i], out);
	}
	for (int i = 0; i < out->n; i++)
		out->in_high += leads_in(out, i) ? 0 : c->ops[out->ops[i]].in_high;
	out->in_high = out->in_high > FUZZ_MAX_DEGREE ? FUZZ_MAX_DEGREE : out->in_high;
	corpus_set_subgraph_opsets(c, out);
	return 1;
}

static int is_same(const struct fuzz_subgraph *a, const struct fuzz_subgraph *b)
{
	return a->n == b->n && a->n_edges == b->n_edges && !memcmp(a->ops, b->ops, (size_t)a->n * sizeof *a->ops) &&
	       !memcmp(a->from, b->from, (size_t)a->n_edges * sizeof *a->from) &&
	       !memcmp(a->to, b->to, (size_t)a->n_edges * sizeof *a->to);
}

static int is_there(const subgraph_list *all, const struct fuzz_subgraph *s)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_same(&all->at[i], s))
			return 1;
	return 0;
}

static int add_seed(struct corpus *c, subgraph_list *all, const char *folder, struct err *e)
{
	const char *name = strrchr(folder, '/');
	struct fuzz_subgraph s;
	struct model *m = NULL;
	char path[4096];
	int rc, found;

	snprintf(path, sizeof path, "%s/model.onnx", folder);
	rc = model_load(path, &m, e);
	if (rc)
		return rc;
	found = take(c, m->graph, &s) && !is_there(all, &s);
	model_free(m);
	if (!found)
		return 0;
	s.name = arena_strdup(&c->arena, name ? name + 1 : folder);
	return !s.name || vec_push(all, s) ? err_nomem(e, "subgraphs", sizeof s) : 0;
}

/* Those of the corpus and the seeds. */
static int replace(struct corpus *c, const subgraph_list *all, struct err *e)
{
	struct fuzz_subgraph *list = arena_array(&c->arena, all->n + 1, sizeof *list);

	if (!list)
		return err_nomem(e, "subgraphs", all->n);
	memcpy(list, all->at, all->n * sizeof *list);
	c->subgraphs = list;
	c->n_subgraphs = (int)all->n;
	return 0;
}

int corpus_add_seeds(struct corpus *c, const char *folder, struct err *e)
{
	subgraph_list all = VEC_INIT;
	struct start s = {VEC_INIT};
	int rc = start_open(folder, &s, e);

	for (int i = 0; i < c->n_subgraphs && !rc; i++)
		if (vec_push(&all, c->subgraphs[i]))
			rc = err_nomem(e, "subgraphs", 0);
	for (size_t i = 0; i < s.folders.n && !rc; i++)
		rc = add_seed(c, &all, s.folders.at[i], e);
	if (!rc && all.n == (size_t)c->n_subgraphs)
		rc = err_set(e, ERR_USAGE,
			     "'%s' has no subgraph of 2 to %d operators that are all blocks of the corpus", folder,
			     MOST);
	if (!rc)
		rc = replace(c, &all, e);
	vec_release(&all);
	start_release(&s);
	return rc;
}
