/* dataset_table.c - data in tables: .npy, .npz, .csv, items along the first axis (declared in dataset.h).
 *
 * An input whose first dimension is open takes one row a run, or as many as are asked for; one with a fixed first
 * dimension B takes B of them.  What is as long as the model fixes it, and what has no axis at all, belongs to every
 * run. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "case/dataset.h"
#include "model/adapt.h"
#include "tensor/io.h"

/* ---- tables: items along the first axis -------------------------------------------------------------------------- */

/* Elements of one item as the input declares them; 0: open. */
static size_t item_elements(const struct type *t)
{
	size_t n = 1;

	for (int i = 1; i < t->rank; i++)
		n = t->dims[i] > 0 ? n * (size_t)t->dims[i] : 0;
	return n;
}

/* Items [first, first + batch) of a packed table as a tensor; under the declared dimensions where they are as many
 * elements. */
static struct tensor *slice(const struct tensor *table, size_t first, size_t batch, const struct type *t, struct err *e)
{
	size_t items = (size_t)table->dims[0], each = table->count / items, bytes;
	int64_t dims[TENSOR_MAX_RANK];
	int rank = table->rank;
	struct tensor *out;

	memcpy(dims, table->dims, sizeof dims);
	if (t->rank > 0 && item_elements(t) == each) {
		rank = t->rank;
		memcpy(dims, t->dims, sizeof dims);
	}
	dims[0] = (int64_t)batch;
	out = tensor_new_packed(table->dtype, rank, dims, e);
	if (!out)
		return NULL;
	bytes = dtype_packed_size(table->dtype, each);
	memcpy(out->data, (const char *)table->data + first * bytes, batch * bytes);
	return out;
}

static int set_slice(const struct graph *g, size_t i, const struct tensor *table, size_t first, size_t batch,
		     struct value **run, struct err *e)
{
	struct tensor *t = slice(table, first, batch, &g->inputs.at[i]->type, e);

	run[i] = t ? value_tensor(t, e) : NULL;
	return run[i] ? adapt_value(&run[i], &g->inputs.at[i]->type, e) : e->code;
}

/* The tables of one file, by input (NULL: none).  A table is `whole` where it is not cut into items but given to every
 * run as it is. */
struct table_set {
	const struct graph *g;
	struct tensor **at;
	unsigned char *whole;
	int64_t items; /* a run takes of what is open; 0: one */
};

static const struct type *type_of(const struct table_set *s, size_t i)
{
	return &s->g->inputs.at[i]->type;
}

/* Rows of table i that one run takes. */
static size_t rows_a_run(const struct table_set *s, size_t i)
{
	const struct type *t = type_of(s, i);

	if (t->rank > 0 && t->dims[0] > 0)
		return (size_t)t->dims[0];
	return s->items ? (size_t)s->items : 1;
}

/* All that is there is one run's: a scalar, or as many along the first axis as the model fixes. */
static int is_whole(const struct table_set *s, size_t i)
{
	const struct type *t = type_of(s, i);

	return !s->at[i]->rank || (t->rank > 0 && t->dims[0] == s->at[i]->dims[0] && adapt_fits(t, s->at[i]));
}

/* Every array is of the declared shape as it is, and a named dimension has one size in all of them. */
static int fit_as_they_are(const struct table_set *s)
{
	const struct model *m = s->g->model;
	int64_t *sizes = mem_array(m->symbols.n + 1, sizeof *sizes); /* 0: not seen */
	int fit = sizes != NULL;

	for (size_t i = 0; i < s->g->inputs.n && fit; i++) {
		const struct tensor *t = s->at[i];

		fit = !t || adapt_fits(type_of(s, i), t);
		for (int k = 0; t && fit && k < type_of(s, i)->rank; k++) {
			int64_t d = type_of(s, i)->dims[k],
				*size = d <= DIM_SYMBOL(0) ? &sizes[DIM_SYMBOL_INDEX(d)] : NULL;

			fit = !size || !*size || *size == t->dims[k];
			if (size)
				*size = t->dims[k];
		}
	}
	mem_free(sizes);
	return fit;
}

