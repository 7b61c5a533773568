/* string.c - operators on string tensors: StringConcat, StringNormalizer, StringSplit, RegexFullMatch. */
#include <locale.h>
#include <string.h>
#include <wctype.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "ops/call.h"
#include "ops/engine/regex.h"
#include "ops/kit/broadcast.h"
#include "ops/string/samplers.h"

#define MAX_STRING ((size_t)1 << 30) /* bytes of one string made here */

/* ---- StringConcat ------------------------------------------------------------------------------------------------ */

static int join(struct call *c, struct buf *b, const struct bytes *x, const struct bytes *y, size_t at)
{
	int rc;

	buf_clear(b);
	buf_add(b, x->p, x->n);
	buf_add(b, y->p, y->n);
	rc = buf_check(b, c->err);
	return rc ? rc : tensor_set_string(c->out[0], at, b->data ? b->data : "", b->len, c->err);
}

/* z = x followed by y */
static int string_concat_eval(struct call *c)
{
	const struct tensor *in[] = {c->in[0], c->in[1]};
	struct bcast b;
	struct buf text;
	int rc = 0;

	buf_init(&text, MAX_STRING);
	bcast_tensors(&b, c->out[0], in, 2);
	while (!rc && bcast_next(&b))
		for (size_t k = 0; k < b.inner && !rc; k++)
			rc = join(c, &text, &in[0]->s[b.at[0] + k * b.stride[0]], &in[1]->s[b.at[1] + k * b.stride[1]],
				  b.out + k);
	buf_release(&text);
	return rc;
}

const struct op op_string_concat = {
	.samples = SAMPLES({.by = &sampler_string_concat, .in = 1, .in_max = 2}),
	.in = {{"X", T_STRING, 'T', 0}, {"Y", T_STRING, 'T', 0}},
	.out = {{"Z", T_STRING, 'T', 0}},
	.infer = broadcast_infer,
	.eval = string_concat_eval,
};

/* ---- StringNormalizer -------------------------------------------------------------------------------------------- */

enum letter_case { CASE_NONE, CASE_LOWER, CASE_UPPER };

struct normalizer {
	enum letter_case change;
	int sensitive;     /* stop words are compared as they are */
	struct buf *stops; /* [n_stops], in lower case unless sensitive */
	size_t n_stops;
	locale_t letters; /* a UTF-8 locale; 0: this system has none */
	struct buf word;
};

/* s in another case, one character at a time, into out. */
static int change_case(struct call *c, const struct normalizer *z, const struct bytes *s, enum letter_case to,
		       struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < s->n;) {
		char bytes[UTF8_MAX_BYTES];
		int32_t ch;
		size_t len = utf8_decode(s->p + i, s->n - i, &ch);

		if (ch == UTF8_INVALID || to == CASE_NONE) {
			buf_add(out, s->p + i, len);
		} else {
			if (ch > 127 && !z->letters)
				return call_unsupported(c, "this system has no UTF-8 locale to change case with");
			if (ch <= 127)
				ch = to == CASE_LOWER ? (ch >= 'A' && ch <= 'Z' ? ch + 32 : ch)
						      : (ch >= 'a' && ch <= 'z' ? ch - 32 : ch);
			else
				ch = (int32_t)(to == CASE_LOWER ? towlower_l((wint_t)ch, z->letters)
								: towupper_l((wint_t)ch, z->letters));
			buf_add(out, bytes, utf8_encode(ch, bytes));
		}
		i += len;
	}
	return buf_check(out, c->err);
}

static int is_stop_word(const struct normalizer *z, const char *p, size_t n)
{
	for (size_t i = 0; i < z->n_stops; i++)
		if (z->stops[i].len == n && (!n || !memcmp(z->stops[i].data, p, n)))
			return 1;
	return 0;
}

static void normalizer_close(struct normalizer *z)
{
	for (size_t i = 0; i < z->n_stops; i++)
		buf_release(&z->stops[i]);
	buf_release(&z->word);
	if (z->letters)
		freelocale(z->letters);
}

static int normalizer_open(struct call *c, struct normalizer *z)
{
	const struct attr *stops = node_attr(c->node, "stopwords");
	const char *change = attr_string(c->node, "case_change_action");
	int rc = 0;

	*z = (struct normalizer){.sensitive = attr_int(c->node, "is_case_sensitive") != 0};
	buf_init(&z->word, MAX_STRING);
	z->letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	z->change = !strcmp(change, "LOWER") ? CASE_LOWER : !strcmp(change, "UPPER") ? CASE_UPPER : CASE_NONE;
	if (!stops)
		return 0;
	z->stops = call_scratch(c, stops->n, sizeof *z->stops);
	if (!z->stops)
		return c->err->code;
	for (; z->n_stops < stops->n && !rc; z->n_stops++) {
		buf_init(&z->stops[z->n_stops], MAX_STRING);
		rc = change_case(c, z, &stops->strings[z->n_stops], z->sensitive ? CASE_NONE : CASE_LOWER,
				 &z->stops[z->n_stops]);
	}
	return rc;
}

