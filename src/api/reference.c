/* reference.c - the public interface (include/assay.h) over the layers below: runs and gradients. */
#include "reference/reference.h"

#include "api/guest.h"
#include "assay.h"
#include "base/mem.h"
#include "base/parallel.h"

_Static_assert((int)ASSAY_EXACT == (int)REF_EXACT && (int)ASSAY_ROUNDED == (int)REF_ROUNDED &&
		       (int)ASSAY_NOISY == (int)REF_NOISY,
	       "modes are the inner ones");

/* Kept beside the interpreter: names of wanted gradients are looked up in the model. */
struct assay_reference {
	struct ref *ref;
	struct model *model;
};

/* A result is what the interpreter gave, in a block of its own. */
struct assay_result {
	struct ref_result of;
};

static struct tensor *inner(const struct assay_tensor *t)
{
	return (struct tensor *)(uintptr_t)t;
}

int assay_reference_open(struct assay_model *m, struct assay_reference **out, struct assay_error *e)
{
	struct assay_reference *r = mem_zalloc(sizeof *r);
	struct err inner_error = ERR_INIT;
	struct guest g;
	int rc;

	if (!m || !out) {
		mem_free(r);
		return guest_refuse(e, "a reference needs a model and a place to be put");
	}
	if (!r)
		return guest_report(err_nomem(&inner_error, "a reference", sizeof *r), &inner_error, e);
	r->model = (struct model *)m;
	guest_enter(&g);
	if (setjmp(g.door.at))
		rc = door_fault(&g.door, &inner_error);
	else
		rc = ref_open(r->model, &r->ref, &inner_error);
	guest_leave(&g);
	if (rc)
		mem_free(r);
	else
		*out = r;
	return guest_report(rc, &inner_error, e);
}

void assay_reference_close(struct assay_reference *r)
{
	if (r)
		ref_close(r->ref);
	mem_free(r);
}

void assay_set_max_work(double most)
{
	ref_set_max_work(most > 0 ? most : REF_MAX_WORK);
}

void assay_set_threads(size_t threads)
{
	parallel_set_threads(threads);
}

/* ---- what a caller gives ----------------------------------------------------------------------------------------- */

static int read_options(const struct assay_run_options *from, struct ref_options *to, struct err *e)
{
	*to = (struct ref_options){.mode = REF_EXACT};
	if (!from)
		return 0;
	if ((int)from->mode < ASSAY_EXACT || (int)from->mode > ASSAY_NOISY)
		return err_set(e, ERR_USAGE, "there is no mode %d", (int)from->mode);
	if (from->noise_runs < 0 || from->noise_runs > REF_MAX_RUNS)
		return err_set(e, ERR_USAGE, "noise runs must be between 1 and %d, not %d", REF_MAX_RUNS,
			       from->noise_runs);
	to->mode = (enum ref_mode)from->mode;
	to->noise_runs = from->noise_runs;
	to->seed = from->seed;
	to->training = from->training != 0;
	return 0;
}

static void free_values(struct value **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		value_unref(v[i]);
	mem_free(v);
}

/* As many tensors as the model has inputs, as values. */
static int make_values(const struct graph *g, struct assay_tensor *const *tensors, size_t n, struct value ***out,
		       struct err *e)
{
	struct value **v;

