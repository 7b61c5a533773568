/* tell.c - what was found, in sentences and as cells of a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/plain.h"
#include "methods/narrow/internal.h"

#define WORST 15      /* rows of a table that is not whole */
#define FEW_NAMED 8   /* nodes in a sentence */
#define MAX_NAME 26   /* bytes of a name in a table */
#define MANY_LOST 0.1 /* share of elements that become 0 that is worth a word */

/* ---- sentences --------------------------------------------------------------------------------------------------- */

static void put_target(struct buf *out, const struct narrow_target *t)
{
	if (t->top)
		buf_puts(out, "target: the largest entry of each row of an output stays where it is; an error of 1 is "
			      "where another one reaches it\n");
	else
		buf_printf(out, "target: an error of the outputs of at most %g of their root mean square\n", t->limit);
}

static void put_reach(struct buf *out, const struct graph *g, const struct narrow_target *t,
		      const struct narrow_reach *r)
{
	buf_printf(out, "error %.3g, %.3g of the target", r->error, r->error / t->limit);
	if (r->error > 0 && r->output < g->outputs.n && g->outputs.n > 1)
		buf_printf(out, ", output '%s'", PLAIN(g->outputs.at[r->output]->name));
	if (r->rows)
		buf_printf(out, "; top entry moved in %zu of %zu rows", r->moved, r->rows);
	buf_puts(out, "\n");
}

/* Nodes that give numbers which the type does not have. */
static void put_overflows(struct buf *out, const struct narrow_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!r->rows[i].overflows)
			continue;
		if (!n)
			buf_printf(out, "overflow in %s:", narrow_type_name(r->o.type));
		if (n++ < FEW_NAMED)
			buf_printf(out, "%s '%s' (%s, up to %.3g)", n > 1 ? "," : "", PLAIN(r->rows[i].node->name),
				   r->rows[i].node->op_type, r->rows[i].largest);
	}
	if (n > FEW_NAMED)
		buf_printf(out, " and %zu more", n - FEW_NAMED);
	if (n)
		buf_puts(out, "\n");
}

/* Nothing reaches the outputs: they may be saturated, or empty. */
static int is_blind(const struct narrow_result *r)
{
	double loss = 0;

	for (size_t i = 0; i < r->n; i++)
		loss = fmax(loss, r->rows[i].accumulated);
	return loss > 0 && !(r->narrow.error > 0);
}

static void put_kept(struct buf *out, const struct narrow_result *r)
{
	size_t alone = 0;

	buf_printf(out, "to stay in float32: %zu of %zu nodes, the smallest set found%s\n", r->n_kept, r->nodes,
		   r->minimal ? ": none of them can be left out" : " (--effort ended the search)");
	buf_puts(out, "run with them: ");
	put_reach(out, r->graph, &r->o.target, &r->mixed);
	for (size_t i = 0; i < r->n_kept; i++)
		buf_printf(out, "    %s (%s)\n", PLAIN(r->kept[i]->name), r->kept[i]->op_type);
	for (size_t i = 0; i < r->n; i++)
		alone += !r->rows[i].kept && r->rows[i].together == 1 && r->rows[i].effect > 1;
	if (alone)
		buf_printf(out,
			   "%zu tensors outside of the set are beyond the target when only their node is in %s: "
			   "errors cancel with these data; more of them make the set firmer\n",
			   alone, narrow_type_name(r->o.type));
}

