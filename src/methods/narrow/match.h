/* match.h - which tensor of a narrow model stands for which of the model that it was made of.
 *
 * Converters and quantizers rename, insert and fuse nodes.  What they leave is the names of tensors, mostly with
 * something behind them, and the values. */
#ifndef METHODS_NARROW_MATCH_H
#define METHODS_NARROW_MATCH_H

#include "methods/narrow/narrow.h"

/* A model that was run once: its values by wire id, borrowed. */
struct match_side {
	const struct graph *g;
	struct value *const *values;
};

/* What makes numbers of the integers on a wire: x = (q - zero) * scale. */
struct match_steps {
	double scale, zero;
};

/* Found at the nodes that read the wire or make it, by the names of their ports; true when it is known. */
int match_find_steps(const struct match_side *s, const struct wire *w, struct match_steps *out);

/* The value of a wire as floats: itself, or dequantized; *out NULL: it has none. */
int match_floats(const struct match_side *s, const struct wire *w, struct value **out, struct err *e);
/* The other way: an exact value as what stands on wire w. */
int match_stored(const struct match_side *s, const struct wire *w, const struct value *exact, struct value **out,
		 struct err *e);

/* Fills other, match and correlation of the pairs, whose wires are set. */
int match_pairs(const struct match_side *original, const struct match_side *narrow, struct narrow_pair *pairs, size_t n,
		struct err *e);

#endif
