/* expr.c - see expr.h: the parser and the two printers. */
#include "model/expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
#define FEW_ITEMS 8 /* that there is room for at first */

struct expr_parser {
	const char *start, *at;
	struct arena *arena;
	struct err *err;
	int depth;
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

struct expr *expr_new(struct arena *a, enum expr_kind kind, const char *name, const char *text)
{
	struct expr *x = arena_zalloc(a, sizeof *x);

	if (!x)
		return NULL;
	x->kind = kind;
	x->name = name;
	x->text = text;
	return x;
}

int expr_push(struct arena *a, struct expr *to, struct expr *item)
{
	if (!item || to->n == EXPR_MAX_ITEMS)
		return ERR_MEMORY;
	if (!to->n || (to->n >= FEW_ITEMS && !(to->n & (to->n - 1)))) { /* full: twice as many */
		struct expr **more = arena_array(a, to->n ? 2 * to->n : FEW_ITEMS, sizeof(struct expr *));

		if (!more)
			return ERR_MEMORY;
		if (to->n)
			memcpy(more, to->items, to->n * sizeof(struct expr *));
		to->items = more;
	}
	to->items[to->n++] = item;
	return 0;
}

/* ---- the parser -------------------------------------------------------------------------------------------------- */

static struct expr *fail(struct expr_parser *p, const char *what)
{
	if (!p->err->code)
		err_set(p->err, ERR_INPUT, "'%s': %s at character %td", p->start, what, p->at - p->start + 1);
	return NULL;
}

static void skip(struct expr_parser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static int accept(struct expr_parser *p, char c)
{
	skip(p);
	if (*p->at != c)
		return 0;
	p->at++;
	return 1;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

static const char *word(struct expr_parser *p)
{
	const char *from = p->at;

	while (is_word(*p->at))
		p->at++;
	return arena_strndup(p->arena, from, (size_t)(p->at - from));
}

static struct expr *parse_sum(struct expr_parser *p);

/* What stands between `(` or `[` and its end. */
static struct expr *parse_items(struct expr_parser *p, struct expr *to, char end)
{
	if (accept(p, end))
		return to;
	do {
		const char *from, *name = "";
		struct expr *item;

		skip(p);
		from = p->at;
		if (end == ')' && (isalpha((unsigned char)*from) || *from == '_')) {
			const char *key = word(p);

			skip(p);
			if (*p->at == '=' && key) {
				p->at++;
				name = key;
			} else {
				p->at = from;
			}
		}
		item = parse_sum(p);
		if (!item)
			return NULL;
		item->name = name;
		if (expr_push(p->arena, to, item))
			return fail(p, "too many items");
	} while (accept(p, ','));
	return accept(p, end) ? to : fail(p, "a bracket is not closed");
}

static struct expr *parse_number(struct expr_parser *p)
{
	char *end_int, *end_float;
	long long i = strtoll(p->at, &end_int, 10);
	double f = strtod(p->at, &end_float);
	struct expr *x = expr_new(p->arena, end_float > end_int ? EXPR_FLOAT : EXPR_INT, "", "");

	if (end_float == p->at || !x)
		return fail(p, "there is no number");
	x->i = i;
	x->f = f;
	p->at = x->kind == EXPR_FLOAT ? end_float : end_int;
	return x;
}

static struct expr *parse_string(struct expr_parser *p)
{
	const char *from = ++p->at;
	struct expr *x = expr_new(p->arena, EXPR_STRING, "", "");

	while (*p->at && *p->at != '"')
		p->at++;
	if (!*p->at || !x)
		return fail(p, "a text is not closed");
	x->text = arena_strndup(p->arena, from, (size_t)(p->at++ - from));
	return x->text ? x : fail(p, "no memory");
}

static struct expr *parse_word(struct expr_parser *p)
{
	const char *text = word(p);
	struct expr *x = expr_new(p->arena, EXPR_VARIABLE, "", text);

	if (!text || !x)
		return fail(p, "no memory");
	if (accept(p, '(')) {
		x->kind = EXPR_CALL;
		if (!parse_items(p, x, ')'))
			return NULL;
		if (accept(p, '#'))
			x->output = strtoul(p->at, (char **)(uintptr_t)&p->at, 10);
	} else if (!strcmp(text, "true") || !strcmp(text, "false")) {
		x->kind = EXPR_BOOL;
		x->i = *text == 't';
	} else if (!strcmp(text, "None")) {
		x->kind = EXPR_NONE;
	} else if (!strcmp(text, "inf") || !strcmp(text, "nan")) { /* as they are printed */
		x->kind = EXPR_FLOAT;
		x->f = strtod(text, NULL);
	}
	return x;
}

static struct expr *parse_dtype(struct expr_parser *p)
{
	const char *text;
	struct expr *x;

	p->at++;
	text = word(p);
	x = text ? expr_new(p->arena, EXPR_DTYPE, "", text) : NULL;
	if (!x)
		return fail(p, "no memory");
	x->i = dtype_from_name(text);
	return x->i ? x : fail(p, "there is no such element type");
}

static struct expr *parse_term(struct expr_parser *p)
{
	struct expr *x;

	skip(p);
	if (*p->at == '"')
		return parse_string(p);
	if (*p->at == '@')
		return parse_dtype(p);
	if (accept(p, '[')) {
		x = expr_new(p->arena, EXPR_LIST, "", "");
		return x ? parse_items(p, x, ']') : fail(p, "no memory");
	}
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return parse_word(p);
	return parse_number(p);
}

/* Two sides and the sign between them, which the text stands at. */
static struct expr *parse_side(struct expr_parser *p, struct expr *left, struct expr *(*side)(struct expr_parser *p))
{
	struct expr *x = expr_new(p->arena, EXPR_SUM, "", arena_strndup(p->arena, p->at++, 1));
	struct expr *right = side(p);

	if (!x || !x->text || !right || expr_push(p->arena, x, left) || expr_push(p->arena, x, right))
		return fail(p, "a side is missing");
	skip(p);
	return x;
}

static struct expr *parse_product(struct expr_parser *p)
{
	struct expr *left = parse_term(p);

	skip(p);
	while (left && *p->at == '*')
		left = parse_side(p, left, parse_term);
	return left;
}

/* Products before sums, as in Python, which the same text becomes a part of (expr_print_python). */
static struct expr *parse_sum(struct expr_parser *p)
{
	struct expr *left;

	if (++p->depth > MAX_DEPTH)
		return fail(p, "too deep");
	left = parse_product(p);
	while (left && (*p->at == '+' || *p->at == '-'))
		left = parse_side(p, left, parse_product);
	p->depth--;
	return left;
}

int expr_parse(const char *text, struct arena *a, struct expr **out, struct err *e)
{
	struct expr_parser p = {text, text, a, e, 0};
	struct expr *x;

	err_clear(e);
	x = parse_sum(&p);
	if (x && *p.at)
		x = fail(&p, "something is left over");
	if (!x)
		return e->code ? e->code : err_nomem(e, "an expression", 0);
	*out = x;
	return 0;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static const char *special(double f)
{
	return isnan(f) ? "nan" : f > 0 ? "inf" : "-inf";
}

/* So that reading it gives the same number: nine digits are enough for a float32. */
static void print_float(double f, struct buf *out)
{
	char text[40];

	if (!isfinite(f)) {
		buf_puts(out, special(f));
		return;
	}
	snprintf(text, sizeof text, f == floor(f) && fabs(f) < 1e15 ? "%.1f" : "%.9g", f);
	if (strtod(text, NULL) != f)
		snprintf(text, sizeof text, "%.17g", f);
	buf_puts(out, text);
	if (!strpbrk(text, ".e")) /* a float is never read as an integer */
		buf_puts(out, ".0");
}

static void print(const struct expr *x, int python, struct buf *out);

/* Calls and lists.  In Python tensor() takes the name of a type, and an operation is an argument itself. */
static void print_items(const struct expr *x, int python, struct buf *out)
{
	int is_op = x->kind == EXPR_CALL && strcmp(x->text, "tensor") != 0,
	    one = is_op && x->output != EXPR_ALL_OUTPUTS;

	if (python && is_op)
		buf_printf(out, "%sop(\"%s\"%s", one ? "out(" : "", x->text, x->n ? ", " : "");
	else
		buf_printf(out, "%s%s", x->kind == EXPR_CALL ? x->text : "", x->kind == EXPR_LIST ? "[" : "(");
	for (size_t i = 0; i < x->n; i++) {
		buf_puts(out, i ? ", " : "");
		if (python && !is_op && x->items[i]->kind == EXPR_DTYPE)
			buf_printf(out, "\"%s\"", dtype_name((enum dtype)x->items[i]->i));
		else
			print(x->items[i], python, out);
	}
	buf_puts(out, x->kind == EXPR_LIST ? "]" : ")");
	if (python && one)
		buf_printf(out, ", %zu)", x->output);
	else if (!python && one && x->output)
		buf_printf(out, "#%zu", x->output);
}

/* python 0: as rows write it. */
static void print(const struct expr *x, int python, struct buf *out)
{
	const char *text = x->text;

	if (*x->name)
		buf_printf(out, "%s=", x->name);
	switch (x->kind) {
	case EXPR_NONE:
		buf_puts(out, "None");
		return;
	case EXPR_INT:
		buf_printf(out, "%" PRId64, x->i);
		return;
	case EXPR_FLOAT:
		print_float(x->f, out);
		return;
	case EXPR_BOOL:
		buf_puts(out, python ? (x->i ? "True" : "False") : x->i ? "true" : "false");
		return;
	case EXPR_STRING:
		buf_printf(out, "\"%s\"", text);
		return;
	case EXPR_DTYPE:
		buf_printf(out, python ? "dtype(\"%s\")" : "@%s", dtype_name((enum dtype)x->i));
		return;
	case EXPR_VARIABLE:
		buf_puts(out, text);
		return;
	case EXPR_SUM:
		print(x->items[0], python, out);
		buf_puts(out, text);
		print(x->items[1], python, out);
		return;
	default:
		break;
	}
	print_items(x, python, out);
}

void expr_print(const struct expr *x, struct buf *out)
{
	print(x, 0, out);
}

void expr_print_python(const struct expr *x, struct buf *out)
{
	print(x, 1, out);
}
