/* dataset.c - see dataset.h. */
#include "case/dataset.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "model/adapt.h"
#include "tensor/io.h"

#define MAX_RANDOM 1000000

const char dataset_notes[] =
	"models:\n"
	"  Files, or names of the zoo ('assay zoo list').\n"
	"data:\n"
	"  --data takes .npy, .npz (members named as the inputs), .csv and .csv.gz (one item a line; one column more\n"
	"  than the input has elements is the label), PNG and JPEG images or a folder of them, a folder of\n"
	"  input_<n>.pb, or one of test_data_set_<n> folders.  Items lie along the first axis.\n"
	"  --preprocess scale=1/255 is for numbers of a .csv as well; for images: size=HxW,layout=nchw|nhwc,scale=X,\n"
	"  mean=A/B/C,std=A/B/C (default: the input's own size and layout, scale 1/255, mean 0, std 1).\n";

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static struct value **add_run(struct dataset *d, struct err *e)
{
	struct value ***more, **run = mem_array(d->n_inputs + 1, sizeof *run);

	more = run ? mem_resize(d->runs, (d->n + 1) * sizeof *more) : NULL;
	if (!more) {
		mem_free(run);
		err_nomem(e, "runs", d->n * sizeof *more);
		return NULL;
	}
	d->runs = more;
	d->runs[d->n++] = run;
	return run;
}

void dataset_release(struct dataset *d)
{
	for (size_t i = 0; i < d->n; i++)
		inputs_free(d->runs[i], d->n_inputs);
	mem_free(d->runs);
	mem_free(d->labels);
	*d = (struct dataset){0};
}

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

static int check_table(const struct tensor *t, const char *name, size_t items, struct err *e)
{
	if (t->rank < 1 || !t->count || t->dtype == DT_STRING || dtype_bits(t->dtype) % 8)
		return err_set(e, ERR_INPUT, "data for input '%s': wanted numbers with items along the first axis",
			       name);
	if (items && (size_t)t->dims[0] != items)
		return err_set(e, ERR_INPUT, "data for input '%s' has %lld items, for another input %zu", name,
			       (long long)t->dims[0], items);
	return 0;
}

/* tables[i] for input i (NULL: none). */
static int cut_tables(const struct graph *g, struct tensor *const *tables, const struct dataset_options *o,
		      struct dataset *d, struct err *e)
{
	size_t items = 0, runs;
	int rc = 0;

	d->batch = 1;
	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		const struct type *t = &g->inputs.at[i]->type;

		if (!tables[i])
			continue;
		rc = check_table(tables[i], g->inputs.at[i]->name, items, e);
		if (!rc && !items && t->rank > 0 && t->dims[0] > 0)
			d->batch = (size_t)t->dims[0];
		items = rc ? 0 : (size_t)tables[i]->dims[0];
	}
	runs = items / d->batch;
	if (!rc && !runs)
		rc = err_set(e, ERR_INPUT, "%zu items are fewer than the model's batch of %zu", items, d->batch);
	if (o->limit > 0 && runs > (size_t)o->limit)
		runs = (size_t)o->limit;
	else
		d->left_out = items - runs * d->batch;
	for (size_t k = 0; k < runs && !rc; k++) {
		struct value **run = add_run(d, e);

		rc = run ? 0 : e->code;
		for (size_t i = 0; i < g->inputs.n && !rc; i++)
			if (tables[i])
				rc = set_slice(g, i, tables[i], k * d->batch, d->batch, run, e);
		if (!rc)
			rc = inputs_make_up(g, &o->inputs, run, e);
	}
	return rc;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* The first input without a default: what a file without names is for. */
static int first_input(const struct graph *g, size_t *out, struct err *e)
{
	for (size_t i = 0; i < g->inputs.n; i++)
		if (!g->inputs.at[i]->init) {
			*out = i;
			return 0;
		}
	return err_set(e, ERR_INPUT, "the model takes no inputs");
}

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

