/* html_tensors.c - the numbers of a case: what goes in, what is right to come out, and what did. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/evidence.h"
#include "report/html.h"
#include "tensor/io.h"
#include "tensor/stats.h"

#define MAX_TENSORS 8 /* of each kind */
#define MAX_VALUES 24 /* of a tensor */

/* Shortest text that reads back as the same float32 (9 digits), or as a whole number. */
static void put_value(struct buf *out, const struct tensor *t, size_t i)
{
	switch (dtype_wide(t->dtype)) {
	case WIDE_I64:
		if (dtype_is_unsigned(t->dtype))
			buf_printf(out, "%llu", (unsigned long long)t->i[i]);
		else
			buf_printf(out, "%lld", (long long)t->i[i]);
		break;
	case WIDE_STR:
		text_put_short(out, t->s[i].p ? t->s[i].p : "", 24);
		break;
	case WIDE_C64:
		buf_printf(out, "%.9g%+.9gi", t->f[2 * i], t->f[2 * i + 1]);
		break;
	default:
		buf_printf(out, "%.9g", t->f[i]);
	}
}

/* What the library gave at an output: the evidence has it around the worst element. */
static const json_t *came_at(const json_t *came, const char *name)
{
	for (size_t i = 0; i < json_array_size(came); i++)
		if (!strcmp(json_text_at(json_array_get(came, i), "name"), name))
			return json_array_get(came, i);
	return NULL;
}

static void put_came(struct buf *out, const json_t *came)
{
	const json_t *values = json_object_get(came, "values");
	json_int_t first = json_integer_value(json_object_get(came, "first"));
	char number[32];

	buf_puts(out, "<tr>");
	html_element(out, "td", "", "got");
	html_element(out, "td", "", json_text_at(came, "name"));
	html_element(out, "td", "", json_text_at(came, "type"));
	buf_puts(out, first ? "<td class=\"values\">… " : "<td class=\"values\">");
	for (size_t i = 0; i < json_array_size(values); i++) {
		double x = evidence_number(json_array_get(values, i));

		if (isfinite(x))
			buf_printf(out, "%s%.9g", i ? " " : "", x);
		else
			buf_printf(out, "%s%s", i ? " " : "", text_number(x, number));
	}
	buf_puts(out, json_is_true(json_object_get(came, "more")) ? " …</td></tr>\n" : "</td></tr>\n");
}

/* The element that matters, where those in front of it are all the same. */
static void put_hidden(struct buf *out, const struct tensor *t)
{
	size_t count, at = tensor_odd(t, &count);
	struct tensor_stats shown;
	struct tensor front = *t;

	front.count = t->count < MAX_VALUES ? t->count : MAX_VALUES;
	tensor_stats(&front, &shown);
	if (!count || at < front.count || shown.min != shown.max || shown.nan + shown.pos_inf + shown.neg_inf)
		return;
	buf_printf(out, " element %zu: ", at);
	put_value(out, t, at);
	if (count > 1)
		buf_printf(out, " (%zu are not the first)", count);
}

/* From element `first` on. */
static void put_row(struct buf *out, const char *kind, const struct named_tensor *named, size_t first)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_widen(named->tensor, &e);
	char type[160];

	buf_puts(out, "<tr>");
	html_element(out, "td", "", kind);
	html_element(out, "td", "", named->name);
	html_element(out, "td", "", tensor_describe(named->tensor, type, sizeof type));
	buf_puts(out, first ? "<td class=\"values\">… " : "<td class=\"values\">");
	for (size_t i = first; t && i < t->count && i - first < MAX_VALUES; i++) {
		buf_puts(out, i > first ? " " : "");
		put_value(out, t, i);
	}
	buf_puts(out, !t || t->count > first + MAX_VALUES ? " …" : "");
	if (t && !first)
		put_hidden(out, t);
	buf_puts(out, "</td></tr>\n");
	tensor_unref(t);
}

static void put_set(struct buf *out, const char *kind, const struct tensor_set *set, const json_t *came)
{
	for (size_t i = 0; i < set->n && i < MAX_TENSORS; i++) {
		const json_t *beside = came_at(came, set->at[i].name);

		put_row(out, kind, &set->at[i], (size_t)json_integer_value(json_object_get(beside, "first")));
		if (beside)
			put_came(out, beside);
	}
	if (set->n > MAX_TENSORS)
		buf_printf(out, "<tr><td>%s</td><td colspan=\"3\">… and %zu more</td></tr>\n", kind,
			   set->n - MAX_TENSORS);
}

/* An empty set when there are no bytes, or none that can be read: the bytes come from a store, which is a file. */
static void read_set(const struct bytes *b, struct tensor_set *out)
{
	struct err e = ERR_INIT;

	if (b->n)
		npz_parse(b->p, b->n, out, &e);
}

void html_tensors(struct buf *out, const struct finding *f, const json_t *evidence)
{
	int reduced = f->reduced_model.n > 0;
	struct tensor_set inputs = TENSOR_SET_INIT, expected = TENSOR_SET_INIT;

	read_set(reduced ? &f->reduced_inputs : &f->inputs, &inputs);
	read_set(reduced ? &f->reduced_expected : &f->expected, &expected);
	if (inputs.n || expected.n) {
		buf_puts(out, "<h3>The numbers</h3>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
			      "aria-label=\"Inputs, "
			      "expected outputs and what the library gave\"><table class=\"rows\"><thead><tr><th "
			      "scope=\"col\">What</th><th scope=\"col\">Name"
			      "</th><th scope=\"col\">Type</th><th scope=\"col\">Values</th></tr></thead><tbody>\n");
		put_set(out, "input", &inputs, NULL);
		put_set(out, "expected", &expected, json_object_get(evidence, reduced ? "reduced_came" : "came"));
		buf_puts(out, "</tbody></table></div>\n");
	}
	tensor_set_release(&inputs);
	tensor_set_release(&expected);
}
