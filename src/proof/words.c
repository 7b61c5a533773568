/* words.c - see words.h. */
#include "proof/words.h"

#include <string.h>

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* Arguments as people read them: of tensors type and shape, small ones with their elements. */
static void print_argument(const struct calls *c, const struct expr *x, struct buf *out)
{
	struct tensor *t = x->kind == EXPR_VARIABLE ? calls_value(c, x->text) : NULL;
	char text[256];

	if (*x->name)
		buf_printf(out, "%s=", x->name);
	if (x->kind == EXPR_LIST) {
		buf_puts(out, "[");
		for (size_t i = 0; i < x->n; i++) {
			buf_puts(out, i ? ", " : "");
			print_argument(c, x->items[i], out);
		}
		buf_puts(out, "]");
	} else if (t) {
		buf_puts(out, tensor_describe(t, text, sizeof text));
	} else {
		struct expr plain = *x;

		plain.name = "";
		expr_print(&plain, out);
	}
}

void words_of_call(const struct calls *c, const struct recorded_call *call, struct buf *out)
{
	buf_printf(out, "%s(", call->name);
	for (size_t i = 1; i < call->expr->n; i++) {
		if (calls_is_for_scripts(call->expr->items[i]))
			continue;
		buf_puts(out, i > 1 ? ", " : "");
		print_argument(c, call->expr->items[i], out);
	}
	buf_puts(out, ")");
}

/* ---- as a script ------------------------------------------------------------------------------------------------- */

/* A line for each tensor that the expression names, once. */
static int take_arguments(const struct calls *c, const struct expr *x, struct buf *out, struct tensor_set *arguments,
			  struct err *e)
{
	struct tensor *t = x->kind == EXPR_VARIABLE ? calls_value(c, x->text) : NULL;
	int rc = 0;

	if (t && !tensor_set_get(arguments, x->text)) {
		buf_printf(out, "    %s = take(\"%s\", inputs[\"%s\"], \"%s\")\n", x->text, x->text, x->text,
			   dtype_name(t->dtype));
		rc = tensor_set_add(arguments, x->text, tensor_ref(t), e);
	}
	for (size_t i = 0; i < x->n && !rc; i++)
		rc = take_arguments(c, x->items[i], out, arguments, e);
	return rc;
}

int words_of_script(const struct calls *c, const struct recorded_call *call, const struct trial *meaning,
		    struct buf *out, struct tensor_set *arguments, struct err *e)
{
	const struct graph *g = meaning->model->graph;
	int rc = take_arguments(c, call->expr, out, arguments, e);

	if (rc)
		return rc;
	buf_printf(out, "    %s\n", call->line);
	for (size_t i = 0; i < call->n_results && i < g->outputs.n; i++) {
		if (call->results[i] != call->number)
			buf_printf(out, "    v%zu = v%zu[%zu]\n", call->results[i], call->number, i);
		buf_printf(out, "    give(\"%s\", v%zu)\n", g->outputs.at[i]->name, call->results[i]);
	}
	return buf_check(out, e);
}
