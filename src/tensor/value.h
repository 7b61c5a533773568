/* value.h - what flows along the edges of a graph: a tensor, a sequence, an optional or a map. */
#ifndef TENSOR_VALUE_H
#define TENSOR_VALUE_H

#include "tensor/tensor.h"

enum value_kind {
	VALUE_NONE, /* nothing known yet (types); an absent optional input */
	VALUE_TENSOR,
	VALUE_SEQUENCE,
	VALUE_OPTIONAL, /* items holds one element, or none when empty */
	VALUE_MAP       /* items holds two: a sequence-free pair of 1-D tensors, keys and values */
};

struct value {
	enum value_kind kind;
	atomic_int refs;
	enum dtype dtype;      /* element type, also of an empty sequence (DT_UNDEFINED when not known) */
	struct tensor *tensor; /* VALUE_TENSOR */
	struct value **items;  /* others */
	size_t n;
};

/* Constructors take over the reference to what they are given, also when they fail (NULL, e says why). */
struct value *value_tensor(struct tensor *take, struct err *e);
struct value *value_sequence(enum dtype t, struct value **items, size_t n, struct err *e); /* copies the array */
struct value *value_optional(struct value *take_or_null, struct err *e);

/* The same value with every tensor in it replaced by what `fn` gives (tensor_widen, tensor_pack); maps stay as they
 * are. A new reference: v itself where nothing changes. */
struct value *value_convert(struct value *v, struct tensor *(*fn)(struct tensor *t, struct err *e), struct err *e);

struct value *value_ref(struct value *v);
void value_unref(struct value *v); /* NULL is fine */

/* How many elements it has, those of its items together. */
size_t value_elements(const struct value *v);

/* False for a tensor of floats with a NaN or an infinity; true for all else, NULL too. */
int value_is_finite(const struct value *v);

#endif
