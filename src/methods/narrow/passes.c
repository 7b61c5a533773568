/* passes.c - runs of the whole network: exactly, narrowed, and with every tensor put right as soon as it is measured.
 *
 * For each run of the data: the exact one, whose values are kept; one in which all nodes are narrowed and each reads
 * what is exact, for the local losses; one in which they read what the others gave, for the accumulated ones. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"

/* ---- one run ----------------------------------------------------------------------------------------------------- */

void passes_tell(const struct narrow_options *o, const char *what, size_t done, size_t total)
{
	if (!o->progress)
		return;
	o->progress->what = what;
	o->progress->total = total;
	progress_step(o->progress, done, NULL);
}

unsigned char passes_mark(const struct narrow_job *j)
{
	return j->int8 ? 1 : (unsigned char)j->to;
}

size_t passes_most(const struct narrow_job *j)
{
	return j->o->runs ? j->o->runs : NARROW_RUNS;
}

static int is_narrowable(const struct value *v)
{
	return v && v->kind == VALUE_TENSOR && precision_lowers(v->tensor->dtype);
}

static void round_tensor(const struct narrow_job *j, struct tensor *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = precision_round(j->to, t->f[i]);
}

/* Statistics of a normalization: libraries that compute in a lower precision leave them, but a model that is converted
 * has them in the narrow type, as all that an operator takes in it. */
static int round_statistics(struct call *c, int back, void *arg)
{
	const struct narrow_job *j = arg;
	int narrow = !back && c->node->graph == j->g && j->low[c->node->index];

	for (int i = 0; i < c->n_in && i < OP_MAX_PORTS && narrow; i++) {
		const struct value *v = c->in_value[i];
		struct tensor *wide, *own;

		if (!(c->op->in[i].flags & PORT_UNTRAINED) || !(c->op->in[i].types & TM(DT_FLOAT16)) ||
		    !is_narrowable(v))
			continue;
		wide = tensor_widen(v->tensor, c->err);
		own = wide ? tensor_copy(wide, c->err) : NULL;
		tensor_unref(wide);
		if (!own)
			return c->err->code;
		round_tensor(j, own);
		value_unref(c->in_value[i]);
		c->in_value[i] = value_tensor(own, c->err);
		if (!c->in_value[i])
			return c->err->code;
	}
	return 0;
}

int passes_run(struct narrow_job *j, size_t run, const unsigned char *low, const struct ref_options *o,
	       struct ref_result *out, struct err *e)
{
	struct ref_options options = o ? *o : (struct ref_options){.observe = NULL};

	options.mode = REF_ROUNDED;
	options.seed = j->o->seed;
	if (j->int8)
		int8_plant(j->int8, low, &options);
	else {
		j->low = options.precisions = low;
		options.feed = round_statistics;
		options.feed_arg = j;
	}
	j->runs++;
	return ref_run(j->ref, j->data->runs[run], j->g->inputs.n, &options, out, e);
}

int passes_reach(struct narrow_job *j, const unsigned char *low, double enough, struct narrow_reach *out, struct err *e)
{
	struct narrow_reach reach = {.error = 0};

	for (size_t i = 0; i < j->data->n && reach.error <= enough; i++) {
		size_t run = i == 0 ? j->worst : i <= j->worst ? i - 1 : i;
		struct ref_result got = {.n = 0};
		int rc = passes_run(j, run, low, NULL, &got, e);

		if (rc)
			return rc;
		measure_outputs(&j->outputs, &j->o->target, run, &got, &reach);
		ref_result_release(&got);
	}
	*out = reach;
	return 0;
}

/* ---- exact values ------------------------------------------------------------------------------------------------ */

int passes_keep(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		void *arg)
{
	struct passes_keeping *k = arg;

	(void)n;
	(void)out;
	(void)noise;
	k->keep[w->id] = value_ref((struct value *)v);
	return 0;
}

void passes_forget(struct value **keep, size_t n)
{
	for (size_t i = 0; keep && i < n; i++) {
		value_unref(keep[i]);
		keep[i] = NULL;
	}
}

