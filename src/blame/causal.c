/* causal.c - Audee, Algorithm 2: localize, then fix, layer by layer, down to the parameter.
 *
 *     repeat
 *         L := the first layer whose change rate R_L is above t1
 *         P := those of its parameters at whose other value a network of L alone has R < t2, even when amplified
 *         X := X ∪ (L, P);  fix L
 *     until there is no such layer
 *
 * Where the paper fixes a layer by other parameters, which makes another network of it, here the reference computes
 * it: the network is cut at L and goes on with the reference's tensors, so that L has no part in the rates of later
 * layers and everything else stays as it is. */
#include <math.h>

#include "base/mem.h"
#include "blame/internal.h"

#define INCONSISTENT 1000.0 /* t1 */
#define MAX_LAYERS 8

/* The first node above t1, or NULL; *rate is its R_L. */
static int first_outlier(struct blaming *b, struct trial *t, struct node **out, struct blame_map_entry *entry,
			 struct err *e)
{
	const struct blame_causal *causal = b->r->causal;
	double limit = causal && causal->inconsistent > 0 ? causal->inconsistent : INCONSISTENT;
	struct blame_map map = {0};
	int rc = stream_measure(b, t, 0, &map, e);

	*out = NULL;
	if (!rc)
		rc = blame_map_rates(&map, e);
	for (size_t i = 0; i < map.n && !rc && !*out; i++)
		if (map.at[i].rate > limit) {
			*out = t->model->graph->nodes.at[i];
			*entry = map.at[i];
		}
	blame_map_release(&map);
	return rc;
}

/* Parameters of the layer, when it is guilty alone at all. */
static int search_parameters(struct blaming *b, struct trial *t, const unsigned char *kinds, struct node *n,
			     const struct node *origin, struct guilty_parameters *out, struct err *e)
{
	const struct cut_nodes one = {.at = &n, .n = 1, .values = 1};
	struct trial alone = {0};
	struct outcome o = {0};
	int empty = 0, guilty = 0;
	int rc = cut_once(t, kinds, &one, &alone, &empty, e);

	if (!rc && !empty)
		rc = blaming_judge(b, &alone, &o, &guilty, e);
	if (!rc && guilty)
		rc = blame_parameters(b, &alone, origin, 1, out, e);
	outcome_release(&o);
	trial_release(&alone);
	return rc;
}

/* The rest of the network, with n's outputs given.  *empty: there is no rest. */
static int fix(struct trial *t, const unsigned char *kinds, const struct node *n, struct trial *out, int *empty,
	       struct err *e)
{
	const struct graph *g = t->model->graph;
	struct node **rest = mem_array(g->nodes.n, sizeof *rest);
	size_t count = 0;
	int rc = rest ? 0 : err_nomem(e, "nodes", g->nodes.n * sizeof *rest);

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		struct node *other = g->nodes.at[i];

		if (other != n && other->n_out && other->out[0] && kinds[other->out[0]->id] != WIRE_CONSTANT)
			rest[count++] = other;
	}
	*empty = !count;
	if (!rc && count)
		rc = cut_once(t, kinds, &(struct cut_nodes){.at = rest, .n = count}, out, empty, e);
	mem_free(rest);
	return rc;
}

static int accuse(struct blaming *b, struct trial *t, const unsigned char *kinds, struct node *n,
		  const struct blame_map_entry *entry, json_t *layers, struct err *e)
{
	const struct node *origin = blame_origin(b->r->trial, n);
	struct guilty_parameters parameters = {.said = json_array()};
	struct suspect *s;
	int rc;

	if (!origin)
		return err_set(e, ERR_INTERNAL, "node '%s' is not in the case", n->name);
	blaming_tell(b, "localizing node", origin);
	rc = search_parameters(b, t, kinds, n, origin, &parameters, e);
	json_array_append_new(layers, json_pack("{s:s, s:s, s:o, s:o, s:o}", "node", origin->name, "op",
						origin->op_type, "rate", json_number_or_null(entry->rate), "delta",
						json_number_or_null(entry->delta), "parameters", parameters.said));
	s = rc ? NULL : blaming_suspect(b, origin, e);
	if (!s)
		return e->code;
	if (isnan(s->rate)) {
		s->rate = entry->rate;
		s->delta = entry->delta;
	}
	s->score = fmax(s->score, WEIGHT_CAUSAL);
	if (parameters.n)
		s->parameter = blaming_parameters(b, &parameters, e);
	return s->parameter ? 0 : e->code;
}

/* One round on *t; *done when there is nothing left.  *t becomes the fixed network. */
static int localize_and_fix(struct blaming *b, struct trial **t, struct trial *spare, json_t *layers, int *done,
			    struct err *e)
{
	unsigned char *kinds = cut_kinds(*t, e);
	struct blame_map_entry entry = {0};
	struct trial fixed = {0};
	struct node *n = NULL;
	int rc = kinds ? first_outlier(b, *t, &n, &entry, e) : e->code;

	*done = !n;
	if (!rc && n)
		rc = accuse(b, *t, kinds, n, &entry, layers, e);
	if (!rc && n)
		rc = fix(*t, kinds, n, &fixed, done, e);
	mem_free(kinds);
	if (rc || *done)
		return rc;
	trial_release(spare);
	*spare = fixed;
	*t = spare;
	return 0;
}

static int run(struct blaming *b, struct err *e)
{
	struct trial *t = b->r->trial, fixed = {0};
	json_t *layers = json_array();
	int done = 0, rc = 0;

	json_object_set_new(b->said, "layers", layers);
	if (b->r->gradient || blaming_is_process(b))
		return err_set(e, ERR_UNSUPPORTED, "change rates need numbers of a forward run");
	for (int i = 0; i < MAX_LAYERS && !done && !rc && !blaming_is_over(b); i++)
		rc = localize_and_fix(b, &t, &fixed, layers, &done, e);
	trial_release(&fixed);
	return rc;
}

const struct blamer blamer_causal = {
	.summary = "localize and fix layer by layer, then parameter by parameter (Audee)",
	.run = run,
};
