/* equiv_print.h - what assay equiv found, for people. */
#ifndef CLI_EQUIV_PRINT_H
#define CLI_EQUIV_PRINT_H

#include <stdio.h>

#include "methods/equiv/equiv.h"

void equiv_print_text(FILE *out, const struct equiv *q, const struct equiv_options *o);
/* The operations, and why no calls are made of some. */
void equiv_print_list(FILE *out, const struct equiv *q);

#endif
