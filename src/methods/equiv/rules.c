/* rules.c - the rules, and the pairs that stand in files.
 *
 * A line of data/equiv/<rule>.tsv: library, name, variables, side a, side b, with tabs between.  '#' begins a comment.
 * Names of a library's rows are the operations they are about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "methods/equiv/equiv.h"

const struct equiv_rule *const equiv_rules[] = {
#define RULE(id) &rule_##id,
#include "methods/equiv/rules.def"
#undef RULE
	NULL,
};

const struct equiv_rule *rule_find(const char *number_or_id)
{
	for (const struct equiv_rule *const *r = equiv_rules; *r; r++)
		if (!strcmp((*r)->id, number_or_id) || (*r)->number == (int)strtol(number_or_id, NULL, 10))
			return *r;
	return NULL;
}

int equiv_any(const struct registry *r, const struct api *api)
{
	(void)r;
	return !api->why_not;
}

int equiv_same_call(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		    const struct expr **b, struct err *e)
{
	(void)r, (void)in_b, (void)arena, (void)e;
	*b = a;
	return 0;
}

int equiv_function_of(const char *function, struct expr *call, uint32_t number, struct arena *a, struct expr **out,
		      struct err *e)
{
	struct expr *x = expr_new(a, EXPR_CALL, "", function), *n = expr_new(a, EXPR_INT, "", "");

	if (!x || !n || expr_push(a, x, call) || (number && expr_push(a, x, n)))
		return err_nomem(e, "a call", 0);
	n->i = number;
	x->output = EXPR_ALL_OUTPUTS;
	*out = x;
	return 0;
}

int equiv_has_tensors(const struct api *api)
{
	for (size_t i = 0; !api->why_not && i < api->op->n_parameters; i++)
		if (api->kinds[i] == PARAMETER_TENSOR || api->kinds[i] == PARAMETER_TENSORS)
			return 1;
	return 0;
}

int equiv_says_dtype(const struct expr *call)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->items[i]->kind == EXPR_DTYPE)
			return 1;
	return 0;
}

static struct value *widened(const struct value *v, enum dtype to, struct err *e)
{
	struct tensor *wide = tensor_widen(v->tensor, e), *copy = wide ? tensor_copy(wide, e) : NULL, *packed = NULL;

	tensor_unref(wide);
	if (copy) {
		copy->dtype = to;
		packed = tensor_pack(copy, e);
	}
	tensor_unref(copy);
	return packed ? value_tensor(packed, e) : NULL;
}

int equiv_widen(struct bindings *b, enum dtype from, enum dtype to, int *changed, struct err *e)
{
	for (size_t i = 0; i < b->n; i++) {
		struct value *v = b->at[i].tensor, *w;

		if (!v || v->tensor->dtype != from)
			continue;
		w = widened(v, to, e);
		if (!w)
			return e->code;
		value_unref(v);
		b->at[i].tensor = w;
		*changed = 1;
	}
	return 0;
}

/* A row of another library leaves out->name NULL. */
static int parse_row(char *line, const struct equiv_rule *rule, const char *library, struct arena *a,
		     struct equiv_pair *out, struct err *e)
{
	char *fields[5] = {NULL};
	size_t n = 0;
	int rc;

	*out = (struct equiv_pair){.rule = rule};
	while (n < 5 && line)
		fields[n++] = strsep(&line, "\t");
	if (n < 5)
		return err_set(e, ERR_INPUT, "wanted five fields with tabs between");
	if (strcmp(fields[0], library) != 0)
		return 0;
	out->name = arena_strdup(a, fields[1]);
	if (!out->name)
		return err_nomem(e, "a row", 0);
	rc = draw_parse(fields[2], a, &out->draw, e);
	if (!rc)
		rc = expr_parse(arena_strdup(a, fields[3]), a, &out->a, e);
	return rc ? rc : expr_parse(arena_strdup(a, fields[4]), a, &out->b, e);
}

int equiv_rows(const struct equiv_rule *rule, const char *library, const char *folder, struct arena *a,
	       equiv_row_fn *fn, void *arg, struct err *e)
{
	char path[4096], *at, *line;
	struct equiv_pair p;
	struct buf text;
	int rc = 0;

	snprintf(path, sizeof path, "%s/%s.tsv", folder, rule->id);
	if (access(path, F_OK))
		return 0; /* no rows yet: docs/methods/equiv.md says why */
	buf_init(&text, (size_t)1 << 20);
	rc = buf_read_file(&text, path, (size_t)1 << 20, e);
	at = text.data;
	for (int number = 1; !rc && at && (line = strsep(&at, "\n")); number++) {
		if (!*line || *line == '#')
			continue;
		rc = parse_row(line, rule, library, a, &p, e);
		if (rc)
			err_prefix(e, "%s:%d", path, number);
		else if (p.name)
			rc = fn(&p, arg);
	}
	buf_release(&text);
	return rc;
}
