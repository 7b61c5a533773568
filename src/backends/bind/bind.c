/* bind.c - sessions and runs; see bind.h. */
#include "backends/bind/bind.h"

#include <inttypes.h>
#include <string.h>

#include "backends/bind/internal.h"
#include "backends/bind/record.h"
#include "model/adapt.h"

static struct record *record_of(const struct bind_session *s)
{
	return s->library->record ? s->library->record(s->ctx) : NULL;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

void bind_cell_release(const struct bind_session *s, struct bind_cell *c)
{
	if (c->handle)
		s->library->release(s->ctx, c->handle);
	tensor_unref(c->value);
	c->handle = NULL;
	c->value = NULL;
}

struct bind_cell *bind_cell(struct bind_state *st, const struct wire *w)
{
	struct bind_cell *own = &st->cells[w->id], *kept = &st->s->constants[w->id];

	return own->handle || own->value || !(kept->handle || kept->value || w->init) ? own : kept;
}

/* The handle of a wire's value, made from what is known where there is none yet; borrowed.  NULL on failure. */
static void *cell_handle(struct bind_state *st, const struct wire *w)
{
	struct bind_session *s = st->s;
	struct bind_cell *c = bind_cell(st, w);
	struct tensor *t;

	if (c->handle)
		return c->handle;
	if (!c->value && (c != &s->constants[w->id] || !w->init)) {
		err_set(st->err, ERR_INPUT, "input '%s' is missing", w->name);
		return NULL;
	}
	t = tensor_pack(c->value ? c->value : w->init, st->err);
	if (t)
		c->handle = s->library->from_tensor(s->ctx, t, st->err);
	if (c->handle)
		record_source(record_of(s), c->handle, w->init ? w->name : NULL, 0, t);
	tensor_unref(t);
	return c->handle;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static int find_bindings(struct bind_session *s, struct err *e)
{
	const struct graph *g = s->model->graph;

	s->bindings = mem_array(g->nodes.n, sizeof *s->bindings);
	if (!s->bindings)
		return err_nomem(e, "bindings", g->nodes.n * sizeof *s->bindings);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		s->bindings[i] = n->op ? bind_find(s->library, n->domain, n->op_type) : NULL;
		if (!s->bindings[i] && !bind_may_evaluate(n))
			return err_set(e, ERR_UNSUPPORTED, "node '%s': operator %s%s%s (opset %d) has no binding",
				       n->name, n->domain, *n->domain ? ":" : "", n->op_type, n->opset);
	}
	return 0;
}

/* Output names, and when each value may be forgotten. */
static int plan(struct bind_session *s, const struct backend_names *more, struct err *e)
{
	const struct graph *g = s->model->graph;

	s->last_use = mem_array(g->wires.n, sizeof *s->last_use);
	s->names = mem_array(g->outputs.n + more->n, sizeof *s->names);
	if (!s->last_use || !s->names)
		return err_nomem(e, "a plan", 0);
	for (size_t i = 0; i < g->wires.n; i++)
		s->last_use[i] = USE_NEVER;
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int j = 0; j < g->nodes.at[i]->n_in; j++)
			if (g->nodes.at[i]->in[j])
				s->last_use[g->nodes.at[i]->in[j]->id] = (int)i;
	for (size_t i = 0; i < g->outputs.n + more->n; i++) {
		const struct wire *w = i < g->outputs.n ? g->outputs.at[i] : graph_wire(g, more->at[i - g->outputs.n]);

		if (!w)
			return err_set(e, ERR_INPUT, "the model has no tensor '%s'", more->at[i - g->outputs.n]);
		s->last_use[w->id] = USE_ALWAYS;
		s->names[s->n_names++] = w->name;
	}
	return 0;
}

/* Types of initializers, and the values of small ones. */
static int read_initializers(struct bind_session *s, struct err *e)
{
	const struct graph *g = s->model->graph;

	s->constants = mem_array(g->wires.n, sizeof *s->constants);
	if (!s->constants)
		return err_nomem(e, "constants", g->wires.n * sizeof *s->constants);
	for (size_t i = 0; i < g->wires.n; i++) {
		struct tensor *init = g->wires.at[i]->init;
		struct bind_cell *c = &s->constants[i];

		c->type = (struct type)TYPE_INIT;
		if (!init)
			continue;
		type_set(&c->type, init->dtype, init->rank, init->dims);
		if (init->count > BIND_KNOWN_MAX)
			continue;
		c->value = tensor_widen(init, e);
		c->meta = 1;
		if (!c->value)
			return e->code;
	}
	return 0;
}

