/* regex_class.c - characters, escapes and sets of characters in regular expressions, up to a whole [class]. */
#include "ops/engine/regex_parser.h"

#include <string.h>

#include "base/utf8.h"

void *regex_error(struct regex_parser *p, int code, const char *what)
{
	return regex_fail(p->err, code, what);
}

struct re_node *regex_node(struct regex_parser *p, enum re_kind kind)
{
	struct re_node *n = arena_zalloc(p->arena, sizeof *n);

	if (!n)
		return regex_error(p, ERR_MEMORY, "out of memory");
	n->kind = kind;
	return n;
}

/* ---- sets of characters ------------------------------------------------------------------------------------------ */

int regex_add_range(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high)
{
	struct re_range *r = arena_alloc(p->arena, sizeof *r);

	if (!r) {
		regex_error(p, ERR_MEMORY, "out of memory");
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
	return low <= high ? regex_add_range(p, s, low + shift, high + shift) : 0;
}

int regex_add_folded(struct regex_parser *p, struct re_set *s, int32_t low, int32_t high)
{
	if (regex_add_range(p, s, low, high))
		return -1;
	if (!(p->flags & REGEX_CASE))
		return 0;
	if (high > 127) {
		regex_error(p, ERR_UNSUPPORTED, "case folding is known for ASCII only");
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
		regex_error(p, ERR_INPUT, "unknown class of characters");
		return -1;
	}
	for (; *pairs; pairs += 2) { /* pairs ascend; 1 stands for 0, which ends a string */
		int32_t low = pairs[0] == '\001' ? 0 : pairs[0];

		if (!negate && regex_add_range(p, s, low, pairs[1]))
			return -1;
		if (negate && next < low && regex_add_range(p, s, next, low - 1))
			return -1;
		next = pairs[1] + 1;
	}
	return negate ? regex_add_range(p, s, next, 0x10ffff) : 0;
}

struct re_node *regex_set_node(struct regex_parser *p)
{
	struct re_node *n = regex_node(p, RE_NODE_SET);

	if (n && !(n->set = arena_zalloc(p->arena, sizeof *n->set)))
		return regex_error(p, ERR_MEMORY, "out of memory");
	return n;
}

/* ---- characters and escapes -------------------------------------------------------------------------------------- */

int regex_peek(const struct regex_parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

int regex_take(struct regex_parser *p, char c)
{
	int yes = regex_peek(p, c);

	p->at += yes;
	return yes;
}

int regex_take_character(struct regex_parser *p, int32_t *c)
{
	if (p->at == p->end) {
		regex_error(p, ERR_INPUT, "it ends too early");
		return -1;
	}
	p->at += utf8_decode(p->at, (size_t)(p->end - p->at), c);
	if (*c == UTF8_INVALID) {
		regex_error(p, ERR_INPUT, "it is not UTF-8");
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
	int braces = regex_take(p, '{'), digits = 0;

	*c = 0;
	while (p->at < p->end && hex_value(*p->at) >= 0 && digits < (braces ? 6 : 2)) {
		*c = *c * 16 + hex_value(*p->at++);
		digits++;
	}
	if ((braces ? !digits || !regex_take(p, '}') : digits != 2) || *c > 0x10ffff) {
		regex_error(p, ERR_INPUT, "bad escape \\x");
		return -1;
	}
	return 0;
}

/* An escape that stands for one character; the backslash and the letter e are taken already. */
int regex_escaped_character(struct regex_parser *p, int32_t e, int32_t *c)
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
		regex_error(p, ERR_UNSUPPORTED, "\\p, \\P, \\C and \\Q are not supported");
		return -1;
	}
	if (e >= 128 || (e >= '0' && e <= '9') || (e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z')) {
		regex_error(p, ERR_INPUT, "unknown escape");
		return -1;
	}
	*c = e;
	return 0;
}

/* \d \s \w and their negations; 1: added, 0: e is another escape, -1: failure. */
enum class_result regex_escaped_set(struct regex_parser *p, int32_t e, struct re_set *s)
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

	if (!regex_peek(p, ':'))
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
	if (regex_take(p, '[')) {
		result = posix_class(p, s);
		*is_set = result == CLASS_ADDED;
		*c = '[';
		return result == CLASS_FAILED ? -1 : 0;
	}
	if (!regex_take(p, '\\'))
		return regex_take_character(p, c);
	if (regex_take_character(p, c))
		return -1;
	result = regex_escaped_set(p, *c, s);
	*is_set = result == CLASS_ADDED;
	if (result == CLASS_NONE)
		return regex_escaped_character(p, *c, c);
	return result == CLASS_FAILED ? -1 : 0;
}

/* After the '['. */
struct re_node *regex_class(struct regex_parser *p)
{
	struct re_node *n = regex_set_node(p);
	int32_t low, high;
	int is_set, first = 1;

	if (!n)
		return NULL;
	n->set->negate = regex_take(p, '^');
	for (; first || !regex_peek(p, ']'); first = 0) {
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
				return regex_error(p, ERR_INPUT, "bad range in a class");
		}
		if (regex_add_folded(p, n->set, low, high))
			return NULL;
	}
	p->at++;
	return n;
}
