/* answers.c - see answers.h. */
#include "support/answers.h"

#include "support/bench.h"

void answers_round(const struct ref_result *r, struct value **out)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < r->n; i++) {
		struct value *v = r->outputs[i].value;
		struct tensor *packed = v->kind == VALUE_TENSOR ? tensor_pack(v->tensor, &e) : NULL;

		if (v->kind != VALUE_TENSOR)
			out[i] = value_ref(v);
		else if (!packed || !(out[i] = value_tensor(packed, &e)))
			bench_die(&e);
	}
}

void answers_release(struct value **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		value_unref(v[i]);
}

void answers_ask(const struct ref_result *truth, struct value **a, struct value **b, size_t n, int *answers)
{
	struct oracle_case c = {.truth = truth, .a = a, .b = b, .n = n};

	for (int k = 0; oracle_rows[k].name; k++) {
		struct oracle_answer answer;

		oracle_ask(oracle_rows[k].oracle, &c, 0, &answer);
		answers[k] = answer.inconsistent;
	}
}
