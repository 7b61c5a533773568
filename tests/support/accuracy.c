/* accuracy.c - see accuracy.h. */
#include "support/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/case_file.h"
#include "ops/op.h"

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static int lines_of(const char *path, int hard, int (*fn)(const char *line, int hard, void *arg), void *arg,
		    struct err *e)
{
	struct case_lines lines = {VEC_INIT, ARENA_INIT};
	int rc = case_lines_read(path, &lines, e);

	if (!rc && !lines.all.n)
		rc = err_set(e, ERR_IO, "no cases in '%s'", path);
	for (size_t i = 0; i < lines.all.n && !rc; i++)
		rc = fn(lines.all.at[i].text, hard, arg);
	case_lines_release(&lines);
	return rc;
}

int accuracy_lines(int (*fn)(const char *line, int hard, void *arg), void *arg, struct err *e)
{
	int rc = lines_of(ACCURACY_CASES, 0, fn, arg, e);

	return rc ? rc : lines_of(ACCURACY_HARD, 1, fn, arg, e);
}

char *accuracy_with_type(const char *line, const char *type)
{
	char *copy = mem_array(2 * strlen(line) + 1, 1), *to = copy;

	while (copy && *line) {
		if (strncmp(line, " f32[", 5) != 0 && strncmp(line, " f32{", 5) != 0) {
			*to++ = *line++;
			continue;
		}
		*to++ = ' ';
		memcpy(to, type, strlen(type));
		to += strlen(type);
		line += strlen(" f32");
	}
	return copy;
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	double factor, shift;
} ranges[ACCURACY_RANGES] = {
	[RANGE_DRAWN] = {"as drawn", 1, 0},
	[RANGE_SMALL] = {"small", 0x1p-9, 0},
	[RANGE_LARGE] = {"large", 37, 0},
	[RANGE_SHIFTED] = {"shifted", 1, 100}, /* all of one sign, with little between them */
};

const char *accuracy_range_name(enum accuracy_range r)
{
	return ranges[r].name;
}

/* The words f32[…] of a line are its float32 inputs, in order. */
static unsigned free_inputs(const char *line, const struct op_case *c)
{
	const char *word = line;
	unsigned found = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (c->inputs[i]->tensor->dtype != DT_FLOAT)
			continue;
		word = strstr(word, " f32[");
		if (!word)
			break;
		word += 5;
		if (word[strcspn(word, "@ ")] != '@')
			found |= 1u << i;
	}
	return found;
}

int accuracy_open(const char *line, struct accuracy_case *out, struct err *e)
{
	struct accuracy_case k = {.line = line};
	int rc = case_parse(line, 1, &k.c, e);

	if (!rc && (rc = ref_open(k.c.model, &k.ref, e)))
		case_release(&k.c);
	if (rc)
		return rc;
	k.row = (size_t)(ops_find(k.c.model->graph->nodes.at[0]->domain, k.c.model->graph->nodes.at[0]->op_type) -
			 op_rows);
	k.free = free_inputs(line, &k.c);
	*out = k;
	return 0;
}

void accuracy_close(struct accuracy_case *k)
{
	ref_close(k->ref);
	case_release(&k->c);
}

int accuracy_draw(struct accuracy_case *k, uint64_t seed, enum accuracy_range r, struct accuracy_draw *out,
		  struct err *e)
{
	struct ref_options o = {.mode = REF_NOISY, .seed = ACCURACY_SEED};
	struct accuracy_draw d = {0};
	int rc = case_parse(k->line, seed, &d.in, e);

	for (size_t i = 0; !rc && i < d.in.n; i++) {
		struct tensor *x = d.in.inputs[i]->tensor;

		for (size_t j = 0; k->free >> i & 1 && j < x->count; j++)
			x->f[j] = (double)(float)(x->f[j] * ranges[r].factor + ranges[r].shift);
	}
	if (!rc)
		rc = ref_run(k->ref, d.in.inputs, d.in.n, &o, &d.truth, e);
	if (rc)
		case_release(&d.in);
	else
		*out = d;
	return rc;
}

void accuracy_draw_release(struct accuracy_draw *d)
{
	ref_result_release(&d->truth);
	case_release(&d->in);
}

/* ---- tallies ----------------------------------------------------------------------------------------------------- */

static double largest(const struct tensor *t)
{
	double most = 0;

	for (size_t i = 0; i < t->count; i++)
		if (isfinite(tensor_get(t, i)))
			most = fmax(most, fabs(tensor_get(t, i)));
	return most;
}

/* Neither a number that the type does not have nor one that many libraries take for zero. */
static int is_usual(enum dtype t, double x)
{
	return isfinite(dtype_round(t, x, 0)) && (x == 0 || fabs(x) >= dtype_smallest(t));
}

/* The exact value lies between two numbers of the type, not next to one. */
static int has_to_round(enum dtype t, double x)
{
	return fabs(dtype_round(t, x, 0) - x) > dtype_roundoff(t) * fabs(x) / 16;
}

static void keep_worst(struct accuracy *a, const struct accuracy_answer *x, size_t i, double ratio, double got)
{
	if (ratio <= a->worst)
		return;
	a->worst = ratio;
	snprintf(a->where, sizeof a->where, "%.120s: output %d, element %zu is %.9g, exactly %.9g; stated %.3g",
		 x->line, x->output, i, got, tensor_get(x->exact, i), x->stated ? (double)x->stated[i] : 0);
}

static int is_another(const struct accuracy_answer *x)
{
	double limit = x->another * dtype_roundoff(x->exact->dtype) * largest(x->exact);

	for (size_t i = 0; x->another > 0 && i < x->exact->count; i++)
		if (fabs(tensor_get(x->got, i) - x->exact->f[i]) > limit)
			return 1;
	return 0;
}

int accuracy_add(struct accuracy *a, const struct accuracy_answer *x)
{
	enum dtype t = x->exact->dtype;

	if (x->got->dtype != t || !tensor_same_shape(x->exact, x->got) || is_another(x))
		return 1;
	for (size_t i = 0; i < x->exact->count; i++) {
		double exact = x->exact->f[i], got = dtype_round(t, tensor_get(x->got, i), 0);
		double stated = x->stated ? (double)x->stated[i] : 0, off = fabs(got - exact);

		if (!is_usual(t, exact) || !isfinite(got) || isinf(stated))
			continue;
		a->exact += stated == 0;
		a->stated += stated > 0;
		a->rounding += stated > 0 && has_to_round(t, exact);
		if (off > 0)
			keep_worst(a, x, i, stated > 0 ? off / stated : (double)INFINITY, got);
	}
	return 0;
}

size_t accuracy_rounding(const struct accuracy r[ACCURACY_RANGES])
{
	size_t n = 0;

	for (int i = 0; i < ACCURACY_RANGES; i++)
		n += r[i].rounding;
	return n;
}

double accuracy_worst(const struct accuracy r[ACCURACY_RANGES])
{
	double worst = 0;

	for (int i = 0; i < ACCURACY_RANGES; i++)
		worst = fmax(worst, r[i].worst);
	return worst;
}

enum accuracy_verdict accuracy_judge(const struct accuracy r[ACCURACY_RANGES], double factor)
{
	if (accuracy_worst(r) > ACCURACY_LITTLE * factor)
		return ACCURACY_TOO_LITTLE;
	for (int i = 0; i < ACCURACY_RANGES; i++)
		if (r[i].rounding >= ACCURACY_ENOUGH && r[i].worst < ACCURACY_MUCH * factor)
			return ACCURACY_TOO_MUCH;
	return ACCURACY_FINE;
}
