/* assay.c - the public interface (include/assay.h) over the layers below.
 *
 * Thin on purpose: public types are the inner ones under another name, never looked into by callers.  Only errors are
 * copied, since their struct is public. */
#include "assay.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "reference/reference.h"
#include "tensor/io.h"

_Static_assert((int)ASSAY_ERR_INPUT == (int)ERR_INPUT, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_USAGE == (int)ERR_USAGE, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_UNSUPPORTED == (int)ERR_UNSUPPORTED, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_LIMIT == (int)ERR_LIMIT, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_IO == (int)ERR_IO, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_MEMORY == (int)ERR_MEMORY, "public statuses are the inner ones");
_Static_assert((int)ASSAY_ERR_INTERNAL == (int)ERR_INTERNAL, "public statuses are the inner ones");
_Static_assert((int)ASSAY_BFLOAT16 == (int)DT_BFLOAT16 && (int)ASSAY_DOUBLE == (int)DT_DOUBLE, "dtypes are ONNX's");
_Static_assert((int)ASSAY_NOISY == (int)REF_NOISY && (int)ASSAY_ROUNDED == (int)REF_ROUNDED,
	       "modes are the inner ones");
_Static_assert(ASSAY_MAX_RANK == TENSOR_MAX_RANK, "ranks are the inner ones");

/* A result is what the interpreter gave, in a block of its own. */
struct assay_result {
	struct ref_result of;
};

static struct tensor *inner(const struct assay_tensor *t)
{
	return (struct tensor *)(uintptr_t)t;
}

static struct assay_tensor *outer(struct tensor *t)
{
	return (struct assay_tensor *)t;
}

static struct model *inner_model(const struct assay_model *m)
{
	return (struct model *)(uintptr_t)m;
}

/* Hands an inner error out and returns its status. */
static int report(int rc, const struct err *inner_error, struct assay_error *e)
{
	if (e && rc) {
		e->status = rc;
		snprintf(e->message, sizeof e->message, "%s", inner_error->msg);
	}
	return rc;
}

/* ---- version and errors ------------------------------------------------------------------------------------------ */

const char *assay_version(void)
{
	return ASSAY_VERSION;
}

