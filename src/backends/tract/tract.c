/* tract.c - the worker's backend for tract.
 *
 * Installed as lib/libtract.so: the extension module of the PyPI wheel `tract` (tract/tract.cpython-*.so), which
 * exports the C interface and needs no Python.  No header, no link dependency (tract_api.h).
 *
 * tract optimizes for the shapes it is told.  A model whose inputs are declared with known dimensions is prepared when
 * it is loaded; any other is prepared when it is run, for the shapes that come, and kept for the next run with the
 * same.
 *
 * It computes on one thread, in the types of the model.  Panics of the library end the process: they are crashes.
 *
 * Intermediate tensors become graph outputs, which may keep the library from fusing around them. */
#include <stdio.h>
#include <string.h>

#include "backends/onnx/onnx.h"
#include "backends/tract/internal.h"
#include "backends/tract/tract.h"
#include "base/mem.h"

struct tract_session {
	struct onnx_ports ports; /* first */
	struct buf model;        /* kept: each preparation reads it again */
	char *path;              /* of its file, when that is to be read; or NULL */
	struct TractRunnable *runnable;
	struct onnx_input *prepared; /* types and shapes that `runnable` is for, by input */
};

static void close_context(void *ctx)
{
	struct tract *t = ctx;

	tract_close_library(t);
	mem_free(t);
}

static int open_context(const char *folder, const struct backend_options *options, void **ctx, const char **version,
			struct err *e)
{
	struct tract *t = mem_zalloc(sizeof *t);
	int rc = t ? 0 : err_nomem(e, "tract", sizeof *t);

	if (!rc && backend_option_int(options, "threads", 1) != 1)
		rc = err_set(e, ERR_UNSUPPORTED, "tract runs on one thread");
	if (!rc)
		rc = tract_open_library(t, folder, e);
	if (rc) {
		if (t)
			close_context(t);
		return rc;
	}
	*ctx = t;
	*version = t->api.tract_version();
	return 0;
}

/* ---- preparing --------------------------------------------------------------------------------------------------- */

/* Tells the library type and shape of one input: "2,3,f32". */
static int set_fact(const struct tract *t, struct TractInferenceModel *m, size_t at, const struct onnx_input *in,
		    struct err *e)
{
	const char *type = tract_type_name(in->dtype);
	struct TractInferenceFact *fact = NULL;
	struct buf spec;
	int rc;

	if (!type)
		return err_set(e, ERR_UNSUPPORTED, "tract takes no input of type %s", dtype_name(in->dtype));
	buf_init(&spec, 4096);
	for (int i = 0; i < in->rank; i++)
		buf_printf(&spec, "%lld,", (long long)in->dims[i]);
	buf_puts(&spec, type);
	rc = buf_check(&spec, e);
	if (!rc)
		rc = tract_check(t, t->api.tract_inference_fact_parse(m, spec.data, &fact), "read a type", e);
	if (!rc)
		rc = tract_check(t, t->api.tract_inference_model_set_input_fact(m, at, fact), "take a type", e);
	if (fact)
		t->api.tract_inference_fact_destroy(&fact);
	buf_release(&spec);
	return rc;
}

/* The library has the graph's inputs in order, without those that have a default, which are constants to it. */
static int set_facts(const struct tract *t, struct TractInferenceModel *m, const struct tract_session *s,
		     const struct onnx_input *in, struct err *e)
{
	uintptr_t n = 0, at = 0;
	int rc = tract_check(t, t->api.tract_inference_model_input_count(m, &n), "count inputs", e);

	for (size_t i = 0; i < s->ports.n_in && !rc; i++)
		if (!s->ports.in[i].has_default)
			rc = at < n ? set_fact(t, m, at++, &in[i], e)
				    : err_set(e, ERR_UNSUPPORTED, "tract has no input '%s'", s->ports.in[i].name);
	if (!rc && at != n)
		rc = err_set(e, ERR_UNSUPPORTED, "tract makes %zu inputs of %zu", (size_t)n, (size_t)at);
	return rc;
}

static int check_counts(const struct tract *t, const struct tract_session *s, const struct TractRunnable *r,
			struct err *e)
{
	uintptr_t n_in = 0, n_out = 0, wanted = 0;
	int rc = tract_check(t, t->api.tract_runnable_input_count(r, &n_in), "count inputs", e);

	if (!rc)
		rc = tract_check(t, t->api.tract_runnable_output_count(r, &n_out), "count outputs", e);
	for (size_t i = 0; i < s->ports.n_in; i++)
		wanted += !s->ports.in[i].has_default;
	if (!rc && (n_in != wanted || n_out != s->ports.n_out))
		rc = err_set(e, ERR_UNSUPPORTED, "tract makes %zu inputs of %zu, %zu outputs of %zu", (size_t)n_in,
			     (size_t)wanted, (size_t)n_out, s->ports.n_out);
	return rc;
}

