/* inputs_random.c - inputs made up from a seed (see inputs.h).
 *
 * Input i draws from its own stream, split from the seed by i, so that giving one input by a file does not change what
 * the others become. */
#include "case/inputs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "case/integers.h"
#include "case/sizes.h"
#include "reference/reference.h"
#include "tensor/stats.h"

const char inputs_notes[] =
	"inputs:\n"
	"  Without --input all inputs are made up from the seed.  With it the others must be given too, or\n"
	"  --random makes them up.  Inputs with a default value in the model keep it unless a file gives another.\n"
	"  Made up are: floats uniform in [-1, 1), integers in 0..9, both in LO:HI with --random LO:HI; integers\n"
	"  that an operator takes as indices, axes, shapes and the like small enough to be some; bools by a coin;\n"
	"  strings s0, s1, …\n"
	"  Open dimensions: a name has one size everywhere, from --dim or from an input that a file gives.\n"
	"  Others: the first dimension is 1; in 4-D float inputs the second is 3 when all of the last three are\n"
	"  open, and open ones are 32 otherwise; in all other inputs they are 16.  Where the model does not run\n"
	"  with those (a window that does not fit, a Reshape, a table of positions) others are tried.\n";

/* ---- sizes of open dimensions ------------------------------------------------------------------------------------ */

/* Inputs on their way. */
struct making {
	const struct graph *g;
	const struct input_options *o;
	struct open_sizes sizes;
	struct value *const *given; /* by input; NULL: to be made up */
	enum integers_span span;
};

/* The size that --dim gives for a name; SIZE_OPEN: none. */
static int64_t given_size(const struct texts *dims, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < dims->n; i++)
		if (!strncmp(dims->at[i], name, n) && dims->at[i][n] == '=')
			return strtoll(dims->at[i] + n + 1, NULL, 10);
	return SIZE_OPEN;
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
static int check_dims(const struct making *s, struct err *e)
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
static void take_sizes(struct open_sizes *s, const struct wire *w, const struct value *v)
{
	if (v->kind != VALUE_TENSOR || v->tensor->rank != w->type.rank)
		return;
	for (int i = 0; i < w->type.rank; i++)
		if (w->type.dims[i] <= DIM_SYMBOL(0))
			s->symbols[DIM_SYMBOL_INDEX(w->type.dims[i])] = v->tensor->dims[i];
}

