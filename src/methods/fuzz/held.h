/* held.h - special values in what a case is given: what `--special` is judged on, and not only asked for.
 *
 * Inputs and constants count, not what a node makes of them: a case with a NaN in it was given one. */
#ifndef METHODS_FUZZ_HELD_H
#define METHODS_FUZZ_HELD_H

#include "base/buf.h"
#include "base/json.h"
#include "model/model.h"

/* name, words */
#define HELD_MAP(X)                       \
	X(nan, "NaN")                     \
	X(infinity, "an infinity")        \
	X(zero_divisor, "a divisor of 0") \
	X(integer_end, "an end of an integer type")

enum held_bit {
#define X(name, words) HELD_BIT_##name,
	HELD_MAP(X)
#undef X
};

/* Cases that a backend was judged on, by what they held. */
struct held {
#define X(name, words) int64_t name;
	HELD_MAP(X)
#undef X
};

/* What a case holds, a bit each.  `inputs` by graph->inputs, as a trial has them. */
unsigned held_in(const struct graph *g, struct value *const *inputs);

void held_note(struct held *h, unsigned bits);
/* "12 cases with NaN, 3 with an infinity, …" */
void held_text(const struct held *h, struct buf *out);
json_t *held_json(const struct held *h);
void held_add_json(struct held *h, const json_t *from); /* NULL adds nothing */

#endif
