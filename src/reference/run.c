/* run.c - the forward interpreter.
 *
 * Nodes run in order.  For each: look the inputs up, infer shapes with everything known, allocate the outputs,
 * evaluate in double or int64, wrap integers to their dtype, round (rounded mode), move the lanes (noisy mode), show
 * the observer, and forget what nobody reads any more. */
#include <math.h>
#include <string.h>

#include "base/mapped.h"
#include "base/mem.h"
#include "model/adapt.h"
#include "ops/call.h"
#include "reference/internal.h"
#include "reference/precision.h"

/* ---- one call ---------------------------------------------------------------------------------------------------- */

int run_call_begin(struct run *r, struct node *n, struct call *c)
{
	size_t ins = (size_t)n->n_in, outs = (size_t)n->n_out;

	*c = (struct call){.node = n, .op = n->op, .version = n->version, .err = r->err, .env = &r->env};
	c->tmp = mem_alloc(sizeof *c->tmp);
	if (!c->tmp)
		return err_nomem(r->err, "a call", sizeof *c->tmp);
	c->range = r->o->range;
	c->absolute = r->o->absolute;
	c->one_pass = r->o->one_pass;
	ref_ties(r, c);
	arena_init(c->tmp, 0);
	if (!r->frame->outer) { /* the main graph lends the block it keeps between runs; inner graphs nest, so they
				   cannot */
		*c->tmp = r->ref->scratch;
		r->ref->scratch = (struct arena)ARENA_INIT;
	}
	c->n_in = n->n_in;
	c->n_out = n->n_out;
	c->in_type = arena_array(c->tmp, ins, sizeof *c->in_type);
	c->in = arena_array(c->tmp, ins, sizeof *c->in);
	c->in_value = arena_array(c->tmp, ins, sizeof *c->in_value);
	c->out_type = arena_array(c->tmp, outs, sizeof *c->out_type);
	c->out = arena_array(c->tmp, outs, sizeof *c->out);
	c->out_value = arena_array(c->tmp, outs, sizeof *c->out_value);
	if (c->in_type && c->in && c->in_value && c->out_type && c->out && c->out_value)
		return 0;
	c->n_in = c->n_out = 0;
	return err_nomem(r->err, "a call", 0);
}

static void release_outputs(struct call *c)
{
	for (int i = 0; i < c->n_out; i++) {
		tensor_unref(c->out[i]);
		value_unref(c->out_value[i]);
		c->out[i] = NULL;
		c->out_value[i] = NULL;
	}
}

/* Gives back what the call holds; the scratch of the main graph's calls goes back to the reference. */
void run_call_end(struct call *c)
{
	struct run *r = (struct run *)c->env;

	for (int i = 0; i < c->n_in; i++)
		value_unref(c->in_value[i]);
	release_outputs(c);
	if (!c->tmp)
		return;
	if (!r->frame->outer) {
		arena_reset(c->tmp);
		arena_release(&r->ref->scratch); /* a lane's call may have given its own back meanwhile */
		r->ref->scratch = *c->tmp;
	} else {
		arena_release(c->tmp);
	}
	mem_free(c->tmp);
}

static void type_of_value(const struct value *v, struct type *t)
{
	*t = (struct type)TYPE_INIT;
	if (!v)
		return;
	t->kind = v->kind;
	t->dtype = v->dtype;
	if (v->kind == VALUE_TENSOR)
		type_set(t, v->tensor->dtype, v->tensor->rank, v->tensor->dims);
}

static int allocate_outputs(struct call *c)
{
	for (int i = 0; i < c->n_out; i++) {
		const struct type *t = &c->out_type[i];

		if (!c->node->out[i])
			continue;
		if (!type_is_static(t))
			return err_set(c->err, ERR_INTERNAL, "the shape of output %d was not inferred", i);
		c->out[i] = tensor_new(t->dtype, t->rank, t->dims, c->err);
		if (!c->out[i])
			return c->err->code;
	}
	return 0;
}

/* Tensors become values, so that callers handle one kind of thing. */
static int wrap_outputs(struct call *c, int round)
{
	for (int i = 0; i < c->n_out; i++) {
		if (!c->out[i])
			continue;
		if (!tensor_is_unique(c->out[i]))
			; /* a view of an input: done when that was made, and not ours to write */
		else if (round)
			lowered_round_output(c, c->out[i]);
		else
			tensor_wrap_ints(c->out[i]);
		if (c->range == OP_RANGE_LOST && tensor_is_unique(c->out[i]))
			tensor_flush(c->out[i]);
		if (c->out_value[i])
			continue;
		c->out_value[i] = value_tensor(tensor_ref(c->out[i]), c->err);
		if (!c->out_value[i])
			return c->err->code;
	}
	return 0;
}

