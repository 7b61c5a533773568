/* quirk.c - whether a row of data/quirks.tsv is about a node, and about what came of it (declared in trial.h).
 *
 * A row that names no more than an operator hides every other fault of it.  So rows say what the node looks like, and
 * what the difference does: worker/parent/quirks.h has the words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/processor.h"
#include "judge/internal.h"
#include "worker/parent/quirks.h"

/* What is looked at: a node; and what came of the case that it is all of.  NULL: nobody has run it alone. */
struct quirk_sight {
	const struct node *node;
	const struct trial *trial;
	const struct outcome *outcome;
};

/* ---- the node ---------------------------------------------------------------------------------------------------- */

static void write_shape(const struct type *t, char *out, size_t size)
{
	size_t used = 0;

	if (t->rank == 0)
		snprintf(out, size, "scalar");
	for (int d = 0; d < t->rank && used < size; d++)
		used += (size_t)(t->dims[d] < 0 ? snprintf(out + used, size - used, "%sn", d ? "," : "")
						: snprintf(out + used, size - used, "%s%lld", d ? "," : "",
							   (long long)t->dims[d]));
}

static const struct wire *wire_at(struct wire *const *list, int n, int at)
{
	return at >= 0 && at < n ? list[at] : NULL;
}

/* What kernels a library chooses by: "vnni" where products of eight bits are added up in 32, "x86-64" where they are
 * not, else "". */
static const char *processor(void)
{
#ifdef __x86_64__
	return processor_has_vnni() ? "vnni" : "x86-64";
#else
	return "";
#endif
}

/* The elements of an input of the node, where the case has them: NULL where nobody knows yet. */
static const struct tensor *elements_of(const struct quirk_sight *s, const struct wire *w)
{
	const struct graph *g = s->trial ? s->trial->model->graph : NULL;
	const struct value *given = NULL;

	for (size_t i = 0; g && w && i < g->inputs.n; i++)
		if (g->inputs.at[i] == w)
			given = s->trial->inputs[i];
	if (given)
		return given->kind == VALUE_TENSOR ? given->tensor : NULL;
	return w ? w->init : NULL;
}

/* The largest absolute value among the elements of an input. */
static void look_at_most(const struct quirk_sight *s, int at, char *out, size_t size)
{
	const struct tensor *t = elements_of(s, wire_at(s->node->in, s->node->n_in, at));
	double most = 0;

	if (!t || (dtype_wide(t->dtype) != WIDE_F64 && dtype_wide(t->dtype) != WIDE_I64)) {
		snprintf(out, size, QUIRK_UNKNOWN);
		return;
	}
	for (size_t i = 0; i < t->count; i++)
		most = fmax(most, fabs(tensor_get(t, i)));
	snprintf(out, size, "%.9g", most);
}

static void look_at_node(const struct node *n, const char *name, char *out, size_t size)
{
	const struct attr *a = node_attr(n, name);
	const struct wire *type = NULL, *shape = NULL;
	int at;

	if (a && a->type == ATTR_INT)
		snprintf(out, size, "%lld", (long long)a->i);
	else if (a && a->type == ATTR_STRING)
		snprintf(out, size, "%.*s", (int)a->s.n, a->s.p);
	else if (a)
		snprintf(out, size, "there");
	else if (!strcmp(name, "opset"))
		snprintf(out, size, "%d", n->opset);
	else if (!strcmp(name, "processor"))
		snprintf(out, size, "%s", processor());
	else if (sscanf(name, "in%d", &at) == 1)
		type = wire_at(n->in, n->n_in, at);
	else if (sscanf(name, "out%d", &at) == 1)
		type = wire_at(n->out, n->n_out, at);
	else if (sscanf(name, "shape_in%d", &at) == 1)
		shape = wire_at(n->in, n->n_in, at);
	else if (sscanf(name, "shape_out%d", &at) == 1)
		shape = wire_at(n->out, n->n_out, at);
	if (type)
		snprintf(out, size, "%s", dtype_name(type->type.dtype));
	if (shape)
		write_shape(&shape->type, out, size);
}

/* ---- what came --------------------------------------------------------------------------------------------------- */

