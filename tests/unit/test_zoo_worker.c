/* test_zoo_worker.c - training whose steps a library computes: the same as the reference's, up to rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "case/zoo_worker.h"
#include "ops/op.h"
#include "reference/reference.h"

/* It has the reference's own numbers wherever no AveragePool is: a library of its own process with gradients. */
#define LIBRARY "fault:pool_counts_pad"

static struct zoo_worker *opened(const char *backend)
{
	struct worker_spec spec = {0};
	struct err e = ERR_INIT;
	struct zoo_worker *w = NULL;

	if (spec_make(backend, &spec, &e) || zoo_worker_new(&spec, &w, &e))
		fail_msg("%s", e.msg);
	spec_release(&spec);
	return w;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Weights are inputs, and there is a normalization: x · w, normalized by the batch. */
static struct model *small_network(struct wire *wires[5])
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct build b;

	build_begin(&b, 14, 1, &e);
	wires[0] = build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){4, 3});
	wires[1] = build_normal(&b, "w", 2, (int64_t[]){3, 2}, 1);
	wires[2] = build_fill(&b, "scale", 1, (int64_t[]){2}, 1.5);
	wires[3] = build_fill(&b, "zeros", 1, (int64_t[]){2}, 0);
	wires[4] = build_fill(&b, "var", 1, (int64_t[]){2}, 7); /* of no use in training */
	build_output(&b, build_op(&b, "BatchNormalization", "y", build_op(&b, "MatMul", "xw", wires[0], wires[1], NULL),
				  wires[2], wires[3], wires[3], wires[4], NULL));
	assert_int_equal(build_end(&b, &m), 0);
	for (int i = 1; i < 5; i++) {
		wires[i]->is_input = 1;
		type_set(&wires[i]->type, DT_FLOAT, wires[i]->init->rank, wires[i]->init->dims);
		assert_int_equal(vec_push(&m->graph->inputs, wires[i]), 0);
	}
	if (ops_bind(m, &e))
		fail_msg("%s", e.msg);
	return m;
}

static void assert_near(const struct tensor *a, const struct tensor *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		if (!(fabs(tensor_get(a, i) - tensor_get(b, i)) < 1e-5))
			fail_msg("element %zu: %g and %g", i, tensor_get(a, i), tensor_get(b, i));
}

static void a_step_is_that_of_the_reference(void **state)
{
	static const float x[] = {1, 2, -1, 0.5f, 3, 4, -2, 0, 1, 2, 2, 2};
	const struct ref_options training = {.mode = REF_EXACT, .training = 1};
	struct wire *wires[5];
	struct model *m = small_network(wires);
	struct zoo_worker *w = opened(LIBRARY);
	struct tensor *y = NULL, *seed, *got[2], *right[2], *t;
	struct value *in[5];
	struct ref_result r;
	struct ref *ref = NULL;
	struct err e = ERR_INIT;

	(void)state;
	t = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){4, 3}, &e);
	assert_non_null(t);
	memcpy(t->data, x, sizeof x);
	in[0] = value_tensor(t, &e);
	for (int i = 1; i < 5; i++) /* wide, as a trainer has them */
		in[i] = value_tensor(tensor_widen(wires[i]->init, &e), &e);
	if (ref_open(m, &ref, &e) || ref_run(ref, in, 5, &training, &r, &e) ||
	    zoo_worker_engine.open(w, m, wires + 1, 2, &e) || zoo_worker_engine.run(w, in, &y, &e))
		fail_msg("%s", e.msg);
	assert_near(y, r.outputs[0].value->tensor);
	assert_true(fabs(tensor_get(y, 0) - tensor_get(y, 2)) > 0.1); /* so it is not 0 = 0 */
	seed = tensor_new(DT_DOUBLE, 2, (int64_t[]){4, 2}, &e);
	assert_non_null(seed);
	for (size_t i = 0; i < seed->count; i++)
		seed->f[i] = (double)(i * i % 5) / 8;
	{
		const struct ref_gradient of = {
			.inputs = in, .n = 5, .seeds = &seed, .wanted = wires + 1, .n_wanted = 2};

		if (ref_backward(ref, &of, &training, right, &e) || zoo_worker_engine.backward(w, &seed, got, &e))
			fail_msg("%s", e.msg);
	}
	for (int i = 0; i < 2; i++) {
		assert_near(got[i], right[i]);
		tensor_unref(got[i]);
		tensor_unref(right[i]);
	}
	tensor_unref(seed);
	tensor_unref(y);
	ref_result_release(&r);
	ref_close(ref);
	for (int i = 0; i < 5; i++)
		value_unref(in[i]);
	zoo_worker_free(w);
	model_free(m);
}