const char *assay_status_text(int status)
{
	return err_text(status);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

int assay_tensor_new(int dtype, int rank, const int64_t *dims, const void *data, size_t bytes,
		     struct assay_tensor **out, struct assay_error *e)
{
	enum dtype t = dtype_from_code(dtype);
	struct err inner_error = ERR_INIT;
	struct tensor *made;

	if (!t || t == DT_STRING)
		return report(err_set(&inner_error, ERR_USAGE, "%d is not the code of a type with bytes", dtype),
			      &inner_error, e);
	if (rank < 0 || rank > TENSOR_MAX_RANK)
		return report(
			err_set(&inner_error, ERR_USAGE, "rank %d is not between 0 and %d", rank, TENSOR_MAX_RANK),
			&inner_error, e);
	made = tensor_new_packed(t, rank, dims, &inner_error);
	if (!made)
		return report(inner_error.code, &inner_error, e);
	if (dtype_packed_size(t, made->count) != bytes) {
		err_set(&inner_error, ERR_USAGE, "%zu bytes were given, the tensor has %zu", bytes,
			dtype_packed_size(t, made->count));
		tensor_unref(made);
		return report(inner_error.code, &inner_error, e);
	}
	if (bytes)
		memcpy(made->data, data, bytes);
	*out = outer(made);
	return 0;
}

int assay_tensor_load(const char *path, struct assay_tensor **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct tensor *t = NULL;
	struct value *v;
	int rc;

	if (place_has_suffix(path, ".npy")) {
		rc = npy_load(path, &t, &inner_error);
	} else if (place_has_suffix(path, ".pb")) {
		rc = pb_load_value(path, VALUE_TENSOR, &v, NULL, &inner_error);
		if (!rc) {
			t = tensor_ref(v->tensor);
			value_unref(v);
		}
	} else {
		rc = err_set(&inner_error, ERR_USAGE, "'%s' is neither .npy nor .pb", path);
	}
	if (!rc)
		*out = outer(t);
	return report(rc, &inner_error, e);
}

int assay_tensor_save(const struct assay_tensor *t, const char *path, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	int rc;

	if (place_has_suffix(path, ".npy"))
		rc = npy_save(inner(t), path, &inner_error);
	else if (place_has_suffix(path, ".pb"))
		rc = pb_save_tensor(inner(t), "", path, &inner_error);
	else
		rc = err_set(&inner_error, ERR_USAGE, "'%s' is neither .npy nor .pb", path);
	return report(rc, &inner_error, e);
}

void assay_tensor_free(struct assay_tensor *t)
{
	tensor_unref(inner(t));
}

int assay_tensor_dtype(const struct assay_tensor *t)
{
	return (int)inner(t)->dtype;
}

const char *assay_tensor_dtype_name(const struct assay_tensor *t)
{
	return dtype_name(inner(t)->dtype);
}

int assay_tensor_rank(const struct assay_tensor *t)
{
	return inner(t)->rank;
}

const int64_t *assay_tensor_dims(const struct assay_tensor *t)
{
	return inner(t)->dims;
}

size_t assay_tensor_count(const struct assay_tensor *t)
{
	return inner(t)->count;
}

double assay_tensor_get(const struct assay_tensor *t, size_t i)
{
	return tensor_get(inner(t), i);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

int assay_model_load(const char *path, struct assay_model **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct model *m;
	int rc = model_load(path, &m, &inner_error);

	if (!rc)
		*out = (struct assay_model *)m;
	return report(rc, &inner_error, e);
}

int assay_model_parse(const void *data, size_t bytes, const char *path, struct assay_model **out, struct assay_error *e)
{
	struct err inner_error = ERR_INIT;
	struct model *m;
	int rc = model_parse(data, bytes, path, &m, &inner_error);

	if (!rc)
		*out = (struct assay_model *)m;
	return report(rc, &inner_error, e);
}

void assay_model_free(struct assay_model *m)
{
	model_free(inner_model(m));
}

size_t assay_model_input_count(const struct assay_model *m)
{
	return inner_model(m)->graph->inputs.n;
}

const char *assay_model_input_name(const struct assay_model *m, size_t i)
{
	return inner_model(m)->graph->inputs.at[i]->name;
}

int assay_model_input_has_default(const struct assay_model *m, size_t i)
{
	return inner_model(m)->graph->inputs.at[i]->init != NULL;
}

size_t assay_model_output_count(const struct assay_model *m)
{
	return inner_model(m)->graph->outputs.n;
}

const char *assay_model_output_name(const struct assay_model *m, size_t i)
{
	return inner_model(m)->graph->outputs.at[i]->name;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

/* Kept beside the interpreter: names of wanted gradients are looked up in the model. */
struct assay_reference {
	struct ref *ref;
	struct model *model;
};

int assay_reference_open(struct assay_model *m, struct assay_reference **out, struct assay_error *e)
{
	struct assay_reference *r = mem_zalloc(sizeof *r);
	struct err inner_error = ERR_INIT;
	int rc;

	if (!r)
		return report(err_nomem(&inner_error, "a reference", sizeof *r), &inner_error, e);
	r->model = inner_model(m);
	rc = ref_open(r->model, &r->ref, &inner_error);
	if (rc)
		mem_free(r);
	else
		*out = r;
	return report(rc, &inner_error, e);
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

static struct ref_options inner_options(const struct assay_run_options *o)
{
	struct ref_options r = {.mode = REF_EXACT};

	if (o) {
		r.mode = (enum ref_mode)o->mode;
		r.noise_runs = o->noise_runs;
		r.seed = o->seed;
		r.training = o->training;
	}
	return r;
}

static void free_values(struct value **v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		value_unref(v[i]);
	mem_free(v);
}

static struct value **make_values(struct assay_tensor *const *tensors, size_t n, struct err *e)
{
	struct value **v = mem_array(n, sizeof *v);

	if (!v)
		err_nomem(e, "inputs", n * sizeof *v);
	for (size_t i = 0; v && i < n; i++) {
		if (!tensors[i])
			continue;
		v[i] = value_tensor(tensor_ref(inner(tensors[i])), e);
		if (!v[i]) {
			free_values(v, n);
			return NULL;
		}
	}
	return v;
}

int assay_reference_run(struct assay_reference *r, struct assay_tensor *const *inputs, size_t n,
			const struct assay_run_options *options, struct assay_result **out, struct assay_error *e)
{
	struct ref_options o = inner_options(options);
	struct assay_result *result = mem_zalloc(sizeof *result);
	struct err inner_error = ERR_INIT;
	struct value **in = result ? make_values(inputs, n, &inner_error) : NULL;
	int rc = result ? inner_error.code : err_nomem(&inner_error, "a result", sizeof *result);

	if (!rc)
		rc = ref_run(r->ref, in, n, &o, &result->of, &inner_error);
	free_values(in, n);
	if (rc)
		mem_free(result);
	else
		*out = result;
	return report(rc, &inner_error, e);
}

size_t assay_result_count(const struct assay_result *r)
{
	return r->of.n;
}

const char *assay_result_name(const struct assay_result *r, size_t i)
{
	return r->of.outputs[i].name;
}

const struct assay_tensor *assay_result_tensor(const struct assay_result *r, size_t i)
{
	const struct value *v = r->of.outputs[i].value;

	return v->kind == VALUE_TENSOR ? outer(v->tensor) : NULL;
}

const float *assay_result_noise(const struct assay_result *r, size_t i)
{
	return r->of.outputs[i].noise;
}

void assay_result_free(struct assay_result *r)
{
	if (r)
		ref_result_release(&r->of);
	mem_free(r);
}

static int find_wires(const struct graph *g, const struct assay_gradient *of, struct wire **out, struct err *e)
{
	for (size_t i = 0; i < of->n_wanted; i++) {
		out[i] = graph_wire(g, of->wanted[i]);
		if (!out[i])
			return err_set(e, ERR_USAGE, "the model has no tensor '%s'", of->wanted[i]);
	}
	return 0;
}

/* Seeds as ref_backward() wants them: one for each output, wide. */
static int widen_seeds(const struct graph *g, const struct assay_gradient *of, struct tensor **out, struct err *e)
{
	if (of->n_seeds != g->outputs.n)
		return err_set(e, ERR_USAGE, "%zu seeds were given, the model has %zu outputs", of->n_seeds,
			       g->outputs.n);
	for (size_t i = 0; i < of->n_seeds; i++)
		if (of->seeds[i] && !(out[i] = tensor_widen(inner(of->seeds[i]), e)))
			return e->code;
	return 0;
}

int assay_reference_gradient(struct assay_reference *r, const struct assay_gradient *of,
			     const struct assay_run_options *options, struct assay_tensor **grads,
			     struct assay_error *e)
{
	const struct graph *g = r->model->graph;
	struct ref_options o = inner_options(options);
	struct err inner_error = ERR_INIT;
	struct value **in = make_values(of->inputs, of->n_inputs, &inner_error);
	struct wire **wires = mem_array(of->n_wanted, sizeof *wires);
	struct tensor **seeds = mem_array(g->outputs.n, sizeof *seeds), **made = mem_array(of->n_wanted, sizeof *made);
	const struct ref_gradient wide = {
		.inputs = in, .n = of->n_inputs, .seeds = seeds, .wanted = wires, .n_wanted = of->n_wanted};
	int rc = in && wires && seeds && made ? 0 : err_nomem(&inner_error, "gradients", 0);

	if (!rc)
		rc = widen_seeds(g, of, seeds, &inner_error);
	if (!rc)
		rc = find_wires(g, of, wires, &inner_error);
	if (!rc)
		rc = ref_backward(r->ref, &wide, &o, made, &inner_error);
	for (size_t i = 0; i < of->n_wanted && !rc; i++)
		grads[i] = outer(made[i]);
	for (size_t i = 0; seeds && i < g->outputs.n; i++)
		tensor_unref(seeds[i]);
	free_values(in, of->n_inputs);
	mem_free(wires);
	mem_free(seeds);
	mem_free(made);
	return report(rc, &inner_error, e);
}