static int check_table(const struct tensor *t, const char *name, struct err *e)
{
	if (!t->count || t->dtype == DT_STRING || dtype_bits(t->dtype) % 8)
		return err_set(e, ERR_INPUT, "data for input '%s': wanted numbers with items along the first axis",
			       name);
	return 0;
}

/* How many runs there are: what all tables that are cut agree on.  Where they do not, and all are of their declared
 * shapes as they are, it is one run: a state beside the item that it belongs to. */
static int count_runs(struct table_set *s, size_t *runs, struct err *e)
{
	size_t first = SIZE_MAX, items = 0, n = s->g->inputs.n;

	*runs = 1;
	for (size_t i = 0; i < n; i++) {
		size_t here = s->at[i] && s->at[i]->rank ? (size_t)s->at[i]->dims[0] : 0;

		if (!s->at[i] || s->whole[i] || (first != SIZE_MAX && here / rows_a_run(s, i) == *runs))
			continue;
		if (first != SIZE_MAX && fit_as_they_are(s)) {
			memset(s->whole, 1, n);
			*runs = 1;
			return 0;
		}
		if (first != SIZE_MAX)
			return err_set(e, ERR_INPUT, "data for input '%s' has %zu items, for input '%s' %zu",
				       s->g->inputs.at[i]->name, here, s->g->inputs.at[first]->name, items);
		first = i;
		items = here;
		*runs = here / rows_a_run(s, i);
		if (!*runs)
			return err_set(e, ERR_INPUT, "%zu items are fewer than the %s %zu", here,
				       s->items ? "items of a run," : "model's batch of", rows_a_run(s, i));
	}
	return 0;
}

/* Items that are asked for where the model fixes another number. */
static int check_items(const struct table_set *s, const struct dataset *d, struct err *e)
{
	if (s->items && d->batch != (size_t)s->items)
		return err_set(e, ERR_INPUT, "the model takes %zu items at once: leave out --items", d->batch);
	return 0;
}

/* Items a run, and those of the first table that fill no whole one. */
static void measure_batch(const struct table_set *s, size_t runs, int64_t limit, struct dataset *d)
{
	size_t first = 0;

	while (first < s->g->inputs.n && (!s->at[first] || !s->at[first]->rank))
		first++;
	d->batch = 1;
	if (first == s->g->inputs.n)
		return;
	d->batch = s->whole[first] ? (size_t)s->at[first]->dims[0] : rows_a_run(s, first);
	if (!s->whole[first] && (limit <= 0 || runs <= (size_t)limit))
		d->left_out = (size_t)s->at[first]->dims[0] - runs * d->batch;
}

static int set_whole(const struct table_set *s, size_t i, struct value **run, struct err *e)
{
	run[i] = value_tensor(tensor_ref(s->at[i]), e);
	return run[i] ? adapt_value(&run[i], type_of(s, i), e) : e->code;
}

static int fill_run(const struct table_set *s, size_t k, struct value **run, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < s->g->inputs.n && !rc; i++) {
		size_t rows = rows_a_run(s, i);

		if (s->at[i] && s->whole[i])
			rc = set_whole(s, i, run, e);
		else if (s->at[i])
			rc = set_slice(s->g, i, s->at[i], k * rows, rows, run, e);
		if (!rc && s->at[i])
			rc = adapt_check_input(s->g->inputs.at[i], run[i], e);
	}
	return rc;
}

static int cut_tables(struct table_set *s, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	size_t runs = 0;
	int rc = 0;

	for (size_t i = 0; i < s->g->inputs.n && !rc; i++) {
		s->whole[i] = s->at[i] && is_whole(s, i);
		if (s->at[i] && !s->whole[i])
			rc = check_table(s->at[i], s->g->inputs.at[i]->name, e);
	}
	if (!rc)
		rc = count_runs(s, &runs, e);
	if (!rc)
		measure_batch(s, runs, o->limit, d);
	if (!rc)
		rc = check_items(s, d, e);
	d->all = runs;
	if (o->limit > 0 && runs > (size_t)o->limit)
		runs = (size_t)o->limit;
	for (size_t k = 0; k < runs && !rc; k++) {
		struct value **run = dataset_add_run(d, e);

		rc = run ? fill_run(s, k, run, e) : e->code;
		if (!rc)
			rc = inputs_complete(s->g, &o->inputs, run, &d->sizes, e);
	}
	return rc;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static int tables_from_npz(const struct graph *g, const char *path, struct tensor **tables, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = npz_load(path, &set, e), found = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		tables[i] = tensor_ref(tensor_set_get(&set, g->inputs.at[i]->name));
		found |= tables[i] != NULL;
	}
	if (!rc && !found)
		rc = err_set(e, ERR_INPUT, "'%s' has no member named as an input of the model ('%s', …)", path,
			     g->inputs.n ? g->inputs.at[0]->name : "");
	tensor_set_release(&set);
	return rc;
}

