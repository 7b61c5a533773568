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

static int backend_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct bind_session *s;
	int rc = bind_open(&mx_library, ctx, m, &s, e);

	if (!rc)
		*session = s;
	return rc;
}

static void release_arrays(struct mx *mx, void **arrays, size_t n)
{
	for (size_t i = 0; arrays && i < n; i++)
		if (arrays[i])
			mx_release(mx, arrays[i]);
	mem_free(arrays);
}

/* The outputs as arrays, which the caller releases. */
static int run_arrays(struct mx *mx, struct bind_session *s, const struct backend_run *q, void **arrays, struct err *e)
{
	int rc;

	if (mx->symbolic)
		mx_trace_begin(mx);
	rc = bind_run(s, q, arrays, NULL, NULL, e);
	if (mx->symbolic && !rc) {
		rc = mx_trace_run(mx, arrays, q->wanted.n, e);
		for (size_t i = 0; rc && i < q->wanted.n; i++)
			mx_release(mx, arrays[i]);
	}
	if (mx->symbolic)
		mx_trace_end(mx);
	return rc;
}

static int backend_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	void **arrays = mem_array(q->wanted.n, sizeof *arrays);
	int rc =
		arrays ? run_arrays(ctx, session, q, arrays, e) : err_nomem(e, "outputs", q->wanted.n * sizeof *arrays);

	if (!rc)
		rc = bind_take_values(session, arrays, q->wanted.n, out, e);
	mem_free(arrays);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* One pass of gradients: arrays of outputs and seeds by seed, and of the gradients by what is wanted. */
struct mx_pass {
	struct mx *mx;
	const struct backend_gradient *q;
	void **outputs, **seeds, **gradients; /* gradients[i] NULL: the driver did not show wanted[i] */
	const char **names;                   /* of the outputs */
};

static int pass_init(struct mx_pass *p, struct mx *mx, const struct backend_gradient *q, struct err *e)
{
	size_t n = q->seeds.n;

	*p = (struct mx_pass){.mx = mx,
			      .q = q,
			      .outputs = mem_array(n, sizeof *p->outputs),
			      .seeds = mem_array(n, sizeof *p->seeds),
			      .gradients = mem_array(q->wanted.n, sizeof *p->gradients),
			      .names = mem_array(n, sizeof *p->names)};
	return p->outputs && p->seeds && p->gradients && p->names ? 0 : err_nomem(e, "gradients", 0);
}

static void pass_release(struct mx_pass *p)
{
	mem_free(p->names);
	release_arrays(p->mx, p->outputs, p->q->seeds.n);
	release_arrays(p->mx, p->seeds, p->q->seeds.n);
	release_arrays(p->mx, p->gradients, p->q->wanted.n);
}

static int mark_wanted(void *arg, const struct wire *w, void *array, struct err *e)
{
	struct mx_pass *p = arg;

	for (size_t i = 0; i < p->q->wanted.n; i++)
		if (!strcmp(p->q->wanted.at[i], w->name)) {
			if (p->gradients[i])
				return 0;
			if (!dtype_is_float(w->type.dtype))
				return err_set(e, ERR_INPUT, "'%s' is not of a float type", w->name);
			return mx_mark(p->mx, array, &p->gradients[i], e);
		}
	return 0;
}

static int run_recorded(struct mx_pass *p, struct bind_session *s, struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc = mx_record(p->mx, 1, e);

	p->mx->wanted = p->q->wanted;
	if (!rc)
		rc = bind_run(s, &(struct backend_run){p->q->in, {p->names, p->q->seeds.n}}, p->outputs, mark_wanted, p,
			      e);
	p->mx->wanted = (struct backend_names){NULL, 0};
	mx_record(p->mx, 0, rc ? &ignored : e);
	return rc ? rc : e->code;
}

/* A wanted value that no node reads has the gradient 0. */
static int zero_gradient(const struct bind_session *s, const struct backend_values *in, const char *name,
			 struct tensor **out, struct err *e)
{
	const struct wire *w = graph_wire(bind_model(s)->graph, name);
	const struct named_value *given = backend_value(in, name);
	const struct tensor *like = w && w->init ? w->init : NULL;
	struct tensor *wide;

	if (given && given->value->kind == VALUE_TENSOR)
		like = given->value->tensor;
	if (!like || !dtype_is_float(like->dtype))
		return err_set(e, ERR_INPUT, "'%s' is neither a float input nor an initializer", name);
	wide = tensor_zeros(like->dtype, like->rank, like->dims, e);
	*out = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return *out ? 0 : e->code;
}

static int take_gradients(const struct mx_pass *p, const struct bind_session *s, struct tensor **grads, struct err *e)
{
	size_t n = 0;
	int rc = 0;

	for (; n < p->q->wanted.n && !rc; n += !rc)
		rc = p->gradients[n] ? mx_gradient(p->mx, p->gradients[n], &grads[n], e)
				     : zero_gradient(s, &p->q->in, p->q->wanted.at[n], &grads[n], e);
	while (rc && n)
		tensor_unref(grads[--n]);
	return rc;
}

static int make_seeds(struct mx_pass *p, struct err *e)
{
	for (size_t i = 0; i < p->q->seeds.n; i++) {
		const struct named_value *seed = &p->q->seeds.at[i];
		struct tensor *t;

		if (!seed->value || seed->value->kind != VALUE_TENSOR)
			return err_set(e, ERR_INPUT, "the gradient of '%s' is not a tensor", seed->name);
		p->names[i] = seed->name;
		t = tensor_pack(seed->value->tensor, e);
		p->seeds[i] = t ? mx_from_tensor(p->mx, t, e) : NULL;
		tensor_unref(t);
		if (!p->seeds[i])
			return e->code;
	}
	return 0;
}

static int backend_backward(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads,
			    struct err *e)
{
	struct mx_pass p;
	int rc = pass_init(&p, ctx, q, e);

	if (!rc)
		rc = make_seeds(&p, e);
	if (!rc)
		rc = run_recorded(&p, session, e);
	if (!rc && q->seeds.n)
		rc = mx_backward(p.mx, p.outputs, p.seeds, q->seeds.n, e);
	/* The library calls it an error when an output depends on nothing that is wanted: those gradients are 0. */
	if (rc && q->seeds.n == 1 && strstr(e->msg, "not in a computational graph")) {
		err_clear(e);
		rc = 0;
	}
	if (!rc)
		rc = take_gradients(&p, session, grads, e);
	pass_release(&p);
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
	.files = 1,
	.library = "mxnet",
	.open = backend_open,
	.close = backend_close,
	.load = backend_load,
	.unload = bind_unload,
	.outputs = bind_session_outputs,
	.run = backend_run,
	.backward = backend_backward,
	.invoke = mx_backend_invoke,
	.list = mx_backend_list,
	.operators = backend_operators,
};
