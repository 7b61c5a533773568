/* cmd_run.c - assay run: a model once, its outputs printed or saved. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/progress.h"
#include "case/inputs.h"
#include "case/outputs.h"
#include "case/planted.h"
#include "case/zoo_model.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "judge/session.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "worker/parent/format.h"
#include "worker/parent/spec.h"

int cmd_run(struct cli *c);

struct cmd_run_options {
	const char *backend, *output;
	struct cli_word mode;
	int64_t noise_runs, seed;
	int all, json, training;
	struct input_options inputs;
};

/* What one run of the verb holds. */
struct cmd_run_job {
	FILE *out;
	const struct cmd_run_options *o;
	struct worker_spec spec;
	struct ref_options ref_options;
	struct model *model;
	struct buf bytes;   /* of the model, for a worker */
	struct trial trial; /* for a worker: model and inputs are its own then */
	struct ref *ref;
	struct value **in;
	struct ref_result result;
	json_t *root; /* the answer, when it is wanted as JSON */
	json_t *steps;
	json_t *sizes; /* of the inputs */
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static const enum ref_mode modes[] = {REF_EXACT, REF_ROUNDED, REF_NOISY};

static int check_options(struct cmd_run_job *j, struct err *e)
{
	const struct cmd_run_options *o = j->o;
	struct ref_options *r = &j->ref_options;
	int rc = spec_make(o->backend, &j->spec, e);

	if (rc)
		return rc;
	r->mode = modes[o->mode.at];
	if (!spec_is_reference(&j->spec) && (r->mode != REF_EXACT || o->training))
		return err_set(e, ERR_USAGE, "--mode and --training are for the reference, not for '%s'", o->backend);
	if (o->noise_runs && r->mode != REF_NOISY)
		return err_set(e, ERR_USAGE, "--noise-runs needs --mode noisy");
	if (o->noise_runs < 0 || o->noise_runs > REF_MAX_RUNS)
		return err_set(e, ERR_USAGE, "--noise-runs: %lld is not between 1 and %d", (long long)o->noise_runs,
			       REF_MAX_RUNS);
	r->noise_runs = o->noise_runs ? (int)o->noise_runs : REF_NOISE_RUNS;
	r->seed = (uint64_t)o->seed;
	r->training = o->training;
	return 0;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static int print_step(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		      void *arg)
{
	struct cmd_run_job *j = arg;

	(void)out;
	if (j->root) {
		json_t *step = show_json(w->name, v, noise, j->ref_options.noise_runs);

		json_object_set_new(step, "node", json_string(n->name));
		json_object_set_new(step, "op", json_string(n->op_type));
		json_array_append_new(j->steps, step);
		return 0;
	}
	fprintf(j->out, "node '%s' (%s) ", PLAIN(n->name), n->op_type);
	show_value(j->out, w->name, v, noise, j->ref_options.noise_runs);
	return 0;
}

static void print_inputs(struct cmd_run_job *j)
{
	const struct graph *g = j->model->graph;
	json_t *list = j->root ? json_array() : NULL;

	for (size_t i = 0; i < g->inputs.n; i++) {
		if (!j->in[i])
			continue;
		if (list) {
			json_array_append_new(list, show_json(g->inputs.at[i]->name, j->in[i], NULL, 0));
			continue;
		}
		fputs("input ", j->out);
		show_value(j->out, g->inputs.at[i]->name, j->in[i], NULL, 0);
	}
	if (list)
		json_object_set_new(j->root, "inputs", list);
	cli_tell_sizes(j->out, j->sizes, j->root);
}

static void print_outputs(struct cmd_run_job *j)
{
	json_t *list = j->root ? json_array() : NULL;

	for (size_t i = 0; i < j->result.n; i++) {
		const struct ref_output *o = &j->result.outputs[i];

		if (list) {
			json_array_append_new(list, show_json(o->name, o->value, o->noise, j->ref_options.noise_runs));
			continue;
		}
		fputs("output ", j->out);
		show_value(j->out, o->name, o->value, o->noise, j->ref_options.noise_runs);
	}
	if (list)
		json_object_set_new(j->root, "outputs", list);
}

/* ---- on the reference -------------------------------------------------------------------------------------------- */

static int start_json(struct cmd_run_job *j, const char *path, struct err *e)
{
	j->root = json_pack("{s:o, s:s, s:s, s:I}", "model", json_text(path), "backend", j->o->backend, "mode",
			    j->o->mode.words[j->o->mode.at], "seed", (json_int_t)j->o->seed);
	j->steps = json_array();
	return j->root && j->steps ? 0 : err_nomem(e, "JSON", 0);
}

static void show_progress(const struct node *n, size_t done, size_t total, void *arg)
{
	(void)total;
	progress_step(arg, done, n->name);
}

/* Runs the reference with a bar for long models. */
static int run_reference(struct cmd_run_job *j, struct err *e)
{
	struct progress p;
	int rc;

	progress_start(&p, "nodes", j->model->graph->nodes.n);
	j->ref_options.progress = show_progress;
	j->ref_options.progress_arg = &p;
	rc = ref_run(j->ref, j->in, j->model->graph->inputs.n, &j->ref_options, &j->result, e);
	progress_end(&p);
	return rc;
}

/* ---- on a worker ------------------------------------------------------------------------------------------------- */

/* Names of what is wanted: with --all every output of every node, then the graph's outputs. */
struct cmd_run_wanted {
	VEC(const char *) names;
	VEC(const struct wire *) steps; /* the first of the names */
};

static int list_wanted(const struct cmd_run_job *j, struct cmd_run_wanted *out)
{
	const struct graph *g = j->model->graph;
	int rc = 0;

	for (size_t i = 0; j->o->all && i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out && !rc; k++) {
			const struct wire *w = g->nodes.at[i]->out[k];

			if (w)
				rc = vec_push(&out->steps, w) || vec_push(&out->names, w->name);
		}
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		rc = vec_push(&out->names, g->outputs.at[i]->name);
	return rc;
}

/* Prints the steps and keeps the outputs as the result. */
static int take_values(struct cmd_run_job *j, const struct cmd_run_wanted *w, const struct outcome *o, struct err *e)
{
	size_t n = j->model->graph->outputs.n, steps = w->steps.n;

	for (size_t i = 0; i < steps; i++) {
		const struct wire *wire = w->steps.at[i];

		print_step(wire->producer, wire->producer_slot, wire, o->values[i], NULL, j);
	}
	j->result.outputs = mem_array(n, sizeof *j->result.outputs);
	if (!j->result.outputs)
		return err_nomem(e, "outputs", n);
	j->result.n = n;
	for (size_t i = 0; i < n; i++)
		j->result.outputs[i] =
			(struct ref_output){w->names.at[steps + i], value_ref(o->values[steps + i]), NULL};
	return 0;
}

static int ask_worker(struct cmd_run_job *j, struct party *p, const struct cmd_run_wanted *w, struct err *e)
{
	const struct backend_names all = {w->names.at, w->names.n}, steps = {w->names.at, w->steps.n};
	struct outcome o = {0};
	uint64_t session;
	int rc;

	session_load_exposing(p, &j->trial, &steps, &session, &o);
	rc = session_failed(&o, e);
	if (!rc)
		rc = session_run_for(p, &j->trial, session, &all, &o, e);
	if (!rc)
		rc = session_failed(&o, e);
	if (rc)
		err_prefix(e, "%s", SHOWN_AS(p->spec.name));
	else
		rc = take_values(j, w, &o, e);
	outcome_release(&o);
	return rc;
}

static int run_worker(struct cmd_run_job *j, struct err *e)
{
	struct cmd_run_wanted w = {VEC_INIT, VEC_INIT};
	struct party p = {0};
	int rc = party_open_spec(&p, &j->spec, NULL, e);

	if (rc)
		err_prefix(e, "%s", SHOWN_AS(j->spec.name));
	else
		rc = list_wanted(j, &w) ? err_nomem(e, "names", 0) : ask_worker(j, &p, &w, e);
	party_close(&p);
	vec_release(&w.names);
	vec_release(&w.steps);
	return rc;
}

/* For a worker the model and its inputs become a case. */
static int make_case(struct cmd_run_job *j, struct err *e)
{
	int rc = trial_init_bytes(&j->trial, j->model, &j->bytes, j->in, (uint64_t)j->o->seed, e);

	j->model = j->trial.model;
	j->in = j->trial.inputs;
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

/* The reference maps an ONNX file and keeps no copy of it; all else has the bytes. */
static int read_model(struct cmd_run_job *j, const char *path, struct err *e)
{
	double start = clock_now();
	int maps = spec_is_reference(&j->spec) && !format_is_known(path) && !access(path, F_OK);
	int rc = maps ? model_load(path, &j->model, e)
		      : zoo_model_open(path, (uint64_t)j->o->seed, &j->bytes, &j->model, e);

	if (!rc)
		rc = planted_check(&j->spec, 1, path, j->model, e);
	if (!rc && spec_is_reference(&j->spec))
		rc = ref_open(j->model, &j->ref, e);
	if (!rc)
		cli_warn_of(j->model);
	if (!rc)
		log_print(LOG_INFO, "%s: %zu nodes, read in %.3f s", path, j->model->graph->nodes.n,
			  clock_now() - start);
	return rc;
}

static int run_model(struct cmd_run_job *j, const char *path, struct err *e)
{
	double start = clock_now();
	int rc = j->ref ? run_reference(j, e) : run_worker(j, e);

	if (!rc)
		log_print(LOG_INFO, "%s: run in %.3f s, %zu MiB of tensors at most", path, clock_now() - start,
			  tensor_memory_peak() >> 20);
	return rc;
}

static int run_job(struct cmd_run_job *j, const char *path, struct err *e)
{
	int rc = j->o->json ? start_json(j, path, e) : 0;

	if (!rc)
		rc = read_model(j, path, e);
	if (!rc)
		rc = inputs_make(j->model->graph, &j->o->inputs, &j->in, &j->sizes, e);
	if (rc)
		return rc;
	print_inputs(j);
	if (!j->ref)
		rc = make_case(j, e);
	if (rc)
		return rc;
	if (j->o->all) {
		j->ref_options.observe = print_step;
		j->ref_options.observe_arg = j;
	}
	rc = run_model(j, path, e);
	if (rc)
		return rc;
	print_outputs(j);
	if (j->root) {
		if (j->o->all)
			json_object_set(j->root, "nodes", j->steps);
		cli_print_json(j->out, json_incref(j->root));
	}
	return j->o->output ? outputs_save(&j->result, j->o->output, e) : 0;
}

static void end_job(struct cmd_run_job *j)
{
	ref_result_release(&j->result);
	ref_close(j->ref);
	if (j->trial.model) {
		trial_release(&j->trial);
	} else if (j->model) {
		inputs_free(j->in, j->model->graph->inputs.n);
		model_free(j->model);
	}
	buf_release(&j->bytes);
	spec_release(&j->spec);
	json_decref(j->root);
	json_decref(j->steps);
	json_decref(j->sizes);
}

static int run(struct cli *c, const struct texts *models, void *options, struct err *e)
{
	struct cmd_run_options *o = options;
	struct cmd_run_job j = {.out = c->out, .o = o};
	int rc = check_options(&j, e);

	o->inputs.seed = (uint64_t)o->seed;
	buf_init(&j.bytes, MODEL_MAX_FILE);
	if (!rc)
		rc = cli_one(c, models, "model", e);
	if (!rc)
		rc = run_job(&j, models->at[0], e);
	end_job(&j);
	return rc;
}

int cmd_run(struct cli *c)
{
	static const char *const mode_words[] = {"exact", "rounded", "noisy", NULL};
	struct cmd_run_options o = {.backend = "reference", .mode = {.words = mode_words}};
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "B", CLI_STRING, &o.backend, "who runs it (default: reference)"},
		{0, "mode", "M", CLI_WORD, &o.mode, "exact (default), rounded or noisy"},
		{0, "noise-runs", "K", CLI_COUNT, &o.noise_runs, "perturbed runs of the noisy mode (default: 8)"},
		{0, "seed", "N", CLI_INT, &o.seed, "of made-up inputs, noise and random operators (default: 0)"},
		{'i', "input", "[NAME=]FILE", CLI_LIST, &o.inputs.files, ".npy, .npz, .pb or a folder of input_<n>.pb"},
		{0, "random", "[LO:HI]", CLI_RANGE, &o.inputs.random, "make up inputs that no file gives"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.inputs.dims, "size of an open dimension; also INPUT.AXIS=SIZE"},
		{'o', "output", "FILE|DIR", CLI_STRING, &o.output, "save outputs: .npz, .npy, else a folder of .pb"},
		{0, "all", NULL, CLI_FLAG, &o.all, "print every node's outputs too"},
		{0, "training", NULL, CLI_FLAG, &o.training, "Dropout and BatchNormalization train by default"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->networks = 1;
	c->notes = inputs_notes;
	status = cli_main(c, options, run, &o);
	vec_release(&o.inputs.files);
	vec_release(&o.inputs.dims);
	return status;
}
