/* parties.h - the backends that a verb is given. */
#ifndef JUDGE_PARTIES_H
#define JUDGE_PARTIES_H

#include "judge/trial.h"

/* Opens every backend of a list; *out (from mem_array()) has specs->n of them.  limits NULL: the defaults. */
int parties_open(const struct spec_list *specs, const struct worker_limits *limits, struct party **out, struct err *e);
/* Opens those of n = specs->n that are closed (zeroed); where one fails, what was open stays open. */
int parties_open_closed(const struct spec_list *specs, const struct worker_limits *limits, struct party *p,
			struct err *e);
void parties_close(struct party *p, size_t n); /* closes them all and frees the array; NULL is fine */

#endif
