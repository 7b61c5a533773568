/* explained.h - answers as a library in some precision gives them, and what the judge says. */
#ifndef TESTS_SUPPORT_EXPLAINED_H
#define TESTS_SUPPORT_EXPLAINED_H

#include "judge/trial.h"

/* What a library in some precision gives, changed by `fault` unless that is NULL. */
typedef void explained_fault(struct tensor *y, const struct tensor *exact);

/* x[8,32] → MatMul → Relu → MatMul → Add: 8 × 24 numbers. */
struct trial explained_layers(void);

/* The verdict on the answer of p, which computes as `as` says; *by: the precision that explains it, or "". */
enum verdict explained_judge(struct trial *t, struct party *p, const struct judge_options *options,
			     const struct ref_options *as, explained_fault *fault, const char **by);

/* Faults. */
void explained_one_near(struct tensor *y, const struct tensor *exact);
void explained_not_a_number(struct tensor *y, const struct tensor *exact);

#endif
