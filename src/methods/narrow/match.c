/* match.c - see match.h.
 *
 * By name: a wire of the same name, or the longest name of the original that the wire's begins with, up to a separator
 * ("relu1_DequantizeLinear_Output", "relu1_quantized"); of several, the last in order, which is what later nodes read.
 * By values: of the tensors left over, those of one shape that are to each other the closest. */
#include "methods/narrow/match.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"

#define SAMPLE 4096   /* elements that are compared */
#define CLOSE 0.9     /* correlation of tensors that may be the same */
#define MAX_THROUGH 8 /* nodes that integers are followed through */

/* ---- integers as numbers ----------------------------------------------------------------------------------------- */

static const struct tensor *constant_of(const struct match_side *s, const struct wire *w)
{
	if (!w || w->graph != s->g)
		return NULL;
	if (w->init)
		return w->init;
	return s->values[w->id] && s->values[w->id]->kind == VALUE_TENSOR ? s->values[w->id]->tensor : NULL;
}

/* The wire at the port called NAME + ending, among inputs and then outputs; NULL: none. */
static const struct wire *port_wire(const struct node *n, const char *name, const char *ending)
{
	size_t length = strlen(name);

	for (int side = 0; side < 2; side++) {
		const struct op_port *ports = side ? n->op->out : n->op->in;
		int count = side ? n->n_out : n->n_in;

		for (int i = 0; i < count && i < OP_MAX_PORTS && ports[i].name; i++)
			if (!strncasecmp(ports[i].name, name, length) && !strcmp(ports[i].name + length, ending))
				return side ? n->out[i] : n->in[i];
	}
	return NULL;
}

static int steps_at(const struct match_side *s, const struct node *n, const char *port, struct match_steps *out)
{
	const struct tensor *scale = constant_of(s, port_wire(n, port, "_scale"));
	const struct tensor *zero = constant_of(s, port_wire(n, port, "_zero_point"));

	if (!scale || scale->count != 1 || (zero && zero->count != 1))
		return 0;
	*out = (struct match_steps){tensor_get(scale, 0), zero ? tensor_get(zero, 0) : 0};
	return out->scale > 0 && isfinite(out->scale);
}

static int steps_of_readers(const struct match_side *s, const struct wire *w, struct match_steps *out)
{
	for (size_t i = 0; i < s->g->nodes.n; i++) {
		const struct node *n = s->g->nodes.at[i];

		for (int k = 0; k < n->n_in && k < OP_MAX_PORTS; k++)
			if (n->in[k] == w && n->op->in[k].name && steps_at(s, n, n->op->in[k].name, out))
				return 1;
	}
	return 0;
}

int match_find_steps(const struct match_side *s, const struct wire *w, struct match_steps *out)
{
	for (int through = 0; through < MAX_THROUGH && w && w->graph == s->g; through++) {
		const struct node *n = w->producer;

		if (steps_of_readers(s, w, out))
			return 1;
		if (!n)
			return 0;
		if (w->producer_slot < OP_MAX_PORTS && n->op->out[w->producer_slot].name &&
		    steps_at(s, n, n->op->out[w->producer_slot].name, out))
			return 1;
		w = n->n_in ? n->in[0] : NULL; /* moved around only, as by MaxPool or Reshape */
	}
	return 0;
}

static const struct tensor *tensor_at(const struct match_side *s, const struct wire *w)
{
	const struct value *v = s->values[w->id];

	return v && v->kind == VALUE_TENSOR ? v->tensor : NULL;
}

int match_floats(const struct match_side *s, const struct wire *w, struct value **out, struct err *e)
{
	const struct tensor *t = tensor_at(s, w);
	struct match_steps steps;
	struct tensor *x;

	*out = NULL;
	if (t && dtype_is_float(t->dtype))
		*out = value_ref(s->values[w->id]);
	if (*out || !t || !dtype_is_int(t->dtype) || !match_find_steps(s, w, &steps))
		return 0;
	x = tensor_new(DT_FLOAT, t->rank, t->dims, e);
	for (size_t i = 0; x && i < t->count; i++)
		x->f[i] = (tensor_get(t, i) - steps.zero) * steps.scale;
	*out = x ? value_tensor(x, e) : NULL;
	return *out ? 0 : e->code;
}

int match_stored(const struct match_side *s, const struct wire *w, const struct value *exact, struct value **out,
		 struct err *e)
{
	const struct tensor *t = tensor_at(s, w), *x = exact->tensor;
	struct match_steps steps = {1, 0};
	struct tensor *y;

	*out = NULL;
	if (!t || !tensor_same_shape(t, x) || (dtype_is_int(t->dtype) && !match_find_steps(s, w, &steps)))
		return 0;
	y = tensor_new(t->dtype, t->rank, t->dims, e);
	for (size_t i = 0; y && i < y->count; i++)
		if (dtype_is_float(t->dtype))
			y->f[i] = dtype_round(t->dtype, tensor_get(x, i), 0);
		else
			y->i[i] = (int64_t)fmin(
				fmax(rint(tensor_get(x, i) / steps.scale) + steps.zero, dtype_lowest(t->dtype)),
				dtype_max(t->dtype));
	*out = y ? value_tensor(y, e) : NULL;
	return *out ? 0 : e->code;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

static int is_separator(char c)
{
	return c == '_' || c == '/' || c == ':' || c == '.' || c == '-';
}

/* The pair whose wire a name begins with; the longest counts. */
static struct narrow_pair *pair_named(struct narrow_pair *pairs, size_t n, const char *name)
{
	struct narrow_pair *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(pairs[i].wire->name);

