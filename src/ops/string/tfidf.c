/* tfidf.c - TfIdfVectorizer: counts the n-grams of a pool in rows of tokens.
 *
 * An n-gram with skip s takes the tokens i, i + (s + 1), …, i + (n - 1)(s + 1) of a row.  All skips from 0 to
 * max_skip_count are counted; for single tokens they are the same, so those are counted once. */
#include <stdlib.h>
#include <string.h>

#include "ops/call.h"
#include "ops/string/samplers.h"

#define MAX_WINDOWS 1e9 /* n-grams looked up in one call: a hostile skip count makes rows * length^2 of them */

/* Tokens: integers or strings. */
struct tokens {
	const int64_t *ints;
	const struct bytes *strings;
};

/* The n-grams of one length. */
struct grams {
	size_t n;        /* tokens in each */
	size_t first;    /* pool index of the first */
	size_t first_id; /* number of the first, over all lengths */
	size_t count;
	size_t *order; /* [count] sorted by their tokens; ties by number */
};

struct vectorizer {
	struct tokens pool;
	struct grams *grams;
	size_t n_grams;
	const int64_t *indexes; /* by number: output coordinate */
	size_t n_indexes;
	const double *weights; /* by number; NULL: all 1 */
};

static int token_compare(struct tokens a, size_t i, struct tokens b, size_t j)
{
	if (a.ints)
		return a.ints[i] < b.ints[j] ? -1 : a.ints[i] > b.ints[j];

	const struct bytes *x = &a.strings[i], *y = &b.strings[j];
	size_t n = x->n < y->n ? x->n : y->n;
	int order = n ? memcmp(x->p, y->p, n) : 0;

	return order ? order : x->n < y->n ? -1 : x->n > y->n;
}

/* The n-gram at a[i], a[i + step], … against the one at b[j], b[j + 1], … */
static int gram_compare(struct tokens a, size_t i, size_t step, struct tokens b, size_t j, size_t n)
{
	int order = 0;

	for (size_t k = 0; k < n && !order; k++)
		order = token_compare(a, i + k * step, b, j + k);
	return order;
}

/* ---- the pool ---------------------------------------------------------------------------------------------------- */

struct sorting {
	struct tokens pool;
	const struct grams *grams;
};

static int by_tokens(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b, n = s->grams->n;
	int order = gram_compare(s->pool, s->grams->first + i * n, 1, s->pool, s->grams->first + j * n, n);

	return order ? order : i < j ? -1 : i > j;
}

static int read_pool(struct call *c, struct vectorizer *v, size_t *size)
{
	const struct attr *ints = node_attr(c->node, "pool_int64s"), *strings = node_attr(c->node, "pool_strings");

	if (!ints == !strings)
		return call_bad(c, "wanted either pool_int64s or pool_strings");
	if (c->in_type[0].dtype != DT_UNDEFINED && (c->in_type[0].dtype == DT_STRING) != (strings != NULL))
		return call_bad(c, "the pool and X differ in type");
	v->pool = ints ? (struct tokens){ints->ints, NULL} : (struct tokens){NULL, strings->strings};
	*size = ints ? ints->n : strings->n;
	return 0;
}

/* Cuts the pool into n-grams by ngram_counts, the pool indices at which 1-grams, 2-grams, … start. */
static int read_grams(struct call *c, struct vectorizer *v, size_t size)
{
	size_t id = 0;
	const int64_t *starts = node_ints(c->node, "ngram_counts", &v->n_grams);

	v->grams = call_scratch(c, v->n_grams + 1, sizeof *v->grams);
	if (!v->grams)
		return c->err->code;
	for (size_t i = 0; i < v->n_grams; i++) {
		int64_t end = i + 1 < v->n_grams ? starts[i + 1] : (int64_t)size;
		struct grams *g = &v->grams[i];

		if (starts[i] < 0 || end < starts[i] || end > (int64_t)size || (size_t)(end - starts[i]) % (i + 1))
			return call_bad(c, "ngram_counts does not fit the pool of %zu", size);
		*g = (struct grams){i + 1, (size_t)starts[i], id, (size_t)(end - starts[i]) / (i + 1), NULL};
		id += g->count;
	}
	if (id > v->n_indexes)
		return call_bad(c, "the pool has %zu n-grams, ngram_indexes has %zu", id, v->n_indexes);
	return 0;
}

static int sort_grams(struct call *c, struct vectorizer *v)
{
	for (size_t i = 0; i < v->n_grams; i++) {
		struct grams *g = &v->grams[i];
		struct sorting s = {v->pool, g};

		g->order = call_scratch(c, g->count + 1, sizeof *g->order);
		if (!g->order)
			return c->err->code;
		for (size_t k = 0; k < g->count; k++)
			g->order[k] = k;
		qsort_r(g->order, g->count, sizeof *g->order, by_tokens, &s);
	}
	return 0;
}

