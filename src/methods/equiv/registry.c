/* registry.c - see registry.h: reading registries, the list of unsafe operations, and learned plans. */
#include "methods/equiv/registry.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/parent/spec.h"

#define MAX_DATA ((size_t)16 << 20)

/* ---- what types mean --------------------------------------------------------------------------------------------- */

/* A type begins with `word`; the first row that fits counts. */
static const struct {
	const char *library, *word;
	enum parameter_kind kind;
} type_words[] = {
	{"torch", "Tensor[]", PARAMETER_TENSORS},
	{"torch", "Tensor?[]", PARAMETER_UNKNOWN},
	{"torch", "Tensor", PARAMETER_TENSOR},
	{"torch", "int[", PARAMETER_INTS},
	{"torch", "SymInt[", PARAMETER_INTS},
	{"torch", "int", PARAMETER_INT},
	{"torch", "SymInt", PARAMETER_INT},
	{"torch", "float[", PARAMETER_FLOATS},
	{"torch", "float", PARAMETER_FLOAT},
	{"torch", "Scalar[]", PARAMETER_UNKNOWN},
	{"torch", "ScalarType", PARAMETER_DTYPE},
	{"torch", "Scalar", PARAMETER_FLOAT},
	{"torch", "bool[", PARAMETER_UNKNOWN},
	{"torch", "bool", PARAMETER_BOOL},
	{"tf", "list(int)", PARAMETER_INTS},
	{"tf", "list(float)", PARAMETER_FLOATS},
	{"tf", "int", PARAMETER_INT},
	{"tf", "float", PARAMETER_FLOAT},
	{"tf", "bool", PARAMETER_BOOL},
	{"tf", "type", PARAMETER_DTYPE},
	{"mxnet", "NDArray-or-Symbol[]", PARAMETER_TENSORS},
	{"mxnet", "NDArray", PARAMETER_TENSOR},
	{"mxnet", "Symbol", PARAMETER_TENSOR},
	{"mxnet", "int", PARAMETER_INT},
	{"mxnet", "long", PARAMETER_INT},
	{"mxnet", "float", PARAMETER_FLOAT},
	{"mxnet", "double", PARAMETER_FLOAT},
	{"mxnet", "boolean", PARAMETER_BOOL},
	{"mxnet", "Shape", PARAMETER_INTS},
	{"mxnet", "tuple of <float>", PARAMETER_FLOATS},
	{"mxnet", "tuple", PARAMETER_INTS},
	{"onnx", "tensors", PARAMETER_UNKNOWN},
	{"onnx", "ints", PARAMETER_INTS},
	{"onnx", "int", PARAMETER_INT},
	{"onnx", "floats", PARAMETER_FLOATS},
	{"onnx", "float", PARAMETER_FLOAT},
};

static enum parameter_kind kind_of(const char *library, const struct backend_parameter *p)
{
	if (p->n_allowed && !p->is_input && strcmp(p->type, "type") != 0)
		return PARAMETER_WORD;
	for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
		if (!strcmp(type_words[i].library, library) &&
		    !strncmp(p->type, type_words[i].word, strlen(type_words[i].word)))
			return type_words[i].kind;
	return PARAMETER_UNKNOWN;
}

/* Does an input of a TensorFlow operation have the type, or the count, that this attribute says? */
static int follows(const struct backend_operation *op, const char *attribute)
{
	size_t n = strlen(attribute);

	for (size_t i = 0; i < op->n_parameters; i++) {
		const char *type = op->parameters[i].type, *star = strstr(type, " * ");

		if (op->parameters[i].is_input &&
		    (!strcmp(type, attribute) || (star && !strcmp(star + 3, attribute)) ||
		     (star && (size_t)(star - type) == n && !strncmp(type, attribute, n))))
			return 1;
	}
	return 0;
}

const char *registry_type_word(const struct backend_parameter *input)
{
	const char *star = strstr(input->type, " * ");

	return star ? star + 3 : input->type;
}

