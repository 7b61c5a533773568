/* door.c - see door.h. */
#include "base/door.h"

static _Thread_local struct door *innermost;

void door_open(struct door *d)
{
	d->outer = innermost;
	innermost = d;
}

void door_close(const struct door *d)
{
	innermost = d->outer;
}

int door_fault(const struct door *d, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "a fault of assay at %s:%d: %s", d->file, d->line, d->what);
}

void door_leave(const char *file, int line, const char *what)
{
	struct door *d = innermost;

	if (!d)
		return;
	d->file = file;
	d->line = line;
	d->what = what;
	longjmp(d->at, 1);
}
