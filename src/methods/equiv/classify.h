/* classify.h - what kind of finding it is, by what the program knows: the first row of a table (classify.c) that fits.
 * What is told is still to be looked at; the class says what with. */
#ifndef METHODS_EQUIV_CLASSIFY_H
#define METHODS_EQUIV_CLASSIFY_H

#include "methods/equiv/pair.h"

/* Times the noise: below that conditioning may explain what six nudges did not. */
#define CLASS_LITTLE (10 * JUDGE_LIMIT)

/* What is known of a finding when it is confirmed. */
struct class_facts {
	enum verdict verdict;
	double ratio;    /* of the noise */
	int internal;    /* nothing documented calls the operation */
	int same_call;   /* both sides are one call: what one gives is promised of the other */
	int overflows;   /* documented: libraries.h */
	int rearranged;  /* likewise */
	int subnormal;   /* both sides agree when 0 stands for subnormal numbers */
	int open;        /* an input has a number that is not finite */
	int extreme;     /* all are finite, and the square of a normal one or of its inverse does not fit the type */
	int infinite;    /* where the sides differ one of them is an infinity and the other a number */
	int not_numbers; /* where they differ one of them is NaN or an infinity */
};

/* v: the results that differ; NULL: there are none. */
struct class_facts classify_facts(const struct pair_run *r, const struct equiv_input *in, enum verdict verdict,
				  double ratio, struct value *const v[2]);

/* *why: the row's words. */
enum equiv_class classify_by(const struct class_facts *f, const char **why);

#endif
