/* line_run.c - one line of the case language on a worker, against the reference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "model/case.h"
#include "reference/reference.h"
#include "support/line_run.h"

#define MAX_INPUTS 8
#define TOLERANCE 1e-5 /* relative: rounding of float32 over the small sums of such cases */

static void compare(const struct tensor *a, struct tensor *wide, size_t output, char *why, size_t size)
{
	struct err e = ERR_INIT;
	struct tensor *b = tensor_pack(wide, &e);

	assert_non_null(b);
	if (a->dtype != b->dtype || !tensor_same_shape(a, b))
		snprintf(why, size, "output %zu has another type or shape", output);
	for (size_t i = 0; !*why && i < a->count; i++) {
		double x = tensor_get(a, i), y = tensor_get(b, i);

		if (!(fabs(x - y) <= TOLERANCE * (1 + fabs(y))))
			snprintf(why, size, "output %zu element %zu is %.9g, expected %.9g", output, i, x, y);
	}
	tensor_unref(b);
}

/* What the reference says; the model then declares the types and shapes of its outputs, which some libraries need. */
static int run_reference(struct op_case *c, struct ref_result *want, struct err *e)
{
	struct ref_options o = {.mode = REF_ROUNDED};
	struct ref *ref = NULL;
	int rc = ref_open(c->model, &ref, e);

	if (!rc)
		rc = ref_run(ref, c->inputs, c->n, &o, want, e);
	for (size_t i = 0; i < want->n && !rc; i++) {
		const struct tensor *t = want->outputs[i].value->tensor;

		type_set(&c->model->graph->outputs.at[i]->type, t->dtype, t->rank, t->dims);
	}
	ref_close(ref);
	return rc;
}

enum worker_result line_run(struct worker *w, const char *line, char *why, size_t size)
{
	struct named_value in[MAX_INPUTS], *got = NULL;
	struct ref_result want = {.n = 0};
	struct worker_report report;
	struct op_case c;
	struct buf bytes;
	struct err e = ERR_INIT;
	enum worker_result r;
	uint64_t session = 0;
	size_t n = 0;

	*why = '\0';
	buf_init(&bytes, (size_t)1 << 20);
	if (case_parse(line, 1, &c, &e) || run_reference(&c, &want, &e) || model_serialize(c.model, &bytes, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_true(c.n <= MAX_INPUTS);
	for (size_t i = 0; i < c.n; i++)
		in[i] = (struct named_value){c.model->graph->inputs.at[i]->name, c.inputs[i]};
	r = worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report);
	if (r == WORKER_OK)
		r = worker_run(w, session, &(struct backend_run){.in = {in, c.n}}, &got, &n, &report);
	if (r != WORKER_OK)
		snprintf(why, size, "%s", report.message);
	else if (n != want.n)
		snprintf(why, size, "%zu outputs, expected %zu", n, want.n);
	for (size_t i = 0; i < n && !*why; i++)
		compare(got[i].value->tensor, want.outputs[i].value->tensor, i, why, size);
	if (session)
		worker_unload(w, session, &report);
	worker_values_free(got, n);
	ref_result_release(&want);
	case_release(&c);
	buf_release(&bytes);
	return r;
}
