/* json.h - text from outside as JSON. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

/* A JSON string.  JSON is UTF-8 and paths are any bytes: a byte that is no part of a character becomes U+FFFD, so that
 * no result is left out for its name.  NULL: out of memory. */
json_t *json_text(const char *s);

/* A number; JSON lacks some, which are the strings "nan", "inf" and "-inf". */
json_t *json_number(double x);

#endif
