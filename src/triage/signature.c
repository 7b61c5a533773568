/* signature.c - names for findings, the same for cases that show the same defect:
 *
 *     library / operator / kind / class
 *     onnxruntime/AveragePool/wrong/f32.4d,ceil_mode=1
 *
 * The class has the type and rank of each input of the blamed node and its attributes that are not at their defaults,
 * in the coarse words of traits.h.  Names, sizes and the order of attributes do not show.  Without a blamed node the
 * sorted operators of the graph stand in place of the operator, and the class is of the graph's inputs; attributes are
 * then told of small graphs only, since those of a large one say nothing about the defect. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ops/op.h"
#include "triage/traits.h"
#include "triage/triage.h"

#define MAX_TEXT 65536
#define MANY_OPS 6  /* operators that are named one by one */
#define FEW_NODES 3 /* of a graph whose attributes are told */
#define OP_NAME 160

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* A copy of m in which the types of all wires are known as far as inference goes.  A model that contradicts itself (a
 * library that accepts it is a finding too) keeps what was inferred up to there. */
static int with_types(const struct model *m, struct model **out, struct err *e)
{
	struct err ignored = ERR_INIT;
	struct model *copy;
	int rc = model_copy(m, &copy, e);

	if (rc)
		return rc;
	if (!ops_bind(copy, &ignored))
		ops_infer(copy, &ignored);
	*out = copy;
	return 0;
}

/* ---- the class of a node ----------------------------------------------------------------------------------------- */

/* Where the variadic port of a node begins; n_in when it has none. */
static int fixed_inputs(const struct node *n)
{
	for (int i = 0; n->op && i < OP_MAX_PORTS && n->op->in[i].name && i < n->n_in; i++)
		if (n->op->in[i].flags & PORT_VARIADIC)
			return i;
	return n->n_in;
}

static void add_input(struct words *w, const struct wire *in, const char *behind, struct buf *text)
{
	buf_clear(text);
	if (in)
		traits_type(&in->type, text);
	words_add(w, "%s%s", in && text->data ? text->data : "-", behind);
}

/* Inputs in their order; what repeats in a variadic port is told once, with a star. */
static int put_inputs(const struct node *n, struct buf *out, struct err *e)
{
	struct words fixed = {0}, repeated = {0};
	struct buf text;
	int first = fixed_inputs(n), rc = 0;

	buf_init(&text, MAX_TEXT);
	for (int i = 0; i < n->n_in; i++)
		add_input(i < first ? &fixed : &repeated, n->in[i], i < first ? "" : "*", &text);
	while (fixed.n && !strcmp(fixed.at[fixed.n - 1], "-")) /* left out at the end, or not listed: the same */
		fixed.n--;
	words_sort(&repeated);
	words_join(&fixed, ",", out);
	buf_puts(out, fixed.n && repeated.n ? "," : "");
	words_join(&repeated, ",", out);
	if (fixed.failed || repeated.failed)
		rc = err_nomem(e, "signature", 0);
	buf_release(&text);
	words_release(&fixed);
	words_release(&repeated);
	return rc;
}

static void put_attrs(struct words *w, struct buf *out)
{
	words_sort(w);
	if (w->n && out->len && out->data[out->len - 1] != '/')
		buf_puts(out, ",");
	words_join(w, ",", out);
}

static int put_node_class(const struct node *n, struct buf *out, struct err *e)
{
	struct words attrs = {0};
	int rc = put_inputs(n, out, e);

	if (!rc)
		rc = traits_add_attrs(&attrs, n, "", e);
	if (!rc)
		put_attrs(&attrs, out);
	words_release(&attrs);
	return rc;
}

/* ---- the class of a graph ---------------------------------------------------------------------------------------- */

/* Those of the set, or of the whole graph. */
static int put_operators(const struct graph *g, const json_t *set, struct buf *out, struct err *e)
{
	struct words ops = {0};
	char name[OP_NAME];
	size_t more;
	int rc;

	for (size_t i = 0; i < g->nodes.n && !set; i++)
		words_add(&ops, "%s", traits_op(g->nodes.at[i], name, sizeof name));
	for (size_t i = 0; i < json_array_size(set); i++)
		words_add(&ops, "%s", json_string_value(json_array_get(set, i)));
	words_sort(&ops);
	more = ops.n > MANY_OPS ? ops.n - MANY_OPS : 0;
	ops.n -= more;
	words_join(&ops, "+", out);
	if (more)
		buf_printf(out, "+%zu", more);
	rc = ops.failed ? err_nomem(e, "signature", 0) : 0;
	words_release(&ops);
	return rc;
}

