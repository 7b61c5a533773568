/* corpus.c - blocks: operators by their samples or their cases, patterns, and subgraphs of those. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/corpus_file.h"
#include "methods/fuzz/pattern.h"
#include "methods/fuzz/samplers.h"
#include "model/case_file.h"

#define SEED 1 /* of cases, whose values are drawn anew anyway */

/* A corpus in the making. */
struct collector {
	struct corpus *c;
	VEC(struct fuzz_op) ops;
	const struct pattern_rule *rules; /* of the file */
	struct case_lines lines;          /* read when the first operator needs them */
	int has_lines;
	struct err *e;
};

/* ---- cases of an operator ---------------------------------------------------------------------------------------- */

/* "ai.onnx.ml:Scaler-1 …" is about Scaler of ai.onnx.ml. */
static int is_about(const char *line, const struct op_row *row)
{
	size_t domain = strlen(row->domain), name = strlen(row->name);

	if (domain && (strncmp(line, row->domain, domain) != 0 || line[domain] != ':'))
		return 0;
	line += domain ? domain + 1 : 0;
	return !strncmp(line, row->name, name) && line[name] == '-';
}

/* Adds a case to a list with room for it, when nodes can be drawn from it. */
static int add_case(struct collector *k, const char *line, const struct op_case **list, size_t *n)
{
	struct op_case *one = arena_zalloc(&k->c->arena, sizeof *one);
	int rc = one ? case_parse(line, SEED, one, k->e) : err_nomem(k->e, "a case", 0);

	if (rc)
		return rc;
	if (vec_push(&k->c->cases, one)) {
		case_release(one);
		return err_nomem(k->e, "a case", 0);
	}
	if (make_case_is_open(one))
		list[(*n)++] = one;
	return 0;
}

