/* openvino.c - the worker's backend for OpenVINO's CPU device.
 *
 * Installed as lib/: libopenvino_c.so.*, libopenvino.so.*, libopenvino_intel_cpu_plugin.so,
 * libopenvino_onnx_frontend.so.*, libopenvino_ir_frontend.so.* and libtbb.so.12 from the PyPI wheel `openvino` (folder
 * openvino/libs), 2024.6 or newer: the library finds its plugins beside itself.  The C interface only: no header, no
 * link dependency (ov_api.h).
 *
 * Options:
 *   precision=f32|bf16  INFERENCE_PRECISION_HINT.  bf16 is refused where the processor does not have it.
 *   precision=own       nothing is said: on processors with AMX the library's own choice is bf16
 *   threads=N           INFERENCE_NUM_THREADS, 1 unless told; one stream, never pinned to a core, since many workers
 *                       share a machine.
 *   mode=performance|accuracy  EXECUTION_MODE_HINT, the library's choice unless told.
 *   save=FILE           the kinds of nodes that each run executed, a line each: what is left after fusing.
 *   saved=1             the compiled model is written (the device exports it as IR) and read again, and that is run.
 *
 * Intermediate tensors become graph outputs, which may keep the library from fusing around them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/onnx/onnx.h"
#include "backends/openvino/openvino.h"
#include "backends/openvino/ov.h"
#include "base/mem.h"

struct ov_session {
	struct onnx_ports ports; /* first */
	struct ov_compiled_model *compiled;
	struct ov_infer_request *request;
	struct ov_output_const_port **in; /* one for each input; NULL: a constant, or dropped as unused */
	char save[256];                   /* where runs tell what they executed; "": nowhere */
	struct buf written;               /* saved=1: constants of what was imported lie in it */
};

static void openvino_close(void *ctx)
{
	struct ov *o = ctx;

	ov_close(o);
	mem_free(o);
}

static int openvino_open(const char *folder, const struct backend_options *options, void **ctx, const char **version,
			 struct err *e)
{
	struct ov *o = mem_zalloc(sizeof *o);
	int rc = o ? ov_open(o, folder, e) : err_nomem(e, "openvino", sizeof *o);

	if (rc) {
		if (o)
			openvino_close(o);
		return rc;
	}
	(void)options; /* they count when a model is loaded */
	*ctx = o;
	*version = o->version;
	return 0;
}

static void openvino_unload(void *ctx, void *session)
{
	struct ov *o = ctx;
	struct ov_session *s = session;

	if (!s)
		return;
	for (size_t i = 0; s->in && i < s->ports.n_in; i++)
		if (s->in[i])
			o->api.ov_output_const_port_free(s->in[i]);
	mem_free(s->in);
	if (s->request)
		o->api.ov_infer_request_free(s->request);
	if (s->compiled)
		o->api.ov_compiled_model_free(s->compiled);
	buf_release(&s->written);
	onnx_ports_release(&s->ports);
	mem_free(s);
}

static int is_own(const char *precision)
{
	return !strcmp(precision, "own");
}

/* A hint may be ignored without a word; what was made of it can be asked. */
static int check_precision(const struct ov *o, const struct ov_session *s, const char *wanted, struct err *e)
{
	char *got = NULL;
	int rc =
		is_own(wanted)
			? 0
			: ov_check(o,
				   o->api.ov_compiled_model_get_property(s->compiled, "INFERENCE_PRECISION_HINT", &got),
				   "tell its precision", e);

	if (!rc && got && strcmp(got, wanted))
		rc = err_set(e, ERR_UNSUPPORTED, "openvino computes in %s on this processor, not in %s", got, wanted);
	if (got)
		o->api.ov_free(got);
	return rc;
}

static int compile(const struct ov *o, struct ov_session *s, const struct ov_model *model,
		   const struct backend_options *options, struct err *e)
{
	const char *precision = backend_option(options, "precision", "f32"),
		   *mode = backend_option(options, "mode", "");
	const char *mode_word = !strcmp(mode, "accuracy") ? "ACCURACY" : "PERFORMANCE";
	const char *more[4] = {NULL}; /* keys and values that may be left out */
	char threads[24];
	int rc, n = 0;

	if (strcmp(precision, "f32") && strcmp(precision, "bf16") && !is_own(precision))
		return err_set(e, ERR_USAGE, "precision is f32, bf16 or own, not '%s'", precision);
	if (*mode && strcmp(mode, "accuracy") && strcmp(mode, "performance"))
		return err_set(e, ERR_USAGE, "mode is performance or accuracy, not '%s'", mode);
	snprintf(threads, sizeof threads, "%lld", (long long)backend_option_int(options, "threads", 1));
	snprintf(s->save, sizeof s->save, "%s", backend_option(options, "save", ""));
	if (!is_own(precision)) {
		more[n++] = "INFERENCE_PRECISION_HINT";
		more[n++] = precision;
	}
	if (*mode) {
		more[n++] = "EXECUTION_MODE_HINT";
		more[n++] = mode_word;
	}
	/* keys and values, counted one by one */
	rc = ov_check(o,
		      o->api.ov_core_compile_model(o->core, model, "CPU", (size_t)(8 + n), &s->compiled,
						   "INFERENCE_NUM_THREADS", threads, "NUM_STREAMS", "1",
						   "ENABLE_CPU_PINNING", "NO", "PERF_COUNT", *s->save ? "YES" : "NO",
						   more[0], more[1], more[2], more[3]),
		      "compile the model", e);
	return rc ? rc : check_precision(o, s, precision, e);
}

