/* attr.c - see attr.h. */
#include "ops/attr.h"

#include <stdio.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

const struct op_attr *attr_row(const struct op *op, const char *name, int version)
{
	const struct op_attr *found = NULL;

	for (const struct op_attr *row = op->attrs; row && row->name; row++)
		if (row->name[0] == name[0] && row->since <= version && !strcmp(row->name, name))
			found = row;
	return found;
}

const struct op_attr *attr_default(const struct node *n, const char *name)
{
	const struct op_row *known = n->op ? NULL : ops_find(n->domain, n->op_type);
	const struct op_attr *row = NULL;

	if (n->op)
		row = attr_row(n->op, name, n->version);
	else if (known) /* a row counts from the opset on that its since-version is */
		row = attr_row(known->op, name, n->opset);
	return row && row->has_default ? row : NULL;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static const struct attr_span {
	const char *name;
	int since, until;
	const char *operators; /* separated by blanks */
} spans[] = {
#define ATTR_SPAN(...) {__VA_ARGS__},
#include "ops/attr_spans.def"
#undef ATTR_SPAN
};

/* Whether a list of operators, separated by blanks, has one. */
static int is_listed(const char *operators, const char *domain, const char *op_type)
{
	char name[128];
	size_t n = (size_t)snprintf(name, sizeof name, "%s%s%s", domain, *domain ? ":" : "", op_type);

	for (const char *at = strstr(operators, name); at; at = strstr(at + 1, name))
		if ((at == operators || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return 1;
	return 0;
}

uint32_t attr_types_to_come(const struct op_row *row, int version)
{
	static const struct {
		int since;
		uint32_t types;
		const char *operators;
	} types[] = {
#define TYPE_SPAN(...) {__VA_ARGS__},
#include "ops/type_spans.def"
#undef TYPE_SPAN
	};
	uint32_t missing = 0;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (version < types[i].since && is_listed(types[i].operators, row->domain, row->name))
			missing |= types[i].types;
	return missing;
}

int attr_is_of_version(const struct node *n, const char *name)
{
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		const struct attr_span *s = &spans[i];

		if (!strcmp(s->name, name) && is_listed(s->operators, n->domain, n->op_type))
			return s->until ? n->version >= s->since && n->version < s->until
					: s->since && n->version >= s->since;
	}
	return 1;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The attribute, where it is there and of that type: ops_bind() reports wrong types, readers need not care. */
static const struct attr *given(const struct node *n, const char *name, enum attr_type type)
{
	const struct attr *a = node_attr(n, name);

	return a && a->type == type ? a : NULL;
}

static const struct op_attr *need_default(const struct node *n, const char *name, enum attr_type type)
{
	const struct op_attr *row = attr_default(n, name);

	BUG_ON(!row || row->type != type);
	return row;
}

int64_t attr_int(const struct node *n, const char *name)
{
	const struct attr *a = given(n, name, ATTR_INT);

	return a ? a->i : (int64_t)need_default(n, name, ATTR_INT)->number;
}

int64_t attr_int_or_0(const struct node *n, const char *name)
{
	return attr_row(n->op, name, n->version) ? attr_int(n, name) : 0;
}

double attr_float(const struct node *n, const char *name)
{
	const struct attr *a = given(n, name, ATTR_FLOAT);

	return a ? a->f : need_default(n, name, ATTR_FLOAT)->number;
}

const char *attr_string(const struct node *n, const char *name)
{
	const struct attr *a = given(n, name, ATTR_STRING);

	return a ? a->s.p : need_default(n, name, ATTR_STRING)->text;
}

const int64_t *attr_ints(const struct node *n, const char *name, size_t *count)
{
	const struct attr *a = given(n, name, ATTR_INTS);
	const struct op_attr *row = a ? NULL : need_default(n, name, ATTR_INTS);

	BUG_ON(row && !row->list);
	*count = a ? a->n : row->n_list;
	return a ? a->ints : row->list;
}

/* ---- the same as left out ---------------------------------------------------------------------------------------- */

static int same_string(const struct bytes *s, const char *text)
{
	return s->n == strlen(text) && !memcmp(s->p, text, s->n);
}

static int same_ints(const struct attr *a, const struct op_attr *row)
{
	if (row->list && a->n != row->n_list)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->ints[i] != (row->list ? row->list[i] : (int64_t)row->number))
			return 0;
	return 1;
}

int attr_is_default(const struct node *n, const struct attr *a)
{
	const struct op_attr *row = attr_default(n, a->name);

	if (!row || row->type != a->type)
		return 0;
	if (a->type == ATTR_INT)
		return a->i == (int64_t)row->number;
	if (a->type == ATTR_FLOAT)
		return (float)a->f == (float)row->number;
	if (a->type == ATTR_STRING)
		return same_string(&a->s, row->text);
	return a->type == ATTR_INTS && same_ints(a, row);
}
