/* target.c - see target.h. */
#include "methods/fuzz/target.h"

#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "libraries/libraries.h"
#include "model/build.h"
#include "ops/op.h"
#include "probe/probing.h"

/* ---- opset ------------------------------------------------------------------------------------------------------- */

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

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define TRIES 4 /* models of a block alone, before it is said to be missing */

struct filter {
	int opset;
	struct support *all; /* of the backends that are libraries */
	struct party *parties;
	size_t n;
	struct err *err;
	int rc;
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

/* What the probes cannot ask, since it takes more than one node, a body or a form of the operator that they do not
 * have: whether a model of the block alone is said to be unsupported, and others too. */
static int is_missing(struct filter *f, const struct fuzz_op *op, struct party *p)
{
	struct fuzz_op copy = *op;
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options options = {.blocks = 1, .opset = f->opset, .search = FUZZ_SEARCH_RANDOM};
	struct fuzzer *fuzzer;
	int missing = 1;

	f->rc = fuzzer_new(&alone, &options, &fuzzer, f->err);
	for (int i = 0; i < TRIES && missing && !f->rc; i++) {
		struct fuzz_case c = {0};
		struct outcome o = {0};
		struct trial t = {0};

		f->rc = fuzzer_next(fuzzer, &c, f->err);
		if (!f->rc)
			f->rc = trial_init(&t, c.model, c.inputs, c.seed, f->err);
		c.model = NULL;
		c.inputs = NULL;
		if (!f->rc)
			f->rc = trial_judge(&t, p, &(struct judge_options){.no_truth = 1}, &o, f->err);
		missing = o.report.result == WORKER_UNSUPPORTED;
		outcome_release(&o);
		trial_release(&t);
		fuzz_case_release(&c);
	}
	fuzzer_free(f->rc ? NULL : fuzzer);
	return missing;
}

/* Whether a backend was asked for a case, and said that it does not have it. */
static int lacks_case(const struct support_op *s, const struct op_case *c)
{
	for (size_t i = 0; i < s->variants.n; i++)
		if (!strcmp(s->variants.at[i].line, c->line))
			return !strcmp(s->variants.at[i].result, "unsupported");
	return 0;
}

/* Takes cases that a backend lacks off the list. */
static void drop_cases(struct fuzz_op *op, const struct support_op *s)
{
	size_t kept = 0;

	for (size_t i = 0; op->cases && op->cases[i]; i++)
		if (!lacks_case(s, op->cases[i]))
			op->cases[kept++] = op->cases[i];
	if (op->cases)
		op->cases[kept] = NULL;
}

/* A corpus_types. */
static uint32_t types_left(struct fuzz_op *op, void *arg)
{
	struct filter *f = arg;

	op->types = fuzz_op_types(op, f->opset);
	for (size_t i = 0; i < f->n && op->types && !f->rc; i++) {
		const struct support_op *s = op->row ? support_find(&f->all[i], op->row->domain, op->row->name) : NULL;
		int any = 1;
		uint32_t missing = s ? missing_types(s, &any) : 0;

		if (!any || party_foreign_op(&f->parties[i], op->row))
			return 0;
		if (s)
			drop_cases(op, s);
		op->types = fuzz_op_types(op, f->opset) & ~missing;
		if (op->types && (!s || op->is_form) && is_missing(f, op, &f->parties[i]))
			return 0;
	}
	return op->types;
}

static int open_filter(struct filter *f, const struct spec_list *specs, struct err *e)
{
	int rc = 0;

	f->all = mem_array(specs->n + 1, sizeof *f->all);
	f->parties = mem_array(specs->n + 1, sizeof *f->parties);
	if (!f->all || !f->parties)
		return err_nomem(e, "backends", 0);
	for (size_t i = 0; i < specs->n && !rc; i++) {
		if (spec_is_reference(&specs->at[i]))
			continue;
		rc = probing_get(&specs->at[i], NULL, 0, &f->all[f->n], e);
		if (!rc)
			rc = party_open_spec(&f->parties[f->n], &specs->at[i], NULL, e);
		f->n++;
	}
	return rc;
}

/* Bits of integers that all backends compute with; 0: as many as their types have. */
static int common_bits(const struct spec_list *specs)
{
	int bits = 0;

	for (size_t i = 0; i < specs->n; i++) {
		const struct library *l = specs->at[i].backend ? library_find(specs->at[i].backend) : NULL;

		if (l && l->whole_bits && (!bits || l->whole_bits < bits))
			bits = l->whole_bits;
	}
	return bits;
}

int fuzz_target_filter(const struct spec_list *specs, int opset, struct corpus *c, int *dropped, struct err *e)
{
	struct filter f = {.opset = opset, .err = e};
	int before = c->n_ops, rc = open_filter(&f, specs, e);

	c->whole_bits = common_bits(specs);
	if (!rc)
		rc = corpus_filter(c, types_left, &f, e);
	if (f.rc)
		rc = f.rc;
	*dropped = before - c->n_ops;
	for (size_t i = 0; i < f.n; i++) {
		support_release(&f.all[i]);
		party_close(&f.parties[i]);
	}
	mem_free(f.all);
	mem_free(f.parties);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

int fuzz_target_specs(const char *reference, const char *backends, struct spec_list *out, struct err *e)
{
	struct buf names;
	int rc;

	buf_init(&names, 65536);
	buf_printf(&names, "%s%s%s", reference ? reference : "", reference ? "," : "", backends);
	rc = buf_check(&names, e);
	if (!rc)
		rc = spec_make_list(names.data, out, e);
	buf_release(&names);
	return rc;
}

int fuzz_target_fit(const struct spec_list *specs, int *opset, struct corpus *c, struct err *e)
{
	int dropped = 0, rc = *opset ? 0 : fuzz_target_opset(specs, opset, e);

	if (!rc)
		rc = fuzz_target_filter(specs, *opset, c, &dropped, e);
	if (!rc && dropped)
		log_print(LOG_INFO, "%d operators of the corpus are left out: not every backend has them", dropped);
	return rc;
}
