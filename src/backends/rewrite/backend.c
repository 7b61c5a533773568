/* backend.c - a rewriter of ONNX models as a library under test: the model that it writes is run by the rounded
 * reference, so that nothing else can be wrong.
 *
 * Options: rewriter, which (workers/python/rewrite_<name>.py), and those of its own.  Tensors that are asked for
 * besides the graph's outputs become outputs before the model is rewritten: names inside are the rewriter's to change.
 * calibrates=1: the rewriter looks at inputs of the model as well, so that it is rewritten when it is run. */
#include <stdio.h>
#include <string.h>

#include "backends/onnx/onnx.h"
#include "backends/onnx/rounded.h"
#include "backends/rewrite/rewriter.h"
#include "base/mem.h"
#include "tensor/io.h"

extern const struct backend backend_rewrite;

struct rewrite_context {
	struct rewriter rewriter;
};

struct rewrite_session {
	struct onnx_ports ports; /* of the model before; first: see onnx_ports_outputs() */
	struct rounded *rounded; /* the model that was written; NULL: it is written for each run … */
	struct buf model;        /* … of this one */
};

static void backend_close(void *ctx)
{
	struct rewrite_context *c = ctx;

	rewriter_stop(&c->rewriter);
	mem_free(c);
}

static int backend_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
			struct err *e)
{
	struct rewrite_context *c = mem_zalloc(sizeof *c);
	int rc = c ? rewriter_start(&c->rewriter, o, e) : err_nomem(e, "a rewriter", sizeof *c);

	(void)folder; /* PYTHONPATH names it */
	if (rc) {
		mem_free(c);
		return rc;
	}
	*ctx = c;
	*version = c->rewriter.version;
	return 0;
}

/* The process in which the library is stays; the next one that it forks has these options. */
static int backend_reopen(void *ctx, const struct backend_options *o, struct err *e)
{
	struct rewrite_context *c = ctx;

	(void)e;
	rewriter_set_options(&c->rewriter, o);
	return 0;
}

static void backend_unload(void *ctx, void *session)
{
	struct rewrite_session *s = session;

	(void)ctx;
	rounded_close(s->rounded);
	onnx_ports_release(&s->ports);
	buf_release(&s->model);
	mem_free(s);
}

/* The model must be one, and give what was asked of the one before: its inputs may be fewer, never more. */
static int check_ports(const struct rounded *r, const struct onnx_ports *before, struct err *e)
{
	const struct graph *g = r->model->graph;

	for (size_t i = 0; i < before->n_out; i++) {
		size_t k = 0;

		while (k < g->outputs.n && strcmp(g->outputs.at[k]->name, before->out[i]) != 0)
			k++;
		if (k == g->outputs.n)
			return err_set(e, ERR_INPUT, "output '%s' is gone", before->out[i]);
	}
	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct wire *w = g->inputs.at[i];

		if (!w->init && onnx_ports_find_input(before, w->name) < 0)
			return err_set(e, ERR_INPUT, "input '%s' was none before", w->name);
	}
	return 0;
}

/* A model that the reference does not run for a reason of its own says nothing about the rewriter: a limit, memory or a
 * fault of ours is `unsupported`, as an operator is that the reference does not have. */
static int tell_whose(struct err *e, const char *theirs)
{
	if (e->code == ERR_INPUT)
		return err_prefix(e, "%s", theirs);
	e->code = ERR_UNSUPPORTED;
	return err_prefix(e, "the model that it wrote cannot be run here");
}

/* The nodes of the model before were in order.  If it cannot be read the answer is no, which accuses nobody. */
static int was_in_order(const struct buf *model)
{
	struct err ignored = ERR_INIT;
	struct model *m = NULL;
	int was = !model_parse(model->data, model->len, "", &m, &ignored) && !m->disorder;

	model_free(m);
	return was;
}

/* The reader takes nodes in any order; ONNX does not, and nobody else loads such a model. */
static int check_order(const struct rounded *r, const struct buf *before, struct err *e)
{
	if (!r->model->disorder || !was_in_order(before))
		return 0;
	return err_set(e, ERR_INPUT, "%s", r->model->disorder);
}

static int open_rewritten(const struct buf *text, const struct rewrite_session *s, struct rounded **out, struct err *e)
{
	const struct backend_names none = {NULL, 0};
	struct rounded *r = NULL;
	int rc = rounded_open(text->data, text->len, &none, &r, e);

	if (!rc)
		rc = check_order(r, &s->model, e);
	if (!rc)
		rc = check_ports(r, &s->ports, e);
	if (!rc) {
		*out = r;
		return 0;
	}
	rounded_close(r);
	return tell_whose(e, "wrote a file that is not a model");
}

/* inputs NULL: the rewriter looks at none. */
static int rewrite(struct rewrite_context *c, const struct rewrite_session *s, const struct buf *inputs,
		   struct rounded **out, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, ONNX_MAX_MODEL);
	rc = rewriter_rewrite(&c->rewriter, &s->model, inputs, &text, e);
	if (!rc)
		rc = open_rewritten(&text, s, out, e);
	buf_release(&text);
	return rc;
}

static int take_model(const struct backend_model *m, struct rewrite_session *s, struct err *e)
{
	struct backend_model given;
	int rc = onnx_exposed(m, &s->model, &given, e);

	if (!rc && given.bytes != s->model.data && buf_add(&s->model, given.bytes, given.n))
		rc = buf_check(&s->model, e);
	return rc ? rc : onnx_ports_read(s->model.data, s->model.len, &s->ports, e);
}

static int backend_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	struct rewrite_context *c = ctx;
	struct rewrite_session *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	buf_init(&s->model, ONNX_MAX_MODEL);
	rc = take_model(m, s, e);
	if (!rc && !backend_option_int(&c->rewriter.options, "calibrates", 0)) {
		rc = rewrite(c, s, NULL, &s->rounded, e);
		buf_clear(&s->model);
	}
	if (rc)
		backend_unload(ctx, s);
	else
		*session = s;
	return rc;
}

static int write_inputs(const struct backend_values *in, struct buf *out, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	for (size_t i = 0; i < in->n && !rc; i++)
		rc = tensor_set_add_value(&set, in->at[i].name, in->at[i].value, e);
	if (!rc)
		rc = npz_write(&set, out, e);
	tensor_set_release(&set);
	return rc;
}

static int rewrite_for(struct rewrite_context *c, const struct rewrite_session *s, const struct backend_run *q,
		       struct rounded **out, struct err *e)
{
	struct buf inputs;
	int rc;

	buf_init(&inputs, ONNX_MAX_MODEL);
	rc = write_inputs(&q->in, &inputs, e);
	if (!rc)
		rc = rewrite(c, s, &inputs, out, e);
	buf_release(&inputs);
	return rc;
}

static int backend_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	const struct ref_options o = {.mode = REF_ROUNDED};
	struct rewrite_session *s = session;
	struct rounded *now = NULL;
	int rc = s->rounded ? 0 : rewrite_for(ctx, s, q, &now, e);

	if (rc)
		return rc;
	rc = rounded_run(s->rounded ? s->rounded : now, q, &o, out, e);
	rounded_close(now);
	return rc ? tell_whose(e, "the model that it wrote") : 0;
}

const struct backend backend_rewrite = {
	.api = BACKEND_API,
	.name = "rewrite",
	.library = "rewriter",
	.open = backend_open,
	.close = backend_close,
	.reopen = backend_reopen,
	.load = backend_load,
	.unload = backend_unload,
	.outputs = onnx_ports_outputs,
	.run = backend_run,
};