/* The largest absolute error; infinite where there is none to tell. */
static double off_by(const struct quirk_sight *s)
{
	double most = 0;

	for (size_t i = 0; i < s->outcome->n; i++) {
		const struct value *exact =
			s->outcome->values && i < s->trial->truth.n ? s->trial->truth.outputs[i].value : NULL;
		const struct value *got = exact ? s->outcome->values[i] : NULL;

		if (!got || exact->kind != VALUE_TENSOR || got->kind != VALUE_TENSOR ||
		    exact->tensor->dtype != got->tensor->dtype || !tensor_same_shape(exact->tensor, got->tensor) ||
		    exact->tensor->dtype == DT_STRING)
			return (double)INFINITY;
		for (size_t k = 0; k < exact->tensor->count; k++) {
			double d = fabs(tensor_get(exact->tensor, k) - tensor_get(got->tensor, k));

			most = isnan(d) ? (double)INFINITY : fmax(most, d);
		}
	}
	return s->outcome->n ? most : (double)INFINITY;
}

static const char *const of_outcome[] = {"verdict", "off", "ratio", "output", "got", "exact", NULL};

static void look_at_outcome(const struct quirk_sight *s, const char *name, char *out, size_t size)
{
	const struct outcome *o = s->outcome;
	const struct judgement *j = o && o->judged && o->worst < o->n ? &o->judged[o->worst] : NULL;

	if (!o)
		snprintf(out, size, QUIRK_UNKNOWN);
	else if (!strcmp(name, "verdict"))
		snprintf(out, size, "%s", verdict_name(o->verdict));
	else if (!strcmp(name, "off"))
		snprintf(out, size, "%.9g", off_by(s));
	else if (!strcmp(name, "ratio"))
		snprintf(out, size, "%.9g", o->ratio);
	else if (!strcmp(name, "output"))
		snprintf(out, size, "%zu", o->worst);
	else if (j)
		snprintf(out, size, "%.9g", *name == 'g' ? j->got : j->exact);
}

/* A quirk_lookup. */
static void look_up(const char *name, const void *arg, char *out, size_t size)
{
	const struct quirk_sight *s = arg;
	int at;

	if (sscanf(name, "most_in%d", &at) == 1) {
		look_at_most(s, at, out, size);
		return;
	}
	for (const char *const *of = of_outcome; *of; of++)
		if (!strcmp(name, *of)) {
			look_at_outcome(s, name, out, size);
			return;
		}
	look_at_node(s->node, name, out, size);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef const struct quirk *quirk_search(const struct quirks *q, const char *backend, const char *version,
					 const char *op, quirk_lookup *lookup, const void *node);

static const struct quirk *search_quirks(quirk_search *search, const struct party *p, const struct quirk_sight *s,
					 const struct judge_options *options)
{
	const struct node *n = s->node;
	char op[256];

	if (!options || !options->quirks || !p->spec.backend)
		return NULL;
	snprintf(op, sizeof op, "%s%s%s", n->domain, *n->domain ? ":" : "", n->op_type);
	return search(options->quirks, p->spec.backend, party_version(p), op, look_up, s);
}

const struct quirk *party_quirk(const struct party *p, const struct node *n, const struct judge_options *options)
{
	return search_quirks(quirks_for_op, p, &(struct quirk_sight){.node = n}, options);
}

const struct quirk *party_absent(const struct party *p, const struct node *n, const struct judge_options *options)
{
	return search_quirks(quirks_absent, p, &(struct quirk_sight){.node = n}, options);
}

/* The only operator of a case, constants aside; NULL: there are several, and no saying which of them is meant. */
static const struct node *only_node(const struct graph *g)
{
	const struct node *only = NULL;

	for (size_t i = 0; i < g->nodes.n; i++) {
		if (!strcmp(g->nodes.at[i]->op_type, "Constant"))
			continue;
		if (only)
			return NULL;
		only = g->nodes.at[i];
	}
	return only;
}

/* A difference that a row explains is none of the library's faults; what happens to its process always is. */
void outcome_ask_quirks(const struct trial *t, const struct party *p, const struct judge_options *options,
			struct outcome *o)
{
	const struct quirk_sight s = {only_node(t->model->graph), t, o};
	const struct quirk *row;

	if (!s.node || !verdict_is_finding(o->verdict) || verdict_is_of_process(o->verdict))
		return;
	row = search_quirks(quirks_for_op, p, &s, options);
	if (!row)
		return;
	o->verdict = VERDICT_UNSPECIFIED;
	snprintf(o->reason, sizeof o->reason, "%s", row->reason);
}
