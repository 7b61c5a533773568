/* explain.h - whether wrong numbers are those of a library that computes in a lower precision than float32, or that
 * goes another way where a number is quantized.
 *
 * Such an explanation is no excuse.  Three things must hold, or the answer stays wrong:
 *
 *   seen    the library is seen to compute so: it rounds the operands of a plain product that is no part of the case
 *           (witness.c), or its answer has numbers of that precision only
 *   size    no element is further off than the roundings of that precision explain, and all of them together are no
 *           further off than those make them on average
 *   spread  what deviates is not one element of many: the others must be off by such roundings, too
 *
 * docs/oracle.md has the limits, and what they were chosen from. */
#ifndef JUDGE_EXPLAIN_H
#define JUDGE_EXPLAIN_H

#include "judge/trial.h"

struct explanation {
	const char *name; /* "bfloat16": what users read */
	enum ref_precision precision;
	int products; /* operands of products alone are in it */
	int reduced;  /* sums are kept in it, too */
	int step;     /* a number goes to the neighbouring quantized one */
};

extern const struct explanation explanations[]; /* from the weakest on, up to the first without a name */

/* Size and spread alone: is the answer in o what the explanation makes of the case?  *fits; *ratio: the largest, in
 * roundings of that precision. */
int explain_fits(struct trial *t, const struct explanation *x, const struct outcome *o, int *fits, double *ratio,
		 struct err *e);

/* Whether the answer has numbers of that precision only, where float32 would have others. */
int explain_shows(const struct trial *t, const struct explanation *x, const struct outcome *o);

/* The option of a party that computes in a lower precision because that is what it is for: "lowers=f16", "lowers=int8".
 */
#define PARTY_LOWERS "lowers"
/* That of a party whose models the reference runs after they are rewritten: "rewriter=onnxslim". */
#define PARTY_REWRITES "rewriter"

/* The roundings of such a party are those of that precision, and nothing need be seen: wrong numbers become
 * VERDICT_ROUNDING where they have that size and spread; of int8, where a quantizer may leave nodes as they are, that
 * size alone.  Of others it says nothing. */
int explain_lowered(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		    struct err *e);

/* ranges.c: of a party that quantizes, wrong numbers and refusals become VERDICT_UNSPECIFIED where a tensor that it
 * stores has an infinity or NaN. */
int explain_unranged(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		     struct err *e);

/* witness.c: whether p rounds the operands of products so.  Asked once, see struct party. */
int explain_is_seen(struct party *p, const struct explanation *x, int *seen, struct err *e);

#endif