static int put_graph_class(const struct graph *g, struct buf *out, struct err *e)
{
	struct words inputs = {0}, attrs = {0};
	char name[OP_NAME], prefix[OP_NAME + 1];
	struct buf text;
	int rc = 0;

	buf_init(&text, MAX_TEXT);
	for (size_t i = 0; i < g->inputs.n; i++)
		if (!g->inputs.at[i]->init)
			add_input(&inputs, g->inputs.at[i], "", &text);
	words_sort(&inputs);
	words_join(&inputs, ",", out);
	for (size_t i = 0; i < g->nodes.n && g->nodes.n <= FEW_NODES && !rc; i++) {
		snprintf(prefix, sizeof prefix, "%s.", traits_op(g->nodes.at[i], name, sizeof name));
		rc = traits_add_attrs(&attrs, g->nodes.at[i], prefix, e);
	}
	if (!rc)
		put_attrs(&attrs, out);
	if (!rc && inputs.failed)
		rc = err_nomem(e, "signature", 0);
	buf_release(&text);
	words_release(&inputs);
	words_release(&attrs);
	return rc;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Appends at most SIGNATURE_MAX bytes of text; a hash tells long ones apart that begin alike. */
static void put_limited(const struct buf *text, struct buf *out)
{
	if (text->len <= SIGNATURE_MAX)
		buf_puts(out, text->data);
	else
		buf_printf(out, "%.*s~%08x", SIGNATURE_MAX - 9, text->data, (unsigned)hash_text(text->data));
}

/* A planted defect is a library of its own: the name of a fault backend says which. */
static void put_library(const struct worker_spec *spec, struct buf *text)
{
	const struct spec_backend *own = spec->backend ? spec_find(spec->backend) : NULL;
	const char *name = spec->library && *spec->library ? spec->library : spec->name;

	if (own && own->kind == SPEC_OWN)
		name = spec->name;
	for (const char *s = name; *s; s++)
		buf_add(text, *s == '/' ? "_" : s, 1);
}

/* What is blamed: a node, a set of operators that fail only together, or (both NULL) the whole graph. */
struct blamed_part {
	const struct node *node;
	const json_t *set;
	enum verdict verdict;
	int gradient;
};

static int put_all(const struct worker_spec *spec, const struct model *typed, const struct blamed_part *b,
		   struct buf *text, struct err *e)
{
	char name[OP_NAME];
	int rc = 0;

	put_library(spec, text);
	buf_puts(text, "/");
	if (b->node)
		buf_puts(text, traits_op(b->node, name, sizeof name));
	else
		rc = put_operators(typed->graph, b->set, text, e);
	buf_printf(text, "/%s%s/", verdict_name(b->verdict), b->gradient ? "-gradient" : "");
	if (!rc)
		rc = b->node ? put_node_class(b->node, text, e) : put_graph_class(typed->graph, text, e);
	return rc ? rc : buf_check(text, e);
}

static int make(const struct worker_spec *spec, const struct model *m, struct blamed_part b, struct buf *out,
		struct err *e)
{
	struct model *typed;
	struct buf text;
	int rc = with_types(m, &typed, e);

	if (rc)
		return rc;
	/* The same node in the copy; a node of a subgraph is taken as it is. */
	if (b.node && b.node->graph == m->graph && (size_t)b.node->index < typed->graph->nodes.n)
		b.node = typed->graph->nodes.at[b.node->index];
	buf_init(&text, MAX_TEXT);
	rc = put_all(spec, typed, &b, &text, e);
	if (!rc) {
		put_limited(&text, out);
		rc = buf_check(out, e);
	}
	buf_release(&text);
	model_free(typed);
	return rc;
}

int signature_make(const struct worker_spec *spec, const struct model *m, const struct node *blamed, enum verdict v,
		   int gradient, struct buf *out, struct err *e)
{
	return make(spec, m, (struct blamed_part){.node = blamed, .verdict = v, .gradient = gradient}, out, e);
}

int signature_make_set(const struct worker_spec *spec, const struct model *m, const json_t *set, enum verdict v,
		       int gradient, struct buf *out, struct err *e)
{
	return make(spec, m, (struct blamed_part){.set = set, .verdict = v, .gradient = gradient}, out, e);
}

int signature_call(const struct worker_spec *spec, const char *operation, enum verdict v, const char *class,
		   struct buf *out, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, MAX_TEXT);
	put_library(spec, &text);
	buf_printf(&text, "/%s/%s/%s", operation, verdict_name(v), class);
	rc = buf_check(&text, e);
	if (!rc) {
		put_limited(&text, out);
		rc = buf_check(out, e);
	}
	buf_release(&text);
	return rc;
}
