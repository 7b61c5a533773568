/* rule_in_place.c - a rule of assay's own, for PyTorch: add_(x, y), which writes into x, gives what add(x, y) gives.
 * Where the result has another shape than x the writing form refuses; where it has another type (sums of small
 * integers) it is converted, as documented.  There is nothing to compare in either case, nor where the
 * writing form gives nothing back. */
#include <string.h>

#include "methods/equiv/equiv.h"

/* "aten::add_.Tensor" as "aten::add.Tensor"; NULL: not a writing form. */
static const char *new_form(struct arena *a, const char *name)
{
	const char *dot = strchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	if (n < 8 || strncmp(name, "aten::", 6) || name[n - 1] != '_' || name[n - 2] == '_')
		return NULL;
	return arena_printf(a, "%.*s%s", (int)(n - 1), name, dot ? dot : "");
}

static int applies(const struct registry *r, const struct api *api)
{
	struct arena tmp = ARENA_INIT;
	const char *name = api->why_not || strcmp(r->library, "torch") ? NULL : new_form(&tmp, api->op->name);
	int found = 0;

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

	(void)r, (void)in_b;
	if (!x)
		return err_nomem(e, "a call", sizeof *x);
	*x = *a;
	x->text = new_form(arena, a->text);
	*b = x->text ? x : NULL;
	return 0;
}

static const struct rule_every every = {.applies = applies, .other = other, .same_type = 1};
const struct equiv_rule rule_in_place = {17, "in_place", "in place as into a new tensor", &every};
