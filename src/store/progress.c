/* progress.c - see progress.h. */
#include "store/progress.h"

#include <math.h>
#include <string.h>

#define COVERAGE "coverage"
#define REPEATS "repeats.all" /* one picture of a report, two lines */
#define AGREED "repeats.same"

int store_add_progress(struct store *s, int64_t campaign, double seconds, const struct store_progress *p, struct err *e)
{
	const struct store_point points[] = {
		{REPEATS, (double)p->repeats}, {AGREED, (double)p->agreed}, {COVERAGE, p->coverage}};
	size_t n = sizeof points / sizeof *points;

	return store_points(s, campaign, seconds, points, isnan(p->coverage) ? n - 1 : n, e);
}

/* Of each curve, points come in the order of time. */
static int take(const char *curve, double seconds, double value, void *arg)
{
	struct store_progress *p = arg;

	(void)seconds;
	if (!strcmp(curve, COVERAGE))
		p->coverage = value;
	else if (!strcmp(curve, REPEATS) && value >= 0 && value < 1e15)
		p->repeats = (int64_t)value;
	else if (!strcmp(curve, AGREED) && value >= 0 && value < 1e15)
		p->agreed = (int64_t)value;
	return 0;
}

int store_last_progress(struct store *s, int64_t campaign, struct store_progress *out, struct err *e)
{
	*out = STORE_NO_PROGRESS;
	return store_each_point(s, campaign, take, out, e);
}

void store_join_progress(struct store_progress *p, const struct store_progress *more)
{
	p->coverage = fmax(p->coverage, more->coverage); /* NAN only when both are */
	p->repeats += more->repeats;
	p->agreed += more->agreed;
}
