/* svg_graph.c - a model's main graph as a picture: one box a node, pills for inputs and outputs, arrows for wires.
 *
 * A small graph tells everything (attributes, initializers, types); a large one only operators, names and notes.  Above
 * a number of nodes the neighbourhood of the noted ones is drawn.  Colours are classes of the page's style sheet (light
 * and dark); the attributes beside them are for a picture that stands alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/layout.h"
#include "report/report.h"
#include "report/text.h"

#define DEFAULT_MAX_NODES 600
#define MAX_ARROWS 4000 /* a node may have any number of inputs: beyond this a picture shows nothing anyway */
#define DETAILED_NODES 16
#define MAX_DETAILS 6
#define MAX_CHARACTERS 34
#define MAX_NAME 14 /* characters of an initializer's name beside its type */
#define MARGIN 8.0
#define TITLE_ADVANCE 8.3 /* width of a character of the first line, a little more than any font needs */
#define LINE_ADVANCE 6.8
#define TITLE_HEIGHT 18.0
#define LINE_HEIGHT 14.0
#define FOOT_HEIGHT 20.0

enum box_kind { BOX_NODE, BOX_INPUT, BOX_OUTPUT };

struct graph_box {
	enum box_kind kind;
	const char *title;
	const char *line[MAX_DETAILS + 2];
	size_t n_lines;
	const struct svg_node *note; /* NULL: none */
	const char *class;
};

struct picture {
	const struct graph *g;
	const struct svg_node *notes;
	struct arena arena;
	int *shown; /* by node->index: 1 + its box, 0: left out */
	size_t n_shown;
	size_t n_worth; /* that could be shown */
	int detailed;
	struct graph_box *box;
	struct layout layout;
	size_t room; /* for boxes */
};

static int is_noted(const struct svg_node *notes, size_t i)
{
	return notes && (*notes[i].color || *notes[i].note || *notes[i].tip);
}

/* The node of g itself that makes a wire; NULL: none (an input, an initializer, a wire of another graph). */
static const struct node *producer_in(const struct graph *g, const struct wire *w)
{
	return w && w->graph == g ? w->producer : NULL;
}

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

/* In a large graph, nodes without inputs are constants that some exporters write in place of initializers: there are as
 * many as weights, and none of them can go wrong. */
static int is_worth_showing(const struct picture *p, size_t i)
{
	return p->g->nodes.n <= DETAILED_NODES || p->g->nodes.at[i]->n_in || is_noted(p->notes, i);
}

struct graph_reader {
	int node;
	int next; /* 1 + the next reader of the same producer in the list, 0: none */
};

/* Nodes that are still to be visited, and who reads what a node makes. */
struct graph_walk {
	int *queue;
	size_t head, tail;
	int *newest; /* by node->index: 1 + its first reader in the list */
	VEC(struct graph_reader) readers;
};

static void show(struct picture *p, struct graph_walk *w, size_t i, size_t max)
{
	if (p->n_shown >= max || p->shown[i] || !is_worth_showing(p, i))
		return;
	p->shown[i] = 1;
	p->n_shown++;
	w->queue[w->tail++] = (int)i;
}

static int list_readers(struct picture *p, struct graph_walk *w)
{
	for (size_t i = 0; i < p->g->nodes.n; i++)
		for (int k = 0; k < p->g->nodes.at[i]->n_in; k++) {
			const struct node *from = producer_in(p->g, p->g->nodes.at[i]->in[k]);
			struct graph_reader r = {(int)i, from ? w->newest[from->index] : 0};

			if (!from)
				continue;
			if (vec_push(&w->readers, r))
				return -1;
			w->newest[from->index] = (int)w->readers.n;
		}
	return 0;
}

static void visit(struct picture *p, struct graph_walk *w, const struct node *n, size_t max)
{
	for (int k = 0; k < n->n_in; k++) {
		const struct node *from = producer_in(p->g, n->in[k]);

		if (from)
			show(p, w, (size_t)from->index, max);
	}
	for (int r = w->newest[n->index]; r; r = w->readers.at[r - 1].next)
		show(p, w, (size_t)w->readers.at[r - 1].node, max);
}

/* All of a graph that has at most max nodes worth it; else breadth first from the noted ones (the first one when none
 * is), over wires in both directions. */
