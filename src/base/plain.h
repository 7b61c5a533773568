/* plain.h - text that a terminal does not obey.
 *
 * Names come from models, messages from libraries, rows from stores that somebody sent: anything may be in them.  All
 * that is printed goes through here, so that no printer need think of it: control characters and those that turn the
 * direction of the text around come out as \u001b, bytes that are no UTF-8 as \xff.  Inside the strings of JSON, where
 * alone such characters occur there, that is the same text. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

int plain_is_unsafe(int32_t character); /* of base/utf8.h; line ends and tabs are, too */

/* Appends n bytes with what is unsafe escaped; line ends and tabs stay. */
void plain_put(struct buf *out, const char *s, size_t n);
/* The same of a name, which has no lines: line ends and tabs are escaped as well. */
void plain_name(struct buf *out, const char *s);
/* A name for a line of text: itself where that is safe, else escaped, in `out`, and cut where it does not fit. */
const char *plain_line(const char *name, char *out, size_t size);
/* The same, in room that lives as long as the block around it. */
#define PLAIN_SIZE 256
#define PLAIN(name) plain_line(name, (char[PLAIN_SIZE]){0}, PLAIN_SIZE)

/* "assay: text" and a newline on a stream, as one write; further lines of the text are indented, so that none looks
 * like a message of its own. */
void plain_say(FILE *to, const char *text);

/* Text that becomes a colour when it goes through plain_open(), and is made plain everywhere else.  It has a number in
 * it that is another one in each run, so that nobody can put it into a name. */
enum plain_colour { PLAIN_NONE, PLAIN_RED, PLAIN_GREEN, PLAIN_YELLOW };
const char *plain_mark(enum plain_colour colour);

/* A stream that writes to another one through plain_put(); NULL: no memory.  Closing it leaves the other open. */
FILE *plain_open(FILE *to);

#endif
