/* dataset.c - see dataset.h. */
#include "case/dataset.h"

#include <dirent.h>
#include <errno.h>
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
	"  than the input has elements is the label, with --task regression the target), PNG and JPEG images or a\n"
	"  folder of them, a folder of input_<n>.pb, or one of test_data_set_<n> folders.  Items lie along the first\n"
	"  axis.\n"
	"  --preprocess scale=1/255 is for numbers of a .csv as well; for images: size=HxW,layout=nchw|nhwc,scale=X,\n"
	"  mean=A/B/C,std=A/B/C (default: the input's own size and layout, scale 1/255, mean 0, std 1).\n"
	"  -i takes [NAME=]FILE as 'run' does, in place of --data: the k-th file of an input is for run k, what is\n"
	"  given once is for all runs.\n";

/* ---- runs -------------------------------------------------------------------------------------------------------- */

struct value **dataset_add_run(struct dataset *d, struct err *e)
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
	for (size_t i = 0; i < d->n; i++) {
		inputs_free(d->runs[i], d->n_inputs);
		inputs_free(d->expected ? d->expected[i] : NULL, d->n_outputs);
	}
	mem_free(d->runs);
	mem_free(d->expected);
	json_decref(d->sizes);
	mem_free(d->labels);
	tensor_unref(d->targets);
	*d = (struct dataset){0};
}

/* The first input without a default: what a file without names is for. */
int dataset_first_input(const struct graph *g, size_t *out, struct err *e)
{
	for (size_t i = 0; i < g->inputs.n; i++)
		if (!g->inputs.at[i]->init) {
			*out = i;
			return 0;
		}
	return err_set(e, ERR_INPUT, "the model takes no inputs");
}

void dataset_options_release(struct dataset_options *o)
{
	vec_release(&o->inputs.files);
	vec_release(&o->inputs.dims);
	vec_release(&o->expect);
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
	struct value **run = dataset_add_run(d, e);
	struct tensor *t;
	int rc = run ? dataset_read_image(path, g->inputs.at[i], o->preprocess, &t, e) : e->code;

	if (rc)
		return rc;
	run[i] = value_tensor(t, e);
	return run[i] ? inputs_complete(g, &o->inputs, run, &d->sizes, e) : e->code;
}

static int add_folder(const struct graph *g, const char *path, size_t i, const struct dataset_options *o,
		      struct dataset *d, struct err *e)
{
	struct value **run = dataset_add_run(d, e);
	struct texts one = {.at = &path, .n = 1};

	(void)i;
	if (!run)
		return e->code;
	return inputs_from_files(g, &one, run, e) ? e->code : inputs_complete(g, &o->inputs, run, &d->sizes, e);
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
		rc = dataset_first_input(g, &i, e);
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

static int read_table(const char *path, struct tensor **out, struct err *e)
{
	return place_has_suffix(path, ".npy") ? npy_load(path, out, e) : csv_load(path, out, e);
}

int dataset_take_label(double x, int64_t *out)
{
	if (!(x >= 0 && x <= 1e9) || x != floor(x))
		return 0;
	*out = (int64_t)x;
	return 1;
}

/* A row for each item, which may have several labels; or all labels in one row. */
static size_t labels_of_an_item(const struct tensor *t, size_t items)
{
	size_t rows = t->rank ? (size_t)t->dims[0] : 1;

	return rows >= items && rows ? t->count / rows : 1;
}

static int read_labels(const char *path, struct dataset *d, struct err *e)
{
	struct tensor *t = NULL;
	int rc = read_table(path, &t, e);

	if (rc)
		return rc;
	if (t->count < d->n * d->batch)
		rc = err_set(e, ERR_INPUT, "'%s' has %zu labels for %zu items", path, t->count, d->n * d->batch);
	mem_free(d->labels);
	d->labels_each = labels_of_an_item(t, d->n * d->batch);
	d->labels = rc ? NULL : mem_array(t->count, sizeof *d->labels);
	if (!rc && !d->labels)
		rc = err_nomem(e, "labels", t->count * sizeof *d->labels);
	for (size_t i = 0; i < t->count && !rc; i++)
		if (!dataset_take_label(tensor_get(t, i), &d->labels[i]))
			rc = err_set(e, ERR_INPUT, "'%s': label %zu is %g, wanted the number of a class", path, i,
				     tensor_get(t, i));
	tensor_unref(t);
	return rc;
}

static int read_targets(const char *path, struct dataset *d, struct err *e)
{
	struct tensor *t = NULL;
	int rc = read_table(path, &t, e);
	size_t rows;

	if (rc)
		return rc;
	rows = t->rank ? (size_t)t->dims[0] : 1;
	if (t->dtype == DT_STRING || !t->rank || rows < d->n * d->batch) {
		rc = err_set(e, ERR_INPUT, "'%s' has targets of %zu items, there are %zu", path, rows, d->n * d->batch);
		tensor_unref(t);
		return rc;
	}
	tensor_unref(d->targets);
	d->targets = t;
	return 0;
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
		struct value **run = dataset_add_run(d, e);

		each.seed = o->inputs.seed + (uint64_t)k;
		rc = run ? inputs_complete(g, &each, run, &d->sizes, e) : e->code;
	}
	return rc;
}

