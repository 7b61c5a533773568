/* gate_file.c - the files of a gate (see gate.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/gate_rows.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_WRITTEN ((size_t)256 << 20)
#define BASELINE_CELLS 4
#define EXPECTED_CELLS 6

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef int line_fn(struct gate *g, char **cells, struct err *e);

static int add_before(struct gate *g, char **cells, struct err *e)
{
	const struct gate_row row = {.model = cells[0],
				     .backend = cells[1],
				     .verdict = cells[2],
				     .op = strcmp(cells[3], "-") ? cells[3] : ""};

	return gate_add(g, &row, 1, e);
}

static int add_expected(struct gate *g, char **cells, struct err *e)
{
	const struct gate_expected x = {.op = gate_cell(g, strcmp(cells[1], "-") ? cells[1] : "*"),
					.verdict = gate_cell(g, cells[2]),
					.model = gate_cell(g, cells[3]),
					.backend = gate_cell(g, cells[4]),
					.reason = gate_cell(g, cells[5])};

	if (!x.op || !x.verdict || !x.model || !x.backend || !x.reason || vec_push(&g->expected, x))
		return err_nomem(e, "expected failures", 0);
	return 0;
}

/* Cuts a line at its tabs; gives how many cells there are. */
static size_t cut(char *line, char **cells, size_t most)
{
	size_t n = 0;

	for (char *cell = line, *next; cell; cell = next, n++) {
		next = strchr(cell, '\t');
		if (next)
			*next++ = '\0';
		if (n < most)
			cells[n] = cell;
	}
	return n;
}

static int read_lines(struct gate *g, const char *path, size_t wanted, line_fn *add, struct err *e)
{
	char *cells[EXPECTED_CELLS] = {NULL};
	int number = 0, rc;
	struct buf text;

	buf_init(&text, MAX_FILE);
	rc = buf_read_file(&text, path, MAX_FILE, e);
	if (!rc && !text.len && add == add_before) /* one that gate wrote has its first line at least */
		rc = err_set(e, ERR_INPUT, "'%s' is empty", path);
	for (char *line = text.data, *next; line && !rc; line = next) {
		size_t n;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		n = cut(line, cells, wanted);
		rc = n == wanted ? add(g, cells, e)
				 : err_set(e, ERR_INPUT, "'%s' line %d: %zu cells, wanted %zu with tabs between", path,
					   number, n, wanted);
	}
	buf_release(&text);
	return rc;
}

int gate_read_baseline(struct gate *g, const char *path, struct err *e)
{
	return read_lines(g, path, BASELINE_CELLS, add_before, e);
}

int gate_read_expected(struct gate *g, const char *path, struct err *e)
{
	return read_lines(g, path, EXPECTED_CELLS, add_expected, e);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int by_model(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a, *y = *(const struct gate_row *const *)b;
	int c = strcmp(x->model, y->model);

	return c ? c : strcmp(x->backend, y->backend);
}

static int by_uses(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a, *y = *(const struct gate_row *const *)b;
	int c;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	c = strcmp(x->op, y->op);
	return c ? c : by_model(a, b);
}

/* The caller frees it; NULL: none, or out of memory. */
static const struct gate_row **sorted(const struct gate *g, int (*order)(const void *a, const void *b))
{
	const struct gate_row **rows = mem_array(g->rows.n + 1, sizeof *rows);

	for (size_t i = 0; rows && i < g->rows.n; i++)
		rows[i] = &g->rows.at[i];
	if (rows && g->rows.n)
		qsort(rows, g->rows.n, sizeof *rows, order);
	return rows;
}

/* Rounding is agreement: which of the two it is may differ from machine to machine. */
static const char *lasting_verdict(const struct gate_row *r)
{
	enum verdict v;

	return verdict_find(r->verdict, &v) && (v == VERDICT_ROUNDING || v == VERDICT_AGREE) ? "agree" : r->verdict;
}

int gate_write_baseline(const struct gate *g, struct buf *out, struct err *e)
{
	const struct gate_row **rows = sorted(g, by_model);

	buf_puts(out, "# model\tbackend\tverdict\toperator\n");
	for (size_t i = 0; rows && i < g->rows.n; i++)
		buf_printf(out, "%s\t%s\t%s\t%s\n", rows[i]->model, rows[i]->backend, lasting_verdict(rows[i]),
			   *rows[i]->op ? rows[i]->op : "-");
	mem_free(rows);
	return rows ? buf_check(out, e) : err_nomem(e, "a baseline", 0);
}

int gate_write_expected(const struct gate *g, struct buf *out, struct err *e)
{
	const struct gate_row **rows = sorted(g, by_uses);

	buf_puts(out, "# models\toperator\tverdict\tmodel\tbackend\treason\n");
	for (size_t i = 0; rows && i < g->rows.n; i++)
		if (gate_row_fails(rows[i]))
			buf_printf(out, "%zu\t%s\t%s\t%s\t%s\t%s\n", rows[i]->uses, *rows[i]->op ? rows[i]->op : "-",
				   rows[i]->verdict, rows[i]->model, rows[i]->backend,
				   *rows[i]->reason ? rows[i]->reason : "not looked at yet");
	mem_free(rows);
	return rows ? buf_check(out, e) : err_nomem(e, "a baseline", 0);
}

int gate_save(const struct gate *g, gate_write_fn *write, const char *path, struct err *e)
{
	struct buf b;
	int rc;

	if (!path)
		return 0;
	buf_init(&b, MAX_WRITTEN);
	rc = write(g, &b, e);
	if (!rc)
		rc = buf_write_file(b.data, b.len, path, e);
	buf_release(&b);
	return rc;
}
