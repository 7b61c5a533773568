/* confirm.c - what an input showed, seen again, held against rounding, and kept if it is the smallest; see pair.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/equiv/again.h"
#include "methods/equiv/classify.h"
#include "methods/equiv/derive.h"
#include "methods/equiv/forward.h"
#include "methods/equiv/known.h"
#include "methods/equiv/measure.h"
#include "methods/equiv/overflow.h"
#include "methods/equiv/valid.h"
#include "ops/op.h"
#include "tensor/io.h"

#define REPEATS 4      /* runs that must give the same: what is random may give the same twice */
#define MUCH 1048576.0 /* numbers that work may grow with */
#define MAX_TEXT ((size_t)1 << 20)

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static char *text_of(const struct expr *x)
{
	struct buf b;
	char *text;

	buf_init(&b, MAX_TEXT);
	expr_print(x, &b);
	text = mem_strdup(b.data ? b.data : "");
	buf_release(&b);
	return text;
}

static size_t count_elements(const struct bindings *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->at[i].tensor ? b->at[i].tensor->tensor->count : 0;
	return n;
}

const char *equiv_oracle(const struct equiv_finding *f)
{
	return f->verdict == VERDICT_CRASH      ? "death"
	       : f->verdict == VERDICT_HANG     ? "time"
	       : f->verdict == VERDICT_REJECTED ? "promise"
	       : f->verdict == VERDICT_ACCEPTED ? "standard"
	       : isinf(f->ratio)                ? "rule"
						: "noise";
}

const char *equiv_wrong_side(const struct equiv_finding *f)
{
	return f->wrong == 'a' ? "a" : f->wrong == 'b' ? "b" : "";
}

void equiv_finding_release(struct equiv_finding *f)
{
	mem_free(f->a);
	mem_free(f->b);
	mem_free(f->script);
	buf_release(&f->inputs);
	json_decref(f->again);
}

void equiv_result_release(struct equiv_result *r)
{
	for (int k = 0; k < EQUIV_KINDS; k++)
		equiv_finding_release(&r->found[k]);
}

static int save_inputs(const struct bindings *b, struct equiv_finding *f, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	buf_init(&f->inputs, (size_t)64 << 20);
	for (size_t i = 0; i < b->n && !rc; i++)
		if (b->at[i].tensor && *dtype_npy(b->at[i].tensor->tensor->dtype))
			rc = tensor_set_add_value(&set, b->at[i].name, b->at[i].tensor, e);
	if (!rc)
		rc = npz_write(&set, &f->inputs, e);
	tensor_set_release(&set);
	return rc;
}

/* What an input showed. */
struct shown_by {
	enum verdict verdict;
	double ratio;
	char wrong; /* the side; 0: not known */
	const char *detail;
	const struct class_facts *facts; /* NULL: the verdict tells it */
};

static enum equiv_kind kind_of(enum verdict v)
{
	return v == VERDICT_WRONG                               ? EQUIV_DIFFERENCE
	       : v == VERDICT_REJECTED || v == VERDICT_ACCEPTED ? EQUIV_REFUSAL
								: EQUIV_FAILURE;
}