	if (n != g->inputs.n)
		return err_set(e, ERR_INPUT, "the model takes %zu inputs, %zu were given", g->inputs.n, n);
	if (n && !tensors)
		return err_set(e, ERR_USAGE, "there are %zu inputs and no array of them", n);
	v = mem_array(n, sizeof *v);
	if (!v)
		return err_nomem(e, "inputs", n * sizeof *v);
	for (size_t i = 0; i < n; i++) {
		if (!tensors[i])
			continue;
		v[i] = value_tensor(tensor_ref(inner(tensors[i])), e);
		if (!v[i]) {
			free_values(v, n);
			return e->code;
		}
	}
	*out = v;
	return 0;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

int assay_reference_run(struct assay_reference *r, struct assay_tensor *const *inputs, size_t n,
			const struct assay_run_options *options, struct assay_result **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct assay_result *result;
	struct value **in = NULL;
	struct ref_options o;
	struct guest g;
	int rc;

	if (!r || !out)
		return guest_refuse(e, "a run needs a reference and a place for its result");
	result = mem_zalloc(sizeof *result);
	rc = result ? read_options(options, &o, &inner_error) : err_nomem(&inner_error, "a result", sizeof *result);
	if (!rc)
		rc = make_values(r->model->graph, inputs, n, &in, &inner_error);
	if (!rc) {
		guest_enter(&g);
		if (setjmp(g.door.at))
			rc = door_fault(&g.door, &inner_error);
		else
			rc = ref_run(r->ref, in, n, &o, &result->of, &inner_error);
		guest_leave(&g);
	}
	free_values(in, n);
	if (rc)
		mem_free(result);
	else
		*out = result;
	return guest_report(rc, &inner_error, e);
}

size_t assay_result_count(const struct assay_result *r)
{
	return r ? r->of.n : 0;
}

const char *assay_result_name(const struct assay_result *r, size_t i)
{
	return i < assay_result_count(r) ? r->of.outputs[i].name : NULL;
}

const struct assay_tensor *assay_result_tensor(const struct assay_result *r, size_t i)
{
	const struct value *v = i < assay_result_count(r) ? r->of.outputs[i].value : NULL;

	return v && v->kind == VALUE_TENSOR ? (const struct assay_tensor *)v->tensor : NULL;
}

const float *assay_result_noise(const struct assay_result *r, size_t i)
{
	return i < assay_result_count(r) ? r->of.outputs[i].noise : NULL;
}

void assay_result_free(struct assay_result *r)
{
	if (r)
		ref_result_release(&r->of);
	mem_free(r);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static int find_wires(const struct graph *g, const struct assay_gradient *of, struct wire **out, struct err *e)
{
	for (size_t i = 0; i < of->n_wanted; i++) {
		if (!of->wanted[i])
			return err_set(e, ERR_USAGE, "wanted[%zu] has no name", i);
		out[i] = graph_wire(g, of->wanted[i]);
		if (!out[i])
			return err_set(e, ERR_USAGE, "the model has no tensor '%s'", of->wanted[i]);
	}
	return 0;
}

/* Seeds as ref_backward() wants them: one for each output, wide. */
static int widen_seeds(const struct graph *g, const struct assay_gradient *of, struct tensor **out, struct err *e)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		if (of->seeds[i] && !(out[i] = tensor_widen(inner(of->seeds[i]), e)))
			return e->code;
	return 0;
}

static int check_gradient(const struct graph *g, const struct assay_gradient *of, struct err *e)
{
	if (of->n_seeds != g->outputs.n)
		return err_set(e, ERR_USAGE, "%zu seeds were given, the model has %zu outputs", of->n_seeds,
			       g->outputs.n);
	if ((of->n_seeds && !of->seeds) || (of->n_wanted && !of->wanted))
		return err_set(e, ERR_USAGE, "there are %zu seeds and %zu wanted names, and no array of them",
			       of->n_seeds, of->n_wanted);
	return 0;
}

/* With all that is asked checked.  made[]: room for n_wanted. */
static int go_back(struct assay_reference *r, const struct assay_gradient *of, const struct ref_options *o,
		   struct tensor **made, struct err *e)
{
	const struct graph *g = r->model->graph;
	struct wire **wires = mem_array(of->n_wanted, sizeof *wires);
	struct tensor **seeds = mem_array(g->outputs.n, sizeof *seeds);
	struct value **in = NULL;
	int rc = wires && seeds ? 0 : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = make_values(g, of->inputs, of->n_inputs, &in, e);
	if (!rc)
		rc = widen_seeds(g, of, seeds, e);
	if (!rc)
		rc = find_wires(g, of, wires, e);
	if (!rc) {
		const struct ref_gradient wide = {
			.inputs = in, .n = of->n_inputs, .seeds = seeds, .wanted = wires, .n_wanted = of->n_wanted};

		rc = ref_backward(r->ref, &wide, o, made, e);
	}
	for (size_t i = 0; seeds && i < g->outputs.n; i++)
		tensor_unref(seeds[i]);
	free_values(in, of->n_inputs);
	mem_free(wires);
	mem_free(seeds);
	return rc;
}

int assay_reference_gradient(struct assay_reference *r, const struct assay_gradient *of,
			     const struct assay_run_options *options, struct assay_tensor **grads,
			     struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct tensor **made;
	struct ref_options o;
	struct guest g;
	int rc;

	if (!r || !of || (of->n_wanted && !grads))
		return guest_refuse(e, "gradients need a reference, what is asked for and a place to be put");
	made = mem_array(of->n_wanted, sizeof *made);
	rc = made ? read_options(options, &o, &inner_error) : err_nomem(&inner_error, "gradients", 0);
	if (!rc && o.mode == REF_NOISY)
		rc = err_set(&inner_error, ERR_USAGE, "gradients are exact or rounded, not noisy");
	if (!rc)
		rc = check_gradient(r->model->graph, of, &inner_error);
	if (!rc) {
		guest_enter(&g);
		if (setjmp(g.door.at))
			rc = door_fault(&g.door, &inner_error);
		else
			rc = go_back(r, of, &o, made, &inner_error);
		guest_leave(&g);
	}
	for (size_t i = 0; i < of->n_wanted && !rc; i++)
		grads[i] = (struct assay_tensor *)made[i];
	mem_free(made);
	return guest_report(rc, &inner_error, e);
}
