/* csv.c - tables of numbers as text, plain or gzipped (declared in io.h and csv.h). */
#include "tensor/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/vec.h"
#include "tensor/io.h"

/* The whole text; gzopen() reads plain files as they are. */
static int read_text(const char *path, struct buf *text, struct err *e)
{
	gzFile f = gzopen(path, "rb");
	char piece[4096];
	int got = 0, rc;

	if (!f)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	while ((got = gzread(f, piece, sizeof piece)) > 0)
		if (buf_add(text, piece, (size_t)got))
			break;
	rc = buf_check(text, e);
	if (!rc && (got < 0 || !gzeof(f)))
		rc = err_set(e, ERR_INPUT, "cannot read '%s': the gzip data are broken", path);
	gzclose(f);
	return rc;
}

struct table {
	VEC(double) cells;
	size_t rows, columns;
	struct csv_form form;
};

/* Whether another number follows in the row; *p is moved to it, or to the row's end. */
static int goes_on(const struct csv_form *form, const char **p)
{
	const char *end = *p;

	*p += strspn(*p, " \t\r");
	if (form->spaces)
		return *p > end && **p && **p != '\n';
	if (**p != ',')
		return 0;
	++*p;
	return 1;
}

/* One row; *p is moved behind its newline. */
static int read_row(struct table *t, const char **p, const char *path, struct err *e)
{
	size_t columns = 0, line = t->form.skip + t->rows + 1;
	char *end;

	for (;; columns++) {
		double x = strtod(*p, &end);

		if (end == *p)
			return err_set(e, ERR_INPUT, "'%s' line %zu column %zu: not a number", path, line, columns + 1);
		if (vec_push(&t->cells, x))
			return err_nomem(e, "a table", t->cells.n * sizeof x);
		*p = end;
		if (!goes_on(&t->form, p))
			break;
	}
	columns++;
	if (**p && **p != '\n')
		return err_set(e, ERR_INPUT, "'%s' line %zu column %zu: not a number", path, line, columns);
	if (t->rows && columns != t->columns)
		return err_set(e, ERR_INPUT, "'%s' line %zu has %zu columns, the lines before it %zu", path, line,
			       columns, t->columns);
	*p += strspn(*p, "\n");
	t->columns = columns;
	t->rows++;
	return 0;
}

static const char *skip_lines(const char *p, size_t n)
{
	for (; n && *p; n--) {
		p += strcspn(p, "\n");
		p += *p != '\0';
	}
	return p;
}

int csv_load_form(const char *path, const struct csv_form *form, struct tensor **out, struct err *e)
{
	struct table t = {VEC_INIT, 0, 0, *form};
	struct tensor *wide = NULL;
	struct buf text;
	int rc;

	buf_init(&text, CSV_MAX_TEXT);
	rc = read_text(path, &text, e);
	for (const char *p = skip_lines(text.data ? text.data : "", form->skip); !rc && *p;)
		rc = read_row(&t, &p, path, e);
	if (!rc && !t.rows)
		rc = err_set(e, ERR_INPUT, "'%s' is empty", path);
	if (!rc) {
		wide = tensor_new(DT_FLOAT, 2, (int64_t[]){(int64_t)t.rows, (int64_t)t.columns}, e);
		rc = wide ? 0 : e->code;
	}
	if (!rc) {
		memcpy(wide->f, t.cells.at, t.cells.n * sizeof(double));
		*out = tensor_pack(wide, e);
		rc = *out ? 0 : e->code;
	}
	tensor_unref(wide);
	vec_release(&t.cells);
	buf_release(&text);
	return rc;
}

int csv_load(const char *path, struct tensor **out, struct err *e)
{
	return csv_load_form(path, &(struct csv_form){0}, out, e);
}
