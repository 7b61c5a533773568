/* regex_program.h - the program between regex.c, which compiles it, and regex_match.c, which runs it. */
#ifndef OPS_REGEX_PROGRAM_H
#define OPS_REGEX_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

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
