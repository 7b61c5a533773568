/* inputs_random.c - inputs made up from a seed (see inputs.h).
 *
 * Input i draws from its own stream, split from the seed by i, so that giving one input by a file does not change what
 * the others become. */
#include "case/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "tensor/stats.h"

#define IMAGE_RANK 4
#define IMAGE_SIDE 32    /* open height or width of a 4-D float input */
#define IMAGE_CHANNELS 3 /* open channels, when height and width are open too */
#define NOT_SET (-1)

const char inputs_notes[] =
	"inputs:\n"
	"  Without --input all inputs are made up from the seed.  With it the others must be given too, or\n"
	"  --random makes them up.  Inputs with a default value in the model keep it unless a file gives another.\n"
	"  Made up are: floats uniform in [-1, 1), integers in 0..9, both in LO:HI with --random LO:HI; integers\n"
	"  that an operator takes as indices, axes, shapes and the like in 0..1; bools by a coin; strings s0, s1, …\n"
	"  Open dimensions: a name has one size everywhere, from --dim or from an input that a file gives.\n"
	"  Others: the first dimension is 1; in 4-D float inputs the second is 3 when all of the last three are\n"
	"  open, and open ones are 32 otherwise; in all other inputs they are 1.\n";

/* ---- sizes of open dimensions ------------------------------------------------------------------------------------ */

struct random_sizes {
	const struct graph *g;
	const struct input_options *o;
	int64_t *symbols; /* by index in model->symbols; NOT_SET */
};

/* The size that --dim gives for a name; NOT_SET: none. */
static int64_t given_size(const struct texts *dims, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < dims->n; i++)
		if (!strncmp(dims->at[i], name, n) && dims->at[i][n] == '=')
			return strtoll(dims->at[i] + n + 1, NULL, 10);
	return NOT_SET;
}

static int names_axis(const struct graph *g, const char *name, size_t n)
{
	for (size_t i = 0; i < g->inputs.n; i++)
		for (int axis = 0; axis < g->inputs.at[i]->type.rank; axis++) {
			char text[512];
			int len = snprintf(text, sizeof text, "%s.%d", g->inputs.at[i]->name, axis);

			if (len > 0 && (size_t)len == n && !memcmp(text, name, n))
				return 1;
		}
	return 0;
}

/* Every --dim must be well-formed and name something: a typing error must not go unseen. */
static int check_dims(const struct random_sizes *s, struct err *e)
{
	const struct model *m = s->g->model;

	for (size_t i = 0; i < s->o->dims.n; i++) {
		const char *item = s->o->dims.at[i], *equals = strrchr(item, '=');
		int known = 0;
		char *end;
		long long size;

		errno = 0;
		size = equals ? strtoll(equals + 1, &end, 10) : 0;
		if (!equals || end == equals + 1 || *end || errno || size < 0)
			return err_set(e, ERR_USAGE, "--dim: '%s' is not NAME=SIZE", item);
		for (size_t k = 0; k < m->symbols.n; k++)
			known |= strlen(m->symbols.at[k]) == (size_t)(equals - item) &&
				 !strncmp(m->symbols.at[k], item, (size_t)(equals - item));
		if (!known && !names_axis(s->g, item, (size_t)(equals - item)))
			return err_set(e, ERR_USAGE, "--dim: the model has no dimension '%.*s'", (int)(equals - item),
				       item);
	}
	return 0;
}

/* Inputs that files gave say what size their named dimensions have. */
static void take_sizes(struct random_sizes *s, const struct wire *w, const struct value *v)
{
	if (v->kind != VALUE_TENSOR || v->tensor->rank != w->type.rank)
		return;
	for (int i = 0; i < w->type.rank; i++)
		if (w->type.dims[i] <= DIM_SYMBOL(0))
			s->symbols[DIM_SYMBOL_INDEX(w->type.dims[i])] = v->tensor->dims[i];
}

static int64_t default_size(const struct type *t, int axis)
{
	int open = 0;

	if (!axis || t->rank != IMAGE_RANK || !dtype_is_float(t->dtype))
		return 1;
	for (int i = 1; i < t->rank; i++)
		open += t->dims[i] < 0;
	return axis == 1 && open == IMAGE_RANK - 1 ? IMAGE_CHANNELS : IMAGE_SIDE;
}

