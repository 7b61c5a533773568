/* default_cases.c - see default_cases.h. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/case.h"
#include "ops/op.h"
#include "support/default_cases.h"

#define CASE_DIR "data/cases"
#define SEED 5

/* A default of an operator. */
struct item {
	const struct op_row *op;
	const struct op_attr *row;
	int done; /* a case for it was chosen */
};

struct choice {
	VEC(struct item) items;
	VEC(char *) lines;
	struct default_cases *out;
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static int is_case_file(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".case");
}

static void read_file(struct choice *c, const char *name)
{
	struct err e = ERR_INIT;
	char path[512], *rest = NULL;
	struct buf text;

	buf_init(&text, 0);
	snprintf(path, sizeof path, CASE_DIR "/%s", name);
	assert_int_equal(buf_read_file(&text, path, 1 << 20, &e), 0);
	for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (*line != '#')
			assert_int_equal(vec_push(&c->lines, mem_strdup(line)), 0);
	buf_release(&text);
}

/* The file that was written for this is read first. */
static void read_lines(struct choice *c)
{
	struct dirent **files = NULL;
	int n = scandir(CASE_DIR, &files, is_case_file, alphasort);

	assert_true(n > 0);
	read_file(c, "defaults.case");
	for (int i = 0; i < n; i++) {
		if (strcmp(files[i]->d_name, "defaults.case") != 0)
			read_file(c, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

/* The only node of a line's model, bound. */
static struct node *parse(const char *line, struct op_case *c)
{
	struct err e = ERR_INIT;

	if (case_parse(line, SEED, c, &e) || ops_bind(c->model, &e))
		fail_msg("%s: %s", line, e.msg);
	return c->model->graph->nodes.at[0];
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

static void list_items(struct choice *c)
{
	for (size_t i = 0; i < op_row_count; i++)
		for (const struct op_attr *a = op_rows[i].op->attrs; a && a->name; a++)
			if (a->has_default)
				assert_int_equal(vec_push(&c->items, ((struct item){.op = &op_rows[i], .row = a})), 0);
}

/* The default of an attribute that a line has; NULL: there is none. */
static struct item *find_item(struct choice *c, const struct node *n, const struct attr *a)
{
	const struct op_row *op = ops_find(n->domain, n->op_type);
	const struct op_attr *row = attr_default(n, a->name);

	for (size_t i = 0; i < c->items.n && row; i++)
		if (c->items.at[i].op == op && c->items.at[i].row == row)
			return &c->items.at[i];
	return NULL;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static int write_default(struct node *n, const struct op_attr *row, size_t count, struct err *e)
{
	int64_t list[2 * TENSOR_MAX_RANK];

	if (row->type == ATTR_INT)
		return node_set_int(n, row->name, (int64_t)row->number, e);
	if (row->type == ATTR_FLOAT)
		return node_set_float(n, row->name, row->number, e);
	if (row->type == ATTR_STRING)
		return node_set_string(n, row->name, row->text, e);
	if (row->list)
		return node_set_ints(n, row->name, row->list, row->n_list, e);
	assert_true(count <= sizeof list / sizeof *list);
	for (size_t i = 0; i < count; i++)
		list[i] = (int64_t)row->number;
	return node_set_ints(n, row->name, list, count, e);
}

struct trial default_cases_trial(const struct default_case *c, int written)
{
	struct trial t = {0};
	struct op_case one;
	struct err e = ERR_INIT;
	struct node *n = parse(c->line, &one);

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct attr *a = node_attr(n, c->rows[i]->name);
		size_t count = a ? a->n : 0;

		node_remove_attr(n, c->rows[i]->name);
		if (written && write_default(n, c->rows[i], count, &e))
			fail_msg("%s: %s", c->line, e.msg);
	}
	if (ops_bind(one.model, &e) || ops_infer(one.model, &e)) /* ONNX wants outputs to have types */
		err_clear(&e);
	if (trial_init(&t, one.model, one.inputs, SEED, &e))
		fail_msg("%s: %s", c->line, e.msg);
	return t;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* Whether the reference runs the case both ways. */
static int runs(const struct default_case *c)
{
	int good = 1;

	for (int written = 0; written < 2 && good; written++) {
		struct trial t = default_cases_trial(c, written);
		struct err e = ERR_INIT;

		good = !trial_truth(&t, &e) && !t.invalid;
		trial_release(&t);
	}
	return good;
}

static int add_case(struct choice *c, const char *line)
{
	struct default_case one = {mem_strdup(line), NULL, 0};
	struct op_case parsed;
	const struct node *n = parse(line, &parsed);

	one.rows = mem_array((size_t)n->n_attrs + 1, sizeof *one.rows);
	assert_non_null(one.rows);
	for (int i = 0; i < n->n_attrs; i++)
		if (find_item(c, n, &n->attrs[i]))
			one.rows[one.n_rows++] = attr_default(n, n->attrs[i].name);
	case_release(&parsed);
	if (runs(&one)) {
		assert_int_equal(vec_push(c->out, one), 0);
		return 1;
	}
	mem_free(one.line);
	mem_free(one.rows);
	return 0;
}

/* How many defaults the line has that no case has yet; they are `done` then. */
static int note(struct choice *c, const struct node *n, int done)
{
	int fresh = 0;

	for (int i = 0; i < n->n_attrs; i++) {
		struct item *item = find_item(c, n, &n->attrs[i]);

		if (!item || item->done)
			continue;
		fresh++;
		item->done = done;
	}
	return fresh;
}

/* The same line for float64. */
static void add_wide(struct choice *c, const char *line)
{
	char *wide = mem_strdup(line), *at = wide;
	struct op_case parsed;
	struct err e = ERR_INIT;

	while ((at = strstr(at, " f32")))
		memcpy(at, " f64", 4);
	if (strcmp(wide, line) != 0 && !case_parse(wide, SEED, &parsed, &e)) {
		int fits = !ops_bind(parsed.model, &e) && !ops_infer(parsed.model, &e);

		case_release(&parsed);
		if (fits)
			add_case(c, wide);
	}
	mem_free(wide);
}

static void choose(struct choice *c)
{
	for (size_t i = 0; i < c->lines.n; i++) {
		struct op_case one;
		const struct node *n = parse(c->lines.at[i], &one);

		if (note(c, n, 0) && add_case(c, c->lines.at[i])) {
			note(c, n, 1);
			add_wide(c, c->lines.at[i]);
		}
		case_release(&one);
	}
}

/* Attributes of a table that operators share, which the named one never had in ONNX. */
static const char *const foreign[][2] = {
	{"BitwiseAnd", "broadcast"},     {"BitwiseOr", "broadcast"},   {"BitwiseXor", "broadcast"},
	{"GreaterOrEqual", "broadcast"}, {"LessOrEqual", "broadcast"}, {"Scatter", "reduction"},
};

static int needs_case(const struct item *item)
{
	const struct op *op = item->op->op;

	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (!strcmp(foreign[i][0], item->op->name) && !strcmp(foreign[i][1], item->row->name))
			return 0;
	/* Subgraphs and sequences cannot be written as a line. */
	return !(op->flags & OP_CONTROL) && !(op->in[0].flags & PORT_ANY_KIND) && !(op->out[0].flags & PORT_ANY_KIND);
}

void default_cases_open(struct default_cases *out)
{
	struct choice c = {VEC_INIT, VEC_INIT, out};
	int missing = 0;

	memset(out, 0, sizeof *out);
	list_items(&c);
	read_lines(&c);
	choose(&c);
	for (size_t i = 0; i < c.items.n; i++)
		if (!c.items.at[i].done && needs_case(&c.items.at[i])) {
			print_error("no case can do without %s of %s (since %d)\n", c.items.at[i].row->name,
				    c.items.at[i].op->name, c.items.at[i].row->since);
			missing++;
		}
	print_message("%zu cases stand for %zu defaults\n", out->n, c.items.n);
	for (size_t i = 0; i < c.lines.n; i++)
		mem_free(c.lines.at[i]);
	vec_release(&c.lines);
	vec_release(&c.items);
	assert_int_equal(missing, 0);
}

void default_cases_close(struct default_cases *c)
{
	for (size_t i = 0; i < c->n; i++) {
		mem_free(c->at[i].line);
		mem_free(c->at[i].rows);
	}
	vec_release(c);
}
