/* train.c - see train.h. */
#include "methods/swap/train.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "methods/swap/train_update.h"

struct training {
	struct swapping s; /* the mix, on out->trial */
	struct swap_result scratch;
	struct trial *t; /* out->trial */
	size_t first, n; /* parameters among its inputs */
	size_t *places;  /* by parameter: its gradient among the trial's */
	struct wire *const *parameters;
	struct trajectory truth, mix, moved[TRAIN_WAYS];
	int lost;               /* a moved way could not go on: how far rounding leads is not known any more */
	float **spread;         /* by parameter */
	struct tensor **parted; /* the reference's parameters at the step that is wrong */
	const struct loss_batches *batches; /* NULL: the same inputs at every step */
	struct updating own;                /* the library's own optimizer, where out->update.used */
	struct train_result *out;
};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

/* Puts the parameters of a way into an array of inputs, packed. */
static int put(const struct training *x, struct tensor *const *at, struct value **inputs, struct err *e)
{
	for (size_t i = 0; i < x->n; i++) {
		struct tensor *packed = tensor_pack(at[i], e);
		struct value *v = packed ? value_tensor(packed, e) : NULL;

		if (!v)
			return e->code;
		value_unref(inputs[x->first + i]);
		inputs[x->first + i] = v;
	}
	return 0;
}

/* The trial at some parameters; the answers to others are forgotten. */
static int move_trial(struct training *x, struct tensor *const *at, struct err *e)
{
	size_t n = x->first + x->n;
	struct value **inputs = mem_array(n, sizeof *inputs);
	int rc = inputs ? 0 : err_nomem(e, "parameters", n);

	for (size_t i = 0; i < x->first && !rc; i++)
		inputs[i] = value_ref(x->t->inputs[i]);
	if (!rc)
		rc = put(x, at, inputs, e);
	if (!rc)
		return trial_set_inputs(x->t, inputs, e);
	for (size_t i = 0; inputs && i < n; i++)
		value_unref(inputs[i]);
	mem_free(inputs);
	return rc;
}

/* Finds the parameters among the gradients of the trial, which has others too. */
static int find_places(struct training *x, struct err *e)
{
	for (size_t i = 0; i < x->n; i++) {
		size_t k = 0;

		while (k < x->t->n_grads && x->t->grad_wires[k] != x->parameters[i])
			k++;
		if (k == x->t->n_grads)
			return err_set(e, ERR_INTERNAL, "parameter '%s' has no gradient", x->parameters[i]->name);
		x->places[i] = k;
	}
	return 0;
}

/* The mini-batch of a step, from 0, becomes the trial's. */
static void take_batch(struct training *x, size_t step)
{
	struct value *const *in = x->batches ? x->batches->at[step % x->batches->n] : NULL;
	size_t to = 0;

	for (size_t i = 0; in && i < x->batches->n_inputs && to < x->first; i++) {
		if (!in[i]) /* has a default, and is no input here */
			continue;
		value_unref(x->t->inputs[to]);
		x->t->inputs[to++] = value_ref(in[i]);
	}
}

/* The right gradients at the reference's parameters. */
static int find_truth(struct training *x, struct err *e)
{
	int rc;

	take_batch(x, x->out->n);
	rc = move_trial(x, x->truth.at, e);
	if (!rc)
		rc = trial_seed_gradients(x->t, e);
	if (!rc && x->batches)
		x->t->grad_seeds[0]->f[0] = 1; /* a loss goes down as it is */
	if (!rc)
		rc = trial_truth_gradients(x->t, e);
	return rc ? rc : find_places(x, e);
}

/* Are they all 0?  Outputs that are saturated do not depend on any parameter. */
static int is_over(const struct training *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct tensor *g = x->t->grads[x->places[i]];

		for (size_t k = 0; k < g->count; k++)
			if (g->f[k] != 0)
				return 0;
	}
	return 1;
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static void keep_worst(struct train_judgement *worst, const struct wire *parameter, const struct judgement *j)
{
	int worse = verdict_is_finding(j->verdict) - verdict_is_finding(worst->judged.verdict);

	if (!worst->parameter || worse > 0 || (!worse && j->ratio > worst->judged.ratio))
		*worst = (struct train_judgement){parameter, *j};
}