int passes_replace(struct call *c, int out, struct value *v)
{
	if (v->kind != VALUE_TENSOR && !c->out_value[out])
		return err_set(c->err, ERR_INTERNAL, "output %d is not a tensor", out);
	if (v->kind == VALUE_TENSOR) {
		tensor_unref(c->out[out]);
		c->out[out] = tensor_ref(v->tensor);
	}
	value_unref(c->out_value[out]);
	c->out_value[out] = value_ref(v);
	return 0;
}

static struct narrow_row *row_of(struct narrow_job *j, const struct wire *w)
{
	return j->row_of[w->id] ? &j->out->rows[j->row_of[w->id] - 1] : NULL;
}

static int exact_run(struct narrow_job *j, size_t run, struct err *e)
{
	struct passes_keeping k = {j->exact};
	const struct ref_options o = {.seed = j->o->seed, .observe = passes_keep, .observe_arg = &k};

	j->runs++;
	return ref_run(j->ref, j->data->runs[run], j->g->inputs.n, &o, &j->outputs.exact[run], e);
}

/* ---- what can be narrowed ---------------------------------------------------------------------------------------- */

/* A node that computes with floats; one without inputs is a constant, which its readers round. */
static int can_narrow(const struct narrow_job *j, const struct node *n)
{
	int found = 0;

	if (!n->n_in || n->op->flags & OP_SHAPE_ONLY || (j->int8 && !int8_is_for(n)))
		return 0;
	for (int i = 0; i < n->n_out; i++)
		found |= n->out[i] && is_narrowable(j->exact[n->out[i]->id]);
	for (int i = 0; i < n->n_in; i++)
		found |= n->in[i] && n->in[i]->graph == j->g && is_narrowable(j->exact[n->in[i]->id]);
	return found;
}

static int make_rows(struct narrow_job *j, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < j->g->nodes.n; i++)
		n += (size_t)j->g->nodes.at[i]->n_out;
	j->out->rows = mem_array(n + 1, sizeof *j->out->rows);
	j->able = mem_array(j->g->nodes.n + 1, sizeof *j->able);
	if (!j->out->rows || !j->able)
		return err_nomem(e, "rows", n * sizeof *j->out->rows);
	for (size_t i = 0; i < j->g->nodes.n; i++) {
		const struct node *node = j->g->nodes.at[i];
		int able = can_narrow(j, node);

		if (able)
			j->able[j->n_able++] = node;
		for (int k = 0; k < node->n_out && node->n_in; k++) {
			if (!node->out[k] || !j->exact[node->out[k]->id])
				continue;
			j->out->rows[j->out->n] = (struct narrow_row){.node = node,
								      .wire = node->out[k],
								      .narrowed = able,
								      .local = able ? 0 : (double)NAN,
								      .effect = (double)NAN};
			j->row_of[node->out[k]->id] = ++j->out->n;
		}
	}
	j->out->nodes = j->n_able;
	return 0;
}

static void set_all(const struct narrow_job *j, unsigned char *low)
{
	for (size_t i = 0; i < j->n_able; i++)
		low[j->able[i]->index] = passes_mark(j);
}

/* ---- local losses ------------------------------------------------------------------------------------------------ */

static void narrow_tensor(const struct narrow_job *j, const struct wire *w, struct tensor *t)
{
	if (j->int8)
		int8_round(j->int8, w, t);
	else
		round_tensor(j, t);
}

/* Numbers that the narrow type does not have. */
static void count_range(const struct narrow_job *j, const struct value *exact, struct narrow_row *r)
{
	size_t overflows = 0, lost = 0, nonzero = 0;

	if (!is_narrowable(exact))
		return;
	for (size_t i = 0; i < exact->tensor->count; i++) {
		double x = exact->tensor->f[i];

		if (!isfinite(x) || x == 0)
			continue;
		r->largest = fmax(r->largest, fabs(x));
		nonzero++;
		overflows += !j->int8 && !isfinite(precision_round(j->to, x));
		lost += !j->int8 && precision_round(j->to, x) == 0;
	}
	if (overflows > r->overflows)
		r->overflows = overflows;
	if (lost * r->nonzero >= r->lost * nonzero) { /* the run with the largest share */
		r->lost = lost;
		r->nonzero = nonzero;
	}
}

