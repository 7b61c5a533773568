/* structure.c - failures that are the same by the paper's rule (declared in known.h).
 *
 * "Model conversion failures with the same error type, error code and failure operator are regarded as the same error,
 * and data comparison failures with the same structure and operator are regarded as duplicates."  The structure is that
 * of the whole model: each operator and what leads into it.  Types, shapes, attributes and constants are no part of it,
 * nor is the order in which the file lists the nodes.  Of inference failures the paper does not say it: they are taken
 * as failures of conversion are where the library says something, else by their structure. */
#include "methods/fuzz/known.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"

#define MAX_WORDS 160

enum { FROM_INPUT = 1, FROM_CONSTANT, FROM_NOWHERE };

/* What leads into a port: an operator with all behind it, or where the wire comes from else. */
static uint64_t port_hash(const struct wire *w, const uint64_t *nodes)
{
	if (!w)
		return FROM_NOWHERE;
	if (w->producer)
		return nodes[w->producer->index];
	return w->init ? FROM_CONSTANT : FROM_INPUT;
}

/* The same for models whose nodes stand in another order: the nodes' hashes are added up.  0: out of memory. */
static uint64_t structure_of(const struct graph *g)
{
	uint64_t *nodes = mem_array(g->nodes.n + 1, sizeof *nodes), sum = 0;

	for (size_t i = 0; nodes && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		uint64_t h = hash_text(n->op_type);

		for (int k = 0; k < n->n_in; k++)
			h = hash_number(h, port_hash(n->in[k], nodes));
		nodes[i] = h;
		sum += h;
	}
	mem_free(nodes);
	return sum;
}

static void put_op(const struct node *n, char *op)
{
	snprintf(op, KNOWN_OP, "%.*s", KNOWN_OP - 1, n ? n->op_type : "");
}

void known_paper(const struct trial *t, const struct party *p, const struct outcome *o, char *key, char *op)
{
	const struct graph *g = t->model->graph;
	char words[MAX_WORDS];

	if (o->verdict == VERDICT_REJECTED) {
		put_op(known_named_node(g, o->report.message), op);
		outcome_words(o, words, sizeof words);
		snprintf(key, KNOWN_KEY, "%s|rejected|%s|%s", p->spec.name, words, op);
		return;
	}
	put_op(o->values || o->grads ? known_end(t, o) : NULL, op); /* a process that died does not say of what */
	snprintf(key, KNOWN_KEY, "%s|%s|structure %" PRIx64 "|%s", p->spec.name, verdict_name(o->verdict),
		 structure_of(g), op);
}
