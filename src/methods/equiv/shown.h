/* shown.h - does a finding's own script show it?  Run with a Python that has numpy and the library's package in the
 * version that was tested. */
#ifndef METHODS_EQUIV_SHOWN_H
#define METHODS_EQUIV_SHOWN_H

#include "methods/equiv/equiv.h"

enum shown_result {
	SHOWN_FAILED = -1, /* the status is in struct err */
	SHOWN_NOT_RUN,     /* it went wrong: nothing is known */
	SHOWN_YES,
	SHOWN_NO
};

/* Whether scripts can be run: `python` has the package, in a version that begins so. */
int shown_can(const char *python, const char *package, const char *version);

/* The Python that scripts are run with, o->python: as `asked` for, else $ASSAY_PYTHON or python3 where that has the
 * package.  ERR_USAGE: one was asked for that has it not. */
int shown_choose(const struct equiv *q, const char *asked, struct equiv_options *o, struct err *e);

enum shown_result shown_run(const char *python, const char *script, struct err *e);

#endif
