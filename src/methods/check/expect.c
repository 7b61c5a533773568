/* expect.c - outputs held against known right ones (--expect; declared in check.h).
 *
 * Known outputs were rounded by whoever made them, so they are no better than a library's.  Where the reference runs
 * the model, a difference is measured in units of its rounding noise, as every answer is; elsewhere, and when the user
 * names them, tolerances decide:  |got - known| ≤ atol + rtol |known|. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"
#include "base/plain.h"
#include "judge/random.h"
#include "judge/unjudged.h"
#include "methods/check/check.h"

int check_expect_start(struct check_result *r, const struct check_data *data, struct err *e)
{
	r->held = data->expected ? mem_array(r->n_backends + 1, sizeof *r->held) : NULL;
	return r->held || !data->expected ? 0 : err_nomem(e, "verdicts", 0);
}

/* One run and what is known of it. */
struct known_run {
	struct trial *t;
	struct check_result *r;
	size_t run;
	struct value *const *known; /* by output; NULL entries */
	const unsigned char *random;
	double limit, rtol, atol;
	int by_tolerance;
};

/* ---- the known values themselves --------------------------------------------------------------------------------- */

static int same_form(const struct value *a, const struct value *b)
{
	if (!a || !b || a->kind != b->kind)
		return 0;
	if (a->kind != VALUE_TENSOR)
		return a->n == b->n;
	return a->tensor->dtype == b->tensor->dtype && tensor_same_shape(a->tensor, b->tensor);
}

/* What the model gives at output k: the reference's answer, else that of the first backend; NULL: nobody ran it. */
static const struct value *given(const struct known_run *x, size_t k)
{
	if (x->t->truth.outputs)
		return x->t->truth.outputs[k].value;
	for (size_t i = 0; i < x->r->n_backends; i++)
		if (x->run < x->r->backends[i].n && x->r->backends[i].runs[x->run].values)
			return x->r->backends[i].runs[x->run].values[k];
	return NULL;
}

/* A file of another shape than anybody gives is the user's mistake, and no library's. */
static int check_form(const struct known_run *x, const struct check_data *data, struct err *e)
{
	const struct graph *g = x->t->model->graph;
	const struct texts *files = data->expected_files;
	const char *path = files->n == data->n ? files->at[x->run] : files->at[0];
	char a[256], b[256];

	for (size_t k = 0; k < g->outputs.n; k++) {
		const struct value *came = given(x, k);
		int fits = !x->known[k] || !came || same_form(x->known[k], came);

		for (size_t i = 0; !fits && i < x->r->n_backends; i++) {
			const struct check_backend *other = &x->r->backends[i];

			fits = x->run < other->n && other->runs[x->run].values &&
			       same_form(x->known[k], other->runs[x->run].values[k]);
		}
		if (fits)
			continue;
		if (x->known[k]->kind != VALUE_TENSOR || came->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "'%s': output '%s' is another kind of value than the model gives",
				       path, g->outputs.at[k]->name);
		return err_set(e, ERR_INPUT, "'%s': output '%s' is %s, the model gives %s", path,
			       g->outputs.at[k]->name, tensor_describe(x->known[k]->tensor, a, sizeof a),
			       tensor_describe(came->tensor, b, sizeof b));
	}
	return 0;
}

/* ---- one output -------------------------------------------------------------------------------------------------- */

/* Tolerances as noise: at the limit the two are the same. */
static void fill_tolerance(const struct known_run *x, const struct value *v, float **at)
{
	const struct tensor *t = v->kind == VALUE_TENSOR ? v->tensor : NULL;

	for (size_t i = 0; !t && i < v->n; i++)
		fill_tolerance(x, v->items[i], at);
	for (size_t i = 0; t && i < t->count; i++) {
		double known = dtype_is_float(t->dtype) ? tensor_get(t, i) : 0;

		*(*at)++ = !dtype_is_float(t->dtype) || !isfinite(known)
				   ? 0
				   : (float)((x->atol + x->rtol * fabs(known)) / x->limit);
	}
}

static const float *noise_of(const struct known_run *x, size_t k)
{
	const struct ref_output *right = &x->t->truth.outputs[k];

	return judge_noise_for(right->noise, value_elements(right->value), value_elements(x->known[k]));
}

static int hold_output(const struct known_run *x, size_t k, const struct value *got, struct judgement *out,
		       struct err *e)
{
	const struct value *known = x->known[k];
	float *tolerance = x->by_tolerance ? mem_array(value_elements(known) + 1, sizeof *tolerance) : NULL, *at;

