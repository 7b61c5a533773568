/* eval.h - computes an expression by the library's own operations, one call after the other. */
#ifndef METHODS_EQUIV_EVAL_H
#define METHODS_EQUIV_EVAL_H

#include "calls/caller.h"
#include "methods/equiv/draw.h"

/* As caller_invoke(); tests put a library of their own here. */
typedef enum worker_result eval_invoke_fn(void *library, const struct backend_call *c, struct backend_answer *out,
					  struct worker_report *report);

eval_invoke_fn eval_invoke_worker; /* library: struct caller * */

struct eval {
	eval_invoke_fn *invoke;
	void *library;
	struct worker_report report; /* of the last call */
	size_t calls, refused;       /* counted over all */
	int derive;                  /* calls are made with gradients; those of the last are kept here … */
	uint32_t heads;              /* … of these heads */
	struct tensor **grads;
	size_t n_grads;
};

/* *out: a new reference, NULL when the library did not answer (v->report says how).  Negative: the row itself is
 * wrong (ERR_INPUT), or assay failed. */
int eval_expr(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out, struct err *e);

void eval_forget_gradients(struct eval *v);
void eval_set_patience(struct eval *v, double times); /* see worker_set_patience() */

#endif
