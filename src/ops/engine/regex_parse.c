/* regex_parse.c - the syntax of regular expressions, see regex.h: text to tree, by recursive descent. */
#include "ops/engine/regex.h"

#include <string.h>

#include "base/utf8.h"
#include "ops/engine/regex_program.h"

#define MAX_DEPTH 200   /* of groups */
#define MAX_REPEAT 1000 /* RE2's own limit */

enum { FLAG_CASE = 1, FLAG_LINES = 2, FLAG_DOT_ALL = 4 };

struct regex_parser {
	struct arena *arena;
	const char *at, *end;
	struct err *err;
	int flags, depth;
};

/* ---- errors and memory ------------------------------------------------------------------------------------------- */

static void *fail(struct regex_parser *p, int code, const char *what)
{
	return regex_fail(p->err, code, what);
}

static struct re_node *new_node(struct regex_parser *p, enum re_kind kind)
{
	struct re_node *n = arena_zalloc(p->arena, sizeof *n);

	if (!n)
		return fail(p, ERR_MEMORY, "out of memory");
	n->kind = kind;
	return n;
}

static void add_child(struct re_node *parent, struct re_node *child)
{
	child->prev = parent->last;
	parent->last = child;
}

/* ---- sets of characters ------------------------------------------------------------------------------------------ */

static int add_range(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high)
{
	struct re_range *r = arena_alloc(p->arena, sizeof *r);

	if (!r) {
		fail(p, ERR_MEMORY, "out of memory");
		return -1;
	}
	*r = (struct re_range){low, high, s->ranges};
	s->ranges = r;
	return 0;
}

/* The part of [low, high] between two letters, moved by `shift`: the other case. */
static int add_moved(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high, int32_t first, int32_t last,
		     int32_t shift)
{
	if (low < first)
		low = first;
	if (high > last)
		high = last;
	return low <= high ? add_range(p, s, low + shift, high + shift) : 0;
}

static int add_folded(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high)
{
	if (add_range(p, s, low, high))
		return -1;
	if (!(p->flags & FLAG_CASE))
		return 0;
	if (high > 127) {
		fail(p, ERR_UNSUPPORTED, "case folding is known for ASCII only");
		return -1;
	}
	return add_moved(p, s, low, high, 'a', 'z', 'A' - 'a') || add_moved(p, s, low, high, 'A', 'Z', 'a' - 'A') ? -1
														  : 0;
}

/* name, ranges as pairs of characters */
static const struct named_set {
	const char *name, *pairs;
} named_sets[] = {
	{"d", "09"},           {"s", "\t\n\f\r  "},   {"w", "09AZaz__"},   {"alnum", "09AZaz"},
	{"alpha", "AZaz"},     {"ascii", "\001\177"}, {"blank", "\t\t  "}, {"cntrl", "\001\037\177\177"},
	{"digit", "09"},       {"graph", "!~"},       {"lower", "az"},     {"print", " ~"},
	{"punct", "!/:@[`{~"}, {"space", "\t\r  "},   {"upper", "AZ"},     {"word", "09AZaz__"},
	{"xdigit", "09AFaf"},
};

/* Adds the set with this name, or all characters outside of it. */
static int add_named(struct regex_parser *p, struct re_set *s, const char *name, size_t n, int negate)
{
	const char *pairs = NULL;
	int32_t next = 0;

	for (size_t i = 0; i < sizeof named_sets / sizeof *named_sets; i++)
		if (strlen(named_sets[i].name) == n && !memcmp(named_sets[i].name, name, n))
			pairs = named_sets[i].pairs;
	if (!pairs) {
		fail(p, ERR_INPUT, "unknown class of characters");
		return -1;
	}
	for (; *pairs; pairs += 2) { /* pairs ascend; 1 stands for 0, which ends a string */
		int32_t low = pairs[0] == '\001' ? 0 : pairs[0];

		if (!negate && add_range(p, s, low, pairs[1]))
			return -1;
		if (negate && next < low && add_range(p, s, next, low - 1))
			return -1;
		next = pairs[1] + 1;
	}
	return negate ? add_range(p, s, next, 0x10ffff) : 0;
}

static struct re_node *set_node(struct regex_parser *p)
{
	struct re_node *n = new_node(p, RE_NODE_SET);

	if (n && !(n->set = arena_zalloc(p->arena, sizeof *n->set)))
		return fail(p, ERR_MEMORY, "out of memory");
	return n;
}

/* ---- characters and escapes -------------------------------------------------------------------------------------- */

