/* lowered.c - nodes that are computed in a lower precision than their tensors have (declared in internal.h).
 *
 * In the rounded mode the float inputs and outputs of such a node are rounded to the precision; in the noisy mode they
 * move by roundings of its size.  An input that another such node made is rounded already.  Numbers that only say what
 * is to be done (PORT_SETTING), statistics, and the floats beside quantized numbers, which are scales, stay; a float
 * that a Cast makes a whole number of is none (OP_CONVERTS).
 *
 * With steps (REF_INT8) a tensor that a node reads or makes which quantizers know is stored in them, for all its
 * readers; they go by its own range, as quantizers choose them by the data: half a step is what storing a number moves
 * it by.  Constants have those of int8 around 0, which are coarser or as coarse; biases stay. */
#include <math.h>

#include "base/mem.h"
#include "ops/noise/rounding.h"
#include "reference/internal.h"
#include "reference/precision.h"
#include "reference/quantized.h"

#define WIRE_STREAM UINT64_C(0x200000000) /* of roundings of inputs: those of nodes are below */

/* ---- which ------------------------------------------------------------------------------------------------------- */

enum ref_precision lowered_asked(const struct run *r, const struct node *n)
{
	return r->o->precisions ? (enum ref_precision)r->o->precisions[n->index] : r->o->precision;
}

/* Whether only the operands of products are in it, and no results. */
static int is_of_products(const struct run *r, enum ref_precision p)
{
	return r->o->products || precision_row(p)->products;
}

static int has_steps(enum ref_precision p)
{
	return p != REF_OWN && precision_row(p)->steps;
}

/* Whether tensors of a type are rounded to precision p: quantizers take float16 as well, whose steps are finer. */
static int lowers(enum ref_precision p, enum dtype t)
{
	return precision_lowers(t) || (has_steps(p) && t == DT_FLOAT16);
}

/* What is left for a node of the precision that is asked for; with steps its tensors decide. */
static enum ref_precision precision_of(const struct run *r, const struct node *n)
{
	return r->asked != REF_OWN && is_of_products(r, r->asked) && !(n->op->flags & OP_PRODUCTS) ? REF_OWN : r->asked;
}

static int is_quantized(const struct wire *w)
{
	return w && w->type.kind == VALUE_TENSOR && TM(w->type.dtype) & (T_INT | T_INT4) &&
	       dtype_bits(w->type.dtype) <= 16;
}

static int has_scales(const struct node *n, enum ref_precision p)
{
	if (n->op->flags & OP_CONVERTS && !has_steps(p))
		return 0;
	for (int i = 0; i < n->n_in; i++)
		if (is_quantized(n->in[i]))
			return 1;
	for (int i = 0; i < n->n_out; i++)
		if (is_quantized(n->out[i]))
			return 1;
	return 0;
}

/* Constants are stored for the node that is known, and all else for all readers. */
static int takes_stored(const struct node *n, int i)
{
	const struct quantized_op *op = quantized_op_find(n);
	const struct wire *w = n->in[i];

	if (op)
		return op->bias != i;
	return w && !w->producer && !w->init && quantized_is_stored(w);
}

