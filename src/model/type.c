/* type.c - types of wires: see model.h. */
#include <stdarg.h>
#include <stdio.h>

#include "base/plain.h"
#include "model/internal.h"

int type_is_static(const struct type *t)
{
	if (t->kind != VALUE_TENSOR || t->rank < 0)
		return 0;
	for (int i = 0; i < t->rank; i++)
		if (t->dims[i] < 0)
			return 0;
	return 1;
}

void type_set(struct type *t, enum dtype dt, int rank, const int64_t *dims)
{
	*t = (struct type){.kind = VALUE_TENSOR, .dtype = dt, .rank = rank};
	for (int i = 0; i < rank; i++)
		t->dims[i] = dims[i];
}

int type_holds(const struct type *t, const struct tensor *x)
{
	if (t->kind != VALUE_TENSOR || (t->dtype != DT_UNDEFINED && t->dtype != x->dtype))
		return 0;
	if (t->rank < 0)
		return 1;
	if (t->rank != x->rank)
		return 0;
	for (int i = 0; i < t->rank; i++)
		if (t->dims[i] >= 0 && t->dims[i] != x->dims[i])
			return 0;
	return 1;
}

/* Text that grows up to a fixed size and is then cut. */
struct type_text {
	char *out;
	size_t size, n;
};

static void __attribute__((format(printf, 2, 3))) put(struct type_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->n + 1 >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->out + t->n, t->size - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t)n < t->size - t->n ? (size_t)n : t->size - t->n - 1;
}

static void put_dim(struct type_text *x, int64_t d, const struct graph *g)
{
	if (d >= 0)
		put(x, "%lld", (long long)d);
	else if (d == DIM_UNKNOWN)
		put(x, "?");
	else if (g && DIM_SYMBOL_INDEX(d) < g->model->symbols.n)
		put(x, "%s", PLAIN(g->model->symbols.at[DIM_SYMBOL_INDEX(d)]));
	else
		put(x, "s%zu", DIM_SYMBOL_INDEX(d));
}

static void put_type(struct type_text *x, const struct type *t, const struct graph *g, int depth)
{
	static const char *const wrapper[] = {[VALUE_SEQUENCE] = "sequence", [VALUE_OPTIONAL] = "optional"};

	if (!t || t->kind == VALUE_NONE || depth > MODEL_MAX_DEPTH) {
		put(x, "unknown");
	} else if (t->kind == VALUE_MAP) {
		put(x, "map(%s,%s)", dtype_name(t->key), dtype_name(t->dtype));
	} else if (t->kind != VALUE_TENSOR) {
		put(x, "%s(", wrapper[t->kind]);
		put_type(x, t->elem, g, depth + 1);
		put(x, ")");
	} else {
		put(x, "%s", dtype_name(t->dtype));
		if (t->rank < 0)
			return;
		put(x, "[");
		for (int i = 0; i < t->rank; i++) {
			put(x, i ? "," : "");
			put_dim(x, t->dims[i], g);
		}
		put(x, "]");
	}
}

const char *type_describe(const struct type *t, const struct graph *g, char *out, size_t size)
{
	struct type_text x = {out, size, 0};

	if (size)
		out[0] = '\0';
	put_type(&x, t, g, 0);
	return out;
}
