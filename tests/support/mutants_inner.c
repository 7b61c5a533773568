/* mutants_inner.c - see mutants_walk.h: changes inside of sequences, optionals and graphs of nodes.
 *
 * Only such as a file can say: what the reader of files refuses is not for the interpreter to see. */
#include <stdio.h>

#include "base/mem.h"
#include "ops/kit/container.h"
#include "support/mutants_walk.h"

/* ---- sequences and optionals ------------------------------------------------------------------------------------- */

static struct value *numbers(struct walk *w, enum dtype t, int rank, const int64_t *dims)
{
	struct tensor *x = tensor_zeros(t, rank, dims, &w->e);
	struct value *v = x ? value_tensor(x, &w->e) : NULL;

	BUG_ON(!v);
	return v;
}

/* What an item may come to be. */
static const struct {
	const char *what;
	enum dtype dtype;
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
} items[] = {
	{"a scalar", DT_FLOAT, 0, {0}},
	{"empty", DT_FLOAT, 2, {0, 3}},
	{"nothing by 2^40", DT_FLOAT, 2, {0, HUGE_DIM}},
	{"longer", DT_FLOAT, 2, {5, 3}},
	{"of all dimensions there can be", DT_FLOAT, 16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"of integers", DT_INT64, 2, {2, 3}},
	{"of texts", DT_STRING, 2, {2, 3}},
};

static struct value *sequence(struct walk *w, enum dtype t, struct value **take, size_t n)
{
	struct value *v = value_sequence(t, take, n, &w->e);

	BUG_ON(!v);
	return v;
}

static struct value *optional(struct walk *w, struct value *take)
{
	struct value *v = value_optional(take, &w->e);

	BUG_ON(!v);
	return v;
}

static void put(struct value **slot, struct value *take)
{
	value_unref(*slot);
	*slot = take;
}

/* The same items, the last of them another. */
static void change_item(struct walk *w, struct value **slot, struct value *take)
{
	struct value *old = *slot, **all = mem_array(old->n, sizeof(struct value *));

	BUG_ON(!all);
	for (size_t i = 0; i + 1 < old->n; i++)
		all[i] = value_ref(old->items[i]);
	all[old->n - 1] = take;
	put(slot, old->kind == VALUE_OPTIONAL ? optional(w, take) : sequence(w, old->dtype, all, old->n));
	mem_free(all);
}

