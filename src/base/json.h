/* json.h - text and numbers as JSON, and JSON as text. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/buf.h"

/* A JSON string.  JSON is UTF-8 and paths are any bytes: a byte that is no part of a character becomes U+FFFD, so that
 * no result is left out for its name.  NULL: out of memory. */
json_t *json_text(const char *s);

/* A number; JSON lacks some, which are the strings "nan", "inf" and "-inf". */
json_t *json_number(double x);
json_t *json_number_or_null(double x); /* null for NaN: not measured, or of nothing */

/* Bytes as a string of hexadecimal digits, and such a string as bytes again: *out must be initialised, what is no digit
 * ends it. */
json_t *json_hex(const void *bytes, size_t n);
int json_unhex(const json_t *text, struct buf *out, struct err *e);

/* What assay writes as JSON: docs/schema has it.  The number is one more when a member goes or means something else. */
#define JSON_SCHEMA "assay/1"

/* A document for programs: "schema" is its first member, or that of each object in a list. */
json_t *json_document(json_t *take);

/* A string of an object by its key; "" when there is none. */
const char *json_text_at(const json_t *object, const char *key);

/* Appends JSON as text: the only way from one to the other, so that no text of jansson's has to be freed.  `flags` are
 * jansson's.  j NULL counts as out of memory; a failure sticks to the buffer, as every write. */
int json_write(struct buf *out, const json_t *j, size_t flags);
/* The same as a file of at most `most` bytes, with a line end behind it; never half a file. */
int json_save(const json_t *j, size_t flags, size_t most, const char *path, struct err *e);

#endif
