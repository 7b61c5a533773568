/* sample_string.c - operators on strings.
 *
 * Inputs of models are numbers: strings are looked up in a table by them.  What comes out is a number again, or a bool;
 * some of the strings are outputs of the model as well. */
#include <string.h>

#include "ops/sample/maker.h"
#include "ops/string/samplers.h"

#define MAX_TABLE 8

static const char *const words[] = {"",       "a",     "b",  "A",    "ab",  "a b",    "Hello World",
				    "x,y,,z", " lead", "3",  "-1",   "été", "trail ", "\t",
				    "a-b-c",  "aaaa",  "ÄÖ", "12.5", ",",   "ab ab"};
#define N_WORDS ((int64_t)(sizeof words / sizeof *words))

static const char *draw_word(struct maker *m)
{
	return words[make_between(m, 0, N_WORDS - 1)];
}

static struct wire *const_strings(struct maker *m, int rank, const int64_t *dims)
{
	struct tensor *t = m->b.rc ? NULL : tensor_new(DT_STRING, rank, dims, m->b.err);

	for (size_t i = 0; t && i < t->count && !m->b.rc; i++) {
		const char *word = draw_word(m);

		m->b.rc = tensor_set_string(t, i, word, strlen(word), m->b.err);
	}
	return make_const(m, t, 0);
}

/* A string for each number: a row of a table, or its digits. */
static struct wire *spell(struct maker *m, struct wire *x)
{
	int64_t rows = make_between(m, 1, MAX_TABLE);
	struct wire *index;

	x = make_calm(m, x, 1000);
	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.25)) {
		make_begin_cast(m, x, DT_STRING);
		return make_done(m);
	}
	index = make_op2(m, "Mod", x, make_scalar(m, x->type.dtype, (double)rows)); /* of the divisor's sign */
	return m->b.rc ? NULL : make_op2(m, "Gather", const_strings(m, 1, &rows), index);
}

static void show(struct maker *m, struct wire *w, double p)
{
	if (!m->b.rc && make_chance(m, p))
		build_output(&m->b, w);
}

/* A bool for each string: equal to others or not. */
static struct wire *compare_strings(struct maker *m, struct wire *s)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc || make_chance(m, 0.5) ? 0 : s->type.rank;

	for (int i = 0; i < rank; i++)
		dims[i] = make_chance(m, 0.5) ? 1 : s->type.dims[i];
	return make_set_bound(m, make_op2(m, "Equal", s, const_strings(m, rank, dims)), 1);
}

static struct wire *sample_string_equal(struct maker *m, struct wire *const *in, int n)
{
	struct wire *s = spell(m, in[0]);

	return n > 1 && !m->b.rc
		       ? make_set_bound(m,
					make_op2(m, "Equal", s,
						 spell(m, make_match(m, in[1], in[0]->type.rank, in[0]->type.dims))),
					1)
		       : compare_strings(m, s);
}

const struct sampler sampler_string_equal = {
	.summary = "Equal on strings",
	.types = T_INDEX,
	.since = 19,
	.make = sample_string_equal,
};

static struct wire *sample_string_concat(struct maker *m, struct wire *const *in, int n)
{
	struct wire *two[2], *s;
	int64_t one = 1;

	if (n > 1) {
		make_match_two(m, in, two);
		two[0] = spell(m, two[0]);
		two[1] = spell(m, two[1]);
	} else {
		two[0] = spell(m, in[0]);
		two[1] = const_strings(m, make_chance(m, 0.5) ? 1 : 0, &one);
	}
	s = make_op2(m, "StringConcat", two[0], two[1]);
	show(m, s, 0.5);
	return m->b.rc ? NULL : compare_strings(m, s);
}

const struct sampler sampler_string_concat = {
	.summary = "StringConcat",
	.types = T_INDEX,
	.make = sample_string_concat,
};

/* Strings that are not empty: the specification does not say whether a delimiter makes one part of nothing, or none. */
static struct wire *lengthen(struct maker *m, struct wire *s)
{
	struct tensor *t = m->b.rc ? NULL : tensor_new(DT_STRING, 0, NULL, m->b.err);

	if (t)
		m->b.rc = tensor_set_string(t, 0, "z", 1, m->b.err);
	return make_op2(m, "StringConcat", s, make_const(m, t, 0));
}

/* The number of parts; the parts themselves are as many as the longest has. */
static struct wire *sample_string_split(struct maker *m, struct wire *const *in, int n)
{
	static const char *const delimiters[] = {",", "-", " ", "ab", "a", ""};
	const char *delimiter = make_chance(m, 0.7) ? delimiters[make_between(m, 0, 5)] : NULL;
	struct wire *s = spell(m, in[0]);

