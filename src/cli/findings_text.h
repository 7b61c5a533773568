/* findings_text.h - parts of the text of `assay findings show`. */
#ifndef CLI_FINDINGS_TEXT_H
#define CLI_FINDINGS_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "base/buf.h"

/* The evidence of a finding; an empty object when it is none.  NULL: out of memory. */
json_t *findings_parse_evidence(const char *text);

/* What each blamer said, a line or two each. */
void findings_say_evidence(FILE *out, const json_t *evidence, size_t columns);

/* The library's own switch that decides; "" when it is not known. */
const char *findings_guilty(const json_t *evidence);

#endif
