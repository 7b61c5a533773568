/* statistics.c - the mean and variance that batch normalization is given outside of training (declared in zoo.h).
 *
 * In training each batch is normalized by its own numbers.  Afterwards some batches are run once more, and over all of
 * them
 *
 *     mean = E(x)        var = E(x²) - mean²
 *
 * are what the network keeps. */
#include <string.h>

#include "base/mem.h"
#include "zoo/zoo.h"

static int is_norm(const struct node *n)
{
	return !strcmp(n->op_type, "BatchNormalization");
}

static int norm_start(struct zoo_norm *norm, const struct node *n)
{
	*norm = (struct zoo_norm){n->in[0], n->in[3], n->in[4], NULL, NULL, n->in[3]->init->count, 0};
	norm->sum = mem_array(norm->channels, sizeof *norm->sum);
	norm->square = mem_array(norm->channels, sizeof *norm->square);
	return norm->sum && norm->square ? 0 : -1;
}

int zoo_norms_find(const struct graph *g, struct zoo_norms *out, struct err *e)
{
	struct zoo_norms all = {0};
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		n += (size_t)is_norm(g->nodes.at[i]);
	all.at = mem_array(n + 1, sizeof *all.at);
	for (size_t i = 0; all.at && i < g->nodes.n; i++) {
		if (!is_norm(g->nodes.at[i]))
			continue;
		if (norm_start(&all.at[all.n++], g->nodes.at[i])) {
			zoo_norms_release(&all);
			break;
		}
	}
	if (!all.at)
		return err_nomem(e, "normalizations", n * sizeof *all.at);
	*out = all;
	return 0;
}

void zoo_norms_release(struct zoo_norms *n)
{
	for (size_t i = 0; i < n->n; i++) {
		mem_free(n->at[i].sum);
		mem_free(n->at[i].square);
	}
	mem_free(n->at);
	*n = (struct zoo_norms){0};
}

/* x[batch, channels, …] */
static void add_batch(struct zoo_norm *norm, const struct tensor *x)
{
	size_t items = (size_t)x->dims[0], each = x->count / items / norm->channels;

	for (size_t c = 0; c < norm->channels; c++) {
		double sum = 0, square = 0;

		for (size_t i = 0; i < items; i++)
			for (size_t k = 0; k < each; k++) {
				double v = tensor_get(x, (i * norm->channels + c) * each + k);

				sum += v;
				square += v * v;
			}
		norm->sum[c] += sum / (double)(items * each);
		norm->square[c] += square / (double)(items * each);
	}
	norm->batches++;
}

int zoo_norms_observe(const struct node *node, int out, const struct wire *w, const struct value *v, const float *noise,
		      void *arg)
{
	struct zoo_norms *norms = arg;

	(void)node;
	(void)out;
	(void)noise;
	for (size_t i = 0; i < norms->n; i++)
		if (norms->at[i].input == w)
			add_batch(&norms->at[i], v->tensor);
	return 0;
}

int zoo_norms_take(const struct zoo_norms *n, const struct wire *w, double *out)
{
	for (size_t i = 0; i < n->n; i++) {
		const struct zoo_norm *norm = &n->at[i];

		if (norm->mean != w && norm->var != w)
			continue;
		for (size_t c = 0; norm->batches && c < norm->channels; c++) {
			double mean = norm->sum[c] / (double)norm->batches;

			out[c] = norm->mean == w ? mean : norm->square[c] / (double)norm->batches - mean * mean;
		}
		return 1;
	}
	return 0;
}
