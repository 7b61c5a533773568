/* regex_program.h - what the three parts of a regular expression hand on: regex_parse.c makes a tree, regex.c a program
 * of it, and regex_match.c runs the program. */
#ifndef OPS_ENGINE_REGEX_PROGRAM_H
#define OPS_ENGINE_REGEX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum re_op { RE_SET, RE_SPLIT, RE_ASSERT, RE_MATCH };

enum re_assert { RE_TEXT_BEGIN, RE_TEXT_END, RE_LINE_BEGIN, RE_LINE_END, RE_WORD_EDGE, RE_NO_WORD_EDGE };

struct re_range {
	int32_t low, high;
	struct re_range *next;
};

struct re_set {
	struct re_range *ranges;
	int negate;
};

enum re_kind { RE_NODE_SET, RE_NODE_ASSERT, RE_NODE_CAT, RE_NODE_ALT, RE_NODE_REPEAT };

struct re_node {
	enum re_kind kind;
	struct re_node *last; /* children, linked backwards by prev: programs are emitted from the end */
	struct re_node *prev;
	struct re_set *set;
	enum re_assert assertion;
	int least, most; /* RE_NODE_REPEAT; most -1: no limit */
};

/* The tree of a pattern, in the arena; NULL on failure. */
struct re_node *regex_parse(struct arena *a, const char *pattern, size_t n, struct err *e);

/* Sets "bad regular expression: what"; returns NULL. */
void *regex_fail(struct err *e, int code, const char *what);

struct re_inst {
	enum re_op op;
	int x, y; /* where to go on; y: the other way of RE_SPLIT */
	const struct re_set *set;
	enum re_assert assertion;
};

struct regex {
	struct re_inst *insts;
	int n, start;

	/* while matching: the states before and after a character, which of them are in the list, and work left */
	int *lists[2];
	size_t *marks; /* by instruction: number of the step that reached it last, from 1 */
	int *stack;
	size_t step;
};

#endif
