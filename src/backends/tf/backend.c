/* backend.c - TensorFlow as assay's worker serves it: struct backend over the bindings.
 *
 * Which files an installation consists of is in api.c.  Options: mode = eager | graph | pipeline (INVOKE maps
 * operations over a data set; models as eager), optimize = 0 (graph without TensorFlow's optimizers), saved = 1 (INVOKE
 * goes through a GraphDef). TF_ENABLE_ONEDNN_OPTS=0 in the environment chooses the kernels without oneDNN. */
#include <string.h>

#include "backends/bind/record.h"
#include "backends/tf/backend.h"
#include "backends/tf/native.h"
#include "base/mem.h"

struct tf_session {
	struct bind_session *bound;
	enum tf_mode mode;
	struct tf_graph *graph;    /* models do not run eagerly */
	struct tf_graph *backward; /* made when first asked for */
};

/* A version whose C interface has no eager mode runs graphs in its place, as its users did. */
static enum tf_mode mode_of(const struct tf *t, const struct backend_options *o, enum tf_mode otherwise)
{
	const char *mode = backend_option(o, "mode", NULL);

	if (!mode)
		return otherwise;
	if (!strcmp(mode, "pipeline"))
		return TF_PIPELINE;
	if (strcmp(mode, "graph") != 0 && t->api.has_eager)
		return TF_EAGER;
	return backend_option_int(o, "optimize", 1) ? TF_GRAPH : TF_NOOPT;
}

static void tf_close(void *ctx)
{
	struct tf *t = ctx;

	if (!t)
		return;
	tf_single_forget(t);
	if (t->eager)
		t->api.TFE_DeleteContext(t->eager);
	if (t->status)
		t->api.TF_DeleteStatus(t->status);
	vec_release(&t->temps);
	record_close(t->record);
	map_release(&t->definitions);
	arena_release(&t->definitions_arena);
	mem_free(t);
}

/* The library's threads start with its context.  Until the first request needs it there are none, and a process
 * without threads can be forked: a successor of one that crashed then has the library open already. */
static int start_eager(struct tf *t, struct err *e)
{
	struct TFE_ContextOptions *o;
	const void *config;
	size_t n;
	int rc;

	if (t->eager || !t->api.has_eager)
		return 0;
	o = t->api.TFE_NewContextOptions();
	config = tf_config(TF_EAGER, &n);
	t->api.TFE_ContextOptionsSetConfig(o, config, n, t->status);
	rc = tf_check(t, "configure", e);
	if (!rc) {
		t->eager = t->api.TFE_NewContext(o, t->status);
		rc = tf_check(t, "start", e);
	}
	t->api.TFE_DeleteContextOptions(o);
	return rc;
}

static int tf_open(const char *folder, const struct backend_options *o, void **ctx, const char **version, struct err *e)
{
	struct tf *t = mem_zalloc(sizeof *t);
	int rc;

	if (!t)
		return err_nomem(e, "tensorflow", sizeof *t);
	rc = tf_api_open(folder, &t->api, e);
	if (!rc)
		rc = record_open(backend_option(o, "record", NULL), backend_option(o, "values", NULL) != NULL,
				 &t->record, e);
	if (!rc) {
		t->mode = mode_of(t, o, t->api.has_eager ? TF_EAGER : TF_GRAPH);
		if (t->mode == TF_PIPELINE && !t->api.has_eager)
			rc = err_set(e, ERR_UNSUPPORTED, "tensorflow %s has no eager mode, which pipelines need",
				     t->api.TF_Version());
		t->saved = backend_option_int(o, "saved", 0) != 0;
		t->status = t->api.TF_NewStatus();
	}
	if (rc) {
		tf_close(t);
		return rc;
	}
	*version = t->api.TF_Version();
	*ctx = t;
	return 0;
}

static void tf_unload(void *ctx, void *session)
{
	struct tf_session *s = session;

	(void)ctx;
	if (!s)
		return;
	tf_graph_close(s->graph);
	tf_graph_close(s->backward);
	bind_close(s->bound);
	mem_free(s);
}

static int tf_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct tf *t = ctx;
	struct tf_session *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	s->mode = mode_of(t, &m->options, t->mode);
	rc = start_eager(t, e);
	if (!rc)
		rc = bind_open(&tf_library, t, m, &s->bound, e);
	if (!rc && (s->mode == TF_GRAPH || s->mode == TF_NOOPT))
		rc = tf_graph_open(t, s->bound, s->mode, &s->graph, e);
	if (rc) {
		tf_unload(t, s);
		return rc;
	}
	*session = s;
	return 0;
}

static size_t tf_outputs(void *session, const char *const **names)
{
	const struct tf_session *s = session;

	return bind_outputs(s->bound, names);
}

/* Runs node by node. */
static int run_eager(struct tf_session *s, const struct backend_run *q, struct value **out, struct err *e)
{
	void **handles = mem_array(q->wanted.n, sizeof *handles);
	int rc = handles ? bind_run(s->bound, q, handles, NULL, NULL, e) : err_nomem(e, "outputs", q->wanted.n);

	if (!rc)
		rc = bind_take_values(s->bound, handles, q->wanted.n, out, e);
	mem_free(handles);
	return rc;
}

static int tf_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	struct tf_session *s = session;

	(void)ctx;
	return s->graph ? tf_graph_run(s->graph, q, out, e) : run_eager(s, q, out, e);
}

/* TensorFlow derives graphs alone.  Eager operations are not optimized together, so neither is a graph in their place.
 */
static int tf_backward(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads, struct err *e)
{
	struct tf_session *s = session;
	enum tf_mode mode = s->mode == TF_GRAPH ? TF_GRAPH : TF_NOOPT;
	int rc = s->backward ? 0 : tf_graph_open(ctx, s->bound, mode, &s->backward, e);

	return rc ? rc : tf_graph_backward(s->backward, q, grads, e);
}

static const char *const *tf_operators(void *ctx)
{
	(void)ctx;
	return bind_operators(&tf_library);
}

static int tf_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e)
{
	int rc = start_eager(ctx, e);

	return rc ? rc : tf_native_invoke(ctx, c, out, e);
}

const struct backend backend_tf = {
	.api = BACKEND_API,
	.name = "tf",
	.files = 1,
	.library = "tensorflow",
	.open = tf_open,
	.close = tf_close,
	.load = tf_load,
	.unload = tf_unload,
	.outputs = tf_outputs,
	.run = tf_run,
	.backward = tf_backward,
	.invoke = tf_invoke,
	.list = tf_native_list,
	.operators = tf_operators,
};