int narrow_text(const struct narrow_result *r, const char *model, struct buf *out, struct err *e)
{
	const char *type = narrow_type_name(r->o.type);

	buf_printf(out, "%s: %zu of %zu nodes in %s, %zu run%s of the data\n", model, r->nodes, r->graph->nodes.n, type,
		   r->n_data, PLURAL(r->n_data));
	put_target(out, &r->o.target);
	buf_puts(out, "all in float32: ");
	put_reach(out, r->graph, &r->o.target, &r->wide);
	if (r->answer != NARROW_NOTHING) {
		buf_printf(out, "all in %s: ", type);
		put_reach(out, r->graph, &r->o.target, &r->narrow);
	}
	put_overflows(out, r);
	if (r->answer == NARROW_SOME)
		put_kept(out, r);
	else if (is_blind(r))
		buf_puts(out,
			 "the outputs are the same to the last bit: these data say nothing of them; give others\n");
	else if (r->answer == NARROW_ALL)
		buf_printf(out, "nothing has to stay in float32\n");
	else if (r->answer == NARROW_NONE)
		buf_puts(out, r->minimal ? "all nodes have to stay in float32\n"
					 : "no set but that of all nodes was found (--effort ended the search)\n");
	else if (r->answer == NARROW_NOTHING)
		buf_printf(out, "no node can be in %s\n", type);
	else
		buf_printf(out, "float32 itself is beyond the target: no set of nodes meets it\n");
	return buf_check(out, e);
}

static void put_pair(struct buf *out, const struct narrow_pair *p)
{
	buf_printf(out, "'%s' (%s, tensor '%s', here '%s')", PLAIN(p->node->name), p->node->op_type,
		   PLAIN(p->wire->name), PLAIN(p->other->name));
}

