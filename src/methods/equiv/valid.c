/* valid.c - see valid.h. */
#include "methods/equiv/valid.h"

#include <stdio.h>

#include "base/mem.h"
#include "calls/onnx_call.h"
#include "judge/trial.h"
#include "methods/equiv/derive.h"

/* The call with its right answer.  On failure nothing is left to release. */
static int make_trial(const struct backend_call *c, struct trial *t, struct err *e)
{
	struct onnx_call call = {0};
	struct value **inputs;
	struct model *m;
	int rc = onnx_call_make(c, &call, e);

	if (rc)
		return rc;
	inputs = mem_array(call.n_given ? call.n_given : 1, sizeof(struct value *));
	for (size_t i = 0; inputs && i < call.n_given; i++)
		inputs[i] = value_ref(call.given[i].value);
	m = inputs ? call.model : NULL;
	if (m)
		call.model = NULL;
	onnx_call_release(&call);
	rc = m ? trial_init(t, m, inputs, 0, e) : err_nomem(e, "a call", 0);
	if (rc)
		return rc;
	rc = trial_truth(t, e);
	if (rc)
		trial_release(t);
	return rc;
}

/* Outputs as a library gives them: packed. */
static int give(const struct trial *t, struct backend_answer *out, struct err *e)
{
	struct backend_answer a = {.out = mem_array(t->truth.n + 1, sizeof(struct value *))};
	int rc = a.out ? 0 : err_nomem(e, "outputs", 0);

	for (; a.n_out < t->truth.n && !rc; a.n_out++) {
		a.out[a.n_out] = value_convert(t->truth.outputs[a.n_out].value, tensor_pack, e);
		if (!a.out[a.n_out]) {
			rc = e->code;
			break;
		}
	}
	if (rc)
		backend_answer_free(&a);
	else
		*out = a;
	return rc;
}

/* An eval_invoke_fn.  Gradients are not asked for: what a call gives is. */
static enum worker_result ask_reference(void *library, const struct backend_call *c, struct backend_answer *out,
					struct worker_report *report)
{
	struct err *failure = library, e = ERR_INIT;
	struct trial t = {0};
	int rc = make_trial(c, &t, &e);

	*report = (struct worker_report){.result = WORKER_UNSUPPORTED};
	if (!rc && t.invalid) {
		report->result = WORKER_REJECTED;
		snprintf(report->message, sizeof report->message, "%s", t.why.msg);
	} else if (!rc && !t.untold) {
		rc = give(&t, out, &e);
		report->result = rc ? WORKER_UNSUPPORTED : WORKER_OK;
	} else if (rc == ERR_INPUT) { /* an argument that the operator does not have */
		report->result = WORKER_REJECTED;
		snprintf(report->message, sizeof report->message, "%s", e.msg);
	}
	if (rc == ERR_MEMORY || rc == ERR_INTERNAL)
		*failure = e;
	trial_release(&t);
	return report->result;
}

int valid_ask(const struct expr *x, const struct bindings *b, int *valid, char *why, size_t size, struct err *e)
{
	struct err failure = ERR_INIT;
	struct eval reference = {.invoke = ask_reference, .library = &failure};
	struct value *value = NULL;
	int rc = eval_expr(&reference, derive_find(x->text) ? x->items[0] : x, b, &value, e);

	if (rc == ERR_INPUT) { /* the libraries make something of the expression, which is more than is known here */
		err_clear(e);
		rc = 0;
	}
	if (!rc && failure.code) {
		*e = failure;
		rc = e->code;
	}
	*valid = rc || value || reference.report.result != WORKER_REJECTED;
	if (!*valid)
		snprintf(why, size, "%s", reference.report.message);
	value_unref(value);
	return rc;
}
