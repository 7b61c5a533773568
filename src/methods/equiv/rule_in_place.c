/* rule_in_place.c - a rule of assay's own: add_(x, y), which writes into x, gives what add(x, y) gives.
 * Where the result has another shape than x the writing form refuses; where it has another type (sums of small
 * integers) it is converted, as documented.  There is nothing to compare in either case, nor where the
 * writing form gives nothing back. */
#include <string.h>

#include "methods/equiv/equiv.h"

static int applies(const struct registry *r, const struct api *api)
{
	struct arena tmp = ARENA_INIT;
	const char *name = NULL;
	int found = 0;

	if (r->dialect->new_form && !api->why_not)
		name = r->dialect->new_form(&tmp, api->op->name);
	for (size_t i = 0; name && i < r->n && !found; i++)
		found = !r->apis[i].why_not && !strcmp(r->apis[i].op->name, name) &&
			r->apis[i].op->n_outputs == api->op->n_outputs;
	arena_release(&tmp);
	return found;
}

static int other(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		 const struct expr **b, struct err *e)
{
	struct expr *x = arena_alloc(arena, sizeof *x);

	(void)in_b;
	if (!x)
		return err_nomem(e, "a call", sizeof *x);
	*x = *a;
	x->text = r->dialect->new_form(arena, a->text);
	*b = x->text ? x : NULL;
	return 0;
}

static const struct rule_every every = {.applies = applies, .other = other, .same_type = 1};
const struct equiv_rule rule_in_place = {17, "in_place", "in place as into a new tensor", &every};
