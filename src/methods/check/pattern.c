/* pattern.c - see pattern.h. */
#include "methods/check/pattern.h"

#include <math.h>
#include <string.h>

/* ---- one item ---------------------------------------------------------------------------------------------------- */

void pattern_add(struct pattern_item *it, double class, double mad, const struct check_options *o)
{
	static const struct check_limits papers = {CHECK_CLASS_LIMIT, CHECK_MAD_LIMIT};
	const struct check_limits *limits = o->limits ? o->limits : &papers;

	it->beyond |= isnan(class) || isnan(mad) ? !(mad < limits->mad) : class >= limits->class;
	it->by_mad |= isnan(class);
	if (!it->outputs || isnan(mad) || mad > it->mad)
		it->mad = isnan(it->mad) ? it->mad : mad;
	if (isnan(it->class) || class > it->class)
		it->class = class;
	it->outputs++;
}

/* The first bin whose lower end a distance reaches; the last one ends at 0.  NaN, which nothing is further from than,
 * counts as the largest. */
static size_t bin_of(double d, const double *from, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && d < from[i])
		i++;
	return i;
}

void pattern_note(struct check_pair *p, size_t item, const struct pattern_item *it)
{
	static const double class_from[CHECK_CLASS_BINS] = {16, 8, 4, 2, 1, 0};
	static const double mad_from[CHECK_MAD_BINS] = {0.8, 0.6, 0.4, 0.2, 0};
	/* The most inconsistent item: by class, then by MAD; NaN is further than any number. */
	double by_class = isnan(it->mad) ? (double)INFINITY : isnan(it->class) ? 0 : it->class;
	double by_mad = isnan(it->mad) ? (double)INFINITY : it->mad;

	if (!p->items || by_class > p->worst_class || (by_class == p->worst_class && by_mad > p->worst_mad)) {
		p->worst_item = item;
		p->worst_class = by_class;
		p->worst_mad = by_mad;
	}
	p->items++;
	p->triggering += (size_t)it->beyond;
	p->by_mad |= it->by_mad;
	p->mad_bins[bin_of(it->mad, mad_from, CHECK_MAD_BINS)]++;
	if (!isnan(it->class))
		p->class_bins[bin_of(it->class, class_from, CHECK_CLASS_BINS)]++;
	p->max_class = isnan(p->max_class) || it->class > p->max_class ? it->class : p->max_class;
	p->max_mad = isnan(it->mad) || it->mad > p->max_mad ? it->mad : p->max_mad;
}

int check_share_reached(const struct check_pair *p, const struct check_options *o)
{
	return p->triggering > 0 && (double)p->triggering >= o->share * (double)p->items;
}

/* ---- which are the same ------------------------------------------------------------------------------------------ */

/* The distribution of the distance that decides: class-based, MAD-based, or both where outputs differ. */
static int same_pattern(const struct check_pair *a, const struct check_pair *b)
{
	int same_mad = !memcmp(a->mad_bins, b->mad_bins, sizeof a->mad_bins);

	return !memcmp(a->class_bins, b->class_bins, sizeof a->class_bins) && a->by_mad == b->by_mad &&
	       (!a->by_mad || same_mad);
}

/* The option set in a name, "" when it has none. */
static const char *options_of(const struct party *p)
{
	const char *colon = p->spec.name ? strchr(p->spec.name, ':') : NULL;

	return colon ? colon : "";
}

/* The same library in the same way, in any version. */
static int same_library(const struct party *a, const struct party *b)
{
	return a->spec.backend && b->spec.backend && !strcmp(a->spec.backend, b->spec.backend) &&
	       !strcmp(options_of(a), options_of(b));
}

static int same_libraries(const struct check_result *r, const struct check_pair *p, const struct check_pair *q)
{
	const struct check_backend *b = r->backends;

	return (same_library(&b[p->a].party, &b[q->a].party) && same_library(&b[p->b].party, &b[q->b].party)) ||
	       (same_library(&b[p->a].party, &b[q->b].party) && same_library(&b[p->b].party, &b[q->a].party));
}

/* Patterns are numbered over all pairs, and one map is made of each.  Unique are, as in Table II, those of one pair of
 * libraries: the same pattern in another version of them is the same inconsistency, with another library it is not. */
void pattern_number(struct check_result *r)
{
	r->n_patterns = r->n_unique = 0;
	for (size_t i = 0; i < r->n_pairs; i++) {
		struct check_pair *p = &r->pairs[i];
		int is_new = p->inconsistent;

		p->pattern = 0;
		for (size_t j = 0; j < i && p->inconsistent; j++) {
			const struct check_pair *q = &r->pairs[j];

			if (!q->inconsistent || !same_pattern(p, q))
				continue;
			p->pattern = q->pattern;
			is_new &= !same_libraries(r, p, q);
		}
		if (p->inconsistent && !p->pattern)
			p->pattern = (int)++r->n_patterns;
		r->n_unique += (size_t)is_new;
	}
}
