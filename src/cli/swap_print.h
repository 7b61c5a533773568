/* swap_print.h - what assay swap found, for people. */
#ifndef CLI_SWAP_PRINT_H
#define CLI_SWAP_PRINT_H

#include <stdio.h>

#include "methods/swap/report.h"

void swap_print_text(FILE *out, const struct swap_report *r);
void swap_print_untold(FILE *out, const struct swap_untold_report *r);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

void swap_print_kept(FILE *out, const struct kept *k);
void train_print_text(FILE *out, const struct swap_report *r); /* train_print.c */

#endif
