/* search_print.h - what assay search found, for people and programs. */
#ifndef CLI_SEARCH_PRINT_H
#define CLI_SEARCH_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/search/keep.h"

void search_print_model(FILE *out, const struct search_model_report *r);
/* A finding in words, from its JSON. */
void search_print_finding(FILE *out, const json_t *finding);

#endif