/* Items of a run: along the first axis of its first tensor that has one. */
static size_t items_of_run(const struct dataset *d, size_t run)
{
	for (size_t i = 0; i < d->n_inputs; i++) {
		const struct value *v = d->runs[run][i];

		if (v && v->kind == VALUE_TENSOR && v->tensor->rank)
			return (size_t)v->tensor->dims[0];
	}
	return 1;
}

/* Runs of different sizes are one item each. */
static void measure_batch(struct dataset *d)
{
	d->batch = d->n ? items_of_run(d, 0) : 1;
	for (size_t i = 1; i < d->n; i++)
		if (items_of_run(d, i) != d->batch)
			d->batch = 1;
}

static int from_data(const struct graph *g, const struct dataset_options *o, struct dataset *d, struct err *e)
{
	struct stat st;

	if (stat(o->data, &st))
		return err_set(e, ERR_IO, "cannot open '%s': %s", o->data, strerror(errno));
	d->batch = 1;
	if (o->items && (S_ISDIR(st.st_mode) || is_image(o->data)))
		return err_set(e, ERR_USAGE, "--items: '%s' is not a table (.npy, .npz, .csv, .csv.gz) of items",
			       o->data);
	if (S_ISDIR(st.st_mode))
		return from_folder(g, o, d, e);
	if (is_image(o->data)) {
		size_t i = 0;
		int rc = dataset_first_input(g, &i, e);

		return rc ? rc : add_image(g, o->data, i, o, d, e);
	}
	if (place_has_suffix(o->data, ".npy") || place_has_suffix(o->data, ".npz") ||
	    place_has_suffix(o->data, ".csv") || place_has_suffix(o->data, ".csv.gz"))
		return dataset_from_table(g, o, d, e);
	return err_set(e, ERR_USAGE, "--data: '%s' is neither .npy, .npz, .csv, .csv.gz, an image nor a folder",
		       o->data);
}

int dataset_make(const struct graph *g, const struct dataset_options *o, struct dataset *out, struct err *e)
{
	struct dataset d = {.n_inputs = g->inputs.n};
	int rc = 0;

	if (o->data && o->inputs.files.n)
		rc = err_set(e, ERR_USAGE, "--data and --input both give inputs: take one of them");
	else if (o->data)
		rc = from_data(g, o, &d, e);
	else
		rc = o->inputs.files.n ? dataset_from_files(g, o, &d, e) : make_up(g, o, &d, e);
	if (!rc && !o->data)
		measure_batch(&d);
	if (!d.all)
		d.all = d.n;
	if (!rc && o->expect.n)
		rc = dataset_read_expected(g, o, &d, e);
	if (!rc && o->labels)
		rc = read_labels(o->labels, &d, e);
	if (!rc && o->targets)
		rc = read_targets(o->targets, &d, e);
	if (rc)
		dataset_release(&d);
	else
		*out = d;
	return rc;
}
