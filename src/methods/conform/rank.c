/* rank.c - which cases come first: those whose operators real models use most (declared in conform.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"
#include "methods/conform/conform.h"
#include "ops/op.h"
#include "triage/traits.h"

#define MAX_WORD 64
#define MAX_OP 256

/* How often models have such a node: its operator, and the type of its first input. */
static size_t use_of_node(const struct usage *u, const struct node *n)
{
	char op[MAX_OP];
	struct buf word;
	size_t use;

	buf_init(&word, MAX_WORD);
	if (n->n_in && n->in[0])
		traits_type(&n->in[0]->type, &word);
	if (word.data)
		word.data[strcspn(word.data, ".")] = '\0';
	use = usage_of(u, traits_op(n, op, sizeof op), word.data ? word.data : "").nodes;
	buf_release(&word);
	return use;
}

/* Of several nodes the least used one counts: a model that has the case has them all. */
static size_t use_of_case(const struct usage *u, const struct conform_case *c)
{
	struct err ignored = ERR_INIT;
	struct model *m = NULL;
	char path[PLACE_PATH];
	size_t use = 0;

	if (place_path(path, &ignored, "%s/model.onnx", c->path) || model_load(path, &m, &ignored))
		return 0; /* a file that cannot be read is in no use; why is in the case's detail */
	if (!ops_bind(m, &ignored))
		ops_infer(m, &ignored);
	for (size_t i = 0; i < m->graph->nodes.n; i++) {
		size_t each = use_of_node(u, m->graph->nodes.at[i]);

		use = !i || each < use ? each : use;
	}
	model_free(m);
	return use;
}

static int by_use(const void *a, const void *b)
{
	const struct conform_case *x = a, *y = b;

	return x->use != y->use ? (x->use > y->use ? -1 : 1) : strcmp(x->path, y->path);
}

void conform_rank(struct conform_list *l, const struct usage *u)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].status != CONFORM_PASSED)
			l->at[i].use = use_of_case(u, &l->at[i]);
	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, by_use);
}
