/* matrix_text.c - a matrix for people and for programs; declared in matrix.h. */
#include <string.h>

#include "ops/op.h"
#include "probe/matrix.h"

#define NAME_WIDTH 34

static const struct {
	const char *word;
	char letter;
	const char *means;
} states[] = {
#define X(id, word, letter, means) {word, letter, means},
	MATRIX_MAP(X)
#undef X
};

/* ---- for people -------------------------------------------------------------------------------------------------- */

static int width_of(const struct matrix_list *all)
{
	size_t width = 7;

	for (size_t i = 0; i < all->n; i++)
		if (strlen(all->at[i].backend) > width)
			width = strlen(all->at[i].backend);
	return (int)width;
}

/* Of the types that have no column of their own. */
static char other_letter(const struct op_row *op, const struct matrix_row *row)
{
	enum matrix_state worst = MATRIX_NOT_ASKED;
	int taken = 0;

	for (int t = 0; t < DT_COUNT; t++) {
		int column = 0;

		for (size_t i = 0; i < PROBE_TYPES; i++)
			column |= probe_types[i].dtype == (enum dtype)t;
		if (column || !matrix_takes(op, (enum dtype)t))
			continue;
		taken = 1;
		worst = row->types[t].state > worst ? row->types[t].state : worst;
	}
	return taken ? states[worst].letter : ' ';
}

/* No blanks at the end of the line. */
static void put_row(const struct matrix *m, size_t i, int width, struct buf *out)
{
	const struct op_row *op = &op_rows[i];
	int domain = *op->domain ? (int)strlen(op->domain) + 1 : 0, blanks = 0;
	char letter = other_letter(op, &m->rows[i]);

	buf_printf(out, "%s%s%-*s %-*s", op->domain, domain ? ":" : "", NAME_WIDTH - domain, op->name, width,
		   m->backend);
	for (size_t k = 0; k < PROBE_TYPES; k++) {
		blanks += (int)strlen(probe_types[k].name) + 1;
		if (!matrix_takes(op, probe_types[k].dtype))
			continue;
		buf_printf(out, "%*c", blanks, states[m->rows[i].types[probe_types[k].dtype].state].letter);
		blanks = 0;
	}
	if (letter != ' ')
		buf_printf(out, "%*c", blanks + 2, letter);
	buf_puts(out, "\n");
}

static void put_table(const struct matrix_list *all, struct buf *out)
{
	int width = width_of(all);

	buf_printf(out, "%-*s %-*s", NAME_WIDTH, "operator", width, "library");
	for (size_t k = 0; k < PROBE_TYPES; k++)
		buf_printf(out, " %s", probe_types[k].name);
	buf_puts(out, " other\n");
	for (size_t i = 0; i < op_row_count; i++)
		for (size_t k = 0; k < all->n; k++)
			if (all->at[k].rows[i].wanted)
				put_row(&all->at[k], i, width, out);
}

static void put_findings(const struct matrix *m, struct buf *out)
{
	for (size_t i = 0; i < op_row_count; i++)
		for (int t = 0; m->rows[i].wanted && t < DT_COUNT; t++) {
			const struct matrix_cell *cell = &m->rows[i].types[t];

			if (cell->state < MATRIX_REFUSED)
				continue;
			buf_printf(out, "%s %s %s: %s, %zu of %zu cases: %s\n  case: %s\n", m->backend, op_rows[i].name,
				   dtype_name((enum dtype)t), cell->verdict, cell->counts[cell->state],
				   cell->counts[MATRIX_RIGHT] + cell->counts[MATRIX_REFUSED] +
					   cell->counts[MATRIX_WRONG],
				   cell->reason, cell->line);
		}
}

void matrix_text(const struct matrix_list *all, struct buf *out)
{
	put_table(all, out);
	buf_puts(out, "\n");
	for (size_t k = 0; k < all->n; k++)
		put_findings(&all->at[k], out);
	for (size_t k = 0; k < all->n; k++) {
		buf_printf(out, "%s%s%s:", all->at[k].backend, *all->at[k].version ? " " : "", all->at[k].version);
		for (int s = MATRIX_STATES - 1; s >= 0; s--)
			buf_printf(out, " %zu %s%s", matrix_count(&all->at[k], (enum matrix_state)s), states[s].word,
				   s ? "," : "\n");
	}
	for (int s = MATRIX_STATES - 1; s >= 0; s--)
		buf_printf(out, "%c  %-11s  %s\n", states[s].letter, states[s].word, states[s].means);
	buf_puts(out, "   blank        the operator does not take this type\n");
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static json_t *cell_json(const struct matrix_cell *cell)
{
	json_t *cases = json_object();
	int tell = cell->line && cell->state != MATRIX_RIGHT;

	for (int s = 0; s < MATRIX_STATES; s++)
		if (cell->counts[s])
			json_object_set_new(cases, states[s].word, json_integer((json_int_t)cell->counts[s]));
	return json_pack("{s:s, s:o, s:s?, s:s?, s:s?}", "result", states[cell->state].word, "cases", cases, "case",
			 tell ? cell->line : NULL, "verdict", tell ? cell->verdict : NULL, "reason",
			 tell ? cell->reason : NULL);
}

static json_t *row_json(const struct matrix_list *all, size_t i)
{
	json_t *backends = json_object();

	for (size_t k = 0; k < all->n; k++) {
		json_t *types = json_object();

		for (int t = 0; t < DT_COUNT; t++)
			if (matrix_takes(&op_rows[i], (enum dtype)t) || all->at[k].rows[i].types[t].line)
				json_object_set_new(types, dtype_name((enum dtype)t),
						    cell_json(&all->at[k].rows[i].types[t]));
		json_object_set_new(backends, all->at[k].backend, types);
	}
	return json_pack("{s:s, s:s, s:o}", "domain", op_rows[i].domain, "name", op_rows[i].name, "backends", backends);
}

static json_t *counts_json(const struct matrix *m)
{
	json_t *counts = json_object();

	for (int s = 0; s < MATRIX_STATES; s++)
		json_object_set_new(counts, states[s].word,
				    json_integer((json_int_t)matrix_count(m, (enum matrix_state)s)));
	return json_pack("{s:s, s:s, s:o}", "backend", m->backend, "version", m->version, "counts", counts);
}

json_t *matrix_json(const struct matrix_list *all)
{
	json_t *legend = json_object(), *backends = json_array(), *operators = json_array();

	for (int s = 0; s < MATRIX_STATES; s++)
		json_object_set_new(legend, states[s].word, json_string(states[s].means));
	for (size_t k = 0; k < all->n; k++)
		json_array_append_new(backends, counts_json(&all->at[k]));
	for (size_t i = 0; all->n && i < op_row_count; i++)
		if (all->at[0].rows[i].wanted)
			json_array_append_new(operators, row_json(all, i));
	return json_pack("{s:o, s:o, s:o}", "legend", legend, "backends", backends, "operators", operators);
}
