/* planted.h - is the node there that a fault is planted in? */
#ifndef CASE_PLANTED_H
#define CASE_PLANTED_H

#include "model/model.h"
#include "worker/parent/worker.h"

/* A fault that is planted in one node, fault:NAME@NODE, needs that node: without it nothing would be wrong, and what
 * finds nothing would look blind.  Nowhere is said on purpose: the backend then has its precision alone.  Reduction
 * does not ask: it takes nodes away, this one too.
 * In training a parameter names the node of its update.  path: of the model, for the message. */
int planted_check(const struct worker_spec *specs, size_t n, const char *path, const struct model *m, struct err *e);

#endif
