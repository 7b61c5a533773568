/* support_text.c - what a backend supports, for people and for programs; declared in support.h. */
#include <stdio.h>
#include <string.h>

#include "probe/support.h"

int support_works(const struct support_op *op)
{
	int ok = 0, tried = 0;

	if (op)
		support_count(op, &ok, &tried);
	for (size_t i = 0; op && i < op->variants.n; i++)
		ok += !strcmp(op->variants.at[i].result, "ok");
	return ok > 0;
}

const char *support_cell(const struct support_op *op, char *out, size_t size)
{
	int ok, tried;

	if (!op)
		return "?";
	if (!support_works(op))
		return "no";
	support_count(op, &ok, &tried);
	if (!tried)
		return "yes";
	snprintf(out, size, "yes %d/%d", ok, tried);
	return out;
}

json_t *support_json(const struct support_op *op)
{
	json_t *dtypes = json_object(), *variants = json_array();

	for (int t = 0; t < DT_COUNT; t++)
		if (op->dtypes[t])
			json_object_set_new(dtypes, dtype_name((enum dtype)t), json_string(op->dtypes[t]));
	for (size_t i = 0; i < op->variants.n; i++)
		json_array_append_new(variants, json_pack("{s:s, s:s}", "case", op->variants.at[i].line, "result",
							  op->variants.at[i].result));
	return json_pack("{s:b, s:o, s:o, s:s}", "supported", support_works(op), "dtypes", dtypes, "variants", variants,
			 "message", op->message);
}