/* Fills keep[] with the indices of the words that are no stop words. */
static int choose_words(struct call *c, struct normalizer *z, size_t *keep, size_t *n)
{
	const struct tensor *x = c->in[0];

	*n = 0;
	for (size_t i = 0; i < x->count; i++) {
		int rc = change_case(c, z, &x->s[i], z->sensitive ? CASE_NONE : CASE_LOWER, &z->word);

		if (rc)
			return rc;
		if (!is_stop_word(z, z->word.data, z->word.len))
			keep[(*n)++] = i;
	}
	return 0;
}

static int string_normalizer_infer(struct call *c)
{
	static const char *const actions[] = {"NONE", "LOWER", "UPPER"};
	const char *action = attr_string(c->node, "case_change_action");
	const struct type *x = call_shape(c, 0);
	int64_t dims[2] = {1, DIM_UNKNOWN};
	int known = 0;

	for (size_t i = 0; i < 3; i++)
		known |= !strcmp(action, actions[i]);
	if (!known)
		return call_bad(c, "case_change_action '%s' is not known", action);
	if (!x) {
		call_out_rank(c, 0, DT_STRING, -1);
		return 0;
	}
	if (x->rank != 1 && (x->rank != 2 || (x->dims[0] >= 0 && x->dims[0] != 1)))
		return call_bad(c, "X must have shape [C] or [1, C]");
	call_out(c, 0, DT_STRING, x->rank, dims + (2 - x->rank));
	return 0;
}

static int normalize(struct call *c, struct normalizer *z, size_t *keep)
{
	int rank = c->in[0]->rank;
	int64_t dims[2] = {1, 1};
	size_t n;
	int rc = choose_words(c, z, keep, &n);

	if (rc)
		return rc;
	dims[1] = n ? (int64_t)n : 1; /* nothing left: one empty string */
	if (!call_alloc(c, 0, DT_STRING, rank, dims + (2 - rank)))
		return c->err->code;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = change_case(c, z, &c->in[0]->s[keep[i]], z->change, &z->word);
		if (!rc)
			rc = tensor_set_string(c->out[0], i, z->word.data ? z->word.data : "", z->word.len, c->err);
	}
	return rc;
}

static int string_normalizer_eval(struct call *c)
{
	size_t *keep = call_scratch(c, c->in[0]->count + 1, sizeof *keep);
	struct normalizer z;
	int rc;

	if (!keep)
		return c->err->code;
	rc = normalizer_open(c, &z);
	if (!rc)
		rc = normalize(c, &z, keep);
	normalizer_close(&z);
	return rc;
}

static const struct op_attr normalizer_attrs[] = {
	OP_ATTR("stopwords", ATTR_STRINGS),
	OP_ATTR("locale", ATTR_STRING),
	OP_INT("is_case_sensitive", 0),
	OP_STRING("case_change_action", "NONE"),
	{0},
};

const struct op op_string_normalizer = {
	.samples = SAMPLES({.by = &sampler_string_normalizer}),
	.in = {{"X", T_STRING, 'T', 0}},
	.out = {{"Y", T_STRING, 'T', 0}},
	.attrs = normalizer_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = string_normalizer_infer,
	.eval = string_normalizer_eval,
};

/* ---- StringSplit ------------------------------------------------------------------------------------------------- */

static int string_split_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];

	call_out_rank(c, 0, DT_STRING, -1);
	call_out_rank(c, 1, DT_INT64, -1);
	if (!x)
		return 0;
	if (x->rank >= TENSOR_MAX_RANK)
		return call_bad(c, "X has rank %d: too many for one more axis", x->rank);
	memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
	dims[x->rank] = DIM_UNKNOWN;
	call_out(c, 0, DT_STRING, x->rank + 1, dims);
	call_out(c, 1, DT_INT64, x->rank, x->dims);
	return 0;
}

