/* reduced.h - a case as bytes for the store, and what a reduction adds to a finding. */
#ifndef TRIAGE_REDUCED_H
#define TRIAGE_REDUCED_H

#include "base/json.h"
#include "triage/triage.h"

/* model.onnx, inputs.npz and, unless the reference refuses the model, expected.npz. */
struct case_bytes {
	struct buf model, inputs, expected;
};

int case_bytes_make(struct trial *t, struct case_bytes *out, struct err *e); /* *out is zeroed */
void case_bytes_release(struct case_bytes *b);                               /* zeroed is fine */
struct bytes case_bytes_of(const struct buf *b);                             /* borrowed, never NULL */

/* Makes the smallest case of r the reduced one of f, whose bytes are borrowed from *bytes. */
int reduced_set(struct reduce_result *r, struct case_bytes *bytes, struct finding *f, struct err *e);
/* {"tries", "kept", "dropped", "nodes_before", "nodes_after", "seconds", "backend_seconds", "guilty", "cures"} */
json_t *reduced_json(const struct reduce_result *r);

#endif
