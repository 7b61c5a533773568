/* html_tensors.c - the numbers of a case: what goes in and what is right to come out. */
#include <math.h>

#include "report/html.h"
#include "tensor/io.h"

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

static void put_row(struct buf *out, const char *kind, const struct named_tensor *named)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_widen(named->tensor, &e);
	char type[160];

	buf_puts(out, "<tr>");
	html_element(out, "td", "", kind);
	html_element(out, "td", "", named->name);
	html_element(out, "td", "", tensor_describe(named->tensor, type, sizeof type));
	buf_puts(out, "<td class=\"values\">");
	for (size_t i = 0; t && i < t->count && i < MAX_VALUES; i++) {
		buf_puts(out, i ? " " : "");
		put_value(out, t, i);
	}
	buf_puts(out, !t || t->count > MAX_VALUES ? " …</td></tr>\n" : "</td></tr>\n");
	tensor_unref(t);
}

static void put_set(struct buf *out, const char *kind, const struct tensor_set *set)
{
	for (size_t i = 0; i < set->n && i < MAX_TENSORS; i++)
		put_row(out, kind, &set->at[i]);
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

void html_tensors(struct buf *out, const struct finding *f)
{
	int reduced = f->reduced_model.n > 0;
	struct tensor_set inputs = TENSOR_SET_INIT, expected = TENSOR_SET_INIT;

	read_set(reduced ? &f->reduced_inputs : &f->inputs, &inputs);
	read_set(reduced ? &f->reduced_expected : &f->expected, &expected);
	if (inputs.n || expected.n) {
		buf_puts(
			out,
			"<h3>The numbers</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
			"aria-label=\"Inputs and "
			"right outputs\"><table class=\"rows\"><thead><tr><th scope=\"col\"></th><th scope=\"col\">Name"
			"</th><th scope=\"col\">Type</th><th scope=\"col\">Values</th></tr></thead><tbody>\n");
		put_set(out, "input", &inputs);
		put_set(out, "right", &expected);
		buf_puts(out, "</tbody></table></div>\n");
	}
	tensor_set_release(&inputs);
	tensor_set_release(&expected);
}
