/* findings_text.h - parts of the text of `assay findings show`. */
#ifndef CLI_FINDINGS_TEXT_H
#define CLI_FINDINGS_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* The worst element as the judge saw it: evidence's member `key`; nothing when it is not there. */
void findings_say_numbers(FILE *out, const json_t *evidence, const char *key, size_t columns);

/* Operators that fail only together. */
void findings_say_together(FILE *out, const json_t *ops, size_t columns);

/* What each blamer said, a line or two each. */
void findings_say_evidence(FILE *out, const json_t *evidence, size_t columns);

#endif