static int read_model(const struct tract *t, const struct tract_session *s, struct TractInferenceModel **out,
		      struct err *e)
{
	return tract_check(t,
			   s->path ? t->api.tract_onnx_load(t->onnx, s->path, out)
				   : t->api.tract_onnx_load_buffer(t->onnx, s->model.data, s->model.len, out),
			   "read the model", e);
}

/* Prepares the model for inputs of these types and shapes; into_*() consume what they are given, also when they fail.
 */
static int prepare(const struct tract *t, struct tract_session *s, const struct onnx_input *in, struct err *e)
{
	struct TractInferenceModel *untyped = NULL;
	struct TractModel *typed = NULL;
	struct TractRunnable *runnable = NULL;
	int rc = read_model(t, s, &untyped, e);

	if (!rc)
		rc = set_facts(t, untyped, s, in, e);
	if (!rc)
		rc = tract_check(t, t->api.tract_inference_model_into_model(&untyped, &typed), "type the model", e);
	if (untyped)
		t->api.tract_inference_model_destroy(&untyped);
	if (!rc)
		rc = tract_check(t, t->api.tract_model_into_runnable(&typed, &runnable), "optimize the model", e);
	if (typed)
		t->api.tract_model_destroy(&typed);
	if (!rc)
		rc = check_counts(t, s, runnable, e);
	if (rc) {
		if (runnable)
			t->api.tract_runnable_release(&runnable);
		return rc;
	}
	if (s->runnable)
		t->api.tract_runnable_release(&s->runnable);
	s->runnable = runnable;
	memcpy(s->prepared, in, s->ports.n_in * sizeof *in);
	return 0;
}

static int same_shape(const struct onnx_input *a, const struct onnx_input *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       !memcmp(a->dims, b->dims, (size_t)(a->rank < 0 ? 0 : a->rank) * sizeof *a->dims);
}

static int prepare_unless_done(const struct tract *t, struct tract_session *s, const struct onnx_input *in,
			       struct err *e)
{
	int same = s->runnable != NULL;

