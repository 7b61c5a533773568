/* witness.c - whether a library is seen to compute in a lower precision (declared in explain.h).
 *
 * It is asked for plain products that have nothing to do with the case.  How far they are off, in roundings of each
 * precision, tells which it computes in: a library in float32 is off by a thousandth of what bfloat16 makes, one in
 * float16 by an eighth.  Elements are many, so that this is no matter of chance. */
#include <math.h>

#include "base/mem.h"
#include "judge/explain.h"
#include "judge/internal.h"
#include "model/case.h"

#define LEAST 0.12 /* roundings of a precision that products are off by, in the root of the mean square; */
#define MOST 1.5   /* correct ones have some 0.4, and float16 is an eighth of bfloat16 */

static const char *const questions[] = {
	"MatMul-13 f32[32,64]@0.5:2 f32[64,32]@-2:2",
	"Conv-11 f32[1,32,8,8]@0.5:2 f32[32,32,3,3]@-2:2",
};

#define QUESTIONS (sizeof questions / sizeof *questions)

#define MAX_ROWS 16 /* explanations */

struct witness {
	char asked[QUESTIONS];
	struct tensor *said[QUESTIONS]; /* NULL: nothing */
	signed char seen[MAX_ROWS];     /* of each explanation; 0: not looked at yet */
};

struct witness *witness_new(struct err *e)
{
	struct witness *w = mem_zalloc(sizeof *w);

	if (!w)
		err_nomem(e, "a party", sizeof *w);
	return w;
}

void witness_free(struct witness *w)
{
	for (size_t i = 0; w && i < QUESTIONS; i++)
		tensor_unref(w->said[i]);
	mem_free(w);
}

/* The root of the mean square of |got - exact| / noise. */
static double distance(const struct ref_output *right, const struct tensor *got)
{
	const struct tensor *exact = right->value->tensor;
	double squares = 0;

	if (!tensor_same_shape(exact, got) || exact->dtype != got->dtype || !exact->count)
		return 0;
	for (size_t k = 0; k < exact->count; k++) {
		double d = (tensor_get(got, k) - exact->f[k]) / (double)right->noise[k];

		squares += isfinite(d) ? d * d : (double)INFINITY;
	}
	return sqrt(squares / (double)exact->count);
}

static int measure(struct trial *t, const struct explanation *x, const struct tensor *got, double *out, struct err *e)
{
	const struct ref_options o = {.mode = REF_NOISY,
				      .precision = x->precision,
				      .products = x->products,
				      .reduced = x->reduced,
				      .noise_runs = 32};
	struct ref_result r;
	int rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &o, &r, e);

	if (rc)
		return rc;
	*out = distance(&r.outputs[0], got);
	ref_result_release(&r);
	return 0;
}

static int open_question(const char *line, struct trial *t, struct err *e)
{
	struct op_case c;
	int rc = case_parse(line, 1, &c, e);

	if (rc)
		return rc;
	rc = trial_init(t, c.model, c.inputs, 1, e);
	return rc ? rc : trial_truth(t, e);
}

/* What p makes of a question; *said stays NULL where it does not answer. */
static int ask(struct party *p, const char *line, struct tensor **said, struct err *e)
{
	struct outcome o = {0};
	struct trial t = {0};
	int rc = open_question(line, &t, e);

	if (!rc)
		rc = party_run(p, &t, &o, e);
	if (!rc && o.n == 1 && o.values && o.values[0]->kind == VALUE_TENSOR)
		*said = tensor_ref(o.values[0]->tensor);
	outcome_release(&o);
	trial_release(&t);
	return rc;
}

/* The same each time it is asked. */
static int look(struct party *p, const struct explanation *x, int *seen, struct err *e)
{
	struct witness *w = p->witness;
	int rc = 0;

	*seen = 0;
	for (size_t i = 0; i < QUESTIONS && !rc && !*seen; i++) {
		struct trial t = {0};
		double off = 0;

		if (!w->asked[i])
			rc = ask(p, questions[i], &w->said[i], e);
		w->asked[i] = 1;
		if (rc || !w->said[i])
			continue;
		rc = open_question(questions[i], &t, e);
		if (!rc)
			rc = measure(&t, x, w->said[i], &off, e);
		*seen = !rc && off >= LEAST && off <= MOST;
		trial_release(&t);
	}
	return rc;
}

int explain_is_seen(struct party *p, const struct explanation *x, int *seen, struct err *e)
{
	size_t row = (size_t)(x - explanations);
	int rc = 0;

	*seen = 0;
	if (!p->witness || row >= MAX_ROWS)
		return 0;
	if (!p->witness->seen[row]) {
		rc = look(p, x, seen, e);
		p->witness->seen[row] = (signed char)(rc ? 0 : *seen ? 1 : -1);
	}
	*seen = p->witness->seen[row] > 0;
	return rc;
}
