/* regex_match.c - runs a compiled expression: all states at once, each at most once for every character. */
#include "base/utf8.h"
#include "ops/engine/regex.h"
#include "ops/engine/regex_program.h"

/* Where we are in the text: the characters on both sides; UTF8_INVALID also stands for "none". */
struct regex_place {
	int32_t before, after;
	int begin, end;
};

static int is_word(int32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static int holds(enum re_assert a, const struct regex_place *at)
{
	switch (a) {
	case RE_TEXT_BEGIN:
		return at->begin;
	case RE_TEXT_END:
		return at->end;
	case RE_LINE_BEGIN:
		return at->begin || at->before == '\n';
	case RE_LINE_END:
		return at->end || at->after == '\n';
	case RE_WORD_EDGE:
		return is_word(at->before) != is_word(at->after);
	case RE_NO_WORD_EDGE:
		return is_word(at->before) == is_word(at->after);
	}
	return 0;
}

static int set_has(const struct re_set *s, int32_t c)
{
	int in = 0;

	for (const struct re_range *r = s->ranges; r && !in; r = r->next)
		in = c >= r->low && c <= r->high;
	return in != s->negate;
}

/* Adds all states that pc leads to without a character; returns the new length of the list. */
static int add_states(struct regex *r, int *list, int n, int pc, const struct regex_place *at)
{
	int depth = 0;

	r->stack[depth++] = pc;
	while (depth) {
		const struct re_inst *i;

		pc = r->stack[--depth];
		if (r->marks[pc] == r->step)
			continue;
		r->marks[pc] = r->step;
		i = &r->insts[pc];
		if (i->op == RE_SPLIT) { /* each instruction is expanded once: the stack has room for two each */
			r->stack[depth++] = i->y;
			r->stack[depth++] = i->x;
		} else if (i->op == RE_ASSERT) {
			if (holds(i->assertion, at))
				r->stack[depth++] = i->x;
		} else {
			list[n++] = pc;
		}
	}
	return n;
}

int regex_full_match(struct regex *r, const char *text, size_t n)
{
	struct regex_place at = {UTF8_INVALID, UTF8_INVALID, 1, n == 0};
	size_t used = 0, len = n ? utf8_decode(text, n, &at.after) : 0;
	int *now = r->lists[0], *next = r->lists[1], count;

	r->step++;
	count = add_states(r, now, 0, r->start, &at);
	while (used < n && count) {
		int32_t c = at.after;
		int *swap = now, more = 0;

		used += len;
		at = (struct regex_place){c, UTF8_INVALID, 0, used == n};
		len = used < n ? utf8_decode(text + used, n - used, &at.after) : 0;
		r->step++;
		for (int i = 0; i < count; i++) {
			const struct re_inst *inst = &r->insts[now[i]];

			if (inst->op == RE_SET && c != UTF8_INVALID && set_has(inst->set, c))
				more = add_states(r, next, more, inst->x, &at);
		}
		now = next;
		next = swap;
		count = more;
	}
	for (int i = 0; i < count; i++)
		if (r->insts[now[i]].op == RE_MATCH)
			return 1;
	return 0;
}
