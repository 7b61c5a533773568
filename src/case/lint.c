/* lint.c - see lint.h. */
#include "case/lint.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/plain.h"
#include "ops/op.h"

#define MAX_LINES 500 /* of one model */

static const char *const kinds[] = {
	[LINT_INVALID] = "invalid", [LINT_WRONG] = "wrong", [LINT_UNKNOWN] = "unknown", [LINT_USELESS] = "useless"};

const char *lint_kind_name(enum lint_kind k)
{
	return kinds[k];
}

void lint_release(struct lint *l)
{
	vec_release(&l->lines);
	arena_release(&l->arena);
	*l = (struct lint){.arena = ARENA_INIT};
}

struct linting {
	struct lint *out;
	const struct model *m;
	struct err *e;
};

static int say(struct linting *x, enum lint_kind kind, const char *format, const char *name)
{
	char text[600], line[2 * sizeof text];
	struct lint_line l = {.kind = kind};

	if (x->out->lines.n >= MAX_LINES)
		return 0;
	snprintf(text, sizeof text, format, name);
	l.text = arena_strdup(&x->out->arena, plain_line(text, line, sizeof line));
	if (!l.text || vec_push(&x->out->lines, l))
		return err_nomem(x->e, "a list of complaints", sizeof text);
	return 0;
}

/* The message of a failure, without the path that stands before all of them. */
static int say_failure(struct linting *x, enum lint_kind kind, const char *path, const struct err *why)
{
	size_t n = strlen(path);
	int has_path = !strncmp(why->msg, path, n) && !strncmp(why->msg + n, ": ", 2);

	return say(x, kind, "%s", why->msg + (has_path ? n + 2 : 0));
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static int check_node_names(struct linting *x, const struct graph *g)
{
	struct map seen = MAP_INIT;
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		const char *name = g->nodes.at[i]->name;

		if (!*name)
			continue;
		if (map_get(&seen, name))
			rc = say(x, LINT_WRONG, "several nodes are named '%s'", name);
		else if (map_put(&seen, name, g->nodes.at[i]))
			rc = err_nomem(x->e, "a table of names", 0);
	}
	map_release(&seen);
	return rc;
}

static int check_unread(struct linting *x, const struct graph *g)
{
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		const struct wire *w = g->wires.at[i];

		if (w->init && !w->is_input && !graph_reads(g, w) && !graph_has_output(g, w))
			rc = say(x, LINT_USELESS, "initializer '%s' is read by no node", w->name);
		if (w->is_input && !g->parent && !w->init && !graph_reads(g, w) && !graph_has_output(g, w))
			rc = say(x, LINT_USELESS, "input '%s' is read by no node", w->name);
	}
	return rc;
}

static int makes_nothing(const struct graph *g, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && (graph_reads(g, n->out[i]) || graph_has_output(g, n->out[i])))
			return 0;
	return 1;
}

static int check_dead_nodes(struct linting *x, const struct graph *g)
{
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		if (makes_nothing(g, g->nodes.at[i]))
			rc = say(x, LINT_USELESS, "nobody reads what node '%s' makes", g->nodes.at[i]->name);
	return rc;
}

/* The file must declare types of inputs and outputs; their shapes too, as far as ONNX's checker is asked. */
static int check_declared(struct linting *x, const struct graph *g)
{
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (g->inputs.at[i]->type.kind == VALUE_NONE)
			rc = say(x, LINT_WRONG, "input '%s' has no type", g->inputs.at[i]->name);
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		if (g->outputs.at[i]->type.kind == VALUE_NONE)
			rc = say(x, LINT_WRONG, "output '%s' has no type", g->outputs.at[i]->name);
	return rc;
}

static int uses_domain(const struct model *m, const char *domain)
{
	for (size_t k = 0; k < m->graphs.n; k++)
		for (size_t i = 0; i < m->graphs.at[k]->nodes.n; i++)
			if (!strcmp(m->graphs.at[k]->nodes.at[i]->domain, domain))
				return 1;
	return 0;
}

static int check_imports(struct linting *x)
{
	int rc = 0;

	for (size_t i = 0; i < x->m->opsets.n && !rc; i++) {
		const char *domain = x->m->opsets.at[i].domain;

		if (!uses_domain(x->m, domain))
			rc = say(x, LINT_USELESS, "no node is of domain '%s', which is imported",
				 *domain ? domain : "ai.onnx");
	}
	return rc;
}

typedef int lint_rule(struct linting *x, const struct graph *g);

static lint_rule *const rules[] = {check_node_names, check_unread, check_dead_nodes};

/* ---- a file ------------------------------------------------------------------------------------------------------ */

static int lint_model(struct linting *x, struct model *m)
{
	struct err why = ERR_INIT;
	int rc = check_declared(x, m->graph); /* as the file has it, before anything is inferred */

	x->m = m;
	if (!rc && m->disorder)
		rc = say(x, LINT_WRONG, "%s", m->disorder);
	if (!rc && (ops_bind(m, &why) || ops_infer(m, &why)))
		rc = say_failure(x, LINT_INVALID, m->path, &why);
	err_clear(&why);
	for (size_t i = 0; i < m->complaints.n && !rc; i++)
		rc = say(x, LINT_WRONG, "%s", m->complaints.at[i]);
	if (!rc && ops_require_bound(m, &why)) /* the first such node: what comes behind it was not inferred */
		rc = say_failure(x, LINT_UNKNOWN, m->path, &why);
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
		for (size_t i = 0; i < m->graphs.n && !rc; i++)
			rc = rules[r](x, m->graphs.at[i]);
	return rc ? rc : check_imports(x);
}

int lint_file(const char *path, struct lint *out, struct err *e)
{
	struct linting x = {.out = out, .e = e};
	struct model *m = NULL;
	int rc;

	*out = (struct lint){.arena = ARENA_INIT};
	rc = model_load(path, &m, e);
	if (rc == ERR_INPUT) { /* it is a file, and its model breaks a rule */
		struct err why = *e;

		err_clear(e);
		rc = say_failure(&x, LINT_INVALID, path, &why);
	} else if (!rc) {
		rc = lint_model(&x, m);
	}
	model_free(m);
	if (rc)
		lint_release(out);
	return rc;
}