/* The library reads the first pair alone, however many are given. */
static int set_property(const struct ov *o, const char *key, const char *value, struct err *e)
{
	return ov_check(o, o->api.ov_core_set_property(o->core, "CPU", key, value), "take settings", e);
}

/* What is imported has the core's settings, not those it was compiled with. */
static int import(const struct ov *o, struct ov_session *s, const struct buf *bytes,
		  const struct backend_options *options, struct err *e)
{
	const char *precision = backend_option(options, "precision", "f32");
	struct ov_compiled_model *loaded = NULL;
	char threads[24];
	int rc;

	snprintf(threads, sizeof threads, "%lld", (long long)backend_option_int(options, "threads", 1));
	rc = set_property(o, "INFERENCE_NUM_THREADS", threads, e);
	if (!rc)
		rc = set_property(o, "NUM_STREAMS", "1", e);
	if (!rc && !is_own(precision))
		rc = set_property(o, "INFERENCE_PRECISION_HINT", precision, e);
	if (!rc)
		rc = ov_check(o, o->api.ov_core_import_model(o->core, bytes->data, bytes->len, "CPU", &loaded),
			      "read the model it wrote", e);
	if (rc)
		return rc;
	o->api.ov_compiled_model_free(s->compiled);
	s->compiled = loaded;
	return check_precision(o, s, precision, e);
}

static int save_and_load(const struct ov *o, struct ov_session *s, const struct backend_options *options, struct err *e)
{
	const char *path = "saved.ir"; /* in the worker's own folder */
	int rc;

	buf_init(&s->written, ONNX_MAX_MODEL);
	rc = ov_check(o, o->api.ov_compiled_model_export_model(s->compiled, path), "write the model", e);
	if (!rc)
		rc = buf_read_file(&s->written, path, ONNX_MAX_MODEL, e);
	if (!rc)
		rc = import(o, s, &s->written, options, e);
	unlink(path);
	return rc;
}

static int read_and_compile(const struct ov *o, struct ov_session *s, const struct backend_model *m, struct err *e)
{
	struct ov_model *model = NULL;
	OV_STATUS status =
		m->path ? o->api.ov_core_read_model(o->core, m->path, NULL, &model)
			: o->api.ov_core_read_model_from_memory_buffer(o->core, m->bytes, m->n, NULL, &model);
	int rc = ov_check(o, status, "read the model", e);

	if (rc)
		return rc;
	rc = compile(o, s, model, &m->options, e);
	o->api.ov_model_free(model);
	if (!rc && backend_option_int(&m->options, "saved", 0))
		rc = save_and_load(o, s, &m->options, e);
	if (!rc)
		rc = ov_check(o, o->api.ov_compiled_model_create_infer_request(s->compiled, &s->request),
			      "make a request", e);
	return rc;
}

/* The library keeps the graph's order, but an input may lose its name to an output that is the same tensor, and inputs
 * that nothing uses are dropped.  So inputs go by position when all are there, else by name; those with a default are
 * constants.  *found counts the ports. */
static int find_input(const struct ov *o, struct ov_session *s, size_t i, int by_position, size_t *found, struct err *e)
{
	if (by_position)
		return ov_check(o, o->api.ov_compiled_model_input_by_index(s->compiled, (*found)++, &s->in[i]),
				"show an input", e);
	*found += o->api.ov_compiled_model_input_by_name(s->compiled, s->ports.in[i].name, &s->in[i]) == OV_OK;
	return 0;
}

static int find_ports(const struct ov *o, struct ov_session *s, struct err *e)
{
	size_t n_in = 0, n_out = 0, wanted = 0, found = 0;
	int rc = ov_check(o, o->api.ov_compiled_model_inputs_size(s->compiled, &n_in), "count inputs", e);

	if (!rc)
		rc = ov_check(o, o->api.ov_compiled_model_outputs_size(s->compiled, &n_out), "count outputs", e);
	if (rc)
		return rc;
	s->in = mem_array(s->ports.n_in + 1, sizeof *s->in);
	if (!s->in)
		return err_nomem(e, "inputs", s->ports.n_in * sizeof *s->in);
	for (size_t i = 0; i < s->ports.n_in; i++)
		wanted += !s->ports.in[i].has_default;
	for (size_t i = 0; i < s->ports.n_in && !rc; i++)
		if (!s->ports.in[i].has_default)
			rc = find_input(o, s, i, n_in == wanted, &found, e);
	if (!rc && (found != n_in || n_out != s->ports.n_out))
		rc = err_set(e, ERR_UNSUPPORTED, "openvino makes %zu inputs of %zu, %zu outputs of %zu: which?", n_in,
			     wanted, n_out, s->ports.n_out);
	return rc;
}

