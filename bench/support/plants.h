/* plants.h - networks of nets.h as trials, run in the reference with a fault planted at their site, or with none.  What
 * fails ends the bench. */
#ifndef BENCH_SUPPORT_PLANTS_H
#define BENCH_SUPPORT_PLANTS_H

#include "faults/fault.h"
#include "judge/trial.h"
#include "support/nets.h"

/* A network with a case at its site, and inputs of a seed; the truth is there. */
struct trial plant_trial(const struct net *net, const char *line, uint64_t seed);

/* One run; f NULL: no fault.  *applied, unless NULL: how often the fault was at work. */
void plant_run(struct trial *t, enum ref_mode mode, const struct fault *f, size_t *applied, struct ref_result *out);

/* The same for the gradients of t, t->n_grads values, which the caller unrefs. */
void plant_gradients(struct trial *t, enum ref_mode mode, const struct fault *f, size_t *applied, struct value **out);

/* The largest ratio of one result against the truth. */
double plant_ratio(const struct trial *t, const struct ref_result *r);

#endif
