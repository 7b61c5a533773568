/* serve_native.c - the child's answers to BACKWARD, INVOKE and LIST. */
#include "base/mem.h"
#include "worker/child/serve.h"

static int keep_tensors(struct server *s, struct tensor **take, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		rc = serve_keep_tensor(s, take[i], e) ? ERR_MEMORY : rc;
	return rc;
}

/* names NULL: the tensors have none. */
static int put_tensors(struct server *s, const char *const *names, struct tensor *const *t, size_t n,
		       Assay__Tensor ***out, struct err *e)
{
	Assay__Tensor **m = serve_array(s, n, sizeof(Assay__Tensor *), e);
	int rc = m ? 0 : ERR_MEMORY;

	for (size_t i = 0; !rc && i < n; i++)
		rc = t[i] ? message_put_tensor(&s->out, names ? names[i] : NULL, t[i], &m[i], e)
			  : err_set(e, ERR_INTERNAL, "the backend gave no gradient %zu", i);
	*out = m;
	return rc;
}

/* ---- BACKWARD ---------------------------------------------------------------------------------------------------- */

/* Seeds are tensors in the message and values for the backend. */
static int get_seeds(struct server *s, Assay__Tensor *const *m, size_t n, struct backend_values *out, struct err *e)
{
	struct named_value *v = serve_array(s, n, sizeof *v, e);
	struct tensor *t;

	if (!v)
		return ERR_MEMORY;
	for (size_t i = 0; i < n; i++) {
		int rc = serve_read(message_get_tensor(&s->in, m[i], &t, e), e);

		if (rc)
			return rc;
		v[i].name = m[i]->name;
		v[i].value = value_tensor(t, e);
		if (!v[i].value || serve_keep_value(s, v[i].value, e))
			return ERR_MEMORY;
	}
	*out = (struct backend_values){v, n};
	return 0;
}

int serve_backward(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	const Assay__Backward *b = q->backward;
	struct backend_gradient asked = {.wanted = {(const char *const *)b->wanted, b->n_wanted}};
	Assay__BackwardReply *reply = serve_array(s, 1, sizeof *reply, e);
	struct tensor **grads = serve_array(s, b->n_wanted, sizeof(struct tensor *), e);
	void *session = NULL;
	int rc;

	if (!reply || !grads)
		return ERR_MEMORY;
	if (!s->backend->backward)
		return err_set(e, ERR_UNSUPPORTED, "%s gives no gradients", s->backend->library);
	rc = serve_session(s, b->session, &session, e);
	if (!rc)
		rc = serve_get_named(s, b->inputs, b->n_inputs, &asked.in, e);
	if (!rc)
		rc = get_seeds(s, b->seeds, b->n_seeds, &asked.seeds, e);
	if (rc)
		return rc;
	s->out.at = s->in.end;
	rc = s->backend->backward(s->ctx, session, &asked, grads, e);
	if (!rc)
		rc = keep_tensors(s, grads, b->n_wanted, e);
	if (rc)
		return rc;
	assay__backward_reply__init(reply);
	reply->n_gradients = b->n_wanted;
	r->body_case = ASSAY__RESPONSE__BODY_BACKWARD;
	r->backward = reply;
	return put_tensors(s, asked.wanted.at, grads, b->n_wanted, &reply->gradients, e);
}

/* ---- INVOKE ------------------------------------------------------------------------------------------------------ */

/* What the sender says it is, or the list that has elements. */
static int list_kind(const Assay__Argument *m)
{
	switch (m->list) {
	case ASSAY__ARGUMENT__LIST__INTS:
		return ARG_INTS;
	case ASSAY__ARGUMENT__LIST__FLOATS:
		return ARG_FLOATS;
	case ASSAY__ARGUMENT__LIST__STRINGS:
		return ARG_STRINGS;
	case ASSAY__ARGUMENT__LIST__TENSORS:
		return ARG_TENSORS;
	default:
		return m->n_ints      ? ARG_INTS
		       : m->n_floats  ? ARG_FLOATS
		       : m->n_strings ? ARG_STRINGS
		       : m->n_tensors ? ARG_TENSORS
				      : ARG_NONE;
	}
}

static int get_lists(struct server *s, const Assay__Argument *m, struct backend_argument *a, struct err *e)
{
	struct value **tensors;
	int kind = list_kind(m), rc = 0;

	if (kind == ARG_INTS) {
		a->kind = ARG_INTS;
		a->ints = m->ints;
		a->n = m->n_ints;
	} else if (kind == ARG_FLOATS) {
		a->kind = ARG_FLOATS;
		a->floats = m->floats;
		a->n = m->n_floats;
	} else if (kind == ARG_STRINGS) {
		a->kind = ARG_STRINGS;
		a->strings = (const char *const *)m->strings;
		a->n = m->n_strings;
	} else if (kind == ARG_TENSORS) {
		tensors = serve_array(s, m->n_tensors, sizeof(struct value *), e);
		if (!tensors)
			return ERR_MEMORY;
		for (size_t i = 0; !rc && i < m->n_tensors; i++)
			rc = serve_get_value(s, m->tensors[i], &tensors[i], e);
		a->kind = ARG_TENSORS;
		a->tensors = tensors;
		a->n = m->n_tensors;
	}
	return rc;
}

