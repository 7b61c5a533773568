/* equiv_print.h - what assay equiv found, for people and as JSON. */
#ifndef CLI_EQUIV_PRINT_H
#define CLI_EQUIV_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/equiv/equiv.h"

/* Sums over all pairs. */
struct equiv_totals {
	size_t pairs, run, compared, apis, reached, inputs, calls, valid, findings;
	size_t equal, rounding, random, one_sided;
};

struct equiv_totals equiv_totals(const struct equiv *q);
/* "assay equiv -b tf --rule 7 --api Softplus --seed 3": runs the finding again. */
void equiv_repro(const struct equiv *q, size_t pair, const struct equiv_options *o, struct buf *out);

void equiv_print_text(FILE *out, const struct equiv *q, const struct equiv_options *o);
json_t *equiv_print_json(const struct equiv *q, const struct equiv_options *o);
/* The operations, and why no calls are made of some. */
void equiv_print_list(FILE *out, const struct equiv *q);

#endif
