/* verdict_of.h - what a check came to for one backend, in words that can be held against those of another run. */
#ifndef METHODS_CHECK_VERDICT_OF_H
#define METHODS_CHECK_VERDICT_OF_H

#include "methods/check/report.h"

struct check_verdict {
	const char *verdict; /* a word of base/verdict.h; "differs": from `other`, where neither can be judged */
	char op[256];        /* that is blamed, or several with + between; "": not known */
	const char *signature, *note;
};

/* Of a finding the confirmed verdict; pointers are into the report.  other: another backend of it, or the same. */
void check_verdict_of(const struct check_report *r, size_t backend, size_t other, struct check_verdict *out);

#endif
