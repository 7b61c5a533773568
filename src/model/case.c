/* case.c - see case.h. */
#include "model/case.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/internal.h"
#include "tensor/stats.h"

#define MAX_INPUTS 64
#define BESIDE_VENDORS 17
#define MAX_OUTPUTS 16

struct case_parser {
	const char *at;
	struct err *err;
	struct rng rng;
	struct op_case *c;
	struct wire *in[MAX_INPUTS];
	int n_in;
	struct node *node;
	VEC(double) numbers;
	VEC(int64_t) integers;   /* the same, exactly, where they are written as such */
	VEC(const char *) words; /* in the model's arena */
	int has_point;           /* a number was written with a point or exponent */
};

static const struct {
	const char *name;
	enum dtype dtype;
} short_names[] = {
	{"f32", DT_FLOAT},
	{"f64", DT_DOUBLE},
	{"f16", DT_FLOAT16},
	{"bf16", DT_BFLOAT16},
	{"i8", DT_INT8},
	{"i16", DT_INT16},
	{"i32", DT_INT32},
	{"i64", DT_INT64},
	{"u8", DT_UINT8},
	{"u16", DT_UINT16},
	{"u32", DT_UINT32},
	{"u64", DT_UINT64},
	{"bool", DT_BOOL},
	{"str", DT_STRING},
	{"i4", DT_INT4},
	{"u4", DT_UINT4},
	{"i2", DT_INT2},
	{"u2", DT_UINT2},
	{"f8e4m3fn", DT_FLOAT8E4M3FN},
	{"f8e5m2", DT_FLOAT8E5M2},
};

static int bad(struct case_parser *p, const char *what)
{
	return err_set(p->err, ERR_INPUT, "case: %s at '%.30s'", what, p->at);
}