static int is_space(char ch)
{
	return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

/* Takes the next part off the front of s: 1 with *part, 0 when there is none.  `last`: no more splits, all of the rest.
 * Without a delimiter, runs of white space separate, and white space around the parts is dropped. */
static int next_part(struct bytes *s, const struct bytes *delimiter, int last, int *done, struct bytes *part)
{
	const char *hit = NULL;

	if (!delimiter->n)
		while (s->n && is_space(*s->p)) {
			s->p++;
			s->n--;
		}
	if (*done || (!delimiter->n && !s->n))
		return 0;
	if (!last && delimiter->n)
		hit = memmem(s->p, s->n, delimiter->p, delimiter->n);
	for (size_t i = 0; !last && !delimiter->n && i < s->n && !hit; i++)
		if (is_space(s->p[i]))
			hit = s->p + i;
	*part = (struct bytes){s->p, hit ? (size_t)(hit - s->p) : s->n};
	*done = !hit;
	if (hit) {
		size_t used = part->n + (delimiter->n ? delimiter->n : 1);

		s->p += used;
		s->n -= used;
	}
	return 1;
}

/* The parts of one string, stored from element `at` of y on (y NULL: only counted). */
static int split_one(struct call *c, struct bytes s, int64_t limit, struct tensor *y, size_t at, int64_t *count)
{
	const struct attr *a = node_attr(c->node, "delimiter");
	struct bytes delimiter = a ? a->s : (struct bytes){"", 0}, part;
	int done = 0, rc = 0;

	*count = 0;
	while (!delimiter.n && s.n && is_space(s.p[s.n - 1]))
		s.n--; /* so that the rest after the last split has no white space around it either */
	while (!rc && next_part(&s, &delimiter, limit >= 0 && *count >= limit, &done, &part)) {
		if (y)
			rc = tensor_set_string(y, at + (size_t)*count, part.p, part.n, c->err);
		++*count;
	}
	return rc;
}

static int string_split_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	int64_t limit = node_int(c->node, "maxsplit", -1); /* left out, which is no number: no limit */
	int64_t widest = 0, count, dims[TENSOR_MAX_RANK];
	int rc = 0;

	for (size_t i = 0; i < x->count; i++) {
		split_one(c, x->s[i], limit, NULL, 0, &count);
		widest = count > widest ? count : widest;
	}
	memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
	dims[x->rank] = widest;
	if (call_wants(c, 0) && !call_alloc(c, 0, DT_STRING, x->rank + 1, dims))
		return c->err->code;
	if (call_wants(c, 1) && !call_alloc(c, 1, DT_INT64, x->rank, x->dims))
		return c->err->code;
	for (size_t i = 0; i < x->count && !rc; i++) {
		rc = split_one(c, x->s[i], limit, call_wants(c, 0) ? c->out[0] : NULL, i * (size_t)widest, &count);
		if (call_wants(c, 1))
			c->out[1]->i[i] = count;
	}
	return rc;
}

static const struct op_attr split_attrs[] = {OP_ATTR("delimiter", ATTR_STRING), OP_ATTR("maxsplit", ATTR_INT), {0}};

/* Nothing at all, split at a delimiter. */
static int split_of_nothing(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *x = in[0];

	(void)r; /* without a delimiter, which an empty one is too, the parts are those between blanks */
	for (size_t i = 0; x && i < x->count && *node_string(n, "delimiter", ""); i++)
		if (!x->s[i].n)
			return 1;
	return 0;
}

const struct op op_string_split = {
	.samples = SAMPLES({.by = &sampler_string_split}),
	.rules = RULES({.broken = split_of_nothing}),
	.in = {{"X", T_STRING, 'T', 0}},
	.out = {{"Y", T_STRING, 'T', 0}, {"Z", T_I64, 0, 0}},
	.attrs = split_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = string_split_infer,
	.eval = string_split_eval,
};

/* ---- RegexFullMatch ---------------------------------------------------------------------------------------------- */

static int regex_full_match_infer(struct call *c)
{
	call_out(c, 0, DT_BOOL, c->in_type[0].rank, c->in_type[0].dims);
	return 0;
}

static int regex_full_match_eval(struct call *c)
{
	const struct attr *a = node_attr(c->node, "pattern");
	struct regex *r = regex_compile(c->tmp, a ? a->s.p : "", a ? a->s.n : 0, c->err);

	if (!r)
		return c->err->code;
	for (size_t i = 0; i < c->in[0]->count; i++)
		c->out[0]->i[i] = regex_full_match(r, c->in[0]->s[i].p, c->in[0]->s[i].n);
	return 0;
}

static const struct op_attr regex_attrs[] = {OP_ATTR("pattern", ATTR_STRING), {0}};

const struct op op_regex_full_match = {
	.samples = SAMPLES({.by = &sampler_regex_match}),
	.in = {{"X", T_STRING, 0, 0}},
	.out = {{"Y", T_BOOL, 0, 0}},
	.attrs = regex_attrs,
	.infer = regex_full_match_infer,
	.eval = regex_full_match_eval,
};
