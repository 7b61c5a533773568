/* run.c - running ONNX backend test cases, on the reference or on a worker (declared in conform.h). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "case/inputs.h"
#include "judge/remote.h"
#include "methods/conform/compare.h"
#include "methods/conform/conform.h"
#include "model/adapt.h"
#include "model/model.h"
#include "reference/reference.h"
#include "tensor/io.h"

#define PATH_SIZE 4096
#define NOISE_RUNS 16 /* when rounding is asked whether it explains a difference */

/* A case while it runs. */
struct conform_job {
	struct conform_case *c;
	struct compare compare;
	struct model *m;
	struct ref *ref;       /* NULL until needed */
	struct worker *worker; /* NULL: the reference runs it */
	uint64_t session;
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

static int load_inputs(const struct graph *g, const char *dir, struct value **in, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		rc = load_numbered(dir, "input", i, &g->inputs.at[i]->type, &in[i], e);
	return rc;
}

static int check_outputs(struct conform_job *j, const char *dir, const struct ref_output *got, struct err *e)
{
	const struct graph *g = j->m->graph;

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
typedef int set_runner(struct conform_job *j, const char *dir, struct value *const *in, struct err *e);

static int run_set(struct conform_job *j, const char *dir, set_runner *fn, struct err *e)
{
	const struct graph *g = j->m->graph;
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	int rc = in ? load_inputs(g, dir, in, e) : err_nomem(e, "inputs", 0);

	if (!rc)
		rc = fn(j, dir, in, e);
	inputs_free(in, g->inputs.n);
	return rc;
}

static int run_sets(struct conform_job *j, set_runner *fn, struct err *e)
{
	char path[PATH_SIZE];
	int sets = 0, rc = 0;

	for (; !rc; sets++) {
		if (snprintf(path, sizeof path, "%s/test_data_set_%d", j->c->path, sets) >= (int)sizeof path ||
		    access(path, R_OK))
			break;
		rc = run_set(j, path, fn, e);
	}
	return rc || sets ? rc : err_set(e, ERR_INPUT, "no test_data_set_0");
}

/* ---- on the reference -------------------------------------------------------------------------------------------- */

static int run_reference_set(struct conform_job *j, const char *dir, struct value *const *in, struct err *e)
{
	struct ref_options o = {.mode = j->mode, .noise_runs = NOISE_RUNS};
	struct ref_result got = {NULL, 0};
	int rc = ref_run(j->ref, in, j->m->graph->inputs.n, &o, &got, e);

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
	int rc = compare_start(&j->compare, j->m->graph, e);

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

static int run_on_reference(struct conform_job *j, const char *path, struct err *e)
{
	int rc = model_load(path, &j->m, e);

	if (!rc)
		rc = ref_open(j->m, &j->ref, e);
	return rc ? rc : run_modes(j, e);
}

/* ---- on a worker ------------------------------------------------------------------------------------------------- */

/* Values are not as expected: does rounding explain it?  The reference says how much it may move each element. */
static int ask_for_noise(struct conform_job *j, const char *dir, struct value *const *in, struct ref_output *got)
{
	struct ref_options o = {.mode = REF_NOISY, .noise_runs = NOISE_RUNS};
	struct ref_result noise = {NULL, 0};
	struct err e = ERR_INIT;
	int rc = j->ref ? 0 : ref_open(j->m, &j->ref, &e);

	if (!rc)
		rc = ref_run(j->ref, in, j->m->graph->inputs.n, &o, &noise, &e);
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

static int run_worker_set(struct conform_job *j, const char *dir, struct value *const *in, struct err *e)
{
	const struct graph *g = j->m->graph;
	size_t n = g->outputs.n;
	const char **names = mem_array(n, sizeof *names);
	struct value **out = mem_array(n, sizeof *out);
	struct ref_output *got = mem_array(n, sizeof *got);
	int rc = names && out && got ? 0 : err_nomem(e, "outputs", n * sizeof *got);

	for (size_t i = 0; i < n && !rc; i++)
		names[i] = g->outputs.at[i]->name;
	if (!rc)
		rc = remote_run(j->worker, j->session, g, in, names, out, n, e);
	if (!rc) {
		for (size_t i = 0; i < n; i++)
			got[i] = (struct ref_output){names[i], out[i], NULL};
		j->compare.values_differ = 0;
		rc = check_outputs(j, dir, got, e);
		if (rc && j->compare.values_differ && !ask_for_noise(j, dir, in, got)) {
			j->c->how = CONFORM_NOISE;
			err_clear(e);
			rc = 0;
		}
	}
	for (size_t i = 0; out && i < n; i++)
		value_unref(out[i]);
	mem_free(out);
	mem_free(got);
	mem_free(names);
	return rc;
}

static int run_on_worker(struct conform_job *j, const char *path, struct err *e)
{
	struct worker_report ignored;
	struct buf bytes;
	int rc, loaded;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = remote_read_model(path, &bytes, &j->m, e);
	if (!rc)
		rc = compare_start(&j->compare, j->m->graph, e);
	if (!rc)
		rc = remote_load(j->worker, &bytes, NULL, 0, &j->session, e);
	loaded = !rc;
	buf_release(&bytes);
	if (!rc)
		rc = run_sets(j, run_worker_set, e);
	if (loaded)
		worker_unload(j->worker, j->session, &ignored);
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

void conform_run(struct conform_case *c, struct worker *worker, double rtol, double atol)
{
	struct conform_job j = {.c = c, .compare = {.rtol = rtol, .atol = atol}, .worker = worker};
	char path[PATH_SIZE];
	struct err e = ERR_INIT;
	int rc;

	snprintf(path, sizeof path, "%s/model.onnx", c->path);
	rc = worker ? run_on_worker(&j, path, &e) : run_on_reference(&j, path, &e);
	c->status = !rc ? CONFORM_PASSED : rc == ERR_UNSUPPORTED ? CONFORM_UNSUPPORTED : CONFORM_FAILED;
	if (rc)
		set_detail(c, path, &e);
	else
		snprintf(c->detail, sizeof c->detail, "%s", conform_how_text(c->how));
	compare_end(&j.compare);
	ref_close(j.ref);
	model_free(j.m);
}
