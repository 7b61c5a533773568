/* guest.h - manners of the library in a program that is not ours. */
#ifndef API_GUEST_H
#define API_GUEST_H

#include <fenv.h>
#include <locale.h>

#include "assay.h"
#include "base/door.h"

/* What the thread of the host had set, and gets back. */
struct guest {
	fenv_t arithmetic;
	locale_t locale;
	struct door door; /* for setjmp() right after guest_enter(): see base/door.h */
};

/* Between the two the thread rounds to nearest, keeps subnormal numbers, is not stopped by a division by zero and
 * writes numbers with a point, whatever the host likes; so results do not depend on the thread. */
void guest_enter(struct guest *g);
void guest_leave(const struct guest *g);

/* Hands an inner error out and returns its status.  e may be NULL. */
int guest_report(int rc, const struct err *inner, struct assay_error *e);

/* The call is wrong: ASSAY_ERR_USAGE. */
int guest_refuse(struct assay_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
