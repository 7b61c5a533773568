/* layers.c - see layers.h: the file by libcyaml, and what the schema cannot say checked behind it. */
#include "methods/search/layers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ops/op.h"
#include "report/yaml.h"

#define MAX_WORD 256

/* ---- schema ------------------------------------------------------------------------------------------------------ */

static const cyaml_strval_t kinds[] = {
	{"int", LAYER_INT},         {"float", LAYER_FLOAT},     {"string", LAYER_STRING},
	{"strings", LAYER_STRINGS}, {"spatial", LAYER_SPATIAL}, {"pads", LAYER_PADS},
	{"size", LAYER_SIZE},       {"number", LAYER_NUMBER},   {"optional", LAYER_OPTIONAL},
};

static const cyaml_schema_value_t word_schema = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, MAX_WORD)};

#define WORDS(key, flags, member)                                                                                  \
	CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | (flags), struct layer_parameter, member.at, member.n, \
				   &word_schema, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t parameter_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct layer_parameter, name, 1, MAX_WORD),
	CYAML_FIELD_ENUM("type", CYAML_FLAG_STRICT, struct layer_parameter, kind, kinds, CYAML_ARRAY_LEN(kinds)),
	WORDS("values", 0, values),
	WORDS("invalid", CYAML_FLAG_OPTIONAL, invalid),
	CYAML_FIELD_STRING_PTR("excludes", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct layer_parameter, excludes,
			       1, MAX_WORD),
	CYAML_FIELD_INT("input", CYAML_FLAG_OPTIONAL, struct layer_parameter, input),
	CYAML_FIELD_INT("axis", CYAML_FLAG_OPTIONAL, struct layer_parameter, axis),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t parameter_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct layer_parameter, parameter_fields)};

static const cyaml_schema_field_t layer_fields[] = {
	CYAML_FIELD_STRING_PTR("layer", CYAML_FLAG_POINTER, struct layer, name, 1, MAX_WORD),
	CYAML_FIELD_STRING_PTR("operator", CYAML_FLAG_POINTER, struct layer, operator, 1, MAX_WORD),
	CYAML_FIELD_STRING_PTR("family", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct layer, family, 1, MAX_WORD),
	CYAML_FIELD_STRING_PTR("then", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct layer, then, 1, MAX_WORD),
	CYAML_FIELD_INT("rank", CYAML_FLAG_OPTIONAL, struct layer, rank),
	CYAML_FIELD_BOOL("insert", CYAML_FLAG_OPTIONAL, struct layer, insert),
	CYAML_FIELD_SEQUENCE_COUNT("parameters", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct layer, parameters,
				   n_parameters, &parameter_schema, 0, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t layer_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct layer, layer_fields)};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("layers", CYAML_FLAG_POINTER, struct layers, at, n, &layer_schema, 1,
				   CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct layers, file_fields)};

/* ---- loading ----------------------------------------------------------------------------------------------------- */

void layers_free(struct layers *l)
{
	yaml_file_free(&file_schema, l);
}

/* ---- what the schema cannot say ---------------------------------------------------------------------------------- */

static int is_number(const char *word, int whole)
{
	char *end;

	errno = 0;
	if (whole)
		strtoll(word, &end, 10);
	else
		strtod(word, &end);
	return *word && !*end && !errno;
}

/* Whether a word is a value of its kind; *wanted says what is. */
static int is_value(enum layer_kind kind, const char *word, const char **wanted)
{
	int whole = kind != LAYER_FLOAT && kind != LAYER_NUMBER;

	if (kind == LAYER_STRING || kind == LAYER_STRINGS)
		return 1;
	*wanted = kind == LAYER_OPTIONAL ? "yes or no" : whole ? "a whole number" : "a number";
	if (kind == LAYER_OPTIONAL)
		return !strcmp(word, "yes") || !strcmp(word, "no");
	return is_number(word, whole) || !strcmp(word, "channels");
}

static int check_words(const struct layer *l, const struct layer_parameter *p, const struct layer_words *words,
		       struct err *e)
{
	const char *wanted = "";

	for (unsigned i = 0; i < words->n; i++)
		if (!is_value(p->kind, words->at[i], &wanted))
			return err_set(e, ERR_INPUT, "layer '%s', parameter '%s': '%s' is not %s", l->name, p->name,
				       words->at[i], wanted);
	return 0;
}

static int check_layer(const struct layer *l, struct err *e)
{
	int rc = 0;

	if (!ops_find("", l->operator))
		return err_set(e, ERR_INPUT, "layer '%s': there is no operator '%s'", l->name, l->operator);
	for (unsigned i = 0; i < l->n_parameters && !rc; i++) {
		const struct layer_parameter *p = &l->parameters[i];

		rc = check_words(l, p, &p->values, e);
		if (!rc)
			rc = check_words(l, p, &p->invalid, e);
		if (!rc && (p->input < 0 || p->input >= OP_MAX_PORTS || p->axis < 0 || p->axis >= TENSOR_MAX_RANK))
			rc = err_set(e, ERR_INPUT, "layer '%s', parameter '%s': there is no such input or axis",
				     l->name, p->name);
		if (!rc && !p->input && (p->kind == LAYER_NUMBER || p->kind == LAYER_OPTIONAL))
			rc = err_set(e, ERR_INPUT, "layer '%s', parameter '%s': 'input' is 1 or more", l->name,
				     p->name);
	}
	return rc;
}

const struct layer *layer_find(const struct layers *l, const char *name)
{
	for (unsigned i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].name, name))
			return &l->at[i];
	return NULL;
}

int layers_load(const char *path, struct layers **out, struct err *e)
{
	struct layers *l = NULL;
	int rc = yaml_file_load(path, "layers", &file_schema, (void **)&l, e);

	for (unsigned i = 0; !rc && i < l->n; i++) {
		rc = check_layer(&l->at[i], e);
		if (!rc && l->at[i].then && !layer_find(l, l->at[i].then))
			rc = err_set(e, ERR_INPUT, "layer '%s': there is no layer '%s' to follow it", l->at[i].name,
				     l->at[i].then);
		if (rc)
			err_prefix(e, "cannot read layers from '%s'", path);
	}
	if (rc)
		layers_free(l);
	else
		*out = l;
	return rc;
}

int layer_matches(const struct layer *l, const struct node *n)
{
	int rank = n->n_in && n->in[0] ? n->in[0]->type.rank : -1;

	return !*n->domain && !strcmp(n->op_type, l->operator) && (!l->rank || l->rank == rank);
}