void change_container(struct walk *w, const struct wire *input, struct value **slot)
{
	size_t n = (*slot)->n;
	struct value *one;

	for (size_t i = 0; n && i < sizeof items / sizeof *items; i++)
		if (walk_turn(w, "the last item of '%s' is %s", input->name, items[i].what))
			change_item(w, slot, numbers(w, items[i].dtype, items[i].rank, items[i].dims));
	if (walk_turn(w, "'%s' is an empty sequence of nothing known", input->name))
		put(slot, sequence(w, DT_UNDEFINED, NULL, 0));
	if (walk_turn(w, "'%s' is an empty sequence of texts", input->name))
		put(slot, sequence(w, DT_STRING, NULL, 0));
	if (walk_turn(w, "'%s' is an empty optional", input->name))
		put(slot, optional(w, NULL));
	if (walk_turn(w, "'%s' is an optional of what it was", input->name))
		put(slot, optional(w, value_ref(*slot)));
	if (walk_turn(w, "'%s' is a sequence of what it was", input->name)) {
		one = value_ref(*slot);
		put(slot, sequence(w, one->dtype, &one, 1));
	}
	if (walk_turn(w, "'%s' is a tensor", input->name))
		put(slot, numbers(w, DT_FLOAT, 2, (int64_t[]){2, 3}));
	if (walk_turn(w, "'%s' is not given", input->name))
		put(slot, NULL);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define N_TYPES 8

/* What a value may be declared as; NULL: there are not so many. */
static const struct type *odd_type(size_t k)
{
	static struct type types[N_TYPES];
	static const int64_t dims[] = {5, 0};

	for (size_t i = 0; i < N_TYPES; i++)
		types[i] = (struct type)TYPE_INIT;
	type_set(&types[1], DT_FLOAT, 0, NULL);
	type_set(&types[2], DT_FLOAT, 2, dims);
	type_set(&types[3], DT_INT64, 1, dims);
	type_set(&types[4], DT_STRING, 2, dims);
	types[5] = *elem_sequence(DT_FLOAT);
	types[6] = (struct type){.kind = VALUE_OPTIONAL, .dtype = DT_FLOAT, .rank = -1, .elem = elem_tensor(DT_FLOAT)};
	types[7] = (struct type){.kind = VALUE_SEQUENCE, .dtype = DT_FLOAT, .rank = -1};
	return k < N_TYPES ? &types[k] : NULL;
}

void change_type_attr(struct walk *w, struct node *n, const char *name)
{
	for (size_t k = 1; odd_type(k); k++)
		if (walk_turn(w, "%s is type %zu", name, k)) {
			struct attr *a;

			BUG_ON(node_set_int(n, name, 0, &w->e));
			a = (struct attr *)node_attr(n, name);
			a->type = ATTR_TYPE;
			a->tp = odd_type(k);
		}
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void change_formals(struct walk *w, struct graph *g, const char *name)
{
	for (size_t i = 0; i < g->inputs.n && !w->made; i++)
		for (size_t k = 0; odd_type(k); k++)
			if (walk_turn(w, "input %zu of %s is declared as type %zu", i, name, k))
				g->inputs.at[i]->type = *odd_type(k);
	if (walk_turn(w, "%s has an input more", name))
		BUG_ON(graph_add_input(g, "an input more", odd_type(2), NULL, &w->e));
	if (g->inputs.n > 1 && walk_turn(w, "the first and the last input of %s change places", name)) {
		struct wire *first = g->inputs.at[0];

		g->inputs.at[0] = g->inputs.at[g->inputs.n - 1];
		g->inputs.at[g->inputs.n - 1] = first;
	}
}

static void change_results(struct walk *w, struct graph *g, const char *name)
{
	struct wire *outer = w->m->model->graph->inputs.n ? w->m->model->graph->inputs.at[0] : NULL;

	if (walk_turn(w, "%s gives nothing", name))
		g->outputs.n = 0;
	for (size_t i = 0; i < g->outputs.n && !w->made; i++) {
		if (walk_turn(w, "%s does not give its output %zu", name, i))
			vec_remove(&g->outputs, i);
		else if (outer && walk_turn(w, "output %zu of %s is the model's first input", i, name))
			g->outputs.at[i] = outer;
		for (size_t k = 0; k < g->inputs.n && !w->made; k++)
			if (walk_turn(w, "output %zu of %s is its input %zu", i, name, k))
				g->outputs.at[i] = g->inputs.at[k];
	}
	if (g->outputs.n && walk_turn(w, "%s gives its first output once more", name))
		BUG_ON(vec_push(&g->outputs, g->outputs.at[0]));
	if (g->outputs.n > 1 && walk_turn(w, "the outputs of %s change places", name)) {
		struct wire *first = g->outputs.at[0];

		g->outputs.at[0] = g->outputs.at[g->outputs.n - 1];
		g->outputs.at[g->outputs.n - 1] = first;
	}
}

void change_body(struct walk *w, struct node *n, const char *name)
{
	struct graph *g = node_graph(n, name);

	for (int i = 0; g && i < n->n_attrs && !w->made; i++) {
		struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH && a->g != g && walk_turn(w, "%s and %s change places", name, a->name)) {
			((struct attr *)node_attr(n, name))->g = a->g;
			a->g = g;
		}
	}
	if (g && !w->made)
		change_formals(w, g, name);
	if (g && !w->made)
		change_results(w, g, name);
}
