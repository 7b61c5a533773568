/* guest.c - see guest.h. */
#include "api/guest.h"

#include <stdarg.h>
#include <stdio.h>

void guest_enter(struct guest *g)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	fegetenv(&g->arithmetic);
	fesetenv(FE_DFL_ENV);
	g->locale = plain ? uselocale(plain) : (locale_t)0;
	door_open(&g->door);
}

void guest_leave(const struct guest *g)
{
	locale_t plain = g->locale ? uselocale(g->locale) : (locale_t)0;

	door_close(&g->door);
	if (plain)
		freelocale(plain);
	fesetenv(&g->arithmetic);
}

int guest_report(int rc, const struct err *inner, struct assay_error *e)
{
	if (e && rc) {
		e->status = rc;
		snprintf(e->message, sizeof e->message, "%s", inner->msg);
	}
	return rc;
}

int guest_refuse(struct assay_error *e, const char *fmt, ...)
{
	va_list args;

	if (e) {
		e->status = ASSAY_ERR_USAGE;
		va_start(args, fmt);
		vsnprintf(e->message, sizeof e->message, fmt, args);
		va_end(args);
	}
	return ASSAY_ERR_USAGE;
}