int run_infer(struct call *c)
{
	struct type *types = (struct type *)c->in_type;

	for (int i = 0; i < c->n_in; i++) {
		type_of_value(c->in_value[i], &types[i]);
		c->in[i] = c->in_value[i] && c->in_value[i]->kind == VALUE_TENSOR ? c->in_value[i]->tensor : NULL;
	}
	return call_infer(c);
}

int run_eval(struct run *r, struct call *c, int round, struct chain *chain)
{
	int rc = run_infer(c);

	if (!rc)
		rc = run_spend(r, c);
	if (!rc && !(c->op->flags & OP_OWN_OUTPUTS))
		rc = allocate_outputs(c);
	if (!rc && chain && chain->n) {
		chain_prepare(r, chain, c);
		c->steps = r->frame->lockstep ? NULL : &chain->list; /* the lanes want the value in front of a step */
	}
	if (!rc)
		rc = call_eval(c);
	if (!rc && r->o->tamper)
		rc = r->o->tamper(c, 0, r->o->tamper_arg);
	if (!rc)
		rc = wrap_outputs(c, round);
	if (rc)
		release_outputs(c);
	return rc;
}

/* ---- values of wires --------------------------------------------------------------------------------------------- */

static struct ref_frame *frame_of(struct run *r, const struct wire *w)
{
	struct ref_frame *f = r->frame;

	while (f && f->plan->graph != w->graph)
		f = f->outer;
	return f;
}

static struct value *widen_init(const struct wire *w, struct err *e)
{
	struct tensor *wide = tensor_widen(w->init, e);

	return wide ? value_tensor(wide, e) : NULL;
}

/* What constants.c has prepared for a wire, and this run may use. */
static struct value *constant_of(const struct run *r, const struct wire *w)
{
	return w->graph == r->ref->model->graph && (w->init || r->folded) ? r->ref->constants[w->id] : NULL;
}

int run_lookup(struct run *r, const struct wire *w, struct value **out)
{
	struct value *constant = constant_of(r, w);
	struct ref_frame *f = frame_of(r, w);
	struct cell *cell = f ? &f->cells[w->id] : NULL;

	if (cell && cell->value && r->lane >= 0 && f->lockstep)
		return noise_lane_value(r, cell, r->lane, out);
	if (cell && cell->value) {
		*out = value_ref(cell->value);
		return 0;
	}
	if (constant || w->init) {
		*out = constant ? value_convert(constant, tensor_widen, r->err) : widen_init(w, r->err);
		return *out ? 0 : r->err->code;
	}
	return err_set(r->err, ERR_INPUT, "'%s' has no value: an input was not given", w->name);
}

int run_lookup_input(struct run *r, const struct node *n, int i, struct value **out)
{
	struct value *constant = constant_of(r, n->in[i]);
	struct ref_frame *f = frame_of(r, n->in[i]);

	/* a defect that is planted, and a gradient, read every input wide */
	if (!constant || !ref_takes_packed(n, i) || f->cells[n->in[i]->id].value || r->o->tamper || r->keep_all)
		return run_lookup(r, n->in[i], out);
	*out = value_ref(constant);
	return 0;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static void cell_release(struct run *r, struct cell *cell)
{
	noise_cell_release(r, cell);
	value_unref(cell->value);
	cell->value = NULL;
}

void run_frame_release(struct run *r, struct ref_frame *f)
{
	for (size_t i = 0; f->cells && i < f->plan->graph->wires.n; i++)
		cell_release(r, &f->cells[i]);
	mem_free(f->cells);
	f->cells = NULL;
}

static void forget_dead(struct run *r, const struct node *n)
{
	struct ref_frame *f = r->frame;

	if (r->keep_all)
		return;
	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && n->in[i]->graph == f->plan->graph && f->plan->last_use[n->in[i]->id] == n->index)
			cell_release(r, &f->cells[n->in[i]->id]);
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && f->plan->last_use[n->out[i]->id] == PLAN_NEVER)
			cell_release(r, &f->cells[n->out[i]->id]);
}

