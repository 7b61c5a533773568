/* came.h - what a library gave beside what is right, element by element.
 *
 * "came" of a finding's evidence has a list of {"name", "type", "first", "values", "more"}: some elements of an output,
 * around the worst one, the first of them with its number.  What is right is in the store, whole. */
#ifndef REPORT_CAME_H
#define REPORT_CAME_H

#include <jansson.h>

#include "base/buf.h"
#include "tensor/tensor.h"

#define CAME_PICKED 24 /* elements that came_pick() picks at most */

/* The entry of that name; NULL: there is none. */
const json_t *came_find(const json_t *came, const char *name);

/* Appends an element as text: enough digits for float32, whole numbers in full, strings cut short.  The text of a
 * string is anybody's: it is not escaped. */
void came_put(struct buf *out, const json_t *element);
void came_put_right(struct buf *out, const struct tensor *wide, size_t i);

/* Of the elements that the evidence has the `most` that are furthest from what is right, by their numbers, in order:
 * how many.  0 where nothing differs, or the types and shapes do. */
size_t came_pick(const json_t *came, const struct tensor *wide, size_t most, size_t picked[CAME_PICKED]);

/* "element 39: got 0.5, expected 0" */
void came_put_pair(struct buf *out, const json_t *came, const struct tensor *wide, size_t i);

#endif
