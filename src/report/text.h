/* text.h - text from models, libraries and users on its way into a page or an XML file.
 *
 * Everything that did not come out of this folder's own string literals goes through text_put(): names in a model may
 * hold markup, quotes, control characters or bytes that are no UTF-8 at all. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <jansson.h>

#include "base/buf.h"

/* Appends s escaped for element content and for quoted attribute values, of HTML and of XML 1.0 alike.  What XML has no
 * place for (control characters, bytes that are no UTF-8, noncharacters) and what turns the direction of the text
 * around it becomes U+FFFD; tabs and line ends stay. */
void text_put(struct buf *b, const char *s);
/* The same, and an ellipsis in the place of what is beyond the first max characters. */
void text_put_short(struct buf *b, const char *s, size_t max);

/* ' name="value"', for XML. */
void text_attribute(struct buf *b, const char *name, const char *value);

/* A JSON string with the same characters replaced, without escaping.  NULL: out of memory. */
json_t *text_json(const char *s);

/* A JSON file of at most `most` bytes, for json_decref(). */
int text_load_json(const char *path, size_t most, json_t **out, struct err *e);

/* How many characters text_put_short() writes, at most max: what a box must have room for. */
size_t text_width(const char *s, size_t max);

/* For a terminal: appends s with U+FFFD in the place of control characters and of what is no UTF-8, at most `max`
 * characters: a longer text ends in an ellipsis. */
void text_plain(struct buf *b, const char *s, size_t max);
size_t text_columns(const char *s); /* in characters */

/* "12.3", "4.1e+05", "inf", "nan": a number for people, three digits. */
const char *text_number(double x, char out[32]);

/* The same of a ratio, with a comma behind its thousands: "12,345". */
const char *text_ratio(double x, char *out, size_t size);

/* "2026-03-01 12:04 UTC" for seconds since 1970; "" when there are none. */
const char *text_time(double seconds, char out[32]);

/* "41 min": a length of time. */
const char *text_duration(double seconds, char out[32]);

#endif
