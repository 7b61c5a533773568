/* quirks.h - known differences of libraries, from data/quirks.tsv.
 *
 * A row has seven columns, separated by tabs; # begins a comment:
 *
 *     backend  versions  operator  kind  cases  reason  link
 *
 * versions: "*", one version, or a range FROM-TO with either end open ("1.20-", "-1.17.3").  kind: "quirk", a known
 * difference; "bug", a fault of the library; "test", the expected values are at fault.  cases: patterns (as of a shell)
 * for names of ONNX backend tests, separated by blanks, or "-".  link may be "-". */
#ifndef WORKER_QUIRKS_H
#define WORKER_QUIRKS_H

#include "base/buf.h"
#include "base/vec.h"

struct quirk {
	const char *backend, *versions, *op, *kind, *cases, *reason, *link;
};

struct quirks {
	struct quirk *at;
	size_t n, size;
	struct buf text; /* what the rows point into */
};

int quirks_load(const char *path, struct quirks *out, struct err *e);
void quirks_release(struct quirks *q);

/* True when `version` is one of `versions`. */
int quirks_covers(const char *versions, const char *version);

/* The row that explains a test case, or NULL. */
const struct quirk *quirks_for_case(const struct quirks *q, const char *backend, const char *version, const char *name);

/* The first row of kind "quirk" for an operator ("Cast", "ai.onnx.ml:Scaler"), or NULL: a difference that the
 * specification leaves open, or that the library documents. */
const struct quirk *quirks_for_op(const struct quirks *q, const char *backend, const char *version, const char *op);

#endif
