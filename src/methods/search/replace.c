/* replace.c - Algorithm 2, lines 8 to 12: values from the configuration of a layer in place of its own (declared in
 * keep.h).
 *
 * The values are those of data/layers.yaml, all of every parameter but those that would need other weights or nodes.
 * A list gets the same number on every axis. */
#include <stdio.h>

#include "base/plain.h"
#include "methods/search/internal.h"
#include "methods/search/keep.h"

/* Whether the layer alone can have another value of it. */
static int is_plain(const struct layer_parameter *p)
{
	return p->kind != LAYER_SIZE && p->kind != LAYER_OPTIONAL && p->kind != LAYER_NUMBER;
}

/* The parameter and word of number i; NULL: there are not that many. */
static const struct layer_parameter *find_value(const struct layers *all, const struct node *n, size_t i,
						const char **word)
{
	for (unsigned l = 0; l < all->n; l++)
		for (unsigned p = 0; p < all->at[l].n_parameters && layer_matches(&all->at[l], n); p++) {
			const struct layer_parameter *row = &all->at[l].parameters[p];
			size_t here = is_plain(row) ? row->values.n : 0;

			if (i < here) {
				*word = row->values.at[i];
				return row;
			}
			i -= here;
		}
	return NULL;
}

static int set_value(struct node *n, size_t i, struct blame_value *out, void *arg, struct err *e)
{
	const struct search_replaced *r = arg;
	struct editing x = {.layers = r->layers, .uniform = 1};
	const char *word = NULL;
	const struct layer_parameter *p = find_value(r->layers, n, i, &word);

	out->parameter = p ? p->name : NULL;
	if (!p)
		return 0;
	snprintf(out->said, sizeof out->said, "%.60s=%.60s", p->name, word);
	return edit_set(&x, n, p, word, e);
}

static int keep_failure(const struct trial *t, const struct node *n, const struct blame_value *v, void *arg,
			struct err *e)
{
	struct search_replaced *r = arg;
	int rc;

	if (r->n == SEARCH_REPLACED)
		return 0;
	rc = trial_copy(t, &r->at[r->n], e);
	if (!rc)
		snprintf(r->said[r->n++], SEARCH_SAID, "%s '%.200s' alone: %s", n->op_type, PLAIN(n->name), v->said);
	return rc;
}

void search_replaced_begin(struct search_replaced *r, const struct layers *layers, struct blame_causal *causal)
{
	*r = (struct search_replaced){.layers = layers};
	if (!layers)
		return;
	causal->value = set_value;
	causal->fails = keep_failure;
	causal->arg = r;
}

void search_replaced_release(struct search_replaced *r)
{
	while (r->n)
		trial_release(&r->at[--r->n]);
}
