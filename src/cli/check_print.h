/* check_print.h - what assay check found, for people. */
#ifndef CLI_CHECK_PRINT_H
#define CLI_CHECK_PRINT_H

#include <stdio.h>

#include "methods/check/report.h"

void check_print_text(FILE *out, const struct check_report *r, int with_map);

#endif