/* Cases of an operator that nodes can be drawn from, up to NULL. */
static int read_cases(struct collector *k, const struct op_row *row, const struct op_case ***out)
{
	size_t n = 0;
	int rc = k->has_lines ? 0 : case_lines_read(NULL, &k->lines, k->e);

	if (rc)
		return rc;
	k->has_lines = 1;
	for (size_t i = 0; i < k->lines.all.n; i++)
		n += (size_t)is_about(k->lines.all.at[i].text, row);
	*out = arena_array(&k->c->arena, n + 1, sizeof **out);
	if (!*out)
		return err_nomem(k->e, "cases", n);
	n = 0;
	for (size_t i = 0; i < k->lines.all.n && !rc; i++)
		if (is_about(k->lines.all.at[i].text, row))
			rc = add_case(k, k->lines.all.at[i].text, *out, &n);
	return rc;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const char *sample_name(const struct op_row *row, const struct op_sample *s)
{
	return s->name ? s->name : row->name;
}

static struct fuzz_op from_sample(const struct op_row *row, const struct op_sample *s)
{
	struct fuzz_op op = {.name = sample_name(row, s),
			     .row = row,
			     .is_form = s->name != NULL,
			     .sampler = s->by,
			     .types = s->types ? s->types : s->by->types,
			     .in_low = s->in > 0 ? s->in : 1,
			     .out_high = FUZZ_OUT,
			     .low = s->low,
			     .high = s->high,
			     .far = s->far,
			     .bound = s->bound,
			     .ordered = s->ordered};

	op.in_high = s->in_max > 0 ? s->in_max : op.in_low;
	return op;
}

/* ai.onnx has an operator of that name too: the domain stands in front of the block's. */
static int has_namesake(const struct op_row *row)
{
	return *row->domain && ops_find("", row->name);
}

static const char *block_name(struct collector *k, const struct op_row *row)
{
	return has_namesake(row) ? arena_printf(&k->c->arena, "%s:%s", row->domain, row->name) : row->name;
}

static int is_called(const struct op_row *row, const char *name)
{
	size_t domain = has_namesake(row) ? strlen(row->domain) : 0;

	if (domain && (strncmp(name, row->domain, domain) != 0 || name[domain] != ':'))
		return 0;
	return !strcmp(domain ? name + domain + 1 : name, row->name);
}

/* Gives no types when there is no case to draw from. */
static int from_cases(struct collector *k, const struct op_row *row, struct fuzz_op *out)
{
	const struct op_case **cases = NULL;
	const char *name = block_name(k, row);
	int rc = name ? read_cases(k, row, &cases) : err_nomem(k->e, "blocks", 0);

	if (rc)
		return rc;
	*out = (struct fuzz_op){.name = name,
				.row = row,
				.sampler = &sampler_cases,
				.cases = cases,
				.in_low = 1,
				.in_high = 1,
				.out_high = FUZZ_OUT};
	for (size_t i = 0; cases[i]; i++)
		out->types |= TM(make_case_type(cases[i]));
	return 0;
}

static int is_no_block(const struct op_row *row, struct err *e)
{
	if (row->op->drawn_with)
		return err_set(e, ERR_INPUT, "%s is drawn with %s", row->name, row->op->drawn_with);
	return err_set(e, ERR_INPUT, "%s is not drawn: %s", row->name, row->op->undrawn);
}

/* What a file calls a sample: the name of a pattern, of an operator, or of one of its samples. */
static int from_name(struct collector *k, const char *name, struct fuzz_op *out)
{
	const struct sampler *pattern = sampler_find(name);

	if (pattern) {
		*out = (struct fuzz_op){
			.sampler = pattern, .types = pattern->types, .in_low = 1, .in_high = 1, .out_high = FUZZ_OUT};
		return 0;
	}
	for (const struct op_row *row = op_rows; row->name; row++) {
		for (const struct op_sample *s = row->op->samples; s && s->by; s++)
			if (!strcmp(sample_name(row, s), name)) {
				*out = from_sample(row, s);
				return 0;
			}
		if (!is_called(row, name))
			continue;
		return op_is_drawn_from_cases(row->op) ? from_cases(k, row, out) : is_no_block(row, k->e);
	}
	return err_set(k->e, ERR_INPUT, "there is no sampler '%s'", name);
}

uint32_t fuzz_op_types(const struct fuzz_op *op, int opset)
{
	int version = op->row ? ops_version(op->row, ops_opset_with(op->row->domain, opset)) : opset;
	uint32_t types = 0;

	if (!version || opset < op->sampler->since || (op->sampler->until && opset >= op->sampler->until))
		return 0;
	for (size_t i = 0; op->cases && op->cases[i]; i++)
		if (make_case_fits(op->cases[i], opset))
			types |= TM(make_case_type(op->cases[i]));
	if (!op->cases)
		types = op->sampler->types & (op->row ? ops_types(op->row, version) : T_ANY);
	return op->types & types;
}

/* What a block is in each opset. */
static void set_opsets(struct fuzz_op *op)
{
	op->opsets = 0;
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
		op->opsets |= op->at[opset] ? UINT32_C(1) << opset : 0;
}

void corpus_set_subgraph_opsets(const struct corpus *c, struct fuzz_subgraph *s)
{
	s->opsets = UINT32_MAX;
	for (int i = 0; i < s->n; i++)
		s->opsets &= c->ops[s->ops[i]].opsets;
}

int corpus_has(const struct corpus *c, int block, int opset)
{
	uint32_t opsets = block < c->n_ops ? c->ops[block].opsets : c->subgraphs[block - c->n_ops].opsets;

	return (opsets >> opset & 1) != 0;
}

static int add_op(struct collector *k, const struct fuzz_op *op)
{
	for (size_t i = 0; i < k->ops.n; i++)
		if (!strcmp(k->ops.at[i].name, op->name))
			return err_set(k->e, ERR_INPUT, "block '%s' is there twice", op->name);
	if (vec_push(&k->ops, *op))
		return err_nomem(k->e, "blocks", 0);
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
		k->ops.at[k->ops.n - 1].at[opset] = fuzz_op_types(op, opset);
	set_opsets(&k->ops.at[k->ops.n - 1]);
	return 0;
}

/* Every operator, by all its samples or by its cases. */
static int add_operators(struct collector *k)
{
	int rc = 0;

	for (const struct op_row *row = op_rows; row->name && !rc; row++) {
		struct fuzz_op op;

		for (const struct op_sample *s = row->op->samples; s && s->by && !rc; s++) {
			op = from_sample(row, s);
			rc = add_op(k, &op);
		}
		if (rc || !op_is_drawn_from_cases(row->op))
			continue;
		rc = from_cases(k, row, &op);
		if (!rc && op.types)
			rc = add_op(k, &op);
	}
	return rc;
}

/* ---- operators of a file ----------------------------------------------------------------------------------------- */

/* "float32 int64" */
static int parse_types(const char *text, uint32_t allowed, uint32_t *out, struct err *e)
{
	char word[32];
	int used;

	*out = text ? 0 : *out;
	for (; text && sscanf(text, " %31s%n", word, &used) == 1; text += used) {
		enum dtype t = dtype_from_name(word);

		if (t == DT_UNDEFINED)
			return err_set(e, ERR_INPUT, "'%s' is not an element type", word);
		*out |= TM(t);
	}
	return *out & allowed ? 0 : err_set(e, ERR_INPUT, "no element type is left that it can be given");
}

static int check_degrees(int low, int high, int out, struct err *e)
{
	if (high < low || high > FUZZ_MAX_DEGREE || out > 63)
		return err_set(e, ERR_INPUT, "degrees must be 1 to %d, in order", FUZZ_MAX_DEGREE);
	return 0;
}

/* What the file says goes before what the operator does. */
static int read_op(struct collector *k, const struct block_op *f, struct fuzz_op *op)
{
	int rc = f->pattern ? pattern_block(f, k->rules, &k->c->arena, op, k->e)
			    : from_name(k, f->sample ? f->sample : f->name, op);

	if (rc)
		return rc;
	op->name = arena_strdup(&k->c->arena, f->name);
	if (!op->name)
		return err_nomem(k->e, "blocks", 0);
	if (f->in > 0 || f->in_max > 0) {
		op->in_low = f->in > 0 ? f->in : 1;
		op->in_high = f->in_max > 0 ? f->in_max : op->in_low;
	}
	if (f->low < f->high) {
		op->low = f->low;
		op->high = f->high;
	}
	op->out_high = f->out_max > 0 ? f->out_max : op->out_high;
	op->bound = f->bound > 0 ? f->bound : op->bound;
	rc = parse_types(f->types, op->cases ? op->types : op->sampler->types, &op->types, k->e);
	return rc ? rc : check_degrees(op->in_low, op->in_high, op->out_high, k->e);
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
			return err_set(e, ERR_INPUT, "edge %d>%d is none from an operator to a later one", from, to);
		s->from[s->n_edges] = from;
		s->to[s->n_edges++] = to;
	}
	return text[strspn(text, " ")] ? err_set(e, ERR_INPUT, "cannot read the edges at '%s'", text) : 0;
}