static void skip_space(struct case_parser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static int accept(struct case_parser *p, const char *text)
{
	if (strncmp(p->at, text, strlen(text)) != 0)
		return 0;
	p->at += strlen(text);
	return 1;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void forget_lists(struct case_parser *p)
{
	p->numbers.n = p->integers.n = p->words.n = 0;
}

static int parse_word(struct case_parser *p)
{
	const char *end = strchr(p->at + 1, '"'), *copy;

	if (!end)
		return bad(p, "a string without an end");
	copy = arena_strndup(&p->c->model->arena, p->at + 1, (size_t)(end - p->at - 1));
	p->at = end + 1;
	return copy && !vec_push(&p->words, copy) ? 0 : err_nomem(p->err, "a case", 0);
}

static int parse_number(struct case_parser *p)
{
	int64_t integer = 0;
	int has_point = 0;
	char *end;
	double x = strtod(p->at, &end);

	if (end == p->at)
		return bad(p, "wanted a number");
	for (const char *s = p->at; s < end; s++)
		has_point |= *s == '.' || *s == 'e' || *s == 'n';
	p->has_point |= has_point;
	if (!has_point) /* uint64 has the same bits */
		integer = *p->at == '-' ? (int64_t)strtoll(p->at, NULL, 10) : (int64_t)strtoull(p->at, NULL, 10);
	else if (fabs(x) < 0x1p63)
		integer = (int64_t)x;
	p->at = end;
	return vec_push(&p->numbers, x) || vec_push(&p->integers, integer) ? err_nomem(p->err, "a case", 0) : 0;
}

/* Items up to `close`, into p->numbers or p->words. */
static int parse_list(struct case_parser *p, const char *close)
{
	int rc = 0;

	forget_lists(p);
	p->has_point = 0;
	while (!rc && !accept(p, close)) {
		rc = *p->at == '"' ? parse_word(p) : parse_number(p);
		if (!rc && !accept(p, ",") && strncmp(p->at, close, strlen(close)) != 0)
			rc = bad(p, "wanted , or the end of a list");
	}
	return rc;
}

static int parse_dims(struct case_parser *p, int64_t *dims, int *rank)
{
	int rc = parse_list(p, "]");

	if (!rc && p->numbers.n > TENSOR_MAX_RANK)
		rc = bad(p, "too many dimensions");
	for (size_t i = 0; i < p->numbers.n && !rc; i++)
		dims[i] = p->integers.at[i];
	*rank = (int)p->numbers.n;
	return rc;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static int add_random(struct case_parser *p, enum dtype t)
{
	int64_t dims[TENSOR_MAX_RANK];
	double lo = -2, hi = 2;
	struct type type = TYPE_INIT;
	struct tensor *x;
	char name[16];
	int rank, rc = parse_dims(p, dims, &rank);

	if (!rc && accept(p, "@")) {
		forget_lists(p);
		rc = parse_number(p);
		if (!rc)
			rc = accept(p, ":") ? parse_number(p) : bad(p, "wanted :");
		lo = rc ? 0 : p->numbers.at[0];
		hi = rc ? 0 : p->numbers.at[1];
	}
	x = rc ? NULL : tensor_new(t, rank, dims, p->err);
	if (!x)
		return p->err->code;
	rc = tensor_fill_random(x, &p->rng, lo, hi, p->err);
	if (rc) {
		tensor_unref(x);
		return rc;
	}
	p->c->inputs[p->c->n] = value_tensor(x, p->err);
	if (!p->c->inputs[p->c->n])
		return p->err->code;
	p->c->ranges[p->c->n] = (struct case_range){lo, hi};
	snprintf(name, sizeof name, "x%zu", p->c->n++);
	type_set(&type, t, rank, dims);
	return graph_add_input(p->c->model->graph, name, &type, &p->in[p->n_in], p->err);
}

static int fill_given(struct case_parser *p, struct tensor *x)
{
	for (size_t i = 0; i < x->count; i++) {
		int rc = 0;

		if (dtype_wide(x->dtype) == WIDE_STR)
			rc = tensor_set_string(x, i, p->words.at[i], strlen(p->words.at[i]), p->err);
		else if (dtype_wide(x->dtype) == WIDE_F64)
			x->f[i] = p->numbers.at[i];
		else
			x->i[i] = p->integers.at[i];
		if (rc)
			return rc;
	}
	return 0;
}

/* The values after '{', as a packed tensor. */
static int parse_given(struct case_parser *p, enum dtype t, struct tensor **packed)
{
	int64_t dims[TENSOR_MAX_RANK] = {0};
	struct tensor *x = NULL;
	const char *values = p->at;
	size_t count = 0;
	int rank = 1, rc = parse_list(p, "}");

	dims[0] = (int64_t)(p->numbers.n + p->words.n);
	if (!rc && accept(p, "["))
		rc = parse_dims(p, dims, &rank);
	if (!rc) { /* the dimensions were parsed into the same list: read the values again */
		const char *after = p->at;

		p->at = values;
		rc = parse_list(p, "}");
		p->at = after;
	}
	if (!rc)
		rc = tensor_shape_count(rank, dims, &count, p->err);
	if (!rc && count != p->numbers.n + p->words.n)
		rc = bad(p, "values and dimensions do not fit");
	if (!rc && !(x = tensor_new(t, rank, dims, p->err)))
		rc = p->err->code;
	if (!rc)
		rc = fill_given(p, x);
	if (!rc && !(*packed = tensor_pack(x, p->err)))
		rc = p->err->code;
	tensor_unref(x);
	return rc;
}

static int add_given(struct case_parser *p, enum dtype t)
{
	struct tensor *packed = NULL;
	char name[16];
	int rc = parse_given(p, t, &packed);

	snprintf(name, sizeof name, "c%d", p->n_in);
	return rc ? rc : graph_add_init(p->c->model->graph, name, packed, &p->in[p->n_in], p->err);
}

/* *found 0: something else stands here. */
static int parse_input(struct case_parser *p, int *found)
{
	*found = 1;
	if (p->n_in == MAX_INPUTS)
		return bad(p, "too many inputs");
	if (p->at[0] == '-' && p->at[1] != '>') {
		p->at++;
		p->in[p->n_in++] = NULL;
		return 0;
	}
	for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++) {
		size_t n = strlen(short_names[i].name);
		int rc;

		if (strncmp(p->at, short_names[i].name, n) != 0 || (p->at[n] != '[' && p->at[n] != '{'))
			continue;
		p->at += n + 1;
		rc = p->at[-1] == '[' ? add_random(p, short_names[i].dtype) : add_given(p, short_names[i].dtype);
		p->n_in++;
		return rc;
	}
	*found = 0;
	return 0;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int set_list(struct case_parser *p, const char *name)
{
	int rc = parse_list(p, "]");

	if (rc)
		return rc;
	if (p->words.n)
		return node_set_strings(p->node, name, p->words.at, p->words.n, p->err);
	if (p->has_point)
		return node_set_floats(p->node, name, p->numbers.at, p->numbers.n, p->err);
	return node_set_ints(p->node, name, p->integers.at, p->integers.n, p->err);
}

/* name=f32{1,2}; *found 0: something else stands here. */
static int parse_tensor_attr(struct case_parser *p, const char *name, int *found)
{
	struct tensor *packed = NULL;

	*found = 1;
	for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++) {
		size_t n = strlen(short_names[i].name);
		int rc;

		if (strncmp(p->at, short_names[i].name, n) != 0 || p->at[n] != '{')
			continue;
		p->at += n + 1;
		rc = parse_given(p, short_names[i].dtype, &packed);
		if (!rc)
			rc = node_set_tensor(p->node, name, packed, p->err);
		return rc;
	}
	*found = 0;
	return 0;
}

static int parse_attr(struct case_parser *p)
{
	size_t n = strcspn(p->at, "= ");
	const char *name = arena_strndup(&p->c->model->arena, p->at, n);
	int rc, found;

	if (!name)
		return err_nomem(p->err, "a case", 0);
	if (!n || p->at[n] != '=')
		return bad(p, "wanted an input or name=value");
	p->at += n + 1;
	if (accept(p, "["))
		return set_list(p, name);
	rc = parse_tensor_attr(p, name, &found);
	if (rc || found)
		return rc;
	forget_lists(p);
	p->has_point = 0;
	rc = *p->at == '"' ? parse_word(p) : parse_number(p);
	if (rc)
		return rc;
	if (p->words.n)
		return node_set_string(p->node, name, p->words.at[0], p->err);
	if (p->has_point)
		return node_set_float(p->node, name, p->numbers.at[0], p->err);
	return node_set_int(p->node, name, p->integers.at[0], p->err);
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

struct head {
	char domain[64], op[64];
	int opset, outputs;
};

/* The "-> n" of a line; an arrow within quotes is text. */
static const char *find_arrow(const char *line)
{
	int quoted = 0;

	for (; *line; line++) {
		quoted ^= *line == '"';
		if (!quoted && strncmp(line, "-> ", 3) == 0)
			return line;
	}
	return NULL;
}

static int parse_head(struct case_parser *p, const char *line, struct head *h)
{
	size_t n = strcspn(p->at, " "), colon = 0, dash = 0;
	const char *arrow = find_arrow(line);

	*h = (struct head){.outputs = arrow ? (int)strtol(arrow + 3, NULL, 10) : 1};
	for (size_t i = 0; i < n; i++) {
		colon = p->at[i] == ':' ? i + 1 : colon;
		dash = p->at[i] == '-' ? i : dash;
	}
	if (!dash || dash < colon || dash - colon >= sizeof h->op || colon >= sizeof h->domain)
		return bad(p, "wanted Operator-opset");
	memcpy(h->domain, p->at, colon ? colon - 1 : 0);
	memcpy(h->op, p->at + colon, dash - colon);
	h->opset = (int)strtol(p->at + dash + 1, NULL, 10);
	if (h->outputs < 1 || h->outputs > MAX_OUTPUTS || h->opset < 1)
		return bad(p, "opset or number of outputs out of range");
	p->at += n;
	return 0;
}

static int add_node(struct case_parser *p, const struct head *h)
{
	struct graph *g = p->c->model->graph;
	const char *names[MAX_OUTPUTS];
	const struct node_spec spec = {
		.op_type = h->op, .domain = h->domain, .in = p->in, .n_in = p->n_in, .out = names, .n_out = h->outputs};
	char text[MAX_OUTPUTS][16];
	int rc;

	for (int i = 0; i < h->outputs; i++) {
		snprintf(text[i], sizeof text[i], "y%d", i);
		names[i] = text[i];
	}
	rc = graph_add_node(g, g->nodes.n, &spec, &p->node, p->err);
	for (int i = 0; i < h->outputs && !rc; i++)
		rc = graph_add_output(g, p->node->out[i], p->err);
	if (!rc)
		p->node->opset = h->opset;
	return rc;
}

static int is_of_onnx(const char *domain)
{
	return !*domain || !strncmp(domain, "ai.onnx.", strlen("ai.onnx."));
}

static int import_domain(struct case_parser *p, const struct head *h)
{
	struct model *m = p->c->model;
	struct opset o = {arena_strdup(&m->arena, h->domain), h->opset};

	if (!*h->domain)
		return 0;
	return o.domain && !vec_push(&m->opsets, o) ? 0 : err_nomem(p->err, "a case", 0);
}

static int keep_line(struct case_parser *p, const char *line)
{
	p->c->line = model_strdup(p->c->model, line, p->err);
	p->c->ranges = model_carve(p->c->model, MAX_INPUTS, sizeof *p->c->ranges, "ranges", p->err);
	return p->c->line && p->c->ranges ? 0 : p->err->code;
}

/* The opset of ai.onnx in the model of an operator: a library that has operators of its own may put nodes of ai.onnx
 * beside them, which are none of its first opset. */
static int onnx_opset(const struct head *h)
{
	return is_of_onnx(h->domain) ? h->opset : BESIDE_VENDORS;
}

static int parse_line(struct case_parser *p, const char *line)
{
	struct head h;
	int rc, more = 1;

	rc = parse_head(p, line, &h);
	if (!rc)
		rc = model_new(onnx_opset(&h), &p->c->model, p->err);
	if (!rc)
		rc = keep_line(p, line);
	if (!rc)
		rc = import_domain(p, &h);
	while (!rc && more) {
		skip_space(p);
		rc = parse_input(p, &more);
	}
	if (!rc)
		rc = add_node(p, &h);
	for (skip_space(p); !rc && *p->at && strncmp(p->at, "->", 2) != 0; skip_space(p))
		rc = parse_attr(p);
	return rc;
}

int case_parse(const char *line, uint64_t seed, struct op_case *out, struct err *e)
{
	struct op_case c = {.inputs = mem_array(MAX_INPUTS, sizeof *c.inputs)};
	struct case_parser p = {.at = line, .err = e, .c = &c};
	int rc = c.inputs ? 0 : err_nomem(e, "a case", 0);

	rng_init(&p.rng, seed);
	if (!rc)
		rc = parse_line(&p, line);
	vec_release(&p.numbers);
	vec_release(&p.integers);
	vec_release(&p.words);
	if (rc)
		case_release(&c);
	else
		*out = c;
	return rc;
}

void case_release(struct op_case *c)
{
	for (size_t i = 0; i < c->n; i++)
		value_unref(c->inputs[i]);
	mem_free(c->inputs);
	model_free(c->model);
	*c = (struct op_case){0};
}
