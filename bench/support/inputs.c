/* inputs.c - see inputs.h. */
#include "support/inputs.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/adapt.h"
#include "tensor/io.h"

#define PATH_SIZE 4096

/* Whole numbers alone may be indices, sizes or scales. */
static int is_whole(const struct tensor *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (tensor_get(t, i) != floor(tensor_get(t, i)))
			return 0;
	return 1;
}

/* Floats times a number from 0.5 to 1.5 each: signs, zeros and the domain of a logarithm stay. */
static int scale_floats(struct value **v, struct rng *rng, struct err *e)
{
	struct tensor *wide;

	if ((*v)->kind != VALUE_TENSOR || !dtype_is_float((*v)->dtype) || is_whole((*v)->tensor))
		return 0;
	wide = tensor_widen((*v)->tensor, e);
	if (wide && !tensor_is_unique(wide)) {
		struct tensor *copy = tensor_copy(wide, e);

		tensor_unref(wide);
		wide = copy;
	}
	if (!wide)
		return e->code;
	for (size_t i = 0; i < wide->count; i++)
		wide->f[i] *= rng_uniform(rng, 0.5, 1.5);
	tensor_round(wide);
	value_unref(*v);
	*v = value_tensor(wide, e);
	return *v ? 0 : e->code;
}

void bench_inputs_free(struct value **in, size_t n)
{
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
}

int bench_inputs_read(const char *folder, const struct graph *g, uint64_t seed, struct value ***out, struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct rng rng;
	int rc = in ? 0 : err_nomem(e, "inputs", 0);

	rng_init(&rng, seed);
	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		const struct type *t = &g->inputs.at[i]->type;
		char path[PATH_SIZE];

		snprintf(path, sizeof path, "%s/test_data_set_0/input_%zu.pb", folder, i);
		if (access(path, R_OK))
			continue;
		rc = pb_load_value(path, t->kind, &in[i], NULL, e);
		if (!rc)
			rc = adapt_value(&in[i], t, e);
		if (!rc && seed)
			rc = scale_floats(&in[i], &rng, e);
	}
	if (rc)
		bench_inputs_free(in, g->inputs.n);
	else
		*out = in;
	return rc;
}

int bench_inputs_make(const struct graph *g, uint64_t seed, struct value ***out, struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct rng rng;

	if (!in)
		return err_nomem(e, "inputs", 0);
	rng_init(&rng, seed);
	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct type *t = &g->inputs.at[i]->type;
		int64_t dims[TENSOR_MAX_RANK];
		struct tensor *x;

		if (g->inputs.at[i]->init || t->kind != VALUE_TENSOR || t->rank < 0)
			continue;
		for (int k = 0; k < t->rank; k++)
			dims[k] = t->dims[k] > 0 ? t->dims[k] : k >= 2 ? 64 : 1;
		x = tensor_zeros(t->dtype, t->rank, dims, e);
		for (size_t k = 0; x && k < x->count; k++)
			if (dtype_is_float(x->dtype))
				x->f[k] = rng_unit(&rng);
			else
				x->i[k] = (int64_t)rng_below(&rng, 200);
		if (!x || !(in[i] = value_tensor(x, e))) {
			bench_inputs_free(in, g->inputs.n);
			return e->code;
		}
	}
	*out = in;
	return 0;
}