/* Splits a table of one column too many into items and labels. */
static int split_labels(struct tensor **table, struct dataset *d, struct err *e)
{
	const struct tensor *t = *table;
	size_t rows = (size_t)t->dims[0], columns = (size_t)t->dims[1];
	struct tensor *out = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){t->dims[0], t->dims[1] - 1}, e);

	d->labels = out ? mem_array(rows, sizeof *d->labels) : NULL;
	if (!d->labels) {
		tensor_unref(out);
		return err_nomem(e, "labels", rows * sizeof *d->labels);
	}
	for (size_t i = 0; i < rows; i++) {
		const float *row = (const float *)t->data + i * columns;

		memcpy((float *)out->data + i * (columns - 1), row, (columns - 1) * sizeof *row);
		d->labels[i] = (int64_t)row[columns - 1];
	}
	tensor_unref(*table);
	*table = out;
	return 0;
}

static int table_from_csv(const struct graph *g, const struct dataset_options *o, size_t i, struct tensor **tables,
			  struct dataset *d, struct err *e)
{
	int rc = csv_load(o->data, &tables[i], e);
	double scale = 1;

	if (!rc && item_elements(&g->inputs.at[i]->type) + 1 == (size_t)tables[i]->dims[1])
		rc = split_labels(&tables[i], d, e);
	if (!rc && o->preprocess)
		rc = dataset_scale(o->preprocess, &scale, e);
	for (size_t k = 0; !rc && k < tables[i]->count; k++)
		((float *)tables[i]->data)[k] *= (float)scale;
	return rc;
}

static int from_table(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct tensor **tables = mem_array(g->inputs.n + 1, sizeof *tables);
	size_t i = 0;
	int rc = tables ? first_input(g, &i, e) : err_nomem(e, "data", 0);

	if (!rc && place_has_suffix(o->data, ".npz"))
		rc = tables_from_npz(g, o->data, tables, e);
	else if (!rc && place_has_suffix(o->data, ".npy"))
		rc = npy_load(o->data, &tables[i], e);
	else if (!rc)
		rc = table_from_csv(g, o, i, tables, d, e);
	if (!rc)
		rc = cut_tables(g, tables, o, d, e);
	for (size_t k = 0; tables && k < g->inputs.n; k++)
		tensor_unref(tables[k]);
	mem_free(tables);
	return rc;
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static int is_image(const char *name)
{
	return place_has_suffix(name, ".png") || place_has_suffix(name, ".jpg") || place_has_suffix(name, ".jpeg");
}

static int is_data_set(const char *name)
{
	return !strncmp(name, "test_data_set_", 14);
}

static int add_image(const struct graph *g, const char *path, size_t i, const struct dataset_options *o,
		     struct dataset *d, struct err *e)
{
	struct value **run = add_run(d, e);
	struct tensor *t;
	int rc = run ? dataset_read_image(path, g->inputs.at[i], o->preprocess, &t, e) : e->code;

	if (rc)
		return rc;
	run[i] = value_tensor(t, e);
	return run[i] ? inputs_make_up(g, &o->inputs, run, e) : e->code;
}

static int add_folder(const struct graph *g, const char *path, size_t i, const struct dataset_options *o,
		      struct dataset *d, struct err *e)
{
	struct value **run = add_run(d, e);
	struct texts one = {.at = &path, .n = 1};

	(void)i;
	if (!run)
		return e->code;
	return inputs_from_files(g, &one, run, e) ? e->code : inputs_make_up(g, &o->inputs, run, e);
}

typedef int add_fn(const struct graph *g, const char *path, size_t i, const struct dataset_options *o,
		   struct dataset *d, struct err *e);

struct names {
	char **at;
	size_t n, size;
};

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b); /* "10" after "9" */
}

static int list_folder(const char *folder, int (*wanted)(const char *name), struct names *out, struct err *e)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;
	int rc = d ? 0 : err_set(e, ERR_IO, "cannot read folder '%s'", folder);

	while (!rc && (entry = readdir(d)) != NULL) {
		char *name = wanted(entry->d_name) ? mem_strdup(entry->d_name) : NULL;

		if (wanted(entry->d_name) && (!name || vec_push(out, name))) {
			mem_free(name);
			rc = err_nomem(e, "names", 0);
		}
	}
	if (d)
		closedir(d);
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, by_number);
	return rc;
}