static int get_argument(struct server *s, const Assay__Argument *m, struct backend_argument *a, struct err *e)
{
	a->name = m->name;
	a->kind = ARG_NONE;
	switch (m->value_case) {
	case ASSAY__ARGUMENT__VALUE_TENSOR:
		a->kind = ARG_TENSOR;
		return serve_get_value(s, m->tensor, &a->tensor, e);
	case ASSAY__ARGUMENT__VALUE_I:
		a->kind = ARG_INT;
		a->i = m->i;
		return 0;
	case ASSAY__ARGUMENT__VALUE_F:
		a->kind = ARG_FLOAT;
		a->f = m->f;
		return 0;
	case ASSAY__ARGUMENT__VALUE_S:
		a->kind = ARG_STRING;
		a->s = m->s;
		return 0;
	case ASSAY__ARGUMENT__VALUE_B:
		a->kind = ARG_BOOL;
		a->i = m->b != 0;
		return 0;
	case ASSAY__ARGUMENT__VALUE_DTYPE:
		a->kind = ARG_DTYPE;
		a->i = m->dtype;
		return 0;
	default:
		return get_lists(s, m, a, e);
	}
}

static int put_invoked(struct server *s, const struct backend_answer *a, Assay__Response *r, struct err *e)
{
	Assay__InvokeReply *reply = serve_array(s, 1, sizeof *reply, e);
	struct named_value *v = serve_array(s, a->n_out, sizeof *v, e);
	int rc = reply && v ? 0 : ERR_MEMORY;

	for (size_t i = 0; v && i < a->n_out; i++)
		v[i].value = a->out[i];
	for (size_t i = 0; i < a->n_out; i++)
		rc = serve_keep_value(s, a->out[i], e) ? ERR_MEMORY : rc;
	rc = keep_tensors(s, a->grads, a->n_grads, e) ? ERR_MEMORY : rc;
	if (rc)
		return rc;
	assay__invoke_reply__init(reply);
	reply->n_outputs = a->n_out;
	reply->n_gradients = a->n_grads;
	r->body_case = ASSAY__RESPONSE__BODY_INVOKE;
	r->invoke = reply;
	rc = message_put_values(&s->out, v, a->n_out, &reply->outputs, e);
	return rc ? rc : put_tensors(s, NULL, a->grads, a->n_grads, &reply->gradients, e);
}

int serve_invoke(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	const Assay__Invoke *m = q->invoke;
	struct backend_argument *args = serve_array(s, m->n_arguments, sizeof *args, e);
	const struct backend_call call = {m->operation, args, m->n_arguments, m->gradient, m->heads};
	struct backend_answer answer = {0};
	int rc = args ? 0 : ERR_MEMORY;

	if (!s->backend->invoke)
		return err_set(e, ERR_UNSUPPORTED, "%s has no operations of its own to call", s->backend->library);
	for (size_t i = 0; !rc && i < m->n_arguments; i++)
		rc = get_argument(s, m->arguments[i], &args[i], e);
	if (rc)
		return rc;
	s->out.at = s->in.end;
	rc = s->backend->invoke(s->ctx, &call, &answer, e);
	if (rc)
		return rc;
	rc = put_invoked(s, &answer, r, e);
	mem_free(answer.out);
	mem_free(answer.grads);
	return rc;
}

/* ---- LIST -------------------------------------------------------------------------------------------------------- */

static int put_operation(struct server *s, const struct backend_operation *op, Assay__Operation *m, struct err *e)
{
	Assay__Parameter *rows = serve_array(s, op->n_parameters, sizeof *rows, e);

	assay__operation__init(m);
	m->name = op->name;
	m->doc = op->doc;
	m->unusable = op->unusable;
	m->outputs = (uint32_t)op->n_outputs;
	m->output_names = op->output_names;
	m->n_output_names = op->output_names ? op->n_outputs : 0;
	m->stateful = op->stateful != 0;
	m->parameters = serve_array(s, op->n_parameters, sizeof(Assay__Parameter *), e);
	if (!rows || !m->parameters)
		return ERR_MEMORY;
	m->n_parameters = op->n_parameters;
	for (size_t i = 0; i < op->n_parameters; i++) {
		const struct backend_parameter *p = &op->parameters[i];

		assay__parameter__init(&rows[i]);
		rows[i].name = p->name;
		rows[i].type = p->type;
		rows[i].default_value = p->default_value;
		rows[i].n_allowed = p->n_allowed;
		rows[i].allowed = p->allowed;
		rows[i].is_input = p->is_input;
		rows[i].optional = p->optional;
		m->parameters[i] = &rows[i];
	}
	return 0;
}

int serve_list(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	Assay__ListReply *reply = serve_array(s, 1, sizeof *reply, e);
	struct backend_operation *ops = NULL;
	Assay__Operation *rows;
	size_t n = 0;
	int rc;

	if (!reply)
		return ERR_MEMORY;
	if (!s->backend->list)
		return err_set(e, ERR_UNSUPPORTED, "%s has no list of operations", s->backend->library);
	rc = s->backend->list(s->ctx, q->list->prefix, &s->arena, &ops, &n, e);
	if (rc)
		return rc;
	assay__list_reply__init(reply);
	rows = serve_array(s, n, sizeof *rows, e);
	reply->operations = serve_array(s, n, sizeof(Assay__Operation *), e);
	if (!rows || !reply->operations)
		return ERR_MEMORY;
	reply->n_operations = n;
	for (size_t i = 0; !rc && i < n; i++) {
		reply->operations[i] = &rows[i];
		rc = put_operation(s, &ops[i], &rows[i], e);
	}
	r->body_case = ASSAY__RESPONSE__BODY_LIST;
	r->list = reply;
	return rc;
}
