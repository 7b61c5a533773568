/* show.c - see show.h. */
#include "cli/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/plain.h"
#include "tensor/stats.h"

#define PREVIEW_SIZE 2048
#define NOISE_SHOWN 6 /* elements printed as value ± noise */

static const char *kind_name(enum value_kind k)
{
	static const char *const names[] = {[VALUE_NONE] = "nothing",
					    [VALUE_TENSOR] = "tensor",
					    [VALUE_SEQUENCE] = "sequence",
					    [VALUE_OPTIONAL] = "optional",
					    [VALUE_MAP] = "map"};

	return names[k];
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

struct noise_stats {
	double max, median; /* over finite noises; NaN when there are none */
	size_t arg_max;
	size_t unstable; /* elements whose noise is infinite: rounding alone can change the shape, or fail the run */
};

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void noise_stats(const float *noise, size_t n, struct noise_stats *out)
{
	float *sorted = mem_array(n, sizeof *sorted);
	size_t finite = 0;

	*out = (struct noise_stats){.max = NAN, .median = NAN};
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(noise[i])) {
			out->unstable++;
			continue;
		}
		if (!(noise[i] <= out->max)) {
			out->max = noise[i];
			out->arg_max = i;
		}
		if (sorted)
			sorted[finite++] = noise[i];
	}
	if (finite) {
		qsort(sorted, finite, sizeof *sorted, by_size);
		out->median = (sorted[(finite - 1) / 2] + sorted[finite / 2]) / 2.0;
	}
	mem_free(sorted);
}

static void show_noise(FILE *out, const struct tensor *t, const float *noise, int runs)
{
	struct noise_stats s;

	noise_stats(noise, t->count, &s);
	fprintf(out, "  noise of %d runs:", runs);
	if (!isnan(s.max))
		fprintf(out, " max %.3g (element %zu), median %.3g", s.max, s.arg_max, s.median);
	if (s.unstable)
		fprintf(out, "%s %zu elements unstable", isnan(s.max) ? "" : ",", s.unstable);
	fputs("\n   ", out);
	for (size_t i = 0; i < t->count && i < NOISE_SHOWN; i++)
		fprintf(out, " %.9g ± %.2g%s", tensor_get(t, i), (double)noise[i],
			i + 1 < t->count && i + 1 < NOISE_SHOWN ? "," : "");
	fputs(t->count > NOISE_SHOWN ? ", …\n" : "\n", out);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void show_stats(FILE *out, const struct tensor *t)
{
	struct tensor_stats s;

	tensor_stats(t, &s);
	if (!isnan(s.mean))
		fprintf(out, "  min %.6g  max %.6g  mean %.6g  std %.6g", s.min, s.max, s.mean, s.std);
	if (s.nan)
		fprintf(out, "  nan %zu", s.nan);
	if (s.pos_inf + s.neg_inf)
		fprintf(out, "  inf %zu", s.pos_inf + s.neg_inf);
}

/* Items at each end of each axis: the more axes, the fewer, so that a preview stays a line or two. */
static int preview_edge(int rank)
{
	return rank < 2 ? 5 : rank == 2 ? 3 : 1;
}

void show_value(FILE *out, const char *name, const struct value *v, const float *noise, int runs)
{
	char text[PREVIEW_SIZE];

	name = PLAIN(name);
	if (v->kind != VALUE_TENSOR) {
		fprintf(out, "%s: %s of %zu\n", name, kind_name(v->kind), v->n);
		for (size_t i = 0; i < v->n; i++) {
			snprintf(text, sizeof text, "%s[%zu]", name, i);
			show_value(out, text, v->items[i], NULL, 0);
		}
		return;
	}
	fprintf(out, "%s: %s", name, tensor_describe(v->tensor, text, sizeof text));
	show_stats(out, v->tensor);
	tensor_preview(v->tensor, preview_edge(v->tensor->rank), text, sizeof text);
	fprintf(out, "\n  %s\n", text);
	if (noise && v->tensor->count)
		show_noise(out, v->tensor, noise, runs);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Strings of a tensor may hold any bytes; JSON holds UTF-8. */
static json_t *json_bytes(const struct bytes *s)
{
	json_t *text = json_stringn(s->p, s->n);

	if (!text) {
		char *hex = mem_zalloc(2 * s->n + 5);

		for (size_t i = 0; hex && i < s->n; i++)
			snprintf(hex + 2 * i, 3, "%02x", (unsigned char)s->p[i]);
		text = hex ? json_pack("{s:s}", "bytes", hex) : NULL;
		mem_free(hex);
	}
	return text;
}

static json_t *json_element(const struct tensor *t, size_t i)
{
	double f[2];
	int64_t n;

	switch (dtype_wide(t->dtype)) {
	case WIDE_STR:
		return json_bytes(&t->s[i]);
	case WIDE_C64:
		if (t->wide)
			memcpy(f, t->f + 2 * i, sizeof f);
		else
			dtype_unpack(t->dtype, t->data, i, 1, f);
		return json_pack("[o, o]", json_number(f[0]), json_number(f[1]));
	case WIDE_I64:
		if (t->wide)
			n = t->i[i];
		else
			dtype_unpack(t->dtype, t->data, i, 1, &n);
		if (t->dtype == DT_UINT64 && n < 0)
			return json_real((double)(uint64_t)n);
		return t->dtype == DT_BOOL ? json_boolean(n) : json_integer(n);
	default:
		return json_number(tensor_get(t, i));
	}
}

static json_t *json_values(const struct tensor *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->count; i++)
		json_array_append_new(list, json_element(t, i));
	return list;
}

static json_t *json_noise(const float *noise, size_t n, int runs)
{
	struct noise_stats s;
	json_t *o, *list;

	noise_stats(noise, n, &s);
	o = json_pack("{s:i, s:o, s:o, s:I}", "runs", runs, "max", json_number_or_null(s.max), "median",
		      json_number_or_null(s.median), "unstable", (json_int_t)s.unstable);
	if (n > SHOW_VALUES)
		return o;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_number((double)noise[i]));
	json_object_set_new(o, "values", list);
	return o;
}

static json_t *json_tensor(const char *name, const struct tensor *t, const float *noise, int runs)
{
	json_t *dims = json_array(), *o;
	struct tensor_stats s;

	tensor_stats(t, &s);
	for (int i = 0; i < t->rank; i++)
		json_array_append_new(dims, json_integer(t->dims[i]));
	o = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I}", "name", name, "dtype", dtype_name(t->dtype), "dims",
		      dims, "min", json_number_or_null(s.min), "max", json_number_or_null(s.max), "mean",
		      json_number_or_null(s.mean), "nan", (json_int_t)s.nan, "inf",
		      (json_int_t)(s.pos_inf + s.neg_inf));
	if (t->count <= SHOW_VALUES)
		json_object_set_new(o, "values", json_values(t));
	if (noise)
		json_object_set_new(o, "noise", json_noise(noise, t->count, runs));
	return o;
}

json_t *show_json(const char *name, const struct value *v, const float *noise, int runs)
{
	json_t *items;

	if (v->kind == VALUE_TENSOR)
		return json_tensor(name, v->tensor, noise, runs);
	items = json_array();
	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(items, show_json("", v->items[i], NULL, 0));
	return json_pack("{s:s, s:s, s:o}", "name", name, "kind", kind_name(v->kind), "items", items);
}
