/* switches.h - with which of a library's own settings a finding is gone. */
#ifndef TRIAGE_SWITCHES_H
#define TRIAGE_SWITCHES_H

#include "judge/trial.h"
#include "triage/cures.h"

#define SWITCH_ROWS 16
#define SWITCH_WORDS 512

struct library_passes;

/* A finding; borrowed. */
struct switch_case {
	struct trial *trial;
	const struct party *party;
	enum verdict verdict;
	int gradient;
	double seconds; /* in which passes are to be named; 0: a minute */
};

struct switches {
	unsigned alone; /* bit i: row i of the library's switches is enough by itself */
	size_t n;       /* sets that are enough, each by itself */
	/* "optimizer ConstantFolding", "threads and oneDNN kernels"; several sets: "optimizer A and B, or threads".
	 * "": none was found. */
	char words[SWITCH_WORDS];
	/* "A and B": passes with which alone the finding is there, the others left out.  "": none were found. */
	char made_by[SWITCH_WORDS];
	const struct library_passes *passes; /* NULL: no pass of an optimizer can be named … */
	struct cure left_out;                /* … else the smallest set of them that is enough */
};

int switches_find(const struct switch_case *c, struct switches *out, struct err *e);

/* The rows alone, which cost a try each. */
int switches_alone(const struct switch_case *c, unsigned *alone, struct err *e);

/* *matter: what is named in `of`, found with a part of this case, matters in the case too.  Without those passes it is
 * right; or, where it fails for more reasons than one, it fails in the same way with these passes and no others. */
int switches_matter(const struct switch_case *c, const struct switches *of, int *matter, struct err *e);

#endif
