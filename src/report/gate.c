/* gate.c - see gate.h. */
#include "report/gate.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/verdict.h"
#include "report/gate_rows.h"

const char *const gate_state_names[] = {"right", "new", "still", "expected", "fixed"};

void gate_release(struct gate *g)
{
	vec_release(&g->rows);
	vec_release(&g->before);
	vec_release(&g->expected);
	vec_release(&g->uses);
	arena_release(&g->arena);
	*g = (struct gate){0};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* One line of a file: no tabs and line ends in a cell. */
const char *gate_cell(struct gate *g, const char *text)
{
	char *own = arena_strdup(&g->arena, text ? text : "");

	for (char *c = own; c && *c; c++)
		if (*c == '\t' || *c == '\n' || *c == '\r')
			*c = ' ';
	return own;
}

int gate_add(struct gate *g, const struct gate_row *row, int baseline, struct err *e)
{
	struct gate_row own = {.model = gate_cell(g, row->model),
			       .backend = gate_cell(g, row->backend),
			       .verdict = gate_cell(g, row->verdict),
			       .op = gate_cell(g, row->op),
			       .signature = gate_cell(g, row->signature),
			       .note = gate_cell(g, row->note),
			       .before = "",
			       .reason = ""};

	if (!own.model || !own.backend || !own.verdict || !own.op || !own.signature || !own.note ||
	    (baseline ? vec_push(&g->before, own) : vec_push(&g->rows, own)))
		return err_nomem(e, "a baseline", 0);
	return 0;
}

int gate_row_fails(const struct gate_row *r)
{
	enum verdict v;

	return !strcmp(r->verdict, GATE_DIFFERS) || (verdict_find(r->verdict, &v) && verdict_is_finding(v));
}

int gate_row_is_right(const struct gate_row *r)
{
	enum verdict v;

	return verdict_find(r->verdict, &v) && verdict_is_right(v);
}

/* ---- how many models use an operator ----------------------------------------------------------------------------- */

static struct gate_use *find_use(const struct gate *g, const char *op)
{
	for (size_t i = 0; i < g->uses.n; i++)
		if (!strcmp(g->uses.at[i].op, op))
			return &g->uses.at[i];
	return NULL;
}

static int count_node(struct gate *g, const char *op, size_t model, struct err *e)
{
	struct gate_use *use = find_use(g, op);

	if (!use) {
		const struct gate_use fresh = {.op = gate_cell(g, op)};

		if (!fresh.op || vec_push(&g->uses, fresh))
			return err_nomem(e, "operators", 0);
		use = &g->uses.at[g->uses.n - 1];
	}
	use->models += use->last != model;
	use->last = model;
	return 0;
}

int gate_count_operators(struct gate *g, const struct model *m, struct err *e)
{
	size_t model = 1;
	int rc = 0;

	for (size_t i = 0; i < g->uses.n; i++)
		model = g->uses.at[i].last >= model ? g->uses.at[i].last + 1 : model;
	for (size_t k = 0; k < m->graphs.n && !rc; k++)
		for (size_t i = 0; i < m->graphs.at[k]->nodes.n && !rc; i++)
			rc = count_node(g, m->graphs.at[k]->nodes.at[i]->op_type, model, e);
	return rc;
}

/* "Conv" or "Conv+Relu": of several that of the one that most models have. */
size_t gate_uses(const struct gate *g, const char *ops)
{
	size_t most = 0;

	while (*ops) {
		size_t n = strcspn(ops, "+");

		for (size_t i = 0; i < g->uses.n; i++)
			if (strlen(g->uses.at[i].op) == n && !memcmp(g->uses.at[i].op, ops, n) &&
			    g->uses.at[i].models > most)
				most = g->uses.at[i].models;
		ops += n + (ops[n] == '+');
	}
	return most;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static const struct gate_row *row_before(const struct gate *g, const struct gate_row *r)
{
	for (size_t i = 0; i < g->before.n; i++)
		if (!strcmp(g->before.at[i].model, r->model) && !strcmp(g->before.at[i].backend, r->backend))
			return &g->before.at[i];
	return NULL;
}

static int is_about(const struct gate_expected *x, const struct gate_row *r)
{
	return !fnmatch(x->model, r->model, 0) && !fnmatch(x->backend, r->backend, 0);
}

/* The operator, or the beginning of the signature. */
static int names_operator(const struct gate_expected *x, const struct gate_row *r)
{
	return !fnmatch(x->op, r->op, 0) ||
	       (*r->signature && strchr(x->op, '/') && !strncmp(x->op, r->signature, strlen(x->op)));
}

static const struct gate_expected *find_expected(struct gate *g, const struct gate_row *r)
{
	const struct gate_expected *found = NULL;

	for (size_t i = 0; i < g->expected.n; i++) {
		struct gate_expected *x = &g->expected.at[i];

		if (!is_about(x, r))
			continue;
		x->tried = 1;
		if (!gate_row_fails(r) || fnmatch(x->verdict, r->verdict, 0) || !names_operator(x, r))
			continue;
		x->met = 1;
		found = found ? found : x;
	}
	return found;
}

/* A library that does not run any more what it ran right has lost it.  A failure at another operator, or of another
 * kind, is another failure; where one side does not know its operator, the kind decides. */
static enum gate_state state_of(const struct gate_row *r, const struct gate_row *before)
{
	int failed = before && gate_row_fails(before);

	if (!gate_row_fails(r)) {
		if (!strcmp(r->verdict, verdict_name(VERDICT_UNSUPPORTED)))
			return before && gate_row_is_right(before) ? GATE_NEW : failed ? GATE_STILL : GATE_RIGHT;
		return failed && gate_row_is_right(r) ? GATE_FIXED : GATE_RIGHT;
	}
	if (!failed || strcmp(r->verdict, before->verdict) != 0)
		return GATE_NEW;
	return *r->op && *before->op && strcmp(r->op, before->op) != 0 ? GATE_NEW : GATE_STILL;
}

static int by_weight(const void *a, const void *b)
{
	static const int order[] = {
		[GATE_NEW] = 0, [GATE_FIXED] = 1, [GATE_EXPECTED] = 2, [GATE_STILL] = 3, [GATE_RIGHT] = 4};
	const struct gate_row *x = a, *y = b;
	int c;

	if (x->state != y->state)
		return order[x->state] - order[y->state];
	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	c = strcmp(x->op, y->op);
	c = c ? c : strcmp(x->model, y->model);
	return c ? c : strcmp(x->backend, y->backend);
}

static size_t count_not_run(const struct gate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->before.n; i++) {
		const struct gate_row *b = &g->before.at[i];
		size_t k = 0;

		while (k < g->rows.n &&
		       (strcmp(g->rows.at[k].model, b->model) != 0 || strcmp(g->rows.at[k].backend, b->backend) != 0))
			k++;
		n += k == g->rows.n;
	}
	return n;
}

void gate_compare(struct gate *g)
{
	memset(g->counts, 0, sizeof g->counts);
	g->stale = 0;
	for (size_t i = 0; i < g->rows.n; i++) {
		struct gate_row *r = &g->rows.at[i];
		const struct gate_row *before = row_before(g, r);
		const struct gate_expected *x = find_expected(g, r);

		r->state = state_of(r, before);
		r->before = before ? before->verdict : "";
		r->uses = gate_uses(g, *r->op || !before ? r->op : before->op);
		if (x && (r->state == GATE_NEW || r->state == GATE_STILL)) {
			r->state = GATE_EXPECTED;
			r->reason = x->reason;
		}
		g->counts[r->state]++;
	}
	g->not_run = count_not_run(g);
	for (size_t i = 0; i < g->expected.n; i++)
		g->stale += g->expected.at[i].tried && !g->expected.at[i].met;
	if (g->rows.n)
		qsort(g->rows.at, g->rows.n, sizeof *g->rows.at, by_weight);
}

int gate_is_red(const struct gate *g, int strict)
{
	return g->counts[GATE_NEW] || (strict && g->stale);
}
