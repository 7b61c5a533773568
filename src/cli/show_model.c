/* show_model.c - see show_model.h. */
#include "cli/show_model.h"

#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "base/plain.h"
#include "cli/terminal.h"

#define MAX_LINE 4096
#define MAX_ITEMS 12 /* of a list, or of a constant */
#define TYPE_TEXT 256

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static void put_string(struct buf *b, const struct bytes *s)
{
	buf_puts(b, "\"");
	for (size_t i = 0; i < s->n && s->p[i]; i++)
		buf_add(b, s->p + i, 1);
	buf_puts(b, "\"");
}

static int is_short(const struct tensor *t)
{
	return t->count <= MAX_ITEMS && dtype_wide(t->dtype) != WIDE_STR && dtype_wide(t->dtype) != WIDE_C64;
}

/* Of a short one. */
static void put_elements(struct buf *b, const struct tensor *t)
{
	buf_puts(b, "{");
	for (size_t i = 0; i < t->count; i++)
		buf_printf(b, "%s%.*g", i ? "," : "", digits_of_pair(tensor_get(t, i), -1), tensor_get(t, i));
	buf_puts(b, "}");
}

static void put_tensor(struct buf *b, const struct tensor *t)
{
	char text[TYPE_TEXT];

	buf_puts(b, tensor_describe(t, text, sizeof text));
	if (is_short(t))
		put_elements(b, t);
}

/* Item i of an attribute; the only one of those that are no lists. */
static void put_item(struct buf *b, const struct attr *a, size_t i)
{
	char text[TYPE_TEXT];

	if (a->type == ATTR_INT || a->type == ATTR_INTS)
		buf_printf(b, "%" PRId64, a->type == ATTR_INT ? a->i : a->ints[i]);
	else if (a->type == ATTR_FLOAT || a->type == ATTR_FLOATS)
		buf_printf(b, "%.9g", a->type == ATTR_FLOAT ? a->f : a->floats[i]);
	else if (a->type == ATTR_STRING || a->type == ATTR_STRINGS)
		put_string(b, a->type == ATTR_STRING ? &a->s : &a->strings[i]);
	else if (a->type == ATTR_TENSOR || a->type == ATTR_SPARSE)
		put_tensor(b, a->t);
	else if (a->type == ATTR_TENSORS)
		put_tensor(b, a->tensors[i]);
	else if (a->type == ATTR_GRAPH || a->type == ATTR_GRAPHS)
		buf_printf(b, "graph of %zu nodes", a->type == ATTR_GRAPH ? a->g->nodes.n : a->graphs[i]->nodes.n);
	else if (a->type == ATTR_TYPE)
		buf_puts(b, type_describe(a->tp, NULL, text, sizeof text));
}

static int is_list(enum attr_type t)
{
	return t == ATTR_INTS || t == ATTR_FLOATS || t == ATTR_STRINGS || t == ATTR_TENSORS || t == ATTR_GRAPHS;
}

static void put_attr(struct buf *b, const struct attr *a)
{
	buf_printf(b, "%s=%s", PLAIN(a->name), is_list(a->type) ? "[" : "");
	for (size_t i = 0; i < (is_list(a->type) ? a->n : 1); i++) {
		if (i == MAX_ITEMS) {
			buf_printf(b, ", … %zu in all", a->n);
			break;
		}
		buf_puts(b, i ? "," : "");
		put_item(b, a, i);
	}
	buf_puts(b, is_list(a->type) ? "]" : "");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Prints what was gathered and empties it; a line that is too long is cut. */
static void flush(struct buf *b, FILE *out, size_t indent, size_t columns)
{
	if (b->data)
		terminal_wrap(out, indent, 4, columns, b->data);
	if (b->failed)
		fprintf(out, "%*s…\n", (int)indent, "");
	buf_clear(b);
}

/* One that may be left out has a default. */
static void put_input(struct buf *b, const struct wire *w, const struct graph *g)
{
	char text[TYPE_TEXT];

	buf_printf(b, "%s: %s", PLAIN(w->name), type_describe(&w->type, g, text, sizeof text));
	if (w->init)
		buf_puts(b, is_short(w->init) ? ", by default " : ", with a default");
	if (w->init && is_short(w->init))
		put_elements(b, w->init);
}

static void put_node(struct buf *b, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		buf_printf(b, "%s%s", i ? ", " : "", n->out[i] ? PLAIN(n->out[i]->name) : "_");
	buf_printf(b, " = %s%s%s(", PLAIN(n->domain), *n->domain ? ":" : "", PLAIN(n->op_type));
	for (int i = 0; i < n->n_in; i++)
		buf_printf(b, "%s%s", i ? ", " : "", n->in[i] ? PLAIN(n->in[i]->name) : "_");
	buf_puts(b, ")");
	for (int i = 0; i < n->n_attrs; i++) {
		buf_puts(b, " ");
		put_attr(b, &n->attrs[i]);
	}
}

void show_model(FILE *out, const struct model *m, size_t max, size_t indent, size_t columns)
{
	const struct graph *g = m->graph;
	struct buf line;

	buf_init(&line, MAX_LINE);
	for (size_t i = 0; i < g->inputs.n && i < max; i++) {
		put_input(&line, g->inputs.at[i], g);
		flush(&line, out, indent, columns);
	}
	for (size_t i = 0; i < g->wires.n && g->nodes.n <= max; i++)
		if (g->wires.at[i]->init && !g->wires.at[i]->is_input) {
			buf_printf(&line, "%s: constant ", PLAIN(g->wires.at[i]->name));
			put_tensor(&line, g->wires.at[i]->init);
			flush(&line, out, indent, columns);
		}
	for (size_t i = 0; i < g->nodes.n && i < max; i++) {
		put_node(&line, g->nodes.at[i]);
		flush(&line, out, indent, columns);
	}
	if (g->nodes.n > max)
		fprintf(out, "%*s… %zu nodes in all\n", (int)indent, "", g->nodes.n);
	buf_release(&line);
}
