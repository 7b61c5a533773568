/* html_tensors.c - the numbers of a case: what goes in, what is right to come out, and what did. */
#include "base/json.h"
#include "report/came.h"
#include "report/html.h"
#include "tensor/io.h"
#include "tensor/stats.h"

#define MAX_TENSORS 8 /* of each kind */
#define MAX_VALUES 24 /* of a tensor */
#define MAX_TEXT 256  /* bytes of an element */

/* An element's text, escaped; bold where it is one of those that differ. */
struct shown {
	const size_t *picked; /* their numbers */
	size_t n;
};

static void put_value(struct buf *out, const struct buf *text, const struct shown *s, size_t i)
{
	int differs = 0;

	for (size_t k = 0; k < s->n; k++)
		differs |= s->picked[k] == i;
	buf_puts(out, differs ? "<b>" : "");
	text_put(out, text->data && !text->failed ? text->data : "?");
	buf_puts(out, differs ? "</b>" : "");
}

/* Which elements follow, where it is not all of them. */
static void put_first(struct buf *out, size_t first)
{
	buf_puts(out, "<td class=\"values\">");
	if (first)
		buf_printf(out, "from element %zu: ", first);
}

static void put_came(struct buf *out, const json_t *came, const struct shown *s)
{
	const json_t *values = json_object_get(came, "values");
	size_t first = (size_t)json_integer_value(json_object_get(came, "first"));
	struct buf text;

	buf_puts(out, "<tr>");
	html_element(out, "td", "", "got");
	html_element(out, "td", "", json_text_at(came, "name"));
	html_element(out, "td", "", json_text_at(came, "type"));
	put_first(out, first);
	buf_init(&text, MAX_TEXT);
	for (size_t i = 0; i < json_array_size(values); i++) {
		buf_clear(&text);
		came_put(&text, json_array_get(values, i));
		buf_puts(out, i ? " " : "");
		put_value(out, &text, s, first + i);
	}
	buf_release(&text);
	buf_puts(out, json_is_true(json_object_get(came, "more")) ? " …</td></tr>\n" : "</td></tr>\n");
}

/* The element that matters, where those in front of it are all the same. */
static void put_hidden(struct buf *out, const struct tensor *t)
{
	size_t count, at = tensor_odd(t, &count);
	struct tensor_stats shown;
	struct tensor front = *t;
	struct buf text;

	front.count = t->count < MAX_VALUES ? t->count : MAX_VALUES;
	tensor_stats(&front, &shown);
	if (!count || at < front.count || shown.min != shown.max || shown.nan + shown.pos_inf + shown.neg_inf)
		return;
	buf_printf(out, " element %zu: ", at);
	buf_init(&text, MAX_TEXT);
	came_put_right(&text, t, at);
	put_value(out, &text, &(struct shown){0}, at);
	buf_release(&text);
	if (count > 1)
		buf_printf(out, " (%zu are not the first)", count);
}

/* From element `first` on; t is wide. */
static void put_row(struct buf *out, const char *kind, const char *name, const struct tensor *t, size_t first,
		    const struct shown *s)
{
	struct buf text;
	char type[160];

	buf_puts(out, "<tr>");
	html_element(out, "td", "", kind);
	html_element(out, "td", "", name);
	html_element(out, "td", "", tensor_describe(t, type, sizeof type));
	put_first(out, first);
	buf_init(&text, MAX_TEXT);
	for (size_t i = first; i < t->count && i - first < MAX_VALUES; i++) {
		buf_clear(&text);
		came_put_right(&text, t, i);
		buf_puts(out, i > first ? " " : "");
		put_value(out, &text, s, i);
	}
	buf_release(&text);
	buf_puts(out, t->count > first + MAX_VALUES ? " …" : "");
	if (!first)
		put_hidden(out, t);
	buf_puts(out, "</td></tr>\n");
}

static void put_pair(struct buf *out, const char *kind, const struct named_tensor *right, const json_t *came)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_widen(right->tensor, &e);
	size_t picked[CAME_PICKED];
	struct shown s = {picked, t && came ? came_pick(came, t, CAME_PICKED, picked) : 0};
	json_int_t first = json_integer_value(json_object_get(came, "first"));

	if (t)
		put_row(out, kind, right->name, t, first > 0 ? (size_t)first : 0, &s);
	if (came)
		put_came(out, came, &s);
	tensor_unref(t);
}

static void put_set(struct buf *out, const char *kind, const struct tensor_set *set, const json_t *came)
{
	for (size_t i = 0; i < set->n && i < MAX_TENSORS; i++)
		put_pair(out, kind, &set->at[i], came_find(came, set->at[i].name));
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
			      "expected outputs and what the library returned\"><table class=\"rows\"><thead><tr><th "
			      "scope=\"col\">What</th><th scope=\"col\">Name"
			      "</th><th scope=\"col\">Type</th><th scope=\"col\">Values</th></tr></thead><tbody>\n");
		put_set(out, "input", &inputs, NULL);
		put_set(out, "expected", &expected, json_object_get(evidence, reduced ? "reduced_came" : "came"));
		buf_puts(out, "</tbody></table></div>\n");
	}
	tensor_set_release(&inputs);
	tensor_set_release(&expected);
}