/* Splits a table of one column too many into items and that column. */
static int split_column(struct tensor **table, struct tensor **column, struct err *e)
{
	const struct tensor *t = *table;
	size_t rows = (size_t)t->dims[0], columns = (size_t)t->dims[1];
	struct tensor *out = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){t->dims[0], t->dims[1] - 1}, e);
	struct tensor *last = out ? tensor_new_packed(DT_FLOAT, 1, t->dims, e) : NULL;

	if (!last) {
		tensor_unref(out);
		return e->code;
	}
	for (size_t i = 0; i < rows; i++) {
		const float *row = (const float *)t->data + i * columns;

		memcpy((float *)out->data + i * (columns - 1), row, (columns - 1) * sizeof *row);
		((float *)last->data)[i] = row[columns - 1];
	}
	tensor_unref(*table);
	*table = out;
	*column = last;
	return 0;
}

static int take_labels(const char *path, const struct tensor *column, struct dataset *d, struct err *e)
{
	d->labels = mem_array(column->count, sizeof *d->labels);
	d->labels_each = 1;
	if (!d->labels)
		return err_nomem(e, "labels", column->count * sizeof *d->labels);
	for (size_t i = 0; i < column->count; i++)
		if (!dataset_take_label(tensor_get(column, i), &d->labels[i]))
			return err_set(e, ERR_INPUT,
				       "'%s' line %zu: the label is %g, expected the number of a class (with --task "
				       "regression it is a target)",
				       path, i + 1, tensor_get(column, i));
	return 0;
}

static int split_labels(const struct dataset_options *o, struct tensor **table, struct dataset *d, struct err *e)
{
	struct tensor *column = NULL;
	int rc = split_column(table, &column, e);

	if (!rc && o->column_is_target)
		d->targets = tensor_ref(column);
	else if (!rc && !o->targets)
		rc = take_labels(o->data, column, d, e);
	tensor_unref(column);
	return rc;
}

static int table_from_csv(const struct graph *g, const struct dataset_options *o, size_t i, struct tensor **tables,
			  struct dataset *d, struct err *e)
{
	int rc = csv_load(o->data, &tables[i], e);
	double scale = 1;

	if (!rc && item_elements(&g->inputs.at[i]->type) + 1 == (size_t)tables[i]->dims[1])
		rc = split_labels(o, &tables[i], d, e);
	if (!rc && o->preprocess)
		rc = dataset_scale(o->preprocess, &scale, e);
	for (size_t k = 0; !rc && k < tables[i]->count; k++)
		((float *)tables[i]->data)[k] *= (float)scale;
	return rc;
}

int dataset_from_table(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct table_set s = {.g = g,
			      .at = mem_array(g->inputs.n + 1, sizeof *s.at),
			      .whole = mem_array(g->inputs.n + 1, sizeof *s.whole),
			      .items = o->items};
	size_t i = 0;
	int rc = s.at && s.whole ? dataset_first_input(g, &i, e) : err_nomem(e, "data", 0);

	if (!rc && place_has_suffix(o->data, ".npz"))
		rc = tables_from_npz(g, o->data, s.at, e);
	else if (!rc && place_has_suffix(o->data, ".npy"))
		rc = npy_load(o->data, &s.at[i], e);
	else if (!rc)
		rc = table_from_csv(g, o, i, s.at, d, e);
	if (!rc && cut_tables(&s, o, d, e))
		rc = err_prefix(e, "'%s'", o->data);
	for (size_t k = 0; s.at && k < g->inputs.n; k++)
		tensor_unref(s.at[k]);
	mem_free(s.at);
	mem_free(s.whole);
	return rc;
}
