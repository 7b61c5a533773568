/* trial.c - a case: a model as libraries read it, its inputs, and how both go from place to place (see trial.h). */
#include "judge/trial.h"

#include <string.h>

#include "base/mem.h"
#include "judge/internal.h"
#include "ops/op.h"

static void free_inputs(struct value **in, size_t n)
{
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
}

static void forget_answers(struct trial *t)
{
	ref_result_release(&t->truth);
	for (size_t i = 0; t->grad_seeds && i < t->model->graph->outputs.n; i++)
		tensor_unref(t->grad_seeds[i]);
	for (size_t i = 0; i < t->n_grads; i++) {
		tensor_unref(t->grads[i]);
		mem_free(t->grad_noise[i]);
	}
	mem_free(t->grad_seeds);
	mem_free(t->grad_wires);
	mem_free(t->grads);
	mem_free(t->grad_noise);
	mem_free(t->steps);
	t->steps = NULL;
	t->grad_seeds = t->grads = NULL;
	t->grad_wires = NULL;
	t->grad_noise = NULL;
	t->n_grads = 0;
	t->invalid = t->untold = 0;
	err_clear(&t->why);
}

void trial_forget(struct trial *t)
{
	forget_answers(t);
	ref_close(t->ref);
	t->ref = NULL;
}

void trial_release(struct trial *t)
{
	if (t->model) {
		trial_forget(t);
		free_inputs(t->inputs, t->model->graph->inputs.n);
	}
	model_free(t->model);
	buf_release(&t->bytes);
	*t = (struct trial){0};
}

/* Packed is what goes to workers: packed once, and not with each request. */
static int pack_inputs(struct value **in, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct value *packed = in[i] ? value_convert(in[i], tensor_pack, e) : NULL;

		if (in[i] && !packed)
			return e->code;
		value_unref(in[i]);
		in[i] = packed;
	}
	return 0;
}

int trial_init_bytes(struct trial *t, struct model *take, struct buf *bytes, struct value **inputs, uint64_t seed,
		     struct err *e)
{
	struct err ignored = ERR_INIT;
	int rc;

	*t = (struct trial){.model = take, .bytes = *bytes, .inputs = inputs, .seed = seed};
	buf_init(bytes, 0);
	ops_bind(take, &ignored); /* a node that breaks the rules makes the model invalid: trial_truth() says so */
	rc = pack_inputs(inputs, take->graph->inputs.n, e);
	if (rc)
		trial_release(t);
	return rc;
}

int trial_init(struct trial *t, struct model *take, struct value **inputs, uint64_t seed, struct err *e)
{
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	take->file = NULL;
	take->too_large = 0;
	rc = model_serialize(take, &bytes, e);
	if (!rc)
		return trial_init_bytes(t, take, &bytes, inputs, seed, e);
	buf_release(&bytes);
	free_inputs(inputs, take->graph->inputs.n);
	model_free(take);
	*t = (struct trial){0};
	return rc;
}

int trial_set_inputs(struct trial *t, struct value **inputs, struct err *e)
{
	size_t n = t->model->graph->inputs.n;

	forget_answers(t);
	free_inputs(t->inputs, n);
	t->inputs = inputs;
	return pack_inputs(inputs, n, e);
}

int trial_copy(const struct trial *t, struct trial *out, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	struct value **inputs;
	struct model *m;
	struct buf bytes;
	int rc = model_copy(t->model, &m, e);

	if (rc)
		return rc;
	inputs = mem_array(n, sizeof *inputs);
	buf_init(&bytes, MODEL_MAX_FILE);
	m->too_large = t->model->too_large;
	if (t->model->file)
		m->file = arena_strdup(&m->arena, t->model->file);
	if (!inputs || (t->model->file && !m->file))
		rc = err_nomem(e, "inputs", n * sizeof *inputs);
	else if (buf_add(&bytes, t->bytes.data, t->bytes.len))
		rc = buf_check(&bytes, e);
	if (rc) {
		buf_release(&bytes);
		mem_free(inputs);
		model_free(m);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		inputs[i] = value_ref(t->inputs[i]);
	return trial_init_bytes(out, m, &bytes, inputs, t->seed, e);
}
