/* target.c - see target.h. */
#include "methods/fuzz/target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "libraries/libraries.h"
#include "methods/fuzz/pattern.h"
#include "model/build.h"
#include "ops/op.h"
#include "probe/probing.h"

/* ---- opset ------------------------------------------------------------------------------------------------------- */

/* Of two axes: OpenCV 4 has no input of one. */
static int make_small(int opset, struct trial *out, struct err *e)
{
	static const int64_t dims[] = {1, 2};
	struct value **inputs = mem_array(1, sizeof *inputs);
	struct tensor *x = tensor_new(DT_FLOAT, 2, dims, e), *packed = x ? tensor_pack(x, e) : NULL;
	struct model *m = NULL;
	struct wire *x0, *y;
	struct build b;
	int rc;

	tensor_unref(x);
	build_begin(&b, opset, 0, e);
	x0 = build_input(&b, "x", DT_FLOAT, 2, dims);
	y = build_op(&b, "Relu", "y", x0, NULL);
	if (y)
		y->type = x0->type; /* ONNX wants outputs with types, and some insist on it */
	build_output(&b, y);
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

/* From `from` on, by `step`, to one that it loads; that is `past` when it loads none. */
static int first_loaded(struct party *p, int from, int step, int past, int *out, struct err *e)
{
	int rc = 0, ok = 0;

	for (*out = from; *out != past; *out += step) {
		rc = loads(p, *out, &ok, e);
		if (rc || ok)
			break;
	}
	return rc;
}

/* What lies between the newest and the oldest that it loads, it loads. */
static int narrow_opsets(const struct worker_spec *spec, struct fuzz_options *o, struct err *e)
{
	struct party p = {0};
	int rc = party_open_spec(&p, spec, NULL, e), newest = o->newest, oldest = o->oldest;

	if (!rc)
		rc = first_loaded(&p, o->newest, -1, o->oldest - 1, &newest, e);
	if (!rc && newest < o->oldest)
		rc = err_set(e, ERR_USAGE, "'%s' loads no model of opset %d to %d", spec->name, o->oldest, o->newest);
	if (!rc)
		rc = first_loaded(&p, o->oldest, 1, newest, &oldest, e);
	o->newest = newest;
	o->oldest = oldest;
	party_close(&p);
	return rc;
}

int fuzz_target_opsets(const struct spec_list *specs, struct fuzz_options *o, struct err *e)
{
	int rc = 0;

	o->oldest = o->oldest ? o->oldest : FUZZ_MIN_OPSET;
	o->newest = o->newest ? o->newest : OP_NEWEST_OPSET;
	for (size_t i = 0; i < specs->n && !rc && o->oldest != o->newest; i++)
		rc = narrow_opsets(&specs->at[i], o, e);
	return rc;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define NEARLY_ALL 0.95
#define INVALID_BLOCKS 3 /* what is behind the one that breaks a rule is not reached */
#define TRIES 4          /* models of a block alone, before it is said to be missing */

struct filter {
	const struct fuzz_options *o;
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
static int is_missing(struct filter *f, const struct fuzz_op *op, int opset, struct party *p)
{
	struct fuzz_op copy = *op;
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options options = {.blocks = 1, .opset = opset, .search = FUZZ_SEARCH_RANDOM};
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

/* The newest opset, up to one, in which it is still there; 0: none. */
static int newest_of(const struct fuzz_op *op, int opset)
{
	while (opset >= FUZZ_MIN_OPSET && !op->at[opset])
		opset--;
	return opset >= FUZZ_MIN_OPSET ? opset : 0;
}

/* In the newest opset, of which a library may have few kernels, and in one that is some years old. */
static int is_missing_everywhere(struct filter *f, const struct fuzz_op *op, struct party *p)
{
	int newest = newest_of(op, f->o->newest), usual = newest_of(op, FUZZ_OPSET);

	return newest && is_missing(f, op, newest, p) &&
	       (!usual || usual == newest || f->rc || is_missing(f, op, usual, p));
}

/* "Clip-6 …": 6 */
static int version_of(const char *line)
{
	size_t n = strcspn(line, " ");

	while (n && line[n - 1] != '-')
		n--;
	return (int)strtol(line + n, NULL, 10);
}

/* Whether a backend was asked for cases of a version, and said of all that it does not have them. */
static int lacks_version(const struct support_op *s, int version)
{
	int asked = 0;

	for (size_t i = 0; i < s->variants.n; i++) {
		if (version_of(s->variants.at[i].line) != version)
			continue;
		if (strcmp(s->variants.at[i].result, "unsupported") != 0)
			return 0;
		asked = 1;
	}
	return asked;
}

/* Opsets that are not drawn go, and those whose version of the operator the backend (NULL: none) does not have. */
static void drop_opsets(struct fuzz_op *op, const struct fuzz_options *o, const struct support_op *s)
{
	int last = 0, lacks = 0;

	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++) {
		int version = op->row ? ops_version(op->row, ops_opset_with(op->row->domain, opset)) : 0;

		lacks = version == last ? lacks : s && lacks_version(s, version);
		last = version;
		op->at[opset] &= lacks || opset < o->oldest || opset > o->newest ? 0 : fuzz_op_types(op, opset);
	}
}

/* A pattern that is being held against a backend. */
struct filter_pattern {
	const struct support *by;
	struct fuzz_op *op;
};

/* Of pattern_all(): takes types and opsets that the backend does not have of one operator; 0: it has nothing of it. */
static int has_operator(const struct op_row *row, void *arg)
{
	struct filter_pattern *p = arg;
	const struct support_op *s = support_find(p->by, row->domain, row->name);
	int any = 1;

	if (!s)
		return 1;
	p->op->types &= ~missing_types(s, &any);
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
		if (lacks_version(s, ops_version(row, opset)))
			p->op->at[opset] = 0;
	return any;
}

/* Models of each pattern alone would tell more, but there are many. */
static int has_pattern(struct filter *f, size_t i, struct fuzz_op *op)
{
	return pattern_all(op->pattern, has_operator, &(struct filter_pattern){&f->all[i], op});
}

/* A corpus_types. */
static uint32_t types_left(struct fuzz_op *op, void *arg)
{
	struct filter *f = arg;

	drop_opsets(op, f->o, NULL);
	for (size_t i = 0; i < f->n && newest_of(op, f->o->newest) && !f->rc; i++) {
		const struct support_op *s = op->row ? support_find(&f->all[i], op->row->domain, op->row->name) : NULL;
		int any = 1;
		uint32_t missing = s ? missing_types(s, &any) : 0;

		if (!any || party_foreign_op(&f->parties[i], op->row))
			return 0;
		if (s)
			drop_cases(op, s);
		op->types &= ~missing;
		drop_opsets(op, f->o, s);
		if (op->pattern && !has_pattern(f, i, op))
			return 0;
		if ((!s || op->is_form) && !op->pattern && is_missing_everywhere(f, op, &f->parties[i]))
			return 0;
	}
	return newest_of(op, f->o->newest) ? op->types : 0;
}

/* Of pattern_all(): 0 at the operator that is looked for. */
static int is_other(const struct op_row *row, void *arg)
{
	return row != (const struct op_row *)arg;
}

/* Whether blocks of the corpus have the operator: libraries are asked for these alone, which takes some of them long.
 */
static int is_in_corpus(const struct op_row *row, const void *arg)
{
	const struct corpus *c = arg;

	for (int i = 0; i < c->n_ops; i++)
		if (c->ops[i].row == row ||
		    (c->ops[i].pattern && !pattern_all(c->ops[i].pattern, is_other, (void *)row)))
			return 1;
	return 0;
}

static int open_filter(struct filter *f, const struct spec_list *specs, const struct corpus *c, struct err *e)
{
	const struct probe_wish wish = {is_in_corpus, c};
	const struct probing all = {.wish = &wish};
	int rc = 0;

	f->all = mem_array(specs->n + 1, sizeof *f->all);
	f->parties = mem_array(specs->n + 1, sizeof *f->parties);
	if (!f->all || !f->parties)
		return err_nomem(e, "backends", 0);
	for (size_t i = 0; i < specs->n && !rc; i++) {
		if (spec_is_reference(&specs->at[i]))
			continue;
		rc = probing_get(&specs->at[i], &all, &f->all[f->n], e);
		if (!rc)
			rc = party_open_spec(&f->parties[f->n], &specs->at[i], NULL, e);
		f->n++;
	}
	return rc;
}

/* The least of the backends' limits, an int of struct library that is 0 where a library has none; 0: no limit. */
static int least_limit(const struct spec_list *specs, size_t member)
{
	int least = 0;

	for (size_t i = 0; i < specs->n; i++) {
		const struct library *l = specs->at[i].backend ? library_find(specs->at[i].backend) : NULL;
		int limit = l ? *(const int *)((const char *)l + member) : 0;

		if (limit && (!least || limit < least))
			least = limit;
	}
	return least;
}

int fuzz_target_filter(const struct spec_list *specs, const struct fuzz_options *o, struct corpus *c, int *dropped,
		       struct err *e)
{
	struct filter f = {.o = o, .err = e};
	int before = c->n_ops, rc = open_filter(&f, specs, c, e);

	c->whole_bits = least_limit(specs, offsetof(struct library, whole_bits));
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

static int blocks_of(const struct corpus *c, int opset)
{
	int n = 0;

	for (int i = 0; i < c->n_ops; i++)
		n += c->ops[i].at[opset] != 0;
	return n;
}

/* The newest with nearly as many blocks as the one that has most: libraries load opsets of which they have few kernels.
 */
static int usual_opset(const struct corpus *c, const struct fuzz_options *o)
{
	int most = 0, opset = o->newest;

	for (int i = o->oldest; i <= o->newest; i++)
		most = blocks_of(c, i) > most ? blocks_of(c, i) : most;
	while (opset > o->oldest && blocks_of(c, opset) < NEARLY_ALL * most)
		opset--;
	return opset;
}

int fuzz_target_fit(const struct spec_list *specs, struct fuzz_options *o, struct corpus *c, struct err *e)
{
	int dropped = 0, rc = fuzz_target_opsets(specs, o, e);

	if (!rc)
		rc = fuzz_target_filter(specs, o, c, &dropped, e);
	if (!rc)
		o->opset = usual_opset(c, o);
	o->most_blocks = o->invalid ? INVALID_BLOCKS : least_limit(specs, offsetof(struct library, blocks));
	if (!rc && dropped)
		log_print(LOG_INFO, "%d operators of the corpus are left out: not every backend has them", dropped);
	return rc;
}