		if (length <= longest || strncmp(name, pairs[i].wire->name, length) ||
		    (name[length] && !is_separator(name[length])))
			continue;
		best = &pairs[i];
		longest = length;
	}
	return best;
}

struct match_sample {
	const struct wire *wire;
	struct value *floats;
	double *x; /* some elements, evenly spaced */
	size_t n;
	int used;
};

static int fits(const struct match_sample *a, const struct match_sample *b)
{
	return a->floats && b->floats && tensor_same_shape(a->floats->tensor, b->floats->tensor);
}

static double closeness(const struct match_sample *a, const struct match_sample *b)
{
	return fits(a, b) ? measure_correlation(a->x, b->x, a->n) : -1;
}

static void pair_up(struct narrow_pair *p, struct match_sample *own, struct match_sample *other, enum narrow_match how)
{
	p->match = how;
	p->other = other->wire;
	p->other_node = other->wire->producer;
	p->correlation = closeness(own, other);
	other->used = 1;
}

/* Later ones take the place of earlier ones; a name with something behind it must fit by its values, too. */
static void match_names(struct narrow_pair *pairs, struct match_sample *own, size_t n, struct match_sample *others,
			size_t n_others)
{
	for (size_t i = 0; i < n_others; i++) {
		struct narrow_pair *p = pair_named(pairs, n, others[i].wire->name);
		struct match_sample *mine = p ? &own[p - pairs] : NULL;
		int same;

		if (!p || !fits(mine, &others[i]))
			continue;
		same = !strcmp(p->wire->name, others[i].wire->name);
		if (!same && closeness(mine, &others[i]) <= CLOSE)
			continue;
		others[i].used = 1;
		if (!same || !p->other)
			pair_up(p, mine, &others[i], NARROW_BY_NAME);
	}
}

/* ---- by values --------------------------------------------------------------------------------------------------- */

static size_t closest(const struct match_sample *x, const struct match_sample *of, size_t n)
{
	size_t best = n;
	double most = CLOSE;

	for (size_t i = 0; i < n; i++) {
		double close = of[i].used ? -1 : closeness(x, &of[i]);

		if (close > most) {
			most = close;
			best = i;
		}
	}
	return best;
}

static void match_values(struct narrow_pair *pairs, struct match_sample *own, size_t n, struct match_sample *others,
			 size_t n_others)
{
	for (size_t i = 0; i < n; i++)
		own[i].used = pairs[i].other != NULL;
	for (size_t i = 0; i < n; i++) {
		size_t k = own[i].used ? n_others : closest(&own[i], others, n_others);

		if (k == n_others || closest(&others[k], own, n) != i)
			continue;
		pair_up(&pairs[i], &own[i], &others[k], NARROW_BY_VALUES);
		own[i].used = 1;
	}
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static int sample(const struct match_side *s, const struct wire *w, struct arena *a, struct match_sample *out,
		  struct err *e)
{
	const struct tensor *t;
	size_t step;
	int rc = match_floats(s, w, &out->floats, e);

	out->wire = w;
	if (rc || !out->floats)
		return rc;
	t = out->floats->tensor;
	step = t->count / SAMPLE + 1;
	out->x = arena_array(a, t->count / step + 1, sizeof *out->x);
	if (!out->x)
		return err_nomem(e, "samples", t->count);
	for (size_t i = 0; i < t->count; i += step) {
		double x = tensor_get(t, i);

		out->x[out->n++] = isfinite(x) ? x : 0;
	}
	return 0;
}

int match_pairs(const struct match_side *original, const struct match_side *narrow, struct narrow_pair *pairs, size_t n,
		struct err *e)
{
	struct arena a = ARENA_INIT;
	struct match_sample *own = arena_array(&a, n + 1, sizeof *own);
	struct match_sample *others = arena_array(&a, narrow->g->wires.n + 1, sizeof *others);
	size_t n_others = 0;
	int rc = own && others ? 0 : err_nomem(e, "samples", n);

	for (size_t i = 0; i < n && !rc; i++)
		rc = sample(original, pairs[i].wire, &a, &own[i], e);
	for (size_t i = 0; i < narrow->g->nodes.n && !rc; i++) {
		const struct node *node = narrow->g->nodes.at[i];

		for (int k = 0; k < node->n_out && node->n_in && !rc; k++)
			if (node->out[k]) {
				rc = sample(narrow, node->out[k], &a, &others[n_others], e);
				n_others += others[n_others].floats != NULL;
			}
	}
	if (!rc) {
		match_names(pairs, own, n, others, n_others);
		match_values(pairs, own, n, others, n_others);
	}
	for (size_t i = 0; i < n && own; i++)
		value_unref(own[i].floats);
	for (size_t i = 0; i < n_others; i++)
		value_unref(others[i].floats);
	arena_release(&a);
	return rc;
}
