/* report.c - the oracles of the search, and what the reference says of what they report.
 *
 *   crash          a process died, hung or ran out of memory; what is invalid must be refused, and what is valid not
 *   NaN            who has it and who has not, and whether float32 arithmetic itself overflows: the reference, each
 *                  node rounded to its type, has it too
 *   inconsistency  two libraries differ in the arg-max (the paper's Definition 2)
 *   distance       they agree in the class, but the layer before the decision differs by more than a thousandth
 *
 * The paper's authors sorted inconsistencies by hand.  Here the rounding oracle does: a case on which every library is
 * within what rounding explains is a matter of precision, whatever the arg-max says; else it names who is wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/plain.h"
#include "judge/distance.h"
#include "judge/oracle.h"
#include "judge/unjudged.h"
#include "methods/search/internal.h"
#include "worker/parent/spec.h"

#define FAR 1e-3 /* distance against the mean magnitude of the layer */
#define TINY 1e-30
#define ULP 0x1p-26 /* of float32: how far two libraries may be apart by chance alone; else chance would select */
#define SAID 1024   /* bytes of evidence */
#define SAME 0.01   /* distance of two libraries that give the same, against that from the right answer */

const char *const search_class_names[] = {"none", "precision", "difference", "bug"};

/* ---- one outcome ------------------------------------------------------------------------------------------------- */

static const struct tensor *numbers(const struct outcome *o, size_t i)
{
	const struct value *v = i < o->n && o->values ? o->values[i] : NULL;

	return v && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING && v->tensor->count ? v->tensor : NULL;
}

static int is_bad(const struct tensor *t, int infinity_too)
{
	for (size_t i = 0; t && i < t->count; i++) {
		double x = tensor_get(t, i);

		if (isnan(x) || (infinity_too && isinf(x)))
			return 1;
	}
	return 0;
}

static int has_nan(const struct outcome *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (is_bad(numbers(o, i), 0))
			return 1;
	return 0;
}

/* The first layer of a case that some outcome has NaN in; NULL: none. */
static const struct node *first_nan(const struct individual *x)
{
	const struct graph *g = x->trial.model->graph;
	const struct node *first = NULL;

	for (size_t i = 0; i < x->n_outcomes; i++)
		for (size_t k = 0; k < x->outcomes[i].n && k < g->outputs.n; k++) {
			const struct node *n = g->outputs.at[k]->producer;

			if (n && (!first || n->index < first->index) && is_bad(numbers(&x->outcomes[i], k), 0))
				first = n;
		}
	return first;
}

/* The layer before the decision, or what there is. */
static const struct tensor *logits(const struct individual *x, const struct outcome *o)
{
	return numbers(o, x->has_logits && o->n ? o->n - 1 : 0);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static unsigned look_at_process(const struct outcome *o)
{
	static const unsigned seen[] = {
		[WORKER_OK] = 0,
		[WORKER_UNSUPPORTED] = 0,
		[WORKER_REJECTED] = SEARCH_SAW_REFUSAL,
		[WORKER_CRASH] = SEARCH_SAW_CRASH,
		[WORKER_HANG] = SEARCH_SAW_CRASH,
		[WORKER_OOM] = SEARCH_SAW_CRASH,
		[WORKER_PROTOCOL] = SEARCH_SAW_CRASH,
		[WORKER_ABSENT] = 0,
	};

	return seen[o->report.result];
}

static double spread(const struct tensor *t)
{
	double lo = INFINITY, hi = -INFINITY;

	if (is_bad(t, 1))
		return (double)INFINITY;
	for (size_t i = 0; i < t->count; i++) {
		lo = fmin(lo, tensor_get(t, i));
		hi = fmax(hi, tensor_get(t, i));
	}
	return hi - lo;
}

static double magnitude(const struct tensor *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		sum += fabs(tensor_get(t, i));
	return sum / (double)t->count;
}

/* Elements of an item: the first axis has the items. */
static size_t item_size(const struct tensor *t)
{
	return t->rank && t->dims[0] > 0 ? t->count / (size_t)t->dims[0] : t->count;
}

/* What stands between the two largest scores of the item that begins at `first`. */
static double margin(const struct tensor *t, size_t first)
{
	size_t n = item_size(t);
	double best = -INFINITY, second = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		double x = tensor_get(t, first + i);

		second = fmax(second, fmin(best, x));
		best = fmax(best, x);
	}
	return n > 1 ? best - second : fabs(best);
}

/* How near a decision is to being another: the distance of two libraries on an item, in units of its margin; of the
 * item where that is largest. */
