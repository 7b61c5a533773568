/* known.c - see known.h. */
#include "methods/equiv/known.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* ---- the registry ------------------------------------------------------------------------------------------------ */

static int begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What numbers are drawn from: they are others for another element type. */
static int is_seed(const char *name)
{
	return !strcmp(name, "seed") || !strcmp(name, "generator") || !strcmp(name, "counter");
}

/* Names of what one operation leaves behind for another one alone. */
static int is_reserved(const char *name)
{
	return begins(name, "reserve");
}

void known_of_registry(struct api *api)
{
	const struct backend_operation *op = api->op;
	size_t inputs = 0;

	for (size_t i = 0; i < op->n_parameters; i++) {
		inputs += (size_t)op->parameters[i].is_input;
		api->pads |= !op->parameters[i].is_input && !strcmp(op->parameters[i].name, "padding");
		api->random |= is_seed(op->parameters[i].name);
		if (op->parameters[i].is_input && is_reserved(op->parameters[i].name) && !api->why_not)
			api->why_not = "an input is what another operation reserved for it";
	}
	api->pads &= inputs > 1; /* by weights */
	for (size_t i = 0; op->output_names && i < op->n_outputs && i < 64; i++)
		if (is_reserved(op->output_names[i]))
			api->unspecified |= (uint64_t)1 << i;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum known_kind {
	KNOWN_INTERNAL,
	KNOWN_UNORDERED,
	KNOWN_SAME_SHAPE,
	KNOWN_LEAST,
	KNOWN_MOST,
	KNOWN_NOT,
	KNOWN_AMONG,
	KNOWN_BETWEEN,
	KNOWN_RECURSION,
	KNOWN_MATRIX,
	KNOWN_FINITE,
	KNOWN_ONE_NAN,
	KNOWN_PADS,
	KNOWN_SUMS
};

struct known_fact {
	enum known_kind kind;
	const char *a, *b; /* the two words behind it */
	const struct known_fact *next;
};

struct known_reading {
	struct registry *r;
	struct err *err;
};

static const struct {
	const char *word;
	size_t words; /* behind it */
} kinds[] = {[KNOWN_INTERNAL] = {"internal", 0},
	     [KNOWN_UNORDERED] = {"unordered", 0},
	     [KNOWN_SAME_SHAPE] = {"same-shape", 2},
	     [KNOWN_LEAST] = {"least", 2},
	     [KNOWN_MOST] = {"most", 2},
	     [KNOWN_NOT] = {"not", 2},
	     [KNOWN_AMONG] = {"among", 2},
	     [KNOWN_BETWEEN] = {"between", 2},
	     [KNOWN_RECURSION] = {"recursion", 1},
	     [KNOWN_MATRIX] = {"matrix", 0},
	     [KNOWN_FINITE] = {"finite", 0},
	     [KNOWN_ONE_NAN] = {"one-nan", 0},
	     [KNOWN_PADS] = {"pads", 0},
	     [KNOWN_SUMS] = {"sums", 0}};

/* "least beta 0" */
static int parse(char *text, struct arena *a, struct known_fact *out)
{
	char *words[3] = {NULL};
	size_t n = 0, k = 0;

	for (char *word; n < 3 && (word = strsep(&text, " "));)
		words[n++] = arena_strdup(a, word);
	while (k < sizeof kinds / sizeof *kinds && (!n || !words[0] || strcmp(kinds[k].word, words[0]) != 0))
		k++;
	if (k == sizeof kinds / sizeof *kinds || n != kinds[k].words + 1 || text ||
	    (k == KNOWN_BETWEEN && !strstr(words[2], "..")))
		return -1;
	*out = (struct known_fact){.kind = (enum known_kind)k, .a = words[1], .b = words[2]};
	return 0;
}

static void add(struct known_reading *x, struct api *api, const struct known_fact *f)
{
	struct known_fact *copy = arena_alloc(&x->r->arena, sizeof *copy);

	if (!copy) {
		err_nomem(x->err, "facts", sizeof *copy);
		return;
	}
	*copy = *f;
	copy->next = api->known;
	api->known = copy;
	api->internal |= f->kind == KNOWN_INTERNAL;
	api->untold |= f->kind == KNOWN_INTERNAL || f->kind == KNOWN_UNORDERED;
	api->matrix |= f->kind == KNOWN_MATRIX;
	api->finite |= f->kind == KNOWN_FINITE;
	api->one_nan |= f->kind == KNOWN_ONE_NAN;
	api->pads |= f->kind == KNOWN_PADS;
	api->sums |= f->kind == KNOWN_SUMS;
}

/* library, pattern, "fact<tab>source" */
static void note(char **fields, void *arg)
{
	struct known_reading *x = arg;
	char *at = fields[2], *text = strsep(&at, "\t");
	struct known_fact f;

	if (x->err->code)
		return;
	if (!at || !*at || parse(text, &x->r->arena, &f)) {
		err_set(x->err, ERR_INPUT, "'%s': wanted a fact and its source", fields[1]);
		return;
	}
	for (size_t i = 0; i < x->r->n; i++)
		if (!fnmatch(fields[1], x->r->apis[i].op->name, 0))
			add(x, &x->r->apis[i], &f);
}

int known_read(struct registry *r, const char *folder, struct err *e)
{
	const char *const names[] = {"", "-", r->dialect->name};
	struct known_reading x = {r, e};
	char path[4096];
	int rc = 0;

	for (size_t i = 0; i < 2 && !rc; i++) {
		snprintf(path, sizeof path, "%s/said%s%s.tsv", folder, names[i], i ? names[2] : "");
		if (!access(path, F_OK))
			rc = registry_lines(r, path, note, &x, e);
		if (!rc && e->code)
			rc = err_prefix(e, "%s", path);
	}
	return rc;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

const struct expr *known_argument(const struct expr *call, const char *name)
{
	for (size_t i = 0; i < call->n; i++)
		if (!strcmp(call->items[i]->name, name))
			return call->items[i];
	return NULL;
}

const struct tensor *known_tensor(const struct expr *argument, const struct bindings *in)
{
	const struct draw_binding *b =
		argument && argument->kind == EXPR_VARIABLE ? bindings_find(in, argument->text) : NULL;

	return b && b->tensor && b->tensor->kind == VALUE_TENSOR ? b->tensor->tensor : NULL;
}

/* The numbers that an argument is, or that its tensor has; 0: they are none. */
static size_t count_numbers(const struct expr *x, const struct bindings *in)
{
	const struct tensor *t = known_tensor(x, in);

	if (t)
		return dtype_wide(t->dtype) == WIDE_STR ? 0 : t->count;
	return x->kind == EXPR_FLOAT || x->kind == EXPR_INT || x->kind == EXPR_BOOL;
}

static double number_at(const struct expr *x, const struct bindings *in, size_t i)
{
	const struct tensor *t = known_tensor(x, in);

	return t ? tensor_get(t, i) : x->kind == EXPR_FLOAT ? x->f : (double)x->i;
}

/* The nearest of "-1|1". */
static double nearest(double x, const char *list)
{
	double best = strtod(list, NULL);

	for (char *end; *list; list = *end ? end + 1 : end) {
		double y = strtod(list, &end);

		if (fabs(x - y) < fabs(x - best))
			best = y;
	}
	return best;
}

/* A number of "0..1": x itself where it is one. */
static double folded(double x, const char *range)
{
	double least = strtod(range, NULL), most = strtod(strstr(range, "..") + 2, NULL);

	if (x >= least && x <= most)
		return x;
	return isfinite(x) ? least + fmod(fabs(x), 1) * (most - least) : least;
}

/* What a fact makes of a number. */
static double fitted(const struct known_fact *f, double x)
{
	return f->kind == KNOWN_AMONG ? nearest(x, f->b) : f->kind == KNOWN_BETWEEN ? folded(x, f->b) : x;
}

static int fits(const struct known_fact *f, double x)
{
	switch (f->kind) {
	case KNOWN_LEAST:
		return x >= strtod(f->b, NULL);
	case KNOWN_MOST:
		return x <= strtod(f->b, NULL);
	case KNOWN_NOT:
		return x != strtod(f->b, NULL);
	default:
		return fitted(f, x) == x;
	}
}

static int is_kept(const struct known_fact *f, const struct expr *call, const struct bindings *in)
{
	const struct expr *a = f->a ? known_argument(call, f->a) : NULL;
	size_t n;

	if (!a)
		return 1;
	if (f->kind == KNOWN_SAME_SHAPE) {
		const struct tensor *s = known_tensor(a, in), *t = known_tensor(known_argument(call, f->b), in);

		return !s || !t || tensor_same_shape(s, t);
	}
	if (f->kind == KNOWN_NOT && a->kind == EXPR_STRING)
		return strcmp(a->text, f->b) != 0;
	n = count_numbers(a, in);
	if (n > 1 && f->kind != KNOWN_AMONG && f->kind != KNOWN_BETWEEN)
		n = 1; /* the others are about an argument, which may be a tensor of one */
	for (size_t i = 0; i < n; i++)
		if (!fits(f, number_at(a, in, i)))
			return 0;
	return 1;
}

struct known_fitting {
	const struct known_fact *fact;
	const struct tensor *drawn;
};

/* A draw_number_fn. */
static double fit_number(size_t i, void *arg)
{
	const struct known_fitting *x = arg;

	return fitted(x->fact, tensor_get(x->drawn, i));
}

int known_fit(const struct api *api, const struct expr *call, struct bindings *in, struct err *e)
{
	for (const struct known_fact *f = api->known; f; f = f->next) {
		const struct expr *a =
			f->kind == KNOWN_AMONG || f->kind == KNOWN_BETWEEN ? known_argument(call, f->a) : NULL;
		struct known_fitting x = {.fact = f, .drawn = known_tensor(a, in)};
		struct value *fit;

		if (!x.drawn || is_kept(f, call, in))
			continue;
		fit = draw_numbers(x.drawn->dtype, x.drawn->rank, x.drawn->dims, fit_number, &x, e);
		if (!fit)
			return e->code;
		bindings_replace(in, a->text, fit);
	}
	return 0;
}

int known_allows(const struct api *api, const struct expr *call, const struct bindings *in)
{
	const struct known_fact *f = api->known;

	while (f && is_kept(f, call, in))
		f = f->next;
	return !f;
}

/* Its square, or the square of 1/x, has no place in the type, or x is no number. */
static int strays(double x, enum dtype t)
{
	double most = sqrt(dtype_max(t));

	return !(fabs(x) <= most && (x == 0 || fabs(x) >= 1 / most));
}

/* Numbers of a call that somebody promises nothing of. */
struct known_strays {
	size_t strays, large, open, nans;
};

static void count_strays(const struct tensor *wide, enum dtype part, struct known_strays *out)
{
	for (size_t k = 0; k < tensor_parts(wide); k++) {
		out->strays += (size_t)strays(wide->f[k], part);
		out->large += fabs(wide->f[k]) > sqrt(dtype_max(part));
		out->open += !isfinite(wide->f[k]);
		out->nans += !!isnan(wide->f[k]);
	}
}

static struct known_strays count_of(const struct bindings *in)
{
	struct err ignored = ERR_INIT;
	struct known_strays n = {0};

	for (size_t i = 0; i < in->n; i++) {
		struct tensor *t = in->at[i].tensor ? in->at[i].tensor->tensor : NULL;
		int complex = t && dtype_wide(t->dtype) == WIDE_C64;
		struct tensor *wide = t && (complex || dtype_is_float(t->dtype)) ? tensor_widen(t, &ignored) : NULL;

		if (wide)
			count_strays(wide, dtype_part(t->dtype), &n);
		tensor_unref(wide);
	}
	return n;
}

int known_strays(const struct api *api, const struct bindings *in)
{
	struct known_strays n = {0};

	if (api->matrix || api->finite || api->one_nan)
		n = count_of(in);
	return (api->matrix && n.strays) || (api->finite && n.open) || (api->one_nan && n.nans > 1);
}

int known_overflows(const struct api *api, const struct bindings *in)
{
	return api->sums && count_of(in).large > 0;
}

double known_steps(const struct api *api, const struct expr *call, const struct bindings *in)
{
	double steps = 1;

	for (const struct known_fact *f = api->known; f; f = f->next) {
		const struct expr *a = f->kind == KNOWN_RECURSION ? known_argument(call, f->a) : NULL;

		for (size_t i = 0; a && i < count_numbers(a, in); i++)
			steps = fmax(steps, number_at(a, in, i));
	}
	return isfinite(steps) ? steps : 1;
}
