/* regex_parse.c - the syntax of regular expressions, see regex.h: text to tree, by recursive descent. */
#include <string.h>

#include "ops/engine/regex_parser.h"

#define MAX_DEPTH 200   /* of groups */
#define MAX_REPEAT 1000 /* RE2's own limit */

static void add_child(struct re_node *parent, struct re_node *child)
{
	child->prev = parent->last;
	parent->last = child;
}

/* ---- atoms ------------------------------------------------------------------------------------------------------- */

static struct re_node *parse_alternatives(struct regex_parser *p);

static struct re_node *assert_node(struct regex_parser *p, enum re_assert a)
{
	struct re_node *n = regex_node(p, RE_NODE_ASSERT);

	if (n)
		n->assertion = a;
	return n;
}

static struct re_node *literal(struct regex_parser *p, int32_t c)
{
	struct re_node *n = regex_set_node(p);

	return n && !regex_add_folded(p, n->set, c, c) ? n : NULL;
}

static struct re_node *parse_escape(struct regex_parser *p)
{
	static const char letters[] = "AzbB";
	static const enum re_assert asserts[] = {RE_TEXT_BEGIN, RE_TEXT_END, RE_WORD_EDGE, RE_NO_WORD_EDGE};
	struct re_node *n;
	const char *found;
	enum class_result result;
	int32_t c;

	if (regex_take_character(p, &c))
		return NULL;
	found = c > 0 && c < 128 ? strchr(letters, (int)c) : NULL;
	if (found)
		return assert_node(p, asserts[found - letters]);
	n = regex_set_node(p);
	result = n ? regex_escaped_set(p, c, n->set) : CLASS_FAILED;
	if (result != CLASS_NONE)
		return result == CLASS_ADDED ? n : NULL;
	return regex_escaped_character(p, c, &c) ? NULL : literal(p, c);
}

/* (?flags) and (?flags:, after the '?'.  *group: a group follows. */
static int parse_flags(struct regex_parser *p, int *group)
{
	int on = 1;

	for (; p->at < p->end; p->at++) {
		int flag = *p->at == 'i' ? REGEX_CASE : *p->at == 'm' ? REGEX_LINES : *p->at == 's' ? REGEX_DOT_ALL : 0;

		if (*p->at == '-' && on) {
			on = 0;
		} else if (*p->at == ':' || *p->at == ')') {
			*group = *p->at++ == ':';
			return 0;
		} else if (!flag && *p->at != 'U') { /* greed does not change what matches as a whole */
			break;
		}
		p->flags = on ? p->flags | flag : p->flags & ~flag;
	}
	regex_error(p, ERR_INPUT, "unknown kind of group");
	return -1;
}

/* After the '('. */
static struct re_node *parse_group(struct regex_parser *p)
{
	int flags = p->flags, group = 1;
	struct re_node *n;

	if (regex_take(p, '?')) {
		int named = regex_take(p, 'P');

		if (regex_take(p, '<')) {
			const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));

			if (!close || close == p->at)
				return regex_error(p, ERR_INPUT, "a group's name does not end");
			p->at = close + 1;
		} else if (named) {
			return regex_error(p, ERR_INPUT, "unknown kind of group");
		} else if (parse_flags(p, &group)) {
			return NULL;
		}
	}
	if (!group) /* (?i): flags for the rest of the enclosing group */
		return regex_node(p, RE_NODE_CAT);
	if (++p->depth > MAX_DEPTH)
		return regex_error(p, ERR_LIMIT, "groups are nested too deeply");
	n = parse_alternatives(p);
	p->depth--;
	p->flags = flags;
	if (n && !regex_take(p, ')'))
		return regex_error(p, ERR_INPUT, "a group is not closed");
	return n;
}

static struct re_node *parse_atom(struct regex_parser *p)
{
	struct re_node *n;
	int32_t c;

	if (regex_take_character(p, &c))
		return NULL;
	switch (c) {
	case '(':
		return parse_group(p);
	case '[':
		return regex_class(p);
	case '\\':
		return parse_escape(p);
	case '^':
		return assert_node(p, p->flags & REGEX_LINES ? RE_LINE_BEGIN : RE_TEXT_BEGIN);
	case '$':
		return assert_node(p, p->flags & REGEX_LINES ? RE_LINE_END : RE_TEXT_END);
	case '.':
		n = regex_set_node(p);
		if (n && !(p->flags & REGEX_DOT_ALL) && regex_add_range(p, n->set, '\n', '\n'))
			return NULL;
		if (n)
			n->set->negate = 1;
		return n;
	case '*':
	case '+':
	case '?':
		return regex_error(p, ERR_INPUT, "nothing to repeat");
	default:
		return literal(p, c);
	}
}

/* ---- repetition, sequence, alternatives -------------------------------------------------------------------------- */

static int take_number(struct regex_parser *p, int *x)
{
	const char *first = p->at;

	*x = 0;
	while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
		*x = *x * 10 + (*p->at++ - '0');
		if (*x > MAX_REPEAT)
			*x = MAX_REPEAT + 1;
	}
	return p->at > first;
}

/* {n}, {n,} or {n,m}; anything else in braces is literal text. */
static int take_braces(struct regex_parser *p, int *least, int *most)
{
	const char *saved = p->at;

	if (regex_take(p, '{') && take_number(p, least)) {
		*most = *least;
		if (regex_take(p, ',') && !take_number(p, most))
			*most = -1;
		if (regex_take(p, '}'))
			return 1;
	}
	p->at = saved;
	return 0;
}

/* The bounds of the next repetition operator, if there is one. */
static int take_repeat(struct regex_parser *p, int *least, int *most)
{
	*most = -1;
	*least = 0;
	if (regex_take(p, '*'))
		return 1;
	*least = 1;
	if (regex_take(p, '+'))
		return 1;
	*least = 0;
	*most = 1;
	return regex_take(p, '?') || take_braces(p, least, most);
}

static struct re_node *parse_repeated(struct regex_parser *p)
{
	struct re_node *atom = parse_atom(p), *n;
	int least, most;

	if (!atom || !take_repeat(p, &least, &most))
		return atom;
	if (least > MAX_REPEAT || most > MAX_REPEAT || (most >= 0 && most < least))
		return regex_error(p, ERR_INPUT, "bad number of repetitions");
	regex_take(p, '?'); /* lazy: the same matches as a whole */
	n = regex_node(p, RE_NODE_REPEAT);
	if (!n)
		return NULL;
	n->least = least;
	n->most = most;
	add_child(n, atom);
	if (take_repeat(p, &least, &most))
		return regex_error(p, ERR_INPUT, "two repetitions in a row");
	return n;
}

static struct re_node *parse_alternatives(struct regex_parser *p)
{
	struct re_node *all = regex_node(p, RE_NODE_ALT), *cat, *item;

	do {
		cat = all ? regex_node(p, RE_NODE_CAT) : NULL;
		if (!cat)
			return NULL;
		add_child(all, cat);
		while (p->at < p->end && !regex_peek(p, '|') && !regex_peek(p, ')')) {
			item = parse_repeated(p);
			if (!item)
				return NULL;
			add_child(cat, item);
		}
	} while (regex_take(p, '|'));
	return all;
}

struct re_node *regex_parse(struct arena *a, const char *pattern, size_t n, struct err *e)
{
	struct regex_parser p = {.arena = a, .at = pattern, .end = pattern + n, .err = e};
	struct re_node *tree = parse_alternatives(&p);

	if (tree && p.at < p.end)
		return regex_error(&p, ERR_INPUT, "a ')' closes no group");
	return tree;
}