static double closeness(const struct tensor *a, const struct tensor *b)
{
	size_t n = item_size(a);
	double largest = 0;

	for (size_t first = 0; first + n <= a->count; first += n) {
		double apart = 0, size = 0;

		for (size_t i = first; i < first + n; i++) {
			apart += fabs(tensor_get(a, i) - tensor_get(b, i));
			size += fabs(tensor_get(a, i));
		}
		largest = fmax(largest,
			       (apart + ULP * size) / (double)n / (fmin(margin(a, first), margin(b, first)) + TINY));
	}
	return largest;
}

static unsigned look_at_pair(struct individual *x, const struct outcome *a, const struct outcome *b)
{
	struct oracle_case c = {.a = a->values, .b = b->values, .n = a->n && b->n ? 1 : 0};
	const struct tensor *la = logits(x, a), *lb = logits(x, b);
	struct oracle_answer answer = {0};
	double d;

	if (!c.n || !la || !lb || has_nan(a) || has_nan(b))
		return 0;
	oracle_ask(oracle_find("audee")->oracle, &c, 0, &answer);
	if (!tensor_same_shape(la, lb))
		return SEARCH_SAW_INCONSISTENT;
	d = distance_mad(la, lb);
	x->distance = isnan(d) ? (double)INFINITY : fmax(x->distance, d);
	x->closeness = fmax(x->closeness, closeness(la, lb));
	return (answer.inconsistent ? SEARCH_SAW_INCONSISTENT : 0) |
	       (d > FAR * magnitude(la) && isfinite(d) ? SEARCH_SAW_DISTANCE : 0);
}

unsigned report_look(struct individual *x, const struct rivals *rivals)
{
	unsigned saw = x->invalid ? SEARCH_SAW_INVALID : 0;
	size_t n = rivals_count(rivals);

	x->distance = x->spread = x->closeness = -1;
	for (size_t i = 0; i < n; i++) {
		const struct outcome *o = &x->outcomes[i];
		const struct tensor *t = logits(x, o);

		saw |= look_at_process(o) | (has_nan(o) ? SEARCH_SAW_NAN : 0);
		if (!t)
			continue;
		x->spread = fmax(x->spread, spread(t));
		x->distance = fmax(x->distance, 0);
		x->closeness = fmax(x->closeness, 0);
		for (size_t k = 0; k < i; k++)
			saw |= look_at_pair(x, o, &x->outcomes[k]);
	}
	return saw;
}

int report_was_compared(const struct individual *x, size_t i)
{
	size_t k = 0;

	while (k < x->n_outcomes && (k == i || !logits(x, &x->outcomes[k])))
		k++;
	return k < x->n_outcomes && logits(x, &x->outcomes[i]) != NULL;
}

const struct tensor *report_activations(const struct individual *x)
{
	const struct tensor *t = NULL;

	for (size_t i = 0; i < x->n_outcomes && !t; i++)
		t = logits(x, &x->outcomes[i]);
	return t;
}

/* ---- does float32 itself overflow? ------------------------------------------------------------------------------- */

struct overflow {
	const struct node *first; /* that makes NaN or infinity out of numbers */
};

static int note_overflow(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
			 void *arg)
{
	struct overflow *o = arg;

	(void)out;
	(void)w;
	(void)noise;
	if (!o->first && v->kind == VALUE_TENSOR && v->tensor->dtype != DT_STRING && is_bad(v->tensor, 1))
		o->first = n;
	return 0;
}

/* The reference with every node rounded to its type: a correct library by construction. */
static int find_overflow(struct trial *t, struct overflow *o, struct err *e)
{
	struct ref_options options = {.mode = REF_ROUNDED, .seed = t->seed, .observe = note_overflow, .observe_arg = o};
	struct ref_result r = {0};
	int rc = 0;

	if (!t->ref)
		return 0;
	rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &options, &r, e);
	ref_result_release(&r);
	return rc;
}

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* "NaN in a b, not in c". */
static void say_who(const struct individual *x, struct rivals *rivals, int with, const char *words, struct buf *said)
{
	int any = 0;

	for (size_t i = 0; i < x->n_outcomes; i++)
		if (x->outcomes[i].values && has_nan(&x->outcomes[i]) == with) {
			buf_printf(said, "%s %.60s", any ? "" : words, SHOWN_AS(rivals_party(rivals, i)->spec.name));
			any = 1;
		}
}

