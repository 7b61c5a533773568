/* clock.c - see clock.h. */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_children(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r); /* cannot fail with this argument */
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

double clock_patience(double seconds)
{
	const char *given = getenv("ASSAY_PATIENCE");
	double times = given ? strtod(given, NULL) : 1;

	return times >= 1 && times <= 1000 ? seconds * times : seconds;
}

int clock_parse(const char *text, double *seconds, struct err *e)
{
	static const struct {
		const char *suffix;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
	char *end;
	double x = strtod(text, &end);

	for (size_t i = 0; end != text && x > 0 && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].suffix)) {
			*seconds = x * units[i].seconds;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not a time such as 90s, 5m or 1h", text);
}