static int openvino_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct ov *o = ctx;
	struct ov_session *s = mem_zalloc(sizeof *s);
	struct backend_model shown;
	struct buf more;
	int rc = s ? 0 : err_nomem(e, "a session", sizeof *s);

	buf_init(&more, ONNX_MAX_MODEL);
	if (!rc)
		rc = onnx_exposed(m, &more, &shown, e);
	if (!rc)
		rc = onnx_ports_read(shown.bytes, shown.n, &s->ports, e);
	if (!rc)
		rc = read_and_compile(o, s, &shown, e);
	if (!rc)
		rc = find_ports(o, s, e);
	buf_release(&more);
	if (rc) {
		openvino_unload(o, s);
		return rc;
	}
	*session = s;
	return 0;
}

static int give_input(const struct ov *o, struct ov_session *s, const struct named_value *in, struct ov_tensor **held,
		      struct err *e)
{
	int i = onnx_ports_find_input(&s->ports, in->name), rc;

	if (i < 0)
		return err_set(e, ERR_INPUT, "the model has no input '%s'", in->name);
	if (s->ports.in[i].has_default)
		return err_set(e, ERR_UNSUPPORTED, "openvino takes input '%s', which has a default, as a constant",
			       in->name);
	if (!in->value || in->value->kind != VALUE_TENSOR)
		return err_set(e, ERR_UNSUPPORTED, "openvino takes tensors only: input '%s' is none", in->name);
	if (!s->in[i])
		return 0;
	rc = ov_from_tensor(o, in->value->tensor, held, e);
	if (!rc)
		rc = ov_check(o, o->api.ov_infer_request_set_tensor_by_const_port(s->request, s->in[i], *held),
			      "take an input", e);
	return rc ? err_prefix(e, "input '%s'", in->name) : 0;
}

static int take_output(const struct ov *o, const struct ov_session *s, const char *name, struct value **out,
		       struct err *e)
{
	struct ov_tensor *got = NULL;
	struct tensor *t = NULL;
	int rc, i = onnx_ports_find_output(&s->ports, name);

	if (i < 0)
		return err_set(e, ERR_INPUT, "the session has no output '%s'", name);
	rc = ov_check(o, o->api.ov_infer_request_get_output_tensor_by_index(s->request, (size_t)i, &got),
		      "give an output", e);
	if (!rc)
		rc = ov_to_tensor(o, got, &t, e);
	if (got)
		o->api.ov_tensor_free(got);
	if (rc)
		return err_prefix(e, "output '%s'", name);
	*out = value_tensor(t, e);
	return *out ? 0 : e->code;
}

/* The kinds of nodes that were executed. */
static int tell_nodes(const struct ov *o, const struct ov_session *s, struct err *e)
{
	struct ov_profile_list all = {NULL, 0};
	struct buf text;
	int rc = ov_check(o, o->api.ov_infer_request_get_profiling_info(s->request, &all), "tell what it executed", e);

	if (rc)
		return rc;
	buf_init(&text, ONNX_MAX_MODEL);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].status == OV_EXECUTED)
			buf_printf(&text, "%s\n", all.at[i].node_type);
	o->api.ov_profiling_info_list_free(&all);
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data ? text.data : "", text.len, s->save, e);
	buf_release(&text);
	return rc;
}

static int openvino_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct ov *o = ctx;
	struct ov_session *s = session;
	struct ov_tensor **held = mem_array(q->in.n + 1, sizeof *held);
	size_t n = 0;
	int rc = held ? onnx_ports_check_given(&s->ports, &q->in, e) : err_nomem(e, "inputs", q->in.n * sizeof *held);

	for (size_t i = 0; i < q->in.n && !rc; i++)
		rc = give_input(o, s, &q->in.at[i], &held[i], e);
	if (!rc)
		rc = ov_check(o, o->api.ov_infer_request_infer(s->request), "run the model", e);
	if (!rc && *s->save)
		rc = tell_nodes(o, s, e);
	while (n < q->wanted.n && !rc) {
		rc = take_output(o, s, q->wanted.at[n], &out[n], e);
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	for (size_t i = 0; held && i < q->in.n; i++)
		if (held[i])
			o->api.ov_tensor_free(held[i]);
	mem_free(held);
	return rc;
}

const struct backend backend_openvino = {
	.api = BACKEND_API,
	.name = "openvino",
	.files = 1,
	.library = "openvino",
	.open = openvino_open,
	.close = openvino_close,
	.load = openvino_load,
	.unload = openvino_unload,
	.outputs = onnx_ports_outputs,
	.run = openvino_run,
};