int64_t registry_least(const struct backend_parameter *p)
{
	const char *bound = strstr(p->type, ">= ");

	return bound ? strtoll(bound + 3, NULL, 10) : INT64_MIN;
}

/* TensorFlow's inputs: an element type, the name of a type attribute, or "N * T". */
static enum parameter_kind tf_kind(const struct backend_operation *op, const struct backend_parameter *p)
{
	static const char *const handles[] = {"resource", "variant", "string", "list("};

	if (!p->is_input)
		return follows(op, p->name) ? PARAMETER_SKIP : kind_of("tf", p);
	for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
		if (!strncmp(p->type, handles[i], strlen(handles[i])))
			return PARAMETER_UNKNOWN;
	return strstr(p->type, " * ") ? PARAMETER_TENSORS : PARAMETER_TENSOR;
}

/* Can a tensor here have one of the element types that the library allows?  Quantized ones it cannot. */
static int has_type(const struct backend_operation *op, const struct backend_parameter *p)
{
	const char *name = p->is_input ? registry_type_word(p) : p->name;

	for (size_t i = 0; i < op->n_parameters; i++) {
		const struct backend_parameter *q = &op->parameters[i];
		size_t known = 0;

		if (q->is_input || strcmp(q->type, "type") != 0 || strcmp(q->name, name) != 0)
			continue;
		for (size_t k = 0; k < q->n_allowed; k++)
			known += dtype_from_name(q->allowed[k]) != DT_UNDEFINED && strcmp(q->allowed[k], "string") != 0;
		return known || !q->n_allowed;
	}
	return !p->is_input || dtype_from_name(name) != DT_UNDEFINED;
}

/* The rank that lists with one number for each dimension ask for ("list(int) >= 4"), or names of parameters do. */
static int wanted_rank(const struct api *api)
{
	int rank = 0;

	for (size_t i = 0; i < api->op->n_parameters; i++) {
		const struct backend_parameter *p = &api->op->parameters[i];
		int64_t least = registry_least(p);

		if (api->kinds[i] == PARAMETER_INTS && least > 2 && least <= FRAME_RANK)
			return (int)least;
		if (!rank && api->roles[i])
			rank = api->roles[i]->rank;
	}
	return rank;
}