	if (x->by_tolerance && !tolerance)
		return err_nomem(e, "tolerances", 0);
	if (tolerance) {
		at = tolerance;
		fill_tolerance(x, known, &at);
	}
	if (x->random[x->t->model->graph->outputs.at[k]->id])
		judge_random(known, got, out);
	else
		judge_value(known, tolerance ? tolerance : noise_of(x, k), got, x->limit, out);
	mem_free(tolerance);
	return 0;
}

/* ---- one backend ------------------------------------------------------------------------------------------------- */

static void tell(const struct known_run *x, struct check_held *h, size_t k, const struct judgement *j)
{
	const char *name = PLAIN(x->t->model->graph->outputs.at[k]->name);
	int digits = digits_of_pair(j->got, j->exact);

	h->verdict = j->verdict;
	h->ratio = x->by_tolerance ? j->ratio / x->limit : j->ratio;
	h->run = x->run;
	h->by_tolerance = x->by_tolerance;
	snprintf(h->output, sizeof h->output, "%s", x->t->model->graph->outputs.at[k]->name);
	h->worst = *j;
	if (!verdict_is_finding(j->verdict))
		snprintf(h->reason, sizeof h->reason, "%s", j->reason);
	else if (!j->beyond || judge_is_told(j))
		snprintf(h->reason, sizeof h->reason, "output '%.100s': %s", name, j->reason);
	else
		snprintf(h->reason, sizeof h->reason,
			 "output '%.100s': element %zu: got %.*g, expected %.*g; %zu element%s beyond the limit", name,
			 j->worst, digits, j->got, digits, j->exact, j->beyond, PLURAL(j->beyond));
}

static int hold_values(const struct known_run *x, struct value *const *values, struct check_held *h, struct err *e)
{
	int rc = 0, found = 0;

	for (size_t k = 0; k < x->t->model->graph->outputs.n && !rc; k++) {
		struct judgement j;

		if (!x->known[k])
			continue;
		rc = hold_output(x, k, values[k], &j, e);
		if (rc)
			break;
		if (!h->n_outputs++ || j.verdict > h->verdict || (j.verdict == h->verdict && j.ratio > h->worst.ratio))
			tell(x, h, k, &j);
		found |= verdict_is_finding(j.verdict);
	}
	h->n_runs++;
	h->n_findings += (size_t)found;
	return rc;
}

/* The reference's own answer, where the user does not list it. */
static int hold_reference(const struct known_run *x, struct err *e)
{
	size_t n = x->t->model->graph->outputs.n;
	struct value **values = x->t->truth.outputs ? mem_array(n + 1, sizeof *values) : NULL;
	int rc = 0;

	for (size_t i = 0; i < x->r->n_backends; i++)
		if (!x->r->backends[i].party.worker) {
			mem_free(values);
			return 0;
		}
	if (!values)
		return x->t->truth.outputs ? err_nomem(e, "outputs", 0) : 0;
	for (size_t k = 0; k < n && !rc; k++)
		if (!(values[k] = value_convert(x->t->truth.outputs[k].value, tensor_pack, e)))
			rc = e->code;
	if (!rc)
		rc = hold_values(x, values, &x->r->held[x->r->n_backends], e);
	for (size_t k = 0; k < n; k++)
		value_unref(values[k]);
	mem_free(values);
	return rc;
}

int check_hold(struct trial *t, struct check_result *r, size_t run, const struct check_data *data,
	       const struct check_options *o, struct err *e)
{
	const int given_tolerance = o->rtol > 0 || o->atol > 0;
	struct known_run x = {.t = t,
			      .r = r,
			      .run = run,
			      .known = data->expected ? data->expected[run] : NULL,
			      .limit = judge_limit(&o->judge),
			      .rtol = given_tolerance ? o->rtol : CHECK_RTOL,
			      .atol = given_tolerance ? o->atol : CHECK_ATOL,
			      .by_tolerance = given_tolerance || !t->truth.outputs};
	unsigned char *random = NULL;
	int rc = x.known ? random_wires(t->model->graph, 1, &random, e) : 0;

	if (!x.known || rc)
		return rc;
	x.random = random;
	rc = check_form(&x, data, e);
	for (size_t i = 0; i < r->n_backends && !rc; i++)
		if (run < r->backends[i].n && r->backends[i].runs[run].values)
			rc = hold_values(&x, r->backends[i].runs[run].values, &r->held[i], e);
	if (!rc)
		rc = hold_reference(&x, e);
	mem_free(random);
	return rc;
}

int check_held_finding(const struct check_result *r)
{
	for (size_t i = 0; r->held && i <= r->n_backends; i++)
		if (r->held[i].n_findings)
			return 1;
	return 0;
}
