/* fuzz_target.c - see fuzz_target.h. */
#include "cli/fuzz_target.h"

#include <string.h>

#include "base/mem.h"
#include "cli/probing.h"
#include "model/build.h"
#include "ops/op.h"

/* ---- opset ----------------------------------------------------------------------------------------------------------
 */

static int make_small(int opset, struct trial *out, struct err *e)
{
	struct value **inputs = mem_array(1, sizeof *inputs);
	struct tensor *x = tensor_new(DT_FLOAT, 1, (int64_t[]){2}, e), *packed = x ? tensor_pack(x, e) : NULL;
	struct model *m = NULL;
	struct build b;
	int rc;

	tensor_unref(x);
	build_begin(&b, opset, 0, e);
	build_output(&b, build_op(&b, "Relu", "y", build_input(&b, "x", DT_FLOAT, 1, (int64_t[]){2}), NULL));
	rc = build_end(&b, &m);
	if (!rc && inputs && packed)
		inputs[0] = value_tensor(packed, e);
	else
		tensor_unref(packed);
	if (!rc && (!inputs || !inputs[0]))
		rc = err_nomem(e, "an input", 0);
	if (!rc)
		return trial_init(out, m, inputs, 0, e);
	mem_free(inputs);
	model_free(m);
	return rc;
}

static int loads(struct party *p, int opset, int *out, struct err *e)
{
	struct trial t = {0};
	struct outcome o = {0};
	int rc = make_small(opset, &t, e);

	if (!rc)
		rc = trial_judge(&t, p, NULL, &o, e);
	*out = !rc && o.report.result == WORKER_OK;
	outcome_release(&o);
	trial_release(&t);
	return rc;
}

int fuzz_target_opset(const struct spec_list *specs, int *out, struct err *e)
{
	int opset = FUZZ_OPSET, rc = 0;

	for (size_t i = 0; i < specs->n && !rc; i++) {
		struct party p = {0};
		int ok = 0;

		rc = party_open_spec(&p, &specs->at[i], NULL, e);
		while (!rc && !ok && opset >= FUZZ_MIN_OPSET) {
			rc = loads(&p, opset, &ok, e);
			opset -= !ok;
		}
		if (!rc && !ok)
			rc = err_set(e, ERR_USAGE, "'%s' loads no model of opset %d or newer", specs->at[i].name,
				     FUZZ_MIN_OPSET);
		party_close(&p);
	}
	*out = opset;
	return rc;
}

/* ---- operators ------------------------------------------------------------------------------------------------------
 */

struct filter {
	int opset;
	const struct support *all;
	size_t n;
};

/* Types that it says it does not have; *any says whether there is something else.  What is refused in another way may
 * be a bug, and is asked again. */
static uint32_t missing_types(const struct support_op *op, int *any)
{
	uint32_t missing = 0;

	*any = 0;
	for (size_t i = 0; i < op->variants.n; i++)
		*any |= strcmp(op->variants.at[i].result, "unsupported") != 0;
	for (int t = 0; t < DT_COUNT; t++) {
		if (op->dtypes[t] && !strcmp(op->dtypes[t], "unsupported"))
			missing |= TM(t);
		else
			*any |= op->dtypes[t] != NULL;
	}
	return missing;
}

/* A corpus_types. */
static uint32_t types_left(const struct fuzz_op *op, void *arg)
{
	const struct filter *f = arg;
	const struct op_row *row = ops_find("", op->onnx);
	uint32_t types = op->types;

	if (row && row->versions[0] > f->opset)
		return 0;
	for (size_t i = 0; i < f->n && *op->onnx; i++) {
		const struct support_op *s = support_find(&f->all[i], "", op->onnx);
		int any;
		uint32_t missing = s ? missing_types(s, &any) : 0;

		if (s && !any)
			return 0;
		types &= ~missing;
	}
	return types;
}

int fuzz_target_filter(const struct spec_list *specs, int opset, struct corpus *c, int *dropped, struct err *e)
{
	struct support *all = mem_array(specs->n + 1, sizeof *all);
	struct filter f = {.opset = opset, .all = all};
	int before = c->n_ops, rc = all ? 0 : err_nomem(e, "backends", 0);

	for (size_t i = 0; i < specs->n && !rc; i++) {
		if (spec_is_reference(&specs->at[i]))
			continue;
		rc = probing_get(&specs->at[i], NULL, 0, &all[f.n], e);
		f.n += !rc;
	}
	if (!rc)
		rc = corpus_filter(c, types_left, &f, e);
	*dropped = before - c->n_ops;
	for (size_t i = 0; i < f.n; i++)
		support_release(&all[i]);
	mem_free(all);
	return rc;
}
