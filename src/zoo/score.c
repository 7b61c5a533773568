/* score.c - how good a network is on items of its data (declared in zoo.h). */
#include <math.h>

#include "base/mem.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "zoo/zoo.h"

/* Sums over the elements of the outputs that were looked at. */
struct zoo_sums {
	double right;                /* labels that are the largest score, or on the right side of a half */
	double error, square, total; /* of numbers: squared errors, right ones squared, their sum */
	double n;
};

/* One vector of scores: whether the class that is right has the largest, the first of equal ones. */
static int is_first_class(const double *y, const double *right, size_t classes)
{
	size_t best = 0;

	for (size_t c = 1; c < classes; c++)
		if (y[c] > y[best])
			best = c;
	return right[best] == 1;
}

static void add_batch(enum zoo_kind kind, const struct tensor *y, const double *right, struct zoo_sums *s)
{
	size_t classes = kind == ZOO_CLASSIFIES ? (size_t)y->dims[y->rank - 1] : 1;

	for (size_t i = 0; i < y->count; i += classes) {
		s->right += kind == ZOO_CLASSIFIES ? is_first_class(y->f + i, right + i, classes)
						   : (y->f[i] > 0.5) == (right[i] > 0.5);
		s->error += pow(y->f[i] - right[i], 2);
		s->square += right[i] * right[i];
		s->total += right[i];
		s->n++;
	}
}

static double score_of(enum zoo_kind kind, const struct zoo_sums *s)
{
	double variance = s->n > 0 ? s->square - s->total * s->total / s->n : 0;

	if (kind == ZOO_CLASSIFIES || kind == ZOO_DECIDES)
		return s->n > 0 ? s->right / s->n : 0;
	return variance > 0 ? 1 - s->error / variance : 0;
}

/* One batch, from item `at` on. */
static int score_batch(enum zoo_kind kind, struct ref *ref, const struct wire *w, const struct zoo_data *d, size_t at,
		       struct zoo_sums *s, struct err *e)
{
	size_t batch = (size_t)w->type.dims[0], *items = mem_array(batch, sizeof *items);
	struct ref_options o = {.mode = REF_ROUNDED};
	struct tensor *x = items ? zoo_data_batch(d, NULL, at, w, e) : NULL;
	struct value *in = x ? value_tensor(x, e) : NULL;
	struct ref_result r = {0};
	double *right = NULL;
	int rc = in ? ref_run(ref, &in, 1, &o, &r, e) : items ? e->code : err_nomem(e, "items", batch);

	for (size_t i = 0; i < batch && !rc; i++)
		items[i] = at + i;
	if (!rc && !(right = mem_array(r.outputs[0].value->tensor->count, sizeof *right)))
		rc = err_nomem(e, "outputs", 0);
	if (!rc) {
		zoo_data_truth(d, kind, items, x, r.outputs[0].value->tensor, right);
		add_batch(kind, r.outputs[0].value->tensor, right, s);
	}
	mem_free(right);
	mem_free(items);
	ref_result_release(&r);
	value_unref(in);
	return rc;
}

int zoo_score(const struct zoo_row *row, struct model *m, const struct zoo_data *d, size_t first, size_t last,
	      double *out, struct err *e)
{
	const struct wire *w = m->graph->inputs.at[0];
	size_t batch = (size_t)w->type.dims[0];
	struct zoo_sums s = {0};
	struct ref *ref = NULL;
	int rc = zoo_data_check(d, row, m, e);

	if (!rc)
		rc = ops_bind(m, e);
	if (!rc)
		rc = ref_open(m, &ref, e);
	for (size_t at = first; at + batch <= last && !rc; at += batch)
		rc = score_batch(row->network->kind, ref, w, d, at, &s, e);
	ref_close(ref);
	if (!rc)
		*out = score_of(row->network->kind, &s);
	return rc;
}
