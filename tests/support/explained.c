/* explained.c - see explained.h. */
#include "support/explained.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "judge/explain.h"
#include "support/networks.h"
#include "support/trials.h"

struct trial explained_layers(void)
{
	struct model *m = net_begin((int64_t[]){8, 32}, 2);

	NET_WEIGHTS(m->graph, "w1", -0.5, 0.5, 32, 48);
	NET_WEIGHTS(m->graph, "w2", -0.5, 0.5, 48, 24);
	NET_WEIGHTS(m->graph, "b", -0.5, 0.5, 24);
	net_add(m->graph, "MatMul", "x w1", "h");
	net_add(m->graph, "Relu", "h", "r");
	net_add(m->graph, "MatMul", "r w2", "p");
	net_add(m->graph, "Add", "p b", "y");
	return net_finish(m, "y", net_random(5, 2, (int64_t[]){8, 32}, -1, 1));
}

enum verdict explained_judge(struct trial *t, struct party *p, const struct judge_options *options,
			     const struct ref_options *as, explained_fault *fault, const char **by)
{
	struct outcome o = {.n = t->model->graph->outputs.n};
	struct ref_result r;
	struct err e = ERR_INIT;
	enum verdict v;

	o.values = mem_array(o.n, sizeof(struct value *));
	assert_int_equal(trial_truth(t, &e), 0);
	assert_int_equal(ref_run(t->ref, t->inputs, 1, as, &r, &e), 0);
	if (fault)
		fault(r.outputs[0].value->tensor, t->truth.outputs[0].value->tensor);
	for (size_t i = 0; i < o.n; i++)
		o.values[i] = value_tensor(tensor_pack(r.outputs[i].value->tensor, &e), &e);
	ref_result_release(&r);
	assert_int_equal(trial_judge_values(t, p, options, &o, &e), 0);
	assert_int_equal(trial_doubt(t, options, DOUBT_FULL, &o, &e), 0);
	assert_int_equal(trial_explain(t, p, options, &o, &e), 0);
	v = o.verdict;
	*by = o.explained_by ? o.explained_by : "";
	outcome_release(&o);
	return v;
}

void explained_one_near(struct tensor *y, const struct tensor *exact)
{
	y->f[7] = exact->f[7] * (1 + 0x1p-7);
}

void explained_not_a_number(struct tensor *y, const struct tensor *exact)
{
	(void)exact;
	y->f[3] = (double)NAN;
}
