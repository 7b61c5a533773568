/* usage.h - how often real models use an operation: the index.json that `assay extract` wrote, to rank findings by. */
#ifndef REPORT_USAGE_H
#define REPORT_USAGE_H

#include <stddef.h>

#include "base/err.h"

struct usage;

struct usage_count {
	size_t nodes;  /* that are this operation, over all models */
	size_t models; /* that have one */
};

/* ERR_INPUT names the file when it is no such index. */
int usage_load(const char *path, struct usage **out, struct err *e);
void usage_free(struct usage *u); /* NULL is fine */

/* An operator ("Conv", "com.microsoft:Gelu") whose first input has an element type ("f32"; "" for any). */
struct usage_count usage_of(const struct usage *u, const char *op, const char *type);

/* What the signature of a finding names (triage/signature.c): its operator and the type of its first input.  Of several
 * operators the least used one counts, since the defect needs them all. */
struct usage_count usage_of_signature(const struct usage *u, const char *signature);

#endif