static int choose_nodes(struct picture *p, size_t max, struct err *e)
{
	size_t n = p->g->nodes.n;
	struct graph_walk w = {.queue = arena_array(&p->arena, n + 1, sizeof *w.queue),
			       .newest = arena_array(&p->arena, n + 1, sizeof *w.newest)};
	int rc = w.queue && w.newest && !list_readers(p, &w) ? 0 : err_nomem(e, "a picture", n);

	for (size_t i = 0; i < n; i++)
		p->n_worth += is_worth_showing(p, i) ? 1 : 0;
	for (size_t i = 0; i < n && !rc; i++)
		if (p->n_worth <= max || is_noted(p->notes, i))
			show(p, &w, i, max);
	for (size_t i = 0; i < n && !rc && !w.tail; i++)
		show(p, &w, i, max);
	while (w.head < w.tail && !rc)
		visit(p, &w, p->g->nodes.at[w.queue[w.head++]], max);
	vec_release(&w.readers);
	return rc;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void add_line(struct graph_box *b, const char *text)
{
	if (text && *text && b->n_lines < MAX_DETAILS + 2)
		b->line[b->n_lines++] = text;
}

/* "[1,1,2,2]": the first items of a list. */
static const char *list_text(struct arena *a, const struct attr *attr)
{
	char text[80] = "[";
	size_t at = 1;

	for (size_t i = 0; i < attr->n && at < 40; i++) {
		if (attr->type == ATTR_INTS)
			snprintf(text + at, sizeof text - at, "%s%lld", i ? "," : "", (long long)attr->ints[i]);
		else
			snprintf(text + at, sizeof text - at, "%s%g", i ? "," : "", attr->floats[i]);
		at += strlen(text + at);
		if (at >= 40 && i + 1 < attr->n)
			snprintf(text + at, sizeof text - at, ",…");
	}
	return arena_printf(a, "%s = %s]", attr->name, text);
}

static const char *attr_text(struct arena *a, const struct attr *attr)
{
	char text[96];

	switch (attr->type) {
	case ATTR_INT:
		return arena_printf(a, "%s = %lld", attr->name, (long long)attr->i);
	case ATTR_FLOAT:
		return arena_printf(a, "%s = %g", attr->name, attr->f);
	case ATTR_STRING:
		return arena_printf(a, "%s = %.*s", attr->name, (int)(attr->s.n < 60 ? attr->s.n : 60), attr->s.p);
	case ATTR_INTS:
	case ATTR_FLOATS:
		return list_text(a, attr);
	case ATTR_TENSOR: {
		struct type t = TYPE_INIT;

		type_set(&t, attr->t->dtype, attr->t->rank, attr->t->dims);
		return arena_printf(a, "%s = %s", attr->name, type_describe(&t, NULL, text, sizeof text));
	}
	default:
		return arena_printf(a, "%s = …", attr->name);
	}
}

static const char *wire_type(struct arena *a, const struct wire *w)
{
	char text[160];
	struct type t = w->type;

	if (w->init)
		type_set(&t, w->init->dtype, w->init->rank, w->init->dims);
	if (t.kind == VALUE_NONE)
		return "";
	return arena_strdup(a, type_describe(&t, w->graph, text, sizeof text));
}

/* "weight: float32[8,3,3,3]"; a long name must not push the type out of the box. */
static const char *init_text(struct arena *a, const struct wire *w)
{
	const char *type = wire_type(a, w);
	size_t n = strlen(w->name), cut = 0;

	for (size_t i = 0; i < MAX_NAME && cut < n; i++) {
		int32_t character;

		cut += utf8_decode(w->name + cut, n - cut, &character);
	}
	return arena_printf(a, "%.*s%s: %s", (int)cut, w->name, cut < n ? "…" : "", type ? type : "");
}

static void describe_node(struct picture *p, struct graph_box *b, const struct node *n)
{
	add_line(b, n->name);
	for (int i = 0; p->detailed && i < n->n_attrs && b->n_lines < MAX_DETAILS; i++)
		add_line(b, attr_text(&p->arena, &n->attrs[i]));
	for (int i = 0; p->detailed && i < n->n_in && b->n_lines < MAX_DETAILS; i++)
		if (n->in[i] && n->in[i]->init)
			add_line(b, init_text(&p->arena, n->in[i]));
	if (b->note)
		add_line(b, b->note->note);
}

static size_t add_box(struct picture *p, enum box_kind kind, const char *title)
{
	static const char *const classes[] = {[BOX_NODE] = "box", [BOX_INPUT] = "pill in", [BOX_OUTPUT] = "pill out"};
	struct graph_box *b = &p->box[p->layout.n_boxes];

	BUG_ON(p->layout.n_boxes >= p->room);
	b->kind = kind;
	b->title = title;
	b->class = classes[kind];
	return p->layout.n_boxes++;
}

static size_t add_end(struct picture *p, enum box_kind kind, const struct wire *w)
{
	size_t at = add_box(p, kind, w->name);

	add_line(&p->box[at], wire_type(&p->arena, w));
	return at;
}

static void measure(const struct graph_box *b, struct layout_box *l)
{
	double width = (double)text_width(b->title, MAX_CHARACTERS) * TITLE_ADVANCE;

	for (size_t i = 0; i < b->n_lines; i++)
		width = fmax(width, (double)text_width(b->line[i], MAX_CHARACTERS) * LINE_ADVANCE);
	l->width = fmax(width, 30) + 20;
	l->height = TITLE_HEIGHT + LINE_HEIGHT * (double)b->n_lines + 12;
}

static void add_arrow(struct picture *p, size_t from, size_t to)
{
	struct layout *l = &p->layout;

	for (size_t i = l->n_arrows; i-- > 0 && l->arrow[i].to == to;)
		if (l->arrow[i].from == from)
			return;
	if (l->n_arrows < MAX_ARROWS)
		l->arrow[l->n_arrows++] = (struct layout_arrow){.from = from, .to = to};
}

/* Boxes of the chosen nodes, and the arrows between them. */
static void add_nodes(struct picture *p)
{
	const struct graph *g = p->g;

	for (size_t i = 0; i < g->nodes.n; i++)
		if (p->shown[i]) {
			size_t at = add_box(p, BOX_NODE, g->nodes.at[i]->op_type);

			p->shown[i] = (int)at + 1;
			if (is_noted(p->notes, i))
				p->box[at].note = &p->notes[i];
			describe_node(p, &p->box[at], g->nodes.at[i]);
		}
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; p->shown[i] && k < g->nodes.at[i]->n_in; k++) {
			const struct node *from = producer_in(g, g->nodes.at[i]->in[k]);

			if (from && p->shown[from->index])
				add_arrow(p, (size_t)p->shown[from->index] - 1, (size_t)p->shown[i] - 1);
		}
}

