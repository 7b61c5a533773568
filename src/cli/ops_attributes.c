/* ops_attributes.c - see ops_attributes.h. */
#include "cli/ops_attributes.h"

#include <inttypes.h>

#include "ops/recurrent/activation.h"

static const char *const type_words[] = {
	[ATTR_FLOAT] = "float",   [ATTR_INT] = "int",       [ATTR_STRING] = "string", [ATTR_TENSOR] = "tensor",
	[ATTR_GRAPH] = "graph",   [ATTR_FLOATS] = "floats", [ATTR_INTS] = "ints",     [ATTR_STRINGS] = "strings",
	[ATTR_SPARSE] = "sparse", [ATTR_TYPE] = "type",
};

/* The since-version from which a row counts. */
static int since_of(const struct op_row *row, const struct op_attr *a)
{
	return a->since ? a->since : row->versions[0];
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void attributes_head(FILE *out)
{
	fprintf(out, "%-24s %-28s %-32s %-8s %-6s %s\n", "domain", "operator", "attribute", "type", "since", "default");
}

static void print_default(FILE *out, const struct op_attr *a)
{
	if (!a->has_default)
		fputs(a->required ? "required" : "-", out);
	else if (a->type == ATTR_STRING)
		fprintf(out, "\"%s\"", a->text);
	else if (a->type == ATTR_FLOAT)
		fprintf(out, "%.9g", a->number);
	else if (!a->list)
		fprintf(out, "%" PRId64 "%s", (int64_t)a->number, a->type == ATTR_INTS ? " each" : "");
	for (size_t i = 0; i < a->n_list; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", a->list[i]);
	fputc('\n', out);
}

size_t attributes_print(FILE *out, const struct op_row *row)
{
	size_t n = 0;

	for (const struct op_attr *a = row->op->attrs; a && a->name; a++, n++) {
		fprintf(out, "%-24s %-28s %-32s %-8s %-6d ", *row->domain ? row->domain : "ai.onnx", row->name, a->name,
			type_words[a->type], since_of(row, a));
		print_default(out, a);
	}
	return n;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *default_json(const struct op_attr *a)
{
	json_t *list;

	if (!a->has_default)
		return json_null();
	if (a->type == ATTR_STRING)
		return json_string(a->text);
	if (a->type == ATTR_FLOAT)
		return json_real(a->number);
	if (!a->list)
		return json_integer((json_int_t)a->number);
	list = json_array();
	for (size_t i = 0; i < a->n_list; i++)
		json_array_append_new(list, json_integer((json_int_t)a->list[i]));
	return list;
}

void attributes_add(json_t *list, const struct op_row *row)
{
	for (const struct op_attr *a = row->op->attrs; a && a->name; a++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:o}", "domain", row->domain,
						      "operator", row->name, "attribute", a->name, "type",
						      type_words[a->type], "since", since_of(row, a), "required",
						      a->required, "default", default_json(a)));
}

json_t *attributes_recurrent(void)
{
	static const char *const operators[] = {"RNN", "GRU", "LSTM"};
	json_t *functions = json_object(), *activations = json_object();

	for (const struct activation_row *a = activation_rows; a->name; a++)
		json_object_set_new(functions, a->name,
				    json_pack("{s:o, s:o}", "alpha", a->uses_alpha ? json_real(a->alpha) : json_null(),
					      "beta", a->uses_beta ? json_real(a->beta) : json_null()));
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		json_t *names = json_array();

		for (const char *const *name = recurrent_defaults(operators[i]); *name; name++)
			json_array_append_new(names, json_string(*name));
		json_object_set_new(activations, operators[i], names);
	}
	return json_pack("{s:o, s:o}", "activations", activations, "functions", functions);
}
