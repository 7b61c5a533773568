/* record.c - see record.h. */
#include "backends/bind/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "tensor/io.h"

#define CALLS "calls.py"
#define PATH_SIZE 4096
#define MAX_LINE ((size_t)16 << 20)

/* Tensors that become constants when an operation first reads them. */
struct recorded {
	const void *handle;
	size_t number;        /* v<number> */
	char *name;           /* of the graph's input or initializer; NULL: of none */
	int is_input;         /* of the graph */
	int written;          /* its line is in the file */
	struct tensor *value; /* until it is written */
};

/* An operation that is told now.  While its arguments are told others may run, of which they come. */
struct open_line {
	struct buf text;
	size_t number; /* of its result */
	int first;     /* no argument yet */
};

#define MAX_OPEN 8

struct record {
	char folder[PATH_SIZE];
	FILE *file;
	struct open_line open[MAX_OPEN];
	int depth;                  /* lines that are open, each within the one before */
	VEC(struct recorded) known; /* handles are used again: the last row of one counts */
	size_t next, constants;
	size_t running;  /* number of the result of the operation that ran last */
	int values;      /* elements are wanted */
	record_get *get; /* … and had by this; NULL: not */
	void *ctx;
};

static int path_of(const struct record *r, const char *name, char *path)
{
	return snprintf(path, PATH_SIZE, "%s/%s", r->folder, name) >= PATH_SIZE;
}

/* Half a record is worse than none. */
static void fail(struct record *r)
{
	char path[PATH_SIZE];

	if (r->file)
		fclose(r->file);
	r->file = NULL;
	if (!path_of(r, CALLS, path))
		unlink(path);
}

int record_open(const char *folder, int values, struct record **out, struct err *e)
{
	struct record *r;

	if (!folder)
		return 0;
	r = mem_zalloc(sizeof *r);
	if (!r)
		return err_nomem(e, "a record", sizeof *r);
	if ((size_t)snprintf(r->folder, sizeof r->folder, "%s", folder) >= sizeof r->folder) {
		mem_free(r);
		return err_set(e, ERR_LIMIT, "the path of '%s' is too long", folder);
	}
	for (int i = 0; i < MAX_OPEN; i++)
		buf_init(&r->open[i].text, MAX_LINE);
	r->values = values;
	*out = r;
	return 0;
}

static void release_row(struct recorded *row)
{
	tensor_unref(row->value);
	mem_free(row->name);
	*row = (struct recorded){.number = SIZE_MAX};
}

static void forget(struct record *r)
{
	for (size_t i = 0; i < r->known.n; i++)
		release_row(&r->known.at[i]);
	r->known.n = 0;
}

void record_close(struct record *r)
{
	if (!r)
		return;
	forget(r);
	vec_release(&r->known);
	for (int i = 0; i < MAX_OPEN; i++)
		buf_release(&r->open[i].text);
	if (r->file)
		fclose(r->file);
	mem_free(r);
}

void record_values_by(struct record *r, record_get *get, void *ctx)
{
	if (!r || !r->values)
		return;
	r->get = get;
	r->ctx = ctx;
}

/* Inputs and results are made anew in every run; handles of initializers, and copies of those, may be older. */
static int outlives_run(const struct record *r, const struct recorded *row)
{
	if (row->value)
		return !row->is_input;
	for (size_t i = 0; i < r->known.n; i++)
		if (r->known.at[i].number == row->number && r->known.at[i].value && !r->known.at[i].is_input)
			return 1;
	return 0;
}

/* Rows that stay are to be written again. */
static void forget_run(struct record *r)
{
	size_t kept = 0;

	r->next = 0;
	for (size_t i = 0; i < r->known.n; i++) {
		struct recorded *row = &r->known.at[i];

		if (!outlives_run(r, row)) {
			release_row(row);
			continue;
		}
		row->written = row->written && !row->value;
		r->next = row->number >= r->next ? row->number + 1 : r->next;
		r->known.at[kept++] = *row;
	}
	r->known.n = kept;
}

void record_forget(struct record *r, const void *handle)
{
	size_t kept = 0;

	for (size_t i = 0; r && handle && i < r->known.n; i++)
		if (r->known.at[i].handle == handle)
			release_row(&r->known.at[i]);
		else
			r->known.at[kept++] = r->known.at[i];
	if (r && handle)
		r->known.n = kept;
}

