/* cntk.c - CNTK, from outside. */
#include "libraries/internal.h"

const struct library library_cntk = {
	.name = "cntk",
	.dialect = &dialect_onnx,
	.repro = {.why_not = "the last Python package of CNTK is for Python 3.6, and there is none for any that is "
			     "kept up"},
};
