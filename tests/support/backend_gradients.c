/* backend_gradients.c - gradients of a library beside the reference's, see backend.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/reference.h"
#include "support/backend.h"
#include "tensor/stats.h"

#define MAX_INPUTS 8
#define TOLERANCE 1e-4 /* relative: rounding of float32 over the small sums of such cases */

/* What a case asks of both sides. */
struct backward {
	struct op_case c;
	struct named_value in[MAX_INPUTS];
	struct wire *wires[MAX_INPUTS];
	const char *names[MAX_INPUTS];
	struct tensor *seed; /* of the first output */
	const char *output;
	struct tensor *want[MAX_INPUTS];
};

static struct tensor *seed_like(const struct tensor *t)
{
	struct err e = ERR_INIT;
	struct tensor *seed = tensor_copy(t, &e);
	struct rng r;

	assert_non_null(seed);
	rng_init(&r, 5);
	assert_int_equal(tensor_fill_random(seed, &r, -1, 1, &e), 0);
	tensor_round(seed);
	return seed;
}

static void ask_reference(const char *line, struct backward *b)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result forward = {.n = 0};
	struct ref_gradient of;
	struct err e = ERR_INIT;
	struct ref *ref = NULL;

	if (case_parse(line, 3, &b->c, &e) || ref_open(b->c.model, &ref, &e) ||
	    ref_run(ref, b->c.inputs, b->c.n, &o, &forward, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_true(b->c.n <= MAX_INPUTS);
	for (size_t i = 0; i < b->c.n; i++) {
		b->wires[i] = b->c.model->graph->inputs.at[i];
		b->names[i] = b->wires[i]->name;
		b->in[i] = (struct named_value){b->names[i], b->c.inputs[i]};
	}
	b->seed = seed_like(forward.outputs[0].value->tensor);
	b->output = b->c.model->graph->outputs.at[0]->name;
	of = (struct ref_gradient){
		.inputs = b->c.inputs, .n = b->c.n, .seeds = &b->seed, .wanted = b->wires, .n_wanted = b->c.n};
	if (ref_backward(ref, &of, &o, b->want, &e))
		fail_msg("%s: %s", line, e.msg);
	ref_result_release(&forward);
	ref_close(ref);
}

static void compare(const char *line, const char *name, const struct tensor *got, const struct tensor *want)
{
	assert_true(tensor_same_shape(got, want));
	for (size_t i = 0; i < got->count; i++) {
		double x = tensor_get(got, i), y = tensor_get(want, i);

		if (!(fabs(x - y) <= TOLERANCE * (1 + fabs(y))))
			fail_msg("%s: gradient of '%s' at %zu is %.9g, expected %.9g", line, name, i, x, y);
	}
}

static void check(const char *line)
{
	struct worker *w = backend_test_worker();
	struct tensor *got[MAX_INPUTS] = {NULL};
	struct worker_report report;
	struct backward b = {0};
	struct named_value seed;
	struct err e = ERR_INIT;
	struct buf bytes;
	uint64_t session;

	ask_reference(line, &b);
	buf_init(&bytes, 1 << 20);
	assert_int_equal(model_serialize(b.c.model, &bytes, &e), 0);
	seed = (struct named_value){b.output, value_tensor(tensor_ref(b.seed), &e)};
	backend_require(worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report), &report);
	backend_require(worker_backward(w, session,
					&(struct backend_gradient){{b.in, b.c.n}, {&seed, 1}, {b.names, b.c.n}}, got,
					&report),
			&report);
	for (size_t i = 0; i < b.c.n; i++) {
		compare(line, b.names[i], got[i], b.want[i]);
		tensor_unref(got[i]);
		tensor_unref(b.want[i]);
	}
	worker_unload(w, session, &report);
	value_unref(seed.value);
	tensor_unref(b.seed);
	buf_release(&bytes);
	case_release(&b.c);
}

void backend_test_gradients(void **state)
{
	const struct backend_lines *lines = *state;

	for (size_t i = 0; i < lines->n; i++)
		check(lines->at[i]);
}