void record_begin(struct record *r)
{
	char path[PATH_SIZE];

	if (!r)
		return;
	forget_run(r);
	if (r->file)
		fclose(r->file);
	r->constants = 0;
	r->depth = 0;
	r->file = path_of(r, CALLS, path) ? NULL : fopen(path, "w");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void put(struct record *r, const char *text)
{
	if (r->file && (fwrite(text, 1, strlen(text), r->file) != strlen(text) || fflush(r->file)))
		fail(r);
}

void record_file(struct record *r, const char *name, const void *data, size_t n)
{
	struct err ignored = ERR_INIT;
	char path[PATH_SIZE];

	if (r && (path_of(r, name, path) || buf_write_file(data, n, path, &ignored)))
		fail(r);
}

/* Text in quotes, as Python reads it. */
static void quote(struct buf *b, const char *s)
{
	buf_puts(b, "\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			buf_printf(b, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			buf_printf(b, "\\x%02x", (unsigned char)*s);
		else
			buf_add(b, s, 1);
	buf_puts(b, "\"");
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static struct recorded *find(struct record *r, const void *handle)
{
	for (size_t i = r->known.n; i > 0; i--)
		if (r->known.at[i - 1].handle == handle)
			return &r->known.at[i - 1];
	return NULL;
}

static struct recorded *remember(struct record *r, const void *handle, size_t number)
{
	const struct recorded row = {.handle = handle, .number = number, .written = 1};

	if (vec_push(&r->known, row)) {
		fail(r);
		return NULL;
	}
	return &r->known.at[r->known.n - 1];
}

void record_source(struct record *r, const void *handle, const char *name, int is_input, const struct tensor *packed)
{
	struct err ignored = ERR_INIT;
	struct recorded *row = r && handle ? remember(r, handle, r->next++) : NULL;

	if (!row)
		return;
	row->written = 0;
	row->is_input = is_input;
	row->name = name ? mem_strdup(name) : NULL;
	row->value = tensor_copy(packed, &ignored);
	if (!row->value || (name && !row->name))
		fail(r);
}

void record_alias(struct record *r, const void *copy, const void *handle)
{
	const struct recorded *row = r && copy ? find(r, handle) : NULL;

	if (row)
		remember(r, copy, row->number);
}

/* The elements of v<number>.  What has none, such as a sequence, is left out. */
static void write_value(struct record *r, size_t number, const struct tensor *packed)
{
	struct err ignored = ERR_INIT;
	char name[32], path[PATH_SIZE];

	snprintf(name, sizeof name, "v%zu.npy", number);
	if (path_of(r, name, path) || npy_save(packed, path, &ignored))
		fail(r);
}

/* What came of an operation. */
static void write_made(struct record *r, size_t number, const void *handle)
{
	struct err ignored = ERR_INIT;
	struct tensor *packed = NULL;
	char line[96];

	if (!r->get || r->get(r->ctx, (void *)(uintptr_t)handle, &packed, &ignored))
		return;
	write_value(r, number, packed);
	snprintf(line, sizeof line, "    made(v%zu, \"%s\")\n", number, dtype_name(packed->dtype));
	put(r, line);
	tensor_unref(packed);
}

/* "v3 = take("w", constants["c0"], "float32")", and the constant in a file. */
static void write_source(struct record *r, struct recorded *row)
{
	struct err ignored = ERR_INIT;
	struct buf text;
	char name[32], path[PATH_SIZE];

	row->written = 1;
	if (!row->value || !r->file)
		return;
	buf_init(&text, MAX_LINE);
	buf_printf(&text, "    v%zu = take(", row->number);
	if (row->name)
		quote(&text, row->name);
	else
		buf_puts(&text, "None");
	if (row->is_input) {
		buf_puts(&text, ", inputs[");
		quote(&text, row->name);
	} else {
		snprintf(name, sizeof name, "c%zu.npy", r->constants);
		if (path_of(r, name, path) || npy_save(row->value, path, &ignored))
			fail(r);
		buf_printf(&text, ", constants[\"c%zu\"", r->constants++);
	}
	buf_printf(&text, "], \"%s\")\n", dtype_name(row->value->dtype));
	if (r->values)
		write_value(r, row->number, row->value);
	if (text.failed || !text.data)
		fail(r);
	else
		put(r, text.data);
	buf_release(&text);
}

/* The number of a handle, whose line is in the file then; SIZE_MAX: nobody knows it. */
static size_t number_of(struct record *r, const void *handle)
{
	struct recorded *row = find(r, handle), *first = row;

	for (size_t i = 0; row && i < r->known.n; i++) /* of copies the one that has the value */
		if (r->known.at[i].number == row->number && r->known.at[i].value)
			first = &r->known.at[i];
	if (!row) {
		fail(r);
		return SIZE_MAX;
	}
	if (!first->written)
		write_source(r, first);
	return row->number;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* The line that is told now: the innermost. */
static struct open_line *line_of(struct record *r)
{
	return &r->open[r->depth ? r->depth - 1 : 0];
}

static void open_line(struct record *r, const char *function, size_t number)
{
	struct open_line *l;

	if (r->depth == MAX_OPEN)
		fail(r);
	else
		r->depth++;
	l = line_of(r);
	buf_clear(&l->text);
	buf_printf(&l->text, "    %s(", function);
	l->number = number;
	l->first = 1;
}

void record_statement(struct record *r, const char *function)
{
	if (r)
		open_line(r, function, r->running);
}

void record_op(struct record *r, const char *name)
{
	char begin[48];

	if (!r)
		return;
	snprintf(begin, sizeof begin, "v%zu = op", r->next);
	open_line(r, begin, r->next);
	r->next++;
	record_string(r, name);
}

static struct buf *next_argument(struct record *r)
{
	struct open_line *l = line_of(r);

	if (!l->first)
		buf_puts(&l->text, ", ");
	l->first = 0;
	return &l->text;
}

void record_key(struct record *r, const char *name)
{
	if (!r)
		return;
	buf_printf(next_argument(r), "%s=", name);
	line_of(r)->first = 1;
}

void record_word(struct record *r, const char *fmt, ...)
{
	char word[256];
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	vsnprintf(word, sizeof word, fmt, ap);
	va_end(ap);
	buf_puts(next_argument(r), word);
}

void record_value(struct record *r, const void *handle)
{
	if (!r)
		return;
	if (handle)
		buf_printf(next_argument(r), "v%zu", number_of(r, handle));
	else
		buf_puts(next_argument(r), "None");
}

void record_values(struct record *r, void *const *handles, size_t n)
{
	if (!r)
		return;
	buf_puts(next_argument(r), "[");
	line_of(r)->first = 1;
	for (size_t i = 0; i < n; i++)
		record_value(r, handles[i]);
	buf_puts(&line_of(r)->text, "]");
	line_of(r)->first = 0;
}

void record_ints(struct record *r, const int64_t *x, size_t n)
{
	if (!r)
		return;
	buf_puts(next_argument(r), "[");
	for (size_t i = 0; i < n; i++)
		buf_printf(&line_of(r)->text, "%s%" PRId64, i ? ", " : "", x[i]);
	buf_puts(&line_of(r)->text, "]");
}

void record_float(struct record *r, double x)
{
	if (isfinite(x))
		record_word(r, x == rint(x) && fabs(x) < 1e15 ? "%.1f" : "%.17g", x);
	else
		record_word(r, "float(\"%s\")", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

void record_string(struct record *r, const char *s)
{
	if (r)
		quote(next_argument(r), s);
}

void record_run(struct record *r)
{
	struct open_line *l;

	if (!r)
		return;
	l = line_of(r);
	buf_puts(&l->text, ")\n");
	if (l->text.failed)
		fail(r);
	else
		put(r, l->text.data);
	r->running = l->number;
	r->depth -= r->depth > 0;
}

void record_made(struct record *r, const void *handle)
{
	if (!r)
		return;
	remember(r, handle, r->running);
	write_made(r, r->running, handle);
}

void record_made_part(struct record *r, const void *handle, size_t i)
{
	char line[96];

	if (!r)
		return;
	snprintf(line, sizeof line, "    v%zu = v%zu[%zu]\n", r->next, r->running, i);
	put(r, line);
	write_made(r, r->next, handle);
	remember(r, handle, r->next++);
}

void record_output(struct record *r, const char *name, const void *handle)
{
	record_statement(r, "give");
	record_string(r, name);
	record_value(r, handle);
	record_run(r);
}
