/* digits.c - labelled digits for training and for class-based distances. */
#include <string.h>

#include "base/mem.h"
#include "zoo/zoo.h"

#define PIXELS 784

static int check_table(const struct tensor *table, const char *path, struct err *e)
{
	const float *cells = table->data;

	if (table->dims[1] != PIXELS + 1)
		return err_set(e, ERR_INPUT, "'%s' has %lld columns; wanted %d grey values and a label", path,
			       (long long)table->dims[1], PIXELS);
	for (int64_t i = 0; i < table->dims[0]; i++) {
		float label = cells[i * (PIXELS + 1) + PIXELS];

		if (!(label >= 0 && label <= 9) || label != (float)(int)label)
			return err_set(e, ERR_INPUT, "'%s' line %lld: label %g is no digit", path, (long long)i + 1,
				       (double)label);
	}
	return 0;
}

static int fill(const struct tensor *table, uint64_t seed, struct zoo_digits *d, struct err *e)
{
	size_t *order = mem_array(d->n, sizeof *order);
	struct rng r;

	d->labels = mem_array(d->n, sizeof *d->labels);
	d->images = tensor_new_packed(DT_FLOAT, 4, (int64_t[]){(int64_t)d->n, 1, 28, 28}, e);
	if (!order || !d->labels || !d->images) {
		mem_free(order);
		return err_nomem(e, "digits", d->n * PIXELS * sizeof(float));
	}
	rng_init(&r, seed);
	for (size_t i = 0; i < d->n; i++)
		order[i] = i;
	rng_shuffle(&r, order, d->n);
	for (size_t i = 0; i < d->n; i++) {
		const float *row = (const float *)table->data + order[i] * (PIXELS + 1);
		float *to = (float *)d->images->data + i * PIXELS;

		for (size_t k = 0; k < PIXELS; k++)
			to[k] = row[k] / 255;
		d->labels[i] = (int)row[PIXELS];
	}
	mem_free(order);
	return 0;
}

int zoo_digits_load(const char *path, uint64_t seed, struct zoo_digits *out, struct err *e)
{
	struct zoo_digits d = {0};
	struct tensor *table;
	int rc = csv_load(path, &table, e);

	if (rc)
		return rc;
	rc = check_table(table, path, e);
	d.n = (size_t)table->dims[0];
	if (!rc)
		rc = fill(table, seed, &d, e);
	tensor_unref(table);
	if (rc)
		zoo_digits_release(&d);
	else
		*out = d;
	return rc;
}

void zoo_digits_release(struct zoo_digits *d)
{
	tensor_unref(d->images);
	mem_free(d->labels);
	*d = (struct zoo_digits){0};
}

struct tensor *zoo_digits_batch(const struct zoo_digits *d, const size_t *order, size_t first, const struct wire *w,
				struct err *e)
{
	struct tensor *t = tensor_new_packed(DT_FLOAT, w->type.rank, w->type.dims, e);
	size_t count;

	if (!t)
		return NULL;
	count = t->count / PIXELS;
	if (!t->rank || t->count != (size_t)t->dims[0] * PIXELS || first + count > d->n) {
		err_set(e, ERR_INPUT, "input '%s' does not take digits of 28 x 28", w->name);
		tensor_unref(t);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		memcpy((float *)t->data + i * PIXELS,
		       (const float *)d->images->data + (order ? order[first + i] : first + i) * PIXELS,
		       PIXELS * sizeof(float));
	return t;
}
