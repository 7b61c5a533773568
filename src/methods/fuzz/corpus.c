/* corpus.c - reads a file of blocks (data/blocks-paper.yaml says what stands in it). */
#include <cyaml/cyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/maker.h"

#define MAX_BLOCKS 1000
#define DEFAULT_OUT 5 /* largest output degree, as in the paper */

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct file_op {
	char *name, *sample, *onnx, *types;
	int in, in_max, out_max;
	double low, high, bound;
};

struct file_subgraph {
	char *name, *edges;
	int in, in_max, out_max;
	char **nodes;
	unsigned nodes_count;
};

struct file {
	struct file_op *operators;
	unsigned operators_count;
	struct file_subgraph *subgraphs;
	unsigned subgraphs_count;
};

#define OPTIONAL CYAML_FLAG_OPTIONAL

static const cyaml_schema_field_t op_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct file_op, name, 1, 64),
	CYAML_FIELD_STRING_PTR("sample", CYAML_FLAG_POINTER, struct file_op, sample, 1, 64),
	CYAML_FIELD_STRING_PTR("onnx", CYAML_FLAG_POINTER | OPTIONAL, struct file_op, onnx, 1, 64),
	CYAML_FIELD_STRING_PTR("types", CYAML_FLAG_POINTER | OPTIONAL, struct file_op, types, 1, 256),
	CYAML_FIELD_INT("in", OPTIONAL, struct file_op, in),
	CYAML_FIELD_INT("in_max", OPTIONAL, struct file_op, in_max),
	CYAML_FIELD_INT("out_max", OPTIONAL, struct file_op, out_max),
	CYAML_FIELD_FLOAT("low", OPTIONAL, struct file_op, low),
	CYAML_FIELD_FLOAT("high", OPTIONAL, struct file_op, high),
	CYAML_FIELD_FLOAT("bound", OPTIONAL, struct file_op, bound),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t op_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_op, op_fields),
};

static const cyaml_schema_value_t name_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, 64),
};

static const cyaml_schema_field_t subgraph_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct file_subgraph, name, 1, 64),
	CYAML_FIELD_STRING_PTR("edges", CYAML_FLAG_POINTER, struct file_subgraph, edges, 0, 1024),
	CYAML_FIELD_INT("in", OPTIONAL, struct file_subgraph, in),
	CYAML_FIELD_INT("in_max", OPTIONAL, struct file_subgraph, in_max),
	CYAML_FIELD_INT("out_max", OPTIONAL, struct file_subgraph, out_max),
	CYAML_FIELD_SEQUENCE("nodes", CYAML_FLAG_POINTER, struct file_subgraph, nodes, &name_value, 1, FUZZ_MAX_INNER),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t subgraph_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_subgraph, subgraph_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE("operators", CYAML_FLAG_POINTER, struct file, operators, &op_value, 1, MAX_BLOCKS),
	CYAML_FIELD_SEQUENCE("subgraphs", CYAML_FLAG_POINTER | OPTIONAL, struct file, subgraphs, &subgraph_value, 0,
			     MAX_BLOCKS),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t file_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file, file_fields),
};

static const cyaml_config_t config = {.log_fn = NULL, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};

/* ---- operators --------------------------------------------------------------------------------------------------- */

static int set_degrees(int in, int in_max, int out_max, int *low, int *high, int *out, const char *name, struct err *e)
{
	*low = in > 0 ? in : 1;
	*high = in_max > 0 ? in_max : *low;
	*out = out_max > 0 ? out_max : DEFAULT_OUT;
	if (*high < *low || *high > FUZZ_MAX_DEGREE || *out > 63)
		return err_set(e, ERR_INPUT, "block '%s': degrees must be 1 to %d, in order", name, FUZZ_MAX_DEGREE);
	return 0;
}

/* "float32 int64" */
static int parse_types(const char *text, const struct sampler *s, uint32_t *out, struct err *e)
{
	char word[32];
	int used;

	*out = text ? 0 : s->types;
	for (; text && sscanf(text, " %31s%n", word, &used) == 1; text += used) {
		enum dtype t = dtype_from_name(word);

		if (t == DT_UNDEFINED)
			return err_set(e, ERR_INPUT, "'%s' is no element type", word);
		*out |= TM(t);
	}
	return *out & s->types ? 0 : err_set(e, ERR_INPUT, "no element type is left that it can be given");
}

static int read_op(struct corpus *c, const struct file_op *f, struct fuzz_op *out, struct err *e)
{
	int rc;

	out->name = arena_strdup(&c->arena, f->name);
	out->onnx = arena_strdup(&c->arena, f->onnx ? f->onnx : "");
	if (!out->name || !out->onnx)
		return err_nomem(e, "blocks", 0);
	out->sampler = sampler_find(f->sample);
	if (!out->sampler)
		return err_set(e, ERR_INPUT, "block '%s': there is no sampler '%s'", f->name, f->sample);
	if (f->onnx && !ops_find("", f->onnx))
		return err_set(e, ERR_INPUT, "block '%s': operator '%s' is not known", f->name, f->onnx);
	rc = parse_types(f->types, out->sampler, &out->types, e);
	if (rc)
		return err_prefix(e, "block '%s'", f->name);
	out->has_domain = f->low < f->high;
	out->low = f->low;
	out->high = f->high;
	out->bound = f->bound;
	return set_degrees(f->in, f->in_max, f->out_max, &out->in_low, &out->in_high, &out->out_high, f->name, e);
}