static int show_observer(struct run *r, const struct node *n)
{
	struct ref_frame *f = r->frame;

	if (!r->o->observe || f->outer)
		return 0;
	for (int i = 0; i < n->n_out; i++) {
		struct cell *cell = n->out[i] ? &f->cells[n->out[i]->id] : NULL;
		float *noise = NULL;
		int rc;

		if (!cell || !cell->value)
			continue;
		rc = r->lanes ? noise_of_cell(r, cell, &noise) : 0;
		if (!rc)
			rc = r->o->observe(n, i, n->out[i], cell->value, noise, r->o->observe_arg);
		mem_free(noise);
		if (rc)
			return r->err->code ? rc : err_set(r->err, rc, "stopped by the observer");
	}
	return 0;
}

static int keep_outputs(struct run *r, struct call *c)
{
	for (int i = 0; i < c->n_out; i++) {
		const struct wire *w = c->node->out[i];

		if (!w)
			continue;
		if (!c->out_value[i])
			return err_set(r->err, ERR_INTERNAL, "output %d was not computed", i);
		r->frame->cells[w->id].value = value_ref(c->out_value[i]);
	}
	return 0;
}

/* A random operator's stream depends on the node and, inside of a loop, on the iteration. */
void run_seed_random(struct run *r, const struct node *n)
{
	if (n->op->flags & OP_RANDOM)
		r->random = rng_split(&r->root, (r->frame->outer ? r->body_runs << 32 : 0) + (uint64_t)n->index + 1);
}

/* Node `index` and those that are steps behind it; *next: the one to go on with. */
static int run_node(struct run *r, size_t index, size_t *next)
{
	struct node *n = r->frame->plan->graph->nodes.at[index];
	int round = r->o->mode == REF_ROUNDED, lockstep = r->frame->lockstep;
	struct chain chain;
	struct call c;
	int rc = run_call_begin(r, n, &c);

	if (!r->frame->outer)
		r->asked = lowered_asked(r, n);
	chain_plan(r, index, &chain);
	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i])
			rc = run_lookup_input(r, n, i, &c.in_value[i]);
	if (lockstep)
		r->body_runs_before = r->body_runs;
	run_seed_random(r, n);
	if (!rc && round)
		rc = lowered_round_inputs(r, &c);
	if (!rc)
		rc = run_eval(r, &c, round, &chain);
	if (!rc && r->lane >= 0)
		rc = noise_perturb(r, &c);
	if (!rc && lockstep && r->o->moved)
		rc = noise_move(r, &c);
	if (!rc && round && r->o->coarse)
		rc = noise_coarsen(r, &c);
	if (!rc)
		rc = keep_outputs(r, &c);
	if (!rc && lockstep) {
		c.steps = chain.n ? &chain.list : NULL;
		rc = noise_step(r, &c);
	}
	if (!rc && chain.n)
		chain_finish(r, &chain, &c);
	if (!rc)
		rc = show_observer(r, n);
	chain_end(&chain);
	run_call_end(&c);
	if (rc)
		return node_prefix(n, r->err);
	forget_dead(r, n);
	for (int i = 0; i < chain.n; i++)
		forget_dead(r, chain.nodes[i]);
	*next = chain.next;
	return 0;
}

int run_frame(struct run *r, const struct graph *g, struct value *const *in, size_t n_in, struct ref_frame *f)
{
	struct tensor *(*widen)(struct tensor *, struct err *) =
		r->o->range == OP_RANGE_LOST ? tensor_widen_flushed : tensor_widen;
	int rc = 0;

	f->plan = ref_plan(r->ref, g);
	f->cells = mem_array(g->wires.n, sizeof *f->cells);
	if (!f->cells)
		return err_nomem(r->err, "values", g->wires.n * sizeof *f->cells);
	f->outer = r->frame;
	r->frame = f;
	if (n_in != g->inputs.n)
		rc = err_set(r->err, ERR_INPUT, "graph '%s' takes %zu inputs, %zu were given", g->name, g->inputs.n,
			     n_in);
	for (size_t i = 0; i < n_in && !rc; i++) {
		struct wire *w = g->inputs.at[i];

		if (!in[i])
			continue;
		rc = adapt_check_input(w, in[i], r->err);
		if (!rc && !(f->cells[w->id].value = value_convert(in[i], widen, r->err)))
			rc = r->err->code;
	}
	for (size_t i = 0, next; i < g->nodes.n && !rc; i = next) {
		next = i + 1;
		if (r->folded && constants_cover(r->ref, g->nodes.at[i]))
			continue;
		if (!f->outer)
			r->done = i;
		if (r->o->progress) /* of nodes of a body, too: a loop may be long */
			r->o->progress(g->nodes.at[i], r->done, r->ref->model->graph->nodes.n, r->o->progress_arg);
		rc = run_node(r, i, &next);
	}
	return rc;
}

