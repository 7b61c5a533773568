/* zoo_worker.h - a library that computes the steps of a training: the engine of 'assay zoo train -b NAME'. */
#ifndef CASE_ZOO_WORKER_H
#define CASE_ZOO_WORKER_H

#include "judge/trial.h"
#include "zoo/zoo.h"

struct zoo_worker;

/* The library must have gradients, which shows when the training begins. */
int zoo_worker_new(const struct worker_spec *spec, struct zoo_worker **out, struct err *e);
void zoo_worker_free(struct zoo_worker *w); /* NULL is fine */

extern const struct zoo_engine zoo_worker_engine; /* its arg is a struct zoo_worker */

#endif
