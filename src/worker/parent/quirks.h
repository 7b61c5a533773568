/* quirks.h - known differences of libraries, from data/quirks.tsv.
 *
 * A row has seven columns, separated by tabs; # begins a comment:
 *
 *     backend  versions  operator  kind  cases  reason  link
 *
 * versions: "*", one version, or a range FROM-TO with either end open ("1.20-", "-1.17.3").  kind: "quirk", a known
 * difference; "bug", a fault of the library; "test", the expected values are at fault; "absent", these versions do not
 * have it yet, and refuse it rightly.  cases: patterns (as of a shell) for names of ONNX backend tests, separated by
 * blanks, or "-".  link may be "-".
 *
 * The operator is a name or "*", any.  After it may stand what a node must look like for the row to be about it:
 * "Cast out0=int4|uint4", names of attributes, in0 … and out0 … (element types), shape_in0 … and shape_out0 … ("2,3,n",
 * "scalar"), opset or processor ("vnni", or "x86-64" without it), each with the values meant, as patterns; "bits=*" is
 * any value, "bits=" none, "opset<22" a number below that, "most_in1>64" a larger number than that among the elements
 * of an input, without their signs.  And what must have come of it alone: verdict ("wrong", "rejected"), off (the
 * largest absolute error), ratio (in what rounding explains), output (the worst one), got and exact (its worst
 * element).
 */
#ifndef WORKER_PARENT_QUIRKS_H
#define WORKER_PARENT_QUIRKS_H

#include "base/buf.h"
#include "base/vec.h"

struct quirk {
	const char *backend, *versions, *op, *kind, *cases, *reason, *link;
	const char *when; /* "out0=int4|uint4"; "": any node of the operator */
};

struct quirks {
	struct quirk *at;
	size_t n, size;
	struct buf text; /* what the rows point into */
};

/* path NULL: data/quirks.tsv, wherever data files lie. */
int quirks_load(const char *path, struct quirks *out, struct err *e);
void quirks_release(struct quirks *q);

/* True when `version` is one of `versions`. */
int quirks_covers(const char *versions, const char *version);

/* The row that explains a test case, or NULL. */
const struct quirk *quirks_for_case(const struct quirks *q, const char *backend, const char *version, const char *name);

#define QUIRK_UNKNOWN "?" /* what a lookup says where nobody knows yet: the condition may hold */

/* Writes what a node has under a name ("mode", "in0"), "" when it has nothing there. */
typedef void quirk_lookup(const char *name, const void *node, char *out, size_t size);

/* The first row of kind "quirk" for a node of an operator ("Cast", "ai.onnx.ml:Scaler"), or NULL: a difference that the
 * specification leaves open, or that the library documents.  Without `lookup` only rows that are about any node. */
const struct quirk *quirks_for_op(const struct quirks *q, const char *backend, const char *version, const char *op,
				  quirk_lookup *lookup, const void *node);

/* The same of kind "absent": what a node has that the version does not know. */
const struct quirk *quirks_absent(const struct quirks *q, const char *backend, const char *version, const char *op,
				  quirk_lookup *lookup, const void *node);

#endif