static int read_subgraph(struct corpus *c, const struct block_subgraph *f, struct fuzz_subgraph *out, struct err *e)
{
	int rc;

	out->name = arena_strdup(&c->arena, f->name);
	if (!out->name)
		return err_nomem(e, "blocks", 0);
	for (unsigned i = 0; i < f->nodes_count; i++) {
		out->ops[out->n] = corpus_find(c, f->nodes[i]);
		if (out->ops[out->n++] < 0)
			return err_set(e, ERR_INPUT, "there is no operator '%s'", f->nodes[i]);
	}
	rc = parse_edges(f->edges, out, e);
	out->in_low = f->in > 0 ? f->in : 1;
	out->in_high = f->in_max > 0 ? f->in_max : out->in_low;
	out->out_high = f->out_max > 0 ? f->out_max : FUZZ_OUT;
	corpus_set_subgraph_opsets(c, out);
	return rc ? rc : check_degrees(out->in_low, out->in_high, out->out_high, e);
}

/* ---- the corpus -------------------------------------------------------------------------------------------------- */

static int take_ops(struct collector *k)
{
	struct corpus *c = k->c;

	c->ops = arena_array(&c->arena, k->ops.n + 1, sizeof *c->ops);
	if (!c->ops)
		return err_nomem(k->e, "blocks", 0);
	memcpy(c->ops, k->ops.at, k->ops.n * sizeof *c->ops);
	c->n_ops = (int)k->ops.n;
	return 0;
}