/* One run of the mix; 0 in *ok, and why in out->stopped, when the library failed. */
static int run_mix(struct training *x, struct mixed_run *run, int *ok, struct err *e)
{
	char said[400];
	double ratio;
	int rc = swap_run_mix(&x->s, run, e);

	*ok = !rc && run->report.result == WORKER_OK;
	if (rc || *ok)
		return rc;
	snprintf(x->out->stopped, sizeof x->out->stopped, "%.60s fails at step %zu: %s",
		 x->s.parties[run->party]->spec.name, x->out->n + 1,
		 worker_report_text(&run->report, said, sizeof said));
	x->out->verdict = verdict_worse(x->out->verdict, swap_judge_run(&x->s, run, &ratio));
	mixed_run_release(run);
	return 0;
}

/* The gradients of the parameters, borrowed, from mem_array(). */
static struct tensor **pick(const struct training *x, struct tensor *const *by_wire, struct err *e)
{
	struct tensor **grads = mem_array(x->n, sizeof *grads);

	if (!grads)
		err_nomem(e, "gradients", x->n);
	for (size_t i = 0; grads && i < x->n; i++)
		grads[i] = by_wire[x->places[i]];
	return grads;
}

/* The reference's step; by the library's own optimizer, that is judged too. */
static int step_truth(struct training *x, struct train_step *step, struct err *e)
{
	struct tensor **grads = pick(x, x->t->grads, e);
	int rc = grads ? 0 : e->code;

	if (!rc && x->out->update.used)
		rc = train_update_judge(&x->own, &x->truth, grads, x->parameters, &step->update, e);
	else if (!rc)
		rc = trajectory_step(&x->truth, grads, e);
	mem_free(grads);
	return rc;
}

static int step_mix(struct training *x, struct tensor *const *by_wire, int *ok, struct err *e)
{
	struct tensor **grads = pick(x, by_wire, e);
	int rc = grads ? 0 : e->code;

	if (!rc && x->out->update.used)
		rc = train_update_go(&x->own, &x->mix, grads, ok, e);
	else if (!rc)
		rc = trajectory_step(&x->mix, grads, e);
	mem_free(grads);
	return rc;
}

static int step_moved(struct training *x, int k, struct tensor *const *grads, struct err *e)
{
	return x->out->update.used ? train_update_move(&x->own, &x->moved[k], grads, (size_t)k, e)
				   : trajectory_step(&x->moved[k], grads, e);
}

/* The gradients at the reference's parameters: is the library right? */
static int judge_gradient(struct training *x, struct train_step *step, int *ok, struct err *e)
{
	struct mixed_run run = {0};
	int rc = run_mix(x, &run, ok, e);

	for (size_t i = 0; i < x->n && *ok; i++) {
		size_t k = x->places[i];
		struct judgement j;

		judge_tensor(x->t->grads[k], x->t->grad_noise[k], run.grads[k], swap_noise_limit(&x->s), &j);
		keep_worst(&step->gradient, x->parameters[i], &j);
	}
	mixed_run_release(&run);
	return rc;
}

/* The library takes a step on its own way. */
static int go_mix(struct training *x, int *ok, struct err *e)
{
	struct mixed_run run = {0};
	int rc = put(x, x->mix.at, x->t->inputs, e);

	if (!rc)
		rc = run_mix(x, &run, ok, e);
	if (!rc && *ok)
		rc = step_mix(x, run.grads, ok, e);
	mixed_run_release(&run);
	return rc;
}

/* The reference takes a step on each of its moved ways. */
static int go_moved(struct training *x, struct err *e)
{
	struct tensor **grads = mem_array(x->n, sizeof *grads);
	const struct ref_options o = {.seed = x->t->seed};
	const struct ref_gradient of = {.inputs = x->t->inputs,
					.n = x->t->model->graph->inputs.n,
					.seeds = x->t->grad_seeds,
					.wanted = x->parameters,
					.n_wanted = x->n};
	int rc = grads ? 0 : err_nomem(e, "gradients", x->n);

	for (int k = 0; k < TRAIN_WAYS && !rc && !x->lost; k++) {
		rc = put(x, x->moved[k].at, x->t->inputs, e);
		if (rc)
			break;
		rc = ref_backward_moved(x->t->ref, &of, &o, (int)(x->out->n % 100000) * TRAIN_WAYS + k, grads, e);
		if (rc == ERR_INPUT || rc == ERR_UNSUPPORTED) {
			err_clear(e);
			rc = 0;
			x->lost = 1;
			break;
		}
		if (rc)
			break;
		rc = step_moved(x, k, grads, e);
		for (size_t i = 0; i < x->n; i++)
			tensor_unref(grads[i]);
	}
	mem_free(grads);
	return rc;
}

