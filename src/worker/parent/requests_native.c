/* requests_native.c - BACKWARD, INVOKE and LIST from the parent's side (declared in worker.h). */
#include <string.h>

#include "base/mem.h"
#include "worker/parent/internal.h"

static void *out_array(struct message_out *o, size_t n, size_t size, struct err *e)
{
	void *p = arena_array(o->arena, n, size);

	if (!p)
		err_nomem(e, "a message", n * size);
	return p;
}

/* ---- BACKWARD ---------------------------------------------------------------------------------------------------- */

static int put_seeds(struct message_out *o, const struct backend_values *v, Assay__Tensor ***out, struct err *e)
{
	Assay__Tensor **m = out_array(o, v->n, sizeof(Assay__Tensor *), e);
	int rc = m ? 0 : ERR_MEMORY;

	for (size_t i = 0; !rc && i < v->n; i++) {
		const struct named_value *seed = &v->at[i];

		if (seed->value->kind != VALUE_TENSOR)
			return err_set(e, ERR_UNSUPPORTED, "the seed of '%s' is not a tensor", seed->name);
		rc = message_put_tensor(o, seed->name, seed->value->tensor, &m[i], e);
	}
	*out = m;
	return rc;
}

static int get_gradients(struct worker *w, const Assay__BackwardReply *m, const struct backend_names *wanted,
			 struct tensor **grads, struct err *e)
{
	struct message_in in = {.shm = &w->process.shm, .copy = 1};

	if (m->n_gradients != wanted->n)
		return err_set(e, ERR_INPUT, "%zu gradients where %zu were asked for", m->n_gradients, wanted->n);
	for (size_t i = 0; i < wanted->n; i++)
		if (strcmp(m->gradients[i]->name, wanted->at[i]) != 0)
			return err_set(e, ERR_INPUT, "a gradient of '%s' where '%s' was asked for",
				       m->gradients[i]->name, wanted->at[i]);
	return message_get_tensors(&in, m->gradients, wanted->n, grads, e);
}

enum worker_result worker_backward(struct worker *w, uint64_t session, const struct backend_gradient *q,
				   struct tensor **grads, struct worker_report *report)
{
	Assay__Request m = ASSAY__REQUEST__INIT;
	Assay__Backward back = ASSAY__BACKWARD__INIT;
	Assay__Response *r;
	struct message_out put;
	struct err e = ERR_INIT;

	if (worker_begin(w, &put, report) || worker_session_find(w, session, &back.session, report))
		return report->result;
	m.body_case = ASSAY__REQUEST__BODY_BACKWARD;
	m.backward = &back;
	back.n_inputs = q->in.n;
	back.n_seeds = q->seeds.n;
	back.wanted = message_names(q->wanted.at);
	back.n_wanted = q->wanted.n;
	if (message_put_values(&put, q->in.at, q->in.n, &back.inputs, &e) ||
	    put_seeds(&put, &q->seeds, &back.seeds, &e))
		return worker_refused(report, &e);
	if (worker_exchange(w, &m, ASSAY__RESPONSE__BODY_BACKWARD, &r, report))
		return report->result;
	if (get_gradients(w, r->backward, &q->wanted, grads, &e))
		worker_misspoke(w, report, &e);
	worker_response_free(r);
	return report->result;
}

/* ---- INVOKE ------------------------------------------------------------------------------------------------------ */

static int put_list(struct message_out *o, const struct backend_argument *a, Assay__Argument *m, struct err *e)
{
	int rc = 0;

	m->list = a->kind == ARG_INTS      ? ASSAY__ARGUMENT__LIST__INTS
		  : a->kind == ARG_FLOATS  ? ASSAY__ARGUMENT__LIST__FLOATS
		  : a->kind == ARG_STRINGS ? ASSAY__ARGUMENT__LIST__STRINGS
		  : a->kind == ARG_TENSORS ? ASSAY__ARGUMENT__LIST__TENSORS
					   : ASSAY__ARGUMENT__LIST__NONE;
	if (a->kind == ARG_INTS) {
		m->ints = (int64_t *)(uintptr_t)a->ints;
		m->n_ints = a->n;
	} else if (a->kind == ARG_FLOATS) {
		m->floats = (double *)(uintptr_t)a->floats;
		m->n_floats = a->n;
	} else if (a->kind == ARG_STRINGS) {
		m->strings = message_names(a->strings);
		m->n_strings = a->n;
	} else if (a->kind == ARG_TENSORS) {
		m->tensors = out_array(o, a->n, sizeof(Assay__Value *), e);
		m->n_tensors = a->n;
		rc = m->tensors ? 0 : ERR_MEMORY;
		for (size_t i = 0; !rc && i < a->n; i++)
			rc = message_put_value(o, NULL, a->tensors[i], &m->tensors[i], e);
	}
	return rc;
}