	(void)n;
	if (delimiter && *delimiter)
		s = lengthen(m, s);
	if (m->b.rc)
		return NULL;
	make_begin(m, "StringSplit", &s, 1, 2);
	if (delimiter)
		build_string(&m->b, "delimiter", delimiter);
	if (make_chance(m, 0.4))
		build_int(&m->b, "maxsplit", make_between(m, 1, 3));
	make_done_open(m);
	if (m->b.rc)
		return NULL;
	show(m, m->b.last->out[0], 0.6);
	return make_set_bound(m, m->b.last->out[1], 100);
}

const struct sampler sampler_string_split = {
	.summary = "StringSplit",
	.types = T_INDEX,
	.make = sample_string_split,
};

static struct wire *sample_regex_match(struct maker *m, struct wire *const *in, int n)
{
	static const char *const patterns[] = {"a*",        "[a-z]+",   "(a|b)+",    ".*",   "-?[0-9]+(\\.[0-9]+)?",
					       "\\w+ \\w+", "[^,]*,.*", "(ab ?){2}", "\\s*", "a.c?b*"};
	struct wire *s = spell(m, in[0]);

	(void)n;
	make_begin(m, "RegexFullMatch", &s, 1, 1);
	build_string(&m->b, "pattern", patterns[make_between(m, 0, 9)]);
	return make_set_bound(m, make_done(m), 1);
}

const struct sampler sampler_regex_match = {
	.summary = "RegexFullMatch",
	.types = T_INDEX,
	.make = sample_regex_match,
};

/* On [C] or [1, C].  With words that are left out only their number is known of the rest. */
static struct wire *sample_string_normalizer(struct maker *m, struct wire *const *in, int n)
{
	static const char *const actions[] = {"NONE", "LOWER", "UPPER"};
	int64_t dims[2] = {1, 1};
	int rank = make_chance(m, 0.5) ? 1 : 2, stops = make_chance(m, 0.5);
	int counts = stops || m->opset < 19; /* Equal takes no strings before */
	struct wire *s;

	(void)n;
	dims[rank - 1] = (int64_t)make_count_of(in[0]);
	s = spell(m, make_reshape(m, in[0], rank, dims));
	make_begin(m, "StringNormalizer", &s, 1, 1);
	build_string(&m->b, "case_change_action", actions[make_between(m, 0, 2)]);
	if (make_chance(m, 0.5))
		build_int(&m->b, "is_case_sensitive", make_between(m, 0, 1));
	if (stops && !m->b.rc)
		m->b.rc = node_set_strings(m->b.last, "stopwords", (const char *[]){draw_word(m), draw_word(m)}, 2,
					   m->b.err);
	s = make_done_open(m);
	if (m->b.rc)
		return NULL;
	show(m, s, 0.5);
	return counts ? make_set_bound(m, make_op1(m, "Size", s), (double)make_count_of(in[0]))
		      : compare_strings(m, make_reshape(m, s, rank, dims));
}

const struct sampler sampler_string_normalizer = {
	.summary = "StringNormalizer",
	.types = T_INDEX,
	.make = sample_string_normalizer,
};

/* ---- TfIdfVectorizer --------------------------------------------------------------------------------------------- */

/* Pairs and single numbers from 0 to 4. */
static struct wire *sample_tf_idf(struct maker *m, struct wire *const *in, int n)
{
	static const char *const modes[] = {"TF", "IDF", "TFIDF"};
	static const int64_t pool[] = {0, 2, 3, 1, 2, 0, 0, 4, 1}, counts[] = {0, 3};
	int64_t columns[6] = {0, 1, 2, 3, 4, 5};
	struct wire *x = make_clip(m, make_rank(m, in[0], make_chance(m, 0.5) ? 1 : 2), 0, 4);
	static const double some[] = {0.5, 1, 2, 1.5, 0.25, 3};

	(void)n;
	make_begin(m, "TfIdfVectorizer", &x, 1, 1);
	build_string(&m->b, "mode", modes[make_between(m, 0, 2)]);
	build_int(&m->b, "min_gram_length", make_between(m, 1, 2));
	build_int(&m->b, "max_gram_length", 2);
	build_int(&m->b, "max_skip_count", make_between(m, 0, 3));
	build_ints(&m->b, "pool_int64s", pool, 9);
	build_ints(&m->b, "ngram_counts", counts, 2);
	for (int i = 5; i > 0; i--) {
		int64_t other = make_between(m, 0, i), kept = columns[i];

		columns[i] = columns[other];
		columns[other] = kept;
	}
	build_ints(&m->b, "ngram_indexes", columns, 6);
	if (!m->b.rc && make_chance(m, 0.5))
		m->b.rc = node_set_floats(m->b.last, "weights", some, 6, m->b.err);
	return make_set_bound(m, make_done(m), 3 * MAKE_MAX_COUNT);
}

const struct sampler sampler_tf_idf = {
	.summary = "TfIdfVectorizer on numbers",
	.types = T_INDEX,
	.make = sample_tf_idf,
};