static int measure_local(struct narrow_job *j, struct call *c, int out, const struct value *exact,
			 struct narrow_row *row)
{
	struct tensor *copy = c->out[out] && precision_lowers(c->out[out]->dtype) ? tensor_copy(c->out[out], c->err)
										  : tensor_ref(c->out[out]);
	struct value *v;

	if (!copy)
		return c->out[out] ? c->err->code : 0;
	if (copy != c->out[out])
		narrow_tensor(j, c->node->out[out], copy);
	v = value_tensor(copy, c->err);
	if (!v)
		return c->err->code;
	row->local = fmax(row->local, measure_loss(v, exact));
	value_unref(v);
	count_range(j, exact, row);
	return 0;
}

/* Measures what a node gave, and puts the exact value in its place. */
static int put_right(struct call *c, int back, void *arg)
{
	struct narrow_job *j = arg;

	if (back || c->node->graph != j->g)
		return 0;
	for (int i = 0; i < c->n_out; i++) {
		const struct wire *w = c->node->out[i];
		struct value *exact = w ? j->exact[w->id] : NULL;
		struct narrow_row *row = w ? row_of(j, w) : NULL;
		int rc = 0;

		if (row && row->narrowed && exact)
			rc = measure_local(j, c, i, exact, row);
		if (!rc && exact)
			rc = passes_replace(c, i, exact);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- accumulated losses ------------------------------------------------------------------------------------------ */

static int measure_accumulated(const struct node *n, int out, const struct wire *w, const struct value *v,
			       const float *noise, void *arg)
{
	struct narrow_job *j = arg;
	struct narrow_row *row = row_of(j, w);

	(void)n;
	(void)out;
	(void)noise;
	if (row && j->exact[w->id])
		row->accumulated = fmax(row->accumulated, measure_loss(v, j->exact[w->id]));
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int see_ranges(struct narrow_job *j, struct err *e)
{
	for (size_t run = 0; run < j->data->n; run++) {
		int rc = exact_run(j, run, e);

		if (rc)
			return rc;
		ref_result_release(&j->outputs.exact[run]);
		for (size_t i = 0; i < j->g->inputs.n; i++)
			if (j->data->runs[run][i])
				int8_see(j->int8, j->g->inputs.at[i], j->data->runs[run][i]);
		for (size_t i = 0; i < j->g->wires.n; i++)
			if (j->exact[i])
				int8_see(j->int8, j->g->wires.at[i], j->exact[i]);
		passes_forget(j->exact, j->g->wires.n);
	}
	return 0;
}

static int measure_run(struct narrow_job *j, size_t run, unsigned char *low, struct err *e)
{
	const struct ref_options local = {.tamper = put_right, .tamper_arg = j};
	const struct ref_options all = {.observe = measure_accumulated, .observe_arg = j};
	struct ref_result got = {.n = 0};
	int rc = exact_run(j, run, e);

	if (!rc) {
		j->outputs.n = run + 1;
		rc = run ? 0 : make_rows(j, e);
	}
	if (!rc) {
		set_all(j, low);
		rc = passes_run(j, run, low, &local, &got, e);
	}
	if (!rc) {
		ref_result_release(&got);
		rc = passes_run(j, run, low, &all, &got, e);
	}
	if (!rc)
		ref_result_release(&got);
	passes_forget(j->exact, j->g->wires.n);
	return rc;
}

int passes_make(struct narrow_job *j, struct err *e)
{
	unsigned char *low = mem_array(j->g->nodes.n + 1, sizeof *low);
	int rc = 0;

	j->outputs.exact = mem_array(j->data->n + 1, sizeof *j->outputs.exact);
	j->exact = mem_array(j->g->wires.n + 1, sizeof *j->exact);
	j->row_of = mem_array(j->g->wires.n + 1, sizeof *j->row_of);
	if (!low || !j->outputs.exact || !j->exact || !j->row_of)
		rc = err_nomem(e, "exact values", j->g->wires.n * sizeof *j->exact);
	if (!rc && j->int8)
		rc = see_ranges(j, e);
	for (size_t run = 0; run < j->data->n && !rc; run++) {
		passes_tell(j->o, "losses", run, j->data->n);
		rc = measure_run(j, run, low, e);
	}
	if (!rc)
		rc = measure_scales(&j->outputs, e);
	mem_free(low);
	return rc;
}