static int put_argument(struct message_out *o, const struct backend_argument *a, Assay__Argument *m, struct err *e)
{
	assay__argument__init(m);
	m->name = (char *)(uintptr_t)(a->name ? a->name : "");
	switch (a->kind) {
	case ARG_TENSOR:
		m->value_case = ASSAY__ARGUMENT__VALUE_TENSOR;
		return message_put_value(o, NULL, a->tensor, &m->tensor, e);
	case ARG_INT:
		m->value_case = ASSAY__ARGUMENT__VALUE_I;
		m->i = a->i;
		return 0;
	case ARG_FLOAT:
		m->value_case = ASSAY__ARGUMENT__VALUE_F;
		m->f = a->f;
		return 0;
	case ARG_STRING:
		m->value_case = ASSAY__ARGUMENT__VALUE_S;
		m->s = (char *)(uintptr_t)a->s;
		return 0;
	case ARG_BOOL:
		m->value_case = ASSAY__ARGUMENT__VALUE_B;
		m->b = a->i != 0;
		return 0;
	case ARG_DTYPE:
		m->value_case = ASSAY__ARGUMENT__VALUE_DTYPE;
		m->dtype = (int32_t)a->i;
		return 0;
	default:
		return put_list(o, a, m, e);
	}
}

static int put_arguments(struct message_out *o, const struct backend_argument *args, size_t n, Assay__Argument ***out,
			 struct err *e)
{
	Assay__Argument *rows = out_array(o, n, sizeof *rows, e);
	Assay__Argument **m = out_array(o, n, sizeof(Assay__Argument *), e);
	int rc = rows && m ? 0 : ERR_MEMORY;

	for (size_t i = 0; !rc && i < n; i++) {
		m[i] = &rows[i];
		rc = put_argument(o, &args[i], &rows[i], e);
	}
	*out = m;
	return rc;
}

static int get_invoked(struct worker *w, const Assay__InvokeReply *m, struct backend_answer *out, struct err *e)
{
	struct message_in in = {.shm = &w->process.shm, .copy = 1};
	struct backend_answer a = {.out = mem_array(m->n_outputs, sizeof(struct value *)),
				   .n_out = m->n_outputs,
				   .grads = mem_array(m->n_gradients, sizeof(struct tensor *))};
	int rc = a.out && a.grads ? 0 : err_nomem(e, "outputs", 0);

	for (size_t i = 0; !rc && i < m->n_outputs; i++)
		rc = message_get_value(&in, m->outputs[i], &a.out[i], e);
	if (!rc)
		rc = message_get_tensors(&in, m->gradients, m->n_gradients, a.grads, e);
	if (rc) {
		backend_answer_free(&a);
		return rc;
	}
	a.n_grads = m->n_gradients;
	*out = a;
	return 0;
}

enum worker_result worker_invoke(struct worker *w, const struct backend_call *c, struct backend_answer *out,
				 struct worker_report *report)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Invoke invoke = ASSAY__INVOKE__INIT;
	Assay__Response *r;
	struct message_out put;
	struct err e = ERR_INIT;

	if (worker_begin(w, &put, report))
		return report->result;
	q.body_case = ASSAY__REQUEST__BODY_INVOKE;
	q.invoke = &invoke;
	invoke.operation = (char *)(uintptr_t)c->operation;
	invoke.n_arguments = c->n_args;
	invoke.gradient = c->gradient != 0;
	invoke.heads = c->heads;
	if (put_arguments(&put, c->args, c->n_args, &invoke.arguments, &e))
		return worker_refused(report, &e);
	if (worker_exchange(w, &q, ASSAY__RESPONSE__BODY_INVOKE, &r, report))
		return report->result;
	if (get_invoked(w, r->invoke, out, &e))
		worker_misspoke(w, report, &e);
	worker_response_free(r);
	return report->result;
}