static void say_nan(const struct individual *x, struct rivals *rivals, const struct overflow *o, struct buf *said)
{
	const struct node *layer = x->hears_layers ? first_nan(x) : NULL;

	say_who(x, rivals, 1, "NaN in", said);
	say_who(x, rivals, 0, ", not in", said);
	if (layer)
		buf_printf(said, "; first in %s '%.60s'", layer->op_type, PLAIN(layer->name));
	if (o->first)
		buf_printf(said, "; in float32 the reference leaves the numbers too, first at %s '%.60s'",
			   o->first->op_type, PLAIN(o->first->name));
	else if (!x->invalid)
		buf_puts(said, "; the reference has numbers everywhere");
}

/* The first item on which two libraries name different classes. */
static size_t differing_item(const struct individual *x)
{
	const struct tensor *one = NULL;

	for (size_t i = 0; i < x->n_outcomes; i++) {
		const struct tensor *t = numbers(&x->outcomes[i], 0);
		size_t n = t ? item_size(t) : 0;

		for (size_t at = 0; one && t && tensor_same_shape(one, t) && n && at + n <= t->count; at += n)
			if (distance_argmax(one, at, n) != distance_argmax(t, at, n))
				return at / n;
		one = one ? one : t;
	}
	return 0;
}

static void say_classes(const struct individual *x, struct rivals *rivals, struct buf *said)
{
	size_t item = differing_item(x);
	const struct ref_output *right = x->trial.truth.n ? &x->trial.truth.outputs[0] : NULL;

	buf_puts(said, said->len ? "; arg-max" : "arg-max");
	if (item)
		buf_printf(said, " of item %zu:", item);
	for (size_t i = 0; i < x->n_outcomes; i++) {
		const struct tensor *t = numbers(&x->outcomes[i], 0);

		if (t && (item + 1) * item_size(t) <= t->count)
			buf_printf(said, " %.60s %zu", SHOWN_AS(rivals_party(rivals, i)->spec.name),
				   distance_argmax(t, item * item_size(t), item_size(t)));
	}
	if (right && right->value->kind == VALUE_TENSOR) {
		const struct tensor *t = right->value->tensor;

		if (t->rank && (item + 1) * item_size(t) <= t->count)
			buf_printf(said, ", expected %zu", distance_argmax(t, item * item_size(t), item_size(t)));
	}
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static void count(const struct individual *x, unsigned saw, struct search_counts *c)
{
	c->crash += (saw & SEARCH_SAW_CRASH) != 0;
	c->nan += (saw & SEARCH_SAW_NAN) != 0;
	c->inconsistent += (saw & SEARCH_SAW_INCONSISTENT) != 0;
	c->distance += (saw & (SEARCH_SAW_DISTANCE | SEARCH_SAW_INCONSISTENT)) == SEARCH_SAW_DISTANCE;
	if (saw & SEARCH_SAW_NAN && !c->first_nan)
		c->first_nan = c->cases;
	if (saw & SEARCH_SAW_INCONSISTENT && !c->first_inconsistent)
		c->first_inconsistent = c->cases;
	for (size_t i = 0; i < x->n_outcomes; i++)
		c->refused += !x->invalid && x->outcomes[i].report.result == WORKER_REJECTED;
}

/* The verdict on one backend.  Where float32 arithmetic itself leaves the numbers, NaN and what comes of infinity are
 * no findings: the reference computes in double, and has more room. */
static int judge_one(struct individual *x, struct rivals *rivals, const struct judge_options *judge, size_t i,
		     const struct overflow *overflow, enum search_class *class, struct err *e)
{
	struct outcome *o = &x->outcomes[i];
	int rc;

	o->verdict = VERDICT_AGREE;
	o->ratio = 0;
	o->reason[0] = '\0';
	rc = trial_judge_values(&x->trial, rivals_party(rivals, i), judge, o, e);
	if (rc)
		return rc;
	if (o->verdict == VERDICT_UNSPECIFIED && *class < SEARCH_DIFFERENCE)
		*class = SEARCH_DIFFERENCE;
	if (!verdict_is_finding(o->verdict))
		return 0;
	if (overflow->first && verdict_is_of_numbers(o->verdict)) {
		o->verdict = VERDICT_VACUOUS;
		return 0;
	}
	return 0;
}

/* Two libraries of different makers give the same, and not what the reference gives: the specification may be read in
 * their way.  The other's index, or -1. */
static int find_company(const struct individual *x, struct rivals *rivals, size_t i)
{
	const struct outcome *o = &x->outcomes[i];
	const struct tensor *mine = numbers(o, o->worst), *right;

	if (o->verdict != VERDICT_WRONG || !mine || o->worst >= x->trial.truth.n ||
	    x->trial.truth.outputs[o->worst].value->kind != VALUE_TENSOR)
		return -1;
	right = x->trial.truth.outputs[o->worst].value->tensor;
	for (size_t k = 0; k < x->n_outcomes; k++) {
		const struct tensor *theirs = numbers(&x->outcomes[k], o->worst);

		if (x->outcomes[k].verdict == VERDICT_WRONG && theirs && tensor_same_shape(mine, theirs) &&
		    tensor_same_shape(mine, right) &&
		    strcmp(rivals_party(rivals, i)->spec.backend, rivals_party(rivals, k)->spec.backend) != 0 &&
		    distance_mad(mine, theirs) <= SAME * distance_mad(mine, right))
			return (int)k;
	}
	return -1;
}

/* Nothing but processes can be judged where the reference cannot follow: numbers are unjudged there. */
static int know_truth(struct individual *x, struct overflow *overflow, unsigned saw, struct err *e)
{
	int rc = trial_truth(&x->trial, e);

	if (unjudged_status(rc)) {
		err_clear(e);
		return 0;
	}
	if (!rc && !x->trial.invalid && saw & (SEARCH_SAW_NAN | SEARCH_SAW_INCONSISTENT | SEARCH_SAW_DISTANCE))
		rc = find_overflow(&x->trial, overflow, e);
	return rc;
}

/* What is wrong is a bug, unless others do the same; who refuses says that it cannot do this. */
static enum search_class class_failure(const struct individual *x, struct rivals *rivals, size_t i, struct buf *said)
{
	int company = find_company(x, rivals, i);

	if (company < 0)
		return x->outcomes[i].verdict == VERDICT_REJECTED ? SEARCH_DIFFERENCE : SEARCH_BUG;
	buf_printf(said, "%s%.60s and %.60s give the same", said->len ? "; " : "",
		   SHOWN_AS(rivals_party(rivals, i)->spec.name),
		   SHOWN_AS(rivals_party(rivals, (size_t)company)->spec.name));
	return SEARCH_DIFFERENCE;
}

/* The class of each failure, and the worst of them. */
static enum search_class class_all(const struct individual *x, struct rivals *rivals, enum search_class least,
				   enum search_class *classes, struct buf *said)
{
	for (size_t i = 0; i < x->n_outcomes; i++) {
		if (!verdict_is_finding(x->outcomes[i].verdict))
			continue;
		classes[i] = class_failure(x, rivals, i, said);
		least = classes[i] > least ? classes[i] : least;
	}
	return least;
}

static int tell_failures(struct individual *x, struct rivals *rivals, const struct search_options *o,
			 const enum search_class *classes, struct search_failure *f, struct search_counts *counts,
			 struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < x->n_outcomes && !rc; i++) {
		f->backend = i;
		f->party = rivals_party(rivals, i);
		f->outcome = &x->outcomes[i];
		f->class = classes[i];
		if (!verdict_is_finding(f->outcome->verdict))
			continue;
		counts->accepted += f->outcome->verdict == VERDICT_ACCEPTED;
		if (o->failure)
			rc = o->failure(f, o->arg, e);
	}
	return rc;
}