	for (size_t i = 0; i < s->ports.n_in && same; i++)
		same = s->ports.in[i].has_default || same_shape(&s->prepared[i], &in[i]);
	return same ? 0 : prepare(t, s, in, e);
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void unload(void *ctx, void *session)
{
	struct tract *t = ctx;
	struct tract_session *s = session;

	if (!s)
		return;
	if (s->runnable)
		t->api.tract_runnable_release(&s->runnable);
	onnx_ports_release(&s->ports);
	buf_release(&s->model);
	mem_free(s->path);
	mem_free(s->prepared);
	mem_free(s);
}

/* Without shapes the library can still be asked whether it reads the model. */
static int try_reading(const struct tract *t, const struct tract_session *s, struct err *e)
{
	struct TractInferenceModel *m = NULL;
	int rc = read_model(t, s, &m, e);

	if (m)
		t->api.tract_inference_model_destroy(&m);
	return rc;
}

/* The library is told the shapes that come, and does not see that a symbol of value_info ("batch") stands for the same
 * size: it would refuse the model.  Its own remedy, to ignore value_info, is not in its C interface. */
static int forget_symbols(struct tract_session *s, struct err *e)
{
	struct buf less;
	int rc;

	buf_init(&less, ONNX_MAX_MODEL);
	rc = onnx_drop_value_info(s->model.data, s->model.len, &less, e);
	if (rc) {
		buf_release(&less);
		return rc;
	}
	buf_release(&s->model);
	s->model = less;
	return 0;
}

static int load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct tract *t = ctx;
	struct tract_session *s = mem_zalloc(sizeof *s);
	int is_static = 0, rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	buf_init(&s->model, ONNX_MAX_MODEL);
	if (m->outputs.n) {
		rc = onnx_expose(m, &s->model, e);
	} else {
		buf_add(&s->model, m->bytes, m->n);
		rc = buf_check(&s->model, e);
		s->path = m->path ? mem_strdup(m->path) : NULL;
		if (!rc && m->path && !s->path)
			rc = err_nomem(e, "a path", 0);
	}
	if (!rc)
		rc = onnx_ports_read(s->model.data, s->model.len, &s->ports, e);
	if (!rc && !(s->prepared = mem_array(s->ports.n_in + 1, sizeof *s->prepared)))
		rc = err_nomem(e, "inputs", s->ports.n_in * sizeof *s->prepared);
	if (!rc)
		is_static = onnx_ports_are_static(&s->ports);
	if (!rc && !is_static)
		rc = forget_symbols(s, e);
	if (!rc)
		rc = is_static ? prepare(t, s, s->ports.in, e) : try_reading(t, s, e);
	if (rc) {
		unload(t, s);
		return rc;
	}
	*session = s;
	return 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* One run: tensors of the library by position, and the types and shapes of what was given, by input. */
struct turn {
	struct TractTensor **in, **out;
	struct onnx_input *given;
	size_t n_in;
};

static int turn_init(struct turn *r, const struct tract_session *s, struct err *e)
{
	*r = (struct turn){.in = mem_array(s->ports.n_in + 1, sizeof *r->in),
			   .out = mem_array(s->ports.n_out + 1, sizeof *r->out),
			   .given = mem_array(s->ports.n_in + 1, sizeof *r->given)};
	return r->in && r->out && r->given ? 0 : err_nomem(e, "inputs and outputs", sizeof *r);
}

static void turn_release(struct turn *r, const struct tract *t, const struct tract_session *s)
{
	for (size_t i = 0; r->in && i < r->n_in; i++)
		if (r->in[i])
			t->api.tract_tensor_destroy(&r->in[i]);
	for (size_t i = 0; r->out && i < s->ports.n_out; i++)
		if (r->out[i])
			t->api.tract_tensor_destroy(&r->out[i]);
	mem_free(r->in);
	mem_free(r->out);
	mem_free(r->given);
}

static int give_input(struct turn *r, const struct tract *t, const struct value *v, size_t i, struct err *e)
{
	const struct tensor *x;

	if (!v || v->kind != VALUE_TENSOR)
		return err_set(e, ERR_UNSUPPORTED, "tract takes tensors only");
	x = v->tensor;
	r->given[i] = (struct onnx_input){.dtype = x->dtype, .rank = x->rank};
	memcpy(r->given[i].dims, x->dims, sizeof x->dims);
	return tract_from_tensor(t, x, &r->in[r->n_in++], e);
}

/* Puts what is given by name into the library's order. */
static int give_inputs(struct turn *r, const struct tract *t, const struct tract_session *s,
		       const struct backend_values *in, struct err *e)
{
	int rc = onnx_ports_check_given(&s->ports, in, e);

	for (size_t k = 0; k < in->n && !rc; k++) {
		const char *name = in->at[k].name;
		int i = onnx_ports_find_input(&s->ports, name);

		if (i < 0)
			rc = err_set(e, ERR_INPUT, "the model has no input '%s'", name);
		else if (s->ports.in[i].has_default)
			rc = err_set(e, ERR_UNSUPPORTED, "tract takes input '%s', which has a default, as a constant",
				     name);
	}
	for (size_t i = 0; i < s->ports.n_in && !rc; i++) {
		const char *name = s->ports.in[i].name;

		if (s->ports.in[i].has_default)
			continue;
		rc = give_input(r, t, backend_value(in, name)->value, i, e);
		if (rc)
			err_prefix(e, "input '%s'", name);
	}
	return rc;
}

static int take_output(const struct turn *r, const struct tract *t, const struct tract_session *s, const char *name,
		       struct value **out, struct err *e)
{
	struct tensor *x = NULL;
	int rc, i = onnx_ports_find_output(&s->ports, name);

	if (i < 0)
		return err_set(e, ERR_INPUT, "the session has no output '%s'", name);
	rc = tract_to_tensor(t, r->out[i], &x, e);
	if (rc)
		return err_prefix(e, "output '%s'", name);
	*out = value_tensor(x, e);
	return *out ? 0 : e->code;
}

static int run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct tract *t = ctx;
	struct tract_session *s = session;
	struct turn r;
	size_t n = 0;
	int rc = turn_init(&r, s, e);

	if (!rc)
		rc = give_inputs(&r, t, s, &q->in, e);
	if (!rc)
		rc = prepare_unless_done(t, s, r.given, e);
	if (!rc)
		rc = tract_check(t, t->api.tract_runnable_run(s->runnable, r.in, r.out), "run the model", e);
	while (n < q->wanted.n && !rc) {
		rc = take_output(&r, t, s, q->wanted.at[n], &out[n], e);
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	turn_release(&r, t, s);
	return rc;
}

const struct backend backend_tract = {
	.api = BACKEND_API,
	.name = "tract",
	.files = 1,
	.library = "tract",
	.open = open_context,
	.close = close_context,
	.load = load,
	.unload = unload,
	.outputs = onnx_ports_outputs,
	.run = run,
};
