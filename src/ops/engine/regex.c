/* regex.c - see regex.h.  Makes the program of a tree; regex_parse.c makes the tree, regex_match.c runs the program. */
#include "ops/engine/regex.h"

#include "ops/engine/regex_program.h"

#define MAX_PROGRAM 50000 /* instructions */
#define MAX_WORK 1000000  /* nodes visited while emitting: (){1000}{1000}… emits nothing but takes for ever */

struct compiler {
	struct regex *program;
	struct err *err;
	int work;
};

void *regex_fail(struct err *e, int code, const char *what)
{
	if (!e->code)
		err_set(e, code, "bad regular expression: %s", what);
	return NULL;
}

static int new_inst(struct compiler *p, struct re_inst inst)
{
	struct regex *r = p->program;

	if (r->n == MAX_PROGRAM) {
		regex_fail(p->err, ERR_LIMIT, "too large");
		return -1;
	}
	r->insts[r->n] = inst;
	return r->n++;
}

static int emit(struct compiler *p, const struct re_node *n, int next);

/* The first alternative that matches, or one of the others: splits in a chain. */
static int emit_alternatives(struct compiler *p, const struct re_node *n, int next)
{
	int at = -1;

	for (const struct re_node *k = n->last; k; k = k->prev) {
		int start = emit(p, k, next);

		at = start < 0 || at < 0 ? start : new_inst(p, (struct re_inst){.op = RE_SPLIT, .x = start, .y = at});
		if (at < 0)
			return -1;
	}
	return at;
}

/* x{n,m} is n copies of x, then m - n that may be skipped, or a loop when there is no m. */
static int emit_repeat(struct compiler *p, const struct re_node *n, int next)
{
	int at = next;

	if (n->most < 0) {
		int start;

		at = new_inst(p, (struct re_inst){.op = RE_SPLIT, .x = next, .y = next});
		start = at < 0 ? -1 : emit(p, n->last, at);
		if (start < 0)
			return -1;
		p->program->insts[at].x = start;
	}
	for (int i = n->least; i < n->most && at >= 0; i++) {
		int start = emit(p, n->last, at);

		at = start < 0 ? -1 : new_inst(p, (struct re_inst){.op = RE_SPLIT, .x = start, .y = next});
	}
	for (int i = 0; i < n->least && at >= 0; i++)
		at = emit(p, n->last, at);
	return at;
}

/* Emits the code of n that goes on at `next`; returns where it starts, -1 on failure. */
static int emit(struct compiler *p, const struct re_node *n, int next)
{
	if (next < 0 || ++p->work > MAX_WORK) {
		regex_fail(p->err, ERR_LIMIT, "too large");
		return -1;
	}
	switch (n->kind) {
	case RE_NODE_SET:
		return new_inst(p, (struct re_inst){.op = RE_SET, .x = next, .set = n->set});
	case RE_NODE_ASSERT:
		return new_inst(p, (struct re_inst){.op = RE_ASSERT, .x = next, .assertion = n->assertion});
	case RE_NODE_CAT:
		for (const struct re_node *k = n->last; k && next >= 0; k = k->prev)
			next = emit(p, k, next);
		return next;
	case RE_NODE_ALT:
		return emit_alternatives(p, n, next);
	case RE_NODE_REPEAT:
		return emit_repeat(p, n, next);
	}
	return -1;
}

struct regex *regex_compile(struct arena *a, const char *pattern, size_t n, struct err *e)
{
	struct regex *r = arena_zalloc(a, sizeof *r);
	struct compiler p = {.program = r, .err = e};
	struct re_node *tree;

	if (r)
		r->insts = arena_array(a, MAX_PROGRAM, sizeof *r->insts);
	if (!r || !r->insts)
		return regex_fail(e, ERR_MEMORY, "out of memory");
	tree = regex_parse(a, pattern, n, e);
	if (!tree)
		return NULL;
	r->start = emit(&p, tree, new_inst(&p, (struct re_inst){.op = RE_MATCH}));
	if (r->start < 0)
		return NULL;
	r->lists[0] = arena_array(a, (size_t)r->n, sizeof *r->lists[0]);
	r->lists[1] = arena_array(a, (size_t)r->n, sizeof *r->lists[1]);
	r->marks = arena_array(a, (size_t)r->n, sizeof *r->marks);
	r->stack = arena_array(a, 2 * (size_t)r->n + 1, sizeof *r->stack);
	if (!r->lists[0] || !r->lists[1] || !r->marks || !r->stack)
		return regex_fail(e, ERR_MEMORY, "out of memory");
	return r;
}