int report_judge(struct individual *x, struct rivals *rivals, const struct search_options *o, unsigned saw,
		 struct search_failure *f, struct search_counts *counts, struct err *e)
{
	unsigned numeric = saw & (SEARCH_SAW_NAN | SEARCH_SAW_INCONSISTENT | SEARCH_SAW_DISTANCE);
	enum search_class class = numeric ? SEARCH_PRECISION : SEARCH_NONE, *classes;
	struct overflow overflow = {0};
	struct buf said;
	int rc = 0;

	count(x, saw, counts);
	if (o->no_judge)
		return 0;
	classes = mem_array(x->n_outcomes + 1, sizeof *classes);
	rc = classes ? know_truth(x, &overflow, saw, e) : err_nomem(e, "classes", 0);
	for (size_t i = 0; i < x->n_outcomes && !rc; i++)
		rc = judge_one(x, rivals, &o->judge, i, &overflow, &class, e);
	buf_init(&said, SAID);
	if (!rc && saw & SEARCH_SAW_NAN)
		say_nan(x, rivals, &overflow, &said);
	if (!rc && saw & SEARCH_SAW_INCONSISTENT)
		say_classes(x, rivals, &said);
	if (!rc && saw & SEARCH_SAW_NAN && overflow.first && o->nan_source)
		o->nan_source(overflow.first->op_type, o->arg);
	if (!rc) {
		counts->by_class[class_all(x, rivals, class, classes, &said)]++;
		f->saw = saw;
		f->trial = &x->trial;
		f->individual = x;
		f->edits = x->edits;
		f->evidence = said.data ? said.data : "";
		rc = tell_failures(x, rivals, o, classes, f, counts, e);
	}
	buf_release(&said);
	mem_free(classes);
	return rc;
}