static int64_t size_of_axis(struct random_sizes *s, const struct wire *w, int axis)
{
	int64_t d = w->type.dims[axis], size, *symbol;
	char name[512];

	if (d >= 0)
		return d;
	snprintf(name, sizeof name, "%s.%d", w->name, axis);
	size = given_size(&s->o->dims, name);
	if (d == DIM_UNKNOWN)
		return size != NOT_SET ? size : default_size(&w->type, axis);
	symbol = &s->symbols[DIM_SYMBOL_INDEX(d)];
	if (size == NOT_SET && *symbol == NOT_SET)
		size = given_size(&s->o->dims, s->g->model->symbols.at[DIM_SYMBOL_INDEX(d)]);
	if (*symbol == NOT_SET)
		*symbol = size != NOT_SET ? size : default_size(&w->type, axis);
	return size != NOT_SET ? size : *symbol;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Ports whose integers are positions or sizes of something else: large ones would only be refused. */
static const char *const small_ports[] = {"indices", "axis",   "axes",     "shape", "output_shape", "repeats",
					  "sizes",   "split",  "starts",   "ends",  "steps",        "pads",
					  "k",       "target", "position", "K",     "depth",        "sequence_lens"};

static int is_small_port(const struct node *n, int slot)
{
	int k = slot < OP_MAX_PORTS ? slot : OP_MAX_PORTS - 1;
	const char *name = n->op ? n->op->in[k].name : NULL;

	for (size_t i = 0; name && i < sizeof small_ports / sizeof *small_ports; i++)
		if (!strcmp(name, small_ports[i]))
			return 1;
	return 0;
}

static int feeds_small_port(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == w && is_small_port(g->nodes.at[i], k))
				return 1;
	return 0;
}

static int fill(const struct random_sizes *s, const struct wire *w, struct tensor *t, struct rng *r, struct err *e)
{
	const struct number_range *range = &s->o->random;
	double lo = -1, hi = 1;

	if (range->has_range) {
		lo = range->lo;
		hi = range->hi;
	} else if (dtype_is_int(t->dtype)) {
		lo = 0;
		hi = feeds_small_port(s->g, w) ? 1 : 9;
	}
	return tensor_fill_random(t, r, lo, hi, e);
}

static int make_up(struct random_sizes *s, const struct wire *w, struct rng *r, struct value **out, struct err *e)
{
	static const char *const kinds[] = {"an input of unknown type", "a tensor", "a sequence", "an optional",
					    "a map"};
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *t;

	if (w->type.kind != VALUE_TENSOR || !w->type.dtype)
		return err_set(e, ERR_USAGE, "%s is not made up: give it with --input", kinds[w->type.kind]);
	if (w->type.rank < 0)
		return err_set(e, ERR_USAGE, "the model does not say its rank: give it with --input");
	for (int i = 0; i < w->type.rank; i++)
		dims[i] = size_of_axis(s, w, i);
	t = tensor_new(w->type.dtype, w->type.rank, dims, e);
	if (!t)
		return e->code;
	if (fill(s, w, t, r, e)) {
		tensor_unref(t);
		return e->code;
	}
	*out = value_tensor(t, e);
	return *out ? 0 : e->code;
}

int inputs_make_up(const struct graph *g, const struct input_options *o, struct value **in, struct err *e)
{
	size_t n_symbols = g->model->symbols.n;
	struct random_sizes s = {g, o, mem_array(n_symbols, sizeof *s.symbols)};
	struct rng root;
	int rc = s.symbols ? check_dims(&s, e) : err_nomem(e, "dimensions", n_symbols * sizeof *s.symbols);

	rng_init(&root, o->seed);
	for (size_t i = 0; s.symbols && i < n_symbols; i++)
		s.symbols[i] = NOT_SET;
	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (in[i])
			take_sizes(&s, g->inputs.at[i], in[i]);
	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		struct rng r = rng_split(&root, i);

		if (in[i] || g->inputs.at[i]->init)
			continue;
		rc = make_up(&s, g->inputs.at[i], &r, &in[i], e);
		if (rc)
			err_prefix(e, "input '%s'", g->inputs.at[i]->name);
	}
	mem_free(s.symbols);
	return rc;
}