/* What patterns of the file can call; each those before it. */
static int read_parts(struct collector *k, const struct block_file *f)
{
	for (unsigned i = 0; i < f->parts_count; i++) {
		struct pattern_rule *r = arena_zalloc(&k->c->arena, sizeof *r);
		const char *name = arena_strdup(&k->c->arena, f->parts[i].name);

		if (!r || !name)
			return err_nomem(k->e, "blocks", 0);
		for (const struct pattern_rule *other = k->rules; other; other = other->next)
			if (!strcmp(other->name, name))
				return err_set(k->e, ERR_INPUT, "part '%s' is there twice", name);
		if (pattern_read(name, f->parts[i].pattern, k->rules, &k->c->arena, r, k->e))
			return err_prefix(k->e, "part '%s'", name);
		k->rules = r;
	}
	return 0;
}

static int collect(struct collector *k, const struct block_file *f)
{
	struct corpus *c = k->c;
	int rc = read_parts(k, f);

	if (rc)
		return rc;
	for (unsigned i = 0; i < f->operators_count && !rc; i++) {
		struct fuzz_op op;

		rc = read_op(k, &f->operators[i], &op);
		if (!rc)
			rc = add_op(k, &op);
		if (rc)
			return err_prefix(k->e, "block '%s'", f->operators[i].name);
	}
	rc = take_ops(k);
	c->subgraphs = arena_array(&c->arena, f->subgraphs_count + 1, sizeof *c->subgraphs);
	if (!rc && !c->subgraphs)
		rc = err_nomem(k->e, "blocks", 0);
	for (unsigned i = 0; i < f->subgraphs_count && !rc; i++, c->n_subgraphs++) {
		rc = read_subgraph(c, &f->subgraphs[i], &c->subgraphs[i], k->e);
		if (rc)
			return err_prefix(k->e, "subgraph '%s'", f->subgraphs[i].name);
	}
	return rc;
}

int corpus_load(const char *path, int with_operators, struct corpus *out, struct err *e)
{
	struct corpus c = {.with_operators = with_operators};
	struct collector k = {.c = &c, .e = e};
	struct block_file *f = NULL;
	int rc = block_file_read(path, &f, e);

	if (rc)
		return rc;
	arena_init(&c.arena, (size_t)16 << 20);
	if (with_operators)
		rc = add_operators(&k);
	if (!rc && (rc = collect(&k, f)))
		err_prefix(e, "%s", path);
	block_file_free(f);
	case_lines_release(&k.lines);
	vec_release(&k.ops);
	if (rc)
		corpus_release(&c);
	else
		*out = c;
	return rc;
}

void corpus_release(struct corpus *c)
{
	for (size_t i = 0; i < c->cases.n; i++)
		case_release(c->cases.at[i]);
	vec_release(&c->cases);
	arena_release(&c->arena);
	*c = (struct corpus){0};
}

/* ---- what backends have ------------------------------------------------------------------------------------------ */

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
		for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
			op.at[opset] &= op.types;
		set_opsets(&op);
		places[i] = op.opsets ? ops : -1;
		if (places[i] >= 0)
			c->ops[ops++] = op;
	}
	for (int i = 0; i < c->n_subgraphs; i++) {
		struct fuzz_subgraph s = c->subgraphs[i];

		if (renumber(&s, places)) {
			corpus_set_subgraph_opsets(c, &s);
			c->subgraphs[subgraphs++] = s;
		}
	}
	c->n_ops = ops;
	c->n_subgraphs = subgraphs;
	mem_free(places);
	return ops ? 0 : err_set(e, ERR_USAGE, "the backends have none of the corpus's operators in common");
}
