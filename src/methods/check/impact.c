/* impact.c - what a wrong answer does to decisions: how often a backend names the right class, and on how many inputs a
 * backend that was found wrong names another class than one that is right.
 *
 * The reference computes a few inputs only, so it is another backend that says what is right for all of them: the first
 * whose verdict is not a finding.  Decisions are those of the first output, which labels belong to. */
#include "methods/check/pattern.h"

/* A backend that ran all inputs and was judged right; n_backends: there is none. */
static size_t right_backend(const struct check_result *r, size_t runs)
{
	size_t i = 0;

	while (i < r->n_backends &&
	       (r->backends[i].n < runs || !r->backends[i].tally.judged || verdict_is_finding(r->backends[i].verdict)))
		i++;
	return i;
}

/* Decisions of one run; `other`: NULL, or the run of the backend that is right. */
static void count_run(const struct task_layout *l, const struct tensor *y, const struct tensor *other,
		      const int64_t *labels, struct check_impact *out)
{
	for (size_t i = 0; i < l->items * l->places; i++) {
		size_t item = i / l->places, place = i % l->places, named = task_best(l, y, item, place);

		out->decisions++;
		out->correct += labels && labels[i] == (int64_t)named;
		out->flips += other && task_best(l, other, item, place) != named;
	}
}

static int count_backend(struct check_result *r, size_t k, size_t right, const struct graph *g,
			 const struct check_data *data, const struct check_options *o, struct err *e)
{
	struct task_question q = check_question(g, data, o, 0);
	struct check_impact impact = {.against = right};
	int rc = 0;

	for (size_t run = 0; run < r->backends[k].n && !rc; run++) {
		const struct tensor *y = check_output(&r->backends[k], run, 0), *other = NULL;
		struct task_layout l;

		if (!y)
			continue;
		rc = task_layout_make(&q, r->tasks[0], y, &l, e);
		if (rc || !l.classes)
			return rc;
		if (right < r->n_backends)
			other = check_output(&r->backends[right], run, 0);
		if (other && !tensor_same_shape(y, other))
			continue; /* no decisions to hold against each other */
		count_run(&l, y, other, data->labels ? data->labels + run * data->batch * l.places : NULL, &impact);
		impact.places = l.places;
	}
	if (!rc)
		r->backends[k].impact = impact;
	return rc;
}

int check_weigh(struct check_result *r, const struct graph *g, const struct check_data *data,
		const struct check_options *o, struct err *e)
{
	size_t right = right_backend(r, data->n);
	int rc = 0;

	for (size_t k = 0; k < r->n_backends && !rc && r->n_tasks && r->tasks[0]; k++)
		rc = count_backend(r, k, right, g, data, o, e);
	return rc;
}