int bind_open(const struct bind_library *l, void *ctx, const struct backend_model *m, struct bind_session **out,
	      struct err *e)
{
	struct bind_session *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "a session", sizeof *s);
	s->library = l;
	s->ctx = ctx;
	rc = m->path ? model_load(m->path, &s->model, e) : model_parse(m->bytes, m->n, "", &s->model, e);
	if (!rc)
		rc = ops_bind(s->model, e);
	if (!rc)
		rc = ops_infer(s->model, e);
	if (!rc)
		rc = find_bindings(s, e);
	if (!rc)
		rc = plan(s, &m->outputs, e);
	if (!rc)
		rc = read_initializers(s, e);
	if (!rc)
		rc = bind_fold_constants(s, e);
	if (rc) {
		bind_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void bind_close(struct bind_session *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->constants && i < s->model->graph->wires.n; i++) {
		record_forget(record_of(s), s->constants[i].handle);
		bind_cell_release(s, &s->constants[i]);
	}
	mem_free(s->constants);
	mem_free(s->bindings);
	mem_free(s->last_use);
	mem_free(s->names);
	arena_release(&s->scratch);
	model_free(s->model);
	mem_free(s);
}

size_t bind_outputs(const struct bind_session *s, const char *const **names)
{
	*names = s->names;
	return s->n_names;
}

void bind_unload(void *ctx, void *session)
{
	(void)ctx;
	bind_close(session);
}

size_t bind_session_outputs(void *session, const char *const **names)
{
	return bind_outputs(session, names);
}

const struct model *bind_model(const struct bind_session *s)
{
	return s->model;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static int is_constant(const struct bind_session *s, const struct node *n)
{
	return n->n_out == 1 && n->out[0] && s->constants[n->out[0]->id].value;
}

/* Takes over the handles that a binding has made. */
static int keep_handles(struct bind_state *st, struct bind_call *b)
{
	const struct bind_library *l = st->s->library;
	int rc = 0;

	for (int i = 0; i < b->n_out; i++) {
		const struct wire *w = b->node->out[i];
		struct bind_cell *cell = w ? &st->cells[w->id] : NULL;

		if (!cell && b->out[i])
			l->release(st->s->ctx, b->out[i]);
		if (!cell)
			continue;
		if (!b->out[i] && !rc)
			rc = err_set(st->err, ERR_INTERNAL, "the binding made no output %d", i);
		cell->handle = b->out[i];
		cell->type = b->call->out_type[i];
		if (!rc && l->shape) {
			enum dtype t = cell->type.dtype;

			rc = l->shape(st->s->ctx, cell->handle, &t, &cell->type.rank, cell->type.dims, st->err);
			cell->type.kind = VALUE_TENSOR;
			if (!cell->type.dtype)
				cell->type.dtype = t;
		}
	}
	return rc;
}

static int run_binding(struct bind_state *st, struct call *c)
{
	struct bind_session *s = st->s;
	const struct node *n = c->node;
	const struct binding *binding = s->bindings[n->index];
	struct bind_call b = {.node = n,
			      .row = binding,
			      .version = n->version,
			      .ctx = s->ctx,
			      .library = s->library,
			      .n_in = n->n_in,
			      .n_out = n->n_out,
			      .known = c->in,
			      .call = c,
			      .tmp = c->tmp,
			      .err = st->err};
	int rc = 0;

	if (!binding)
		return err_set(st->err, ERR_UNSUPPORTED, "has no binding, and its inputs are not known before it runs");
	b.in = arena_array(c->tmp, (size_t)n->n_in, sizeof *b.in);
	b.out = arena_array(c->tmp, (size_t)n->n_out, sizeof *b.out);
	if (!b.in || !b.out)
		return err_nomem(st->err, "a call", 0);
	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i] && !(b.in[i] = cell_handle(st, n->in[i])))
			rc = st->err->code ? st->err->code : err_set(st->err, ERR_INTERNAL, "no handle was made");
	if (!rc)
		rc = s->library->call ? s->library->call(&b) : binding->run(&b);
	if (!rc)
		return keep_handles(st, &b);
	for (int i = 0; i < n->n_out; i++)
		if (b.out[i])
			s->library->release(s->ctx, b.out[i]);
	return rc;
}

static void forget_dead(struct bind_state *st, const struct node *n)
{
	const struct bind_session *s = st->s;

	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && s->last_use[n->in[i]->id] == n->index)
			bind_cell_release(s, &st->cells[n->in[i]->id]);
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && s->last_use[n->out[i]->id] == USE_NEVER)
			bind_cell_release(s, &st->cells[n->out[i]->id]);
}