/* Every entry that `wanted` takes, in order; *found says how many there are. */
static int each_entry(const struct graph *g, const struct dataset_options *o, int (*wanted)(const char *name),
		      add_fn *add, struct dataset *d, size_t *found, struct err *e)
{
	struct names names = {0};
	size_t i = 0;
	int rc = list_folder(o->data, wanted, &names, e);

	*found = names.n;
	if (!rc && names.n)
		rc = first_input(g, &i, e);
	for (size_t k = 0; k < names.n && !rc && (o->limit <= 0 || k < (size_t)o->limit); k++) {
		char path[PLACE_PATH];

		if (snprintf(path, sizeof path, "%s/%s", o->data, names.at[k]) >= (int)sizeof path)
			rc = err_set(e, ERR_LIMIT, "the path of '%s' is too long", names.at[k]);
		else
			rc = add(g, path, i, o, d, e);
	}
	for (size_t k = 0; k < names.n; k++)
		mem_free(names.at[k]);
	vec_release(&names);
	return rc;
}

static int from_folder(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	size_t found = 0;
	int rc = each_entry(g, o, is_image, add_image, d, &found, e);

	if (!rc && !found)
		rc = each_entry(g, o, is_data_set, add_folder, d, &found, e);
	if (!rc && !found)
		rc = add_folder(g, o->data, 0, o, d, e);
	return rc;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static int read_labels(const char *path, struct dataset *d, struct err *e)
{
	struct tensor *t = NULL;
	int rc = place_has_suffix(path, ".npy") ? npy_load(path, &t, e) : csv_load(path, &t, e);

	if (rc)
		return rc;
	if (t->count < d->n * d->batch)
		rc = err_set(e, ERR_INPUT, "'%s' has %zu labels for %zu items", path, t->count, d->n * d->batch);
	mem_free(d->labels);
	d->labels = rc ? NULL : mem_array(t->count, sizeof *d->labels);
	if (!rc && !d->labels)
		rc = err_nomem(e, "labels", t->count * sizeof *d->labels);
	for (size_t i = 0; i < t->count && !rc; i++) {
		double x = tensor_get(t, i);

		if (!(x >= 0 && x <= 1e9) || x != floor(x))
			rc = err_set(e, ERR_INPUT, "'%s': label %zu is %g, wanted the number of a class", path, i, x);
		d->labels[i] = rc ? 0 : (int64_t)x;
	}
	tensor_unref(t);
	return rc;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

static int make_up(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct input_options each = o->inputs;
	int64_t n = o->random > 0 ? o->random : 1;
	int rc = 0;

	if (n > MAX_RANDOM)
		return err_set(e, ERR_USAGE, "--random %lld is more than %d", (long long)n, MAX_RANDOM);
	for (int64_t k = 0; k < n && !rc; k++) {
		struct value **run = add_run(d, e);

		each.seed = o->inputs.seed + (uint64_t)k;
		rc = run ? inputs_make_up(g, &each, run, e) : e->code;
	}
	d->batch = 1;
	for (size_t i = g->inputs.n; i-- > 0;)
		if (!rc && d->n && d->runs[0][i] && d->runs[0][i]->kind == VALUE_TENSOR && d->runs[0][i]->tensor->rank)
			d->batch = (size_t)d->runs[0][i]->tensor->dims[0];
	return rc;
}

static int from_data(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct stat st;

	if (stat(o->data, &st))
		return err_set(e, ERR_IO, "cannot read '%s'", o->data);
	d->batch = 1;
	if (S_ISDIR(st.st_mode))
		return from_folder(g, o, d, e);
	if (is_image(o->data)) {
		size_t i = 0;
		int rc = first_input(g, &i, e);

		return rc ? rc : add_image(g, o->data, i, o, d, e);
	}
	if (place_has_suffix(o->data, ".npy") || place_has_suffix(o->data, ".npz") ||
	    place_has_suffix(o->data, ".csv") || place_has_suffix(o->data, ".csv.gz"))
		return from_table(g, o, d, e);
	return err_set(e, ERR_USAGE, "--data: '%s' is neither .npy, .npz, .csv, .csv.gz, an image nor a folder",
		       o->data);
}

int dataset_make(const struct graph *g, const struct dataset_options *o, struct dataset *out, struct err *e)
{
	struct dataset d = {.n_inputs = g->inputs.n};
	int rc = o->data ? from_data(g, o, &d, e) : make_up(g, o, &d, e);

	if (!rc && o->labels)
		rc = read_labels(o->labels, &d, e);
	if (rc)
		dataset_release(&d);
	else
		*out = d;
	return rc;
}
