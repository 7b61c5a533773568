/* mutants.h - a model changed in one place: sizes 0 and beyond all bounds, ranks, extreme numbers, attributes, inputs
 * left out.  The changes are counted off from the model itself, so that none is written down by hand. */
#ifndef TESTS_SUPPORT_MUTANTS_H
#define TESTS_SUPPORT_MUTANTS_H

#include "model/model.h"

/* What is known of the sizes of a model's inputs before it runs. */
enum mutant_style {
	MUTANT_DECLARED,  /* everything */
	MUTANT_OPEN,      /* only of constants */
	MUTANT_ALL_INPUTS /* nothing: constants are inputs as well */
};

#define MUTANT_STYLES 3

struct mutant {
	struct model *model;
	struct value **inputs;
	size_t n;
	char what[160]; /* the change, in words */
};

/* Change number k of a model and its inputs.  Gives 0 when there are not so many; 1 with a mutant, which
 * mutant_release() releases, else.  What fails ends the program. */
int mutant_make(const struct model *m, struct value *const *inputs, size_t k, enum mutant_style style,
		struct mutant *out);
void mutant_release(struct mutant *m);

#endif
