/* evaluation.h - the right side of a row in the making: names, and what they stand for in one call. */
#ifndef PROOF_EVALUATION_H
#define PROOF_EVALUATION_H

#include "proof/meaning.h"
#include "proof/terms.h"

#define MAX_PARAMETERS 32

/* Names on the left of a row, and what they stand for in this call. */
struct meaning_scope {
	const char *names[MAX_PARAMETERS];
	struct proof_term terms[MAX_PARAMETERS];
	size_t n;
};

struct evaluation {
	struct meaning_maker m;
	const struct calls *calls;
	const struct meanings *rows; /* which may be used as functions */
	int depth;                   /* of such uses in one another */
	struct meaning_scope scope;
	VEC(struct value *) inputs;
	struct arena infer; /* scratch of inference */
};

/* ---- arguments.c ------------------------------------------------------------------------------------------------- */

/* What a record writes: a number, a list, a word, a value that becomes an input of the model. */
struct proof_term arguments_term(struct evaluation *v, const struct expr *x);
/* The arguments of a call under the names of a row's left side; the first failure sticks, in m.b.rc. */
int arguments_bind(struct evaluation *v, const struct expr *left, const struct expr *call);
/* Are there arguments, from items[first] on, that the left side has no parameter for?  ERR_INPUT, which sticks. */
int arguments_check(struct evaluation *v, const struct expr *left, const struct expr *call, size_t first);
const char *arguments_parameter(const struct expr *p); /* of a left side; "": a list of names */

#endif