/* ---- a training -------------------------------------------------------------------------------------------------- */

/* Ten places, one of which is bright. */
static struct zoo_data bright_places(size_t n)
{
	struct zoo_data d = {.n = n, .source = zoo_source_find("digits8")};
	struct err e = ERR_INIT;
	struct rng r;

	d.items = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){(int64_t)n, 64}, &e);
	d.truth = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){(int64_t)n, 1}, &e);
	assert_true(d.items && d.truth);
	rng_init(&r, 3);
	for (size_t i = 0; i < n; i++) {
		((float *)d.truth->data)[i] = (float)(i % 10);
		for (size_t k = 0; k < 64; k++)
			((float *)d.items->data)[i * 64 + k] =
				(float)(rng_unit(&r) * 0.2 + (k / 6 == i % 10 ? 0.7 : 0));
	}
	return d;
}

static void a_training_goes_the_same_way(void **state)
{
	struct zoo_train_options o = {.epochs = 6, .rate = 5e-3, .held_out = 32, .seed = 5};
	struct zoo_worker *w = opened(LIBRARY);
	struct zoo_data d = bright_places(160);
	struct zoo_train_result r[2];
	struct err e = ERR_INIT;
	double apart = 0, n = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		o.engine = i ? &zoo_worker_engine : NULL;
		o.engine_arg = w;
		if (zoo_train(zoo_find("digits8_mlp"), &d, &o, &r[i], &e))
			fail_msg("%s", e.msg);
	}
	assert_true(r[1].accuracy > 0.6); /* 0.1 is chance */
	assert_int_equal(r[0].train_tested, 128);
	assert_int_equal(r[1].train_tested, 32);
	for (size_t i = 0; i < r[0].weights.n; i++)
		for (size_t k = 0; k < r[0].weights.at[i].tensor->count; k++, n++)
			apart += fabs(tensor_get(r[0].weights.at[i].tensor, k) -
				      tensor_get(r[1].weights.at[i].tensor, k));
	assert_true(apart / n < 1e-4); /* a step moves a weight by 5e-3 */
	tensor_set_release(&r[0].weights);
	tensor_set_release(&r[1].weights);
	zoo_data_release(&d);
	zoo_worker_free(w);
}

/* A library that dies ends it, and the message names it. */
static void a_crash_is_told(void **state)
{
	static const char told[] = "fault:crash_large_kernel: crash";
	struct zoo_worker *w = opened("fault:crash_large_kernel");
	struct err e = ERR_INIT;
	struct tensor *y = NULL, *t;
	struct model *m = NULL;
	struct value *in;
	struct build b;

	(void)state;
	build_begin(&b, 14, 1, &e);
	build_output(&b, build_op(&b, "Conv", "y", build_input(&b, "x", DT_FLOAT, 4, (int64_t[]){1, 1, 2, 2}),
				  build_normal(&b, "w", 4, (int64_t[]){1, 1, 3, 3}, 1), NULL));
	build_ints(&b, "pads", (int64_t[]){1, 1, 1, 1}, 4);
	assert_int_equal(build_end(&b, &m), 0);
	t = tensor_zeros(DT_FLOAT, 4, (int64_t[]){1, 1, 2, 2}, &e);
	assert_non_null(t);
	in = value_tensor(t, &e);
	if (ops_bind(m, &e) || zoo_worker_engine.open(w, m, NULL, 0, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(zoo_worker_engine.run(w, &in, &y, &e), ERR_INPUT);
	assert_memory_equal(e.msg, told, sizeof told - 1);
	value_unref(in);
	zoo_worker_free(w);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_that_of_the_reference),
		cmocka_unit_test(a_training_goes_the_same_way),
		cmocka_unit_test(a_crash_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