static int peek(const struct regex_parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

static int take(struct regex_parser *p, char c)
{
	int yes = peek(p, c);

	p->at += yes;
	return yes;
}

static int take_character(struct regex_parser *p, int32_t *c)
{
	if (p->at == p->end) {
		fail(p, ERR_INPUT, "it ends too early");
		return -1;
	}
	p->at += utf8_decode(p->at, (size_t)(p->end - p->at), c);
	if (*c == UTF8_INVALID) {
		fail(p, ERR_INPUT, "it is no UTF-8");
		return -1;
	}
	return 0;
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* \x41 or \x{1F600}, after the x. */
static int take_hex(struct regex_parser *p, int32_t *c)
{
	int braces = take(p, '{'), digits = 0;

	*c = 0;
	while (p->at < p->end && hex_value(*p->at) >= 0 && digits < (braces ? 6 : 2)) {
		*c = *c * 16 + hex_value(*p->at++);
		digits++;
	}
	if ((braces ? !digits || !take(p, '}') : digits != 2) || *c > 0x10ffff) {
		fail(p, ERR_INPUT, "bad escape \\x");
		return -1;
	}
	return 0;
}

/* An escape that stands for one character; the backslash and the letter e are taken already. */
static int escaped_character(struct regex_parser *p, int32_t e, int32_t *c)
{
	static const char letters[] = "afnrtv", values[] = "\a\f\n\r\t\v";
	const char *found = e > 0 && e < 128 ? strchr(letters, (int)e) : NULL;

	if (e == 'x')
		return take_hex(p, c);
	if (found) {
		*c = values[found - letters];
		return 0;
	}
	if (e == '0') { /* octal, up to three digits */
		*c = 0;
		for (int i = 0; i < 2 && p->at < p->end && *p->at >= '0' && *p->at <= '7'; i++)
			*c = *c * 8 + (*p->at++ - '0');
		return 0;
	}
	if (e > 0 && e < 128 && strchr("pPCQE", (int)e)) {
		fail(p, ERR_UNSUPPORTED, "\\p, \\P, \\C and \\Q are not supported");
		return -1;
	}
	if (e >= 128 || (e >= '0' && e <= '9') || (e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z')) {
		fail(p, ERR_INPUT, "unknown escape");
		return -1;
	}
	*c = e;
	return 0;
}

enum class_result { CLASS_FAILED = -1, CLASS_NONE, CLASS_ADDED };

/* \d \s \w and their negations; CLASS_NONE: e is another escape. */
static enum class_result escaped_set(struct regex_parser *p, int32_t e, struct re_set *s)
{
	char lower = (char)(e | 0x20);

	if (e <= 0 || e > 127 || !strchr("dswDSW", (int)e))
		return CLASS_NONE;
	return add_named(p, s, &lower, 1, e != lower) ? CLASS_FAILED : CLASS_ADDED;
}

/* ---- [classes] --------------------------------------------------------------------------------------------------- */

/* [:name:] or [:^name:] after its '['; CLASS_NONE: something else. */
static enum class_result posix_class(struct regex_parser *p, struct re_set *s)
{
	const char *name = p->at + 1, *close;
	int negate;

	if (!peek(p, ':'))
		return CLASS_NONE;
	close = memchr(name, ':', (size_t)(p->end - name));
	if (!close || close + 1 >= p->end || close[1] != ']')
		return CLASS_NONE;
	negate = *name == '^';
	p->at = close + 2;
	return add_named(p, s, name + negate, (size_t)(close - name) - (size_t)negate, negate) ? CLASS_FAILED
											       : CLASS_ADDED;
}

/* One end of a range; *is_set when it was a whole class instead. */
static int class_item(struct regex_parser *p, struct re_set *s, int32_t *c, int *is_set)
{
	enum class_result result;

	*is_set = 0;
	if (take(p, '[')) {
		result = posix_class(p, s);
		*is_set = result == CLASS_ADDED;
		*c = '[';
		return result == CLASS_FAILED ? -1 : 0;
	}
	if (!take(p, '\\'))
		return take_character(p, c);
	if (take_character(p, c))
		return -1;
	result = escaped_set(p, *c, s);
	*is_set = result == CLASS_ADDED;
	if (result == CLASS_NONE)
		return escaped_character(p, *c, c);
	return result == CLASS_FAILED ? -1 : 0;
}

/* After the '['. */
static struct re_node *parse_class(struct regex_parser *p)
{
	struct re_node *n = set_node(p);
	int32_t low, high;
	int is_set, first = 1;

	if (!n)
		return NULL;
	n->set->negate = take(p, '^');
	for (; first || !peek(p, ']'); first = 0) {
		if (class_item(p, n->set, &low, &is_set))
			return NULL;
		if (is_set)
			continue;
		high = low;
		if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
			p->at++;
			if (class_item(p, n->set, &high, &is_set))
				return NULL;
			if (is_set || high < low)
				return fail(p, ERR_INPUT, "bad range in a class");
		}
		if (add_folded(p, n->set, low, high))
			return NULL;
	}
	p->at++;
	return n;
}

/* ---- atoms ------------------------------------------------------------------------------------------------------- */

static struct re_node *parse_alternatives(struct regex_parser *p);

static struct re_node *assert_node(struct regex_parser *p, enum re_assert a)
{
	struct re_node *n = new_node(p, RE_NODE_ASSERT);

	if (n)
		n->assertion = a;
	return n;
}

static struct re_node *literal(struct regex_parser *p, int32_t c)
{
	struct re_node *n = set_node(p);

	return n && !add_folded(p, n->set, c, c) ? n : NULL;
}

static struct re_node *parse_escape(struct regex_parser *p)
{
	static const char letters[] = "AzbB";
	static const enum re_assert asserts[] = {RE_TEXT_BEGIN, RE_TEXT_END, RE_WORD_EDGE, RE_NO_WORD_EDGE};
	struct re_node *n;
	const char *found;
	enum class_result result;
	int32_t c;

	if (take_character(p, &c))
		return NULL;
	found = c > 0 && c < 128 ? strchr(letters, (int)c) : NULL;
	if (found)
		return assert_node(p, asserts[found - letters]);
	n = set_node(p);
	result = n ? escaped_set(p, c, n->set) : CLASS_FAILED;
	if (result != CLASS_NONE)
		return result == CLASS_ADDED ? n : NULL;
	return escaped_character(p, c, &c) ? NULL : literal(p, c);
}

/* (?flags) and (?flags:, after the '?'.  *group: a group follows. */
static int parse_flags(struct regex_parser *p, int *group)
{
	int on = 1;

	for (; p->at < p->end; p->at++) {
		int flag = *p->at == 'i' ? FLAG_CASE : *p->at == 'm' ? FLAG_LINES : *p->at == 's' ? FLAG_DOT_ALL : 0;

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
	fail(p, ERR_INPUT, "unknown kind of group");
	return -1;
}

/* After the '('. */
static struct re_node *parse_group(struct regex_parser *p)
{
	int flags = p->flags, group = 1;
	struct re_node *n;

	if (take(p, '?')) {
		int named = take(p, 'P');

		if (take(p, '<')) {
			const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));

			if (!close || close == p->at)
				return fail(p, ERR_INPUT, "a group's name does not end");
			p->at = close + 1;
		} else if (named) {
			return fail(p, ERR_INPUT, "unknown kind of group");
		} else if (parse_flags(p, &group)) {
			return NULL;
		}
	}
	if (!group) /* (?i): flags for the rest of the enclosing group */
		return new_node(p, RE_NODE_CAT);
	if (++p->depth > MAX_DEPTH)
		return fail(p, ERR_LIMIT, "groups are nested too deeply");
	n = parse_alternatives(p);
	p->depth--;
	p->flags = flags;
	if (n && !take(p, ')'))
		return fail(p, ERR_INPUT, "a group is not closed");
	return n;
}

static struct re_node *parse_atom(struct regex_parser *p)
{
	struct re_node *n;
	int32_t c;

	if (take_character(p, &c))
		return NULL;
	switch (c) {
	case '(':
		return parse_group(p);
	case '[':
		return parse_class(p);
	case '\\':
		return parse_escape(p);
	case '^':
		return assert_node(p, p->flags & FLAG_LINES ? RE_LINE_BEGIN : RE_TEXT_BEGIN);
	case '$':
		return assert_node(p, p->flags & FLAG_LINES ? RE_LINE_END : RE_TEXT_END);
	case '.':
		n = set_node(p);
		if (n && !(p->flags & FLAG_DOT_ALL) && add_range(p, n->set, '\n', '\n'))
			return NULL;
		if (n)
			n->set->negate = 1;
		return n;
	case '*':
	case '+':
	case '?':
		return fail(p, ERR_INPUT, "nothing to repeat");
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

	if (take(p, '{') && take_number(p, least)) {
		*most = *least;
		if (take(p, ',') && !take_number(p, most))
			*most = -1;
		if (take(p, '}'))
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
	if (take(p, '*'))
		return 1;
	*least = 1;
	if (take(p, '+'))
		return 1;
	*least = 0;
	*most = 1;
	return take(p, '?') || take_braces(p, least, most);
}

static struct re_node *parse_repeated(struct regex_parser *p)
{
	struct re_node *atom = parse_atom(p), *n;
	int least, most;

	if (!atom || !take_repeat(p, &least, &most))
		return atom;
	if (least > MAX_REPEAT || most > MAX_REPEAT || (most >= 0 && most < least))
		return fail(p, ERR_INPUT, "bad number of repetitions");
	take(p, '?'); /* lazy: the same matches as a whole */
	n = new_node(p, RE_NODE_REPEAT);
	if (!n)
		return NULL;
	n->least = least;
	n->most = most;
	add_child(n, atom);
	if (take_repeat(p, &least, &most))
		return fail(p, ERR_INPUT, "two repetitions in a row");
	return n;
}

static struct re_node *parse_alternatives(struct regex_parser *p)
{
	struct re_node *all = new_node(p, RE_NODE_ALT), *cat, *item;

	do {
		cat = all ? new_node(p, RE_NODE_CAT) : NULL;
		if (!cat)
			return NULL;
		add_child(all, cat);
		while (p->at < p->end && !peek(p, '|') && !peek(p, ')')) {
			item = parse_repeated(p);
			if (!item)
				return NULL;
			add_child(cat, item);
		}
	} while (take(p, '|'));
	return all;
}

struct re_node *regex_parse(struct arena *a, const char *pattern, size_t n, struct err *e)
{
	struct regex_parser p = {.arena = a, .at = pattern, .end = pattern + n, .err = e};
	struct re_node *tree = parse_alternatives(&p);

	if (tree && p.at < p.end)
		return fail(&p, ERR_INPUT, "a ')' closes no group");
	return tree;
}
