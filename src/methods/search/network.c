/* network.c - a network from its genes: one edit after the other, each kept when the network is valid with it. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "ops/op.h"

#define TRIES 8 /* an edit may not be possible: another is drawn from the same gene */

#define EDIT(id) extern const struct edit edit_##id;
#include "methods/search/edits.def"
#undef EDIT

static const struct edit *const edits[] = {
#define EDIT(id) &edit_##id,
#include "methods/search/edits.def"
#undef EDIT
};

static const struct edit *pick_edit(struct rng *rng)
{
	uint64_t sum = 0, at;
	size_t i = 0;

	for (size_t k = 0; k < sizeof edits / sizeof *edits; k++)
		sum += edits[k]->share;
	at = rng_below(rng, sum);
	while (at >= edits[i]->share)
		at -= edits[i++]->share;
	return edits[i];
}

/* What makes an edit impossible here, and is no failure. */
static int is_harmless(int rc)
{
	return rc == ERR_INPUT || rc == ERR_UNSUPPORTED || rc == ERR_LIMIT;
}

/* Tries one edit on a copy of *m, which takes its place when it works: 1 then. */
static int try_edit(struct model **m, const struct edit *edit, struct editing *x, struct err *e)
{
	struct err trouble = ERR_INIT;
	int done, rc = model_copy(*m, &x->model, e);

	if (rc)
		return rc;
	done = edit->apply(x, &trouble);
	rc = done < 0 ? done : 0;
	if (done == 1 && edit->invalid)
		repair_forget(x->model);
	else if (done == 1)
		rc = repair_model(x->model, &x->rng, &trouble);
	if (rc || !done) {
		model_free(x->model);
		if (rc && !is_harmless(rc))
			*e = trouble;
		return is_harmless(rc) ? 0 : rc;
	}
	graph_remove_dead(x->model->graph);
	model_free(*m);
	*m = x->model;
	return 1;
}

/* One gene: 1 when an edit was made. */
static int express(struct model **m, uint64_t gene, const struct layers *layers, int invalid, char *said, struct err *e)
{
	struct editing x = {.layers = layers, .said = said};
	const struct edit *edit;
	int rc = 0;

	rng_init(&x.rng, gene);
	edit = pick_edit(&x.rng);
	if (edit->invalid != invalid)
		return 0;
	for (int i = 0; i < TRIES && !rc; i++)
		rc = try_edit(m, edit, &x, e);
	return rc;
}

static void tell(char *said, const char *one)
{
	size_t used = strlen(said);

	snprintf(said + used, SEARCH_SAID - used, "%s%s", used ? "; " : "", one);
}

/* Valid edits first, in the order of their genes; then at most one that is not, for nothing can be built on that. */
int network_make(const struct model *base, const uint64_t *genes, const struct layers *layers, struct model **out,
		 char *said, int *invalid, struct err *e)
{
	struct model *m;
	char one[SEARCH_SAID];
	int rc = model_copy(base, &m, e), done;

	if (rc)
		return rc;
	*said = '\0';
	*invalid = 0;
	for (int pass = 0; pass < 2 && !rc; pass++)
		for (size_t i = 0; i < SEARCH_EDITS && !rc && !*invalid; i++) {
			done = genes[i] ? express(&m, genes[i], layers, pass, one, e) : 0;
			rc = done < 0 ? done : 0;
			if (done == 1)
				tell(said, one);
			*invalid |= done == 1 && pass;
		}
	if (rc)
		model_free(m);
	else
		*out = m;
	return rc;
}

/* Operators that squeeze what decides into a bounded range. */
static int squeezes(const struct node *n)
{
	static const char *const ops[] = {"Softmax", "LogSoftmax", "Sigmoid", "HardSigmoid", "Tanh", "Softsign"};

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (!strcmp(n->op_type, ops[i]))
			return 1;
	return 0;
}

int expose_logits(struct model *m, struct err *e)
{
	struct graph *g = m->graph;
	const struct node *last = g->outputs.n ? g->outputs.at[0]->producer : NULL;
	int rc;

	if (!last || !squeezes(last) || !last->in[0] || !last->in[0]->producer)
		return 0;
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == last->in[0])
			return 0;
	rc = graph_add_output(g, last->in[0], e);
	return rc ? rc : 1;
}