/* ---- LIST -------------------------------------------------------------------------------------------------------- */

static int copy_parameter(struct arena *a, const Assay__Parameter *m, struct backend_parameter *p)
{
	*p = (struct backend_parameter){.name = arena_strdup(a, m->name),
					.type = arena_strdup(a, m->type),
					.default_value = arena_strdup(a, m->default_value),
					.allowed = arena_array(a, m->n_allowed, sizeof(char *)),
					.n_allowed = m->n_allowed,
					.is_input = m->is_input != 0,
					.optional = m->optional != 0};
	if (!p->name || !p->type || !p->default_value || !p->allowed)
		return ERR_MEMORY;
	for (size_t i = 0; i < m->n_allowed; i++) {
		p->allowed[i] = arena_strdup(a, m->allowed[i]);
		if (!p->allowed[i])
			return ERR_MEMORY;
	}
	return 0;
}

/* Names that are not one for each output are none. */
static int copy_output_names(struct arena *a, const Assay__Operation *m, struct backend_operation *op)
{
	if (!m->n_output_names || m->n_output_names != m->outputs)
		return 0;
	op->output_names = arena_array(a, m->n_output_names, sizeof *op->output_names);
	for (size_t i = 0; op->output_names && i < m->n_output_names; i++)
		if (!(op->output_names[i] = arena_strdup(a, m->output_names[i])))
			return ERR_MEMORY;
	return op->output_names ? 0 : ERR_MEMORY;
}

static int copy_operation(struct arena *a, const Assay__Operation *m, struct backend_operation *op)
{
	int rc;

	*op = (struct backend_operation){.name = arena_strdup(a, m->name),
					 .doc = arena_strdup(a, m->doc),
					 .unusable = arena_strdup(a, m->unusable),
					 .parameters = arena_array(a, m->n_parameters, sizeof *op->parameters),
					 .n_parameters = m->n_parameters,
					 .n_outputs = m->outputs,
					 .stateful = m->stateful != 0};
	rc = op->name && op->doc && op->unusable && op->parameters ? 0 : ERR_MEMORY;
	for (size_t i = 0; !rc && i < m->n_parameters; i++)
		rc = copy_parameter(a, m->parameters[i], &op->parameters[i]);
	return rc ? rc : copy_output_names(a, m, op);
}

static int copy_list(struct arena *a, const Assay__ListReply *m, struct backend_operation **out, struct err *e)
{
	struct backend_operation *ops = arena_array(a, m->n_operations, sizeof *ops);
	int rc = ops ? 0 : ERR_MEMORY;

	for (size_t i = 0; !rc && i < m->n_operations; i++)
		rc = copy_operation(a, m->operations[i], &ops[i]);
	if (rc)
		return err_nomem(e, "a list of operations", 0);
	*out = ops;
	return 0;
}

enum worker_result worker_list(struct worker *w, const char *prefix, struct arena *arena,
			       struct backend_operation **out, size_t *n, struct worker_report *report)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__List list = ASSAY__LIST__INIT;
	Assay__Response *r;
	struct message_out unused;
	struct err e = ERR_INIT;

	if (worker_begin(w, &unused, report))
		return report->result;
	q.body_case = ASSAY__REQUEST__BODY_LIST;
	q.list = &list;
	list.prefix = (char *)(uintptr_t)(prefix ? prefix : "");
	if (worker_exchange(w, &q, ASSAY__RESPONSE__BODY_LIST, &r, report))
		return report->result;
	*n = r->list->n_operations;
	if (copy_list(arena, r->list, out, &e))
		worker_misspoke(w, report, &e);
	worker_response_free(r);
	return report->result;
}
