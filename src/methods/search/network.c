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

/* Tries one edit on a copy of *m, which takes its place when it works. */
static enum edit_result try_edit(struct model **m, const struct edit *edit, struct editing *x, struct err *e)
{
	struct err trouble = ERR_INIT;
	enum edit_result result;

	if (model_copy(*m, &x->model, e))
		return EDIT_FAILED;
	result = edit->apply(x, &trouble);
	if (result == EDIT_DONE && edit->invalid)
		repair_forget(x->model);
	else if (result == EDIT_DONE && repair_model(x->model, &x->rng, &trouble))
		result = EDIT_FAILED;
	if (result == EDIT_FAILED && is_harmless(trouble.code))
		result = EDIT_IMPOSSIBLE;
	if (result == EDIT_FAILED)
		*e = trouble;
	if (result != EDIT_DONE) {
		model_free(x->model);
		return result;
	}
	graph_remove_dead(x->model->graph);
	model_free(*m);
	*m = x->model;
	return EDIT_DONE;
}

/* One gene. */
static enum edit_result express(struct model **m, uint64_t gene, const struct layers *layers, int invalid, char *said,
				struct err *e)
{
	struct editing x = {.layers = layers, .said = said};
	enum edit_result result = EDIT_IMPOSSIBLE;
	const struct edit *edit;

	rng_init(&x.rng, gene);
	edit = pick_edit(&x.rng);
	if (edit->invalid != invalid)
		return EDIT_IMPOSSIBLE;
	for (int i = 0; i < TRIES && result == EDIT_IMPOSSIBLE; i++)
		result = try_edit(m, edit, &x, e);
	return result;
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
	int rc = model_copy(base, &m, e);

	if (rc)
		return rc;
	*said = '\0';
	*invalid = 0;
	for (int pass = 0; pass < 2 && !rc; pass++)
		for (size_t i = 0; i < SEARCH_EDITS && !rc && !*invalid; i++) {
			enum edit_result result =
				genes[i] ? express(&m, genes[i], layers, pass, one, e) : EDIT_IMPOSSIBLE;

			rc = result == EDIT_FAILED ? e->code : 0;
			if (result == EDIT_DONE)
				tell(said, one);
			*invalid |= result == EDIT_DONE && pass;
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

int search_expose_logits(struct model *m, int *exposed, struct err *e)
{
	struct graph *g = m->graph;
	const struct node *last = g->outputs.n ? g->outputs.at[0]->producer : NULL;

	*exposed = 0;
	if (!last || !squeezes(last) || !last->in[0] || !last->in[0]->producer)
		return 0;
	*exposed = g->outputs.at[g->outputs.n - 1] == last->in[0]; /* a variant that was saved */
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i] == last->in[0])
			return 0;
	*exposed = 1;
	return graph_add_output(g, last->in[0], e);
}

int search_expose_layers(struct model *m, struct err *e)
{
	struct graph *g = m->graph;
	size_t before = g->outputs.n;
	struct wire *last = before ? g->outputs.at[before - 1] : NULL;

	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out; k++) {
			struct wire *w = g->nodes.at[i]->out[k];
			int wanted = w && dtype_is_float(w->type.dtype) && !graph_has_output(g, w);
			int rc = wanted ? graph_add_output(g, w, e) : 0;

			if (rc)
				return rc;
		}
	for (size_t i = before; last && i < g->outputs.n; i++) /* moves up behind what was added */
		g->outputs.at[i - 1] = g->outputs.at[i];
	if (last)
		g->outputs.at[g->outputs.n - 1] = last;
	return 0;
}
