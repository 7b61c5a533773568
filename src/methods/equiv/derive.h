/* derive.h - derivatives of a call along a direction: as the library's gradients give them, and from differences.
 *
 * With y(x) = Σ head · result of a call, x all its float tensors and d a direction with an entry for each of their
 * elements, from a fixed pattern:
 *
 *     derivative(call, n) = Σ d · ∂y/∂x                             by the library
 *     difference(call, n) = (8 (y(x+hd) - y(x-hd)) - (y(x+2hd) - y(x-2hd))) / 12h,     an error of order h⁴
 *
 * Heads are those of number n (backend_head()); without n they are ones, and y is a sum.
 *
 *     weighed(call, n) = what an option set of the library makes of the call by number n: a derivative along a
 * direction, its heads and the direction drawn (workers/python/forms.py)
 *
 * A difference tells nothing where y has a step or a kink: there the slopes before and behind x, or those of h and 2h,
 * are not the same, and there is no answer, as when a library refuses. */
#ifndef METHODS_EQUIV_DERIVE_H
#define METHODS_EQUIV_DERIVE_H

#include "methods/equiv/eval.h"

#define DERIVE_WEIGHED "weighed"

/* As eval_expr() for an expression with one of these names; NULL: it has none. */
typedef int derive_fn(struct eval *v, const struct expr *x, const struct bindings *b, struct value **out,
		      struct err *e);
derive_fn *derive_find(const char *name);

/* The number n of such an expression; 0: it has none. */
uint32_t derive_heads(const struct expr *x, const struct bindings *b);

#endif
