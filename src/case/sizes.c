/* sizes.c - see sizes.h.
 *
 * An open size is a slot.  Slots of one kind have the same ladder of sizes and first climb it together (an image is a
 * square), then each for itself.  Combinations are tried by how many steps they take in all, so that what is tried
 * first differs least from what is usual. */
#include "case/sizes.h"

#include <string.h>

#include "base/mem.h"
#include "ops/attr.h"

#define IMAGE_RANK 4
#define MAX_SLOTS 16
#define MAX_TRIES 400        /* of one way to climb, for small models */
#define MAX_WORK 100000      /* nodes that shapes are inferred of, for large ones */
#define MAX_RUNS 40          /* of one way to climb */
#define MAX_ELEMENTS 4000000 /* of all values together, of a model that is run */
#define ALL_ELEMENTS 8000000 /* of all runs, which cost more than to infer shapes */

enum slot_kind { SLOT_FIRST, SLOT_CHANNELS, SLOT_SIDE, SLOT_LENGTH, SLOT_KINDS };

#define LADDER_MAX 20

/* Up to the first 0.  Usual sizes come first, then larger ones, since most bounds are from below. */
static const int64_t ladders[SLOT_KINDS][LADDER_MAX] = {
	[SLOT_FIRST] = {1, 2, 4, 16, 64},
	[SLOT_CHANNELS] = {3, 1, 4, 2, 16, 64},
	[SLOT_SIDE] = {32, 48, 64, 96, 128, 192, 224, 256, 320, 416, 512, 640, 28, 16, 8, 4, 1},
	[SLOT_LENGTH] = {16, 8, 1, 64, 256, 512, 1024, 4096, 16000, 48, 32, 128, 576, 2048, 12, 4, 2},
};

struct size_slot {
	int64_t *size; /* in struct open_sizes */
	enum slot_kind kind;
	int group; /* slots of a group climb together */
};

struct climb {
	struct open_sizes *s;
	struct size_slot slots[MAX_SLOTS];
	int n, n_groups;
	int level[MAX_SLOTS]; /* by group */
	int tries, max_tries, asked;
	size_t computed;         /* elements, in all runs so far */
	int64_t poor[MAX_SLOTS]; /* sizes with which it ran poorly */
	int has_poor;
	sizes_try *runs;
	void *arg;
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

size_t sizes_axis(size_t input, int axis)
{
	return input * TENSOR_MAX_RANK + (size_t)axis;
}

int sizes_init(struct open_sizes *s, const struct graph *g, struct err *e)
{
	size_t n_symbols = g->model->symbols.n, n_axes = g->inputs.n * TENSOR_MAX_RANK;

	*s = (struct open_sizes){.g = g,
				 .symbols = mem_array(n_symbols, sizeof *s->symbols),
				 .axes = mem_array(n_axes, sizeof *s->axes)};
	if (!s->symbols || !s->axes) {
		sizes_release(s);
		return err_nomem(e, "dimensions", (n_symbols + n_axes) * sizeof *s->axes);
	}
	for (size_t i = 0; i < n_symbols; i++)
		s->symbols[i] = SIZE_OPEN;
	for (size_t i = 0; i < n_axes; i++)
		s->axes[i] = SIZE_OPEN;
	return 0;
}

void sizes_release(struct open_sizes *s)
{
	mem_free(s->symbols);
	mem_free(s->axes);
	*s = (struct open_sizes){.g = NULL};
}

int64_t sizes_get(const struct open_sizes *s, size_t input, int axis)
{
	int64_t d = s->g->inputs.at[input]->type.dims[axis], own = s->axes[sizes_axis(input, axis)];

	if (d >= 0 || own != SIZE_OPEN)
		return d >= 0 ? d : own;
	return d == DIM_UNKNOWN ? SIZE_OPEN : s->symbols[DIM_SYMBOL_INDEX(d)];
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static enum slot_kind kind_of(const struct type *t, int axis)
{
	int open = 0;

	if (!axis)
		return SLOT_FIRST;
	if (t->rank != IMAGE_RANK || !dtype_is_float(t->dtype))
		return SLOT_LENGTH;
	for (int i = 1; i < t->rank; i++)
		open += t->dims[i] < 0;
	return axis == 1 && open == IMAGE_RANK - 1 ? SLOT_CHANNELS : SLOT_SIDE;
}

static struct size_slot *slot_of(struct climb *c, const int64_t *size)
{
	for (int i = 0; i < c->n; i++)
		if (c->slots[i].size == size)
			return &c->slots[i];
	return NULL;
}

/* Slots beyond the last one that there is room for have what is usual. */
static void add_slot(struct climb *c, const struct type *t, size_t input, int axis)
{
	struct open_sizes *s = c->s;
	int64_t d = t->dims[axis];
	int64_t *size = d == DIM_UNKNOWN ? &s->axes[sizes_axis(input, axis)] : &s->symbols[DIM_SYMBOL_INDEX(d)];
	enum slot_kind kind = kind_of(t, axis);
	struct size_slot *known = slot_of(c, size);

	if (known) /* a state of a network has its batch in the middle, under the same name */
		known->kind = kind < known->kind ? kind : known->kind;
	else if (c->n < MAX_SLOTS)
		c->slots[c->n++] = (struct size_slot){size, kind, 0};
	else
		*size = ladders[kind][0];
}

static void find_slots(struct climb *c)
{
	const struct graph *g = c->s->g;

	for (size_t i = 0; i < g->inputs.n; i++)
		for (int axis = 0; axis < g->inputs.at[i]->type.rank; axis++)
			if (!g->inputs.at[i]->init && sizes_get(c->s, i, axis) == SIZE_OPEN)
				add_slot(c, &g->inputs.at[i]->type, i, axis);
}

/* ---- whether sizes fit ------------------------------------------------------------------------------------------- */

static size_t elements_of(const struct type *t)
{
	struct err ignored = ERR_INIT;
	size_t count;

	return type_is_static(t) && !tensor_shape_count(t->rank, t->dims, &count, &ignored) ? count : 1;
}

/* A window over something that gives nothing: a mean of no elements follows, or the like. */
static int slides_over_nothing(const struct node *n)
{
	if (!n->op || !n->n_in || !n->in[0] || !n->out[0] || !attr_row(n->op, "kernel_shape", n->version))
		return 0;
	return elements_of(&n->in[0]->type) && !elements_of(&n->out[0]->type);
}

/* Whether windows have something to slide over; adds up all elements. */
static int windows_fit(const struct graph *g, size_t *elements)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		for (int k = 0; k < n->n_out; k++)
			*elements += n->out[k] ? elements_of(&n->out[k]->type) : 0;
		if (n->n_out && slides_over_nothing(n))
			return 0;
	}
	return 1;
}

