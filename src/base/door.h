/* door.h - where a fault of our own leads to: out of the door that the thread has opened, or to the end of the program.
 *
 *   door_open(&d);
 *   if (setjmp(d.at))
 *           rc = door_fault(&d, e);
 *   else
 *           rc = work(e);
 *   door_close(&d);
 *
 * libassay opens one around each call, for a library must not end its host.  What the call had allocated is lost, and
 * the object it was about is good for nothing but to be freed. */
#ifndef BASE_DOOR_H
#define BASE_DOOR_H

#include <setjmp.h>

#include "base/err.h"

struct door {
	jmp_buf at;
	struct door *outer; /* the one that was open before */
	const char *file, *what;
	int line;
};

void door_open(struct door *d);
void door_close(const struct door *d);
int door_fault(const struct door *d, struct err *e); /* what led here, as ERR_INTERNAL */

/* Leaves by the door that was opened last; returns when this thread has none open. */
void door_leave(const char *file, int line, const char *what);

#endif
