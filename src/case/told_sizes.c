/* told_sizes.c - see told_sizes.h. */
#include "case/told_sizes.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/plain.h"

#define NAME_SIZE 512

/* ---- which ones -------------------------------------------------------------------------------------------------- */

static int is_given(const struct texts *dims, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < dims->n; i++)
		if (!strncmp(dims->at[i], name, n) && dims->at[i][n] == '=')
			return 1;
	return 0;
}

/* Whether an input that a file gives has the named dimension. */
static int is_in_a_file(const struct graph *g, struct value *const *in, int64_t dim)
{
	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct type *t = &g->inputs.at[i]->type;

		for (int k = 0; in[i] && k < t->rank; k++)
			if (t->dims[k] == dim)
				return 1;
	}
	return 0;
}

/* What --dim calls an axis: by the name of the dimension, else INPUT.AXIS. */
static const char *dim_name(const struct wire *w, int axis, char out[NAME_SIZE])
{
	int64_t d = w->type.dims[axis];

	if (d <= DIM_SYMBOL(0))
		return w->graph->model->symbols.at[DIM_SYMBOL_INDEX(d)];
	snprintf(out, NAME_SIZE, "%s.%d", w->name, axis);
	return out;
}

void told_sizes_find_open(const struct graph *g, const struct input_options *o, struct value *const *in, unsigned *out)
{
	char name[NAME_SIZE];

	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct wire *w = g->inputs.at[i];

		out[i] = 0;
		for (int k = 0; !in[i] && !w->init && w->type.kind == VALUE_TENSOR && k < w->type.rank; k++) {
			int64_t d = w->type.dims[k];
			int open = d < 0 && !is_given(&o->dims, dim_name(w, k, name));

			snprintf(name, sizeof name, "%s.%d", w->name, k);
			open = open && !is_given(&o->dims, name) && !(d <= DIM_SYMBOL(0) && is_in_a_file(g, in, d));
			out[i] |= open ? 1u << k : 0;
		}
	}
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static json_t *dims_json(const struct wire *w, const struct tensor *t, unsigned made_up)
{
	json_t *list = json_array();
	char name[NAME_SIZE];

	for (int k = 0; k < t->rank; k++) {
		int open = k < w->type.rank && w->type.dims[k] < 0;

		json_array_append_new(list, json_pack("{s:o, s:I, s:b}", "name",
						      open ? json_text(dim_name(w, k, name)) : json_null(), "size",
						      (json_int_t)t->dims[k], "made_up", (int)(made_up >> k & 1)));
	}
	return list;
}

json_t *told_sizes_json(const struct graph *g, struct value *const *in, const unsigned *made_up)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct wire *w = g->inputs.at[i];
		const struct tensor *t = in[i] && in[i]->kind == VALUE_TENSOR ? in[i]->tensor : NULL;

		if (t)
			json_array_append_new(list,
					      json_pack("{s:o, s:s, s:o}", "name", json_text(w->name), "dtype",
							dtype_name(t->dtype), "dims", dims_json(w, t, made_up[i])));
	}
	return list;
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

static int is_made_up(const json_t *dims, size_t k)
{
	const json_t *d = json_array_get(dims, k);

	return json_is_true(json_object_get(d, "made_up")) &&
	       (k || json_array_size(dims) < 2 || json_integer_value(json_object_get(d, "size")) != 1);
}

/* Two axes of one name have one size: it is told once. */
static int is_told(const json_t *dims, size_t k)
{
	const char *name = json_text_at(json_array_get(dims, k), "name");

	for (size_t i = 0; i < k; i++)
		if (is_made_up(dims, i) && !strcmp(json_text_at(json_array_get(dims, i), "name"), name))
			return 0;
	return is_made_up(dims, k);
}

/* Between the k-th of n names. */
static const char *between(size_t k, size_t n)
{
	return !k ? "" : k + 1 == n ? " and " : ", ";
}

static void put_input(const json_t *input, struct buf *out)
{
	const json_t *dims = json_object_get(input, "dims");
	size_t told = 0, at = 0;
	const char *first = NULL;

	for (size_t k = 0; k < json_array_size(dims); k++)
		told += (size_t)is_told(dims, k);
	if (!told)
		return;
	buf_printf(out, "%s: %s[", PLAIN(json_text_at(input, "name")), json_text_at(input, "dtype"));
	for (size_t k = 0; k < json_array_size(dims); k++) {
		const json_t *d = json_array_get(dims, k);
		const char *name = json_text_at(d, "name");

		buf_printf(out, "%s%s%s%lld", k ? ", " : "", PLAIN(name), *name ? "=" : "",
			   (long long)json_integer_value(json_object_get(d, "size")));
	}
	buf_puts(out, "]; ");
	for (size_t k = 0; k < json_array_size(dims); k++) {
		const char *name = json_text_at(json_array_get(dims, k), "name");

		if (!is_told(dims, k))
			continue;
		first = first ? first : name;
		buf_printf(out, "%s%s", between(at++, told), PLAIN(name));
	}
	buf_printf(out, " %s made up: --dim %s=…\n", told > 1 ? "were" : "was", PLAIN(first));
}

void told_sizes_text(const json_t *sizes, struct buf *out)
{
	for (size_t i = 0; i < json_array_size(sizes); i++)
		put_input(json_array_get(sizes, i), out);
}