static void set_input_sizes(const struct open_sizes *s, struct graph *g)
{
	for (size_t i = 0; i < g->inputs.n; i++)
		for (int axis = 0; axis < g->inputs.at[i]->type.rank; axis++)
			if (sizes_get(s, i, axis) != SIZE_OPEN)
				g->inputs.at[i]->type.dims[axis] = sizes_get(s, i, axis);
}

/* Asks whether the model runs, and keeps the first sizes with which it does so poorly. */
static int runs_well(struct climb *c)
{
	enum sizes_fit fit = c->runs(c->arg);

	for (int i = 0; i < c->n && fit == SIZES_POORLY && !c->has_poor; i++)
		c->poor[i] = *c->slots[i].size;
	c->has_poor |= fit == SIZES_POORLY;
	return fit == SIZES_WELL;
}

static int fits(struct climb *c)
{
	struct err ignored = ERR_INIT;
	struct model *m;
	size_t elements = 0;
	int fit;

	if (model_copy(c->s->g->model, &m, &ignored))
		return 0;
	set_input_sizes(c->s, m->graph);
	fit = !ops_bind(m, &ignored) && !ops_infer(m, &ignored);
	for (size_t i = 0; i < m->graphs.n && fit; i++)
		fit = windows_fit(m->graphs.at[i], &elements);
	model_free(m);
	if (!fit || !c->runs)
		return fit;
	if (elements > MAX_ELEMENTS)
		return !c->has_poor;
	c->computed += elements;
	return c->asked++ < MAX_RUNS && c->computed < ALL_ELEMENTS && runs_well(c);
}

/* ---- climbing ---------------------------------------------------------------------------------------------------- */

static int64_t rung(const struct climb *c, int group, int level)
{
	for (int i = 0; i < c->n; i++)
		if (c->slots[i].group == group)
			return level < LADDER_MAX ? ladders[c->slots[i].kind][level] : 0;
	return 0;
}

static void set_levels(struct climb *c)
{
	c->s->longest = 0;
	for (int i = 0; i < c->n; i++) {
		*c->slots[i].size = rung(c, c->slots[i].group, c->level[c->slots[i].group]);
		if (c->slots[i].kind == SLOT_LENGTH && *c->slots[i].size > c->s->longest)
			c->s->longest = *c->slots[i].size;
	}
}

/* Shares out `steps` among the groups from `group` on; 1: these sizes fit. */
static int share_out(struct climb *c, int group, int steps)
{
	if (group == c->n_groups) {
		if (steps || c->tries++ >= c->max_tries)
			return 0;
		set_levels(c);
		return fits(c);
	}
	for (int k = 0; k <= steps && rung(c, group, k) && c->tries < c->max_tries; k++) {
		c->level[group] = k;
		if (share_out(c, group + 1, steps - k))
			return 1;
	}
	return 0;
}

static int climb(struct climb *c)
{
	c->tries = 0;
	for (int steps = 0; steps <= c->n_groups * LADDER_MAX && c->tries < c->max_tries; steps++)
		if (share_out(c, 0, steps))
			return 1;
	return 0;
}

/* Gives each kind that there is a group. */
static void group_by_kind(struct climb *c)
{
	c->n_groups = 0;
	for (int kind = 0; kind < SLOT_KINDS; kind++) {
		int found = 0;

		for (int i = 0; i < c->n; i++)
			if ((int)c->slots[i].kind == kind) {
				c->slots[i].group = c->n_groups;
				found = 1;
			}
		c->n_groups += found;
	}
}

/* What is left when nothing fits well. */
static void settle(struct climb *c)
{
	memset(c->level, 0, sizeof c->level);
	set_levels(c);
	for (int i = 0; i < c->n && c->has_poor; i++)
		*c->slots[i].size = c->poor[i];
	if (c->runs && c->asked)
		c->runs(c->arg);
}

void sizes_choose(struct open_sizes *s, sizes_try *runs, void *arg)
{
	struct climb c = {.s = s, .runs = runs, .arg = arg};
	size_t most = MAX_WORK / (s->g->nodes.n + 1);

	c.max_tries = most < MAX_TRIES ? (int)most : MAX_TRIES;
	find_slots(&c);
	group_by_kind(&c);
	if (climb(&c))
		return;
	for (int i = 0; i < c.n; i++)
		c.slots[i].group = i;
	c.n_groups = c.n;
	c.asked = c.computed > 0; /* this way may run it as often */
	c.computed = 0;
	if (c.n < 2 || !climb(&c))
		settle(&c);
}
