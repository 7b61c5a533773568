/* valid.h - whether an expression over ONNX's operators is one that ONNX allows: the reference says so. */
#ifndef METHODS_EQUIV_VALID_H
#define METHODS_EQUIV_VALID_H

#include "methods/equiv/eval.h"

/* *valid 0: the reference refuses one of the calls, an index out of bounds, say, and why[] has its words.  What it does
 * not have, or cannot run, is held to be valid. */
int valid_ask(const struct expr *x, const struct bindings *b, int *valid, char *why, size_t size, struct err *e);

#endif
