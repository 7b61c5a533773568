/* default_cases.h - cases of operators with the attributes that have a default left out, and with them written out.
 *
 * They are lines of data/cases/<family>.case, chosen so that each default of each operator stands in one of them: an
 * attribute that a line has is left out or gets its default. */
#ifndef TESTS_SUPPORT_DEFAULT_CASES_H
#define TESTS_SUPPORT_DEFAULT_CASES_H

#include "judge/trial.h"
#include "ops/attr.h"

struct default_case {
	char *line;                  /* as in its file, or with float64 in the place of float32 */
	const struct op_attr **rows; /* of its attributes that have a default */
	size_t n_rows;
};

struct default_cases {
	struct default_case *at;
	size_t n, size;
};

/* Fails the running test when there is no case for a default. */
void default_cases_open(struct default_cases *c);
void default_cases_close(struct default_cases *c);

/* The case with its attributes left out, or written out. */
struct trial default_cases_trial(const struct default_case *c, int written);

#endif