/* Pills for graph inputs that are read and outputs that are made by what is shown. */
static void add_ends(struct picture *p, size_t max)
{
	const struct graph *g = p->g;

	for (size_t i = 0; i < g->inputs.n && i < max; i++) {
		size_t at = (size_t)-1;

		if (g->inputs.at[i]->init)
			continue;
		for (size_t k = 0; k < g->nodes.n; k++)
			for (int j = 0; p->shown[k] && j < g->nodes.at[k]->n_in; j++)
				if (g->nodes.at[k]->in[j] == g->inputs.at[i]) {
					if (at == (size_t)-1)
						at = add_end(p, BOX_INPUT, g->inputs.at[i]);
					add_arrow(p, at, (size_t)p->shown[k] - 1);
				}
	}
	for (size_t i = 0; i < g->outputs.n && i < max; i++) {
		const struct node *from = producer_in(g, g->outputs.at[i]);

		if (from && p->shown[from->index])
			add_arrow(p, (size_t)p->shown[from->index] - 1, add_end(p, BOX_OUTPUT, g->outputs.at[i]));
	}
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Black or white, whichever reads better on "#rrggbb" (relative luminance, WCAG 2). */
static const char *ink_on(const char *color)
{
	static const double weight[] = {0.2126, 0.7152, 0.0722};
	unsigned long rgb = color[0] == '#' && strlen(color) == 7 ? strtoul(color + 1, NULL, 16) : 0xffffff;
	double luminance = 0;

	for (int i = 0; i < 3; i++)
		luminance += weight[i] * pow((double)(rgb >> (16 - 8 * i) & 255) / 255, 2.2);
	return luminance > 0.18 ? "#111" : "#fff";
}

static void put_wire(struct buf *out, const struct layout_arrow *a)
{
	buf_printf(out, "<path d=\"M%.1f %.1f", a->points[0], a->points[1]);
	for (size_t i = 1; i + 2 < a->n; i += 3) {
		const double *c = a->points + 2 * i;

		buf_printf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", c[0], c[1], c[2], c[3], c[4], c[5]);
	}
	buf_puts(out, "\"/>\n");
}

static void put_head(struct buf *out, const struct layout_arrow *a)
{
	const double *end = a->points + 2 * (a->n - 1), *before = end - 2;
	double dx = end[0] - before[0], dy = end[1] - before[1], length = hypot(dx, dy);

	if (length < 1e-6)
		return;
	dx /= length;
	dy /= length;
	buf_printf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ", end[0], end[1], end[0] - 7 * dx - 3 * dy,
		   end[1] - 7 * dy + 3 * dx, end[0] - 7 * dx + 3 * dy, end[1] - 7 * dy - 3 * dx);
}

/* Wires share a group, and their heads a path: a network has as many as nodes. */
static void put_arrows(struct buf *out, const struct layout *l)
{
	buf_puts(out, "<g class=\"wire\" fill=\"none\" stroke=\"#888\">\n");
	for (size_t i = 0; i < l->n_arrows; i++)
		if (l->arrow[i].n > 1)
			put_wire(out, &l->arrow[i]);
	buf_puts(out, "</g>\n<path class=\"head\" fill=\"#888\" d=\"");
	for (size_t i = 0; i < l->n_arrows; i++)
		if (l->arrow[i].n > 1)
			put_head(out, &l->arrow[i]);
	buf_puts(out, "\"/>\n");
}

