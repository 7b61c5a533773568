/* oracle.c - pairs by another paper's oracle (--oracle).
 *
 * The rounding oracle needs no second opinion: a pair is inconsistent where one of the two is wrong by the verdicts
 * that are there already.  The others see what a pair gave, output by output, and nothing else. */
#include <math.h>

#include "base/mem.h"
#include "methods/check/check.h"

/* The labels of one run as the oracles take them; NULL: none given. */
static struct tensor *labels_of(const struct check_data *data, size_t run, struct err *e)
{
	struct tensor *t;

	if (!data->labels)
		return NULL;
	t = tensor_new(DT_INT64, 1, (int64_t[]){(int64_t)data->batch}, e);
	for (size_t i = 0; t && i < data->batch; i++)
		t->i[i] = data->labels[run * data->batch + i];
	return t;
}

static void ask_pair(struct check_pair *p, const struct check_result *r, const struct check_data *data,
		     const struct oracle *oracle)
{
	const struct check_backend *a = &r->backends[p->a], *b = &r->backends[p->b];

	p->triggering = 0;
	for (size_t run = 0; run < data->n && run < a->n && run < b->n; run++) {
		struct oracle_case c = {.a = a->runs[run].values, .b = b->runs[run].values, .n = a->runs[run].n};
		struct oracle_answer answer;
		struct err ignored = ERR_INIT;
		struct tensor *labels = labels_of(data, run, &ignored);

		if (c.n && c.n == b->runs[run].n) {
			c.labels = labels;
			oracle_ask(oracle, &c, 0, &answer);
			p->triggering += (size_t)answer.inconsistent;
			if (!(answer.distance <= p->distance))
				p->distance = answer.distance;
		}
		tensor_unref(labels);
	}
}

void check_ask_oracle(struct check_result *r, const struct check_data *data, const struct check_options *o)
{
	for (size_t i = 0; i < r->n_pairs; i++) {
		struct check_pair *p = &r->pairs[i];
		const struct check_backend *a = &r->backends[p->a], *b = &r->backends[p->b];

		p->distance = 0;
		if (o->oracle->oracle->needs_truth) {
			p->distance = fmax(a->ratio, b->ratio);
			p->triggering = a->n_findings > b->n_findings ? a->n_findings : b->n_findings;
		} else {
			ask_pair(p, r, data, o->oracle->oracle);
		}
		p->inconsistent = check_share_reached(p, o);
	}
}
