/* oracles.c - the table of oracles, and what all of them have in common (see oracle.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/oracle.h"

#define ORACLE(name) extern const struct oracle oracle_##name;
#include "judge/oracles.def"
#undef ORACLE

const struct oracle_row oracle_rows[] = {
#define ORACLE(name) {#name, &oracle_##name},
#include "judge/oracles.def"
#undef ORACLE
	{NULL, NULL},
};

const struct oracle_row *oracle_find(const char *name)
{
	for (const struct oracle_row *r = oracle_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

int oracle_scores(const struct tensor *y, size_t *samples, size_t *classes)
{
	if (y->rank < 2 || !y->count || y->dims[1] < 2 || y->count != (size_t)y->dims[0] * (size_t)y->dims[1])
		return 0;
	*samples = (size_t)y->dims[0];
	*classes = (size_t)y->dims[1];
	return 1;
}

/* ---- what every oracle sees -------------------------------------------------------------------------------------- */

static int is_number(const struct value *v)
{
	return v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING;
}

static int find_nan(const struct tensor *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (isnan(tensor_get(t, i)))
			return 1;
	return 0;
}

static int differ(struct oracle_answer *out, size_t i, const char *reason)
{
	out->inconsistent = 1;
	out->distance = (double)INFINITY;
	out->output = i;
	snprintf(out->reason, sizeof out->reason, "%s", reason);
	return 1;
}

/* What no measure is needed for: kinds, types and shapes, and NaN on one side. */
static int differ_at_sight(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	const struct value *a = c->a[i], *b = c->b[i];

	if (a->kind != b->kind || (a->kind != VALUE_TENSOR && a->n != b->n))
		return differ(out, i, "another kind of value");
	if (!is_number(a) || !is_number(b))
		return 0;
	if (a->tensor->dtype != b->tensor->dtype || !tensor_same_shape(a->tensor, b->tensor))
		return differ(out, i, "another type or shape");
	if (find_nan(a->tensor) != find_nan(b->tensor))
		return differ(out, i, "NaN on one side");
	return 0;
}

void oracle_ask(const struct oracle *o, const struct oracle_case *c, double limit, struct oracle_answer *out)
{
	*out = (struct oracle_answer){0};
	limit = limit > 0 ? limit : o->limit;
	for (size_t i = 0; i < c->n; i++) {
		int beyond;
		double d;

		if ((!o->needs_truth && differ_at_sight(c, i, out)) || out->inconsistent)
			return;
		if (!o->needs_truth && !is_number(c->a[i]))
			continue;
		d = o->distance(c, i, out);
		if (isnan(d) && !o->needs_truth)
			d = 0; /* NaN on both sides: the papers' comparisons are then false */
		beyond = o->at_limit ? !(d < limit) : !(d <= limit);
		if (beyond || d > out->distance) {
			out->distance = d;
			out->output = i;
		}
		if (beyond) {
			out->inconsistent = 1;
			snprintf(out->reason, sizeof out->reason, "%.3g, beyond %.3g", d, limit);
		}
	}
}