/* How far the library is from the reference, in units of how far rounding leads. */
static void judge_way(struct training *x, struct train_step *step)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct tensor *right = x->truth.at[i];
		struct judgement j;

		for (size_t k = 0; k < right->count; k++) {
			double sum = 0;

			for (int w = 0; w < TRAIN_WAYS; w++)
				sum = hypot(sum, x->moved[w].at[i]->f[k] - right->f[k]);
			x->spread[i][k] = x->lost || isnan(sum) ? INFINITY : (float)(sum / sqrt(TRAIN_WAYS));
		}
		judge_tensor(right, x->spread[i], x->mix.at[i], swap_noise_limit(&x->s), &j);
		keep_worst(&step->way, x->parameters[i], &j);
	}
}

/* Keeps the parameters of the first step whose gradient is wrong: the operator is looked for there. */
static int note_parting(struct training *x, const struct train_step *step, struct err *e)
{
	if (x->out->parted || !verdict_is_finding(step->gradient.judged.verdict))
		return 0;
	x->out->parted = x->out->n + 1;
	x->out->verdict = verdict_worse(x->out->verdict, step->gradient.judged.verdict);
	x->parted = mem_array(x->n, sizeof *x->parted);
	if (!x->parted)
		return err_nomem(e, "parameters", x->n);
	for (size_t i = 0; i < x->n; i++)
		x->parted[i] = tensor_ref(x->truth.at[i]);
	return 0;
}

/* *ok: the library could take it too. */
static int take_step(struct training *x, int *ok, struct err *e)
{
	struct train_step *step = &x->out->steps[x->out->n];
	int rc = find_truth(x, e);

	if (!rc)
		rc = judge_gradient(x, step, ok, e);
	if (!rc)
		rc = note_parting(x, step, e);
	if (!rc && *ok)
		rc = step_truth(x, step, e);
	if (!rc && *ok)
		rc = go_mix(x, ok, e);
	if (!rc && *ok)
		rc = go_moved(x, e);
	if (rc || !*ok)
		return rc;
	x->out->n++;
	judge_way(x, step);
	if (verdict_is_finding(step->way.judged.verdict) && !x->out->way_parted)
		x->out->way_parted = x->out->n;
	return 0;
}

/* Says so when there is nothing left to compare. */
static int note_end(struct training *x)
{
	const char *why = !trajectory_is_finite(&x->truth) ? "the reference itself diverges"
			  : is_over(x)                     ? "every gradient is 0"
							   : NULL;

	if (why)
		snprintf(x->out->stopped, sizeof x->out->stopped, "%s at step %zu: try a smaller --lr", why, x->out->n);
	return why != NULL;
}

