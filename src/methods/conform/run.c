/* run.c - running ONNX backend test cases, on the reference or on a worker (declared in conform.h). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "case/inputs.h"
#include "judge/explain.h"
#include "judge/session.h"
#include "methods/conform/compare.h"
#include "methods/conform/conform.h"
#include "model/adapt.h"
#include "model/model.h"
#include "reference/precision.h"
#include "reference/reference.h"
#include "tensor/io.h"

#define PATH_SIZE 4096
#define NOISE_RUNS 16 /* when rounding is asked whether it explains a difference */

/* A case while it runs. */
struct conform_job {
	struct conform_case *c;
	struct compare compare;
	struct party *party; /* who runs it */
	uint64_t session;
	struct trial trial;
	struct ref *ref;    /* NULL until needed */
	enum ref_mode mode; /* of the reference */
};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int load_numbered(const char *dir, const char *kind, size_t i, const struct type *t, struct value **out,
			 struct err *e)
{
	char path[PATH_SIZE];
	int rc;

	if (snprintf(path, sizeof path, "%s/%s_%zu.pb", dir, kind, i) >= (int)sizeof path || access(path, R_OK)) {
		*out = NULL;
		return 0;
	}
	rc = pb_load_value(path, t->kind, out, NULL, e);
	if (rc)
		return rc;
	rc = adapt_value(out, t, e);
	if (rc)
		value_unref(*out);
	return rc;
}

/* The inputs of a set become the case's. */
static int load_inputs(struct conform_job *j, const char *dir, struct err *e)
{
	const struct graph *g = j->trial.model->graph;
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	int rc = in ? 0 : err_nomem(e, "inputs", 0);

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		rc = load_numbered(dir, "input", i, &g->inputs.at[i]->type, &in[i], e);
	if (!rc)
		return trial_set_inputs(&j->trial, in, e);
	inputs_free(in, g->inputs.n);
	return rc;
}

static int check_outputs(struct conform_job *j, const char *dir, const struct ref_output *got, struct err *e)
{
	const struct graph *g = j->trial.model->graph;

	for (size_t i = 0; i < g->outputs.n; i++) {
		struct value *want;
		int rc = load_numbered(dir, "output", i, &g->outputs.at[i]->type, &want, e);

		if (!rc && !want)
			rc = err_set(e, ERR_INPUT, "output_%zu.pb is missing", i);
		if (rc)
			return rc;
		rc = compare_output(&j->compare, g->outputs.at[i], &got[i], want, e);
		value_unref(want);
		if (rc)
			return rc;
	}
	return 0;
}

/* Runs fn for each test_data_set_<n>, until one fails. */
typedef int set_runner(struct conform_job *j, const char *dir, struct err *e);

static int run_sets(struct conform_job *j, set_runner *fn, struct err *e)
{
	char path[PATH_SIZE];
	int sets = 0, rc = 0;

	for (; !rc; sets++) {
		if (snprintf(path, sizeof path, "%s/test_data_set_%d", j->c->path, sets) >= (int)sizeof path ||
		    access(path, R_OK))
			break;
		rc = load_inputs(j, path, e);
		if (!rc)
			rc = fn(j, path, e);
	}
	return rc || sets ? rc : err_set(e, ERR_INPUT, "no test_data_set_0");
}

/* ---- on the reference -------------------------------------------------------------------------------------------- */

static int ask_reference(struct conform_job *j, enum ref_mode mode, struct ref_result *out, struct err *e)
{
	struct ref_options o = {.mode = mode, .noise_runs = NOISE_RUNS};
	const char *lower = j->party ? spec_option(&j->party->spec, PARTY_LOWERS) : NULL;
	int rc = j->ref ? 0 : ref_open(j->trial.model, &j->ref, e);

	if (lower)
		precision_find(lower, &o.precision);
	return rc ? rc : ref_run(j->ref, j->trial.inputs, j->trial.model->graph->inputs.n, &o, out, e);
}

static int run_reference_set(struct conform_job *j, const char *dir, struct err *e)
{
	struct ref_result got = {.n = 0};
	int rc = ask_reference(j, j->mode, &got, e);

	j->c->ran |= !rc;
	if (!rc)
		rc = check_outputs(j, dir, got.outputs, e);
	ref_result_release(&got);
	return rc;
}

static const enum ref_mode attempts[] = {
	[CONFORM_EXACT] = REF_EXACT, [CONFORM_ROUNDED] = REF_ROUNDED, [CONFORM_NOISE] = REF_NOISY};

/* One mode after the other, as long as only values differ; the first failure is the one to report. */
static int run_modes(struct conform_job *j, struct err *e)
{
	int rc = ref_open(j->trial.model, &j->ref, e);

	if (!rc)
		rc = compare_start(&j->compare, j->trial.model->graph, e);
	for (int i = 0; i < (int)(sizeof attempts / sizeof *attempts) && !rc; i++) {
		struct err later = ERR_INIT;

		j->compare.values_differ = 0;
		j->mode = attempts[i];
		if (!run_sets(j, run_reference_set, i ? &later : e)) {
			j->c->how = j->compare.random ? CONFORM_RANDOM : (enum conform_how)i;
			err_clear(e);
			return 0;
		}
		if (!j->compare.values_differ)
			break;
	}
	return e->code;
}

