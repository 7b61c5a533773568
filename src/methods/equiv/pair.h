/* pair.h - a pair that is being run: what pair.c and confirm.c share. */
#ifndef METHODS_EQUIV_PAIR_H
#define METHODS_EQUIV_PAIR_H

#include "methods/equiv/compare.h"

struct pair_run {
	const struct registry *registry;
	struct equiv_pair *pair;
	struct eval *sides;
	const struct equiv_options *o;
	struct equiv_result *result;
	struct rng root;
	struct err *err;
};

/* What of the two results is compared. */
struct compare_how pair_how(const struct pair_run *r, const struct equiv_input *in);

/* out[i]: a new reference, NULL when the library did not answer. */
int pair_run_sides(struct pair_run *r, const struct equiv_input *in, const struct bindings *in_a,
		   const struct bindings *in_b, struct value *out[2]);
void pair_free_sides(struct value *v[2]);

/* The rest of an input whose call `a` and in_a are there: side b by the rule.  Without in->b: not for this input.  On
 * failure in_a is released. */
int pair_complete(struct pair_run *r, struct expr *a, struct arena *arena, struct equiv_input *in);

/* Runs an input and judges it: what came of it is counted in r->result.  *accepted 1: both sides answered. */
int pair_judge(struct pair_run *r, const struct equiv_input *in, uint64_t index, int *accepted);

/* ---- confirm.c --------------------------------------------------------------------------------------------------- */

/* A side died or hung: noted when it does so again, in the worker that was started since. */
int pair_confirm_failure(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct eval *side);

/* Side b refused what side a takes, and should not: noted when it does so again. */
int pair_confirm_refusal(struct pair_run *r, const struct equiv_input *in, uint64_t index);

/* The library gave a result for what is not legal: noted when the reference refuses it as well, and the library gives
 * one again. */
int pair_confirm_accepted(struct pair_run *r, const struct equiv_input *in, uint64_t index);

/* Results v differ, as `detail` says: noted when both come again and rounding does not explain it. */
int pair_confirm_difference(struct pair_run *r, const struct equiv_input *in, uint64_t index, struct value *v[2],
			    const char *detail);

#endif