void registry_classify(const struct registry *r, struct api *api)
{
	const struct backend_operation *op = api->op;

	if (op->unusable && *op->unusable)
		api->why_not = op->unusable;
	else if (op->n_parameters > API_MAX_PARAMETERS)
		api->why_not = "it has too many parameters";
	for (size_t i = 0; i < op->n_parameters && !api->why_not; i++) {
		const struct backend_parameter *p = &op->parameters[i];

		api->roles[i] = role_find(r->library, op->name, p->name);
		if (!strcmp(r->library, "tf"))
			api->kinds[i] = tf_kind(op, p);
		else if (!strcmp(r->library, "onnx") && p->is_input)
			api->kinds[i] = PARAMETER_TENSOR;
		else
			api->kinds[i] = kind_of(r->library, p);
		if (api->kinds[i] == PARAMETER_UNKNOWN && api->roles[i] && api->roles[i]->numbers == '"')
			api->kinds[i] = PARAMETER_WORD;
		if (api->kinds[i] == PARAMETER_UNKNOWN && !p->optional)
			api->why_not = "a parameter is a handle, a function or a text without a list of values";
		if (!strcmp(r->library, "tf") && !p->optional && (p->is_input || api->kinds[i] == PARAMETER_DTYPE) &&
		    !has_type(op, p) && !api->why_not)
			api->why_not = "its element types do not pass through a call";
	}
	if (!api->why_not)
		api->rank = wanted_rank(api);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int registry_lines(const char *path, const char *library, void (*fn)(char **fields, void *arg), void *arg,
		   struct err *e)
{
	struct buf text;
	char *at, *line;
	int rc;

	buf_init(&text, MAX_DATA);
	rc = buf_read_file(&text, path, MAX_DATA, e);
	for (at = text.data; !rc && at && (line = strsep(&at, "\n"));) {
		char *fields[3] = {strsep(&line, "\t"), line ? strsep(&line, "\t") : NULL, line};

		if (fields[0] && !strcmp(fields[0], library) && fields[1] && fields[2])
			fn(fields, arg);
	}
	buf_release(&text);
	return rc;
}

/* library, pattern of names, reason */
static void exclude(char **fields, void *arg)
{
	struct registry *r = arg;
	const char *reason = arena_strdup(&r->arena, fields[2]);

	for (size_t i = 0; i < r->n; i++)
		if (!fnmatch(fields[1], r->apis[i].op->name, 0))
			r->apis[i].why_not = reason ? reason : "excluded";
}

/* library, API, plans */
static void learn(char **fields, void *arg)
{
	struct registry *r = arg;

	for (size_t i = 0; i < r->n; i++) {
		char *at = fields[2];

		if (strcmp(r->apis[i].op->name, fields[1]) != 0)
			continue;
		while (*at && r->apis[i].n_plans < API_MAX_PLANS) {
			char *end;

			r->apis[i].plans[r->apis[i].n_plans] = strtoull(at, &end, 10);
			if (end == at)
				break;
			r->apis[i].n_plans++;
			at = end;
		}
	}
}

int registry_save(const struct registry *r, const char *path, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, MAX_DATA);
	for (size_t i = 0; i < r->n; i++) {
		const struct api *api = &r->apis[i];

		if (!api->n_plans)
			continue;
		buf_printf(&text, "%s\t%s\t", r->library, api->op->name);
		for (size_t k = 0; k < api->n_plans; k++)
			buf_printf(&text, "%s%" PRIu64, k ? " " : "", api->plans[k]);
		buf_puts(&text, "\n");
	}
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data ? text.data : "", text.len, path, e);
	buf_release(&text);
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

const char *registry_library(const char *backend)
{
	static const char *const own[] = {"tf", "torch", "mxnet"};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (spec_is(backend, own[i]))
			return own[i];
	return "onnx";
}

static int read_files(struct registry *r, const char *folder, struct err *e)
{
	char path[4096];
	int rc;

	snprintf(path, sizeof path, "%s/unsafe.tsv", folder);
	rc = registry_lines(path, r->library, exclude, r, e);
	snprintf(path, sizeof path, "%s/learned-%s.tsv", folder, r->library);
	if (rc || access(path, F_OK)) /* nothing learned yet */
		return rc;
	r->learned = 1;
	return registry_lines(path, r->library, learn, r, e);
}

int registry_open(struct registry *r, const char *backend, const char *folder, struct worker *w, struct err *e)
{
	struct worker_report report;
	struct backend_operation *ops = NULL;
	size_t n = 0;
	int rc;

	*r = (struct registry){.arena = ARENA_INIT, .library = registry_library(backend)};
	if (worker_list(w, "", &r->arena, &ops, &n, &report) != WORKER_OK)
		return err_set(e, ERR_UNSUPPORTED, "%s: %s", backend, report.message);
	r->apis = arena_array(&r->arena, n + 1, sizeof *r->apis);
	r->backend = arena_strdup(&r->arena, backend);
	r->version = arena_strdup(&r->arena, worker_version(w));
	if (!r->apis || !r->backend || !r->version)
		return err_nomem(e, "operations", n * sizeof *r->apis);
	for (; r->n < n; r->n++) {
		r->apis[r->n].op = &ops[r->n];
		registry_classify(r, &r->apis[r->n]);
	}
	rc = read_files(r, folder, e);
	if (rc)
		registry_release(r);
	return rc;
}

void registry_release(struct registry *r)
{
	arena_release(&r->arena);
	*r = (struct registry){0};
}