static void put_box(struct buf *out, const struct graph_box *b, const struct layout_box *l)
{
	const char *color = b->note ? b->note->color : "";
	const char *ink = *color ? ink_on(color) : "#222";
	double top = l->y - l->height / 2;

	buf_printf(out, "<g class=\"%s\"%s>", *color ? "mark" : b->class,
		   b->note && *b->note->tip ? " tabindex=\"0\"" : "");
	if (b->note && *b->note->tip) {
		buf_puts(out, "<title>");
		text_put(out, b->note->tip);
		buf_puts(out, "</title>");
	}
	buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%g\" stroke=\"#888\" fill=\"",
		   l->x - l->width / 2, top, l->width, l->height, b->kind == BOX_NODE ? 6.0 : l->height / 2);
	text_put(out, *color ? color : "#fff");
	buf_printf(out, "\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" class=\"op\">", l->x, top + TITLE_HEIGHT, ink);
	text_put_short(out, b->title, MAX_CHARACTERS);
	buf_puts(out, "</text>");
	for (size_t i = 0; i < b->n_lines; i++) {
		buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", l->x,
			   top + TITLE_HEIGHT + LINE_HEIGHT * (double)(i + 1), ink);
		text_put_short(out, b->line[i], MAX_CHARACTERS);
		buf_puts(out, "</text>");
	}
	buf_puts(out, "</g>\n");
}

static void put_picture(struct picture *p, struct buf *out)
{
	const struct layout *l = &p->layout;
	int cut = p->n_shown < p->g->nodes.n;
	double width = fmax(l->width, cut ? 260 : 0) + 2 * MARGIN;
	double height = l->height + 2 * MARGIN + (cut ? FOOT_HEIGHT : 0);

	buf_printf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"%g %g %.1f %.1f\" font-family=\"ui-monospace, monospace\" font-size=\"11\" "
		"text-anchor=\"middle\" aria-label=\"graph of %zu nodes:",
		width, height, -MARGIN, -MARGIN, width, height, p->g->nodes.n);
	for (size_t i = 0, named = 0; i < l->n_boxes && named < 8; i++)
		if (p->box[i].kind == BOX_NODE) {
			buf_puts(out, named++ ? ", " : " ");
			text_put_short(out, p->box[i].title, MAX_CHARACTERS);
		}
	buf_puts(out, "\">\n");
	put_arrows(out, l);
	for (size_t i = 0; i < l->n_boxes; i++)
		put_box(out, &p->box[i], &l->box[i]);
	if (cut)
		buf_printf(
			out,
			"<text class=\"foot\" x=\"0\" y=\"%.1f\" text-anchor=\"start\" fill=\"#777\">%zu of %zu nodes, "
			"%s</text>\n",
			l->height + FOOT_HEIGHT, p->n_shown, p->g->nodes.n,
			p->n_shown < p->n_worth ? "around the marked ones" : "those that have inputs");
	buf_puts(out, "</svg>\n");
}

int svg_graph(const struct model *m, const struct svg_node *notes, size_t max_nodes, struct buf *out, struct err *e)
{
	struct picture p = {.g = m->graph, .notes = notes};
	size_t max = max_nodes ? max_nodes : DEFAULT_MAX_NODES, n = m->graph->nodes.n;
	int rc;

	arena_init(&p.arena, 0);
	p.room = (n < max ? n : max) + 2 * max;
	p.shown = arena_array(&p.arena, n + 1, sizeof *p.shown);
	p.box = arena_array(&p.arena, p.room, sizeof *p.box);
	p.layout.box = arena_array(&p.arena, p.room, sizeof *p.layout.box);
	p.layout.arrow = arena_array(&p.arena, MAX_ARROWS, sizeof *p.layout.arrow);
	rc = p.shown && p.box && p.layout.box && p.layout.arrow ? choose_nodes(&p, max, e)
								: err_nomem(e, "a picture", p.room);
	if (!rc) {
		p.detailed = p.n_shown <= DETAILED_NODES;
		add_nodes(&p);
		add_ends(&p, max);
		for (size_t i = 0; i < p.layout.n_boxes; i++)
			measure(&p.box[i], &p.layout.box[i]);
		rc = layout_run(&p.layout, &p.arena, e);
	}
	if (!rc) {
		put_picture(&p, out);
		rc = buf_check(out, e);
	}
	arena_release(&p.arena);
	return rc;
}
