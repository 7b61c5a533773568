/* traits.h - what is alike in cases that differ in names and sizes: words for the types and attributes of nodes.
 *
 * Signatures are made of these words, and clusters compare sets of them. */
#ifndef TRIAGE_TRAITS_H
#define TRIAGE_TRAITS_H

#include "base/buf.h"
#include "model/model.h"

/* ---- sets of words ----------------------------------------------------------------------------------------------- */

struct words {
	const char **at;
	size_t n, size;
	struct arena arena;
	int failed; /* sticky: out of memory */
};

void words_release(struct words *w); /* zeroed is fine */
void words_add(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_sort(struct words *w);                                             /* and drops what is twice */
int words_within(const struct words *a, const struct words *b);               /* both sorted: a is a subset of b */
int words_has(const struct words *w, const char *word);                       /* sorted */
void words_join(const struct words *w, const char *between, struct buf *out); /* in the order they have now */

/* ---- words for a node -------------------------------------------------------------------------------------------- */

/* "f32.4d": type and rank, "?" for what is not known; a 0 behind it when there is no element at all, a 1 when there is
 * exactly one.  Other sizes are left out.  "seq", "opt" and "map" for other values. */
void traits_type(const struct type *t, struct buf *out);

/* "ceil_mode=1", "pads=mixed", "mode=linear", "to=f16": 0, 1 and -1 as they are, other numbers as n and -n; of a list
 * what all elements are, else "mixed".  Strings as they stand, but without the signs that signatures are cut at. */
void traits_attr(const struct attr *a, struct buf *out);

/* Adds a word for every attribute of n that is not what its operator has by default, `prefix` in front of each. */
int traits_add_attrs(struct words *w, const struct node *n, const char *prefix, struct err *e);

/* "Conv", or "ai.onnx.ml:Scaler". */
const char *traits_op(const struct node *n, char *out, size_t size);

#endif