/* ---- subgraphs --------------------------------------------------------------------------------------------------- */

int corpus_find(const struct corpus *c, const char *name)
{
	for (int i = 0; i < c->n_ops; i++)
		if (!strcmp(c->ops[i].name, name))
			return i;
	return -1;
}

/* "0>1 1>2": from a lower number to a higher one, so that there is no cycle. */
static int parse_edges(const char *text, struct fuzz_subgraph *s, struct err *e)
{
	int from, to, used;

	for (; sscanf(text, " %d>%d%n", &from, &to, &used) == 2; text += used) {
		if (from < 0 || to <= from || to >= s->n || s->n_edges >= FUZZ_MAX_EDGES)
			return err_set(e, ERR_INPUT,
				       "subgraph '%s': edge %d>%d is none from an operator to a later one", s->name,
				       from, to);
		s->from[s->n_edges] = from;
		s->to[s->n_edges++] = to;
	}
	return text[strspn(text, " ")]
		       ? err_set(e, ERR_INPUT, "subgraph '%s': cannot read the edges at '%s'", s->name, text)
		       : 0;
}

static int read_subgraph(struct corpus *c, const struct file_subgraph *f, struct fuzz_subgraph *out, struct err *e)
{
	int rc;

	out->name = arena_strdup(&c->arena, f->name);
	if (!out->name)
		return err_nomem(e, "blocks", 0);
	for (unsigned i = 0; i < f->nodes_count; i++) {
		out->ops[out->n] = corpus_find(c, f->nodes[i]);
		if (out->ops[out->n++] < 0)
			return err_set(e, ERR_INPUT, "subgraph '%s': there is no operator '%s'", f->name, f->nodes[i]);
	}
	rc = parse_edges(f->edges, out, e);
	return rc ? rc
		  : set_degrees(f->in, f->in_max, f->out_max, &out->in_low, &out->in_high, &out->out_high, f->name, e);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int read_file(struct corpus *c, const struct file *f, struct err *e)
{
	int rc = 0;

	c->ops = arena_array(&c->arena, f->operators_count + 1, sizeof *c->ops);
	c->subgraphs = arena_array(&c->arena, f->subgraphs_count + 1, sizeof *c->subgraphs);
	if (!c->ops || !c->subgraphs)
		return err_nomem(e, "blocks", 0);
	for (unsigned i = 0; i < f->operators_count && !rc; i++) {
		if (corpus_find(c, f->operators[i].name) >= 0)
			rc = err_set(e, ERR_INPUT, "block '%s' is there twice", f->operators[i].name);
		if (!rc)
			rc = read_op(c, &f->operators[i], &c->ops[i], e);
		c->n_ops += !rc;
	}
	for (unsigned i = 0; i < f->subgraphs_count && !rc; i++, c->n_subgraphs++)
		rc = read_subgraph(c, &f->subgraphs[i], &c->subgraphs[i], e);
	return rc;
}

/* Operators of a subgraph by their new places; 0 when one is gone. */
static int renumber(struct fuzz_subgraph *s, const int *places)
{
	for (int i = 0; i < s->n; i++) {
		s->ops[i] = places[s->ops[i]];
		if (s->ops[i] < 0)
			return 0;
	}
	return 1;
}

int corpus_filter(struct corpus *c, corpus_types *fn, void *arg, struct err *e)
{
	int *places = mem_array((size_t)c->n_ops + 1, sizeof *places), ops = 0, subgraphs = 0;

	if (!places)
		return err_nomem(e, "blocks", 0);
	for (int i = 0; i < c->n_ops; i++) {
		struct fuzz_op op = c->ops[i];

		op.types = fn(&op, arg);
		places[i] = op.types & op.sampler->types ? ops : -1;
		if (places[i] >= 0)
			c->ops[ops++] = op;
	}
	for (int i = 0; i < c->n_subgraphs; i++) {
		struct fuzz_subgraph s = c->subgraphs[i];

		if (renumber(&s, places))
			c->subgraphs[subgraphs++] = s;
	}
	c->n_ops = ops;
	c->n_subgraphs = subgraphs;
	mem_free(places);
	return ops ? 0 : err_set(e, ERR_USAGE, "the backends have none of the corpus's operators in common");
}

int corpus_load(const char *path, struct corpus *out, struct err *e)
{
	struct corpus c = {0};
	struct file *f = NULL;
	cyaml_err_t bad = cyaml_load_file(path, &config, &file_value, (cyaml_data_t **)&f, NULL);
	int rc;

	if (bad != CYAML_OK)
		return err_set(e, bad == CYAML_ERR_FILE_OPEN ? ERR_IO : ERR_INPUT, "cannot read blocks from '%s': %s",
			       path, cyaml_strerror(bad));
	arena_init(&c.arena, (size_t)16 << 20);
	rc = read_file(&c, f, e);
	cyaml_free(&config, &file_value, f, 0);
	if (rc) {
		corpus_release(&c);
		return err_prefix(e, "%s", path);
	}
	*out = c;
	return 0;
}

void corpus_release(struct corpus *c)
{
	arena_release(&c->arena);
	*c = (struct corpus){0};
}
