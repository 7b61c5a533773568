/* corpus_file.c - see corpus_file.h. */
#include "methods/fuzz/corpus_file.h"

#include "methods/fuzz/fuzz.h"
#include "report/yaml.h"

#define MAX_BLOCKS 1000

#define MAX_PATTERN 1024

#define OPTIONAL CYAML_FLAG_OPTIONAL

static const cyaml_schema_field_t op_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct block_op, name, 1, 64),
	CYAML_FIELD_STRING_PTR("sample", CYAML_FLAG_POINTER | OPTIONAL, struct block_op, sample, 1, 64),
	CYAML_FIELD_STRING_PTR("types", CYAML_FLAG_POINTER | OPTIONAL, struct block_op, types, 1, 256),
	CYAML_FIELD_STRING_PTR("pattern", CYAML_FLAG_POINTER | OPTIONAL, struct block_op, pattern, 1, MAX_PATTERN),
	CYAML_FIELD_INT("rank", OPTIONAL, struct block_op, rank),
	CYAML_FIELD_INT("rank_max", OPTIONAL, struct block_op, rank_max),
	CYAML_FIELD_INT("since", OPTIONAL, struct block_op, since),
	CYAML_FIELD_INT("special", OPTIONAL, struct block_op, special),
	CYAML_FIELD_FLOAT("limit", OPTIONAL, struct block_op, limit),
	CYAML_FIELD_INT("in", OPTIONAL, struct block_op, in),
	CYAML_FIELD_INT("in_max", OPTIONAL, struct block_op, in_max),
	CYAML_FIELD_INT("out_max", OPTIONAL, struct block_op, out_max),
	CYAML_FIELD_FLOAT("low", OPTIONAL, struct block_op, low),
	CYAML_FIELD_FLOAT("high", OPTIONAL, struct block_op, high),
	CYAML_FIELD_FLOAT("bound", OPTIONAL, struct block_op, bound),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t op_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct block_op, op_fields),
};

static const cyaml_schema_field_t part_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct block_part, name, 1, 64),
	CYAML_FIELD_STRING_PTR("pattern", CYAML_FLAG_POINTER, struct block_part, pattern, 1, MAX_PATTERN),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t part_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct block_part, part_fields),
};

static const cyaml_schema_value_t name_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, 64),
};

static const cyaml_schema_field_t subgraph_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct block_subgraph, name, 1, 64),
	CYAML_FIELD_STRING_PTR("edges", CYAML_FLAG_POINTER, struct block_subgraph, edges, 0, 1024),
	CYAML_FIELD_INT("in", OPTIONAL, struct block_subgraph, in),
	CYAML_FIELD_INT("in_max", OPTIONAL, struct block_subgraph, in_max),
	CYAML_FIELD_INT("out_max", OPTIONAL, struct block_subgraph, out_max),
	CYAML_FIELD_SEQUENCE("nodes", CYAML_FLAG_POINTER, struct block_subgraph, nodes, &name_value, 1, FUZZ_MAX_INNER),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t subgraph_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct block_subgraph, subgraph_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE("parts", CYAML_FLAG_POINTER | OPTIONAL, struct block_file, parts, &part_value, 0,
			     MAX_BLOCKS),
	CYAML_FIELD_SEQUENCE("operators", CYAML_FLAG_POINTER, struct block_file, operators, &op_value, 1, MAX_BLOCKS),
	CYAML_FIELD_SEQUENCE("subgraphs", CYAML_FLAG_POINTER | OPTIONAL, struct block_file, subgraphs, &subgraph_value,
			     0, MAX_BLOCKS),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct block_file, file_fields),
};

int block_file_read(const char *path, struct block_file **out, struct err *e)
{
	return yaml_file_load(path, "blocks", &file_value, (void **)out, e);
}

void block_file_free(struct block_file *f)
{
	yaml_file_free(&file_value, f);
}