static int run_node(struct bind_state *st, const struct node *n)
{
	struct call c;
	int done = 0, rc;

	if (is_constant(st->s, n))
		return 0;
	rc = bind_call_begin(st, n, &c);
	if (!rc)
		rc = bind_evaluate(st, &c, &done);
	if (!rc && !done)
		rc = run_binding(st, &c);
	bind_call_end(&c);
	if (rc)
		return err_prefix(st->err, "node '%s' (%s)", n->name, n->op_type);
	forget_dead(st, n);
	return 0;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static int give_input(struct bind_state *st, const struct named_value *in)
{
	const struct wire *w = graph_wire(st->s->model->graph, in->name);
	struct bind_cell *cell;
	struct tensor *t;
	int rc;

	if (!w || !w->is_input)
		return err_set(st->err, ERR_INPUT, "the model has no input '%s'", in->name);
	if (!in->value || in->value->kind != VALUE_TENSOR)
		return err_set(st->err, ERR_UNSUPPORTED, "input '%s' is not a tensor", in->name);
	t = in->value->tensor;
	cell = &st->cells[w->id];
	if (cell->handle)
		return err_set(st->err, ERR_INPUT, "input '%s' is given twice", in->name);
	if ((rc = adapt_check_input(w, in->value, st->err)))
		return rc;
	type_set(&cell->type, t->dtype, t->rank, t->dims);
	if (t->count <= BIND_KNOWN_MAX && !(cell->value = tensor_widen(t, st->err)))
		return st->err->code;
	if (!(t = tensor_pack(t, st->err)))
		return st->err->code;
	cell->handle = st->s->library->from_tensor(st->s->ctx, t, st->err);
	if (cell->handle)
		record_source(record_of(st->s), cell->handle, w->name, 1, t);
	tensor_unref(t);
	return cell->handle ? 0 : st->err->code;
}

static int check_all_given(const struct bind_state *st)
{
	const struct graph *g = st->s->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (!g->inputs.at[i]->init && !st->cells[g->inputs.at[i]->id].handle)
			return err_set(st->err, ERR_INPUT, "input '%s' is missing", g->inputs.at[i]->name);
	return 0;
}

/* Shows the handles of graph inputs and initializers, those that a node reads or that are outputs. */
static int show_sources(struct bind_state *st, bind_watch *watch, void *arg)
{
	const struct graph *g = st->s->model->graph;
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		const struct wire *w = g->wires.at[i];
		void *handle;

		if (!(w->is_input || w->init) || st->s->last_use[i] == USE_NEVER)
			continue;
		handle = cell_handle(st, w);
		rc = handle ? watch(arg, w, handle, st->err) : st->err->code;
	}
	return rc;
}

static int take_outputs(struct bind_state *st, const struct backend_names *wanted, void **out)
{
	struct bind_session *s = st->s;
	size_t n = 0;
	int rc = 0;

	for (; n < wanted->n && !rc; n += !rc) {
		const struct wire *w = graph_wire(s->model->graph, wanted->at[n]);
		void *handle;

		if (!w || s->last_use[w->id] != USE_ALWAYS) {
			rc = err_set(st->err, ERR_INPUT, "'%s' is not an output of the session", wanted->at[n]);
			break;
		}
		handle = cell_handle(st, w);
		out[n] = handle ? s->library->retain(s->ctx, handle) : NULL;
		if (out[n])
			record_output(record_of(s), wanted->at[n], handle);
		else
			rc = st->err->code ? st->err->code
					   : err_set(st->err, ERR_INTERNAL, "'%s': no reference", wanted->at[n]);
	}
	while (rc && n) {
		s->library->release(s->ctx, out[--n]);
		out[n] = NULL;
	}
	return rc;
}

int bind_run(struct bind_session *s, const struct backend_run *q, void **out, bind_watch *watch, void *watch_arg,
	     struct err *e)
{
	const struct graph *g = s->model->graph;
	struct bind_state st = {s, mem_array(g->wires.n, sizeof *st.cells), e};
	int rc = 0;

	if (!st.cells)
		return err_nomem(e, "values", g->wires.n * sizeof *st.cells);
	for (size_t i = 0; i < g->wires.n; i++)
		st.cells[i].type = (struct type)TYPE_INIT;
	record_values_by(record_of(s), s->library->to_tensor, s->ctx);
	record_begin(record_of(s));
	for (size_t i = 0; i < q->in.n && !rc; i++)
		rc = give_input(&st, &q->in.at[i]);
	if (!rc)
		rc = check_all_given(&st);
	if (!rc && watch)
		rc = show_sources(&st, watch, watch_arg);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		rc = run_node(&st, g->nodes.at[i]);
	if (!rc)
		rc = take_outputs(&st, &q->wanted, out);
	for (size_t i = 0; i < g->wires.n; i++)
		bind_cell_release(s, &st.cells[i]);
	mem_free(st.cells);
	return rc;
}

int bind_take_values(const struct bind_session *s, void *const *handles, size_t n, struct value **out, struct err *e)
{
	size_t done = 0;
	int rc = 0;

	for (; done < n && !rc; done += !rc) {
		struct tensor *packed = NULL;

		rc = s->library->to_tensor(s->ctx, handles[done], &packed, e);
		if (!rc && !(out[done] = value_tensor(packed, e)))
			rc = e->code;
	}
	while (rc && done)
		value_unref(out[--done]);
	for (size_t i = 0; i < n; i++)
		s->library->release(s->ctx, handles[i]);
	return rc;
}
