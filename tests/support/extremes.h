/* extremes.h - a model in all of its mutants (mutants.h), each run exactly, rounded, with noise and backwards.
 *
 * Values and errors are fine alike, as long as an error has a message and is no failure of assay itself, and no tensor
 * stays behind; the rest is for the sanitizers to see (`make asan`), which also refuse blocks of memory that no such
 * case needs.
 *
 * ASSAY_EXTREMES=all runs every mutant in every style, ASSAY_EXTREMES=Name does that for one operator; otherwise each
 * has one of the styles.  With ASSAY_EXTREMES_TELL each is told before it runs. */
#ifndef TESTS_SUPPORT_EXTREMES_H
#define TESTS_SUPPORT_EXTREMES_H

#include "ops/op.h"

struct extremes {
	size_t versions; /* operators, each version by itself */
	size_t mutants, runs;
	size_t values; /* runs that gave values */
};

/* To be called first: tensors may have little memory, and a sanitizer's report ends with the name of the case. */
void extremes_begin(void);
int extremes_all(void);                       /* ASSAY_EXTREMES is set */
int extremes_wants(const struct op_row *row); /* … and names no other operator */

/* What the test runs: what fails ends it. */
void extremes_run(struct extremes *x, const struct op_row *row, int version, const struct model *m,
		  struct value *const *inputs);

/* Puts the nodes of an operator into another version. */
void extremes_set_version(struct model *m, const struct op_row *row, int version);

#endif
