/* model.c - a model's life: making, freeing, its opsets and symbols.  See model.h for who owns what. */
#include "model/model.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/internal.h"

/* The IR version that came out with each opset, from the specification's table of versions; 4 is the least one in which
 * initializers need not be inputs. */
static const struct ir_row {
	const char *domain;
	int opset, ir; /* up to this opset */
} ir_of_opset[] = {
	{"", 9, 4},           {"", 10, 5},          {"", 11, 6},           {"", 14, 7},
	{"", 18, 8},          {"", 20, 9},          {"", 22, 10},          {"", 23, 11},
	{"", 24, 12},         {"", 27, 13},         {"ai.onnx.ml", 1, 3},  {"ai.onnx.ml", 2, 6},
	{"ai.onnx.ml", 3, 8}, {"ai.onnx.ml", 4, 9}, {"ai.onnx.ml", 5, 10}, {"ai.onnx.training", 1, 7},
};
#define NEWEST_IR 14
#define DTYPE_OF_EVERY_IR DT_BFLOAT16 /* types with higher numbers came with later IR versions */

static int is_standard(const char *domain)
{
	return !*domain || !strncmp(domain, "ai.onnx.", 8);
}

static int ir_of(const char *domain, int opset)
{
	for (size_t i = 0; i < sizeof ir_of_opset / sizeof *ir_of_opset; i++)
		if (!strcmp(ir_of_opset[i].domain, domain) && opset <= ir_of_opset[i].opset)
			return ir_of_opset[i].ir;
	return is_standard(domain) ? NEWEST_IR : 0;
}

int model_least_ir(const struct model *m)
{
	int least = 0;

	for (size_t i = 0; i < m->opsets.n; i++) {
		int ir = ir_of(m->opsets.at[i].domain, m->opsets.at[i].version);

		least = ir > least ? ir : least;
	}
	for (size_t i = 0; i < m->graphs.n; i++)
		for (size_t k = 0; k < m->graphs.at[i]->wires.n; k++)
			if (m->graphs.at[i]->wires.at[k]->type.dtype > DTYPE_OF_EVERY_IR)
				return NEWEST_IR;
	return least;
}

void *model_carve(struct model *m, size_t count, size_t size, const char *what, struct err *e)
{
	size_t bytes = size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
	void *p;

	if (bytes > MODEL_MAX_ARENA || m->arena.used > MODEL_MAX_ARENA - bytes) {
		err_set(e, ERR_LIMIT, "%s needs %zu bytes more than the limit of %zu for a model's graphs", what, bytes,
			MODEL_MAX_ARENA);
		return NULL;
	}
	p = arena_zalloc(&m->arena, bytes);
	if (!p)
		err_nomem(e, what, bytes);
	return p;
}

char *model_strdup(struct model *m, const char *s, struct err *e)
{
	size_t n = strlen(s) + 1;
	char *copy = model_carve(m, n, 1, "a name", e);

	return copy ? memcpy(copy, s, n) : NULL;
}

int model_hold(struct model *m, struct tensor *take, struct err *e)
{
	if (!vec_push(&m->tensors, take))
		return 0;
	tensor_unref(take);
	return err_nomem(e, "a list of tensors", m->tensors.n * sizeof *m->tensors.at);
}

struct model *model_blank(const char *path, struct err *e)
{
	struct model *m = mem_zalloc(sizeof *m);

	if (!m) {
		err_nomem(e, "a model", sizeof *m);
		return NULL;
	}
	arena_init(&m->arena, 0);
	m->producer = "";
	m->path = model_strdup(m, path, e);
	if (!m->path) {
		model_free(m);
		return NULL;
	}
	return m;
}

int model_new(int opset, struct model **out, struct err *e)
{
	struct model *m = model_blank("", e);

	if (!m)
		return status_of(e);
	m->producer = "assay";
	m->ir_version = ir_of("", opset);
	m->graph = graph_new(m, NULL, "main");
	if (!m->graph || vec_push(&m->opsets, ((struct opset){"", opset}))) {
		model_free(m);
		return err_nomem(e, "a model", sizeof *m);
	}
	*out = m;
	return 0;
}

static void release_graph(struct graph *g)
{
	vec_release(&g->inputs);
	vec_release(&g->outputs);
	vec_release(&g->nodes);
	vec_release(&g->wires);
	map_release(&g->by_name);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->graphs.n; i++)
		release_graph(m->graphs.at[i]);
	for (size_t i = 0; i < m->tensors.n; i++)
		tensor_unref(m->tensors.at[i]);
	vec_release(&m->opsets);
	vec_release(&m->symbols);
	vec_release(&m->tensors);
	vec_release(&m->graphs);
	vec_release(&m->complaints);
	arena_release(&m->arena);
	mem_free(m);
}

static int keep_complaint(struct model *m, const char *text, struct err *e)
{
	const char *own;

	for (size_t i = 0; i < m->complaints.n; i++)
		if (!strcmp(m->complaints.at[i], text))
			return 0;
	own = model_strdup(m, text, e);
	if (!own)
		return status_of(e);
	return vec_push(&m->complaints, own) ? err_nomem(e, "complaints", sizeof own) : 0;
}

/* Threads that share a run of the reference may complain at once. */
int model_complain(struct model *m, struct err *e, const char *format, ...)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char text[512];
	va_list args;
	int rc;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	rc = keep_complaint(m, text, e);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int discard(struct graph *g, void *arg)
{
	(void)arg;
	graph_discard(g);
	return 0;
}

void graph_discard(struct graph *g)
{
	struct model *m = g->model;

	for (size_t i = 0; i < g->nodes.n; i++)
		node_for_each_graph(g->nodes.at[i], discard, NULL);
	for (size_t i = 0; i < m->graphs.n; i++)
		if (m->graphs.at[i] == g) {
			vec_remove(&m->graphs, i);
			break;
		}
	release_graph(g);
}

int model_opset(const struct model *m, const char *domain)
{
	for (size_t i = 0; i < m->opsets.n; i++)
		if (!strcmp(m->opsets.at[i].domain, domain))
			return m->opsets.at[i].version;
	return 0;
}

int64_t model_symbol(struct model *m, const char *name)
{
	struct err e = ERR_INIT;
	char *copy;

	for (size_t i = 0; i < m->symbols.n; i++)
		if (!strcmp(m->symbols.at[i], name))
			return (int64_t)i;
	if (m->symbols.n >= MODEL_MAX_SYMBOLS)
		return ERR_LIMIT;
	copy = model_strdup(m, name, &e);
	if (!copy)
		return e.code;
	if (vec_push(&m->symbols, copy))
		return ERR_MEMORY;
	return (int64_t)m->symbols.n - 1;
}

int model_prefix(const struct model *m, struct err *e)
{
	return *m->path ? err_prefix(e, "%s", m->path) : e->code;
}

int node_prefix(const struct node *n, struct err *e)
{
	err_prefix(e, "node '%s' (%s)", n->name, n->op_type);
	return model_prefix(n->graph->model, e);
}
