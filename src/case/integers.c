/* integers.c - see integers.h. */
#include "case/integers.h"

#include <string.h>
#include <strings.h>

#include "ops/attr.h"

#define USUAL_HIGHEST 9

/* ---- ports that take positions or sizes -------------------------------------------------------------------------- */

/* Ports whose integers are positions or sizes of something else: large ones would only be refused. */
static const char *const small_ports[] = {"indices", "axis",   "axes",     "shape", "output_shape", "repeats",
					  "sizes",   "split",  "starts",   "ends",  "steps",        "pads",
					  "k",       "target", "position", "K",     "depth",        "sequence_lens"};

static int is_small_port(const struct node *n, int slot)
{
	int k = slot < OP_MAX_PORTS ? slot : OP_MAX_PORTS - 1;
	const char *name = n->op ? n->op->in[k].name : NULL;

	for (size_t i = 0; name && i < sizeof small_ports / sizeof *small_ports; i++)
		if (!strcmp(name, small_ports[i]))
			return 1;
	return 0;
}

/* The largest index into a table, such as one of words or of positions; 1 for what is none. */
static int64_t highest_index(const struct node *n)
{
	const struct type *t = n->in[0] ? &n->in[0]->type : NULL;
	int64_t axis;

	if (strcmp(n->op_type, "Gather") || !t || t->rank < 1)
		return 1;
	axis = attr_int(n, "axis") + (attr_int(n, "axis") < 0 ? t->rank : 0);
	return axis >= 0 && axis < t->rank && t->dims[axis] > 1 ? t->dims[axis] - 1 : 1;
}

/* The highest integer that all who read it take. */
static int64_t highest_for_readers(const struct graph *g, const struct wire *w)
{
	int64_t highest = USUAL_HIGHEST;

	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == w && is_small_port(g->nodes.at[i], k)) {
				int64_t most = highest_index(g->nodes.at[i]);

				highest = most < highest ? most : highest;
			}
	return highest;
}

/* ---- numbers that the model compares with ------------------------------------------------------------------------ */

/* The one number that a wire always has; NULL: it is none. */
static const struct tensor *constant_of(const struct wire *w)
{
	const struct attr *a = w && w->producer && !strcmp(w->producer->op_type, "Constant") && w->producer->n_attrs
				       ? &w->producer->attrs[0]
				       : NULL;
	const struct tensor *t = w && w->init ? w->init : a && a->type == ATTR_TENSOR ? a->t : NULL;

	return t && t->count == 1 && dtype_is_int(t->dtype) ? t : NULL;
}

/* A number that an input is compared with, such as the one sample rate that a model knows: it takes the way that is
 * meant for it. */
static const struct tensor *compared_with(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		if (strcmp(n->op_type, "Equal") || n->n_in != 2 || (n->in[0] != w && n->in[1] != w))
			continue;
		if (constant_of(n->in[n->in[0] == w]))
			return constant_of(n->in[n->in[0] == w]);
	}
	return NULL;
}

/* ---- the range --------------------------------------------------------------------------------------------------- */

/* Lengths of items that are filled up to the longest one have a name that says so. */
static int is_length(const struct wire *w)
{
	return w->type.rank <= 1 && strcasestr(w->name, "len") != NULL;
}

void integers_range(const struct graph *g, const struct wire *w, int64_t longest, enum integers_span span, double *lo,
		    double *hi)
{
	const struct tensor *one = w->type.rank <= 1 ? compared_with(g, w) : NULL;

	*lo = span == INTEGERS_ONE ||
	      !w->type.rank; /* a single number may be a count, of which there is at least one */
	*hi = span == INTEGERS_USUAL ? (double)highest_for_readers(g, w) : 1;
	if (span == INTEGERS_USUAL && one)
		*lo = *hi = tensor_get(one, 0);
	else if (span != INTEGERS_ONE && longest && is_length(w))
		*lo = *hi = (double)longest;
}