/* ---- on a worker ------------------------------------------------------------------------------------------------- */

/* Values are not as expected: does rounding explain it?  The reference says how much it may move each element. */
static int ask_for_noise(struct conform_job *j, const char *dir, struct ref_output *got)
{
	struct ref_result noise = {.n = 0};
	struct err e = ERR_INIT;
	int rc = ask_reference(j, REF_NOISY, &noise, &e);

	for (size_t i = 0; i < noise.n && !rc; i++) {
		const struct value *a = got[i].value, *b = noise.outputs[i].value;

		if (a->kind == VALUE_TENSOR && b->kind == VALUE_TENSOR && tensor_same_shape(a->tensor, b->tensor))
			got[i].noise = noise.outputs[i].noise;
	}
	if (!rc)
		rc = check_outputs(j, dir, got, &e);
	ref_result_release(&noise);
	return rc;
}

static int check_values(struct conform_job *j, const char *dir, const struct outcome *o, struct err *e)
{
	struct ref_output *got = mem_array(o->n, sizeof *got);
	int rc;

	if (!got)
		return err_nomem(e, "outputs", o->n * sizeof *got);
	for (size_t i = 0; i < o->n; i++)
		got[i] = (struct ref_output){j->trial.model->graph->outputs.at[i]->name, o->values[i], NULL};
	j->compare.values_differ = 0;
	rc = check_outputs(j, dir, got, e);
	if (rc && j->compare.values_differ && !ask_for_noise(j, dir, got)) {
		j->c->how = CONFORM_NOISE;
		err_clear(e);
		rc = 0;
	}
	mem_free(got);
	return rc;
}

static int run_worker_set(struct conform_job *j, const char *dir, struct err *e)
{
	struct outcome o = {0};
	int rc = session_run(j->party, &j->trial, j->session, &o, e);

	if (!rc)
		rc = session_failed(&o, e);
	j->c->ran |= !rc;
	if (!rc)
		rc = check_values(j, dir, &o, e);
	outcome_release(&o);
	return rc;
}

static int run_on_worker(struct conform_job *j, struct err *e)
{
	struct outcome loaded = {0};
	int rc = compare_start(&j->compare, j->trial.model->graph, e);

	if (rc)
		return rc;
	session_load(j->party, &j->trial, &j->session, &loaded);
	rc = session_failed(&loaded, e);
	if (rc)
		return rc;
	rc = run_sets(j, run_worker_set, e);
	session_unload(j->party, j->session);
	if (!rc && j->compare.random)
		j->c->how = CONFORM_RANDOM;
	return rc;
}

/* ---- a case ------------------------------------------------------------------------------------------------------ */

/* The error that a case ended with, without its path: the case's name says that already. */
static void set_detail(struct conform_case *c, const char *path, const struct err *e)
{
	size_t n = strlen(path);
	int prefixed = !strncmp(e->msg, path, n) && e->msg[n] == ':' && e->msg[n + 1];

	snprintf(c->detail, sizeof c->detail, "%s", e->msg + (prefixed ? n + 2 : 0));
}

/* The model as the reference reads it, or as libraries get it; the inputs come with each set. */
static int read_model(struct conform_job *j, const char *path, struct err *e)
{
	struct model *m = NULL;
	struct value **none;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = j->party->worker ? trial_read_model(path, &bytes, &m, e) : model_load(path, &m, e);
	if (!rc && !(none = mem_array(m->graph->inputs.n, sizeof *none))) {
		model_free(m);
		rc = err_nomem(e, "inputs", 0);
	}
	if (!rc)
		return trial_init_bytes(&j->trial, m, &bytes, none, 0, e);
	buf_release(&bytes);
	return rc;
}

void conform_run(struct conform_case *c, struct party *p, double rtol, double atol)
{
	struct conform_job j = {.c = c, .compare = {.rtol = rtol, .atol = atol}, .party = p};
	char path[PATH_SIZE];
	struct err e = ERR_INIT;
	int rc;

	snprintf(path, sizeof path, "%s/model.onnx", c->path);
	rc = read_model(&j, path, &e);
	if (!rc)
		rc = p->worker ? run_on_worker(&j, &e) : run_modes(&j, &e);
	c->status = !rc ? CONFORM_PASSED : rc == ERR_UNSUPPORTED ? CONFORM_UNSUPPORTED : CONFORM_FAILED;
	if (rc)
		set_detail(c, path, &e);
	else
		snprintf(c->detail, sizeof c->detail, "%s", conform_how_text(c->how));
	compare_end(&j.compare);
	ref_close(j.ref);
	trial_release(&j.trial);
}