/* Folded constants serve unless the caller replaces an initializer, wants to see or change every node, or has nodes
 * that only move data store it in a lower precision. */
static int may_use_folded(const struct ref *ref, struct value *const *inputs, size_t n, const struct ref_options *o)
{
	for (size_t i = 0; i < n && i < ref->model->graph->inputs.n; i++)
		if (inputs[i] && ref->model->graph->inputs.at[i]->init)
			return 0;
	return ref->folded && !o->observe && !o->tamper && !o->range && !o->precisions &&
	       (o->precision == REF_OWN || o->products || precision_row(o->precision)->products);
}

/* op_env.run_graph: one run of a subgraph for a control-flow operator. */
static int run_subgraph(struct op_env *env, const struct graph *g, struct value *const *in, size_t n_in,
			struct value **out, size_t n_out, struct err *e)
{
	struct run *r = (struct run *)env;
	struct ref_frame f = {0}, *saved = r->frame;
	struct err *saved_err = r->err;
	size_t n = 0;
	int rc;

	r->err = e;
	r->body_runs++;
	rc = run_frame(r, g, in, n_in, &f);
	if (!rc && n_out != g->outputs.n)
		rc = err_set(e, ERR_INPUT, "graph '%s' has %zu outputs, wanted %zu", g->name, g->outputs.n, n_out);
	while (!rc && n < n_out) {
		rc = run_lookup(r, g->outputs.at[n], &out[n]);
		n += !rc;
	}
	while (rc && n)
		value_unref(out[--n]);
	run_frame_release(r, &f);
	r->frame = saved;
	r->err = saved_err;
	return rc;
}

int run_start(struct run *r, struct ref *ref, const struct ref_options *o, struct err *e)
{
	*r = (struct run){.ref = ref, .o = o, .lane = -1, .err = e};
	rng_init(&r->root, o->seed);
	r->env = (struct op_env){.run_graph = run_subgraph, .rng = &r->random, .training = o->training};
	r->random = rng_split(&r->root, 0);
	if (o->mode != REF_NOISY)
		return 0;
	r->lanes = o->noise_runs ? o->noise_runs : REF_NOISE_RUNS;
	if (r->lanes < 1 || r->lanes > REF_MAX_RUNS)
		return err_set(e, ERR_USAGE, "noise runs must be between 1 and %d, not %d", REF_MAX_RUNS, r->lanes);
	return 0;
}

void ref_result_release(struct ref_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		value_unref(r->outputs[i].value);
		mem_free(r->outputs[i].noise);
	}
	mem_free(r->outputs);
	*r = (struct ref_result){.n = 0};
}

static int collect(struct run *r, const struct graph *g, struct ref_result *out)
{
	int rc = 0;

	out->outputs = mem_array(g->outputs.n, sizeof *out->outputs);
	if (!out->outputs)
		return err_nomem(r->err, "results", g->outputs.n * sizeof *out->outputs);
	for (; out->n < g->outputs.n && !rc; out->n++) {
		const struct wire *w = g->outputs.at[out->n];
		struct ref_output *o = &out->outputs[out->n];

		o->name = w->name;
		rc = run_lookup(r, w, &o->value);
		if (!rc && r->lanes) {
			struct cell constant = {.value = o->value}; /* folded, or an initializer: no noise */
			const struct cell *cell = &r->frame->cells[w->id];

			rc = noise_of_cell(r, cell->value ? cell : &constant, &o->noise);
		}
	}
	if (rc)
		ref_result_release(out);
	return rc;
}

int ref_run(struct ref *ref, struct value *const *inputs, size_t n, const struct ref_options *o, struct ref_result *out,
	    struct err *e)
{
	struct ref_result result = {.n = 0};
	struct ref_frame f = {.lockstep = o->mode == REF_NOISY};
	struct run r;
	int rc = run_start(&r, ref, o, e);

	if (!rc) {
		r.folded = may_use_folded(ref, inputs, n, o);
		rc = run_frame(&r, ref->model->graph, inputs, n, &f);
	}
	if (!rc)
		rc = collect(&r, ref->model->graph, &result);
	if (!rc && (rc = mapped_check(e)))
		ref_result_release(&result);
	if (f.plan)
		run_frame_release(&r, &f);
	if (rc)
		return rc;
	*out = result;
	out->ties = r.env.ties;
	return 0;
}
