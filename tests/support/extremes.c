/* extremes.c - see extremes.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "reference/reference.h"
#include "support/extremes.h"
#include "support/mutants.h"

#define MEMORY ((size_t)64 << 20) /* of tensors */
#define LANES 2

/* ---- what a sanitizer's report says at its end ------------------------------------------------------------------- */

static char now[512];

void __sanitizer_set_death_callback(void (*fn)(void)) __attribute__((weak));

static void tell_case(void)
{
	fprintf(stderr, "test_extremes: %s\n", now);
}

void extremes_begin(void)
{
	tensor_memory_set_cap(MEMORY);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(tell_case);
}

int extremes_all(void)
{
	return getenv("ASSAY_EXTREMES") != NULL;
}

int extremes_wants(const struct op_row *row)
{
	const char *only = getenv("ASSAY_EXTREMES");

	return !only || !strcmp(only, "all") || !strcmp(only, row->name);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void count(struct extremes *x, int rc, const struct err *e)
{
	x->runs++;
	x->values += !rc;
	if (rc && !e->msg[0])
		fail_msg("an error without a message: %s", now);
	if (rc && e->code == ERR_INTERNAL)
		fail_msg("%s: %s", now, e->msg);
}

static void run_forward(struct extremes *x, struct ref *r, const struct mutant *m, enum ref_mode mode)
{
	const struct ref_options o = {.mode = mode, .noise_runs = LANES, .seed = 7};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	int rc = ref_run(r, m->inputs, m->n, &o, &out, &e);

	count(x, rc, &e);
	if (!rc)
		ref_result_release(&out);
}

/* Ones for outputs of floats: what comes of an exact run. */
static struct tensor **make_seeds(struct ref *r, const struct mutant *m, size_t *n)
{
	const struct ref_options o = {.mode = REF_EXACT, .seed = 7};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	struct tensor **seeds;

	if (ref_run(r, m->inputs, m->n, &o, &out, &e))
		return NULL;
	seeds = mem_array(out.n + 1, sizeof *seeds);
	for (size_t i = 0; seeds && i < out.n; i++) {
		const struct tensor *y = out.outputs[i].value->tensor;

		if (y && dtype_is_float(y->dtype))
			seeds[i] = tensor_zeros(DT_DOUBLE, y->rank, y->dims, &e);
		for (size_t k = 0; seeds[i] && k < seeds[i]->count; k++)
			seeds[i]->f[k] = 1;
	}
	*n = out.n;
	ref_result_release(&out);
	return seeds;
}

static void run_backward(struct extremes *x, struct ref *r, const struct mutant *m)
{
	const struct ref_options o = {.noise_runs = LANES, .seed = 7};
	struct wire **wanted = mem_array(m->n + 1, sizeof *wanted);
	struct tensor **grads = mem_array(m->n + 1, sizeof *grads);
	float **noise = mem_array(m->n + 1, sizeof *noise);
	size_t n_seeds = 0, n = 0;
	struct tensor **seeds = make_seeds(r, m, &n_seeds);
	struct err e = ERR_INIT;
	int rc = -1;

	for (size_t i = 0; i < m->n; i++)
		if (m->inputs[i] && m->inputs[i]->tensor && dtype_is_float(m->inputs[i]->tensor->dtype))
			wanted[n++] = m->model->graph->inputs.at[i];
	if (seeds) {
		struct ref_gradient of = {m->inputs, m->n, seeds, wanted, n};

		rc = ref_backward_noisy(r, &of, &o, grads, noise, &e);
		count(x, rc, &e);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		tensor_unref(grads[i]);
		mem_free(noise[i]);
	}
	for (size_t i = 0; i < n_seeds; i++)
		tensor_unref(seeds[i]);
	mem_free(seeds);
	mem_free(noise);
	mem_free(grads);
	mem_free(wanted);
}

static void run_mutant(struct extremes *x, struct mutant *m)
{
	struct err e = ERR_INIT;
	struct ref *r = NULL;
	int rc = ref_open(m->model, &r, &e);

	x->mutants++;
	if (rc) {
		count(x, rc, &e);
		return;
	}
	for (enum ref_mode mode = REF_EXACT; mode <= REF_NOISY; mode++)
		run_forward(x, r, m, mode);
	run_backward(x, r, m);
	ref_close(r);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* Every change, each in one style after the other, or in all. */
void extremes_run(struct extremes *x, const struct op_row *row, int version, const struct model *m,
		  struct value *const *inputs)
{
	size_t every = extremes_all() ? MUTANT_STYLES : 1;
	struct mutant mutant;

	for (size_t i = 0;; i++) {
		size_t k = i / every, style = (k + i % every) % MUTANT_STYLES, live = tensor_memory_live();

		if (!mutant_make(m, inputs, k, (enum mutant_style)style, &mutant))
			return;
		snprintf(now, sizeof now, "%s-%d, change %zu, style %zu: %s", row->name, version, k, style,
			 mutant.what);
		if (getenv("ASSAY_EXTREMES_TELL"))
			tell_case();
		run_mutant(x, &mutant);
		mutant_release(&mutant);
		if (tensor_memory_live() != live)
			fail_msg("%s: %zu bytes of tensors stay", now, tensor_memory_live() - live);
	}
}

void extremes_set_version(struct model *m, const struct op_row *row, int version)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			struct node *n = m->graphs.at[g]->nodes.at[i];

			if (ops_find(n->domain, n->op_type) == row && ops_version(row, n->opset) != version)
				n->opset = version;
		}
}