static int vectorizer_open(struct call *c, struct vectorizer *v)
{
	const char *mode = attr_string(c->node, "mode");
	size_t size = 0, n_weights;
	int rc = read_pool(c, v, &size);

	if (rc)
		return rc;
	v->indexes = node_ints(c->node, "ngram_indexes", &v->n_indexes);
	v->weights = node_floats(c->node, "weights", &n_weights);
	if (v->weights && n_weights != v->n_indexes)
		return call_bad(c, "weights has %zu items, ngram_indexes has %zu", n_weights, v->n_indexes);
	if (strcmp(mode, "TF") != 0 && strcmp(mode, "IDF") != 0 && strcmp(mode, "TFIDF") != 0)
		return call_bad(c, "mode '%s' is not known", mode);
	for (size_t i = 0; i < v->n_indexes; i++)
		if (v->indexes[i] < 0 || v->indexes[i] == INT64_MAX)
			return call_bad(c, "ngram_indexes has %lld", (long long)v->indexes[i]);
	return read_grams(c, v, size);
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int tf_idf_vectorizer_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	struct vectorizer v = {0};
	int64_t dims[2] = {0, 0};
	int rc = vectorizer_open(c, &v);

	if (rc)
		return rc;
	for (size_t i = 0; i < v.n_indexes; i++)
		if (v.indexes[i] >= dims[1])
			dims[1] = v.indexes[i] + 1;
	if (!x) {
		call_out_rank(c, 0, DT_FLOAT, -1);
		return 0;
	}
	if (x->rank > 2)
		return call_bad(c, "X has rank %d, wanted at most 2", x->rank);
	dims[0] = x->rank == 2 ? x->dims[0] : 1;
	call_out(c, 0, DT_FLOAT, x->rank == 2 ? 2 : 1, dims + (x->rank == 2 ? 0 : 1));
	return 0;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Number of the n-gram at x[i], x[i + step], …; SIZE_MAX when the pool does not have it. */
static size_t find_gram(const struct vectorizer *v, const struct grams *g, struct tokens x, size_t i, size_t step)
{
	size_t low = 0, high = g->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gram_compare(x, i, step, v->pool, g->first + g->order[middle] * g->n, g->n) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == g->count || gram_compare(x, i, step, v->pool, g->first + g->order[low] * g->n, g->n) != 0)
		return SIZE_MAX;
	return g->first_id + g->order[low];
}

/* Counts the n-grams of one length in the row x[from … from + len - 1]. */
static void count_grams(const struct vectorizer *v, const struct grams *g, struct tokens x, size_t from, size_t len,
			int64_t max_skip, double *counts)
{
	for (int64_t skip = 0; skip <= (g->n == 1 ? 0 : max_skip); skip++) {
		size_t step = (size_t)skip + 1;

		if (g->n > 1 && step > (len - 1) / (g->n - 1))
			break;
		for (size_t i = 0; i + (g->n - 1) * step < len; i++) {
			size_t id = find_gram(v, g, x, from + i, step);

			if (id != SIZE_MAX)
				counts[id]++;
		}
	}
}

/* TF: count; IDF: weight where the count is above 0; TFIDF: count * weight. */
static void store_row(struct call *c, const struct vectorizer *v, const double *counts, double *y)
{
	const char *mode = attr_string(c->node, "mode");
	int frequency = mode[0] == 'T', weighted = strcmp(mode, "TF") != 0;

	for (size_t id = 0; id < v->n_indexes; id++) {
		double count = frequency ? counts[id] : (double)(counts[id] > 0);

		y[v->indexes[id]] += count * (weighted && v->weights ? v->weights[id] : 1.0);
	}
}

static int check_work(struct call *c, size_t rows, size_t len, int64_t max_skip)
{
	double skips = max_skip < (int64_t)len ? (double)max_skip + 1 : (double)len;

	if ((double)rows * (double)len * skips > MAX_WINDOWS)
		return err_set(c->err, ERR_LIMIT, "more than %.0f n-grams to look up", MAX_WINDOWS);
	return 0;
}

static int tf_idf_vectorizer_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	int64_t least = attr_int(c->node, "min_gram_length"), most = attr_int(c->node, "max_gram_length");
	int64_t max_skip = attr_int(c->node, "max_skip_count");
	struct tokens text = x->dtype == DT_STRING ? (struct tokens){NULL, x->s} : (struct tokens){x->i, NULL};
	size_t rows = x->rank == 2 ? (size_t)x->dims[0] : 1, len = rows ? x->count / rows : 0;
	size_t width = rows ? c->out[0]->count / rows : 0;
	struct vectorizer v = {0};
	double *counts;
	int rc = vectorizer_open(c, &v);

	if (!rc)
		rc = check_work(c, rows, len, max_skip);
	if (!rc)
		rc = sort_grams(c, &v);
	if (rc)
		return rc;
	counts = call_scratch(c, v.n_indexes + 1, sizeof *counts);
	if (!counts)
		return c->err->code;
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] = 0;
	for (size_t r = 0; r < rows && width; r++) {
		memset(counts, 0, v.n_indexes * sizeof *counts);
		for (size_t k = 0; k < v.n_grams && len; k++)
			if ((int64_t)v.grams[k].n >= least && (int64_t)v.grams[k].n <= most)
				count_grams(&v, &v.grams[k], text, r * len, len, max_skip, counts);
		store_row(c, &v, counts, c->out[0]->f + r * width);
	}
	return 0;
}

static const struct op_attr tfidf_attrs[] = {
	OP_NEEDS("mode", ATTR_STRING),         OP_NEEDS("ngram_indexes", ATTR_INTS),
	OP_ATTR("weights", ATTR_FLOATS),       OP_NEEDS("ngram_counts", ATTR_INTS),
	OP_ATTR("pool_int64s", ATTR_INTS),     OP_ATTR("pool_strings", ATTR_STRINGS),
	OP_NEEDS("max_skip_count", ATTR_INT),  OP_NEEDS("min_gram_length", ATTR_INT),
	OP_NEEDS("max_gram_length", ATTR_INT), {0},
};

const struct op op_tf_idf_vectorizer = {
	.samples = SAMPLES({.by = &sampler_tf_idf}),
	.in = {{"X", T_STRING | T_INDEX, 0, 0}},
	.out = {{"Y", TM(DT_FLOAT), 0, 0}},
	.attrs = tfidf_attrs,
	.infer = tf_idf_vectorizer_infer,
	.eval = tf_idf_vectorizer_eval,
	.ulps = 1,
};
