/* answers.h - values as a library gives them, and what the oracles say of two such answers. */
#ifndef BENCH_SUPPORT_ANSWERS_H
#define BENCH_SUPPORT_ANSWERS_H

#include "judge/oracle.h"

#define ANSWERS_ORACLES 8 /* no fewer than oracle_rows has */

/* Values rounded once to their types, r->n of them. */
void answers_round(const struct ref_result *r, struct value **out);
void answers_release(struct value **v, size_t n);

/* Asks every oracle; answers[k]: inconsistent. */
void answers_ask(const struct ref_result *truth, struct value **a, struct value **b, size_t n, int *answers);

#endif