/* Whether input i of a call, which is in precision p, is rounded to it. */
static int takes_lowered(const struct call *c, enum ref_precision p, int i)
{
	const struct value *v = c->in_value[i];
	int flags = i < OP_MAX_PORTS ? c->op->in[i].flags : 0;

	if (has_steps(p) && !takes_stored(c->node, i))
		return 0;
	return v && v->kind == VALUE_TENSOR && lowers(p, v->tensor->dtype) &&
	       !(flags & (PORT_UNTRAINED | PORT_SETTING)) && !has_scales(c->node, p);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* What the steps of a tensor come from: one that wire w has, or (NULL) that is made. */
static struct quantized_range range_of(const struct wire *w, const struct tensor *x)
{
	struct quantized_range r = {0, 0};
	double largest;

	quantized_widen(&r, x);
	if (!w || !quantized_is_constant(w))
		return r;
	largest = fmax(-r.low, r.high) * QUANTIZED_STEPS / (2 * QUANTIZED_WEIGHT_STEPS);
	return (struct quantized_range){-largest, largest};
}

/* Of what a call makes; elements that are only moved or chosen may keep the steps that they had. */
static struct quantized_range range_made(const struct call *c, const struct tensor *y)
{
	struct quantized_range r = range_of(NULL, y), before;
	const struct quantized_op *op = quantized_op_find(c->node);
	enum quantized_steps steps = op ? op->steps : STEPS_DATA;
	const struct tensor *x = c->n_in ? c->in[0] : NULL;

	if (steps == STEPS_UNIT)
		return (struct quantized_range){.high = 1};
	if (!op || !x || !lowers(REF_INT8, x->dtype) || (steps != STEPS_INPUT && (c->op->scale || c->op->ulps > 0.0f)))
		return r;
	before = range_of(NULL, x);
	return quantized_step(&before) > quantized_step(&r) ? before : r;
}

/* What an output of a call is rounded to. */
static enum ref_precision precision_made(const struct call *c, const struct tensor *y)
{
	const struct run *r = (const struct run *)c->env;
	enum ref_precision p = precision_of(r, c->node);

	if (!has_steps(p))
		return p;
	for (int i = 0; i < c->n_out; i++)
		if (c->out[i] == y && c->node->out[i] && quantized_is_stored(c->node->out[i]))
			return p;
	return REF_OWN;
}

int lowered_has_steps(const struct call *c, const struct tensor *y)
{
	return has_steps(precision_made(c, y));
}

/* ---- rounded ----------------------------------------------------------------------------------------------------- */

static struct value *rounded(enum ref_precision p, const struct wire *w, const struct value *v, struct err *e)
{
	struct tensor *wide = tensor_widen(v->tensor, e), *own = wide ? tensor_copy(wide, e) : NULL;

	tensor_unref(wide);
	if (own && has_steps(p)) {
		struct quantized_range r = range_of(w, own);

		quantized_round(&r, own->f, own->count);
	}
	for (size_t i = 0; own && i < own->count; i++)
		own->f[i] = precision_round(p, own->f[i]);
	return own ? value_tensor(own, e) : NULL;
}

int lowered_round_inputs(struct run *r, struct call *c)
{
	enum ref_precision p = precision_of(r, c->node);

	for (int i = 0; p != REF_OWN && i < c->n_in; i++) {
		struct value *v;

		if (!takes_lowered(c, p, i))
			continue;
		v = rounded(p, c->node->in[i], c->in_value[i], r->err);
		if (!v)
			return r->err->code;
		value_unref(c->in_value[i]);
		c->in_value[i] = v;
	}
	return r->o->feed ? r->o->feed(c, 0, r->o->feed_arg) : 0;
}

void lowered_round_output(const struct call *c, struct tensor *y)
{
	const struct run *r = (const struct run *)c->env;
	enum ref_precision p = precision_made(c, y);

	if (p == REF_OWN || is_of_products(r, p) || !lowers(p, y->dtype)) {
		tensor_round(y);
		return;
	}
	if (has_steps(p)) {
		struct quantized_range range = range_made(c, y);

		quantized_round(&range, y->f, y->count);
		tensor_round(y);
	}
	for (size_t i = 0; i < y->count; i++)
		y->f[i] = precision_round(p, y->f[i]);
}

/* ---- noisy ------------------------------------------------------------------------------------------------------- */

/* What one rounding to precision p moves numbers by, where that is more than is there. */
static void raise_sizes(enum ref_precision p, const double *x, size_t n, float *sizes)
{
	double u = precision_roundoff(p), least = 2 * u * smallfloat_smallest(&precision_row(p)->format);

	for (size_t i = 0; i < n; i++) {
		double size = x[i] == 0 ? 0 : fmax(u * fabs(x[i]), least);

		if (isfinite(size) && size > (double)sizes[i])
			sizes[i] = (float)size;
	}
}

/* The same of half a step.  0 is one of the numbers that are stored, and so is the end of the range that
 * quantized_ends() tells of, unless something moved the tensor before it is stored. */
static void raise_to_step(const struct quantized_range *r, int moved, const double *x, size_t n, float *sizes)
{
	float half = (float)(quantized_step(r) / 2);

	for (size_t i = 0; i < n; i++)
		if (x[i] != 0 && isfinite(x[i]) && half > sizes[i] && (moved || !quantized_ends(r, x[i])))
			sizes[i] = half;
}

/* Whether lanes see other inputs of a call than the exact run, or will when they are lent.  Where it is not known, they
 * do. */
static int inputs_may_move(const struct run *r, const struct call *c, enum ref_precision p)
{
	int may = !r->frame->lockstep;

	for (int i = 0; i < c->n_in && !may; i++) {
		const struct wire *w = c->node->in[i];

		may = w && (w->graph != r->frame->plan->graph || r->frame->cells[w->id].delta ||
			    r->frame->cells[w->id].lane || takes_lowered(c, p, i));
	}
	return may;
}

void lowered_sizes(const struct call *c, const struct tensor *y, float *sizes)
{
	const struct run *r = (const struct run *)c->env;
	enum ref_precision p = precision_made(c, y);
	float times = r->o->reduced ? (float)(precision_roundoff(p) / dtype_roundoff(y->dtype)) : 1;

	if (p == REF_OWN || is_of_products(r, p) || !lowers(p, y->dtype))
		return;
	for (size_t i = 0; r->o->reduced && i < y->count; i++)
		sizes[i] *= times;
	if (has_steps(p)) {
		struct quantized_range range = range_made(c, y);

		raise_to_step(&range, inputs_may_move(r, c, p), y->f, y->count, sizes);
	} else {
		raise_sizes(p, y->f, y->count, sizes);
	}
}

/* Whether the lanes of a wire have roundings of precision p already. */
static int made_lowered(const struct run *r, const struct wire *w, enum ref_precision p)
{
	const struct node *maker = w->producer;

	if (has_steps(p) && maker && maker->op->flags & OP_CONTROL)
		return 0;
	return maker && !is_of_products(r, p) && lowered_asked(r, maker) == p &&
	       !(r->folded && constants_cover(r->ref, maker));
}

/* Puts lanes that are moved by one more rounding in the place of those of a wire. */
static int move_cell(struct run *r, const struct wire *w, struct value *v, enum ref_precision p, struct cell *cell)
{
	size_t n = v->tensor->count, lanes = (size_t)r->lanes;
	struct rng stream = rng_split(&r->root, WIRE_STREAM + (uint64_t)w->id);
	float *d = n < SIZE_MAX / sizeof(float) / REF_MAX_RUNS ? mem_aligned(n * lanes * sizeof *d) : NULL;
	float *sizes = mem_array(n, sizeof *sizes);
	struct value *wide = value_convert(v, tensor_widen, r->err);

	if (!d || !sizes || !wide) {
		mem_free(d);
		mem_free(sizes);
		value_unref(wide);
		return wide ? err_nomem(r->err, "noise lanes", n * lanes * sizeof *d) : r->err->code;
	}
	for (size_t i = 0; i < n * lanes; i++)
		d[i] = cell->delta ? cell->delta[i] : 0;
	if (has_steps(p)) {
		struct quantized_range range = range_of(w, wide->tensor);

		raise_to_step(&range, cell->delta != NULL, wide->tensor->f, n, sizes);
	} else {
		raise_sizes(p, wide->tensor->f, n, sizes);
	}
	rounding_apply(stream.seed, sizes, d, 0, n, lanes, 1);
	mem_free(sizes);
	*cell = (struct cell){.value = wide, .delta = d, .unstable = cell->unstable};
	return 0;
}

static int is_first_use(const struct node *n, int i)
{
	for (int k = 0; k < i; k++)
		if (n->in[k] == n->in[i])
			return 0;
	return 1;
}

int lowered_lend_inputs(struct run *r, struct call *c, struct cell **lent)
{
	const struct node *n = c->node;
	enum ref_precision p = precision_of(r, n);
	int rc = 0;

	*lent = NULL;
	if (p == REF_OWN || n->op->flags & OP_CONTROL)
		return 0;
	*lent = arena_array(c->tmp, (size_t)c->n_in, sizeof **lent);
	if (!*lent)
		return err_nomem(r->err, "inputs", 0);
	for (int i = 0; i < c->n_in && !rc; i++) {
		const struct wire *w = n->in[i];
		struct cell *cell = w && w->graph == r->frame->plan->graph ? &r->frame->cells[w->id] : NULL;

		if (!cell || !takes_lowered(c, p, i) || !is_first_use(n, i) || cell->lane || made_lowered(r, w, p))
			continue;
		(*lent)[i] = *cell;
		rc = move_cell(r, w, c->in_value[i], p, cell);
		if (!rc)
			(*lent)[i].lent = 1;
	}
	return rc;
}

void lowered_take_back(struct run *r, const struct call *c, struct cell *lent)
{
	for (int i = 0; lent && i < c->n_in; i++) {
		struct cell *cell = lent[i].lent ? &r->frame->cells[c->node->in[i]->id] : NULL;

		if (!cell)
			continue;
		mem_free(cell->delta);
		value_unref(cell->value);
		*cell = lent[i];
		cell->lent = 0;
	}
}
