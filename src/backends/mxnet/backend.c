/* backend.c - MXNet behind the worker's interface: sessions over the binding table, and gradients by its autograd.
 *
 * Options: mode=imperative (operation by operation) or symbolic (symbol.c: outputs come from the executor of one graph;
 * gradients are by autograd in both), saved=1 (symbolic graphs go through their JSON), threads=N. */
#include "backends/mxnet/backend.h"

#include <string.h>

#include "backends/bind/record.h"
#include "backends/mxnet/mxnet.h"
#include "base/mem.h"

static int backend_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
			struct err *e)
{
	int64_t threads = backend_option_int(o, "threads", 1);
	const char *mode = backend_option(o, "mode", "imperative");
	struct mx *mx;
	int rc;

	if (strcmp(mode, "imperative") && strcmp(mode, "symbolic"))
		return err_set(e, ERR_USAGE, "option mode: '%s' is not imperative or symbolic", mode);
	if (threads < 1 || threads > 1024)
		return err_set(e, ERR_USAGE, "cannot use %lld threads", (long long)threads);
	rc = mx_table_init(e);
	if (!rc)
		rc = mx_open(folder, (int)threads, &mx, e);
	if (rc)
		return rc;
	rc = record_open(backend_option(o, "record", NULL), backend_option(o, "values", NULL) != NULL, &mx->record, e);
	if (rc) {
		mx_close(mx);
		return rc;
	}
	mx->symbolic = !strcmp(mode, "symbolic");
	mx->saved = backend_option_int(o, "saved", 0) != 0;
	*ctx = mx;
	*version = mx->version;
	return 0;
}

static void backend_close(void *ctx)
{
	mx_close(ctx);
}

static int backend_load(void *ctx, const void *model, size_t n, const struct backend_options *o,
			const char *const *outputs, size_t n_outputs, void **session, struct err *e)
{
	struct bind_session *s;
	int rc = bind_open(&mx_library, ctx, model, n, outputs, n_outputs, &s, e);

	(void)o;
	if (!rc)
		*session = s;
	return rc;
}

static void backend_unload(void *ctx, void *session)
{
	(void)ctx;
	bind_close(session);
}

static size_t backend_outputs(void *session, const char *const **names)
{
	return bind_outputs(session, names);
}

static void release_arrays(struct mx *mx, void **arrays, size_t n)
{
	for (size_t i = 0; arrays && i < n; i++)
		if (arrays[i])
			mx_release(mx, arrays[i]);
	mem_free(arrays);
}

/* The outputs as arrays, which the caller releases. */
static int run_arrays(struct mx *mx, struct bind_session *s, const struct named_value *in, size_t n_in,
		      const char *const *names, void **arrays, size_t n, struct err *e)
{
	int rc;

	if (mx->symbolic)
		mx_trace_begin(mx);
	rc = bind_run(s, in, n_in, names, arrays, n, NULL, NULL, e);
	if (mx->symbolic && !rc) {
		rc = mx_trace_run(mx, arrays, n, e);
		for (size_t i = 0; rc && i < n; i++)
			mx_release(mx, arrays[i]);
	}
	if (mx->symbolic)
		mx_trace_end(mx);
	return rc;
}

static int backend_run(void *ctx, void *session, const struct named_value *in, size_t n_in, const char *const *names,
		       struct value **out, size_t n_out, struct err *e)
{
	void **arrays = mem_array(n_out, sizeof *arrays);
	size_t n = 0;
	int rc = arrays ? run_arrays(ctx, session, in, n_in, names, arrays, n_out, e)
			: err_nomem(e, "outputs", n_out * sizeof *arrays);

	if (rc) {
		mem_free(arrays);
		return rc;
	}
	while (n < n_out && !rc) {
		struct tensor *t;

		rc = mx_to_tensor(ctx, arrays[n], &t, e);
		if (!rc && !(out[n] = value_tensor(t, e)))
			rc = e->code;
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	release_arrays(ctx, arrays, n_out);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

struct mx_marks {
	struct mx *mx;
	const char *const *wanted;
	size_t n;
	void **gradients; /* of wanted[i]; NULL: not seen */
};

static int mark_wanted(void *arg, const struct wire *w, void *array, struct err *e)
{
	struct mx_marks *m = arg;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->wanted[i], w->name)) {
			if (m->gradients[i])
				return 0;
			if (!dtype_is_float(w->type.dtype))
				return err_set(e, ERR_INPUT, "'%s' is not of a float type", w->name);
			return mx_mark(m->mx, array, &m->gradients[i], e);
		}
	return 0;
}

