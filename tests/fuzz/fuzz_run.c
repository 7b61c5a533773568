/* fuzz_run.c - a model from bytes to answers: what is accepted runs exactly, rounded, with noise and backwards, and
 * ends with values or with a message.  With ASSAY_FUZZ_TELL a line says how far each came, for bench/attack to count:
 *
 *     reader                         it was refused by the reader of files
 *     large                          it has more inputs or outputs than are made up here
 *     inference                      it was refused before anything was computed
 *     ran exact rounded noisy back   the modes that gave values */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "limits.h"

#define MAX_COUNT ((size_t)1 << 16)
#define MAX_INPUTS 16
#define OPEN_SIZE 2 /* of dimensions that the model leaves open */

#define ITEMS 2 /* of sequences */

static void tell(const char *text)
{
	if (getenv("ASSAY_FUZZ_TELL"))
		printf("%s", text);
}

static struct value *make_tensor(const struct type *type)
{
	int64_t dims[TENSOR_MAX_RANK] = {0};
	int rank = type->rank < 0 ? 1 : type->rank;
	struct err e = ERR_INIT;
	struct tensor *t;
	size_t count;

	if (type->dtype == DT_UNDEFINED)
		return NULL;
	for (int i = 0; i < rank; i++)
		dims[i] = type->rank < 0 || type->dims[i] < 0 ? OPEN_SIZE : type->dims[i];
	if (tensor_shape_count(rank, dims, &count, &e) || count > MAX_COUNT ||
	    !(t = tensor_zeros(type->dtype, rank, dims, &e)))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (dtype_wide(t->dtype) == WIDE_F64)
			t->f[i] = (double)(i % 7) - 2.5;
		else if (dtype_wide(t->dtype) == WIDE_I64)
			t->i[i] = (int64_t)(i % 3);
	tensor_wrap_ints(t);
	return value_tensor(t, &e);
}

/* A value as an input is declared; NULL: it is too large, or nothing is known of it. */
static struct value *make_value(const struct type *type)
{
	struct value *items[ITEMS];
	struct err e = ERR_INIT;
	size_t n = 0;

	if (type->kind == VALUE_TENSOR)
		return make_tensor(type);
	if (type->kind == VALUE_OPTIONAL)
		return value_optional(type->elem ? make_value(type->elem) : NULL, &e);
	if (type->kind != VALUE_SEQUENCE)
		return NULL;
	while (n < ITEMS && type->elem && (items[n] = make_value(type->elem)))
		n++;
	return value_sequence(type->dtype, items, n, &e);
}

static void run_back(struct ref *r, struct model *m, struct value *const *in, const struct ref_result *out)
{
	const struct graph *g = m->graph;
	struct wire *wanted[MAX_INPUTS];
	struct tensor *grads[MAX_INPUTS], *seeds[MAX_INPUTS] = {NULL};
	struct ref_gradient of = {in, g->inputs.n, seeds, wanted, 0};
	struct ref_options o = {.noise_runs = 2};
	float *noise[MAX_INPUTS];
	struct err e = ERR_INIT;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (in[i] && in[i]->tensor && dtype_is_float(in[i]->tensor->dtype))
			wanted[of.n_wanted++] = g->inputs.at[i];
	for (size_t i = 0; i < out->n; i++) {
		const struct tensor *y = out->outputs[i].value->tensor;

		if (y && dtype_is_float(y->dtype))
			seeds[i] = tensor_zeros(DT_DOUBLE, y->rank, y->dims, &e);
		for (size_t k = 0; seeds[i] && k < seeds[i]->count; k++)
			seeds[i]->f[k] = 1;
	}
	err_clear(&e);
	if (!ref_backward_noisy(r, &of, &o, grads, noise, &e)) {
		tell(" back");
		for (size_t i = 0; i < of.n_wanted; i++) {
			tensor_unref(grads[i]);
			mem_free(noise[i]);
		}
	} else {
		BUG_ON(!e.msg[0] || e.code == ERR_INTERNAL);
	}
	for (size_t i = 0; i < out->n; i++)
		tensor_unref(seeds[i]);
}

static void run_all(struct ref *r, struct model *m, struct value *const *in)
{
	static const char *const names[] = {" exact", " rounded", " noisy"};

	for (enum ref_mode mode = REF_EXACT; mode <= REF_NOISY; mode++) {
		struct ref_options o = {.mode = mode, .noise_runs = 2};
		struct ref_result out = {0};
		struct err e = ERR_INIT;

		if (ref_run(r, in, m->graph->inputs.n, &o, &out, &e)) {
			BUG_ON(!e.msg[0] || e.code == ERR_INTERNAL);
			continue;
		}
		tell(names[mode]);
		if (mode == REF_EXACT)
			run_back(r, m, in, &out);
		ref_result_release(&out);
	}
}

static void run_model(struct model *m)
{
	struct value *in[MAX_INPUTS] = {NULL};
	struct ref *r = NULL;
	struct err e = ERR_INIT;

	if (m->graph->inputs.n > MAX_INPUTS || m->graph->outputs.n > MAX_INPUTS) {
		tell("large\n");
		return;
	}
	if (ref_open(m, &r, &e)) {
		BUG_ON(!e.msg[0] || e.code == ERR_INTERNAL);
		tell("inference\n");
		return;
	}
	tell("ran");
	for (size_t i = 0; i < m->graph->inputs.n; i++)
		in[i] = make_value(&m->graph->inputs.at[i]->type);
	run_all(r, m, in);
	tell("\n");
	for (size_t i = 0; i < m->graph->inputs.n; i++)
		value_unref(in[i]);
	ref_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = NULL;
	struct err e = ERR_INIT;

	limits_set();
	if (model_parse(data, size, "", &m, &e)) {
		BUG_ON(!e.msg[0] || e.code == ERR_INTERNAL);
		tell("reader\n");
		return 0;
	}
	run_model(m);
	model_free(m);
	BUG_ON(tensor_memory_live());
	return 0;
}