/* A size for INPUT.AXIS counts more than one for the name, and a file more than the latter. */
static void take_given(struct making *m)
{
	struct open_sizes *s = &m->sizes;
	char name[512];

	for (size_t k = 0; k < m->g->model->symbols.n; k++)
		s->symbols[k] = given_size(&m->o->dims, m->g->model->symbols.at[k]);
	for (size_t i = 0; i < m->g->inputs.n; i++) {
		const struct wire *w = m->g->inputs.at[i];

		if (m->given[i])
			take_sizes(s, w, m->given[i]);
		for (int axis = 0; axis < w->type.rank; axis++) {
			snprintf(name, sizeof name, "%s.%d", w->name, axis);
			s->axes[sizes_axis(i, axis)] = given_size(&m->o->dims, name);
		}
	}
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int fill(const struct making *m, const struct wire *w, struct tensor *t, struct rng *r, struct err *e)
{
	const struct number_range *range = &m->o->random;
	double lo = -1, hi = 1;

	if (range->has_range) {
		lo = range->lo;
		hi = range->hi;
	} else if (dtype_is_int(t->dtype)) {
		integers_range(m->g, w, m->sizes.longest, m->span, &lo, &hi);
	}
	return tensor_fill_random(t, r, lo, hi, e);
}

static int make_up(const struct making *m, size_t input, struct rng *r, struct value **out, struct err *e)
{
	static const char *const kinds[] = {"an input of unknown type", "a tensor", "a sequence", "an optional",
					    "a map"};
	const struct wire *w = m->g->inputs.at[input];
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *t;

	if (w->type.kind != VALUE_TENSOR || !w->type.dtype)
		return err_set(e, ERR_USAGE, "%s is not made up: give it with --input", kinds[w->type.kind]);
	if (w->type.rank < 0)
		return err_set(e, ERR_USAGE, "the model does not say its rank: give it with --input");
	for (int i = 0; i < w->type.rank; i++)
		dims[i] = sizes_get(&m->sizes, input, i);
	t = tensor_new(w->type.dtype, w->type.rank, dims, e);
	if (!t)
		return e->code;
	if (fill(m, w, t, r, e)) {
		tensor_unref(t);
		return e->code;
	}
	*out = value_tensor(t, e);
	return *out ? 0 : e->code;
}

/* Fills entries of in[] that are NULL. */
static int make_all(const struct making *m, struct value **in, struct err *e)
{
	struct rng root;
	int rc = 0;

	rng_init(&root, m->o->seed);
	for (size_t i = 0; i < m->g->inputs.n && !rc; i++) {
		struct rng r = rng_split(&root, i);

		if (in[i] || m->g->inputs.at[i]->init)
			continue;
		rc = make_up(m, i, &r, &in[i], e);
		if (rc)
			err_prefix(e, "input '%s'", m->g->inputs.at[i]->name);
	}
	return rc;
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

/* Whether there is a number in it, and not nothing but zeros: a mask may cover all. */
static int says_something(const struct value *v)
{
	if (v->kind != VALUE_TENSOR || !dtype_is_float(v->tensor->dtype))
		return v->kind != VALUE_TENSOR || v->tensor->count;
	for (size_t i = 0; i < v->tensor->count; i++)
		if (!isnan(tensor_get(v->tensor, i)) && tensor_get(v->tensor, i) != 0)
			return 1;
	return 0;
}

/* How the model runs with these inputs.  What the reference cannot run may run elsewhere. */
static enum sizes_fit runs_with(const struct making *m, struct value *const *in)
{
	struct ref_options o = {.mode = REF_EXACT, .seed = m->o->seed};
	struct ref_result out = {.n = 0};
	struct err e = ERR_INIT;
	struct model *copy = NULL;
	struct ref *ref = NULL;
	int rc = model_copy(m->g->model, &copy, &e);
	enum sizes_fit fit;

	if (!rc)
		rc = ref_open(copy, &ref, &e);
	if (!rc)
		rc = ref_run(ref, in, m->g->inputs.n, &o, &out, &e);
	fit = !rc || rc == ERR_UNSUPPORTED ? SIZES_WELL : SIZES_NOT;
	for (size_t i = 0; i < out.n; i++)
		if (!says_something(out.outputs[i].value))
			fit = SIZES_POORLY;
	if (!rc)
		ref_result_release(&out);
	ref_close(ref);
	model_free(copy);
	return fit;
}

/* How the model runs with these sizes, and integers of one span or another; the span that does it stays. */
static enum sizes_fit try_sizes(void *arg)
{
	enum sizes_fit fit = SIZES_NOT;
	struct making *m = arg;

	for (m->span = INTEGERS_USUAL; m->span < INTEGERS_SPANS; m->span++) {
		struct value **in = mem_array(m->g->inputs.n, sizeof *in);
		struct err ignored = ERR_INIT;

		for (size_t i = 0; in && i < m->g->inputs.n; i++)
			in[i] = m->given[i] ? value_ref(m->given[i]) : NULL;
		if (in && !make_all(m, in, &ignored))
			fit = runs_with(m, in);
		inputs_free(in, m->g->inputs.n);
		if (fit != SIZES_NOT)
			return fit;
	}
	m->span = INTEGERS_USUAL;
	return fit;
}

int inputs_make_up(const struct graph *g, const struct input_options *o, struct value **in, struct err *e)
{
	struct making m = {.g = g, .o = o, .given = in};
	int rc = sizes_init(&m.sizes, g, e);

	if (rc)
		return rc;
	rc = check_dims(&m, e);
	if (!rc) {
		take_given(&m);
		sizes_choose(&m.sizes, try_sizes, &m);
		rc = make_all(&m, in, e);
	}
	sizes_release(&m.sizes);
	return rc;
}
