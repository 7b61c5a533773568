/* pass_plain.c - Neg in the place of nodes that only have to be there.
 *
 * In a case that is wrong only together some nodes matter by being there at all: before a Normalizer whose result is
 * spoilt, and behind it, there may be anything.  With the plainest operator in their place the case says so itself, and
 * cases of one defect look alike.  Not Identity, which every optimizer takes away. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "triage/reduction.h"

#define PLAIN "Neg"

/* ---- which ------------------------------------------------------------------------------------------------------- */

static int is_float(const struct wire *w)
{
	return w && w->type.kind == VALUE_TENSOR && dtype_is_float(w->type.dtype);
}

/* A node of several that makes one float tensor. */
static int is_replaceable(const struct node *n)
{
	return n->graph->nodes.n > 1 && n->n_out == 1 && is_float(n->out[0]) && strcmp(n->op_type, PLAIN) != 0;
}

/* What Neg can read in the place of n: a tensor of the same type, and of the same shape where somebody reads on. */
static struct wire *operand_of(const struct node *n)
{
	const struct type *t = &n->out[0]->type;
	int any_shape = !graph_reads(n->graph, n->out[0]);

	for (int i = 0; i < n->n_in; i++) {
		if (!is_float(n->in[i]) || n->in[i]->init || n->in[i]->type.dtype != t->dtype)
			continue;
		if (any_shape || candidate_same_type(&n->in[i]->type, t))
			return n->in[i];
	}
	return NULL;
}

/* ---- in its place ------------------------------------------------------------------------------------------------ */

/* Neg of x, before node `at`; who used `from` uses it. */
static int put_plain(struct graph *g, size_t at, struct wire *x, struct wire *from, struct err *e)
{
	const char *name = "plain";
	struct node_spec spec = {.op_type = PLAIN, .in = &x, .n_in = 1, .out = &name, .n_out = 1};
	struct node *neg;
	char numbered[32];
	int rc;

	snprintf(numbered, sizeof numbered, "plain%zu", at);
	if (map_get(&g->by_name, name))
		name = numbered;
	if (map_get(&g->by_name, name))
		return err_set(e, ERR_LIMIT, "no name for a plain node");
	rc = graph_add_node(g, at, &spec, &neg, e);
	if (!rc && graph_replace_uses(g, from, neg->out[0]))
		rc = err_set(e, ERR_INPUT, "a plain node cannot stand there");
	return rc;
}

static int instead(struct reduction *r, size_t index, struct candidate *out, struct err *e)
{
	const struct node *n = r->now.model->graph->nodes.at[index];
	const struct wire *x = operand_of(n);
	int rc;

	if (!x)
		return 0;
	rc = candidate_copy(r, out, e);
	if (rc)
		return rc;
	rc = put_plain(out->model->graph, index, map_get(&out->model->graph->by_name, x->name),
		       out->model->graph->nodes.at[index]->out[0], e);
	if (rc)
		candidate_release(out);
	return rc;
}

/* ---- fed with what it made --------------------------------------------------------------------------------------- */

static struct tensor *negated(struct tensor *t, struct err *e)
{
	struct tensor *wide = tensor_zeros(t->dtype, t->rank, t->dims, e), *packed;

	if (!wide)
		return NULL;
	for (size_t i = 0; i < t->count; i++)
		wide->f[i] = -tensor_get(t, i);
	packed = tensor_pack(wide, e);
	tensor_unref(wide);
	return packed;
}

/* The input of that name gives what it gave, through Neg. */
static int negate_input(struct candidate *c, const char *name, struct err *e)
{
	struct graph *g = c->model->graph;
	struct tensor *t;
	size_t i = 0;
	int rc;

	while (i < g->inputs.n && strcmp(g->inputs.at[i]->name, name) != 0)
		i++;
	if (i == g->inputs.n || !c->inputs[i] || c->inputs[i]->kind != VALUE_TENSOR)
		return err_set(e, ERR_INPUT, "'%s' is not an input of the part", name);
	t = negated(c->inputs[i]->tensor, e);
	rc = t ? candidate_set_input(c, i, t, e) : e->code;
	return rc ? rc : put_plain(g, 0, g->inputs.at[i], g->inputs.at[i], e);
}

static int fed(struct reduction *r, size_t index, struct candidate *out, struct err *e)
{
	const struct graph *g = r->now.model->graph;
	char *keep = mem_alloc(g->nodes.n), *name;
	int rc;

	if (!graph_reads(g, g->nodes.at[index]->out[0])) {
		mem_free(keep);
		return 0;
	}
	if (!keep)
		return err_nomem(e, "nodes", g->nodes.n);
	memset(keep, 1, g->nodes.n);
	keep[index] = 0;
	name = mem_strdup(g->nodes.at[index]->out[0]->name);
	rc = name ? part_extract(r, keep, 0, out, e) : err_nomem(e, "a name", 0);
	if (!rc && out->model) {
		rc = negate_input(out, name, e);
		if (rc)
			candidate_release(out);
	}
	mem_free(keep);
	mem_free(name);
	return rc;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Two candidates a node. */
static int make(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct graph *g = r->now.model->graph;

	(void)arg;
	if (i / 2 >= g->nodes.n || !is_replaceable(g->nodes.at[i / 2]))
		return 0;
	return i % 2 ? fed(r, i / 2, out, e) : instead(r, i / 2, out, e);
}

/* Only small cases: of a large one that is left nothing is understood yet. */
#define MAX_NODES 12

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step;

	if (r->now.model->graph->nodes.n > MAX_NODES)
		return 0;
	do
		step = reduce_first(r, 2 * r->now.model->graph->nodes.n, make, NULL, e);
	while (step == REDUCE_KEPT);
	return step == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_plain = {.summary = "put " PLAIN " in the place of nodes that only have to be there",
				.run = run};
