/* expr.h - calls of a library's own operations, nested in one another, as text and as a tree.
 *
 *     silu(x)                             mul(x, sigmoid(x))
 *     Conv2D(input=x, filter=w, strides=[1,1,1,1], padding="SAME")
 *     slice(constant_pad_nd(x, [p,q]), 1, p, p+w)
 *     max_pool2d_with_indices(x, [2,2])#0                                output 0 of several; 0 when not said
 *
 * Arguments are positional or named, as the library takes them.  Besides calls there are variables (tensors and
 * integers, draw.h), numbers, "texts", true, false, None, lists, element types (@float32), sums, differences and
 * products of integers (products first; there are no brackets for them), and tensor(@int32, [2,2], [1,1,2,2]), a
 * constant.  This is what rows of data/equiv are written in, what a finding shows as its two graphs, and what its
 * script is made from. */
#ifndef MODEL_EXPR_H
#define MODEL_EXPR_H

#include "base/arena.h"
#include "base/buf.h"
#include "tensor/dtype.h"

enum expr_kind {
	EXPR_NONE,
	EXPR_CALL,
	EXPR_VARIABLE,
	EXPR_INT,
	EXPR_FLOAT,
	EXPR_STRING,
	EXPR_BOOL,
	EXPR_DTYPE,
	EXPR_LIST,
	EXPR_SUM /* of integers: items with signs: '+', '-', '*' in text */
};

struct expr {
	enum expr_kind kind;
	const char *name; /* of an argument; "" positional */
	const char *text; /* operation, variable, string, or the operator of a sum */
	int64_t i;        /* also bool and dtype */
	double f;
	struct expr **items; /* arguments of a call, elements of a list, both sides of a sum */
	size_t n;
	size_t output; /* of a call; EXPR_ALL_OUTPUTS: all, as a sequence when there are several */
};

#define EXPR_ALL_OUTPUTS ((size_t)-1)

/* Parses a whole text; ERR_INPUT says what is wrong and where. */
int expr_parse(const char *text, struct arena *a, struct expr **out, struct err *e);

/* The text again. */
void expr_print(const struct expr *x, struct buf *out);

/* The same as Python, for scripts: op("name", ...), out(op(...), 0) where one of its outputs is meant. */
void expr_print_python(const struct expr *x, struct buf *out);

/* New nodes, for calls that are generated; NULL: no memory. */
struct expr *expr_new(struct arena *a, enum expr_kind kind, const char *name, const char *text);
int expr_push(struct arena *a, struct expr *to, struct expr *item); /* at most EXPR_MAX_ITEMS */

#define EXPR_MAX_ITEMS 1024

#endif
