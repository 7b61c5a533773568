/* invoke.c - one operator of ONNX by name, on a library that reads ONNX: a model of one node is made, loaded and run.
 *
 * Loading takes most of the time, and calls that differ in the values of inputs alone have one model: sessions are
 * kept. */
#include <string.h>

#include "backends/onnx/onnx.h"
#include "base/mem.h"
#include "calls/onnx_call.h"

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void forget(struct onnx_context *x, struct onnx_kept_model *m)
{
	if (m->session)
		x->backend->unload(x, m->session);
	buf_release(&m->bytes);
	*m = (struct onnx_kept_model){0};
}

void onnx_forget(void *ctx)
{
	struct onnx_context *x = ctx;

	for (size_t i = 0; i < ONNX_MOST_KEPT; i++)
		forget(x, &x->kept.at[i]);
}

int onnx_reopen(void *ctx, const struct backend_options *o, struct err *e)
{
	struct onnx_context *x = ctx;

	(void)e;
	onnx_forget(ctx);
	x->options = *o;
	return 0;
}

/* The model that is kept for these bytes, or the one that gives way to it, empty. */
static struct onnx_kept_model *find_kept(struct onnx_context *x, const struct buf *bytes)
{
	struct onnx_kept_model *m;

	for (m = x->kept.at; m < x->kept.at + ONNX_MOST_KEPT; m++)
		if (m->session && m->bytes.len == bytes->len && !memcmp(m->bytes.data, bytes->data, bytes->len))
			return m;
	m = &x->kept.at[x->kept.next++ % ONNX_MOST_KEPT];
	forget(x, m);
	return m;
}

static int load(struct onnx_context *x, struct onnx_kept_model *m, struct err *e)
{
	const struct backend_model model = {.bytes = m->bytes.data, .n = m->bytes.len, .options = x->options};

	return x->backend->load(x, &model, &m->session, e);
}

/* A session that did not run is not kept. */
static int load_and_run(struct onnx_context *x, const struct onnx_call *v, struct value **out, struct err *e)
{
	struct backend_run run = {.in = {v->given, v->n_given}};
	struct onnx_kept_model *m;
	struct buf bytes;
	int rc;

	buf_init(&bytes, ONNX_MAX_MODEL);
	rc = model_serialize(v->model, &bytes, e);
	if (rc) {
		buf_release(&bytes);
		return rc;
	}
	m = find_kept(x, &bytes);
	if (m->session) {
		buf_release(&bytes);
	} else {
		m->bytes = bytes;
		rc = load(x, m, e);
	}
	if (!rc)
		run.wanted.n = x->backend->outputs(m->session, &run.wanted.at);
	if (!rc && run.wanted.n != (size_t)v->n_out)
		rc = err_set(e, ERR_INPUT, "the library gives another number of outputs");
	if (!rc)
		rc = x->backend->run(x, m->session, &run, out, e);
	if (rc)
		forget(x, m);
	return rc;
}

int onnx_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e)
{
	struct onnx_context *x = ctx;
	struct onnx_call v = {0};
	struct value **values = NULL;
	int rc = c->gradient ? err_set(e, ERR_UNSUPPORTED, "%s gives no gradients", x->backend->library) : 0;

	if (!rc)
		rc = onnx_call_make(c, &v, e);
	if (rc)
		return rc;
	values = mem_array((size_t)v.n_out, sizeof(struct value *));
	rc = values ? load_and_run(x, &v, values, e) : err_nomem(e, "outputs", 0);
	if (rc)
		mem_free(values);
	else
		*out = (struct backend_answer){.out = values, .n_out = (size_t)v.n_out};
	onnx_call_release(&v);
	return rc;
}