static int take_steps(struct training *x, size_t steps, struct err *e)
{
	const struct swap_options *o = x->s.o;
	int ok = 1, rc = 0;

	x->out->steps = mem_array(steps, sizeof *x->out->steps);
	if (!x->out->steps)
		return err_nomem(e, "steps", steps);
	while (x->out->n < steps && ok && !rc) {
		rc = take_step(x, &ok, e);
		if (!rc && ok)
			ok = !note_end(x);
		if (o->progress)
			o->progress("training", x->out->n, steps, o->progress_arg);
	}
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int open_ways(struct training *x, const struct train_options *train, struct err *e)
{
	struct tensor **start = mem_array(x->n, sizeof *start);
	int rc = start ? 0 : err_nomem(e, "parameters", x->n);

	for (size_t i = 0; i < x->n && !rc; i++)
		start[i] = x->t->inputs[x->first + i]->tensor;
	if (!rc)
		rc = trajectory_open(&x->truth, train->optimizer, x->out->rate, start, x->n, e);
	if (!rc)
		rc = trajectory_open(&x->mix, train->optimizer, x->out->rate, start, x->n, e);
	for (int k = 0; k < TRAIN_WAYS && !rc; k++)
		rc = trajectory_open(&x->moved[k], train->optimizer, x->out->rate, start, x->n, e);
	for (size_t i = 0; i < x->n && !rc; i++)
		if (!(x->spread[i] = mem_array(start[i]->count, sizeof **x->spread)))
			rc = err_nomem(e, "spreads", start[i]->count);
	mem_free(start);
	return rc;
}

/* The mix on the library under test alone, as far as it has the operators.  out->cannot: it cannot be trained. */
static int open_mix(struct training *x, struct err *e)
{
	struct mixed_run run = {0};
	char said[400];
	int rc = swap_open(&x->s, e);

	if (!rc && x->scratch.gradients)
		rc = swap_settle(&x->s, SWAP_TEST, &run, e);
	if (rc)
		return rc;
	if (!x->scratch.gradients)
		snprintf(x->out->cannot, sizeof x->out->cannot, "%s", x->scratch.no_gradients);
	else if (run.report.result != WORKER_OK)
		snprintf(x->out->cannot, sizeof x->out->cannot, "%.60s: %s", x->s.parties[SWAP_TEST]->spec.name,
			 worker_report_text(&run.report, said, sizeof said));
	for (size_t i = 0; i < x->t->model->graph->nodes.n; i++)
		x->out->stand_ins += x->s.ops[i].home == SWAP_REFERENCE;
	mixed_run_release(&run);
	return 0;
}

static void close_training(struct training *x)
{
	train_update_close(&x->own);
	swap_shut(&x->s);
	trajectory_close(&x->truth);
	trajectory_close(&x->mix);
	for (int k = 0; k < TRAIN_WAYS; k++)
		trajectory_close(&x->moved[k]);
	for (size_t i = 0; i < x->n; i++) {
		if (x->spread)
			mem_free(x->spread[i]);
		if (x->parted)
			tensor_unref(x->parted[i]);
	}
	mem_free(x->spread);
	mem_free(x->places);
	mem_free(x->parted);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int train(struct training *x, const struct train_request *q, struct err *e)
{
	const struct train_options *options = q->train;
	int rc = open_mix(x, e);

	if (rc || *x->out->cannot)
		return rc;
	x->spread = mem_array(x->n, sizeof *x->spread);
	x->places = mem_array(x->n, sizeof *x->places);
	rc = x->spread && x->places ? open_ways(x, options, e) : err_nomem(e, "parameters", x->n);
	if (!rc && options->own)
		rc = train_update_open(&x->own, q, &x->truth, x->parameters, x->out, e);
	if (!rc)
		rc = take_steps(x, options->steps, e);
	if (!rc && x->parted) {
		take_batch(x, x->out->parted - 1);
		rc = move_trial(x, x->parted, e);
	}
	return rc;
}

int swap_train(const struct train_request *q, struct train_result *out, struct err *e)
{
	struct training x = {.s = {.t = &out->trial, .o = q->swap, .out = &x.scratch},
			     .t = &out->trial,
			     .batches = q->batches,
			     .out = out};
	const struct train_options *options = q->train;
	struct train_request blame = *q;
	double start = clock_now();
	int rc;

	*out = (struct train_result){.rate = options->rate > 0 ? options->rate : options->optimizer->rate};
	rc = train_make_trial(q->trial, &out->trial, &x.n, e);
	if (rc == ERR_UNSUPPORTED) {
		snprintf(out->cannot, sizeof out->cannot, "%.500s", e->msg);
		err_clear(e);
		return 0;
	}
	if (rc)
		return rc;
	out->n_parameters = x.n;
	x.first = out->trial.model->graph->inputs.n - x.n;
	x.parameters = &out->trial.model->graph->inputs.at[x.first];
	x.s.parties[SWAP_BASE] = x.s.parties[SWAP_TEST] = q->test; /* the base takes no part in the training itself */
	x.s.parties[SWAP_REFERENCE] = &x.s.reference;
	rc = train(&x, q, e);
	if (!rc && out->update.parted)
		rc = train_update_blame(&x.own, q, e);
	close_training(&x);
	if (q->base->worker && !worker_can(q->base->worker, "backward"))
		blame.base = &x.s.reference;
	if (!rc && out->parted)
		rc = train_blame(out, &blame, e);
	out->seconds = clock_now() - start;
	if (rc)
		train_result_release(out);
	return rc;
}

void train_result_release(struct train_result *r)
{
	swap_result_release(&r->update.blame);
	trial_release(&r->update.trial);
	swap_result_release(&r->blame);
	mem_free(r->steps);
	trial_release(&r->trial);
	*r = (struct train_result){0};
}