int narrow_against_text(const struct narrow_against *a, const char *model, const char *original, struct buf *out,
			struct err *e)
{
	buf_printf(out, "%s: %zu nodes, against %s: %zu nodes, %zu run%s of the data\n", model, a->other->nodes.n,
		   original, a->graph->nodes.n, a->n_data, PLURAL(a->n_data));
	put_target(out, &a->target);
	buf_puts(out, "outputs: ");
	put_reach(out, a->graph, &a->target, &a->reach);
	buf_printf(out, "%zu of the original's %zu float tensors have a counterpart\n", a->n_matched, a->n);
	if (a->first) {
		buf_puts(out, "the loss passes the target first at ");
		put_pair(out, a->first);
		buf_printf(out, ": accumulated %.3g, local %.3g\n", a->first->accumulated, a->first->local);
	}
	if (a->worst) {
		buf_puts(out, "the largest effect on the outputs has ");
		put_pair(out, a->worst);
		buf_printf(out, ": %.3g of the target, local %.3g\n", a->worst->effect, a->worst->local);
	}
	return buf_check(out, e);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Rows in the order in which they are shown. */
struct tell_key {
	double first, second;
	size_t at;
};

static int descending(const void *a, const void *b)
{
	const struct tell_key *x = a, *y = b;

	if (x->first > y->first || x->first < y->first)
		return x->first > y->first ? -1 : 1;
	if (x->second > y->second || x->second < y->second)
		return x->second > y->second ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static const char *number(struct arena *a, double x)
{
	return isnan(x) ? "-" : arena_printf(a, "%.3g", x);
}

/* Names of one network begin alike and end in what tells them apart. */
static const char *ending(struct arena *a, const char *name)
{
	size_t n = strlen(name), from = n > MAX_NAME ? n - MAX_NAME + 1 : 0;

	while (from && from < n && ((unsigned char)name[from] & 0xc0) == 0x80) /* inside of a character */
		from++;
	return arena_printf(a, "%s%s", from ? "…" : "", name + from);
}

static const char *note_of(struct arena *a, const struct narrow_row *r)
{
	if (r->overflows)
		return arena_printf(a, "%soverflow: %.3g", r->kept ? "float32, " : "", r->largest);
	if (r->kept)
		return "float32";
	if (r->nonzero && (double)r->lost > MANY_LOST * (double)r->nonzero)
		return arena_printf(a, "%.0f %% become 0", 100 * (double)r->lost / (double)r->nonzero);
	return r->together > 1 ? arena_printf(a, "of %zu nodes", r->together) : "";
}

/* Keys sorted, and room for the cells of those that are shown. */
static int make_table(struct tell_key *keys, size_t n, int all, struct arena *arena, struct narrow_table *out,
		      struct err *e)
{
	out->rows = all || n < WORST ? n : WORST;
	out->left_out = n - out->rows;
	qsort(keys, n, sizeof *keys, descending);
	out->cells = arena_array(arena, out->rows * NARROW_COLUMNS + 1, sizeof *out->cells);
	return out->cells ? 0 : err_nomem(e, "a table", n);
}

static int check_cells(const struct narrow_table *t, struct err *e)
{
	for (size_t i = 0; i < t->rows * NARROW_COLUMNS; i++)
		if (!t->cells[i])
			return err_nomem(e, "a table", t->rows);
	return 0;
}

/* A node's part in what its group does. */
static double share_of(const struct narrow_row *r)
{
	return isnan(r->effect) ? -1 : r->effect / (double)r->together;
}

int narrow_table(const struct narrow_result *r, int all, struct arena *arena, struct narrow_table *out, struct err *e)
{
	static const char *const heads[NARROW_COLUMNS] = {"node",        "operator", "tensor", "local",
							  "accumulated", "effect",   "note"};
	struct tell_key *keys = arena_array(arena, r->n + 1, sizeof *keys);
	size_t n = 0;
	int rc;

	if (!keys)
		return err_nomem(e, "a table", r->n);
	for (size_t i = 0; i < r->n; i++)
		if (r->rows[i].narrowed || r->rows[i].accumulated > 0)
			keys[n++] = (struct tell_key){share_of(&r->rows[i]), r->rows[i].accumulated, i};
	out->heads = heads;
	rc = make_table(keys, n, all, arena, out, e);
	for (size_t i = 0; i < out->rows && !rc; i++) {
		const struct narrow_row *row = &r->rows[keys[i].at];
		const char **c = &out->cells[i * NARROW_COLUMNS];

		c[0] = ending(arena, row->node->name);
		c[1] = arena_strdup(arena, row->node->op_type);
		c[2] = ending(arena, row->wire->name);
		c[3] = number(arena, row->local);
		c[4] = number(arena, row->accumulated);
		c[5] = number(arena, row->effect);
		c[6] = note_of(arena, row);
	}
	return rc ? rc : check_cells(out, e);
}

int narrow_against_table(const struct narrow_against *a, int all, struct arena *arena, struct narrow_table *out,
			 struct err *e)
{
	static const char *const heads[NARROW_COLUMNS] = {"node",        "operator", "tensor",     "local",
							  "accumulated", "effect",   "counterpart"};
	struct tell_key *keys = arena_array(arena, a->n + 1, sizeof *keys);
	size_t n = 0;
	int rc;

	if (!keys)
		return err_nomem(e, "a table", a->n);
	for (size_t i = 0; i < a->n; i++)
		if (a->pairs[i].other || all)
			keys[n++] = (struct tell_key){isnan(a->pairs[i].effect) ? -1 : a->pairs[i].effect,
						      isnan(a->pairs[i].local) ? -1 : a->pairs[i].local, i};
	out->heads = heads;
	rc = make_table(keys, n, all, arena, out, e);
	for (size_t i = 0; i < out->rows && !rc; i++) {
		const struct narrow_pair *p = &a->pairs[keys[i].at];
		const char **c = &out->cells[i * NARROW_COLUMNS];

		c[0] = ending(arena, p->node->name);
		c[1] = arena_strdup(arena, p->node->op_type);
		c[2] = ending(arena, p->wire->name);
		c[3] = number(arena, p->local);
		c[4] = number(arena, p->accumulated);
		c[5] = number(arena, p->effect);
		c[6] = !p->other ? "none"
				 : arena_printf(arena, "%s%s", ending(arena, p->other->name),
						p->match == NARROW_BY_VALUES ? " (by values)" : "");
	}
	return rc ? rc : check_cells(out, e);
}
