/* regex_parser.h - what the parts of the parser share: regex_class.c takes characters and sets of them, regex_parse.c
 * makes a tree of those. */
#ifndef OPS_ENGINE_REGEX_PARSER_H
#define OPS_ENGINE_REGEX_PARSER_H

#include "ops/engine/regex_program.h"

enum { REGEX_CASE = 1, REGEX_LINES = 2, REGEX_DOT_ALL = 4 }; /* flags i, m, s */

struct regex_parser {
	struct arena *arena;
	const char *at, *end;
	struct err *err;
	int flags, depth;
};

void *regex_error(struct regex_parser *p, int code, const char *what); /* returns NULL */
struct re_node *regex_node(struct regex_parser *p, enum re_kind kind);
struct re_node *regex_set_node(struct regex_parser *p); /* an empty set */

/* Adds to a set; with the flag i both cases of each letter.  -1 on failure. */
int regex_add_range(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high);
int regex_add_folded(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high);

int regex_peek(const struct regex_parser *p, char c); /* is it the next byte? */
int regex_take(struct regex_parser *p, char c);       /* the same, and passes it */
int regex_take_character(struct regex_parser *p, int32_t *c);

/* An escape that stands for one character; the backslash and the letter e are taken already. */
int regex_escaped_character(struct regex_parser *p, int32_t e, int32_t *c);
/* \d \s \w and their negations; CLASS_NONE: e is another escape. */
enum class_result { CLASS_FAILED = -1, CLASS_NONE, CLASS_ADDED };
enum class_result regex_escaped_set(struct regex_parser *p, int32_t e, struct re_set *s);

/* After the '['. */
struct re_node *regex_class(struct regex_parser *p);

#endif
