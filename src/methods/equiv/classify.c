/* classify.c - see classify.h. */
#include "methods/equiv/classify.h"

#include <math.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int is_internal(const struct class_facts *f)
{
	return f->internal;
}

static int is_death(const struct class_facts *f)
{
	return f->verdict == VERDICT_CRASH || f->verdict == VERDICT_HANG;
}

static int is_refused(const struct class_facts *f)
{
	return f->verdict == VERDICT_REJECTED;
}

static int is_accepted(const struct class_facts *f)
{
	return f->verdict == VERDICT_ACCEPTED;
}

static int is_subnormal(const struct class_facts *f)
{
	return f->subnormal;
}

static int is_overflow_inside(const struct class_facts *f)
{
	return f->overflows && f->extreme && f->infinite;
}

static int is_rearranged(const struct class_facts *f)
{
	return f->rearranged && f->extreme;
}

static int is_open(const struct class_facts *f)
{
	return !f->same_call && f->open;
}

static int is_overflow(const struct class_facts *f)
{
	return !f->same_call && f->extreme && f->not_numbers;
}

static int is_little(const struct class_facts *f)
{
	return isfinite(f->ratio) && f->ratio < CLASS_LITTLE;
}

static int is_any(const struct class_facts *f)
{
	(void)f;
	return 1;
}

static const struct {
	enum equiv_class class;
	int (*fits)(const struct class_facts *f);
	const char *why;
} rows[] = {
	{CLASS_INTERNAL, is_internal, "nothing documented calls the operation"},
	{CLASS_CRASH, is_death, "a process ended or hung, where a refusal or an answer was expected"},
	{CLASS_REFUSED, is_refused, "documentation says that both sides take the same"},
	{CLASS_WRONG, is_accepted, "the standard forbids the call, and it was answered"},
	{CLASS_PRECISION, is_subnormal, "both sides agree when 0 stands for subnormal numbers"},
	{CLASS_DOCUMENTED, is_overflow_inside, "the library documents that an intermediate result may overflow"},
	{CLASS_DOCUMENTED, is_rearranged, "the library documents that its compiler rearranges what is computed"},
	{CLASS_UNDEFINED, is_open, "an input is not finite, and the sides are different calls"},
	{CLASS_UNDEFINED, is_overflow, "an input is near an end of its type, and the sides are different calls"},
	{CLASS_PRECISION, is_little, "less than 200 times the noise"},
	{CLASS_WRONG, is_any, "nothing above explains it"},
};

enum equiv_class classify_by(const struct class_facts *f, const char **why)
{
	size_t i = 0;

	while (!rows[i].fits(f))
		i++;
	*why = rows[i].why;
	return rows[i].class;
}

static const char *const names[EQUIV_CLASSES] = {
	[CLASS_WRONG] = "wrong value",   [CLASS_CRASH] = "crash on unchecked input",
	[CLASS_REFUSED] = "refused",     [CLASS_DOCUMENTED] = "documented",
	[CLASS_UNDEFINED] = "undefined", [CLASS_PRECISION] = "precision",
	[CLASS_INTERNAL] = "internal"};

const char *equiv_class_name(enum equiv_class c)
{
	return names[c];
}

enum equiv_class equiv_class_find(const char *name)
{
	size_t i = 0;

	while (i < EQUIV_CLASSES && strcmp(names[i], name) != 0)
		i++;
	return i < EQUIV_CLASSES ? (enum equiv_class)i : CLASS_WRONG;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* A part of the name that begins with '_', such as aten::_fft_r2c or torch.nn._reduction, or what PyTorch lays weights
 * out with.  In MXNet mx.np calls _np_…, and the like. */
static int is_private(const struct dialect *d, const char *name)
{
	for (const char *at = name; *at && !d->underscores; at++)
		if (*at == '_' && (at == name || at[-1] == '.' || at[-1] == ':'))
			return 1;
	return strstr(name, "prepack") != NULL;
}

static void look_at(struct tensor *t, struct class_facts *f)
{
	struct err ignored = ERR_INIT;
	int complex = dtype_wide(t->dtype) == WIDE_C64;
	struct tensor *wide = complex || dtype_is_float(t->dtype) ? tensor_widen(t, &ignored) : NULL;
	enum dtype part = dtype_part(t->dtype);
	double most = sqrt(dtype_max(part));

	for (size_t i = 0; wide && i < tensor_parts(wide); i++) {
		double x = fabs(wide->f[i]);

		f->open |= !isfinite(x);
		/* what is subnormal counts as 0: a row of its own is for those */
		f->extreme |= isfinite(x) && x >= dtype_smallest(part) && (x > most || x < 1 / most);
	}
	tensor_unref(wide);
}

struct class_facts classify_facts(const struct pair_run *r, const struct equiv_input *in, enum verdict verdict,
				  double ratio, struct value *const v[2])
{
	const struct equiv_pair *p = r->pair;
	struct class_facts f = {.verdict = verdict,
				.ratio = ratio,
				.internal = is_private(r->registry->dialect, p->name) || (p->api && p->api->internal),
				.same_call = !p->api || p->rule->every->other == equiv_same_call,
				.overflows = r->registry->library && r->registry->library->overflows,
				.rearranged = p->rearranged};
	struct compare_how how = pair_how(r, in);

	for (size_t i = 0; i < in->in_a.n; i++)
		if (in->in_a.at[i].tensor && in->in_a.at[i].tensor->kind == VALUE_TENSOR)
			look_at(in->in_a.at[i].tensor->tensor, &f);
	f.extreme &= !f.open;
	if (v) {
		f.infinite = compare_ends(v[0], v[1], &how, r->o, 0);
		f.not_numbers = compare_ends(v[0], v[1], &how, r->o, 1);
	}
	return f;
}