static int note(struct pair_run *r, const struct equiv_input *in, uint64_t index, const struct shown_by *what)
{
	const enum verdict v = what->verdict;
	struct equiv_finding *f = &r->result->found[kind_of(v)];
	size_t elements = count_elements(&in->in_a), shown = f->shown + 1;
	struct class_facts facts;
	char title[512];
	const char *why;

	f->shown = shown;
	if (verdict_is_finding(f->verdict) && (v < f->verdict || (v == f->verdict && elements >= f->elements)))
		return 0;
	equiv_finding_release(f);
	*f = (struct equiv_finding){.verdict = v,
				    .ratio = what->ratio,
				    .wrong = what->wrong,
				    .index = index,
				    .elements = elements,
				    .shown = shown,
				    .repeats = v == VERDICT_WRONG ? REPEATS : 1,
				    .handed = f->handed,
				    .own = f->own,
				    .id = f->id};
	facts = what->facts ? *what->facts : classify_facts(r, in, v, what->ratio, NULL);
	f->class = classify_by(&facts, &why);
	snprintf(f->why, sizeof f->why, "%s", why);
	f->a = text_of(in->a);
	f->b = text_of(in->b);
	snprintf(title, sizeof title, "%s %s, rule %d (%s), %s: %s", r->registry->backend, r->registry->version,
		 r->pair->rule->number, r->pair->rule->title, r->pair->name, verdict_name(v));
	f->script = equiv_script(r->registry, title, r->pair, in);
	snprintf(f->detail, sizeof f->detail, "%s", what->detail);
	f->again = again_write(r, in);
	if (save_inputs(&in->in_a, f, r->err))
		return r->err->code;
	return f->a && f->b ? 0 : err_nomem(r->err, "a finding", 0);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static int is_much(double x)
{
	return isfinite(x) && fabs(x) >= MUCH;
}

static int expr_has_much(const struct expr *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (expr_has_much(x->items[i]))
			return 1;
	return (x->kind == EXPR_INT && is_much((double)x->i)) || (x->kind == EXPR_FLOAT && is_much(x->f));
}

static int tensor_has_much(const struct tensor *t)
{
	enum wide form = dtype_wide(t->dtype);

	for (size_t i = 0; (form == WIDE_F64 || form == WIDE_I64) && i < t->count; i++)
		if (is_much(tensor_get(t, i)))
			return 1;
	return 0;
}

/* Sizes, repeats, degrees: what takes long because of a large number that was given does not hang. */
static int is_much_work(const struct equiv_input *in)
{
	for (size_t i = 0; i < in->in_a.n; i++)
		if (in->in_a.at[i].tensor && tensor_has_much(in->in_a.at[i].tensor->tensor))
			return 1;
	return expr_has_much(in->a);
}

/* *valid 0: ONNX does not allow what a side calls, as why[] says.  Of other operations nobody can say it. */
static int check_calls(struct pair_run *r, const struct equiv_input *in, int *valid, char *why, size_t size)
{
	int rc = 0;

	*valid = 1;
	if (r->registry->dialect == &dialect_onnx)
		rc = valid_ask(in->a, &in->in_a, valid, why, size, r->err);
	if (!rc && *valid && r->registry->dialect == &dialect_onnx)
		rc = valid_ask(in->b, &in->in_b, valid, why, size, r->err);
	return rc;
}

int pair_confirm_failure(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct eval *side)
{
	enum worker_result first = side->report.result;
	struct value *again[2];
	char detail[512], why[256] = "";
	struct shown_by what = {.detail = detail};
	int valid, rc;

	/* who learns tells nothing */
	if (r->o->learn || (first == WORKER_HANG && (r->pair->folds || is_much_work(in)))) {
		r->result->limited++;
		r->result->crashes++; /* it cost as much */
		return 0;
	}
	if (first == WORKER_HANG && r->o->hangs_wait) {
		r->result->waits = 1;
		return 0;
	}
	eval_set_patience(side, first == WORKER_HANG ? WORKER_PATIENCE : 1);
	rc = pair_run_sides(r, in, &in->in_a, &in->in_b, again);
	pair_free_sides(again);
	eval_set_patience(side, 1);
	if (rc || side->report.result != first)
		return rc;
	rc = check_calls(r, in, &valid, why, sizeof why); /* a process must not end of it either way */
	if (rc)
		return rc;
	r->result->crashes++;
	what.wrong = side == r->sides ? 'a' : 'b';
	what.verdict = first == WORKER_CRASH ? VERDICT_CRASH : VERDICT_HANG;
	snprintf(detail, sizeof detail, "side %c: %s%s%.200s%s%.200s", what.wrong, worker_result_name(first),
		 *side->report.message ? ": " : "", side->report.message,
		 valid ? "" : "; the call is not valid: ", why);
	return note(r, in, index, &what);
}

int pair_confirm_refusal(struct pair_run *r, const struct equiv_input *in, uint64_t index)
{
	struct value *again[2];
	char detail[512], why[256];
	int alone, side, valid = 1, rc;

	if (r->pair->api && known_strays(r->pair->api, &in->in_a)) { /* a refusal is as good an answer there as any */
		r->result->invalid++;
		return 0;
	}
	rc = pair_run_sides(r, in, &in->in_a, &in->in_b, again);
	if (rc)
		return rc;
	side = !again[1];
	alone = !again[0] != !again[1] && r->sides[side].report.result == WORKER_REJECTED;
	pair_free_sides(again);
	if (!alone || !(side ? r->pair->promised : r->pair->checked))
		return 0;
	snprintf(detail, sizeof detail, "side %c: refused: %.400s", 'a' + side, r->sides[side].report.message);
	if (side) /* what is not valid side a refuses rightly */
		rc = check_calls(r, in, &valid, why, sizeof why);
	if (rc || !valid) {
		r->result->invalid += !rc;
		return rc;
	}
	return note(r, in, index, &(struct shown_by){VERDICT_REJECTED, 0, 'b', detail, NULL});
}

/* An operator of a library's own has no rules but the library's.  DequantizeLinear and QuantizeLinear with one scale do
 * not look at their axis. */
static int has_firm_rules(const char *name)
{
	const struct op_row *row = ops_find("", name);

	return row && !ops_owner(row) && strcmp(name, "QuantizeLinear") != 0 && strcmp(name, "DequantizeLinear") != 0;
}

int pair_confirm_accepted(struct pair_run *r, const struct equiv_input *in, uint64_t index)
{
	char detail[512], why[256] = "";
	struct value *again = NULL;
	int valid = 1, rc = has_firm_rules(r->pair->name) ? check_calls(r, in, &valid, why, sizeof why) : 0;

	if (!rc && !valid)
		rc = eval_expr(&r->sides[0], in->a, &in->in_a, &again, r->err);
	if (rc)
		return rc;
	r->result->untold += !again;
	if (!again)
		return 0;
	value_unref(again);
	snprintf(detail, sizeof detail, "side a: gives a result for what is not valid: %.400s", why);
	return note(r, in, index, &(struct shown_by){VERDICT_ACCEPTED, (double)INFINITY, 'a', detail, NULL});
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

/* ONNX Runtime draws its seed once a process: two runs in one worker are the same, and two workers differ.  What is
 * random by ONNX's specification is told by name; TensorFlow says itself what has a state. */
static int is_random(const struct pair_run *r)
{
	const struct op_row *row = ops_find("", r->pair->name);

	return (row && (row->op->flags & OP_RANDOM)) || (r->pair->api && r->pair->api->op->stateful);
}

/* Runs both sides again; *same 1: each gives what it gave, bit by bit. */
static int repeats(struct pair_run *r, const struct equiv_input *in, struct value *v[2], int *same)
{
	uint64_t unspecified = pair_how(r, in).unspecified;
	struct value *again[2];

	*same = 1;
	for (int i = 0; i < REPEATS && *same; i++) {
		int rc = pair_run_sides(r, in, &in->in_a, &in->in_b, again);

		if (rc)
			return rc;
		*same = again[0] && again[1] && compare_same(v[0], again[0], unspecified) &&
			compare_same(v[1], again[1], unspecified);
		pair_free_sides(again);
	}
	return 0;
}

/* *valid 0: a gradient's arguments, which what it is a gradient of does not take. */
static int check_forward(struct pair_run *r, const struct equiv_input *in, int *valid)
{
	const struct api *forward = r->pair->api ? forward_find(r->registry, r->pair->api) : NULL;
	const struct expr *call = derive_find(in->a->text) ? in->a->items[0] : in->a;
	enum forward_result said = FORWARD_UNKNOWN;

	if (forward)
		said = forward_ask(forward, &r->sides[0], call, &in->in_a, r->err);
	*valid = said != FORWARD_REFUSES;
	return said == FORWARD_FAILED ? r->err->code : 0;
}

typedef struct value *change_fn(const struct value *v, struct err *e);

/* The same variables, with other numbers for some.  On failure nothing is left. */
static int change_all(const struct bindings *from, change_fn *change, struct bindings *to, int *changed, struct err *e)
{
	bindings_copy(from, to);
	for (size_t i = 0; i < to->n; i++) {
		struct value *v = to->at[i].tensor;

		if (!v)
			continue;
		to->at[i].tensor = change(v, e);
		*changed |= to->at[i].tensor && !tensor_same_bits(v->tensor, to->at[i].tensor->tensor);
		value_unref(v);
		if (!to->at[i].tensor) {
			bindings_release(to);
			return e->code;
		}
	}
	return 0;
}

/* *agrees 1: there are numbers that change, and with the others in their place both sides give the same. */
static int agrees_changed(struct pair_run *r, const struct equiv_input *in, change_fn *change, int *agrees)
{
	struct compare_how how = pair_how(r, in);
	struct bindings a = {0}, b = {0};
	struct value *got[2] = {NULL, NULL};
	char detail[512];
	int changed = 0, rc = change_all(&in->in_a, change, &a, &changed, r->err);

	if (!rc)
		rc = change_all(&in->in_b, change, &b, &changed, r->err);
	if (!rc && changed)
		rc = pair_run_sides(r, in, &a, &b, got);
	*agrees = got[0] && got[1] && compare_close(got[0], got[1], &how, r->o, detail, sizeof detail) == COMPARE_CLOSE;
	pair_free_sides(got);
	bindings_release(&a);
	bindings_release(&b);
	return rc;
}

/* *is 1: a documented NaN of a derivative.  One side alone has NaN, nothing else differs, and away from 0, where steps
 * such as a quotient are not finite, both agree. */
static int is_nan_of_step(struct pair_run *r, const struct equiv_input *in, struct value *const v[2], int *is)
{
	struct compare_how but_nan = pair_how(r, in);
	char detail[512];

	*is = 0;
	but_nan.zero_times_inf = 1; /* which a NaN of one side says nothing for */
	if (!r->pair->nan_steps || compare_close(v[0], v[1], &but_nan, r->o, detail, sizeof detail) != COMPARE_CLOSE)
		return 0;
	return agrees_changed(r, in, draw_off_zero, is);
}

/* What comes of complex infinities and NaNs no library says: C's rules for them are an annex that few follow. */
static int has_open_complex(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;
		struct err ignored = ERR_INIT;
		struct tensor *wide = t && dtype_wide(t->dtype) == WIDE_C64 ? tensor_widen(t, &ignored) : NULL;
		int open = 0;

		for (size_t k = 0; wide && k < 2 * wide->count; k++)
			open |= !isfinite(wide->f[k]);
		tensor_unref(wide);
		if (open)
			return 1;
	}
	return 0;
}

static int is_overflow_of_sums(const struct pair_run *r, const struct equiv_input *in, struct value *const v[2])
{
	const struct compare_how how = pair_how(r, in);

	return r->pair->api && known_overflows(r->pair->api, &in->in_a) && compare_ends(v[0], v[1], &how, r->o, 1);
}

int pair_confirm_difference(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct value *v[2],
			    const char *detail)
{
	double ratio = 0;
	struct class_facts facts;
	char reason[256];
	int same, overflows = 0, steps = 0, valid = 1, rc;

	if (has_open_complex(&in->in_a) || (r->pair->api && known_strays(r->pair->api, &in->in_a)) ||
	    is_overflow_of_sums(r, in, v)) {
		r->result->invalid++;
		return 0;
	}
	rc = repeats(r, in, v, &same);
	if (rc)
		return rc;
	if (!same || is_random(r)) {
		r->result->random++;
		return 0;
	}
	if (r->registry->dialect->forms)
		rc = overflow_ask(r, in, v, &overflows);
	if (!rc && !overflows)
		rc = is_nan_of_step(r, in, v, &steps);
	if (rc || overflows || steps) {
		r->result->invalid += !rc;
		return rc;
	}
	rc = measure_ratio(r, in, v, &ratio);
	if (!rc)
		rc = check_forward(r, in, &valid);
	if (!rc && valid)
		rc = check_calls(r, in, &valid, reason, sizeof reason);
	if (rc)
		return rc;
	if (!(ratio > JUDGE_LIMIT) || !valid || (r->pair->api && r->pair->api->untold)) {
		size_t *why = !(ratio > JUDGE_LIMIT) ? &r->result->rounding
			      : !valid               ? &r->result->invalid
						     : &r->result->untold;

		++*why;
		return 0;
	}
	facts = classify_facts(r, in, VERDICT_WRONG, ratio, v);
	rc = agrees_changed(r, in, draw_flushed, &facts.subnormal);
	return rc ? rc : note(r, in, index, &(struct shown_by){VERDICT_WRONG, ratio, 0, detail, &facts});
}