static int run_recorded(struct bind_session *s, const struct named_value *in, size_t n_in, const char *const *names,
			void **outputs, size_t n, struct mx_marks *m, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc = mx_record(m->mx, 1, e);

	m->mx->wanted = m->wanted;
	m->mx->n_wanted = m->n;
	if (!rc)
		rc = bind_run(s, in, n_in, names, outputs, n, mark_wanted, m, e);
	m->mx->wanted = NULL;
	m->mx->n_wanted = 0;
	mx_record(m->mx, 0, rc ? &ignored : e);
	return rc ? rc : e->code;
}

/* A wanted value that no node reads has the gradient 0. */
static int zero_gradient(const struct bind_session *s, const struct named_value *in, size_t n_in, const char *name,
			 struct tensor **out, struct err *e)
{
	const struct wire *w = graph_wire(bind_model(s)->graph, name);
	const struct tensor *like = w && w->init ? w->init : NULL;
	struct tensor *wide;

	for (size_t i = 0; i < n_in; i++)
		if (!strcmp(in[i].name, name) && in[i].value->kind == VALUE_TENSOR)
			like = in[i].value->tensor;
	if (!like || !dtype_is_float(like->dtype))
		return err_set(e, ERR_INPUT, "'%s' is neither a float input nor an initializer", name);
	wide = tensor_zeros(like->dtype, like->rank, like->dims, e);
	*out = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return *out ? 0 : e->code;
}

static int take_gradients(struct bind_session *s, const struct named_value *in, size_t n_in, struct mx_marks *m,
			  struct tensor **grads, struct err *e)
{
	size_t n = 0;
	int rc = 0;

	for (; n < m->n && !rc; n += !rc)
		rc = m->gradients[n] ? mx_gradient(m->mx, m->gradients[n], &grads[n], e)
				     : zero_gradient(s, in, n_in, m->wanted[n], &grads[n], e);
	while (rc && n)
		tensor_unref(grads[--n]);
	return rc;
}

static int make_seeds(struct mx *mx, const struct named_value *seeds, size_t n, const char **names, void **arrays,
		      struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct tensor *t;

		if (!seeds[i].value || seeds[i].value->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the gradient of '%s' is not a tensor", seeds[i].name);
		names[i] = seeds[i].name;
		t = tensor_pack(seeds[i].value->tensor, e);
		arrays[i] = t ? mx_from_tensor(mx, t, e) : NULL;
		tensor_unref(t);
		if (!arrays[i])
			return e->code;
	}
	return 0;
}

static int backend_backward(void *ctx, void *session, const struct named_value *in, size_t n_in,
			    const struct named_value *seeds, size_t n_seeds, const char *const *wanted, size_t n_wanted,
			    struct tensor **grads, struct err *e)
{
	struct mx *mx = ctx;
	struct mx_marks m = {mx, wanted, n_wanted, mem_array(n_wanted, sizeof *m.gradients)};
	void **heads = mem_array(n_seeds, sizeof *heads), **outputs = mem_array(n_seeds, sizeof *outputs);
	const char **names = mem_array(n_seeds, sizeof *names);
	int rc = m.gradients && heads && outputs && names ? 0 : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = make_seeds(mx, seeds, n_seeds, names, heads, e);
	if (!rc)
		rc = run_recorded(session, in, n_in, names, outputs, n_seeds, &m, e);
	if (!rc && n_seeds)
		rc = mx_backward(mx, outputs, heads, n_seeds, e);
	/* The library calls it an error when an output depends on nothing that is wanted: those gradients are 0. */
	if (rc && n_seeds == 1 && strstr(e->msg, "not in a computational graph")) {
		err_clear(e);
		rc = 0;
	}
	if (!rc)
		rc = take_gradients(session, in, n_in, &m, grads, e);
	mem_free(names);
	release_arrays(mx, outputs, n_seeds);
	release_arrays(mx, heads, n_seeds);
	release_arrays(mx, m.gradients, n_wanted);
	return rc;
}

static const char *const *backend_operators(void *ctx)
{
	(void)ctx;
	return bind_operators(&mx_library);
}

const struct backend backend_mxnet = {
	.api = BACKEND_API,
	.name = "mxnet",
	.library = "mxnet",
	.open = backend_open,
	.close = backend_close,
	.load = backend_load,
	.unload = backend_unload,
	.outputs = backend_outputs,
	.run = backend_run,
	.backward = backend_backward,
	.invoke = mx_backend_invoke,
	.list = mx_backend_list,
	.operators = backend_operators,
};
