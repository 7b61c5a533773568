/* learn.h - which plans of an operation are worth to be drawn again. */
#ifndef METHODS_EQUIV_LEARN_H
#define METHODS_EQUIV_LEARN_H

#include "methods/equiv/equiv.h"

/* The call of this plan was taken, or refused.  looking: plans are looked for (`--learn`), and not used. */
void learn_plan(struct equiv_result *r, uint64_t plan, const struct expr *call, const struct bindings *in, int looking,
		int accepted);

#endif
